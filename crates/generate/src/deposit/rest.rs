//! Direction of descent of a grain among the obstacles it touches.
//!
//! ```text
//! v = projection of −e onto {v : n_k·v ≥ 0 for every touched k}
//! ⇔  v = −e + Σ λ_k n_k,   λ_k ≥ 0,   n_k·v ≥ 0,   λ_k n_k·v = 0
//! ```
//!
//! e points up. The projection exists and is unique; it is found by enumerating the few active sets of at most
//! three supports, small ones first. v = 0 is an equilibrium. An equilibrium on fewer than three balls is
//! unstable, unless an obstacle bars every way off.

use crate::generator_dim::Vec3;

/// Rounding error of directions and multipliers, both of size 1.
const TINY: f64 = 1e-12;
/// A slope below this counts as level.
const LEVEL: f64 = 1e-10;

/// The next move of a grain.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Descent {
    /// It is at rest in a stable position.
    Rest,
    /// It moves along these touched obstacles (at most two) in this direction.
    Go { along: Vec<usize>, towards: Vec3 },
    /// Rounding leaves no direction to choose.
    Lost,
}

/// The steepest descent among touched obstacles, given by their unit outward normals. `barred` obstacles
/// may not be entered even by rounding; `flat` ones are planes.
pub(super) fn descend(normals: &[Vec3], barred: &[bool], flat: &[bool]) -> Descent {
    let n = normals.len();
    // Candidate active sets: none, single supports, pairs, triples.
    let singles = (0..n).map(|i| vec![i]);
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| vec![i, j]));
    let triples =
        (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| vec![i, j, k])));
    let sets = std::iter::once(Vec::new())
        .chain(singles)
        .chain(pairs)
        .chain(triples);
    // The first set with multipliers ≥ 0 and an admissible direction is the projection.
    for along in sets {
        let Some(towards) = supported(normals, &along) else {
            continue;
        };
        let entered = |k: usize| barred[k] && !along.contains(&k) && normals[k].dot(towards) < 0.0;
        if !allowed(normals, towards) || (0..n).any(entered) {
            continue;
        }
        if along.len() < 3 && slopes(towards) {
            return Descent::Go { along, towards };
        }
        return balanced(normals, flat, along);
    }
    Descent::Lost
}

/// Whether a direction goes down. A projection v of −e has −e·v = |v|²; between nearly opposite supports
/// rounding may leave a v that violates it, and then no slope can be known.
fn slopes(towards: Vec3) -> bool {
    let square = towards.length_squared();
    square > LEVEL * LEVEL && -towards.z > 0.5 * square
}

/// Whether a direction leads into no obstacle.
fn allowed(normals: &[Vec3], towards: Vec3) -> bool {
    normals.iter().all(|n| n.dot(towards) >= -TINY)
}

/// −e + Σ λ n for the λ that stop all motion into the supports; `None` if one of them is negative.
fn supported(normals: &[Vec3], along: &[usize]) -> Option<Vec3> {
    let n = |k: usize| normals[along[k]];
    match along.len() {
        0 => Some(-Vec3::Z),
        1 => {
            // One support: the tangential part of −e.
            let lambda = n(0).z;
            (lambda >= -TINY).then(|| n(0) * lambda - Vec3::Z)
        }
        2 => {
            // Two supports: 2 × 2 system for the multipliers.
            let c = n(0).dot(n(1));
            let det = (1.0 - c) * (1.0 + c);
            let (a, b) = (n(0).z - c * n(1).z, n(1).z - c * n(0).z);
            let fine = det > TINY && a >= -TINY * det && b >= -TINY * det;
            fine.then(|| n(0) * (a / det) + n(1) * (b / det) - Vec3::Z)
        }
        // e = Σ λ n by Cramer's rule.
        _ => {
            let det = n(0).dot(n(1).cross(n(2)));
            let lambdas = [
                n(1).cross(n(2)).z / det,
                n(2).cross(n(0)).z / det,
                n(0).cross(n(1)).z / det,
            ];
            let fine = det.abs() > TINY && lambdas.iter().all(|l| *l >= -TINY);
            fine.then_some(Vec3::ZERO)
        }
    }
}

/// An equilibrium: stable, or unstable on top of a ball or between two, and then left along a free direction.
fn balanced(normals: &[Vec3], flat: &[bool], along: Vec<usize>) -> Descent {
    // Directions along which an unstable equilibrium may be left.
    let ways = match along.as_slice() {
        [i] if !flat[*i] => vec![Vec3::X, Vec3::Y],
        [i, j] => vec![normals[*i].cross(normals[*j]).normalize_or_zero()],
        _ => Vec::new(),
    };
    for way in ways {
        for towards in [way, -way] {
            if towards != Vec3::ZERO && allowed(normals, towards) {
                return Descent::Go { along, towards };
            }
        }
    }
    Descent::Rest
}
