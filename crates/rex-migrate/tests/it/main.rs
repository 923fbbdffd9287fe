//! The tests of the upgrade tool that need more than one module.
#![expect(clippy::unwrap_used, reason = "a test may panic: that is how it fails")]

mod cli;
mod crash;
mod docs;
mod engine;
mod fixtures;
mod readme;
mod refusals;
mod review;
mod toy;

#[path = "../../examples/own_store.rs"]
mod own_store;

#[test]
fn the_example_upgrades_its_own_store() {
    own_store::main().unwrap();
}
