//! Journals of a study: the runs that have ended, on disk.
//!
//! ```text
//! DIR/study.json                          which study this is: texts, overrides, version
//! DIR/shard-00001-of-00001.journal        one line for every run that has ended
//! DIR/shard-00001-of-00001.lock           held while the share is being worked on
//! ```
//!
//! A line is the CRC-32 of its text, a space, the text (JSON) and a line feed. Lines are appended
//! and synchronised to the disk before the run counts as done: if the process is killed, all lines
//! are whole except perhaps the last, which fails its checksum and is truncated. A journal is
//! written by one process, which holds the lock of its shard; all processes may read it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use percuss_record::{Certificate, RecordError};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shard::Shard;
use super::table::{Cell, End, StudyRow};
use crate::finding::Value;

/// Name of the file with the identity of the study.
pub const IDENTITY: &str = "study.json";

/// A number in JSON, which has no NaN and no infinity: these are texts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => out.serialize_f64(self.0),
            false => out.serialize_str(&self.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        // A number, or the text of NaN or an infinity.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Text(String),
        }
        match Either::deserialize(input)? {
            Either::Number(x) => Ok(Self(x)),
            Either::Text(text) => text.parse().map(Self).map_err(D::Error::custom),
        }
    }
}

/// A cell as the journal stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Saved {
    Number(Number),
    Truth(bool),
    Text(String),
    List(Vec<Number>),
    Absent(String),
}

impl Saved {
    fn of(cell: &Cell) -> Self {
        // NaN and infinities are kept as texts.
        match &cell.value {
            Some(Value::Number(x)) => Self::Number(Number(*x)),
            Some(Value::Truth(truth)) => Self::Truth(*truth),
            Some(Value::Text(text)) => Self::Text(text.clone()),
            Some(Value::List(all)) => Self::List(all.iter().map(|x| Number(*x)).collect()),
            None => Self::Absent(cell.reason.clone().unwrap_or_default()),
        }
    }

    fn cell(self) -> Cell {
        match self {
            Self::Number(x) => Cell::of(Value::Number(x.0)),
            Self::Truth(truth) => Cell::of(Value::Truth(truth)),
            Self::Text(text) => Cell::of(Value::Text(text)),
            Self::List(all) => Cell::of(Value::List(all.iter().map(|x| x.0).collect())),
            Self::Absent(reason) => Cell::absent(reason),
        }
    }
}

/// The result of a run, without the varied values: those follow from its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    /// Number of the run, from 0.
    pub run: usize,
    end: End,
    cells: Vec<Saved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missed: Option<String>,
    /// Steps, missed steps, whether it is met, and the largest figures in the order of
    /// [`Certificate::columns`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<(usize, usize, bool, Vec<Number>)>,
}

impl Line {
    pub fn of(run: usize, row: &StudyRow) -> Self {
        // Certificates are stored by their figures alone.
        let figures = |c: &Certificate| {
            let worst = c.columns().map(|(_, figure)| Number(figure)).to_vec();
            (c.steps, c.missed, c.ok, worst)
        };
        Self {
            run,
            end: row.end,
            cells: row.cells.iter().map(Saved::of).collect(),
            stopped: row.stopped.clone(),
            missed: row.missed.clone(),
            certificate: row.certificate.as_ref().map(figures),
        }
    }

