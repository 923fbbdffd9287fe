//! What can be read of messages and turns.

use rex_store::daemon::{
    End, From, MessageStatus, PREVIEW_CHARS, Refusal, Request, Round, RunStatus, Submitted, Text,
};
use rex_store::error::StoreError;

use super::{Store, request};

#[test]
fn messages_are_listed_by_key_newest_first() {
    let mut store = Store::new(1);
    let long = "\u{20ac}".repeat(2000);
    let run = store.start(&long);
    let sender = From {
        bot: Some("Eve"),
        turn: Some(9),
        id: Some(2),
        origin: Some("schedule"),
    };
    let steer = Request {
        sender,
        effort: Some("low"),
        ..request("steer", "steer")
    };
    let Submitted::InLine { number, .. } = store.writer.submit(&steer, 7).unwrap() else {
        panic!("it waits")
    };
    let last = store.line_up("queue", "last");
    let page = store.writer.read().messages("Bob", i64::MAX, 2).unwrap();
    let numbers: Vec<i64> = page.iter().map(|listed| listed.number).collect();
    assert_eq!(numbers, [last, number]);
    let listed = &page[1];
    assert_eq!(
        (listed.status, listed.turn, listed.sent_ms),
        (MessageStatus::Queued, None, Some(7))
    );
    assert_eq!(
        (&listed.delivery, &listed.preview),
        (&Text::from("steer"), &"steer".to_owned())
    );
    assert_eq!(
        (listed.from_bot.as_ref(), listed.effort.as_ref()),
        (Some(&Text::from("Eve")), Some(&Text::from("low")))
    );
    assert_eq!((listed.from_turn, listed.from_id), (Some(9), Some(2)));
    let page = store.writer.read().messages("Bob", number, 2).unwrap();
    assert_eq!(page.len(), 1);
    assert_eq!(page[0].preview, "\u{20ac}".repeat(PREVIEW_CHARS));
    assert_eq!(
        (page[0].turn, page[0].workspace.as_ref()),
        (Some(run), Some(&Text::from("/srv/home")))
    );
    assert_eq!(store.writer.read().messages("nobody", i64::MAX, 2).unwrap(), []);
}

#[test]
fn a_preview_ends_at_a_character_whatever_the_bytes_are() {
    let mut store = Store::new(1);
    let run = store.start("x");
    for (bytes, expected) in [
        (b"\xff\xfe".repeat(400), "\u{fffd}".repeat(PREVIEW_CHARS)),
        (
            "\u{1f680}".repeat(200).into_bytes(),
            "\u{1f680}".repeat(PREVIEW_CHARS),
        ),
        (b"a\0b".to_vec(), "a\0b".to_owned()),
    ] {
        let update = "UPDATE messages SET words = CAST(?1 AS TEXT) WHERE number = ?2";
        store.writer.connection().execute(update, (&bytes, run)).unwrap();
        assert_eq!(
            store.writer.read().messages("Bob", i64::MAX, 1).unwrap()[0].preview,
            expected
        );
        assert_eq!(store.writer.read().quote("Bob", run).unwrap(), bytes);
    }
}

#[test]
fn words_are_quoted_byte_by_byte_or_not_at_all() {
    let mut store = Store::new(1);
    let words = ["", " ", "a\0b\r\n", "e\u{301}", "\u{202e}👩\u{200d}🚀\"\\"].map(str::to_owned);
    let long = words.concat().repeat(400);
    for words in words.into_iter().chain([long]) {
        let request_id = format!("id of {}", words.len());
        let sent = Request {
            request_id: &request_id,
            ..request("reject", &words)
        };
        let Submitted::Started { turn } = store.writer.submit(&sent, 1).unwrap() else {
            panic!("it starts")
        };
        assert_eq!(store.writer.read().quote("Bob", turn).unwrap(), words.as_bytes());
        store.writer.finish(turn, End::Completed, 2).unwrap();
    }
    let refusal = |store: &Store, bot, number| match store.writer.read().quote(bot, number) {
        Err(StoreError::Refused { refusal }) => refusal,
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal(&store, "Bob", 99), Refusal::MessageNotFound);
    assert_eq!(refusal(&store, "Eve", 1), Refusal::MessageNotFound);
    store
        .writer
        .connection()
        .execute("UPDATE nodes SET item = '{}'", [])
        .unwrap();
    assert_eq!(refusal(&store, "Bob", 6), Refusal::WordsUnreadable);
}

#[test]
fn a_round_grows_the_lineage_and_counts_its_tokens() {
    let mut store = Store::new(1);
    let run = store.start("first");
    let items: [&[u8]; 2] = [b"{\"role\":\"assistant\",\"content\":\"a\"}", b"{}"];
    let round = Round {
        items: &items,
        input_tokens: 10,
        output_tokens: 5,
        cached_input_tokens: 4,
    };
    let head = store.writer.append(run, &round).unwrap();
    let steer = store.line_up("steer", "steer");
    store.writer.take_in(run, 9).unwrap();
    store.writer.append(run, &Round { items: &[], ..round }).unwrap();
    store.writer.finish(run, End::Completed, 9).unwrap();
    let turns = store.writer.read().turns("Bob", i64::MAX, 9).unwrap();
    assert_eq!(turns.len(), 1);
    let turn = &turns[0];
    assert_eq!(
        (turn.id, turn.status, turn.model_rounds),
        (run, RunStatus::Completed, 2)
    );
    assert_eq!(
        (turn.input_tokens, turn.output_tokens, turn.cached_input_tokens),
        (20, 10, 8)
    );
    let sql =
        "SELECT b.tokens_used, b.input_tokens, n.parent, n.depth FROM bots b JOIN nodes n ON n.id = b.head";
    let bot: (i64, i64, Option<i64>, i64) = store
        .writer
        .connection()
        .query_row(sql, [], |row| row.try_into())
        .unwrap();
    assert_eq!(bot, (30, 20, head, 3));
    assert_eq!(store.message(steer).turn, Some(run));
    assert!(
        store
            .events()
            .contains(&format!(r#"message {run}/- {{"node":{}}}"#, head.unwrap()))
    );
    store.is_sound();
}
