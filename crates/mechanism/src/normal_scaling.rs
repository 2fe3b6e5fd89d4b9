//! Scaling of normal rows to the unit of length.
//!
//! Friction bounds |S_t| by μ|S_n|, where S_n is the force along the normal: the norm of λ dφ, which does not depend on
//! how the function φ of a constraint is written (B02 §6.1). A gap or joint whose function is no distance, 10 z or x² +
//! y² + z² − 1, has rows of another length. With N its normal rows and t its tangential ones, over the coordinates that
//! are lengths,
//!
//! ```text
//! N Nᵀ = ‖t‖² L Lᵀ,     N ← L⁻¹ N,     W, bias and φ likewise
//! ```
//!
//! so that S_n is the force conjugate to a distance. The scale is determined for the contact of a body that can be
//! moved in all directions: where the tangential rows have one length, are orthogonal to each other and to the normal
//! ones, and the mass matrix of the lengths is isotropic along all of them. Elsewhere (pendulums, linkages in angles)
//! nothing distinguishes a distance from its double, and functions are taken as they are written; a contact may then
//! give its normal velocity by the key `normal`.

use crate::configuration::{ConfigurationSpace, Coordinate};
use crate::system::{StateRef, System};

/// Tolerance on angles and lengths of rows.
const ALIKE: f64 = 1e-6;

/// Rows this near to unit length are those of a distance.
const DISTANCE: f64 = 1e-9;

/// Scaling of the normal rows of one constraint to the unit of length.
#[derive(Debug, Clone)]
pub struct NormalScaling {
    /// Number of normal rows, one or two.
    normal: usize,
    /// Number of tangential rows.
    tangential: usize,
    /// Velocities that are rates of lengths.
    length_velocities: Vec<usize>,
}

/// The factor L of one or two normal rows: l11, l21, l22.
#[derive(Debug, Clone, Copy)]
pub struct NormalFactor {
    normal: usize,
    entries: [f64; 3],
}

impl NormalScaling {
    /// The scaling of a constraint with friction; `None` where there is nothing to scale.
    pub fn new(chart: &ConfigurationSpace, normal: usize, tangential: usize) -> Option<Self> {
        let mut lines = Vec::new();
        let mut at = 0;
        for coordinate in chart.coordinates() {
            if *coordinate == Coordinate::Length {
                lines.push(at);
            }
            at += coordinate.num_velocities();
        }
        let some = (1..=2).contains(&normal) && tangential > 0 && !lines.is_empty();
        some.then_some(Self {
            normal,
            tangential,
            length_velocities: lines,
        })
    }

    fn rows(&self) -> usize {
        self.normal + self.tangential
    }

