//! Accumulation of impacts (Zeno): the instant at which infinitely many impacts end.
//!
//! ```text
//! t_k = t* − C r^k,   r = lim (t_{k+1} − t_k)/(t_k − t_{k−1}) < 1          (B02 counter-example 6)
//! ```
//!
//! The event-driven integrator reports t*. A time stepper knows the t_k to within a step, so only
//! intervals of many steps determine r: it is fitted to their logarithms with weights d_k² (the
//! error of ln d_k is h/d_k), then t* and C by least squares. A sequence that only looks geometric
//! is excluded by what follows t*: there the contact must carry force.

use percuss_mechanism::{Event, EventKind};

/// Shortest interval between impacts that is used, in steps.
const RESOLVED: f64 = 20.0;

/// Relative tolerance between ratios of successive intervals, beside the error of a step.
const ALIKE: f64 = 0.1;

/// Impacts and closed steps of one constraint, or of one watch.
pub struct ImpactHistory<'a> {
    /// Times of all states.
    pub times: &'a [f64],
    /// Its events.
    pub events: &'a [Event],
    /// Whether it carries an impulse in the step that leads to each state.
    pub carrying: &'a [bool],
    /// The longest step.
    pub step: f64,
}

impl ImpactHistory<'_> {
    /// The accumulation point of its impacts, or why there is none.
    pub fn accumulation(&self) -> Result<f64, String> {
        // The event-driven integrator reports it.
        let mut events = self.events.iter();
        if let Some(event) = events.find(|event| event.kind == EventKind::Accumulation) {
            return Ok(event.t);
        }
        let is_impact = |kind: EventKind| matches!(kind, EventKind::Impact { .. });
        let impacts = self.events.iter().filter(|e| is_impact(e.kind));
        let impacts: Vec<f64> = impacts.map(|e| e.t).collect();
        // Time stepping: extrapolate, then check that the contact stays closed.
        let limit = extrapolate(&impacts, self.step)?;
        let end = self.times.last().copied().unwrap_or(limit);
        if end < limit + RESOLVED * self.step {
            return Err(format!(
                "the intervals between impacts lead to t = {limit:.6}, but the run ends at t = {end}"
            ));
        }
        match self.carries(limit) {
            true => Ok(limit),
            false => Err(format!(
                "the intervals between impacts lead to t = {limit:.6}, but the contact is open there"
            )),
        }
    }

    /// Whether the contact carries an impulse in most steps just after an instant.
    fn carries(&self, after: f64) -> bool {
        let state_at = |t: f64| self.times.partition_point(|&known| known < t);
        let first = state_at(after + 0.25 * RESOLVED * self.step).max(1);
        let last = state_at(after + RESOLVED * self.step).min(self.times.len().saturating_sub(1));
        let closed = |state: &usize| self.carrying.get(*state) == Some(&true);
        let count = (first..=last).filter(closed).count();
        2 * count > (last + 1).saturating_sub(first)
    }
}

/// The limit t* of a geometric sequence of instants known to within `h`.
pub fn extrapolate(impacts: &[f64], h: f64) -> Result<f64, String> {
    let intervals: Vec<f64> = impacts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Once an interval is too short to be used, so are those that follow.
    let resolved = intervals.iter().take_while(|d| **d >= RESOLVED * h).count();
    let first = alike_from(&intervals[..resolved], h);
    if resolved < first + 3 {
        return Err(format!(
            "{} intervals of at least {RESOLVED} steps shrink in the same ratio; 3 are needed",
            resolved - first
        ));
    }
    let ratio = fitted_ratio(&intervals[first..resolved]);
    if !(ratio > 0.0 && ratio < 1.0) {
        return Err(format!(
            "the intervals between impacts do not shrink (ratio {ratio:.4})"
        ));
    }
    // Least squares: t_k = t* − C r^k is linear in t* and C.
    let instants = &impacts[first..=resolved];
    let n = instants.len() as f64;
    let powers: Vec<f64> = (0..instants.len()).map(|k| ratio.powi(k as i32)).collect();
    let mean_power = powers.iter().sum::<f64>() / n;
    let mean_instant = instants.iter().sum::<f64>() / n;
    let (mut over, mut under) = (0.0, 0.0);
    for (t, power) in instants.iter().zip(&powers) {
        over += (power - mean_power) * (t - mean_instant);
        under += (power - mean_power) * (power - mean_power);
    }
    Ok(mean_instant - over / under * mean_power)
}

