//! Studies: many runs of a scene with varied values, measures of each run, and bisection for a
//! threshold.
//!
//! Runs are independent and share nothing: the table is the same, bit for bit, for any number of
//! threads. The trajectory of a run is dropped as soon as it has been measured.
//!
//! | module | contents |
//! |---|---|
//! | `file` | study files |
//! | `compile` | expressions of a study, against the names of its scene |
//! | `points`, `span` | values of the runs: grids, samples, Latin hypercubes |
//! | `row`, `bisect` | one run of a study; bisection |
//! | `table` | the result, groups of equal outcomes |
//! | `study_directory`, `shard`, `journal`, `record`, `recorded_runs` | a study in a directory: shards, journals, table and records |

mod bisect;
mod compile;
mod file;
mod journal;
mod points;
mod record;
mod recorded_runs;
mod row;
mod shard;
mod span;
pub(crate) mod study_directory;
mod table;

use percuss_scene::bodies_scene::SceneNames;
use percuss_scene::{Check, FindingSpec, Scene, SceneError, Study, VariedValues, Vary};

use crate::finding::Names;
use crate::finding::compile::THRESHOLD;
use crate::finding::expression::Expression;
use percuss_simulation::Threads;

pub use compile::compile_study;
pub use file::{StudyFile, StudyResult};
pub use journal::IDENTITY;
pub use record::{JUDGED, OBSERVED, REPEATED, STUDY_TABLE, VARIED, write_study};
pub use shard::Shard;
pub use study_directory::{Planned, StudyDirectory, StudyError, StudyProgress};
pub use table::{Cell, End, OutcomeGroup, StudyRow, StudyTable};

use points::points;

/// A compiled study.
pub struct CompiledStudy {
    study: Study,
    observe: Vec<Expression>,
    when: Option<Expression>,
    points: Vec<Vec<String>>,
    /// Findings of the scene with an expectation, and the places of their values.
    judged: Vec<(usize, FindingSpec)>,
    /// The watches of bodies, which expressions know by their numbers.
    cast: SceneNames,
}

impl CompiledStudy {
    /// Checks keys and values.
    pub fn new(
        scene: &Scene,
        study: &Study,
        observe: Vec<Expression>,
        when: Option<Expression>,
        cast: SceneNames,
    ) -> Result<Self, SceneError> {
        // Values of the runs, with the fixed overrides of the study.
        let base = scene.with_overrides(&study.set)?;
        let points = points(&base, study)?;
        // Keys and words are the same for all runs: the first one serves as the test.
        let mut first = row::overrides(study, points.first().map_or(&[], Vec::as_slice));
        if let Some(bisect) = &study.bisect {
            first.push((bisect.key.clone(), bisect.from.text.clone()));
        }
        scene.with_overrides(&first)?;
        Ok(Self {
            study: study.clone(),
            observe,
            when,
            points,
            judged: Vec::new(),
            cast,
        })
    }

    /// Adds a finding of the scene as a column, if it needs the main run alone and the study has no
    /// column of that name. An error in it is left to the scene's own check.
    pub fn add_finding(&mut self, finding: &FindingSpec, names: &mut Names<'_>) {
        // Columns of the study take precedence over findings of the same name.
        let taken = self.column_names().contains(&finding.name);
        if taken || finding.case.as_deref().is_some_and(|case| case != "main") {
            return;
        }
        if let Ok(value) = Expression::compile(&finding.value.text, names)
            && value.needs_only_the_run()
        {
            // A finding with an expectation has a second column.
            if finding.check != Check::Report {
                self.judged.push((self.observe.len(), finding.clone()));
            }
            let column = (finding.name.clone(), finding.value.clone());
            self.study.observe.push(column);
            self.observe.push(value);
        }
    }

    /// Names of all columns and varied keys.
    pub fn column_names(&self) -> Vec<String> {
        let varied = self.study.vary.iter().map(|vary| vary.key.clone());
        let mut all = self.columns();
        all.extend(varied);
        all
    }

    /// Names of the columns of every run: the threshold, the observed values, findings, and whether
    /// these are as expected.
    fn columns(&self) -> Vec<String> {
        // Threshold first, then observed values and findings.
        let threshold = self.study.bisect.as_ref().map(|_| THRESHOLD.to_string());
        let observed = self.study.observe.iter().map(|(name, _)| name.clone());
        let mut all: Vec<String> = threshold.into_iter().chain(observed).collect();
        for (_, finding) in &self.judged {
            // A name that is taken gets underscores.
            let mut name = format!("{}_ok", finding.name);
            while all.contains(&name) {
                name.push('_');
            }
            all.push(name);
        }
        all
    }

    /// Makes all runs. `progress` is called with the share done and returns whether to go on.
    ///
    /// # Errors
    /// Bounds of a bisection have no value. A run that fails is a row without values.
    pub fn run(
        &self,
        scene: &Scene,
        threads: Threads,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<StudyTable, SceneError> {
        // Bounds of the bisection are the same for all runs.
        let search = self.search(scene)?;
        let work = |run: usize| {
            // Nothing is recorded, so no record can fail.
            self.row(scene, run, search, None).unwrap_or_else(|error| {
                let (settings, columns) = (self.settings(scene, run), self.columns().len());
                StudyRow::failed(settings, columns, End::Fault, &error.to_string())
            })
        };
        let rows = percuss_simulation::parallel::map_with_progress(
            self.points.len(),
            threads.get(),
            work,
            progress,
        );
        Ok(self.table(rows))
    }

    /// The table of these runs.
    fn table(&self, rows: Vec<StudyRow>) -> StudyTable {
        let keys = self.study.vary.iter().map(|vary| vary.key.clone());
        let repeated = |vary: &&Vary| matches!(vary.range, VariedValues::Repeat { .. });
        StudyTable {
            name: self.study.name.clone(),
            keys: keys.collect(),
            repeated: self.study.vary.iter().find(repeated).map(|v| v.key.clone()),
            columns: self.columns(),
            judged: self.judged.len(),
            asked: self.points.len(),
            rows,
        }
    }

    /// Bounds and tolerance of the bisection.
    fn search(&self, scene: &Scene) -> Result<Option<bisect::Search>, SceneError> {
        let Some(bisect) = &self.study.bisect else {
            return Ok(None);
        };
        let base = scene.with_overrides(&self.study.set)?;
        let part = format!("study `{}`, bisect", self.study.name);
        Ok(Some(bisect::Search {
            from: base.evaluate(&part, "from", &bisect.from)?,
            to: base.evaluate(&part, "to", &bisect.to)?,
            tolerance: base.evaluate(&part, "tolerance", &bisect.tolerance)?,
        }))
    }
}
