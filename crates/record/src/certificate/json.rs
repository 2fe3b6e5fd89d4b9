//! The JSON form of a certificate, in `run.json`, in the output of `--json` and in Python.

use percuss_scene::CertificateBounds;
use serde::Serialize;

use super::{Certificate, Criterion};

/// A criterion that the run violates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotMet {
    /// `residual`, or the key of the bound.
    pub what: &'static str,
    /// Number of the first step beyond the bound, from 1.
    pub first_step: usize,
    /// Time at the end of that step.
    pub first_t: f64,
    /// Contact or joint of the worst figure, by name; `None` where the criterion has no place.
    #[serde(rename = "where")]
    pub place: Option<String>,
    /// The worst figure of the run.
    pub worst: f64,
    /// Number of the step of the worst figure.
    pub worst_step: usize,
    /// Time at the end of that step.
    pub worst_t: f64,
    /// The bound; `None` for the residual, whose tolerance is that of the run.
    pub bound: Option<f64>,
    /// Number of steps beyond the bound.
    pub steps: usize,
    /// The same as an English sentence.
    pub words: String,
}

/// A certificate with the names of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CertificateJson {
    steps: usize,
    missed: usize,
    worst_residual: f64,
    worst_penetration: f64,
    worst_penetration_share: f64,
    worst_resting: f64,
    worst_resting_share: f64,
    worst_momentum: f64,
    worst_energy: f64,
    worst_gain: f64,
    worst_excess: f64,
    worst_drift: f64,
    worst_drift_share: f64,
    /// Energy lost in lasting contacts without sliding, and its ratio to the energy at stake.
    dissipated: f64,
    dissipation: f64,
    bounds: CertificateBounds,
    not_met: Vec<NotMet>,
    ok: bool,
}

impl Certificate {
    /// The form that is serialised.
    pub fn json(&self) -> CertificateJson {
        CertificateJson {
            steps: self.steps,
            missed: self.missed,
            worst_residual: self.worst_residual,
            worst_penetration: self.worst_penetration,
            worst_penetration_share: self.worst_of(Criterion::Penetration),
            worst_resting: self.worst_resting,
            worst_resting_share: self.worst_of(Criterion::Resting),
            worst_momentum: self.worst_momentum,
            worst_energy: self.worst_energy,
            worst_gain: self.worst_gain,
            worst_excess: self.worst_excess,
            worst_drift: self.worst_drift,
            worst_drift_share: self.worst_of(Criterion::Drift),
            dissipated: self.sums.dissipated,
            dissipation: self.worst_of(Criterion::Dissipation),
            bounds: self.bounds,
            not_met: self.not_met(),
            ok: self.ok,
        }
    }

    /// The violated criteria that decide, in the order of [`Criterion::ALL`].
    pub fn not_met(&self) -> Vec<NotMet> {
        let wrong = Criterion::ALL
            .into_iter()
            .filter(|w| w.decides() && self.is_reported(*w));
        wrong.map(|what| self.entry(what)).collect()
    }

    fn entry(&self, what: Criterion) -> NotMet {
        let mark = self.violation(what);
        // The tolerance of the residual is that of the run, not of the certificate.
        let bound = (what != Criterion::Residual).then(|| what.bound(&self.bounds));
        NotMet {
            what: what.name(),
            first_step: mark.first.0,
            first_t: mark.first.1,
            place: Some(mark.worst_place.clone()).filter(|place| !place.is_empty()),
            worst: self.worst_of(what),
            worst_step: mark.worst_at.0,
            worst_t: mark.worst_at.1,
            bound,
            steps: mark.times,
            words: self.sentence(what),
        }
    }
}
