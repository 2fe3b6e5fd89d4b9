//! Time stepping: Moreau's midpoint scheme, the θ-method, Paoli's scheme.
//!
//! ```text
//!                place of A, G, gaps        forces K                             q_F
//! midpoint       t_M, q_I + ½h v_I          (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F        M88 §11
//! θ              t_I + θh, q_I + θh v_I     θ K_F + (1−θ) K_I                    q_I + h v_θ         JM92 §7
//! Paoli          t_F, q_I + h v_I           (t_F, q_F, v_I)                      q_I + h v_I         P15 §2
//! ```
//!
//! A(v_F − v_I) = hK + Σ Gᵀ S with the law of every closed contact between U_F + ρU_I and S: no step
//! treats an impact as something else. Each step accounts for itself ([`Ledger`]).

mod account;
mod adaptive;
mod correct;
mod drive;
mod events;
mod gain;
mod keep;
mod start;

use contact::law::Status;

use crate::error::MechanismError;
use crate::impact;
use crate::inertia::Inertia;
use crate::saved::Saved;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::stage::{Solved, Stage, Weights};
use crate::state::{Event, Ledger, Motion, State, Touch};
use crate::system::{Instant, System};

use events::Watch;

pub(crate) use keep::Pending;

/// Gaps above this share of the coordinates (or above this, where they are small) are open without a
/// look at the lengths that they are made of; [`Stage::touches`] is far below.
const NEAR: f64 = 1e-6;

/// A motion computed step by step.
#[derive(Debug)]
pub struct Stepper<S: System> {
    system: S,
    settings: Settings,
    state: State,
    next: State,
    work: Work,
    ledger: Ledger,
    watch: Watch,
    /// First row of each constraint in [`State::impulse`].
    first_row: Vec<usize>,
    /// First position function of each constraint.
    first_gap: Vec<usize>,
    /// Positions at the start.
    origin: Vec<f64>,
    /// Steps taken and the instant they are counted from, so that t = start + k h exactly.
    clock: (usize, f64),
    /// Length that the next variable step is tried with.
    trial: f64,
    /// Where variable steps end.
    until: f64,
    /// The second half of a variable step that is still to come: its length and its end.
    second_half: Option<(f64, f64)>,
}

/// Scratch of a step; dropping it changes no bit of a result.
#[derive(Debug)]
struct Work {
    inertia: Inertia,
    /// The metric of the linearised step where K is implicit.
    effective: Inertia,
    stage: Stage,
    /// Bilateral rows at the end of the step.
    hold: Stage,
    /// v_F before that.
    loose: Vec<f64>,
    /// Where A, G and the gaps are taken.
    t: f64,
    q: Vec<f64>,
    /// v before the step, after impacts that are treated apart.
    v: Vec<f64>,
    free: Vec<f64>,
    mean: Vec<f64>,
    /// hK of the last iteration.
    impulse: Vec<f64>,
    gaps: Vec<f64>,
    /// γ of every constraint of the stage.
    gamma: Vec<f64>,
    /// Energy lost in impacts treated apart, and their gain.
    struck: (f64, f64),
    solved: Solved,
    /// Whether the force iteration settled.
    settled: bool,
    /// Whether the step was solved again with the ρ of contacts in bilateral rows.
    again: bool,
}

impl Work {
    fn new(positions: usize, velocities: usize, gaps: usize) -> Self {
        let zero = || vec![0.0; velocities];
        Self {
            inertia: Inertia::new(velocities),
            effective: Inertia::new(velocities),
            stage: Stage::new(velocities),
            hold: Stage::new(velocities),
            loose: zero(),
            t: 0.0,
            q: vec![0.0; positions],
            v: zero(),
            free: zero(),
            mean: zero(),
            impulse: zero(),
            gaps: vec![0.0; gaps],
            gamma: Vec::new(),
            struck: (0.0, 0.0),
            solved: Solved {
                residual: 0.0,
                iterations: 0,
                reached: true,
                infeasible: [None; 2],
            },
            settled: true,
            again: false,
        }
    }
}

