//! A study in a directory: divided among processes or machines, interrupted and resumed.
//!
//! A run is a function of the study and its number. The directory holds the set of runs that have
//! ended; a process makes the missing runs of its shard, in any order, and appends them to its own
//! journal. The table is written from the journals in the order of the runs, so it is the same
//! however the work was divided and however often it was interrupted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use percuss_record::{OutputDirectory, RecordError, replace_file};
use percuss_scene::SceneError;
use serde_json::{Value as Json, json};
use thiserror::Error;

use super::journal::{self, IDENTITY, Journal, Line, Lock};
use super::record::write_study;
use super::shard::Shard;
use super::table::{End, StudyRow};
use super::{CompiledStudy, StudyFile, StudyResult};
use crate::finding::Value;
use percuss_simulation::parallel::{Threads, for_each_job};

/// Folder of the records of runs.
const RUNS: &str = "runs";

/// Why a study cannot be run or resumed.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The study or its scene has an error.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The directory cannot be used.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The directory belongs to another study.
    #[error(
        "{}: this directory holds another study: {what}; name another directory, or remove this one",
        .path.display()
    )]
    Other {
        /// The directory.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Another process is working on the shard.
    #[error(
        "{}: another process is working on {what} of this study; wait for it, or choose another \
         with --shard", .path.display()
    )]
    Busy {
        /// The directory.
        path: PathBuf,
        /// The shard, or the table.
        what: String,
    },
    /// The directory has no study whose table could be written.
    #[error(
        "{}: there is no study here to put together; run it first, with this directory as -o",
        .path.display()
    )]
    Nothing {
        /// The directory.
        path: PathBuf,
    },
}

/// Progress of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StudyProgress {
    /// Runs of this shard that have ended, those of earlier processes included.
    pub done: usize,
    /// Runs made by this process.
    pub made: usize,
    /// Runs made by this process that did not finish with their certificate met.
    pub failed: usize,
    /// Number of runs of this shard.
    pub all: usize,
}

/// The number of a run, from 0, and the values of the varied keys.
pub type Planned = (usize, Vec<Value>);

/// A study with its directory.
pub struct StudyDirectory<'a> {
    study: &'a StudyFile,
    compiled: CompiledStudy,
    directory: PathBuf,
}

impl<'a> StudyDirectory<'a> {
    /// Starts a study in a directory, or opens the one that is there.
    ///
    /// # Errors
    /// The study has an error, or the directory is used by something else.
    pub fn open(study: &'a StudyFile, place: &OutputDirectory) -> Result<Self, StudyError> {
        // Errors of the study are found before a directory is made.
        let compiled = study.compile()?;
        let directory = match place {
            OutputDirectory::Given(path) if is_begun(path) => path.clone(),
            place => place.make()?,
        };
        // The first process writes the identity of the study; every process compares with it.
        let path = directory.join(IDENTITY);
        if !path.exists() {
            let text = serde_json::to_string_pretty(&identity(study));
            let text = text.map_err(|e| RecordError::damaged(&path, e))? + "\n";
            replace_file(&path, text.as_bytes())?;
        }
        let campaign = Self {
            study,
            compiled,
            directory,
        };
        campaign.recognise()?;
        Ok(campaign)
    }

