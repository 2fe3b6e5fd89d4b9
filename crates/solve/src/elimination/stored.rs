//! Elimination of bilateral rows for a stored W: one Schur complement for each component.

use std::collections::BTreeMap;

use percuss_contact::law::Law;
use percuss_contact::{BlockSparseMatrix, DelassusOperator, Problem};
use percuss_linalg::PivotedQr;
use percuss_linalg::dense::dot;

use super::components::find_root;
use super::{BilateralError, Reduction, locked};

/// A contact whose normal entry keeps less than this fraction is locked by the bilateral rows: the complement is a
/// difference, so that its rounding is 1e-16 times the condition number of W_bb.
const LOCKED: f64 = 1e-10;

/// Bilateral rows coupled through W_bb, with their factorisation.
#[derive(Debug, Clone)]
pub(super) struct Component {
    contacts: Vec<usize>,
    /// Its rows in the problem.
    rows: Vec<usize>,
    /// 1/√W_ii.
    scale: Vec<f64>,
    /// Factorisation of the scaled W_bb.
    factor: PivotedQr,
}

/// Blocks of W' by contact of the original problem.
type Rows = Vec<BTreeMap<usize, Vec<f64>>>;

pub(super) fn eliminate(
    problem: &Problem,
    matrix: &BlockSparseMatrix,
    mismatch: f64,
) -> Result<Reduction<Component>, BilateralError> {
    let mut components = Vec::new();
    // One factorisation for each component.
    for contacts in connect(problem, matrix) {
        components.push(Component::new(problem, matrix, contacts, mismatch)?);
    }
    let joint: Vec<bool> = problem
        .laws()
        .iter()
        .map(|l| *l == Law::Bilateral)
        .collect();
    // W_cc, from which the complements are subtracted.
    let mut rows: Rows = vec![BTreeMap::new(); problem.num_contacts()];
    let mut free = problem.free_velocity().to_vec();
    for a in (0..joint.len()).filter(|&a| !joint[a]) {
        let blocks = matrix.row(a).filter(|(b, _)| !joint[*b]);
        rows[a] = blocks.map(|(b, block)| (b, block.to_vec())).collect();
    }
    // Subtract the complement of every component.
    for component in &components {
        component.complement(problem, matrix, &joint, &mut rows, &mut free);
    }
    let kept = keep(problem, matrix, &joint, &rows, &free, &components, mismatch)?;
    let problem = assemble(problem, &kept, &rows, &free)?;
    Ok(Reduction {
        problem,
        kept,
        components,
    })
}

/// Bilateral contacts by connected component, ascending.
fn connect(problem: &Problem, matrix: &BlockSparseMatrix) -> Vec<Vec<usize>> {
    let joint = |a: usize| *problem.law(a) == Law::Bilateral;
    let mut parent: Vec<usize> = (0..problem.num_contacts()).collect();
    // Union–find over the blocks of W_bb.
    for a in (0..parent.len()).filter(|&a| joint(a)) {
        for (b, _) in matrix.row(a).filter(|(b, _)| joint(*b)) {
            let (x, y) = (find_root(&mut parent, a), find_root(&mut parent, b));
            parent[x.max(y)] = x.min(y);
        }
    }
    // Collect the contacts by root.
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for a in (0..parent.len()).filter(|&a| joint(a)) {
        members
            .entry(find_root(&mut parent, a))
            .or_default()
            .push(a);
    }
    members.into_values().collect()
}

impl Component {
    fn new(
        problem: &Problem,
        matrix: &BlockSparseMatrix,
        contacts: Vec<usize>,
        mismatch: f64,
    ) -> Result<Self, BilateralError> {
        let rows: Vec<usize> = contacts.iter().flat_map(|&a| problem.rows(a)).collect();
        let first = first_rows(problem, &contacts);
        let n = rows.len();
        // Dense W_bb of the component.
        let mut w = vec![0.0; n * n];
        for &a in &contacts {
            for (b, block) in matrix.row(a) {
                let Some(&at) = first.get(&b) else { continue };
                let width = problem.dim(b);
                for (k, v) in block.iter().enumerate() {
                    w[(first[&a] + k / width) * n + at + k % width] = *v;
                }
            }
        }
        // Scaled to unit diagonal.
        let scale: Vec<f64> = (0..n)
            .map(|i| {
                if w[i * n + i] > 0.0 {
                    w[i * n + i].sqrt().recip()
                } else {
                    1.0
                }
            })
            .collect();
        let factor = PivotedQr::new(n, n, false, |i, j| w[i * n + j] * scale[i] * scale[j]);
        let component = Self {
            contacts,
            rows,
            scale,
            factor,
        };
        component.agree(problem, mismatch)?;
        Ok(component)
    }

