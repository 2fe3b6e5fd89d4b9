//! Construction of a time stepper: checks the initial state, projects joints, marks contacts closed at rest.

use percuss_contact::law::Status;

use super::event_detection::StepEventDetector;
use super::layout::{RowLayout, StepClock};
use super::position_projection::project_joints;
use super::{StepScratch, TimeStepper};
use crate::error::MechanismError;
use crate::impact::approach_velocities;
use crate::initial_state::{CLOSED_TOLERANCE, REST_TOLERANCE, check_initial_state};
use crate::settings::{Scheme, Settings};
use crate::state::{State, StepReport};
use crate::step_problem::SlidingRule;
use crate::system::{StateRef, System};

impl<S: System> TimeStepper<S> {
    /// Creates a stepper at an initial state. Inward velocities at closed contacts are collisions at the first instant,
    /// not errors: the initial velocity is a left limit (M88 §2).
    ///
    /// # Errors
    /// Settings out of range or of the event-driven integrator, or an initial state from which there is no motion.
    pub fn new(mut system: S, settings: Settings, initial: State) -> Result<Self, MechanismError> {
        settings.validate()?;
        if settings.scheme == Scheme::Event {
            return Err(MechanismError::NoTimeSteps);
        }
        check_initial_state(&mut system, &settings, &initial)?;
        let layout = RowLayout::of(&system);
        let constraints = system.constraints().len();
        let chart = system.configuration_space();
        let (positions, velocities) = (chart.num_positions(), chart.num_velocities());
        let mut scratch = StepScratch::new(positions, velocities, layout.num_gaps(), constraints);
        scratch.problem.sliding_rule = SlidingRule::of(settings.scheme);
        // Warm start zero, every constraint open.
        let mut state = initial;
        state.impulse.resize(layout.num_rows(), 0.0);
        state.status.resize(constraints, Status::Open);
        chart.normalise(&mut state.q);
        let trial = settings.adaptive.map_or(settings.step, |a| {
            settings.step.clamp(a.smallest, a.largest)
        });
        let mut stepper = Self {
            step_clock: StepClock {
                steps: 0,
                start: state.t,
            },
            initial_positions: state.q.clone(),
            next: state.clone(),
            state,
            scratch,
            report: StepReport::default(),
            event_detector: StepEventDetector::new(constraints),
            persistent: vec![false; constraints],
            layout,
            trial_step: trial,
            end_time: f64::INFINITY,
            second_half: None,
            settings,
            system,
        };
        stepper.initialise()?;
        Ok(stepper)
    }

    /// Projects the initial positions onto the joints and writes the report of the initial state.
    fn initialise(&mut self) -> Result<(), MechanismError> {
        let state = &self.state;
        let at = StateRef {
            t: state.t,
            q: &state.q,
            v: &state.v,
        };
        let inertia = &mut self.scratch.point.inertia;
        inertia.evaluate(&mut self.system, at)?;
        self.next.q.copy_from_slice(&state.q);
        self.next.v.copy_from_slice(&state.v);
        self.next.t = state.t;
        let gaps = &mut self.scratch.end.gaps;
        project_joints(
            &mut self.system,
            &self.layout,
            inertia,
            gaps,
            &mut self.next,
        )?;
        self.state.q.copy_from_slice(&self.next.q);
        // Energies of the initial state; everything that belongs to a step is zero.
        self.report = StepReport {
            t: self.state.t,
            reached: true,
            kinetic: self.scratch.point.inertia.energy(&self.state.v),
            potential: self.system.potential(self.state.t, &self.state.q)?,
            gamma: f64::INFINITY,
            ..StepReport::default()
        };
        self.mark_initially_closed()
    }

    /// Marks contacts that are closed and do not approach: their first impulse is a touch, not an impact.
    fn mark_initially_closed(&mut self) -> Result<(), MechanismError> {
        let state = &self.state;
        let at = StateRef {
            t: state.t,
            q: &state.q,
            v: &state.v,
        };
        let gaps = &mut self.scratch.end.gaps;
        self.system.gaps(at.t, at.q, gaps)?;
        let size = 1.0 + state.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let constraints = self.system.constraints().iter().enumerate();
        let closed = constraints
            .filter(|(i, c)| {
                c.is_contact() && gaps[self.layout.gaps(*i).start] <= CLOSED_TOLERANCE * size
            })
            .map(|(i, _)| i);
        let closed: Vec<usize> = closed.collect();
        // A normal velocity that is zero to rounding is rest.
        for (i, speed, scale) in approach_velocities(&mut self.system, at, at.v, &closed)? {
            if speed.abs() <= REST_TOLERANCE * scale || speed == 0.0 {
                self.event_detector.mark_closed(i, at.t);
                self.persistent[i] = self.settings.scheme == Scheme::Projected;
            }
        }
        Ok(())
    }
}
