//! How a motion starts.

use contact::law::Status;

use super::events::Watch;
use super::{Stepper, Work};
use crate::error::MechanismError;
use crate::impact::approach;
use crate::settings::Settings;
use crate::stage::Friction;
use crate::start::{CLOSED, STILL, check_start};
use crate::state::{Ledger, State};
use crate::system::{Instant, System};

impl<S: System> Stepper<S> {
    /// A motion from an initial state. Inward velocities at closed contacts are collisions at the
    /// first instant, not errors: the initial velocity is a left limit (M88 §2).
    ///
    /// # Errors
    /// Settings out of range, a singular mass matrix, an initial state that violates a constraint.
    pub fn new(mut system: S, settings: Settings, initial: State) -> Result<Self, MechanismError> {
        settings.validate()?;
        check_start(&mut system, &settings, &initial)?;
        let (first_row, first_gap) = offsets(&system);
        let (rows, gaps) = (
            first_row[first_row.len() - 1],
            first_gap[first_gap.len() - 1],
        );
        let constraints = system.constraints().len();
        let chart = system.chart();
        let mut work = Work::new(chart.num_positions(), chart.num_velocities(), gaps);
        work.stage.friction = Friction::of(settings.scheme);
        let mut state = initial;
        state.impulse.resize(rows, 0.0);
        state.status.resize(constraints, Status::Open);
        chart.normalise(&mut state.q);
        let trial = settings.adaptive.map_or(settings.step, |a| {
            settings.step.clamp(a.smallest, a.largest)
        });
        let mut stepper = Self {
            clock: (0, state.t),
            origin: state.q.clone(),
            next: state.clone(),
            state,
            work,
            ledger: Ledger::default(),
            watch: Watch::new(constraints),
            first_row,
            first_gap,
            trial,
            until: f64::INFINITY,
            second_half: None,
            settings,
            system,
        };
        stepper.begin()?;
        Ok(stepper)
    }

    /// Joints exactly on their manifold, and the account of the initial state.
    fn begin(&mut self) -> Result<(), MechanismError> {
        let state = &self.state;
        let at = Instant {
            t: state.t,
            q: &state.q,
            v: &state.v,
        };
        self.work.inertia.evaluate(&mut self.system, at)?;
        self.next.q.copy_from_slice(&state.q);
        self.next.v.copy_from_slice(&state.v);
        self.next.t = state.t;
        self.correct_joints()?;
        self.state.q.copy_from_slice(&self.next.q);
        self.ledger = Ledger {
            t: self.state.t,
            reached: true,
            kinetic: self.work.inertia.energy(&self.state.v),
            potential: self.system.potential(self.state.t, &self.state.q)?,
            gamma: f64::INFINITY,
            ..Ledger::default()
        };
        self.note_closed()
    }

    /// Contacts that are closed and do not approach: they touch from the beginning.
    fn note_closed(&mut self) -> Result<(), MechanismError> {
        let state = &self.state;
        let at = Instant {
            t: state.t,
            q: &state.q,
            v: &state.v,
        };
        self.system.gaps(at.t, at.q, &mut self.work.gaps)?;
        let size = 1.0 + state.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let constraints = self.system.constraints().iter().enumerate();
        let closed = constraints
            .filter(|(i, c)| c.is_contact() && self.work.gaps[self.first_gap[*i]] <= CLOSED * size)
            .map(|(i, _)| i);
        let closed: Vec<usize> = closed.collect();
        for (i, speed, scale) in approach(&mut self.system, at, at.v, &closed)? {
            if speed.abs() <= STILL * scale || speed == 0.0 {
                self.watch.starts_closed(i, at.t);
            }
        }
        Ok(())
    }
}

/// First row and first position function of each constraint, with the totals at the end.
fn offsets<S: System>(system: &S) -> (Vec<usize>, Vec<usize>) {
    let (mut rows, mut gaps) = (vec![0], vec![0]);
    for constraint in system.constraints() {
        rows.push(rows[rows.len() - 1] + constraint.rows);
        gaps.push(gaps[gaps.len() - 1] + constraint.num_gaps());
    }
    (rows, gaps)
}