    /// b_b must lie in the range of W_bb: the rest of it is a velocity that no impulse can remove.
    fn agree(&self, problem: &Problem, mismatch: f64) -> Result<(), BilateralError> {
        let b: Vec<f64> = self.scaled(problem.free_velocity());
        let made = self.factor.range_combine(&self.factor.range_part(&b));
        let left: Vec<f64> = b.iter().zip(&made).map(|(b, m)| b - m).collect();
        let size = b.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let owner = |i: usize| {
            problem
                .offset()
                .partition_point(|&first| first <= self.rows[i])
                - 1
        };
        let worst = (0..left.len()).max_by(|&i, &j| left[i].abs().total_cmp(&left[j].abs()));
        let Some(worst) = worst.filter(|&i| left[i].abs() > mismatch * size) else {
            return Ok(());
        };
        let shares = |i: &usize| left[*i].abs() > 1e-3 * left[worst].abs();
        let mut others: Vec<usize> = (0..left.len()).filter(shares).map(owner).collect();
        others.dedup();
        others.retain(|&a| a != owner(worst));
        others.insert(0, owner(worst));
        Err(BilateralError::Contradiction {
            contacts: others,
            velocity: left[worst] / self.scale[worst],
        })
    }

    fn scaled(&self, x: &[f64]) -> Vec<f64> {
        self.rows
            .iter()
            .zip(&self.scale)
            .map(|(&row, s)| x[row] * s)
            .collect()
    }

    /// W_bb⁺ f with f by row of the component, already scaled once.
    fn solve(&self, f: &[f64]) -> Vec<f64> {
        let mut x = self.factor.solve(&self.factor.range_part(f));
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        x
    }

    /// Subtracts W_cb W_bb⁺ (W_bc, b_b) from the blocks and velocities of the other contacts.
    fn complement(
        &self,
        problem: &Problem,
        matrix: &BlockSparseMatrix,
        joint: &[bool],
        rows: &mut Rows,
        free: &mut [f64],
    ) {
        let n = self.rows.len();
        // Columns of the scaled W_bc by contact.
        let mut columns: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let first = first_rows(problem, &self.contacts);
        for &b in &self.contacts {
            for (c, block) in matrix.row(b).filter(|(c, _)| !joint[*c]) {
                let width = problem.dim(c);
                let column = columns.entry(c).or_insert_with(|| vec![0.0; n * width]);
                for (k, v) in block.iter().enumerate() {
                    let i = first[&b] + k / width;
                    column[(k % width) * n + i] = v * self.scale[i];
                }
            }
        }
        // W_bb⁺ W_bc and W_bb⁺ b_b.
        for column in columns.values_mut() {
            *column = column.chunks_exact(n).flat_map(|f| self.solve(f)).collect();
        }
        let response = self.solve(&self.scaled(problem.free_velocity()));
        let mut left = Vec::new();
        for a in (0..joint.len()).filter(|&a| !joint[a]) {
            // Row a of W_cb, dense over the component.
            let d = problem.dim(a);
            left.clear();
            for (b, block) in matrix.row(a) {
                let Some(&at) = first.get(&b) else { continue };
                left.resize(d * n, 0.0);
                let width = problem.dim(b);
                for (k, v) in block.iter().enumerate() {
                    left[(k / width) * n + at + k % width] = *v;
                }
            }
            // Subtract W_cb W_bb⁺ (W_bc, b_b).
            for (i, row) in left.chunks_exact(n).enumerate() {
                free[problem.rows(a).start + i] -= dot(row, &response);
                for (&c, column) in &columns {
                    let width = problem.dim(c);
                    let block = rows[a].entry(c).or_insert_with(|| vec![0.0; d * width]);
                    for (j, x) in column.chunks_exact(n).enumerate() {
                        block[i * width + j] -= dot(row, x);
                    }
                }
            }
        }
    }
}

