//! A sweeping process as an [`Integrator`]: states, step reports, constraint reports and events of
//! a mechanism.
//!
//! Velocities are the mean ones of the step, (u_F − u_I)/h. Impulses are the multipliers of the
//! step: A(u_F − u_I) = h A w + Σ S ∇gap, those of its last part where jumps or kinks divide it;
//! the event-driven method has h times the forces at the end. The step report has the distance to
//! the normal cone (relative to 1 + |u|) as its residual, the distance of u_F outside C(t_F) as its
//! penetration, and as its gain by how much the variation of u exceeds the retraction of C,
//! relative, where that is known (0: never, for the catching-up method). Energies have no meaning
//! here and are 0.

use std::sync::{Arc, Mutex};

use percuss_contact::law::Status;
use percuss_mechanism::{
    ConstraintReport, Event, EventKind, Integrator, MechanismError, MotionCheckpoint, State,
    StepReport, System, SystemError,
};
use percuss_scene::symbolic::SweepingSettings;
use percuss_scene::{BuiltMechanism, SymbolicSystem};
use percuss_sweep::{Method, MovingSet, Process, StepSize, SweepingError};

use super::begin::process;
use super::error::explain;
use super::set::{self, Complaint};

/// A constraint with a multiplier in the step.
struct ActiveConstraint {
    constraint: usize,
    gap: f64,
    begin: Vec<f64>,
    end: Vec<f64>,
    impulse: Vec<f64>,
}

/// A sweeping process under way.
pub struct SweepMotion {
    plan: SweepingSettings,
    system: SymbolicSystem,
    process: Process<Box<dyn MovingSet>>,
    complaint: Complaint,
    state: State,
    ledger: StepReport,
    events: Vec<Event>,
    touches: Vec<ActiveConstraint>,
    begin: f64,
    /// The initial point.
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
    /// Starts a process.
    pub fn new(built: BuiltMechanism, plan: SweepingSettings) -> Result<Self, MechanismError> {
        let complaint: Complaint = Arc::new(Mutex::new(None));
        let mut system = built.system;
        let failed = |error: SweepingError, system: &SymbolicSystem| {
            explain(error, &plan, system, &complaint)
        };
        // Set, metric and drift, then method and tolerance.
        let made = process(&plan, &mut system, &built.initial, &complaint);
        let mut process = made.map_err(|e| failed(e, &system))?;
        let settings = percuss_sweep::Settings {
            method: plan.method,
            start: plan.start,
            tolerance: built.settings.tolerance.max(1e-12),
        };
        let set = process.with_settings(settings);
        process = set.map_err(|e| failed(e, &system))?;
        process.begin().map_err(|e| failed(e, &system))?;
        let mut state = built.initial;
        state.q.copy_from_slice(process.point());
        // Adaptive steps: the set retracts by at most the tolerance in each.
        let pace = built.settings.adaptive.map(|a| StepSize::Adaptive {
            excess: a.tolerance,
            shortest: a.smallest,
            longest: a.largest,
        });
        // The report of the start has h = 0.
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
        // Adaptive: up to the next jump or kink, or the end.
        if let Some(pace) = self.pace {
            let stops = self.plan.jumps.iter().chain(&self.plan.kinks).copied();
            let later = stops.filter(|&t| t > self.process.time());
            let stop = later.fold(self.until, f64::min);
            // Up to a jump the set is the left limit.
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
        // Constant steps: multiples of h from the start, so that rounding does not accumulate.
        self.count += 1;
        let end = self.begin + f64::from(self.count) * self.step;
        let left = percuss_scene::file::END_TOLERANCE * self.step;
        Ok(if end > self.until - left {
            self.until
        } else {
            end
        })
    }

    /// Advances to `end` through the jumps and kinks before it.
    fn advance_to(&mut self, end: f64) -> Result<percuss_sweep::SweepingStep, SweepingError> {
        let from = self.process.time();
        // Instants at which the step is divided; of a jump and a kink at once the jump counts.
        let mut stops: Vec<(f64, bool)> = Vec::new();
        for (list, jumps) in [(&self.plan.jumps, true), (&self.plan.kinks, false)] {
            let inside = list.iter().filter(|t| **t > from && **t <= end);
            stops.extend(inside.map(|&t| (t, jumps)));
        }
        stops.push((end, false));
        stops.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        stops.dedup_by(|later, first| later.0 == first.0);
        let mut whole: Option<percuss_sweep::SweepingStep> = None;
        let mut changes = Vec::new();
        // Each part up to its stop, then the jump of the set.
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
        // Changes of the active set, known exactly to the event-driven method, become events.
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

    /// Updates the constraint reports, and for time stepping the events that the change of status
    /// means.
    fn update_constraints(&mut self, h: f64, v_before: &[f64]) -> Result<(), SystemError> {
        let impulses = self.impulses(h);
        let (t, q) = (self.state.t, self.state.q.clone());
        let constraints = self.system.constraints().to_vec();
        // Gaps at the end of the step.
        let mut gaps = vec![0.0; constraints.iter().map(|c| c.num_gaps()).sum()];
        self.system.gaps(t, &q, &mut gaps)?;
        let mut status = vec![Status::Open; constraints.len()];
        self.touches.clear();
        self.state.impulse.fill(0.0);
        let (mut first, mut first_gap) = (0, 0);
        self.ledger.drift = 0.0;
        // Each constraint: impulse, gap or drift, relative velocities.
        for (k, constraint) in constraints.iter().enumerate() {
            let (n, d) = (q.len(), constraint.rows);
            let mut impulse = vec![0.0; d];
            for &(row, value) in &impulses {
                let (which, at) = set::number_of_row(&self.plan, &self.system, row);
                if which == k {
                    // A row of a joint is f = 0 itself, a row of a contact is −gap ≤ 0.
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
                // Relative velocities before and after, from the rows of the constraint.
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

    /// Contacts that became active or inactive in the step; the time of the event is the end of the
    /// step.
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

/// Combines two parts of one recorded step.
fn join(
    first: Option<percuss_sweep::SweepingStep>,
    second: percuss_sweep::SweepingStep,
) -> percuss_sweep::SweepingStep {
    let Some(first) = first else { return second };
    percuss_sweep::SweepingStep {
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
    /// Largest displacement of a coordinate from the start.
    fn reach(&self) -> f64 {
        let moved = self.state.q.iter().zip(&self.origin);
        moved.fold(0.0, |most: f64, (u, from)| most.max((u - from).abs()))
    }
}

impl Integrator for SweepMotion {
    fn advance(&mut self) -> Result<(), MechanismError> {
        // The step of the process, through jumps and kinks.
        self.events.clear();
        let from = self.process.time();
        let done = self.next_end().and_then(|end| self.advance_to(end));
        let step = done.map_err(|e| explain(e, &self.plan, &self.system, &self.complaint))?;
        let h = self.process.time() - from;
        // Mean velocity of the step, and the new point.
        let v_before = self.state.v.clone();
        for i in 0..self.state.q.len() {
            let u = self.process.point()[i];
            self.state.v[i] = (u - self.state.q[i]) / h;
            self.state.q[i] = u;
        }
        self.state.t = self.process.time();
        self.update_constraints(h, &v_before)?;
        // Step report: variation beyond the retraction of the set is reported as gain.
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

    /// No checkpoints: the projections keep data between steps that affect the last bits of a
    /// result and are not saved. A process is computed again from its start, which takes seconds.
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
