//! The implicit midpoint rule for stiff springs and dampers, `ForceEvaluation::Implicit`. The models have no force Jacobians:
//! the iteration takes differences.

use crate::common::{Model, close};
use crate::native::state;
use percuss_mechanism::{
    ForceEvaluation, Integrator, MechanismError, Scheme, Settings, TimeStepper,
};

fn settings(scheme: Scheme, step: f64) -> Settings {
    Settings {
        scheme,
        step,
        force_evaluation: ForceEvaluation::Implicit,
        ..Settings::default()
    }
}

fn motion(model: Model, scheme: Scheme, h: f64, q: &[f64], v: &[f64]) -> TimeStepper<Model> {
    TimeStepper::new(model, settings(scheme, h), state(q, v)).unwrap()
}

fn advance(motion: &mut TimeStepper<Model>, steps: usize) {
    for _ in 0..steps {
        motion.advance().unwrap();
        let report = motion.step_report();
        assert!(report.reached && report.momentum < 1e-9, "{report:?}");
    }
}

/// A spring whose period is a fifth of the step: the energy stays, whereas explicit forces blow up.
#[test]
fn a_stiff_spring_keeps_its_energy() {
    let k = 1e7;
    for scheme in [Scheme::Midpoint, Scheme::Projected] {
        let model = Model::new(1, move |_, q, _, f| f[0] = -k * q[0]);
        let mut motion = motion(model, scheme, 1e-2, &[1.0], &[0.0]);
        for _ in 0..1000 {
            advance(&mut motion, 1);
            let (q, v) = (motion.state().q[0], motion.state().v[0]);
            // K is iterated to 1e-13 of the velocities.
            close((0.5 * v * v + 0.5 * k * q * q) / (0.5 * k), 1.0, 1e-9);
        }
    }
}

/// A pendulum-like spring, x″ = −sin x: second order where the step resolves it.
#[test]
fn implicit_forces_are_of_second_order() {
    let end = |h: f64| {
        let model = Model::new(1, |_, q, v, f| f[0] = -q[0].sin() - 0.1 * v[0] * v[0]);
        let mut motion = motion(model, Scheme::Midpoint, h, &[1.0], &[0.5]);
        advance(&mut motion, (2.0 / h).round() as usize);
        motion.state().q[0]
    };
    let values = [0.04, 0.02, 0.01, 0.005].map(end);
    let first = (values[0] - values[1]) / (values[1] - values[2]);
    let second = (values[1] - values[2]) / (values[2] - values[3]);
    // Differences of an error C h² are four times apart.
    close(first.log2(), 2.0, 0.1);
    close(second.log2(), 2.0, 0.1);
}

/// Two masses joined by a stiff damped spring, one of them pushed: the centre of mass moves as the force tells.
#[test]
fn a_stiff_spring_leaves_the_centre_of_mass_alone() {
    let (k, c, force, h, steps) = (1e9, 2e3, 50.0, 1e-3, 80);
    let model = Model::new(2, move |_, q, v, f| {
        let pull = k * (q[1] - q[0]) + c * (v[1] - v[0]);
        f[0] = pull;
        f[1] = force - pull;
    });
    let mut motion = motion(model, Scheme::Projected, h, &[0.0, 0.0], &[0.0, 0.0]);
    advance(&mut motion, steps);
    let t = steps as f64 * h;
    let q = &motion.state().q;
    // The midpoint rule is exact for a constant force.
    close(0.5 * (q[0] + q[1]), 0.25 * force * t * t, 1e-10);
}

/// The θ-method is implicit by itself, Paoli's scheme explicit.
#[test]
fn other_schemes_refuse_implicit_forces() {
    for scheme in [Scheme::Theta(0.5), Scheme::Paoli] {
        let model = Model::new(1, |_, _, _, _| ());
        let found = TimeStepper::new(model, settings(scheme, 1e-3), state(&[0.0], &[0.0]));
        assert_eq!(found.err(), Some(MechanismError::ImplicitForces));
    }
}
