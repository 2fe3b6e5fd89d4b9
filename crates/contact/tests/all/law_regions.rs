//! One test per region of each law, and the ties between them.

use percuss_contact::law::{Law, NonFirmSet, PolygonSection, StaticDynamic, Status};

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
fn separating_contacts_open() {
    let square =
        PolygonSection::new(&[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]).unwrap();
    for law in [
        Law::Coulomb { mu: 0.3 },
        Law::CoulombElliptic { mu1: 0.3, mu2: 0.7 },
        square.into_law(),
        Law::RollingPlane {
            mu: 0.3,
            mu_roll: 0.1,
        },
    ] {
        for q_n in [0.0, 1.0] {
            let (r, status) = solve(&law, &diagonal(&[1.0, 2.0, 3.0]), &[q_n, -4.0, 5.0]);
            assert_eq!((r, status), (vec![0.0; 3], Status::Open), "{}", law.name());
        }
    }
}

#[test]
fn small_tangential_velocity_sticks() {
    // r = -q_i / h_i, |r_t| = 0.25 <= 0.3 x 1.
    let (r, status) = solve(
        &Law::Coulomb { mu: 0.3 },
        &diagonal(&[2.0, 4.0, 4.0]),
        &[-2.0, 0.6, -0.8],
    );
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.15, 0.2]);
}

#[test]
fn sliding_opposes_the_velocity_in_every_direction() {
    for k in 0..12 {
        let a = std::f64::consts::TAU * f64::from(k) / 12.0;
        let q = [-2.0, 5.0 * a.cos(), 5.0 * a.sin()];
        let (r, status) = solve(&Law::Coulomb { mu: 0.3 }, &diagonal(&[2.0, 4.0, 4.0]), &q);
        assert_eq!(status, Status::Slip);
        close(&r, &[1.0, -0.3 * a.cos(), -0.3 * a.sin()]);
    }
}

#[test]
fn asymmetric_sliding_uses_the_coefficient_of_its_sense() {
    let law = Law::CoulombAsymmetric {
        plus: 0.2,
        minus: 0.6,
    };
    let h = diagonal(&[1.0, 1.0]);
    close(&solve(&law, &h, &[-1.0, 5.0]).0, &[1.0, -0.6]);
    close(&solve(&law, &h, &[-1.0, -5.0]).0, &[1.0, 0.2]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.5]);
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.5]);
}

#[test]
fn apex_is_reached_only_by_zero_approach() {
    for mu in [0.0, 0.5, 5.0] {
        let (r, status) = solve(&Law::Coulomb { mu }, &diagonal(&[1.0, 1.0, 1.0]), &[0.0; 3]);
        assert_eq!((r, status), (vec![0.0; 3], Status::Open));
    }
}

#[test]
fn the_border_of_the_cone_counts_as_stick() {
    // |r_t| = mu r_n exactly: 0.3 and 0.4 make 0.5.
    let (r, status) = solve(
        &Law::Coulomb { mu: 0.5 },
        &diagonal(&[1.0, 1.0, 1.0]),
        &[-1.0, 0.3, 0.4],
    );
    assert_eq!((r, status), (vec![1.0, -0.3, -0.4], Status::Stick));
    let (r, status) = solve(
        &Law::Coulomb { mu: 0.5 },
        &diagonal(&[1.0, 1.0]),
        &[-1.0, 0.5],
    );
    assert_eq!((r, status), (vec![1.0, -0.5], Status::Stick));
}

#[test]
fn no_friction_leaves_the_tangential_velocity_alone() {
    for law in [
        Law::Coulomb { mu: 0.0 },
        Law::CoulombElliptic { mu1: 0.0, mu2: 0.0 },
        Law::RollingPlane {
            mu: 0.0,
            mu_roll: 0.0,
        },
    ] {
        let h = [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0];
        let (r, status) = solve(&law, &h, &[-1.0, 3.0, 0.0]);
        assert_eq!(
            (r, status),
            (vec![0.5, 0.0, 0.0], Status::Slip),
            "{}",
            law.name()
        );
    }
}

#[test]
fn painleve_indeterminate_block_opens() {
    // Three solutions exist for q_n > 0 with strong coupling; the open one is the rule.
    let h = [1.0, -1.6, -1.6, 3.0];
    let (r, status) = solve(&Law::Coulomb { mu: 1.6 }, &h, &[0.001, -1.0]);
    assert_eq!((r, status), (vec![0.0; 2], Status::Open));
}

