//! Event-driven method for C(t) = { c_k ≤ 0 } (M99 §3.2, §4.1).
//!
//! Between events the functions of the active set K stay at 0 and u follows the smooth equation
//!
//! ```text
//! u̇ = argmin { |w + f|_A : ∇c_k·w = −∂c_k/∂t, k ∈ K },      A(u̇ + f) = −Σ λ_k ∇c_k
//! ```
//!
//! integrated by Dormand and Prince's pair of orders 5 and 4 and projected back to c_K = 0 after each step. Events: a
//! function outside K reaches 0; a multiplier of K falls to 0. They are located to rounding by shortening the step, and
//! K is selected anew from the admissible right velocities (M99 13): the rows with a positive multiplier in argmin { |w
//! + f| : ∂c_k/∂t + ∇c_k·w ≤ 0 where c_k = 0 }.
//!
//! Limits: functions twice differentiable in x and their motion smooth between the given stops; finitely many events;
//! dense algebra. Accumulating events end in an error with the time.

use super::smooth_flow::{SmoothFlow, TOUCH, worst};
use super::{Process, SweepingStep};
use crate::error::{Result, SweepingError};
use crate::inequality_set::cone_distance;
use crate::lane_sums::{norm, sub};
use crate::moving_set::MovingSet;

/// Tolerance of the local error per step, relative to 1 + |u|.
const LOCAL: f64 = 1e-13;

/// Multiplier, relative to the largest speed met, below which a row is not active.
const HOLD: f64 = 1e-11;

/// Maximum number of steps of one interval: smooth functions take some tens. At a kink inside a function, such as that
/// of `abs`, no step is accurate enough and the step length goes to zero.
const STEPS: usize = 20_000;

/// What is kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct EventMemory {
    /// Largest speed met: the unit of multiplier rates.
    speed_scale: f64,
    /// Length of the last step that met the tolerance.
    guess: Option<f64>,
    /// Changes of the active set in the last step.
    pub(super) changes: Vec<ActiveSetChange>,
    /// Multiplier rates of the active functions at its end.
    pub(super) multiplier_rates: Vec<(usize, f64)>,
}

/// A change of the active set: a function becomes active or inactive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActiveSetChange {
    /// Time of the change.
    pub time: f64,
    /// Index k of c_k.
    pub constraint: usize,
    /// Whether it is active from now on.
    pub held: bool,
}

/// State of the integration within a step of the process.
struct IntegrationState {
    t: f64,
    u: Vec<f64>,
    /// The active set K.
    held: Vec<usize>,
    /// Grazing functions: c_k = 0 but not active; they may leave without an event.
    grazing: Vec<usize>,
    steps: usize,
    events: usize,
    /// Number of events at the same instant.
    events_at_instant: usize,
}