    /// The row, with the varied values; none where the number of columns differs.
    pub fn row(self, settings: Vec<Value>, columns: usize) -> Option<StudyRow> {
        // A journal of another version may have other columns.
        if self.cells.len() != columns {
            return None;
        }
        let mut row = StudyRow::new(settings);
        row.end = self.end;
        row.stopped = self.stopped;
        row.missed = self.missed;
        row.cells = self.cells.into_iter().map(Saved::cell).collect();
        row.certificate = self.certificate.map(|(steps, missed, ok, worst)| {
            Certificate::of_figures((steps, missed, ok), worst.into_iter().map(|x| x.0))
        });
        Some(row)
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Held as long as the journal is open.
    _lock: File,
}

/// The result of an attempt to lock a file.
pub(super) enum Lock {
    Held(File),
    Taken,
}

/// Takes the lock of a file without waiting; the operating system releases it however the process
/// ends.
pub(super) fn lock(path: &Path) -> Result<Lock, RecordError> {
    let fault = |e: &io::Error| RecordError::fault(path, "lock this file", e);
    // The lock is held as long as the file is open.
    let file = File::create(path).map_err(|e| fault(&e))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock::Held(file)),
        Err(TryLockError::WouldBlock) => Ok(Lock::Taken),
        Err(TryLockError::Error(e)) => Err(fault(&e)),
    }
}

impl Journal {
    /// Opens the journal of a shard and truncates an unfinished line; `None` when another process
    /// works on the shard.
    pub fn open(directory: &Path, shard: Shard) -> Result<Option<Self>, RecordError> {
        let Lock::Held(held) = lock(&directory.join(shard.stem() + ".lock"))? else {
            return Ok(None);
        };
        let path = directory.join(shard.stem() + ".journal");
        let fault = |e: io::Error| RecordError::fault(&path, "write this file", &e);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = options.open(&path).map_err(fault)?;
        // Truncate to the last line with a valid checksum.
        let (_, sound) = read_one(&path)?;
        file.set_len(sound as u64).map_err(fault)?;
        file.sync_all().map_err(fault)?;
        Ok(Some(Self {
            path,
            file,
            _lock: held,
        }))
    }

    /// Appends lines; they are on the disk when this returns.
    pub fn add(&mut self, lines: &[Line]) -> Result<(), RecordError> {
        let mut text = String::new();
        // Each line with its checksum.
        for line in lines {
            let json = serde_json::to_string(line).map_err(io::Error::other);
            let json = json.map_err(|e| RecordError::fault(&self.path, "write this file", &e))?;
            text += &format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        }
        // One write, then a sync to the disk.
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|e| RecordError::fault(&self.path, "write this file", &e))
    }
}

/// The lines of a journal with valid checksums, and the length of that part.
fn read_one(path: &Path) -> Result<(Vec<Line>, usize), RecordError> {
    // A missing journal is an empty one.
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(RecordError::fault(path, "read this file", &e)),
    };
    let (mut lines, mut sound) = (Vec::new(), 0);
    for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = sound_line(piece) else {
            // Only the end can be truncated; any other damage is an alteration.
            if sound + piece.len() < bytes.len() {
                let why = format!("line {} does not match its checksum", lines.len() + 1);
                return Err(RecordError::damaged(path, why));
            }
            break;
        };
        lines.push(line);
        sound += piece.len();
    }
    Ok((lines, sound))
}

/// A line whose checksum is valid.
fn sound_line(piece: &[u8]) -> Option<Line> {
    // Checksum, space, JSON.
    let text = std::str::from_utf8(piece).ok()?.strip_suffix('\n')?;
    let (sum, json) = text.split_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    (crc32fast::hash(json.as_bytes()) == sum).then_some(())?;
    serde_json::from_str(json).ok()
}

/// The journals of a directory in the order of their names.
fn journals(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let fault = |e: io::Error| RecordError::fault(directory, "look into this directory", &e);
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|e| e == "journal") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The number of shards, by the names of the journals: the finest division.
pub(super) fn division(directory: &Path) -> Result<usize, RecordError> {
    let paths = journals(directory)?;
    // From names like shard-00001-of-00016.
    let of = paths.iter().filter_map(|path| {
        let stem = path.file_stem()?.to_str()?;
        stem.rsplit_once("-of-")?.1.parse().ok()
    });
    Ok(of.max().unwrap_or(1))
}

