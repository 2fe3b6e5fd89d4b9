//! Checkpoints: restart files of an interrupted run.
//!
//! ```text
//! DIR/checkpoint-000123.bin   state of the motion and of the records at the end of a step
//! DIR/history-000123.bin      what the run has gathered for its findings since checkpoint 122
//! ```
//!
//! A checkpoint is valid if its file is complete, every history up to it is, and every chunk that it lists has the
//! checksum that it lists. The newest valid checkpoint is used. Both kinds of file are removed when the run has
//! ended.

use std::fs;
use std::path::{Path, PathBuf};

use percuss_scene::CheckpointPolicy;
use serde::{Deserialize, Serialize};

use super::chunk::file_name;
use super::error::RecordError;
use super::manifest::Manifest;
use super::saved::TableState;
use crate::checksummed_file as seal;
use crate::checksummed_file::EncodedBytes;

/// State that a motion hands over for a checkpoint: opaque to the records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// All that the motion is continued from.
    pub motion: EncodedBytes,
    /// What it has gathered since the last snapshot.
    pub history: EncodedBytes,
}

/// State that a motion is continued from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Restored {
    /// The motion as it was handed over.
    pub motion: EncodedBytes,
    /// All histories up to then, in order.
    pub histories: Vec<EncodedBytes>,
}

/// Content of a checkpoint file (Postcard: the order of the fields is the format).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Hash of the scene that it belongs to.
    pub scene_hash: u64,
    pub cadence: CheckpointPolicy,
    pub tables: Vec<TableState>,
    /// State of the recorder.
    pub recorder: EncodedBytes,
    pub motion: EncodedBytes,
}

/// File name of a checkpoint.
pub(super) fn checkpoint_name(number: usize) -> String {
    format!("checkpoint-{number:06}.bin")
}

/// File name of a history.
pub(super) fn history_name(number: usize) -> String {
    format!("history-{number:06}.bin")
}

/// Hash (FNV-1a) of a scene: its text, its overrides, the files it refers to.
pub(super) fn scene_hash(manifest: &Manifest) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        // The length separates consecutive texts.
        for byte in (text.len() as u64)
            .to_le_bytes()
            .iter()
            .chain(text.as_bytes())
        {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(&manifest.kind);
    add(&manifest.text);
    for change in &manifest.overrides {
        add(&change.key);
        add(&change.value);
    }
    for file in &manifest.files {
        add(&file.name);
        add(&file.checksum.to_string());
    }
    hash
}

/// Result of the search for checkpoints in a directory.
#[derive(Debug, Default)]
pub(super) struct CheckpointSearch {
    /// Number and content of the checkpoint to continue from, with its histories.
    pub last: Option<(usize, Checkpoint, Vec<EncodedBytes>)>,
    /// Checkpoints that were skipped, and why.
    pub notes: Vec<String>,
}

/// Finds the newest valid checkpoint.
pub(super) fn find(directory: &Path, digest: u64) -> Result<CheckpointSearch, RecordError> {
    let mut found = CheckpointSearch::default();
    let mut numbers = numbers(directory, "checkpoint-")?;
    // Newest first; damaged ones are skipped with a note.
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let mut checked = VerifiedFiles::default();
    for number in numbers {
        match checked.load(directory, number, digest) {
            Ok((checkpoint, histories)) => {
                found.last = Some((number, checkpoint, histories));
                break;
            }
            Err(error) => found
                .notes
                .push(format!("{error}; checkpoint {number} is passed over")),
        }
    }
    Ok(found)
}

/// Checksums of files that were read already: several checkpoints list the same chunks.
#[derive(Default)]
struct VerifiedFiles {
    sums: std::collections::HashMap<PathBuf, Option<u32>>,
}

