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

use crate::builder::KineticBuilder;
use crate::stored::BlockSparse;

/// One group touched by one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    /// First kinetic coordinate of the group.
    pub(crate) first: u32,
    /// Number of coordinates of the group.
    pub(crate) width: u32,
    /// First entry of the d × width block in `jacobian`.
    pub(crate) block: usize,
}

/// The factored operator of a mechanical system.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinetic {
    /// First coordinate of each group; one more entry than groups.
    pub(crate) group_offset: Vec<usize>,
    /// First entry of each group's factor L in `factor`; none where L is the identity.
    pub(crate) factor_ptr: Vec<Option<usize>>,
    /// Lower Cholesky factors, row-major m × m per group.
    pub(crate) factor: Vec<f64>,
    /// v̂ at the beginning of the step.
    pub(crate) begin: Vec<f64>,
    /// v̂_free = v̂_begin + L⁻¹ hK.
    pub(crate) free: Vec<f64>,
    /// First row of each contact.
    pub(crate) offset: Vec<usize>,
    /// First touch of each contact; one more entry than contacts.
    pub(crate) touch_ptr: Vec<u32>,
    pub(crate) touch: Vec<Touch>,
    /// Blocks of Ĝ.
    pub(crate) jacobian: Vec<f64>,
    /// Given velocity W_α of a moving boundary, by row.
    pub(crate) boundary: Vec<f64>,
    /// Weighted begin velocity ρ U_I, by row (zero without restitution).
    pub(crate) rebound: Vec<f64>,
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

    /// Given boundary velocity W_α by row.
    pub fn boundary(&self) -> &[f64] {
        &self.boundary
    }

    /// Weighted begin velocity ρ U_I by row.
    pub fn rebound(&self) -> &[f64] {
        &self.rebound
    }

    /// The groups touched by contact `a`: (first coordinate, block d × width of Ĝ row-major).
    pub fn touches(&self, a: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let rows = self.offset[a + 1] - self.offset[a];
        self.touch[self.touch_ptr[a] as usize..self.touch_ptr[a + 1] as usize]
            .iter()
            .map(move |t| {
                let size = rows * t.width as usize;
                (t.first as usize, &self.jacobian[t.block..t.block + size])
            })
    }

    /// Adds (Ĝ v̂)_a to `u` (the rows of contact `a`).
    #[inline]
    pub fn add_gather(&self, a: usize, v: &[f64], u: &mut [f64]) {
        let rows = u.len();
        for t in &self.touch[self.touch_ptr[a] as usize..self.touch_ptr[a + 1] as usize] {
            let (first, width) = (t.first as usize, t.width as usize);
            let v = &v[first..first + width];
            let block = &self.jacobian[t.block..t.block + rows * width];
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
        let rows = dr.len();
        for t in &self.touch[self.touch_ptr[a] as usize..self.touch_ptr[a + 1] as usize] {
            let (first, width) = (t.first as usize, t.width as usize);
            let v = &mut v[first..first + width];
            let block = &self.jacobian[t.block..t.block + rows * width];
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
        self.boundary[row] + self.rebound[row]
    }

    /// v̂ = v̂_free + Ĝᵀ r, summed in contact order.
    pub fn velocity_into(&self, r: &[f64], v: &mut [f64]) {
        v.copy_from_slice(&self.free);
        for a in 0..self.offset.len() - 1 {
            self.scatter(a, &r[self.offset[a]..self.offset[a + 1]], v);
        }
    }

    /// The Cholesky factor L of a group's mass matrix; none where it is the identity.
    pub(crate) fn lower(&self, group: usize) -> Option<&[f64]> {
        let m = self.group_offset[group + 1] - self.group_offset[group];
        self.factor_ptr[group].map(|start| &self.factor[start..start + m * m])
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
        let mut members: Vec<Vec<(u32, usize)>> = vec![Vec::new(); self.num_coordinates() + 1];
        for a in 0..n {
            for k in self.touch_ptr[a]..self.touch_ptr[a + 1] {
                let t = self.touch[k as usize];
                members[t.first as usize].push((a as u32, t.block));
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

    fn add_group_products(&self, members: &[(u32, usize)], width: usize, w: &mut BlockSparse) {
        for &(a, block_a) in members {
            let rows_a = w.dim(a as usize);
            for &(b, block_b) in members {
                let rows_b = w.dim(b as usize);
                let block = w.block_mut(a as usize, b as usize);
                for i in 0..rows_a {
                    let row_a = &self.jacobian[block_a + i * width..block_a + (i + 1) * width];
                    for j in 0..rows_b {
                        let row_b = &self.jacobian[block_b + j * width..block_b + (j + 1) * width];
                        let product: f64 = row_a.iter().zip(row_b).map(|(x, y)| x * y).sum();
                        block[i * rows_b + j] += product;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn gather_fixed<const D: usize, const M: usize>(block: &[f64], v: &[f64], u: &mut [f64]) {
    for i in 0..D {
        let mut sum = 0.0;
        for j in 0..M {
            sum += block[i * M + j] * v[j];
        }
        u[i] += sum;
    }
}

#[inline(always)]
fn scatter_fixed<const D: usize, const M: usize>(block: &[f64], dr: &[f64], v: &mut [f64]) {
    for j in 0..M {
        let mut sum = 0.0;
        for i in 0..D {
            sum += block[i * M + j] * dr[i];
        }
        v[j] += sum;
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
