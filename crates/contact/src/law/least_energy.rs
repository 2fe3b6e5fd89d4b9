//! Friction by least kinetic energy (maximal dissipation variant of Paoli), D a disc or an ellipse (P15 7); a polygon is
//! in `least_energy_polygon`.
//!
//! ```text
//! u⁺ = proj(0, (u⁻ + A⁻¹K) ∩ { u_n = 0 })  in the kinetic metric:
//! min ½ y·By + b·y   over   y ∈ (ρ − w·y) D,        y = r_t,  r_n = ρ − w·y
//! ρ = −q_n/H_nn,   w = H_tn/H_nn,   B = H_tt − H_tn w,   b = q_t + ρ H_tn
//! ```
//!
//! With one tangential direction, and where H_nt = 0, this is Coulomb's law. With two directions and normal–tangential
//! coupling it differs: sliding is along the normal of the section { y ∈ (ρ − w·y) D }, not of r_n D,
//!
//! ```text
//! −û_t ∈ N_{r_n D}(r_t),   û_t = u_t + g w,   g = max over D of −û_t·y:      Coulomb's law with û for u.
//! ```
//!
//! Method. In coordinates in which B is the identity the minimiser is the point of the section closest to
//! y₀ = −B⁻¹b. The boundary is star-shaped about 0, y = μρ e/(1 + μ w·e) with normal e + μw; the part visible
//! from y₀ is one arc around the direction of y₀, on which the slope of the energy changes sign once. The
//! angle is bisected there; Newton's method on y then removes the error of an angle close to an asymptote
//! (μ|w| > 1: γ < 0). An ellipse is a disc after scaling.

use super::{Law, block3};

/// Bisections of an arc of π, down to the spacing of floating-point numbers.
const HALVINGS: usize = 60;
/// Steps of Newton's iteration; it stops earlier once it no longer improves.
const POLISH_STEPS: usize = 12;

impl Law {
    /// The impulse of least kinetic energy with u_n = 0 (P15 7), and g w: with g w added to the tangential velocity
    /// the impulse obeys this law. `None` for laws without a disc, an ellipse or a polygon of friction in two
    /// directions, and for contacts that do not approach.
    #[must_use]
    pub fn least_energy(&self, h: &[f64], q: &[f64]) -> Option<([f64; 3], [f64; 2])> {
        let radii = match self {
            Self::CoulombPolygon(section) if q.len() == 3 => {
                let free = [q[0], q[1], q[2]];
                let found = solve(&block3(h), &free, Section::Polygon(section.vertices()))?;
                let all = found.0.iter().chain(&found.1).all(|x| x.is_finite());
                return all.then_some(found);
            }
            Self::CoulombElliptic { mu1, mu2 } => [*mu1, *mu2],
            _ => [self.disc_radius()?; 2],
        };
        if q.len() != 3 || !(radii[0] > 0.0 && radii[1] > 0.0) {
            return None;
        }
        // Scale the ellipse to the unit disc.
        let p = [1.0, radii[0], radii[1]];
        let mut scaled = block3(h);
        for i in 0..3 {
            for j in 0..3 {
                scaled[i][j] *= p[i] * p[j];
            }
        }
        let free = [q[0], p[1] * q[1], p[2] * q[2]];
        let (r, lean) = solve(&scaled, &free, Section::UnitDisc)?;
        let found = [r[0], p[1] * r[1], p[2] * r[2]];
        let all = found.iter().chain(&lean).all(|x| x.is_finite());
        all.then_some((found, [lean[0] / p[1], lean[1] / p[2]]))
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Rotation by a quarter turn.
fn quarter_turn(a: [f64; 2]) -> [f64; 2] {
    [-a[1], a[0]]
}

/// The section D.
enum Section<'a> {
    UnitDisc,
    Polygon(&'a [[f64; 2]]),
}

impl Section<'_> {
    /// Whether y ∈ s D.
    fn contains(&self, s: f64, y: [f64; 2]) -> bool {
        match self {
            Self::UnitDisc => dot(y, y).sqrt() <= s,
            Self::Polygon(vertices) => (0..vertices.len()).all(|k| {
                let (from, to) = (vertices[k], vertices[(k + 1) % vertices.len()]);
                let along = [to[0] - from[0], to[1] - from[1]];
                along[0] * (y[1] - s * from[1]) - along[1] * (y[0] - s * from[0]) >= 0.0
            }),
        }
    }
}

/// The problem in y = r_t after eliminating r_n; the methods of sliding are for the unit disc.
pub(super) struct LeastEnergyProblem {
    pub(super) b: [[f64; 2]; 2],
    free: [f64; 2],
    pub(super) w: [f64; 2],
    pub(super) rho: f64,
}

impl LeastEnergyProblem {
    /// u_t at the impulse y.
    pub(super) fn velocity(&self, y: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|i| dot(self.b[i], y) + self.free[i])
    }

