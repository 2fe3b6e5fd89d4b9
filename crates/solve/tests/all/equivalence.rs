//! Two ways, one solution: methods, warm starts, numbering, units, repetition.
//!
//! Impulses of hyperstatic problems are not unique; velocities, their sums and residuals are what
//! is compared.

use crate::common;

use crate::common::{apart, dot, one_of_each, r2, settled, solve_cold, velocity};
use percuss_contact::{Problem, ProblemError, ResidualMeasure};
use percuss_solve::nncg::NncgParams;
use percuss_solve::sample::{Chain, Pyramid, Random, RandomContacts, Table, Tower, Wall};
use percuss_solve::{Admm, Auto, Goal, Nlgs, Nncg, Solver};

/// Piles that slide are left out: Coulomb's law is not associated, and they have several solutions whose velocities
/// differ by per cents, each with a residual at rounding level.
fn has_one_velocity(name: &str) -> bool {
    !name.starts_with("pyramid") && (!name.starts_with("packing") || name == "packing at rest")
}

#[test]
fn methods_agree_on_velocities() {
    let goal = Goal::with_tolerance(1e-6).with_measure(ResidualMeasure::Dimensionless);
    for (name, problem) in one_of_each() {
        if !has_one_velocity(name) {
            continue;
        }
        let (r, report) = solve_cold(&mut Auto::default(), &problem, &goal);
        assert!(report.reached(), "{name}");
        let u = velocity(&problem, &r);
        // Where all contacts stick, F = κu and R2 bounds the velocity itself: twice 1e-6, and a
        // decade of room. In a packing some contacts slide or open; the energy distance of two
        // answers is then of the order of the root.
        let bound = if name.starts_with("packing") {
            1e-3
        } else {
            2e-5
        };
        // Sweeps are cheap and slow in packings: without patience they would be left too early.
        let patient = NncgParams {
            patience: SWEEPS,
            ..NncgParams::default()
        };
        let others: [(Box<dyn Solver>, usize); 3] = [
            (Box::new(Nlgs::default()), SWEEPS),
            (Box::new(Nncg::new(patient)), SWEEPS),
            (Box::new(Admm::default()), 3000),
        ];
        let mut compared = 0;
        for (mut solver, most) in others {
            let (s, report) = solve_cold(solver.as_mut(), &problem, &goal.at_most(most));
            // Not reaching 1e-6 is no fault of these methods; a wrong velocity at 1e-6 would be.
            if report.reached() {
                compared += 1;
                let distance = apart(&problem, &u, &velocity(&problem, &s)) / scale(&problem, &r);
                assert!(distance <= bound, "{name}, {}: {distance:e}", solver.name());
            }
        }
        let easy = name.starts_with("wall") || name.starts_with("table");
        assert!(
            compared >= if easy { 3 } else { 1 },
            "{name}: nothing to compare with"
        );
    }
}

/// Sweeps that a packing may need to 1e-6.
const SWEEPS: usize = 30_000;

/// max(Σ ‖r‖²/κ, Σ κ‖b‖²)^½ over (Σ κ‖b‖²)^½: what R2 is relative to, in terms of b.
fn scale(problem: &Problem, r: &[f64]) -> f64 {
    let (mut impulse, mut free) = (0.0, 0.0);
    for a in 0..problem.num_contacts() {
        for row in problem.rows(a) {
            impulse += r[row].powi(2) / problem.kappa(a);
            free += problem.free_velocity()[row].powi(2) * problem.kappa(a);
        }
    }
    (impulse / free).sqrt().max(1.0)
}

