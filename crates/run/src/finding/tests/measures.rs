//! Every measure of one run.

use std::f64::consts::PI;

use super::{Hand, event, number, reason, touch, value};
use crate::finding::value::Value;
use percuss_mechanism::EventKind;

/// x = sin t, y = t.
fn wave(end: f64, h: f64) -> Hand {
    Hand::new(end, h, |t| [t.sin(), t, t.cos(), 1.0])
}

#[test]
fn points_of_a_motion_are_those_of_its_states() {
    let mut subject = wave(4.0, 0.01).subject();
    assert_eq!(number(&mut subject, "initial(x_dot)"), 1.0);
    assert_eq!(number(&mut subject, "final(x)"), 4.0_f64.sin());
    assert_eq!(number(&mut subject, "final(y)*two"), 8.0);
    assert_eq!(number(&mut subject, "at(x, 1.23)"), 1.23_f64.sin());
    // Between states: half a step along v_I, then along v_F; the curvature is left out, h²/4.
    let between = number(&mut subject, "at(x, 1.2367)");
    assert!((between - 1.2367_f64.sin()).abs() < 2.5e-5, "{between}");
    // Velocities between states are linear: h²/8 max|cos|.
    let between = number(&mut subject, "at(x_dot, 1.2367)");
    assert!((between - 1.2367_f64.cos()).abs() < 1.3e-5, "{between}");
    let outside = reason(&mut subject, "at(x, 4.1)");
    assert_eq!(
        outside,
        "t = 4.1 is outside the run, which goes from 0 to 4"
    );
}

#[test]
fn extremes_means_and_integrals_of_a_sine() {
    let mut subject = wave(2.0 * PI, 2.0 * PI / 1000.0).subject();
    // A state lies on each extreme.
    assert_eq!(number(&mut subject, "maximum(x)"), 1.0);
    assert_eq!(number(&mut subject, "minimum(x)"), -1.0);
    // Trapezia over whole periods are exact; rounding of a thousand terms.
    assert!(number(&mut subject, "integral(x)").abs() < 1e-13);
    assert!((number(&mut subject, "mean(x^2)") - 0.5).abs() < 1e-13);
    // Over a part: error (b−a) h²/12 max|x''| = 1.04e-5.
    assert!((number(&mut subject, "integral(x, 0, pi)") - 2.0).abs() < 1.1e-5);
    assert!((number(&mut subject, "mean(x, 0, pi)") - 2.0 / PI).abs() < 1.1e-5);
    // Ends of a span that are no states count too: y = t.
    assert!((number(&mut subject, "maximum(y, 1, 2.0001)") - 2.0001).abs() < 1e-12);
    assert!((number(&mut subject, "minimum(y, 1.0001, 2)") - 1.0001).abs() < 1e-12);
    assert_eq!(
        reason(&mut subject, "mean(x, 2, 1)"),
        "the span from 2 to 1 is empty"
    );
}

#[test]
fn passages_through_zero_are_counted_by_sense() {
    let mut subject = wave(10.0, 0.01).subject();
    // The chord of a sine: error below h²/8 in x, slope 1.
    for (text, expected) in [
        ("crossing(x, 1)", PI),
        ("crossing(x, 3)", 3.0 * PI),
        ("falling(x, 2)", 3.0 * PI),
        ("rising(x)", 2.0 * PI),
        ("crossing(x - 0.5, 1)", PI / 6.0),
    ] {
        let found = number(&mut subject, text);
        assert!((found - expected).abs() < 1.3e-5, "{text} = {found}");
    }
    let none = reason(&mut subject, "rising(x, 2)");
    assert_eq!(none, "`x` rises through 0 only 1 times, not 2");
    assert_eq!(
        reason(&mut subject, "falling(y + 1)"),
        "`y + 1` falls through 0 0 times, not 1"
    );
}

#[test]
fn a_touch_of_zero_is_no_passage() {
    // |t − 1| − 1/2 stays at 0 on [0.5, 1.5] and comes back up: then down to −1.
    let x = |t: f64| ((t - 1.0).abs() - 0.5).max(0.0) - 2.0 * (t - 2.5).max(0.0);
    let mut subject = Hand::new(4.0, 0.125, |t| [x(t), 0.0, 0.0, 0.0]).subject();
    // (t − 1.5) = 2(t − 2.5) at t = 3.5, a state: the zero itself is the instant.
    assert_eq!(number(&mut subject, "crossing(x, 1)"), 3.5);
    assert!(reason(&mut subject, "crossing(x, 2)").contains("only 1 times"));
}

fn bouncing() -> Hand {
    let mut hand = Hand::new(1.0, 0.5, |t| [t, 0.0, 1.0, 0.0]);
    let impact = |before, after| EventKind::Impact { before, after };
    let still = |_: f64| [0.0; 4];
    let events = [
        event(1.25, 0, impact(-2.0, 1.0)),
        event(1.3, 1, impact(-5.0, 0.5)),
        event(1.5, 0, EventKind::Stick),
    ];
    hand.push(
        1.5,
        still,
        &[touch(0, &[3.0, 0.5]), touch(1, &[7.0])],
        &events,
    );
    let events = [
        event(1.75, 0, impact(-1.0, 0.0)),
        event(1.75, 0, EventKind::Touch),
        event(1.8, 0, EventKind::Slip),
        event(1.85, 1, EventKind::Locked),
        event(1.86, 0, EventKind::Painleve { gamma: -0.1 }),
        event(1.9, 0, EventKind::Detach),
    ];
    hand.push(2.0, still, &[touch(0, &[1.0, -0.25])], &events);
    hand
}

