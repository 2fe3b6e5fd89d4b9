//! Errors, projection of positions, and what the step report shows.

use crate::native::{Part, Point, state};
use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, Integrator, Scheme, Settings, StateRef, System,
    SystemError, TimeStepper,
};

fn part(rows: &[&[f64]], law: Law, normal: f64) -> Part {
    Part {
        rows: rows.iter().map(|r| r.to_vec()).collect(),
        offset: 0.0,
        law,
        restitution: Restitution {
            normal,
            tangential: 0.0,
        },
    }
}

/// A bar of half-length 1 whose ends stay on the unit circle: x, y of the centre and the angle
/// (B02 counter-example 3).
#[derive(Debug)]
struct BarInCircle {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
}

impl BarInCircle {
    fn new() -> Self {
        let end = |name: &str| Constraint::new(name, ConstraintKind::Joint, 1);
        Self {
            chart: ConfigurationSpace::euclidean(3),
            constraints: vec![end("left end"), end("right end")],
        }
    }
}

impl System for BarInCircle {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["x", "y", "theta"][i].to_string()
    }
    fn velocity_name(&self, i: usize) -> String {
        format!("{}_dot", self.position_name(i))
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.3]);
        force.copy_from_slice(&[0.0, -9.81, 0.0]);
        Ok(())
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        let (s, c) = q[2].sin_cos();
        for (gap, sign) in gaps.iter_mut().zip([-1.0, 1.0]) {
            *gap = (q[0] + sign * c).powi(2) + (q[1] + sign * s).powi(2) - 1.0;
        }
        Ok(())
    }
    fn rows(
        &mut self,
        constraint: usize,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let (s, c) = q[2].sin_cos();
        let sign = [-1.0, 1.0][constraint];
        let (x, y) = (q[0] + sign * c, q[1] + sign * s);
        let turn = 2.0 * sign * (y * c - x * s);
        jacobian.copy_from_slice(&[2.0 * x, 2.0 * y, turn]);
        boundary[0] = 0.0;
        Ok(())
    }
    fn bias(
        &mut self,
        constraint: usize,
        _t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        // With the end at p = c ± e: f = |p|² − 1, f̈ = 2|ṗ|² + 2 p·p̈ without accelerations.
        let (s, c) = q[2].sin_cos();
        let sign = [-1.0, 1.0][constraint];
        let p = [q[0] + sign * c, q[1] + sign * s];
        let rate = [v[0] - sign * s * v[2], v[1] + sign * c * v[2]];
        let second = [-sign * c * v[2] * v[2], -sign * s * v[2] * v[2]];
        bias[0] = 2.0 * (rate[0] * rate[0] + rate[1] * rate[1])
            + 2.0 * (p[0] * second[0] + p[1] * second[1]);
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Bilateral)
    }
}

#[test]
fn a_bar_in_a_circle_of_its_own_diameter_has_no_motion_and_both_ends_are_named() {
    let start = state(&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]);
    let error = TimeStepper::new(BarInCircle::new(), Settings::default(), start).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`left end`") && text.contains("`right end`"),
        "{text}"
    );
    assert!(text.contains("dependent"), "{text}");
}

#[test]
fn joints_that_say_the_same_twice_are_harmless() {
    // A bead on a rail that is held by two joints of the same direction.
    let rail = || part(&[&[0.6, 0.8]], Law::Bilateral, 0.0);
    let parts = vec![
        ("rail", ConstraintKind::Joint, rail()),
        ("rail again", ConstraintKind::Joint, rail()),
    ];
    let bead = Point::new(vec![1.0, 0.0], parts);
    let mut motion =
        TimeStepper::new(bead, Settings::default(), state(&[0.0; 2], &[0.0; 2])).unwrap();
    for _ in 0..1000 {
        motion.advance().unwrap();
        assert!(motion.step_report().reached);
    }
    // Along the rail (0.8, −0.6): a = 0.8, for one second.
    let v = &motion.state().v;
    assert!(
        (v[0] - 0.64).abs() < 1e-12 && (v[1] + 0.48).abs() < 1e-12,
        "{v:?}"
    );
}

#[test]
fn correction_puts_several_contacts_back_at_once() {
    // A corner hit at 3 m/s with a coarse step: both gaps are violated, then right.
    let run = |correction: bool| {
        let floor = part(&[&[0.0, 1.0]], Law::Frictionless, 0.0);
        let wall = part(&[&[0.6, 0.8]], Law::Frictionless, 0.0);
        let parts = vec![
            ("floor", ConstraintKind::Contact, floor),
            ("wall", ConstraintKind::Contact, wall),
        ];
        let corner = Point::new(vec![0.0, -9.81], parts);
        let settings = Settings {
            step: 1e-2,
            projection: correction,
            ..Settings::default()
        };
        let start = state(&[0.2, 0.2], &[-3.0, -2.0]);
        let mut motion = TimeStepper::new(corner, settings, start).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..50 {
            motion.advance().unwrap();
            worst = worst.max(motion.step_report().penetration);
        }
        worst
    };
    // Without it a step at 3 m/s penetrates by a share of 3 cm; the gaps are linear here, so one
    // projection is exact.
    assert!(run(false) > 1e-3);
    assert!(run(true) < 1e-14);
}

#[test]
fn an_initial_position_in_the_obstacle_is_refused_by_how_much() {
    let floor = part(&[&[1.0]], Law::Frictionless, 0.0);
    let ball = Point::new(vec![-9.81], vec![("floor", ConstraintKind::Contact, floor)]);
    let start = state(&[-0.25], &[0.0]);
    let error = TimeStepper::new(ball, Settings::default(), start).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`floor`") && text.contains("-2.5e-1"),
        "{text}"
    );
}