#[test]
fn impulses_on_the_floor_carry_the_weight() {
    // Boxes of mass 1 and a top of 1000: interface k carries everything above it for one step.
    let file = include_str!("../data/tower_mass_ratio.json");
    let oracle: serde_json::Value = serde_json::from_str(file).unwrap();
    let sums = oracle["normal_impulse_sum_by_interface"]
        .as_array()
        .unwrap();
    let problem = Tower::heavy_top(10, 1e3).problem().unwrap();
    let (r, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-10));
    assert!(report.reached(), "{report:?}");
    for (k, expected) in sums.iter().enumerate() {
        let expected = expected.as_f64().unwrap();
        let sum: f64 = (4 * k..4 * k + 4).map(|a| r[3 * a]).sum();
        // The boxes rest up to R2 = 1e-10, so balance holds to about that.
        assert!(
            (sum - expected).abs() <= 1e-8 * expected,
            "interface {k}: {sum}"
        );
    }
    let u = velocity(&problem, &r);
    // The oracle's own tolerance: 1e-6 g h.
    assert!(u.iter().all(|v| v.abs() <= 1e-6 * 0.1), "{u:?}");
}

#[test]
fn table_legs_balance_weight_and_moments() {
    let table = Table {
        offset: [0.3, -0.2],
        push: [0.1, 0.2],
        ..Table::default()
    };
    let problem = table.problem().unwrap();
    let (r, _) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-12));
    let weight = table.mass * table.gravity * table.step;
    let legs = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
    let normal: Vec<f64> = (0..4).map(|a| r[3 * a]).collect();
    let along = |i: usize| -> f64 { (0..4).map(|a| r[3 * a + i]).sum() };
    // The table sticks (push below friction), so forces and moments balance: to 1e-10 at R2 1e-12.
    let near = |x: f64, y: f64| assert!((x - y).abs() <= 1e-10 * weight, "{x} {y}");
    near(normal.iter().sum(), weight);
    near(along(1), -table.push[0] * weight);
    near(along(2), -table.push[1] * weight);
    // Moment of the normal impulses about the middle: weight at the offset, tipped by the push.
    let x: f64 = legs
        .iter()
        .zip(&normal)
        .map(|(l, n)| l.0 * table.half[0] * n)
        .sum();
    let y: f64 = legs
        .iter()
        .zip(&normal)
        .map(|(l, n)| l.1 * table.half[1] * n)
        .sum();
    near(x, weight * (table.offset[0] + table.push[0] * table.height));
    near(y, weight * (table.offset[1] + table.push[1] * table.height));
}

#[test]
fn hanging_chain_pins_carry_what_hangs_below() {
    let problem = Chain::default().problem().unwrap();
    let (r, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-10));
    assert!(report.reached());
    for k in 0..10 {
        let below = 1000.0 + (9 - k) as f64;
        // Balance up to R2 = 1e-10 of impulses of the same size.
        assert!(
            (r[3 * k + 2] - 0.1 * below).abs() <= 1e-7 * below,
            "pin {k}: {}",
            r[3 * k + 2]
        );
    }
}

#[test]
fn warm_start_from_the_answer_needs_no_work() {
    for problem in [
        Wall::default().problem().unwrap(),
        Tower::of(10).problem().unwrap(),
    ] {
        // What the default aims at in small structures, whatever is asked for: less than that it would improve.
        let (r, _) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-12));
        for name in ["auto", "nlgs", "nncg", "admm"] {
            let mut again = r.clone();
            let mut solver = percuss_solve::by_name(name).unwrap();
            let report = solver.solve(&problem, &mut again, &Goal::with_tolerance(1e-8));
            assert!(
                report.reached() && report.iterations <= 1,
                "{name}: {report:?}"
            );
        }
    }
}

#[test]
fn one_percent_more_load_needs_few_sweeps_from_a_warm_start() {
    let wall = |gravity| Wall {
        lateral: 0.15,
        gravity,
        ..Wall::default()
    };
    let before = wall(10.0).problem().unwrap();
    let after = wall(10.1).problem().unwrap();
    let (mut r, _) = solve_cold(&mut Auto::default(), &before, &Goal::with_tolerance(1e-8));
    let (_, cold) = solve_cold(&mut Nlgs::default(), &after, &Goal::with_tolerance(1e-4));
    let warm = Nlgs::default().solve(&after, &mut r, &Goal::with_tolerance(1e-4));
    assert!(warm.reached());
    // The load changes by 1e-2 and the tolerance is 1e-4: two decades instead of four remain, of
    // which the uniform part falls at once. Cold takes 337 sweeps; a quarter is ample.
    assert!(
        4 * warm.iterations <= cold.iterations,
        "{} {}",
        warm.iterations,
        cold.iterations
    );
}

