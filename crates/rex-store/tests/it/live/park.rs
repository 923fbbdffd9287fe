//! Parking, waiting, going on.

use rex_store::daemon::{
    End, LiveReader, MessageStatus, Next, Refusal, Request, RunStatus, Submitted, Waiting,
};
use rex_store::error::StoreError;
use serde_json::value::RawValue;
use std::time::Duration;

use super::{Store, request};

const WAITING: Waiting<'static> = Waiting {
    call_id: "c1",
    handles: &[],
    deadline_ms: None,
    any: false,
    pending: None,
};

#[test]
fn a_parked_run_gives_its_slot_back_and_goes_on() {
    let mut store = Store::new(1);
    store.bot("Eve");
    let run = store.start("first");
    let eve = Request {
        bot: "Eve",
        ..request("queue", "a")
    };
    let Submitted::InLine { number, .. } = store.writer.submit(&eve, 5).unwrap() else {
        panic!("no slot is free")
    };
    let handle = format!("Eve/{number}");
    let pending = r#"[ {"call_id" : "w2"} ]"#.to_owned();
    let pending = RawValue::from_string(pending).unwrap();
    let handles = [handle.as_str()];
    let waiting = Waiting {
        handles: &handles,
        pending: Some(&pending),
        ..WAITING
    };
    store.writer.park(run, &waiting).unwrap();
    let parked = store.turn(run);
    assert_eq!(parked.status, RunStatus::Waiting);
    let seen = format!(r#"{{"call_id":"c1","handles":["{handle}"],"deadline_ms":null,"any":false"#);
    let json = format!(r#"{seen},"pending":[ {{"call_id" : "w2"}} ]}}"#);
    assert_eq!(parked.waiting.unwrap().to_str(), Some(json.as_str()));
    assert!(store.events().contains(&format!("turn_waiting {run}/- {seen}}}")));
    assert!(!store.writer.read().is_due(run, 6).unwrap());
    let started = Next::Started {
        bot: "Eve".to_owned(),
        turn: number,
    };
    assert_eq!(store.writer.start_next(6).unwrap(), Some(started));
    assert!(!store.writer.read().is_due(run, 6).unwrap());
    store
        .writer
        .finish(
            number,
            End::Failed {
                error: "e",
                detail: None,
            },
            7,
        )
        .unwrap();
    assert!(store.writer.read().is_due(run, 7).unwrap());
    store.writer.resume(run).unwrap();
    let resumed = store.turn(run);
    assert_eq!((resumed.status, resumed.waiting), (RunStatus::Running, None));
    store.writer.finish(run, End::Completed, 8).unwrap();
    store.is_sound();
}

#[test]
fn a_run_is_due_by_its_handles_or_its_deadline() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let queued = format!("Bob/{}", store.line_up("queue", "queued"));
    let withdrawn = store.line_up("queue", "withdrawn");
    store.writer.withdraw("Bob", withdrawn, 5).unwrap();
    let gone = format!("Bob/{withdrawn}");
    store
        .writer
        .connection()
        .execute_batch(&format!(
            "INSERT INTO processes(id, turn, call_id, status) VALUES (1, {run}, 'c', 'running'), (2, {run}, 'd', 'lost')"
        ))
        .unwrap();
    let (queued, gone) = (queued.as_str(), gone.as_str());
    let cases: [(&[&str], bool, Option<i64>, bool); 12] = [
        (&[], false, None, true),
        (&[], true, None, true),
        (&[queued], false, None, false),
        (&[queued], false, Some(10), true),
        (&[queued], false, Some(11), false),
        (&[queued, gone], false, None, false),
        (&[queued, gone], true, None, true),
        (&[gone, "proc:2"], false, None, true),
        (&[gone, "proc:1"], false, None, false),
        (&["proc:1"], true, None, false),
        (&["proc:9", "nobody/7"], false, None, true),
        (&["Eve/1"], false, None, true),
    ];
    for (handles, any, deadline_ms, is_due) in cases {
        let waiting = Waiting {
            handles,
            any,
            deadline_ms,
            ..WAITING
        };
        store.writer.park(run, &waiting).unwrap();
        assert_eq!(
            store.writer.read().is_due(run, 10).unwrap(),
            is_due,
            "{waiting:?}"
        );
        store.writer.resume(run).unwrap();
    }
}

#[test]
fn only_what_goes_parks_and_only_what_is_parked_goes_on() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let state = |done: Result<(), StoreError>| match done {
        Err(StoreError::Refused { refusal }) => refusal,
        other => panic!("{other:?}"),
    };
    let bad = Waiting {
        handles: &["turn:/"],
        ..WAITING
    };
    assert_eq!(state(store.writer.park(run, &bad)), Refusal::HandleUnknown);
    assert_eq!(
        state(store.writer.resume(run)),
        Refusal::TurnState { found: "running" }
    );
    store.writer.park(run, &WAITING).unwrap();
    assert_eq!(
        state(store.writer.park(run, &WAITING)),
        Refusal::TurnState { found: "waiting" }
    );
    let end = store.writer.finish(run, End::Completed, 5).map(|_| ());
    assert_eq!(state(end), Refusal::TurnState { found: "waiting" });
    assert_eq!(state(store.writer.resume(99)), Refusal::TurnNotFound);
    assert_eq!(
        state(store.writer.read().is_due(99, 1).map(|_| ())),
        Refusal::TurnNotFound
    );
    store
        .writer
        .connection()
        .execute("UPDATE turns SET waiting = '{'", [])
        .unwrap();
    assert_eq!(
        state(store.writer.read().is_due(run, 1).map(|_| ())),
        Refusal::WaitingUnreadable
    );
    store.writer.finish(run, End::Interrupted, 5).unwrap();
    assert_eq!(store.turn(run).waiting, None);
}

