//! Followed run: a run directory that is read while the run may be in progress.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use percuss_record::{CheckpointRows, MANIFEST, Record, RecordError};

use crate::account;
use crate::error::ViewError;
use crate::moment::{RunSnapshot, RunState};
use crate::pack::BinaryTable;
use crate::route::Query;

/// Lifetime of a snapshot before the directory is read again.
const FRESH: Duration = Duration::from_millis(200);

/// Capacity of the response cache in bytes.
const KEPT: usize = 96 << 20;

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// Whether it is JSON; otherwise a binary table.
    pub json: bool,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// A run directory that is followed.
#[derive(Debug)]
pub struct FollowedRun {
    directory: PathBuf,
    seen: Mutex<CachedSnapshot>,
    answers: Mutex<ResponseCache>,
}

#[derive(Debug)]
struct CachedSnapshot {
    moment: Arc<RunSnapshot>,
    stamp: Stamp,
    at: Instant,
    tail: Option<Arc<CheckpointRows>>,
}

/// File length and modification time, which distinguish versions of a manifest.
type Stamp = Option<(u64, SystemTime)>;

fn stamp(directory: &Path) -> Stamp {
    let meta = std::fs::metadata(directory.join(MANIFEST)).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

/// Response cache, the most recent last.
#[derive(Debug, Default)]
struct ResponseCache {
    all: Vec<(u64, Query, Response)>,
    bytes: usize,
}

impl FollowedRun {
    /// Opens a run directory.
    ///
    /// # Errors
    /// It is not a run directory, or that of a study, or its manifest is damaged.
    pub fn open(directory: &Path) -> Result<Self, ViewError> {
        // The stamp is taken before the manifest is read.
        let stamp = stamp(directory);
        let record = Record::open(directory)?;
        if record.manifest().kind != "run" {
            return Err(RecordError::Unknown(format!(
                "{}: this is the directory of a {}; look at one of its runs, made again with percuss run",
                directory.display(),
                record.manifest().kind
            ))
            .into());
        }
        let state = RunState::of(&record);
        let tail = newest(&record, None);
        let moment = RunSnapshot::refresh(record, tail.as_deref(), state, 1, None);
        Ok(Self {
            directory: directory.into(),
            seen: Mutex::new(CachedSnapshot {
                moment: Arc::new(moment),
                stamp,
                at: Instant::now(),
                tail,
            }),
            answers: Mutex::default(),
        })
    }

    /// The directory as given.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// A snapshot of the run as it is now.
    ///
    /// # Errors
    /// The directory was removed, or its manifest is damaged.
    pub fn snapshot(&self) -> Result<Arc<RunSnapshot>, ViewError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // A recent snapshot is reused.
        if seen.at.elapsed() < FRESH {
            return Ok(Arc::clone(&seen.moment));
        }
        let stamp = stamp(&self.directory);
        let old = Arc::clone(&seen.moment);
        let same = stamp.is_some() && stamp == seen.stamp;
        // A completed run with an unchanged manifest does not change any more.
        if same && old.state != RunState::Running {
            seen.at = Instant::now();
            return Ok(old);
        }
        // Reread the manifest if it changed, then the tables.
        let record = match same {
            true => old.record.clone(),
            false => Record::open(&self.directory)?,
        };
        let state = RunState::of(&record);
        let tail = newest(&record, seen.tail.clone());
        let revision = old.revision + 1;
        let moment = RunSnapshot::refresh(record, tail.as_deref(), state, revision, Some(&old));
        // The revision grows only with new data.
        let unchanged = same && moment.extent() == old.extent() && state == old.state;
        if !unchanged {
            seen.moment = Arc::new(moment);
        }
        (seen.stamp, seen.tail, seen.at) = (stamp, tail, Instant::now());
        Ok(Arc::clone(&seen.moment))
    }

    /// Answers a query on the run as it is now.
    ///
    /// # Errors
    /// The data are not in the records or are damaged; the message says what and where.
    pub fn answer(&self, ask: &Query) -> Result<Response, ViewError> {
        let moment = self.snapshot()?;
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = answers().get(moment.revision, ask) {
            return Ok(known);
        }
        let answer = moment.answer(ask)?;
        answers().put(moment.revision, ask, &answer);
        Ok(answer)
    }
}

