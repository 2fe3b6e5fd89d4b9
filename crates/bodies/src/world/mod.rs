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
use crate::state::{Ledger, Memory, State};

pub use account::{Deepest, Loosest, Sliding};
pub use another::Another;
use assemble::kinetic;
#[doc(hidden)]
pub use fault::Fault;
pub use joint::JointRow;
pub use law::law as contact_law;
pub use profile::Profile;
use profile::{Clock, Stage};

pub use project::Overlap;

/// A collection of bodies in motion.
pub struct World<D: Dim> {
    model: Model<D>,
    state: State<D>,
    settings: Settings,
    ledger: Ledger,
    work: Workspace<D>,
    link: joint::Linkage<D>,
    clock: Option<Clock>,
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
struct Workspace<D: Dim> {
    detector: Detector<D>,
    solver: Box<dyn Solver>,
    /// Group of kinetic coordinates of each body.
    group: Vec<u32>,
    /// Whether the kinetic coordinates of a body take its spin about space axes.
    outward: Vec<bool>,
    /// Whether that is so and the body is a ball of space.
    ball: Vec<bool>,
    /// The bodies with a guide.
    guided: Vec<u32>,
    /// Radius of each body as a measure of gaps.
    size: Vec<f64>,
    /// Smallest dimension of each body: what penetrations are measured by.
    thickness: Vec<f64>,
    /// Restitution of all contacts, normal and tangential, where there is but one.
    common: Option<f64>,
    /// 1/√m by velocity component, 0 where it does not follow forces.
    inverse_root: Vec<D::Dofs>,
    /// Placements at the midpoint.
    mid: Vec<Pose<D>>,
    /// u_L, then u_F; the given velocity at the end of the step for guided bodies.
    end: Vec<D::Dofs>,
    /// Forces and moments of the fields; empty without fields.
    loads: Vec<D::Dofs>,
    /// What assembly asks of bodies.
    carriers: Vec<assemble::plain::Carrier<D>>,
    /// How far detection reaches beyond each body.
    growth: Vec<f64>,
    /// The contacts of the step: which touch of the detector each is.
    active: Vec<u32>,
    status: Vec<Status>,
    problem: Option<Problem>,
    /// S by row.
    impulse: Vec<f64>,
    /// U_I and U_F by row.
    begin: Vec<f64>,
    finish: Vec<f64>,
    /// v̂_F in kinetic coordinates.
    hat: Vec<f64>,
    /// What is left of the balance of momentum, by coordinate.
    rest: Vec<D::Dofs>,
    /// Impulses of the contacts as vectors, in space axes.
    pushes: Vec<D::Vector>,
    /// Works of the contacts, by piece.
    pieces: Vec<account::Works>,
    /// Frictionless problem of the projection, its detector, its solver and what they fill.
    projection: Option<Problem>,
    grains: project::Grains<D>,
    /// How far a projection looks beyond each body.
    near: Vec<f64>,
    projector: Option<Detector<D>>,
    sweeper: Nncg,
    shift: Vec<f64>,
    displacement: Vec<f64>,
    report: Option<Report>,
    /// Room for what hangs together with sliding contacts, and the one of smallest γ.
    web: account::Web,
    sliding: Option<Sliding>,
    /// Another solution of the step.
    another: Option<Another>,
    /// Judges the impulses of a step.
    judge: Option<ResidualEvaluator>,
    cell: cell::CellWork<D>,
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
        let work = Workspace::new(&model, &settings, solver);
        let link = joint::Linkage::new(&model);
        let mut world = Self {
            model,
            state,
            settings,
            ledger: Ledger::default(),
            work,
            link,
            clock: None,
            fault: None,
        };
        world.begin()?;
        Ok(world)
    }

    /// Goes on by one step.
    ///
    /// # Errors
    /// A guide, a force or a contact that is not finite; the state is that before.
    pub fn advance(&mut self) -> Result<(), WorldError> {
        let h = self.settings.step;
        let t_end = self.state.t + h;
        self.start_clock();
        self.link.begin_step();
        self.place_midpoint(self.state.t + 0.5 * h)?;
        self.set_free_velocity(t_end)?;
        self.lap(Stage::Update);
        self.detect();
        self.lap(Stage::Detection);
        self.assemble(t_end)?;
        self.lap(Stage::Assembly);
        self.solve();
        self.lap(Stage::Solve);
        self.finish_joints(t_end)?;
        self.finish_velocity();
        self.turn_again(t_end)?;
        self.take_gain_back(t_end)?;
        self.disturb_velocity();
        self.lap(Stage::Update);
        self.account(t_end);
        self.lap(Stage::Account);
        self.finish_position(t_end)?;
        if self.settings.correction {
            self.correct()?;
        }
        self.close_joints();
        self.lap(Stage::Update);
        self.account_position();
        self.remember();
        self.settle_cell()?;
        self.stop_clock();
        Ok(())
    }

