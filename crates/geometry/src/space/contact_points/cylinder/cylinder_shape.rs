//! The cylinder in its own axes: support function, rim points, and the normal of a line at a rim.

use glam::DVec3;

/// The points |z| ≤ half, x² + y² ≤ radius².
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cylinder {
    pub half: f64,
    pub radius: f64,
}

impl Cylinder {
    /// Support function max n·x = half |n_z| + radius √(n_x² + n_y²).
    #[inline]
    pub fn high(&self, n: DVec3) -> f64 {
        self.half * n.z.abs() + self.radius * n.x.hypot(n.y)
    }

    /// Reference length of the tolerances.
    pub fn size(&self) -> f64 {
        self.half + self.radius
    }

    /// A support point along n, on the rim.
    pub fn highest(&self, n: DVec3) -> DVec3 {
        radial(n) * self.radius + DVec3::Z * self.half.copysign(n.z)
    }

    /// Point k of 8 on a rim, at an angle that is fixed in the body.
    pub fn rim(&self, k: usize, up: bool) -> DVec3 {
        use std::f64::consts::FRAC_1_SQRT_2 as S;
        const AROUND: [(f64, f64); 8] = [
            (1.0, 0.0),
            (S, S),
            (0.0, 1.0),
            (-S, S),
            (-1.0, 0.0),
            (-S, -S),
            (0.0, -1.0),
            (S, -S),
        ];
        let (x, y) = AROUND[k % 8];
        let z = if up { self.half } else { -self.half };
        DVec3::new(self.radius * x, self.radius * y, z)
    }
}

/// Unit vector of the component of n orthogonal to the axis; x if there is none.
pub(crate) fn radial(n: DVec3) -> DVec3 {
    let length = n.x.hypot(n.y);
    if length > 0.0 {
        DVec3::new(n.x / length, n.y / length, 0.0)
    } else {
        DVec3::X
    }
}

/// The normal at which a line touches the rim of a disc: the disc with centre 0, radius r and axis u, the line through
/// x with unit direction e.
///
/// ```text
/// n ⟂ e, n·u > 0:   n·x − r √(1 − (n·u)²)  has a local maximum
/// ```
///
/// Projected along e the rim is an ellipse with half axes a = r |u·e| along p (the component of u orthogonal to e) and
/// b = r along q = e × p. With n = (p + τ q)/√(1 + τ²), A = p·x, B = q·x the derivative vanishes for
///
/// ```text
/// G(τ) = B − A τ − (b² − a²) τ/√(a² + b² τ²) = 0.
/// ```
///
/// B ≥ 0 by choice of q. G is convex for τ ≥ 0 and G(0) = B: Newton's iterates from 0 increase to the first zero, which
/// is the maximum sought, or reach G' ≥ 0: there is none.
pub(crate) fn rim_normal(x: DVec3, e: DVec3, u: DVec3, r: f64) -> Option<DVec3> {
    let across = u - e * e.dot(u);
    let k = across.length();
    if k < 1e-12 {
        return None;
    }
    // Orthogonalised twice: for a line nearly along u the first difference has cancelled.
    let p = across / k;
    let p = (p - e * e.dot(p)).normalize();
    let mut q = e.cross(p);
    let (c, a, b) = (r * r * k * k, r * e.dot(u).abs(), r);
    let (big, mut side) = (p.dot(x), q.dot(x));
    if side < 0.0 {
        q = -q;
        side = -side;
    }
    let mut tau = 0.0f64;
    if a <= 1e-150 * b {
        // The ellipse is a segment: beyond its end the normal turns, above it the normal is u.
        tau = if big > 0.0 {
            ((side - c / b) / big).max(0.0)
        } else {
            return None;
        };
    } else {
        // Newton's method.
        for _ in 0..200 {
            let h = a.hypot(b * tau);
            let value = side - big * tau - c * tau / h;
            let slope = -big - c * (a / h) * (a / h) / h;
            if !(slope < 0.0) {
                return None;
            }
            let next = tau - value / slope;
            if !next.is_finite() {
                return None;
            }
            // At rounding the iterates no longer increase.
            if !(next > tau) {
                break;
            }
            tau = next;
        }
    }
    Some((p + q * tau).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_of_a_line_at_a_rim_is_stationary_and_a_maximum() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let u = DVec3::new(next(), next(), next()).normalize();
            let e = DVec3::new(next(), next(), next()).normalize();
            let x = 2.0 * DVec3::new(next(), next(), next());
            let Some(n) = rim_normal(x, e, u, 1.0) else {
                continue;
            };
            found += 1;
            let f = |n: DVec3| n.dot(x) - n.cross(u).length();
            assert!(n.dot(e).abs() < 1e-14 && n.dot(u) > -1e-14);
            // Rotated about e by ±1e-4 the value must not increase; 1e-15 is rounding.
            let t = e.cross(n);
            for d in [-1e-4, 1e-4] {
                let m = n * f64::cos(d) + t * f64::sin(d);
                assert!(f(m) <= f(n) + 1e-15, "{x} {e} {u}: {} > {}", f(m), f(n));
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