    /// Normal of the section at the boundary point in direction `e`.
    fn normal(&self, e: [f64; 2]) -> [f64; 2] {
        [e[0] + self.w[0], e[1] + self.w[1]]
    }

    /// Boundary point in direction `e`; `None` beyond the asymptote.
    fn boundary(&self, e: [f64; 2]) -> Option<[f64; 2]> {
        let below = 1.0 + dot(self.w, e);
        (below > 0.0).then(|| e.map(|x| self.rho * x / below))
    }

    /// The sliding impulse; the unconstrained minimiser `apart` is outside the section.
    fn slide(&self, apart: [f64; 2]) -> [f64; 2] {
        let first = apart[1].atan2(apart[0]);
        let direction = |angle: f64| [angle.cos(), angle.sin()];
        // Slope of the energy along the boundary; `None` where the boundary is not visible from `apart`.
        let slope = |angle: f64| {
            let e = direction(angle);
            let (y, n) = (self.boundary(e)?, self.normal(e));
            let seen = dot(n, [apart[0] - y[0], apart[1] - y[1]]) > 0.0;
            seen.then(|| dot(quarter_turn(n), self.velocity(y)))
        };
        let side = match slope(first) {
            Some(s) if s > 0.0 => -1.0,
            _ => 1.0,
        };
        // Bisection on the angle.
        let (mut low, mut high) = (0.0, std::f64::consts::PI);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match slope(first + side * middle) {
                Some(s) if side * s < 0.0 => low = middle,
                _ => high = middle,
            }
        }
        let y = self.boundary(direction(first + side * low));
        self.polish(y.unwrap_or([0.0; 2]))
    }

    /// Newton's method on |y| = ρ − w·y and u_t parallel to the normal.
    fn polish(&self, start: [f64; 2]) -> [f64; 2] {
        let kappa = 1.0 / (self.b[0][0] + self.b[1][1]);
        let (mut y, mut best) = (start, (f64::INFINITY, start));
        for _ in 0..POLISH_STEPS {
            let size = dot(y, y).sqrt();
            let e = y.map(|x| x / size);
            let (n, u) = (self.normal(e), self.velocity(y));
            let p = quarter_turn(n);
            let off = size - self.rho + dot(self.w, y);
            let across = dot(p, u);
            let miss = off.abs().max(kappa * across.abs());
            // Go on only after an improvement; NaN ends here too.
            if miss.is_nan() || miss >= best.0 {
                break;
            }
            best = (miss, y);
            // Newton step by Cramer's rule.
            let (turned, along) = (quarter_turn(e), dot(e, u) / size);
            let slope = [0, 1].map(|i| dot(self.b[i], p) - along * turned[i]);
            let det = n[0] * slope[1] - n[1] * slope[0];
            y[0] -= (off * slope[1] - across * n[1]) / det;
            y[1] -= (across * n[0] - off * slope[0]) / det;
        }
        best.1
    }
}

