//! What must hold before a motion starts.

use contact::law::Status;

use super::events::Watch;
use super::{Stepper, Work};
use crate::error::MechanismError;
use crate::impact::approach;
use crate::inertia::Inertia;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::stage::restitution;
use crate::state::{Ledger, State};
use crate::system::{Instant, Kind, System};

/// A closed contact may be computed open or closed by this share of the coordinates' size.
const CLOSED: f64 = 1e-9;

/// Joints may start this far off, relative to the size of the coordinates; they are put right.
const JOINED: f64 = 1e-7;

/// Bilateral velocities may start this far off, relative to the velocities they are made of.
const STILL: f64 = 1e-7;

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
        let work = Work::new(chart.num_positions(), chart.num_velocities(), gaps);
        let mut state = initial;
        state.impulse.resize(rows, 0.0);
        state.status.resize(constraints, Status::Open);
        chart.normalise(&mut state.q);
        let trial = settings.adaptive.map_or(settings.step, |a| {
            settings.step.clamp(a.smallest, a.largest)
        });
        let mut stepper = Self {
            clock: (0, state.t),
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

/// Refuses what no motion can start from: a singular mass matrix, a closed constraint violated, a
/// bilateral velocity that is not zero, restitutions and impact laws that are not admissible.
///
/// # Errors
/// What was found, with its size.
pub fn check_start<S: System + ?Sized>(
    system: &mut S,
    settings: &Settings,
    initial: &State,
) -> Result<(), MechanismError> {
    let (n, t) = (system.chart().num_velocities(), initial.t);
    let at = Instant {
        t,
        q: &initial.q,
        v: &initial.v,
    };
    Inertia::new(n).evaluate(system, at)?;
    let total: usize = system.constraints().iter().map(|c| c.num_gaps()).sum();
    let mut gaps = vec![0.0; total];
    system.gaps(t, &initial.q, &mut gaps)?;
    let size = 1.0 + initial.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut first = 0;
    for i in 0..system.constraints().len() {
        let constraint = system.constraints()[i].clone();
        for &value in &gaps[first..first + constraint.num_gaps()] {
            check_position(&constraint, value, size, t)?;
        }
        first += constraint.num_gaps();
        if constraint.is_contact() {
            restitution(system, i, at)?;
            if settings.impact == ImpactLaw::Canonical && constraint.rows > 1 {
                return Err(frictional(&constraint.name, t));
            }
        }
        check_velocity(system, i, at)?;
    }
    if settings.impact == ImpactLaw::Canonical {
        crate::impact::common_restitution(system, at, &[])?;
    }
    if settings.scheme == Scheme::Event && settings.adaptive.is_some() {
        return Err(MechanismError::Setting {
            name: "step.tolerance",
            value: settings.adaptive.map_or(0.0, |a| a.tolerance),
            expected: "the event-driven integrator chooses its own steps: give one number, the \
                       output interval",
        });
    }
    Ok(())
}

fn frictional(name: &str, t: f64) -> MechanismError {
    MechanismError::Impact {
        law: ImpactLaw::Canonical.name(),
        t,
        reason: format!(
            "it is defined for constraints without friction (B02 1.13), but `{name}` has friction; \
             use `moreau`"
        ),
    }
}

fn check_position(
    constraint: &crate::system::Constraint,
    value: f64,
    size: f64,
    t: f64,
) -> Result<(), MechanismError> {
    let fail = |what, expected| {
        Err(MechanismError::InitialPosition {
            constraint: constraint.name.clone(),
            what,
            value,
            expected,
            t,
        })
    };
    match constraint.kind {
        Kind::Contact if !(value >= -CLOSED * size) => {
            fail("its gap", "a gap must not be negative")
        }
        Kind::Joint | Kind::FrictionJoint { .. } if !(value.abs() <= JOINED * size * size) => {
            fail("its function", "it must be zero")
        }
        _ => Ok(()),
    }
}

fn check_velocity<S: System + ?Sized>(
    system: &mut S,
    i: usize,
    at: Instant<'_>,
) -> Result<(), MechanismError> {
    let constraint = system.constraints()[i].clone();
    let rows = match constraint.kind {
        Kind::Joint | Kind::Velocity => constraint.rows,
        Kind::FrictionJoint { normal_rows } => normal_rows,
        Kind::Contact | Kind::NonFirm => return Ok(()),
    };
    let n = at.v.len();
    let mut g = vec![0.0; constraint.rows * n];
    let mut w = vec![0.0; constraint.rows];
    system.rows(i, at.t, at.q, &mut g, &mut w)?;
    for row in 0..rows {
        let terms: Vec<f64> = (0..n).map(|j| g[row * n + j] * at.v[j]).collect();
        let value = w[row] + terms.iter().sum::<f64>();
        let scale = w[row].abs() + terms.iter().map(|x| x.abs()).sum::<f64>();
        if value.abs() > STILL * scale.max(1.0) {
            return Err(MechanismError::InitialVelocity {
                constraint: constraint.name.clone(),
                value,
                expected: "a bilateral constraint must start with none",
                t: at.t,
            });
        }
    }
    Ok(())
}