    /// The entries of a row that belong to lengths.
    fn lengths<'a>(&'a self, jacobian: &'a [f64], row: usize, n: usize) -> Vec<f64> {
        self.length_velocities
            .iter()
            .map(|i| jacobian[row * n + i])
            .collect()
    }

    /// The factor L for these rows of n entries; `None` where the function is a distance already, or where the rows do
    /// not determine a scale.
    pub fn at(&self, jacobian: &[f64], n: usize) -> Option<NormalFactor> {
        let row = |i: usize| self.lengths(jacobian, i, n);
        let rows: Vec<Vec<f64>> = (0..self.rows()).map(row).collect();
        let (normal, tangential) = rows.split_at(self.normal);
        let unit = dot(&tangential[0], &tangential[0]);
        // The tangential rows must be orthogonal, of one length, and orthogonal to the normal rows.
        for (i, t) in tangential.iter().enumerate() {
            let alike = (dot(t, t) - unit).abs() <= ALIKE * unit;
            let apart = tangential[..i]
                .iter()
                .all(|s| dot(s, t).abs() <= ALIKE * unit);
            let level = normal.iter().all(|n| {
                let size = (dot(n, n) * unit).sqrt();
                dot(n, t).abs() <= ALIKE * size
            });
            if !(alike && apart && level) {
                return None;
            }
        }
        // Cholesky factor of N Nᵀ/‖t‖².
        let first = (dot(&normal[0], &normal[0]) / unit).sqrt();
        let mut factor = [first, 0.0, 1.0];
        if let [a, b] = normal {
            factor[1] = dot(a, b) / (unit * first);
            factor[2] = (dot(b, b) / unit - factor[1] * factor[1]).max(0.0).sqrt();
        }
        let [a, b, c] = factor;
        let sound = a > 0.0 && c > 0.0 && a.is_finite() && b.is_finite() && c.is_finite();
        let same = (a - 1.0).abs().max(b.abs()).max((c - 1.0).abs()) <= DISTANCE;
        (sound && !same).then_some(NormalFactor {
            normal: self.normal,
            entries: factor,
        })
    }

    /// Whether the mass matrix of the lengths is isotropic along all rows.
    fn isotropic(&self, jacobian: &[f64], mass: &[f64], n: usize) -> bool {
        let m = self.length_velocities.len();
        let mut block: Vec<f64> = Vec::with_capacity(m * m);
        for &i in &self.length_velocities {
            block.extend(self.length_velocities.iter().map(|&j| mass[i * n + j]));
        }
        if cholesky(&mut block, m).is_none() {
            return false;
        }
        // Inverse inertia along each row.
        let widths: Vec<f64> = (0..self.rows())
            .map(|i| {
                let row = self.lengths(jacobian, i, n);
                let mut hat = row.clone();
                forward(&block, m, &mut hat);
                dot(&hat, &hat) / dot(&row, &row)
            })
            .collect();
        widths
            .iter()
            .all(|w| (w - widths[0]).abs() <= ALIKE * widths[0])
    }
}

impl NormalFactor {
    /// x ← L⁻¹ x for the first rows of x, each of `width` entries.
    pub fn apply(&self, x: &mut [f64], width: usize) {
        let [a, b, c] = self.entries;
        for i in 0..width {
            x[i] /= a;
            if self.normal == 2 {
                x[width + i] = (x[width + i] - b * x[i]) / c;
            }
        }
    }
}

/// The scaling of a constraint, where it needs one: not where its function is a distance at `at` and at positions
/// nearby, nor where its rows do not determine a scale. `system` must give the rows as they are written. Where the rows
/// or the mass matrix cannot be evaluated, nothing is scaled.
pub fn scaling_if_needed<S: System>(
    system: &mut S,
    constraint: usize,
    scaling: NormalScaling,
    at: StateRef<'_>,
) -> Option<NormalScaling> {
    let n = system.configuration_space().num_velocities();
    let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
    system
        .dynamics(at.t, at.q, at.v, &mut mass, &mut force)
        .ok()?;
    let flat = system.configuration_space().num_positions() == n;
    let d = system.constraints()[constraint].rows;
    let (mut g, mut w) = (vec![0.0; d * n], vec![0.0; d]);
    let needed = (0..3).any(|k| {
        let mut place = at.q.to_vec();
        // Positions nearby in no special direction; orientations stay.
        if flat && k > 0 {
            for (j, x) in place.iter_mut().enumerate() {
                let share = (0.37 + 0.618 * (j + 2 * k) as f64).fract() - 0.5;
                *x += 0.1 * (0.1 + x.abs()) * share;
            }
        }
        system
            .rows(constraint, at.t, &place, &mut g, &mut w)
            .is_ok()
            && scaling.at(&g, n).is_some()
            && scaling.isotropic(&g, &mass, n)
    });
    needed.then_some(scaling)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Lower Cholesky factor in place.
fn cholesky(a: &mut [f64], n: usize) -> Option<()> {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - sum;
            if i == j {
                if !(rest > 0.0) {
                    return None;
                }
                a[i * n + i] = rest.sqrt();
            } else {
                a[i * n + j] = rest / a[j * n + j];
            }
        }
    }
    Some(())
}

/// x ← L⁻¹ x.
fn forward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}
