//! The rows of a review store, one struct a table.

use super::row::record;
use crate::daemon::Text;

record! {
    /// A document that people comment on.
    Document in "document" {
        /// A uuid.
        id: Text,
        /// `file`; up to generation 5 also `url`.
        kind: Text,
        /// An absolute path, or a URL.
        value: Text,
        /// What it calls itself.
        title: Option<Text>,
        /// SHA-256 of its bytes when it was last opened.
        content_hash: Option<Text>,
        /// When that was.
        last_seen_at: Text,
    }
}

record! {
    /// A folder of comments, since generation 7.
    Group in "comment_group" {
        /// A uuid.
        id: Text,
        /// The workspace.
        root: Text,
        /// The folder it lies in.
        parent_id: Option<Text>,
        /// What a person calls it.
        name: Text,
        /// Its place among its siblings.
        position: i64,
        /// 1 when it is shown closed.
        collapsed: i64,
        /// When it was made.
        created_at: Text,
    }
}

record! {
    /// A comment: the conversation itself.
    Thread in "thread" {
        /// A uuid.
        id: Text,
        /// The document it was made on.
        document_id: Text,
        /// `anchored` or `synthesis`.
        kind: Text,
        /// `draft`, `note`, `open` or `resolved`; [`lane`](super::lane) derives what is shown.
        status: Text,
        /// The place, up to generation 2; kept and not read since.
        anchor_json: Option<Text>,
        /// More places, in generation 2; kept and not read since.
        extra_anchors_json: Option<Text>,
        /// `ok`, `moved`, `orphaned` of that place.
        anchor_state: Option<Text>,
        /// What the person wrote.
        note: Text,
        /// A name given by a person.
        title: Option<Text>,
        /// Its folder.
        group_id: Option<Text>,
        /// 1 for a note, authoritative in generations 7 to 9 only.
        is_note: Option<i64>,
        /// Its place among its siblings.
        position: Option<i64>,
        /// Ink, in generations 4 to 7.
        stroke_json: Option<Text>,
        /// The one session before generation 11; kept, and read again at every opening.
        session_id: Option<Text>,
        /// `read` or `write`.
        profile: Text,
        /// The model asked for.
        model: Option<Text>,
        /// The style asked for.
        style: Option<Text>,
        /// When it was made.
        created_at: Text,
        /// When it last changed.
        updated_at: Text,
        /// When it was resolved.
        resolved_at: Option<Text>,
    }
}

record! {
    /// A place that a comment is about, since generation 3.
    Target in "thread_target" {
        /// The comment.
        thread_id: Text,
        /// 0 for the first place.
        position: i64,
        /// The document the place is in.
        document_id: Text,
        /// The place.
        anchor_json: Text,
        /// `ok`, `moved`, `orphaned`; `None` while nobody has looked.
        anchor_state: Option<Text>,
        /// The message that added it.
        message_id: Option<Text>,
    }
}

record! {
    /// One row of a conversation.
    Message in "message" {
        /// A uuid.
        id: Text,
        /// The comment.
        thread_id: Text,
        /// Its place in the comment, from 0; gaps are legal.
        seq: i64,
        /// `user`, `assistant` or `system`.
        role: Text,
        /// `text`, `thinking`, `tool_call`, `tool_result`, `diff`, `error`, `completed`, `stopped`, `event`.
        kind: Text,
        /// `ask`, `act` or `note`; of user rows only.
        mode: Option<Text>,
        /// The model that answered.
        model: Option<Text>,
        /// The style asked for.
        style: Option<Text>,
        /// The agent that was asked.
        sdk: Option<Text>,
        /// The gateway's name at that time.
        gateway_name: Option<Text>,
        /// The address asked, where it was not the agent's own.
        base_url: Option<Text>,
        /// The run it belongs to.
        run_id: Option<Text>,
        /// The words.
        content: Option<Text>,
        /// The tool of a call or a result.
        tool_name: Option<Text>,
        /// What the tool was called with.
        tool_input_json: Option<Text>,
        /// 1 for a tool that failed.
        is_error: i64,
        /// 1 for a tool that was not allowed to run.
        denied: Option<i64>,
        /// Cost of the run.
        cost_usd: Option<f64>,
        /// Duration of the run.
        duration_ms: Option<i64>,
        /// Tokens read.
        input_tokens: Option<i64>,
        /// Tokens written.
        output_tokens: Option<i64>,
        /// When it was written.
        created_at: Text,
    }
}

