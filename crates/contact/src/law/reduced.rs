//! Friction on a product of discs whose common threshold depends on the tangential impulse.
//!
//! With the normal rows eliminated by u_n = 0 and every block scaled by its coefficient, the sliding
//! problem of rolling contacts and of bilateral friction is: find x = (x_1, x_2, ...) with
//!
//! ```text
//! v = B x + b,   -v_i ∈ N_{s D}(x_i),   D the unit disc,   s = |ν0 + ν1 x|  or  max(0, ν0 + ν1 x)
//! ```
//!
//! Method: semismooth Newton on x_i - proj_{sD}(x_i - ρ_i v_i) with a backtracking line search. Where
//! it stalls, a globally convergent nested search: for fixed s the problem is convex, its multipliers λ_i in
//! (B + Λ) x = -b are bracketed one inside the other (the concave dual is monotone in each after the
//! inner ones are eliminated), and s(x(s)) - s changes sign between 0 and the sticking threshold.
//! Newton's method then refines the result.

use super::section_projection;
use super::small::{self, norm};

mod nested;

/// Largest number of rows (rolling with spin) and of blocks.
const ROWS: usize = 5;
const BLOCKS: usize = 3;

/// The problem after eliminating the normal rows and scaling every disc to radius s.
#[derive(Clone)]
pub(super) struct Reduced<'a> {
    h: &'a [f64],
    q: &'a [f64],
    m: usize,
    blocks: usize,
    sizes: [usize; BLOCKS],
    b_mat: [f64; ROWS * ROWS],
    b: [f64; ROWS],
    /// Normal impulse ν0 + ν1 x, one or two rows.
    normal_rows: usize,
    nu0: [f64; 2],
    nu1: [[f64; ROWS]; 2],
    /// Row of the contact for each entry of x, and its scale.
    row: [usize; ROWS],
    scale: [f64; ROWS],
    /// Step ρ_i of the natural map for each row.
    step: [f64; ROWS],
}

impl<'a> Reduced<'a> {
    /// Eliminates the first k rows of H (d x d); blocks of radius zero carry no impulse and are left out.
    pub(super) fn new(
        h: &'a [f64],
        q: &'a [f64],
        k: usize,
        radii: &[f64],
        sizes: &[usize],
    ) -> Self {
        let d = q.len();
        let mut out = Self {
            h,
            q,
            m: 0,
            blocks: 0,
            sizes: [0; BLOCKS],
            b_mat: [0.0; ROWS * ROWS],
            b: [0.0; ROWS],
            normal_rows: k,
            nu0: [0.0; 2],
            nu1: [[0.0; ROWS]; 2],
            row: [0; ROWS],
            scale: [0.0; ROWS],
            step: [0.0; ROWS],
        };
        // Rows and scales of the blocks with positive radius.
        let mut at = k;
        for (&mu, &size) in radii.iter().zip(sizes) {
            if mu > 0.0 {
                out.sizes[out.blocks] = size;
                out.blocks += 1;
                for i in 0..size {
                    out.row[out.m] = at + i;
                    out.scale[out.m] = mu;
                    out.m += 1;
                }
            }
            at += size;
        }
        out.eliminate(h, q, d);
        out.set_steps(h, d);
        out
    }

    /// ν0 = -Hnn⁻¹ q_n, ν1 = -Hnn⁻¹ Hnt, B = Htt + Htn ν1, b = q_t + Htn ν0.
    fn eliminate(&mut self, h: &[f64], q: &[f64], d: usize) {
        let (k, m) = (self.normal_rows, self.m);
        let invert = |rhs: [f64; 2]| {
            let mut a = [0.0; 4];
            for i in 0..k {
                a[i * k..i * k + k].copy_from_slice(&h[i * d..i * d + k]);
            }
            let mut x = rhs;
            small::solve_any_rank(&mut a[..k * k], k, &mut x[..k]);
            x
        };
        // ν0 and the columns of ν1.
        let pick = |f: &dyn Fn(usize) -> f64| [-f(0), if k == 2 { -f(1) } else { 0.0 }];
        self.nu0 = invert(pick(&|i| q[i]));
        for j in 0..m {
            let (row, scale) = (self.row[j], self.scale[j]);
            let column = invert(pick(&|i| h[i * d + row] * scale));
            (self.nu1[0][j], self.nu1[1][j]) = (column[0], column[1]);
        }
        // b and B, scaled.
        for i in 0..m {
            let (ri, si) = (self.row[i], self.scale[i]);
            self.b[i] = si * (q[ri] + small::dot(&h[ri * d..ri * d + k], &self.nu0));
            for j in 0..m {
                let mut v = self.scale[j] * h[ri * d + self.row[j]];
                for n in 0..k {
                    v += h[ri * d + n] * self.nu1[n][j];
                }
                self.b_mat[i * m + j] = si * v;
            }
        }
    }

