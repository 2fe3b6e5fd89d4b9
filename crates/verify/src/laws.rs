//! Contact laws and their natural map F (proximal residual), implemented independently of the engine.
//!
//! ```text
//! S ∈ K = { S_n ≥ 0, S_t ∈ S_n D },   Ū_n ≥ 0,   S_n Ū_n = 0,   −Ū_t ∈ N_{S_n D}(S_t)       (M88 12.2)
//! Ũ = Ū + σ_D(−Ū_t) n,                F = S − proj_K(S − κ Ũ),   κ = d / tr H
//! bilateral rows F = κ Ū;             non-firm F = S − proj_C(S − κ U)                      (B02 §5)
//! ```
//!
//! D is the friction section (disc, ellipse, polygon, …) with support function σ_D, H the diagonal block of the
//! Delassus operator. The residual RV of a step is formed from F in the module `defects`. The projection onto K
//! minimises (n − x_n)² + dist²(x_t, nD) over n ≥ 0. Its derivative in n is increasing, n − x_n − σ_D(x_t − proj_{nD}
//! x_t): closed form for one disc, bisection for every other section.

use super::sum_set::SumSet;

/// The law of a contact or of some rows of a joint.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    /// Signorini condition in the normal row and friction: further rows in S_n D.
    Cone(Section),
    /// Bilateral rows, Ū = 0.
    Held,
    /// Non-firm law: S in the Minkowski sum of a box and a ball.
    Within {
        low: Vec<f64>,
        high: Vec<f64>,
        radius: f64,
    },
    /// Non-firm law: S in a sum of convex sets.
    WithinSum(SumSet),
    /// Joint with friction: the first rows are bilateral, the others are bounded by μ times the norm of their
    /// impulse.
    HeldFriction { held: usize, mu: f64 },
}

/// The friction section D: the set of tangential impulses for S_n = 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Section {
    /// No friction: {0}.
    Nothing,
    /// Product of discs: radius and number of rows of each.
    Discs(Vec<(f64, usize)>),
    /// The interval from −minus to plus.
    Interval { plus: f64, minus: f64 },
    /// An ellipse with these semi-axes.
    Ellipse([f64; 2]),
    /// A convex polygon, anticlockwise.
    Polygon(Vec<[f64; 2]>),
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Section {
    /// An upper bound of the distance of points of D from 0.
    fn widest(&self) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Discs(discs) => discs.iter().map(|(radius, _)| radius).sum(),
            Self::Interval { plus, minus } => plus.max(*minus),
            Self::Ellipse([a, b]) => a.max(*b),
            Self::Polygon(vertices) => vertices.iter().map(|v| size(v)).fold(0.0, f64::max),
        }
    }

    /// Support function σ_D(x) = max over w ∈ D of x·w.
    pub fn support(&self, x: &[f64]) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Discs(discs) => {
                let mut at = 0;
                discs.iter().fold(0.0, |sum, (radius, rows)| {
                    let part = x.get(at..at + rows).unwrap_or(&[]);
                    at += rows;
                    sum + radius * size(part)
                })
            }
            Self::Interval { plus, minus } => (plus * x[0]).max(-minus * x[0]),
            Self::Ellipse([a, b]) => size(&[a * x[0], b * x[1]]),
            Self::Polygon(vertices) => vertices
                .iter()
                .map(|v| v[0] * x[0] + v[1] * x[1])
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Projects x onto s D, s ≥ 0.
    pub fn nearest(&self, s: f64, x: &mut [f64]) {
        match self {
            Self::Nothing => x.fill(0.0),
            Self::Discs(discs) => {
                let mut at = 0;
                for (radius, rows) in discs {
                    let Some(part) = x.get_mut(at..at + rows) else {
                        return;
                    };
                    let length = size(part);
                    if length > s * radius {
                        part.iter_mut().for_each(|v| *v *= s * radius / length);
                    }
                    at += rows;
                }
            }
            Self::Interval { plus, minus } => x[0] = x[0].clamp(-s * minus, s * plus),
            Self::Ellipse(axes) => {
                let y = on_ellipse([s * axes[0], s * axes[1]], [x[0], x[1]]);
                x[..2].copy_from_slice(&y);
            }
            Self::Polygon(vertices) => {
                let y = in_polygon(vertices, s, [x[0], x[1]]);
                x[..2].copy_from_slice(&y);
            }
        }
    }
}

