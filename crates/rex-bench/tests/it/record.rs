//! The measurements page holds what its records give, and nothing else.

use std::path::Path;

#[test]
fn every_figure_of_the_page_comes_from_a_raw_record() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let records = rex_bench::record::read(&docs.join("measurements")).expect("the records are read");
    let page = std::fs::read_to_string(docs.join("MEASUREMENTS.md")).expect("the page is there");
    assert!(
        page == rex_bench::record::page(&records),
        "run: rex-bench record docs/MEASUREMENTS.md"
    );
    assert!(!records.is_empty(), "there is a record");
}
