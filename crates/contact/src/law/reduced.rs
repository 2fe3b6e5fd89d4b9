//! Friction on a product of discs whose common threshold depends on the tangential impulse.
//!
//! With the normal rows eliminated by u_n = 0 and every block scaled by its coefficient, the sliding
//! problem of rolling contacts and of bilateral friction is: find x = (x_1, x_2, ...) with
//!
//! ```text
//! v = B x + b,   -v_i ∈ N_{s D}(x_i),   D the unit disc,   s = |ν0 + ν1 x|  or  max(0, ν0 + ν1 x)
//! ```
//!
//! Method: semismooth Newton on x_i - proj_{sD}(x_i - ρ_i v_i) with a decreasing line search. Where
//! it stalls, a nested search that cannot: for fixed s the problem is convex, its multipliers λ_i in
//! (B + Λ) x = -b are bracketed one inside the other (the concave dual is monotone in each after the
//! inner ones are eliminated), and s(x(s)) - s changes sign between 0 and the sticking threshold.
//! Newton then polishes.

use super::small::{self, norm};
use super::threshold;

mod nested;

/// Most rows (rolling with spin) and most blocks.
const ROWS: usize = 5;
const BLOCKS: usize = 3;

/// The problem in reduced and scaled form.
pub(super) struct Reduced {
    m: usize,
    blocks: usize,
    sizes: [usize; BLOCKS],
    b_mat: [f64; ROWS * ROWS],
    b: [f64; ROWS],
    /// Normal impulse ν0 + ν1 x, one or two rows.
    normal_rows: usize,
    nu0: [f64; 2],
    nu1: [[f64; ROWS]; 2],
    /// Rows of the block the entries of x belong to, and their scale.
    row: [usize; ROWS],
    scale: [f64; ROWS],
    /// Step ρ_i of each row.
    step: [f64; ROWS],
}

impl Reduced {
    /// Eliminates the first k rows of H (d x d); blocks of radius zero carry nothing and drop out.
    pub(super) fn new(h: &[f64], q: &[f64], k: usize, radii: &[f64], sizes: &[usize]) -> Self {
        let d = q.len();
        let mut out = Self {
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
        let pick = |f: &dyn Fn(usize) -> f64| [-f(0), if k == 2 { -f(1) } else { 0.0 }];
        self.nu0 = invert(pick(&|i| q[i]));
        for j in 0..m {
            let (row, scale) = (self.row[j], self.scale[j]);
            let column = invert(pick(&|i| h[i * d + row] * scale));
            (self.nu1[0][j], self.nu1[1][j]) = (column[0], column[1]);
        }
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

    /// ρ of a block: its size over the trace of its part of B, finite when that part is singular.
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

    /// Normal impulse and threshold s at x; the gradient of s goes to `grad`.
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
        let mut y = [0.0; ROWS];
        for i in 0..m {
            let v = small::dot(&self.b_mat[i * m..i * m + m], x) + self.b[i];
            y[i] = x[i] - self.step[i] * v;
        }
        let mut p = [0.0; ROWS];
        let mut py = [0.0; ROWS * ROWS];
        let mut ds = [0.0; ROWS];
        let sizes = &self.sizes[..self.blocks];
        threshold::discs(s, &[1.0; BLOCKS], sizes, &y[..m], &mut p, &mut py, &mut ds);
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

    /// Size of the problem's impulses, against which residuals are measured.
    fn size(&self, x: &[f64]) -> f64 {
        let pushed: [f64; ROWS] = std::array::from_fn(|i| self.step[i] * self.b[i]);
        norm(x) + norm(&self.nu0) + norm(&pushed[..self.m])
    }

    /// Newton from x; leaves the best iterate in x and returns its residual relative to its size.
    fn newton(&self, x: &mut [f64; ROWS]) -> f64 {
        let m = self.m;
        let mut f = [0.0; ROWS];
        let mut jac = [0.0; ROWS * ROWS];
        let mut now = self.residual(&x[..m], &mut f, &mut jac);
        for _ in 0..60 {
            if now <= f64::EPSILON * self.size(&x[..m]) {
                break;
            }
            let mut dx = f;
            if !small::solve(&mut jac, m, &mut dx) {
                break;
            }
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
                // Shorter steps only follow a kink; the caller has other starts.
                if t < 1e-3 {
                    break None;
                }
            };
            let Some((trial, new)) = accepted else { break };
            (*x, now) = (trial, new);
        }
        now / self.size(&x[..m]).max(f64::MIN_POSITIVE)
    }

    /// Solves the problem; returns whether it sticks. `r` receives all rows.
    pub(super) fn solve(&self, r: &mut [f64]) -> bool {
        let m = self.m;
        let mut stick = [0.0; ROWS];
        let sticks = self.stick(&mut stick);
        if sticks {
            self.write(&stick, r);
            return true;
        }
        let mut best = (f64::INFINITY, [0.0; ROWS]);
        // Starts: the sticking impulse cut to the threshold without coupling, full sliding, the
        // nested search; each ends the search when it reaches rounding.
        for start in 0..3 {
            let mut x = match start {
                0 => stick,
                1 => self.b.map(|v| -v),
                _ => self.nested(&stick),
            };
            if start < 2 {
                let s = norm(&self.nu0);
                self.each_block(|range| {
                    let n = norm(&x[range.clone()]);
                    if n > s || start == 1 {
                        x[range].iter_mut().for_each(|v| *v *= s / n.max(f64::MIN_POSITIVE));
                    }
                });
            }
            let error = self.newton(&mut x);
            if error < best.0 {
                best = (error, x);
            }
            // A few roundings per row; above that another start may do better.
            if best.0 <= 16.0 * f64::EPSILON {
                break;
            }
        }
        let x = if best.1[..m].iter().all(|v| v.is_finite()) {
            best.1
        } else {
            [0.0; ROWS]
        };
        self.write(&x, r);
        false
    }

    fn each_block(&self, mut f: impl FnMut(std::ops::Range<usize>)) {
        let mut at = 0;
        for &size in &self.sizes[..self.blocks] {
            f(at..at + size);
            at += size;
        }
    }

    /// B x = -b, and whether that x is admissible (and solves, if B is singular).
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
        let noise = 64.0 * f64::EPSILON * self.size(&x[..m]);
        for i in 0..m {
            let v = small::dot(&self.b_mat[i * m..i * m + m], &x[..m]) + self.b[i];
            inside &= self.step[i] * v.abs() <= noise;
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
