//! Messages and JSON of runs: interruptions, failures, findings.

use std::path::Path;

use percuss_record::RecordError;
use percuss_run::{EarlyStop, StopReason};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error;

/// Whether a run was ended on request.
pub fn interrupted(stop: Option<&EarlyStop>) -> bool {
    stop.is_some_and(|stop| stop.reason == StopReason::Requested)
}

/// The exception of a machine failure during a run, with advice.
pub fn record_failure(fault: &RecordError, directory: Option<&Path>) -> PyErr {
    match directory.filter(|d| d.is_dir()) {
        Some(directory) if fault.is_fault() => error::machine(format!(
            "{fault}. What was recorded before is kept; `percuss resume {}` goes on from there",
            directory.display()
        )),
        _ => error::record(fault.clone()),
    }
}

/// Findings as the manifest stores them.
pub fn findings_json(found: &[percuss_run::finding::Finding]) -> PyResult<Vec<Value>> {
    let json = found.iter().map(serde_json::to_value);
    json.collect::<Result<_, _>>()
        .map_err(|e| error::machine(format!("cannot write the findings as JSON: {e}")))
}

/// Approximation errors of convex decompositions: distance of the convex parts from the bodies.
pub fn decomposition_errors(collection: &percuss_scene::bodies_scene::BuiltBodies) -> Vec<Value> {
    let json = |(name, fit): &(String, percuss_scene::bodies_scene::DecompositionFit)| {
        json!({
            "body": name,
            "parts": fit.parts,
            "volume": fit.volume,
            "parts_volume": fit.sum,
            "excess": fit.excess,
            "missing": fit.missing,
        })
    };
    collection.decomposition_errors().iter().map(json).collect()
}
