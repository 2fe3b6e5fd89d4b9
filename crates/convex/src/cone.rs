//! Euclidean projections onto the cones of contact laws, in place and without allocation.
//!
//! Problem: given x = (x_n, x_t) find the p of K nearest to x,
//!
//! ```text
//! p ∈ K,   x − p ∈ K°,   ⟨p, x − p⟩ = 0                      (Moreau's decomposition)
//! ```
//!
//! where K = { (n, t) : n ≥ 0, t ∈ n D } is the cone over a section D ∋ 0: a disc (Coulomb,
//! M88 §12), a segment (plane friction with one coefficient per sliding sense, M88 §13), an
//! ellipse, a polygon, or a product of discs (rolling and spinning resistance, M99 §7.2).
//!
//! Method: closed forms where they exist; for the ellipse a monotone scalar equation on [0, 1]
//! by Newton's method inside a bracket; for the product of discs the root of a concave
//! piecewise linear function, reached in at most one step per disc.
//!
//! Limits: coefficients must be finite and non-negative (checked by the constructors of the
//! sets in this crate, not here, since these are the innermost kernels). A NaN in `x` gives NaN.

use crate::error::{ConvexError, Result, check_finite};

/// Euclidean norm without overflow or underflow.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let s: f64 = x.iter().map(|v| v * v).sum();
    // In this range no square of a significant entry under- or overflowed; outside, rescale.
    if (1e-280..=1e280).contains(&s) || s.is_nan() {
        return s.sqrt();
    }
    let m = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if m == 0.0 || m.is_infinite() {
        return m;
    }
    m * x.iter().map(|v| (v / m) * (v / m)).sum::<f64>().sqrt()
}

/// Projects `x = (n, t…)` onto the circular cone |t| ≤ mu n.
///
/// Any length ≥ 1: one entry is the half-line n ≥ 0, two the plane cone, three the cone of
/// Coulomb's law. `mu = 0` leaves the half-line {t = 0, n ≥ 0}.
#[inline]
pub fn project_circular(x: &mut [f64], mu: f64) {
    let Some((n, t)) = x.split_first_mut() else {
        return;
    };
    let t_norm = norm(t);
    // Polar cone mu |t| ≤ −n first: for mu = 0 and t = 0 < −n the test below would hold too.
    if mu * t_norm <= -*n {
        return x.fill(0.0);
    }
    // Inside the cone.
    if t_norm <= mu * *n {
        return;
    }
    // Nearest point on the surface.
    *n = (*n + mu * t_norm) / (1.0 + mu * mu);
    let shrink = mu * *n / t_norm;
    for v in t {
        *v *= shrink;
    }
}

/// Projects `x = (n, t)` onto the plane cone −mu_minus n ≤ t ≤ mu_plus n.
///
/// The nearest point lies on the side of x's own tangential sign, because both coefficients
/// are non-negative; each side is half of a symmetric cone.
#[inline]
pub fn project_interval(x: &mut [f64], mu_plus: f64, mu_minus: f64) {
    debug_assert_eq!(x.len(), 2, "a plane cone has one normal and one tangent");
    let mu = if x[1] >= 0.0 { mu_plus } else { mu_minus };
    project_circular(x, mu);
}

