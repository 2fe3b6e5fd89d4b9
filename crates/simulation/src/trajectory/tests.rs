//! Sampling against motions in closed form.

use super::{Interpolation, Trajectory};
use percuss_contact::law::Status;
use percuss_mechanism::{
    ConfigurationSpace, Coordinate, Event, EventKind, Scheme, State, StepReport,
};

fn state(t: f64, q: &[f64], v: &[f64]) -> State {
    State {
        t,
        q: q.to_vec(),
        v: v.to_vec(),
        impulse: Vec::new(),
        status: Vec::new(),
    }
}

/// States of a motion of one line at multiples of h.
fn sampled(
    between: Interpolation,
    h: f64,
    steps: usize,
    motion: impl Fn(f64) -> (f64, f64),
) -> Trajectory {
    let mut trajectory = Trajectory::new(ConfigurationSpace::euclidean(1), between);
    for k in 0..=steps {
        let t = k as f64 * h;
        let (q, v) = motion(t);
        trajectory.push(&state(t, &[q], &[v]), &StepReport::default(), &[], &[]);
    }
    trajectory
}

fn at(trajectory: &Trajectory, t: f64) -> (f64, f64) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    trajectory.sample(t, &mut q, &mut v);
    (q[0], v[0])
}

#[test]
fn a_step_of_the_midpoint_scheme_is_followed_exactly() {
    // From 0 with v_I = 1 for half a step of 1, then with v_F = −2: 0.5 and −0.5.
    let mut trajectory = Trajectory::new(
        ConfigurationSpace::euclidean(1),
        Interpolation::of(Scheme::Midpoint),
    );
    trajectory.push(
        &state(0.0, &[0.0], &[1.0]),
        &StepReport::default(),
        &[],
        &[],
    );
    trajectory.push(
        &state(1.0, &[-0.5], &[-2.0]),
        &StepReport::default(),
        &[],
        &[],
    );
    for (t, q, v) in [
        (-1.0, 0.0, 1.0),
        (0.0, 0.0, 1.0),
        (0.25, 0.25, 1.0),
        (0.5, 0.5, 1.0),
        (0.75, 0.0, 1.0),
        (1.0, -0.5, -2.0),
        (2.0, -0.5, -2.0),
    ] {
        assert_eq!(at(&trajectory, t), (q, v), "t = {t}");
    }
}

#[test]
fn each_scheme_turns_where_it_changes_velocity() {
    for (scheme, turn) in [
        (Scheme::Midpoint, 0.5),
        (Scheme::Theta(0.75), 0.25),
        (Scheme::Theta(1.0), 0.0),
        (Scheme::Paoli, 1.0),
    ] {
        let end = turn - 2.0 * (1.0 - turn);
        let mut trajectory =
            Trajectory::new(ConfigurationSpace::euclidean(1), Interpolation::of(scheme));
        trajectory.push(
            &state(0.0, &[0.0], &[1.0]),
            &StepReport::default(),
            &[],
            &[],
        );
        trajectory.push(
            &state(1.0, &[end], &[-2.0]),
            &StepReport::default(),
            &[],
            &[],
        );
        let (q, _) = at(&trajectory, turn.clamp(1e-3, 1.0 - 1e-3));
        // Three thousandths at speeds up to 2.
        assert!((q - turn).abs() < 4e-3, "{scheme:?}: {q}");
    }
}

#[test]
fn a_correction_is_spread_over_the_step() {
    let mut trajectory = Trajectory::new(
        ConfigurationSpace::euclidean(1),
        Interpolation::PiecewiseConstant(0.5),
    );
    trajectory.push(
        &state(0.0, &[0.0], &[1.0]),
        &StepReport::default(),
        &[],
        &[],
    );
    // Moved by 1, then put 0.125 further.
    trajectory.push(
        &state(1.0, &[1.125], &[1.0]),
        &StepReport::default(),
        &[],
        &[],
    );
    assert_eq!(at(&trajectory, 0.5).0, 0.5625);
    assert_eq!(at(&trajectory, 1.0).0, 1.125);
}

#[test]
fn event_driven_motion_is_a_cubic_between_outputs() {
    let cubic = |t: f64| (t * t * t - 2.0 * t, 3.0 * t * t - 2.0);
    let trajectory = sampled(Interpolation::Smooth, 0.5, 4, cubic);
    for k in 0..=40 {
        let t = 0.05 * f64::from(k);
        let (q, v) = at(&trajectory, t);
        let (exact_q, exact_v) = cubic(t);
        // Reproduced but for a few roundings of numbers below 10.
        assert!(
            (q - exact_q).abs() < 1e-14 && (v - exact_v).abs() < 1e-13,
            "t = {t}"
        );
    }
    // A sine: h⁴/384 in q, and a derivative one order less.
    let sine = sampled(Interpolation::Smooth, 0.1, 20, |t| (t.sin(), t.cos()));
    for k in 0..=200 {
        let t = 0.01 * f64::from(k);
        let (q, v) = at(&sine, t);
        assert!(
            (q - t.sin()).abs() < 2.7e-7 && (v - t.cos()).abs() < 1e-5,
            "t = {t}"
        );
    }
}

