//! Studies: many runs of a scene, what each is observed for, and where something changes.
//!
//! Runs are independent and share nothing: the table is the same, bit by bit, for any number of
//! threads. A run's motion is dropped as soon as it has been observed.

mod bisect;
mod file;
pub(crate) mod parallel;
mod points;
pub(crate) mod random;
mod table;

use crate::collection::Cast;
use crate::error::SceneError;
use crate::file::{Finding, Overrides, Scene, Study};
use crate::finding::compile::THRESHOLD;
use crate::finding::expression::Expression;
use crate::finding::run_subject;
use crate::finding::subject::{NoStudies, Subject};
use crate::finding::value::{Value, Valued};
use crate::finding::{Names, Threads};
use crate::watch::Wanted;

pub use file::{StudyFile, StudyResult};
pub use table::{Cell, Outcome, Row, StudyTable};

use points::points;

/// A study whose texts have been read.
pub(crate) struct CompiledStudy {
    study: Study,
    observe: Vec<Expression>,
    when: Option<Expression>,
    points: Vec<Vec<String>>,
    /// The watches of bodies, which expressions know by their places.
    cast: Cast,
}

impl CompiledStudy {
    /// Checks keys and values.
    pub fn new(
        scene: &Scene,
        study: &Study,
        observe: Vec<Expression>,
        when: Option<Expression>,
        cast: Cast,
    ) -> Result<Self, SceneError> {
        let base = scene.with(&study.set)?;
        let points = points(&base, study)?;
        // Keys and words are the same for all runs: the first tells.
        let mut first = overrides(study, points.first().map_or(&[], Vec::as_slice));
        if let Some(bisect) = &study.bisect {
            first.push((bisect.key.clone(), bisect.from.text.clone()));
        }
        scene.with(&first)?;
        Ok(Self {
            study: study.clone(),
            observe,
            when,
            points,
            cast,
        })
    }

    /// Adds a finding of the scene as a column, if it looks at the main run alone and the study has
    /// no column of that name. One that cannot be read is left to the scene's own check.
    pub fn add_finding(&mut self, finding: &Finding, names: &mut Names<'_>) {
        let taken = self.column_names().contains(&finding.name);
        if taken || finding.case.as_deref().is_some_and(|case| case != "main") {
            return;
        }
        if let Ok(value) = Expression::compile(&finding.value.text, names)
            && value.needs_only_the_run()
        {
            let column = (finding.name.clone(), finding.value.clone());
            self.study.observe.push(column);
            self.observe.push(value);
        }
    }

    /// Names of all columns and keys.
    pub fn column_names(&self) -> Vec<String> {
        let observed = self.study.observe.iter().map(|(name, _)| name.clone());
        let varied = self.study.vary.iter().map(|vary| vary.key.clone());
        let threshold = self.study.bisect.as_ref().map(|_| THRESHOLD.to_string());
        observed.chain(varied).chain(threshold).collect()
    }