#[test]
fn painleve_inconsistent_sliding_jams_into_stick() {
    // H_nn + mu H_nt < 0 in the direction of friction: no sliding impulse can stop the approach,
    // sticking does (frictional catastrophe, M88 §14).
    let h = [1.0, -1.0, -1.0, 2.0];
    let (r, status) = solve(&Law::Coulomb { mu: 1.6 }, &h, &[-0.1, -1.0]);
    assert_eq!(status, Status::Stick);
    // H r = -q solved by hand: r = (1.2, 1.1).
    close(&r, &[1.2, 1.1]);
}

#[test]
fn elliptic_section_slides_along_its_own_normal() {
    // Diagonal H: u_t = h r_t + q_t must be a negative multiple of (r_1/mu1², r_2/mu2²).
    let law = Law::CoulombElliptic { mu1: 0.2, mu2: 0.8 };
    let (r, status) = solve(&law, &diagonal(&[1.0, 1.0, 1.0]), &[-1.0, 3.0, -2.0]);
    assert_eq!(status, Status::Slip);
    let u = [r[1] + 3.0, r[2] - 2.0];
    let n = [r[1] / 0.04, r[2] / 0.64];
    let cross = u[0] * n[1] - u[1] * n[0];
    // Some roundings of |u||n|, about 20.
    assert!(cross.abs() < 1e-14 * 50.0, "{cross:e}");
    assert!(u[0] * n[0] + u[1] * n[1] < 0.0);
    let on = (r[1] / 0.2).powi(2) + (r[2] / 0.8).powi(2);
    assert!((on - 1.0).abs() < 1e-14, "{on}");
}

#[test]
fn one_axis_without_friction_is_the_planar_law_on_the_other() {
    let h = diagonal(&[1.0, 1.0, 1.0]);
    let law = Law::CoulombElliptic { mu1: 0.0, mu2: 0.5 };
    assert_eq!(
        solve(&law, &h, &[-1.0, 0.0, 0.25]),
        (vec![1.0, 0.0, -0.25], Status::Stick)
    );
    assert_eq!(
        solve(&law, &h, &[-1.0, 9.0, 0.25]),
        (vec![1.0, 0.0, -0.25], Status::Slip)
    );
    assert_eq!(
        solve(&law, &h, &[-1.0, 9.0, 3.0]),
        (vec![1.0, 0.0, -0.5], Status::Slip)
    );
}

#[test]
fn polygon_sticks_slides_on_an_edge_and_at_a_vertex() {
    let law = PolygonSection::new(&[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]])
        .unwrap()
        .into_law();
    let h = diagonal(&[1.0, 1.0, 1.0]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.25, -0.5]);
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.25, 0.5]);
    let (r, status) = solve(&law, &h, &[-1.0, 3.0, 0.25]);
    assert_eq!(status, Status::Slip);
    close(&r, &[1.0, -0.5, -0.25]);
    let (r, status) = solve(&law, &h, &[-1.0, -3.0, 2.0]);
    assert_eq!(status, Status::Slip);
    close(&r, &[1.0, 0.5, -0.5]);
}

#[test]
fn rolling_blocks_slide_roll_and_spin_independently_on_a_diagonal_block() {
    let law = Law::Rolling {
        mu: 0.5,
        mu_roll: 0.2,
        mu_spin: 0.1,
    };
    let h = diagonal(&[1.0; 6]);
    // Sliding and spinning beyond their bounds, rolling within.
    let (r, status) = solve(&law, &h, &[-1.0, 3.0, 4.0, 0.1, -0.1, -2.0]);
    assert_eq!(status, Status::Slip);
    close(&r, &[1.0, -0.3, -0.4, -0.1, 0.1, 0.1]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.3, 0.2, 0.1, -0.1, 0.05]);
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.3, -0.2, -0.1, 0.1, -0.05]);
    let (r, status) = solve(&law, &diagonal(&[1.0; 5]), &[-2.0, 0.0, 0.0, 3.0, 4.0]);
    assert_eq!(status, Status::Slip);
    close(&r, &[2.0, 0.0, 0.0, -0.24, -0.32]);
}

