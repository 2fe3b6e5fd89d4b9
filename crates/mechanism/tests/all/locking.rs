//! Joints whose friction feeds on itself: locking and two motions, by enumeration of the accelerations (B02 example 14).

use crate::common::Model;
use crate::native::state;
use percuss_contact::Law;
use percuss_mechanism::painleve::{gamma, joint_accelerations, joint_jumps};
use percuss_mechanism::{
    ConstraintKind, EventDriven, EventKind, Integrator, Scheme, Settings, StateRef, TimeStepper,
};

/// A joint with `count` reactions and friction along one line, as its Delassus operator W says: unit normal rows, which
/// friction loads by k, and a tangential row of 4. Forces p are those on the rows, so that R = −p_N − k r_t and
/// U̇_t = p_t + k·R + 4 r_t.
fn joint(count: usize, k: [f64; 2], mu: f64, push: impl Fn(f64) -> [f64; 3] + 'static) -> Model {
    let w = [1.0, 0.0, k[0], 0.0, 1.0, k[1], k[0], k[1], 4.0];
    // M = W⁻¹, by the bordered form: Schur complement 4 − |k|².
    let d = 1.0 / (4.0 - k[0] * k[0] - k[1] * k[1]);
    let mass = [
        1.0 + d * k[0] * k[0],
        d * k[0] * k[1],
        -d * k[0],
        d * k[0] * k[1],
        1.0 + d * k[1] * k[1],
        -d * k[1],
        -d * k[0],
        -d * k[1],
        d,
    ];
    for i in 0..3 {
        for j in 0..3 {
            let product: f64 = (0..3).map(|m| mass[3 * i + m] * w[3 * m + j]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
        }
    }
    Model::new(3, |_, _, _, _| {})
        .dynamics(move |t, _, _, a, force| {
            a.copy_from_slice(&mass);
            let p = push(t);
            // Forces f with W f = p.
            for i in 0..3 {
                force[i] = (0..3).map(|j| mass[3 * i + j] * p[j]).sum();
            }
        })
        .constraint(
            "guide",
            ConstraintKind::FrictionJoint { normal_rows: count },
            count + 1,
        )
        .gaps(move |_, q, gaps| gaps.copy_from_slice(&q[..count]))
        .rows(move |_, _, _, g, boundary| {
            boundary.fill(0.0);
            g.fill(0.0);
            for (i, row) in g.chunks_mut(3).enumerate() {
                row[if i == count { 2 } else { i }] = 1.0;
            }
        })
        .law(move |_, _, _, _| Law::BilateralFriction {
            normal_rows: count,
            mu,
        })
}

/// Accelerations along the guide while it slides with a negative velocity: r_t = μ s, and all s ≥ 0 with s = |R|, by
/// scanning for sign changes of s − |a + s c| and halving them.
fn scanned(count: usize, k: [f64; 2], mu: f64, p: [f64; 3]) -> Vec<f64> {
    let reaction = |s: f64| -> Vec<f64> { (0..count).map(|i| -p[i] - k[i] * mu * s).collect() };
    let off = |s: f64| s - reaction(s).iter().map(|r| r * r).sum::<f64>().sqrt();
    let mut found = Vec::new();
    for cell in 0..200_000 {
        let (mut low, mut high) = (f64::from(cell) * 1e-3, f64::from(cell + 1) * 1e-3);
        if (off(low) < 0.0) == (off(high) < 0.0) {
            continue;
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            match (off(middle) < 0.0) == (off(low) < 0.0) {
                true => low = middle,
                false => high = middle,
            }
        }
        let pushed: f64 = reaction(low).iter().zip(&k).map(|(r, k)| k * r).sum();
        found.push(p[2] + pushed + 4.0 * mu * low);
    }
    found
}

/// One, two and no accelerations, with one reaction and with two: joints with two were not looked at.
#[test]
fn all_accelerations_of_a_sliding_joint_are_found() {
    let cases = [
        (1, [0.9, 0.0], 0.5, [-3.0, 0.0, 1.0]),
        (1, [0.9, 0.0], 1.5, [-3.0, 0.0, 1.0]),
        (1, [0.9, 0.0], 1.5, [3.0, 0.0, 1.0]),
        (2, [0.6, -0.5], 0.5, [-3.0, 2.0, 1.0]),
        (2, [0.6, -0.5], 2.0, [-3.0, 2.0, 1.0]),
        (2, [0.6, -0.5], 2.0, [3.0, -2.0, 1.0]),
        (2, [0.6, -0.5], 2.0, [-1.0, -3.0, 1.0]),
    ];
    let mut counts = Vec::new();
    for (count, k, mu, p) in cases {
        let mut model = joint(count, k, mu, move |_| p);
        let at = StateRef {
            t: 0.0,
            q: &[0.0; 3],
            v: &[0.0, 0.0, -2.0],
        };
        let mut found: Vec<f64> = joint_accelerations(&mut model, 0, at)
            .unwrap()
            .iter()
            .map(|a| a[2])
            .collect();
        let mut wanted = scanned(count, k, mu, p);
        found.sort_by(f64::total_cmp);
        wanted.sort_by(f64::total_cmp);
        assert_eq!(found.len(), wanted.len(), "{count}, {mu}, {p:?}: {found:?}");
        for (a, b) in found.iter().zip(&wanted) {
            assert!(
                (a - b).abs() < 1e-9 * (1.0 + b.abs()),
                "{found:?}, not {wanted:?}"
            );
        }
        // γ = (1 − μ|k|) W_nn, and the jump to rest is there just where γ ≤ 0.
        let exact = 1.0 - mu * k[0].hypot(k[1]);
        let value = gamma(&mut model, 0, at).unwrap();
        assert!((value - exact).abs() < 1e-12, "{value}, not {exact}");
        let jumps = joint_jumps(&mut model, 0, at).unwrap();
        assert_eq!(jumps.len(), usize::from(exact < 0.0), "{jumps:?}");
        counts.push(found.len());
    }
    assert_eq!(counts, [1, 2, 0, 1, 2, 0, 0]);
}

fn kinds(scheme: Scheme, step: f64, until: f64, model: Model, speed: f64) -> (Vec<EventKind>, f64) {
    let settings = Settings {
        scheme,
        step,
        ..Settings::default()
    };
    let first = state(&[0.0; 3], &[0.0, 0.0, speed]);
    let mut motion: Box<dyn Integrator> = match scheme {
        Scheme::Event => Box::new(EventDriven::new(model, settings, first).unwrap()),
        _ => Box::new(TimeStepper::new(model, settings, first).unwrap()),
    };
    let mut found = Vec::new();
    for _ in 0..(until / step).round() as usize {
        motion.advance().unwrap();
        found.extend(motion.events().iter().map(|e| e.kind));
    }
    (found, motion.state().v[2])
}

/// A joint locks where the laws admit no acceleration, however slow it is. A slow one was missed: the rule compared its
/// speed with what the forces change in a step.
#[test]
fn a_slow_joint_locks_too() {
    for (count, k) in [(1, [0.9, 0.0]), (2, [0.6, -0.5])] {
        for scheme in [Scheme::Midpoint, Scheme::Event] {
            for speed in [-2.0, -1e-3] {
                let model = joint(count, k, 2.0, |_| [3.0, -2.0, 1.0]);
                let (found, last) = kinds(scheme, 1e-2, 0.05, model, speed);
                let locks = found.iter().filter(|k| **k == EventKind::Locked).count();
                assert_eq!(locks, 1, "{count}, {scheme:?}, {speed}: {found:?}");
                assert!(last.abs() < 1e-9, "{last}");
            }
        }
    }
}

/// A joint that a sudden load stops within a step does not lock: its friction does not feed on itself. It was told to.
#[test]
fn a_joint_that_a_load_stops_does_not_lock() {
    for scheme in [Scheme::Midpoint, Scheme::Event] {
        let load = |t: f64| [-0.1 - 1e9 * (t - 0.1).max(0.0).powi(2), 0.0, 0.0];
        let model = joint(1, [0.2, 0.0], 0.5, load);
        let (found, last) = kinds(scheme, 1e-2, 0.3, model, -2.0);
        assert!(last.abs() < 1e-9, "{scheme:?}: {last}");
        assert!(!found.contains(&EventKind::Locked), "{scheme:?}: {found:?}");
        assert!(found.contains(&EventKind::Stick), "{scheme:?}: {found:?}");
    }
}
