//! The event-driven method for C(t) = { c_k ≤ 0 } (M99 §3.2, §4.1).
//!
//! Between events the active functions K stay at 0 and u follows the smooth equation
//!
//! ```text
//! u̇ = argmin { |w + f|_A : ∇c_k·w = −∂c_k/∂t, k ∈ K },      A(u̇ + f) = −Σ λ_k ∇c_k
//! ```
//!
//! integrated by Dormand and Prince's pair of orders 5 and 4 and brought back to c_K = 0 after
//! each step. Events: a function outside K reaches 0; a multiplier of K falls to 0. They are
//! located to rounding by shortening the step, and K is found anew from the admissible right
//! velocities (M99 13): the rows with a positive multiplier in argmin { |w + f| : ∂c_k/∂t +
//! ∇c_k·w ≤ 0 where c_k = 0 }.
//!
//! Limits: functions twice differentiable in x and their motion smooth between the stops given;
//! finitely many events; dense algebra. Events that accumulate end in an error with the instant.

use super::between::{Smooth, TOUCH, worst};
use super::{Process, Step};
use crate::error::{Result, SweepError};
use crate::set::MovingSet;
use crate::smooth::cone_distance;
use crate::vector::{norm, sub};

/// Local error allowed per step, relative to 1 + |u|.
const LOCAL: f64 = 1e-13;

/// Multiplier, relative to the largest speed met, below which a row does not hold.
const HOLD: f64 = 1e-11;

/// Steps of one interval, at most: smooth functions take some tens. At a kink inside of a function,
/// as that of `abs`, no step is accurate enough, and they would shorten to nothing.
const STEPS: usize = 20_000;

/// What is kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Referee {
    /// Largest speed met: the unit of multipliers.
    pace: f64,
    /// Length of the last step that was accurate enough.
    guess: Option<f64>,
    /// Changes of the held functions in the last step.
    pub(super) changes: Vec<Change>,
    /// Multipliers of the held functions at its end, per unit of time.
    pub(super) forces: Vec<(usize, f64)>,
}

/// A function that begins or ceases to hold the point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// When.
    pub time: f64,
    /// Which c_k.
    pub constraint: usize,
    /// Whether it holds from now on.
    pub held: bool,
}

/// Where an integration stands.
struct Leg {
    t: f64,
    u: Vec<f64>,
    held: Vec<usize>,
    /// Touched but not held: they may leave without an alarm.
    quiet: Vec<usize>,
    steps: usize,
    events: usize,
    /// Events at the same instant.
    crowd: usize,
}

impl<S: MovingSet> Process<S> {
    pub(super) fn event_driven(&mut self, to: f64) -> Result<Step> {
        let metric = self.metric.to_convex(self.point.len())?;
        let flow = |t: f64, u: &[f64]| self.flow_at(t, u);
        let Some(functions) = self.set.inequalities() else {
            return Err(SweepError::Unsupported {
                method: "the event-driven method",
                need: "the functions c_k of C(t) = { c_k <= 0 }",
            });
        };
        let smooth = Smooth {
            functions,
            metric: &metric,
            flow: &flow,
        };
        let mut referee = self.referee.clone();
        let mut leg = Leg {
            t: self.time,
            u: self.point.clone(),
            held: Vec::new(),
            quiet: Vec::new(),
            steps: 0,
            events: 0,
            crowd: 0,
        };
        referee.changes.clear();
        choose(&smooth, &mut referee, &mut leg)?;
        while leg.t < to {
            drive(&smooth, &mut referee, &mut leg, to)?;
            if leg.steps > STEPS && leg.t < to {
                return Err(SweepError::NotConverged {
                    what: "the event-driven method (its steps shorten to nothing: a function that is \
                           not twice differentiable, as one with `abs`, `min` or `max`; write its \
                           pieces as contacts of their own, or use the catching-up method)",
                    time: leg.t,
                    iterations: leg.steps,
                    residual: to - leg.t,
                });
            }
        }
        let (local, end) = (
            smooth.local(to, &leg.u)?,
            smooth.velocity(to, &leg.u, &leg.held, true)?,
        );
        let forces = leg.held.iter().zip(&end.multipliers);
        referee.forces = forces.map(|(&k, &l)| (k, l)).collect();
        let f = self.flow_at(to, &leg.u)?;
        let mut y: Vec<f64> = (0..f.len()).map(|i| -(end.point[i] + f[i])).collect();
        self.metric.lower(&mut y);
        let normality = cone_distance(&metric, &local.values, &local.gradients, &leg.u, &y, to)?;
        let h = to - self.time;
        let step = Step {
            time: to,
            length: h,
            moved: self.metric.norm(&sub(&leg.u, &self.point)),
            before: 0.0,
            after: worst(&local, leg.u.len()),
            normality: normality * h,
            retraction: self.set.excess(self.time, to)?,
            drift: h * self.metric.norm(&f),
            radius: None,
            iterations: leg.steps,
            events: leg.events,
            met: false,
        };
        self.referee = referee;
        self.point = leg.u;
        Ok(self.judged(step))
    }
}

