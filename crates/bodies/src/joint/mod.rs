//! Joints between two bodies, or a body and the world: kinds, coordinates, limits, motors, friction, springs.
//!
//! ```text
//! Φ(q) = 0                 bilateral constraints (B02 §2, §4)      c(q)   the remaining coordinate
//! low ≤ c ≤ high           limits, 0 ≤ U ⊥ S ≥ 0
//! |S| ≤ h M                motor: ċ = speed(t) within the bound M (B02 §5)
//! |S| ≤ μ R |S_held|       dry friction (B02 §6)
//! F = −k (c − rest) − d ċ  spring and damper
//! ```
//!
//! Each side has a frame, a point and orthonormal axes fixed in its body. With d = x_b − x_a, e the axes of
//! frame a and f those of frame b, the constraint functions are
//!
//! ```text
//! spherical     d·e_1, d·e_2, d·e_3               revolute   d·e_i, and in space e_2·f_1, e_3·f_1
//! fixed         d·e_i, and the rotation           prismatic  d·e_i (i > 1), and the rotation
//! cylindrical   d·e_2, d·e_3, e_2·f_1, e_3·f_1    distance   |d| − length
//! ```
//!
//! where the rotation is the angle in the plane and e_2·f_1, e_3·f_1, e_3·f_2 in space. Axis 1 is the joint's
//! axis. The constraint acts at x_b for both bodies: the impulses are opposite there, and the row is the exact
//! derivative of d·e_i.
//!
//! Limits: the angle about an axis in space is between −π and π.

mod check;
mod massless_spin;
pub(crate) mod pivoted_cholesky;
mod rows;

use std::fmt::Debug;

use crate::dynamics::Dynamics;
use crate::materials::PairLaw;

pub(crate) use check::{check, components, excluded};
pub use massless_spin::unconstrained_spins;

pub use rows::CLEARANCES;
pub(crate) use rows::{BilateralConstraint, JacobianRow, clearance_candidates, clearance_joint};

/// Kind of joint: which relative motions it constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Hinge: rotation about one axis (in the plane about a point).
    Revolute,
    /// Slider: translation along one axis.
    Prismatic,
    /// Ball and socket: rotation about a point (space).
    Spherical,
    /// Weld: no relative motion.
    Fixed,
    /// Keeps two points at a distance; with limits, a spring or a motor the length is free and only these act.
    Distance,
    /// Rotation about an axis and translation along it (space).
    Cylindrical,
    /// A pin in a larger hole: no constraint but unilateral contact (plane: disc in a circular hole; space:
    /// ball in a spherical socket).
    Clearance,
}

impl JointKind {
    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Spherical => "spherical",
            Self::Fixed => "fixed",
            Self::Distance => "distance",
            Self::Cylindrical => "cylindrical",
            Self::Clearance => "clearance",
        }
    }
}

/// Attachment of a joint to a body: a point and axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrame<D: Dynamics> {
    /// Index of the body; `None` for the world at rest.
    pub body: Option<u32>,
    /// The point, in body axes (world axes for the world).
    pub point: D::Vector,
    /// The joint's axes, in body axes; the first is the axis of the joint.
    pub axes: D::Frame,
}

/// The coordinate on which limits, motor, spring and friction act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointCoordinate {
    /// Rotation angle about the axis.
    Angle,
    /// Displacement along the axis.
    Displacement,
    /// Distance of the two points.
    Distance,
}

/// Bounds of the coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Lower bound; −∞ for none.
    pub low: f64,
    /// Upper bound; ∞ for none.
    pub high: f64,
    /// Restitution ρ at both bounds.
    pub restitution: f64,
}

/// Prescribed speed of a motor as a function of time.
pub trait PrescribedSpeed: Debug + Send {
    /// Its value at time t.
    fn at(&mut self, t: f64) -> f64;
}

/// A constant speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstantSpeed(pub f64);

impl PrescribedSpeed for ConstantSpeed {
    fn at(&mut self, _t: f64) -> f64 {
        self.0
    }
}

/// Motor on the coordinate.
#[derive(Debug)]
pub struct Motor {
    /// Target speed ċ.
    pub speed: Box<dyn PrescribedSpeed>,
    /// Largest moment or force; ∞ for a velocity constraint.
    pub bound: f64,
}

