#![doc = include_str!("../README.md")]

#[cfg(feature = "run")]
pub use percuss_audit as audit;
pub use percuss_bodies as bodies;
pub use percuss_contact as contact;
pub use percuss_convex as convex;
#[cfg(feature = "draw")]
pub use percuss_draw as draw;
#[cfg(feature = "run")]
pub use percuss_equilibrium as equilibrium;
pub use percuss_expr as expr;
#[cfg(feature = "fclib")]
pub use percuss_fclib as fclib;
pub use percuss_generate as generate;
pub use percuss_mechanism as mechanism;
#[cfg(feature = "run")]
pub use percuss_record as record;
#[cfg(feature = "run")]
pub use percuss_run as run;
#[cfg(feature = "scene")]
pub use percuss_scene as scene;
pub use percuss_solve as solve;
pub use percuss_statics as statics;
pub use percuss_sweep as sweep;
#[cfg(feature = "run")]
pub use percuss_verify as verify;
#[cfg(feature = "view")]
pub use percuss_view as view;

#[cfg(feature = "run")]
mod body;
#[cfg(feature = "run")]
mod error;
#[cfg(all(doctest, feature = "run"))]
mod examples;
#[cfg(feature = "run")]
mod force;
#[cfg(feature = "run")]
mod joint;
#[cfg(feature = "run")]
mod law;
#[cfg(feature = "run")]
mod motion;
#[cfg(feature = "run")]
pub mod plane;
#[cfg(feature = "run")]
pub mod space;
#[cfg(feature = "run")]
mod world;

#[cfg(feature = "run")]
pub use body::{Body, Dimension, Displacement, Freedom, Part};
#[cfg(feature = "run")]
pub use error::{Error, Result};
#[cfg(feature = "run")]
pub use force::{BodyState, Load};
#[cfg(feature = "run")]
pub use joint::{BodyId, BodyRef, Joint, Play};
#[cfg(feature = "run")]
pub use law::ContactLaw;
#[cfg(feature = "run")]
pub use motion::{
    At, ClosureConstraint, ClosureMechanism, ExpressionContact, ExpressionMechanism, Mechanism,
};
pub use percuss_bodies::{Plane, Space};
#[cfg(feature = "run")]
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
    #[cfg(feature = "run")]
    pub use crate::{ContactLaw, Mechanism, World};
    pub use percuss_bodies::{Plane, Space};
    pub use percuss_contact::law::{Law, Status};
    pub use percuss_contact::{
        Certificate, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
    };
    pub use percuss_mechanism::{EventDriven, Integrator, Settings, State, System, TimeStepper};
    #[cfg(feature = "scene")]
    pub use percuss_scene::Scene;
    pub use percuss_solve::{Auto, Goal, Outcome, Report, Solver};
}
