//! Errors and orders of convergence, on given errors and on motions in closed form.

use percuss_scene::Scene;

use super::{Hand, number, reason};
use crate::finding::accuracy::{Grid, Norm, fitted_order};
use crate::finding::evaluated_run::{EvaluatedRun, NoStudies};
use crate::finding::expression::Expression;
use crate::finding::names::Names;
use crate::finding::run_scene;
use percuss_simulation::ObservableRequest;
use percuss_simulation::Threads;

/// An oscillator, smooth, and a ball that falls and bounces once.
const OSCILLATOR: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
initial = 1.0
[dynamics]
kinetic = "0.5*x_dot^2"
potential = "0.5*x^2"
[run]
until = 2.0
step = 0.01
"#;

const BALL: &str = r#"
kind = "mechanism"
[parameters]
g = 10.0
[[coordinate]]
name = "x"
initial = 1.0
[definitions]
hit = "sqrt(2/g)"
exact = "if(t < hit, 1 - g*t^2/2, (t - hit)*0.5*g*hit - g*(t - hit)^2/2)"
[dynamics]
kinetic = "0.5*x_dot^2"
potential = "g*x"
[[contact]]
name = "floor"
gap = "x"
restitution = 0.5
[run]
until = 0.8
step = 0.01
"#;

fn measured(text: &str, of: &str, threads: usize) -> Result<f64, String> {
    let scene = Scene::parse("test", "test.toml", text).expect("a scene");
    let mut system = scene.build_mechanism().expect("a mechanism").system;
    let mut names = Names {
        parameters: scene.parameters(),
        language: (&mut system).into(),
        start: 0.0,
        studies: &[],
    };
    let compiled = Expression::compile(of, &mut names)?;
    let mut subject: EvaluatedRun<'_> = run_scene(
        scene.clone(),
        Threads::new(threads),
        &ObservableRequest::default(),
    );
    compiled
        .number(&mut subject, &mut NoStudies)
        .map_err(|absent| absent.0)
}

#[test]
fn the_order_of_made_up_errors_is_found() {
    let steps = [8e-3, 4e-3, 1e-3, 2.5e-4];
    for order in [1.0, 1.5, 2.0] {
        let errors: Vec<f64> = steps.iter().map(|h: &f64| 3.7 * h.powf(order)).collect();
        let found = fitted_order(&steps, &errors).expect("an order");
        // Logarithms and a quotient: a few roundings.
        assert!((found - order).abs() < 1e-13, "{found}");
    }
    // Errors off by factors 2^±1 about a line through four halvings move the slope by a known
    // amount: x = 0, 1, 2, 3 and y = x + (1, −1, 1, −1) has slope 1 − 0.4.
    let steps = [1.0, 2.0, 4.0, 8.0];
    let found = fitted_order(&steps, &[2.0, 1.0, 8.0, 4.0]).expect("an order");
    assert!((found - 0.6).abs() < 1e-13, "{found}");
    let none = fitted_order(&[1.0, 2.0], &[0.0, 1.0]).expect_err("no order");
    assert_eq!(none.0, "the error with step 1 is 0: no order can be fitted");
    assert!(fitted_order(&[1.0, 1.0], &[1.0, 2.0]).is_err());
}

#[test]
fn instants_are_ends_of_steps_where_steps_divide_each_other() {
    let grid = Grid::choose(Norm::Largest, 1.0, 3.0, &[0.1, 0.05, 0.025]);
    assert_eq!((grid.spacing, grid.first, grid.last), (0.1, 1, 20));
    // More instants than needed are thinned, still at ends of steps.
    let grid = Grid::choose(Norm::Largest, 0.0, 10.0, &[1e-3, 5e-4]);
    assert_eq!((grid.spacing, grid.last), (5e-3, 2000));
    // Steps that do not divide each other are interpolated.
    let grid = Grid::choose(Norm::Largest, 0.0, 2.0, &[0.1, 0.03]);
    assert_eq!((grid.spacing, grid.last), (1e-3, 2000));
    let grid = Grid::choose(Norm::Final, 0.0, 2.0, &[0.1, 0.03]);
    assert_eq!(grid.instants().collect::<Vec<_>>(), [2.0]);
    let grid = Grid::choose(Norm::Mean, 0.0, 2.0, &[1e-3]);
    let instants: Vec<f64> = grid.instants().collect();
    assert_eq!((instants.len(), instants[0]), (8000, 1.25e-4));
}

