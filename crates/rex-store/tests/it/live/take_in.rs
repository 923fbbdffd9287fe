//! What a run takes in, in which order, and what it leaves in line.

use rex_store::daemon::{End, MessageStatus, Refusal, Request, Submitted, TAKE_BATCH, TAKE_BYTES, TakenIn};
use rex_store::error::StoreError;

use super::{Store, request};

fn numbers(taken: &TakenIn) -> &[i64] {
    &taken.messages
}

#[test]
fn steers_are_taken_in_the_order_of_their_numbers() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let queued = store.line_up("queue", "queued");
    let (a, b) = (
        store.line_up("steer", "a"),
        store.line_up("steer", &"b".repeat(5000)),
    );
    let taken = store.writer.take_in(run, 300).unwrap();
    assert_eq!((numbers(&taken), taken.is_full), (&[a, b][..], false));
    let (first, second) = (store.message(a), store.message(b));
    for message in [&first, &second] {
        assert_eq!((message.status, message.turn), (MessageStatus::Taken, Some(run)));
        assert_eq!((message.taken_ms, message.ended_ms), (Some(300), None));
        assert_eq!(message.workspace.as_ref().unwrap().to_str(), Some("/srv/home"));
    }
    assert_eq!((first.words.to_str(), first.words_node), (Some("a"), None));
    assert_eq!(
        (second.words.to_str(), second.words_node),
        (Some(""), second.node)
    );
    let sql = "SELECT n.parent, n.turn, b.head FROM nodes n, bots b WHERE n.id = ?1";
    let row: rusqlite::Result<(Option<i64>, Option<i64>, Option<i64>)> =
        store
            .writer
            .connection()
            .query_row(sql, [second.node], |row| row.try_into());
    assert_eq!(row.unwrap(), (first.node, None, second.node));
    assert_eq!(store.message(queued).status, MessageStatus::Queued);
    let (node, events) = (first.node.unwrap(), store.events());
    assert!(events.contains(&format!(
        r#"turn_finished -/{a} {{"status":"steered","into":{run},"node":{node}}}"#
    )));
    assert!(events.contains(&format!(r#"steered {run}/{a} {{"steer":{a},"node":{node}}}"#)));
    assert_eq!(store.writer.take_in(run, 301).unwrap(), TakenIn::default());
    store.is_sound();
}

#[test]
fn a_steer_that_asks_for_another_folder_or_model_waits_for_a_run_of_its_own() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let mut send = |words, workspace, model| {
        let steer = Request {
            workspace,
            model,
            ..request("steer", words)
        };
        match store.writer.submit(&steer, 5).unwrap() {
            Submitted::InLine { number, .. } => number,
            other => panic!("{other:?}"),
        }
    };
    let elsewhere = send("elsewhere", Some("/srv/other"), None);
    send("other model", None, Some("large-2"));
    let same = send("the same", Some("/srv/home"), Some("large-1"));
    assert_eq!(numbers(&store.writer.take_in(run, 6).unwrap()), [same]);
    assert_eq!(
        store.writer.finish(run, End::Completed, 7).unwrap(),
        Some(elsewhere)
    );
    store.writer.start_next(8).unwrap().unwrap();
    assert_eq!(
        store.message(elsewhere).workspace.unwrap().to_str(),
        Some("/srv/other")
    );
}

#[test]
fn a_strict_steer_is_taken_by_its_run_or_by_none() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let strict = Request {
        expected_turn: Some(run),
        ..request("steer", "strict")
    };
    let Submitted::InLine { number: late, .. } = store.writer.submit(&strict, 5).unwrap() else {
        panic!("it waits")
    };
    let next = store.line_up("steer", "next");
    assert_eq!(store.writer.finish(run, End::Completed, 6).unwrap(), Some(next));
    store.writer.start_next(7).unwrap().unwrap();
    assert_eq!(store.writer.take_in(next, 8).unwrap(), TakenIn::default());
    assert_eq!(store.message(late).status, MessageStatus::Failed);
    let mine = Request {
        expected_turn: Some(next),
        ..request("steer", "mine")
    };
    store.writer.submit(&mine, 9).unwrap();
    assert_eq!(store.writer.take_in(next, 9).unwrap().messages.len(), 1);
}

#[test]
fn a_batch_is_bounded_by_messages_and_by_bytes() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let many: Vec<i64> = (0..=TAKE_BATCH)
        .map(|n| store.line_up("steer", &format!("{n}")))
        .collect();
    let first = store.writer.take_in(run, 6).unwrap();
    assert_eq!((numbers(&first), first.is_full), (&many[..TAKE_BATCH], true));
    let rest = store.writer.take_in(run, 6).unwrap();
    assert_eq!((numbers(&rest), rest.is_full), (&many[TAKE_BATCH..], false));
    let half = "x".repeat(TAKE_BYTES / 2);
    let large: Vec<i64> = (0..3)
        .map(|n| store.line_up("steer", &half.replacen('x', &n.to_string(), 1)))
        .collect();
    let small = store.line_up("steer", "small");
    let two = store.writer.take_in(run, 7).unwrap();
    assert_eq!((numbers(&two), two.is_full), (&large[..2], true));
    assert_eq!(
        numbers(&store.writer.take_in(run, 7).unwrap()),
        [large[2], small],
        "in order"
    );
    let huge = store.line_up("steer", &"y".repeat(TAKE_BYTES * 2));
    store.line_up("steer", "behind");
    let alone = store.writer.take_in(run, 8).unwrap();
    assert_eq!(
        (numbers(&alone), alone.is_full),
        (&[huge][..], true),
        "the first is never too large"
    );
}

#[test]
fn what_is_attached_rides_with_the_run_that_starts_next() {
    let mut store = Store::new(1);
    let many: Vec<i64> = (0..TAKE_BATCH + 2)
        .map(|n| store.line_up("attach", &format!("{n}")))
        .collect();
    let run = store.start("go");
    let late = store.line_up("attach", "late");
    let taken = |store: &mut Store| {
        many.iter()
            .filter(|n| store.message(**n).turn == Some(run))
            .count()
    };
    assert_eq!(taken(&mut store), TAKE_BATCH, "a run starts with one batch");
    assert_eq!(
        numbers(&store.writer.take_in(run, 9).unwrap()),
        &many[TAKE_BATCH..]
    );
    assert_eq!(
        store.message(late).status,
        MessageStatus::Attached,
        "it is younger than the run"
    );
    assert_eq!(store.writer.finish(run, End::Completed, 10).unwrap(), None);
    let next = store.start("next");
    assert_eq!(store.message(late).turn, Some(next));
    store.is_sound();
}

#[test]
fn only_a_run_that_goes_takes_in() {
    let mut store = Store::new(1);
    let run = store.start("first");
    store.writer.finish(run, End::Completed, 6).unwrap();
    let over = store.writer.take_in(run, 7).unwrap_err();
    assert!(
        matches!(
            over,
            StoreError::Refused {
                refusal: Refusal::TurnState { found: "completed" }
            }
        ),
        "{over}"
    );
    let none = store.writer.take_in(99, 7).unwrap_err();
    assert!(
        matches!(
            none,
            StoreError::Refused {
                refusal: Refusal::TurnNotFound
            }
        ),
        "{none}"
    );
    let again = store.writer.finish(run, End::Completed, 7).unwrap_err();
    assert!(
        matches!(
            again,
            StoreError::Refused {
                refusal: Refusal::TurnState { .. }
            }
        ),
        "{again}"
    );
}
