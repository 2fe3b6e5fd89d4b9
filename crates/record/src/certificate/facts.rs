//! The columns of a step report that a certificate reads, common to mechanisms and bodies.

/// The figures of one step; the fields have the names and meanings of the columns of the step reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepFigures {
    pub(super) t: f64,
    pub(super) reached: bool,
    pub(super) residual: f64,
    pub(super) penetration: f64,
    pub(super) resting: f64,
    pub(super) drift: f64,
    pub(super) momentum: f64,
    pub(super) energy: f64,
    pub(super) gain: f64,
    pub(super) excess: f64,
    pub(super) mixed: bool,
    pub(super) lasting: f64,
    pub(super) forced: f64,
    pub(super) kinetic: f64,
    /// Potential energy, that of joint springs included.
    pub(super) potential: f64,
    /// Work of contacts and joints without motors.
    pub(super) lost: f64,
    pub(super) gamma: f64,
    /// Distance to another solution of the step (relative velocities, over the speed at stake); 0 where none was found.
    pub(super) apart: f64,
    /// Penetration, resting penetration and drift over the dimensions of bodies; a mechanism has an extent instead.
    pub(super) shares: Option<[f64; 3]>,
    pub(super) extent: f64,
}

/// Bound of the momentum balance, which is an identity of velocities and impulses: its residual is rounding error,
/// enlarged by impulses that are up to 10⁹ times the momenta.
const MOMENTUM: f64 = 1e-6;

impl StepFigures {
    /// Whether the step reached its tolerance and its velocities balance its impulses.
    pub(super) fn solved(&self) -> bool {
        self.reached && self.momentum <= MOMENTUM
    }
}

impl From<&percuss_mechanism::StepReport> for StepFigures {
    fn from(ledger: &percuss_mechanism::StepReport) -> Self {
        Self {
            t: ledger.t,
            reached: ledger.reached,
            residual: ledger.residual,
            penetration: ledger.penetration,
            resting: ledger.resting,
            drift: ledger.drift,
            momentum: ledger.momentum,
            energy: ledger.energy,
            gain: ledger.gain,
            excess: ledger.excess,
            mixed: ledger.mixed,
            lasting: ledger.lasting,
            forced: ledger.forced,
            kinetic: ledger.kinetic,
            potential: ledger.potential,
            // Work of normal and tangential impulses.
            lost: ledger.impact + ledger.sliding,
            gamma: ledger.gamma,
            apart: 0.0,
            shares: None,
            extent: ledger.extent,
        }
    }
}

impl From<&percuss_bodies::StepReport> for StepFigures {
    fn from(ledger: &percuss_bodies::StepReport) -> Self {
        Self {
            t: ledger.t,
            reached: ledger.reached,
            residual: ledger.residual,
            penetration: ledger.penetration,
            resting: ledger.resting,
            drift: ledger.drift,
            momentum: ledger.momentum,
            energy: ledger.energy,
            gain: ledger.gain,
            excess: ledger.excess,
            mixed: ledger.mixed,
            lasting: ledger.lasting,
            forced: ledger.forced,
            kinetic: ledger.kinetic,
            potential: ledger.potential + ledger.elastic,
            // As above, with friction in joints and the bilateral constraints of joints.
            lost: ledger.impact + ledger.sliding + ledger.rub + ledger.held,
            gamma: ledger.gamma,
            apart: ledger.apart,
            shares: Some([
                ledger.penetration_share,
                ledger.resting_share,
                ledger.drift_share,
            ]),
            extent: 0.0,
        }
    }
}
