//! What the exit status says.

/// Why the doctor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Nothing at or above the threshold.
    Healthy,
    /// Findings at or above the threshold.
    Findings,
    /// Nobody has any trace of the session.
    NoTrace,
    /// The argument fits several sessions.
    Ambiguous,
    /// A store stayed busy.
    Busy,
    /// It could not run, or was used wrongly.
    Failed,
}

impl ExitStatus {
    /// All of them, in ascending precedence: where several apply, the last one is given.
    pub const ALL: [Self; 6] = [
        Self::Healthy,
        Self::Findings,
        Self::NoTrace,
        Self::Ambiguous,
        Self::Busy,
        Self::Failed,
    ];

    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Healthy => 0,
            Self::Findings => 1,
            Self::Failed => 2,
            Self::NoTrace => 3,
            Self::Ambiguous => 4,
            Self::Busy => 5,
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Healthy => "nothing at or above the threshold (`--severity-min`, by default `warning`)",
            Self::Findings => "findings at or above the threshold",
            Self::Failed => "it could not run, or was used wrongly",
            Self::NoTrace => "nobody has any trace of the session",
            Self::Ambiguous => "the argument fits several sessions",
            Self::Busy => "a store stayed busy",
        }
    }
}
