//! Contact modes: the accelerations of given modes, and the search for modes that satisfy the laws.
//!
//! Used by the event-driven integrator and by the analysis of Painlevé's paradox.

pub(crate) mod contact_mode;
pub(crate) mod enumeration;
pub(crate) mod evaluated_state;
pub(crate) mod event_functions;
pub(crate) mod mode_selection;
pub(crate) mod mode_solution;
mod reaction_bounds;
mod reaction_selection;
pub(crate) mod sliding_onset;

use percuss_convex::dense;

use self::contact_mode::norm;
use crate::least_norm;

/// Speeds below this share of the velocity scale of the constraint are rest.
pub(crate) const REST: f64 = 1e-10;

/// A row to be kept at rest.
pub(crate) struct RestingRow {
    /// Row of Ĝ.
    pub(crate) hat: Vec<f64>,
    /// U.
    pub(crate) velocity: f64,
    /// Size of the terms of U.
    pub(crate) size: f64,
}

/// Least-norm x̂ = Σ λ·rows with rows·x̂ = wanted, dependent rows included; returns x̂ and λ.
pub(crate) fn least_norm_combination(rows: &[Vec<f64>], wanted: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let m = rows.len();
    let n = rows.first().map_or(0, Vec::len);
    let length: Vec<f64> = rows.iter().map(|r| norm(r)).collect();
    let inverse = |i: usize| {
        if length[i] > 0.0 {
            1.0 / length[i]
        } else {
            0.0
        }
    };
    // Gram matrix of the rows, scaled to unit length.
    let mut matrix = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..m {
            matrix[i * m + j] = inverse(i) * dense::dot(&rows[i], &rows[j]) * inverse(j);
        }
    }
    let right: Vec<f64> = (0..m).map(|i| wanted[i] * inverse(i)).collect();
    let (mut y, _) = least_norm::solve_least_norm(&matrix, &right);
    let mut x = vec![0.0; n];
    for i in 0..m {
        y[i] *= inverse(i);
        dense::axpy(y[i], &rows[i], &mut x);
    }
    (x, y)
}
