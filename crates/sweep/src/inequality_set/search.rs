//! Excess e(C(s), C(t)) of a set of smooth convex inequalities, by projected ascent.
//!
//! ```text
//! a ← proj(C(s), a + ρ (a − p)/|a − p|),   p = proj(C(t), a)
//! ```
//!
//! The distance from C(t) is convex, so that it never falls along the iteration, whatever ρ > 0; ρ grows with the size
//! of what was met, which makes the iteration that of the supporting points (`percuss_convex::excess`). Where the sets
//! differ by little, distance e and radius of curvature r, it reduces the error of the direction y = (a − p)/|a − p| by
//! 1 − e/r only. Therefore each iteration also tries a step along the gradient of the difference of the support functions,
//!
//! ```text
//! f(y) = h_s(y) − h_t(y),   ∇f = a_s(y) − a_t(y)   (supporting points),   y ← y + α (∇f − f y)/f,   α = 1, ½, ¼
//! ```
//!
//! whose error is multiplied by (curvature of f)/f, of order 1 however little the sets differ, and 0 for translations. It
//! is taken where it is farther from C(t). Starts: the
//! points where the last excesses were attained, and the supporting points of C(s) in all directions of a list at first
//! and in two of them, in turn, later. A set that recedes stops the search without a result.

use super::InequalitySet;
use crate::error::Result;
use crate::inequalities::Inequalities;
use crate::lane_sums::{axpy, sub};
use crate::moving_set::MovingSet;
use percuss_convex::excess::directions;

/// Iterations from one start.
const ITERATIONS: usize = 60;

/// Lengths α of the step along the gradient that are tried.
const LENGTHS: [f64; 3] = [1.0, 0.5, 0.25];

/// Points that are kept as starts.
const KEPT: usize = 3;

/// Length, relative to 1 + |a|, of the first step of a search.
const STRIDE: f64 = 4.0;

/// A point this far out, relative to the size at the beginning, says that the set recedes.
const FAR: f64 = 1e7;

impl<I: Inequalities> InequalitySet<I> {
    /// The largest excess found; `None` where C(from) recedes.
    pub(super) fn search_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        // Warm starts of the process stay as they are.
        let kept = self.multipliers.clone();
        let found = self.search(from, to);
        self.multipliers = kept;
        found
    }

    fn search(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let n = self.functions.dim();
        let origin = self.project(from, &vec![0.0; n])?;
        let all = directions(n);
        // All directions once, then two of them in turn, told from the time of the step.
        let few: Vec<usize> = match self.witnesses.is_empty() {
            true => (0..all.len()).collect(),
            false => {
                let turn = (from.to_bits() ^ from.to_bits() >> 17) as usize;
                vec![turn % all.len(), (turn / 7 + all.len() / 2) % all.len()]
            }
        };
        let mut starts = std::mem::take(&mut self.witnesses);
        for k in few {
            let mut a = origin.clone();
            // Towards the supporting point: three strides reach the far side.
            for _ in 0..3 {
                let mut z = a.clone();
                axpy(
                    self.stride(&a, STRIDE) / self.metric.norm(&all[k]),
                    &all[k],
                    &mut z,
                );
                a = self.project(from, &z)?;
            }
            starts.push(a);
        }
        let size = 1.0 + self.metric.norm(&origin);
        let mut found: Vec<(f64, Vec<f64>)> = Vec::new();
        for start in starts {
            let a = self.project(from, &start)?;
            let (e, a) = self.ascend((from, to), a)?;
            if self.metric.norm(&a) > FAR * size {
                return Ok(None);
            }
            found.push((e, a));
        }
        // The farthest first; those at the same place are one.
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let most = found.first().map_or(0.0, |f| f.0);
        for (_, a) in found {
            let near = |w: &Vec<f64>| self.metric.norm(&sub(w, &a)) <= 1e-6 * size;
            if self.witnesses.len() < KEPT && !self.witnesses.iter().any(near) {
                self.witnesses.push(a);
            }
        }
        Ok(Some(most))
    }

    /// The distance and the place where the ascent from `a` ends.
    fn ascend(&mut self, (from, to): (f64, f64), mut a: Vec<f64>) -> Result<(f64, Vec<f64>)> {
        let mut far = self.off(to, &a)?;
        let mut stride = STRIDE;
        for _ in 0..ITERATIONS {
            let distance = self.metric.norm(&far);
            if distance <= 1e-15 * (1.0 + self.metric.norm(&a)) {
                break;
            }
            // Supporting point in the direction of `far`, then the step along the gradient.
            let y: Vec<f64> = far.iter().map(|v| v / distance).collect();
            let next = self.support(from, &a, &y, stride)?;
            let off = self.off(to, &next)?;
            let (next, off) = self.gradient_step((from, to), (next, off), &y, stride)?;
            let gained = self.metric.norm(&off) - distance;
            if gained <= 0.0 {
                break;
            }
            (a, far) = (next, off);
            // Below rounding of the projections no gain is real.
            if gained <= 1e-14 * (1.0 + self.metric.norm(&a)) {
                break;
            }
            stride = (4.0 * stride).min(1e3);
        }
        Ok((self.metric.norm(&far), a))
    }

    /// The farther one of `next`, the supporting point of C(from) in the direction `y`, at `off` from C(to), and of the point
    /// that a step along the gradient of the difference of the support functions leads to.
    fn gradient_step(
        &mut self,
        (from, to): (f64, f64),
        (next, off): (Vec<f64>, Vec<f64>),
        y: &[f64],
        stride: f64,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        // f and its gradient at y.
        let below = self.support(to, &sub(&next, &off), y, stride)?;
        let gradient = sub(&next, &below);
        let f = self.metric.inner(y, &gradient);
        if f > 0.0 {
            let farthest = self.metric.norm(&off);
            for alpha in LENGTHS {
                let mut direction: Vec<f64> = y.iter().map(|v| (1.0 - alpha) * v).collect();
                axpy(alpha / f, &gradient, &mut direction);
                let length = self.metric.norm(&direction);
                direction.iter_mut().for_each(|v| *v /= length);
                let trial = self.support(from, &next, &direction, stride)?;
                let there = self.off(to, &trial)?;
                if self.metric.norm(&there) > farthest {
                    return Ok((trial, there));
                }
            }
        }
        Ok((next, off))
    }

    /// Supporting point of C(t) in the direction `y`, nearly: projection of a point far out in this direction.
    fn support(&mut self, t: f64, near: &[f64], y: &[f64], stride: f64) -> Result<Vec<f64>> {
        let mut z = near.to_vec();
        axpy(self.stride(near, stride), y, &mut z);
        self.project(t, &z)
    }

    fn stride(&self, a: &[f64], factor: f64) -> f64 {
        factor * (1.0 + self.metric.norm(a))
    }

    /// a less its nearest point in C(t).
    fn off(&mut self, t: f64, a: &[f64]) -> Result<Vec<f64>> {
        let p = self.project(t, a)?;
        Ok(sub(a, &p))
    }

    fn project(&mut self, t: f64, z: &[f64]) -> Result<Vec<f64>> {
        let mut p = vec![0.0; z.len()];
        self.project_into(t, z, &mut p)?;
        Ok(p)
    }
}
