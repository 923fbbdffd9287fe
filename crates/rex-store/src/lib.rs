//! Typed access to the stores of AI conversations: identify, open, read, digest.
//!
//! The daemon store keeps bots, turns, messages and events in one SQLite file; [`daemon`] has its schemas at 90 and 91,
//! its rows, and what version 91 does. The review store keeps comments on documents; [`review`] tells its thirteen
//! generations by their columns. Any store is opened in one of three ways, each a type of its own so that a
//! reader cannot write: [`open::Reader`] leaves no trace, [`open::Upgrader`] has the file to itself, [`open::Live`] is
//! for the application that runs on it. Nothing here decides what is right or wrong with a store.
//!
//! ```
//! use rex_store::{daemon, digest, identify, open::Reader};
//! # use rusqlite::{Connection, OpenFlags};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (path, scratch) = (folder.path().join("store.db"), folder.path());
//! # let store = Connection::open_with_flags(&path, OpenFlags::default())?;
//! # daemon::create_91(&store)?;
//! # daemon::found(&store, 7)?;
//! # drop(store);
//! let identity = identify::identify(&path, scratch)?;
//! assert_eq!(identity.kind, identify::Kind::DaemonV91);
//!
//! let reader = Reader::open(&path, scratch)?;
//! let messages = digest::table(reader.connection(), daemon::Message::TABLE)?;
//! assert_eq!(messages.rows, 0);
//! assert!(reader.is_unmoved()?, "nobody wrote to the store meanwhile");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod daemon;
pub mod digest;
pub mod error;
pub mod handle;
pub mod identify;
pub mod jsonl;
pub mod open;
pub mod review;
pub mod schema;
