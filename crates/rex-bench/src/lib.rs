//! Generates stores and gates their cost in CI.
