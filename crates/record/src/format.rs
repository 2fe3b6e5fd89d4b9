//! What every file of the records agrees on.

/// Schema version of the records; raised when a reader of the older one would be misled.
pub const SCHEMA: u64 = 2;

/// File name of the manifest.
pub const MANIFEST: &str = "run.json";

/// Rows of a full chunk: some ten megabytes of a wide table, a second of a fast run.
pub const CHUNK_ROWS: usize = 65_536;