    /// q_M = q_I + ½h u_I; guided bodies where their guides say.
    fn place_midpoint(&mut self, t: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        let (bodies, state, work) = (&self.model.bodies, &self.state, &mut self.work);
        work.mid.clone_from(&state.poses);
        work.detector.team().over(&mut work.mid, |from, mid| {
            for (k, mid) in mid.iter_mut().enumerate() {
                let i = from + k;
                if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                    *mid = D::advance(&state.poses[i], &state.velocities[i], 0.5 * h);
                }
            }
        });
        for &i in &work.guided {
            let i = i as usize;
            if let Freedom::Guided(guide) = bodies[i].freedom {
                let anchor = &state.anchors[guide as usize];
                let (pose, _) = self.model.guides[guide as usize].at(anchor, t);
                check::pose(i, t, &pose)?;
                work.mid[i] = pose;
            }
        }
        self.place_cell();
        Ok(())
    }

    /// Finds the touches at the midpoint, with a reach if contacts are activated by prediction.
    fn detect(&mut self) {
        let flow = self.flow_bound();
        let work = &mut self.work;
        if self.settings.activation == Activation::Predicted {
            let (h, bodies) = (self.settings.step, &self.model.bodies);
            let mut squares = 0.0;
            for (i, growth) in work.growth.iter_mut().enumerate() {
                *growth = free::speed_bound(&bodies[i], &work.end[i]);
                squares += *growth * *growth;
            }
            // A body may be pushed by another one: the usual speed comes on top of its own.
            let usual = (squares / bodies.len().max(1) as f64).sqrt();
            for (growth, size) in work.growth.iter_mut().zip(&work.size) {
                *growth = HELD * size + h * (*growth + usual + 2.0 * flow * size);
            }
        }
        work.detector.detect_within(
            (&self.model, work.cell.mid.as_ref()),
            &work.mid,
            &work.growth,
        );
        self.amend_touches();
    }

    /// Solves (★) from the impulses of the step before.
    fn solve(&mut self) {
        let goal = Goal {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
            ..Goal::default()
        };
        if let Some(report) = self.solve_without(&goal) {
            self.work.report = Some(report);
            return;
        }
        let work = &mut self.work;
        let Some(problem) = work.problem.as_ref().filter(|p| p.num_contacts() > 0) else {
            work.report = None;
            return;
        };
        let Workspace {
            solver,
            impulse,
            detector,
            ..
        } = work;
        let mut solve = || solver.solve(problem, impulse, &goal);
        work.report = Some(match detector.team().pool(problem.num_contacts()) {
            // Methods share blocks of contacts among the threads of the pool they run in.
            Some(pool) => pool.install(solve),
            None => solve(),
        });
        self.disturb_impulse();
    }

    /// The residual of the impulses as they are used, whatever the solver says of them.
    fn judge(&mut self) -> f64 {
        let work = &mut self.work;
        let Some(problem) = work.problem.as_ref().filter(|p| p.num_contacts() > 0) else {
            return 0.0;
        };
        let judge = work.judge.get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        judge.residual(problem, &work.impulse, ResidualMeasure::Velocity)
    }

    /// u_F = u_L + A⁻¹ Σ Gᵀ S, from kinetic coordinates back to those of the bodies.
    fn finish_velocity(&mut self) {
        let Workspace {
            problem,
            hat,
            impulse,
            group,
            outward,
            inverse_root,
            mid,
            end,
            ..
        } = &mut self.work;
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
                end[i] = D::inward(&mid[i].rotation, &end[i]);
            }
        }
        self.finish_rate();
    }

    /// q_F = q_I + ½h (u_I + u_F). Nothing is written before everything is known to be finite.
    fn finish_position(&mut self, t_end: f64) -> Result<(), WorldError> {
        let h = self.settings.step;
        for (i, body) in self.model.bodies.iter().enumerate() {
            let finite = self.work.end[i].as_ref().iter().all(|v| v.is_finite());
            if body.freedom.movable() && !finite {
                return Err(check::not_finite(i, "velocity", t_end));
            }
        }
        let (bodies, state, work) = (&self.model.bodies, &mut self.state, &self.work);
        let (velocities, end) = (&state.velocities, &work.end);
        work.detector.team().over(&mut state.poses, |from, poses| {
            for (k, pose) in poses.iter_mut().enumerate() {
                let i = from + k;
                if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                    let mut mean = end[i];
                    for (v, begin) in mean.as_mut().iter_mut().zip(velocities[i].as_ref()) {
                        *v = 0.5 * (*v + begin);
                    }
                    *pose = D::advance(pose, &mean, h);
                }
            }
        });
        for &i in &work.guided {
            if let Freedom::Guided(guide) = bodies[i as usize].freedom {
                let anchor = &state.anchors[guide as usize];
                let (pose, _) = self.model.guides[guide as usize].at(anchor, t_end);
                state.poses[i as usize] = pose;
            }
        }
        self.finish_cell()?;
        self.state.velocities.copy_from_slice(&self.work.end);
        self.state.t = t_end;
        Ok(())
    }

    /// Keeps what the next step starts from.
    fn remember(&mut self) {
        let (work, memory) = (&self.work, &mut self.state.memory);
        let Some(problem) = &work.problem else {
            memory.clear();
            return;
        };
        memory.resize(work.active.len(), Memory::blank());
        let rows = problem.offset().windows(2);
        let each = work.active.iter().zip(&work.pushes).zip(&work.status);
        for ((((&touch, &vector), &status), rows), kept) in each.zip(rows).zip(memory) {
            let found = &work.detector.found()[touch as usize];
            let impulse = &work.impulse[rows[0]..rows[1]];
            // Written where it stays: what is written in parts and then moved as a whole has to wait.
            kept.bodies = found.bodies;
            kept.shift = found.shift;
            kept.feature = found.touch.feature;
            kept.status = status;
            kept.impulse = vector;
            kept.velocity = D::Vector::default();
            let axes = assemble::frame(&self.model, work, found);
            for (axis, u) in axes.as_ref().iter().zip(&work.finish[rows[0]..rows[1]]) {
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
const HELD: f64 = 1e-6;

/// The radius of a body as a measure of gaps; none for boundaries without end.
fn size<D: Dim>(body: &Body<D>) -> f64 {
    let radius = D::radius(&body.shape);
    if radius.is_finite() { radius } else { 0.0 }
}
