//! The operator W = G A⁻¹ Gᵀ of a mechanical system, never formed.
//!
//! Coordinates come in *groups* whose mass matrices are independent: a rigid body is a group of 3
//! or 6, a mechanism in generalised coordinates is one group of n. With A = L Lᵀ per group we work
//! in the coordinates v̂ = Lᵀ v, in which the kinetic metric is the identity (E = ½ ‖v̂‖²) and
//!
//! ```text
//! Ĝ = G L⁻ᵀ,    W = Ĝ Ĝᵀ,    u = Ĝ v̂ + given,    v̂ = v̂_free + Ĝᵀ r
//! ```
//!
//! so that a relaxation sweep reads the same Ĝ to gather a relative velocity and to scatter an
//! impulse, and no inverse mass matrix is touched (JM92 7.4–7.5).

mod block;
mod fixed;

use crate::builder::KineticBuilder;
use crate::stored::BlockSparse;

pub use block::Block;
pub(crate) use block::gather_ball;
use block::{ball, gather_fixed, scatter_ball, scatter_fixed};

/// One group touched by one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    /// First kinetic coordinate of the group.
    pub(crate) first: u32,
    /// First entry in `jacobian` of the block.
    pub(crate) block: u32,
    /// Number of coordinates of the group.
    pub(crate) width: u16,
    /// How the block is stored.
    pub(crate) form: Form,
}

impl Touch {
    /// None where a number is too large: four thousand million coordinates or entries of Ĝ, or a
    /// group of more than 65,535 coordinates.
    pub(crate) fn new(first: usize, width: usize, block: usize, form: Form) -> Option<Self> {
        Some(Self {
            first: u32::try_from(first).ok()?,
            block: u32::try_from(block).ok()?,
            width: u16::try_from(width).ok()?,
            form,
        })
    }

    /// First entry in `jacobian` of the block.
    #[inline]
    pub(crate) fn block(&self) -> usize {
        self.block as usize
    }
}

/// How a block of Ĝ is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// d × width entries, row-major.
    Dense,
    /// A ball in space, its spin in space axes: the lever is along the normal, so that with the
    /// frame (n, t1, t2) the three rows are (s n, 0), (s t1, c t2), (s t2, −c t1). Nine entries for
    /// the frame, which both balls of a contact share, then s and c for each; this is which.
    Ball(u8),
}

/// A contact of balls in space: rows (s n, 0), (s t1, c t2), (s t2, −c t1) for each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balls<'a> {
    /// The frame (n, t1, t2), then s and c of each ball.
    pub record: &'a [f64; 13],
    /// First kinetic coordinate of each ball; the second one may be missing.
    pub first: [Option<usize>; 2],
}

/// Values by row that are mostly all zero: nothing is stored until one is not.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sparse(Vec<f64>);

impl Sparse {
    /// Appends the values of rows `first`, `first + 1`, …
    #[inline]
    pub(crate) fn push(&mut self, first: usize, values: &[f64]) {
        if self.0.is_empty() && values.iter().all(|v| *v == 0.0) {
            return;
        }
        if self.0.len() != first {
            self.0.resize(first, 0.0);
        }
        self.0.extend_from_slice(values);
    }

    #[inline]
    pub(crate) fn at(&self, row: usize) -> f64 {
        self.0.get(row).copied().unwrap_or(0.0)
    }

