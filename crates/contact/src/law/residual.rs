//! Two nonsmooth equations whose zeros are the pairs (u, r) of a law.
//!
//! Natural map (natural residual): F = r - proj_K(r - κ(u + g(u) e_n)), g De Saxcé's shift; bilateral rows
//! F = κ u; non-firm rows F = r - proj_C(r - κ u). The residuals RV, R2 and R1 are made of it.
//!
//! Alart and Curnier's function: F_n = r_n - s, F_t = r_t - proj_{sD}(r_t - rho u_t),
//! s = max(0, r_n - rho u_n). Its generalised Jacobian has a simple form; semismooth Newton methods use it.

use percuss_convex::cone;

use super::small::norm;
use super::{Law, Status, section_projection};

/// Most tangential rows of a unilateral law (rolling with spin).
const MAX_TANGENTIAL: usize = 5;

impl Law {
    /// Projects x onto the admissible impulses: the cone K of a unilateral law, the set C of a non-firm
    /// one, the whole space for bilateral rows; for bilateral rows with friction onto |r_t| <= mu |r_n|.
    #[inline]
    pub fn project(&self, x: &mut [f64]) {
        match self {
            Self::Frictionless => x[0] = x[0].max(0.0),
            Self::Coulomb { .. } | Self::StaticDynamic { .. } => {
                cone::project_circular(x, self.disc_radius().unwrap_or(0.0));
            }
            Self::CoulombAsymmetric { plus, minus } => cone::project_interval(x, *plus, *minus),
            Self::CoulombElliptic { mu1, mu2 } => cone::project_elliptic(x, *mu1, *mu2),
            Self::CoulombPolygon(section) => cone::project_polygonal(x, section.vertices()),
            Self::Rolling { .. } | Self::RollingPlane { .. } => {
                let (radii, sizes) = self.discs(x.len());
                cone::project_rolling(x, &radii[..sizes.len()], sizes);
            }
            Self::Bilateral => {}
            Self::NonFirm(set) => set.project(x),
            Self::BilateralFriction { normal_rows, mu } => {
                project_double_cone(x, *normal_rows, *mu)
            }
        }
    }

    /// De Saxcé's shift g(u) = max over D of -u_t·w, the support function of the section at -u_t; 0 for
    /// laws without a unilateral normal row.
    #[inline]
    #[must_use]
    pub fn shift(&self, u: &[f64]) -> f64 {
        match self {
            Self::Coulomb { .. } | Self::StaticDynamic { .. } => {
                self.disc_radius().unwrap_or(0.0) * norm(&u[1..])
            }
            Self::CoulombAsymmetric { plus, minus } => (minus * u[1]).max(-plus * u[1]),
            Self::CoulombElliptic { mu1, mu2 } => norm(&[mu1 * u[1], mu2 * u[2]]),
            Self::CoulombPolygon(section) => section.support([-u[1], -u[2]]),
            Self::Rolling { .. } | Self::RollingPlane { .. } => {
                let (radii, sizes) = self.discs(u.len());
                let mut at = 1;
                let mut g = 0.0;
                for (&size, &mu) in sizes.iter().zip(&radii) {
                    g += mu * norm(&u[at..at + size]);
                    at += size;
                }
                g
            }
            Self::Frictionless
            | Self::Bilateral
            | Self::NonFirm(_)
            | Self::BilateralFriction { .. } => 0.0,
        }
    }

