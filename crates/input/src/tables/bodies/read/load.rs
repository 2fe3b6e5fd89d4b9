//! Reads `[[load]]`, the load cases of limit analysis.

use super::super::spec::{CaseSpec, LoadCaseSpec};
use super::{name_of, named, turning, vector_if};
use crate::{InputError, Reader};

/// `[[load]]`.
pub(super) fn loads(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<LoadCaseSpec>, Box<InputError>> {
    let mut all: Vec<LoadCaseSpec> = Vec::new();
    for (name, mut reader) in named(root, "load", "load")? {
        let acceleration = vector_if(&mut reader, "acceleration", dimension)?;
        let tilt = turning(&mut reader, "tilt", dimension)?;
        let force = vector_if(&mut reader, "force", dimension)?;
        let case = match (acceleration, tilt, force) {
            (Some(acceleration), None, None) => CaseSpec::Acceleration(acceleration),
            (None, Some(tilt), None) => CaseSpec::Tilt(tilt),
            (None, None, Some(force)) => CaseSpec::Force {
                force,
                body: name_of(&mut reader, "body")?,
                at: vector_if(&mut reader, "at", dimension)?,
            },
            _ => {
                let problem = "one of `acceleration`, `tilt` and `force` was expected";
                let advice = "A load case multiplies one thing; write another [[load]] for another";
                return Err(reader.error(problem, advice));
            }
        };
        let line = reader.line;
        reader.finish()?;
        all.push(LoadCaseSpec { name, line, case });
    }
    Ok(all)
}
