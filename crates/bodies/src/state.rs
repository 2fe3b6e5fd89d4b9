//! State of a collection of bodies between two steps, and the report of a step.
//!
//! [`State`] holds everything that the motion is continued from (a checkpoint stores it together with the
//! [`StepReport`]); [`Contact`] is the view of one contact that a caller reads after a step.

use percuss_contact::law::Status;
use serde::{Deserialize, Serialize};

use crate::dynamics::Dynamics;
use crate::periodic_cell::Lattice;
use percuss_geometry::{ContactPoint, Pose};

/// A contact of the last step, kept as the warm start of the next one (contact cache). It is found again by
/// bodies, periodic image and feature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PersistentContact<D: Dynamics> {
    /// Indices of the two bodies, the smaller one first.
    pub bodies: [u32; 2],
    /// Periodic image of the second body, in units of the cell's vectors.
    pub image: [i32; 3],
    /// Feature number of the contact point within the pair (see [`ContactPoint::feature`]).
    pub feature: u32,
    /// Status at the end of the step: open, stick or slip. Decides the coefficient of static/dynamic friction.
    #[serde(with = "status_code")]
    pub status: Status,
    /// Impulse on the second body, in world axes.
    pub impulse: D::Vector,
    /// Relative velocity U_F at the end of the step, in world axes.
    pub velocity: D::Vector,
    /// Rolling and spinning moments by row beyond the first N; 0 without rolling resistance.
    pub moment: [f64; 3],
    /// Whether the contact was closed at the end of the step and does not separate ([`crate::Integrator::Projected`]
    /// alone): its law in the next step has U_F + U_I.
    #[serde(default)]
    pub persistent: bool,
}

impl<D: Dynamics> PersistentContact<D> {
    /// An empty entry, to be filled in place.
    pub(crate) fn empty() -> Self {
        Self {
            bodies: [0; 2],
            image: [0; 3],
            feature: 0,
            status: Status::Open,
            impulse: D::Vector::default(),
            velocity: D::Vector::default(),
            moment: [0.0; 3],
            persistent: false,
        }
    }
}

/// Everything that a motion is continued from, together with the [`StepReport`] of its last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct State<D: Dynamics> {
    /// Time.
    pub t: f64,
    /// Pose of every body.
    pub poses: Vec<Pose<D>>,
    /// Velocity of every body, the right limit at `t`; in a periodic cell relative to its mean flow.
    pub velocities: Vec<D::Dofs>,
    /// Pose that the body of each prescribed motion had when the run began.
    pub kinematic_origins: Vec<Pose<D>>,
    /// Contacts of the last step, sorted by bodies, image and feature.
    pub contacts: Vec<PersistentContact<D>>,
    /// Vectors, strain rate and strain of the periodic cell, if there is one.
    pub cell: Option<Lattice<D>>,
}