impl<S: MovingSet> Process<S> {
    /// Integrates to the time `to`, through all events on the way.
    pub(super) fn event_driven(&mut self, to: f64) -> Result<SweepingStep> {
        let metric = self.metric.to_convex(self.point.len())?;
        let flow = |t: f64, u: &[f64]| self.perturbation_at(t, u);
        let Some(functions) = self.set.inequalities() else {
            return Err(SweepingError::Unsupported {
                method: "the event-driven method",
                need: "the functions c_k of C(t) = { c_k <= 0 }",
            });
        };
        // Functions, metric and perturbation of the smooth equation.
        let smooth = SmoothFlow {
            functions,
            metric: &metric,
            flow: &flow,
        };
        let mut referee = self.event_memory.clone();
        let mut leg = IntegrationState {
            t: self.time,
            u: self.point.clone(),
            held: Vec::new(),
            grazing: Vec::new(),
            steps: 0,
            events: 0,
            events_at_instant: 0,
        };
        referee.changes.clear();
        // Active set at the start, then from event to event.
        select_active_set(&smooth, &mut referee, &mut leg)?;
        while leg.t < to {
            step_to_event(&smooth, &mut referee, &mut leg, to)?;
            if leg.steps > STEPS && leg.t < to {
                return Err(SweepingError::NotConverged {
                    what: "the event-driven method (its steps shorten to nothing: a function that is \
                           not twice differentiable, as one with `abs`, `min` or `max`; write its \
                           pieces as contacts of their own, or use the catching-up method)",
                    time: leg.t,
                    iterations: leg.steps,
                    residual: to - leg.t,
                });
            }
        }
        // Report: right velocity at the end, normal-cone check per unit of time.
        let (local, end) = (
            smooth.local(to, &leg.u)?,
            smooth.velocity(to, &leg.u, &leg.held, true)?,
        );
        let forces = leg.held.iter().zip(&end.multipliers);
        referee.multiplier_rates = forces.map(|(&k, &l)| (k, l)).collect();
        let f = self.perturbation_at(to, &leg.u)?;
        let mut y: Vec<f64> = (0..f.len()).map(|i| -(end.point[i] + f[i])).collect();
        self.metric.lower(&mut y);
        let normality = cone_distance(&metric, &local.values, &local.gradients, &leg.u, &y, to)?;
        let h = to - self.time;
        let retraction = self.retraction(self.time, to)?;
        let step = SweepingStep {
            time: to,
            length: h,
            moved: self.metric.norm(&sub(&leg.u, &self.point)),
            distance_before: 0.0,
            distance_after: worst(&local, leg.u.len()),
            normal_cone_distance: normality * h,
            retraction,
            perturbation_length: h * self.metric.norm(&f),
            prox_regularity_radius: None,
            iterations: leg.steps,
            events: leg.events,
            within_tolerance: false,
            jump: false,
        };
        self.event_memory = referee;
        self.point = leg.u;
        Ok(self.with_verdict(step))
    }
}

/// Selects the active set K from the admissible right velocities.
fn select_active_set(
    smooth: &SmoothFlow<'_>,
    referee: &mut EventMemory,
    leg: &mut IntegrationState,
) -> Result<()> {
    let n = leg.u.len();
    let local = smooth.local(leg.t, &leg.u)?;
    // Functions at zero, to rounding.
    let touch = -TOUCH * (1.0 + norm(&leg.u));
    let length = |k: usize| norm(&local.gradients[k * n..(k + 1) * n]);
    let touched: Vec<usize> = (0..local.values.len())
        .filter(|&k| local.values[k] >= touch * length(k))
        .collect();
    let right = smooth.velocity(leg.t, &leg.u, &touched, false)?;
    let f = (smooth.flow)(leg.t, &leg.u)?;
    referee.speed_scale = referee.speed_scale.max(norm(&right.point)).max(norm(&f));
    leg.held.clear();
    leg.grazing.clear();
    // Active where the multiplier is positive.
    for (i, &k) in touched.iter().enumerate() {
        if right.multipliers[i] * length(k) > HOLD * referee.speed_scale {
            leg.held.push(k);
        } else {
            leg.grazing.push(k);
        }
    }
    Ok(())
}

