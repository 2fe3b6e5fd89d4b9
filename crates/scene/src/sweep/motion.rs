//! A sweeping process as a motion: the states, accounts, touches and events of a mechanism.
//!
//! Velocities are the mean ones of the step, (u_F − u_I)/h. Impulses are the multipliers of the
//! step: A(u_F − u_I) = h A w + Σ S ∇gap, those of its last part where jumps or kinks divide it. The
//! event-driven method has h times the forces at the end. The ledger has the distance to the normal cone
//! (relative to 1 + |u|) as its residual, the distance of u_F outside C(t_F) as its penetration,
//! and as its gain by how much the variation of u exceeds the retraction of C, relative, where
//! that is known (0: never, for the catching-up method). Energies mean nothing here and are 0.

use std::sync::{Arc, Mutex};

use contact::law::Status;
use mechanism::{
    ConstraintReport, Event, EventKind, Integrator, MechanismError, MotionCheckpoint, State,
    StepReport, System, SystemError,
};
use sweep::{Method, MovingSet, Process, StepSize, SweepingError};

use super::SweepingSettings;
use super::begin::process;
use super::error::explain;
use super::set::{self, Complaint};
use crate::text::{BuiltMechanism, SymbolicSystem};

/// A constraint that held the point in a step.
struct ActiveConstraint {
    constraint: usize,
    gap: f64,
    begin: Vec<f64>,
    end: Vec<f64>,
    impulse: Vec<f64>,
}

/// A sweeping process under way.
pub(crate) struct SweepMotion {
    plan: SweepingSettings,
    system: SymbolicSystem,
    process: Process<Box<dyn MovingSet>>,
    complaint: Complaint,
    state: State,
    ledger: StepReport,
    events: Vec<Event>,
    touches: Vec<ActiveConstraint>,
    begin: f64,
    /// The point at the start.
    origin: Vec<f64>,
    until: f64,
    step: f64,
    pace: Option<StepSize>,
    guess: f64,
    count: u32,
    /// Whether the last step ended with a jump.
    jumped: bool,
}

impl SweepMotion {
    /// Starts a process, or says why it cannot start.
    pub fn new(built: BuiltMechanism, plan: SweepingSettings) -> Result<Self, MechanismError> {
        let complaint: Complaint = Arc::new(Mutex::new(None));
        let mut system = built.system;
        let failed = |error: SweepingError, system: &SymbolicSystem| {
            explain(error, &plan, system, &complaint)
        };
        let made = process(&plan, &mut system, &built.initial, &complaint);
        let mut process = made.map_err(|e| failed(e, &system))?;
        let settings = sweep::Settings {
            method: plan.method,
            start: plan.start,
            tolerance: built.settings.tolerance.max(1e-12),
        };
        let set = process.with_settings(settings);
        process = set.map_err(|e| failed(e, &system))?;
        process.begin().map_err(|e| failed(e, &system))?;
        let mut state = built.initial;
        state.q.copy_from_slice(process.point());
        let pace = built.settings.adaptive.map(|a| StepSize::Adaptive {
            excess: a.tolerance,
            shortest: a.smallest,
            longest: a.largest,
        });
        Ok(Self {
            begin: state.t,
            origin: state.q.clone(),
            until: built.until,
            step: built.settings.step,
            pace,
            guess: f64::INFINITY,
            count: 0,
            jumped: false,
            ledger: StepReport {
                t: state.t,
                reached: true,
                gamma: f64::INFINITY,
                ..StepReport::default()
            },
            events: Vec::new(),
            touches: Vec::new(),
            state,
            process,
            plan,
            system,
            complaint,
        })
    }

    /// End of the next recorded step.
    fn next_end(&mut self) -> Result<f64, SweepingError> {
        if let Some(pace) = self.pace {
            let stops = self.plan.jumps.iter().chain(&self.plan.kinks).copied();
            let later = stops.filter(|&t| t > self.process.time());
            let stop = later.fold(self.until, f64::min);
            // Up to a jump the set is that of the left limit.
            let last = match self.plan.jumps.contains(&stop) {
                true => stop.next_down(),
                false => stop,
            };
            if self.process.time() >= last {
                return Ok(stop);
            }
            let end = self.process.next_instant(pace, last, &mut self.guess)?;
            return Ok(if end == last { stop } else { end });
        }
        self.count += 1;
        let end = self.begin + f64::from(self.count) * self.step;
        let left = crate::run::END_TOLERANCE * self.step;
        Ok(if end > self.until - left {
            self.until
        } else {
            end
        })
    }

