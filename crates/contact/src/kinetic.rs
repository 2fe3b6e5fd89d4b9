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

use crate::error::ProblemError;
use crate::law::Law;
use crate::problem::{Operator, Problem};
use crate::stored::BlockSparse;

/// One group touched by one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Touch {
    /// First kinetic coordinate of the group.
    first: u32,
    /// Number of coordinates of the group.
    width: u32,
    /// First entry of the d × width block in `jacobian`.
    block: usize,
}

/// The factored operator of a mechanical system.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinetic {
    /// First coordinate of each group; one more entry than groups.
    group_offset: Vec<usize>,
    /// First entry of each group's factor L in `factor`.
    factor_ptr: Vec<usize>,
    /// Lower Cholesky factors, row-major m × m per group.
    factor: Vec<f64>,
    /// v̂ at the beginning of the step.
    begin: Vec<f64>,
    /// v̂_free = v̂_begin + L⁻¹ hK.
    free: Vec<f64>,
    /// First row of each contact.
    offset: Vec<usize>,
    /// First touch of each contact; one more entry than contacts.
    touch_ptr: Vec<u32>,
    touch: Vec<Touch>,
    /// Blocks of Ĝ.
    jacobian: Vec<f64>,
    /// Given velocity W_α of a moving boundary, by row.
    boundary: Vec<f64>,
    /// Weighted begin velocity ρ U_I, by row (zero without restitution).
    rebound: Vec<f64>,
}

