//! Momentum and energy balance of an output interval.
//!
//! ```text
//! T_F − T_I = ∫ (K·v + ½ vᵀȦv) dt + Σ ∫ R·(U − W) dt + Σ S·½(U⁺ + U⁻) − S·W
//! ```
//!
//! K contains Lagrange's velocity terms, so K·v + ½ vᵀȦv is the power of the given forces. Reactions and powers are
//! integrated with the motion, as further entries of its differential equation; Ȧ is differenced from A along the
//! continuous extension of each step.

use percuss_contact::law::Status;
use percuss_convex::dense;

use super::dormand_prince::DormandPrince;
use super::{ConstraintTrace, EventDriven, MotionMemory};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::modes::evaluated_state::EvaluatedState;
use crate::painleve;
use crate::state::{Event, EventKind, StepReport};
use crate::step_problem::{ConstraintImpulse, SlidingRule, restitution};
use crate::system::{StateRef, System};

/// Number of quadratures beside the impulses: work of K, of friction, of moving boundaries.
pub(super) const SUMS: usize = 3;

/// Gauss–Legendre nodes and weights on [0, 1], exact to degree 7.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_92),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_1),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_1),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_92),
];

/// Sums over one output interval.
#[derive(Debug, Clone, Default)]
pub(super) struct IntervalSums {
    /// Impulses by row of all constraints.
    pub(super) impulse: Vec<f64>,
    /// Works of K, of friction, of moving boundaries.
    pub(super) sums: [f64; SUMS],
    /// ∫ ½ vᵀȦv dt.
    pub(super) mass_rate_work: f64,
    /// Work of normal impulses in jumps.
    pub(super) impact: f64,
    /// Largest defect of the modes and of impact problems.
    pub(super) residual: f64,
    /// Largest momentum residual of a jump.
    momentum: f64,
    /// Energy gained in jumps, and whether coefficients of contacts of one jump differ.
    gain: f64,
    mixed: bool,
    /// Integration steps.
    pub(super) steps: usize,
    pub(super) events: Vec<Event>,
    /// Time of the last event, and how many events came without time passing.
    pub(super) repeated_instant: (f64, usize),
    /// U of every constraint at the beginning.
    begin: Vec<Vec<f64>>,
    /// Kinetic energy at the beginning.
    kinetic: f64,
}

impl IntervalSums {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            impulse: vec![0.0; rows],
            repeated_instant: (f64::NEG_INFINITY, 0),
            ..Self::default()
        }
    }

    /// Stores the velocities and the energy at the beginning.
    pub(super) fn begin<S: System>(
        &mut self,
        system: &mut S,
        now: &MotionMemory,
    ) -> Result<(), MechanismError> {
        self.begin = velocities(system, now)?;
        self.kinetic = inertia(system, now)?.energy(&now.v);
        Ok(())
    }
}

/// U of every constraint.
fn velocities<S: System>(
    system: &mut S,
    now: &MotionMemory,
) -> Result<Vec<Vec<f64>>, MechanismError> {
    let n = now.v.len();
    let mut all = Vec::with_capacity(now.modes.len());
    for i in 0..now.modes.len() {
        let rows = system.constraints()[i].rows;
        let (mut g, mut u) = (vec![0.0; rows * n], vec![0.0; rows]);
        system.rows(i, now.t, &now.q, &mut g, &mut u)?;
        for row in 0..rows {
            u[row] += dense::dot(&g[row * n..(row + 1) * n], &now.v);
        }
        all.push(u);
    }
    Ok(all)
}

/// A, its factor and K at the present state.
fn inertia<S: System>(system: &mut S, now: &MotionMemory) -> Result<Inertia, MechanismError> {
    let mut inertia = Inertia::new(now.v.len());
    let at = StateRef {
        t: now.t,
        q: &now.q,
        v: &now.v,
    };
    inertia.evaluate(system, at)?;
    Ok(inertia)
}

impl<S: System> EventDriven<S> {
    /// First row of each constraint.
    pub(super) fn first_rows(&self) -> Vec<usize> {
        let mut first = vec![0];
        for constraint in self.system.constraints() {
            first.push(first[first.len() - 1] + constraint.rows);
        }
        first
    }