/// One step within the tolerance, shortened to the first event in it.
fn step_to_event(
    smooth: &SmoothFlow<'_>,
    referee: &mut EventMemory,
    leg: &mut IntegrationState,
    to: f64,
) -> Result<()> {
    let left = to - leg.t;
    let mut h = referee.guess.unwrap_or(left).min(left);
    let size = 1.0 + norm(&leg.u);
    // Step size control: error of order 5.
    let end = loop {
        let (end, error) = smooth.dormand_prince(leg.t, &leg.u, h, &leg.held)?;
        let ratio = error / (LOCAL * size);
        leg.steps += 1;
        // Below 1e-10 of the interval the estimate is rounding, not truncation.
        if ratio <= 1.0 || h <= 1e-10 * left.max(f64::MIN_POSITIVE) {
            if h < left || ratio > 0.1 {
                referee.guess = Some(h * (0.9 * ratio.max(1e-9).powf(-0.2)).clamp(0.2, 4.0));
            }
            break end;
        }
        h *= (0.9 * ratio.powf(-0.2)).clamp(0.1, 0.9);
    };
    // Event functions at the midpoint, too, so that a function that is violated within the step only is seen.
    let alarm_at = |h: f64| -> Result<(f64, usize, Vec<f64>)> {
        let (x, _) = smooth.dormand_prince(leg.t, &leg.u, h, &leg.held)?;
        let (signal, who) =
            smooth.largest_event_function(leg.t + h, &x, &leg.held, &leg.grazing)?;
        Ok((signal, who, x))
    };
    let unit = HOLD * referee.speed_scale.min(size);
    let (middle, middle_who, _) = alarm_at(0.5 * h)?;
    let (signal, who) = smooth.largest_event_function(leg.t + h, &end, &leg.held, &leg.grazing)?;
    // No event: accept the step.
    let (over, culprit) = if middle > unit {
        (0.5 * h, middle_who)
    } else if signal > unit {
        (h, who)
    } else {
        leg.t = if h >= left { to } else { leg.t + h };
        leg.u = end;
        leg.events_at_instant = 0;
        return Ok(());
    };
    // Event: shorten the step to it and select the active set anew.
    let (at, x, who) = locate(over, culprit, &alarm_at)?;
    leg.events += 1;
    leg.events_at_instant = if at > 1e-12 * left {
        0
    } else {
        leg.events_at_instant + 1
    };
    if leg.events_at_instant > 2 * smooth.functions.count() + 10 {
        return Err(SweepingError::NotConverged {
            what: "the event-driven method (events accumulate; use the catching-up method)",
            time: leg.t,
            iterations: leg.events,
            residual: at,
        });
    }
    leg.t += at;
    leg.u = x;
    switch_active_set(smooth, referee, leg, who)
}

/// Root of the largest event function between 0 and `over`: the step length, the point there, and the function.
fn locate(
    over: f64,
    culprit: usize,
    alarm_at: &impl Fn(f64) -> Result<(f64, usize, Vec<f64>)>,
) -> Result<(f64, Vec<f64>, usize)> {
    let (mut low, mut high, mut who) = (0.0, over, culprit);
    let (mut f_low, mut f_high) = (f64::NAN, f64::NAN);
    for round in 0..200 {
        // Regula falsi with bisection every other time: the largest event function is only piecewise smooth.
        let secant = low + (high - low) * f_low / (f_low - f_high);
        let mid = if round % 2 == 1 && secant > low && secant < high {
            secant
        } else {
            0.5 * (low + high)
        };
        if high - low <= 1e-16 * over || mid <= low || mid >= high {
            break;
        }
        let (signal, at, _) = alarm_at(mid)?;
        if signal > 0.0 {
            (high, f_high, who) = (mid, signal, at);
        } else {
            (low, f_low) = (mid, signal);
        }
    }
    let (_, _, x) = alarm_at(high)?;
    Ok((high, x, who))
}

/// Active set after an event of function `who`. Where the right velocity does not decide (grazing), its derivative
/// does: the function changes sides.
fn switch_active_set(
    smooth: &SmoothFlow<'_>,
    referee: &mut EventMemory,
    leg: &mut IntegrationState,
    who: usize,
) -> Result<()> {
    // New active set; a grazing function that did not change sides is switched.
    let before = leg.held.clone();
    let was_held = before.contains(&who);
    select_active_set(smooth, referee, leg)?;
    let is_held = leg.held.contains(&who);
    if was_held == is_held {
        if is_held {
            leg.held.retain(|&k| k != who);
            leg.grazing.push(who);
        } else {
            leg.grazing.retain(|&k| k != who);
            leg.held.push(who);
        }
    }
    // Record what left and what entered.
    let change = |k: &usize, held: bool| ActiveSetChange {
        time: leg.t,
        constraint: *k,
        held,
    };
    let gone = before.iter().filter(|k| !leg.held.contains(k));
    referee.changes.extend(gone.map(|k| change(k, false)));
    let new = leg.held.iter().filter(|k| !before.contains(k));
    referee.changes.extend(new.map(|k| change(k, true)));
    Ok(())
}
