//! Periodic cell that may deform: imposed strain rate, or a strain rate driven by a stress.
//!
//! ```text
//! images      x + H k,  k ∈ ℤᴺ,      Ḣ = L H,      H the matrix of the cell's vectors
//! velocity    v = c + L x,           c the velocity of a body against the mean flow of the cell
//! contact     U = c_b − c_a + L ℓ + spins,   ℓ = x_b + H k − x_a
//! L           = given rate + Σ_m q̇_m B_m,    M |B_m|² q̈_m = V (σ_contacts + σ_motion − σ_given) : B_m
//! ```
//!
//! σ = (1/V) Σ S/h ⊗ ℓ is the Love–Weber stress, compressive where positive. The unknown components of L are
//! generalised coordinates with an inertia, and every contact has entries for them in its Jacobian: the contact
//! impulses alone supply the stress of the cell, as in a Parrinello–Rahman barostat. Imposed shear moves
//! the images like Lees–Edwards boundary conditions. The velocities c depend neither on which image represents
//! a body nor on where the corner of the cell is; the deformation is homogeneous, and grains near the faces are
//! treated like all others. Positions are unwrapped: a body keeps the image that it began as, and detection
//! alone wraps positions into the cell.
//!
//! Limits: only free bodies take part in the mean flow; walls can be combined only with a cell that does not
//! deform. The distance between opposite faces must exceed two diameters of the largest body.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::dynamics::Dynamics;
use percuss_geometry::Vector;

/// A 3 × 3 matrix, row by row; in the plane the third row and column are 0.
pub type Matrix = [[f64; 3]; 3];

/// Loading imposed on a cell at some time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImposedLoading {
    /// Imposed components of the strain rate L; 0 where L is unknown.
    pub rate: Matrix,
    /// Imposed stress, conjugate to the unknown components of L.
    pub stress: Matrix,
}

/// Control of a cell: imposed strain rate and stress as functions of time.
pub trait CellController: Debug + Send {
    /// The loading at time t.
    fn at(&mut self, t: f64) -> ImposedLoading;
}

/// Properties of a periodic cell, constant during a run.
#[derive(Debug)]
pub struct PeriodicCell {
    /// Along which of its vectors the cell is periodic.
    pub periodic: [bool; 3],
    /// The imposed loading; `None`: no strain rate and no stress are imposed.
    pub control: Option<Box<dyn CellController>>,
    /// Deformation modes B_m that follow the stress, orthogonal to each other; empty: L is imposed completely.
    pub modes: Vec<Matrix>,
    /// Inertia of the cell, mass times length squared: its kinetic energy is ½ M Σ L_ij² over the modes. Ignored
    /// where there are no modes.
    pub mass: f64,
    /// Viscous damping rate of the modes, 1/time.
    pub damping: f64,
}

impl PeriodicCell {
    /// Whether the cell may deform: it has a control or modes.
    pub fn deforms(&self) -> bool {
        self.control.is_some() || !self.modes.is_empty()
    }
}

/// Configuration of a cell: its vectors, strain rate and strain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Lattice<D: Dynamics> {
    /// The vectors of the cell; the third is 0 in the plane.
    pub vectors: [D::Vector; 3],
    /// Strain rate L = Ḣ H⁻¹, right limit.
    pub rate: Matrix,
    /// ∫ L dt since the beginning of the run.
    pub strain: Matrix,
}

impl<D: Dynamics> Lattice<D> {
    /// A cell at rest with these vectors.
    pub fn new(vectors: [D::Vector; 3]) -> Self {
        Self {
            vectors,
            rate: [[0.0; 3]; 3],
            strain: [[0.0; 3]; 3],
        }
    }

    /// H, the matrix whose columns are the cell's vectors; in the plane the last diagonal entry is 1.
    pub fn matrix(&self) -> Matrix {
        // The plane keeps the unit entry of the third axis.
        let mut matrix = identity();
        for (j, vector) in self.vectors.iter().take(D::N).enumerate() {
            for (row, value) in matrix.iter_mut().zip(vector.components()) {
                row[j] = *value;
            }
        }
        matrix
    }

