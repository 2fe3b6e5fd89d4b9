//! Verification of runs of sweeping processes: gaps, gradients and drift from the scene's expressions, the rest
//! computed here.
//!
//! ```text
//! −du ∈ N_C(t)(u) − w dt,   C(t) = { gap ≥ 0, f = 0 },   one step: a nearest point p of C(t_P) to z
//!               t_P           p                        z                            multipliers
//! catching-up   t_F           u_F                      u_I + h w(t_I, u_I)          S
//! trapezoidal   t_F           u_F                      u_I + ½h (w_I + w_F)         S
//! θ             t_I + θh      u_I + θ (u_F − u_I)      u_I + θh w(t_P, p)           θ S
//! regularised   t_F           z + (u_F − z)/σ          u_I + h w(t_F, u_F)          S/σ,  σ = hλ/(1 + hλ)
//! A (p − z) = Σ (multipliers) ∇gap(t_P, p),   S ≥ 0,   S gap(t_P, p) = 0               (M99 3, 19)
//! ```
//!
//! The multipliers S are recorded, so that the optimality conditions of a projection are checked and no projection is
//! computed. Where a jump or a kink of C divides a step, S belongs to its last part; the intermediate point follows
//! from S, and whether the first part has multipliers is decided by the distance to the normal cone of its closed
//! constraints (nonnegative least squares). Where the state before is not recorded, u_I = u_F − h v. The event-driven
//! method records S = h times the reactions at the end: the right velocity that they give must keep the closed
//! contacts closed.

mod checks;
mod compare;
mod cone;
mod crowd;
mod event;
mod metric;
mod polygon;
mod recorded_run;
mod step;
mod variation;

use percuss_record::{MechanismLayout, Record};
use percuss_scene::model::mechanism::{State as Initial, System, SystemError};
use percuss_scene::symbolic::SweepingSettings;
use percuss_scene::{Observable, Scene, SymbolicSystem};

use super::report::{Location, Report, RowRange};
use super::{VerifyError, VerifyOptions};
use metric::{Metric, dot};
use variation::VariationSums;

/// A recorded state.
#[derive(Debug, Clone, Default)]
struct RecordedState {
    pub step: i64,
    pub t: f64,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
}

/// One row of the table `contacts`: a constraint that was active in a step.
#[derive(Debug, Clone)]
struct ConstraintRow {
    pub constraint: usize,
    pub gap: f64,
    pub begin: Vec<f64>,
    pub end: Vec<f64>,
    pub impulse: Vec<f64>,
}

/// One row of the table `steps`.
#[derive(Debug, Clone, Copy, Default)]
struct StepRow {
    pub h: f64,
    pub active: f64,
    pub residual: f64,
    pub reached: bool,
    pub penetration: f64,
    pub drift: f64,
    pub gain: f64,
    pub excess: f64,
    pub extent: f64,
    pub variation: f64,
    /// NaN where it is not known.
    pub retraction: f64,
    /// NaN for a convex set.
    pub radius: f64,
}

/// All position functions (gaps and equations) with gradients and rates at one time and point.
struct PositionFunctions {
    pub gaps: Vec<f64>,
    pub gradients: Vec<Vec<f64>>,
    pub rates: Vec<f64>,
}

/// State of the verification of a sweeping process.
struct SweepVerifier<'a> {
    pub system: SymbolicSystem,
    pub plan: SweepingSettings,
    pub form: Metric,
    pub tolerance: f64,
    pub layout: MechanismLayout,
    pub report: &'a mut Report,
    pub step_row: StepRow,
    pub constraint_rows: Vec<ConstraintRow>,
    /// Index of the first position function of each constraint, and their number.
    pub first: Vec<usize>,
    /// Whether each position function is an equation.
    pub equation: Vec<bool>,
    pub initial: Initial,
    pub until: f64,
    /// Length of a step, where it is fixed.
    pub length: Option<f64>,
    pub sums: VariationSums,
    /// λ(t) of the regularised flow, where it is not constant.
    pub lambda: Option<Observable>,
    /// Constraints that were active in the step before, if it is recorded.
    pub previous: Option<Vec<bool>>,
    /// The starting point, if it is recorded.
    pub origin: Option<Vec<f64>>,
    /// Whether the step is only passed through, without comparisons.
    pub skip_checks: bool,
    pub step: i64,
    pub t: f64,
}

