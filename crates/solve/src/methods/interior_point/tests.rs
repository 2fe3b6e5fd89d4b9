use std::sync::Arc;

use percuss_contact::law::{Law, PolygonSection};
use percuss_contact::{
    DelassusOperator, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
};

use super::{InteriorPoint, InteriorPointParams};
use crate::Admm;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::sample::{Packing, Tower, Wall};

/// Convergence is measured by R2, which the method reduces.
fn in_r2(tolerance: f64) -> Goal {
    Goal::with_tolerance(tolerance).with_measure(ResidualMeasure::Dimensionless)
}

fn solve(problem: &Problem, tolerance: f64) -> (Vec<f64>, Report) {
    let mut r = vec![0.0; problem.num_rows()];
    let report = InteriorPoint::default().solve(problem, &mut r, &in_r2(tolerance));
    (r, report)
}

fn velocity(problem: &Problem, r: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; problem.num_rows()];
    problem.velocity_into(r, &mut vec![0.0; problem.scratch_len()], &mut u);
    u
}

/// The same contacts under other laws, W stored.
fn with_laws(problem: &Problem, law: impl Fn(usize) -> Law) -> Problem {
    let laws = (0..problem.num_contacts()).map(law).collect();
    let matrix = problem.matrix().into_owned();
    let free = problem.free_velocity().to_vec();
    Problem::new(laws, DelassusOperator::Stored { matrix, free }).unwrap()
}

#[test]
fn iterations_depend_neither_on_the_height_of_a_tower_nor_on_its_masses() {
    let pushed = Tower {
        push: 0.05,
        ..Tower::heavy_top(10, 1e3)
    };
    for tower in [
        Tower::of(5),
        Tower::of(10),
        Tower::of(40),
        Tower::heavy_top(10, 1e3),
        Tower::heavy_top(10, 1e6),
        Tower::alternating(10, 1e3),
        pushed,
    ] {
        let problem = tower.problem().unwrap();
        let (r, report) = solve(&problem, 1e-10);
        // 5 to 7 are needed; 9 leaves room for another rounding, not for another law of growth.
        assert!(
            report.reached() && report.iterations <= 9,
            "{:?}: {report:?}",
            tower.masses
        );
        if tower.push == 0.0 {
            // The floor carries the weight: Σ rₙ over the four lowest contacts.
            let weight: f64 = tower
                .masses
                .iter()
                .map(|m| m * tower.gravity * tower.step)
                .sum();
            let carried: f64 = (0..4).map(|k| r[3 * k]).sum();
            // A heavy box left with 1e-10 of its fall costs a light one below a thousand times as
            // much impulse, relative to the light one's own; one digit to spare.
            assert!(
                (carried - weight).abs() <= 1e-6 * weight,
                "{carried} of {weight}"
            );
        }
    }
}

#[test]
fn a_brick_wall_is_solved_in_some_fifteen_iterations() {
    for lateral in [0.0, 0.15] {
        let wall = Wall {
            lateral,
            ..Wall::default()
        };
        let (_, report) = solve(&wall.problem().unwrap(), 1e-8);
        // 12 and 13 are needed.
        assert!(
            report.reached() && report.iterations <= 18,
            "{lateral}: {report:?}"
        );
    }
}

#[test]
fn velocities_agree_with_alternating_directions_for_every_law_with_a_second_order_cone() {
    let tower = Tower {
        push: 0.7,
        ..Tower::of(4)
    };
    let space = tower.problem().unwrap();
    let wall = Wall {
        courses: 3,
        bricks: 2,
        lateral: 0.4,
        ..Wall::default()
    };
    let plane = wall.problem().unwrap();
    let elliptic = |mu1, mu2| with_laws(&space, move |_| Law::CoulombElliptic { mu1, mu2 });
    let asymmetric =
        |plus, minus| with_laws(&plane, move |_| Law::CoulombAsymmetric { plus, minus });
    let problems = [
        ("Coulomb in space", space.clone()),
        ("elliptic", elliptic(0.3, 0.5)),
        ("elliptic without friction along t1", elliptic(0.0, 0.5)),
        ("elliptic without friction along t2", elliptic(0.5, 0.0)),
        (
            "no friction, three rows",
            with_laws(&space, |_| Law::Coulomb { mu: 0.0 }),
        ),
        ("Coulomb in the plane", plane.clone()),
        ("asymmetric", asymmetric(0.2, 0.6)),
        ("asymmetric, one sense only", asymmetric(0.0, 0.5)),
        // Without friction: a pinned box that turns on hyperstatic sliding contacts has more than one
        // velocity.
        (
            "some bilateral",
            with_laws(&space, |a| {
                if a % 5 == 0 {
                    Law::Bilateral
                } else {
                    Law::Coulomb { mu: 0.0 }
                }
            }),
        ),
    ];
    for (name, problem) in problems {
        let (r, report) = solve(&problem, 1e-8);
        assert!(report.reached(), "{name}: {report:?}");
        let mut other = vec![0.0; r.len()];
        let report = Admm::default().solve(&problem, &mut other, &in_r2(1e-10));
        assert!(report.residual <= 1e-9, "{name}: {report:?}");
        let (u, v) = (velocity(&problem, &r), velocity(&problem, &other));
        let scale = problem
            .free_velocity()
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        for i in 0..u.len() {
            // R2 is 1e-8 over some dozen contacts, so that a single one may be ten times worse, and its velocity ten
            // times more where it is lightly loaded.
            let (here, there) = (u[i], v[i]);
            assert!(
                (here - there).abs() <= 1e-6 * scale,
                "{name}, row {i}: {here} and {there}"
            );
        }
    }
}

