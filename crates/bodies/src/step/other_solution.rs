//! Non-uniqueness: search for another solution of a step's contact problem. With friction the velocities need
//! not be unique (JM92 §1).
//!
//! A body wedged between others can be held by self-stress (hyperstatic impulses that cancel): Ĝᵀs = 0 with every
//! s_α in its cone. With enough self-stress the contacts stick and the body hangs; without it the body falls; both
//! motions obey the laws. Where such an s exists, (★) is solved twice more, from a large multiple of s and from
//! zero. A solution whose residual is within the tolerance like that of the step, and whose velocities differ from
//! those of the step by more than residuals explain, is reported.
//!
//! Method: s is computed by alternating projections onto { Ĝᵀs = 0 } and onto the cones, starting from unit normal
//! impulses. What it finds is a self-stress; it may miss one that exists. The search is made in steps of at most
//! [`FEW`] contacts, in the first step of a motion and where the set of contacts has changed: a step with the
//! contacts of the one before is as unique as that one, except that impulses may have grown or decayed.

use percuss_contact::{FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure};
use percuss_solve::Solver;

use super::SolvedStep;
use super::assemble::kinetic;
use super::solve::goal;
use crate::dynamics::Dynamics;
use crate::state::StepReport;

/// Largest number of contacts and joints of a step that is examined.
const FEW: usize = 24;

/// Largest number of alternating projections. A wedge in the plane or between faces takes a few.
const TURNS: usize = 200;

/// Convergence: a self-stress is balanced to this fraction of its norm.
const BALANCED: f64 = 1e-10;

/// Below this fraction of the initial norm the iterate has converged to zero: no self-stress.
const FADED: f64 = 1e-3;

/// Norm of the self-stress to start from, relative to the impulses that the step needs: large enough that carrying
/// the load leaves every impulse inside its cone.
const LARGE: f64 = 100.0;

/// Velocities count as different above this fraction of the speed at stake: a thousand times the tolerance used for
/// structures, and visible.
const APART: f64 = 1e-3;

/// Another solution of a step's contact problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherSolution {
    /// The bodies of the contact whose relative velocity differs most.
    pub bodies: [u32; 2],
    /// The difference of the relative velocities over the speed at stake.
    pub apart: f64,
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// Another solution with different velocities, if one is found: self-stress, two more solves, comparison of
    /// velocities. `previous` is the report of the step before.
    pub(super) fn find_other_solution(
        &self,
        previous: &StepReport,
        solver: &mut dyn Solver,
    ) -> Option<OtherSolution> {
        let problem = self.assembly.problem.as_ref()?;
        let frictional = |a: &usize| problem.law(*a).normal() && problem.dim(*a) > 1;
        let count = problem.num_contacts();
        if count > FEW
            || (0..count).filter(frictional).count() < 2
            || !self.contacts_changed(previous)
        {
            return None;
        }
        // Scale: the largest free relative velocity.
        let speed = (0..count).fold(0.0_f64, |m, a| {
            m.max(size(&problem.free_velocity()[problem.rows(a)]))
        });
        let stress = self_stress(problem, kinetic(problem)?)?;
        let mut judge = ResidualEvaluator::new(problem);
        let goal = goal(self.inputs.settings);
        // Only a step that reached its tolerance can be compared.
        let own = judge.residual(problem, &self.solution.impulse, ResidualMeasure::Velocity);
        if !(own <= goal.tolerance) || !(speed > 0.0) {
            return None;
        }
        let u = judge.velocity().to_vec();
        // Impulse that stops the speed at stake: κ is the effective mass of a contact.
        let needed = (0..count).fold(0.0_f64, |m, a| m.max(problem.kappa(a) * speed));
        let largest = size(&self.solution.impulse).max(needed);
        let starts = [
            stress.iter().map(|s| LARGE * largest * s).collect(),
            vec![0.0; stress.len()],
        ];
        // Solve from both starting points and keep the largest difference.
        let mut another: Option<OtherSolution> = None;
        for mut impulse in starts {
            solver.solve(problem, &mut impulse, &goal);
            let residual = judge.residual(problem, &impulse, ResidualMeasure::Velocity);
            if !(residual <= goal.tolerance) {
                continue;
            }
            for (a, touch) in self.assembly.active.iter().enumerate() {
                let rows = problem.rows(a);
                let both = judge.velocity()[rows.clone()].iter().zip(&u[rows]);
                let apart = size(&both.map(|(a, b)| a - b).collect::<Vec<f64>>()) / speed;
                if apart > APART.max(LARGE * goal.tolerance)
                    && another.is_none_or(|known| apart > known.apart)
                {
                    let bodies = self.inputs.candidates()[*touch as usize].bodies;
                    another = Some(OtherSolution { bodies, apart });
                }
            }
        }
        another
    }

    /// Whether this is the first step of the motion, or the set of contacts has changed since the last one.
    fn contacts_changed(&self, previous: &StepReport) -> bool {
        let memory = &self.inputs.state.contacts;
        let begins = previous.h == 0.0;
        // The same contacts in the same order.
        let same = self.assembly.active.len() == memory.len()
            && self
                .assembly
                .active
                .iter()
                .zip(memory)
                .all(|(touch, known)| {
                    let found = &self.inputs.candidates()[*touch as usize];
                    let own = (found.bodies, found.image, found.point.feature);
                    own == (known.bodies, known.image, known.feature)
                });
        begins || !same
    }
}

