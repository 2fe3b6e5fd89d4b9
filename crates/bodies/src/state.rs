//! Where a collection is, and the account of a step.

use contact::law::Status;
use serde::{Deserialize, Serialize};

use crate::cell::Lattice;
use crate::dim::Dim;
use crate::pose::{Pose, ContactPoint};

/// What is remembered of a contact from one step to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PersistentContact<D: Dim> {
    /// The two bodies, the smaller number first.
    pub bodies: [u32; 2],
    /// Which image of the second one.
    pub image: [i32; 3],
    /// Which point of the pair.
    pub feature: u32,
    /// What it did.
    #[serde(with = "did")]
    pub status: Status,
    /// Impulse on the second body, in space axes.
    pub impulse: D::Vector,
    /// Relative velocity at the end of the step, in space axes.
    pub velocity: D::Vector,
    /// Moments of rolling resistance by row; 0 without it.
    pub moment: [f64; 3],
}

impl<D: Dim> PersistentContact<D> {
    /// Room for one.
    pub(crate) fn empty() -> Self {
        Self {
            bodies: [0; 2],
            image: [0; 3],
            feature: 0,
            status: Status::Open,
            impulse: D::Vector::default(),
            velocity: D::Vector::default(),
            moment: [0.0; 3],
        }
    }
}

/// Everything that a motion is continued from, with the [`Ledger`] of its last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct State<D: Dim> {
    /// Time.
    pub t: f64,
    /// Placement of every body.
    pub poses: Vec<Pose<D>>,
    /// Velocity of every body, right limit; in a periodic cell against its mean flow.
    pub velocities: Vec<D::Dofs>,
    /// Placement of the body of each guide when the run began.
    pub kinematic_origins: Vec<Pose<D>>,
    /// Contacts of the last step, sorted by bodies, shift and feature.
    pub contacts: Vec<PersistentContact<D>>,
    /// Where the periodic cell is, if there is one.
    pub cell: Option<Lattice<D>>,
}

/// The account of a step (JM92 §6; certificate of the run).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Time at the end of the step.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// Contacts that took part.
    pub num_active: usize,
    /// Pairs of bodies whose boxes meet.
    pub num_pairs: usize,
    /// Velocity residual RV of the contact problem, of the impulses as they are used.
    pub residual: f64,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Whether the residual reached its tolerance.
    pub reached: bool,
    /// max(−g) over all contacts at the midpoint of the step, where they are detected.
    pub penetration: f64,
    /// ‖A(v_F − v_L) − Σ GᵀS‖ in the kinetic metric, relative to its largest term.
    pub momentum: f64,
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Potential energy of gravity at the end of the step.
    pub potential: f64,
    /// Work of all given forces over the step, that of gravity included.
    pub work: f64,
    /// ½ S_n (U_F + U_I)_n over all contacts.
    pub impact: f64,
    /// ½ S_t·(U_F + U_I)_t over all contacts, moments included.
    pub sliding: f64,
    /// −½ S·(W_I + W_F): work of moving boundaries on the bodies.
    pub boundary: f64,
    /// What is left of the energy balance of the step, relative to its largest term and to the energy
    /// that the given forces would give to bodies at rest.
    pub energy: f64,
    /// Largest error of a joint at the end of the step, a length.
    pub drift: f64,
    /// Work of motors of joints.
    pub motor: f64,
    /// Work of springs and dampers of joints.
    pub spring: f64,
    /// Work of friction in joints.
    pub rub: f64,
    /// What holding the joints and putting them together did to the kinetic energy.
    pub held: f64,
    /// Energy of the springs of joints at the end of the step.
    pub elastic: f64,
    /// Energy that the step turns over: the largest of the kinetic energies before it and of the free
    /// velocity, the net works of forces, moving boundaries, motors and springs, and the energy that the
    /// forces would give to bodies at rest. Impulses that cancel each other are in none of them.
    pub turnover: f64,
    /// Energy that the given forces would give in the step to bodies at rest, ½‖v_L − v_I‖².
    pub forced: f64,
    /// Energy gained through contacts and joints, relative to `turnover`; with one restitution for all
    /// max(0, Σ S·Uᵃ − ½δ S·(𝒲S)), JM92 6.2.
    pub gain: f64,
    /// The part of `gain` that no law allows: all of it with one restitution, else no more than
    /// Σ S·(U_F + ρU_I)/(1 + ρ), which is ≤ 0 where the laws hold.
    pub excess: f64,
    /// Whether restitution coefficients of contacts of the step differ, along the tangent included.
    pub mixed: bool,
    /// Work through contacts that carried impulses in the step before, too, over the relative velocity that the
    /// change of their frames alone gave them, and through held joints: what the scheme loses (< 0) or gains.
    pub lasting: f64,
    /// Largest penetration over the smallest dimension of the two bodies, of a pin over its clearance.
    pub penetration_share: f64,
    /// Largest penetration of a contact at rest: it carries an impulse and the step changes its depth by no more than a
    /// tenth, h max(|U_I,n|, |U_F,n|) ≤ 0.1 (−g).
    pub resting: f64,
    /// The largest of these over the size of their bodies, or over the clearance.
    pub resting_share: f64,
    /// Largest error of a joint over the smallest dimension of its bodies.
    pub drift_share: f64,
    /// Smallest Painlevé γ over the contacts that slide without colliding and hang together with few others, +∞
    /// where none does: at γ ≤ 0 the motion need not go on as it does (P15 §3).
    pub gamma: f64,
    /// How far the velocities of another solution of the step are from its own, over the speed at stake; 0 where
    /// none was found.
    pub apart: f64,
}

/// One contact over one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<'a, D: Dim> {
    /// The two bodies, the smaller number first; the normal points from the first to the second.
    pub bodies: [u32; 2],
    /// Which image of the second body it is, in a periodic cell.
    pub image: [i32; 3],
    /// Centres of the two at the midpoint of the step, the second one's of that image.
    pub centres: [D::Vector; 2],
    /// Where and how deep, at the midpoint of the step.
    pub point: &'a ContactPoint<D>,
    /// What it did.
    pub status: Status,
    /// Axes of its rows: normal, tangents.
    pub frame: D::Frame,
    /// U_I by row.
    pub begin: &'a [f64],
    /// U_F by row.
    pub end: &'a [f64],
    /// S by row, the impulse on the second body.
    pub impulse: &'a [f64],
}

/// A status as a number.
pub mod did {
    use contact::law::Status;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// The serializer refuses.
    pub fn serialize<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        })
    }

    /// Reads it.
    ///
    /// # Errors
    /// Another number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
        match u8::deserialize(deserializer)? {
            0 => Ok(Status::Open),
            1 => Ok(Status::Stick),
            2 => Ok(Status::Slip),
            other => Err(Error::custom(format!("{other} is no status of a contact"))),
        }
    }
}
