//! Every refusal is one line with a cause and a hint, and leaves the file and its folder as they were.

use std::path::Path;

use rex_store::daemon;

use crate::cli::Place;
use crate::crash::small;
use crate::engine::listing;
use crate::toy;

/// One refused file: how it is made, and what its refusal says.
struct Case {
    about: &'static str,
    make: fn(&Path),
    says: &'static str,
}

fn sql(store: &Path, statements: &str) {
    small::store(store, "DELETE");
    toy::open(store)
        .execute_batch(&format!("PRAGMA foreign_keys = OFF; {statements}"))
        .unwrap();
}

const CASES: &[Case] = &[
    Case {
        about: "newer",
        make: |store| sql(store, "PRAGMA user_version = 92"),
        says: "newer than 91",
    },
    Case {
        about: "older",
        make: |store| sql(store, "PRAGMA user_version = 89"),
        says: "at version 89",
    },
    Case {
        about: "no version",
        make: |store| sql(store, "PRAGMA user_version = 0"),
        says: "no version",
    },
    Case {
        about: "unknown table",
        make: |store| sql(store, "CREATE TABLE notes(x)"),
        says: "table notes",
    },
    Case {
        about: "unknown column",
        make: |store| sql(store, "ALTER TABLE bots ADD COLUMN mood"),
        says: "bots.mood",
    },
    Case {
        about: "missing index",
        make: |store| sql(store, "DROP INDEX bots_head"),
        says: "bots_head",
    },
    Case {
        about: "91 without the split",
        make: |store| sql(store, "PRAGMA user_version = 91"),
        says: "another schema",
    },
    Case {
        about: "text",
        make: |store| std::fs::write(store, "hello\n").unwrap(),
        says: "not an SQLite database",
    },
    Case {
        about: "no byte",
        make: |store| std::fs::write(store, "").unwrap(),
        says: "empty",
    },
    Case {
        about: "noise",
        make: |store| std::fs::write(store, noise()).unwrap(),
        says: "encrypted",
    },
    Case {
        about: "somebody else's",
        make: |store| {
            toy::open(store)
                .execute_batch("CREATE TABLE places(url)")
                .unwrap();
        },
        says: "no daemon store",
    },
    Case {
        about: "foreign keys violated",
        make: |store| sql(store, "UPDATE nodes SET parent = 77 WHERE id = 3"),
        says: "1 row of nodes names a row of nodes that is not there",
    },
    Case {
        about: "a row that the split refuses",
        make: |store| sql(store, "UPDATE turns SET status = 'lost' WHERE id = 4"),
        says: "4",
    },
    Case {
        about: "a folder",
        make: |store| std::fs::create_dir(store).unwrap(),
        says: "directory",
    },
    Case {
        about: "nothing",
        make: |_| (),
        says: "cannot open",
    },
];

/// What an encrypted file looks like: xorshift, so that it is the same each time.
fn noise() -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(&mut next).take(8192).collect()
}

#[test]
fn a_refusal_says_why_and_changes_nothing() {
    for case in CASES {
        let place = Place::empty();
        (case.make)(&place.folder.path().join("bots.db"));
        let before = listing(place.folder.path());
        for arguments in [&["up", "--yes", "bots.db"][..], &["up", "--dry-run", "bots.db"]] {
            let block = place.run(arguments);
            let lines: Vec<_> = block.lines().collect();
            let about = case.about;
            assert_eq!(lines.last(), Some(&"[exit status: 3]"), "{about}: {block}");
            assert_eq!(
                lines.iter().filter(|line| line.starts_with("error: ")).count(),
                1,
                "{about}: {block}"
            );
            assert_eq!(
                lines.iter().filter(|line| line.starts_with("hint: ")).count(),
                1,
                "{about}: {block}"
            );
            assert!(block.contains(case.says), "{about}: {block}");
            assert_eq!(listing(place.folder.path()), before, "{about}");
        }
    }
}

#[test]
fn what_is_unknown_is_carried_when_asked_for() {
    let place = Place::empty();
    let store = place.folder.path().join("bots.db");
    let unknown = "CREATE TABLE notes(x); INSERT INTO notes VALUES ('keep me'); ALTER TABLE bots ADD COLUMN mood DEFAULT 'calm'; ANALYZE;";
    sql(&store, unknown);
    let block = place.run(&["up", "--yes", "--keep-unknown", "bots.db"]);
    assert!(block.ends_with("[exit status: 0]\n"), "{block}");
    let connection = toy::open(&store);
    let read = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    assert_eq!(read("SELECT x FROM notes"), "keep me");
    assert_eq!(read("SELECT mood FROM bots WHERE id = 1"), "calm");
    assert_eq!(
        read("SELECT group_concat(DISTINCT tbl) FROM sqlite_stat1 WHERE tbl = 'messages'"),
        "messages"
    );
    let again = place.run(&["up", "--yes", "bots.db"]);
    assert!(again.contains("nothing to do"), "{again}");
}

#[test]
fn a_fresh_store_is_at_the_newest_version_already() {
    let place = Place::empty();
    daemon::create_91(&toy::open(&place.folder.path().join("bots.db"))).unwrap();
    assert!(place.run(&["up", "--yes", "bots.db"]).contains("nothing to do"));
}
