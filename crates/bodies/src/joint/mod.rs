//! Joints: what two bodies, or a body and the world, may do to each other.
//!
//! ```text
//! Φ(q) = 0   held directions, bilateral (B02 §2, §4)      c(q)   the coordinate that is left
//! low ≤ c ≤ high          limits, 0 ≤ U ⊥ S ≥ 0
//! |S| ≤ h M               motor: ċ = speed(t) as long as the bound M allows (B02 §5)
//! |S| ≤ μ R |S_held|      dry friction (B02 §6)
//! F = −k (c − rest) − d ċ  spring and damper
//! ```
//!
//! Each side has a point and an orthonormal frame, fixed in its body. With d = x_b − x_a, e the axes of
//! side a and f those of side b, the functions that vanish are
//!
//! ```text
//! spherical     d·e_1, d·e_2, d·e_3               revolute   d·e_i, and in space e_2·f_1, e_3·f_1
//! fixed         d·e_i, and the turn               prismatic  d·e_i (i > 1), and the turn
//! cylindrical   d·e_2, d·e_3, e_2·f_1, e_3·f_1    distance   |d| − length
//! ```
//!
//! the turn being the angle in the plane and e_2·f_1, e_3·f_1, e_3·f_2 in space. Axis 1 is the joint's
//! own. A point is held at x_b for both sides: impulses are opposite there, and the row is the exact
//! derivative of d·e_i.
//!
//! Limits: the angle about an axis of space is taken between −π and π.

mod check;
pub(crate) mod gram;
mod rows;
mod spin;

use std::fmt::Debug;

use crate::dim::Dim;
use crate::materials::PairLaw;

pub(crate) use check::{check, components, excluded};
pub use spin::unconstrained_spins;

pub(crate) use rows::{BilateralConstraint, JacobianRow, clearance_candidates, clearance_joint};

/// What a joint holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about one axis (the plane: about a point).
    Revolute,
    /// Slides along one axis.
    Prismatic,
    /// Turns about a point (space).
    Spherical,
    /// Holds everything.
    Fixed,
    /// Keeps two points at a distance; with limits or a spring only these act.
    Distance,
    /// Turns about an axis and slides along it (space).
    Cylindrical,
    /// A pin in a hole that is larger: nothing is held, the two touch (plane: disc in a circular hole;
    /// space: ball in a round socket).
    Clearance,
}

impl JointKind {
    /// Its word in scenes.
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

/// One end of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrame<D: Dim> {
    /// The body; none for the world at rest.
    pub body: Option<u32>,
    /// The point, in body axes (space axes for the world).
    pub point: D::Vector,
    /// The joint's axes, in body axes; the first is its own.
    pub axes: D::Frame,
}

/// The coordinate that limits, motors, springs and friction are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointCoordinate {
    /// The angle.
    Angle,
    /// The displacement along the axis.
    Displacement,
    /// The distance of the two points.
    Distance,
}

/// Bounds of the coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Lower one; −∞ for none.
    pub low: f64,
    /// Upper one; ∞ for none.
    pub high: f64,
    /// Restitution ρ at both.
    pub restitution: f64,
}

/// A speed that is given as a function of time.
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

/// What drives the coordinate.
#[derive(Debug)]
pub struct Motor {
    /// ċ that it aims at.
    pub speed: Box<dyn PrescribedSpeed>,
    /// Largest moment or force; ∞ for one that nothing stops.
    pub bound: f64,
}

/// Dry friction scaled by the reaction (B02 §6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFriction {
    /// μ.
    pub coefficient: f64,
    /// Radius of the pin, for turning: the moment is at most μ · radius · |force held|.
    pub radius: f64,
}

/// A spring and a damper on the coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Force (or moment) over displacement (or angle).
    pub stiffness: f64,
    /// The coordinate without force.
    pub rest: f64,
    /// Force (or moment) over speed.
    pub damping: f64,
}

/// A pin in a hole, both round.
#[derive(Debug, Clone, PartialEq)]
pub struct Clearance {
    /// Radius of the pin, on the second body.
    pub pin: f64,
    /// Radius of the hole minus that of the pin.
    pub play: f64,
    /// What happens where they touch.
    pub law: PairLaw,
}

/// A joint.
#[derive(Debug)]
pub struct Joint<D: Dim> {
    /// What messages call it.
    pub name: String,
    /// What it holds.
    pub kind: JointKind,
    /// Its two ends.
    pub frames: [JointFrame<D>; 2],
    /// Angle from the first body to the second where the coordinate is 0 (plane).
    pub reference_angle: f64,
    /// Length of a rigid distance.
    pub length: f64,
    /// The coordinate that what follows is about; only cylindrical joints have a choice.
    pub coordinate: JointCoordinate,
    /// Bounds of the coordinate.
    pub limits: Option<Limits>,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Dry friction.
    pub friction: Option<JointFriction>,
    /// Spring and damper.
    pub spring: Option<Spring>,
    /// Sizes of a clearance.
    pub clearance: Option<Clearance>,
    /// Whether the two bodies touch each other as others do.
    pub contact: bool,
}

impl<D: Dim> Joint<D> {
    /// A joint of a kind between two ends, with nothing on its coordinate.
    pub fn new(name: &str, kind: JointKind, sides: [JointFrame<D>; 2]) -> Self {
        Self {
            name: name.to_string(),
            kind,
            frames: sides,
            reference_angle: 0.0,
            length: 0.0,
            coordinate: match kind {
                JointKind::Revolute | JointKind::Spherical | JointKind::Fixed => JointCoordinate::Angle,
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

    /// Whether a distance keeps its length by itself.
    pub fn rigid(&self) -> bool {
        self.limits.is_none() && self.spring.is_none() && self.motor.is_none()
    }

    /// Whether there is one coordinate that limits, motors and springs can be about.
    pub fn has_coordinate(&self) -> bool {
        match self.kind {
            JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Distance => true,
            JointKind::Spherical | JointKind::Fixed | JointKind::Clearance => false,
        }
    }
}

/// A joint over the last step, as it is observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointReport<D: Dim> {
    /// The point x_b of the second side, at the end of the step.
    pub at: D::Vector,
    /// Its own axis, at the end of the step.
    pub axis: D::Vector,
    /// The angle; 0 where the kind has none.
    pub angle: f64,
    /// Displacement along the axis, or distance of the two points.
    pub slide: f64,
    /// Rate of the coordinate.
    pub speed: f64,
    /// Force on the second body, mean over the step.
    pub force: D::Vector,
    /// Moment on the second body about the joint's point, mean over the step, space axes; the third
    /// entry in the plane.
    pub torque: [f64; 3],
    /// Power of the motor.
    pub power: f64,
    /// Largest |Φ|, angles times the size of the bodies.
    pub drift: f64,
}
