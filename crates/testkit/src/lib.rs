//! What the tests of the workspace share: hermetic homes, fixtures, faults.
