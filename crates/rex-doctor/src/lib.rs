//! Diagnoses failed resumes of AI agent sessions: what the store knows, what the log holds, separately, and a forecast
//! of what the real client will do with them.
//!
//! Data flows one way: [`place`] opens, an agent's folder reads, its checks judge, [`report`] prints. Nothing here
//! writes below the homes it reads.

pub mod agents;
pub mod check;
pub mod cli;
pub mod diagnosis;
pub mod evidence;
pub mod exit_status;
pub mod forecast;
pub mod nearest;
pub mod place;
pub mod redact;
pub mod report;
pub mod scan;
pub mod version;