/// Restitution coefficients of a contact: ρ = (1−δ)/(1+δ), δ the dissipation index (JM92 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Restitution {
    /// ρ of the normal row.
    pub normal: f64,
    /// ρ of the tangential (and rolling) rows.
    pub tangential: f64,
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

    /// The physical velocity v = L⁻ᵀ v̂ of every coordinate.
    pub fn physical_velocity(&self, kinetic: &[f64]) -> Vec<f64> {
        let mut v = kinetic.to_vec();
        for g in 0..self.num_groups() {
            let (first, last) = (self.group_offset[g], self.group_offset[g + 1]);
            let m = last - first;
            let l = &self.factor[self.factor_ptr[g]..self.factor_ptr[g] + m * m];
            backward_transposed(l, &mut v[first..last]);
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

/// Collects groups and contacts, then makes the [`Problem`].
#[derive(Debug, Clone)]
pub struct KineticBuilder {
    kinetic: Kinetic,
    law: Vec<Law>,
}

impl Default for KineticBuilder {
    fn default() -> Self {
        Self {
            kinetic: Kinetic {
                group_offset: vec![0],
                factor_ptr: Vec::new(),
                factor: Vec::new(),
                begin: Vec::new(),
                free: Vec::new(),
                offset: vec![0],
                touch_ptr: vec![0],
                touch: Vec::new(),
                jacobian: Vec::new(),
                boundary: Vec::new(),
                rebound: Vec::new(),
            },
            law: Vec::new(),
        }
    }
}

impl KineticBuilder {
    /// Adds a group of m coordinates with its mass matrix A (m × m row-major, symmetric positive
    /// definite), velocity at the beginning of the step and impulse hK of the given forces.
    /// Returns the group's index.
    pub fn group(
        &mut self,
        mass: &[f64],
        velocity: &[f64],
        impulse: &[f64],
    ) -> Result<usize, ProblemError> {
        let k = &mut self.kinetic;
        let (group, m) = (k.group_offset.len() - 1, velocity.len());
        same_size("the mass matrix", mass.len(), m * m, "velocity length squared")?;
        same_size("the impulse of given forces", impulse.len(), m, "velocity length")?;
        finite("mass", || format!("group {group}"), mass)?;
        finite("velocity", || format!("group {group}"), velocity)?;
        finite("impulse", || format!("group {group}"), impulse)?;
        let start = k.factor.len();
        k.factor.extend_from_slice(mass);
        let l = &mut k.factor[start..];
        if let Err((pivot, value)) = cholesky(l, m) {
            k.factor.truncate(start);
            return Err(ProblemError::Mass { group, pivot, value });
        }
        // v̂ = Lᵀ v; v̂_free = v̂ + L⁻¹ hK.
        let mut change = impulse.to_vec();
        forward(l, &mut change);
        for i in 0..m {
            let hat: f64 = (i..m).map(|j| l[j * m + i] * velocity[j]).sum();
            k.begin.push(hat);
            k.free.push(hat + change[i]);
        }
        k.factor_ptr.push(start);
        k.group_offset.push(k.free.len());
        Ok(group)
    }

    /// Adds a contact: its law, the groups it touches with its d × m block of G for each
    /// (row-major), the given velocity W_α of a moving boundary (d entries) and its restitution.
    /// Returns the contact's index.
    pub fn contact(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
        restitution: Restitution,
    ) -> Result<usize, ProblemError> {
        let k = &mut self.kinetic;
        let (contact, rows) = (k.offset.len() - 1, boundary.len());
        let groups = k.group_offset.len() - 1;
        law.validate(rows)
            .map_err(|source| ProblemError::Law { contact, source })?;
        finite("boundary velocity", || format!("contact {contact}"), boundary)?;
        let rho = [restitution.normal, restitution.tangential];
        finite("restitution", || format!("contact {contact}"), &rho)?;
        for &(group, block) in touches {
            if group >= groups {
                return Err(ProblemError::Group { contact, group, groups });
            }
            let m = k.group_offset[group + 1] - k.group_offset[group];
            same_size("a block of G", block.len(), rows * m, "rows times coordinates")?;
            finite("G", || format!("contact {contact}"), block)?;
        }
        for &(group, block) in touches {
            k.push_touch(group, block, rows);
        }
        k.touch_ptr.push(k.touch.len() as u32);
        k.boundary.extend_from_slice(boundary);
        k.offset.push(k.boundary.len());
        // U_I = Ĝ v̂_begin + W_α, weighted row by row.
        let mut rebound = boundary.to_vec();
        k.rebound.extend_from_slice(boundary);
        k.add_gather(contact, &k.begin, &mut rebound);
        for (i, u) in rebound.iter().enumerate() {
            let row = k.offset[contact] + i;
            k.rebound[row] = u * if i == 0 { rho[0] } else { rho[1] };
        }
        self.law.push(law);
        Ok(contact)
    }

    /// Finishes the problem.
    pub fn build(self) -> Result<Problem, ProblemError> {
        Problem::new(self.law, Operator::Kinetic(self.kinetic))
    }
}

impl Kinetic {
    /// Stores Ĝ = G L⁻ᵀ for one touched group: each row solves L ĝ = g.
    fn push_touch(&mut self, group: usize, block: &[f64], rows: usize) {
        let (first, last) = (self.group_offset[group], self.group_offset[group + 1]);
        let m = last - first;
        let start = self.jacobian.len();
        self.jacobian.extend_from_slice(block);
        let l = &self.factor[self.factor_ptr[group]..self.factor_ptr[group] + m * m];
        for i in 0..rows {
            forward(l, &mut self.jacobian[start + i * m..start + (i + 1) * m]);
        }
        self.touch.push(Touch {
            first: first as u32,
            width: m as u32,
            block: start,
        });
    }
}

fn same_size(what: &str, found: usize, expected: usize, why: &str) -> Result<(), ProblemError> {
    if found == expected {
        return Ok(());
    }
    Err(ProblemError::Size {
        what: what.into(),
        found,
        expected,
        why: why.into(),
    })
}

pub(crate) fn finite(
    what: &'static str,
    owner: impl Fn() -> String,
    values: &[f64],
) -> Result<(), ProblemError> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(ProblemError::NotFinite {
            what,
            owner: owner(),
            value,
        }),
    }
}

/// Lower Cholesky factor in place (the strict upper part is zeroed).
fn cholesky(a: &mut [f64], n: usize) -> Result<(), (usize, f64)> {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - dot;
            if i == j {
                // A pivot lost in rounding is a singular mass matrix, not a small mass.
                if !(rest > 1e-14 * a[i * n + i].abs()) {
                    return Err((i, rest));
                }
                a[i * n + i] = rest.sqrt();
            } else {
                a[i * n + j] = rest / a[j * n + j];
            }
        }
        a[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    Ok(())
}

/// Solves L x = b in place.
fn forward(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let dot: f64 = (0..i).map(|j| l[i * n + j] * x[j]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
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
