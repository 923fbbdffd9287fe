//! What the tests of the workspace share: hermetic homes, fixtures, faults.

pub mod faults;
pub mod page;
pub mod readme;