/// K from the admissible right velocities.
fn choose(smooth: &Smooth<'_>, referee: &mut Referee, leg: &mut Leg) -> Result<()> {
    let n = leg.u.len();
    let local = smooth.local(leg.t, &leg.u)?;
    let touch = -TOUCH * (1.0 + norm(&leg.u));
    let length = |k: usize| norm(&local.gradients[k * n..(k + 1) * n]);
    let touched: Vec<usize> = (0..local.values.len())
        .filter(|&k| local.values[k] >= touch * length(k))
        .collect();
    let right = smooth.velocity(leg.t, &leg.u, &touched, false)?;
    let f = (smooth.flow)(leg.t, &leg.u)?;
    referee.pace = referee.pace.max(norm(&right.point)).max(norm(&f));
    leg.held.clear();
    leg.quiet.clear();
    for (i, &k) in touched.iter().enumerate() {
        if right.multipliers[i] * length(k) > HOLD * referee.pace {
            leg.held.push(k);
        } else {
            leg.quiet.push(k);
        }
    }
    Ok(())
}

/// One accurate step, shortened to the first event in it.
fn drive(smooth: &Smooth<'_>, referee: &mut Referee, leg: &mut Leg, to: f64) -> Result<()> {
    let left = to - leg.t;
    let mut h = referee.guess.unwrap_or(left).min(left);
    let size = 1.0 + norm(&leg.u);
    let end = loop {
        let (end, error) = smooth.dormand_prince(leg.t, &leg.u, h, &leg.held)?;
        let ratio = error / (LOCAL * size);
        leg.steps += 1;
        // Below 1e-10 of the interval rounding, not truncation, makes the estimate.
        if ratio <= 1.0 || h <= 1e-10 * left.max(f64::MIN_POSITIVE) {
            if h < left || ratio > 0.1 {
                referee.guess = Some(h * (0.9 * ratio.max(1e-9).powf(-0.2)).clamp(0.2, 4.0));
            }
            break end;
        }
        h *= (0.9 * ratio.powf(-0.2)).clamp(0.1, 0.9);
    };
    // Half way too, so that a function that comes and goes within the step is seen.
    let alarm_at = |h: f64| -> Result<(f64, usize, Vec<f64>)> {
        let (x, _) = smooth.dormand_prince(leg.t, &leg.u, h, &leg.held)?;
        let (signal, who) = smooth.alarm(leg.t + h, &x, &leg.held, &leg.quiet)?;
        Ok((signal, who, x))
    };
    let unit = HOLD * referee.pace.min(size);
    let (middle, middle_who, _) = alarm_at(0.5 * h)?;
    let (signal, who) = smooth.alarm(leg.t + h, &end, &leg.held, &leg.quiet)?;
    let (over, culprit) = if middle > unit {
        (0.5 * h, middle_who)
    } else if signal > unit {
        (h, who)
    } else {
        leg.t = if h >= left { to } else { leg.t + h };
        leg.u = end;
        leg.crowd = 0;
        return Ok(());
    };
    let (at, x, who) = locate(over, culprit, &alarm_at)?;
    leg.events += 1;
    leg.crowd = if at > 1e-12 * left { 0 } else { leg.crowd + 1 };
    if leg.crowd > 2 * smooth.functions.count() + 10 {
        return Err(SweepError::NotConverged {
            what: "the event-driven method (events accumulate; use the catching-up method)",
            time: leg.t,
            iterations: leg.events,
            residual: at,
        });
    }
    leg.t += at;
    leg.u = x;
    turn(smooth, referee, leg, who)
}

/// The first length at which the alarm goes, between 0 and `over`, with the point there.
fn locate(
    over: f64,
    culprit: usize,
    alarm_at: &impl Fn(f64) -> Result<(f64, usize, Vec<f64>)>,
) -> Result<(f64, Vec<f64>, usize)> {
    let (mut low, mut high, mut who) = (0.0, over, culprit);
    let (mut f_low, mut f_high) = (f64::NAN, f64::NAN);
    for round in 0..200 {
        // Regula falsi with bisection every other time: signals are piecewise smooth only.
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

/// K after an event; `who` rang. At a graze the right velocity decides nothing, its derivative
/// does: the function that rang changes sides.
fn turn(smooth: &Smooth<'_>, referee: &mut Referee, leg: &mut Leg, who: usize) -> Result<()> {
    let before = leg.held.clone();
    let was_held = before.contains(&who);
    choose(smooth, referee, leg)?;
    let is_held = leg.held.contains(&who);
    if was_held == is_held {
        if is_held {
            leg.held.retain(|&k| k != who);
            leg.quiet.push(who);
        } else {
            leg.quiet.retain(|&k| k != who);
            leg.held.push(who);
        }
    }
    let change = |k: &usize, held: bool| Change {
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
