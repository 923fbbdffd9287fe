//! Where a new message goes, and what keeps it out.

use rex_store::daemon::{End, From, MessageStatus, NewBot, Next, Refusal, Request, RunStatus, Submitted};
use rex_store::error::StoreError;

use super::{BOT, Store, request};

fn refused(store: &mut Store, request: &Request<'_>) -> Refusal {
    let before = store.writer.connection().total_changes();
    let refusal = match store.writer.submit(request, 9) {
        Err(StoreError::Refused { refusal }) => refusal,
        other => panic!("{request:?} is {other:?}"),
    };
    assert_eq!(store.writer.connection().total_changes(), before, "{refusal}");
    refusal
}

#[test]
fn a_message_that_starts_at_once_is_taken_by_the_run_it_opens() {
    let mut store = Store::new(1);
    let turn = store.start("go \"on\"");
    let message = store.message(turn);
    assert_eq!((message.status, message.turn), (MessageStatus::Taken, Some(turn)));
    assert_eq!((message.sent_ms, message.taken_ms), (Some(100), Some(100)));
    assert_eq!(message.workspace.unwrap().to_str(), Some("/srv/home"));
    assert_eq!(message.model.unwrap().to_str(), Some("large-1"));
    let node = message.node.unwrap();
    assert_eq!(
        store.item(node),
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go \"on\""}]}"#
    );
    let run = store.turn(turn);
    assert_eq!(
        (run.status, run.started_ms, run.finished_ms),
        (RunStatus::Running, Some(100), None)
    );
    assert_eq!(
        store.events(),
        [
            "created -/- {}".to_owned(),
            format!(r#"accepted {turn}/- {{"request_id":"go \"on\"","node":{node}}}"#)
        ]
    );
    store.is_sound();
}

#[test]
fn runs_are_counted_along_the_lineage() {
    let mut store = Store::new(1);
    for ordinal in 1..=3 {
        let turn = store.start(&format!("words {ordinal}"));
        store.writer.finish(turn, End::Completed, 200).unwrap();
        let sql = "SELECT turn_seq, depth, total_bytes FROM nodes WHERE turn = ?1";
        let found: (i64, i64, i64) = store
            .writer
            .connection()
            .query_row(sql, [turn], |row| row.try_into())
            .unwrap();
        let item = store.item(1).len() as i64;
        assert_eq!(found, (ordinal, ordinal - 1, ordinal * item));
    }
}

#[test]
fn admission_names_the_first_thing_that_is_in_the_way() {
    let mut store = Store::new(1);
    let nobody = Request {
        bot: "nobody",
        ..request("queue", "a")
    };
    assert_eq!(refused(&mut store, &nobody), Refusal::BotNotFound);
    assert_eq!(
        refused(&mut store, &request("shout", "a")),
        Refusal::DeliveryUnknown
    );
    let strict = |delivery| Request {
        expected_turn: Some(9),
        ..request(delivery, "a")
    };
    assert_eq!(refused(&mut store, &strict("steer")), Refusal::StaleTurn);
    assert_eq!(
        refused(&mut store, &strict("queue")),
        Refusal::ExpectedTurnMisplaced
    );
    let no_text = Request {
        words: b"\xff",
        ..request("queue", "a")
    };
    assert_eq!(refused(&mut store, &no_text), Refusal::WordsNotText);
    let homeless = NewBot {
        name: "Eve",
        workspace: None,
        budget_tokens: Some(5),
        ..BOT
    };
    store.writer.create_bot(&homeless).unwrap();
    let eve = |delivery| Request {
        bot: "Eve",
        ..request(delivery, "a")
    };
    assert_eq!(refused(&mut store, &eve("queue")), Refusal::WorkspaceRequired);
    let run = store.start("first");
    assert_eq!(refused(&mut store, &request("reject", "a")), Refusal::BotBusy);
    assert_eq!(refused(&mut store, &eve("reject")), Refusal::ActiveAgentLimit);
    assert_eq!(refused(&mut store, &strict("steer")), Refusal::StaleTurn);
    store
        .writer
        .connection()
        .execute("UPDATE bots SET tokens_used = 5 WHERE name = 'Eve'", [])
        .unwrap();
    assert_eq!(refused(&mut store, &eve("queue")), Refusal::BudgetExhausted);
    let mine = Request {
        expected_turn: Some(run),
        ..request("steer", "mine")
    };
    assert!(matches!(
        store.writer.submit(&mine, 9).unwrap(),
        Submitted::InLine { .. }
    ));
}

#[test]
fn a_bot_needs_a_name_that_is_free() {
    let mut store = Store::new(1);
    assert_eq!(
        store.writer.create_bot(&BOT).unwrap_err().to_string(),
        "bot_exists: a bot has that name"
    );
    let nameless = store.writer.create_bot(&NewBot { name: "", ..BOT }).unwrap_err();
    assert!(matches!(
        nameless,
        StoreError::Refused {
            refusal: Refusal::BotNameEmpty
        }
    ));
}

