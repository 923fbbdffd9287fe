//! A request that comes again keeps its number and writes nothing; each field that differs is named.

use rex_store::daemon::{From, Request, Resent, Submitted};
use rex_store::error::StoreError;

use super::{Store, request};

const SENT: Request<'static> = Request {
    bot: "Bob",
    request_id: "r1",
    words: b"go on",
    workspace: Some("/srv/a"),
    model: Some("large-2"),
    effort: Some("high"),
    delivery: "queue",
    expected_turn: None,
    sender: From {
        bot: Some("Eve"),
        turn: Some(3),
        id: Some(2),
        origin: Some("schedule"),
    },
    quotes: Some(r#"[{"bot":"Eve","message":3}]"#),
    pictures: Some("[1,2]"),
};

fn changes(store: &mut Store) -> u64 {
    store.writer.connection().total_changes()
}

type Change = fn(&mut Request<'static>);

const DIFFERENT: [(&str, Change); 19] = [
    ("words", |r| r.words = b"go on "),
    ("words", |r| r.words = b""),
    ("words", |r| r.words = b"go on\xff"),
    ("workspace", |r| r.workspace = Some("/srv/b")),
    ("model", |r| r.model = Some("large-1")),
    ("effort", |r| r.effort = Some("low")),
    ("effort", |r| r.effort = None),
    ("delivery", |r| r.delivery = "reject"),
    ("delivery", |r| r.delivery = "never heard of"),
    ("expected_turn", |r| r.expected_turn = Some(1)),
    ("sender", |r| r.sender.bot = Some("Mallory")),
    ("sender", |r| r.sender.bot = None),
    ("sender", |r| r.sender.turn = Some(4)),
    ("sender", |r| r.sender.id = None),
    ("sender", |r| r.sender.origin = None),
    ("sender", |r| r.sender = From::default()),
    ("quotes", |r| r.quotes = Some("[]")),
    ("quotes", |r| r.quotes = Some("no JSON")),
    ("pictures", |r| r.pictures = Some("[2,1]")),
];

#[test]
fn each_field_that_differs_is_a_conflict_by_its_name() {
    let mut store = Store::new(1);
    let Submitted::Started { turn } = store.writer.submit(&SENT, 1).unwrap() else {
        panic!("it starts")
    };
    let before = changes(&mut store);
    for (expected, change) in DIFFERENT {
        let mut request = SENT;
        change(&mut request);
        match store.writer.submit(&request, 2) {
            Err(StoreError::IdempotencyConflict { field, number }) => {
                assert_eq!((field, number), (expected, turn), "{request:?}");
            }
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert_eq!(changes(&mut store), before);
}

#[test]
fn what_is_omitted_or_only_spelled_otherwise_counts_as_equal() {
    let mut store = Store::new(1);
    let Submitted::Started { turn } = store.writer.submit(&SENT, 1).unwrap() else {
        panic!("it starts")
    };
    let equal = [
        SENT,
        Request {
            workspace: None,
            ..SENT
        },
        Request { model: None, ..SENT },
        Request {
            quotes: None,
            pictures: None,
            ..SENT
        },
        Request {
            pictures: Some("[ 1, 2 ]"),
            ..SENT
        },
        Request {
            quotes: Some(r#"[{"message":3,"bot":"Eve"}]"#),
            ..SENT
        },
    ];
    let before = changes(&mut store);
    for request in equal {
        let resent = store.writer.submit(&request, 2).unwrap();
        let expected = Resent {
            number: turn,
            turn: Some(turn),
        };
        assert_eq!(resent, Submitted::Resent(expected), "{request:?}");
    }
    assert_eq!(changes(&mut store), before);
}

#[test]
fn only_a_message_that_opened_a_run_names_one() {
    let mut store = Store::new(1);
    let long = "x".repeat(5000);
    let run = store.start(&long);
    let steer = store.line_up("steer", "steer");
    let queued = store.line_up("queue", &long.replace('x', "y"));
    let attached = store.line_up("attach", "attached");
    store.writer.take_in(run, 5).unwrap();
    let cases = [
        (long.clone(), "reject", run, Some(run)),
        ("steer".to_owned(), "steer", steer, None),
        (long.replace('x', "y"), "queue", queued, None),
        ("attached".to_owned(), "attach", attached, None),
    ];
    for (words, delivery, number, turn) in cases {
        let resent = store.send(delivery, &words);
        assert_eq!(resent, Submitted::Resent(Resent { number, turn }));
    }
    assert!(
        store.message(run).words.as_bytes().is_empty(),
        "its node alone holds the words"
    );
    let other = Request {
        words: &long.as_bytes()[1..],
        ..request("reject", &long)
    };
    let conflict = store.writer.submit(&other, 9).unwrap_err();
    assert!(
        matches!(conflict, StoreError::IdempotencyConflict { field: "words", .. }),
        "{conflict}"
    );
}