/// Report of a step: residual, penetration, momentum balance and energy balance (JM92 §6). The reports of
/// all steps are the certificate of a run. The field names are the keys of the Python dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Time at the end of the step.
    pub t: f64,
    /// Length of the step.
    pub h: f64,
    /// Number of active contacts, those of the contact problem.
    pub num_active: usize,
    /// Number of pairs of bodies whose axis-aligned bounding boxes, with their margins, overlap.
    pub num_pairs: usize,
    /// Velocity residual RV of the contact problem, evaluated at the impulses as they are used; at least the
    /// residual of the joint friction iteration.
    pub residual: f64,
    /// Iterations of the contact solver. If the step was solved again (gyroscopic moments, restitution beside
    /// joints), those of the last pass only. With joint friction the sum over its fixed-point iterations, without
    /// the last solve if all of them were used.
    pub iterations: usize,
    /// Whether `residual` is at most the tolerance.
    pub reached: bool,
    /// max(−g) over all candidates at the midpoint of the step, where they are detected.
    pub penetration: f64,
    /// ‖A(v_F − v_L) − Σ GᵀS‖ in the kinetic metric, relative to the largest term.
    pub momentum: f64,
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Potential energy of gravity at the end of the step.
    pub potential: f64,
    /// Work of all given forces over the step, gravity included.
    pub work: f64,
    /// ½ S_n (U_F + U_I)_n, summed over all contacts: work of the normal impulses.
    pub impact: f64,
    /// ½ S_t·(U_F + U_I)_t, summed over all contacts: work of friction, rolling and spinning moments included.
    pub sliding: f64,
    /// −½ S·(W_I + W_F): work of moving boundaries on the bodies.
    pub boundary: f64,
    /// Defect of the energy balance of the step, relative to its largest term and to the energy that the given
    /// forces would give to bodies at rest (`forced`).
    pub energy: f64,
    /// Largest constraint violation of a joint at the end of the step, a length.
    pub drift: f64,
    /// Work of the motors of joints.
    pub motor: f64,
    /// Work of the springs and dampers of joints.
    pub spring: f64,
    /// Work of the friction in joints.
    #[serde(alias = "rub")]
    pub joint_friction: f64,
    /// Work of the bilateral constraints of joints, with the change of the kinetic energy by the projection of their
    /// drift.
    #[serde(alias = "held")]
    pub bilateral: f64,
    /// Elastic energy of the springs of joints at the end of the step.
    pub elastic: f64,
    /// Energy that the step turns over, the scale of `gain` and `excess`: the largest of the kinetic energies at
    /// the beginning and of the free velocity, the net works of forces, moving boundaries, motors and springs,
    /// and `forced`. Self-stress, impulses with GᵀS = 0, contributes to none of them.
    pub turnover: f64,
    /// Energy that the given forces would give to bodies at rest in the step, ½‖v_L − v_I‖² in the kinetic metric.
    pub forced: f64,
    /// Energy gained through contacts and joints, relative to `turnover`; with one common restitution
    /// max(0, Σ S·Uᵃ − ½δ S·(𝒲S)), JM92 6.2.
    pub gain: f64,
    /// The part of `gain` that no law allows: all of it with one common restitution, else no more than
    /// Σ S·(U_F + ρU_I)/(1 + ρ), which is ≤ 0 where the laws hold.
    pub excess: f64,
    /// Whether the restitution coefficients of the step's contacts differ, the tangential ones included.
    pub mixed: bool,
    /// Work of persistent contacts, those that carried impulses in the step before as well, over the relative
    /// velocity that the change of their frames alone gave them, and work of held joints: energy that the
    /// scheme loses (< 0) or gains.
    pub lasting: f64,
    /// Largest penetration relative to the smallest width of the two bodies; for a pin relative to its clearance.
    pub penetration_share: f64,
    /// Largest penetration of a resting contact: it carries an impulse, and the step changes its depth by no
    /// more than a tenth, h max(|U_I,n|, |U_F,n|) ≤ 0.1 (−g).
    pub resting: f64,
    /// The largest resting penetration relative to the width of the bodies, or to the clearance.
    pub resting_share: f64,
    /// Largest constraint violation of a joint relative to the smallest width of its bodies.
    pub drift_share: f64,
    /// Smallest Painlevé γ over the contacts that slide without colliding and that are coupled to few others, +∞
    /// where there is none: at γ ≤ 0 the sliding motion need not continue uniquely (P15 §3).
    pub gamma: f64,
    /// Largest difference of the relative velocities between the step's solution and another solution of the same
    /// contact problem, over the speed at stake; 0 where no other solution was found.
    pub apart: f64,
}

/// View of one contact of the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<'a, D: Dynamics> {
    /// Indices of the two bodies, the smaller one first; the normal points from the first to the second.
    pub bodies: [u32; 2],
    /// Periodic image of the second body, in units of the cell's vectors.
    pub image: [i32; 3],
    /// Centres of the two bodies at the midpoint of the step, that of the second one at this image.
    pub centres: [D::Vector; 2],
    /// Contact point: position, normal and gap at the midpoint of the step.
    pub point: &'a ContactPoint<D>,
    /// Status at the end of the step: open, stick or slip.
    pub status: Status,
    /// Contact frame, the axes of the rows: normal, tangents.
    pub frame: D::Frame,
    /// Relative velocity U_I at the beginning of the step, by row.
    pub begin: &'a [f64],
    /// Relative velocity U_F at the end of the step, by row.
    pub end: &'a [f64],
    /// Impulse S on the second body, by row.
    pub impulse: &'a [f64],
}

/// Serialisation of a contact status as a number: 0 open, 1 stick, 2 slip.
pub mod status_code {
    use percuss_contact::law::Status;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the status as one byte.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        })
    }

    /// Reads the status from one byte.
    ///
    /// # Errors
    /// A number other than 0, 1, 2, or an error of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
        match u8::deserialize(deserializer)? {
            0 => Ok(Status::Open),
            1 => Ok(Status::Stick),
            2 => Ok(Status::Slip),
            other => Err(Error::custom(format!("{other} is no status of a contact"))),
        }
    }
}
