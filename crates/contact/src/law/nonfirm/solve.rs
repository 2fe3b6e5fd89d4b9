//! Local solve of the non-firm rows (statement in the parent module).
//!
//! Rows at a bound obey r_i + ε u_i = bound_i, free rows u_i = 0; ε = 0 is the plain box and
//! ε = 1/λ > 0 the box widened by a ball, z = -ε u being the ball's part of r.

use super::super::small::{self, MAX_ROWS, dot, norm};
use super::super::{Status, bilateral};
use super::NonFirmSet;

/// State of a row of the box.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    Lower,
    Free,
    Upper,
}

/// One block with its step κ = d / tr H, which converts velocities to impulses.
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
        if !self.is_box_and_ball() {
            return self.solve_sum(h, q, r);
        }
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
        let status = block.attempt(r);
        if block.error(r) <= 64.0 * f64::EPSILON {
            return status;
        }
        // A singular H has solutions on a line or none; raising its diagonal by rounding
        // selects one and changes u by no more than rounding.
        small::with_buffer(d * d, |raised| {
            raised.copy_from_slice(h);
            for i in 0..d {
                raised[i * (d + 1)] += 64.0 * f64::EPSILON * h[i * (d + 1)].abs();
            }
            let mut again = [0.0; MAX_ROWS];
            let second = Block { h: raised, ..block }.attempt(&mut again[..d]);
            if block.error(&again[..d]) < block.error(r) {
                r.copy_from_slice(&again[..d]);
                second
            } else {
                status
            }
        })
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
}

