//! Newton systems in the velocities of bodies: the Schur complement of the contact rows (augmented mass matrix).
//!
//! With the scaled map Ĝ = √κ G A^{-1/2} the Newton system of the smoothing, semismooth and proximal methods is
//!
//! ```text
//! ( S + B (Ĝ Ĝᵀ + α) ) dx = g          S, B block diagonal by contact
//! ```
//!
//! It has one row for each row of a contact, many more than bodies have coordinates, and where contacts are hyperstatic
//! its matrix is singular but for S and α. With w = Ĝᵀ dx and T = S + α B it is equivalent to
//!
//! ```text
//! ( I + Ĝᵀ T⁻¹ B Ĝ ) w = Ĝᵀ T⁻¹ g,      dx = T⁻¹ (g − B Ĝ w)
//! ```
//!
//! with one block for each body and each pair of bodies in contact, factorised by [`MultifrontalLu`]. Bodies without
//! contact are left out.
//!
//! T⁻¹ is of the order of 1/α where a contact sticks: α must stay well above rounding, which the methods see to
//! (α ≥ 1e-10 costs six of sixteen digits in a Newton step). The residual of every solution is computed, and up to four
//! steps of iterative refinement are taken while it is not small.

use percuss_contact::law::Law;
use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};
use percuss_linalg::MultifrontalLu;
use percuss_linalg::dense::norm;
use percuss_linalg::small::{solve_2x2, solve_small};

mod assembly;
#[cfg(test)]
mod tests;

use assembly::{add_any, add_fixed, pattern};

/// Largest number of rows of a contact and of coordinates of a body.
const WIDE: usize = 6;

/// Coordinates per contact row up to which the velocities are used: at least 4/3 rows per coordinate.
const MAX_COORDINATES_PER_ROW: f64 = 0.75;

/// Largest number of contacts for which a dense W is factorised as it is.
const MAX_DENSE_CONTACTS: usize = 400;

/// Largest α of bilateral rows: they have no status to find, and heavy chains have eigenvalues of Ŵ of 1e-8.
const JOINT: f64 = 1e-10;

/// Relative residual above which a solution is refined, largest number of refinements, and relative residual above
/// which it is rejected after that.
const REFINE: f64 = 1e-11;
const REFINEMENTS: usize = 4;
const REFUSE: f64 = 1e-6;

/// One body of one contact.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// Index among the bodies that have contacts.
    body: u32,
    /// First coordinate among those of such bodies.
    first: usize,
    width: usize,
    /// First entry of the block in `map`.
    block: usize,
}

/// The system in velocities with its pattern and factorisation.
#[derive(Debug)]
pub(crate) struct VelocitySystem {
    /// First side of each contact, and the number of sides at the end.
    ptr: Vec<usize>,
    side: Vec<Side>,
    /// First coordinate of each side in the problem.
    source: Vec<usize>,
    /// Blocks of Ĝ, scaled by √κ.
    map: Vec<f64>,
    /// First row of each contact.
    offset: Vec<usize>,
    /// Whether each contact is bilateral.
    bilateral: Vec<bool>,
    fronts: MultifrontalLu,
    /// Index of the block of each pair of sides of each contact among the values.
    place: Vec<usize>,
    /// Indices of the diagonal values.
    diagonal: Vec<usize>,
    /// T⁻¹ g, and T⁻¹ B by contact.
    start: Vec<f64>,
    gain: Vec<f64>,
    /// Right-hand side, solution and residual.
    right: Vec<f64>,
    w: Vec<f64>,
    left: Vec<f64>,
}

/// The factored operator of a problem whose groups and contacts have at most [`WIDE`] coordinates and rows.
fn kinetic_with_small_blocks(problem: &Problem) -> Option<&FactoredDelassus> {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return None;
    };
    let rows = (0..problem.num_contacts()).all(|a| problem.dim(a) <= WIDE);
    let offset = kinetic.group_offset();
    let coordinates = offset.windows(2).all(|pair| pair[1] - pair[0] <= WIDE);
    (rows && coordinates).then_some(kinetic)
}

