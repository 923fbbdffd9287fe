//! Generates stores and gates their cost in CI.
//!
//! ```
//! use rex_bench::generate::daemon::{self, Mix};
//!
//! let store = rusqlite::Connection::open_in_memory()?;
//! let mix = Mix { rows: 50, ..Mix::default() };
//! let truth = daemon::generate(&store, &mix, 7, &mut |_rows| {})?;
//! assert_eq!(truth.messages.len(), 50);
//! # Ok::<(), rusqlite::Error>(())
//! ```

pub mod cli;
pub mod error;
pub mod exit_code;
pub mod generate;
pub mod measure;
pub mod record;