/// First of the intervals from which on, up to the last, all shrink in the same ratio.
fn alike_from(intervals: &[f64], h: f64) -> usize {
    let Some(last) = intervals.len().checked_sub(1) else {
        return 0;
    };
    // The intervals before the last ones are longer and have smaller errors: compare with their
    // ratio.
    let middle = last / 2;
    let common = match middle {
        0 => return 0,
        _ => intervals[middle] / intervals[middle - 1],
    };
    let alike = |k: usize| {
        let ratio = intervals[k] / intervals[k - 1];
        let slack = ALIKE * common + 2.0 * h / intervals[k];
        (ratio - common).abs() <= slack
    };
    (1..=last)
        .rev()
        .take_while(|k| alike(*k))
        .last()
        .map_or(last, |k| k - 1)
}

/// exp of the slope of ln d_k over k, weighted with d_k².
fn fitted_ratio(intervals: &[f64]) -> f64 {
    let points = || {
        intervals
            .iter()
            .enumerate()
            .map(|(k, d)| (k as f64, d.ln(), d * d))
    };
    let weight: f64 = points().map(|(_, _, w)| w).sum();
    let mean_k = points().map(|(k, _, w)| w * k).sum::<f64>() / weight;
    let mean_y = points().map(|(_, y, w)| w * y).sum::<f64>() / weight;
    let over: f64 = points()
        .map(|(k, y, w)| w * (k - mean_k) * (y - mean_y))
        .sum();
    let under: f64 = points()
        .map(|(k, _, w)| w * (k - mean_k) * (k - mean_k))
        .sum();
    (over / under).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants rounded up to multiples of h, as a time stepper sees them.
    fn seen(exact: impl Iterator<Item = f64>, h: f64) -> Vec<f64> {
        exact.map(|t| (t / h).ceil() * h).collect()
    }

    #[test]
    fn exact_instants_give_the_limit() {
        let impacts: Vec<f64> = (0..10).map(|n| 3.0 - 2.0_f64.powi(1 - n)).collect();
        let limit = extrapolate(&impacts, 1e-5).expect("a limit");
        // Least squares of 10 numbers near 3: a few roundings.
        assert!((limit - 3.0).abs() < 1e-13, "{limit}");
    }

    #[test]
    fn instants_known_to_a_step_give_the_limit_to_a_few_steps() {
        for (h, ratio) in [(1e-3, 0.5_f64), (1e-3, 0.9), (1e-4, 0.7)] {
            let impacts = seen((0..80).map(|n| 8.0 - 5.0 * ratio.powi(n)), h);
            let limit = extrapolate(&impacts, h).expect("a limit");
            // Rounding up moves all instants by up to h; r is known to h/d over n intervals, and
            // r/(1−r) of the last interval of 20 h carries over.
            assert!((limit - 8.0).abs() < 3.0 * h, "{h} {ratio}: {limit}");
        }
    }

    #[test]
    fn intervals_before_the_sequence_are_left_out() {
        let lead = [-7.0, -4.0, -3.5];
        let exact = (0..12).map(|n| 8.0 - 5.0 * 0.6_f64.powi(n));
        let impacts = seen(lead.into_iter().chain(exact), 1e-4);
        let limit = extrapolate(&impacts, 1e-4).expect("a limit");
        // As above.
        assert!((limit - 8.0).abs() < 3e-4, "{limit}");
    }

    #[test]
    fn periodic_impacts_do_not_accumulate() {
        let impacts: Vec<f64> = (0..20).map(f64::from).collect();
        let error = extrapolate(&impacts, 1e-3).expect_err("no limit");
        assert!(error.contains("do not shrink (ratio 1.0000)"), "{error}");
    }

    #[test]
    fn two_impacts_tell_nothing() {
        let error = extrapolate(&[1.0, 2.0], 1e-3).expect_err("no limit");
        assert!(error.contains("1 intervals"), "{error}");
    }
}
