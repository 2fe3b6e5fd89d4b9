//! What is requested of a run of bodies, its progress, and its result.

use std::sync::Arc;

use percuss_mechanism::Event;
use percuss_record::{Certificate, CountedDistribution, preparation_warnings};
use percuss_scene::CertificateBounds;
use percuss_scene::bodies_scene::SceneNames;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::stop::EarlyStop;

/// What is to be kept of a run. Poses are not: those of a million bodies would not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservableRequest {
    /// Observables whose values at every step are kept.
    pub observables: Vec<String>,
    /// Watches whose events are kept, by name.
    pub watches: Vec<String>,
    /// Whether distributions are counted.
    pub distributions: bool,
}

impl ObservableRequest {
    /// Requests an observable, once.
    pub fn observable(&mut self, text: &str) {
        if !self.observables.iter().any(|known| known == text) {
            self.observables.push(text.to_string());
        }
    }

    /// Requests the events of a watch, once.
    pub fn watch(&mut self, name: &str) {
        if !self.watches.iter().any(|known| known == name) {
            self.watches.push(name.to_string());
        }
    }

    /// Adds all that another request has.
    pub fn include(&mut self, other: &Self) {
        // Observables, watches and distributions without repetition.
        other
            .observables
            .iter()
            .for_each(|text| self.observable(text));
        other.watches.iter().for_each(|name| self.watch(name));
        self.distributions |= other.distributions;
    }
}

/// The result of a preparation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparationOutcome {
    /// Its name.
    pub name: String,
    /// Duration in simulated time.
    pub duration: f64,
    /// Its certificate.
    pub certificate: Certificate,
    /// Whether its `stop` ended it.
    pub halted: bool,
}

/// The result of a run of bodies.
#[derive(Debug, Clone)]
pub struct BodiesOutcome {
    /// Times of all states, the start first.
    pub times: Vec<f64>,
    /// The requested observables, by text: a value for each state, NaN where there is none.
    pub series: Vec<(String, Vec<f64>)>,
    /// Events of the requested watches, in order of time; `constraint` is the number of the watch
    /// in [`SceneNames`].
    pub events: Vec<Event>,
    /// Distributions, where they were requested.
    pub distributions: Vec<CountedDistribution>,
    /// Certificate of the run.
    pub certificate: Certificate,
    /// Why it ended early, if it did.
    pub stopped: Option<EarlyStop>,
    /// Whether the stop condition of the scene ended the run: an intended end.
    pub halted: bool,
    /// The preparations.
    pub prepared: Vec<PreparationOutcome>,
    /// Largest initial overlap that was resolved before the start; 0 where there was none.
    pub relaxed: f64,
    /// Largest number of contacts of a step.
    pub most_contacts: usize,
    /// For each redundant row of the joints at the start, the name of its joint: their number is
    /// the degree of static indeterminacy.
    pub redundant: Vec<String>,
    /// Names of bodies, groups, regions, watches and joints.
    pub names: Arc<SceneNames>,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Start of the run.
    pub start: f64,
    /// Its end, if nothing stops it.
    pub until: f64,
    /// Length of a step.
    pub step: f64,
}

impl BodiesOutcome {
    /// An outcome without states.
    pub(super) fn new(
        cast: SceneNames,
        dimension: usize,
        span: (f64, f64),
        (step, bounds): (f64, CertificateBounds),
    ) -> Self {
        Self {
            times: Vec::new(),
            series: Vec::new(),
            events: Vec::new(),
            distributions: Vec::new(),
            certificate: Certificate::with_bounds(bounds),
            stopped: None,
            halted: false,
            prepared: Vec::new(),
            relaxed: 0.0,
            most_contacts: 0,
            redundant: Vec::new(),
            names: Arc::new(cast),
            dimension,
            start: span.0,
            until: span.1,
            step,
        }
    }

    /// The values of a requested observable.
    pub fn series_of(&self, text: &str) -> Option<&[f64]> {
        // Observables are identified by their text.
        let mut all = self.series.iter();
        let found = all.find(|(known, _)| known == text);
        found.map(|(_, values)| values.as_slice())
    }
}

impl BodiesOutcome {
    /// The certificate as JSON, with the figures that only bodies have.
    pub fn certificate_json(&self) -> Value {
        let mut all = serde_json::to_value(self.certificate.json()).unwrap_or_else(|_| json!({}));
        // Figures of bodies; those that are absent or zero are left out.
        all["most_contacts"] = self.most_contacts.into();
        if !self.redundant.is_empty() {
            all["redundant_joint_rows"] = self.redundant.len().into();
            all["redundant_joints"] = self.spare_joints().into();
        }
        if self.halted {
            all["halted"] = true.into();
        }
        if self.relaxed > 0.0 {
            all["relaxed"] = self.relaxed.into();
        }
        // Preparations in short: their whole certificates are not part of the record.
        let prepared = self.prepared.iter().map(|prepared| {
            json!({
                "name": prepared.name,
                "duration": prepared.duration,
                "steps": prepared.certificate.steps,
                "missed": prepared.certificate.missed,
                "not_met": prepared.certificate.not_met(),
                "halted": prepared.halted,
            })
        });
        let prepared: Vec<Value> = prepared.collect();
        if !prepared.is_empty() {
            all["prepared"] = prepared.into();
        }
        all
    }

    /// Warnings, in sentences: of the preparations, of the run, of the joints.
    pub fn warnings(&self) -> Vec<String> {
        // Preparations, the run itself, redundant joints.
        let prepared = self.prepared.iter();
        let prepared = prepared.flat_map(|p| preparation_warnings(&p.name, &p.certificate));
        let own = self.certificate.warnings();
        prepared
            .chain(own)
            .chain(self.redundant_rows_warning())
            .collect()
    }

    /// A warning about redundant joint rows, whose reactions are indeterminate.
    pub fn redundant_rows_warning(&self) -> Option<String> {
        // Singular and plural.
        let (noun, hold) = match self.redundant.len() {
            0 => return None,
            1 => ("joint row holds", "its reaction is that"),
            _ => ("joint rows hold", "their reactions are those"),
        };
        Some(format!(
            "{} {noun} what others hold already (at {}): {hold} of least norm; free a row of a joint \
             if you need the reactions themselves",
            self.redundant.len(),
            self.spare_joints().join(", ")
        ))
    }

    /// The joints with redundant rows, each once.
    fn spare_joints(&self) -> Vec<String> {
        let mut all = self.redundant.clone();
        all.sort();
        all.dedup();
        all
    }
}