    /// Those of R rows from `first` on.
    #[inline(always)]
    pub(crate) fn of<const R: usize>(&self, first: usize) -> [f64; R] {
        let from = self.0.get(first..).and_then(|list| list.first_chunk());
        from.copied().unwrap_or([0.0; R])
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The factored operator of a mechanical system.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinetic {
    /// First coordinate of each group; one more entry than groups.
    pub(crate) group_offset: Vec<usize>,
    /// First entry of each group's factor L in `factor`; none where L is the identity, and for all
    /// groups beyond the list.
    pub(crate) factor_ptr: Vec<Option<usize>>,
    /// Lower Cholesky factors, row-major m × m per group.
    pub(crate) factor: Vec<f64>,
    /// v̂ at the beginning of the step.
    pub(crate) begin: Vec<f64>,
    /// v̂_free = v̂_begin + L⁻¹ hK.
    pub(crate) free: Vec<f64>,
    /// Where each group is along a space-filling curve; may be empty.
    pub(crate) place: Vec<u32>,
    /// First row of each contact.
    pub(crate) offset: Vec<usize>,
    /// First touch of each contact; one more entry than contacts.
    pub(crate) touch_ptr: Vec<u32>,
    pub(crate) touch: Vec<Touch>,
    /// Blocks of Ĝ.
    pub(crate) jacobian: Vec<f64>,
    /// Given velocity W_α of a moving boundary, by row.
    pub(crate) boundary: Sparse,
    /// Weighted begin velocity ρ U_I, by row (zero without restitution).
    pub(crate) rebound: Sparse,
}

impl Kinetic {
    /// Starts an empty system.
    pub fn builder() -> KineticBuilder {
        KineticBuilder::default()
    }

    /// Number of kinetic coordinates.
    pub fn num_coordinates(&self) -> usize {
        self.free.len()
    }

    /// Number of groups.
    pub fn num_groups(&self) -> usize {
        self.group_offset.len() - 1
    }

    /// First coordinate of each group; one more entry than groups.
    pub fn group_offset(&self) -> &[usize] {
        &self.group_offset
    }

    /// First row of each contact; one more entry than contacts.
    pub(crate) fn offset(&self) -> &[usize] {
        &self.offset
    }

    /// Free velocity v̂_free in kinetic coordinates.
    pub fn free(&self) -> &[f64] {
        &self.free
    }

    /// Velocity at the beginning of the step, in kinetic coordinates.
    pub fn begin(&self) -> &[f64] {
        &self.begin
    }

    /// Given boundary velocity W_α of a row.
    #[inline]
    pub fn boundary(&self, row: usize) -> f64 {
        self.boundary.at(row)
    }

    /// Weighted begin velocity ρ U_I of a row.
    #[inline]
    pub fn rebound(&self, row: usize) -> f64 {
        self.rebound.at(row)
    }

    /// The groups touched by contact `a`: (first coordinate, block d × width of Ĝ row-major).
    pub fn touches(&self, a: usize) -> impl Iterator<Item = (usize, Block<'_>)> {
        let rows = self.offset[a + 1] - self.offset[a];
        self.touches_of(a)
            .iter()
            .map(move |t| (t.first as usize, self.written_out(t, rows)))
    }

    /// First coordinates of the groups touched by contact `a`.
    #[inline]
    pub fn firsts(&self, a: usize) -> impl Iterator<Item = usize> {
        self.touches_of(a).iter().map(|t| t.first as usize)
    }

    /// Where each group is along a space-filling curve; empty where nobody said.
    pub fn places(&self) -> &[u32] {
        &self.place
    }

    /// A contact of balls as it is stored; none for any other contact.
    pub fn balls(&self, a: usize) -> Option<Balls<'_>> {
        let touches = &self.touch[self.touch_ptr[a] as usize..self.touch_ptr[a + 1] as usize];
        let mut first = [None; 2];
        for t in touches {
            let Form::Ball(which) = t.form else {
                return None;
            };
            first[usize::from(which)] = Some(t.first as usize);
        }
        let record = self.jacobian[touches.first()?.block()..].first_chunk()?;
        Some(Balls { record, first })
    }

    /// The block of a touch, row-major.
    fn written_out(&self, t: &Touch, rows: usize) -> Block<'_> {
        let record = &self.jacobian[t.block()..];
        match t.form {
            Form::Dense => Block::Stored(&record[..rows * t.width as usize]),
            Form::Ball(which) => Block::Ball(ball(record, which)),
        }
    }

    /// The groups touched by contact `a`, as stored.
    #[inline]
    pub(crate) fn touches_of(&self, a: usize) -> &[Touch] {
        &self.touch[self.touch_ptr[a] as usize..self.touch_ptr[a + 1] as usize]
    }

    /// Adds (Ĝ v̂)_a to `u` (the rows of contact `a`).
    #[inline]
    pub fn add_gather(&self, a: usize, v: &[f64], u: &mut [f64]) {
        self.gather_touches(self.touches_of(a), v, u);
    }

    /// The same for touches of a contact.
    #[inline]
    pub(crate) fn gather_touches(&self, touches: &[Touch], v: &[f64], u: &mut [f64]) {
        let rows = u.len();
        for t in touches {
            let (first, width) = (t.first as usize, t.width as usize);
            let v = &v[first..first + width];
            if let Form::Ball(which) = t.form {
                gather_ball(&self.jacobian[t.block()..], which, v, u);
                continue;
            }
            let block = &self.jacobian[t.block()..t.block() + rows * width];
            // Bodies in space and in the plane: fixed sizes unroll.
            match (rows, width) {
                (3, 6) => gather_fixed::<3, 6>(block, v, u),
                (2, 3) => gather_fixed::<2, 3>(block, v, u),
                _ => {
                    for (i, ui) in u.iter_mut().enumerate() {
                        let row = &block[i * width..(i + 1) * width];
                        *ui += row.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
                    }
                }
            }
        }
    }

    /// v̂ += Ĝ_aᵀ dr.
    #[inline]
    pub fn scatter(&self, a: usize, dr: &[f64], v: &mut [f64]) {
        self.scatter_touches(self.touches_of(a), dr, v);
    }

