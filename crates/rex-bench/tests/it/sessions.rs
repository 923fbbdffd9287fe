//! The generated home holds sessions as the clients leave them.

use std::path::{Path, PathBuf};

use rex_bench::generate::sessions::{Sizes, generate};
use rusqlite::Connection;
use serde_json::Value;

fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            logs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a log");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

#[test]
fn sessions_are_whole_and_the_store_of_codex_knows_its_rollouts() {
    let parent = tempfile::tempdir().expect("a folder");
    let sizes = Sizes {
        claude: 4,
        codex: 5,
        bytes: 600_000,
    };
    generate(parent.path(), parent.path(), sizes, 3, &mut |_| {}).expect("the home is written");
    let mut found = Vec::new();
    logs(&parent.path().join(".claude/projects"), &mut found);
    assert_eq!(found.len(), 4);
    for path in &found {
        let mut parent = Value::Null;
        for row in rows(path).iter().filter(|row| row.get("uuid").is_some()) {
            assert_eq!(row["parentUuid"], parent, "{}", path.display());
            parent = row["uuid"].clone();
        }
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the client's own database, read as the client would"
    )]
    let state = Connection::open(parent.path().join(".codex/state_5.sqlite")).expect("the state opens");
    let paths: Vec<String> = state
        .prepare("SELECT rollout_path FROM threads")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("threads");
    assert_eq!(paths.len(), 5);
    for path in paths {
        let rows = rows(Path::new(&path));
        assert_eq!(rows[0]["type"], "session_meta");
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(row["ordinal"], at, "{path}");
        }
    }
}
