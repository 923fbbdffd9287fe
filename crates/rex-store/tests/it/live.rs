//! The write path of version 91, on files, as an application uses it.

mod counts;
mod faults;
mod fork;
mod list;
mod model;
mod park;
mod recover;
mod resend;
mod statements;
mod submit;
mod take_in;

use std::time::Duration;

use rex_store::daemon::{self, LiveWriter, Message, NewBot, Request, Submitted, Turn};
use rex_store::open::Live;
use rusqlite::Connection;
use tempfile::TempDir;

/// A store in a folder of its own, with one writer.
struct Store {
    writer: LiveWriter,
    folder: TempDir,
}

const BOT: NewBot<'static> = NewBot {
    name: "Bob",
    workspace: Some("/srv/home"),
    provider: "example",
    family: "responses",
    model: "large-1",
    instructions: "Help.",
    reasoning: None,
    tools: "[]",
    budget_tokens: None,
    created_by: None,
};

impl Store {
    /// A store with the bot `Bob`.
    fn new(slots: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let fresh = crate::open(&path);
        daemon::create_91(&fresh).unwrap();
        daemon::found(&fresh, 7).unwrap();
        drop(fresh);
        let mut writer = LiveWriter::new(Live::open(&path, Duration::ZERO).unwrap(), slots);
        writer.create_bot(&BOT).unwrap();
        Self { writer, folder }
    }

    fn bot(&mut self, name: &str) {
        self.writer.create_bot(&NewBot { name, ..BOT }).unwrap();
    }

    /// Sends words to Bob; the request's id is the words.
    fn send(&mut self, delivery: &str, words: &str) -> Submitted {
        self.writer.submit(&request(delivery, words), 100).unwrap()
    }

    fn start(&mut self, words: &str) -> i64 {
        match self.send("reject", words) {
            Submitted::Started { turn } => turn,
            other => panic!("{words} is {other:?}"),
        }
    }

    fn line_up(&mut self, delivery: &str, words: &str) -> i64 {
        match self.send(delivery, words) {
            Submitted::InLine { number, .. } => number,
            other => panic!("{words} is {other:?}"),
        }
    }

    fn message(&mut self, number: i64) -> Message {
        Message::find(self.writer.connection(), number).unwrap().unwrap()
    }

    fn turn(&mut self, id: i64) -> Turn {
        Turn::find(self.writer.connection(), id).unwrap().unwrap()
    }

    fn item(&mut self, node: i64) -> String {
        let node = daemon::Node::find(self.writer.connection(), node)
            .unwrap()
            .unwrap();
        String::from_utf8(node.item.0).unwrap()
    }

    /// Events as `kind turn/message data`, in order.
    fn events(&mut self) -> Vec<String> {
        events(self.writer.connection())
    }

    fn is_sound(&mut self) {
        let connection = self.writer.connection();
        let check: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
        let dangling = connection
            .prepare("PRAGMA foreign_key_check")
            .unwrap()
            .exists([])
            .unwrap();
        assert!(!dangling, "no reference dangles");
    }
}

fn events(connection: &Connection) -> Vec<String> {
    let sql = "SELECT kind || ' ' || coalesce(turn, '-') || '/' || coalesce(message, '-') || ' ' || data FROM events ORDER BY id";
    let mut statement = connection.prepare(sql).unwrap();
    let events = statement.query_map([], |row| row.get(0)).unwrap();
    events.map(Result::unwrap).collect()
}

fn request<'a>(delivery: &'a str, words: &'a str) -> Request<'a> {
    Request {
        bot: "Bob",
        request_id: words,
        words: words.as_bytes(),
        delivery,
        ..Request::default()
    }
}
