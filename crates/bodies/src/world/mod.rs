//! [`World`]: a collection of rigid bodies in motion, and the driver of its time step, Moreau's midpoint scheme.
//!
//! ```text
//! q_M = q_I + ½h u_I                        detection; J: active, g_α(q_M) ≤ 0 or predicted to close
//! u_L = u_I + h A⁻¹K                        free velocity
//! u_F = u_L + A⁻¹ Σ Gᵀ S,  law_α(Ū_α, S_α)    α ∈ J                             (★)
//! q_F = q_I + ½h (u_I + u_F)                                        (M88 §11, JM92 §7)
//! ```
//!
//! A moving boundary enters through W_α alone, its velocity at the end of the step: a body that sticks to it then
//! follows it to second order, q_F − q_I = ½h (W_I + W_F).
//!
//! Stages of a step, in order: midpoint configuration; free velocity (`free`); detection; assembly of (★)
//! (`assemble`) with warm start; solve; fixed-point iteration on joint friction (`joint::rub`); end velocity;
//! further passes for gyroscopic moments and for restitution beside joints (`joint::gyro`, `joint::gain`); balances
//! (`account`); end position; projection of overlaps and of joint drift (`project`, `joint::project`); contacts
//! stored for the next warm start; lattice reduction of the periodic cell (`cell`).
//!
//! [`State`] contains everything that the motion is continued from; constants of the model and the results
//! that callers read after a step are kept in the scratch memory.

mod assemble;
mod balance;
mod cell_step;
mod check;
mod fault_injection;
mod free_velocity;
mod joints;
mod law;
mod other_solution;
mod profile;
mod projection;
mod read;
mod resume;
mod solver_hints;
#[cfg(test)]
mod tests;

use contact::law::Status;
use contact::{Problem, ResidualEvaluator, ResidualMeasure};
use solve::{Goal, Nncg, Report, Solver};

use crate::detect::Detector;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::{Body, Freedom, Model};
use crate::settings::{Activation, Settings};
use crate::state::{PersistentContact, State, StepReport};
use percuss_geometry::Pose;

use assemble::kinetic;
pub use balance::{DeepestContact, LargestDrift, PainleveContact};
#[doc(hidden)]
pub use fault_injection::Fault;
pub use joints::JointRow;
pub use law::law as contact_law;
pub use other_solution::OtherSolution;
pub use profile::StepTimings;
use profile::{Profiler, Stage};

pub use projection::Overlap;

/// A collection of rigid bodies in motion: model, state, settings, and the results of the last step.
pub struct World<D: Dynamics> {
    model: Model<D>,
    state: State<D>,
    settings: Settings,
    report: StepReport,
    scratch: Scratch<D>,
    joints: joints::JointScratch<D>,
    profiler: Option<Profiler>,
    /// Deliberate fault, for tests of the certificate.
    fault: Option<Fault>,
}

impl<D: Dynamics> std::fmt::Debug for World<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("t", &self.state.t)
            .field("bodies", &self.model.bodies.len())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Index of a body without kinetic coordinates: no component of its velocity is an unknown.
const NO_GROUP: u32 = u32::MAX;

/// Constants derived from the model, scratch memory of a step, and the results of the last step. The motion is not
/// continued from it: a world resumed from the model, the state and the report makes the same steps bit by bit.
struct Scratch<D: Dynamics> {
    detector: Detector<D>,
    solver: Box<dyn Solver>,
    /// Index of the group of kinetic coordinates of each body.
    group: Vec<u32>,
    /// Whether the kinetic coordinates of a body contain its spin about world axes (isotropic inertia).
    spin_in_world_axes: Vec<bool>,
    /// Whether, in addition, the body is a sphere of space.
    is_sphere: Vec<bool>,
    /// Indices of the kinematic bodies.
    kinematic: Vec<u32>,
    /// Bounding radius of each body, the scale of gaps; 0 if unbounded.
    gap_scale: Vec<f64>,
    /// Smallest width of each body, the scale of penetrations.
    min_width: Vec<f64>,
    /// Restitution coefficient of all contacts, normal and tangential, if they have only one.
    common_restitution: Option<f64>,
    /// A^-½: 1/√m by velocity component, 0 where the component is not an unknown.
    inverse_sqrt_mass: Vec<D::Dofs>,
    /// Poses q_M at the midpoint.
    mid: Vec<Pose<D>>,
    /// u_L, then u_F; for kinematic bodies the given velocity at the end of the step.
    end: Vec<D::Dofs>,
    /// Forces and moments of the force fields by body; empty without force fields.
    loads: Vec<D::Dofs>,
    /// Body data of the assembly, gathered for locality of memory.
    body_data: Vec<assemble::BodyData<D>>,
    /// Margin of the bounding box of each body in detection.
    aabb_margin: Vec<f64>,
    /// Active contacts: index of the candidate of each.
    active: Vec<u32>,
    status: Vec<Status>,
    problem: Option<Problem>,
    /// Impulse S by row.
    impulse: Vec<f64>,
    /// U_I and U_F by row.
    begin_velocity: Vec<f64>,
    end_velocity: Vec<f64>,
    /// v̂_F in kinetic coordinates.
    kinetic_velocity: Vec<f64>,
    /// Σ GᵀS by body: wrench of the contact and joint impulses.
    contact_wrench: Vec<D::Dofs>,
    /// Contact impulses as vectors, in world axes.
    contact_impulse: Vec<D::Vector>,
    /// Partial sums of the contact works, one for each chunk of contacts.
    partial_works: Vec<balance::ContactWorks>,
    /// Position projection: frictionless problem, detector, solver, and their results.
    projection_problem: Option<Problem>,
    sphere_projection: crate::world::projection::SphereProjection<D>,
    /// Margin of the bounding box of each body in the projection's detection.
    projection_margin: Vec<f64>,
    projection_detector: Option<Detector<D>>,
    projection_solver: Nncg,
    projection_impulse: Vec<f64>,
    displacement: Vec<f64>,
    solver_report: Option<Report>,
    /// Scratch of the Painlevé check, and the sliding contact of smallest γ.
    painleve: crate::world::balance::PainleveScratch,
    sliding: Option<PainleveContact>,
    /// Another solution of the step's contact problem, if one was found.
    other_solution: Option<OtherSolution>,
    /// Evaluates the residual of a step's impulses.
    judge: Option<ResidualEvaluator>,
    cell: cell_step::CellScratch<D>,
}

