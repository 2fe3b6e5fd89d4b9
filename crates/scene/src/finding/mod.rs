//! Findings: what a scene is known for, measured on its motion and held against what is expected.
//!
//! A finding is a value expression ([`crate::file::Finding`]); `expression` compiles and evaluates
//! it, `measure` names the measures, `series`, `happening`, `zeno`, `accuracy` and `list` compute
//! them, `judge` compares. A finding that has no value (there is no third impact) is not wrong
//! input: it has a reason instead, and is not met.

mod accuracy;
pub(crate) mod compile;
pub(crate) mod expression;
mod happening;
mod judge;
mod laboratory;
pub(crate) mod language;
mod list;
mod measure;
mod names;
pub(crate) mod plan;
mod sampler;
pub(crate) mod scan;
mod series;
mod statics;
pub(crate) mod subject;
#[cfg(test)]
mod tests;
pub(crate) mod value;
mod want;
mod zeno;

use serde::{Deserialize, Serialize};

pub use laboratory::{Threads, evaluate_bodies_findings, evaluate_findings};
pub use plan::{check_collection, check_findings, observable_request};
pub use value::Value;

pub(crate) use laboratory::{SceneRunner, meets_expectation, run_scene, run_scene_with};
pub(crate) use names::Names;
pub(crate) use plan::compile_study;

/// A finding with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// What was measured; nothing when there is no such thing in the motion.
    pub value: Option<Value>,
    /// What was expected.
    pub expected: Option<Value>,
    /// By how much the value may differ, absolute.
    pub tolerance: Option<f64>,
    /// Upper bound, where one is given instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Lower bound, where one is given instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Whether the value is as expected; nothing when nothing is expected of it.
    pub ok: Option<bool>,
    /// Where the expectation comes from.
    pub source: Option<String>,
    /// What it means.
    pub about: Option<String>,
    /// The run it looks at.
    pub case: String,
    /// Step and error of the runs that an order was fitted to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<[f64; 2]>,
    /// Why there is no value, or why it cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
