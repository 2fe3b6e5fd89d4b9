//! A collection of bodies in motion: Moreau's midpoint step.
//!
//! ```text
//! q_M = q_I + ½h u_I                        where contacts are detected: J = { α : g_α(q_M) ≤ 0 }
//! u_L = u_I + h A⁻¹K                        free velocity
//! u_F = u_L + A⁻¹ Σ Gᵀ S,  law_α(Ū_α, S_α)    α ∈ J                             (★)
//! q_F = q_I + ½h (u_I + u_F)                                        (M88 §11, JM92 §7)
//! ```
//!
//! A moving boundary enters through W_α alone, its velocity at the end of the step: a body that sticks
//! to it then follows it to second order, q_F − q_I = ½h (W_I + W_F). State is what the motion is
//! continued from; everything in the workspace is scratch.

mod account;
mod another;
mod assemble;
mod cell;
mod check;
mod fault;
mod free;
mod joint;
mod law;
mod order;
mod profile;
mod project;
mod read;
mod resume;
#[cfg(test)]
mod tests;

use contact::law::Status;
use contact::{ResidualEvaluator, ResidualMeasure, Problem};
use solve::{Goal, Nncg, Report, Solver};

use crate::detect::Detector;
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::{Body, Freedom, Model};
use crate::pose::Pose;
use crate::settings::{Activation, Settings};
use crate::state::{StepReport, PersistentContact, State};

pub use account::{DeepestContact, LargestDrift, PainleveContact};
pub use another::OtherSolution;
use assemble::kinetic;
#[doc(hidden)]
pub use fault::Fault;
pub use joint::JointRow;
pub use law::law as contact_law;
pub use profile::StepTimings;
use profile::{Profiler, Stage};

pub use project::Overlap;

/// A collection of bodies in motion.
pub struct World<D: Dim> {
    model: Model<D>,
    state: State<D>,
    settings: Settings,
    report: StepReport,
    scratch: Scratch<D>,
    joints: joint::JointScratch<D>,
    profiler: Option<Profiler>,
    /// What tests make wrong.
    fault: Option<Fault>,
}

impl<D: Dim> std::fmt::Debug for World<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("t", &self.state.t)
            .field("bodies", &self.model.bodies.len())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// No group: the body does not follow forces.
const NO_GROUP: u32 = u32::MAX;

/// Scratch of a step; dropping it changes no bit of the result.
struct Scratch<D: Dim> {
    detector: Detector<D>,
    solver: Box<dyn Solver>,
    /// Group of kinetic coordinates of each body.
    group: Vec<u32>,
    /// Whether the kinetic coordinates of a body take its spin about space axes.
    spin_in_world_axes: Vec<bool>,
    /// Whether that is so and the body is a ball of space.
    is_sphere: Vec<bool>,
    /// The bodies with a guide.
    kinematic: Vec<u32>,
    /// Radius of each body as a measure of gaps.
    gap_scale: Vec<f64>,
    /// Smallest dimension of each body: what penetrations are measured by.
    min_width: Vec<f64>,
    /// Restitution of all contacts, normal and tangential, where there is but one.
    common_restitution: Option<f64>,
    /// 1/√m by velocity component, 0 where it does not follow forces.
    inverse_sqrt_mass: Vec<D::Dofs>,
    /// Placements at the midpoint.
    mid: Vec<Pose<D>>,
    /// u_L, then u_F; the given velocity at the end of the step for guided bodies.
    end: Vec<D::Dofs>,
    /// Forces and moments of the fields; empty without fields.
    loads: Vec<D::Dofs>,
    /// What assembly asks of bodies.
    body_data: Vec<assemble::plain::BodyData<D>>,
    /// How far detection reaches beyond each body.
    aabb_margin: Vec<f64>,
    /// The contacts of the step: which touch of the detector each is.
    active: Vec<u32>,
    status: Vec<Status>,
    problem: Option<Problem>,
    /// S by row.
    impulse: Vec<f64>,
    /// U_I and U_F by row.
    begin_velocity: Vec<f64>,
    end_velocity: Vec<f64>,
    /// v̂_F in kinetic coordinates.
    kinetic_velocity: Vec<f64>,
    /// What is left of the balance of momentum, by coordinate.
    contact_wrench: Vec<D::Dofs>,
    /// Impulses of the contacts as vectors, in space axes.
    contact_impulse: Vec<D::Vector>,
    /// Works of the contacts, by piece.
    partial_works: Vec<account::ContactWorks>,
    /// Frictionless problem of the projection, its detector, its solver and what they fill.
    projection_problem: Option<Problem>,
    sphere_projection: project::SphereProjection<D>,
    /// How far a projection looks beyond each body.
    projection_margin: Vec<f64>,
    projection_detector: Option<Detector<D>>,
    projection_solver: Nncg,
    projection_impulse: Vec<f64>,
    displacement: Vec<f64>,
    solver_report: Option<Report>,
    /// Room for what hangs together with sliding contacts, and the one of smallest γ.
    painleve: account::PainleveScratch,
    sliding: Option<PainleveContact>,
    /// Another solution of the step.
    other_solution: Option<OtherSolution>,
    /// Judges the impulses of a step.
    judge: Option<ResidualEvaluator>,
    cell: cell::CellScratch<D>,
}

