//! Prints the page `docs/records.md`; `cargo xtask schema` compares the two.

fn main() {
    print!("{}", scene::record::schema_page());
}
