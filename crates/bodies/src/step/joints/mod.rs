//! Joints in a time step: further blocks of (★) behind its contacts.
//!
//! ```text
//! held      U_F + ρ U_I = 0, ρ = 1                      Law::Bilateral: does no work
//! spring    S = −h k (c̄ − rest) − h d ½(U_I + U_F),   c̄ = c(q_M) + ¼h (U_F − U_I)
//! motor     −(U_F − speed) ∈ N_C(S),  C = [−hM, hM]     (B02 §5)
//! friction  −U_F ∈ N_C(S),  C = μ R |S_held| B          (B02 §6), by a fixed point on |S_held|
//! limit     0 ≤ U_F + ρ U_I ⊥ S ≥ 0                     where c(q_M) has reached the bound
//! ```
//!
//! Held rows are about the mean of the velocities at both ends of the step: with G at the midpoint this is q_F
//! − q_I to third order, and joints to bodies at rest neither gain nor lose energy. U_F = 0 instead would damp
//! a pendulum at the rate h ω². The spring is the implicit midpoint rule, of second order and stable for any
//! stiffness: S = −(α + β U_F) is a bilateral row with an additional kinetic coordinate of its own, 1/√β wide,
//! and is eliminated with the held ones.
//!
//! `blocks` assembles the rows, `friction` iterates on the friction bounds, `gyroscopic` and `energy_gain` decide on
//! further passes, `works` makes the works and reports, `drift` projects the drift by `row_factors`, `initial` initialises,
//! `row_records` gives the rows to callers.

mod blocks;
mod drift;
mod energy_gain;
mod friction;
mod gyroscopic;
mod initial;
mod row_factors;
mod row_records;
mod works;

use percuss_contact::law::{Law, NonFirmSet};

use super::scratch::Coupling;
use super::{EndVelocity, SolvedStep};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{self, BilateralConstraint, JacobianRow};
use crate::model::Model;
use percuss_geometry::Pose;

pub(super) use blocks::{JointPart, push_joints};
pub(crate) use drift::JointDrift;
pub(crate) use friction::{FrictionIteration, check_consistency};
pub(crate) use gyroscopic::correct_free_velocity;
use row_factors::RowFactors;
pub use row_records::JointRow;
pub(crate) use row_records::visit_rows;
pub(super) use works::JointWorks;
pub(crate) use works::read_joints;

/// Largest number of rows of a block, and of velocity components of a body.
const WIDE: usize = 6;

/// ρ of held rows: the constraint is on the mean velocity.
const MIDPOINT_RESTITUTION: f64 = 1.0;

/// Kind of a joint's block of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockRole {
    Held,
    Spring,
    Motor,
    Friction,
    Limit,
}

/// A block of rows of a joint in the problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointBlock {
    joint: u32,
    role: BlockRole,
    /// Its first entry in `rows`, and its number of rows.
    first: usize,
    count: usize,
    /// −1 for an upper limit, whose row is reversed.
    sign: f64,
    /// Friction bound: largest norm of its impulse.
    threshold: f64,
}

/// Constants derived from the joints.
pub(crate) struct JointCache {
    /// Connected components: joints that share movable bodies, and these bodies.
    pub components: Vec<Vec<usize>>,
    pub component_bodies: Vec<Vec<usize>>,
    /// Number of each of these bodies in its component.
    pub place: Vec<u32>,
    /// Whether some of these bodies have gyroscopic moments.
    pub gyroscopic: bool,
    /// Pairs of jointed bodies whose shapes are excluded from detection.
    pub excluded: Vec<[u32; 2]>,
    /// By joint: length by which angles are multiplied.
    pub length_scale: Vec<f64>,
}

/// The rows of the joints in (★). Filled by `push_joints`, the speeds by `set_motor_speeds`.
pub(crate) struct JointAssembly<D: Dynamics> {
    /// ρ of held rows in this step.
    pub restitution: f64,
    /// Speed of the motor by joint.
    pub speed: Vec<f64>,
    pub blocks: Vec<JointBlock>,
    pub rows: Vec<JacobianRow<D>>,
    held: Vec<BilateralConstraint<D>>,
    /// Friction bounds by the last reactions, each with its block. Filled by `set_friction_bounds`.
    friction_bounds: Vec<(usize, f64)>,
}

/// Memory of the projection of joint drift. Filled by [`JointDrift`].
pub(crate) struct JointProjection<D: Dynamics> {
    projection_rows: Vec<drift::ProjectionRow>,
    factors: RowFactors,
    right: Vec<f64>,
    displacement: Vec<D::Dofs>,
    kept: Vec<Pose<D>>,
    held: Vec<BilateralConstraint<D>>,
    /// The joint of each redundant held row at the start.
    pub redundant: Vec<usize>,
}