    /// Opens a study that exists in a directory.
    ///
    /// # Errors
    /// The directory has no study, or another one.
    pub fn open_existing(study: &'a StudyFile, directory: &Path) -> Result<Self, StudyError> {
        if !directory.join(IDENTITY).exists() {
            return Err(StudyError::Nothing {
                path: directory.into(),
            });
        }
        Self::open(study, &OutputDirectory::Given(directory.into()))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Number of runs of the whole study.
    pub fn runs(&self) -> usize {
        self.compiled.points.len()
    }

    /// Checks that the directory belongs to this study: texts, overrides and version.
    fn recognise(&self) -> Result<(), StudyError> {
        // Compare the stored identity with that of this study.
        let path = self.directory.join(IDENTITY);
        let text = std::fs::read(&path);
        let text = text.map_err(|e| RecordError::fault(&path, "read this file", &e))?;
        let there: Json =
            serde_json::from_slice(&text).map_err(|e| RecordError::damaged(&path, e))?;
        let here = identity(self.study);
        let differs = DIFFERENCES.iter().find(|(key, _)| there[key] != here[key]);
        match differs {
            None => Ok(()),
            Some((_, what)) => Err(StudyError::Other {
                path: self.directory.clone(),
                what: (*what).into(),
            }),
        }
    }

    /// Makes the runs of a shard that are in no journal yet. `progress` is called after each batch
    /// and returns whether to go on.
    ///
    /// # Errors
    /// Another process works on the shard, or a file cannot be written.
    pub fn run(
        &self,
        shard: Shard,
        threads: Threads,
        progress: &mut dyn FnMut(&StudyProgress) -> bool,
    ) -> Result<StudyProgress, StudyError> {
        let scene = self.study.scene();
        let search = self.compiled.search(scene)?;
        // A lock that another process holds is an error, not a wait.
        let busy = || StudyError::Busy {
            path: self.directory.clone(),
            what: match shard.is_whole() {
                true => "the whole".into(),
                false => format!("share {shard}"),
            },
        };
        // The journal of the shard is locked; runs of any journal count as done.
        let mut journal = Journal::open(&self.directory, shard)?.ok_or_else(busy)?;
        let known = journal::read_all(&self.directory)?;
        // Runs of the shard that are missing.
        let share = (0..self.runs()).filter(|run| shard.has(*run));
        let missing: Vec<usize> = share.clone().filter(|r| !known.contains_key(r)).collect();
        let all = share.count();
        let mut told = StudyProgress {
            done: all - missing.len(),
            made: 0,
            failed: 0,
            all,
        };
        // Runs in parallel; ended ones are appended to the journal in batches.
        let work = |run: usize| {
            let kept = self.study.keeps().then(|| self.kept(run));
            self.compiled.row(scene, run, search, kept.as_deref())
        };
        let workers = threads.get().min(missing.len());
        for_each_job(&missing, workers, work, |batch| {
            let lines: Vec<Line> = batch.iter().map(|(run, row)| Line::of(*run, row)).collect();
            journal.add(&lines)?;
            told.done += batch.len();
            told.made += batch.len();
            told.failed += batch.iter().filter(|b| b.1.end != End::Finished).count();
            Ok(progress(&told))
        })?;
        Ok(told)
    }

    /// Directory of the records of a run.
    fn kept(&self, run: usize) -> PathBuf {
        // Numbers with leading zeros, so that names sort by run.
        let digits = self.runs().to_string().len().max(4);
        let name = format!("{:0digits$}", run + 1);
        self.directory.join(RUNS).join(name)
    }

    /// All runs that have ended, by number from 0.
    fn rows(&self) -> Result<BTreeMap<usize, StudyRow>, StudyError> {
        let (scene, columns) = (self.study.scene(), self.compiled.columns().len());
        let known = journal::read_all(&self.directory)?;
        let mut rows = BTreeMap::new();
        // Varied values follow from the number of the run.
        for (run, line) in known {
            let row = line.row(self.compiled.settings(scene, run), columns);
            let why = || format!("run {} has other columns than this study", run + 1);
            let row = row.ok_or_else(|| RecordError::damaged(&self.directory, why()))?;
            rows.insert(run, row);
        }
        Ok(rows)
    }

    /// Numbers, from 0, of the runs that are in no journal yet.
    ///
    /// # Errors
    /// A journal is damaged.
    pub fn missing(&self) -> Result<Vec<usize>, StudyError> {
        let known = journal::read_all(&self.directory)?;
        let all = 0..self.runs();
        Ok(all.filter(|run| !known.contains_key(run)).collect())
    }

    /// The shards with missing runs, for messages, in the division of the journals that are there.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn missing_shards(&self, missing: &[usize]) -> Result<Vec<Shard>, StudyError> {
        let of = journal::division(&self.directory)?;
        let shards = (1..=of).filter_map(|index| Shard::new(index, of));
        let lacks = |shard: &Shard| missing.iter().any(|run| shard.has(*run));
        Ok(shards.filter(lacks).collect())
    }

    /// Writes the table of all runs that have ended.
    ///
    /// # Errors
    /// A journal is damaged, or a file cannot be written.
    pub fn write_table(&self) -> Result<StudyResult, StudyError> {
        // Two processes would write the same table, but through the same temporary files.
        let held = journal::lock(&self.directory.join("table.lock"))?;
        if !matches!(held, Lock::Held(_)) {
            return Err(StudyError::Busy {
                path: self.directory.clone(),
                what: "the table".into(),
            });
        }
        // Rows in the order of the runs; a table with missing runs says so.
        let rows = self.rows()?;
        let whole = rows.len() == self.runs();
        let numbers: Vec<usize> = rows.keys().copied().collect();
        let table = self.compiled.table(rows.into_values().collect());
        let result = self.study.conclude(table)?;
        let reason = (!whole).then(|| {
            let missing = self.runs() - numbers.len();
            format!("{missing} of {} runs are missing", self.runs())
        });
        write_study(&self.directory, self.study, &result, &numbers, reason)?;
        Ok(result)
    }

    /// The varied keys, and their values in the runs of a shard.
    ///
    /// # Errors
    /// The study has an error.
    pub fn plan(
        study: &StudyFile,
        shard: Shard,
    ) -> Result<(Vec<String>, Vec<Planned>), StudyError> {
        // Values of the varied keys without running anything.
        let compiled = study.compile()?;
        let keys = compiled.study.vary.iter().map(|v| v.key.clone()).collect();
        let share = (0..compiled.points.len()).filter(|run| shard.has(*run));
        let rows = share.map(|run| (run, compiled.settings(study.scene(), run)));
        Ok((keys, rows.collect()))
    }
}

/// Whether a directory belongs to a study, perhaps to one that another process is just creating:
/// its first file has a temporary name for a moment.
fn is_begun(directory: &Path) -> bool {
    let stem = IDENTITY.trim_end_matches("json");
    let Ok(mut entries) = std::fs::read_dir(directory) else {
        return false;
    };
    entries.any(|entry| entry.is_ok_and(|e| e.file_name().to_string_lossy().starts_with(stem)))
}

/// The identity of a study as the directory stores it. Results depend on nothing else, except
/// meshes beside the scene.
fn identity(study: &StudyFile) -> Json {
    // Texts, overrides and version determine the results.
    let overrides = study.scene().overrides().iter();
    let set: Vec<String> = overrides.map(|(k, v)| format!("{k}={v}")).collect();
    json!({
        "percuss": env!("CARGO_PKG_VERSION"),
        "study": study.text(),
        "scene": study.scene().text(),
        "set": set,
    })
}

/// Parts of the identity, and the message when they differ.
const DIFFERENCES: [(&str, &str); 4] = [
    ("study", "the text of the study file is not the same"),
    ("scene", "the text of its scene is not the same"),
    ("set", "it was begun with other values of --set"),
    ("percuss", "it was begun by another version of percuss"),
];
