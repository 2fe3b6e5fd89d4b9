//! Coulomb's law smoothed by a parameter ε, for smoothing (path-following) methods with ε → 0.
//!
//! With a = C r, C = diag(μ, 1, …) and b = C⁻¹ u with De Saxcé's shift, the law is
//! a = proj_L(a − b) on the self-dual second-order cone L. Chen, Harker, Kanzow and Smale's
//! function replaces max(0, λ) by ½(λ + √(λ² + 4ε²)) on the two spectral values λ = z₀ ∓ ‖z_t‖ of
//! z = a − b, and the shift's norm by √(‖u_t‖² + ε²) − ε. The smoothed projection P has a symmetric
//! derivative DP with eigenvalues in (0, 1), so Newton's equation for F = a − P(a − b) can be
//! multiplied by its inverse and becomes
//!
//! ```text
//! ( S + B W ) dr = g,    S = C (DP⁻¹ − I) C,    B = I + μ e_n (0, u_tᵀ/ν),    g = −C DP⁻¹ F
//! ```
//!
//! S is symmetric positive semidefinite, so S + W is a natural preconditioner: B differs from the
//! identity at sliding contacts only.

use super::Law;

/// ½(1 + λ/s) with s = √(λ² + 4ε²), its complement and ½(λ + s), computed without cancellation.
fn smooth_max(lambda: f64, eps: f64) -> (f64, f64, f64) {
    let s = lambda.hypot(2.0 * eps);
    let far = s + lambda.abs();
    let small = 2.0 * eps * eps / (s * far);
    let value = 2.0 * eps * eps / far;
    if lambda >= 0.0 {
        (1.0 - small, small, lambda + value)
    } else {
        (small, 1.0 - small, value)
    }
}

/// Output of [`Law::smoothed`].
#[derive(Debug)]
pub struct Smoothed<'a> {
    /// S, d × d row-major, symmetric positive semidefinite.
    pub symmetric: &'a mut [f64],
    /// B, d × d row-major: derivative of the shifted velocity in u.
    pub shift_jacobian: &'a mut [f64],
    /// Right-hand side g.
    pub rhs: &'a mut [f64],
}

impl Law {
    /// Whether [`Law::smoothed`] covers this law.
    pub fn has_smoothing(&self) -> bool {
        matches!(
            self,
            Law::Frictionless | Law::Coulomb { .. } | Law::Bilateral
        )
    }

    /// The smoothed law at (r, u), in variables scaled so that H is of the order of the identity:
    /// writes S, B and g, and returns ‖F‖². Bilateral rows have S = 0, B = I, g = −u.
    ///
    /// Callers check [`Law::has_smoothing`] first; a law without smoothing is treated as frictionless.
    pub fn smoothed(&self, eps: f64, r: &[f64], u: &[f64], out: Smoothed<'_>) -> f64 {
        match self {
            Law::Bilateral => {
                out.symmetric.fill(0.0);
                identity(out.shift_jacobian, u.len());
                out.rhs.iter_mut().zip(u).for_each(|(g, u)| *g = -u);
                u.iter().map(|u| u * u).sum()
            }
            Law::Coulomb { mu } if *mu > 0.0 && r.len() > 1 => cone(*mu, eps, r, u, out),
            _ => half_line(eps, r, u, out),
        }
    }
}

/// 0 ≤ u ⊥ r ≥ 0 on the first row; tangential impulses, if any, are zero.
fn half_line(eps: f64, r: &[f64], u: &[f64], out: Smoothed<'_>) -> f64 {
    let (n, d, g) = (r.len(), out.symmetric, out.rhs);
    let (slope, rest, value) = smooth_max(r[0] - u[0], eps);
    let f = r[0] - value;
    d.fill(0.0);
    d[0] = rest / slope;
    g[0] = -f / slope;
    let mut norm = f * f;
    for i in 1..n {
        // A large diagonal entry keeps r_t at zero: dr_t = −r_t to the accuracy of ε.
        d[i * n + i] = 1.0 / eps.max(f64::MIN_POSITIVE.sqrt());
        g[i] = -r[i] * d[i * n + i];
        norm += r[i] * r[i];
    }
    identity(out.shift_jacobian, n);
    norm
}

/// Smoothed Coulomb law on the second-order cone.
fn cone(mu: f64, eps: f64, r: &[f64], u: &[f64], out: Smoothed<'_>) -> f64 {
    let n = r.len();
    let ut = u[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    let nu = ut.hypot(eps);
    // z = a − b; ν − ε without cancellation.
    let z0 = mu * r[0] - u[0] / mu - ut * ut / (nu + eps);
    let t = (1..n).map(|i| (r[i] - u[i]).powi(2)).sum::<f64>().sqrt();
    let mut e = [0.0; 2];
    for i in 1..n {
        e[i - 1] = if t > 0.0 { (r[i] - u[i]) / t } else { 0.0 };
    }
    // Smoothed spectral values p1, p2 of z, with slopes.
    let (slope1, rest1, p1) = smooth_max(z0 - t, eps);
    let (slope2, rest2, p2) = smooth_max(z0 + t, eps);
    // Derivative perpendicular to e: (p2 − p1) / 2t, with the mean slope as its limit at t = 0.
    let across = if t > 1e-8 * (z0.abs() + eps) {
        ((p2 - p1) / (2.0 * t)).min(1.0)
    } else {
        0.5 * (slope1 + slope2)
    };
    let theta = [rest1 / slope1, rest2 / slope2, (1.0 - across) / across];
    // F in the frame (e_n, e, e⊥).
    let along_r: f64 = (1..n).map(|i| r[i] * e[i - 1]).sum();
    let f0 = mu * r[0] - 0.5 * (p1 + p2);
    let f1 = along_r - 0.5 * (p2 - p1);
    // DP⁻¹F: spectral directions (1, ∓e)/√2.
    let (minus, plus) = (0.5 * (f0 - f1) / slope1, 0.5 * (f0 + f1) / slope2);
    let mut h = [minus + plus, 0.0, 0.0];
    let mut norm = f0 * f0 + f1 * f1;
    for i in 1..n {
        let perpendicular = r[i] - along_r * e[i - 1];
        norm += perpendicular * perpendicular;
        h[i] = (plus - minus) * e[i - 1] + perpendicular / across;
    }
    fill_symmetric(mu, &theta, &e, n, out.symmetric);
    identity(out.shift_jacobian, n);
    out.rhs[0] = -mu * h[0];
    for i in 1..n {
        out.shift_jacobian[i] = if nu > 0.0 { mu * u[i] / nu } else { 0.0 };
        out.rhs[i] = -h[i];
    }
    norm
}

/// S = C Θ C, Θ = DP⁻¹ − I given by its eigenvalues along (1, −e), (1, e) and perpendicular to e.
fn fill_symmetric(mu: f64, theta: &[f64; 3], e: &[f64; 2], n: usize, s: &mut [f64]) {
    let (mean, half) = (0.5 * (theta[0] + theta[1]), 0.5 * (theta[1] - theta[0]));
    s[0] = mu * mu * mean;
    for i in 1..n {
        s[i] = mu * half * e[i - 1];
        s[i * n] = s[i];
        for j in 1..n {
            let ee = e[i - 1] * e[j - 1];
            let unit = if i == j { 1.0 } else { 0.0 };
            s[i * n + j] = mean * ee + theta[2] * (unit - ee);
        }
    }
}

/// Writes the n × n identity.
fn identity(block: &mut [f64], n: usize) {
    for (i, v) in block.iter_mut().enumerate() {
        *v = if i / n == i % n { 1.0 } else { 0.0 };
    }
}
