//! The Delassus operator W = G A⁻¹ Gᵀ of a mechanical system in factored (matrix-free) form.
//!
//! Coordinates come in *groups* whose mass matrices are independent: a rigid body is a group of 3
//! or 6, a mechanism in generalised coordinates is one group of n. With A = L Lᵀ per group the code works
//! in kinetic (mass-weighted) coordinates v̂ = Lᵀ v, in which the metric is the identity (E = ½ ‖v̂‖²) and
//!
//! ```text
//! Ĝ = G L⁻ᵀ,    W = Ĝ Ĝᵀ,    u = Ĝ v̂ + W_α + ρ U_I,    v̂ = v̂_free + Ĝᵀ r
//! ```
//!
//! A Gauss–Seidel sweep therefore reads the same blocks of Ĝ to gather a relative velocity and to scatter an
//! impulse, and needs no inverse mass matrix (JM92 7.4–7.5).

mod block;
mod fixed;
mod restriction;

use crate::block_sparse::BlockSparseMatrix;

pub use block::JacobianBlock;
pub(crate) use block::gather_sphere;
use block::{gather_fixed, scatter_fixed, scatter_sphere, sphere_block};

/// Block of Ĝ of one contact for one group: where it is stored and which coordinates it acts on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GroupBlock {
    /// First kinetic coordinate of the group.
    pub(crate) first_coordinate: u32,
    /// First entry in `jacobian` of the block.
    pub(crate) start: u32,
    /// Number of coordinates of the group.
    pub(crate) width: u16,
    /// How the block is stored.
    pub(crate) storage: BlockStorage,
}

impl GroupBlock {
    /// `None` where an index does not fit its type: more than 2³² coordinates or entries of Ĝ, or a
    /// group of more than 65,535 coordinates.
    pub(crate) fn new(
        first: usize,
        width: usize,
        block: usize,
        form: BlockStorage,
    ) -> Option<Self> {
        Some(Self {
            first_coordinate: u32::try_from(first).ok()?,
            start: u32::try_from(block).ok()?,
            width: u16::try_from(width).ok()?,
            storage: form,
        })
    }

    /// First entry in `jacobian` of the block.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }
}

/// Storage format of a block of Ĝ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockStorage {
    /// d × width entries, row-major.
    Dense,
    /// A sphere in space, its spin in space axes: the lever arm is along the normal, so that with the
    /// frame (n, t1, t2) the three rows are (s n, 0), (s t1, c t2), (s t2, −c t1). Stored are the nine entries of
    /// the frame, shared by both spheres of the contact, then s and c of each; the number is 0 or 1, the sphere's.
    Sphere(u8),
}

/// A contact of spheres in space: rows (s n, 0), (s t1, c t2), (s t2, −c t1) for each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereContact<'a> {
    /// The frame (n, t1, t2), then s and c of each sphere.
    pub frame_and_scales: &'a [f64; 13],
    /// First kinetic coordinate of each sphere; the second is missing where the partner has no coordinates.
    pub first_coordinates: [Option<usize>; 2],
}

/// Values by row that are usually all zero: nothing is stored until a nonzero value arrives.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct MostlyZeroRows(Vec<f64>);

impl MostlyZeroRows {
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

