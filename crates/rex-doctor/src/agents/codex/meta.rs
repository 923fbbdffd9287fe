//! The first record of a rollout, `session_meta`, as the client reads it at two moments: when it looks the session up,
//! and when it opens the file to go on writing. The second is stricter.

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::rollout::{self, Item, Line};

/// Where a fork goes on from: an exclusive prefix of another rollout.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct HistoryBase {
    /// The rollout that holds the prefix.
    pub(super) thread_id: String,
    /// The number of its first record that does not belong to the prefix.
    pub(super) end_ordinal_exclusive: u64,
    /// Where that record begins, in bytes.
    pub(super) end_byte_offset: u64,
}

/// Whether a rollout's records are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryMode {
    /// They are not.
    Legacy,
    /// They are.
    Paginated,
}

/// The fields of `session_meta` that rules look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    /// The thread's id, lower case, with dashes.
    pub(super) id: String,
    /// When the thread began, RFC 3339.
    pub(super) timestamp: String,
    /// The folder it began in.
    pub(super) cwd: String,
    /// The client that began it.
    pub(super) cli_version: String,
    /// What began it: `cli`, `exec`, an object for a subagent; as JSON text.
    pub(super) source: Option<String>,
    /// The model provider.
    pub(super) model_provider: Option<String>,
    /// Whether its records are numbered.
    pub(super) history_mode: HistoryMode,
    /// Where it goes on from, for a fork by reference.
    pub(super) history_base: Option<HistoryBase>,
    /// The number of a subagent's first own record.
    pub(super) own_start_ordinal: Option<u64>,
}

/// What the client finds at the beginning when it looks a session up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The first record.
    Meta(Box<Meta>),
    /// Something the model sees comes before any `session_meta`.
    OtherFirst,
    /// No record at all.
    Empty,
    /// A `session_meta` with a history mode that the client does not know; the text is the client's.
    UnknownMode(String),
    /// A line that is not UTF-8 comes first; the client gives up there.
    NotUtf8,
    /// The bytes could not be unpacked; the text is the decoder's.
    NotUnpacked(String),
}

/// What the client finds at the beginning when it opens the file to go on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// The first line that is not blank is a `session_meta`.
    Meta,
    /// It is another record.
    Other,
    /// It does not parse; the text is the parser's.
    Unparsable(String),
    /// There is none.
    Nothing,
}

/// Reads the beginning of a rollout from its lines, one at a time, until both are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginning {
    first: Option<First>,
    head: Option<Head>,
}

impl Beginning {
    /// Takes the next line. True once nothing more needs to be read.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        if self.head.is_some() {
            return true;
        }
        if std::str::from_utf8(line).is_err() {
            self.first
                .get_or_insert_with(|| First::Unparsable("stream did not contain valid UTF-8".to_owned()));
            self.head = Some(Head::NotUtf8);
            return true;
        }
        let read = rollout::read_whole(line);
        if read == Line::Blank {
            return false;
        }
        let is_meta = matches!(&read, Line::Record(record) if record.item == Item::Meta);
        let meta = is_meta.then(|| meta_of(line)).flatten();
        self.first.get_or_insert_with(|| match (&read, &meta) {
            (_, Some(_)) => First::Meta,
            (Line::Record(_), None) if !is_meta => First::Other,
            _ => First::Unparsable(parse_error(line)),
        });
        match (read, meta) {
            (_, Some(head)) => self.head = Some(head),
            (Line::Record(record), None) if matches!(record.item, Item::Message(_) | Item::Response) => {
                self.head = Some(Head::OtherFirst);
            }
            _ => {}
        }
        self.head.is_some()
    }

    /// What was found, once the file has ended or nothing more needs to be read.
    pub(super) fn found(self) -> (Head, First) {
        (
            self.head.unwrap_or(Head::Empty),
            self.first.unwrap_or(First::Nothing),
        )
    }
}

/// The parser's words about a line that does not parse. What is wrong beyond the grammar of JSON is said in words that
/// change from release to release.
fn parse_error(line: &[u8]) -> String {
    match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
        Err(error) => error.to_string(),
        Ok(_) => missing_field(line)
            .or_else(|| unknown_type(line))
            .unwrap_or_else(|| "<text>".to_owned()),
    }
}

/// The client's words about an object without one of the fields that every line has.
fn missing_field(line: &[u8]) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(line) else {
        return None;
    };
    let missing = ["timestamp", "type"]
        .into_iter()
        .find(|field| !fields.contains_key(*field))?;
    Some(format!("missing field `{missing}`"))
}

/// The client's words about a type of line that it does not know.
fn unknown_type(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "timestamp")]
        _timestamp: String,
        #[serde(rename = "type")]
        kind: String,
    }
    const TYPES: [&str; 13] = [
        "session_meta",
        "dynamic_tools_updated",
        "response_item",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "compacted",
        "turn_context",
        "token_usage_record",
        "world_state",
        "retained_context",
        "security_risk_score",
        "event_msg",
        "realtime_item",
    ];
    let kind = serde_json::from_slice::<Typed>(line).ok()?.kind;
    let known = TYPES.map(|known| format!("`{known}`")).join(", ");
    (!TYPES.contains(&kind.as_str())).then(|| format!("unknown variant `{kind}`, expected one of {known}"))
}

#[derive(Deserialize)]
struct Outer {
    payload: Raw,
}

