//! The event-driven motion of bodies: poses and velocities at the ends of output intervals, events by bodies and joints.

use percuss_bodies::Model;
use percuss_geometry::Pose;
use percuss_mechanism::{
    Event, EventDriven, EventKind, Integrator, MechanismError, Scheme, Settings, State, StepReport,
};

use crate::coordinates::BodyDim;
use crate::error::BodySystemError;
use crate::system::{BodySystem, ConstraintOrigin};

/// Largest number of contacts, pins and limits that are closed at the same time.
const MOST_CLOSED: usize = 24;

/// What an event is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSource {
    /// Two bodies, the smaller index first.
    Bodies([usize; 2]),
    /// A joint: its pin, or one of its limits.
    Joint(usize),
}

/// An event of the motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyEvent {
    /// Time.
    pub t: f64,
    /// What it is between.
    pub source: EventSource,
    /// Kind of event.
    pub kind: EventKind,
}

/// The event-driven motion of a few bodies.
#[derive(Debug)]
pub struct BodyMotion<D: BodyDim> {
    motion: EventDriven<BodySystem<D>>,
}

impl<D: BodyDim> BodyMotion<D> {
    /// Begins the motion of a model at the time `t` with output intervals of length `interval`; `tolerance` is that of the
    /// residual of impacts and modes.
    ///
    /// # Errors
    /// What the model has that has no event-driven form, or an initial state from which there is no motion.
    pub fn new(
        model: Model<D>,
        (t, poses, velocities): (f64, &[Pose<D>], &[D::Dofs]),
        names: Vec<String>,
        (interval, tolerance): (f64, f64),
    ) -> Result<Self, BodySystemError> {
        let system = BodySystem::new(model, poses, names)?;
        let (q, v) = system.pack(poses, velocities);
        let settings = Settings {
            scheme: Scheme::Event,
            step: interval,
            tolerance,
            ..Settings::default()
        };
        let initial = State {
            t,
            q,
            v,
            impulse: Vec::new(),
            status: Vec::new(),
        };
        let motion = Self {
            motion: EventDriven::new(system, settings, initial)?,
        };
        motion.check_closed()?;
        Ok(motion)
    }

    /// Integrates over one output interval.
    ///
    /// # Errors
    /// The motion cannot be continued; the state is that before.
    pub fn advance(&mut self) -> Result<(), BodySystemError> {
        self.motion.advance()?;
        self.check_closed()
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.motion.state().t
    }

    /// Poses and velocities of all bodies.
    pub fn state(&self) -> (Vec<Pose<D>>, Vec<D::Dofs>) {
        let state = self.motion.state();
        self.motion.system().unpack(&state.q, &state.v)
    }

    /// The system.
    pub fn system(&self) -> &BodySystem<D> {
        self.motion.system()
    }

    /// The motion in generalised coordinates.
    pub fn integrator(&self) -> &EventDriven<BodySystem<D>> {
        &self.motion
    }

    /// Report of the last interval.
    pub fn report(&self) -> &StepReport {
        self.motion.step_report()
    }

    /// Events of the last interval. Where one pair of features takes over from another of the same bodies, nothing is told.
    pub fn events(&self) -> Vec<BodyEvent> {
        let told = |event: &Event| {
            let passes = |other: &Event| {
                let same = other.t == event.t && self.source(other) == self.source(event);
                let both = [event.kind, other.kind];
                same && both.contains(&EventKind::Touch) && both.contains(&EventKind::Detach)
            };
            !self.motion.events().iter().any(passes)
        };
        let events = self.motion.events().iter().filter(|event| told(event));
        let named = events.filter_map(|event| {
            Some(BodyEvent {
                t: event.t,
                source: self.source(event)?,
                kind: event.kind,
            })
        });
        named.collect()
    }

    /// What an event is between; `None` for the bilateral constraints of a joint.
    fn source(&self, event: &Event) -> Option<EventSource> {
        match self.motion.system().origins()[event.constraint] {
            ConstraintOrigin::Contact { bodies, .. } => Some(EventSource::Bodies(bodies)),
            ConstraintOrigin::Pin(j)
            | ConstraintOrigin::LowerLimit(j)
            | ConstraintOrigin::UpperLimit(j) => Some(EventSource::Joint(j)),
            ConstraintOrigin::Joint(_) => None,
        }
    }

    /// Refuses more contacts than the selection of modes can follow.
    fn check_closed(&self) -> Result<(), BodySystemError> {
        let count = self.motion.step_report().num_active;
        match count > MOST_CLOSED {
            true => Err(BodySystemError::TooMany {
                count,
                what: format!("contacts and joints act at t = {}", self.time()),
                limit: MOST_CLOSED,
            }),
            false => Ok(()),
        }
    }
}

impl From<percuss_mechanism::SystemError> for BodySystemError {
    fn from(error: percuss_mechanism::SystemError) -> Self {
        Self::Motion(MechanismError::System(error))
    }
}