record! {
    /// A way to reach models, since generation 11.
    Gateway in "agent_gateway" {
        /// `rex-original`, `rex-builtin`, or a uuid.
        id: Text,
        /// What a person calls it.
        name: Text,
        /// `original`, `builtin` or `litellm`; in generation 11 also `envoy` and `custom`.
        kind: Text,
        /// 0 when it is switched off.
        enabled: Option<i64>,
        /// When it was made.
        created_at: Text,
    }
}

record! {
    /// How one agent goes through a gateway. The token stays in the store.
    Route in "gateway_route" {
        /// The gateway.
        gateway_id: Text,
        /// The agent.
        sdk: Text,
        /// The address; `None` for the agent's own.
        base_url: Option<Text>,
        /// `inherit`, `none`, `environment` or `stored`.
        auth: Text,
        /// The name of an environment variable.
        credential_env: Option<Text>,
        /// Names of models, one a line.
        models: Text,
    }
}

record! {
    /// A provider of the built-in gateway, since generation 12. Its key stays in the store.
    Provider in "gateway_provider" {
        /// A uuid.
        id: Text,
        /// Which provider it is.
        provider: Text,
        /// What a person calls it.
        label: Text,
        /// Its address.
        base_url: Option<Text>,
        /// When its models were last listed.
        listed_at: Option<Text>,
        /// When it was made.
        created_at: Text,
    }
}

record! {
    /// A model of a provider.
    Model in "gateway_model" {
        /// The provider.
        provider_id: Text,
        /// The provider's name for it.
        model: Text,
        /// The gateway's name for it.
        alias: Text,
        /// Tokens it reads at most.
        max_input: Option<i64>,
        /// Tokens it writes at most.
        max_output: Option<i64>,
        /// 1 when it can call tools.
        tools: Option<i64>,
    }
}

record! {
    /// The session of a comment with one agent through one gateway, since generation 11.
    Session in "thread_session" {
        /// The comment.
        thread_id: Text,
        /// The agent.
        sdk: Text,
        /// The gateway.
        gateway_id: Text,
        /// The address that was asked.
        base_url: Option<Text>,
        /// The agent's id of the session.
        session_id: Text,
        /// When the row was written.
        created_at: Text,
    }
}

record! {
    /// A comment that a synthesis refers to.
    Reference in "thread_ref" {
        /// The synthesis.
        thread_id: Text,
        /// What it refers to.
        ref_thread_id: Text,
    }
}

record! {
    /// A change that an agent proposed.
    ApplyRun in "apply_run" {
        /// A uuid.
        id: Text,
        /// The comment.
        thread_id: Text,
        /// `pending`, `applied`, `rejected` or `failed`.
        status: Text,
        /// The change.
        diff: Option<Text>,
        /// JSON list of the files it touches.
        files_json: Option<Text>,
        /// When it was proposed.
        created_at: Text,
        /// When it was decided.
        completed_at: Option<Text>,
    }
}

record! {
    /// What is shown of a workspace, since generation 6.
    WorkspaceRule in "workspace_rule" {
        /// The workspace.
        root: Text,
        /// A path in it.
        path: Text,
        /// `exclude` or `include`.
        mode: Text,
        /// When it was made.
        created_at: Text,
    }
}

record! {
    /// A setting, since generation 9.
    Setting in "setting" {
        /// Its name.
        key: Text,
        /// Its value.
        value: Text,
    }
}
