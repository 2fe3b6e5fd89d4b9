//! Exact orientation predicate orient3d: on which side of a plane a point lies.
//!
//! The sign of (b − a) × (c − a) · (x − a) is taken from the rounded value where an error bound allows it, otherwise
//! from the exact value, represented as a sum of floating-point numbers that do not overlap (Shewchuk's expansions:
//! TwoSum and TwoProduct with their rounding errors). Exact as long as no product of three coordinates overflows or
//! underflows; coordinates are scaled to size one before.

use std::cmp::Ordering;

use glam::DVec3;

/// Rounding errors of the determinant below are less than this times the sum of the sizes of its terms: 8 operations
/// for each term, each with relative error 2⁻⁵³, and some reserve.
const BOUND: f64 = 16.0 * f64::EPSILON;

/// `Greater` if x lies on the side from which a, b, c run anticlockwise.
pub(crate) fn orient3d(a: DVec3, b: DVec3, c: DVec3, x: DVec3) -> Ordering {
    // Floating-point filter.
    let (u, v, w) = (b - a, c - a, x - a);
    let value = u.cross(v).dot(w);
    let (p, q, r) = (u.abs(), v.abs(), w.abs());
    let size = (p.y * q.z + p.z * q.y) * r.x
        + (p.z * q.x + p.x * q.z) * r.y
        + (p.x * q.y + p.y * q.x) * r.z;
    if value.abs() > BOUND * size {
        return value.partial_cmp(&0.0).unwrap_or(Ordering::Equal);
    }
    exact(a, b, c, x)
}

fn exact(a: DVec3, b: DVec3, c: DVec3, x: DVec3) -> Ordering {
    let less = |p: DVec3| [0, 1, 2].map(|i| difference(p[i], a[i]));
    let (u, v, w) = (less(b), less(c), less(x));
    // The determinant by minors, in expansion arithmetic.
    let mut sum = Vec::new();
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        let minor = add(&times(&u[i], &v[j]), &negated(&times(&u[j], &v[i])));
        sum = add(&sum, &times(&minor, &w[k]));
    }
    // Components do not overlap: the last, the largest, has the sign of the sum.
    let last = sum.iter().rev().find(|x| **x != 0.0).copied();
    last.and_then(|x| x.partial_cmp(&0.0))
        .unwrap_or(Ordering::Equal)
}

/// TwoSum: s + e = x + y without error, s the rounded sum.
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let s = x + y;
    let z = s - x;
    (s, (x - (s - z)) + (y - z))
}

/// x − y as an expansion.
fn difference(x: f64, y: f64) -> Vec<f64> {
    let (s, e) = two_sum(x, -y);
    vec![e, s]
}

fn negated(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| -v).collect()
}

/// Sum of two expansions (grow-expansion): the components of one are added to the other, smallest first.
fn add(x: &[f64], y: &[f64]) -> Vec<f64> {
    let mut sum = x.to_vec();
    for &part in y {
        let mut carry = part;
        for value in sum.iter_mut() {
            let (s, e) = two_sum(carry, *value);
            *value = e;
            carry = s;
        }
        sum.push(carry);
        sum.retain(|v| *v != 0.0);
    }
    sum
}

/// Product of two expansions.
fn times(x: &[f64], y: &[f64]) -> Vec<f64> {
    let mut sum = Vec::new();
    for a in x {
        for b in y {
            let p = a * b;
            // TwoProduct: the rounding error of a product is a floating-point number, which a fused multiply–add gives
            // exactly.
            let e = a.mul_add(*b, -p);
            sum = add(&sum, &[e, p]);
        }
    }
    sum
}