#[test]
fn one_block_on_a_slope_slides_by_the_closed_form() {
    // A mass of 2 with free velocity (−0.6, 0.5, 0): rₙ = 1.2 stops it, friction 0.5 rₙ takes 0.3 off
    // the sliding velocity.
    let mut builder = FactoredDelassus::builder();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    let point = builder
        .add_group(&mass, &[0.0; 3], &[-1.2, 1.0, 0.0])
        .unwrap();
    let rows = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let law = Law::Coulomb { mu: 0.5 };
    builder
        .add_contact(law, &[(point, &rows)], &[0.0; 3], Restitution::default())
        .unwrap();
    let problem = builder.build().unwrap();
    let (r, report) = solve(&problem, 1e-11);
    assert!(report.reached(), "{report:?}");
    // One contact: residual and error are of the same size.
    for (found, expected) in r.iter().zip([1.2, -0.6, 0.0]) {
        assert!((found - expected).abs() <= 1e-9, "{r:?}");
    }
    assert!((velocity(&problem, &r)[1] - 0.2).abs() <= 1e-9);
}

#[test]
fn the_symmetric_fallback_goes_on_when_every_step_counts_as_collapsed() {
    // With this threshold each attempt ends after three steps, the last of them with the lagged
    // shift: the best iterate of all is returned, far better than the start.
    let params = InteriorPointParams {
        collapse: 2.0,
        ..InteriorPointParams::default()
    };
    let problem = Wall::default().problem().unwrap();
    let mut r = vec![0.0; problem.num_rows()];
    let report = InteriorPoint::new(params).solve(&problem, &mut r, &in_r2(1e-10));
    assert_eq!((report.outcome, report.iterations), (Outcome::Stalled, 9));
    let start = ResidualEvaluator::new(&problem)
        .evaluate(&problem, &vec![0.0; r.len()])
        .r2;
    let reached = ResidualEvaluator::new(&problem).evaluate(&problem, &r).r2;
    assert!((reached - report.residual).abs() <= 1e-15);
    assert!(reached < 0.05 * start, "{reached:e} from {start:e}");
}

#[test]
fn a_packing_of_spheres_is_solved_or_ends_with_its_best_iterate() {
    let packing = Packing {
        spheres: 40,
        ..Packing::default()
    };
    let problem = packing.settle().unwrap().at_rest(0.0).unwrap();
    let (r, report) = solve(&problem, 1e-6);
    // The method may stall on jammed packings; the tolerance for dynamics is met all the same.
    assert!(report.residual <= 1e-4, "{report:?}");
    let judged = ResidualEvaluator::new(&problem).evaluate(&problem, &r).r2;
    assert!((judged - report.residual).abs() <= 1e-15);
}

#[test]
fn a_law_without_a_second_order_cone_is_declined() {
    let problem = Tower::of(2).problem().unwrap();
    let square =
        PolygonSection::new(&[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]).unwrap();
    let square = Arc::new(square);
    let problem = with_laws(&problem, |_| Law::CoulombPolygon(Arc::clone(&square)));
    let (_, report) = solve(&problem, 1e-6);
    assert_eq!(
        (report.outcome, report.iterations),
        (Outcome::Unsuitable, 0)
    );
}

#[test]
fn no_free_velocity_and_no_contacts_need_no_impulse() {
    let still = Tower {
        gravity: 0.0,
        ..Tower::of(2)
    };
    let problem = still.problem().unwrap();
    let mut r = vec![1.0; problem.num_rows()];
    let report = InteriorPoint::default().solve(&problem, &mut r, &Goal::with_tolerance(1e-12));
    assert!(report.reached() && r.iter().all(|r| *r == 0.0));
    let empty = FactoredDelassus::builder().build().unwrap();
    let report = InteriorPoint::default().solve(&empty, &mut [], &Goal::with_tolerance(1e-12));
    assert!(report.reached());
}
