//! A periodic cell that may deform.
//!
//! ```text
//! images      x + H k,  k ∈ ℤᴺ,      Ḣ = L H,      H the matrix of the cell's vectors
//! velocity    v = c + L x,           c the velocity of a body against the mean flow of the cell
//! contact     U = c_b − c_a + L ℓ + spins,   ℓ = x_b + H k − x_a
//! L           = given rate + Σ_m q̇_m B_m,    M |B_m|² q̈_m = V (σ_contacts + σ_motion − σ_given) : B_m
//! ```
//!
//! σ = (1/V) Σ S/h ⊗ ℓ is compressive where positive (Love and Weber). The unknown components of L are
//! coordinates with an inertia, touched by every contact: impulses alone supply the stress of the
//! cell. Velocities c do not depend on which image stands for a body, nor on where the corner of the
//! cell is; the cell deforms as a whole, and no grain near its faces is special. Bodies keep the image
//! that they began as: positions have no jumps, and detection alone wraps them.
//!
//! Limits: a body takes part in the mean flow only where it is free; walls go with a cell that stands
//! still. Each distance between opposite faces must exceed two diameters of the largest body.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::dim::Dim;
use crate::vector::Vector;

/// A matrix, row by row; in the plane the third row and column are 0.
pub type Matrix = [[f64; 3]; 3];

/// What is given of a cell at some time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImposedLoading {
    /// Components of L that are given; 0 where they are unknown.
    pub rate: Matrix,
    /// Stress against which the unknown ones work.
    pub stress: Matrix,
}

/// What drives a cell.
pub trait CellController: Debug + Send {
    /// What is given at time t.
    fn at(&mut self, t: f64) -> ImposedLoading;
}

/// A periodic cell: what stays the same during a run.
#[derive(Debug)]
pub struct PeriodicCell {
    /// Along which of its vectors there are images.
    pub periodic: [bool; 3],
    /// What drives it; nothing: it stands still.
    pub control: Option<Box<dyn CellController>>,
    /// The directions of L that follow the stress, orthogonal to each other; empty: none does.
    pub modes: Vec<Matrix>,
    /// Inertia of the cell, mass times length squared: its kinetic energy is ½ M Σ L_ij² over what
    /// follows the stress. Without meaning where nothing does.
    pub mass: f64,
    /// Rate at which a motion that follows the stress dies out, 1/time.
    pub damping: f64,
}

impl PeriodicCell {
    /// Whether it may deform.
    pub fn deforms(&self) -> bool {
        self.control.is_some() || !self.modes.is_empty()
    }
}

/// Where a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Lattice<D: Dim> {
    /// The vectors of the cell; the third is 0 in the plane.
    pub vectors: [D::Vector; 3],
    /// L, right limit.
    pub rate: Matrix,
    /// ∫ L dt since the beginning.
    pub strain: Matrix,
}

impl<D: Dim> Lattice<D> {
    /// A cell at rest.
    pub fn new(vectors: [D::Vector; 3]) -> Self {
        Self {
            vectors,
            rate: [[0.0; 3]; 3],
            strain: [[0.0; 3]; 3],
        }
    }

    /// H, its columns the vectors; 1 at the end of the diagonal in the plane.
    pub fn matrix(&self) -> Matrix {
        let mut matrix = identity();
        for (j, vector) in self.vectors.iter().take(D::N).enumerate() {
            for (row, value) in matrix.iter_mut().zip(vector.components()) {
                row[j] = *value;
            }
        }
        matrix
    }

    /// Area or volume, with the sign of the vectors' orientation.
    pub fn volume(&self) -> f64 {
        determinant(&self.matrix())
    }

    /// H k.
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

    /// Distances between opposite faces: 1 over the lengths of the rows of H⁻¹.
    pub fn heights(&self) -> [f64; 3] {
        let inverse = inverse(&self.matrix());
        let mut heights = [f64::INFINITY; 3];
        for k in 0..D::N {
            heights[k] = 1.0 / inverse[k].iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        heights
    }

    /// The same lattice with a shorter vector: h_j − m h_i for h_j where h_j leans over h_i by more
    /// than 3/4 of its length. Answers i, j, m.
    pub(crate) fn reduce(&mut self, periodic: [bool; 3]) -> Option<(usize, usize, i32)> {
        for i in 0..D::N {
            for j in 0..D::N {
                let (a, b) = (self.vectors[i], self.vectors[j]);
                if i == j || !periodic[i] || !periodic[j] || b.norm() < a.norm() {
                    continue;
                }
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

/// L v.
#[inline]
pub(crate) fn apply<D: Dim>(matrix: &Matrix, vector: D::Vector) -> D::Vector {
    let mut out = [0.0; 3];
    for (out, row) in out.iter_mut().zip(matrix).take(D::N) {
        *out = (0..D::N).map(|j| row[j] * vector[j]).sum();
    }
    D::Vector::from_components(&out[..D::N])
}

/// A : B.
pub(crate) fn contract(a: &Matrix, b: &Matrix) -> f64 {
    let entries = a.as_flattened().iter().zip(b.as_flattened());
    entries.map(|(x, y)| x * y).sum()
}

/// A + factor B.
pub(crate) fn add(a: &Matrix, b: &Matrix, factor: f64) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + factor * b[i][j]))
}

pub(crate) fn identity() -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))
}

pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn minor(m: &Matrix, i: usize, j: usize) -> f64 {
    let (a, b) = ((i + 1) % 3, (i + 2) % 3);
    let (c, d) = ((j + 1) % 3, (j + 2) % 3);
    m[a][c] * m[b][d] - m[a][d] * m[b][c]
}

pub(crate) fn determinant(m: &Matrix) -> f64 {
    (0..3).map(|j| m[0][j] * minor(m, 0, j)).sum()
}

/// Not finite where there is none.
pub(crate) fn inverse(m: &Matrix) -> Matrix {
    let all = determinant(m);
    std::array::from_fn(|i| std::array::from_fn(|j| minor(m, j, i) / all))
}