    /// The same for touches of a contact.
    #[inline]
    fn scatter_touches(&self, touches: &[Touch], dr: &[f64], v: &mut [f64]) {
        let rows = dr.len();
        for t in touches {
            let (first, width) = (t.first as usize, t.width as usize);
            let v = &mut v[first..first + width];
            if let Form::Ball(which) = t.form {
                scatter_ball(&self.jacobian[t.block()..], which, dr, v);
                continue;
            }
            let block = &self.jacobian[t.block()..t.block() + rows * width];
            match (rows, width) {
                (3, 6) => scatter_fixed::<3, 6>(block, dr, v),
                (2, 3) => scatter_fixed::<2, 3>(block, dr, v),
                _ => {
                    for (i, d) in dr.iter().enumerate() {
                        let row = &block[i * width..(i + 1) * width];
                        v.iter_mut().zip(row).for_each(|(v, g)| *v += g * d);
                    }
                }
            }
        }
    }

    /// The rows' constant part: U = Ĝ v̂ + given, given = W_α + ρ U_I.
    #[inline]
    pub fn given(&self, row: usize) -> f64 {
        self.boundary.at(row) + self.rebound.at(row)
    }

    /// v̂ = v̂_free + Ĝᵀ r, summed in contact order.
    pub fn velocity_into(&self, r: &[f64], v: &mut [f64]) {
        v.copy_from_slice(&self.free);
        let touches = self.touch_ptr.windows(2);
        for (rows, touches) in self.offset.windows(2).zip(touches) {
            let touches = &self.touch[touches[0] as usize..touches[1] as usize];
            match r[rows[0]..rows[1]] {
                [n, t] => self.scatter_two(touches, [n, t], v),
                ref r => self.scatter_touches(touches, r, v),
            }
        }
    }

    /// The Cholesky factor L of a group's mass matrix; none where it is the identity.
    #[inline]
    pub(crate) fn lower(&self, group: usize) -> Option<&[f64]> {
        let m = self.group_offset[group + 1] - self.group_offset[group];
        let start = self.factor_ptr.get(group).copied().flatten();
        start.map(|start| &self.factor[start..start + m * m])
    }

    /// The physical velocity v = L⁻ᵀ v̂ of every coordinate.
    pub fn physical_velocity(&self, kinetic: &[f64]) -> Vec<f64> {
        let mut v = kinetic.to_vec();
        for g in 0..self.num_groups() {
            let (first, last) = (self.group_offset[g], self.group_offset[g + 1]);
            if let Some(l) = self.lower(g) {
                backward_transposed(l, &mut v[first..last]);
            }
        }
        v
    }

    /// Assembles W = Ĝ Ĝᵀ as a block-sparse matrix, for factorisations.
    pub fn assemble(&self) -> BlockSparse {
        let n = self.offset.len() - 1;
        let mut members: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.num_coordinates() + 1];
        for a in 0..n {
            for k in self.touch_ptr[a]..self.touch_ptr[a + 1] {
                let first = self.touch[k as usize].first as usize;
                members[first].push((a as u32, k));
            }
        }
        let mut pattern: Vec<Vec<u32>> = (0..n as u32).map(|a| vec![a]).collect();
        for list in &members {
            for &(a, _) in list {
                pattern[a as usize].extend(list.iter().map(|&(b, _)| b));
            }
        }
        for cols in &mut pattern {
            cols.sort_unstable();
            cols.dedup();
        }
        let mut w = BlockSparse::with_pattern(self.offset.clone(), &pattern);
        for g in 0..self.num_groups() {
            let width = self.group_offset[g + 1] - self.group_offset[g];
            if width > 0 {
                self.add_group_products(&members[self.group_offset[g]], width, &mut w);
            }
        }
        w
    }

    fn add_group_products(&self, members: &[(u32, u32)], width: usize, w: &mut BlockSparse) {
        for &(a, touch_a) in members {
            let rows_a = w.dim(a as usize);
            let block_a = self.written_out(&self.touch[touch_a as usize], rows_a);
            for &(b, touch_b) in members {
                let rows_b = w.dim(b as usize);
                let block_b = self.written_out(&self.touch[touch_b as usize], rows_b);
                let block = w.block_mut(a as usize, b as usize);
                for i in 0..rows_a {
                    let row_a = &block_a[i * width..(i + 1) * width];
                    for j in 0..rows_b {
                        let row_b = &block_b[j * width..(j + 1) * width];
                        let product: f64 = row_a.iter().zip(row_b).map(|(x, y)| x * y).sum();
                        block[i * rows_b + j] += product;
                    }
                }
            }
        }
    }
}

/// Solves Lᵀ x = b in place.
fn backward_transposed(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|j| l[j * n + i] * x[j]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
}
