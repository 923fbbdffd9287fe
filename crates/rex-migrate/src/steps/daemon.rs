//! The steps of the daemon store.

pub mod v91_split_messages;