/// Whether W is dense and too large to be factorised: one group of coordinates, a periodic cell, is coupled to most
/// contacts. In velocities that group is one dense row, eliminated last.
pub(crate) fn has_dense_delassus(problem: &Problem) -> bool {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return false;
    };
    let n = problem.num_contacts();
    if n <= MAX_DENSE_CONTACTS {
        return false;
    }
    // Contacts per group; a group with most of them makes W dense.
    let mut count = vec![0_usize; kinetic.num_coordinates()];
    for a in 0..n {
        for first in kinetic.first_coordinates(a) {
            count[first] += 1;
        }
    }
    count.iter().any(|&c| 2 * c > n)
}

/// Whether Newton systems of a problem can be factorised: in velocities, or with a W that is small or sparse.
pub(crate) fn factorable(problem: &Problem) -> bool {
    !has_dense_delassus(problem) || kinetic_with_small_blocks(problem).is_some()
}

impl VelocitySystem {
    /// `None` where the operator is not factored, or where a sparse W is the smaller system.
    pub fn new(problem: &Problem) -> Option<Self> {
        let kinetic = kinetic_with_small_blocks(problem)?;
        let coordinates = kinetic.num_coordinates();
        let many = MAX_COORDINATES_PER_ROW * (problem.num_rows() as f64) >= coordinates as f64;
        // W of joints that meet in one body is dense, and singular where they are redundant.
        let joints = problem.laws().contains(&Law::Bilateral);
        (many || joints || has_dense_delassus(problem))
            .then(|| Self::map(problem, kinetic))
            .flatten()
    }

    fn map(problem: &Problem, kinetic: &FactoredDelassus) -> Option<Self> {
        let (mut ptr, mut side, mut map) = (vec![0], Vec::new(), Vec::new());
        let mut source = Vec::new();
        // By first coordinate: index among the bodies with contacts.
        let mut body = vec![u32::MAX; kinetic.num_coordinates()];
        let (mut size, mut first_of) = (Vec::new(), vec![0]);
        // Number the bodies with contacts and copy the scaled blocks of Ĝ.
        for a in 0..problem.num_contacts() {
            let (d, root) = (problem.dim(a), problem.kappa(a).sqrt());
            for (first, block) in kinetic.dense_blocks(a) {
                let width = block.len() / d.max(1);
                // A body is numbered at its first contact.
                if body[first] == u32::MAX {
                    body[first] = size.len() as u32;
                    size.push(width);
                    first_of.push(first_of[size.len() - 1] + width);
                }
                side.push(Side {
                    body: body[first],
                    first: first_of[body[first] as usize],
                    width,
                    block: map.len(),
                });
                source.push(first);
                map.extend(block.iter().map(|g| g * root));
            }
            ptr.push(side.len());
        }
        let coordinates = first_of[size.len()];
        // Block pattern and symbolic factorisation.
        let (blocks, place, diagonal) = pattern(&ptr, &side, &size);
        let entries = (0..problem.num_contacts()).map(|a| problem.dim(a).pow(2));
        Some(Self {
            fronts: MultifrontalLu::new(&size, &blocks)?,
            ptr,
            side,
            source,
            map,
            offset: problem.offset().to_vec(),
            bilateral: problem
                .laws()
                .iter()
                .map(|l| *l == Law::Bilateral)
                .collect(),
            place,
            diagonal,
            start: vec![0.0; problem.num_rows()],
            gain: vec![0.0; entries.sum()],
            right: vec![0.0; coordinates],
            w: vec![0.0; coordinates],
            left: vec![0.0; coordinates],
        })
    }