    /// Natural residual F with step `kappa` > 0, in units of r; `f` has the length of r.
    #[inline]
    pub fn natural_residual(&self, kappa: f64, r: &[f64], u: &[f64], f: &mut [f64]) {
        match self {
            Self::Bilateral => {
                for (fi, ui) in f.iter_mut().zip(u) {
                    *fi = kappa * ui;
                }
            }
            // Bilateral rows κ u; tangential rows projected onto the disc of radius mu |r_n|.
            Self::BilateralFriction { normal_rows, mu } => {
                let k = *normal_rows;
                for i in 0..k {
                    f[i] = kappa * u[i];
                }
                let bound = mu * norm(&r[..k]);
                for i in k..r.len() {
                    f[i] = r[i] - kappa * u[i];
                }
                let n = norm(&f[k..]);
                let factor = if n <= bound { 1.0 } else { bound / n };
                for i in k..r.len() {
                    f[i] = r[i] - f[i] * factor;
                }
            }
            // r - κ ũ, projected onto the admissible set.
            _ => {
                for i in 0..r.len() {
                    f[i] = r[i] - kappa * u[i];
                }
                if self.normal() {
                    f[0] -= kappa * self.shift(u);
                }
                self.project(f);
                for i in 0..r.len() {
                    f[i] = r[i] - f[i];
                }
            }
        }
    }

    /// Alart and Curnier's function with step `rho` > 0 and an element of its generalised Jacobian,
    /// dF = `df_dr` dr + `df_du` du (row-major d x d).
    pub fn alart_curnier(
        &self,
        rho: f64,
        r: &[f64],
        u: &[f64],
        f: &mut [f64],
        df_dr: &mut [f64],
        df_du: &mut [f64],
    ) {
        let d = r.len();
        df_dr[..d * d].fill(0.0);
        df_du[..d * d].fill(0.0);
        match self {
            // F = rho u.
            Self::Bilateral => {
                for i in 0..d {
                    f[i] = rho * u[i];
                    df_du[i * d + i] = rho;
                }
            }
            Self::NonFirm(set) => set.alart_curnier(rho, r, u, f, df_dr, df_du),
            Self::BilateralFriction { normal_rows, .. } => {
                let k = *normal_rows;
                for i in 0..k {
                    f[i] = rho * u[i];
                    df_du[i * d + i] = rho;
                }
                // The threshold is |r_n|, with gradient r_n/|r_n| (0 at r_n = 0).
                let s = norm(&r[..k]);
                let mut gradient = [0.0; 2];
                if s > 0.0 {
                    for i in 0..k {
                        gradient[i] = r[i] / s;
                    }
                }
                self.tangential(rho, s, k, &gradient, 0.0, r, u, f, df_dr, df_du);
            }
            _ => {
                // Normal row: s = max(0, r_n - rho u_n); `active` is its generalised derivative.
                let x = r[0] - rho * u[0];
                let active = f64::from(u8::from(x > 0.0));
                let s = x.max(0.0);
                f[0] = r[0] - s;
                df_dr[0] = 1.0 - active;
                df_du[0] = rho * active;
                let by_u = -rho * active;
                self.tangential(rho, s, 1, &[active, 0.0], by_u, r, u, f, df_dr, df_du);
            }
        }
    }

    /// Tangential rows (k and up) of Alart and Curnier's function: F_t = r_t - P(s, r_t - rho u_t), where s has the
    /// gradient `ds_dr` in the first k entries of r and `ds_du` in u_n.
    #[allow(clippy::too_many_arguments)]
    fn tangential(
        &self,
        rho: f64,
        s: f64,
        k: usize,
        ds_dr: &[f64; 2],
        ds_du: f64,
        r: &[f64],
        u: &[f64],
        f: &mut [f64],
        df_dr: &mut [f64],
        df_du: &mut [f64],
    ) {
        let d = r.len();
        let m = d - k;
        let mut y = [0.0; MAX_TANGENTIAL];
        for i in 0..m {
            y[i] = r[k + i] - rho * u[k + i];
        }
        // P(s, y) with derivatives in y and in s.
        let mut p = [0.0; MAX_TANGENTIAL];
        let mut jac = [0.0; MAX_TANGENTIAL * MAX_TANGENTIAL];
        let mut ds = [0.0; MAX_TANGENTIAL];
        self.project_onto_section(s, &y[..m], &mut p[..m], &mut jac, &mut ds[..m]);
        // Chain rule.
        for i in 0..m {
            let row = (k + i) * d;
            f[k + i] = r[k + i] - p[i];
            for j in 0..k {
                df_dr[row + j] = -ds[i] * ds_dr[j];
            }
            df_du[row] = -ds[i] * ds_du;
            for j in 0..m {
                let delta = f64::from(u8::from(i == j));
                df_dr[row + k + j] = delta - jac[i * m + j];
                df_du[row + k + j] = rho * jac[i * m + j];
            }
        }
    }

