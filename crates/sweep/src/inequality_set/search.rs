//! Excess e(C(s), C(t)) of a set of smooth convex inequalities, by projected ascent.
//!
//! ```text
//! a ← proj(C(s), a + ρ (a − p)/|a − p|),   p = proj(C(t), a)
//! ```
//!
//! The distance from C(t) is convex, so that it never falls along the iteration, whatever ρ > 0; ρ grows with the size
//! of what was met, which makes the iteration that of the supporting points (`percuss_convex::excess`). Starts: the
//! points where the last excesses were attained, and the supporting points of C(s) in all directions of a list at first
//! and in two of them, in turn, later. A set that recedes stops the search without a result.

use super::InequalitySet;
use crate::error::Result;
use crate::inequalities::Inequalities;
use crate::lane_sums::{axpy, dot, sub};
use crate::moving_set::MovingSet;
use percuss_convex::excess::directions;

/// Iterations from one start; they converge linearly with a small factor.
const ITERATIONS: usize = 60;

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
        let mut moved: Option<Vec<f64>> = None;
        for _ in 0..ITERATIONS {
            let distance = self.metric.norm(&far);
            if distance <= 1e-15 * (1.0 + self.metric.norm(&a)) {
                break;
            }
            let mut z = a.clone();
            axpy(self.stride(&a, stride) / distance, &far, &mut z);
            let next = self.project(from, &z)?;
            let off = self.off(to, &next)?;
            let gained = self.metric.norm(&off) - distance;
            if gained <= 0.0 {
                break;
            }
            let step = sub(&next, &a);
            (a, far) = (next, off);
            // Where C hardly moves the iteration is slow, with a factor near 1: its limit is tried (Aitken).
            if let Some(before) = &moved {
                let ratio = dot(&step, before) / dot(before, before);
                if ratio > 0.5 && ratio < 1.0 {
                    let mut z = a.clone();
                    axpy(ratio / (1.0 - ratio), &step, &mut z);
                    let limit = self.project(from, &z)?;
                    let off = self.off(to, &limit)?;
                    if self.metric.norm(&off) > self.metric.norm(&far) {
                        (a, far) = (limit, off);
                        moved = None;
                        continue;
                    }
                }
            }
            moved = Some(step);
            // Below rounding of the projections no gain is real.
            if gained <= 1e-14 * (1.0 + self.metric.norm(&a)) {
                break;
            }
            stride = (4.0 * stride).min(1e3);
        }
        Ok((self.metric.norm(&far), a))
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
