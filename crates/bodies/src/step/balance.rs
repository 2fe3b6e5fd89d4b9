//! Balance of each step: momentum, energy, residual, penetration (JM92 §6). Fills the [`StepReport`].
//!
//! ```text
//! momentum:  A(u_F − u_L) = Σ Gᵀ S          Gᵀ applied anew, from contact points and normals
//! energy:    E_F − E_I = hK·½(u_F + u_I) + Σ ½ S·(U_F + U_I) − Σ ½ S·(W_F + W_I)
//! ```
//!
//! The given forces include the gyroscopic moments, which do no work without contacts. `contact_works` sums the works,
//! `gain` the energy gained against JM92 6.2, `painleve` detects Painlevé configurations, `share` measures
//! penetrations.

mod contact_works;
mod gain;
mod painleve;
mod share;

use super::assemble::kinetic;
use super::scratch::{Balance, Coupling, ModelCache};
use super::{NO_GROUP, SolvedStep, StepInputs, cell_step, joints};
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::periodic_cell::Matrix;
use crate::settings::{Integrator, Settings};
use crate::state::{State, StepReport};
use joints::JointWorks;
use percuss_contact::{ResidualEvaluator, ResidualMeasure};
use percuss_geometry::Vector;
use percuss_solve::Solver;

pub(super) use contact_works::contact_status;
pub(super) use gain::common_restitution;
pub use painleve::PainleveContact;
pub(crate) use painleve::PainleveScratch;
pub(crate) use share::largest_drift;
pub use share::{DeepestContact, LargestDrift};

/// Floor of the scale of the momentum defect, relative to the squares of all impulses: a millionth of an impulse
/// is 10⁹ times its rounding error. Needed where impulses cancel in Σ GᵀS.
const CANCELLED: f64 = 1e-12;

/// Sums over the bodies for the report of a step.
struct BodyBalance {
    /// Work of the given forces, and ½‖v̂_L − v̂_I‖², the energy they would give to bodies at rest.
    work: f64,
    at_stake: f64,
    /// Kinetic energy at the end of the step, and of the free velocity.
    kinetic: f64,
    free: f64,
    /// Relative defect of the momentum balance.
    momentum: f64,
}

/// Works of the contacts and joints of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactWorks {
    impact: f64,
    sliding: f64,
    boundary: f64,
    /// Σ S·U_F.
    end: f64,
    joint: JointWorks,
    books: gain::EnergyGain,
}

/// Report of an initial state: energies alone.
pub(crate) fn initial_report<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    end_rate: &Matrix,
    out: &mut Balance<D>,
) -> StepReport {
    let mut report = StepReport {
        t: state.t,
        reached: true,
        gamma: f64::INFINITY,
        kinetic: kinetic_energy(cache, &state.velocities)
            + cell_step::energy(model, cache, end_rate),
        potential: potential_energy(model, state),
        ..StepReport::default()
    };
    joint_entries(model, state, cache, out, &mut report);
    report
}

/// Kinetic energy of one body.
pub(super) fn kinetic_of<D: Dynamics>(
    cache: &ModelCache<D>,
    body: usize,
    velocity: &D::Dofs,
) -> f64 {
    let root = cache.inverse_sqrt_mass[body].as_ref().iter();
    let parts = root.zip(velocity.as_ref()).filter(|(r, _)| **r > 0.0);
    0.5 * parts.map(|(r, v)| (v / r) * (v / r)).sum::<f64>()
}

