//! Checkpoints: what an interrupted run is continued from.
//!
//! ```text
//! DIR/checkpoint-000123.bin   state of the motion and of the records at the end of a step
//! DIR/history-000123.bin      what the run has gathered for its findings since checkpoint 122
//! ```
//!
//! A checkpoint counts if it is whole, every history up to it is, and every chunk that it counts is the
//! one it saw. Of several the newest that counts is used. Both kinds of file go away when the run has
//! ended.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chunk::file_name;
use super::error::RecordError;
use super::manifest::Manifest;
use super::saved::TableState;
use super::seal::{self, EncodedBytes};

/// When checkpoints are written and how many are kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CheckpointPolicy {
    /// After so many steps.
    pub every: Option<usize>,
    /// After so many seconds of the clock on the wall; 0: never.
    pub seconds: f64,
    /// How many are kept.
    pub keep: usize,
}

impl Default for CheckpointPolicy {
    fn default() -> Self {
        Self {
            every: None,
            seconds: 60.0,
            keep: 2,
        }
    }
}

/// What a motion hands over to be kept: opaque to the records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// All that it is continued from.
    pub motion: EncodedBytes,
    /// What it has gathered since the last snapshot.
    pub history: EncodedBytes,
}

/// What a motion is continued from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Restored {
    /// As it was handed over.
    pub motion: EncodedBytes,
    /// All histories up to then, in order.
    pub histories: Vec<EncodedBytes>,
}

/// A checkpoint as it stands in its file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Which scene it belongs to.
    pub scene_hash: u64,
    pub cadence: CheckpointPolicy,
    pub tables: Vec<TableState>,
    /// The recorder's own.
    pub recorder: EncodedBytes,
    pub motion: EncodedBytes,
}

/// Name of a checkpoint.
pub(super) fn checkpoint_name(number: usize) -> String {
    format!("checkpoint-{number:06}.bin")
}

/// Name of a history.
pub(super) fn history_name(number: usize) -> String {
    format!("history-{number:06}.bin")
}

/// What tells a scene from others: its text, its overrides, the files it refers to (FNV-1a).
pub(super) fn scene_hash(manifest: &Manifest) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        // The length keeps texts apart.
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

/// What is found in a directory.
#[derive(Debug, Default)]
pub(super) struct CheckpointSearch {
    /// Number and content of the checkpoint to go on from, with its histories.
    pub last: Option<(usize, Checkpoint, Vec<EncodedBytes>)>,
    /// What was passed over, and why.
    pub notes: Vec<String>,
}

/// Looks for the newest checkpoint that counts.
pub(super) fn find(directory: &Path, digest: u64) -> Result<CheckpointSearch, RecordError> {
    let mut found = CheckpointSearch::default();
    let mut numbers = numbers(directory, "checkpoint-")?;
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

/// Files that were looked at already: several checkpoints count the same ones.
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
        for table in &checkpoint.tables {
            for (chunk, sum) in table.chunks.iter().enumerate() {
                self.chunk(&directory.join(file_name(&table.name, chunk)), *sum)?;
            }
        }
        let histories = (1..=number).map(|k| seal::read(&directory.join(history_name(k))));
        Ok((checkpoint, histories.collect::<Result<_, _>>()?))
    }

    fn chunk(&mut self, path: &Path, sum: u32) -> Result<(), RecordError> {
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

/// Takes away what came after checkpoint `number`: other checkpoints and histories, chunks that
/// `tables` do not count, drafts.
pub(super) fn rewind(
    directory: &Path,
    number: usize,
    tables: &[TableState],
) -> Result<(), RecordError> {
    for name in names(directory)? {
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

/// Whether this is a chunk that no table counts.
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

/// Takes away the checkpoint that is one too many; those before it went before.
pub(super) fn prune(directory: &Path, number: usize, keep: usize) -> Result<(), RecordError> {
    match number.checked_sub(keep.max(1)) {
        Some(old) => remove(&directory.join(checkpoint_name(old))),
        None => Ok(()),
    }
}

/// Takes away all checkpoints and histories.
pub(super) fn clear(directory: &Path) -> Result<(), RecordError> {
    // A checkpoint without its history would be passed over with a warning: it goes first.
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
