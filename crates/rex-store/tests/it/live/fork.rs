//! Forks share a lineage; deleting one of them takes only what nobody else uses.

use rex_store::daemon::{DELETE_BATCH, Deletion, End, NewBot, NewFork, Refusal, Request, Round, Submitted};
use rex_store::error::StoreError;

use super::{BOT, Store, request};

fn refusal<T: std::fmt::Debug>(done: Result<T, StoreError>) -> Refusal {
    match done {
        Err(StoreError::Refused { refusal }) => refusal,
        other => panic!("{other:?}"),
    }
}

fn count(store: &mut Store, sql: &str) -> i64 {
    store
        .writer
        .connection()
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}

/// One run of Bob with so many items of the model; returns the head.
fn run(store: &mut Store, words: &str, items: usize) -> i64 {
    let turn = store.start(words);
    let items = vec![&b"{}"[..]; items];
    let head = store
        .writer
        .append(
            turn,
            &Round {
                items: &items,
                ..Round::default()
            },
        )
        .unwrap();
    store.writer.finish(turn, End::Completed, 5).unwrap();
    head.unwrap()
}

/// Deletes a bot and returns how many calls that took.
fn delete(store: &mut Store, bot: &str, request_id: Option<&str>) -> usize {
    let mut calls = 1;
    while store.writer.delete_bot(bot, request_id, 9).unwrap() == Deletion::Going {
        let removed = calls;
        assert!(removed < 10_000, "it ends");
        calls += 1;
    }
    calls
}

