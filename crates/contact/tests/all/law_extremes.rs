//! Blocks at the limits of validity: singular, redundant, not mechanical.

use percuss_contact::law::{Law, NonFirmSet, PolygonSection, Status};

fn solve(law: &Law, h: &[f64], q: &[f64]) -> (Vec<f64>, Status) {
    assert_eq!(law.validate(q.len()), Ok(()));
    let mut r = vec![f64::NAN; q.len()];
    let status = law.solve_local(h, q, &mut r);
    (r, status)
}

fn diagonal(entries: &[f64]) -> Vec<f64> {
    let d = entries.len();
    let mut h = vec![0.0; d * d];
    for i in 0..d {
        h[i * d + i] = entries[i];
    }
    h
}

/// Entries equal to a few roundings of the largest one.
fn close(found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= 1e-14 * size,
            "{found:?} is not {expected:?}"
        );
    }
}

#[test]
fn redundant_bilateral_rows_are_held_all_the_same() {
    // The second row repeats the first: H is singular, q consistent.
    let law = Law::Bilateral;
    let h = [2.0, 2.0, 0.5, 2.0, 2.0, 0.5, 0.5, 0.5, 1.0];
    let (r, status) = solve(&law, &h, &[-1.0, -1.0, 3.0]);
    assert_eq!(status, Status::Stick);
    for i in 0..3 {
        let u: f64 = (0..3).map(|j| h[3 * i + j] * r[j]).sum::<f64>() + [-1.0, -1.0, 3.0][i];
        assert!(u.abs() < 1e-14, "row {i} moves at {u:e}");
    }
}

#[test]
fn singular_tangential_part_still_slides_or_sticks() {
    // Nothing moves along t2: H_22 = 0. With q_t2 = 0 the contact can stick, else it slides.
    let h = diagonal(&[1.0, 1.0, 0.0]);
    let law = Law::Coulomb { mu: 0.5 };
    let (r, status) = solve(&law, &h, &[-1.0, 0.25, 0.0]);
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.25, 0.0]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.25, 2.0]);
    assert_eq!(status, Status::Slip);
    let u = [r[1] + 0.25, 2.0];
    let (nr, nu) = (r[1].hypot(r[2]), u[0].hypot(u[1]));
    assert!((nr - 0.5).abs() < 1e-14);
    // r_t opposes u_t: their angle is π to rounding.
    assert!((r[1] * u[0] + r[2] * u[1] + nr * nu).abs() < 1e-14);
    let planar = Law::Coulomb { mu: 0.5 };
    assert_eq!(
        solve(&planar, &diagonal(&[1.0, 0.0]), &[-1.0, 0.0]).1,
        Status::Stick
    );
    assert_eq!(
        solve(&planar, &diagonal(&[1.0, 0.0]), &[-1.0, 1.0]),
        (vec![1.0, -0.5], Status::Slip)
    );
}

#[test]
fn a_warm_value_in_r_does_not_change_the_answer() {
    let law = Law::Rolling {
        mu: 1.5,
        mu_roll: 0.2,
        mu_spin: 0.1,
    };
    let h = [
        4.0, 1.0, 0.0, 0.5, 0.0, 1.0, 3.0, 0.2, 0.0, 0.1, 0.0, 0.2, 2.0, 0.3, 0.0, 0.5, 0.0, 0.3,
        2.0, 0.0, 0.0, 0.1, 0.0, 0.0, 1.0,
    ];
    let q = [-1.0, 2.0, 0.5, -3.0, 0.4];
    let mut cold = [0.0; 5];
    let mut warm = [f64::INFINITY; 5];
    assert_eq!(
        law.solve_local(&h, &q, &mut cold),
        law.solve_local(&h, &q, &mut warm)
    );
    assert_eq!(cold, warm);
}

/// Entries that no mechanical block has, in all combinations.
fn extreme(k: usize, i: usize) -> f64 {
    let values = [0.0, 1.0, -1.0, 1e-300, -1e300, 1e200, -1e-320];
    values[(k * (i + 3) + k / 7 * (2 * i + 1)) % values.len()]
}

fn assert_finite(law: &Law, d: usize, walks: usize) {
    for k in 0..walks {
        let h: Vec<f64> = (0..d * d).map(|i| extreme(k, i)).collect();
        let q: Vec<f64> = (d * d..d * d + d).map(|i| extreme(k, i)).collect();
        let mut r = vec![f64::NAN; d];
        law.solve_local(&h, &q, &mut r);
        assert!(
            r.iter().all(|x| x.is_finite()),
            "{}: H = {h:?}, q = {q:?} gives {r:?}",
            law.name()
        );
    }
}

#[test]
fn numbers_stay_finite_whatever_the_block() {
    let square = PolygonSection::new(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]).unwrap();
    let stadium = NonFirmSet::axis_box(&[-1.0, 0.0, f64::NEG_INFINITY], &[1.0, 0.0, 2.0])
        .unwrap()
        .plus(1.0, &NonFirmSet::ball(3, 0.5).unwrap())
        .unwrap();
    for law in [
        Law::Coulomb { mu: 0.7 },
        Law::CoulombElliptic {
            mu1: 0.7,
            mu2: 1e-300,
        },
        square.into_law(),
        Law::RollingPlane {
            mu: 0.7,
            mu_roll: 0.1,
        },
        Law::Bilateral,
        stadium.into_law(),
        Law::BilateralFriction {
            normal_rows: 1,
            mu: 2.0,
        },
        Law::BilateralFriction {
            normal_rows: 2,
            mu: 2.0,
        },
    ] {
        assert_finite(&law, 3, 20_000);
    }
    let rolling = Law::Rolling {
        mu: 1.0,
        mu_roll: 0.0,
        mu_spin: 1e-200,
    };
    assert_finite(&rolling, 6, 2_000);
    assert_finite(&Law::Coulomb { mu: 0.7 }, 2, 20_000);
    assert_finite(&Law::Frictionless, 1, 100);
}
