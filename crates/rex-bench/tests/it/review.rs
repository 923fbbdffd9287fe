//! What the generator writes is a review store that the application could have left, and the same on every machine.

use rex_bench::generate::review::{self, Generation, Sizes};
use rex_store::review::{Shape, checks};
use rusqlite::Connection;

/// The digest of the messages of seed 7 at generation 7.
const SEED_7: &str = "3977fdb7bda1a57bc746af37fc444e8d";

fn store(generation: Generation) -> Connection {
    let sizes = Sizes {
        threads: 60,
        messages: 2_400,
        generation,
    };
    let store = Connection::open_in_memory().expect("SQLite opens");
    review::generate(&store, &sizes, 7, &mut |_| {}).expect("the store is written");
    store
}

#[test]
fn a_review_store_is_whole_and_the_same_on_every_machine() {
    for generation in [Generation::G7, Generation::G13] {
        let store = store(generation);
        let rows = |table| rex_store::digest::table(&store, table).expect("the table can be read");
        assert_eq!((rows("thread").rows, rows("message").rows), (60, 2_400));
        if generation == Generation::G7 {
            assert_eq!(rows("message").to_string(), SEED_7);
        }
        let shape = Shape::read(&store).expect("the schema can be read");
        for check in checks::ALL {
            let offences = check.run(&store, &shape).expect("a check can run");
            assert_eq!(offences, Vec::<Vec<String>>::new(), "{}", check.name);
        }
        store
            .execute_batch("INSERT INTO message_fts(message_fts, rank) VALUES ('integrity-check', 1)")
            .expect("the full-text index agrees with the messages");
    }
}