    /// Projection P(s, y) onto the scaled section s D of this law, with its derivatives.
    fn project_onto_section(
        &self,
        s: f64,
        y: &[f64],
        p: &mut [f64],
        jac: &mut [f64],
        ds: &mut [f64],
    ) {
        match self {
            _ if y.is_empty() => {}
            Self::CoulombAsymmetric { plus, minus } => {
                section_projection::interval(s, (*plus, *minus), y, p, jac, ds);
            }
            Self::CoulombElliptic { mu1, mu2 } => {
                section_projection::ellipse(s, [*mu1, *mu2], y, p, jac, ds);
            }
            Self::CoulombPolygon(section) => {
                section_projection::polygon(s, section.vertices(), y, p, jac, ds);
            }
            Self::Rolling { .. } | Self::RollingPlane { .. } => {
                let (radii, sizes) = self.discs(y.len() + 1);
                section_projection::discs(s, &radii, sizes, y, p, jac, ds);
            }
            Self::BilateralFriction { mu, .. } => section_projection::disc(s, *mu, y, p, jac, ds),
            _ => section_projection::disc(s, self.disc_radius().unwrap_or(0.0), y, p, jac, ds),
        }
    }

    /// Distance of the tangential impulse from the scaled section s D.
    pub(super) fn distance_to_section(&self, s: f64, r_t: &[f64]) -> f64 {
        let m = r_t.len();
        let mut p = [0.0; MAX_TANGENTIAL];
        let mut jac = [0.0; MAX_TANGENTIAL * MAX_TANGENTIAL];
        let mut ds = [0.0; MAX_TANGENTIAL];
        self.project_onto_section(s, r_t, &mut p[..m], &mut jac, &mut ds[..m]);
        for i in 0..m {
            p[i] = r_t[i] - p[i];
        }
        norm(&p[..m])
    }

    /// Status of a pair (r, u); `tol` is the velocity below which a row counts as at rest.
    ///
    /// Unilateral laws: open if r_n <= 0 or u_n > tol, otherwise stick if the other rows are at rest.
    #[must_use]
    pub fn status(&self, r: &[f64], u: &[f64], tol: f64) -> Status {
        let (open, moving) = match self {
            Self::Bilateral => (false, false),
            Self::NonFirm(_) => {
                let moving = norm(u) > tol;
                (moving && r.iter().all(|&x| x == 0.0), moving)
            }
            Self::BilateralFriction { normal_rows, .. } => (false, norm(&u[*normal_rows..]) > tol),
            _ => (r[0] <= 0.0 || u[0] > tol, norm(&u[1..]) > tol),
        };
        match (open, moving) {
            (true, _) => Status::Open,
            (false, true) => Status::Slip,
            (false, false) => Status::Stick,
        }
    }
}

/// Projection onto the double cone |r_t| <= mu |r_n|: the direction of r_n is kept.
fn project_double_cone(x: &mut [f64], k: usize, mu: f64) {
    let n = norm(&x[..k]);
    let t = norm(&x[k..]);
    let mut pair = [n, t];
    cone::project_circular(&mut pair, mu);
    for i in 0..x.len() {
        let (new, old) = if i < k { (pair[0], n) } else { (pair[1], t) };
        if old > 0.0 {
            x[i] *= new / old;
        } else if i == 0 {
            // r_n = 0 has no direction: all are equally near, the first axis is taken.
            x[0] = new;
        }
    }
}
