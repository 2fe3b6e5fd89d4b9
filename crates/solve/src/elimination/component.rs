//! A connected component of bilateral rows with its factorisation: dense for few coordinates, sparse for many.

use percuss_contact::{FactoredDelassus, Problem};
use percuss_linalg::dense::dot;
use percuss_linalg::{MinimumNorm, PivotedQr};

use super::components::length_at;
use super::{BilateralError, LOCKED, ROUNDING};

/// Largest number of coordinates of a component that is factorised densely: 40 links of the plane, 21 of space. Up to
/// there the dense factorisation costs about as much, and its basis keeps the contacts of a component together.
const DENSE: usize = 128;

/// Rest of a row, relative to the velocities, at which a sparse solve ends: two roundings.
const SOLVED: f64 = 2e-16;

/// Bilateral rows that share groups of coordinates, with their factorisation.
#[derive(Debug, Clone)]
pub(super) struct Component {
    /// Its bilateral contacts, ascending.
    pub contacts: Vec<usize>,
    /// Its coordinates in the order of the factorisation.
    pub coordinates: Vec<usize>,
    /// Its rows in the problem.
    rows: Vec<usize>,
    factor: Factor,
    /// v₀ by coordinate; empty where no contact needs it.
    pub fixed: Vec<f64>,
    /// Impulses of its rows where no contact acts on the component.
    alone: Option<Vec<f64>>,
    /// How contacts see the component.
    pub basis: Basis,
}

/// The factorisation of Ĝ_b with rows of unit length.
#[derive(Debug, Clone)]
enum Factor {
    Dense(Box<DenseFactor>),
    Sparse(Box<MinimumNorm>),
}

#[derive(Debug, Clone)]
struct DenseFactor {
    /// Ĝ_b by rows, not scaled.
    jacobian: Vec<f64>,
    scale: Vec<f64>,
    /// Pivoted QR factorisation of (scaled Ĝ_b)ᵀ.
    qr: PivotedQr,
    /// v₀ in the basis Q₁.
    target: Vec<f64>,
}

/// The coordinates of a component in the reduced problem.
#[derive(Debug, Clone)]
pub(super) enum Basis {
    /// All velocities that the bilateral rows allow: Z of the dense factorisation.
    NullSpace,
    /// Those that the contacts can cause: an orthonormal basis of the range of P Ĝ_cᵀ, with P the projector on the
    /// velocities that the bilateral rows allow. By coordinate of the component, `width` entries each.
    Reached { entries: Vec<f64>, width: usize },
    /// The bodies as they are: too many contacts for a basis, the bilateral rows stay in the reduced problem.
    Bodies,
}

/// A problem whose components are factorised.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    /// By coordinate of the problem: its place among the coordinates of its component.
    pub place: &'a [usize],
    pub mismatch: f64,
}

impl Component {
    /// The component with these bilateral contacts and coordinates; `old` is that of the last problem, whose factors are
    /// taken over where the rows are the same.
    pub fn new(
        source: Source<'_>,
        contacts: &[usize],
        coordinates: Vec<usize>,
        old: Option<Self>,
    ) -> Self {
        let problem = source.problem;
        let rows = contacts.iter().flat_map(|&a| problem.rows(a)).collect();
        let (mut dense, mut sparse) = (None, None);
        match old.map(|old| old.factor) {
            Some(Factor::Dense(old)) => dense = Some(old),
            Some(Factor::Sparse(old)) => sparse = Some(old),
            None => {}
        }
        let sparse = match coordinates.len() > DENSE {
            true => sparse_factor(source, contacts, &coordinates, sparse.unwrap_or_default()),
            false => None,
        };
        let (factor, basis) = match sparse {
            Some(sparse) => (Factor::Sparse(sparse), Basis::Bodies),
            None => {
                let dense = dense_factor(source, contacts, coordinates.len(), dense);
                (Factor::Dense(dense), Basis::NullSpace)
            }
        };
        Self {
            contacts: contacts.to_vec(),
            coordinates,
            rows,
            factor,
            fixed: Vec::new(),
            alone: None,
            basis,
        }
    }