    /// Goes to `end` through the jumps and kinks before it.
    fn advance_to(&mut self, end: f64) -> Result<sweep::SweepingStep, SweepingError> {
        let from = self.process.time();
        let mut stops: Vec<(f64, bool)> = Vec::new();
        for (list, jumps) in [(&self.plan.jumps, true), (&self.plan.kinks, false)] {
            let inside = list.iter().filter(|t| **t > from && **t <= end);
            stops.extend(inside.map(|&t| (t, jumps)));
        }
        stops.push((end, false));
        stops.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        stops.dedup_by(|later, first| later.0 == first.0);
        let mut whole: Option<sweep::SweepingStep> = None;
        let mut changes = Vec::new();
        for (t, jumps) in stops {
            let last = if jumps { t.next_down() } else { t };
            if self.process.time() < last {
                let step = self.process.advance(last)?;
                changes.extend_from_slice(self.process.changes());
                whole = Some(join(whole, step));
            }
            self.jumped = jumps;
            if jumps {
                whole = Some(join(whole, self.process.jump(t)?));
            }
        }
        for change in changes {
            let (constraint, _) = set::number_of_row(&self.plan, &self.system, change.constraint);
            let kind = match change.held {
                true => EventKind::Touch,
                false => EventKind::Detach,
            };
            self.events.push(Event {
                t: change.time,
                constraint,
                kind,
            });
        }
        Ok(whole.unwrap_or_default())
    }

    /// Impulses of the step, by row of the set.
    fn impulses(&self, h: f64) -> Vec<(usize, f64)> {
        if self.plan.method == Method::EventDriven && !self.jumped {
            let forces = self.process.multiplier_rates().iter();
            return forces.map(|&(k, f)| (k, h * f)).collect();
        }
        let loads = self.process.multipliers().iter().copied().enumerate();
        loads.filter(|(_, l)| *l != 0.0).collect()
    }

    /// What the constraints did, and for time steppers the events it means.
    fn update_constraints(&mut self, h: f64, v_before: &[f64]) -> Result<(), SystemError> {
        let impulses = self.impulses(h);
        let (t, q) = (self.state.t, self.state.q.clone());
        let constraints = self.system.constraints().to_vec();
        let mut gaps = vec![0.0; constraints.iter().map(|c| c.num_gaps()).sum()];
        self.system.gaps(t, &q, &mut gaps)?;
        let mut status = vec![Status::Open; constraints.len()];
        self.touches.clear();
        self.state.impulse.fill(0.0);
        let (mut first, mut first_gap) = (0, 0);
        self.ledger.drift = 0.0;
        for (k, constraint) in constraints.iter().enumerate() {
            let (n, d) = (q.len(), constraint.rows);
            let mut impulse = vec![0.0; d];
            for &(row, value) in &impulses {
                let (which, at) = set::number_of_row(&self.plan, &self.system, row);
                if which == k {
                    // A row of a joint is f = 0 itself, that of a contact −gap ≤ 0.
                    let sign = if constraint.is_contact() { 1.0 } else { -1.0 };
                    impulse[at] += sign * value;
                }
            }
            let gap = gaps.get(first_gap).copied().unwrap_or(0.0);
            if !constraint.is_contact() {
                let here = &gaps[first_gap..first_gap + constraint.num_gaps()];
                let worst = here.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
                self.ledger.drift = self.ledger.drift.max(worst);
            }
            if impulse.iter().any(|s| *s != 0.0) {
                let (mut g, mut w) = (vec![0.0; d * n], vec![0.0; d]);
                self.system.rows(k, t, &q, &mut g, &mut w)?;
                let relative = |v: &[f64]| -> Vec<f64> {
                    let each = g.chunks_exact(n).zip(&w);
                    each.map(|(g, w)| g.iter().zip(v).map(|(g, v)| g * v).sum::<f64>() + w)
                        .collect()
                };
                let (begin, end) = (relative(v_before), relative(&self.state.v));
                status[k] = Status::Stick;
                self.state.impulse[first..first + d].copy_from_slice(&impulse);
                self.touches.push(ActiveConstraint {
                    constraint: k,
                    gap,
                    begin,
                    end,
                    impulse,
                });
            }
            first += d;
            first_gap += constraint.num_gaps();
        }
        if self.plan.method != Method::EventDriven {
            self.compare(&status);
        }
        self.state.status = status;
        Ok(())
    }