/// Euclidean norm.
fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Self-stress of norm 1, impulses in their cones with Ĝᵀs = 0, if the alternating projections find one.
fn self_stress(problem: &Problem, kinetic: &FactoredDelassus) -> Option<Vec<f64>> {
    let basis = range(problem, kinetic);
    // Unit normal impulse at every unilateral contact.
    let mut s = vec![0.0; problem.num_rows()];
    for a in (0..problem.num_contacts()).filter(|a| problem.law(*a).normal()) {
        s[problem.rows(a).start] = 1.0;
    }
    let begun = size(&s);
    for _ in 0..TURNS {
        // Projection onto Ĝᵀs = 0: the part in the range of Ĝ is removed, twice for orthogonality to rounding.
        for column in basis.iter().chain(&basis) {
            let share: f64 = column.iter().zip(&s).map(|(c, s)| c * s).sum();
            s.iter_mut().zip(column).for_each(|(s, c)| *s -= share * c);
        }
        let balanced = s.clone();
        // Projection onto the cones.
        for a in 0..problem.num_contacts() {
            problem.law(a).project(&mut s[problem.rows(a)]);
        }
        let length = size(&s);
        if !(length > FADED * begun) {
            return None;
        }
        let moved: Vec<f64> = balanced.iter().zip(&s).map(|(a, b)| a - b).collect();
        if size(&moved) <= BALANCED * length {
            return Some(balanced.iter().map(|s| s / length).collect());
        }
    }
    None
}

/// Orthonormal basis of the range of Ĝ by Gram–Schmidt; its complement contains the impulses that move nothing.
fn range(problem: &Problem, kinetic: &FactoredDelassus) -> Vec<Vec<f64>> {
    let rows = problem.num_rows();
    // Dense columns of Ĝ by coordinate.
    let mut columns: std::collections::BTreeMap<usize, Vec<f64>> = Default::default();
    for a in 0..problem.num_contacts() {
        let own = problem.rows(a);
        for (first, block) in kinetic.dense_blocks(a) {
            let width = block.len() / own.len();
            for (i, row) in block.chunks(width).enumerate() {
                for (k, g) in row.iter().enumerate() {
                    let column = columns.entry(first + k).or_insert_with(|| vec![0.0; rows]);
                    column[own.start + i] += g;
                }
            }
        }
    }
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for (_, mut column) in columns {
        let whole = size(&column);
        // Orthogonalising twice gives orthogonality to rounding error.
        for known in basis.iter().chain(&basis) {
            let share: f64 = known.iter().zip(&column).map(|(a, b)| a * b).sum();
            column
                .iter_mut()
                .zip(known)
                .for_each(|(x, k)| *x -= share * k);
        }
        let left = size(&column);
        // A column that depends on the others to rounding error is dropped.
        if left > 1e-9 * whole {
            column.iter_mut().for_each(|x| *x /= left);
            basis.push(column);
        }
    }
    basis
}