/// Projection onto an ellipse with its interior: y_i = a_i² x_i/(a_i² + λ), λ ≥ 0 with y on the boundary.
fn on_ellipse(a: [f64; 2], x: [f64; 2]) -> [f64; 2] {
    let at = |l: f64| {
        [0, 1].map(|i| {
            let square = a[i] * a[i];
            if square > 0.0 {
                square * x[i] / (square + l)
            } else {
                0.0
            }
        })
    };
    let outside = |y: [f64; 2]| {
        let share = [0, 1].map(|i| if a[i] > 0.0 { y[i] / a[i] } else { 0.0 });
        share[0] * share[0] + share[1] * share[1] > 1.0
    };
    // Inside: the point itself.
    if !outside(at(0.0)) {
        return at(0.0);
    }
    // Bisection for the multiplier λ of the boundary.
    let (mut low, mut high) = (0.0, a[0].max(a[1]) * size(&x));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if outside(at(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(high)
}

/// Projection onto s times a convex polygon.
fn in_polygon(vertices: &[[f64; 2]], s: f64, x: [f64; 2]) -> [f64; 2] {
    // Edges of length zero have no side.
    if !(s > 0.0) {
        return [0.0; 2];
    }
    let count = vertices.len();
    // Nearest point over all edges; inside if x is on the left of all of them.
    let mut best = (f64::INFINITY, x);
    let mut inside = true;
    for k in 0..count {
        let (v, w) = (vertices[k], vertices[(k + 1) % count]);
        let (v, w) = ([s * v[0], s * v[1]], [s * w[0], s * w[1]]);
        let (e, d) = ([w[0] - v[0], w[1] - v[1]], [x[0] - v[0], x[1] - v[1]]);
        inside &= e[0] * d[1] - e[1] * d[0] >= 0.0;
        let length = e[0] * e[0] + e[1] * e[1];
        let share = if length > 0.0 {
            ((e[0] * d[0] + e[1] * d[1]) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let y = [v[0] + share * e[0], v[1] + share * e[1]];
        let far = size(&[x[0] - y[0], x[1] - y[1]]);
        if far < best.0 {
            best = (far, y);
        }
    }
    if inside { x } else { best.1 }
}

/// Projection onto the cone { n ≥ 0, t ∈ n D }.
fn in_cone(section: &Section, x: &mut [f64]) {
    let (n, t) = x.split_at_mut(1);
    if t.is_empty() {
        n[0] = n[0].max(0.0);
        return;
    }
    // Polar cone: the projection is the apex.
    let reach = section.support(t);
    if n[0] + reach <= 0.0 {
        x.fill(0.0);
        return;
    }
    if let Section::Discs(discs) = section
        && let [(mu, _)] = discs.as_slice()
    {
        // One disc, closed form: onto the nearest ray of the boundary if x is outside.
        let length = size(t);
        if length > mu * n[0] {
            n[0] = (n[0] + mu * length) / (1.0 + mu * mu);
            section.nearest(n[0], t);
        }
        return;
    }
    // Derivative of the squared distance in n, increasing: bisection for its zero.
    let slope = |s: f64, given: f64, t: &[f64]| {
        let mut left = [0.0; 8];
        left[..t.len()].copy_from_slice(t);
        section.nearest(s, &mut left[..t.len()]);
        for (left, t) in left.iter_mut().zip(t) {
            *left = t - *left;
        }
        s - given - section.support(&left[..t.len()])
    };
    let (mut low, mut high) = (0.0, n[0].abs() + reach);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle, n[0], t) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    n[0] = 0.5 * (low + high);
    section.nearest(n[0], t);
}

impl Rule {
    /// Contribution of a contact to the velocity scale V: the norm of b, less what separates.
    pub fn speed_at_stake(&self, b: &[f64]) -> f64 {
        match (self, b) {
            (Self::Cone(_), [normal, others @ ..]) if *normal > 0.0 => {
                (size(others) - normal).max(0.0)
            }
            _ => size(b),
        }
    }

    /// Amplification of a rounding error of the velocity by the shift σ_D: 1 + the largest coefficient.
    pub fn widest(&self) -> f64 {
        1.0 + match self {
            Self::Cone(section) => section.widest(),
            Self::HeldFriction { mu, .. } => *mu,
            Self::Held | Self::Within { .. } | Self::WithinSum(_) => 0.0,
        }
    }

    /// Natural map F, in units of S.
    pub fn natural(&self, kappa: f64, s: &[f64], u: &[f64], f: &mut [f64]) {
        // Argument S − κ U of the projection.
        for i in 0..s.len() {
            f[i] = s[i] - kappa * u[i];
        }
        match self {
            Self::Held => {
                for i in 0..s.len() {
                    f[i] = kappa * u[i];
                }
                return;
            }
            Self::Cone(section) => {
                // De Saxcé shift σ_D(−Ū_t) of the normal velocity, then the projection onto K.
                let mut back = [0.0; 8];
                for (back, u) in back.iter_mut().zip(&u[1..]) {
                    *back = -u;
                }
                if u.len() > 1 {
                    f[0] -= kappa * section.support(&back[..u.len() - 1]);
                }
                in_cone(section, f);
            }
            Self::Within { low, high, radius } => {
                // Projection onto the box, then within the ball around it.
                let x = f.to_vec();
                for i in 0..f.len() {
                    f[i] = f[i].clamp(low[i], high[i]);
                }
                let out: Vec<f64> = x.iter().zip(f.iter()).map(|(x, p)| x - p).collect();
                let far = size(&out);
                let share = if far > *radius { radius / far } else { 1.0 };
                for i in 0..f.len() {
                    f[i] += share * out[i];
                }
            }
            Self::WithinSum(set) => set.nearest(f),
            Self::HeldFriction { held, mu } => {
                // Bilateral rows are unconstrained; friction rows in a disc bounded by their impulse.
                let bound = mu * size(&s[..*held]);
                let far = size(&f[*held..]);
                let share = if far > bound { bound / far } else { 1.0 };
                for i in 0..f.len() {
                    f[i] = match i < *held {
                        true => s[i] - kappa * u[i],
                        false => share * f[i],
                    };
                }
            }
        }
        for i in 0..s.len() {
            f[i] = s[i] - f[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Least squared distance to the cone, by exhaustive search on a grid of n and of the section.
    fn brute(section: &Section, x: &[f64]) -> f64 {
        let mut best = size(x);
        for i in 0..=400 {
            let n = f64::from(i) * 0.01;
            let mut t = x[1..].to_vec();
            section.nearest(n, &mut t);
            let far: f64 = t.iter().zip(&x[1..]).map(|(a, b)| (a - b).powi(2)).sum();
            best = best.min(((n - x[0]).powi(2) + far).sqrt());
        }
        best
    }

    #[test]
    fn projections_are_as_near_as_a_search_over_the_normal_finds() {
        let sections = [
            Section::Discs(vec![(0.5, 2)]),
            Section::Discs(vec![(0.5, 2), (0.1, 2), (0.2, 1)]),
            Section::Interval {
                plus: 0.7,
                minus: 0.2,
            },
            Section::Ellipse([0.8, 0.3]),
            Section::Polygon(vec![[0.5, -0.2], [0.1, 0.6], [-0.4, -0.3]]),
        ];
        let points = [
            [0.3, 0.9, -0.4, 0.2, 0.1, -0.3],
            [-0.2, 0.9, 0.3, -0.5, 0.4, 0.9],
            [1.0, 0.1, 0.05, 0.01, 0.0, 0.02],
            [-1.0, 0.2, -0.1, 0.0, 0.1, 0.0],
        ];
        for section in &sections {
            let rows = match section {
                Section::Interval { .. } => 2,
                Section::Discs(discs) if discs.len() == 3 => 6,
                _ => 3,
            };
            for point in &points {
                let x = &point[..rows];
                let mut y = x.to_vec();
                in_cone(section, &mut y);
                let far = size(&x.iter().zip(&y).map(|(a, b)| a - b).collect::<Vec<_>>());
                // The grid spacing is 0.01, and the distance is flat to first order at its minimum.
                assert!((far - brute(section, x)).abs() < 1e-4, "{section:?} {x:?}");
                let mut again = y.clone();
                in_cone(section, &mut again);
                for (a, b) in again.iter().zip(&y) {
                    assert!((a - b).abs() < 1e-12, "{section:?}: not a projection");
                }
            }
        }
    }

    #[test]
    fn points_of_an_ellipse_are_nearest_by_their_normal() {
        let (a, x) = ([0.8, 0.3], [0.9, 0.7]);
        let y = on_ellipse(a, x);
        let rim = (y[0] / a[0]).powi(2) + (y[1] / a[1]).powi(2);
        let normal = [y[0] / (a[0] * a[0]), y[1] / (a[1] * a[1])];
        let turn = normal[0] * (x[1] - y[1]) - normal[1] * (x[0] - y[0]);
        assert!((rim - 1.0).abs() < 1e-12 && turn.abs() < 1e-12);
    }
}
