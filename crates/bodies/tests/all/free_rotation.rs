//! Free rotation: conserved quantities, order of accuracy, limits.

use glam::{DQuat, DVec3};
use percuss_bodies::free_rotation::{cayley_update, free_spin};
use percuss_bodies::{Dynamics, Pose, Space};

/// A box tumbling about its middle axis, the unstable one.
fn tumbling() -> (DVec3, DVec3) {
    (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.01, 5.0, 0.02))
}

fn step(inertia: DVec3, rotation: DQuat, spin: DVec3, h: f64) -> (DQuat, DVec3) {
    let end = free_spin(inertia, spin, DVec3::ZERO, h);
    (cayley_update(rotation, 0.5 * h * (spin + end)), end)
}

#[test]
fn a_tumbling_box_keeps_energy_and_angular_momentum_for_1e5_steps() {
    let (inertia, start) = tumbling();
    for h in [1e-3, 1e-2, 0.1] {
        let (mut rotation, mut spin) = (DQuat::IDENTITY, start);
        let energy = |s: DVec3| 0.5 * (inertia * s).dot(s);
        let (e0, l0) = (energy(start), rotation * (inertia * start));
        let (mut worst_e, mut worst_l, mut least) = (0.0f64, 0.0f64, f64::INFINITY);
        for _ in 0..100_000 {
            (rotation, spin) = step(inertia, rotation, spin, h);
            worst_e = worst_e.max((energy(spin) - e0).abs() / e0);
            worst_l = worst_l.max((rotation * (inertia * spin) - l0).length() / l0.length());
            least = least.min(spin.y);
        }
        // Rounding: 1e5 steps of a few 1e-16 each, adding up at worst to 1e-10.
        assert!(
            worst_e < 1e-10 && worst_l < 1e-10,
            "h {h}: {worst_e:e} {worst_l:e}"
        );
        // It does tumble.
        assert!(least < -4.9, "h {h}: {least}");
    }
}

/// Classical Runge-Kutta of order four with tiny steps.
fn reference(inertia: DVec3, spin: DVec3, moment: DVec3, time: f64) -> (DQuat, DVec3) {
    let n = 20_000;
    let h = time / n as f64;
    let rate = |q: DQuat, s: DVec3| {
        let ds = ((inertia * s).cross(s) + moment) / inertia;
        let dq = q * DQuat::from_xyzw(0.5 * s.x, 0.5 * s.y, 0.5 * s.z, 0.0);
        (dq, ds)
    };
    let (mut q, mut s) = (DQuat::IDENTITY, spin);
    for _ in 0..n {
        let (q1, s1) = rate(q, s);
        let (q2, s2) = rate(q + q1 * (0.5 * h), s + 0.5 * h * s1);
        let (q3, s3) = rate(q + q2 * (0.5 * h), s + 0.5 * h * s2);
        let (q4, s4) = rate(q + q3 * h, s + h * s3);
        q += (q1 + q2 * 2.0 + q3 * 2.0 + q4) * (h / 6.0);
        s += (s1 + 2.0 * s2 + 2.0 * s3 + s4) * (h / 6.0);
    }
    (q.normalize(), s)
}

#[test]
fn the_step_is_of_second_order() {
    let inertia = DVec3::new(1.0, 2.0, 3.0);
    let (start, moment) = (DVec3::new(1.0, 1.5, -0.5), DVec3::new(0.3, -0.2, 0.1));
    let (q, s) = reference(inertia, start, moment, 2.0);
    let errors = [50, 100, 200, 400].map(|n| {
        let h = 2.0 / n as f64;
        let (mut rotation, mut spin) = (DQuat::IDENTITY, start);
        for _ in 0..n {
            let end = free_spin(inertia, spin, moment, h);
            rotation = cayley_update(rotation, 0.5 * h * (spin + end));
            spin = end;
        }
        (
            (spin - s).length(),
            (q.conjugate() * rotation).xyz().length(),
        )
    });
    for pair in errors.windows(2) {
        // Halving the step: a quarter of the error, within 5 % for the next order.
        let (spin, angle) = (pair[0].0 / pair[1].0, pair[0].1 / pair[1].1);
        assert!(
            (spin - 4.0).abs() < 0.2 && (angle - 4.0).abs() < 0.2,
            "{spin} {angle}"
        );
    }
}

#[test]
fn a_spin_about_a_principal_axis_stays_exactly() {
    let inertia = DVec3::new(1.0, 2.0, 3.0);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for h in [1e-6, 1e-2, 1.0, 1e3] {
            let spin = 3.0 * axis;
            assert_eq!(free_spin(inertia, spin, DVec3::ZERO, h), spin);
        }
    }
    // A ball turns about any axis.
    let spin = DVec3::new(1.0, -2.0, 0.5);
    assert_eq!(free_spin(DVec3::splat(0.4), spin, DVec3::ZERO, 0.1), spin);
}

#[test]
fn a_moment_about_a_principal_axis_adds_exactly() {
    let inertia = DVec3::new(1.0, 2.0, 4.0);
    let end = free_spin(
        inertia,
        DVec3::new(0.0, 0.0, 1.0),
        DVec3::new(0.0, 0.0, 2.0),
        0.25,
    );
    assert!((end - DVec3::new(0.0, 0.0, 1.125)).length() < 1e-15);
}

#[test]
fn steps_of_any_length_stay_finite_and_keep_the_momentum() {
    for inertia in [
        DVec3::new(1.0, 2.0, 2.5),
        DVec3::new(1e-9, 1.0, 1.0),
        DVec3::new(1.0, 1.0, 1.9),
    ] {
        for size in [1e-12, 1.0, 1e6] {
            for h in [1e-12, 1e-3, 0.3, 1.0, 3.0, 10.0, 1e3, 1e9] {
                for k in 0..50 {
                    let k = k as f64;
                    let start =
                        size * DVec3::new((1.3 * k).sin(), (0.7 * k).cos(), (2.1 * k).sin());
                    let end = free_spin(inertia, start, DVec3::ZERO, h);
                    assert!(end.is_finite());
                    let energy = |s: DVec3| (inertia * s).dot(s);
                    let ratio = energy(end) / energy(start);
                    // However long the step, no energy comes from nowhere.
                    assert!(
                        (ratio - 1.0).abs() < 1e-9,
                        "h {h} size {size} {inertia}: {ratio}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_pose_turns_by_the_spin_in_body_axes() {
    let pose = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_x(0.4),
    };
    let h = 1e-4;
    let next = Space::advance_pose(&pose, &[1.0, 2.0, 3.0, 0.3, -0.2, 0.5], h);
    assert!((next.position - DVec3::new(1e-4, 2e-4, 3e-4)).length() < 1e-18);
    let expected = pose.rotation * DQuat::from_scaled_axis(h * DVec3::new(0.3, -0.2, 0.5));
    // Cayley's map differs from the exponential by |hΩ|³/12.
    assert!((next.rotation.conjugate() * expected).xyz().length() < 1e-13);
}
