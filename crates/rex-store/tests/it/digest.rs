//! Digests tell every difference in content and none in order.

use rex_store::digest::{TableDigest, query, table};
use rusqlite::Connection;

fn digest(values: &str) -> TableDigest {
    query(
        &Connection::open_in_memory().unwrap(),
        &format!("SELECT * FROM (VALUES {values})"),
    )
    .unwrap()
}

#[test]
fn order_makes_no_difference_and_everything_else_does() {
    let equal = [
        ("(1, 'a'), (2, 'b'), (2, 'b')", "(2, 'b'), (1, 'a'), (2, 'b')"),
        ("(1.0)", "(0.5 + 0.5)"),
    ];
    for (one, other) in equal {
        assert_eq!(digest(one), digest(other), "{one} = {other}");
    }
    let different = [
        ("(1)", "(1.0)"),
        ("(1)", "('1')"),
        ("('1')", "(x'31')"),
        ("(NULL)", "('')"),
        ("('')", "(x'')"),
        ("(0)", "(NULL)"),
        ("(0.0)", "(-0.0)"),
        ("('a', 'bc')", "('ab', 'c')"),
        ("(1, NULL)", "(NULL, 1)"),
        ("('é')", "('e' || char(769))"),
        ("(CAST(x'ff' AS TEXT))", "(CAST(x'fe' AS TEXT))"),
        ("('a' || char(0))", "('a')"),
        ("(zeroblob(256))", "(zeroblob(257))"),
        ("(zeroblob(300))", "(zeroblob(299) || x'01')"),
        ("(1), (1)", "(1)"),
        ("(1), (1)", "(2), (2)"),
        ("(1), (1), (2), (2)", "(1), (2), (3), (3)"),
    ];
    for (one, other) in different {
        assert_ne!(digest(one).digest, digest(other).digest, "{one} <> {other}");
    }
}

#[test]
fn a_digest_is_the_same_in_every_process() {
    let found = digest("(1, 'one', 1.5, x'00ff', NULL), (2, 'two', -0.0, zeroblob(1000), 'x')");
    assert_eq!(
        (found.rows, found.to_string().as_str()),
        (2, "bcec73f9f4587deaa7aac4705b377b64")
    );
    assert_eq!(TableDigest::default(), digest("(1)) WHERE (0"));
}

#[test]
fn a_table_is_digested_whole_whatever_its_name() {
    let store = Connection::open_in_memory().unwrap();
    store
        .execute_batch("CREATE TABLE \"a \"\" b\"(x, y); INSERT INTO \"a \"\" b\" VALUES (1, 'a'), (2, NULL)")
        .unwrap();
    assert_eq!(table(&store, "a \" b").unwrap(), digest("(1, 'a'), (2, NULL)"));
    assert_eq!(
        table(&store, "missing").unwrap_err().to_string(),
        "cannot prepare the query of a digest"
    );
}
