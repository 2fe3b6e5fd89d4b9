//! Non-firm sets that are sums of a box with a ball, a polytope and ellipsoids, C = Σ C_k.
//!
//! ```text
//! −u ∈ N_C(r)   ⇔   r = Σ x_k,   −u ∈ N_{C_k}(x_k) for every k                       (B02 propositions 44, 47)
//! ```
//!
//! The local solve u = H r + q is the convex problem min ½ rᵀH r + qᵀr over x_k ∈ C_k. Sweeps over the parts minimise it
//! over one part at a time, exactly: the box with the ball as in [`super::solve`], an ellipsoid as a ball in scaled rows,
//! the polytope by its barycentric weights (a finite quadratic program, `percuss_convex`). Between sweeps Newton's method
//! is tried on F_k = x_k − proj_{C_k}(x_k − κ u), whose zero is the solution; it is kept where ‖F‖ falls. The Euclidean
//! projection onto C is the same with H = 1. Limits: rows times parts at most 32; sweeps converge slowly where
//! two curved parts have nearly the same normal, and Newton's method then does the rest.

use percuss_convex::{ConvexSet, Metric, Polytope};

use super::NonFirmSet;
use crate::law::Status;
use crate::law::small::{self, dot, norm};

/// Largest number of sweeps.
const SWEEPS: usize = 400;

/// Steps of Newton's method at a time.
const NEWTON_STEPS: usize = 12;

/// ‖F‖ relative to impulses at which the iteration ends: rounding of the projections.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// ‖F‖ that is enough where Newton's method gains no more.
const ENOUGH: f64 = 256.0 * f64::EPSILON;

/// One part of the sum.
enum Part<'a> {
    /// A box widened by a ball.
    Rounded(NonFirmSet),
    /// A polytope.
    Polytope(Polytope),
    /// Semi-axes.
    Ellipsoid(&'a [f64]),
}

/// The local problem: H, q, κ, and the parts.
struct Sum<'a> {
    parts: &'a [Part<'a>],
    h: &'a [f64],
    q: &'a [f64],
    kappa: f64,
}

impl NonFirmSet {
    /// Number of parts that are solved for one by one.
    pub(super) fn num_parts(&self) -> usize {
        usize::from(self.has_box_or_ball())
            + usize::from(!self.vertices.is_empty())
            + self.ellipsoids.len()
    }

    fn has_box_or_ball(&self) -> bool {
        self.radius > 0.0 || self.lower.iter().chain(&self.upper).any(|b| *b != 0.0)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::with_capacity(self.num_parts());
        if self.has_box_or_ball() {
            parts.push(Part::Rounded(Self {
                vertices: Vec::new(),
                ellipsoids: Vec::new(),
                ..self.clone()
            }));
        }
        if let Ok(hull) = Polytope::new(self.rows(), &self.vertices) {
            parts.push(Part::Polytope(hull));
        }
        parts.extend(self.ellipsoids().map(Part::Ellipsoid));
        parts
    }

