//! The result of a run, of a mechanism or of bodies.

use percuss_record::Certificate;
use percuss_simulation::BodiesOutcome;
use percuss_simulation::MechanismOutcome;
use percuss_simulation::{EarlyStop, StopReason};

/// The result of a run: its motion, its certificate, and why it ended early.
#[derive(Debug, Clone)]
pub enum RunOutcome {
    /// Of a mechanism or a sweeping process, with its trajectory.
    Mechanism(Box<MechanismOutcome>),
    /// Of bodies, with their observables and events.
    Bodies(Box<BodiesOutcome>),
}

impl RunOutcome {
    /// Why the run ended early, if it did.
    pub fn stopped(&self) -> Option<&EarlyStop> {
        match self {
            Self::Mechanism(outcome) => outcome.stopped.as_ref(),
            Self::Bodies(outcome) => outcome.stopped.as_ref(),
        }
    }

    /// Whether the run was stopped on request.
    pub fn interrupted(&self) -> bool {
        let stop = self.stopped();
        stop.is_some_and(|stop| stop.reason == StopReason::Requested)
    }

    /// Whether the run could not start.
    pub fn refused(&self) -> bool {
        !self.interrupted() && self.stopped().is_some_and(|stop| !stop.started)
    }

    /// The certificate of the run.
    pub fn certificate(&self) -> &Certificate {
        match self {
            Self::Mechanism(outcome) => &outcome.certificate,
            Self::Bodies(outcome) => &outcome.certificate,
        }
    }

    /// The certificate as `run.json` has it.
    pub(crate) fn certificate_json(&self) -> serde_json::Value {
        match self {
            Self::Mechanism(outcome) => {
                serde_json::to_value(outcome.certificate.json()).unwrap_or_default()
            }
            Self::Bodies(outcome) => outcome.certificate_json(),
        }
    }

    /// Times of all states, the start first.
    pub fn times(&self) -> &[f64] {
        match self {
            Self::Mechanism(outcome) => outcome.trajectory.times(),
            Self::Bodies(outcome) => &outcome.times,
        }
    }

    /// Warnings, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Mechanism(outcome) => outcome.certificate.warnings(),
            Self::Bodies(outcome) => outcome.warnings(),
        }
    }

    /// The outcome of a mechanism.
    pub fn mechanism(&self) -> Option<&MechanismOutcome> {
        match self {
            Self::Mechanism(outcome) => Some(outcome),
            Self::Bodies(_) => None,
        }
    }

    /// The outcome of bodies.
    pub fn bodies(&self) -> Option<&BodiesOutcome> {
        match self {
            Self::Mechanism(_) => None,
            Self::Bodies(outcome) => Some(outcome),
        }
    }
}
