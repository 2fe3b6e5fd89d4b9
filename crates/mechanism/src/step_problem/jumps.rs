//! Jumps without collision of one sliding contact in closed form, the fixed rows of the others held (P15 7, M88 §14).

use percuss_convex::dense;
use smallvec::SmallVec;

use super::report::{KineticRow, orthonormal};
use super::{ConstraintImpulse, SlidingRule, StepProblem};
use crate::modes::least_norm_combination;
use crate::system::ConstraintKind;

/// Impulses below this share of those of a jump are zero.
const ZERO: f64 = 1e-9;

/// A change of velocity without collision.
#[derive(Debug, Clone)]
pub(crate) struct Jump {
    /// Lᵀ(v⁺ − v⁻).
    pub(crate) change: Vec<f64>,
    /// Whether every velocity between v⁻ and v⁺ is possible, too (γ = 0).
    pub(crate) segment: bool,
    /// Whether the impulses of the others obey their laws.
    pub(crate) admissible: bool,
    /// Impulses of all constraints that have some.
    pub(crate) impulses: Vec<ConstraintImpulse>,
}

impl StepProblem {
    /// The jumps of the `k`-th constraint, a contact that slides with U_n = 0, with the rows `fixed` of the others held.
    /// `None` for laws without a closed form. Needs Ĝ ([`Self::prepare`]).
    pub(crate) fn jumps(
        &self,
        k: usize,
        fixed: &[usize],
        kinds: &[ConstraintKind],
    ) -> Option<Vec<Jump>> {
        let basis = orthonormal(&self.kinetic_jacobian, self.n, fixed.iter().copied());
        let rows = self.rows(k);
        let rests: SmallVec<[KineticRow; 3]> = rows.clone().map(|i| self.rest(i, &basis)).collect();
        // Ŵ, and the sliding velocity.
        let d = rests.len();
        let block: Vec<f64> = (0..d * d)
            .map(|i| dense::dot(&rests[i / d], &rests[i % d]))
            .collect();
        let u = &self.begin[rows.start + 1..rows.end];
        let found = match self.sliding_rule {
            SlidingRule::LeastEnergy => self.law[k].least_energy_jump(&block, u)?,
            SlidingRule::Coulomb => self.law[k].coulomb_jumps(&block, u)?,
        };
        let jump = |found: &percuss_contact::law::JumpImpulse| {
            let impulse = &found.impulse[..d];
            let mut change = vec![0.0; self.n];
            for (r, rest) in impulse.iter().zip(&rests) {
                dense::axpy(*r, rest, &mut change);
            }
            let (impulses, admissible) = self.impulses_of_others(k, fixed, impulse, kinds);
            Jump {
                change,
                segment: found.segment,
                admissible,
                impulses,
            }
        };
        Some(found.iter().map(jump).collect())
    }

    fn kinetic_row(&self, i: usize) -> &[f64] {
        &self.kinetic_jacobian[i * self.n..(i + 1) * self.n]
    }

    /// The impulses that hold the rows `fixed` against `impulse` at the `k`-th constraint, with that impulse, and whether
    /// they obey the laws: contacts push, what sticks has its friction, what slides gets none, since its friction would
    /// follow.
    fn impulses_of_others(
        &self,
        k: usize,
        fixed: &[usize],
        impulse: &[f64],
        kinds: &[ConstraintKind],
    ) -> (Vec<ConstraintImpulse>, bool) {
        let mut given = vec![0.0; self.n];
        for (r, row) in impulse.iter().zip(self.rows(k)) {
            dense::axpy(*r, self.kinetic_row(row), &mut given);
        }
        let rows: Vec<Vec<f64>> = (fixed.iter().map(|i| self.kinetic_row(*i).to_vec())).collect();
        let wanted: Vec<f64> = rows.iter().map(|row| -dense::dot(row, &given)).collect();
        let (_, answer) = least_norm_combination(&rows, &wanted);
        let largest = impulse.iter().chain(&answer);
        let zero = ZERO * largest.fold(0.0_f64, |m, r| m.max(r.abs()));
        let mut all = vec![ConstraintImpulse {
            constraint: self.active[k],
            impulse: impulse.to_vec(),
        }];
        let mut admissible = true;
        for other in (0..self.active.len()).filter(|other| *other != k) {
            let range = self.rows(other);
            let mut own = vec![0.0; range.len()];
            for (row, r) in fixed.iter().zip(&answer) {
                if range.contains(row) {
                    own[row - range.start] += r;
                }
            }
            let held = fixed.iter().filter(|row| range.contains(row)).count();
            admissible &= match kinds[self.active[other]] {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic | ConstraintKind::NonFirm => {
                    true
                }
                // All rows held: within the friction.
                _ if held == range.len() => {
                    let mut nearest = own.clone();
                    self.law[other].project(&mut nearest);
                    own.iter().zip(&nearest).all(|(a, b)| (a - b).abs() <= zero)
                }
                _ => own.iter().all(|r| r.abs() <= zero),
            };
            if own.iter().any(|r| *r != 0.0) {
                all.push(ConstraintImpulse {
                    constraint: self.active[other],
                    impulse: own,
                });
            }
        }
        (all, admissible)
    }
}
