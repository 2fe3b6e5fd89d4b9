//! Dense NLGS for small problems, evaluated by the same residual as all solvers.

use crate::common::{one_of_each, r2, solve_cold};
use percuss_contact::law::Law;
use percuss_contact::{FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution};
use percuss_solve::{Auto, DenseNlgs, Goal, Outcome};

/// One point of unit mass above a slope of a metric, with friction.
fn one(mu: f64, velocity: [f64; 2]) -> Problem {
    let mut builder = FactoredDelassus::builder();
    let mass = [2.0, 0.5, 0.5, 1.0];
    builder.add_group(&mass, &velocity, &[0.0, 0.0]).unwrap();
    let rows = [0.0, 1.0, 1.0, 0.0];
    let law = Law::Coulomb { mu };
    builder
        .add_contact(law, &[(0, &rows)], &[0.0, 0.0], Restitution::default())
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn one_contact_is_solved_exactly_in_one_visit() {
    for (mu, velocity) in [(0.2, [1.0, -1.0]), (2.0, [0.1, -1.0]), (0.5, [1.0, 1.0])] {
        let problem = one(mu, velocity);
        let (impulse, report) = solve_cold(
            &mut DenseNlgs::default(),
            &problem,
            &Goal::with_tolerance(1e-12),
        );
        assert_eq!(report.iterations, 1);
        // Rounding of two rows.
        assert!(report.reached() && r2(&problem, &impulse) < 1e-15);
    }
}

#[test]
fn every_kind_of_problem_is_solved_whatever_its_size() {
    for (name, problem) in one_of_each() {
        // Light spheres under a heavy one are solved to no RV below 8.7e-3 (see `auto`).
        let measure = match name {
            "packing, heavy" => ResidualMeasure::Dimensionless,
            _ => ResidualMeasure::Velocity,
        };
        let goal = Goal::with_tolerance(1e-6).with_measure(measure);
        let (impulse, report) = solve_cold(&mut DenseNlgs::default(), &problem, &goal);
        let judged = ResidualEvaluator::new(&problem)
            .evaluate(&problem, &impulse)
            .residual(measure);
        assert!(judged <= 1e-6 && report.reached(), "{name}: {judged:.1e}");
        let sum: usize = report.path.iter().map(|s| s.iterations).sum();
        assert_eq!(sum, report.iterations, "{name}");
    }
}

/// Two rows that are the same twice, at a velocity that is rounding of the terms of its sum, were taken for
/// contradictory: the prescribed velocities differed by −2.2e-16.
#[test]
fn rows_that_agree_to_rounding_are_no_contradiction() {
    for (off, outcome) in [(2.2e-16, Outcome::Reached), (1e-3, Outcome::Unsuitable)] {
        let mut builder = FactoredDelassus::builder();
        let identity = [1.0, 0.0, 0.0, 1.0];
        builder
            .add_group(&identity, &[1.0, 0.0], &[0.0, 0.0])
            .unwrap();
        for demand in [0.0, off] {
            let rows = [0.0, 1.0];
            builder
                .add_contact(
                    Law::Bilateral,
                    &[(0, &rows)],
                    &[demand],
                    Restitution::default(),
                )
                .unwrap();
        }
        let problem = builder.build().unwrap();
        let eliminated = percuss_solve::elimination::eliminate(&problem);
        assert_eq!(eliminated.is_ok(), outcome == Outcome::Reached, "{off:e}");
        if outcome == Outcome::Unsuitable {
            let (_, report) =
                solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-10));
            assert_eq!(report.outcome, outcome);
        }
    }
}
