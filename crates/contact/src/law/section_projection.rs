//! Projection onto a scaled section: P(s, y) = proj_{sD}(y), s >= 0, with one element of its
//! generalised Jacobian in y and in s.
//!
//! This is the only nonsmooth part of Alart and Curnier's function, F_t = r_t - P(s, r_t - rho u_t)
//! with s = max(0, r_n - rho u_n). `jac` is m x m row-major, `ds` the derivative in s.

use super::small::norm;

/// Disc of radius s mu, any number of rows.
#[inline]
pub(super) fn disc(s: f64, mu: f64, y: &[f64], p: &mut [f64], jac: &mut [f64], ds: &mut [f64]) {
    disc_into(s, mu, y, p, jac, ds, y.len(), 0);
}

/// As [`disc`], writing the block of rows `at..at + y.len()` of a `stride`-wide Jacobian.
#[allow(clippy::too_many_arguments)]
#[inline]
fn disc_into(
    s: f64,
    mu: f64,
    y: &[f64],
    p: &mut [f64],
    jac: &mut [f64],
    ds: &mut [f64],
    stride: usize,
    at: usize,
) {
    let n = norm(y);
    let radius = s * mu;
    let inside = n <= radius;
    // Inside: identity. Outside: radial projection.
    for i in 0..y.len() {
        let e = if n > 0.0 { y[i] / n } else { 0.0 };
        p[i] = if inside { y[i] } else { radius * e };
        ds[i] = if inside { 0.0 } else { mu * e };
        for j in 0..y.len() {
            let delta = f64::from(u8::from(i == j));
            let g = if n > 0.0 { y[j] / n } else { 0.0 };
            jac[(at + i) * stride + at + j] = if inside {
                delta
            } else {
                radius / n * (delta - e * g)
            };
        }
    }
}

/// Product of discs: block i of `sizes[i]` rows in the disc of radius s `radii[i]`.
pub(super) fn discs(
    s: f64,
    radii: &[f64],
    sizes: &[usize],
    y: &[f64],
    p: &mut [f64],
    jac: &mut [f64],
    ds: &mut [f64],
) {
    let m = y.len();
    jac[..m * m].fill(0.0);
    let mut at = 0;
    for (&mu, &size) in radii.iter().zip(sizes) {
        let range = at..at + size;
        let (yb, pb) = (&y[range.clone()], &mut p[range.clone()]);
        disc_into(s, mu, yb, pb, jac, &mut ds[range], m, at);
        at += size;
    }
}

/// Interval [-s minus, s plus].
#[inline]
pub(super) fn interval(
    s: f64,
    (plus, minus): (f64, f64),
    y: &[f64],
    p: &mut [f64],
    jac: &mut [f64],
    ds: &mut [f64],
) {
    let (value, slope, rate) = if y[0] > s * plus {
        (s * plus, 0.0, plus)
    } else if y[0] < -s * minus {
        (-s * minus, 0.0, -minus)
    } else {
        (y[0], 1.0, 0.0)
    };
    (p[0], jac[0], ds[0]) = (value, slope, rate);
}

/// Ellipse with semi-axes s mu1, s mu2.
///
/// Outside, p_i = a_i² y_i / (a_i² + t) with t >= 0 from G(t) = |(a_i y_i / (a_i² + t))| = 1.
/// G is decreasing and 1/G is concave, so Newton on 1/G increases from below without overshoot.
pub(super) fn ellipse(
    s: f64,
    mu: [f64; 2],
    y: &[f64],
    p: &mut [f64],
    jac: &mut [f64],
    ds: &mut [f64],
) {
    if mu[0] == 0.0 || mu[1] == 0.0 {
        return segment(s, mu, y, p, jac, ds);
    }
    if s <= 0.0 {
        p[..2].fill(0.0);
        jac[..4].fill(0.0);
        ds[..2].fill(0.0);
        return;
    }
    // Inside: identity.
    let a = [s * mu[0], s * mu[1]];
    if norm(&[y[0] / a[0], y[1] / a[1]]) <= 1.0 {
        p[..2].copy_from_slice(&y[..2]);
        jac[..4].copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        ds[..2].fill(0.0);
        return;
    }
    // Outside: the multiplier t, then p.
    let t = ellipse_multiplier(a, [y[0], y[1]]);
    let d = [a[0] * a[0] + t, a[1] * a[1] + t];
    for i in 0..2 {
        p[i] = a[i] * (a[i] * y[i] / d[i]);
    }
    // Differentiate p_i (a_i² + t) = a_i² y_i: dp_i = k_i dy_i - p_i/d_i dt, where dt keeps
    // Σ p_i²/a_i² = 1, that is Σ g_i dp_i = 0.
    let k = [a[0] * a[0] / d[0], a[1] * a[1] / d[1]];
    let g = [p[0] / (a[0] * a[0]), p[1] / (a[1] * a[1])];
    let den = g[0] * p[0] / d[0] + g[1] * p[1] / d[1];
    for i in 0..2 {
        for j in 0..2 {
            let own = if i == j { k[i] } else { 0.0 };
            jac[i * 2 + j] = own - p[i] / d[i] * (g[j] * k[j]) / den;
        }
    }
    // In s: a_i² grows at 2 a_i²/s, so dp_i = c_i - p_i/d_i dt with c_i = 2 k_i (y_i - p_i)/s;
    // Σ p_i²/a_i² = 1 now asks for Σ g_i dp_i = Σ g_i p_i/s = 1/s.
    let c = [
        2.0 * k[0] * (y[0] - p[0]) / s,
        2.0 * k[1] * (y[1] - p[1]) / s,
    ];
    let dt = (g[0] * c[0] + g[1] * c[1] - 1.0 / s) / den;
    for i in 0..2 {
        ds[i] = c[i] - p[i] / d[i] * dt;
    }
}