#[test]
fn what_is_in_line_can_be_withdrawn_and_the_next_takes_its_place() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let [a, b, c] = ["queue", "steer", "attach"].map(|delivery| store.line_up(delivery, delivery));
    assert_eq!(store.writer.withdraw("Bob", c, 5).unwrap(), None);
    store.writer.finish(run, End::Completed, 6).unwrap();
    assert_eq!(store.message(a).status, MessageStatus::Ready);
    assert_eq!(store.writer.withdraw("Bob", a, 7).unwrap(), Some(b));
    let withdrawn = store.message(a);
    assert_eq!(
        (withdrawn.status, withdrawn.ended_ms),
        (MessageStatus::Withdrawn, Some(7))
    );
    assert!(
        store
            .events()
            .contains(&format!(r#"turn_finished -/{a} {{"status":"withdrawn"}}"#))
    );
    for (bot, number, expected) in [
        ("Bob", a, Refusal::MessageNotInLine),
        ("Bob", run, Refusal::MessageNotInLine),
        ("Bob", 99, Refusal::MessageNotFound),
        ("Eve", b, Refusal::MessageNotFound),
    ] {
        match store.writer.withdraw(bot, number, 8) {
            Err(StoreError::Refused { refusal }) => assert_eq!(refusal, expected),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.writer.withdraw("Bob", b, 8).unwrap(), None);
    store.start("idle again");
    store.is_sound();
}

#[test]
fn a_reader_sees_what_is_committed_and_cannot_write() {
    let mut store = Store::new(1);
    let path = store.folder.path().join("s.db");
    let reader = LiveReader::open(&path, Duration::ZERO).unwrap();
    let run = store.start("first");
    let awaited = reader.wait("Bob", run).unwrap();
    assert_eq!((awaited.turn, awaited.run), (Some(run), Some(RunStatus::Running)));
    assert!(!awaited.is_over());
    store.writer.finish(run, End::Completed, 5).unwrap();
    assert!(reader.wait("Bob", run).unwrap().is_over());
    let raw =
        rusqlite::Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert!(
        raw.execute("DELETE FROM events", []).is_err(),
        "the reader's flags forbid it"
    );
}