/// First row of each contact within its component.
fn first_rows(problem: &Problem, contacts: &[usize]) -> BTreeMap<usize, usize> {
    let mut at = 0;
    contacts
        .iter()
        .map(|&a| {
            at += problem.dim(a);
            (a, at - problem.dim(a))
        })
        .collect()
}

/// The contacts that remain: those whose normal velocity the bilateral rows do not fix.
fn keep(
    problem: &Problem,
    matrix: &BlockSparseMatrix,
    joint: &[bool],
    rows: &Rows,
    free: &[f64],
    components: &[Component],
    mismatch: f64,
) -> Result<Vec<usize>, BilateralError> {
    let mut kept = Vec::new();
    for a in (0..joint.len()).filter(|&a| !joint[a]) {
        let normal = rows[a].get(&a).map_or(0.0, |block| block[0]);
        if !problem.law(a).normal() || normal > LOCKED * problem.diagonal_block(a)[0] {
            kept.push(a);
            continue;
        }
        // Locked: its velocity is fixed, and must not be a penetration.
        let velocity = free[problem.rows(a).start];
        let size = problem.free_velocity()[problem.rows(a)]
            .iter()
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        if velocity < -mismatch * size {
            let touched =
                |part: &&Component| matrix.row(a).any(|(b, _)| part.contacts.contains(&b));
            let joints = components
                .iter()
                .filter(touched)
                .flat_map(|part| part.contacts.clone());
            return Err(locked(a, joints.collect(), velocity));
        }
    }
    Ok(kept)
}

fn assemble(
    problem: &Problem,
    kept: &[usize],
    rows: &Rows,
    free: &[f64],
) -> Result<Problem, BilateralError> {
    let mut offset = vec![0];
    let mut first = vec![usize::MAX; problem.num_contacts()];
    for &a in kept {
        first[a] = offset[offset.len() - 1];
        offset.push(first[a] + problem.dim(a));
    }
    // Rows of W' in compressed form.
    let (mut row_ptr, mut col, mut val) = (vec![0], Vec::new(), Vec::new());
    for &a in kept {
        for i in 0..problem.dim(a) {
            for (&b, block) in rows[a].iter().filter(|(b, _)| first[**b] != usize::MAX) {
                let width = problem.dim(b);
                for j in 0..width {
                    col.push(first[b] + j);
                    val.push(block[i * width + j]);
                }
            }
            row_ptr.push(col.len());
        }
    }
    let matrix = BlockSparseMatrix::from_rows(offset, &row_ptr, &col, &val)?;
    let law = kept.iter().map(|&a| problem.law(a).clone()).collect();
    let free = kept
        .iter()
        .flat_map(|&a| problem.rows(a))
        .map(|row| free[row])
        .collect();
    Ok(Problem::new(
        law,
        DelassusOperator::Stored { matrix, free },
    )?)
}

/// r_b = −W_bb⁺ (b_b + W_bc r_c); the second pass removes the rounding of the first (iterative refinement).
pub(super) fn recover(
    components: &[Component],
    problem: &Problem,
    matrix: &BlockSparseMatrix,
    free: &[f64],
    impulse: &mut [f64],
) {
    for part in components {
        for _ in 0..2 {
            // u_b of the present impulses.
            let mut u = Vec::with_capacity(part.rows.len());
            for &a in &part.contacts {
                let start = u.len();
                u.extend_from_slice(&free[problem.rows(a)]);
                matrix.add_row_product(a, impulse, &mut u[start..]);
            }
            u.iter_mut().zip(&part.scale).for_each(|(u, s)| *u *= s);
            for (&row, change) in part.rows.iter().zip(part.solve(&u)) {
                impulse[row] -= change;
            }
        }
    }
}
