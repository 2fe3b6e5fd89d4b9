//! How far a run is, and what it warns of on the way.

mod warnings;

pub use warnings::Warnings;

use percuss_record::Certificate;

/// Progress of a run after a step, with the figures of that step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunProgress<'a> {
    /// The preparation that is running; nothing for the run itself.
    pub preparation: Option<&'a str>,
    /// Number of the step, from 1.
    pub step: usize,
    /// Time reached.
    pub t: f64,
    /// Time at which it ends.
    pub until: f64,
    /// Share of the time span that is done.
    pub share: f64,
    /// Contacts of the step; active constraints of a mechanism.
    pub contacts: usize,
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// Residual of the contact problem.
    pub residual: f64,
    /// Tolerance of the residual.
    pub tolerance: f64,
    /// Whether the step reached its tolerances.
    pub reached: bool,
    /// Largest penetration.
    pub penetration: f64,
    /// Energy gained through contacts, relative to the largest term of the step.
    pub gain: f64,
    /// Smallest Painlevé γ of a sliding contact; +∞ where none slides.
    pub gamma: f64,
    /// Certificate of the run, or of the preparation, so far.
    pub certificate: &'a Certificate,
}

/// Progress callback: called after every step, returns whether the run goes on.
pub type ProgressCallback<'a> = dyn FnMut(&RunProgress<'_>) -> bool + 'a;
