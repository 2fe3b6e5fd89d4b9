//! What a run vouches for, and what is said of one that ended early.

use std::path::Path;

use pyo3::prelude::*;
use scene::record::RecordError;
use scene::{BodiesOutcome, Stop, StopReason};
use serde_json::{Value, json};

use crate::error;

/// Whether a run was ended on request.
pub fn interrupted(stop: Option<&Stop>) -> bool {
    stop.is_some_and(|stop| stop.reason == StopReason::Asked)
}

/// A fault of the machine in the middle of a run, with what is left to do.
pub fn broken_off(fault: &RecordError, directory: Option<&Path>) -> PyErr {
    match directory.filter(|d| d.is_dir()) {
        Some(directory) if fault.is_fault() => error::machine(format!(
            "{fault}. What was recorded before is kept; `percuss resume {}` goes on from there",
            directory.display()
        )),
        _ => error::record(fault.clone()),
    }
}

/// Findings as the manifest holds them.
pub fn json_of(found: &[scene::finding::Finding]) -> PyResult<Vec<Value>> {
    let json = found.iter().map(serde_json::to_value);
    json.collect::<Result<_, _>>()
        .map_err(|e| error::machine(format!("cannot write the findings as JSON: {e}")))
}

/// How far the convex parts of bodies are from the bodies.
pub fn fits(collection: &scene::collection::Collection) -> Vec<Value> {
    let json = |(name, fit): &(String, scene::collection::Fit)| {
        json!({
            "body": name,
            "parts": fit.parts,
            "volume": fit.volume,
            "parts_volume": fit.sum,
            "excess": fit.excess,
            "missing": fit.missing,
        })
    };
    collection.fits().iter().map(json).collect()
}

/// What a run of bodies vouches for, with what only bodies have.
pub fn certificate(outcome: &BodiesOutcome) -> Value {
    let mut all = serde_json::to_value(outcome.certificate).unwrap_or_else(|_| json!({}));
    all["most_contacts"] = outcome.most_contacts.into();
    if !outcome.redundant.is_empty() {
        let mut names = outcome.redundant.clone();
        names.sort();
        names.dedup();
        all["redundant_joint_rows"] = outcome.redundant.len().into();
        all["redundant_joints"] = names.into();
    }
    if outcome.halted {
        all["halted"] = true.into();
    }
    if outcome.relaxed > 0.0 {
        all["relaxed"] = outcome.relaxed.into();
    }
    let prepared = outcome.prepared.iter().map(|prepared| {
        json!({
            "name": prepared.name,
            "duration": prepared.duration,
            "steps": prepared.certificate.steps,
            "missed": prepared.certificate.missed,
            "halted": prepared.halted,
        })
    });
    let prepared: Vec<Value> = prepared.collect();
    if !prepared.is_empty() {
        all["prepared"] = prepared.into();
    }
    all
}
