//! Why the client ends before it makes a request.

/// The reason, in the client's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents::codex) enum Stop {
    /// It cannot use the home.
    Home(String),
    /// It cannot use its settings.
    Settings {
        /// What `exec` prints.
        exec: String,
        /// What the app server answers.
        app_server: String,
        /// What the terminal prints, where it prints anything.
        tui: Option<String>,
    },
    /// The provider that the settings name is not in them.
    DefaultProvider(String),
    /// It cannot write into its home; the text is its own.
    CannotStart(&'static str),
    /// A SQLite file does not open.
    Store(String),
    /// It waits: for a SQLite file, for another start, or for the person's answer.
    Waits,
    /// A listing cannot read a folder; the text is the client's own.
    ListingRefused(&'static str),
    /// The listing cannot ask the store.
    ListingUnavailable,
    /// The session is archived.
    Archived,
    /// Another process writes into the session.
    ActiveWriter,
    /// The session's provider is not in the settings.
    ProviderUnknown(String),
    /// The thread cannot be found or read.
    Thread {
        /// What the server says.
        said: String,
        /// Its code.
        code: i32,
        /// True where the terminal already fails to look the session up.
        is_lookup: bool,
    },
    /// What happens could not be established.
    Unknown,
}

impl Stop {
    /// The request is refused.
    pub(super) fn thread(said: String) -> Self {
        Self::Thread {
            said,
            code: -32600,
            is_lookup: false,
        }
    }

    /// The session is found and cannot be gone on with.
    pub(super) fn failed(said: String) -> Self {
        Self::Thread {
            said,
            code: -32603,
            is_lookup: false,
        }
    }

    /// The session is not found.
    pub(super) fn lookup(said: String) -> Self {
        Self::Thread {
            said,
            code: -32600,
            is_lookup: true,
        }
    }

    /// The session is found and cannot be read.
    pub(super) fn unread(said: String) -> Self {
        Self::Thread {
            said,
            code: -32603,
            is_lookup: true,
        }
    }
}