    /// Value of a row.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> f64 {
        self.0.get(row).copied().unwrap_or(0.0)
    }

    /// Values of the R rows from `first` on.
    #[inline(always)]
    pub(crate) fn of<const R: usize>(&self, first: usize) -> [f64; R] {
        let from = self.0.get(first..).and_then(|list| list.first_chunk());
        from.copied().unwrap_or([0.0; R])
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The Delassus operator in factored form, with the velocities of the step.
#[derive(Debug, Clone, PartialEq)]
pub struct FactoredDelassus {
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
    /// Key of each group on a space-filling curve (Morton order for bodies); may be empty.
    pub(crate) curve_keys: Vec<u32>,
    /// First row of each contact.
    pub(crate) offset: Vec<usize>,
    /// First group block of each contact; one more entry than contacts.
    pub(crate) block_ptr: Vec<u32>,
    /// Group blocks, in contact order.
    pub(crate) blocks: Vec<GroupBlock>,
    /// Entries of the blocks of Ĝ.
    pub(crate) jacobian: Vec<f64>,
    /// Given velocity W_α of a moving boundary, by row.
    pub(crate) boundary: MostlyZeroRows,
    /// Weighted begin velocity ρ U_I, by row (zero without restitution).
    pub(crate) rebound: MostlyZeroRows,
}

impl FactoredDelassus {
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

    /// Boundary velocity W_α of a row (given motion).
    #[inline]
    pub fn boundary(&self, row: usize) -> f64 {
        self.boundary.at(row)
    }

    /// Weighted begin velocity ρ U_I of a row.
    #[inline]
    pub fn rebound(&self, row: usize) -> f64 {
        self.rebound.at(row)
    }

    /// The blocks of contact `a`: (first coordinate of the group, d × width block of Ĝ, row-major).
    pub fn dense_blocks(&self, a: usize) -> impl Iterator<Item = (usize, JacobianBlock<'_>)> {
        let rows = self.offset[a + 1] - self.offset[a];
        self.blocks_of(a)
            .iter()
            .map(move |t| (t.first_coordinate as usize, self.dense_block(t, rows)))
    }

    /// First coordinates of the groups of contact `a`.
    #[inline]
    pub fn first_coordinates(&self, a: usize) -> impl Iterator<Item = usize> {
        self.blocks_of(a)
            .iter()
            .map(|t| t.first_coordinate as usize)
    }

    /// Keys of the groups on a space-filling curve (Morton order for bodies); empty where none were given.
    pub fn curve_keys(&self) -> &[u32] {
        &self.curve_keys
    }

    /// The compressed form of a contact of spheres; `None` for any other contact.
    pub fn sphere_contact(&self, a: usize) -> Option<SphereContact<'_>> {
        let touches = &self.blocks[self.block_ptr[a] as usize..self.block_ptr[a + 1] as usize];
        let mut first = [None; 2];
        // All group blocks of the contact must be spheres.
        for t in touches {
            let BlockStorage::Sphere(which) = t.storage else {
                return None;
            };
            first[usize::from(which)] = Some(t.first_coordinate as usize);
        }
        let record = self.jacobian[touches.first()?.start()..].first_chunk()?;
        Some(SphereContact {
            frame_and_scales: record,
            first_coordinates: first,
        })
    }

    /// A group block as a row-major matrix; that of a sphere is expanded.
    fn dense_block(&self, t: &GroupBlock, rows: usize) -> JacobianBlock<'_> {
        let record = &self.jacobian[t.start()..];
        match t.storage {
            BlockStorage::Dense => JacobianBlock::Stored(&record[..rows * t.width as usize]),
            BlockStorage::Sphere(which) => JacobianBlock::Sphere(sphere_block(record, which)),
        }
    }

    /// Group blocks of contact `a`, as stored.
    #[inline]
    pub(crate) fn blocks_of(&self, a: usize) -> &[GroupBlock] {
        &self.blocks[self.block_ptr[a] as usize..self.block_ptr[a + 1] as usize]
    }

    /// Adds (Ĝ v̂)_a to `u` (the rows of contact `a`).
    #[inline]
    pub fn add_gather(&self, a: usize, v: &[f64], u: &mut [f64]) {
        self.gather_blocks(self.blocks_of(a), v, u);
    }

    /// Adds Ĝ v̂ of the given group blocks to `u`.
    #[inline]
    pub(crate) fn gather_blocks(&self, touches: &[GroupBlock], v: &[f64], u: &mut [f64]) {
        let rows = u.len();
        for t in touches {
            let (first, width) = (t.first_coordinate as usize, t.width as usize);
            let v = &v[first..first + width];
            // Compressed sphere blocks.
            if let BlockStorage::Sphere(which) = t.storage {
                gather_sphere(&self.jacobian[t.start()..], which, v, u);
                continue;
            }
            let block = &self.jacobian[t.start()..t.start() + rows * width];
            // Rigid bodies in space and in the plane: fixed sizes, so the loops unroll.
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
        self.scatter_blocks(self.blocks_of(a), dr, v);
    }

    /// v̂ += Ĝᵀ dr for the given group blocks.
    #[inline]
    fn scatter_blocks(&self, touches: &[GroupBlock], dr: &[f64], v: &mut [f64]) {
        let rows = dr.len();
        for t in touches {
            let (first, width) = (t.first_coordinate as usize, t.width as usize);
            let v = &mut v[first..first + width];
            if let BlockStorage::Sphere(which) = t.storage {
                scatter_sphere(&self.jacobian[t.start()..], which, dr, v);
                continue;
            }
            let block = &self.jacobian[t.start()..t.start() + rows * width];
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

    /// Constant part of a row: U = Ĝ v̂ + W_α + ρ U_I without Ĝ v̂.
    #[inline]
    pub fn affine_term(&self, row: usize) -> f64 {
        self.boundary.at(row) + self.rebound.at(row)
    }

    /// v̂ = v̂_free + Ĝᵀ r, accumulated in contact order.
    pub fn velocity_into(&self, r: &[f64], v: &mut [f64]) {
        v.copy_from_slice(&self.free);
        let touches = self.block_ptr.windows(2);
        for (rows, touches) in self.offset.windows(2).zip(touches) {
            let touches = &self.blocks[touches[0] as usize..touches[1] as usize];
            // Contacts of two rows have their own kernel.
            match r[rows[0]..rows[1]] {
                [n, t] => self.scatter_planar(touches, [n, t], v),
                ref r => self.scatter_blocks(touches, r, v),
            }
        }
    }

    /// Cholesky factor L of a group's mass matrix; `None` where it is the identity.
    #[inline]
    pub(crate) fn mass_factor(&self, group: usize) -> Option<&[f64]> {
        let m = self.group_offset[group + 1] - self.group_offset[group];
        let start = self.factor_ptr.get(group).copied().flatten();
        start.map(|start| &self.factor[start..start + m * m])
    }

    /// The physical velocity v = L⁻ᵀ v̂ of all coordinates.
    pub fn physical_velocity(&self, kinetic: &[f64]) -> Vec<f64> {
        let mut v = kinetic.to_vec();
        for g in 0..self.num_groups() {
            let (first, last) = (self.group_offset[g], self.group_offset[g + 1]);
            if let Some(l) = self.mass_factor(g) {
                backward_transposed(l, &mut v[first..last]);
            }
        }
        v
    }

    /// Assembles W = Ĝ Ĝᵀ as a block-sparse matrix, for a factorisation.
    pub fn assemble(&self) -> BlockSparseMatrix {
        let n = self.offset.len() - 1;
        // Contacts of each group, listed at the group's first coordinate.
        let mut members: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.num_coordinates() + 1];
        for a in 0..n {
            for k in self.block_ptr[a]..self.block_ptr[a + 1] {
                let first = self.blocks[k as usize].first_coordinate as usize;
                members[first].push((a as u32, k));
            }
        }
        // Block pattern: contacts that share a group are coupled.
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
        // Numeric phase: sum the products Ĝ_a Ĝ_bᵀ group by group.
        let mut w = BlockSparseMatrix::with_pattern(self.offset.clone(), &pattern);
        for g in 0..self.num_groups() {
            let width = self.group_offset[g + 1] - self.group_offset[g];
            if width > 0 {
                self.add_group_products(&members[self.group_offset[g]], width, &mut w);
            }
        }
        w
    }

    /// Adds Ĝ_a Ĝ_bᵀ of one group for all pairs of its contacts.
    fn add_group_products(&self, members: &[(u32, u32)], width: usize, w: &mut BlockSparseMatrix) {
        for &(a, touch_a) in members {
            let rows_a = w.dim(a as usize);
            let block_a = self.dense_block(&self.blocks[touch_a as usize], rows_a);
            for &(b, touch_b) in members {
                let rows_b = w.dim(b as usize);
                let block_b = self.dense_block(&self.blocks[touch_b as usize], rows_b);
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

/// Solves Lᵀ x = b in place (back substitution).
fn backward_transposed(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|j| l[j * n + i] * x[j]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
}
