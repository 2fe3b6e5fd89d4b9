//! Files that scenes refer to.

use serde::{Deserialize, Serialize};

/// A file that a scene refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// As the scene calls it.
    pub name: String,
    /// Where it was found; `None` for a built-in file.
    pub path: Option<String>,
    /// CRC-32 of its bytes.
    pub checksum: u32,
}