/// The same problem with contacts renumbered, through a stored matrix; `order[new] = old`.
fn renumbered(problem: &Problem, order: &[usize]) -> Result<Problem, ProblemError> {
    let w = problem.matrix();
    let d = problem.dim(0);
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let (mut ptr, mut col, mut val) = (vec![0], Vec::new(), Vec::new());
    let (mut free, mut friction) = (Vec::new(), Vec::new());
    for &old in order {
        for i in 0..d {
            for (b, block) in w.row(old) {
                for j in 0..d {
                    col.push(place[b] * d + j);
                    val.push(block[i * d + j]);
                }
            }
            ptr.push(col.len());
            free.push(problem.free_velocity()[old * d + i]);
        }
        friction.push(match problem.law(old) {
            percuss_contact::Law::Coulomb { mu } => *mu,
            other => panic!("unexpected law {other:?}"),
        });
    }
    Problem::from_matrix(d, &ptr, &col, &val, free, &friction)
}

#[test]
fn numbering_changes_neither_residual_nor_velocity() {
    // High friction: the pile stands, so that its velocity is the same for every numbering.
    let pyramid = Pyramid {
        layers: 4,
        ..Pyramid::default()
    };
    for problem in [
        Wall::default().problem().unwrap(),
        pyramid.problem().unwrap(),
    ] {
        let n = problem.num_contacts();
        let d = problem.dim(0);
        let mut random = Random::new(5);
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            order.swap(k, random.below(k + 1));
        }
        let other = renumbered(&problem, &order).unwrap();
        let (r, _) = solve_cold(&mut Nncg::default(), &problem, &Goal::with_tolerance(1e-3));
        let moved: Vec<f64> = order
            .iter()
            .flat_map(|&a| r[a * d..a * d + d].to_vec())
            .collect();
        let (here, there) = (r2(&problem, &r), r2(&other, &moved));
        // Sums in another order, products W r instead of Ĝ Ĝᵀ r: rounding over a residual of 1e-3.
        assert!((here - there).abs() <= 1e-10 * here, "{here:e} {there:e}");
        let (r, _) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-9));
        let (s, report) = solve_cold(&mut Auto::default(), &other, &Goal::with_tolerance(1e-9));
        assert!(report.reached());
        let u = velocity(&problem, &r);
        let u: Vec<f64> = order
            .iter()
            .flat_map(|&a| u[a * d..a * d + d].to_vec())
            .collect();
        // Root of 1e-9, relative to the impulses, with room: see `methods_agree_on_velocities`.
        assert!(apart(&other, &u, &velocity(&other, &s)) <= 1e-4 * scale(&other, &s));
    }
}

#[test]
fn units_change_neither_residual_nor_motion() {
    // Kilograms to grams, metres to kilometres, seconds to minutes.
    let (mass, length, time) = (1e3, 1e-3, 1.0 / 60.0);
    let tower = Tower {
        push: 0.3,
        ..Tower::alternating(5, 50.0)
    };
    let other = Tower {
        masses: tower.masses.iter().map(|m| m * mass).collect(),
        size: tower.size.map(|s| s * length),
        gravity: tower.gravity * length / (time * time),
        step: tower.step * time,
        ..tower.clone()
    };
    let (tower, other) = (tower.problem().unwrap(), other.problem().unwrap());
    let (r, _) = solve_cold(&mut Nncg::default(), &tower, &Goal::with_tolerance(1e-3));
    let impulse = mass * length / time;
    let s: Vec<f64> = r.iter().map(|x| x * impulse).collect();
    let (here, there) = (r2(&tower, &r), r2(&other, &s));
    // R2 is a ratio of energies: only rounding may differ.
    assert!((here - there).abs() <= 1e-10 * here, "{here:e} {there:e}");
    let (r, _) = solve_cold(&mut Auto::default(), &tower, &Goal::with_tolerance(1e-9));
    let (s, report) = solve_cold(&mut Auto::default(), &other, &Goal::with_tolerance(1e-9));
    assert!(report.reached());
    let u: Vec<f64> = velocity(&tower, &r)
        .iter()
        .map(|v| v * length / time)
        .collect();
    assert!(apart(&other, &u, &velocity(&other, &s)) <= 1e-4 * scale(&other, &s));
}

