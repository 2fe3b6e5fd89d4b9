//! Residual function and violations of the non-firm rows.

use super::super::small::{MAX_ROWS, dot, norm};
use super::NonFirmSet;
use crate::law::violations::Violations;

impl NonFirmSet {
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
        if !self.is_box_and_ball() {
            return self.alart_curnier_sum(rho, (r, u), f, df_dr, df_du);
        }
        // x = r - rho u and z = x - p(x), p the projection onto the box.
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

    /// Violations: r outside C, r·u + σ_C(-u) over the rows where σ_C is finite, and the velocity of
    /// the rows whose bound is infinite and which must therefore not move.
    pub(in super::super) fn violations(&self, r: &[f64], u: &[f64], gaps: &mut Violations) {
        gaps.cone_violation = self.distance(r);
        let mut free = [0.0; MAX_ROWS];
        let mut support = 0.0;
        // Support function σ_C(-u): box part row by row, then the ball.
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
        support += self.radius * norm(free) + self.support_of_parts(free);
        gaps.tangential_dissipation_gap = (dot(r, free) + support).abs();
    }
}
