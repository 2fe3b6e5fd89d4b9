//! The nested search of the reduced problem: slow, but it always comes close to a solution.

use super::super::small::{self, norm};
use super::{BLOCKS, ROWS, Reduced};

/// Accuracy of the multipliers (inner) and of the threshold (outer): enough for Newton to take over. The
/// inner one is sharper, since its error is noise for the level above.
const INNER: f64 = 1e-11;
const OUTER: f64 = 1e-8;

impl Reduced<'_> {
    /// Finds s with s = threshold(x(s)) in a bracket; returns x(s).
    pub(super) fn nested(&self, stick: &[f64; ROWS]) -> [f64; ROWS] {
        let mut grad = [0.0; ROWS];
        // Above the largest sticking impulse, x(s) is the sticking point, whose threshold is smaller.
        let mut high = 0.0_f64;
        self.each_block(|range| high = high.max(norm(&stick[range])));
        // A nearly singular B makes this bound useless; the threshold itself is of the order of |ν0|:
        // start from there and expand.
        let (mut low, mut g_low) = (0.0, norm(&self.nu0));
        let mut lam = [0.0; BLOCKS];
        let mut gap = |s: f64| {
            let x = self.at_threshold(s, &mut lam);
            (self.threshold(&x[..self.m], &mut grad).1 - s, x)
        };
        let mut top = norm(&self.nu0).min(high);
        let (mut g_high, mut x) = gap(top);
        for _ in 0..400 {
            if g_high <= 0.0 || top >= high {
                break;
            }
            (low, g_low) = (top, g_high);
            top = (4.0 * top).min(high);
            (g_high, x) = gap(top);
        }
        for _ in 0..80 {
            if top - low <= OUTER * top || g_high == 0.0 {
                break;
            }
            // Illinois variant of regula falsi: the value at the retained end is halved, so both ends move.
            let s = (low * g_high - top * g_low) / (g_high - g_low);
            let s = if s > low && s < top {
                s
            } else {
                0.5 * (low + top)
            };
            let (g, xs) = gap(s);
            x = xs;
            if g.abs() <= OUTER * s {
                break;
            }
            if g > 0.0 {
                (low, g_low) = (s, g);
                g_high *= 0.5;
            } else {
                (top, g_high) = (s, g);
                g_low *= 0.5;
            }
        }
        x
    }

    /// x(s): solution of the convex problem with fixed threshold s.
    fn at_threshold(&self, s: f64, lam: &mut [f64; BLOCKS]) -> [f64; ROWS] {
        let mut x = [0.0; ROWS];
        if s > 0.0 {
            self.level(0, 0, s, lam, &mut x);
        }
        x
    }

    /// Finds λ_i for blocks `i..`; those before are given.
    fn level(&self, i: usize, at: usize, s: f64, lam: &mut [f64; BLOCKS], x: &mut [f64; ROWS]) {
        if i == self.blocks {
            return self.at_multipliers(lam, x);
        }
        let range = at..at + self.sizes[i];
        let excess = |l: f64, lam: &mut [f64; BLOCKS], x: &mut [f64; ROWS]| {
            lam[i] = l;
            self.level(i + 1, at + self.sizes[i], s, lam, x);
            1.0 / norm(&x[range.clone()]) - 1.0 / s
        };
        let guess = if lam[i] > 0.0 {
            lam[i]
        } else {
            1.0 / self.step[at]
        };
        // λ_i = 0 is enough if block i is inside its disc.
        let (mut low, mut x0) = (0.0, 0.0);
        let mut g0 = excess(0.0, lam, x);
        if g0 >= 0.0 {
            return;
        }
        let mut high = f64::INFINITY;
        let mut l = guess;
        // Safeguarded secant method with an expanding upper end.
        for _ in 0..200 {
            let g = excess(l, lam, x);
            if g.abs() * s <= INNER {
                return;
            }
            if g > 0.0 {
                high = l;
            } else {
                low = l;
            }
            if high.is_finite() && high - low <= f64::EPSILON * high {
                return;
            }
            // 1/|x_i| is nearly linear in λ_i.
            let secant = l - g * (l - x0) / (g - g0);
            (x0, g0) = (l, g);
            l = if secant > low && secant < high && secant < 64.0 * l {
                secant
            } else if high.is_infinite() {
                8.0 * l
            } else if low > 0.0 {
                (low * high).sqrt()
            } else {
                high / 16.0
            };
        }
    }

    /// Solves (B + Λ) x = -b, with the diagonal raised by the rounding of B so that it is definite.
    fn at_multipliers(&self, lam: &[f64; BLOCKS], x: &mut [f64; ROWS]) {
        let m = self.m;
        let mut a = self.b_mat;
        let mut at = 0;
        for block in 0..self.blocks {
            for i in at..at + self.sizes[block] {
                a[i * m + i] += lam[block] + 8.0 * f64::EPSILON / self.step[i];
            }
            at += self.sizes[block];
        }
        for i in 0..m {
            x[i] = -self.b[i];
        }
        if !small::solve(&mut a, m, x) {
            x.fill(0.0);
        }
    }
}
