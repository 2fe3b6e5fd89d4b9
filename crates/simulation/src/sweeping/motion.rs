//! A sweeping process as an [`Integrator`]: states, step reports, constraint reports and events of
//! a mechanism.
//!
//! A step is cut at a kink of the set and at an instant t where it jumps. A jump is a step of its own
//! from the last number before t, where C is its left limit and the point u⁻, to t, where C is its
//! value and the point u⁺ (M99 §6): both limits are states of the motion. The steps after a cut end
//! at multiples of the step length again.
//!
//! Velocities are the mean ones of the step, (u_F − u_I)/h, and 0 for a jump. Impulses are the
//! multipliers of the step: A(u_F − u_I) = h A w + Σ S ∇gap; the event-driven method has h times the
//! forces at the end. The step report has the distance to
//! the normal cone (relative to 1 + |u|) as its residual, the distance of u_F outside C(t_F) as its
//! penetration, and as its gain by how much the variation of u exceeds the retraction of C,
//! relative, where that is known (0: never, for the catching-up method). `path` has both sums. Energies have no meaning
//! here and are 0.

use std::sync::{Arc, Mutex};

use percuss_contact::law::Status;
use percuss_mechanism::{
    ConstraintReport, Event, EventKind, Integrator, MechanismError, MotionCheckpoint, PathSums,
    State, StepReport, System, SystemError,
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
    /// Whether the last step was a jump.
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
            retraction: plan.policy,
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
                path: PathSums {
                    radius: f64::INFINITY,
                    ..PathSums::default()
                },
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

    /// The next instant at which a step ends whatever its length: where the set jumps, then its left limit
    /// (`true` for the jump itself), a kink, the end.
    fn next_stop(&self) -> (f64, bool) {
        let now = self.process.time();
        let mut stop = (self.until, false);
        for &t in &self.plan.kinks {
            if t > now && t < stop.0 {
                stop = (t, false);
            }
        }
        for &t in self
            .plan
            .jumps
            .iter()
            .filter(|t| **t > now && **t <= self.until)
        {
            // At the left limit already: the jump comes next.
            if t.next_down() <= now {
                return (t, true);
            }
            if t.next_down() < stop.0 {
                stop = (t.next_down(), false);
            }
        }
        stop
    }

    /// End of the next step, and whether it is a jump.
    fn next_end(&mut self) -> Result<(f64, bool), SweepingError> {
        let (stop, jump) = self.next_stop();
        if jump {
            return Ok((stop, true));
        }
        // The set is not looked at beyond its next jump.
        let now = self.process.time();
        let jumps = self.plan.jumps.iter().filter(|t| **t > now);
        let horizon = jumps.copied().fold(f64::INFINITY, f64::min).next_down();
        self.process.set_horizon(horizon);
        if let Some(pace) = self.pace {
            let end = self.process.next_instant(pace, stop, &mut self.guess)?;
            return Ok((end, false));
        }
        // Constant steps: multiples of h from the start, so that rounding does not accumulate. A multiple that is
        // a stop to rounding is the stop.
        let end = self.begin + f64::from(self.count + 1) * self.step;
        let left = percuss_scene::file::END_TOLERANCE * self.step;
        if end < stop + left {
            self.count += 1;
        }
        Ok((if end > stop - left { stop } else { end }, false))
    }

    /// Advances to `end`: by a step, or by a jump of the set.
    fn advance_to(
        &mut self,
        (end, jump): (f64, bool),
    ) -> Result<percuss_sweep::SweepingStep, SweepingError> {
        self.jumped = jump;
        if jump {
            return self.process.jump(end);
        }
        let step = self.process.advance(end)?;
        // Changes of the active set, known exactly to the event-driven method, become events.
        for change in self.process.changes() {
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
        Ok(step)
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
        let jumped = self.jumped;
        // Mean velocity of the step, and the new point.
        let v_before = self.state.v.clone();
        for i in 0..self.state.q.len() {
            let u = self.process.point()[i];
            self.state.v[i] = match jumped {
                true => 0.0,
                false => (u - self.state.q[i]) / h,
            };
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
            path: PathSums {
                variation: summary.variation,
                retraction: summary.retraction.unwrap_or(f64::NAN),
                radius: step.prox_regularity_radius.unwrap_or(f64::INFINITY),
            },
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
