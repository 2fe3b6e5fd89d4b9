//! Checksummed files: the CRC-32 container of checkpoints and histories.
//!
//! ```text
//! "percuss\0"   schema u32   CRC-32 u32   length u64   content      (little-endian)
//! ```
//!
//! The content is a value in the Postcard encoding, compressed (Snappy frames); checksum and length are those of the
//! compressed bytes. Floating-point numbers are stored bit by bit. A truncated or altered file is reported and never
//! decoded.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::chunk::replace;
use super::error::RecordError;

const MAGIC: [u8; 8] = *b"percuss\0";

/// Layout version of checkpoints and histories; raised whenever it changes.
const LAYOUT: u32 = 1;

/// Length of the header in bytes.
const HEAD: usize = 24;

/// An encoded value of another layer, opaque here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EncodedBytes(pub Vec<u8>);

impl Serialize for EncodedBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for EncodedBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Borrowed: the whole file is in memory while it is decoded.
        <&[u8]>::deserialize(deserializer).map(|bytes| Self(bytes.to_vec()))
    }
}

/// Encodes a value, bit by bit.
///
/// # Errors
/// The value cannot be serialised: an error in the program.
pub fn encode(value: &impl Serialize) -> Result<EncodedBytes, String> {
    let bytes = postcard::to_stdvec(value).map_err(|e| e.to_string())?;
    Ok(EncodedBytes(bytes))
}

/// Decodes a value.
///
/// # Errors
/// The bytes do not encode such a value.
pub fn decode<T: DeserializeOwned>(packed: &EncodedBytes) -> Result<T, String> {
    postcard::from_bytes(&packed.0).map_err(|e| e.to_string())
}

/// Writes a value by atomic replacement.
///
/// # Errors
/// A file operation fails.
pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let fault = |e: std::io::Error| RecordError::fault(path, "write this file", &e);
    let EncodedBytes(plain) = encode(value).map_err(|e| fault(std::io::Error::other(e)))?;
    let mut frames = snap::write::FrameEncoder::new(Vec::new());
    frames.write_all(&plain).map_err(fault)?;
    let content = frames
        .into_inner()
        .map_err(|e| fault(std::io::Error::other(e.to_string())))?;
    let mut head = Vec::with_capacity(HEAD);
    head.extend(MAGIC);
    head.extend(LAYOUT.to_le_bytes());
    head.extend(crc32fast::hash(&content).to_le_bytes());
    head.extend((content.len() as u64).to_le_bytes());
    replace(path, |mut file| {
        file.write_all(&head)?;
        file.write_all(&content)
    })
}

/// Reads a value back.
///
/// # Errors
/// The file is missing, truncated, altered, or of another version.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    let bytes = fs::read(path).map_err(|e| RecordError::fault(path, "read this file", &e))?;
    let damaged = |why: &str| RecordError::damaged(path, why);
    let Some((head, content)) = bytes.split_at_checked(HEAD) else {
        return Err(damaged("it is cut off"));
    };
    let word = |at: usize| -> [u8; 4] { std::array::from_fn(|k| head[at + k]) };
    if head[..MAGIC.len()] != MAGIC {
        return Err(damaged("it does not begin as a checkpoint does"));
    }
    if u32::from_le_bytes(word(8)) != LAYOUT {
        return Err(damaged("it was written by another version of percuss"));
    }
    let length = u64::from_le_bytes(std::array::from_fn(|k| head[16 + k]));
    if content.len() as u64 != length {
        return Err(damaged("it is cut off"));
    }
    if crc32fast::hash(content) != u32::from_le_bytes(word(12)) {
        return Err(damaged("its checksum is not that of its content"));
    }
    let mut plain = Vec::new();
    let mut frames = snap::read::FrameDecoder::new(content);
    frames
        .read_to_end(&mut plain)
        .map_err(|e| RecordError::damaged(path, e))?;
    postcard::from_bytes(&plain).map_err(|e| RecordError::damaged(path, e))
}