impl<D: Dynamics> World<D> {
    /// Checks the model and the initial state. Kinematic bodies get the pose and velocity of their prescribed
    /// motion; if the state has no origins for them, their present poses are taken.
    ///
    /// # Errors
    /// Masses, numbers, references, joints or a periodic cell that are invalid.
    pub fn new(model: Model<D>, state: State<D>, settings: Settings) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::model(&model, &state)?;
        let solver = check::solver(&settings)?;
        let work = Scratch::new(&model, &settings, solver);
        let link = joints::JointScratch::new(&model);
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

    /// Advances the motion by one time step.
    ///
    /// # Errors
    /// A prescribed motion, a force, a contact or a velocity that is not finite, joints that contradict each
    /// other, or a periodic cell that has become too small. Up to the check of the end velocities the state is
    /// unchanged on error; the report may already be that of the failed step. Errors of the cell's strain rate
    /// come after the poses, those of the projection and of the cell's size after time and velocities, too, have
    /// been advanced: go back with [`World::restore`].
    pub fn step(&mut self) -> Result<(), WorldError> {
        let h = self.settings.step;
        let t_end = self.state.t + h;
        self.start_clock();
        self.joints.begin_step();
        // Midpoint configuration and free velocity.
        self.place_midpoint(self.state.t + 0.5 * h)?;
        self.set_free_velocity(t_end)?;
        self.lap(Stage::Update);
        // Candidates at the midpoint, within the contact margin.
        self.detect();
        self.lap(Stage::Detection);
        // The contact problem (★), from the impulses of the step before.
        self.assemble(t_end)?;
        self.lap(Stage::Assembly);
        self.solve();
        self.lap(Stage::Solve);
        // Joint friction, then the end velocity and up to two further passes of the whole solve.
        self.couple_joints(t_end)?;
        self.end_velocity();
        self.resolve_gyroscopic(t_end)?;
        self.resolve_joint_restitution(t_end)?;
        self.disturb_velocity();
        self.lap(Stage::Update);
        // Balances of momentum and energy, while the state is still that of the beginning.
        self.balance(t_end);
        self.lap(Stage::Account);
        // End position and position correction.
        self.end_position(t_end)?;
        if self.settings.projection {
            self.project_overlaps()?;
        }
        self.project_joint_drift();
        self.lap(Stage::Update);
        // Report of the new state, warm start of the next step, reduction of the cell's vectors.
        self.balance_position();
        self.store_contacts();
        self.reduce_cell()?;
        self.stop_clock();
        Ok(())
    }

    /// Midpoint configuration q_M = q_I + ½h u_I; kinematic bodies by their prescribed motion.
    fn place_midpoint(&mut self, t: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        let (bodies, state, work) = (&self.model.bodies, &self.state, &mut self.scratch);
        work.mid.clone_from(&state.poses);
        work.detector
            .threads()
            .for_chunks(&mut work.mid, |from, mid| {
                for (k, mid) in mid.iter_mut().enumerate() {
                    let i = from + k;
                    if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                        *mid = D::advance_pose(&state.poses[i], &state.velocities[i], 0.5 * h);
                    }
                }
            });
        // Kinematic bodies: one evaluation of each prescribed motion at the midpoint.
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

