//! Cutting-plane method: projection onto the intersection of all tangent half-spaces met so far, until it is inside.
//!
//! Slow but globally convergent for convex functions: x_j = proj(∩ tangents, z) has distances to z that rise to that of
//! C(t); the tangents at x_j cut it off while it is outside.

use super::{InequalitySet, Linearisation};
use crate::error::{Result, SweepingError, at};
use crate::inequalities::Inequalities;
use crate::lane_sums::{dot, norm};
use percuss_convex::qp::LinearConstraints;

/// Maximum number of rounds; each adds the tangents of the violated functions.
const ROUNDS: usize = 400;

/// Violation, relative to the data, that ends the iteration.
const INSIDE: f64 = 1e-12;

impl<I: Inequalities> InequalitySet<I> {
    /// Projects `z` by cutting planes, then sharpens the result by SQP.
    pub(super) fn cutting_planes(
        &mut self,
        t: f64,
        z: &[f64],
        visited: &mut Vec<Linearisation>,
    ) -> Result<Linearisation> {
        let (mut rows, mut bounds): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut owners: Vec<usize> = Vec::new();
        let mut here = self.tangent(t, z)?;
        super::check_tangents(t, &visited[visited.len().saturating_sub(20)..])?;
        for round in 0..ROUNDS {
            // Add a cut for each violated function.
            for (k, &c) in here.values.iter().enumerate() {
                if c > 0.0 {
                    rows.extend_from_slice(here.row(k));
                    bounds.push(dot(here.row(k), &here.x) - c);
                    owners.push(k);
                }
            }
            let warm: Vec<usize> = self.prox.active().to_vec();
            let warm = if round == 0 { &[][..] } else { &warm };
            let solved = self.prox.solve_warm(
                &self.white,
                LinearConstraints::inequalities(&rows, &bounds),
                z,
                warm,
            );
            // Rows are cuts: report the functions that they belong to.
            solved.map_err(at(t)).map_err(|error| match error {
                SweepingError::Empty { time, rows, reason } => {
                    let mut rows: Vec<usize> = rows.iter().map(|&r| owners[r]).collect();
                    rows.sort_unstable();
                    rows.dedup();
                    SweepingError::Empty { time, rows, reason }
                }
                other => other,
            })?;
            here = self.tangent(t, self.prox.point())?;
            visited.push(here.clone());
            super::check_tangents(t, &visited[visited.len().saturating_sub(8)..])?;
            // Inside: multipliers of the functions are the sums over their cuts.
            if here.violation() <= INSIDE * (norm(z) + norm(&here.x)) {
                self.multipliers.fill(0.0);
                for (&owner, &l) in owners.iter().zip(self.prox.multipliers()) {
                    self.multipliers[owner] += l;
                }
                return self.polish(t, z, here, visited);
            }
        }
        Err(SweepingError::NotConverged {
            what: "the projection onto smooth inequalities",
            time: t,
            iterations: ROUNDS,
            residual: here.violation(),
        })
    }

    /// SQP from the result of the cutting planes: more accurate, where it converges.
    fn polish(
        &mut self,
        t: f64,
        z: &[f64],
        coarse: Linearisation,
        visited: &mut Vec<Linearisation>,
    ) -> Result<Linearisation> {
        visited.push(coarse.clone());
        let kept = self.multipliers.clone();
        match self.solve_sqp(t, z, visited)? {
            Some(sharp) => Ok(sharp),
            None => {
                self.multipliers = kept;
                Ok(coarse)
            }
        }
    }
}
