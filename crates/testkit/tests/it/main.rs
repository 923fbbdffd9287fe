//! Conventions of the workspace that neither the compiler nor a lint checks.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its own repository has failed"
)]

mod conventions;
