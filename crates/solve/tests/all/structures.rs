//! Walls and columns: the methods made for them, and where these do not apply.

use crate::common::{apart, solve_cold, velocity};
use percuss_contact::{Problem, ResidualMeasure};
use percuss_solve::interior_point::PlanarInteriorPoint;
use percuss_solve::sample::{Packing, Tower, Wall};
use percuss_solve::{Auto, Goal, Nlgs, Outcome, ProximalNewton, Solver};

/// A wall pushed sideways by a multiple of gravity; friction 0.3, so that it slides from 0.3 on.
fn wall(lateral: f64) -> Problem {
    let wall = Wall {
        friction: 0.3,
        lateral,
        ..Wall::default()
    };
    wall.problem().unwrap()
}

#[test]
fn the_interior_point_of_the_plane_solves_walls_at_rest_pushed_and_sliding() {
    for lateral in [0.0, 0.15, 0.29, 0.31, 0.6] {
        let problem = wall(lateral);
        let goal = Goal::with_tolerance(1e-8);
        let (r, report) = solve_cold(&mut PlanarInteriorPoint::default(), &problem, &goal);
        assert!(report.reached(), "{lateral}: {report:?}");
        // Mehrotra's steps gain a digit in two or three iterations.
        assert!(report.iterations <= 60, "{lateral}: {report:?}");
        // Against sweeps, which share nothing with it but the law: where the wall stands all velocities
        // vanish, where it slides as a whole they are those of the floor's contacts.
        let (s, other) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-8));
        assert!(other.reached(), "{lateral}: {other:?}");
        let distance = apart(&problem, &velocity(&problem, &r), &velocity(&problem, &s));
        // Twice the residual, which is relative to the impulses: in a wall of twelve courses these are
        // some ten times the free velocities that `apart` is relative to; and a decade of room.
        assert!(distance <= 2e-6, "{lateral}: {distance:e}");
    }
}

#[test]
fn a_pushed_wall_slides_as_fast_as_friction_lets_it() {
    // Beyond its friction the wall moves as one body: u_t = (0.6 − 0.3) g h on the floor.
    let problem = wall(0.6);
    let (r, report) = solve_cold(
        &mut PlanarInteriorPoint::default(),
        &problem,
        &Goal::with_tolerance(1e-9),
    );
    assert!(report.reached(), "{report:?}");
    let u = velocity(&problem, &r);
    let sample = Wall::default();
    let expected = (0.6 - 0.3) * sample.gravity * sample.step;
    let floor = (0..problem.num_contacts()).filter(|&a| {
        let percuss_contact::DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        kinetic.dense_blocks(a).count() == 1
    });
    let mut seen = 0;
    for a in floor {
        let slide = u[problem.rows(a).start + 1].abs();
        // The residual of 1e-9 is relative to impulses of the size of the wall's weight.
        assert!((slide - expected).abs() <= 1e-6 * expected, "{a}: {slide}");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn proximal_newton_finishes_what_sweeps_have_begun() {
    for lateral in [0.0, 0.15, 0.25] {
        let problem = wall(lateral);
        let mut r = vec![0.0; problem.num_rows()];
        let before = Nlgs::default().solve(
            &problem,
            &mut r,
            &Goal::with_tolerance(1e-5)
                .with_measure(ResidualMeasure::Dimensionless)
                .at_most(5000),
        );
        assert!(before.reached(), "{lateral}: {before:?}");
        // Five times as far as the default ever starts it from.
        let report = ProximalNewton::default().solve(
            &problem,
            &mut r,
            &Goal::with_tolerance(1e-7).with_measure(ResidualMeasure::Dimensionless),
        );
        assert!(report.reached(), "{lateral}: {report:?}");
        let judged = percuss_contact::ResidualEvaluator::new(&problem).residual(
            &problem,
            &r,
            ResidualMeasure::Dimensionless,
        );
        assert!(judged <= 1e-7, "{lateral}: {judged:e}");
    }
}

#[test]
fn structures_of_the_plane_are_solved_beyond_what_is_asked_for() {
    for lateral in [0.0, 0.15, 0.31, 0.6] {
        let problem = wall(lateral);
        let (r, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-6));
        assert!(report.reached(), "{lateral}: {report:?}");
        let judged = percuss_contact::ResidualEvaluator::new(&problem).evaluate(&problem, &r);
        assert_eq!(judged.rv, report.residual);
        // Thirty times what it aims at; to the tolerance alone sweeps and Newton's method stop above 1e-8.
        assert!(judged.r2 <= 3e-9, "{lateral}: {report:?}");
        // Problem files are solved to the tolerance only: their measure is another one.
        let goal = Goal {
            measure: ResidualMeasure::Fclib,
            ..Goal::with_tolerance(1e-6)
        };
        let (_, report) = solve_cold(&mut Auto::default(), &problem, &goal);
        assert!(report.reached(), "{lateral}: {report:?}");
    }
}

#[test]
fn the_interior_point_of_the_plane_declines_what_is_not_of_the_plane() {
    let smooth = Wall {
        friction: 0.0,
        ..Wall::default()
    };
    let packing = Packing::default().settle().and_then(|p| p.at_rest(0.0));
    for problem in [Tower::of(3).problem(), packing, smooth.problem()] {
        let problem = problem.unwrap();
        let mut r = vec![0.0; problem.num_rows()];
        let report = PlanarInteriorPoint::default().solve(&problem, &mut r, &Goal::default());
        assert_eq!(report.outcome, Outcome::Unsuitable);
        assert!(r.iter().all(|r| *r == 0.0));
    }
}

#[test]
fn what_a_method_remembers_of_another_problem_changes_no_bit() {
    let goal = Goal::with_tolerance(1e-8);
    let problems = [
        wall(0.1),
        wall(0.2),
        Wall::default().problem().unwrap(),
        wall(0.1),
    ];
    let mut proximal = ProximalNewton::default();
    let mut interior = PlanarInteriorPoint::default();
    for problem in &problems {
        let solvers: [(&mut dyn Solver, Box<dyn Solver>); 2] = [
            (&mut proximal, Box::new(ProximalNewton::default())),
            (&mut interior, Box::new(PlanarInteriorPoint::default())),
        ];
        for (used, mut fresh) in solvers {
            let (a, _) = solve_cold(used, problem, &goal);
            let (b, _) = solve_cold(fresh.as_mut(), problem, &goal);
            let bits = |r: &[f64]| r.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&a), bits(&b), "{}", used.name());
        }
    }
}

#[test]
fn a_column_of_any_height_needs_no_sweep_from_a_cold_start() {
    for height in [4, 20, 100] {
        let problem = Tower::of(height).problem().unwrap();
        let (_, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-6));
        assert!(report.reached(), "{height}: {report:?}");
        // Shock propagation gives the solution, up to its number of sweeps per level.
        assert_eq!(report.iterations, 0, "{height}: {report:?}");
    }
}