impl VerifiedFiles {
    fn load(
        &mut self,
        directory: &Path,
        number: usize,
        digest: u64,
    ) -> Result<(Checkpoint, Vec<EncodedBytes>), RecordError> {
        let path = directory.join(checkpoint_name(number));
        let checkpoint: Checkpoint = seal::read(&path)?;
        if checkpoint.scene_hash != digest {
            return Err(RecordError::damaged(
                &path,
                "it belongs to another scene, other overrides or other files",
            ));
        }
        // Every chunk must be the one that the checkpoint lists.
        for table in &checkpoint.tables {
            for (chunk, sum) in table.chunks.iter().enumerate() {
                self.chunk(&directory.join(file_name(&table.name, chunk)), *sum)?;
            }
        }
        let histories = (1..=number).map(|k| seal::read(&directory.join(history_name(k))));
        Ok((checkpoint, histories.collect::<Result<_, _>>()?))
    }

    fn chunk(&mut self, path: &Path, sum: u32) -> Result<(), RecordError> {
        // Each chunk is read once.
        let known = self.sums.entry(path.into());
        let seen = known.or_insert_with(|| fs::read(path).ok().map(|b| crc32fast::hash(&b)));
        match *seen {
            Some(seen) if seen == sum => Ok(()),
            Some(_) => Err(RecordError::damaged(
                path,
                "its checksum is not the one in the checkpoint",
            )),
            None => Err(RecordError::Missing {
                path: path.into(),
                counted: "a checkpoint counts it".into(),
            }),
        }
    }
}

/// Numbers of the files `PREFIXnnnnnn.bin`.
pub(super) fn numbers(directory: &Path, prefix: &str) -> Result<Vec<usize>, RecordError> {
    let names = names(directory)?;
    let number = |name: &String| {
        let digits = name.strip_prefix(prefix)?.strip_suffix(".bin")?;
        digits.parse().ok()
    };
    Ok(names.iter().filter_map(number).collect())
}

/// Names of the files of a directory.
fn names(directory: &Path) -> Result<Vec<String>, RecordError> {
    let fault = |e| RecordError::fault(directory, "look into this directory", &e);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(fault)? {
        if let Ok(name) = entry.map_err(fault)?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Removes what came after checkpoint `number`: later checkpoints and histories, chunks that `tables` do not list,
/// temporary files.
pub(super) fn rewind(
    directory: &Path,
    number: usize,
    tables: &[TableState],
) -> Result<(), RecordError> {
    for name in names(directory)? {
        // Checkpoints and histories after `number`.
        let later = |prefix: &str| {
            let digits = name.strip_prefix(prefix)?.strip_suffix(".bin")?;
            digits.parse().ok().map(|n: usize| n > number)
        };
        let drop = later("checkpoint-")
            .or_else(|| later("history-"))
            .unwrap_or_else(|| name.ends_with(".part") || uncounted(&name, tables));
        if drop {
            remove(&directory.join(&name))?;
        }
    }
    Ok(())
}

/// Whether this is a chunk that no table lists.
fn uncounted(name: &str, tables: &[TableState]) -> bool {
    let Some((table, digits)) = name
        .strip_suffix(".parquet")
        .and_then(|stem| stem.rsplit_once('-'))
    else {
        return false;
    };
    let Ok(chunk) = digits.parse::<usize>() else {
        return false;
    };
    let known = tables.iter().find(|known| known.name == table);
    file_name(table, chunk) == name && known.is_none_or(|known| chunk >= known.chunks.len())
}

/// Removes the checkpoint beyond the number to keep; earlier ones were removed before.
pub(super) fn prune(directory: &Path, number: usize, keep: usize) -> Result<(), RecordError> {
    match number.checked_sub(keep.max(1)) {
        Some(old) => remove(&directory.join(checkpoint_name(old))),
        None => Ok(()),
    }
}

/// Removes all checkpoints and histories.
pub(super) fn clear(directory: &Path) -> Result<(), RecordError> {
    // Checkpoints first: one without its history would be skipped with a warning.
    for (prefix, name) in [
        ("checkpoint-", checkpoint_name as fn(usize) -> String),
        ("history-", history_name),
    ] {
        for number in numbers(directory, prefix)? {
            remove(&directory.join(name(number)))?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), RecordError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::fault(path, "remove this file", &e))
        }
        _ => Ok(()),
    }
}