#[test]
fn a_fork_goes_on_from_a_checkpoint_or_the_head() {
    let mut store = Store::new(2);
    let (first, second) = (run(&mut store, "one", 2), run(&mut store, "two", 2));
    store
        .writer
        .connection()
        .execute("UPDATE bots SET context_start = ?1", [second])
        .unwrap();
    let at = |name, node| NewFork {
        name,
        source: "Bob",
        node,
        created_by: Some(("Bob", 1)),
    };
    assert_eq!(
        refusal(store.writer.fork(&at("F", Some(second - 1)))),
        Refusal::CheckpointNotFound
    );
    assert_eq!(refusal(store.writer.fork(&at("Bob", None))), Refusal::BotExists);
    let nobody = NewFork {
        source: "nobody",
        ..at("F", None)
    };
    assert_eq!(refusal(store.writer.fork(&nobody)), Refusal::BotNotFound);
    store.writer.fork(&at("early", Some(first))).unwrap();
    store.writer.fork(&at("late", None)).unwrap();
    for (name, head, context, ordinal) in [("early", first, None, 2), ("late", second, Some(second), 3)] {
        let sql = "SELECT head, context_start, model, created_by_id FROM bots WHERE name = ?1";
        let row: rusqlite::Result<(i64, Option<i64>, String, i64)> =
            store
                .writer
                .connection()
                .query_row(sql, [name], |row| row.try_into());
        assert_eq!(row.unwrap(), (head, context, "large-1".to_owned(), 1));
        let go = Request {
            bot: name,
            ..request("reject", "go")
        };
        let Submitted::Started { turn } = store.writer.submit(&go, 7).unwrap() else {
            panic!("it starts")
        };
        let sql = format!("SELECT turn_seq FROM nodes WHERE turn = {turn} AND parent = {head}");
        assert_eq!(count(&mut store, &sql), ordinal, "counted along the lineage");
    }
    assert!(
        store
            .events()
            .contains(&format!(r#"forked -/- {{"from":"Bob","node":{first}}}"#))
    );
    store.is_sound();
}

/// Bob runs, has taken a lot in, has a line, and owns a row of every kind.
fn keep_busy(store: &mut Store) {
    let going = store.start("going");
    for n in 0..2 * DELETE_BATCH {
        store.line_up("steer", &format!("steer {n}"));
    }
    while store.writer.take_in(going, 6).unwrap().is_full {}
    store.line_up("queue", "queued");
    store.line_up("attach", "attached");
    let owned = format!(
        "INSERT INTO tools VALUES ({going}, 'c', 'completed');
        INSERT INTO artifacts VALUES ({going}, 'c', 'out', x'00', 1);
        INSERT INTO approvals(turn, call_id, name, arguments) VALUES ({going}, 'c', 'n', '{{}}');
        INSERT INTO processes(turn, call_id, status) VALUES ({going}, 'c', 'running');
        INSERT INTO senders(node) SELECT head FROM bots WHERE name = 'Bob';"
    );
    store.writer.connection().execute_batch(&owned).unwrap();
}

#[test]
fn deleting_takes_a_bots_rows_and_only_its_own_nodes() {
    let mut store = Store::new(2);
    let first = run(&mut store, "one", 2);
    let fork = NewFork {
        name: "fork",
        source: "Bob",
        node: Some(first),
        created_by: None,
    };
    store.writer.fork(&fork).unwrap();
    run(&mut store, "two", 3 * DELETE_BATCH);
    keep_busy(&mut store);
    assert_eq!(
        store.writer.delete_bot("Bob", Some("d1"), 8).unwrap(),
        Deletion::Going
    );
    assert_eq!(
        refusal(store.writer.submit(&request("queue", "late"), 8)),
        Refusal::BotNotFound
    );
    assert_eq!(refusal(store.writer.create_bot(&BOT)), Refusal::BotExists);
    let calls = delete(&mut store, "Bob", Some("d1"));
    assert!(calls > 10, "in pieces: {calls}");
    store.is_sound();
    for table in [
        "messages",
        "turns",
        "tools",
        "artifacts",
        "approvals",
        "processes",
        "retained_messages",
        "senders",
    ] {
        assert_eq!(
            count(&mut store, &format!("SELECT count(*) FROM {table}")),
            0,
            "{table}"
        );
    }
    assert_eq!(
        count(&mut store, "SELECT count(*) FROM nodes"),
        3,
        "what the fork uses"
    );
    assert_eq!(count(&mut store, "SELECT max(id) FROM nodes"), first);
    assert_eq!(count(&mut store, "SELECT count(*) FROM events"), 1, "the fork's");
    delete(&mut store, "fork", None);
    assert_eq!(
        count(&mut store, "SELECT count(*) FROM nodes"),
        0,
        "nobody uses them any more"
    );
}

#[test]
fn a_deletion_that_comes_again_leaves_the_next_bot_of_that_name_alone() {
    let mut store = Store::new(1);
    run(&mut store, "one", 1);
    delete(&mut store, "Bob", Some("d1"));
    let id = store
        .writer
        .create_bot(&NewBot {
            family: "messages",
            ..BOT
        })
        .unwrap();
    assert_eq!(id, 2, "an identity is never used again");
    assert_eq!(
        store.writer.delete_bot("Bob", Some("d1"), 9).unwrap(),
        Deletion::Done
    );
    let turn = store.start("one");
    let node = store.message(turn).node.unwrap();
    assert_eq!(
        store.item(node),
        r#"{"role":"user","content":[{"type":"text","text":"one"}]}"#
    );
    assert_eq!(
        refusal(store.writer.delete_bot("nobody", None, 9)),
        Refusal::BotNotFound
    );
    delete(&mut store, "Bob", Some("d2"));
    store.is_sound();
}

#[test]
fn a_run_of_the_write_path_can_be_pruned() {
    let mut store = Store::new(1);
    for n in 0..3 {
        run(&mut store, &format!("{n}"), 1);
    }
    let before = store.events().len();
    let pruned = store.writer.prune("Bob", 1).unwrap();
    assert_eq!((pruned.messages, pruned.released, pruned.more), (2, 2, false));
    assert_eq!(store.events().len(), before - pruned.events);
    assert_eq!(
        pruned.events, 8,
        "accepted, message, usage and turn_finished of two runs"
    );
    store.is_sound();
}