#[derive(Deserialize)]
struct Raw {
    id: String,
    timestamp: String,
    cwd: String,
    #[serde(rename = "originator")]
    _originator: String,
    cli_version: String,
    source: Option<Value>,
    model_provider: Option<String>,
    #[serde(default, deserialize_with = "some")]
    history_mode: Option<Value>,
    history_base: Option<HistoryBase>,
    subagent_history_start_ordinal: Option<u64>,
}

/// The meta of a line, or none where the client would not take it.
fn meta_of(line: &[u8]) -> Option<Head> {
    let raw = serde_json::from_slice::<Outer>(line).ok()?.payload;
    let id = Uuid::try_parse(&raw.id).ok()?;
    if let Some(base) = &raw.history_base {
        Uuid::try_parse(&base.thread_id).ok()?;
    }
    let history_mode = match &raw.history_mode {
        None => HistoryMode::Legacy,
        Some(Value::String(mode)) if mode == "legacy" => HistoryMode::Legacy,
        Some(Value::String(mode)) if mode == "paginated" => HistoryMode::Paginated,
        Some(other) => return Some(Head::UnknownMode(mode_fault(other))),
    };
    Some(Head::Meta(Box::new(Meta {
        id: id.to_string(),
        timestamp: raw.timestamp,
        cwd: raw.cwd,
        cli_version: raw.cli_version,
        source: raw.source.map(|source| match source {
            Value::String(word) => word,
            other => other.to_string(),
        }),
        model_provider: raw.model_provider.filter(|provider| !provider.is_empty()),
        history_mode,
        history_base: raw.history_base,
        own_start_ordinal: raw.subagent_history_start_ordinal,
    })))
}

/// A value that is there, also where it is null: the client takes no null here.
fn some<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

/// The client's words about a history mode that it does not know.
fn mode_fault(mode: &Value) -> String {
    let what = match mode {
        Value::String(word) => return format!("unknown variant `{word}`, expected `legacy` or `paginated`"),
        Value::Object(_) => return "<text>".to_owned(),
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Array(_) => "sequence",
    };
    format!("invalid type: {what}, expected string or map")
}

/// True where a first line is of the format before the records had an envelope (2025).
pub(super) fn is_pre_envelope(line: &[u8]) -> bool {
    let Ok(Value::Object(fields)) = serde_json::from_slice(line) else {
        return false;
    };
    fields.contains_key("id") && fields.contains_key("timestamp") && !fields.contains_key("payload")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a22c09-6eb9-73e1-86db-ba552739e67c";

    fn meta(more: &str) -> String {
        format!(
            r#"{{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{{"id":"{ID}","timestamp":"t","cwd":"/w","originator":"o","cli_version":"0.171.0"{more}}}}}"#
        )
    }

    fn found(lines: &[&str]) -> (Head, First) {
        let mut beginning = Beginning::default();
        for line in lines {
            if beginning.take(line.as_bytes()) {
                break;
            }
        }
        beginning.found()
    }

    fn mode(head: &Head) -> Option<HistoryMode> {
        match head {
            Head::Meta(meta) => Some(meta.history_mode),
            _ => None,
        }
    }

    #[test]
    fn the_beginning_is_read_as_the_client_reads_it_twice() {
        let (plain, paginated) = (meta(""), meta(r#","history_mode":"paginated""#));
        let event = r#"{"timestamp":"t","ordinal":1,"type":"event_msg","payload":{"type":"task_started"}}"#;
        let item = r#"{"timestamp":"t","ordinal":1,"type":"response_item","payload":{"type":"reasoning"}}"#;
        let unknown = r#"{"timestamp":"t","type":"from_the_future","payload":{}}"#;
        let parsed = |text: &str| First::Unparsable(text.to_owned());
        for (lines, expected_mode, expected_first) in [
            (vec!["", " ", &*plain], Some(HistoryMode::Legacy), First::Meta),
            (vec![&*paginated], Some(HistoryMode::Paginated), First::Meta),
            (vec![event, &*plain], Some(HistoryMode::Legacy), First::Other),
            (
                vec![unknown, &*plain],
                Some(HistoryMode::Legacy),
                First::Unparsable(unknown_type(unknown.as_bytes()).unwrap()),
            ),
            (
                vec!["{not json", &*plain],
                Some(HistoryMode::Legacy),
                parsed("key must be a string at line 1 column 2"),
            ),
            (
                vec!["{}", &*plain],
                Some(HistoryMode::Legacy),
                parsed("missing field `timestamp`"),
            ),
            (
                vec!["\0\0", &*plain],
                Some(HistoryMode::Legacy),
                parsed("expected value at line 1 column 1"),
            ),
        ] {
            let (head, first) = found(&lines);
            assert_eq!((mode(&head), first), (expected_mode, expected_first), "{lines:?}");
        }
        assert_eq!(found(&[item, &plain]).0, Head::OtherFirst);
        assert_eq!(found(&[event]).0, Head::Empty);
        assert_eq!(found(&[]), (Head::Empty, First::Nothing));
        assert_eq!(
            found(&[&meta(r#","history_mode":"future""#)]).0,
            Head::UnknownMode("unknown variant `future`, expected `legacy` or `paginated`".to_owned())
        );
        assert_eq!(
            found(&[&meta(r#","history_mode":null"#)]).0,
            Head::UnknownMode("invalid type: null, expected string or map".to_owned())
        );
        assert_eq!(found(&[&plain.replace(ID, "x"), item]).0, Head::OtherFirst);
    }

    #[test]
    fn a_line_that_is_not_utf8_ends_the_search() {
        let mut beginning = Beginning::default();
        assert!(beginning.take(b"{\"a\":\"\xff\"}"));
        assert_eq!(beginning.found().0, Head::NotUtf8);
    }
}
