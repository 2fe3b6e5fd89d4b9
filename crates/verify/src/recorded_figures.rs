//! Consistency of the recorded figures of one step with each other: residual, energy and momentum errors and the flag
//! that says whether the tolerance was met. Needs only the row of the table `steps`, not the state.

use super::report::{Location, Report};

/// Figures of one step, read from the table `steps`.
pub(super) struct RecordedFigures {
    pub step: i64,
    pub t: f64,
    pub residual: f64,
    pub reached: bool,
    pub penetration: f64,
    pub drift: f64,
    pub momentum: f64,
    pub energy: f64,
    pub gain: f64,
    pub excess: f64,
    pub turnover: f64,
    /// Works that enter the energy turnover.
    pub given: [f64; 4],
}

/// Bounds of the relative errors of the balances of energy and momentum.
#[derive(Debug, Clone, Copy)]
pub(super) struct BalanceTolerances {
    pub tolerance: f64,
    pub momentum: f64,
    pub energy: f64,
}

pub(super) fn declare_checks(report: &mut Report) {
    let meaning = "figures of the account that contradict each other: signs, `reached` against residual and \
                   tolerance, balances beyond rounding";
    report.declare("account", meaning, 0.0);
}

/// The only place that says which recorded figure decides whether a step met its tolerance.
fn meets_tolerance(figures: &RecordedFigures, tolerance: f64) -> bool {
    figures.residual <= tolerance * (1.0 + 1e-9)
}

/// Compares the figures of a step with each other.
pub(super) fn compare(figures: &RecordedFigures, left: &BalanceTolerances, report: &mut Report) {
    let BalanceTolerances {
        tolerance,
        momentum,
        energy,
    } = *left;
    let wrong = if figures.reached && !meets_tolerance(figures, tolerance) {
        Some("residual of a step that reached its tolerance")
    } else if !(figures.residual >= 0.0) {
        Some("residual")
    } else if !(figures.penetration >= 0.0) {
        Some("penetration")
    } else if !(figures.drift >= 0.0) {
        Some("drift")
    } else if !(0.0..=momentum).contains(&figures.momentum) {
        Some("momentum")
    } else if !(figures.energy.abs() <= energy) {
        Some("energy")
    } else if !(figures.gain >= 0.0) {
        Some("gain")
    } else if !(0.0..=figures.gain * (1.0 + 1e-12)).contains(&figures.excess) {
        Some("excess")
    } else if !figures
        .given
        .iter()
        .all(|w| w.abs() <= figures.turnover * (1.0 + 1e-12))
    {
        Some("turnover")
    } else {
        None
    };
    let off = if wrong.is_some() { f64::INFINITY } else { 0.0 };
    report.add_comparison("account", off, || Location {
        step: Some(figures.step),
        t: Some(figures.t),
        what: wrong.unwrap_or("the account of the step").to_string(),
    });
}