#[test]
fn the_midpoint_scheme_is_of_second_order_in_smooth_motion() {
    let order = measured(OSCILLATOR, "order(x; 0.1, 0.05, 0.025, 0.0125; cos(t))", 2);
    // The next term of the error is h² smaller: 1e-2 of it at the longest step.
    let order = order.expect("an order");
    assert!((order - 2.0).abs() < 0.01, "{order}");
    // Velocities too, at the ends of steps; both together.
    let both = measured(
        OSCILLATOR,
        "order(x, x_dot; 0.1, 0.05, 0.025; cos(t), -sin(t))",
        1,
    );
    let both = both.expect("an order");
    assert!((both - 2.0).abs() < 0.01, "{both}");
    let finest = measured(OSCILLATOR, "order(x; 0.1, 0.05, 0.025; finest)", 1);
    let finest = finest.expect("an order");
    assert!((finest - 2.0).abs() < 0.01, "{finest}");
}

#[test]
fn errors_against_the_exact_the_finest_and_the_event_driven_motion_agree() {
    // Midpoint with K at q_M: the phase lags by t h²/24 at t = 2, h = 0.05.
    let closed = 2.0 * 0.05_f64.powi(2) / 24.0 * 2.0_f64.sin();
    let exact = measured(OSCILLATOR, "error_final(x; 0.05; cos(t))", 1).expect("an error");
    // Amplitude and the next order: a hundredth, and h² of K at the middle of the step.
    assert!(
        exact > 0.2 * closed && exact < 5.0 * closed,
        "{exact} {closed}"
    );
    for reference in ["event", "finest"] {
        let text = format!("error_final(x; 0.05; {reference})");
        let error = measured(OSCILLATOR, &text, 1).expect("an error");
        // The finest is 256 times finer, so its own error is 1.5e-5 of this one; the event-driven
        // motion has 1e-12.
        assert!(
            (error / exact - 1.0).abs() < 1e-4,
            "{reference}: {error} {exact}"
        );
    }
}

#[test]
fn through_an_impact_the_order_is_one() {
    // The impact is late by less than a step, and the velocity jumps by (1 + e) g √(2/g) there: the
    // error is below that times h. It is not of second order: h² alone would leave the second bound
    // below by a factor of ten at the shortest step.
    let jump = 1.5 * 10.0 * 0.2_f64.sqrt();
    let mut worst = 0.0_f64;
    for h in [0.016, 0.008, 0.004, 0.002, 0.001, 0.0005] {
        for reference in ["event", "exact"] {
            let error = measured(BALL, &format!("error(x; {h}; {reference})"), 2);
            let share = error.expect("an error") / (jump * h);
            assert!(share < 1.0, "{reference}: {share}");
            worst = worst.max(if h < 0.003 { share } else { 0.0 });
            let mean = measured(BALL, &format!("error_l1(x; {h}; {reference})"), 1);
            assert!(mean.expect("an error") < jump * h);
        }
    }
    assert!(worst > 0.1, "{worst}");
    let order = measured(
        BALL,
        "order(x; 0.016, 0.008, 0.004, 0.002, 0.001, 0.0005; event)",
        2,
    );
    // Where in its step the impact falls changes from step to step and moves the fit.
    assert!((order.expect("an order") - 1.0).abs() < 0.5);
    // Against the closed form and against the event-driven motion: the same error.
    let exact = measured(BALL, "error(x; 0.01; exact)", 1).expect("an error");
    let event = measured(BALL, "error(x; 0.01; event)", 1).expect("an error");
    // The event-driven motion is exact to its own tolerance, 1e-12 relative.
    assert!(
        (exact - event).abs() < 1e-9 * exact.max(1.0),
        "{exact} {event}"
    );
}

#[test]
fn errors_are_the_same_for_any_number_of_threads() {
    let text = "order_final(x; 0.02, 0.01, 0.005; event)";
    let one = measured(BALL, text, 1).expect("an order");
    for threads in [2, 3] {
        assert_eq!(
            measured(BALL, text, threads).map(f64::to_bits),
            Ok(one.to_bits())
        );
    }
}

#[test]
fn a_step_that_is_no_step_gives_a_reason() {
    let mut subject = Hand::new(1.0, 0.1, |t| [t, 0.0, 1.0, 0.0]).subject();
    let wrong = reason(&mut subject, "error(y; two - 2; t)");
    assert_eq!(wrong, "the step 0 is not positive");
    // The scene of the tests falls on its floor from rest there: y stays 0.
    assert_eq!(number(&mut subject, "error(y; 0.1; 0*t)"), 0.0);
}
