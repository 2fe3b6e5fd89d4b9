#![doc = include_str!("../README.md")]

pub use percuss_bodies as bodies;
pub use percuss_contact as contact;
pub use percuss_convex as convex;
pub use percuss_draw as draw;
pub use percuss_expr as expr;
pub use percuss_fclib as fclib;
pub use percuss_generate as generate;
pub use percuss_mechanism as mechanism;
pub use percuss_record as record;
pub use percuss_run as run;
pub use percuss_scene as scene;
pub use percuss_solve as solve;
pub use percuss_statics as statics;
pub use percuss_sweep as sweep;
pub use percuss_verify as verify;

mod body;
mod error;
#[cfg(doctest)]
mod examples;
mod force;
mod joint;
mod law;
mod motion;
pub mod plane;
pub mod space;
mod world;

pub use body::{Body, Dimension, Displacement, Freedom, Part};
pub use error::{Error, Result};
pub use force::{BodyState, Load};
pub use joint::{BodyId, BodyRef, Joint, Play};
pub use law::ContactLaw;
pub use motion::{
    At, ClosureConstraint, ClosureMechanism, ExpressionContact, ExpressionMechanism, Mechanism,
};
pub use percuss_bodies::{Plane, Space};
pub use world::{BodyView, Contact, JointView, World, WorldBuilder};

/// What programs need that work with one-step problems, scenes and integrators directly: `use percuss::prelude::*`.
/// Worlds of bodies have [`plane`] and [`space`] instead.
///
/// ```
/// use percuss::prelude::*;
///
/// let ball = Scene::load("ball-e05").and_then(|scene| scene.build_mechanism()).unwrap();
/// let mut motion = TimeStepper::new(ball.system, ball.settings, ball.initial).unwrap();
/// motion.advance().unwrap();
/// assert!(motion.step_report().reached);
/// ```
pub mod prelude {
    pub use crate::{ContactLaw, Mechanism, World};
    pub use percuss_bodies::{Plane, Space};
    pub use percuss_contact::law::{Law, Status};
    pub use percuss_contact::{
        Certificate, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
    };
    pub use percuss_mechanism::{EventDriven, Integrator, Settings, State, System, TimeStepper};
    pub use percuss_scene::Scene;
    pub use percuss_solve::{Auto, Goal, Outcome, Report, Solver};
}