#[test]
fn without_a_free_slot_the_head_of_the_line_is_ready_and_starts_in_its_order() {
    let mut store = Store::new(1);
    store.bot("Eve");
    let run = store.start("first");
    let eve = Request {
        bot: "Eve",
        ..request("queue", "a")
    };
    let Submitted::InLine { number, status } = store.writer.submit(&eve, 5).unwrap() else {
        panic!("no slot is free")
    };
    assert_eq!(status, MessageStatus::Ready);
    let later = Request {
        request_id: "b",
        ..eve
    };
    assert!(
        matches!(
            store.writer.submit(&later, 5).unwrap(),
            Submitted::InLine {
                status: MessageStatus::Queued,
                ..
            }
        ),
        "at most one is ready"
    );
    assert_eq!(
        refused(
            &mut store,
            &Request {
                request_id: "c",
                delivery: "reject",
                ..eve
            }
        ),
        Refusal::BotBusy
    );
    assert_eq!(store.writer.start_next(6).unwrap(), None);
    store.writer.finish(run, End::Completed, 7).unwrap();
    let started = Next::Started {
        bot: "Eve".to_owned(),
        turn: number,
    };
    assert_eq!(store.writer.start_next(8).unwrap(), Some(started));
    let message = store.message(number);
    assert_eq!(
        (message.sent_ms, message.taken_ms, message.turn),
        (Some(5), Some(8), Some(number))
    );
    assert_eq!(message.workspace.unwrap().to_str(), Some("/srv/home"));
    assert_eq!(store.writer.start_next(8).unwrap(), None);
    store.is_sound();
}

#[test]
fn what_cannot_run_when_its_place_comes_fails_and_the_next_is_ready() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let strict = Request {
        expected_turn: Some(run),
        ..request("steer", "strict")
    };
    let Submitted::InLine { number: strict, .. } = store.writer.submit(&strict, 5).unwrap() else {
        panic!("it waits")
    };
    let poor = store.line_up("queue", "poor");
    let last = store.line_up("queue", "last");
    assert_eq!(store.writer.finish(run, End::Interrupted, 7).unwrap(), Some(poor));
    assert_eq!(store.message(strict).status, MessageStatus::Failed);
    assert_eq!(store.message(strict).ended_ms, Some(7));
    let budget = |store: &mut Store, tokens: &str| {
        store
            .writer
            .connection()
            .execute(&format!("UPDATE bots SET budget_tokens = {tokens}"), [])
            .unwrap();
    };
    budget(&mut store, "0");
    let failed = Next::Failed {
        bot: "Bob".to_owned(),
        number: poor,
        refusal: Refusal::BudgetExhausted,
    };
    assert_eq!(store.writer.start_next(8).unwrap(), Some(failed));
    budget(&mut store, "NULL");
    assert_eq!(store.message(last).status, MessageStatus::Ready);
    let started = Next::Started {
        bot: "Bob".to_owned(),
        turn: last,
    };
    assert_eq!(store.writer.start_next(9).unwrap(), Some(started));
    let events = store.events();
    assert!(events.contains(&format!(
        r#"turn_finished -/{strict} {{"status":"failed","error":"stale_turn"}}"#
    )));
    assert!(events.contains(&format!(
        r#"turn_finished -/{poor} {{"status":"failed","error":"budget_exhausted"}}"#
    )));
    store.is_sound();
}

#[test]
fn a_message_takes_over_the_effort_of_the_run_that_sends_it() {
    let mut store = Store::new(2);
    store.bot("Eve");
    let boss = Request {
        effort: Some("high"),
        ..request("reject", "boss")
    };
    let Submitted::Started { turn } = store.writer.submit(&boss, 1).unwrap() else {
        panic!("it starts")
    };
    let sender = From {
        bot: Some("Bob"),
        turn: Some(turn),
        id: Some(1),
        origin: None,
    };
    let to_eve = Request {
        bot: "Eve",
        sender,
        ..request("reject", "do it")
    };
    let Submitted::Started { turn } = store.writer.submit(&to_eve, 2).unwrap() else {
        panic!("it starts")
    };
    let message = store.message(turn);
    assert_eq!(message.effort, None);
    assert_eq!(message.inherited_effort.unwrap().to_str(), Some("high"));
    let sent_by: (String, i64, i64) = store
        .writer
        .connection()
        .query_row(
            "SELECT bot, bot_id, turn FROM senders WHERE node = ?1",
            [message.node],
            |row| row.try_into(),
        )
        .unwrap();
    assert_eq!(sent_by, ("Bob".to_owned(), 1, sender.turn.unwrap()));
}

#[test]
fn long_words_are_kept_by_their_node_alone() {
    for (bytes, is_held) in [(4095, false), (4096, true), (4097, true)] {
        let mut store = Store::new(1);
        let words = format!("{}{}", "\u{20ac}".repeat(1365), "x".repeat(bytes - 4095));
        let turn = store.start(&words);
        let message = store.message(turn);
        assert_eq!(message.words.as_bytes().is_empty(), is_held, "{bytes}");
        assert_eq!(message.words_node.is_some(), is_held, "{bytes}");
    }
}