    /// Computes v₀ from the given velocities; rows that add no rank must agree with it. Needs the basis.
    pub fn fix(&mut self, source: Source<'_>) -> Result<(), BilateralError> {
        let (problem, kinetic) = (source.problem, source.kinetic);
        // Given velocities of the rows, and the scale of the velocities.
        let size = self.each_row(|row| {
            problem.free_velocity()[row]
                .abs()
                .max(kinetic.affine_term(row).abs())
        });
        let size = size.iter().fold(0.0_f64, |m, v| m.max(*v));
        // The residual of terms that cancel is rounding of these terms: rows have unit length here.
        let moving = |v: &[f64]| length_at(v, &self.coordinates);
        let rounding = ROUNDING * moving(kinetic.free()).max(moving(kinetic.begin()));
        let allowed = (source.mismatch * size).max(rounding);
        let given = self.each_row(|row| -kinetic.affine_term(row));
        let rows = &self.rows;
        let worst = |left: &[f64]| {
            let most = (0..left.len()).max_by(|&i, &j| left[i].abs().total_cmp(&left[j].abs()));
            most.filter(|&i| left[i].abs() > allowed)
        };
        match &mut self.factor {
            Factor::Dense(dense) => {
                let (target, left) = dense.qr.solve_transposed(&given);
                if let Some(worst) = worst(&left) {
                    return Err(dense.contradiction(problem, rows, worst, left[worst]));
                }
                self.fixed = dense.qr.range_combine(&target);
                dense.target = target;
            }
            Factor::Sparse(sparse) => {
                let mut e: Vec<f64> = rows.iter().map(|&row| -kinetic.affine_term(row)).collect();
                let mut most = given.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                // Without contacts the impulses themselves: what contradicts is left of these as well.
                let alone = matches!(self.basis, Basis::Reached { width: 0, .. });
                if alone {
                    let own: Vec<f64> = self
                        .coordinates
                        .iter()
                        .map(|&c| kinetic.free()[c])
                        .collect();
                    most = own.iter().fold(0.0, |m, v| m.max(v.abs()));
                    let moving = sparse.velocities(&own);
                    e.iter_mut().zip(moving).for_each(|(e, u)| *e -= u);
                }
                let mut moved = vec![0.0; self.coordinates.len()];
                let mut lambda = vec![0.0; rows.len()];
                let left = sparse.solve(&e, SOLVED * most, &mut lambda, &mut moved);
                if let Some(worst) = worst(left) {
                    let left = left.to_vec();
                    return Err(disagreement(problem, rows, worst, &left, sparse.scale()));
                }
                match alone {
                    true => self.alone = Some(lambda),
                    false => self.fixed = moved,
                }
            }
        }
        Ok(())
    }

    /// A value of each row, in rows of unit length.
    fn each_row(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let scale = match &self.factor {
            Factor::Dense(dense) => &dense.scale[..],
            Factor::Sparse(sparse) => sparse.scale(),
        };
        let both = self.rows.iter().zip(scale);
        both.map(|(&row, s)| value(row) * s).collect()
    }

    /// Number of coordinates in the reduced problem.
    pub fn width(&self) -> usize {
        match (&self.basis, &self.factor) {
            (Basis::NullSpace, Factor::Dense(dense)) => self.coordinates.len() - dense.qr.rank(),
            (Basis::Reached { width, .. }, _) => *width,
            _ => 0,
        }
    }

    /// Row of the basis for the component's coordinate `i`.
    pub fn basis_row(&self, i: usize) -> &[f64] {
        match (&self.basis, &self.factor) {
            (Basis::NullSpace, Factor::Dense(dense)) => dense.qr.null_row(i),
            (Basis::Reached { entries, width }, _) => &entries[i * width..(i + 1) * width],
            _ => &[],
        }
    }

