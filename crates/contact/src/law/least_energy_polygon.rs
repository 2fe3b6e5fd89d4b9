//! Friction by least kinetic energy (P15 7), D a convex polygon (P15 H3).
//!
//! ```text
//! min ½ y·By + b·y   over   a_k·y ≤ c_k (ρ − w·y) for every edge k,   a_k its outward unit normal, c_k = a_k·v_k
//! −u_t = Σ λ_k (a_k + c_k w), λ ≥ 0:   −û_t = Σ λ_k a_k ∈ N_D,   û_t = u_t + g w,   g = Σ λ_k c_k
//! ```
//!
//! with ρ, w, B and b as for a disc (`least_energy`). Exact: at most two edges are active. Their candidates are, in
//! turn, none, one edge, and two edges at a vertex; the minimiser is the only one that is admissible with λ ≥ 0, and of
//! all candidates the one that misses least is taken.

use super::least_energy::LeastEnergyProblem;

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// One edge of the section: n·y ≤ c ρ, n = a + c w.
#[derive(Clone, Copy)]
struct Edge {
    normal: [f64; 2],
    support: f64,
}

/// r_t and g of the minimiser; `apart` is that without constraints, −B⁻¹b.
pub(super) fn solve(
    problem: &LeastEnergyProblem,
    apart: [f64; 2],
    vertices: &[[f64; 2]],
) -> ([f64; 2], f64) {
    let (rho, w) = (problem.rho, problem.w);
    let edge = |k: usize| {
        let (from, to) = (vertices[k], vertices[(k + 1) % vertices.len()]);
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = dot(along, along).sqrt();
        let a = [along[1] / length, -along[0] / length];
        let support = dot(a, from).max(0.0);
        let normal = [0, 1].map(|i| a[i] + support * w[i]);
        Edge { normal, support }
    };
    let edges: Vec<Edge> = (0..vertices.len()).map(edge).collect();
    let det = problem.b[0][0] * problem.b[1][1] - problem.b[0][1] * problem.b[1][0];
    let inverse = |x: [f64; 2]| {
        let b = &problem.b;
        [
            (b[1][1] * x[0] - b[0][1] * x[1]) / det,
            (b[0][0] * x[1] - b[1][0] * x[0]) / det,
        ]
    };
    // How far an impulse is outside the section, as a share of ρ.
    let outside = |y: [f64; 2]| {
        let over = edges.iter().map(|e| dot(e.normal, y) / rho - e.support);
        over.fold(0.0, f64::max)
    };
    let mut best = (f64::INFINITY, [0.0; 2], 0.0);
    let mut take = |missed: f64, y: [f64; 2], g: f64| {
        if missed < best.0 {
            best = (missed, y, g);
        }
    };
    // One active edge.
    for e in &edges {
        let back = inverse(e.normal);
        let lambda = (dot(e.normal, apart) - e.support * rho) / dot(e.normal, back);
        let y = [0, 1].map(|i| apart[i] - lambda * back[i]);
        let pulls = (-lambda * dot(e.normal, back) / rho).max(0.0);
        take(outside(y).max(pulls), y, lambda.max(0.0) * e.support);
    }
    // Two active edges: a vertex of the section.
    for (k, v) in vertices.iter().enumerate() {
        let below = 1.0 + dot(w, *v);
        if !(below > 0.0) {
            continue;
        }
        let y = v.map(|x| rho * x / below);
        let (e, f) = (edges[(k + vertices.len() - 1) % vertices.len()], edges[k]);
        let u = problem.velocity(y);
        let whole = e.normal[0] * f.normal[1] - e.normal[1] * f.normal[0];
        let lambda = [
            -(u[0] * f.normal[1] - u[1] * f.normal[0]) / whole,
            -(e.normal[0] * u[1] - e.normal[1] * u[0]) / whole,
        ];
        // A multiplier that is negative, as the share of ρ that its impulse would be.
        let pulls = |lambda: f64, e: Edge| -lambda * dot(e.normal, inverse(e.normal)) / rho;
        let missed = pulls(lambda[0], e).max(pulls(lambda[1], f)).max(0.0);
        let g = lambda[0].max(0.0) * e.support + lambda[1].max(0.0) * f.support;
        take(outside(y).max(missed), y, g);
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests {
    use crate::law::{Law, PolygonSection};

    /// Kinetic energy of the impulse r but for a constant.
    fn energy(h: &[f64; 9], q: &[f64; 3], r: [f64; 3]) -> f64 {
        (0..3)
            .map(|i| r[i] * (q[i] + 0.5 * (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>()))
            .sum()
    }

    /// Random blocks on both sides of γ = 0, random polygons: no admissible impulse of a fine grid has less energy, and
    /// with g w added to the velocity the impulse obeys the polygon's law.
    #[test]
    fn no_admissible_impulse_has_less_energy() {
        let mut state = 11_u64;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut edges, mut corners, mut beyond) = (0, 0, 0);
        for round in 0..400 {
            let l: [f64; 9] = std::array::from_fn(|_| next());
            let h: [f64; 9] = std::array::from_fn(|k| {
                let (i, j) = (k / 3, k % 3);
                let product: f64 = (0..3).map(|m| l[3 * i + m] * l[3 * j + m]).sum();
                product + if i == j { 0.05 } else { 0.0 }
            });
            let q = [-1.0 - next().abs(), 2.0 * next(), 2.0 * next()];
            // Corners on an ellipse: strictly convex, with 0 inside.
            let count = 3 + round % 4;
            let (a, b, turn) = (0.1 + 1.5 * next().abs(), 0.1 + 1.5 * next().abs(), next());
            let corner = |k: usize| {
                let angle = turn + std::f64::consts::TAU * k as f64 / count as f64;
                [a * angle.cos(), b * angle.sin()]
            };
            let vertices: Vec<[f64; 2]> = (0..count).map(corner).collect();
            let law = PolygonSection::new(&vertices).unwrap().into_law();
            let (r, lean) = law.least_energy(&h, &q).expect("it approaches");
            let mut u: [f64; 3] =
                std::array::from_fn(|i| q[i] + (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>());
            let size = r.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            assert!(u[0].abs() < 1e-12 * size, "u_n = {:e}", u[0]);
            beyond += i32::from(law.gamma(&h[..3]) < 0.0);
            let moves = u[1].hypot(u[2]) > 1e-9;
            let at_corner = vertices
                .iter()
                .any(|v| (v[0] * r[0] - r[1]).hypot(v[1] * r[0] - r[2]) < 1e-9 * size);
            edges += i32::from(moves && !at_corner);
            corners += i32::from(moves && at_corner);
            // The polygon's own law at the shifted velocity; rounding of impulses of this size.
            (u[1], u[2]) = (u[1] + lean[0], u[2] + lean[1]);
            let mut f = [0.0; 3];
            law.natural_residual(1.0, &r, &u, &mut f);
            assert!(f.iter().all(|x| x.abs() < 1e-10 * size), "{f:?} at {r:?}");
            let least = energy(&h, &q, r);
            for k in 0..count {
                for step in 0..60 {
                    let s = f64::from(step) / 60.0;
                    let (v, to) = (vertices[k], vertices[(k + 1) % count]);
                    let e = [0, 1].map(|i| v[i] + s * (to[i] - v[i]));
                    for share in [0.2, 0.6, 0.95, 1.0] {
                        let e = e.map(|x| share * x);
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
        }
        assert!(
            edges > 30 && corners > 50 && beyond > 30,
            "{edges} at an edge, {corners} at a corner, {beyond} with γ < 0"
        );
        assert!(
            Law::Frictionless
                .least_energy(&[1.0; 9], &[-1.0; 3])
                .is_none()
        );
    }
}