/// The impulse and g w.
fn solve(h: &[[f64; 3]; 3], q: &[f64; 3], section: Section<'_>) -> Option<([f64; 3], [f64; 2])> {
    let normal = h[0][0];
    if !(q[0] < 0.0 && normal > 0.0) {
        return None;
    }
    let w = [h[1][0] / normal, h[2][0] / normal];
    let rho = -q[0] / normal;
    // A pivot below this is rounding of H; raising the diagonal by it changes u_t by less.
    let floor = [1, 2].map(|i: usize| 8.0 * f64::EPSILON * h[i][i].abs() + 1e-40 * normal);
    let mut b = [0, 1].map(|i: usize| [0, 1].map(|j: usize| h[i + 1][j + 1] - w[i] * h[0][j + 1]));
    (b[0][0], b[1][1]) = (b[0][0] + floor[0], b[1][1] + floor[1]);
    let reduced = LeastEnergyProblem {
        b,
        free: [0, 1].map(|i: usize| q[i + 1] + rho * h[i + 1][0]),
        w,
        rho,
    };
    // Unconstrained minimiser −B⁻¹b: sticking if it is in the section.
    let det = b[0][0] * b[1][1] - b[0][1] * b[1][0];
    let f = reduced.free;
    let apart = [
        (b[0][1] * f[1] - b[1][1] * f[0]) / det,
        (b[1][0] * f[0] - b[0][0] * f[1]) / det,
    ];
    let impulse = |y: [f64; 2]| [rho - dot(w, y), y[0], y[1]];
    if section.contains(rho - dot(w, apart), apart) {
        return Some((impulse(apart), [0.0; 2]));
    }
    if let Section::Polygon(vertices) = section {
        let (y, g) = super::least_energy_polygon::solve(&reduced, apart, vertices);
        return Some((impulse(y), w.map(|w| g * w)));
    }
    let y = reduced.slide(apart);
    // u_t = −τ (e + w), and g = τ.
    let size = dot(y, y).sqrt();
    let n = reduced.normal(y.map(|x| x / size));
    let tau = (-dot(n, reduced.velocity(y)) / dot(n, n)).max(0.0);
    Some((impulse(y), w.map(|w| tau * w)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symmetric positive definite, from a factor with entries in [−1, 1].
    fn block(next: &mut impl FnMut() -> f64) -> [f64; 9] {
        let l: [f64; 9] = std::array::from_fn(|_| next());
        std::array::from_fn(|k| {
            let (i, j) = (k / 3, k % 3);
            let product: f64 = (0..3).map(|m| l[3 * i + m] * l[3 * j + m]).sum();
            product + if i == j { 0.05 } else { 0.0 }
        })
    }

    fn energy(h: &[f64; 9], q: &[f64; 3], r: [f64; 3]) -> f64 {
        (0..3)
            .map(|i| r[i] * (q[i] + 0.5 * (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>()))
            .sum()
    }

    /// ½ r·Hr + q·r is the kinetic energy but for a constant. No admissible impulse on a fine grid of the section
    /// has less, at couplings on both sides of γ = 0.
    #[test]
    fn no_admissible_impulse_has_less_energy() {
        let mut state = 7_u64;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut slid, mut beyond) = (0, 0);
        for _ in 0..400 {
            let h = block(&mut next);
            let q = [-1.0 - next().abs(), 2.0 * next(), 2.0 * next()];
            let (mu1, mu2) = (0.1 + 1.5 * next().abs(), 0.1 + 1.5 * next().abs());
            let law = Law::CoulombElliptic { mu1, mu2 };
            let (r, lean) = law.least_energy(&h, &q).expect("it approaches");
            let u: [f64; 3] =
                std::array::from_fn(|i| q[i] + (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>());
            let size = r.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            assert!(u[0].abs() < 1e-12 * size, "u_n = {:e}", u[0]);
            let reach = (r[1] / mu1).hypot(r[2] / mu2);
            assert!(reach <= r[0] * (1.0 + 1e-9), "outside: {r:?}");
            slid += i32::from(lean != [0.0; 2]);
            beyond += i32::from((mu1 * h[1]).hypot(mu2 * h[2]) > h[0]);
            let least = energy(&h, &q, r);
            for k in 0..720 {
                let angle = std::f64::consts::TAU * f64::from(k) / 720.0;
                let e = [mu1 * angle.cos(), mu2 * angle.sin()];
                for share in [0.2, 0.6, 0.95, 1.0] {
                    let e = [share * e[0], share * e[1]];
                    let below = h[0] + h[1] * e[0] + h[2] * e[1];
                    if below > 1e-9 {
                        let n = -q[0] / below;
                        let other = energy(&h, &q, [n, n * e[0], n * e[1]]);
                        // Rounding of energies of this size.
                        assert!(least <= other + 1e-12 * size * size, "{least} > {other}");
                    }
                }
            }
        }
        assert!(
            slid > 100 && beyond > 50,
            "{slid} slide, {beyond} with γ < 0"
        );
    }

    /// With g w added to the velocity the impulse obeys Coulomb's law.
    #[test]
    fn the_lean_makes_it_coulombs_law() {
        let h = [1.0, 0.3, -0.2, 0.3, 0.9, 0.1, -0.2, 0.1, 0.7];
        let (q, law) = ([-0.6, 1.0, 0.7], Law::Coulomb { mu: 0.5 });
        let (r, lean) = law.least_energy(&h, &q).unwrap();
        let mut u: [f64; 3] =
            std::array::from_fn(|i| q[i] + (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>());
        (u[1], u[2]) = (u[1] + lean[0], u[2] + lean[1]);
        let mut f = [0.0; 3];
        law.natural_residual(1.0, &r, &u, &mut f);
        assert!(f.iter().all(|x| x.abs() < 1e-14), "{f:?}");
        assert!(lean[0].abs() > 1e-2, "another law than Coulomb's: {lean:?}");
    }
}
