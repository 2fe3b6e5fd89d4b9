//! Local solve, residual function and gaps of the non-firm rows (statement in the parent module).
//!
//! Rows at a bound obey r_i + ε u_i = bound_i, free rows u_i = 0; ε = 0 is the plain box and
//! ε = 1/λ > 0 the box widened by a ball, z = -ε u being the ball's part of r.

use super::super::gaps::Gaps;
use super::super::small::{self, MAX_ROWS, dot, norm};
use super::super::{Status, bilateral};
use super::NonFirmSet;

/// Where a row of the box stands.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    Lower,
    Free,
    Upper,
}

/// One block with its step κ = d / tr H, which turns velocities into impulses.
struct Block<'a> {
    set: &'a NonFirmSet,
    h: &'a [f64],
    q: &'a [f64],
    kappa: f64,
}

impl NonFirmSet {
    /// Solves -(H r + q) ∈ N_C(r).
    pub(in super::super) fn solve(&self, h: &[f64], q: &[f64], r: &mut [f64]) -> Status {
        let d = q.len();
        if d == 1 {
            return self.solve_row(h[0], q[0], r);
        }
        let trace = small::trace(h, d);
        if d != self.rows() || !(trace > 0.0 && trace.is_finite()) {
            r.fill(0.0);
            return Status::Open;
        }
        let block = Block {
            set: self,
            h,
            q,
            kappa: d as f64 / trace,
        };
        bilateral::solve(h, q, r);
        if self.distance_to_box(r) <= self.radius && block.rests(r) {
            return Status::Stick;
        }
        let mut state = [Row::Free; MAX_ROWS];
        for i in 0..d {
            state[i] = block.side(i, r[i]);
        }
        if self.radius == 0.0 {
            block.pivot(0.0, &mut state, r);
        } else {
            block.widen(&mut state, r);
        }
        if r.iter().any(|x| !x.is_finite()) {
            r.fill(0.0);
        }
        // Rounding of the bounds must not leave r outside C.
        self.project(r);
        if r.iter().all(|&x| x == 0.0) {
            Status::Open
        } else {
            Status::Slip
        }
    }

    /// One row: the nearest admissible impulse to -q/h.
    fn solve_row(&self, h: f64, q: f64, r: &mut [f64]) -> Status {
        let (low, high) = (self.lower[0] - self.radius, self.upper[0] + self.radius);
        let x = if h > 0.0 { -q / h } else { 0.0 };
        let x = if x.is_finite() { x } else { 0.0 };
        r[0] = x.clamp(low, high);
        match (r[0] == x, r[0] == 0.0) {
            (true, _) => Status::Stick,
            (false, true) => Status::Open,
            (false, false) => Status::Slip,
        }
    }

    /// F = r - proj_C(r - rho u) and an element of its Jacobian. With z = x - p(x), E the rows where
    /// z ≠ 0 and n = |z| > ρ: dproj = I - E + (ρ/n)(E - z zᵀ/n²).
    pub(in super::super) fn alart_curnier(
        &self,
        rho: f64,
        r: &[f64],
        u: &[f64],
        f: &mut [f64],
        df_dr: &mut [f64],
        df_du: &mut [f64],
    ) {
        let d = r.len();
        let mut z = [0.0; MAX_ROWS];
        for i in 0..d {
            f[i] = r[i] - rho * u[i];
            z[i] = f[i] - f[i].clamp(self.lower[i], self.upper[i]);
        }
        let n = norm(&z[..d]);
        for i in 0..d {
            for j in 0..d {
                let delta = f64::from(u8::from(i == j));
                let e = if z[i] != 0.0 { delta } else { 0.0 };
                let p = if n <= self.radius {
                    delta
                } else {
                    delta - e + self.radius / n * (e - z[i] / n * (z[j] / n))
                };
                df_dr[i * d + j] = delta - p;
                df_du[i * d + j] = rho * p;
            }
        }
        self.project(f);
        for i in 0..d {
            f[i] = r[i] - f[i];
        }
    }

    /// Misses: r outside C, r·u + σ_C(-u) over the rows where σ_C is finite, and the velocity of
    /// the rows whose bound is infinite and which must therefore not move.
    pub(in super::super) fn gaps(&self, r: &[f64], u: &[f64], gaps: &mut Gaps) {
        gaps.cone_violation = (self.distance_to_box(r) - self.radius).max(0.0);
        let mut free = [0.0; MAX_ROWS];
        let mut support = 0.0;
        for i in 0..r.len() {
            let bound = if u[i] > 0.0 {
                self.lower[i]
            } else {
                self.upper[i]
            };
            if bound.is_finite() {
                free[i] = u[i];
                support -= bound * u[i];
            } else {
                gaps.bilateral_violation = gaps.bilateral_violation.max(u[i].abs());
            }
        }
        let free = &free[..r.len()];
        support += self.radius * norm(free);
        gaps.tangential_dissipation_gap = (dot(r, free) + support).abs();
    }
}