    /// ρ of a block: its size over the trace of its part of B; finite even when that part is singular.
    fn set_steps(&mut self, h: &[f64], d: usize) {
        let floor = f64::EPSILON * small::trace(h, d).abs();
        let mut at = 0;
        for block in 0..self.blocks {
            let range = at..at + self.sizes[block];
            let trace: f64 = range.clone().map(|i| self.b_mat[i * self.m + i]).sum();
            let scale = self.scale[at];
            let step = self.sizes[block] as f64 / trace.max(scale * scale * floor);
            for i in range {
                self.step[i] = if step.is_finite() { step } else { 1.0 };
            }
            at += self.sizes[block];
        }
    }

    /// Normal impulse and threshold s at x; writes the gradient of s to `grad`.
    fn threshold(&self, x: &[f64], grad: &mut [f64; ROWS]) -> ([f64; 2], f64) {
        let mut nu = self.nu0;
        for n in 0..self.normal_rows {
            nu[n] += small::dot(&self.nu1[n][..self.m], x);
        }
        let s = if self.normal_rows == 1 {
            nu[0].max(0.0)
        } else {
            norm(&nu)
        };
        for j in 0..self.m {
            grad[j] = if s > 0.0 {
                (nu[0] * self.nu1[0][j] + nu[1] * self.nu1[1][j]) / s
            } else {
                0.0
            };
        }
        (nu, s)
    }

    /// F(x) and, in `jac`, its generalised Jacobian; returns |F|.
    fn residual(&self, x: &[f64], f: &mut [f64; ROWS], jac: &mut [f64]) -> f64 {
        let m = self.m;
        let mut grad = [0.0; ROWS];
        let (_, s) = self.threshold(x, &mut grad);
        // y = x - ρ v, its projection, then the chain rule.
        let mut y = [0.0; ROWS];
        for i in 0..m {
            let v = small::dot(&self.b_mat[i * m..i * m + m], x) + self.b[i];
            y[i] = x[i] - self.step[i] * v;
        }
        let mut p = [0.0; ROWS];
        let mut py = [0.0; ROWS * ROWS];
        let mut ds = [0.0; ROWS];
        let sizes = &self.sizes[..self.blocks];
        section_projection::discs(s, &[1.0; BLOCKS], sizes, &y[..m], &mut p, &mut py, &mut ds);
        for i in 0..m {
            f[i] = x[i] - p[i];
            for j in 0..m {
                let mut a = f64::from(u8::from(i == j)) - py[i * m + j] - ds[i] * grad[j];
                for l in 0..m {
                    a += py[i * m + l] * self.step[l] * self.b_mat[l * m + j];
                }
                jac[i * m + j] = a;
            }
        }
        norm(&f[..m])
    }

    /// Damped semismooth Newton from x; writes the last iterate to x. The merit |F| decreases in every step.
    fn newton(&self, x: &mut [f64; ROWS]) {
        let m = self.m;
        let mut f = [0.0; ROWS];
        let mut jac = [0.0; ROWS * ROWS];
        let mut now = self.residual(&x[..m], &mut f, &mut jac);
        for _ in 0..60 {
            if now <= 0.5 * f64::EPSILON * norm(&x[..m]) {
                break;
            }
            let mut dx = f;
            if !small::solve(&mut jac, m, &mut dx) {
                break;
            }
            // Backtracking line search.
            let mut t = 1.0;
            let accepted = loop {
                let mut trial = *x;
                for i in 0..m {
                    trial[i] -= t * dx[i];
                }
                let new = self.residual(&trial[..m], &mut f, &mut jac);
                if new < (1.0 - 1e-3 * t) * now {
                    break Some((trial, new));
                }
                t *= 0.5;
                // Shorter steps only follow a kink; the caller has other start points.
                if t < 1e-3 {
                    break None;
                }
            };
            let Some((trial, new)) = accepted else { break };
            (*x, now) = (trial, new);
        }
    }

    /// Solves the problem; returns whether it sticks. Writes all rows of `r`.
    pub(super) fn solve(&self, r: &mut [f64]) -> bool {
        let (mut best, mut sticks, error) = self.attempt(r);
        if error > 64.0 * f64::EPSILON {
            // A singular B has sticking solutions on a line or none; raising its diagonal by
            // rounding selects one and changes u by no more than rounding.
            let mut raised = self.clone();
            let d = self.q.len();
            for i in 0..self.m {
                let own = self.h[self.row[i] * (d + 1)].abs() * self.scale[i] * self.scale[i];
                raised.b_mat[i * (self.m + 1)] += 64.0 * f64::EPSILON * own;
            }
            let (x, stuck, again) = raised.attempt(r);
            if again < error {
                (best, sticks) = (x, stuck);
            }
        }
        self.write(&best, r);
        sticks
    }

