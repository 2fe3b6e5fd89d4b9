//! Audits: a run repeated with other steps, tolerances and rules.

use std::path::{Path, PathBuf};

use percuss_audit::{
    AuditError, AuditOptions, FindingScope, audit, load_recorded_scene, output_place,
};
use percuss_record::PlotError;
use percuss_run::Threads;
use pyo3::prelude::*;
use serde_json::json;

use crate::error;
use crate::pulse::ProgressReporter;
use crate::scenes::PyScene;
use crate::value;

/// Adds the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(audit_scene, module)?)?;
    module.add_function(wrap_pyfunction!(scene_of_run, module)?)
}

/// The scene of a run directory, as it was run.
#[pyfunction]
fn scene_of_run(directory: PathBuf) -> PyResult<PyScene> {
    let (scene, _) = load_recorded_scene(&directory).map_err(refused)?;
    Ok(PyScene { scene })
}

/// Audits a scene; returns the results as a dict and the picture as SVG. With `out`, both are also written
/// there.
#[pyfunction]
#[pyo3(signature = (scene, out=None, threads=None, all_findings=false, tell=None))]
fn audit_scene(
    py: Python<'_>,
    scene: &PyScene,
    out: Option<PathBuf>,
    threads: Option<usize>,
    all_findings: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<(Py<PyAny>, String)> {
    if threads == Some(0) {
        let problem = "a whole number, 1 or more, was expected";
        return Err(error::argument("threads", problem));
    }
    let asked = AuditOptions {
        threads: threads.map_or_else(Threads::all, Threads::new),
        findings: match all_findings {
            true => FindingScope::All,
            false => FindingScope::OfTheRun,
        },
    };
    let scene = &scene.scene;
    // The output directory is checked before the work.
    let target = out.map(|out| output_place(Some(Path::new(&out)), None, scene.name()));
    if let Some(target) = &target {
        target.check().map_err(error::record)?;
    }
    let mut pulse = ProgressReporter::new(tell.as_ref());
    let made = py.detach(|| {
        audit(scene, asked, &mut |words, done| {
            pulse.update(done, f64::NAN, words)
        })
    });
    pulse.check()?;
    let made = made.map_err(|fault| match fault {
        AuditError::Scene(fault) => error::scene(fault),
        AuditError::NoReference(text) => error::input(text),
        AuditError::Stopped => error::input(fault.to_string()),
    })?;
    if let Some(target) = target {
        percuss_draw::audit::write_audit(&made, &target).map_err(refused)?;
    }
    let svg = percuss_draw::audit::audit_svg(&made).map_err(refused)?;
    Ok((value::python(py, &json!(made))?, svg))
}

fn refused(fault: PlotError) -> PyErr {
    match fault {
        PlotError::Scene(fault) => error::scene(fault),
        PlotError::Record(fault) => error::record(fault),
        PlotError::Unknown(text) | PlotError::Nothing(text) => error::input(text),
        PlotError::Drawing(_) => error::machine(fault.to_string()),
    }
}