    /// Takes the values of another problem whose contacts connect the same bodies in the same order; false where they
    /// do not, and the system must then be rebuilt.
    pub fn refit(&mut self, problem: &Problem) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        let same = |(own, law): (&bool, &Law)| *own == (*law == Law::Bilateral);
        if self.offset != problem.offset() || !self.bilateral.iter().zip(problem.laws()).all(same) {
            return false;
        }
        // Same bodies in the same order: only the values change.
        let mut sides = self.side.iter().zip(&self.source);
        for a in 0..problem.num_contacts() {
            let (d, root) = (problem.dim(a), problem.kappa(a).sqrt());
            let mut left = self.ptr[a + 1] - self.ptr[a];
            for (first, block) in kinetic.dense_blocks(a) {
                match sides.next() {
                    Some((side, &source))
                        if left > 0 && source == first && d * side.width == block.len() =>
                    {
                        let map = &mut self.map[side.block..side.block + block.len()];
                        map.iter_mut()
                            .zip(block.iter())
                            .for_each(|(m, g)| *m = g * root);
                    }
                    _ => return false,
                }
                left -= 1;
            }
            if left > 0 {
                return false;
            }
        }
        true
    }

    /// Solves for dx, which holds g on entry and is unchanged where this returns false.
    pub fn solve(&mut self, symmetric: &[f64], shear: &[f64], alpha: f64, dx: &mut [f64]) -> bool {
        if !self.prepare(symmetric, shear, alpha, dx) {
            return false;
        }
        self.assemble();
        self.fronts.factor() && self.finish(dx)
    }

    /// Solves for w and dx with T⁻¹ g in `start` and T⁻¹ B in `gain`.
    fn finish(&mut self, dx: &mut [f64]) -> bool {
        let mut right = std::mem::take(&mut self.right);
        // Right-hand side Ĝᵀ T⁻¹ g.
        right.fill(0.0);
        self.scatter(&self.start, &mut right);
        self.right = right;
        if !self.solve_right() {
            return false;
        }
        self.back(dx);
        true
    }

    /// Solves for w with iterative refinement; false where the residual stays large.
    fn solve_right(&mut self) -> bool {
        self.w.copy_from_slice(&self.right);
        self.fronts.solve(&mut self.w);
        let size = norm(&self.right);
        let mut rest = self.rest();
        // Iterative refinement.
        for _ in 0..REFINEMENTS {
            if rest <= REFINE * size {
                break;
            }
            self.fronts.solve(&mut self.left);
            self.w.iter_mut().zip(&self.left).for_each(|(w, d)| *w += d);
            rest = self.rest();
        }
        rest <= REFUSE * size && self.w.iter().all(|v| v.is_finite())
    }

    /// Computes the residual right − M w and returns its norm.
    fn rest(&mut self) -> f64 {
        let mut left = std::mem::take(&mut self.left);
        self.product(&self.w, &mut left);
        left.iter_mut()
            .zip(&self.right)
            .for_each(|(l, r)| *l = r - *l);
        self.left = left;
        norm(&self.left)
    }

    /// Computes T⁻¹ g and T⁻¹ B of every contact.
    fn prepare(&mut self, symmetric: &[f64], shear: &[f64], alpha: f64, g: &[f64]) -> bool {
        let mut at = 0;
        for a in 0..self.ptr.len() - 1 {
            let rows = self.offset[a]..self.offset[a + 1];
            let d = rows.len();
            let alpha = if self.bilateral[a] {
                alpha.min(JOINT)
            } else {
                alpha
            };
            let mut t = [0.0; WIDE * WIDE];
            let mut right = [0.0; WIDE * (WIDE + 1)];
            for i in 0..d {
                for j in 0..d {
                    let b = shear[at + i * d + j];
                    t[i * d + j] = symmetric[at + i * d + j] + alpha * b;
                    right[i * (d + 1) + j] = b;
                }
                right[i * (d + 1) + d] = g[rows.start + i];
            }
            // T X = (B, g) by a small dense solve.
            let solved = match d {
                2 => solve_2x2(&t, &mut right),
                _ => solve_small(&mut t[..d * d], &mut right[..d * (d + 1)], d),
            };
            if !solved {
                return false;
            }
            for i in 0..d {
                for j in 0..d {
                    self.gain[at + i * d + j] = right[i * (d + 1) + j];
                }
                self.start[rows.start + i] = right[i * (d + 1) + d];
            }
            at += d * d;
        }
        true
    }

    /// Assembles I + Ĝᵀ T⁻¹ B Ĝ.
    fn assemble(&mut self) {
        let value = self.fronts.values();
        value.fill(0.0);
        // Identity.
        for &k in &self.diagonal {
            value[k] = 1.0;
        }
        let (mut at, mut pair) = (0, 0);
        for a in 0..self.ptr.len() - 1 {
            // Ĝᵀ (T⁻¹ B) Ĝ of each contact.
            let d = self.offset[a + 1] - self.offset[a];
            let own = &self.side[self.ptr[a]..self.ptr[a + 1]];
            let place = &self.place[pair..pair + own.len().pow(2)];
            let gain = &self.gain[at..at + d * d];
            let even = |w| own.iter().all(|side| side.width == w);
            // Fixed sizes for planar and spatial bodies let the compiler unroll the loops.
            match d {
                2 if even(3) => add_fixed::<2, 3>(gain, own, &self.map, place, value),
                3 if even(6) => add_fixed::<3, 6>(gain, own, &self.map, place, value),
                _ => add_any(gain, own, &self.map, place, value, d),
            }
            at += d * d;
            pair += place.len();
        }
    }

    /// y = (I + Ĝᵀ T⁻¹ B Ĝ) x.
    fn product(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
        let mut at = 0;
        for a in 0..self.ptr.len() - 1 {
            let d = self.offset[a + 1] - self.offset[a];
            let u = self.gather(a, d, x);
            // T⁻¹ B Ĝ x at the contact.
            let mut r = [0.0; WIDE];
            for i in 0..d {
                r[i] = (0..d).map(|j| self.gain[at + i * d + j] * u[j]).sum();
            }
            self.scatter_one(a, &r[..d], y);
            at += d * d;
        }
    }

    /// dx = T⁻¹ g − T⁻¹ B Ĝ w.
    fn back(&self, dx: &mut [f64]) {
        let mut at = 0;
        for a in 0..self.ptr.len() - 1 {
            let rows = self.offset[a]..self.offset[a + 1];
            let d = rows.len();
            let u = self.gather(a, d, &self.w);
            for i in 0..d {
                let taken: f64 = (0..d).map(|j| self.gain[at + i * d + j] * u[j]).sum();
                dx[rows.start + i] = self.start[rows.start + i] - taken;
            }
            at += d * d;
        }
    }

    fn gather(&self, a: usize, d: usize, x: &[f64]) -> [f64; WIDE] {
        let mut u = [0.0; WIDE];
        for s in &self.side[self.ptr[a]..self.ptr[a + 1]] {
            let x = &x[s.first..s.first + s.width];
            for i in 0..d {
                let row = &self.map[s.block + i * s.width..s.block + (i + 1) * s.width];
                u[i] += row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
            }
        }
        u
    }

    fn scatter_one(&self, a: usize, r: &[f64], y: &mut [f64]) {
        for s in &self.side[self.ptr[a]..self.ptr[a + 1]] {
            let y = &mut y[s.first..s.first + s.width];
            for (i, r) in r.iter().enumerate() {
                let row = &self.map[s.block + i * s.width..s.block + (i + 1) * s.width];
                y.iter_mut().zip(row).for_each(|(y, g)| *y += g * r);
            }
        }
    }

    /// y += Ĝᵀ r.
    fn scatter(&self, r: &[f64], y: &mut [f64]) {
        for a in 0..self.ptr.len() - 1 {
            self.scatter_one(a, &r[self.offset[a]..self.offset[a + 1]], y);
        }
    }
}
