//! The smoothed law: its zeros lie on the path, its linearisation is the derivative there, and the
//! path ends at the law.

use percuss_contact::law::{Law, Smoothed};
use proptest::prelude::*;

/// S, B, g and ‖F‖ of a smoothed law.
struct Linear {
    s: Vec<f64>,
    b: Vec<f64>,
    g: Vec<f64>,
    norm: f64,
}

fn linear(law: &Law, eps: f64, r: &[f64], u: &[f64]) -> Linear {
    let d = r.len();
    let (mut s, mut b, mut g) = (vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d]);
    let out = Smoothed {
        symmetric: &mut s,
        shift_jacobian: &mut b,
        rhs: &mut g,
    };
    let norm = law.smoothed(eps, r, u, out).sqrt();
    Linear { s, b, g, norm }
}

/// A point of the path for z: a = P(z), b = a − z by the formulas of the definition, then r and u
/// from a = C r and b = C⁻¹ u + shift.
fn on_the_path(mu: f64, eps: f64, z: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let t = z[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    let plus = |l: f64| 0.5 * (l + (l * l + 4.0 * eps * eps).sqrt());
    let (p1, p2) = (plus(z[0] - t), plus(z[0] + t));
    let mut a = vec![0.5 * (p1 + p2)];
    a.extend(z[1..].iter().map(|v| 0.5 * (p2 - p1) * v / t));
    let b: Vec<f64> = a.iter().zip(z).map(|(a, z)| a - z).collect();
    let nu = (b[1..].iter().map(|v| v * v).sum::<f64>() + eps * eps).sqrt();
    let mut r = a;
    r[0] /= mu;
    let mut u = b;
    u[0] = mu * (u[0] - nu + eps);
    (r, u)
}

fn product(m: &[f64], x: &[f64]) -> Vec<f64> {
    let d = x.len();
    (0..d)
        .map(|i| (0..d).map(|j| m[i * d + j] * x[j]).sum())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Where F = 0 the derivative of g is −(S dr + B du), whatever DP⁻¹ does.
    #[test]
    fn linearisation_is_the_derivative_on_the_path(
        mu in 0.05..2.0_f64,
        eps in 0.05..1.0_f64,
        z in prop::collection::vec(-2.0..2.0_f64, 3),
        dr in prop::collection::vec(-1.0..1.0_f64, 3),
        du in prop::collection::vec(-1.0..1.0_f64, 3),
        planar in any::<bool>(),
    ) {
        let d = if planar { 2 } else { 3 };
        prop_assume!(z[1..d].iter().map(|v| v * v).sum::<f64>() > 1e-2);
        let law = Law::Coulomb { mu };
        let (r, u) = on_the_path(mu, eps, &z[..d]);
        let here = linear(&law, eps, &r, &u);
        // Rounding of sums of numbers below 100, amplified by DP⁻¹ in g.
        prop_assert!(here.norm < 1e-12, "{}", here.norm);
        let h = 1e-5;
        let shifted = |sign: f64| {
            let r: Vec<f64> = r.iter().zip(&dr).map(|(r, d)| r + sign * h * d).collect();
            let u: Vec<f64> = u.iter().zip(&du).map(|(u, d)| u + sign * h * d).collect();
            linear(&law, eps, &r, &u).g
        };
        let (up, down) = (shifted(1.0), shifted(-1.0));
        let (sdr, bdu) = (product(&here.s, &dr[..d]), product(&here.b, &du[..d]));
        let size = here.s.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        for i in 0..d {
            let slope = (up[i] - down[i]) / (2.0 * h);
            // Central differences: h² times third derivatives, which grow like S² / ε.
            let error = (slope + sdr[i] + bdu[i]).abs();
            prop_assert!(error <= 1e-6 * size * size, "{error:e} {size:e}");
        }
    }

    /// S is positive semidefinite: the preconditioner S + W exists.
    #[test]
    fn the_symmetric_part_is_positive_semidefinite(
        mu in 0.0..5.0_f64,
        eps in 1e-12..1.0_f64,
        r in prop::collection::vec(-2.0..2.0_f64, 3),
        u in prop::collection::vec(-2.0..2.0_f64, 3),
        x in prop::collection::vec(-1.0..1.0_f64, 3),
    ) {
        let s = linear(&Law::Coulomb { mu }, eps, &r, &u).s;
        let sx = product(&s, &x);
        let value: f64 = sx.iter().zip(&x).map(|(a, b)| a * b).sum();
        let size = s.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        prop_assert!(value.is_finite() && value >= -1e-14 * size, "{value:e} {size:e}");
    }

    /// As ε → 0 the points of the path solve the law itself, to the order of ε.
    #[test]
    fn the_path_ends_at_the_law(
        mu in 0.05..2.0_f64,
        z in prop::collection::vec(-2.0..2.0_f64, 3),
    ) {
        prop_assume!(z[1] * z[1] + z[2] * z[2] > 1e-2);
        let law = Law::Coulomb { mu };
        for eps in [1e-3, 1e-5, 1e-7] {
            let (r, u) = on_the_path(mu, eps, &z);
            let mut f = [0.0; 3];
            law.natural_residual(1.0, &r, &u, &mut f);
            let size = f.iter().map(|v| v * v).sum::<f64>().sqrt();
            // ½(λ + √(λ² + 4ε²)) exceeds max(0, λ) by at most ε; the map to r and u multiplies it
            // by at most (1 + μ)(1 + 1/μ), 63 at μ = 0.05.
            prop_assert!(size <= 100.0 * eps, "{size:e} at {eps:e}");
        }
    }
}

#[test]
fn frictionless_rows_and_bilateral_rows_have_their_own_form() {
    let law = Law::Frictionless;
    // r − u = z, r = ½(z + √(z² + 4ε²)): on the path by construction.
    let (eps, z) = (0.1_f64, 0.3_f64);
    let r = 0.5 * (z + (z * z + 4.0 * eps * eps).sqrt());
    let here = linear(&law, eps, &[r], &[r - z]);
    assert!(here.norm < 1e-15, "{}", here.norm);
    // slope = ½(1 + z/√…): S = (1 − slope)/slope.
    let slope = 0.5 * (1.0 + z / (z * z + 4.0 * eps * eps).sqrt());
    assert!((here.s[0] - (1.0 - slope) / slope).abs() < 1e-14);
    let joint = linear(&Law::Bilateral, eps, &[1.0, 2.0], &[0.5, -0.25]);
    assert_eq!(joint.s, [0.0; 4]);
    assert_eq!(joint.b, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(joint.g, [-0.5, 0.25]);
}