#[test]
fn same_problem_same_bits() {
    let problems = [
        settled().at_rest(0.6).unwrap(),
        Wall::default().problem().unwrap(),
    ];
    for problem in &problems {
        for name in percuss_solve::NAMES {
            let goal = Goal::with_tolerance(1e-5).at_most(400);
            let mut solver = percuss_solve::by_name(name).unwrap();
            let (first, report) = solve_cold(solver.as_mut(), problem, &goal);
            // Once with used buffers, once with a fresh solver.
            let (used, _) = solve_cold(solver.as_mut(), problem, &goal);
            let mut solver = percuss_solve::by_name(name).unwrap();
            let (fresh, again) = solve_cold(solver.as_mut(), problem, &goal);
            let bits = |r: &[f64]| r.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&first), bits(&used), "{name}");
            assert_eq!(bits(&first), bits(&fresh), "{name}");
            assert_eq!(report, again, "{name}");
        }
    }
}

#[test]
fn one_solver_serves_problems_of_different_shape() {
    // Twelve rows each; 6, 9, 0 and 6 coordinates, contacts of three rows and of two.
    let four = Tower::of(1).problem().unwrap();
    let stored = renumbered(&four, &[3, 1, 2, 0]).unwrap();
    let linkage = RandomContacts {
        contacts: 6,
        ..RandomContacts::default()
    };
    let wall = Wall {
        courses: 1,
        bricks: 2,
        ..Wall::default()
    };
    let (linkage, wall) = (linkage.problem().unwrap(), wall.problem().unwrap());
    let problems = [four, linkage, stored, wall];
    assert!(problems.iter().all(|p| p.num_rows() == 12));
    let goal = Goal::with_tolerance(1e-5);
    for name in percuss_solve::NAMES {
        let mut solver = percuss_solve::by_name(name).unwrap();
        for problem in problems.iter().chain(&problems) {
            let (_, used) = solve_cold(solver.as_mut(), problem, &goal);
            let mut fresh = percuss_solve::by_name(name).unwrap();
            assert_eq!(used, solve_cold(fresh.as_mut(), problem, &goal).1, "{name}");
        }
    }
}

#[test]
fn generated_problems_are_the_same_every_time() {
    let again = common::narrow().settle().unwrap();
    assert_eq!(&again, settled());
    assert_eq!(again.at_rest(0.1).unwrap(), settled().at_rest(0.1).unwrap());
}

#[test]
fn no_method_pulls_or_exceeds_friction() {
    let problem = settled().at_rest(0.6).unwrap();
    for name in ["nlgs", "nncg", "nncg-projection", "admm"] {
        let mut solver = percuss_solve::by_name(name).unwrap();
        let (r, _) = solve_cold(
            solver.as_mut(),
            &problem,
            &Goal::with_tolerance(1e-4).at_most(300),
        );
        for c in r.chunks(3) {
            // These methods return points of the cone, whatever the residual: rounding only.
            let slack = 1e-14 * c[0].abs();
            assert!(
                c[0] >= 0.0 && dot(&c[1..], &c[1..]).sqrt() <= 0.5 * c[0] + slack,
                "{name} {c:?}"
            );
        }
    }
}
