//! Steps of a world that something else than its time-stepping scheme makes: an event-driven integrator.

use std::any::Any;
use std::fmt::Debug;

use percuss_contact::law::Status;
use percuss_geometry::{ContactPoint, Pose};

use crate::dynamics::Dynamics;
use crate::state::StepReport;

/// Makes the steps of a world in place of its time-stepping scheme.
pub trait Stepper<D: Dynamics>: Any + Debug + Send {
    /// Makes the next step and writes its end.
    ///
    /// # Errors
    /// The motion cannot go on; the message says why.
    fn step(&mut self, end: &mut SteppedState<D>) -> Result<(), String>;
}

/// The end of a step that a [`Stepper`] made.
#[derive(Debug, Clone)]
pub struct SteppedState<D: Dynamics> {
    /// Time.
    pub t: f64,
    /// Pose of every body.
    pub poses: Vec<Pose<D>>,
    /// Velocity of every body.
    pub velocities: Vec<D::Dofs>,
    /// Report of the step; energies of gravity and springs, joint errors and relative depths are filled in by the world.
    pub report: StepReport,
    /// The contacts that carried an impulse or are closed, sorted by bodies and feature.
    pub contacts: Vec<SteppedContact<D>>,
    /// Mean force and moment of every joint on its second body over the step, world axes.
    pub joints: Vec<(D::Vector, [f64; 3])>,
}

/// A contact of a step that a [`Stepper`] made.
#[derive(Debug, Clone)]
pub struct SteppedContact<D: Dynamics> {
    /// The bodies, the smaller index first.
    pub bodies: [u32; 2],
    /// Touching point, normal and gap at the end of the step.
    pub point: ContactPoint<D>,
    /// Frame at the end of the step.
    pub frame: D::Frame,
    /// Status at the end of the step.
    pub status: Status,
    /// Relative velocity at the beginning of the step, by row.
    pub begin: Vec<f64>,
    /// Relative velocity at the end of the step, by row.
    pub end: Vec<f64>,
    /// Impulse on the second body, by row.
    pub impulse: Vec<f64>,
}

impl<D: Dynamics> Default for SteppedState<D> {
    fn default() -> Self {
        Self {
            t: 0.0,
            poses: Vec::new(),
            velocities: Vec::new(),
            report: StepReport::default(),
            contacts: Vec::new(),
            joints: Vec::new(),
        }
    }
}
