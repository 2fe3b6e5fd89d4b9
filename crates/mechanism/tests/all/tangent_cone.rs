//! Contacts evaluated at q_I + h v_I instead of q_M (M88 Remark 11.1): order and violation.

use crate::common::Model;
use crate::native::state;
use percuss_contact::Law;
use percuss_mechanism::{
    ConstraintKind, ImpactLaw, Integrator, Scheme, Settings, TangentCone, TimeStepper,
};

/// A point of unit mass inside the circle of radius 1, without forces.
fn bead() -> Model {
    Model::new(2, |_, _, _, k| k.fill(0.0))
        .constraint("circle", ConstraintKind::Contact, 1)
        .gaps(|_, q, gaps| gaps[0] = 1.0 - q[0].hypot(q[1]))
        .rows(|_, _, q, jacobian, _| {
            let r = q[0].hypot(q[1]);
            jacobian.copy_from_slice(&[-q[0] / r, -q[1] / r]);
        })
        .law(|_, _, _, _| Law::Frictionless)
}

fn settings(cone: TangentCone, h: f64) -> Settings {
    Settings {
        step: h,
        tangent_cone: cone,
        ..Settings::default()
    }
}

/// Largest violation while the bead runs along the circle for one second, and the error of its angle then; exact: 1.
fn along_the_circle(cone: TangentCone, h: f64) -> (f64, f64) {
    let start = state(&[1.0, 0.0], &[0.0, 1.0]);
    let mut motion = TimeStepper::new(bead(), settings(cone, h), start).unwrap();
    let mut deepest = 0.0_f64;
    for _ in 0..(1.0 / h).round() as usize {
        motion.advance().unwrap();
        let q = &motion.state().q;
        deepest = deepest.max(q[0].hypot(q[1]) - 1.0);
    }
    let q = &motion.state().q;
    (deepest, (q[1].atan2(q[0]) - 1.0).abs())
}

/// Orders of violation and error between h and h/8.
fn orders(cone: TangentCone) -> (f64, f64) {
    let (rough, fine) = (
        along_the_circle(cone, 1e-2),
        along_the_circle(cone, 1.25e-3),
    );
    (
        (rough.0 / fine.0).log2() / 3.0,
        (rough.1 / fine.1).log2() / 3.0,
    )
}

#[test]
fn violation_is_of_third_order_with_the_cone_at_the_end_and_of_first_at_the_midpoint() {
    // The orders of these steps deviate from their limit by less than 0.01.
    let (violation, error) = orders(TangentCone::Midpoint);
    assert!((violation - 1.0).abs() < 0.02, "violation {violation}");
    assert!((error - 1.0).abs() < 0.02, "error {error}");
    let (violation, error) = orders(TangentCone::End);
    assert!((violation - 3.0).abs() < 0.02, "violation {violation}");
    assert!((error - 1.0).abs() < 0.02, "error {error}");
    // Violations of the recurrence written out in another language: h/2, and h³/8 at the first steps.
    let (deepest, _) = along_the_circle(TangentCone::Midpoint, 1e-2);
    assert!(
        (deepest - 4.938_541_026_183_518e-3).abs() < 1e-12,
        "{deepest:e}"
    );
    let (deepest, _) = along_the_circle(TangentCone::End, 1e-2);
    assert!(
        (deepest - 1.237_623_532_546_194_8e-7).abs() < 1e-12,
        "{deepest:e}"
    );
}

#[test]
fn a_fall_on_a_floor_is_stopped_within_the_step_that_would_pass_it() {
    // A ball that falls with velocity 1 and no weight from a height of 3.75 steps onto a soft floor.
    let stopped_at = |cone: TangentCone| {
        let h = 1e-2;
        let ball = Model::new(1, |_, _, _, k| k[0] = 0.0)
            .constraint("floor", ConstraintKind::Contact, 1)
            .gaps(|_, q, gaps| gaps[0] = q[0])
            .rows(|_, _, _, jacobian, _| jacobian[0] = 1.0);
        let start = state(&[3.75 * h], &[-1.0]);
        let mut motion = TimeStepper::new(ball, settings(cone, h), start).unwrap();
        for _ in 0..10 {
            motion.advance().unwrap();
        }
        motion.state().q[0] / h
    };
    // q_M = q_I − h/2 first passes the floor from q_I = −¼ h: the step ends at −¾ h. q_I − h does from ¾ h: it ends at ¼ h.
    assert!((stopped_at(TangentCone::Midpoint) + 0.75).abs() < 1e-12);
    assert!((stopped_at(TangentCone::End) - 0.25).abs() < 1e-12);
}

#[test]
fn joints_and_other_schemes_do_not_know_the_choice() {
    // A joint is at the midpoint in either case: the same bits.
    let end_of = |cone: TangentCone, kind: ConstraintKind, scheme: Scheme| {
        let mut bead = bead();
        bead.constraints[0].kind = kind;
        if kind == ConstraintKind::Joint {
            bead = bead.law(|_, _, _, _| Law::Bilateral);
        }
        let settings = Settings {
            scheme,
            ..settings(cone, 1e-2)
        };
        let start = state(&[1.0, 0.0], &[0.0, 1.0]);
        let mut motion = TimeStepper::new(bead, settings, start).unwrap();
        for _ in 0..50 {
            motion.advance().unwrap();
        }
        motion.state().q.clone()
    };
    let (contact, joint) = (ConstraintKind::Contact, ConstraintKind::Joint);
    for (kind, scheme) in [
        (joint, Scheme::Midpoint),
        (contact, Scheme::Theta(0.5)),
        (contact, Scheme::Paoli),
    ] {
        let [one, other] =
            [TangentCone::Midpoint, TangentCone::End].map(|cone| end_of(cone, kind, scheme));
        assert_eq!(one, other, "{scheme:?}");
    }
    let [one, other] = [TangentCone::Midpoint, TangentCone::End]
        .map(|cone| end_of(cone, contact, Scheme::Midpoint));
    assert_ne!(one, other);
}

#[test]
fn impacts_resolved_before_the_step_are_refused() {
    for impact in [ImpactLaw::Sequential, ImpactLaw::Poisson] {
        let settings = Settings {
            impact,
            ..settings(TangentCone::End, 1e-2)
        };
        let start = state(&[0.5, 0.0], &[0.0, 1.0]);
        let refused = TimeStepper::new(bead(), settings, start).err();
        let text = refused.expect("refused").to_string();
        assert!(
            text.contains(impact.name()) && text.contains("q_I + h v_I"),
            "{text}"
        );
    }
}
