//! Conventions of the workspace that neither the compiler nor a lint checks.

mod conventions;
