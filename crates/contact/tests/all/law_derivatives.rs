//! Alart and Curnier's function: its Jacobian against finite differences, its zeros against the
//! local solves; and the violations, which vanish there too.

use crate::law_support::{FAMILIES, Random, block, norm, velocity};
use percuss_contact::law::Law;

/// F alone.
fn value(law: &Law, rho: f64, r: &[f64], u: &[f64]) -> Vec<f64> {
    let d = r.len();
    let (mut f, mut a, mut b) = (vec![0.0; d], vec![0.0; d * d], vec![0.0; d * d]);
    law.alart_curnier(rho, r, u, &mut f, &mut a, &mut b);
    f
}

/// One-sided and central difference quotients of F in entry j of r (or of u).
fn quotients(
    law: &Law,
    rho: f64,
    r: &[f64],
    u: &[f64],
    j: usize,
    in_u: bool,
    step: f64,
) -> [Vec<f64>; 3] {
    let moved = |t: f64| {
        let (mut r, mut u) = (r.to_vec(), u.to_vec());
        if in_u {
            u[j] += t;
        } else {
            r[j] += t;
        }
        value(law, rho, &r, &u)
    };
    let (back, here, ahead) = (moved(-step), value(law, rho, r, u), moved(step));
    let quotient = |a: &[f64], b: &[f64], h: f64| -> Vec<f64> {
        a.iter().zip(b).map(|(x, y)| (x - y) / h).collect()
    };
    [
        quotient(&here, &back, step),
        quotient(&ahead, &here, step),
        quotient(&ahead, &back, 2.0 * step),
    ]
}

#[test]
fn the_jacobian_agrees_with_differences_wherever_the_function_is_smooth() {
    for family in FAMILIES {
        let mut random = Random(31);
        let (mut smooth, mut kinks) = (0, 0);
        for _ in 0..400 {
            let (law, _, q) = block(&mut random, family);
            let d = q.len();
            let r: Vec<f64> = (0..d).map(|_| 2.0 * random.normal()).collect();
            let u: Vec<f64> = (0..d).map(|_| 2.0 * random.normal()).collect();
            let rho = random.range(0.2, 3.0);
            let (mut f, mut dr, mut du) = (vec![0.0; d], vec![0.0; d * d], vec![0.0; d * d]);
            law.alart_curnier(rho, &r, &u, &mut f, &mut dr, &mut du);
            for j in 0..d {
                for (in_u, jac) in [(false, &dr), (true, &du)] {
                    let step = 1e-6;
                    let [back, ahead, central] = quotients(&law, rho, &r, &u, j, in_u, step);
                    for i in 0..d {
                        // A kink within the step: the two sides disagree by more than curvature
                        // x step can explain (radii down to 1e-2 or so give 1e2 x 1e-6).
                        if (back[i] - ahead[i]).abs() > 1e-3 {
                            kinks += 1;
                            continue;
                        }
                        smooth += 1;
                        let miss = (central[i] - jac[i * d + j]).abs();
                        // Rounding 1e-16 x 10 / 1e-6 and third derivatives x 1e-12.
                        assert!(
                            miss <= 1e-5,
                            "{family}: entry ({i}, {j}) in_u {in_u}: {} against {}, {law:?} r {r:?} u {u:?} rho {rho}",
                            jac[i * d + j],
                            central[i]
                        );
                    }
                }
            }
        }
        assert!(
            smooth > 20 * kinks,
            "{family}: {smooth} smooth, {kinks} kinks"
        );
    }
}

#[test]
fn local_solutions_are_zeros_of_alart_and_curnier_and_have_no_gaps() {
    for family in FAMILIES {
        let mut random = Random(32);
        for k in 0..2_000 {
            let (law, h, q) = block(&mut random, family);
            let d = q.len();
            let mut r = vec![0.0; d];
            law.solve_local(&h, &q, &mut r);
            let u = velocity(&h, &q, &r);
            let kappa = d as f64 / (0..d).map(|i| h[i * d + i]).sum::<f64>();
            let size = norm(&r).max(kappa * norm(&q));
            let f = value(&law, kappa, &r, &u);
            // As for the natural residual, which has the same zeros.
            assert!(norm(&f) <= 1e-12 * size, "{family} {k}: F = {f:?}");
            let gaps = law.violations(&r, &u);
            // Velocities and impulses to a hundred roundings, energies to their product; a
            // nearly flat ellipse (axis 1e-6) divides by its axis, hence the last.
            // The support function multiplies the rounding of u by the size of the set.
            let set = match &law {
                Law::NonFirm(set) => (set.lower().iter().chain(set.upper()))
                    .filter(|b| b.is_finite())
                    .fold(set.radius(), |m, b| m.max(b.abs())),
                _ => 0.0,
            };
            let energy = size * size.max(set) / kappa;
            assert!(
                kappa * gaps.normal_velocity_violation <= 1e-13 * size,
                "{family} {k} {gaps:?}"
            );
            assert!(
                kappa * gaps.bilateral_violation <= 1e-13 * size,
                "{family} {k} {gaps:?}"
            );
            assert!(gaps.cone_violation <= 1e-13 * size, "{family} {k} {gaps:?}");
            assert!(
                gaps.normal_complementarity <= 1e-12 * energy,
                "{family} {k} {gaps:?}"
            );
            assert!(
                gaps.tangential_dissipation_gap <= 1e-11 * energy,
                "{family} {k} {gaps:?} {energy:e} {law:?}"
            );
        }
    }
}

#[test]
fn gaps_name_what_is_wrong() {
    let law = Law::Coulomb { mu: 0.5 };
    // Approach at 2, pulling contact, r_t outside, work in the wrong direction.
    let gaps = law.violations(&[-1.0, 3.0, 4.0], &[-2.0, 0.0, 1.0]);
    assert_eq!(gaps.normal_velocity_violation, 2.0);
    assert_eq!(gaps.cone_violation, 5.0);
    assert_eq!(gaps.normal_complementarity, 2.0);
    // |u_t| r_t + mu r_n u_t = (3, 4) + 0.5 x (-1) x (0, 1).
    assert!((gaps.tangential_dissipation_gap - 3.0_f64.hypot(3.5)).abs() < 1e-14);
    assert_eq!(
        Law::Bilateral
            .violations(&[7.0, 0.0], &[-3.0, 1.0])
            .bilateral_violation,
        3.0
    );
    // Frictionless contacts may not pull either.
    assert_eq!(
        Law::Frictionless.violations(&[-4.0], &[0.0]).cone_violation,
        4.0
    );
}