/// Report of the step whose end velocities are known while the state is still that of its beginning.
pub(crate) fn of_step<D: Dynamics>(
    step: SolvedStep<'_, D>,
    previous: &StepReport,
    t_end: f64,
    solver: &mut dyn Solver,
    coupling: &mut Coupling<D>,
    out: &mut Balance<D>,
) -> StepReport {
    let StepInputs {
        model,
        settings,
        cache,
        ..
    } = step.inputs;
    let before = previous.kinetic;
    let judged = residual(step, out);
    let works = step.contact_works(coupling, out);
    out.sliding = step.least_gamma(&out.status, &mut out.painleve);
    out.other_solution = step.find_other_solution(previous, solver);
    // Sums over the bodies: works, energies, momentum defect.
    let BodyBalance {
        work,
        at_stake,
        kinetic,
        free,
        momentum,
    } = step.body_balance(&out.contact_wrench);
    let after = kinetic + cell_step::energy(model, cache, &step.end.strain_rate);
    // Terms of the energy balance; their sum is its defect.
    let terms = [
        after,
        -before,
        -work,
        -works.impact,
        -works.sliding,
        -works.boundary,
        -works.joint.motor,
        -works.joint.spring,
        -works.joint.friction,
        -works.joint.bilateral,
    ];
    let scale = terms.iter().fold(at_stake, |m, t| m.max(t.abs()));
    let relative = |x: f64| if scale > 0.0 { x / scale } else { x };
    let [resting, resting_share] = step.sunk(&out.end_velocity);
    // Scale of gain and excess: energy that the step turns over.
    let given = [work, works.boundary, works.joint.motor, works.joint.spring];
    let turnover = given
        .iter()
        .fold(at_stake.max(before).max(free), |m, w| m.max(w.abs()));
    let over = |x: f64| if x == 0.0 { 0.0 } else { x / turnover };
    let books = &works.books;
    let found = step.inputs.candidates().iter();
    // Residual: at least what the solver or the joint friction left.
    let report = step.solution.report.as_ref();
    // The defect of the joint friction iteration counts as well (`joints::FrictionIteration`).
    let residual = report.map_or(judged, |r| judged.max(r.residual));
    StepReport {
        t: t_end,
        h: settings.step,
        num_active: step.assembly.active.len(),
        num_pairs: step.inputs.detection.detector.num_pairs(),
        residual,
        iterations: report.map_or(0, |r| r.iterations),
        reached: residual <= settings.tolerance,
        penetration: found.fold(0.0, |deepest, f| deepest.max(-f.point.gap)),
        momentum,
        kinetic: after,
        potential: 0.0,
        work,
        impact: works.impact,
        sliding: works.sliding,
        boundary: works.boundary,
        energy: relative(terms.iter().sum::<f64>().abs()),
        turnover,
        forced: at_stake,
        gain: over(books.gain),
        excess: over(books.excess),
        mixed: books.mixed,
        lasting: books.lasting,
        penetration_share: step.deepest().map_or(0.0, |deepest| deepest.share),
        resting,
        resting_share,
        motor: works.joint.motor,
        spring: works.joint.spring,
        joint_friction: works.joint.friction,
        bilateral: works.joint.bilateral,
        drift: 0.0,
        drift_share: 0.0,
        elastic: 0.0,
        gamma: out.sliding.map_or(f64::INFINITY, |found| found.gamma),
        apart: out.other_solution.map_or(0.0, |found| found.apart),
    }
}

/// Potential energy and joint reports at the end position: the entries of the report that need the new poses.
pub(crate) fn of_position<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    settings: &Settings,
    out: &mut Balance<D>,
    report: &mut StepReport,
) {
    report.potential = potential_energy(model, state);
    if settings.integrator == Integrator::Projected || !model.joints.is_empty() {
        // Projections have changed the velocities.
        report.kinetic = kinetic_energy(cache, &state.velocities);
    }
    if !model.joints.is_empty() {
        joint_entries(model, state, cache, out, report);
    }
}

/// Elastic energy and drift of the joints at the end of the step.
fn joint_entries<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    out: &mut Balance<D>,
    report: &mut StepReport,
) {
    (report.elastic, report.drift) = joints::read_joints(model, state, cache, out);
    let loosest = largest_drift(model, cache, &out.joint_reports);
    report.drift_share = loosest.map_or(0.0, |loosest| loosest.share);
}

/// Velocity residual RV of the impulses as they are used, independent of what the solver reports.
fn residual<D: Dynamics>(step: SolvedStep<'_, D>, out: &mut Balance<D>) -> f64 {
    let problem = step.assembly.problem.as_ref();
    let Some(problem) = problem.filter(|p| p.num_contacts() > 0) else {
        return 0.0;
    };
    let judge = out
        .judge
        .get_or_insert_with(|| ResidualEvaluator::new(problem));
    judge.resize_for(problem);
    judge.residual(problem, &step.solution.impulse, ResidualMeasure::Velocity)
}

/// ½ Σ m v² over the components that are unknowns.
fn kinetic_energy<D: Dynamics>(cache: &ModelCache<D>, velocities: &[D::Dofs]) -> f64 {
    let mut sum = 0.0;
    for (root, velocity) in cache.inverse_sqrt_mass.iter().zip(velocities) {
        for (r, v) in root.as_ref().iter().zip(velocity.as_ref()) {
            if *r > 0.0 {
                let hat = v / r;
                sum += hat * hat;
            }
        }
    }
    0.5 * sum
}