/// Dry friction, proportional to the reaction (B02 §6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFriction {
    /// Friction coefficient μ.
    pub coefficient: f64,
    /// Radius of the pin, for rotation: the moment is at most μ · radius · |reaction force|.
    pub radius: f64,
}

/// A spring and a damper on the coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Force over displacement, or moment over angle.
    pub stiffness: f64,
    /// Value of the coordinate at which the spring exerts no force.
    pub rest: f64,
    /// Force over speed, or moment over angular velocity.
    pub damping: f64,
}

/// Dimensions and contact law of a pin in a hole, both circular or spherical.
#[derive(Debug, Clone, PartialEq)]
pub struct Clearance {
    /// Radius of the pin, on the second body.
    pub pin: f64,
    /// Radius of the hole minus that of the pin.
    pub play: f64,
    /// Contact law between pin and hole.
    pub law: PairLaw,
}

/// A joint.
#[derive(Debug)]
pub struct Joint<D: Dynamics> {
    /// Its name in messages.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// Frames on the two bodies.
    pub frames: [JointFrame<D>; 2],
    /// Angle from the first body to the second at which the coordinate is 0 (plane).
    pub reference_angle: f64,
    /// Length of a rigid distance joint.
    pub length: f64,
    /// The coordinate that limits, motor, friction and spring act on; only cylindrical joints have a choice.
    pub coordinate: JointCoordinate,
    /// Bounds of the coordinate.
    pub limits: Option<Limits>,
    /// Motor on the coordinate.
    pub motor: Option<Motor>,
    /// Dry friction.
    pub friction: Option<JointFriction>,
    /// Spring and damper.
    pub spring: Option<Spring>,
    /// Dimensions of a clearance joint.
    pub clearance: Option<Clearance>,
    /// Whether contacts between the two bodies are detected as for other pairs.
    pub contact: bool,
}

impl<D: Dynamics> Joint<D> {
    /// A joint of a kind between two frames, without limits, motor, friction and spring.
    pub fn new(name: &str, kind: JointKind, sides: [JointFrame<D>; 2]) -> Self {
        Self {
            name: name.to_string(),
            kind,
            frames: sides,
            reference_angle: 0.0,
            length: 0.0,
            coordinate: match kind {
                JointKind::Revolute | JointKind::Spherical | JointKind::Fixed => {
                    JointCoordinate::Angle
                }
                JointKind::Prismatic | JointKind::Cylindrical => JointCoordinate::Displacement,
                JointKind::Distance | JointKind::Clearance => JointCoordinate::Distance,
            },
            limits: None,
            motor: None,
            friction: None,
            spring: None,
            clearance: None,
            contact: false,
        }
    }

    /// Whether a distance joint has a fixed length: no limits, spring or motor.
    pub fn rigid(&self) -> bool {
        self.limits.is_none() && self.spring.is_none() && self.motor.is_none()
    }

    /// Whether the joint has one coordinate on which limits, a motor or a spring can act.
    pub fn has_coordinate(&self) -> bool {
        match self.kind {
            JointKind::Revolute
            | JointKind::Prismatic
            | JointKind::Cylindrical
            | JointKind::Distance => true,
            JointKind::Spherical | JointKind::Fixed | JointKind::Clearance => false,
        }
    }
}

/// Report of a joint over the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointReport<D: Dynamics> {
    /// The point x_b of the second side, at the end of the step.
    pub at: D::Vector,
    /// Axis of the joint, at the end of the step.
    pub axis: D::Vector,
    /// Rotation angle; 0 for kinds that have none.
    pub angle: f64,
    /// Displacement along the axis, or distance of the two points.
    pub slide: f64,
    /// Rate of the coordinate.
    pub speed: f64,
    /// Force on the second body, mean over the step, world axes.
    pub force: D::Vector,
    /// Moment on the second body about the joint's point, mean over the step, world axes; in the plane the
    /// third entry.
    pub torque: [f64; 3],
    /// Power of the motor, mean over the step.
    pub power: f64,
    /// Largest |Φ|, angles times the joint's length scale.
    pub drift: f64,
}
