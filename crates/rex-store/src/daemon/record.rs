//! Rows of what a run owns: tool calls, processes, artifacts, approvals. The same at both versions.

use super::row::{Text, row};

row! {
    /// A tool call.
    Tool in "tools" by "rowid" {
        /// The run.
        turn: i64,
        /// The call.
        call_id: Text,
        /// `planned`, `executing` or `completed`.
        status: Text,
    }
}

row! {
    /// A process that a run started.
    Process in "processes" by "id" {
        /// The N of `proc:N`.
        id: i64,
        /// The run.
        turn: i64,
        /// The call.
        call_id: Text,
        /// `running`, `finished` or `lost`.
        status: Text,
        /// What came out.
        result: Option<Text>,
        /// 1 once the run has the result.
        delivered: i64,
    }
}

row! {
    /// Bytes that a run keeps aside.
    Artifact in "artifacts" by "rowid" {
        /// The run.
        turn: i64,
        /// The call.
        call_id: Text,
        /// Which of the call's streams.
        stream: Text,
        /// The bytes kept.
        data: Vec<u8>,
        /// Bytes before they were cut.
        raw_bytes: i64,
    }
}

row! {
    /// A call that needed leave.
    Approval in "approvals" by "id" {
        /// Its id.
        id: i64,
        /// The run.
        turn: i64,
        /// The call.
        call_id: Text,
        /// The tool.
        name: Text,
        /// JSON.
        arguments: Text,
        /// JSON, once decided.
        verdicts: Option<Text>,
        /// When it was announced, Unix milliseconds.
        announced_ms: Option<i64>,
    }
}
