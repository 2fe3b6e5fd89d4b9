//! Prints the page `docs/records.md`; `cargo xtask schema` compares the two.

fn main() {
    print!("{}", percuss_record::schema_page());
}
