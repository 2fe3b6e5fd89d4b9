//! Joints, their limits and springs, against closed forms.

use glam::DVec2;
use percuss_bodies::Joint;
use percuss_bodies::joint::{JointFrame, JointKind, Limits, Spring};
use percuss_body_system::EventSource;
use percuss_geometry::Plane;
use percuss_mechanism::EventKind;

use crate::common::{Scene, close, disc, flat, rectangle};

const G: f64 = 9.81;

fn to_world(kind: JointKind, own: DVec2, world: DVec2) -> Joint<Plane> {
    let axes = [DVec2::X, DVec2::Y];
    Joint::new(
        "joint",
        kind,
        [
            JointFrame {
                body: None,
                point: world,
                axes,
            },
            JointFrame {
                body: Some(0),
                point: own,
                axes,
            },
        ],
    )
}

#[test]
fn a_pendulum_strikes_its_limit_when_the_integral_says() {
    // A rod of length 1 hung at its end, released horizontally; the stop is at the vertical.
    let mut joint = to_world(JointKind::Revolute, DVec2::new(-0.5, 0.0), DVec2::ZERO);
    joint.limits = Some(Limits {
        low: -std::f64::consts::FRAC_PI_2,
        high: f64::INFINITY,
        restitution: 0.5,
    });
    let run = Scene::<Plane>::new(0.0, 0.0, DVec2::new(0.0, -G))
        .body(rectangle(1.0, 1e-3), flat(0.5, 0.0, 0.0), [0.0; 3])
        .joint(joint)
        .run(0.01, 80);
    // θ̇² = 3 g/L' sin: quarter period of the large oscillation, K(½) / ω0 with ω0² = m g l / I.
    let inertia = (1.0 + 1e-6) / 12.0 + 0.25;
    let slow = (G * 0.5 / inertia).sqrt();
    // Complete elliptic integral K(m = 1/2).
    let quarter = 1.854_074_677_301_371_9 / slow;
    let impacts: Vec<_> = run
        .events
        .iter()
        .filter(|e| matches!(e.kind, EventKind::Impact { .. }))
        .collect();
    assert_eq!(impacts[0].source, EventSource::Joint(0));
    close(impacts[0].t, quarter, 1e-11);
    let EventKind::Impact { before, after } = impacts[0].kind else {
        unreachable!()
    };
    close(before, -(2.0 * G * 0.5 / inertia).sqrt(), 1e-10);
    close(after, -0.5 * before, 1e-10);
}

#[test]
fn a_spring_and_damper_on_a_slider_swing_as_they_should() {
    let mut joint = to_world(JointKind::Prismatic, DVec2::ZERO, DVec2::ZERO);
    let mass = std::f64::consts::PI * 0.25;
    let (stiffness, damping) = (20.0, 0.4);
    joint.spring = Some(Spring {
        stiffness,
        rest: 0.0,
        damping,
    });
    let run = Scene::<Plane>::new(0.0, 0.0, DVec2::new(0.0, -G))
        .body(disc(0.5), flat(0.3, 0.0, 0.0), [0.0; 3])
        .joint(joint)
        .run(0.1, 20);
    let decay = damping / (2.0 * mass);
    let frequency = (stiffness / mass - decay * decay).sqrt();
    let t: f64 = 2.0;
    let exact = 0.3
        * (-decay * t).exp()
        * ((frequency * t).cos() + decay / frequency * (frequency * t).sin());
    let (poses, _) = run.last();
    close(poses[0].position.x, exact, 1e-11);
    close(poses[0].position.y, 0.0, 1e-13);
}

#[test]
fn a_clearance_holds_a_pin_in_its_hole() {
    // A plate hung with play on a pin of a plate that cannot turn: the pin falls by the play and stays within.
    let frame = |body: Option<u32>| JointFrame {
        body,
        point: DVec2::ZERO,
        axes: [DVec2::X, DVec2::Y],
    };
    let mut joint = Joint::<Plane>::new(
        "pin",
        JointKind::Clearance,
        [frame(Some(0)), frame(Some(1))],
    );
    joint.clearance = Some(percuss_bodies::joint::Clearance {
        pin: 0.1,
        play: 0.02,
        law: percuss_bodies::PairLaw::default(),
    });
    let (_, _, mass) = crate::common::floor();
    let run = Scene::<Plane>::new(0.0, 0.0, DVec2::new(0.0, -G))
        .fixed(rectangle(1.0, 1.0), flat(0.0, 0.0, 0.0), mass)
        .body(rectangle(1.0, 1.0), flat(0.0, 0.0, 0.0), [0.0; 3])
        .joint(joint)
        .run(0.05, 4);
    close(run.impacts()[0], (2.0 * 0.02 / G).sqrt(), 1e-12);
    close(run.last().0[1].position.y, -0.02, 1e-13);
}