    /// Solves −(H r + q) ∈ N_C(r).
    pub(super) fn solve_sum(&self, h: &[f64], q: &[f64], r: &mut [f64]) -> Status {
        let d = q.len();
        let trace = small::trace(h, d);
        if d != self.rows() || !(trace > 0.0 && trace.is_finite()) {
            r.fill(0.0);
            return Status::Open;
        }
        // Symmetric part of H, raised by rounding so that it is a metric.
        let mut raised = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                raised[i * d + j] = 0.5 * (h[i * d + j] + h[j * d + i]);
            }
            raised[i * (d + 1)] += 64.0 * f64::EPSILON * trace / d as f64;
        }
        let parts = self.parts();
        let sum = Sum {
            parts: &parts,
            h: &raised,
            q,
            kappa: d as f64 / trace,
        };
        let x = sum.minimise();
        sum.total(&x, r);
        if r.iter().any(|x| !x.is_finite()) {
            r.fill(0.0);
        }
        let noise = 64.0 * f64::EPSILON * (norm(r) + sum.kappa * norm(q));
        let rests =
            (0..d).all(|i| sum.kappa * (dot(&h[i * d..(i + 1) * d], r) + q[i]).abs() <= noise);
        match (rests, r.iter().all(|x| *x == 0.0)) {
            (true, _) => Status::Stick,
            (false, true) => Status::Open,
            (false, false) => Status::Slip,
        }
    }

    /// The parts of the Euclidean projection of x.
    fn projected_parts(&self, x: &[f64]) -> (Vec<Part<'_>>, Vec<f64>) {
        let d = x.len();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * (d + 1)] = 1.0);
        let q: Vec<f64> = x.iter().map(|x| -x).collect();
        let parts = self.parts();
        let sum = Sum {
            parts: &parts,
            h: &identity,
            q: &q,
            kappa: 1.0,
        };
        let found = sum.minimise();
        (parts, found)
    }

    /// Projects x onto the sum.
    pub(super) fn project_sum(&self, x: &mut [f64]) {
        let d = x.len();
        let (_, parts) = self.projected_parts(x);
        for i in 0..d {
            x[i] = parts.iter().skip(i).step_by(d).sum();
        }
    }

    /// Distance of x from the set.
    pub(super) fn distance(&self, x: &[f64]) -> f64 {
        if self.is_box_and_ball() {
            return (self.distance_to_box(x) - self.radius).max(0.0);
        }
        let mut near = x.to_vec();
        self.project_sum(&mut near);
        near.iter_mut().zip(x).for_each(|(p, x)| *p = x - *p);
        norm(&near)
    }

    /// Support function σ(−u) of the polytope and the ellipsoids.
    pub(super) fn support_of_parts(&self, u: &[f64]) -> f64 {
        let d = u.len();
        let corners = self.vertices.chunks_exact(d).map(|v| -dot(v, u));
        let corner = corners.fold(f64::NEG_INFINITY, f64::max);
        let round = |axes: &[f64]| {
            axes.iter()
                .zip(u)
                .map(|(a, u)| (a * u) * (a * u))
                .sum::<f64>()
                .sqrt()
        };
        let ellipsoids: f64 = self.ellipsoids().map(round).sum();
        ellipsoids
            + if self.vertices.is_empty() {
                0.0
            } else {
                corner
            }
    }

    /// F = r − proj_C(r − ρu) and an element of its Jacobian. With z = x − Σ x_k the derivative of the parts solves
    /// dx_k = P_k (dx_k + dz), dz = dx − Σ dx_k, P_k that of the projection onto part k.
    pub(super) fn alart_curnier_sum(
        &self,
        rho: f64,
        (r, u): (&[f64], &[f64]),
        f: &mut [f64],
        df_dr: &mut [f64],
        df_du: &mut [f64],
    ) {
        let d = r.len();
        let x: Vec<f64> = r.iter().zip(u).map(|(r, u)| r - rho * u).collect();
        let (parts, found) = self.projected_parts(&x);
        let mut rest = x.clone();
        for i in 0..d {
            let near: f64 = found.iter().skip(i).step_by(d).sum();
            rest[i] -= near;
            f[i] = r[i] - near;
        }
        // (1 − P_k) dx_k + P_k Σ_j dx_j = P_k dx, for each unit dx.
        let size = found.len();
        let mut matrix = vec![0.0; size * size];
        let mut right = vec![0.0; size * d];
        for (k, part) in parts.iter().enumerate() {
            let x: Vec<f64> = found[k * d..(k + 1) * d]
                .iter()
                .zip(&rest)
                .map(|(x, z)| x + z)
                .collect();
            let p = part.derivative(&x);
            for i in 0..d {
                let row = (k * d + i) * size;
                matrix[row + k * d + i] += 1.0;
                for j in 0..d {
                    matrix[row + k * d + j] -= p[i * d + j];
                    right[(k * d + i) * d + j] = p[i * d + j];
                }
                for column in 0..size {
                    matrix[row + column] += p[i * d + column % d];
                }
            }
        }
        for j in 0..d {
            let mut column: Vec<f64> = (0..size).map(|i| right[i * d + j]).collect();
            small::solve_any_rank(&mut matrix.clone(), size, &mut column);
            for i in 0..d {
                let p: f64 = column.iter().skip(i).step_by(d).sum();
                let delta = f64::from(u8::from(i == j));
                df_dr[i * d + j] = delta - p;
                df_du[i * d + j] = rho * p;
            }
        }
    }
}

