//! Sets { x : c_k(t, x) ≤ 0 } that are not convex: their radius of prox-regularity, and nearest points within it.
//!
//! ```text
//! κ_k = max(0, −λ_min(∇²c_k)) / |∇c_k|,   d = dist(0, conv { ∇c_k/|∇c_k| : c_k = 0 }),   η = d / max κ_k
//! ```
//!
//! c_k(q) ≤ 0 and Taylor's formula give ⟨∇c_k, q − p⟩ ≤ ½ |∇c_k| κ_k |q − p|² + o(|q − p|²) at a boundary point p, so that every unit
//! normal n at p satisfies ⟨n, q − p⟩ ≤ |q − p|²/2η: nearest points at p are unique up to the distance η. For quadratic
//! functions this holds for every q, else near p. Norms and eigenvalues are those of the metric of the process. The author of a set declares a radius r that
//! holds wherever the process goes; η ≥ r is checked at every point of contact, and no step projects from r or farther.

use super::Linearisation;
use crate::error::{Result, SweepingError, at};
use crate::lane_sums::{axpy, dot, norm};
use percuss_convex::Metric;
use percuss_convex::dense::symmetric_eigen;
use percuss_convex::qp::LinearConstraints;

/// Gap, relative to 1 + |x| and a unit gradient, up to which a function counts as active.
const ACTIVE: f64 = 1e-9;

/// The radius at a point, and the function that decides it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Radius {
    pub eta: f64,
    pub constraint: Option<usize>,
}

/// η at a point with values and gradients `here`; `hessian(k)` is ∇²c_k there.
pub(crate) fn radius(
    metric: &Metric,
    here: &Linearisation,
    t: f64,
    hessian: &mut dyn FnMut(usize) -> Vec<f64>,
) -> Result<Radius> {
    let n = here.x.len();
    let size = 1.0 + norm(&here.x);
    let (mut curvature, mut constraint) = (0.0_f64, None);
    let (mut units, mut bounds) = (Vec::new(), Vec::new());
    for (k, &c) in here.values.iter().enumerate() {
        let mut gradient = here.row(k).to_vec();
        if c < -ACTIVE * size * norm(&gradient) {
            continue;
        }
        // Lengths of covectors: whitened by L⁻¹.
        metric.whiten_covector(&mut gradient);
        let length = norm(&gradient);
        if length == 0.0 {
            // No normal at all where a function vanishes with its gradient.
            return Ok(Radius {
                eta: 0.0,
                constraint: Some(k),
            });
        }
        let bend = -least_eigenvalue(metric, hessian(k), n);
        if bend / length > curvature {
            (curvature, constraint) = (bend / length, Some(k));
        }
        units.extend(gradient.iter().map(|g| -g / length));
        bounds.push(-1.0);
    }
    if curvature == 0.0 {
        return Ok(Radius {
            eta: f64::INFINITY,
            constraint,
        });
    }
    // 1/d is the length of the shortest v with ⟨n_k, v⟩ ≥ 1.
    let rows = LinearConstraints::inequalities(&units, &bounds);
    let eta = match percuss_convex::qp::prox(&Metric::euclidean(n), rows, &vec![0.0; n]) {
        Ok(found) => 1.0 / (norm(&found.point) * curvature),
        Err(percuss_convex::ConvexError::Inconsistent { .. }) => 0.0,
        Err(other) => return Err(at(t)(other)),
    };
    Ok(Radius { eta, constraint })
}

/// Smallest eigenvalue of L⁻¹ H L⁻ᵀ, the Hessian in whitened coordinates.
fn least_eigenvalue(metric: &Metric, mut hessian: Vec<f64>, n: usize) -> f64 {
    // Rows, then columns.
    for _ in 0..2 {
        for row in hessian.chunks_exact_mut(n) {
            metric.whiten_covector(row);
        }
        let old = hessian.clone();
        for i in 0..n {
            for j in 0..n {
                hessian[i * n + j] = old[j * n + i];
            }
        }
    }
    let mut vectors = vec![0.0; n * n];
    symmetric_eigen(&mut hessian, n, &mut vectors);
    (0..n)
        .map(|i| hessian[i * n + i])
        .fold(f64::INFINITY, f64::min)
}

/// Nearest points found from both sides of z along each coordinate: two of the same distance show that there is no
/// unique one. `nearest` gives a stationary point from a starting point.
pub(crate) fn two_nearest(
    metric: &Metric,
    z: &[f64],
    reach: f64,
    nearest: &mut dyn FnMut(&[f64]) -> Option<Vec<f64>>,
) -> Option<[Vec<f64>; 2]> {
    let mut found: Vec<(f64, Vec<f64>)> = Vec::new();
    for i in 0..z.len() {
        for sign in [1.0, -1.0] {
            let mut start = z.to_vec();
            start[i] += sign * reach;
            if let Some(p) = nearest(&start) {
                let mut off = p.clone();
                axpy(-1.0, z, &mut off);
                found.push((metric.norm(&off), p));
            }
        }
    }
    let least = found.iter().map(|f| f.0).fold(f64::INFINITY, f64::min);
    found.retain(|f| f.0 <= least * (1.0 + 1e-6));
    let (_, first) = found.first()?;
    let apart = |p: &[f64]| {
        let mut off = p.to_vec();
        axpy(-1.0, first, &mut off);
        dot(&off, &off).sqrt()
    };
    let second = found.iter().find(|f| apart(&f.1) > 1e-3 * least)?;
    Some([first.clone(), second.1.clone()])
}

/// The error of a place whose radius is below the declared one.
pub(crate) fn too_small(time: f64, x: &[f64], found: Radius, declared: f64) -> SweepingError {
    let reason = match found.eta > 0.0 {
        true => format!(
            "the set is prox-regular with radius {:e} only, less than the {declared:e} declared",
            found.eta
        ),
        false => format!(
            "the set is not prox-regular there (radius 0, {declared:e} was declared): no normal, or normals that \
             cancel; the process has no solution or more than one from there on"
        ),
    };
    SweepingError::NotProxRegular {
        time,
        constraint: found.constraint,
        at: x.to_vec(),
        reason,
    }
}
