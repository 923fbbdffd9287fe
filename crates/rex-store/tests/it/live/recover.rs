//! After a crash what ran is interrupted, and the oldest in line is ready.

use rex_store::daemon::{End, MessageStatus, NewBot, Next, Recovered, Request, RunStatus, Waiting};

use super::{BOT, Store, request};

#[test]
fn what_ran_is_interrupted_and_the_oldest_in_line_is_ready() {
    let mut store = Store::new(3);
    for name in ["Eve", "Mia"] {
        store.writer.create_bot(&NewBot { name, ..BOT }).unwrap();
    }
    let run = store.start("first");
    let queued = store.line_up("queue", "queued");
    let attached = store.line_up("attach", "attached");
    let parked = store
        .writer
        .submit(
            &Request {
                bot: "Eve",
                ..request("queue", "a")
            },
            5,
        )
        .unwrap();
    let rex_store::daemon::Submitted::Started { turn: parked } = parked else {
        panic!("{parked:?}")
    };
    let waiting = Waiting {
        call_id: "c",
        handles: &["Bob/1"],
        deadline_ms: None,
        any: true,
        pending: None,
    };
    store.writer.park(parked, &waiting).unwrap();
    let left_over = format!(
        "INSERT INTO messages(number, bot, request_id, words, status) VALUES (90, 'Mia', 'r', '', 'queued');
        INSERT INTO processes(id, turn, call_id, status)
            VALUES (1, {run}, 'c', 'running'), (2, {run}, 'd', 'finished'), (2000, {run}, 'e', 'running')"
    );
    store.writer.connection().execute_batch(&left_over).unwrap();
    let recovered = store.writer.recover(9).unwrap();
    assert_eq!(
        recovered,
        Recovered {
            interrupted: vec![run],
            ready: vec![queued, 90],
            lost: 2
        }
    );
    let interrupted = store.turn(run);
    assert_eq!(
        (interrupted.status, interrupted.finished_ms),
        (RunStatus::Interrupted, Some(9))
    );
    assert_eq!(store.turn(parked).status, RunStatus::Waiting);
    assert_eq!(store.message(queued).status, MessageStatus::Ready);
    assert_eq!(store.message(attached).status, MessageStatus::Attached);
    assert_eq!(store.writer.recover(10).unwrap(), Recovered::default());
    let started = Next::Started {
        bot: "Bob".to_owned(),
        turn: queued,
    };
    assert_eq!(store.writer.start_next(11).unwrap(), Some(started));
    store.writer.finish(queued, End::Completed, 12).unwrap();
    store.is_sound();
}