    /// Area or volume, det H; negative if the vectors are left-handed.
    pub fn volume(&self) -> f64 {
        determinant(&self.matrix())
    }

    /// Displacement H k of image k.
    #[inline]
    pub fn offset(&self, shift: [i32; 3]) -> D::Vector {
        let mut sum = D::Vector::default();
        for (vector, k) in self.vectors.iter().zip(shift) {
            if k != 0 {
                sum += *vector * f64::from(k);
            }
        }
        sum
    }

    /// Distances between opposite faces: reciprocal lengths of the rows of H⁻¹.
    pub fn heights(&self) -> [f64; 3] {
        let inverse = inverse(&self.matrix());
        let mut heights = [f64::INFINITY; 3];
        for k in 0..D::N {
            heights[k] = 1.0 / inverse[k].iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        heights
    }

    /// One step of lattice reduction (Gauss, Lagrange): replaces h_j by h_j − m h_i where the projection of h_j on
    /// h_i exceeds 3/4 of the length of h_i. The lattice is the same. Returns (i, j, m), `None` if it is reduced.
    pub(crate) fn reduce(&mut self, periodic: [bool; 3]) -> Option<(usize, usize, i32)> {
        for i in 0..D::N {
            for j in 0..D::N {
                let (a, b) = (self.vectors[i], self.vectors[j]);
                // Only a longer periodic vector is reduced by a shorter one.
                if i == j || !periodic[i] || !periodic[j] || b.norm() < a.norm() {
                    continue;
                }
                // Projection of h_j on h_i; a quotient beyond 1e9 would not fit the integer multiple.
                let share = a.dot(b) / a.dot(a);
                if share.abs() > 0.75 && share.abs() < 1e9 {
                    let times = share.round();
                    self.vectors[j] = b - a * times;
                    return Some((i, j, times as i32));
                }
            }
        }
        None
    }
}

/// Matrix times vector, L v.
#[inline]
pub(crate) fn apply<D: Dynamics>(matrix: &Matrix, vector: D::Vector) -> D::Vector {
    let mut out = [0.0; 3];
    for (out, row) in out.iter_mut().zip(matrix).take(D::N) {
        *out = (0..D::N).map(|j| row[j] * vector[j]).sum();
    }
    D::Vector::from_components(&out[..D::N])
}

/// Double contraction A : B = Σ A_ij B_ij.
pub(crate) fn contract(a: &Matrix, b: &Matrix) -> f64 {
    let entries = a.as_flattened().iter().zip(b.as_flattened());
    entries.map(|(x, y)| x * y).sum()
}

/// A + factor B.
pub(crate) fn add(a: &Matrix, b: &Matrix, factor: f64) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + factor * b[i][j]))
}

/// Unit matrix.
pub(crate) fn identity() -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
}

/// Matrix product A B.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Cofactor of entry (i, j); the cyclic indices give the sign.
fn minor(m: &Matrix, i: usize, j: usize) -> f64 {
    // Cyclic indices of the other two rows and columns.
    let (a, b) = ((i + 1) % 3, (i + 2) % 3);
    let (c, d) = ((j + 1) % 3, (j + 2) % 3);
    m[a][c] * m[b][d] - m[a][d] * m[b][c]
}

/// Determinant by expansion along the first row.
pub(crate) fn determinant(m: &Matrix) -> f64 {
    (0..3).map(|j| m[0][j] * minor(m, 0, j)).sum()
}

/// Inverse by cofactors; not finite for a singular matrix.
pub(crate) fn inverse(m: &Matrix) -> Matrix {
    let all = determinant(m);
    std::array::from_fn(|i| std::array::from_fn(|j| minor(m, j, i) / all))
}
