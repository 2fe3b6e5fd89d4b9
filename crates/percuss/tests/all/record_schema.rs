//! The page about the records says what the code writes.

use percuss_record::schema_page;

#[test]
fn the_page_is_what_the_code_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/records.md");
    let page = std::fs::read_to_string(path).expect("docs/records.md is there");
    assert!(
        page == schema_page(),
        "docs/records.md is stale: run cargo xtask schema --write"
    );
}