/// The rows in the newest checkpoint of a run whose tables are not closed. A checkpoint that is damaged, or is
/// removed while it is read, is skipped: its rows will be in chunks later.
fn newest(record: &Record, known: Option<Arc<CheckpointRows>>) -> Option<Arc<CheckpointRows>> {
    let open = record
        .manifest()
        .tables
        .iter()
        .any(|t| t.checksums.is_none());
    let number = record.newest_checkpoint().ok().flatten().filter(|_| open)?;
    match known {
        Some(tail) if tail.number == number => Some(tail),
        _ => record.checkpoint_rows(number).ok().map(Arc::new),
    }
}

impl RunSnapshot {
    /// Answers a query.
    ///
    /// # Errors
    /// The data are not in the records or are damaged.
    pub fn answer(&self, ask: &Query) -> Result<Response, ViewError> {
        let json = |value: serde_json::Value| Response {
            json: true,
            bytes: value.to_string().into_bytes().into(),
        };
        // JSON responses; everything else is a binary table.
        Ok(match ask {
            Query::About => json(self.about()),
            Query::Body(id) => json(
                self.body_attributes
                    .as_ref()
                    .map_err(Clone::clone)?
                    .body(*id)?,
            ),
            _ => Response {
                json: false,
                bytes: self.pack(ask)?.encode().into(),
            },
        })
    }

    /// The binary table that answers a query.
    ///
    /// # Errors
    /// The data are not in the records or are damaged, or the response is not a binary table.
    pub fn pack(&self, ask: &Query) -> Result<BinaryTable, ViewError> {
        match ask {
            Query::Frames => Ok(self.times()),
            Query::Shapes => Ok(self
                .body_attributes
                .as_ref()
                .map_err(Clone::clone)?
                .shapes()),
            Query::Bodies(frame) => self.bodies(*frame),
            Query::Contacts(frame) => self.contacts_table(*frame),
            Query::Steps(window) => self.account(*window),
            Query::BodyHistory(body) => self.history_of_body(*body),
            Query::ContactHistory(pair) => self.history_of_contact(*pair),
            Query::History => self.history_of_coordinates(),
            Query::Drawing => self.drawing(),
            Query::About | Query::Body(_) => Err(ViewError::Question(
                "this is told as JSON, not as a pack".into(),
            )),
        }
    }

    /// The downsampled steps, all or between two times.
    fn account(&self, between: Option<(f64, f64)>) -> Result<BinaryTable, ViewError> {
        let (shelf, account) = self.steps.as_ref().map_err(Clone::clone)?;
        match between {
            None => Ok(account.ledger().pack()),
            Some(between) => Ok(account::window(
                &self.record,
                &self.checked,
                shelf,
                between,
            )?),
        }
    }
}

impl ResponseCache {
    fn get(&mut self, revision: u64, ask: &Query) -> Option<Response> {
        let known = |(r, a, _): &(u64, Query, Response)| *r == revision && a == ask;
        let place = self.all.iter().position(known)?;
        let entry = self.all.remove(place);
        let answer = entry.2.clone();
        self.all.push(entry);
        Some(answer)
    }

    fn put(&mut self, revision: u64, ask: &Query, answer: &Response) {
        // Responses of older revisions of a run in progress are evicted.
        let before = self.all.len();
        self.all.retain(|(r, ..)| *r == revision);
        if self.all.len() != before {
            self.bytes = self.all.iter().map(|(.., a)| a.bytes.len()).sum();
        }
        if answer.bytes.len() > KEPT / 2 {
            return;
        }
        self.bytes += answer.bytes.len();
        self.all.push((revision, ask.clone(), answer.clone()));
        while self.bytes > KEPT && !self.all.is_empty() {
            self.bytes -= self.all.remove(0).2.bytes.len();
        }
    }
}