/// Potential energy of gravity, −Σ m g·x over the free components.
fn potential_energy<D: Dynamics>(model: &Model<D>, state: &State<D>) -> f64 {
    let gravity = model.gravity;
    let mut sum = 0.0;
    for (body, pose) in model.bodies.iter().zip(&state.poses) {
        for k in 0..D::N {
            if body.freedom.is_free(k) {
                sum -= body.mass.mass * gravity.components()[k] * pose.position.components()[k];
            }
        }
    }
    sum
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// Σ ‖S‖²/κ over all contacts and joints: squared impulses in units of energy.
    fn loaded(&self) -> f64 {
        let Some(problem) = &self.assembly.problem else {
            return 0.0;
        };
        let each = (0..problem.num_contacts()).map(|a| {
            let rows = self.solution.impulse.get(problem.rows(a)).unwrap_or(&[]);
            rows.iter().map(|s| s * s).sum::<f64>() / problem.kappa(a)
        });
        each.sum()
    }

    /// One pass over the bodies: the work of forces (v̂_L − v̂_I)·½(v̂_F + v̂_I); ½‖v̂_L − v̂_I‖², the energy
    /// that forces would give to bodies at rest (close to rest every other term is a difference of rounding
    /// errors of that size); ½‖v̂_F‖²; and the momentum defect ‖v̂_F − v̂_L − A^-½ Σ GᵀS‖ relative to its
    /// largest term, with GᵀS from the impulse vectors and the points they act at.
    fn body_balance(&self, contact_wrench: &[D::Dofs]) -> BodyBalance {
        let known = self.assembly.problem.as_ref().and_then(kinetic);
        let (mut sum, mut at_stake) = self.cell_work();
        let (mut energy, mut left, mut changed, mut pushed) = (0.0, 0.0, 0.0, 0.0);
        for (i, group) in self.inputs.cache.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = self.inputs.cache.inverse_sqrt_mass[i].as_ref();
            let end =
                self.inputs
                    .midpoint
                    .in_spin_axes(self.inputs.cache, i, &self.end.velocity[i]);
            // v̂_I and v̂_L of the body: from the contact problem, or computed.
            let mut hats = [D::ZERO_VELOCITY; 2];
            let at = *group as usize * D::DOF;
            match known {
                Some(kinetic) => {
                    hats[0]
                        .as_mut()
                        .copy_from_slice(&kinetic.begin()[at..at + D::DOF]);
                    hats[1]
                        .as_mut()
                        .copy_from_slice(&kinetic.free()[at..at + D::DOF]);
                }
                // Without contacts u_F = u_L.
                None => {
                    hats = [
                        self.inputs.midpoint.in_spin_axes(
                            self.inputs.cache,
                            i,
                            &self.inputs.state.velocities[i],
                        ),
                        end,
                    ];
                    for hat in &mut hats {
                        let each = hat.as_mut().iter_mut().zip(root);
                        each.for_each(|(v, root)| *v /= root);
                    }
                }
            }
            let rest = contact_wrench.get(i).copied().unwrap_or(D::ZERO_VELOCITY);
            // Sums over the unknown components: energies, work, momentum defect.
            for k in (0..D::DOF).filter(|&k| root[k] > 0.0) {
                let v = end.as_ref()[k] / root[k];
                let (u, free) = (hats[0].as_ref()[k], hats[1].as_ref()[k]);
                energy += v * v;
                sum += (free - u) * 0.5 * (u + v);
                at_stake += 0.5 * (free - u) * (free - u);
                let push = root[k] * rest.as_ref()[k];
                left += (v - free - push) * (v - free - push);
                changed += free * free;
                pushed += push * push;
            }
        }
        // Impulses that cancel leave the rounding error of their sum, which is small relative to each of them.
        let scale: f64 = changed.max(pushed).max(CANCELLED * self.loaded());
        let scale = if scale > 0.0 { scale } else { 1.0 };
        BodyBalance {
            work: sum,
            at_stake,
            kinetic: 0.5 * energy,
            free: 0.5 * changed,
            momentum: known.map_or(0.0, |_| (left / scale).sqrt()),
        }
    }
}