/// Projects `x = (n, t1, t2)` onto the elliptic cone (t1/mu1)² + (t2/mu2)² ≤ n², n ≥ 0.
///
/// A zero semi-axis forces its component to zero. Derivation: outside K and K° the nearest
/// point has a multiplier λ > 0 with
///
/// ```text
/// y_i = mu_i² x_i / (mu_i² + λ),   (1 − λ) y_n = x_n,   y_n = G(λ) = |(mu_i x_i / (mu_i² + λ))_i|
/// ```
///
/// so G(λ)(1 − λ) = x_n. The root is in [0, 1) for x_n > 0; for x_n < 0 the same equation in
/// κ = 1/λ has its root in [0, 1). Written as |x_n|/G(τ) − (1 − τ) = 0 the left side is increasing
/// and concave, and Newton's method from τ = 0 increases to the root without overshoot.
#[inline]
pub fn project_elliptic(x: &mut [f64], mu1: f64, mu2: f64) {
    debug_assert_eq!(x.len(), 3, "an elliptic cone lives in space");
    if mu1 == mu2 {
        return project_circular(x, mu1);
    }
    // Degenerate ellipse: planar cone on the remaining axis.
    if mu1 == 0.0 || mu2 == 0.0 {
        let (alive, dead, mu) = if mu1 == 0.0 { (2, 1, mu2) } else { (1, 2, mu1) };
        let mut plane = [x[0], x[alive]];
        project_circular(&mut plane, mu);
        x[0] = plane[0];
        x[alive] = plane[1];
        x[dead] *= 0.0; // keeps a NaN visible
        return;
    }
    // Inside the cone, then inside the polar cone.
    if norm(&[x[1] / mu1, x[2] / mu2]) <= x[0] {
        return;
    }
    if norm(&[mu1 * x[1], mu2 * x[2]]) <= -x[0] {
        return x.fill(0.0);
    }
    project_elliptic_boundary(x, [mu1, mu2]);
}

/// The case of [`project_elliptic`] where the nearest point is on the surface, not at the apex.
fn project_elliptic_boundary(x: &mut [f64], mu: [f64; 2]) {
    // Normalise: powers up to the third of the data occur below.
    let scale = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let m = x[0].abs() / scale;
    let above = x[0] >= 0.0;
    let c = [mu[0] * (x[1] / scale), mu[1] * (x[2] / scale)];
    // Denominators a + b τ, with τ = λ above the tangent plane and τ = 1/λ below it.
    let (a, b) = if above {
        ([mu[0] * mu[0], mu[1] * mu[1]], [1.0, 1.0])
    } else {
        ([1.0, 1.0], [mu[0] * mu[0], mu[1] * mu[1]])
    };
    let ratios = |tau: f64| [c[0] / (a[0] + b[0] * tau), c[1] / (a[1] + b[1] * tau)];
    let (mut lo, mut hi, mut tau) = (0.0_f64, 1.0_f64, 0.0_f64);
    // Newton needs about 6 steps, 20 when mu1/mu2 is 1e12; 200 also covers pure bisection.
    // Newton's method, safeguarded by bisection.
    for _ in 0..200 {
        let w = ratios(tau);
        let g = norm(&w);
        let h = m / g - (1.0 - tau);
        if h <= 0.0 {
            lo = tau;
        } else {
            hi = tau;
        }
        let (w0, w1) = (w[0] / g, w[1] / g);
        let curvature = b[0] * w0 * w0 / (a[0] + b[0] * tau) + b[1] * w1 * w1 / (a[1] + b[1] * tau);
        let newton = tau - h / (1.0 + m / g * curvature);
        // Both terms of h are at most 1: below this h is rounding, and the slope is ≥ 1.
        if h.abs() <= 4.0 * f64::EPSILON || h.is_nan() {
            tau = newton.clamp(0.0, 1.0);
            break;
        }
        tau = if newton > lo && newton < hi {
            newton
        } else {
            0.5 * (lo + hi)
        };
    }
    let w = ratios(tau);
    let s = if above { scale } else { scale * tau };
    x[0] = s * norm(&w);
    x[1] = s * mu[0] * w[0];
    x[2] = s * mu[1] * w[1];
}