    /// Contacts that began or ceased to hold in the step, known to within it.
    fn compare(&mut self, status: &[Status]) {
        for (k, constraint) in self.system.constraints().iter().enumerate() {
            let kind = match (self.state.status[k], status[k]) {
                (Status::Open, Status::Stick) => EventKind::Touch,
                (Status::Stick, Status::Open) => EventKind::Detach,
                _ => continue,
            };
            if constraint.is_contact() {
                self.events.push(Event {
                    t: self.state.t,
                    constraint: k,
                    kind,
                });
            }
        }
    }
}

/// Two parts of one recorded step.
fn join(first: Option<sweep::SweepingStep>, second: sweep::SweepingStep) -> sweep::SweepingStep {
    let Some(first) = first else { return second };
    sweep::SweepingStep {
        length: first.length + second.length,
        moved: first.moved + second.moved,
        distance_before: first.distance_before.max(second.distance_before),
        normal_cone_distance: first.normal_cone_distance.max(second.normal_cone_distance),
        iterations: first.iterations + second.iterations,
        events: first.events + second.events,
        within_tolerance: first.within_tolerance && second.within_tolerance,
        ..second
    }
}

impl SweepMotion {
    /// How far the point is from where it started.
    fn reach(&self) -> f64 {
        let moved = self.state.q.iter().zip(&self.origin);
        moved.fold(0.0, |most: f64, (u, from)| most.max((u - from).abs()))
    }
}

impl Integrator for SweepMotion {
    fn integrate(&mut self) -> Result<(), MechanismError> {
        self.events.clear();
        let from = self.process.time();
        let done = self.next_end().and_then(|end| self.advance_to(end));
        let step = done.map_err(|e| explain(e, &self.plan, &self.system, &self.complaint))?;
        let h = self.process.time() - from;
        let v_before = self.state.v.clone();
        for i in 0..self.state.q.len() {
            let u = self.process.point()[i];
            self.state.v[i] = (u - self.state.q[i]) / h;
            self.state.q[i] = u;
        }
        self.state.t = self.process.time();
        self.update_constraints(h, &v_before)?;
        let summary = self.process.summary();
        let size = 1.0 + self.process.metric().norm(self.process.point());
        let over = summary.bound.map_or(0.0, |bound| {
            let excess = summary.variation - bound * (1.0 + 1e-12) - 1e-12;
            excess.max(0.0) / bound.max(f64::MIN_POSITIVE)
        });
        self.ledger = StepReport {
            t: self.state.t,
            h,
            num_active: self.touches.len(),
            residual: step.normal_cone_distance / size,
            iterations: step.iterations,
            reached: step.within_tolerance,
            penetration: step.distance_after,
            drift: self.ledger.drift,
            gain: over,
            excess: over,
            extent: self.reach(),
            gamma: f64::INFINITY,
            ..StepReport::default()
        };
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn step_report(&self) -> &StepReport {
        &self.ledger
    }

    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>> {
        let each = self.touches.iter();
        each.map(|held| ConstraintReport {
            constraint: held.constraint,
            gap: held.gap,
            begin: &held.begin,
            end: &held.end,
            impulse: &held.impulse,
            projection_impulse: &[],
            status: Status::Stick,
        })
        .collect()
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    /// What the projections have learnt on the way is part of their bits and is not kept: a process is
    /// made again from its start, which takes seconds.
    fn save(&self) -> Option<MotionCheckpoint> {
        None
    }

    fn restore(&mut self, _saved: MotionCheckpoint) -> Result<(), MechanismError> {
        Err(SystemError {
            what: "a sweeping process".into(),
            problem: "has no checkpoints".into(),
            t: self.state.t,
        }
        .into())
    }
}