    /// Makes all runs. `progress` hears the share done and says whether to go on.
    ///
    /// # Errors
    /// Bounds of a bisection that have no value. A run that fails is a row without values.
    pub fn run(
        &self,
        scene: &Scene,
        threads: Threads,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<StudyTable, SceneError> {
        let search = self.search(scene)?;
        let work = |run: usize| self.row(scene, &self.points[run], search);
        let rows = parallel::map_telling(self.points.len(), threads.get(), work, progress);
        let keys = self.study.vary.iter().map(|vary| vary.key.clone());
        let observed = self.study.observe.iter().map(|(name, _)| name.clone());
        let threshold = search.map(|_| THRESHOLD.to_string());
        Ok(StudyTable {
            name: self.study.name.clone(),
            keys: keys.collect(),
            columns: threshold.into_iter().chain(observed).collect(),
            asked: self.points.len(),
            rows,
        })
    }

    /// Bounds and tolerance of the bisection.
    fn search(&self, scene: &Scene) -> Result<Option<bisect::Search>, SceneError> {
        let Some(bisect) = &self.study.bisect else {
            return Ok(None);
        };
        let base = scene.with(&self.study.set)?;
        let part = format!("study `{}`, bisect", self.study.name);
        Ok(Some(bisect::Search {
            from: base.evaluate(&part, "from", &bisect.from)?,
            to: base.evaluate(&part, "to", &bisect.to)?,
            tolerance: base.evaluate(&part, "tolerance", &bisect.tolerance)?,
        }))
    }

    fn row(&self, scene: &Scene, point: &[String], search: Option<bisect::Search>) -> Row {
        let mut row = Row {
            settings: point.iter().map(|text| setting(scene, text)).collect(),
            cells: Vec::with_capacity(1 + self.observe.len()),
            stopped: None,
        };
        let mut set = overrides(&self.study, point);
        if let Some(search) = search {
            match self.threshold(scene, &set, search) {
                Ok((key, threshold)) => {
                    row.cells.push(Cell::of(Value::Number(threshold)));
                    set.push((key, points::text_of(threshold)));
                }
                Err(reason) => {
                    row.cells.push(Cell::absent(reason.clone()));
                    row.leave_out(self.observe.len(), &reason);
                    return row;
                }
            }
        }
        if self.observe.is_empty() {
            return row;
        }
        match subject(scene, &set, &self.wanted(&self.observe)) {
            Err(error) => {
                let reason = error.to_string();
                row.leave_out(self.observe.len(), &reason);
                row.stopped = Some(reason);
            }
            Ok(mut subject) => {
                for observed in &self.observe {
                    row.cells
                        .push(cell(observed.evaluate(&mut subject, &mut NoStudies)));
                }
                row.stopped = subject.stopped();
            }
        }
        row
    }

    /// What a run of bodies must keep for these.
    fn wanted(&self, expressions: &[Expression]) -> Wanted {
        let mut wanted = Wanted::default();
        for expression in expressions {
            expression.want(&self.cast, &mut wanted);
        }
        wanted
    }

    /// The key of the bisection and where it ended.
    fn threshold(
        &self,
        scene: &Scene,
        set: &Overrides,
        search: bisect::Search,
    ) -> Result<(String, f64), String> {
        let (Some(bisect), Some(when)) = (&self.study.bisect, &self.when) else {
            return Err("there is no bisection".to_string());
        };
        let wanted = self.wanted(std::slice::from_ref(when));
        let holds = |value: f64| {
            let mut set = set.clone();
            set.push((bisect.key.clone(), points::text_of(value)));
            truth(scene, &set, when, &wanted)
        };
        Ok((bisect.key.clone(), search.run(holds)?))
    }
}

fn cell(value: Valued<Value>) -> Cell {
    match value {
        Ok(value) => Cell::of(value),
        Err(absent) => Cell::absent(absent.0),
    }
}

/// Overrides of a run.
fn overrides(study: &Study, point: &[String]) -> Overrides {
    let varied = study.vary.iter().zip(point);
    let varied = varied.map(|(vary, value)| (vary.key.clone(), value.clone()));
    study.set.iter().cloned().chain(varied).collect()
}

/// A value as the table shows it: a number where it is one.
fn setting(scene: &Scene, text: &str) -> Value {
    let number = crate::finding::expression::plain(text, scene.parameters(), f64::NAN);
    number.map_or_else(|_| Value::Text(text.to_string()), Value::Number)
}

fn subject(
    scene: &Scene,
    set: &Overrides,
    wanted: &Wanted,
) -> Result<Subject<'static>, SceneError> {
    Ok(run_subject(scene.with(set)?, Threads::new(1), wanted))
}

fn truth(
    scene: &Scene,
    set: &Overrides,
    when: &Expression,
    wanted: &Wanted,
) -> Result<bool, String> {
    let mut subject = subject(scene, set, wanted).map_err(|error| error.to_string())?;
    match when.evaluate(&mut subject, &mut NoStudies) {
        Ok(Value::Truth(truth)) => Ok(truth),
        Ok(Value::Number(number)) => Ok(number != 0.0),
        Ok(other) => Err(format!("`when` is {}, not true or false", other.sort())),
        Err(absent) => Err(absent.0),
    }
}