    /// The best x over all start points, whether it sticks, and its error; `r` is scratch.
    fn attempt(&self, r: &mut [f64]) -> ([f64; ROWS], bool, f64) {
        let mut stick = [0.0; ROWS];
        if self.stick(&mut stick) {
            self.write(&stick, r);
            return (stick, true, self.error(r));
        }
        let mut best = (f64::INFINITY, [0.0; ROWS]);
        // Start points: the sticking impulse cut to the threshold without coupling, full sliding, the
        // nested search. An error at rounding level ends the loop.
        for start in 0..3 {
            let mut x = match start {
                0 => self.at_length(stick, f64::min),
                1 => self.at_length(self.b.map(|v| -v), |_, s| s),
                _ => self.nested(&stick),
            };
            self.newton(&mut x);
            self.write(&x, r);
            let error = self.error(r);
            if error < best.0 {
                best = (error, x);
            }
            // A few roundings per row; above that another start point may do better.
            if best.0 <= 16.0 * f64::EPSILON {
                break;
            }
        }
        (best.1, false, best.0)
    }

    /// Scales every block to the length `choose(|x_i|, |ν0|)`.
    fn at_length(&self, mut x: [f64; ROWS], choose: fn(f64, f64) -> f64) -> [f64; ROWS] {
        let s = norm(&self.nu0);
        self.each_block(|range| {
            let n = norm(&x[range.clone()]);
            if n > 0.0 {
                let factor = choose(n, s) / n;
                x[range].iter_mut().for_each(|v| *v *= factor);
            }
        });
        x
    }

    /// |F| of the full block with one step κ = d / tr H, relative to max(|r|, κ|q|).
    fn error(&self, r: &[f64]) -> f64 {
        let (d, k) = (self.q.len(), self.normal_rows);
        let kappa = d as f64 / small::trace(self.h, d);
        let u = |i: usize| small::dot(&self.h[i * d..(i + 1) * d], r) + self.q[i];
        let s = norm(&r[..k]);
        let mut sum = 0.0;
        // Bilateral or normal rows: κ u.
        for i in 0..k {
            sum += (kappa * u(i)).powi(2);
        }
        // Tangential blocks: natural map with the disc of radius mu s.
        self.each_block(|range| {
            let rows = &self.row[range.clone()];
            let mut y = [0.0; 2];
            for (yi, &row) in y.iter_mut().zip(rows) {
                *yi = r[row] - kappa * u(row);
            }
            let (n, bound) = (norm(&y), self.scale[range.start] * s);
            let cut = if n > bound { bound / n } else { 1.0 };
            for (yi, &row) in y.iter().zip(rows) {
                sum += (r[row] - cut * yi).powi(2);
            }
        });
        let error = sum.sqrt() / norm(r).max(kappa * norm(self.q));
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// Calls `f` with the index range of each block.
    fn each_block(&self, mut f: impl FnMut(std::ops::Range<usize>)) {
        let mut at = 0;
        for &size in &self.sizes[..self.blocks] {
            f(at..at + size);
            at += size;
        }
    }

    /// Solves B x = -b; true if that x is admissible (and does solve, if B is singular).
    fn stick(&self, x: &mut [f64; ROWS]) -> bool {
        let m = self.m;
        let mut a = self.b_mat;
        for i in 0..m {
            x[i] = -self.b[i];
        }
        small::solve_any_rank(&mut a[..m * m], m, &mut x[..m]);
        let mut grad = [0.0; ROWS];
        let (nu, s) = self.threshold(&x[..m], &mut grad);
        let mut inside = self.normal_rows == 2 || nu[0] >= 0.0;
        self.each_block(|range| inside &= norm(&x[range]) <= s);
        // A singular B may have left a velocity: above the rounding of its own sum it does not stick.
        for i in 0..m {
            let (mut v, mut size) = (self.b[i], self.b[i].abs());
            for j in 0..m {
                let term = self.b_mat[i * m + j] * x[j];
                v += term;
                size += term.abs();
            }
            inside &= v.abs() <= 64.0 * f64::EPSILON * size;
        }
        inside
    }

    /// Writes normal and tangential impulses, the latter cut to the threshold against rounding.
    fn write(&self, x: &[f64; ROWS], r: &mut [f64]) {
        let mut grad = [0.0; ROWS];
        let (nu, s) = self.threshold(&x[..self.m], &mut grad);
        r.fill(0.0);
        r[..self.normal_rows].copy_from_slice(&nu[..self.normal_rows]);
        if self.normal_rows == 1 {
            r[0] = s;
        }
        self.each_block(|range| {
            let n = norm(&x[range.clone()]);
            let cut = if n > s { s / n } else { 1.0 };
            for i in range {
                r[self.row[i]] = self.scale[i] * x[i] * cut;
            }
        });
    }
}