#[test]
fn a_jump_between_outputs_is_not_smoothed() {
    // Down to the floor at t = 0.6 with speed 1, up again with 0.5.
    let mut trajectory = Trajectory::new(ConfigurationSpace::euclidean(1), Interpolation::Smooth);
    trajectory.push(
        &state(0.0, &[0.6], &[-1.0]),
        &StepReport::default(),
        &[],
        &[],
    );
    let impact = Event {
        t: 0.6,
        constraint: 0,
        kind: EventKind::Impact {
            before: -1.0,
            after: 0.5,
        },
    };
    trajectory.push(
        &state(1.0, &[0.2], &[0.5]),
        &StepReport::default(),
        &[],
        &[impact],
    );
    for (t, q, v) in [
        (0.3, 0.3, -1.0),
        (0.59, 0.01, -1.0),
        (0.6, 0.0, 0.5),
        (0.8, 0.1, 0.5),
    ] {
        let (found_q, found_v) = at(&trajectory, t);
        // Roundings of numbers below 1.
        assert!(
            (found_q - q).abs() < 1e-15 && found_v == v,
            "t = {t}: {found_q} {found_v}"
        );
    }
    assert_eq!(trajectory.events_of(1).len(), 1);
    assert!(trajectory.events_of(0).is_empty());
}

#[test]
fn orientations_stay_of_unit_length_and_turn_by_the_spin() {
    let chart = ConfigurationSpace::new(vec![Coordinate::Orientation]);
    let turned = |angle: f64| [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
    for (between, error) in [
        (Interpolation::PiecewiseConstant(0.5), 1e-15),
        (Interpolation::Smooth, 1e-7),
    ] {
        let mut trajectory = Trajectory::new(chart.clone(), between);
        for k in 0..=10 {
            let t = 0.1 * f64::from(k);
            let spin = [0.0, 0.0, 1.0];
            trajectory.push(
                &state(t, &turned(t), &spin),
                &StepReport::default(),
                &[],
                &[],
            );
        }
        let (mut q, mut v) = (Vec::new(), Vec::new());
        trajectory.sample(0.537, &mut q, &mut v);
        let expected = turned(0.537);
        for i in 0..4 {
            // A constant spin: exact where it is piecewise constant, h⁴/384/16 for the cubic, normalised.
            assert!((q[i] - expected[i]).abs() < error, "{between:?} {q:?}");
        }
        assert_eq!(v, [0.0, 0.0, 1.0]);
        let length: f64 = q.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-15);
    }
}

#[test]
fn an_instant_belongs_to_the_step_that_ends_at_or_after_it() {
    let trajectory = sampled(Interpolation::PiecewiseConstant(0.5), 0.1, 10, |t| (t, 1.0));
    assert_eq!(trajectory.state_at(-1.0), 0);
    assert_eq!(trajectory.state_at(0.0), 0);
    assert_eq!(trajectory.state_at(0.05), 1);
    // 3·0.1 is not 0.3 in doubles: still state 3.
    assert_eq!(trajectory.state_at(0.3), 3);
    assert_eq!(trajectory.state_at(0.30000000000000004), 3);
    assert_eq!(trajectory.state_at(0.31), 4);
    assert_eq!(trajectory.state_at(9.0), 10);
}

#[test]
fn a_motion_in_pieces_is_the_whole_to_the_bit() {
    use percuss_mechanism::ConstraintReport;

    let mut whole = Trajectory::new(ConfigurationSpace::euclidean(2), Interpolation::Smooth);
    let mut pieces: Vec<super::TrajectoryIncrement> = Vec::new();
    let mut told = 0;
    for k in 0..40_usize {
        let x = k as f64;
        let rows = [x.sin(), -0.0, 1.0 / x];
        let touch = |constraint: usize, d: usize| ConstraintReport {
            constraint,
            gap: -x,
            begin: &rows[..d],
            end: &rows[..d],
            impulse: &rows[..d],
            projection_impulse: &[],
            status: [Status::Open, Status::Stick, Status::Slip][k % 3],
        };
        let touches = [touch(0, 1), touch(3, 3), touch(1, 2)];
        let event = Event {
            t: x,
            constraint: 1,
            kind: EventKind::Painleve { gamma: -x },
        };
        whole.push(
            &state(x, &[x, -x], &[0.5, x]),
            &StepReport {
                t: x,
                gamma: f64::INFINITY,
                ..StepReport::default()
            },
            &touches[..k % 4],
            &[event, event][..k % 3],
        );
        if k % 7 == 0 {
            pieces.push(whole.since(told));
            told = whole.len();
        }
    }
    pieces.push(whole.since(told));
    let mut again = Trajectory::new(ConfigurationSpace::euclidean(2), Interpolation::Smooth);
    for piece in &pieces {
        let bytes = postcard::to_stdvec(piece).expect("bytes");
        assert!(again.append(postcard::from_bytes(&bytes).expect("a piece")));
    }
    assert_eq!(format!("{whole:?}"), format!("{again:?}"));
    // An increment of another trajectory is refused and changes nothing.
    let mut other = Trajectory::new(ConfigurationSpace::euclidean(3), Interpolation::Smooth);
    assert!(!other.append(pieces[0].clone()) && other.is_empty());
}