#[test]
fn events_are_found_by_contact_and_number() {
    let mut subject = bouncing().subject();
    for (text, expected) in [
        ("impact(floor, 1)", 1.25),
        ("impact(floor, two)", 1.75),
        ("impact(wall)", 1.3),
        ("speed_before(floor, 1)", -2.0),
        ("speed_after(floor, 1)", 1.0),
        ("speed_after(wall, 1)", 0.5),
        ("impacts(floor)", 2.0),
        ("impacts(floor, 1.5)", 1.0),
        ("impacts(wall, 5)", 0.0),
        ("touch(floor, 1)", 1.75),
        ("detach(floor, 1)", 1.9),
        ("stick(floor, 1)", 1.5),
        ("slip(floor, 1)", 1.8),
        ("locked(wall, 1)", 1.85),
        ("painleve(floor, 1)", 1.86),
        ("-speed_after(floor, 1)/speed_before(floor, 1)", 0.5),
    ] {
        assert_eq!(number(&mut subject, text), expected, "{text}");
    }
    assert_eq!(
        reason(&mut subject, "impact(floor, 3)"),
        "`floor` has 2 impacts, not 3"
    );
    assert_eq!(
        reason(&mut subject, "impact(wall, 2)"),
        "`wall` has 1 impact, not 2"
    );
    assert_eq!(
        reason(&mut subject, "touch(wall, 1)"),
        "`wall` has 0 touches, not 1"
    );
    let half = reason(&mut subject, "impact(floor, 0.5)");
    assert_eq!(half, "a whole number from 1 was expected, not 0.5");
}

#[test]
fn impulses_add_up_and_forces_are_their_means() {
    let mut subject = bouncing().subject();
    assert_eq!(number(&mut subject, "impulse(floor, 1)"), 4.0);
    assert_eq!(number(&mut subject, "impulse(floor)"), 4.0);
    assert_eq!(number(&mut subject, "impulse(floor, 2)"), 0.25);
    assert_eq!(number(&mut subject, "impulse(wall, 1)"), 7.0);
    // Impulse over the step of 0.5; within a step, that of the step.
    assert_eq!(number(&mut subject, "at(force_floor, 1.5)"), 6.0);
    assert_eq!(number(&mut subject, "at(force_floor, 1.4)"), 6.0);
    assert_eq!(number(&mut subject, "at(friction_floor, 2)"), -0.5);
    assert_eq!(number(&mut subject, "at(force_floor, 0.9)"), 0.0);
    assert_eq!(number(&mut subject, "maximum(force_wall)"), 14.0);
}

#[test]
fn the_ledger_is_summed_up() {
    let mut hand = wave(1.0, 0.1);
    hand.certificate.worst_gain = 0.25;
    hand.certificate.missed = 3;
    let mut subject = hand.subject();
    assert_eq!(number(&mut subject, "worst(gain)"), 0.25);
    assert_eq!(number(&mut subject, "worst(residual)"), 0.0);
    assert_eq!(number(&mut subject, "missed()"), 3.0);
}

/// Impacts at 3 − 2^(1−n) seen by a time stepper, force afterwards.
fn zeno(carries: bool) -> Hand {
    let h = 1e-3;
    let mut hand = Hand::new(h, h, |_| [0.0; 4]);
    let mut n = 0;
    for k in 2..=4000 {
        let t = f64::from(k) * h;
        let mut events = Vec::new();
        while n < 40 && 3.0 - 2.0_f64.powi(1 - n) <= t {
            n += 1;
            let kind = EventKind::Impact {
                before: -1.0,
                after: 0.5,
            };
            events.push(event(t, 0, kind));
        }
        let force: &[_] = if t > 3.0 && carries {
            &[touch(0, &[1e-3, 0.0])]
        } else {
            &[]
        };
        hand.push(t, |_| [0.0; 4], force, &events);
    }
    hand
}

#[test]
fn accumulations_are_extrapolated_and_cross_checked() {
    let found = number(&mut zeno(true).subject(), "accumulation(floor)");
    // Instants are late by up to a step each.
    assert!((found - 3.0).abs() < 2e-3, "{found}");
    let open = reason(&mut zeno(false).subject(), "accumulation(floor)");
    assert!(open.contains("but the contact is open there"), "{open}");
    let none = reason(&mut zeno(true).subject(), "accumulation(wall)");
    assert!(
        none.starts_with("no accumulation of impacts of `wall`: 0 intervals"),
        "{none}"
    );
    let mut reported = wave(1.0, 0.5);
    let events = [event(1.2, 1, EventKind::Accumulation)];
    reported.push(1.5, |_| [0.0; 4], &[], &events);
    assert_eq!(number(&mut reported.subject(), "accumulation(wall)"), 1.2);
}

#[test]
fn a_whole_run_does_not_fail() {
    let mut subject = wave(1.0, 0.1).subject();
    assert_eq!(
        value(&mut subject, "fails(\"blew up\")"),
        Ok(Value::Truth(false))
    );
}
