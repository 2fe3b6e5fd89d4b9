//! Projection onto a set that is not convex, within its declared radius of prox-regularity.

use super::prox_regular;
use super::{InequalitySet, Linearisation};
use crate::error::{Result, SweepingError};
use crate::inequalities::Inequalities;
use crate::lane_sums::sub;
use crate::moving_set::ProjectionReport;

impl<I: Inequalities> InequalitySet<I> {
    /// The nearest point of the set near `z`, and its radius.
    pub(super) fn project_regular(
        &mut self,
        t: f64,
        z: &[f64],
        out: &mut [f64],
    ) -> Result<ProjectionReport> {
        let declared = self.regular.map_or(f64::INFINITY, |r| r.0);
        let start = self.tangent(t, z)?;
        let inside = start.values.iter().all(|c| *c <= 0.0);
        let mut visited = vec![start.clone()];
        let landed = if inside {
            self.multipliers.fill(0.0);
            start
        } else {
            // Tangents that contradict each other prove nothing here: the set is not in their half-spaces.
            match self.solve_sqp(t, z, &mut visited) {
                Ok(Some(landed)) => landed,
                Ok(None) | Err(SweepingError::Empty { .. }) => {
                    return Err(self.not_unique(t, z, declared));
                }
                Err(other) => return Err(other),
            }
        };
        // The radius there, and the distance that the projection bridged.
        let metric = self.white.clone();
        let found =
            prox_regular::radius(&metric, &landed, t, &mut |k| self.hessian_of(t, k, &landed))?;
        self.regular = Some((declared, found.eta));
        if found.eta < declared {
            return Err(prox_regular::too_small(t, &landed.x, found, declared));
        }
        let far = metric.norm(&sub(z, &landed.x));
        if far >= declared {
            return Err(SweepingError::NotProxRegular {
                time: t,
                constraint: found.constraint,
                at: z.to_vec(),
                reason: format!(
                    "the set is at the distance {far:e}, not within the radius of prox-regularity {declared:e} that \
                     was declared: the nearest point need not be unique (a shorter step, or a jump of the set)"
                ),
            });
        }
        out.copy_from_slice(&landed.x);
        Ok(ProjectionReport {
            iterations: visited.len(),
            violation: landed.violation().max(0.0),
        })
    }

    /// ∇²c_k at a point.
    fn hessian_of(&self, t: f64, k: usize, here: &Linearisation) -> Vec<f64> {
        let (n, m) = (self.functions.dim(), self.functions.count());
        let mut weights = vec![0.0; m];
        weights[k] = 1.0;
        let mut hessian = vec![0.0; n * n];
        self.functions.hessian(t, &here.x, &weights, &mut hessian);
        hessian
    }

    /// The error where no nearest point was found from z itself: two of them, if there are.
    fn not_unique(&mut self, t: f64, z: &[f64], declared: f64) -> SweepingError {
        let metric = self.white.clone();
        let mut nearest = |start: &[f64]| {
            let mut visited = vec![self.tangent(t, start).ok()?];
            let landed = self.solve_sqp(t, z, &mut visited).ok()??;
            Some(landed.x)
        };
        let reach = 0.5 * declared;
        let reason = match prox_regular::two_nearest(&metric, z, reach, &mut nearest) {
            Some([a, b]) => format!(
                "the set has two nearest points, {a:?} and {b:?}: its radius of prox-regularity has become smaller \
                 than the {declared:e} declared, and the process has more than one solution"
            ),
            None => format!(
                "no nearest point of the set was found within the radius of prox-regularity {declared:e}: the process \
                 has no solution or more than one from there on"
            ),
        };
        let worst = self.tangent(t, z).ok().and_then(|here| {
            (0..here.values.len()).max_by(|a, b| here.values[*a].total_cmp(&here.values[*b]))
        });
        SweepingError::NotProxRegular {
            time: t,
            constraint: worst,
            at: z.to_vec(),
            reason,
        }
    }
}