    /// x in the basis, for x by coordinate of the problem.
    pub fn free_part(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.width()];
        for (i, &c) in self.coordinates.iter().enumerate() {
            y.iter_mut()
                .zip(self.basis_row(i))
                .for_each(|(y, z)| *y += z * x[c]);
        }
        y
    }

    /// Whether the rows are factorised sparsely.
    pub fn is_sparse(&self) -> bool {
        matches!(self.factor, Factor::Sparse(_))
    }

    /// Takes the directions `rows` (by coordinate of the component) of the contacts as they move with the joints: the
    /// basis becomes that of their range.
    pub fn reach(&mut self, mut rows: Vec<Vec<f64>>) {
        let Factor::Sparse(sparse) = &mut self.factor else {
            return;
        };
        let n = self.coordinates.len();
        let (mut lambda, mut held) = (vec![0.0; sparse.num_rows()], vec![0.0; n]);
        for row in &mut rows {
            let whole = dot(row, row);
            // Twice: where little is left, the first projection leaves rounding of what was taken.
            for _ in 0..2 {
                let before = dot(row, row);
                let e = sparse.velocities(row);
                sparse.solve(&e, SOLVED * before.sqrt(), &mut lambda, &mut held);
                row.iter_mut().zip(&held).for_each(|(g, h)| *g -= h);
                if dot(row, row) > 0.1 * before {
                    break;
                }
            }
            // What is left of a row that the joints lock is rounding, and no direction.
            let left = dot(row, row);
            let length = if left > LOCKED * whole {
                left.sqrt()
            } else {
                f64::INFINITY
            };
            row.iter_mut().for_each(|g| *g /= length);
        }
        let qr = PivotedQr::new(n, rows.len(), false, |i, j| rows[j][i]);
        let width = qr.rank();
        let mut entries = vec![0.0; n * width];
        for k in 0..width {
            for (i, q) in qr.range_column(k).iter().enumerate() {
                entries[i * width + k] = *q;
            }
        }
        self.basis = Basis::Reached { entries, width };
    }

    /// Adds to `impulse` what the rows need at the velocity `v`; `refine` says that this was done before. Sparse solves
    /// refine themselves.
    pub fn correct(
        &mut self,
        kinetic: &FactoredDelassus,
        v: &[f64],
        refine: bool,
        impulse: &mut [f64],
    ) {
        if refine && self.is_sparse() {
            return;
        }
        if let Some(alone) = &self.alone {
            for (&row, r) in self.rows.iter().zip(alone) {
                impulse[row] += r;
            }
            return;
        }
        let own: Vec<f64> = self.coordinates.iter().map(|&c| v[c]).collect();
        match &mut self.factor {
            Factor::Dense(dense) => {
                let mut change = dense.qr.range_part(&own);
                change
                    .iter_mut()
                    .zip(&dense.target)
                    .for_each(|(c, t)| *c = t - *c);
                let rho = dense.qr.solve(&change);
                for (i, &row) in self.rows.iter().enumerate() {
                    impulse[row] += rho[i] * dense.scale[i];
                }
            }
            Factor::Sparse(sparse) => {
                let most = own.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                // −(Ĝ v + W).
                let mut e = sparse.velocities(&own);
                for (e, &row) in e.iter_mut().zip(&self.rows) {
                    *e = -(*e + kinetic.affine_term(row));
                }
                let (mut lambda, mut moved) = (vec![0.0; e.len()], own);
                sparse.solve(&e, SOLVED * most, &mut lambda, &mut moved);
                for (&row, lambda) in self.rows.iter().zip(&lambda) {
                    impulse[row] += lambda;
                }
            }
        }
    }

    /// Sets the impulses of its rows to zero.
    pub fn clear(&self, impulse: &mut [f64]) {
        self.rows.iter().for_each(|&row| impulse[row] = 0.0);
    }
}

