//! The tests of the upgrade tool that need more than one module.

mod engine;
mod toy;

#[path = "../../examples/own_store.rs"]
mod own_store;

#[test]
fn the_example_upgrades_its_own_store() {
    own_store::main().unwrap();
}