#[test]
fn planar_rolling_resistance_stops_a_slow_disc_and_brakes_a_fast_one() {
    let law = Law::RollingPlane {
        mu: 0.5,
        mu_roll: 0.1,
    };
    let h = diagonal(&[1.0, 1.0, 2.0]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.25, 0.1]);
    assert_eq!(status, Status::Stick);
    close(&r, &[1.0, -0.25, -0.05]);
    let (r, status) = solve(&law, &h, &[-1.0, 0.25, -3.0]);
    assert_eq!(status, Status::Slip);
    close(&r, &[1.0, -0.25, 0.1]);
}

#[test]
fn static_friction_holds_until_the_contact_has_slid() {
    let friction = StaticDynamic {
        mu_static: 0.6,
        mu_dynamic: 0.3,
    };
    let h = diagonal(&[1.0, 1.0]);
    for (previous, expected) in [
        (Status::Open, (vec![1.0, -0.5], Status::Stick)),
        (Status::Stick, (vec![1.0, -0.5], Status::Stick)),
        (Status::Slip, (vec![1.0, -0.3], Status::Slip)),
    ] {
        let law = Law::StaticDynamic { friction, previous };
        assert_eq!(solve(&law, &h, &[-1.0, 0.5]), expected);
    }
}

#[test]
fn free_wheels_push_in_one_sense_only() {
    let push = NonFirmSet::half_line_positive().into_law();
    let pull = NonFirmSet::half_line_negative().into_law();
    assert_eq!(solve(&push, &[2.0], &[-1.0]), (vec![0.5], Status::Stick));
    assert_eq!(solve(&push, &[2.0], &[1.0]), (vec![0.0], Status::Open));
    assert_eq!(solve(&pull, &[2.0], &[1.0]), (vec![-0.5], Status::Stick));
    assert_eq!(solve(&pull, &[2.0], &[-1.0]), (vec![0.0], Status::Open));
}

#[test]
fn dry_friction_of_given_threshold_holds_or_yields_in_its_direction() {
    let law = NonFirmSet::ball(2, 0.5).unwrap().into_law();
    let h = diagonal(&[1.0, 1.0]);
    let (r, status) = solve(&law, &h, &[0.3, -0.4]);
    assert_eq!((r, status), (vec![-0.3, 0.4], Status::Stick));
    let (r, status) = solve(&law, &h, &[3.0, 4.0]);
    assert_eq!(status, Status::Slip);
    close(&r, &[-0.3, -0.4]);
}

#[test]
fn a_sum_of_sets_adds_bounds_and_radii() {
    // [-1, 2] x {0} + 3 (ball of radius 0.5): a stadium of radius 1.5.
    let ball = NonFirmSet::ball(2, 0.5).unwrap();
    let set = NonFirmSet::axis_box(&[-1.0, 0.0], &[2.0, 0.0])
        .unwrap()
        .plus(3.0, &ball)
        .unwrap();
    assert_eq!(
        (set.lower()[0], set.upper()[0], set.radius()),
        (-1.0, 2.0, 1.5)
    );
    let law = set.into_law();
    // Far along +x the answer is the tip of the stadium, far along y its flat side.
    let h = diagonal(&[1.0, 1.0]);
    close(&solve(&law, &h, &[-100.0, 0.0]).0, &[3.5, 0.0]);
    close(&solve(&law, &h, &[-1.0, 100.0]).0, &[1.0, -1.5]);
}

#[test]
fn joints_with_friction_hold_both_signs() {
    for (k, sign) in [(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let law = Law::BilateralFriction {
            normal_rows: k,
            mu: 0.5,
        };
        let h = diagonal(&vec![1.0; k + 2]);
        let mut q = vec![0.0; k + 2];
        // |r_n| = 5 by (3, 4) or by 5 alone.
        if k == 1 {
            q[0] = 5.0 * sign;
        } else {
            (q[0], q[1]) = (3.0 * sign, -4.0);
        }
        q[k] = 10.0;
        let (r, status) = solve(&law, &h, &q);
        assert_eq!(status, Status::Slip);
        let mut expected: Vec<f64> = q.iter().map(|x| -x).collect();
        expected[k] = -2.5;
        close(&r, &expected);
        q[k] = 2.0;
        let (r, status) = solve(&law, &h, &q);
        assert_eq!(status, Status::Stick);
        close(&r, &q.iter().map(|x| -x).collect::<Vec<_>>());
    }
}