impl Sum<'_> {
    fn d(&self) -> usize {
        self.q.len()
    }

    /// r = Σ x_k.
    fn total(&self, x: &[f64], r: &mut [f64]) {
        for i in 0..self.d() {
            r[i] = x.iter().skip(i).step_by(self.d()).sum();
        }
    }

    /// u = H Σ x_k + q.
    fn velocity(&self, x: &[f64]) -> Vec<f64> {
        let d = self.d();
        let mut r = vec![0.0; d];
        self.total(x, &mut r);
        (0..d)
            .map(|i| dot(&self.h[i * d..(i + 1) * d], &r) + self.q[i])
            .collect()
    }

    /// F_k of all parts; returns ‖F‖ over the size of the impulses.
    fn natural(&self, x: &[f64], f: &mut [f64]) -> f64 {
        let (d, u) = (self.d(), self.velocity(x));
        for (k, part) in self.parts.iter().enumerate() {
            let own = &x[k * d..(k + 1) * d];
            let mut near: Vec<f64> = own
                .iter()
                .zip(&u)
                .map(|(x, u)| x - self.kappa * u)
                .collect();
            part.project(&mut near);
            for i in 0..d {
                f[k * d + i] = own[i] - near[i];
            }
        }
        let size = norm(x).max(self.kappa * norm(self.q));
        let error = norm(f);
        if error == 0.0 { 0.0 } else { error / size }
    }

    /// The parts x_k of the solution.
    fn minimise(&self) -> Vec<f64> {
        let d = self.d();
        let mut x = vec![0.0; self.parts.len() * d];
        let mut f = vec![0.0; x.len()];
        let mut attempt = 1;
        for sweep in 0..SWEEPS {
            for k in 0..self.parts.len() {
                // The other parts give a part of q.
                let mut others = x.clone();
                others[k * d..(k + 1) * d].fill(0.0);
                let q = self.velocity(&others);
                self.parts[k].minimise(self.h, &q, &mut x[k * d..(k + 1) * d]);
            }
            let error = self.natural(&x, &mut f);
            if error <= ROUNDING {
                break;
            }
            // One part is solved by one sweep; more sweeps before each further attempt of Newton's method.
            if sweep + 1 == attempt {
                attempt *= 2;
                if self.newton(&mut x, error) <= ENOUGH || self.parts.len() == 1 {
                    break;
                }
            }
        }
        x
    }

    /// Newton's method from x as long as ‖F‖ falls; returns ‖F‖.
    fn newton(&self, x: &mut [f64], mut best: f64) -> f64 {
        let (d, size) = (self.d(), x.len());
        let mut trial = x.to_vec();
        let mut f = vec![0.0; size];
        self.natural(&trial, &mut f);
        for _ in 0..NEWTON_STEPS {
            // J = δ (1 − P_k) + κ P_k H.
            let u = self.velocity(&trial);
            let mut matrix = vec![0.0; size * size];
            for (k, part) in self.parts.iter().enumerate() {
                let own = &trial[k * d..(k + 1) * d];
                let at: Vec<f64> = own
                    .iter()
                    .zip(&u)
                    .map(|(x, u)| x - self.kappa * u)
                    .collect();
                let p = part.derivative(&at);
                for i in 0..d {
                    let row = (k * d + i) * size;
                    matrix[row + k * d + i] += 1.0;
                    for j in 0..d {
                        matrix[row + k * d + j] -= p[i * d + j];
                        let through: f64 = (0..d).map(|l| p[i * d + l] * self.h[l * d + j]).sum();
                        for other in 0..self.parts.len() {
                            matrix[row + other * d + j] += self.kappa * through;
                        }
                    }
                }
            }
            small::solve_any_rank(&mut matrix, size, &mut f);
            trial.iter_mut().zip(&f).for_each(|(x, f)| *x -= f);
            // Back into the parts.
            for (k, part) in self.parts.iter().enumerate() {
                part.project(&mut trial[k * d..(k + 1) * d]);
            }
            let error = self.natural(&trial, &mut f);
            if !(error < best) {
                break;
            }
            best = error;
            x.copy_from_slice(&trial);
            if error <= ROUNDING {
                break;
            }
        }
        best
    }
}