impl Block<'_> {
    /// One solution for a positive definite H; r is always finite and in C.
    fn attempt(&self, r: &mut [f64]) -> Status {
        // Sticking: H r = -q admissible?
        bilateral::solve(self.h, self.q, r);
        if self.set.distance_to_box(r) <= self.set.radius && self.rests(r) {
            return Status::Stick;
        }
        // Initial states from the bounds that the sticking impulse violates.
        let mut state = [Row::Free; MAX_ROWS];
        for i in 0..r.len() {
            state[i] = self.side(i, r[i]);
        }
        if self.set.radius == 0.0 {
            if !self.pivot(0.0, &mut state, r) {
                self.iterate(r);
            }
        } else {
            self.solve_ball_multiplier(&mut state, r);
        }
        // Rounding of the bounds must not leave r outside C.
        self.set.project(r);
        self.polish(r);
        if r.iter().any(|x| !x.is_finite()) {
            r.fill(0.0);
        }
        if self.rests(r) {
            Status::Stick
        } else if r.iter().all(|&x| x == 0.0) {
            Status::Open
        } else {
            Status::Slip
        }
    }

    /// |r - proj_C(r - κ u)| relative to max(|r|, κ|q|).
    fn error(&self, r: &[f64]) -> f64 {
        let d = r.len();
        let mut x = [0.0; MAX_ROWS];
        for i in 0..d {
            x[i] = r[i] - self.kappa * self.velocity(i, r);
        }
        self.set.project(&mut x[..d]);
        for i in 0..d {
            x[i] -= r[i];
        }
        let size = norm(r).max(self.kappa * norm(self.q));
        let error = norm(&x[..d]);
        if error == 0.0 { 0.0 } else { error / size }
    }

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

    /// Whether u vanishes to rounding; a singular block may have no such solution.
    fn rests(&self, r: &[f64]) -> bool {
        let noise = 64.0 * f64::EPSILON * (norm(r) + self.kappa * norm(self.q));
        (0..r.len()).all(|i| self.kappa * self.velocity(i, r).abs() <= noise)
    }

    /// Principal pivoting with compliance `eps` from the given states; writes r and the final states.
    /// False if the states do not settle, which happens only for an H that is not positive definite.
    fn pivot(&self, eps: f64, state: &mut [Row; MAX_ROWS], r: &mut [f64]) -> bool {
        let d = self.q.len();
        let mut fewest = usize::MAX;
        // Simultaneous changes allowed without progress before Murty's rule takes over; it is used
        // until the number of contradictions falls again.
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
            // Block pivot while it helps, single pivot (Murty) otherwise.
            let Some(last) = last else { return true };
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
        false
    }

    /// The state row i should have, according to r and u with a margin for rounding.
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
                // Row at a bound: r_i + ε u_i = bound_i. Free row: κ u_i = 0.
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

    /// Finds λ = 1/ε with |r - p(r)| = ρ; 1/|z| is nearly linear in λ, so the secant method converges fast,
    /// safeguarded by a bracket.
    fn solve_ball_multiplier(&self, state: &mut [Row; MAX_ROWS], r: &mut [f64]) {
        let rho = self.set.radius;
        // λ this small changes u by less than the rounding of H r: the block rests inside C.
        let least = 64.0 * f64::EPSILON / self.kappa;
        let mut good = [0.0; MAX_ROWS];
        // 1/|z| - 1/ρ, or `None` (and the last good r) where pivoting fails.
        let mut excess = |lam: f64, r: &mut [f64]| {
            let settled = self.pivot(1.0 / lam, state, r);
            if settled {
                good[..r.len()].copy_from_slice(r);
            } else {
                r.copy_from_slice(&good[..r.len()]);
            }
            settled.then(|| 1.0 / self.set.distance_to_box(r) - 1.0 / rho)
        };
        let mut low = 0.0;
        let mut high = 1.0 / self.kappa;
        let mut g_high = f64::NEG_INFINITY;
        // Upper end of the bracket: λ -> ∞ gives the box's solution with z = 0; 200 factors of 4 cover every exponent.
        for _ in 0..200 {
            let Some(g) = excess(high, r) else {
                return self.iterate(r);
            };
            g_high = g;
            if g >= 0.0 {
                break;
            }
            low = high;
            high *= 4.0;
        }
        // Safeguarded secant method.
        let (mut x0, mut g0) = (high, g_high);
        let mut lam = middle(low, high);
        for _ in 0..200 {
            let Some(g) = excess(lam, r) else { return };
            let rests = g > 0.0 && lam <= least;
            if g == 0.0 || rests || high - low <= 4.0 * f64::EPSILON * high {
                break;
            }
            if g > 0.0 {
                high = lam;
            } else {
                low = lam;
            }
            let secant = lam - g * (lam - x0) / (g - g0);
            (x0, g0) = (lam, g);
            let next = if secant > low && secant < high {
                secant
            } else {
                middle(low, high)
            };
            let next = next.max(least);
            if (next - lam).abs() <= f64::EPSILON * lam {
                break;
            }
            lam = next;
        }
    }

    /// Newton's method on F = r - proj_C(r - κ u) as long as |F| falls: a multiplier found with an
    /// ill-conditioned H leaves an error above rounding.
    fn polish(&self, r: &mut [f64]) {
        let d = self.q.len();
        small::with_buffer(d * d, |df_dr| {
            small::with_buffer(d * d, |df_du| {
                small::with_buffer(d * d, |jac| {
                    let mut best = f64::INFINITY;
                    let mut trial = [0.0; MAX_ROWS];
                    trial[..d].copy_from_slice(r);
                    for _ in 0..8 {
                        let mut f = [0.0; MAX_ROWS];
                        let now = self.newton_system(&trial[..d], &mut f[..d], df_dr, df_du, jac);
                        if now.is_nan() || now >= best {
                            break;
                        }
                        best = now;
                        r.copy_from_slice(&trial[..d]);
                        if now <= f64::EPSILON * norm(r) {
                            break;
                        }
                        small::solve_any_rank(jac, d, &mut f[..d]);
                        for i in 0..d {
                            trial[i] -= f[i];
                        }
                        self.set.project(&mut trial[..d]);
                    }
                });
            });
        });
    }

    /// F and its Jacobian dF/dr + dF/du H at r; returns |F|.
    fn newton_system(
        &self,
        r: &[f64],
        f: &mut [f64],
        df_dr: &mut [f64],
        df_du: &mut [f64],
        jac: &mut [f64],
    ) -> f64 {
        let d = r.len();
        let mut u = [0.0; MAX_ROWS];
        for i in 0..d {
            u[i] = self.velocity(i, r);
        }
        self.set
            .alart_curnier(self.kappa, r, &u[..d], f, df_dr, df_du);
        for i in 0..d {
            for j in 0..d {
                let mut a = df_dr[i * d + j];
                for l in 0..d {
                    a += df_du[i * d + l] * self.h[l * d + j];
                }
                jac[i * d + j] = a;
            }
        }
        norm(f)
    }

    /// Fallback for a block where pivoting fails (H not positive semi-definite): projected gradient
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

/// A point between the ends of a bracket that may span many decades: geometric mean where they differ much.
fn middle(low: f64, high: f64) -> f64 {
    if low == 0.0 {
        high / 16.0
    } else if high > 4.0 * low {
        (low * high).sqrt()
    } else {
        0.5 * (low + high)
    }
}