/// Projects `x = (n, block 1, block 2, …)` onto { |block_i| ≤ radii_i n for every i }.
///
/// `sizes` gives the length of each block, and 1 + Σ sizes must be the length of `x`. The
/// normal part is the root of the increasing, concave, piecewise linear
///
/// ```text
/// f(n) = n − x_n − Σ_i radii_i max(0, |x_i| − radii_i n)
/// ```
///
/// so Newton's method from n = 0 passes each kink at most once; with A the set of blocks that
/// are still outside, n = (x_n + Σ_A radii_i |x_i|) / (1 + Σ_A radii_i²).
#[inline]
pub fn project_rolling(x: &mut [f64], radii: &[f64], sizes: &[usize]) {
    debug_assert_eq!(radii.len(), sizes.len(), "one radius per block");
    debug_assert_eq!(
        x.len(),
        1 + sizes.iter().sum::<usize>(),
        "blocks must fill x"
    );
    let mut n = 0.0;
    // The active set only shrinks: at most one round per block, and one to detect the end.
    for _ in 0..=radii.len() {
        let (mut num, mut den, mut start) = (x[0], 1.0, 1);
        for (&r, &len) in radii.iter().zip(sizes) {
            let size = norm(&x[start..start + len]);
            if size > r * n {
                num += r * size;
                den += r * r;
            }
            start += len;
        }
        let next = num / den;
        if next.is_nan() {
            return x.fill(f64::NAN);
        }
        if next <= n {
            break;
        }
        n = next;
    }
    if n <= 0.0 {
        return x.fill(0.0);
    }
    // Normal part, then every block cut to its disc.
    x[0] = n;
    let mut start = 1;
    for (&r, &len) in radii.iter().zip(sizes) {
        let block = &mut x[start..start + len];
        let size = norm(block);
        if size > r * n {
            let shrink = r * n / size;
            for v in block {
                *v *= shrink;
            }
        }
        start += len;
    }
}

