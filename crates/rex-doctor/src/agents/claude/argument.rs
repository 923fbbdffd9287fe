//! Checks that the argument alone proves.

// Its checks.
pub(super) mod address;
pub(super) mod ambiguous;
pub(super) mod foreign_id;
pub(super) mod letter_case;
pub(super) mod neither_uuid_nor_title;
pub(super) mod no_such_file;
pub(super) mod no_trace;