impl Part<'_> {
    /// Minimises ½ xᵀH x + qᵀx over the part.
    fn minimise(&self, h: &[f64], q: &[f64], x: &mut [f64]) {
        let d = q.len();
        match self {
            Self::Rounded(set) => {
                set.solve(h, q, x);
            }
            Self::Polytope(hull) => {
                // The nearest point to −H⁻¹q in the metric H.
                let mut free: Vec<f64> = q.iter().map(|q| -q).collect();
                let solved = small::solve(&mut h.to_vec(), d, &mut free);
                let metric = Metric::new(d, h).ok().filter(|_| solved);
                let near = metric.and_then(|metric| hull.project_in(&metric, &free).ok());
                x.copy_from_slice(&near.unwrap_or_else(|| vec![0.0; d]));
            }
            Self::Ellipsoid(axes) => {
                // A unit ball in the rows y_i = x_i/a_i.
                let mut scaled = vec![0.0; d * d];
                for i in 0..d {
                    for j in 0..d {
                        scaled[i * d + j] = axes[i] * h[i * d + j] * axes[j];
                    }
                }
                let q: Vec<f64> = axes.iter().zip(q).map(|(a, q)| a * q).collect();
                if let Ok(ball) = NonFirmSet::ball(d, 1.0) {
                    ball.solve(&scaled, &q, x);
                }
                x.iter_mut().zip(*axes).for_each(|(x, a)| *x *= a);
            }
        }
    }

    /// Euclidean projection.
    fn project(&self, x: &mut [f64]) {
        let d = x.len();
        match self {
            Self::Rounded(set) => set.project(x),
            Self::Polytope(hull) => {
                if let Ok(near) = hull.project(x) {
                    x.copy_from_slice(&near);
                }
            }
            Self::Ellipsoid(axes) => {
                let inside: f64 = axes
                    .iter()
                    .zip(&*x)
                    .map(|(a, x)| share(*x, *a).powi(2))
                    .sum();
                if inside <= 1.0 {
                    return;
                }
                let q: Vec<f64> = x.iter().map(|x| -x).collect();
                let mut identity = vec![0.0; d * d];
                (0..d).for_each(|i| identity[i * (d + 1)] = 1.0);
                self.minimise(&identity, &q, x);
            }
        }
    }

    /// An element of the derivative of the Euclidean projection at x.
    fn derivative(&self, x: &[f64]) -> Vec<f64> {
        let d = x.len();
        let mut p = vec![0.0; d * d];
        match self {
            Self::Rounded(set) => {
                // From F = r − proj(r) at u = 0, ρ = 1: ∂F/∂u is the derivative.
                let (mut f, mut unused) = (vec![0.0; d], vec![0.0; d * d]);
                set.alart_curnier(1.0, x, &vec![0.0; d], &mut f, &mut unused, &mut p);
            }
            Self::Polytope(hull) => face_projector(hull, x, &mut p),
            Self::Ellipsoid(axes) => ellipsoid_derivative(self, axes, x, &mut p),
        }
        p
    }
}

/// x/a, where 0/0 is 0.
fn share(x: f64, a: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / a }
}

/// Projector onto the directions of the face of a polytope that is nearest to x.
fn face_projector(hull: &Polytope, x: &[f64], p: &mut [f64]) {
    let d = x.len();
    let Ok(weights) = hull.weights(&Metric::euclidean(d), x) else {
        return;
    };
    // Orthonormal basis of the differences of the vertices that carry the point.
    let carriers = weights
        .iter()
        .zip(hull.vertices())
        .filter(|(w, _)| **w > 1e-12);
    let carriers: Vec<&[f64]> = carriers.map(|(_, v)| v).collect();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for v in carriers.iter().skip(1) {
        let mut e: Vec<f64> = v.iter().zip(carriers[0]).map(|(v, w)| v - w).collect();
        let whole = norm(&e);
        for _ in 0..2 {
            for b in &basis {
                let along = dot(b, &e);
                e.iter_mut().zip(b).for_each(|(e, b)| *e -= along * b);
            }
        }
        let left = norm(&e);
        if left > 1e-9 * whole {
            e.iter_mut().for_each(|e| *e /= left);
            basis.push(e);
        }
    }
    for b in &basis {
        for i in 0..d {
            for j in 0..d {
                p[i * d + j] += b[i] * b[j];
            }
        }
    }
}

/// B − (B n)(B n)ᵀ/(nᵀB n) with B = (1 + λ A⁻²)⁻¹ and n = A⁻²y the normal at the projection y; 1 inside.
fn ellipsoid_derivative(part: &Part<'_>, axes: &[f64], x: &[f64], p: &mut [f64]) {
    let d = x.len();
    let mut y = x.to_vec();
    part.project(&mut y);
    if y == x {
        (0..d).for_each(|i| p[i * (d + 1)] = 1.0);
        return;
    }
    let lambda: f64 = (0..d).map(|i| (x[i] - y[i]) * y[i]).sum();
    let b: Vec<f64> = axes.iter().map(|a| a * a / (a * a + lambda)).collect();
    let normal: Vec<f64> = (0..d).map(|i| share(y[i], axes[i] * axes[i])).collect();
    let pushed: Vec<f64> = (0..d).map(|i| b[i] * normal[i]).collect();
    let size = dot(&pushed, &normal);
    for i in 0..d {
        p[i * (d + 1)] = b[i];
        for j in 0..d {
            if size > 0.0 {
                p[i * d + j] -= pushed[i] * pushed[j] / size;
            }
        }
    }
}