/// Verifies a run of a sweeping process.
pub(super) fn verify(
    record: &Record,
    scene: &Scene,
    report: &mut Report,
    asked: &mut VerifyOptions<'_>,
) -> Result<(), VerifyError> {
    let built = scene.build_mechanism()?;
    let nothing = |what: &str| {
        let text = format!("{}: {what}", record.directory().display());
        VerifyError::Nothing(text)
    };
    let Some(plan) = built.sweep else {
        return Err(nothing("the scene is no sweeping process"));
    };
    let n = built.initial.q.len();
    // The room of a crowd has the Euclidean metric.
    let numbers: &[f64] = if plan.room.is_some() {
        &[]
    } else {
        &plan.metric
    };
    let form = Metric::new(n, numbers).ok_or_else(|| nothing("the metric of the scene is none"))?;
    let (mut first, mut equation) = (vec![0], Vec::new());
    for constraint in built.system.constraints() {
        let count = constraint.num_gaps();
        equation.resize(equation.len() + count, !constraint.is_contact());
        first.push(equation.len());
    }
    checks::declare_checks(report, plan.integrator() == "event");
    let adaptive = built.settings.adaptive.is_some();
    let mut walk = SweepVerifier {
        layout: MechanismLayout::of_scene(scene, &built.system),
        system: built.system,
        form,
        tolerance: built.settings.tolerance.max(1e-12),
        report,
        step_row: StepRow::default(),
        constraint_rows: Vec::new(),
        first,
        equation,
        initial: built.initial,
        until: built.until,
        length: (!adaptive).then_some(built.settings.step),
        sums: VariationSums::default(),
        lambda: None,
        previous: None,
        origin: None,
        skip_checks: false,
        step: 0,
        t: 0.0,
        plan: *plan,
    };
    walk.sums = VariationSums::of(&mut walk.system, &walk.plan);
    if walk.plan.prox_regular.is_some() || walk.plan.room.is_some() {
        let why = "the curvature of the boundary is not computed again";
        walk.report
            .mark_unchecked("steps", "prox_radius", RowRange::All, why);
    }
    let penalty = walk.plan.penalty.clone();
    walk.lambda = penalty.and_then(|text| walk.system.observable(&text).ok());
    walk.run(record, asked)
}

impl SweepVerifier<'_> {
    pub(super) fn place(&self, what: impl Into<String>) -> Location {
        Location {
            step: Some(self.step),
            t: Some(self.t),
            what: what.into(),
        }
    }

    /// Adds one comparison at this step.
    pub(super) fn note(&mut self, check: &'static str, off: f64, what: impl Into<String>) {
        if !self.skip_checks {
            let place = self.place(what);
            self.report.add_comparison(check, off, || place);
        }
    }

    pub(super) fn name(&self, constraint: usize) -> String {
        let name = self.layout.constraints.get(constraint);
        name.map_or_else(|| "?".into(), |name| format!("`{name}`"))
    }

    /// Name of the constraint that a position function belongs to.
    pub(super) fn owner(&self, function: usize) -> String {
        let after = self.first.iter().position(|f| *f > function);
        self.name(after.map_or(0, |k| k - 1))
    }

    /// Evaluates gaps, gradients and rates.
    pub(super) fn local(&mut self, t: f64, u: &[f64]) -> Result<PositionFunctions, SystemError> {
        let n = u.len();
        let mut gaps = vec![0.0; self.equation.len()];
        self.system.gaps(t, u, &mut gaps)?;
        let (mut gradients, mut rates) = (Vec::new(), Vec::new());
        for k in 0..self.system.constraints().len() {
            let rows = self.first[k + 1] - self.first[k];
            let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
            self.system.rows(k, t, u, &mut g, &mut w)?;
            gradients.extend(g.chunks(n.max(1)).map(<[f64]>::to_vec));
            rates.extend(w);
        }
        Ok(PositionFunctions {
            gaps,
            gradients,
            rates,
        })
    }

    /// Evaluates the drift (perturbation) w.
    pub(super) fn drift(&mut self, t: f64, u: &[f64]) -> Result<Vec<f64>, SystemError> {
        if let Some((room, _)) = &self.plan.room {
            return Ok(crowd::desired_positions(room, u));
        }
        let n = u.len();
        let (mut mass, mut w) = (vec![0.0; n * n], vec![0.0; n]);
        self.system
            .dynamics(t, u, &vec![0.0; n], &mut mass, &mut w)?;
        Ok(w)
    }

    /// The recorded multipliers, one for each position function.
    pub(super) fn impulses(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.equation.len()];
        for touch in &self.constraint_rows {
            for (k, s) in touch.impulse.iter().enumerate() {
                all[self.first[touch.constraint] + k] = *s;
            }
        }
        all
    }

    /// Length scale 1 + |u|.
    pub(super) fn size(&self, u: &[f64]) -> f64 {
        1.0 + dot(u, u).sqrt()
    }
}