impl Work {
    /// Impulses of a constraint at the end of the step, by row.
    fn held(&self, constraint: usize) -> &[f64] {
        let place = self.hold.active.iter().position(|c| *c == constraint);
        place.map_or(&[], |k| &self.hold.impulse[self.hold.rows(k)])
    }
}

impl<S: System> Stepper<S> {
    /// The step (t_I, t_F) of length h, into `self.next`.
    fn step(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        self.place(h, end)?;
        self.detect(h)?;
        self.strike()?;
        self.drive(h, end)?;
        self.take_gain_back(h, end)?;
        self.finish_position(h, end);
        self.correct()?;
        self.hold()?;
        self.account(h)
    }

    /// Where A, K, G and the gaps are taken.
    fn place(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        let ahead = match self.settings.scheme {
            Scheme::Theta(theta) => theta,
            Scheme::Paoli => 1.0,
            Scheme::Midpoint | Scheme::Event => 0.5,
        };
        let work = &mut self.work;
        // The end as given: 1·h + t_I would miss it by a rounding.
        work.t = if ahead == 1.0 {
            end
        } else {
            self.state.t + ahead * h
        };
        work.q.copy_from_slice(&self.state.q);
        let chart = self.system.chart();
        chart.advance(&mut work.q, &self.state.v, ahead * h);
        work.v.copy_from_slice(&self.state.v);
        work.struck = (0.0, 0.0);
        work.again = false;
        let at = Instant {
            t: work.t,
            q: &work.q,
            v: &work.v,
        };
        work.inertia.evaluate(&mut self.system, at)
    }

    /// The constraints that take part: closed contacts, and everything else always.
    fn detect(&mut self, h: f64) -> Result<(), MechanismError> {
        let work = &mut self.work;
        self.system.gaps(work.t, &work.q, &mut work.gaps)?;
        work.stage.clear();
        let weights = Weights {
            rebound: matches!(
                self.settings.impact,
                ImpactLaw::Moreau | ImpactLaw::Canonical
            ),
            bilateral: match self.settings.scheme {
                Scheme::Midpoint | Scheme::Event => 1.0,
                // θU_F + (1−θ)U_I = 0.
                Scheme::Theta(theta) => (1.0 - theta) / theta,
                Scheme::Paoli => 0.0,
            },
        };
        // A gap that is computed from coordinates of this size is closed to rounding.
        let size = work.q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let rounding = 8.0 * f64::EPSILON * size;
        for i in 0..self.first_row.len() - 1 {
            let contact = self.system.constraints()[i].is_contact();
            let gap = work.gaps.get(self.first_gap[i]).copied();
            let gap = gap.filter(|_| contact).unwrap_or(0.0);
            if gap > NEAR * size {
                continue;
            }
            let at = Instant {
                t: work.t,
                q: &work.q,
                v: &work.v,
            };
            let previous = self.state.status[i];
            work.stage
                .push(&mut self.system, i, at, h, previous, weights)?;
            if gap > rounding && !work.stage.touches(gap, (&work.q, &work.v), h) {
                work.stage.pop();
                continue;
            }
            let k = work.stage.active.len() - 1;
            let rows = work.stage.rows(k);
            let held = self.first_row[i]..self.first_row[i + 1];
            work.stage.impulse[rows].copy_from_slice(&self.state.impulse[held]);
        }
        self.one_restitution()
    }

    /// The canonical law gives every contact of the step the same restitution.
    fn one_restitution(&mut self) -> Result<(), MechanismError> {
        if self.settings.impact != ImpactLaw::Canonical {
            return Ok(());
        }
        let work = &mut self.work;
        let contact = |i: &&usize| self.system.constraints()[**i].is_contact();
        let contacts: Vec<usize> = work.stage.active.iter().filter(contact).copied().collect();
        let at = Instant {
            t: work.t,
            q: &work.q,
            v: &work.v,
        };
        let e = impact::common_restitution(&mut self.system, at, &contacts)?;
        for k in 0..work.stage.active.len() {
            if contacts.contains(&work.stage.active[k]) {
                let row = work.stage.rows(k).start;
                work.stage.weight[row] = e;
                work.stage.restitution[k].normal = e;
            }
        }
        Ok(())
    }

