//! Another solution of a step: with friction its velocities need not be unique (JM92 §1).
//!
//! A body wedged between others can be held by impulses that cancel each other, self-stress: Ĝᵀs = 0 with every s_α in
//! its cone. With enough of it the contacts stick and the body hangs; without, it falls; both obey the laws. So, where
//! there is such an s, (★) is solved twice more, from a large multiple of s and from nothing. Solutions that the
//! judge takes as well as the one of the step, with velocities that differ by more than residuals explain, are told.
//!
//! s is sought by projections in turn onto { Ĝᵀs = 0 } and onto the cones, from pushes along all normals: what is
//! found is a self-stress; what is not found may exist. It is sought in steps of at most [`FEW`] contacts, in the
//! first step of a motion and where contacts came or went: a step with the contacts of the one before is as unique
//! as that was, but for impulses that grow or fade.

use contact::{ResidualEvaluator, FactoredDelassus, ResidualMeasure, Problem};
use solve::Goal;

use super::{World, kinetic};
use crate::dim::Dim;

/// Contacts and joints of a step that is looked at, at most.
const FEW: usize = 24;

/// Projections in turn, at most. A wedge in the plane or between faces takes a few.
const TURNS: usize = 200;

/// A self-stress balances to this share of itself.
const BALANCED: f64 = 1e-10;

/// Less than this share of the pushes that it began with is nothing.
const FADED: f64 = 1e-3;

/// The self-stress to start from, over the impulses that the step needs: so large that what has to be carried
/// leaves every impulse inside its cone.
const LARGE: f64 = 100.0;

/// Velocities differ where they do by this share of the speed at stake: a thousand times the tolerances of
/// structures, and what can be seen.
const APART: f64 = 1e-3;

/// Another solution of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherSolution {
    /// The bodies of the contact whose relative velocity differs most.
    pub bodies: [u32; 2],
    /// By how much, over the speed at stake.
    pub apart: f64,
}

impl<D: Dim> World<D> {
    /// Another solution of the last step, with other velocities, where one was found.
    pub fn other_solution(&self) -> Option<OtherSolution> {
        self.scratch.other_solution
    }

    /// Looks for it in the step whose impulses are known and whose state is still that before.
    pub(super) fn find_other_solution(&mut self) -> Option<OtherSolution> {
        let problem = self.scratch.problem.take()?;
        let found = self.look(&problem);
        self.scratch.problem = Some(problem);
        found
    }

    fn look(&mut self, problem: &Problem) -> Option<OtherSolution> {
        let frictional = |a: &usize| problem.law(*a).normal() && problem.dim(*a) > 1;
        let count = problem.num_contacts();
        if count > FEW || (0..count).filter(frictional).count() < 2 || !self.contacts_changed() {
            return None;
        }
        let speed = (0..count).fold(0.0_f64, |m, a| {
            m.max(size(&problem.free_velocity()[problem.rows(a)]))
        });
        let stress = self_stress(problem, kinetic(problem)?)?;
        let mut judge = ResidualEvaluator::new(problem);
        let goal = Goal {
            tolerance: self.settings.tolerance,
            max_iterations: self.settings.max_iterations,
            ..Goal::default()
        };
        let own = judge.residual(problem, &self.scratch.impulse, ResidualMeasure::Velocity);
        if !(own <= goal.tolerance) || !(speed > 0.0) {
            return None;
        }
        let u = judge.velocity().to_vec();
        // What stops the speed at stake: κ is the mass that a contact moves.
        let needed = (0..count).fold(0.0_f64, |m, a| m.max(problem.kappa(a) * speed));
        let largest = size(&self.scratch.impulse).max(needed);
        let starts = [
            stress.iter().map(|s| LARGE * largest * s).collect(),
            vec![0.0; stress.len()],
        ];
        let mut another: Option<OtherSolution> = None;
        for mut impulse in starts {
            self.scratch.solver.solve(problem, &mut impulse, &goal);
            let residual = judge.residual(problem, &impulse, ResidualMeasure::Velocity);
            if !(residual <= goal.tolerance) {
                continue;
            }
            for (a, touch) in self.scratch.active.iter().enumerate() {
                let rows = problem.rows(a);
                let both = judge.velocity()[rows.clone()].iter().zip(&u[rows]);
                let apart = size(&both.map(|(a, b)| a - b).collect::<Vec<f64>>()) / speed;
                if apart > APART.max(LARGE * goal.tolerance)
                    && another.is_none_or(|known| apart > known.apart)
                {
                    let bodies = self.scratch.detector.candidates()[*touch as usize].bodies;
                    another = Some(OtherSolution { bodies, apart });
                }
            }
        }
        another
    }

    /// Whether the motion begins, or contacts came or went since the step before.
    fn contacts_changed(&self) -> bool {
        let (work, memory) = (&self.scratch, &self.state.contacts);
        let begins = self.report.h == 0.0;
        let same = work.active.len() == memory.len()
            && work.active.iter().zip(memory).all(|(touch, known)| {
                let found = &work.detector.candidates()[*touch as usize];
                let own = (found.bodies, found.image, found.point.feature);
                own == (known.bodies, known.image, known.feature)
            });
        begins || !same
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Impulses of size 1 in the cones that move nothing, where some are found.
fn self_stress(problem: &Problem, kinetic: &FactoredDelassus) -> Option<Vec<f64>> {
    let basis = range(problem, kinetic);
    // In units in which every contact weighs alike.
    let mut s = vec![0.0; problem.num_rows()];
    for a in (0..problem.num_contacts()).filter(|a| problem.law(*a).normal()) {
        s[problem.rows(a).start] = 1.0;
    }
    let begun = size(&s);
    for _ in 0..TURNS {
        for column in basis.iter().chain(&basis) {
            let share: f64 = column.iter().zip(&s).map(|(c, s)| c * s).sum();
            s.iter_mut().zip(column).for_each(|(s, c)| *s -= share * c);
        }
        let balanced = s.clone();
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

/// An orthonormal basis of the range of Ĝ, whose complement are the impulses that move nothing.
fn range(problem: &Problem, kinetic: &FactoredDelassus) -> Vec<Vec<f64>> {
    let rows = problem.num_rows();
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
        // Twice is enough for orthogonality to rounding.
        for known in basis.iter().chain(&basis) {
            let share: f64 = known.iter().zip(&column).map(|(a, b)| a * b).sum();
            column
                .iter_mut()
                .zip(known)
                .for_each(|(x, k)| *x -= share * k);
        }
        let left = size(&column);
        // A column that depends on others to rounding adds nothing.
        if left > 1e-9 * whole {
            column.iter_mut().for_each(|x| *x /= left);
            basis.push(column);
        }
    }
    basis
}