/// Scalar product.
fn dot3(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
fn cross3(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Unit vector along (1, v): the extreme ray of the cone over the vertex v.
fn ray_of(v: &[f64; 2]) -> [f64; 3] {
    let len = norm(&[1.0, v[0], v[1]]);
    [1.0 / len, v[0] / len, v[1] / len]
}

/// Outward unit normal of the face over the edge from v to w; `None` for a repeated vertex.
///
/// (1, w) × (1, v) is computed from w − v, whose rounding is relative, so that short edges keep
/// their direction.
fn outward_normal(v: &[f64; 2], w: &[f64; 2]) -> Option<[f64; 3]> {
    let d = [w[0] - v[0], w[1] - v[1]];
    let normal = [d[0] * v[1] - d[1] * v[0], d[1], -d[0]];
    let length = norm(&normal);
    (length > 0.0).then(|| normal.map(|x| x / length))
}

/// Projects `x = (n, t1, t2)` onto the cone { t ∈ n D }, D the convex polygon with these
/// vertices in counter-clockwise order, 0 ∈ D (see [`validate_polygon`]). D may be a segment or
/// a point, and vertices may be repeated.
///
/// Every candidate (x itself, the apex, the foot point on each face and on each edge ray) is
/// rated by the violation of its own optimality conditions, and the smallest violation wins. The
/// violation is a length, linear in the error, whereas comparing distances would square the error and lose
/// half of the digits near the borders between regions.
#[inline]
pub fn project_polygonal(x: &mut [f64], vertices: &[[f64; 2]]) {
    debug_assert_eq!(x.len(), 3, "a polygonal cone lives in space");
    let z = [x[0], x[1], x[2]];
    let count = vertices.len();
    let flat = polygon_is_flat(vertices);
    let edge = |i: usize| outward_normal(&vertices[i], &vertices[(i + 1) % count]);
    let (mut best, mut miss) = ([0.0; 3], f64::INFINITY);
    // Keeps the candidate with the smallest violation.
    let mut offer = |p: [f64; 3], m: f64| {
        if m < miss {
            (best, miss) = (p, m);
        }
    };
    let (mut outside, mut reach) = (0.0_f64, 0.0_f64);
    // Normal of the face that ends at the current vertex; `None` when D is a point.
    let mut before = (0..count).rev().find_map(edge);
    if let (None, Some(v)) = (before, vertices.first()) {
        let ray = ray_of(v);
        reach = dot3(&ray, &z).max(0.0);
        offer(ray.map(|r| r * reach), 0.0);
    }
    for i in 0..count {
        let (Some(last), Some(normal)) = (before, edge(i)) else {
            continue; // repeated vertex
        };
        before = Some(normal);
        let (here, after) = (ray_of(&vertices[i]), ray_of(&vertices[(i + 1) % count]));
        // Edge ray: the remainder must not point towards either neighbouring face.
        let (forth, back) = (cross3(&here, &normal), cross3(&last, &here));
        let along = dot3(&here, &z);
        reach = reach.max(along);
        if along > 0.0 {
            let p = here.map(|v| v * along);
            let rest = [z[0] - p[0], z[1] - p[1], z[2] - p[2]];
            offer(p, dot3(&rest, &forth).max(dot3(&rest, &back)).max(0.0));
        }
        // Face: the foot point must lie between its two rays, and x on the outer side.
        let height = dot3(&normal, &z);
        outside = outside.max(height);
        let p = [0, 1, 2].map(|k| z[k] - height * normal[k]);
        let beyond = (-dot3(&p, &forth)).max(-dot3(&p, &cross3(&normal, &after)));
        let below = if flat { 0.0 } else { -height };
        offer(p, beyond.max(below).max(0.0));
    }
    // Apex, and x itself.
    offer([0.0; 3], reach);
    if !flat && outside <= miss {
        return; // x belongs to the cone
    }
    let poisoned = z.iter().any(|v| v.is_nan());
    x.copy_from_slice(&if poisoned { [f64::NAN; 3] } else { best });
}

/// Checks that the vertices run counter-clockwise around a convex polygon with 0 ∈ D, as
/// [`project_polygonal`] expects. Points and segments are polygons too.
pub fn validate_polygon(vertices: &[[f64; 2]]) -> Result<()> {
    let count = vertices.len();
    if count == 0 {
        return Err(ConvexError::NoElement {
            what: "vertices of the section",
        });
    }
    let flat: Vec<f64> = vertices.iter().flatten().copied().collect();
    check_finite("vertices of the section", &flat)?;
    let turn = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let size = norm(&flat);
    // Decimal input leaves a few roundings in points meant to be collinear.
    let slack = 16.0 * f64::EPSILON * size * size;
    // A right turn by this angle costs the projection as much, relatively. Vertices so close
    // that their own rounding turns the edge between them are rejected here.
    let bend = 1e-10;
    let mut winding = 0.0;
    for i in 0..count {
        let (a, b, c) = (
            vertices[i],
            vertices[(i + 1) % count],
            vertices[(i + 2) % count],
        );
        let (e, f) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
        let straight = e[0] * f[0] + e[1] * f[1];
        winding += turn(e, f).atan2(straight);
        // Each edge has 0 on its left, and the next edge turns left.
        if turn(a, b) < -slack || turn(e, f) < -bend * norm(&e) * norm(&f) {
            return Err(ConvexError::NotConvexPolygon {
                index: (i + 1) % count,
            });
        }
    }
    // A star polygon that turns left twice is not convex; a single point must be 0 itself, a
    // segment must pass through 0.
    let off = if count == 1 { size } else { 0.0 };
    let beside = count == 2 && {
        let (a, b) = (vertices[0], vertices[1]);
        a[0] * b[0] + a[1] * b[1] > slack
    };
    if winding > 3.0 * std::f64::consts::PI || off > 0.0 || beside {
        return Err(ConvexError::NotConvexPolygon { index: 0 });
    }
    Ok(())
}

/// Whether the polygon has no interior (fewer than three vertices, or all on one line).
fn polygon_is_flat(vertices: &[[f64; 2]]) -> bool {
    let Some(first) = vertices.first() else {
        return true;
    };
    let (mut twice_area, mut size) = (0.0, 0.0_f64);
    // Signed area as a fan of triangles.
    for w in vertices.windows(2) {
        let a = [w[0][0] - first[0], w[0][1] - first[1]];
        let b = [w[1][0] - first[0], w[1][1] - first[1]];
        twice_area += a[0] * b[1] - a[1] * b[0];
        size = size.max(b[0] * b[0] + b[1] * b[1]);
    }
    // A polygon thinner than a hundred roundings of its length has no numerical interior.
    twice_area <= 100.0 * f64::EPSILON * size
}