/// The dense factorisation; that of the last problem where the rows are the same.
fn dense_factor(
    source: Source<'_>,
    contacts: &[usize],
    n: usize,
    old: Option<Box<DenseFactor>>,
) -> Box<DenseFactor> {
    let count: usize = contacts.iter().map(|&a| source.problem.dim(a)).sum();
    // Dense Ĝ_b of the component.
    let mut jacobian = vec![0.0; count * n];
    let mut at = 0;
    for &a in contacts {
        let d = source.problem.dim(a);
        for (first, block) in source.kinetic.dense_blocks(a) {
            let width = block.len() / d;
            for (k, g) in block.iter().enumerate() {
                jacobian[(at + k / width) * n + source.place[first] + k % width] += g;
            }
        }
        at += d;
    }
    if let Some(old) = old
        && old.jacobian == jacobian
    {
        return old;
    }
    // Rows scaled to unit length.
    let scale: Vec<f64> = jacobian
        .chunks_exact(n.max(1))
        .map(|row| dot(row, row).sqrt())
        .map(|length| if length > 0.0 { 1.0 / length } else { 1.0 })
        .collect();
    let qr = PivotedQr::new(n, count, true, |i, j| jacobian[j * n + i] * scale[j]);
    Box::new(DenseFactor {
        jacobian,
        scale,
        qr,
        target: Vec::new(),
    })
}

/// The sparse factorisation, with the symbolic one of the last problem where the structure is the same; `None` where
/// it cannot be factorised.
fn sparse_factor(
    source: Source<'_>,
    contacts: &[usize],
    coordinates: &[usize],
    mut sparse: Box<MinimumNorm>,
) -> Option<Box<MinimumNorm>> {
    // Groups of the component in the order of its coordinates, and the number of each.
    let offset = source.kinetic.group_offset();
    let mut number = vec![usize::MAX; coordinates.len()];
    let mut sizes = Vec::new();
    let mut at = 0;
    while let Some(&first) = coordinates.get(at) {
        let group = offset.partition_point(|&f| f <= first);
        number[at] = sizes.len();
        sizes.push(offset[group] - first);
        at += offset[group] - first;
    }
    sparse.begin(sizes);
    for &a in contacts {
        let blocks: Vec<_> = source.kinetic.dense_blocks(a).collect();
        let touches = blocks
            .iter()
            .map(|(first, block)| (number[source.place[*first]], &block[..]));
        sparse.push(source.problem.dim(a), touches);
    }
    sparse.factor().then_some(sparse)
}

/// The contact of a row.
fn owner(problem: &Problem, row: usize) -> usize {
    problem.offset().partition_point(|&first| first <= row) - 1
}

/// The error for rows whose given velocities disagree: the contact of the worst one, then those that share in it.
fn disagreement(
    problem: &Problem,
    rows: &[usize],
    worst: usize,
    left: &[f64],
    scale: &[f64],
) -> BilateralError {
    let first = owner(problem, rows[worst]);
    let shares = |i: &usize| left[*i].abs() > 1e-3 * left[worst].abs();
    let mut others: Vec<usize> = (0..left.len())
        .filter(shares)
        .map(|i| owner(problem, rows[i]))
        .filter(|&a| a != first)
        .collect();
    others.dedup();
    others.insert(0, first);
    BilateralError::Contradiction {
        contacts: others,
        velocity: left[worst] / scale[worst],
    }
}

impl DenseFactor {
    /// Names the contact of a dependent row and the contacts that it depends on.
    fn contradiction(
        &self,
        problem: &Problem,
        rows: &[usize],
        worst: usize,
        left: f64,
    ) -> BilateralError {
        let order = self.qr.order();
        let row = order[self.qr.rank() + worst];
        let first = owner(problem, rows[row]);
        // Contacts of the rows in its linear combination.
        let mut others: Vec<usize> = self
            .qr
            .combination(worst)
            .iter()
            .enumerate()
            // Coefficients between unit rows are of order one; below this they are rounding.
            .filter(|(_, t)| t.abs() > 1e-8)
            .map(|(position, _)| owner(problem, rows[order[position]]))
            .filter(|&a| a != first)
            .collect();
        others.sort_unstable();
        others.dedup();
        others.insert(0, first);
        BilateralError::Contradiction {
            contacts: others,
            velocity: left / self.scale[row],
        }
    }
}