impl<D: Dim> World<D> {
    /// Checks the model and the state it starts from. Guided bodies are put where their guides say;
    /// an anchor that is missing is where its body is.
    ///
    /// # Errors
    /// Masses, numbers or references that are not right.
    pub fn new(model: Model<D>, state: State<D>, settings: Settings) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::model(&model, &state)?;
        let solver = check::solver(&settings)?;
        let work = Scratch::new(&model, &settings, solver);
        let link = joint::JointScratch::new(&model);
        let mut world = Self {
            model,
            state,
            settings,
            report: StepReport::default(),
            scratch: work,
            joints: link,
            profiler: None,
            fault: None,
        };
        world.begin()?;
        Ok(world)
    }

    /// Goes on by one step.
    ///
    /// # Errors
    /// A guide, a force or a contact that is not finite; the state is that before.
    pub fn step(&mut self) -> Result<(), WorldError> {
        let h = self.settings.step;
        let t_end = self.state.t + h;
        self.start_clock();
        self.joints.begin_step();
        self.place_midpoint(self.state.t + 0.5 * h)?;
        self.set_free_velocity(t_end)?;
        self.lap(Stage::Update);
        self.detect();
        self.lap(Stage::Detection);
        self.assemble(t_end)?;
        self.lap(Stage::Assembly);
        self.solve();
        self.lap(Stage::Solve);
        self.couple_joints(t_end)?;
        self.end_velocity();
        self.resolve_gyroscopic(t_end)?;
        self.resolve_joint_restitution(t_end)?;
        self.disturb_velocity();
        self.lap(Stage::Update);
        self.balance(t_end);
        self.lap(Stage::Account);
        self.end_position(t_end)?;
        if self.settings.projection {
            self.project_overlaps()?;
        }
        self.project_joint_drift();
        self.lap(Stage::Update);
        self.balance_position();
        self.store_contacts();
        self.reduce_cell()?;
        self.stop_clock();
        Ok(())
    }

    /// q_M = q_I + ½h u_I; guided bodies where their guides say.
    fn place_midpoint(&mut self, t: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        let (bodies, state, work) = (&self.model.bodies, &self.state, &mut self.scratch);
        work.mid.clone_from(&state.poses);
        work.detector.threads().for_chunks(&mut work.mid, |from, mid| {
            for (k, mid) in mid.iter_mut().enumerate() {
                let i = from + k;
                if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                    *mid = D::advance_pose(&state.poses[i], &state.velocities[i], 0.5 * h);
                }
            }
        });
        for &i in &work.kinematic {
            let i = i as usize;
            if let Freedom::Kinematic(guide) = bodies[i].freedom {
                let anchor = &state.kinematic_origins[guide as usize];
                let (pose, _) = self.model.prescribed_motions[guide as usize].at(anchor, t);
                check::pose(i, t, &pose)?;
                work.mid[i] = pose;
            }
        }
        self.cell_midpoint();
        Ok(())
    }

    /// Finds the touches at the midpoint, with a reach if contacts are activated by prediction.
    fn detect(&mut self) {
        let flow = self.flow_bound();
        let work = &mut self.scratch;
        if self.settings.activation == Activation::Predicted {
            let (h, bodies) = (self.settings.step, &self.model.bodies);
            let mut squares = 0.0;
            for (i, growth) in work.aabb_margin.iter_mut().enumerate() {
                *growth = free::speed_bound(&bodies[i], &work.end[i]);
                squares += *growth * *growth;
            }
            // A body may be pushed by another one: the usual speed comes on top of its own.
            let usual = (squares / bodies.len().max(1) as f64).sqrt();
            for (growth, size) in work.aabb_margin.iter_mut().zip(&work.gap_scale) {
                *growth = CLOSED_IF_LOADED * size + h * (*growth + usual + 2.0 * flow * size);
            }
        }
        work.detector.detect_model(
            (&self.model, work.cell.mid.as_ref()),
            &work.mid,
            &work.aabb_margin,
        );
        self.apply_joints_to_candidates();
    }

    /// Solves (★) from the impulses of the step before.
    fn solve(&mut self) {
        let goal = Goal {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
            ..Goal::default()
        };
        if let Some(report) = self.solve_without(&goal) {
            self.scratch.solver_report = Some(report);
            return;
        }
        let work = &mut self.scratch;
        let Some(problem) = work.problem.as_ref().filter(|p| p.num_contacts() > 0) else {
            work.solver_report = None;
            return;
        };
        let Scratch {
            solver,
            impulse,
            detector,
            ..
        } = work;
        let mut solve = || solver.solve(problem, impulse, &goal);
        work.solver_report = Some(match detector.threads().pool(problem.num_contacts()) {
            // Methods share blocks of contacts among the threads of the pool they run in.
            Some(pool) => pool.install(solve),
            None => solve(),
        });
        self.disturb_impulse();
    }

    /// The residual of the impulses as they are used, whatever the solver says of them.
    fn residual(&mut self) -> f64 {
        let work = &mut self.scratch;
        let Some(problem) = work.problem.as_ref().filter(|p| p.num_contacts() > 0) else {
            return 0.0;
        };
        let judge = work.judge.get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        judge.residual(problem, &work.impulse, ResidualMeasure::Velocity)
    }

    /// u_F = u_L + A⁻¹ Σ Gᵀ S, from kinetic coordinates back to those of the bodies.
    fn end_velocity(&mut self) {
        let Scratch {
            problem,
            kinetic_velocity: hat,
            impulse,
            group,
            spin_in_world_axes: outward,
            inverse_sqrt_mass: inverse_root,
            mid,
            end,
            ..
        } = &mut self.scratch;
        // Without contacts u_F = u_L.
        let Some(kinetic) = problem.as_ref().and_then(kinetic) else {
            return;
        };
        hat.resize(kinetic.num_coordinates(), 0.0);
        kinetic.velocity_into(impulse, hat);
        for (i, group) in group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let first = *group as usize * D::DOF;
            let hat = &hat[first..first + D::DOF];
            let root = inverse_root[i].as_ref();
            for (k, v) in end[i].as_mut().iter_mut().enumerate() {
                *v = hat[k] * root[k];
            }
            if outward[i] {
                end[i] = D::spin_to_body(&mid[i].rotation, &end[i]);
            }
        }
        self.finish_rate();
    }

    /// q_F = q_I + ½h (u_I + u_F). Nothing is written before everything is known to be finite.
    fn end_position(&mut self, t_end: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        for (i, body) in self.model.bodies.iter().enumerate() {
            let finite = self.scratch.end[i].as_ref().iter().all(|v| v.is_finite());
            if body.freedom.movable() && !finite {
                return Err(check::not_finite(i, "velocity", t_end));
            }
        }
        let (bodies, state, work) = (&self.model.bodies, &mut self.state, &self.scratch);
        let (velocities, end) = (&state.velocities, &work.end);
        work.detector.threads().for_chunks(&mut state.poses, |from, poses| {
            for (k, pose) in poses.iter_mut().enumerate() {
                let i = from + k;
                if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                    let mut mean = end[i];
                    for (v, begin) in mean.as_mut().iter_mut().zip(velocities[i].as_ref()) {
                        *v = 0.5 * (*v + begin);
                    }
                    *pose = D::advance_pose(pose, &mean, h);
                }
            }
        });
        for &i in &work.kinematic {
            if let Freedom::Kinematic(guide) = bodies[i as usize].freedom {
                let anchor = &state.kinematic_origins[guide as usize];
                let (pose, _) = self.model.prescribed_motions[guide as usize].at(anchor, t_end);
                state.poses[i as usize] = pose;
            }
        }
        self.end_cell()?;
        self.state.velocities.copy_from_slice(&self.scratch.end);
        self.state.t = t_end;
        Ok(())
    }

    /// Keeps what the next step starts from.
    fn store_contacts(&mut self) {
        let (work, memory) = (&self.scratch, &mut self.state.contacts);
        let Some(problem) = &work.problem else {
            memory.clear();
            return;
        };
        memory.resize(work.active.len(), PersistentContact::empty());
        let rows = problem.offset().windows(2);
        let each = work.active.iter().zip(&work.contact_impulse).zip(&work.status);
        for ((((&touch, &vector), &status), rows), kept) in each.zip(rows).zip(memory) {
            let found = &work.detector.candidates()[touch as usize];
            let impulse = &work.impulse[rows[0]..rows[1]];
            // Written where it stays: what is written in parts and then moved as a whole has to wait.
            kept.bodies = found.bodies;
            kept.image = found.image;
            kept.feature = found.point.feature;
            kept.status = status;
            kept.impulse = vector;
            kept.velocity = D::Vector::default();
            let axes = assemble::frame(&self.model, work, found);
            for (axis, u) in axes.as_ref().iter().zip(&work.end_velocity[rows[0]..rows[1]]) {
                kept.velocity += *axis * *u;
            }
            kept.moment = [0.0; 3];
            for (kept, s) in kept.moment.iter_mut().zip(impulse.iter().skip(D::N)) {
                *kept = *s;
            }
        }
    }
}

/// Of the radii of two bodies: a gap below this share is closed. Placements are rounded, so that a
/// body put on another has a gap of either sign.
const CLOSED: f64 = 1e-9;

/// The same for a contact that carried an impulse in the step before. By its law it did not open:
/// S > 0 goes with Ū_n = 0. What opened it is what the solver left of Ū_n, and to drop it would
/// let the bodies fall freely for a step where they are held: under a heavy load millimetres deep.
const CLOSED_IF_LOADED: f64 = 1e-6;

/// The radius of a body as a measure of gaps; none for boundaries without end.
fn gap_scale<D: Dim>(body: &Body<D>) -> f64 {
    let radius = D::bounding_radius(&body.shape);
    if radius.is_finite() { radius } else { 0.0 }
}