/// All runs in the journals of the directory, by number.
pub(super) fn read_all(directory: &Path) -> Result<BTreeMap<usize, Line>, RecordError> {
    let mut all = BTreeMap::new();
    // A run that two journals hold is the same in both.
    for path in journals(directory)? {
        for line in read_one(&path)?.0 {
            all.entry(line.run).or_insert(line);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(x: f64) -> StudyRow {
        let mut row = StudyRow::new(vec![Value::Number(1.0)]);
        let list = Value::List(vec![x, f64::INFINITY]);
        let text = Value::Text("two\nlines".into());
        row.cells = vec![
            Cell::of(Value::Number(x)),
            Cell::of(list),
            Cell::of(text),
            Cell::of(Value::Truth(true)),
            Cell::absent("no impact".into()),
        ];
        row.end = End::Missed;
        row.missed = Some("residual: 1 of 3 steps".into());
        let figures = [f64::NAN, 0.0, 0.0, 0.0, 1e-300];
        row.certificate = Some(Certificate::of_figures((3, 1, false), figures));
        row
    }

    #[test]
    fn a_row_is_read_back_bit_by_bit() {
        let directory = tempfile::tempdir().expect("a folder");
        let numbers = [0.1 + 0.2, -0.0, f64::MIN_POSITIVE / 3.0, f64::NAN, 1e308];
        let mut journal = Journal::open(directory.path(), Shard::WHOLE)
            .expect("writable")
            .expect("free");
        for (run, x) in numbers.iter().enumerate() {
            journal.add(&[Line::of(run, &row(*x))]).expect("written");
        }
        let all = read_all(directory.path()).expect("readable");
        assert_eq!(all.len(), numbers.len());
        for ((run, line), x) in all.into_iter().zip(numbers) {
            let back = line.row(vec![Value::Number(1.0)], 5).expect("a row");
            // NaN is not equal to itself: compared as text, and the number by its bits.
            assert_eq!(format!("{back:?}"), format!("{:?}", row(x)), "{run}");
            let Some(Value::Number(number)) = back.cells[0].value else {
                panic!("no number");
            };
            assert_eq!(number.is_nan(), x.is_nan());
            assert!(number.is_nan() || number.to_bits() == x.to_bits());
        }
    }

    #[test]
    fn a_line_cut_off_anywhere_is_cut_away_and_an_altered_one_is_told() {
        let directory = tempfile::tempdir().expect("a folder");
        let path = directory.path().join(Shard::WHOLE.stem() + ".journal");
        let mut journal = Journal::open(directory.path(), Shard::WHOLE)
            .expect("writable")
            .expect("free");
        journal
            .add(&[Line::of(0, &row(1.0)), Line::of(1, &row(2.0))])
            .expect("written");
        drop(journal);
        let whole = fs::read(&path).expect("there");
        let first = whole.iter().position(|b| *b == b'\n').expect("a line") + 1;
        for cut in first..whole.len() {
            fs::write(&path, &whole[..cut]).expect("writable");
            let journal = Journal::open(directory.path(), Shard::WHOLE).expect("readable");
            assert!(journal.is_some());
            assert_eq!(fs::read(&path).expect("there"), whole[..first], "{cut}");
        }
        let mut altered = whole.clone();
        altered[first / 2] ^= 1;
        fs::write(&path, &altered).expect("writable");
        let error = read_all(directory.path()).expect_err("damaged").to_string();
        assert!(error.contains("line 1 does not match"), "{error}");
    }

    #[test]
    fn a_share_is_worked_on_by_one_at_a_time() {
        let directory = tempfile::tempdir().expect("a folder");
        let open = |index| Journal::open(directory.path(), Shard::new(index, 2).expect("a share"));
        let first = open(1).expect("writable");
        assert!(first.is_some());
        assert!(open(1).expect("readable").is_none());
        assert!(open(2).expect("writable").is_some());
        drop(first);
        assert!(open(1).expect("writable").is_some());
    }
}