impl Block<'_> {
    /// Which bound x violates.
    fn side(&self, i: usize, x: f64) -> Row {
        if x < self.set.lower[i] {
            Row::Lower
        } else if x > self.set.upper[i] {
            Row::Upper
        } else {
            Row::Free
        }
    }

    /// u_i of r.
    fn velocity(&self, i: usize, r: &[f64]) -> f64 {
        let d = self.q.len();
        dot(&self.h[i * d..(i + 1) * d], r) + self.q[i]
    }

    /// Whether u vanishes to rounding: a singular block may not have been solvable.
    fn rests(&self, r: &[f64]) -> bool {
        let noise = 64.0 * f64::EPSILON * (norm(r) + self.kappa * norm(self.q));
        (0..r.len()).all(|i| self.kappa * self.velocity(i, r).abs() <= noise)
    }

    /// Principal pivoting for compliance `eps` from the given states; leaves r and the states.
    fn pivot(&self, eps: f64, state: &mut [Row; MAX_ROWS], r: &mut [f64]) {
        let d = self.q.len();
        let mut fewest = usize::MAX;
        // Simultaneous changes allowed without progress before Murty's rule takes over; it is kept
        // until the count of contradictions falls again.
        let mut patience = 8;
        for _ in 0..100 + 20 * d {
            self.solve_state(eps, state, r);
            let noise = 8.0 * f64::EPSILON * (norm(r) + self.kappa * norm(self.q));
            let mut wrong = 0;
            let mut last = None;
            let mut next = *state;
            for i in 0..d {
                next[i] = self.corrected(i, state[i], r, noise);
                if next[i] != state[i] {
                    wrong += 1;
                    last = Some(i);
                }
            }
            let Some(last) = last else { return };
            if wrong < fewest {
                fewest = wrong;
                patience = 8;
            } else if patience > 0 {
                patience -= 1;
            }
            if patience > 0 {
                *state = next;
            } else {
                state[last] = next[last];
            }
        }
        self.iterate(r);
    }

    /// The state row i should have, judged by r and u with a margin of rounding.
    fn corrected(&self, i: usize, state: Row, r: &[f64], noise: f64) -> Row {
        match state {
            Row::Free if r[i] < self.set.lower[i] - noise => Row::Lower,
            Row::Free if r[i] > self.set.upper[i] + noise => Row::Upper,
            Row::Lower if self.kappa * self.velocity(i, r) < -noise => Row::Free,
            Row::Upper if self.kappa * self.velocity(i, r) > noise => Row::Free,
            _ => state,
        }
    }

    /// Solves the linear system of the given states.
    fn solve_state(&self, eps: f64, state: &[Row; MAX_ROWS], r: &mut [f64]) {
        let d = self.q.len();
        small::with_buffer(d * d, |a| {
            for i in 0..d {
                let bound = match state[i] {
                    Row::Free => None,
                    Row::Lower => Some(self.set.lower[i]),
                    Row::Upper => Some(self.set.upper[i]),
                };
                let factor = if bound.is_some() { eps } else { self.kappa };
                for j in 0..d {
                    a[i * d + j] = factor * self.h[i * d + j];
                }
                r[i] = -factor * self.q[i];
                if let Some(bound) = bound {
                    a[i * d + i] += 1.0;
                    r[i] += bound;
                }
            }
            small::solve_any_rank(a, d, r);
        });
    }

    /// Finds λ = 1/ε with |r - p(r)| = ρ; 1/|z| is nearly linear in λ, so the secant converges fast
    /// and the bracket catches what it misses.
    fn widen(&self, state: &mut [Row; MAX_ROWS], r: &mut [f64]) {
        let rho = self.set.radius;
        let mut excess = |lam: f64, r: &mut [f64]| {
            self.pivot(1.0 / lam, state, r);
            1.0 / self.set.distance_to_box(r) - 1.0 / rho
        };
        let mut low = 0.0;
        let mut high = 1.0 / self.kappa;
        let mut g_high = excess(high, r);
        // λ -> ∞ leaves the box's answer with z = 0; 200 doublings of 4 cover every exponent.
        for _ in 0..200 {
            if g_high >= 0.0 {
                break;
            }
            low = high;
            high *= 4.0;
            g_high = excess(high, r);
        }
        let (mut x0, mut g0) = (high, g_high);
        let mut lam = if low > 0.0 { (low * high).sqrt() } else { 0.5 * high };
        for _ in 0..200 {
            let g = excess(lam, r);
            if g == 0.0 || high - low <= 4.0 * f64::EPSILON * high {
                break;
            }
            if g > 0.0 {
                high = lam;
            } else {
                low = lam;
            }
            let secant = lam - g * (lam - x0) / (g - g0);
            (x0, g0) = (lam, g);
            let middle = if low > 0.0 && high > 4.0 * low {
                (low * high).sqrt()
            } else if low > 0.0 {
                0.5 * (low + high)
            } else {
                high / 16.0
            };
            let next = if secant > low && secant < high { secant } else { middle };
            if (next - lam).abs() <= f64::EPSILON * lam {
                break;
            }
            lam = next;
        }
    }

    /// Last resort for a block that pivoting cannot settle (H not positive semi-definite):
    /// r <- proj_C(r - u/|H|), which at least stays in C.
    fn iterate(&self, r: &mut [f64]) {
        let d = self.q.len();
        let mut u = [0.0; MAX_ROWS];
        let step = 1.0 / norm(self.h);
        self.set.project(r);
        for _ in 0..500 {
            for i in 0..d {
                u[i] = self.velocity(i, r);
            }
            for i in 0..d {
                r[i] -= step * u[i];
            }
            self.set.project(r);
        }
    }
}