    /// Adds a velocity jump and its impulses to the sums.
    pub(super) fn add_jump(
        &mut self,
        frame: &EvaluatedState,
        before: &[f64],
        impulse: &[ConstraintImpulse],
    ) {
        let n = before.len();
        let first = self.first_rows();
        let mut given: Vec<f64> = vec![0.0; n];
        let mut gained = 0.0;
        self.interval_sums.mixed |= self.has_mixed_restitution(impulse);
        // Work of each row, ½ S (U⁻ + U⁺), and of moving boundaries.
        for given_to in impulse {
            let constraint = given_to.constraint;
            let Some(local) = frame.locals.iter().find(|l| l.constraint == constraint) else {
                continue;
            };
            for (i, &s) in given_to.impulse.iter().enumerate() {
                let g = &local.jacobian[i * n..(i + 1) * n];
                let after = local.boundary[i] + dense::dot(g, &self.now.v);
                let work = 0.5 * s * (local.u[i] + after);
                gained += work;
                if i < local.structure.normal {
                    self.interval_sums.impact += work;
                } else {
                    self.interval_sums.sums[1] += work;
                }
                self.interval_sums.sums[2] -= s * local.boundary[i];
                self.interval_sums.impulse[first[constraint] + i] += s;
                dense::axpy(s, g, &mut given);
            }
        }
        self.interval_sums.gain += gained.max(0.0);
        // Momentum residual of the jump: A(v⁺ − v⁻) − Σ GᵀS, relative to its larger term.
        let change: Vec<f64> = self.now.v.iter().zip(before).map(|(a, b)| a - b).collect();
        let mut momentum = vec![0.0; n];
        dense::mul_into(&frame.inertia.mass, &change, &mut momentum);
        let mut rest: Vec<f64> = momentum.iter().zip(&given).map(|(a, b)| a - b).collect();
        let size = (frame.inertia.dual_norm(&mut momentum))
            .max(frame.inertia.dual_norm(&mut given))
            .max(f64::MIN_POSITIVE);
        let share = frame.inertia.dual_norm(&mut rest) / size;
        self.interval_sums.momentum = self.interval_sums.momentum.max(share);
    }

    /// Whether restitution coefficients of the contacts of a jump differ, the tangential ones included.
    fn has_mixed_restitution(&mut self, impulse: &[ConstraintImpulse]) -> bool {
        let at = StateRef {
            t: self.now.t,
            q: &self.now.q,
            v: &self.now.v,
        };
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for ConstraintImpulse {
            constraint,
            impulse,
        } in impulse
        {
            if !self.system.constraints()[*constraint].is_contact() {
                continue;
            }
            let Ok(e) = restitution(&mut self.system, *constraint, at) else {
                continue;
            };
            let rows = impulse.iter().enumerate().filter(|(_, s)| **s != 0.0);
            for (row, _) in rows {
                let e = if row == 0 { e.normal } else { e.tangential };
                range = (range.0.min(e), range.1.max(e));
            }
        }
        range.0 < range.1
    }

