//! What a value expression may speak of.

use expr::{ErrorKind, ExprError};
use mechanism::{System, SystemError};

use crate::file::Study;
use crate::finding::scan::{Part, TextError};
use crate::text::{Observable, Sample, TextSystem};

/// The names known to value expressions of one scene.
pub(crate) struct Names<'a> {
    pub parameters: &'a [(String, f64)],
    /// Compiles observables, knows the constraints.
    pub system: &'a mut TextSystem,
    /// Beginning of the run.
    pub start: f64,
    /// The studies of the scene; none within a study.
    pub studies: &'a [Study],
}

impl Names<'_> {
    /// Checks an observable and gives its text.
    pub fn observable(&mut self, part: Part<'_>) -> Result<String, TextError> {
        match self.system.observable(part.text) {
            Ok(_) => Ok(part.text.to_string()),
            Err(error) => Err(located(part, &error, "an observable")),
        }
    }

    /// Checks an exact solution, an expression in `t`, parameters and definitions made of them, and
    /// gives its text.
    pub fn exact(&mut self, part: Part<'_>) -> Result<String, TextError> {
        let what = "the reference (`event`, `finest` or an expression in `t`)";
        let compiled = self.system.observable(part.text);
        let mut exact = compiled.map_err(|error| located(part, &error, what))?;
        match of_time(&mut exact, self.system, self.start) {
            Ok(_) => Ok(part.text.to_string()),
            Err(_) => Err(part.error(format!(
                "an exact solution is an expression in `t` and parameters with a value at the \
                 start, t = {}; it cannot use the motion",
                self.start
            ))),
        }
    }

    /// The index of a constraint and its number of rows.
    pub fn constraint(&self, part: Part<'_>) -> Result<(usize, usize), TextError> {
        let name = part.text.trim_matches(['"', '\'']);
        let constraints = self.system.constraints();
        let found = constraints
            .iter()
            .position(|constraint| constraint.name == name);
        if let Some(index) = found {
            return Ok((index, constraints[index].rows));
        }
        let known: Vec<String> = constraints.iter().map(|c| c.name.clone()).collect();
        Err(part.error(self.unknown("contact", name, &known)))
    }

    /// A study, by its place in the list.
    pub fn study(&self, part: Part<'_>) -> Result<usize, TextError> {
        let name = part.text.trim_matches(['"', '\'']);
        if let Some(index) = self.studies.iter().position(|study| study.name == name) {
            return Ok(index);
        }
        let known: Vec<String> = self
            .studies
            .iter()
            .map(|study| study.name.clone())
            .collect();
        Err(part.error(self.unknown("study", name, &known)))
    }

    /// A message about a name that is not among the known ones.
    pub fn unknown(&self, what: &str, name: &str, known: &[String]) -> String {
        let guess = self.guess(name, known);
        match known.is_empty() {
            true => format!("unknown {what} `{name}`: there is none here"),
            false => format!(
                "unknown {what} `{name}`{guess} (known here: {})",
                known.join(", ")
            ),
        }
    }

    /// `; did you mean ...?`, or nothing.
    pub fn guess(&self, name: &str, known: &[String]) -> String {
        match expr::nearest(name, known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        }
    }

    /// A message about a name in arithmetic that is no parameter.
    pub fn unknown_value(&mut self, name: &str) -> String {
        if self.system.observable(name).is_ok() {
            return format!(
                "`{name}` changes along the motion: say which of its values is meant, as in \
                 `final({name})` or `maximum({name})`"
            );
        }
        let mut known: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        known.push("h".to_string());
        self.unknown("name", name, &known)
    }
}

/// The value of an observable that depends on time alone. The motion is given as NaN, which no
/// expression loses: one that uses it fails.
pub(crate) fn of_time(
    observable: &mut Observable,
    system: &mut TextSystem,
    t: f64,
) -> Result<f64, SystemError> {
    let q = vec![f64::NAN; system.chart().num_positions()];
    let v = vec![f64::NAN; system.chart().num_velocities()];
    let sample = Sample {
        t,
        q: &q,
        v: &v,
        forces: &|_, _| f64::NAN,
    };
    observable.evaluate(system, &sample)
}

/// An error of an expression at its place in the whole text.
fn located(part: Part<'_>, error: &ExprError, what: &str) -> TextError {
    let offset = error
        .place()
        .map_or(0, |place| place.offset.min(part.text.len()));
    let width = match error.kind() {
        ErrorKind::UnknownName { name, .. } | ErrorKind::UnknownFunction { name, .. } => name.len(),
        _ => 1,
    };
    TextError::new(
        part.at + offset,
        width,
        format!("in {what}: {}", error.kind()),
    )
}