#[test]
fn an_initial_velocity_against_a_joint_is_refused_by_how_much() {
    let rail = part(&[&[1.0, 0.0]], Law::Bilateral, 0.0);
    let bead = Point::new(vec![0.0, 0.0], vec![("rail", ConstraintKind::Joint, rail)]);
    let start = state(&[0.0, 0.0], &[0.5, 1.0]);
    let error = TimeStepper::new(bead, Settings::default(), start).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`rail`") && text.contains("5e-1"), "{text}");
}

/// A stiff spring and damper: x'' = −k x − c x'.
#[derive(Debug)]
struct Spring {
    chart: ConfigurationSpace,
    stiffness: f64,
    damping: f64,
}

impl System for Spring {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, _i: usize) -> String {
        "x".to_string()
    }
    fn velocity_name(&self, _i: usize) -> String {
        "x_dot".to_string()
    }
    fn constraints(&self) -> &[Constraint] {
        &[]
    }
    fn dynamics(
        &mut self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        mass[0] = 1.0;
        force[0] = -self.stiffness * q[0] - self.damping * v[0];
        Ok(())
    }
    fn force_jacobians(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<bool, SystemError> {
        by_position[0] = -self.stiffness;
        by_velocity[0] = -self.damping;
        Ok(true)
    }
    fn gaps(&mut self, _t: f64, _q: &[f64], _gaps: &mut [f64]) -> Result<(), SystemError> {
        Ok(())
    }
    fn rows(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        _jacobian: &mut [f64],
        _boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _bias: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Frictionless)
    }
}

#[test]
fn the_theta_method_takes_stiff_forces_with_steps_beyond_the_stability_of_the_midpoint() {
    // √k h = 31: explicit midpoint explodes, θ = 1 relaxes to rest.
    let spring = Spring {
        chart: ConfigurationSpace::euclidean(1),
        stiffness: 1e7,
        damping: 1e4,
    };
    let settings = Settings {
        scheme: Scheme::Theta(1.0),
        step: 1e-2,
        ..Settings::default()
    };
    let mut motion = TimeStepper::new(spring, settings, state(&[1.0], &[0.0])).unwrap();
    for _ in 0..100 {
        motion.advance().unwrap();
        assert!(motion.step_report().reached);
    }
    // Implicit Euler divides by about 1 + ch + kh² = 1101 in each step.
    assert!(motion.state().q[0].abs() < 1e-30);
}

#[test]
fn theta_one_half_is_of_second_order() {
    let error = |h: f64| {
        let spring = Spring {
            chart: ConfigurationSpace::euclidean(1),
            stiffness: 4.0,
            damping: 0.0,
        };
        let settings = Settings {
            scheme: Scheme::Theta(0.5),
            step: h,
            ..Settings::default()
        };
        let mut motion = TimeStepper::new(spring, settings, state(&[1.0], &[0.0])).unwrap();
        for _ in 0..(1.0 / h).round() as usize {
            motion.advance().unwrap();
        }
        (motion.state().q[0] - 2.0_f64.cos()).abs()
    };
    let ratio = error(0.02) / error(0.01);
    assert!((ratio - 4.0).abs() < 0.05, "{ratio}");
}

#[test]
fn mixed_restitution_may_gain_energy_and_the_ledger_shows_it() {
    // Kane and Levinson: normal restitution with friction, a normal and a tangential direction
    // strongly coupled. One common index never gains; mixed ones are measured.
    let mut largest = [0.0_f64; 2];
    for angle in 1..40 {
        let a = f64::from(angle) * 0.04;
        for (mixed, tangential) in [(0, 0.9), (1, 0.0)] {
            let rows = vec![vec![1.0, 0.0], vec![a.cos(), a.sin()]];
            let floor = Part {
                rows,
                offset: 0.0,
                law: Law::Coulomb { mu: 0.6 },
                restitution: Restitution {
                    normal: 0.9,
                    tangential,
                },
            };
            let body = Point::new(
                vec![0.0, 0.0],
                vec![("floor", ConstraintKind::Contact, floor)],
            );
            for k in 0..20 {
                let v = [-0.2, 1.0 - 0.1 * f64::from(k)];
                let start = state(&[0.0, 0.0], &v);
                let settings = Settings::default();
                let Ok(mut motion) = TimeStepper::new(
                    Point::new(body.force.clone(), clone(&body)),
                    settings,
                    start,
                ) else {
                    continue;
                };
                motion.advance().unwrap();
                let ledger = motion.step_report();
                largest[mixed] = largest[mixed].max(ledger.gain);
                // What mixed indices gain the laws allow, and the report says that they are mixed. The
                // tolerance of the step, 1e-10, leaves works of that share of the energy scale.
                assert!(ledger.excess < 1e-8, "{ledger:?}");
                assert!(mixed == 1 || !ledger.mixed);
                assert!(ledger.gain < 1e-8 || ledger.mixed, "{ledger:?}");
            }
        }
    }
    // One common index: never beyond rounding. Mixed: the scan contains impacts that gain.
    assert!(largest[0] < 1e-14, "{largest:?}");
    assert!(largest[1] > 1e-3, "{largest:?}");
}

fn clone(body: &Point) -> Vec<(&'static str, ConstraintKind, Part)> {
    let copy = |p: &Part| Part {
        rows: p.rows.clone(),
        offset: p.offset,
        law: p.law.clone(),
        restitution: p.restitution,
    };
    body.parts
        .iter()
        .map(|p| ("floor", ConstraintKind::Contact, copy(p)))
        .collect()
}