    /// Impact laws that are no condition on U_F + ρU_I are applied to v_I first; the step then goes
    /// on softly from there.
    fn strike(&mut self) -> Result<(), MechanismError> {
        let law = self.settings.impact;
        if matches!(law, ImpactLaw::Moreau | ImpactLaw::Canonical) {
            return Ok(());
        }
        let work = &mut self.work;
        let mut closed = Vec::new();
        let mut collides = false;
        for (k, &i) in work.stage.active.iter().enumerate() {
            if self.system.constraints()[i].is_contact() {
                closed.push(i);
                collides |= work.stage.begin[work.stage.offset[k]] < -impact::AT_REST;
            }
        }
        if !collides {
            return Ok(());
        }
        let before = self.state.v.clone();
        let at = Instant {
            t: work.t,
            q: &work.q,
            v: &before,
        };
        let tolerance = self.settings.tolerance;
        let struck = impact::resolve(law, &mut self.system, at, &closed, tolerance)?;
        work.v.copy_from_slice(&struck.velocity);
        let change = struck.energy.1 - struck.energy.0;
        work.struck = (change, change.max(0.0));
        work.stage.note_strike(&struck, &work.v);
        Ok(())
    }

    fn finish_position(&mut self, h: f64, end: f64) {
        let (work, next) = (&mut self.work, &mut self.next);
        let chart = self.system.chart();
        next.t = end;
        match self.settings.scheme {
            Scheme::Midpoint | Scheme::Event => {
                next.q.copy_from_slice(&work.q);
                chart.advance(&mut next.q, &next.v, 0.5 * h);
            }
            Scheme::Paoli => next.q.copy_from_slice(&work.q),
            Scheme::Theta(theta) => {
                next.q.copy_from_slice(&self.state.q);
                for i in 0..work.mean.len() {
                    work.mean[i] = theta * next.v[i] + (1.0 - theta) * work.v[i];
                }
                chart.advance(&mut next.q, &work.mean, h);
            }
        }
    }

    /// The mechanism.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// Gives the mechanism back.
    pub fn into_system(self) -> S {
        self.system
    }
}

impl<S: System> Motion for Stepper<S> {
    fn advance(&mut self) -> Result<(), MechanismError> {
        if self.settings.adaptive.is_some() {
            return self.advance_adaptively();
        }
        let (k, start) = self.clock;
        let h = self.settings.step;
        let end = start + (k + 1) as f64 * h;
        self.step(h, end)?;
        self.accept();
        self.clock.0 += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn touches(&self) -> Vec<Touch<'_>> {
        let stage = &self.work.stage;
        let touch = |(k, &constraint): (usize, &usize)| {
            let rows = stage.rows(k);
            let gap = self.first_gap[constraint];
            let has = self.first_gap[constraint + 1] > gap;
            Touch {
                constraint,
                gap: if has { self.work.gaps[gap] } else { 0.0 },
                begin: &stage.begin[rows.clone()],
                end: &stage.end[rows.clone()],
                impulse: &stage.impulse[rows],
                hold: self.work.held(constraint),
                status: self.state.status[constraint],
            }
        };
        stage.active.iter().enumerate().map(touch).collect()
    }

    fn events(&self) -> &[Event] {
        &self.watch.events
    }

    fn save(&self) -> Option<Saved> {
        Some(self.keep())
    }

    fn restore(&mut self, saved: Saved) -> Result<(), MechanismError> {
        self.put_back(saved)
    }
}

impl<S: System> Stepper<S> {
    /// The step just computed becomes the state.
    fn accept(&mut self) {
        self.next.impulse.fill(0.0);
        self.next.status.fill(Status::Open);
        let stage = &self.work.stage;
        for (k, &i) in stage.active.iter().enumerate() {
            let held = self.first_row[i]..self.first_row[i + 1];
            self.next.impulse[held].copy_from_slice(&stage.impulse[stage.rows(k)]);
            self.next.status[i] = stage.status(k);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.watch.note(
            &self.system,
            stage,
            &self.next,
            &self.state,
            &self.work.gamma,
        );
    }
}