/// Root t >= 0 of |(a_i y_i / (a_i² + t))| = 1 for y outside the ellipse.
fn ellipse_multiplier(a: [f64; 2], y: [f64; 2]) -> f64 {
    let ay = [a[0] * y[0], a[1] * y[1]];
    // Lower bound: with both axes replaced by the larger one, |ay| / (a² + t) is below the true value.
    let big = a[0].max(a[1]);
    let mut t = (norm(&ay) - big * big).max(0.0);
    for _ in 0..60 {
        let d = [a[0] * a[0] + t, a[1] * a[1] + t];
        let z = [ay[0] / d[0], ay[1] / d[1]];
        let g = norm(&z);
        if g <= 1.0 {
            break;
        }
        // Newton on 1/G - 1: G' = -(z0²/d0 + z1²/d1)/G.
        let slope = (z[0] * z[0] / d[0] + z[1] * z[1] / d[1]) / g;
        let step = (g - 1.0) * g / slope;
        t += step;
        if step <= 4.0 * f64::EPSILON * t {
            break;
        }
    }
    t
}

/// Ellipse with a vanishing axis: an interval on the other one.
fn segment(s: f64, mu: [f64; 2], y: &[f64], p: &mut [f64], jac: &mut [f64], ds: &mut [f64]) {
    jac[..4].fill(0.0);
    for i in 0..2 {
        let (mut pi, mut ji, mut di) = ([0.0], [0.0], [0.0]);
        interval(s, (mu[i], mu[i]), &y[i..=i], &mut pi, &mut ji, &mut di);
        // For s mu = 0 the interval is a point and its projection is constant.
        let wide = f64::from(u8::from(mu[i] > 0.0));
        (p[i], jac[i * 3], ds[i]) = (pi[0], ji[0] * wide, di[0]);
    }
}

/// Convex polygon (counter-clockwise vertices), scaled by s.
pub(super) fn polygon(
    s: f64,
    vertices: &[[f64; 2]],
    y: &[f64],
    p: &mut [f64],
    jac: &mut [f64],
    ds: &mut [f64],
) {
    let m = vertices.len();
    let mut inside = true;
    let mut best = f64::INFINITY;
    for k in 0..m {
        let (v, w) = (vertices[k], vertices[(k + 1) % m]);
        let e = [w[0] - v[0], w[1] - v[1]];
        let len2 = e[0] * e[0] + e[1] * e[1];
        let z = [y[0] - s * v[0], y[1] - s * v[1]];
        // y is on the inner side of this edge.
        if e[0] * z[1] - e[1] * z[0] >= 0.0 {
            continue;
        }
        inside = false;
        let along = (e[0] * z[0] + e[1] * z[1]) / len2;
        if along > 0.0 && along < s {
            // An edge that sees y from outside and contains its foot point is the nearest face, whatever rounding of
            // distances says: p slides along e and moves outwards with s.
            let n = [e[1], -e[0]];
            let height = (n[0] * v[0] + n[1] * v[1]) / len2;
            let ee = [e[0] * e[0], e[0] * e[1], e[1] * e[0], e[1] * e[1]];
            for (j, v) in jac[..4].iter_mut().zip(ee) {
                *j = v / len2;
            }
            for i in 0..2 {
                p[i] = s * v[i] + along * e[i];
                ds[i] = n[i] * height;
            }
            return;
        }
        // Otherwise the nearest vertex: constant in y, moving with s.
        let c = if along <= 0.0 { v } else { w };
        let distance = norm(&[y[0] - s * c[0], y[1] - s * c[1]]);
        if distance < best {
            best = distance;
            jac[..4].fill(0.0);
            for i in 0..2 {
                p[i] = s * c[i];
                ds[i] = c[i];
            }
        }
    }
    if inside {
        p[..2].copy_from_slice(&y[..2]);
        jac[..4].copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        ds[..2].fill(0.0);
    }
}