    /// Detects the candidates at the midpoint. The margin of a body covers its motion until the next detection if
    /// contacts are activated by prediction; otherwise it is the tolerance of loaded contacts, 1e-6 of its radius.
    fn detect(&mut self) {
        let flow = self.flow_bound();
        let work = &mut self.scratch;
        // Margin from the speed bound of each body's free motion.
        if self.settings.activation == Activation::Predicted {
            let (h, bodies) = (self.settings.step, &self.model.bodies);
            let mut squares = 0.0;
            for (i, growth) in work.aabb_margin.iter_mut().enumerate() {
                *growth = free_velocity::speed_bound(&bodies[i], &work.end[i]);
                squares += *growth * *growth;
            }
            // An impact may make a body faster than its free velocity: the root-mean-square speed is added to
            // its own.
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

    /// Solves (★), warm-started with the impulses of the step before.
    fn solve(&mut self) {
        let goal = Goal {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
            ..Goal::default()
        };
        // Injected fault: a contact left out.
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
            // Parallel solvers distribute blocks of contacts over the threads of the pool they run in.
            Some(pool) => pool.install(solve),
            None => solve(),
        });
        self.disturb_impulse();
    }

    /// Velocity residual RV of the impulses as they are used, independent of what the solver reports.
    fn residual(&mut self) -> f64 {
        let work = &mut self.scratch;
        let Some(problem) = work.problem.as_ref().filter(|p| p.num_contacts() > 0) else {
            return 0.0;
        };
        let judge = work
            .judge
            .get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        judge.residual(problem, &work.impulse, ResidualMeasure::Velocity)
    }

    /// u_F = u_L + A⁻¹ Σ Gᵀ S: back from kinetic coordinates, v = A^-½ v̂, with the spin about body axes.
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
        // v̂_F = v̂_L + Σ Ĝᵀ S.
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

    /// End position q_F = q_I + ½h (u_I + u_F). No pose is written before all velocities of movable bodies are
    /// known to be finite; the cell is checked afterwards.
    fn end_position(&mut self, t_end: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        for (i, body) in self.model.bodies.iter().enumerate() {
            let finite = self.scratch.end[i].as_ref().iter().all(|v| v.is_finite());
            if body.freedom.movable() && !finite {
                return Err(check::not_finite(i, "velocity", t_end));
            }
        }
        // Free bodies move with the mean of the velocities at both ends of the step.
        let (bodies, state, work) = (&self.model.bodies, &mut self.state, &self.scratch);
        let (velocities, end) = (&state.velocities, &work.end);
        work.detector
            .threads()
            .for_chunks(&mut state.poses, |from, poses| {
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
        // Kinematic bodies by their prescribed motion.
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

    /// Stores the active contacts with impulse, velocity and status: warm start and history of the next step.
    fn store_contacts(&mut self) {
        let (work, memory) = (&self.scratch, &mut self.state.contacts);
        let Some(problem) = &work.problem else {
            memory.clear();
            return;
        };
        // One entry per active contact, in the order of the next merge.
        memory.resize(work.active.len(), PersistentContact::empty());
        let rows = problem.offset().windows(2);
        let each = work
            .active
            .iter()
            .zip(&work.contact_impulse)
            .zip(&work.status);
        for ((((&touch, &vector), &status), rows), kept) in each.zip(rows).zip(memory) {
            let found = &work.detector.candidates()[touch as usize];
            let impulse = &work.impulse[rows[0]..rows[1]];
            // Each field is written in place: assembling the entry elsewhere and copying it as a whole causes a
            // store-forwarding stall.
            kept.bodies = found.bodies;
            kept.image = found.image;
            kept.feature = found.point.feature;
            kept.status = status;
            kept.impulse = vector;
            kept.velocity = D::Vector::default();
            // Velocity and impulse are kept in world axes: the frame of the next step is another one.
            let axes = assemble::frame(&self.model, work, found);
            for (axis, u) in axes
                .as_ref()
                .iter()
                .zip(&work.end_velocity[rows[0]..rows[1]])
            {
                kept.velocity += *axis * *u;
            }
            kept.moment = [0.0; 3];
            for (kept, s) in kept.moment.iter_mut().zip(impulse.iter().skip(D::N)) {
                *kept = *s;
            }
        }
    }
}

/// Tolerance of a closed gap, relative to the radii of the two bodies: poses are rounded, so that a body placed
/// on another has a gap of either sign.
const CLOSED: f64 = 1e-9;

/// The same tolerance for a contact that carried an impulse in the step before. By its law it did not open: S > 0
/// implies Ū_n = 0. Its gap is due to the solver's residual of Ū_n, and dropping the contact would let the
/// bodies fall freely for one step: millimetres under a heavy load.
const CLOSED_IF_LOADED: f64 = 1e-6;

/// Bounding radius of a body, the scale of its gaps; 0 for unbounded boundaries.
fn gap_scale<D: Dynamics>(body: &Body<D>) -> f64 {
    let radius = D::bounding_radius(&body.shape);
    if radius.is_finite() { radius } else { 0.0 }
}
