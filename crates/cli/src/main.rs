//! The command percuss.
fn main() {}
