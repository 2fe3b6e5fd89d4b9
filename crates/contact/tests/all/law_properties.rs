//! Properties that every law has, and the messages for bad input.

use crate::law_support;

use crate::law_support::{FAMILIES, Random, block, norm, residual, velocity};
use percuss_contact::law::{
    Law, LawError, MAX_ROWS, NonFirmSet, PolygonSection, StaticDynamic, Status,
};
use proptest::prelude::*;

/// Whether the law is a cone: positively homogeneous in the impulse.
fn homogeneous(law: &Law) -> bool {
    !matches!(law, Law::NonFirm(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn scaling_velocities_by_a_power_of_two_scales_impulses_exactly(
        seed: u64, family in 0..FAMILIES.len(), power in -40..40,
    ) {
        let (law, h, q) = block(&mut Random(seed), FAMILIES[family]);
        prop_assume!(homogeneous(&law));
        let c = 2f64.powi(power);
        let scaled: Vec<f64> = q.iter().map(|x| c * x).collect();
        let (mut r, mut s) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        let (a, b) = (law.solve_local(&h, &q, &mut r), law.solve_local(&h, &scaled, &mut s));
        prop_assert_eq!(a, b);
        let expected: Vec<f64> = r.iter().map(|x| c * x).collect();
        if FAMILIES[family].starts_with("rolling ") || FAMILIES[family] == "bilateral friction" {
            // Iterative: the same answer to the accuracy of the residual, not to the bit.
            prop_assert!(residual(&law, &h, &scaled, &expected) <= 1e-13);
        } else {
            prop_assert_eq!(s, expected);
        }
    }

    #[test]
    fn scaling_the_block_by_a_power_of_four_scales_impulses_inversely(
        seed: u64, family in 0..FAMILIES.len(), power in -20..20,
    ) {
        // Change of the unit of mass: H -> c H, r -> r/c.
        let (law, h, q) = block(&mut Random(seed), FAMILIES[family]);
        prop_assume!(homogeneous(&law));
        let c = 4f64.powi(power);
        let scaled: Vec<f64> = h.iter().map(|x| c * x).collect();
        let mut s = vec![0.0; q.len()];
        law.solve_local(&scaled, &q, &mut s);
        let back: Vec<f64> = s.iter().map(|x| c * x).collect();
        // Residual on the original block: same tolerance as any answer.
        prop_assert!(residual(&law, &h, &q, &back) <= 1e-13);
    }

    #[test]
    fn projections_are_idempotent_and_land_in_the_set(seed: u64, family in 0..FAMILIES.len()) {
        let mut random = Random(seed);
        let (law, _, q) = block(&mut random, FAMILIES[family]);
        let x: Vec<f64> = q.iter().map(|_| random.normal()).collect();
        let mut once = x.clone();
        law.project(&mut once);
        let mut twice = once.clone();
        law.project(&mut twice);
        let miss: Vec<f64> = once.iter().zip(&twice).map(|(a, b)| a - b).collect();
        // Rounding of two projections.
        prop_assert!(norm(&miss) <= 1e-14 * norm(&x));
        let gaps = law.violations(&once, &vec![0.0; q.len()]);
        prop_assert!(gaps.cone_violation <= 1e-14 * norm(&x), "{:?}", gaps);
    }

    #[test]
    fn projections_on_convex_sets_do_not_expand(seed: u64, family in 0..FAMILIES.len()) {
        let mut random = Random(seed);
        let (law, _, q) = block(&mut random, FAMILIES[family]);
        // |r_t| <= mu |r_n| is not convex.
        prop_assume!(!matches!(law, Law::BilateralFriction { .. }));
        let mut x: Vec<f64> = q.iter().map(|_| random.normal()).collect();
        let mut y: Vec<f64> = q.iter().map(|_| random.normal()).collect();
        let before: Vec<f64> = x.iter().zip(&y).map(|(a, b)| a - b).collect();
        law.project(&mut x);
        law.project(&mut y);
        let after: Vec<f64> = x.iter().zip(&y).map(|(a, b)| a - b).collect();
        prop_assert!(norm(&after) <= norm(&before) * (1.0 + 1e-14) + 1e-15);
    }

    #[test]
    fn the_shift_is_the_support_function_of_the_section(seed: u64, family in 0..FAMILIES.len()) {
        // (u + g(u) e_n) with u_n = 0 is in the dual cone: its product with any admissible impulse
        // is non-negative, and zero for the one that dissipates most.
        let mut random = Random(seed);
        let (law, _, q) = block(&mut random, FAMILIES[family]);
        prop_assume!(law.normal());
        let mut u: Vec<f64> = q.iter().map(|_| random.normal()).collect();
        u[0] = 0.0;
        let g = law.shift(&u);
        for _ in 0..20 {
            let mut r: Vec<f64> = q.iter().map(|_| random.normal()).collect();
            law.project(&mut r);
            let product = law_support::dot(&r, &u) + r[0] * g;
            prop_assert!(product >= -1e-13 * (1.0 + g), "{}", product);
        }
        // The maximiser: a contact with next to no tangential compliance slides at u_t itself.
        let d = u.len();
        let mut h = vec![0.0; d * d];
        for i in 0..d {
            h[i * d + i] = if i == 0 { 1.0 } else { 1e-14 };
        }
        let mut free = u.clone();
        free[0] = -1.0;
        let mut r = vec![0.0; d];
        law.solve_local(&h, &free, &mut r);
        let product = law_support::dot(&r, &u) + r[0] * g;
        // The impulse (at most 5 per row) times 1e-14 is what u_t is off by.
        prop_assert!(product <= 1e-11 * (1.0 + g), "{}", product);
    }

    #[test]
    fn friction_never_gains_energy(seed: u64, family in 0..FAMILIES.len()) {
        // With restitution zero, u·r <= 0 and the mean of free and final velocity works against r.
        let (law, h, q) = block(&mut Random(seed), FAMILIES[family]);
        let mut r = vec![0.0; q.len()];
        law.solve_local(&h, &q, &mut r);
        let u = velocity(&h, &q, &r);
        let kappa = q.len() as f64 / (0..q.len()).map(|i| h[i * q.len() + i]).sum::<f64>();
        let energy = (norm(&r) + kappa * norm(&q)).powi(2) / kappa;
        prop_assert!(law_support::dot(&r, &u) <= 1e-13 * energy);
    }

    #[test]
    fn status_read_off_the_answer_is_the_status_returned(seed: u64, family in 0..FAMILIES.len()) {
        let (law, h, q) = block(&mut Random(seed), FAMILIES[family]);
        let mut r = vec![0.0; q.len()];
        let status = law.solve_local(&h, &q, &mut r);
        let u = velocity(&h, &q, &r);
        let kappa = q.len() as f64 / (0..q.len()).map(|i| h[i * q.len() + i]).sum::<f64>();
        // Velocities below rounding of H r are rest.
        let rest = 1e-12 * (norm(&r) / kappa + norm(&q));
        let read = law.status(&r, &u, rest);
        // A slip slower than the threshold reads as stick; nothing else may differ.
        let slow = status == Status::Slip && read == Status::Stick;
        // A free-wheel at exact rest with no impulse is stick to one and open to the other.
        let idle = matches!(law, Law::NonFirm(_)) && r.iter().all(|&x| x == 0.0);
        prop_assert!(read == status || slow || idle, "{:?} against {:?}", read, status);
    }
}

fn sentence(law: &Law, rows: usize) -> String {
    law.validate(rows).unwrap_err().to_string()
}

#[test]
fn bad_coefficients_are_refused_with_name_and_value() {
    let end = "but a coefficient must be a finite number >= 0";
    let (mu, plus, minus) = (f64::NAN, 0.1, f64::INFINITY);
    let asymmetric = Law::CoulombAsymmetric { plus, minus };
    let (mu_roll, mu_spin) = (0.1, -1.0);
    let rolling = Law::Rolling {
        mu: 0.1,
        mu_roll,
        mu_spin,
    };
    for (law, rows, start) in [
        (Law::Coulomb { mu: -0.1 }, 3, "Coulomb: mu is -0.1"),
        (Law::Coulomb { mu }, 3, "Coulomb: mu is NaN"),
        (asymmetric, 2, "asymmetric Coulomb: minus is inf"),
        (rolling, 6, "rolling: mu_spin is -1"),
    ] {
        assert_eq!(sentence(&law, rows), format!("{start}, {end}"));
    }
    let friction = StaticDynamic {
        mu_static: 0.2,
        mu_dynamic: 0.3,
    };
    let previous = Status::Open;
    let found = sentence(&Law::StaticDynamic { friction, previous }, 3);
    assert!(
        found.contains("mu_dynamic = 0.3 exceeds mu_static = 0.2"),
        "{found}"
    );
}

#[test]
fn a_law_that_does_not_fit_its_rows_says_what_would() {
    let (mu, mu_roll, mu_spin) = (0.1, 0.1, 0.1);
    let (mu1, mu2) = (0.1, 0.1);
    let rolling = Law::Rolling {
        mu,
        mu_roll,
        mu_spin,
    };
    let joint = Law::BilateralFriction { normal_rows: 3, mu };
    for (law, rows, name, needs) in [
        (Law::Frictionless, 2, "frictionless", "1"),
        (Law::Coulomb { mu }, 4, "Coulomb", "1, 2 or 3"),
        (
            Law::CoulombElliptic { mu1, mu2 },
            2,
            "elliptic Coulomb",
            "3",
        ),
        (rolling, 3, "rolling", "5 (without spin) or 6"),
        (Law::Bilateral, MAX_ROWS + 1, "bilateral", "1 to 32"),
        (
            joint,
            4,
            "bilateral with friction",
            "1 or 2 normal rows and then 1 or 2 tangential ones",
        ),
    ] {
        assert_eq!(
            sentence(&law, rows),
            format!("{name}: the contact has {rows} rows, but this law needs {needs}")
        );
    }
}

#[test]
fn sections_that_are_no_convex_polygon_around_zero_are_refused() {
    let why = |v: &[[f64; 2]]| PolygonSection::new(v).unwrap_err().to_string();
    assert!(why(&[[1.0, 0.0], [-1.0, 0.0]]).contains("at least three"));
    assert!(why(&[[1.0, 0.0], [0.0, f64::NAN], [-1.0, 0.0]]).contains("(vertex 1: 0, NaN)"));
    assert!(why(&[[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]).contains("0 must lie inside"));
    assert!(why(&[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [-1.0, -1.0]]).contains("strictly convex"));
    assert!(
        why(&[[2.0, 0.0], [0.1, 0.1], [0.0, 2.0], [-2.0, -2.0]]).contains("vertex 1: 0.1, 0.1")
    );
    // A pentagram turns left at every corner and winds twice.
    let star: Vec<[f64; 2]> = (0..5)
        .map(|k| f64::from(k) * 2.0 * std::f64::consts::TAU / 5.0)
        .map(|a| [a.cos(), a.sin()])
        .collect();
    assert!(why(&star).contains("winds more than once"));
    // Either sense of rotation is taken, and 0 may lie on an edge.
    let clockwise = PolygonSection::new(&[[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]).unwrap();
    let counter = PolygonSection::new(&[[0.0, 1.0], [-1.0, 0.0], [1.0, 0.0]]).unwrap();
    assert_eq!(clockwise.vertices(), counter.vertices());
}

#[test]
fn non_firm_sets_without_zero_are_refused() {
    assert!(matches!(
        NonFirmSet::interval(0.5, 1.0),
        Err(LawError::Set {
            name: "lower bound",
            row: 0,
            ..
        })
    ));
    assert!(matches!(
        NonFirmSet::axis_box(&[0.0, 0.0], &[1.0, f64::NAN]),
        Err(LawError::Set {
            name: "upper bound",
            row: 1,
            ..
        })
    ));
    assert!(NonFirmSet::ball(2, f64::INFINITY).is_err());
    assert!(NonFirmSet::ball(0, 1.0).is_err());
    assert!(NonFirmSet::whole_space(MAX_ROWS + 1).is_err());
    let plane = NonFirmSet::whole_space(2).unwrap();
    assert!(plane.plus(1.0, &NonFirmSet::half_line_positive()).is_err());
    assert!(plane.plus(-1.0, &plane).is_err());
    // Nought times an unbounded set is nothing, not NaN.
    let ball = NonFirmSet::ball(2, 1.0).unwrap();
    assert_eq!(ball.plus(0.0, &plane).unwrap(), ball);
    let law = NonFirmSet::ball(2, 1.0).unwrap().into_law();
    assert!(law.validate(3).is_err());
    assert_eq!(law.validate(2), Ok(()));
}
