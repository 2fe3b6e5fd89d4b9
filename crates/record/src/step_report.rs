//! The report of a step, common to mechanisms and bodies: [`StepReport`].

/// The report of one step of a simulation: what the reports of both engines have in common. The fields have the names
/// and meanings of their columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Time at the end of the step.
    pub t: f64,
    /// Length of the step; 0 for the initial state.
    pub h: f64,
    /// Contacts of the step; active constraints of a mechanism.
    pub num_contacts: usize,
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// Whether the step reached its tolerances.
    pub reached: bool,
    /// Residual of the contact problem.
    pub residual: f64,
    /// Largest penetration.
    pub penetration: f64,
    /// Largest penetration of a contact at rest.
    pub resting: f64,
    /// Largest constraint error of a joint.
    pub drift: f64,
    /// Relative error of the momentum balance.
    pub momentum: f64,
    /// Relative error of the energy balance.
    pub energy: f64,
    /// Energy gained through contacts and joints, relative to the largest term of the step.
    pub gain: f64,
    /// The part of the gain that no law allows.
    pub excess: f64,
    /// Whether the restitution coefficients of the step differ.
    pub mixed: bool,
    /// Work of persistent contacts as far as they do not slide.
    pub lasting: f64,
    /// Energy that the given forces would give to bodies at rest.
    pub forced: f64,
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Potential energy, that of joint springs included.
    pub potential: f64,
    /// Work of contacts and joints without motors.
    pub lost: f64,
    /// Smallest Painlevé γ of a sliding contact; +∞ where none slides.
    pub gamma: f64,
    /// Distance to another solution of the step (relative velocities, over the speed at stake); 0 where none was found.
    pub apart: f64,
    /// Penetration, resting penetration and drift over the dimensions of bodies; a mechanism has an extent instead.
    pub shares: Option<[f64; 3]>,
    /// Extent of the motion of a mechanism; 0 for bodies.
    pub extent: f64,
}

/// Bound of the momentum balance, which is an identity of velocities and impulses: its residual is rounding error,
/// enlarged by impulses that are up to 10⁹ times the momenta.
const MOMENTUM: f64 = 1e-6;

impl StepReport {
    /// Whether the step reached its tolerance and its velocities balance its impulses.
    pub(crate) fn solved(&self) -> bool {
        self.reached && self.momentum <= MOMENTUM
    }
}

/// The report from that of an engine: fields that both engines have under the same name, then the given ones.
macro_rules! report_of {
    ($ledger:ident, $($own:ident: $value:expr),+ $(,)?) => {
        Self {
            t: $ledger.t,
            h: $ledger.h,
            num_contacts: $ledger.num_active,
            iterations: $ledger.iterations,
            reached: $ledger.reached,
            residual: $ledger.residual,
            penetration: $ledger.penetration,
            resting: $ledger.resting,
            drift: $ledger.drift,
            momentum: $ledger.momentum,
            energy: $ledger.energy,
            gain: $ledger.gain,
            excess: $ledger.excess,
            mixed: $ledger.mixed,
            lasting: $ledger.lasting,
            forced: $ledger.forced,
            kinetic: $ledger.kinetic,
            gamma: $ledger.gamma,
            $($own: $value),+
        }
    };
}

impl From<&percuss_mechanism::StepReport> for StepReport {
    fn from(ledger: &percuss_mechanism::StepReport) -> Self {
        report_of! {
            ledger,
            potential: ledger.potential,
            // Work of normal and tangential impulses.
            lost: ledger.impact + ledger.sliding,
            apart: 0.0,
            shares: None,
            extent: ledger.extent,
        }
    }
}

impl From<&percuss_bodies::StepReport> for StepReport {
    fn from(ledger: &percuss_bodies::StepReport) -> Self {
        report_of! {
            ledger,
            potential: ledger.potential + ledger.elastic,
            // As above, with friction in joints and the bilateral constraints of joints.
            lost: ledger.impact + ledger.sliding + ledger.joint_friction + ledger.bilateral,
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
