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
//! `blocks` assembles the rows, `rub` iterates on the friction bounds, `gyro` and `gain` solve again, `account`
//! makes the works and reports, `project` removes the drift, `start` initialises, `record` gives the rows to
//! callers.

mod blocks;
mod energy_gain;
mod friction;
mod gyroscopic;
mod initial;
mod project;
mod row_records;
mod works;

pub use row_records::JointRow;
pub(super) use works::JointWorks;

use contact::law::{Law, NonFirmSet};

use super::World;
use crate::detect::{Candidate, Detector};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::pivoted_cholesky::PivotedCholesky;
use crate::joint::{self, BilateralConstraint, JacobianRow, JointReport};
use crate::model::Model;
use percuss_geometry::Pose;

/// Largest number of rows of a block, and of velocity components of a body.
const WIDE: usize = 6;

/// ρ of held rows: the constraint is on the mean velocity.
const MIDPOINT_RESTITUTION: f64 = 1.0;

/// Kind of a joint's block of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockRole {
    Held,
    Spring,
    Motor,
    Friction,
    Limit,
}

/// A block of rows of a joint in the problem.
#[derive(Debug, Clone, Copy)]
struct JointBlock {
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

/// Constants derived from the joints, scratch memory of a step, and its results. The motion is not continued
/// from it.
pub(super) struct JointScratch<D: Dynamics> {
    /// Connected components: joints that share movable bodies, and these bodies.
    components: Vec<Vec<usize>>,
    component_bodies: Vec<Vec<usize>>,
    /// Whether some of these bodies have gyroscopic moments.
    gyroscopic: bool,
    /// Pairs of jointed bodies whose shapes are excluded from detection.
    excluded: Vec<[u32; 2]>,
    /// Candidates of pins in their holes.
    clearance_candidates: Vec<Candidate<D>>,
    /// By joint: length by which angles are multiplied; speed of its motor.
    length_scale: Vec<f64>,
    speed: Vec<f64>,
    held: Vec<BilateralConstraint<D>>,
    blocks: Vec<JointBlock>,
    rows: Vec<JacobianRow<D>>,
    projection_rows: Vec<project::ProjectionRow>,
    gram: PivotedCholesky,
    right: Vec<f64>,
    displacement: Vec<D::Dofs>,
    /// End velocities of the first pass, from which the gyroscopic moments are taken.
    first_end_velocity: Vec<D::Dofs>,
    kept: Vec<Pose<D>>,
    reports: Vec<JointReport<D>>,
    /// The joint of each redundant held row.
    redundant: Vec<usize>,
    /// ρ of held rows in this step.
    restitution: f64,
    /// U_F by row and p̂ in kinetic coordinates, for the energy gain of a step.
    row_end_velocity: Vec<f64>,
    impulse_kinetic: Vec<f64>,
}

impl<D: Dynamics> JointScratch<D> {
    pub fn new(model: &Model<D>) -> Self {
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
        Self {
            gyroscopic: gyroscopic::has_gyroscopic_moments(model, &members),
            component_bodies: members,
            components,
            excluded: joint::excluded(&model.joints),
            clearance_candidates: Vec::new(),
            length_scale: model
                .joints
                .iter()
                .map(|j| j.length_scale(&model.bodies))
                .collect(),
            speed: Vec::new(),
            held: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            projection_rows: Vec::new(),
            gram: PivotedCholesky::default(),
            right: Vec::new(),
            displacement: Vec::new(),
            first_end_velocity: Vec::new(),
            kept: Vec::new(),
            reports: Vec::new(),
            redundant: Vec::new(),
            restitution: MIDPOINT_RESTITUTION,
            row_end_velocity: Vec::new(),
            impulse_kinetic: Vec::new(),
        }
    }
}

impl<D: Dynamics> JointScratch<D> {
    /// Resets ρ of held rows: the constraint is on the mean velocity until a step gains energy.
    pub fn begin_step(&mut self) {
        self.restitution = MIDPOINT_RESTITUTION;
    }

    /// Whether the step was solved again with another ρ in held rows.
    pub fn solved_again(&self) -> bool {
        self.restitution != MIDPOINT_RESTITUTION
    }

    /// Removes the excluded pairs from a detector's candidates and adds the pins in holes at these poses,
    /// without margin.
    pub fn apply_to_detector(
        &mut self,
        model: &Model<D>,
        poses: &[Pose<D>],
        detector: &mut Detector<D>,
    ) {
        if !model.joints.is_empty() {
            joint::clearance_candidates(&model.joints, poses, &[], &mut self.clearance_candidates);
            detector.exclude_and_insert(&self.excluded, &self.clearance_candidates);
        }
    }
}

impl<D: Dynamics> World<D> {
    /// Removes the excluded pairs from the midpoint's candidates and adds the pins in holes within the margin.
    pub(super) fn apply_joints_to_candidates(&mut self) {
        if self.model.joints.is_empty() {
            return;
        }
        let (work, link) = (&mut self.scratch, &mut self.joints);
        joint::clearance_candidates(
            &self.model.joints,
            &work.mid,
            &work.aabb_margin,
            &mut link.clearance_candidates,
        );
        work.detector
            .exclude_and_insert(&link.excluded, &link.clearance_candidates);
    }

    /// Evaluates the speeds of the motors at the end of the step.
    pub(super) fn set_motors(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.joints.speed.clear();
        for joint in &mut self.model.joints {
            // One evaluation of each prescribed speed per assembly.
            let speed = joint.motor.as_mut().map_or(0.0, |m| m.speed.at(t_end));
            if !speed.is_finite() {
                let name = &joint.name;
                let text =
                    format!("joint `{name}`: the speed of its motor at t = {t_end} is {speed}");
                return Err(WorldError::Joint(text));
            }
            self.joints.speed.push(speed);
        }
        Ok(())
    }
}

impl<D: Dynamics> JointScratch<D> {
    /// Placeholder while the scratch is taken out of the world.
    fn empty() -> Self {
        Self {
            components: Vec::new(),
            component_bodies: Vec::new(),
            gyroscopic: false,
            excluded: Vec::new(),
            clearance_candidates: Vec::new(),
            length_scale: Vec::new(),
            speed: Vec::new(),
            held: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            projection_rows: Vec::new(),
            gram: PivotedCholesky::default(),
            right: Vec::new(),
            displacement: Vec::new(),
            first_end_velocity: Vec::new(),
            kept: Vec::new(),
            reports: Vec::new(),
            redundant: Vec::new(),
            restitution: MIDPOINT_RESTITUTION,
            row_end_velocity: Vec::new(),
            impulse_kinetic: Vec::new(),
        }
    }
}

/// Law of some rows with |S| ≤ radius.
fn ball(rows: usize, radius: f64) -> Law {
    NonFirmSet::ball(rows, radius).map_or(Law::Bilateral, NonFirmSet::into_law)
}
