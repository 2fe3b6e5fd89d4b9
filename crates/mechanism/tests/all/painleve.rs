//! Sliding without collision: γ, the outcomes, and what the schemes do (P15, M88 §14).

use crate::native::{Rod, state};
use percuss_mechanism::painleve::{Outcomes, analyse_sliding_contact, gamma};
use percuss_mechanism::{EventKind, Integrator, Scheme, Settings, StateRef, TimeStepper};

const ANGLE: f64 = std::f64::consts::FRAC_PI_3;

fn on_floor() -> [f64; 3] {
    [0.0, Rod::HALF * ANGLE.sin(), ANGLE]
}

#[test]
fn gamma_changes_sign_at_the_friction_of_the_closed_form() {
    // μ_P = (κ + cos²)/(sin cos), κ = 1/3 for a uniform rod.
    let (s, c) = ANGLE.sin_cos();
    let threshold = (1.0 / 3.0 + c * c) / (s * c);
    assert!((threshold - 1.347_150_628_109_126_8).abs() < 1e-14);
    let q = on_floor();
    for (mu, sign) in [(threshold - 1e-9, 1.0), (threshold + 1e-9, -1.0)] {
        let at = StateRef {
            t: 0.0,
            q: &q,
            v: &[-1.0, 0.0, 0.0],
        };
        let found = gamma(&mut Rod::new(mu, 9.81), 0, at).unwrap();
        assert!(found * sign > 0.0, "{found:e} at μ = {mu}");
    }
}

#[test]
fn beyond_the_threshold_the_rod_may_stop_or_slide_on() {
    let q = on_floor();
    let at = StateRef {
        t: 0.0,
        q: &q,
        v: &[-1.0, 0.0, 0.0],
    };
    let found = analyse_sliding_contact(&mut Rod::new(1.6, 9.81), 0, at, Scheme::Midpoint).unwrap();
    let Outcomes::Two { jump } = found.outcomes else {
        panic!("two outcomes expected, γ = {:e}", found.gamma);
    };
    // Tip at rest: v⁺ by hand from two impulse equations. The approach that selects the jump is
    // 1e-9 of the sliding velocity.
    let expected = [-0.5625, 0.324_759_526_419_164_5, 1.299_038_105_676_657_8];
    for (a, b) in jump.iter().zip(expected) {
        assert!((a - b).abs() < 1e-8, "{jump:?}");
    }
    // One direction of friction: the least energy is Coulomb's law.
    let least = analyse_sliding_contact(&mut Rod::new(1.6, 9.81), 0, at, Scheme::Paoli).unwrap();
    let Outcomes::Two { jump } = least.outcomes else {
        panic!("two outcomes expected, γ = {:e}", least.gamma);
    };
    assert!(
        jump.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8),
        "{jump:?}"
    );
    let below = analyse_sliding_contact(&mut Rod::new(1.0, 9.81), 0, at, Scheme::Midpoint).unwrap();
    assert_eq!(below.outcomes, Outcomes::One);
}

#[test]
fn a_step_jumps_without_a_collision_and_says_so() {
    for (h, tolerance) in [(1e-2, 0.1), (1e-3, 0.01), (1e-4, 0.001)] {
        let settings = Settings {
            step: h,
            ..Settings::default()
        };
        let start = state(&on_floor(), &[-1.0, 0.0, 0.0]);
        let mut motion = TimeStepper::new(Rod::new(1.6, 9.81), settings, start).unwrap();
        motion.advance().unwrap();
        let touches = motion.constraint_reports();
        // The jump's impulse (normal, tangential), to first order in h.
        let (n, t) = (touches[0].impulse[0], touches[0].impulse[1]);
        assert!((n - 0.324_759_526_419_164_5).abs() < tolerance, "{n}");
        assert!((t - 0.4375).abs() < tolerance, "{t}");
    }
}

#[test]
fn the_ledger_reports_gamma_where_sliding_is_singular_and_only_there() {
    for (mu, singular) in [(1.0, false), (1.6, true)] {
        let start = state(&on_floor(), &[-1.0, 0.0, 0.0]);
        let settings = Settings {
            step: 1e-4,
            ..Settings::default()
        };
        let mut motion = TimeStepper::new(Rod::new(mu, 9.81), settings, start).unwrap();
        motion.advance().unwrap();
        let reported = motion.events().iter().find_map(|e| match e.kind {
            EventKind::Painleve { gamma } => Some(gamma),
            _ => None,
        });
        assert_eq!(reported.is_some(), singular);
        assert_eq!(motion.step_report().gamma <= 0.0, singular);
        // γ = 1 + cos²/κ − μ sin cos/κ, evaluated half a step on.
        let (s, c) = ANGLE.sin_cos();
        let exact = 1.0 + 3.0 * c * c - 3.0 * mu * s * c;
        assert!((motion.step_report().gamma - exact).abs() < 1e-12);
    }
}