impl JointCache {
    pub fn new<D: Dynamics>(model: &Model<D>) -> Self {
        // Connected components, then the movable bodies of each, sorted and unique.
        let components = joint::components(&model.joints, &model.bodies);
        let members = components.iter().map(|list| {
            let sides = list.iter().flat_map(|&j| &model.joints[j].frames);
            let bodies = sides.filter_map(|side| side.body.map(|body| body as usize));
            let movable = |&b: &usize| model.bodies.get(b).is_some_and(|b| b.freedom.movable());
            let mut bodies: Vec<usize> = bodies.filter(movable).collect();
            bodies.sort_unstable();
            bodies.dedup();
            bodies
        });
        let members: Vec<Vec<usize>> = members.collect();
        let mut place = vec![u32::MAX; model.bodies.len()];
        for (k, &body) in members.iter().flat_map(|list| list.iter().enumerate()) {
            place[body] = k as u32;
        }
        Self {
            gyroscopic: gyroscopic::has_gyroscopic_moments(model, &members),
            component_bodies: members,
            place,
            components,
            excluded: joint::excluded(&model.joints),
            length_scale: model
                .joints
                .iter()
                .map(|j| j.length_scale(&model.bodies))
                .collect(),
        }
    }
}

impl<D: Dynamics> Default for JointAssembly<D> {
    fn default() -> Self {
        Self {
            restitution: MIDPOINT_RESTITUTION,
            speed: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            held: Vec::new(),
            friction_bounds: Vec::new(),
        }
    }
}

impl<D: Dynamics> Default for JointProjection<D> {
    fn default() -> Self {
        Self {
            projection_rows: Vec::new(),
            factors: RowFactors::default(),
            right: Vec::new(),
            displacement: Vec::new(),
            kept: Vec::new(),
            held: Vec::new(),
            redundant: Vec::new(),
        }
    }
}

impl<D: Dynamics> JointAssembly<D> {
    /// Resets ρ of held rows: the constraint is on the mean velocity until a step gains energy.
    pub fn begin_step(&mut self) {
        self.restitution = MIDPOINT_RESTITUTION;
    }

    /// Whether the step was solved again with another ρ in held rows.
    pub fn solved_again(&self) -> bool {
        self.restitution != MIDPOINT_RESTITUTION
    }
}

/// Evaluates the speeds of the motors at the end of the step, once for each assembly.
pub(crate) fn set_motor_speeds<D: Dynamics>(
    model: &mut Model<D>,
    t_end: f64,
    out: &mut JointAssembly<D>,
) -> Result<(), WorldError> {
    out.speed.clear();
    for joint in &mut model.joints {
        // A joint without a motor has the speed 0, which nothing reads.
        let speed = joint.motor.as_mut().map_or(0.0, |m| m.speed.at(t_end));
        if !speed.is_finite() {
            let name = &joint.name;
            let text = format!("joint `{name}`: the speed of its motor at t = {t_end} is {speed}");
            return Err(WorldError::Joint(text));
        }
        out.speed.push(speed);
    }
    Ok(())
}

/// The passes of a step: free velocity, assembly and solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    First,
    /// With the gyroscopic moments of the first solution.
    Gyroscopic,
    /// With the restitution of their materials at persistent contacts.
    Impacts,
    /// With the ρ of the contacts in held rows as well.
    Restitution,
}

/// What a pass is followed by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NextPass {
    Done,
    /// A pass with the gyroscopic moments of this solution: exactly one.
    Gyroscopic,
    /// A pass in which persistent contacts take the restitution of their materials.
    Impacts,
    /// A pass with this ρ in held rows, after which there is none.
    Restitution(f64),
}

/// Decides whether the step needs another pass.
pub(crate) fn next_pass<D: Dynamics>(
    pass: Pass,
    step: SolvedStep<'_, D>,
    coupling: &mut Coupling<D>,
) -> NextPass {
    match pass {
        Pass::First if gyroscopic::select_bodies(step, coupling) => NextPass::Gyroscopic,
        Pass::First | Pass::Gyroscopic if step.persistent_contacts_gain(coupling) => {
            NextPass::Impacts
        }
        Pass::First | Pass::Gyroscopic | Pass::Impacts => {
            // Whether contacts beside joints gained energy is known after the last other pass.
            let rho = energy_gain::restitution_without_gain(step, coupling);
            rho.map_or(NextPass::Done, NextPass::Restitution)
        }
        Pass::Restitution => NextPass::Done,
    }
}

/// Keeps the end velocities of the first pass, from which the gyroscopic moments are taken.
pub(crate) fn keep_first_velocity<D: Dynamics>(end: &EndVelocity<D>, out: &mut Coupling<D>) {
    out.first_end_velocity
        .resize(end.velocity.len(), D::ZERO_VELOCITY);
    for &body in &out.gyroscopic {
        out.first_end_velocity[body] = end.velocity[body];
    }
}

/// Law of some rows with |S| ≤ radius.
fn ball(rows: usize, radius: f64) -> Law {
    NonFirmSet::ball(rows, radius).map_or(Law::Bilateral, NonFirmSet::into_law)
}
