//! Findings: values measured on the motion of a scene and compared with what is expected.
//!
//! A finding is a value expression ([`percuss_scene::FindingSpec`]). `crate::scan`, `compile` and
//! `expression` compile it, with the names of `names` and `language`, in the context of a scene
//! (`ground`). `crate::evaluate` does so for all findings of a scene, makes the runs and evaluates,
//! on a run (`evaluated_run`) or on runs that are not kept (`made`, `sampler`); `want` says what a
//! run of bodies must keep. `measure` lists the measures; `series`, `event_measures`, `zeno`,
//! `accuracy`, `list` and `statics` compute them; `expectation` compares a value (`value`) with its expectation. A finding without a value (there
//! is no third impact) is no input error: it has a reason instead, and is not met.

mod accuracy;
pub(crate) mod compile;
pub(crate) mod evaluated_run;
mod event_measures;
pub(crate) mod expectation;
pub(crate) mod expression;
mod graph_distance;
pub mod ground;
pub(crate) mod language;
mod list;
pub(crate) mod made;
mod measure;
mod names;
mod sampler;
mod series;
mod statics;
#[cfg(test)]
mod tests;
pub(crate) mod value;
mod want;
mod zeno;

use serde::{Deserialize, Serialize};

pub use value::Value;

pub(crate) use made::{SceneRunner, meets_expectation, run_scene, run_scene_with};
pub(crate) use names::Names;

/// A finding with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// The measured value; none when the motion has no such thing.
    pub value: Option<Value>,
    /// The expected value.
    pub expected: Option<Value>,
    /// Tolerance, absolute.
    pub tolerance: Option<f64>,
    /// Upper bound, where one is given instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Lower bound, where one is given instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Whether the value is as expected; none when nothing is expected.
    pub ok: Option<bool>,
    /// Source of the expectation.
    pub source: Option<String>,
    /// What it means.
    pub about: Option<String>,
    /// The case it is evaluated on.
    pub case: String,
    /// Step and error of the runs that an order was fitted to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<[f64; 2]>,
    /// Whether the expectation applies: parameters and settings have the values that it holds at. Where it does not,
    /// `ok` is none and `reason` says what is not as declared.
    #[serde(default = "applies", skip_serializing_if = "is_true")]
    pub applicable: bool,
    /// Why there is no value, why it cannot be compared, or why the expectation does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The default of [`Finding::applicable`].
fn applies() -> bool {
    true
}

/// Whether [`Finding::applicable`] has its default.
fn is_true(applicable: &bool) -> bool {
    *applicable
}