    /// ∫ ½ vᵀȦv by Gauss quadrature over the share of a step that was taken; `same` says that A did not change.
    pub(super) fn integrate_mass_rate(
        &mut self,
        runge: &DormandPrince,
        share: f64,
        same: bool,
    ) -> Result<(), MechanismError> {
        if same || !(share > 0.0) {
            return Ok(());
        }
        let (np, n) = (self.now.q.len(), self.now.v.len());
        let mut y = vec![0.0; np + n + self.interval_sums.impulse.len() + SUMS];
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        // Central difference of order 4; a fiftieth of a step is far below its time scale.
        let reach = 0.02 * share;
        for (node, weight) in GAUSS {
            runge.at(node * share, &mut y);
            let v = y[np..np + n].to_vec();
            let mut slope = 0.0;
            for (k, c) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
                let s = node * share + k * reach;
                runge.at(s, &mut y);
                let t = runge.t + s * runge.h;
                (self.system).dynamics(t, &y[..np], &v, &mut mass, &mut force)?;
                let twice: f64 = (0..n)
                    .map(|i| v[i] * dense::dot(&mass[i * n..(i + 1) * n], &v))
                    .sum();
                slope += c * twice;
            }
            self.interval_sums.mass_rate_work += 0.5 * weight * share * slope / (12.0 * reach);
        }
        Ok(())
    }

    /// Ends the interval of length `h`: state, constraint traces, report and events.
    pub(super) fn commit(&mut self, h: f64) -> Result<(), MechanismError> {
        let end = velocities(&mut self.system, &self.now)?;
        let inertia = inertia(&mut self.system, &self.now)?;
        let (gaps, first) = self.gaps()?;
        self.state.t = self.now.t;
        self.state.q.clone_from(&self.now.q);
        self.state.v.clone_from(&self.now.v);
        self.state.impulse.clone_from(&self.interval_sums.impulse);
        self.state.status = self.now.modes.iter().map(|m| m.status()).collect();
        let rows = self.first_rows();
        self.traces.clear();
        // Position errors and extent; a trace of every constraint that acted.
        let (mut penetration, mut drift) = (0.0_f64, 0.0_f64);
        let mut worst = [None; 3];
        let moved = self.now.q.iter().zip(&self.origin);
        let mut extent = moved.fold(0.0_f64, |m, (q, from)| m.max((q - from).abs()));
        for (i, end) in end.into_iter().enumerate() {
            let constraint = &self.system.constraints()[i];
            let values = &gaps[first[i]..first[i + 1]];
            if constraint.is_contact() {
                extent = extent.max(values[0].abs());
                if -values[0] > penetration {
                    (penetration, worst[0]) = (-values[0], Some(i as u32));
                }
            } else {
                let error = values.iter().fold(0.0_f64, |d, f| d.max(f.abs()));
                if error > drift {
                    (drift, worst[1]) = (error, Some(i as u32));
                }
            }
            let impulse = self.interval_sums.impulse[rows[i]..rows[i + 1]].to_vec();
            if self.state.status[i] == Status::Open && impulse.iter().all(|&s| s == 0.0) {
                continue;
            }
            self.traces.push(ConstraintTrace {
                constraint: i,
                gap: values.first().copied().unwrap_or(0.0),
                begin: self
                    .interval_sums
                    .begin
                    .get(i)
                    .cloned()
                    .unwrap_or(end.clone()),
                end,
                impulse,
            });
        }
        let kinetic = inertia.energy(&self.now.v);
        // Energy scale: the present energy, and what the forces could give in an interval.
        let given = inertia.dual_norm(&mut inertia.force.clone()) * self.settings.step;
        self.now.energy = self.now.energy.max(kinetic).max(0.5 * given * given);
        let potential = self.system.potential(self.now.t, &self.now.q)?;
        let gamma = self.least_gamma()?;
        self.report = StepReport {
            extent,
            worst,
            ..self.balance(h, kinetic, potential, (penetration, drift), gamma)
        };
        self.publish_events();
        Ok(())
    }

    /// Smallest γ of the contacts that slide here, of the joints that slide and have more than one continuation, and of the
    /// instants of this interval at which either was found: a contact that jumped then no longer slides here.
    fn least_gamma(&mut self) -> Result<f64, MechanismError> {
        let mut least = f64::INFINITY;
        for i in 0..self.now.modes.len() {
            if self.now.modes[i].status() != Status::Slip {
                continue;
            }
            let gamma = match self.system.constraints()[i].is_contact() {
                true => {
                    let (at, rule) = (self.now.instant(), SlidingRule::Coulomb);
                    painleve::gamma_if_nonunique(&mut self.system, i, at, rule, None)?
                }
                false => self.gamma_of_nonunique_joint(i)?,
            };
            // Not twice in an interval: the mode selection may have recorded it.
            let told =
                |e: &Event| e.constraint == i && matches!(e.kind, EventKind::Painleve { .. });
            let news = !self.interval_sums.events.iter().any(told);
            if gamma <= 0.0 && self.report.gamma > 0.0 && news {
                self.report_painleve(i)?;
            }
            least = least.min(gamma);
        }
        let events = self.interval_sums.events.iter();
        Ok(events.fold(least, |least, event| match event.kind {
            EventKind::Painleve { gamma } => least.min(gamma),
            _ => least,
        }))
    }

    /// γ of a joint where the laws admit more than one acceleration, else +∞.
    fn gamma_of_nonunique_joint(&mut self, joint: usize) -> Result<f64, MechanismError> {
        let at = self.now.instant();
        let gamma = painleve::gamma(&mut self.system, joint, at)?;
        if gamma > 0.0 || painleve::joint_accelerations(&mut self.system, joint, at)?.len() < 2 {
            return Ok(f64::INFINITY);
        }
        Ok(gamma)
    }

    /// Energy balance of the interval, as a report.
    fn balance(
        &self,
        h: f64,
        kinetic: f64,
        potential: f64,
        (penetration, drift): (f64, f64),
        gamma: f64,
    ) -> StepReport {
        let tally = &self.interval_sums;
        let [power, sliding, boundary] = tally.sums;
        // Energy residual, relative to the largest term.
        let work = power + tally.mass_rate_work;
        let terms = [work, tally.impact, sliding, boundary];
        let left = kinetic - tally.kinetic - terms.iter().sum::<f64>();
        let sizes = terms.iter().map(|x| x.abs());
        // Near rest the terms are rounding of earlier, larger ones; the floor keeps 1e-16 of those below 1e-12.
        let floor = 1e-4 * self.now.energy;
        let size = sizes.fold(kinetic.max(tally.kinetic).max(floor), f64::max);
        let over = |x: f64, size: f64| if x == 0.0 { 0.0 } else { x / size };
        // Energy scale of the interval.
        let turnover = [tally.kinetic, work.abs(), boundary.abs(), floor];
        let turnover = turnover.into_iter().fold(0.0, f64::max);
        let gain = over(tally.gain, turnover);
        StepReport {
            t: self.now.t,
            h,
            num_active: self.traces.len(),
            residual: tally.residual,
            iterations: tally.steps,
            reached: tally.residual <= self.settings.tolerance,
            penetration,
            drift,
            momentum: tally.momentum,
            kinetic,
            potential,
            work,
            impact: tally.impact,
            sliding,
            boundary,
            energy: over(left.abs(), size),
            turnover,
            gain,
            // With one restitution for all, an impact law that gains energy is refused; so a gain is inadmissible.
            excess: if tally.mixed { 0.0 } else { gain },
            mixed: tally.mixed,
            gamma,
            ..StepReport::default()
        }
    }

    /// Events of the interval in order, with the accumulations that fall into it.
    fn publish_events(&mut self) {
        self.events.clear();
        self.events.append(&mut self.interval_sums.events);
        let t = self.now.t;
        let (due, later) = self.now.pending.iter().partition(|event| event.t <= t);
        self.events.extend::<Vec<Event>>(due);
        self.now.pending = later;
        self.events.sort_by(|a, b| a.t.total_cmp(&b.t));
    }
}
