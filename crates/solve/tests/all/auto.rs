//! The default method reaches its tolerance on every generated problem.

use crate::common::{one_of_each, r2, settled, solve_cold};
use contact::{Kinetic, Measure};
use solve::sample::{Pyramid, Tower};
use solve::{Auto, Goal, Outcome};

#[test]
fn every_kind_of_problem_is_solved_to_1e_6() {
    let mut failures = Vec::new();
    for (name, problem) in one_of_each() {
        let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &Goal::to(1e-6));
        // The judge is asked again: a report is not believed.
        let judged = r2(&problem, &impulse);
        if !(judged <= 1e-6 && report.reached()) {
            failures.push(format!("{name}: {judged:.1e} by {}", report.method()));
        }
        // Same sums in the same order: the figures must agree to the last bits.
        assert!((judged - report.residual).abs() <= 1e-12 * judged, "{name}");
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn pyramid_on_which_exact_sweeps_cycle_is_solved_to_1e_6() {
    let problem = Pyramid::default().problem().unwrap();
    assert_eq!(problem.num_contacts(), 396);
    let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &Goal::to(1e-6));
    assert!(report.reached(), "{report:?}");
    assert!(r2(&problem, &impulse) <= 1e-6);
}

#[test]
fn tower_with_a_top_a_million_times_heavier_is_solved_to_1e_8() {
    let problem = Tower::heavy_top(10, 1e6).problem().unwrap();
    let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &Goal::to(1e-8));
    assert!(report.reached(), "{report:?}");
    assert!(r2(&problem, &impulse) <= 1e-8);
}

#[test]
fn interfaces_under_a_top_a_million_times_heavier_carry_it() {
    let problem = Tower::heavy_top(10, 1e6).problem().unwrap();
    let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &Goal::to(1e-12));
    assert!(report.reached(), "{report:?}");
    for k in 0..10 {
        let above = 1e6 + (9 - k) as f64;
        let sum: f64 = (4 * k..4 * k + 4).map(|a| impulse[3 * a]).sum();
        // κ of these contacts is that of the light boxes. A speed u of the heavy one, spread over
        // the ten interfaces, shows in R2 as 0.2 u/(4.5 m g h), so that the part of the weight that
        // is not carried, m u/(m g h), may be 2e7 R2. Hence 1e-12, and 1e-4 here.
        assert!(
            (sum - 0.1 * above).abs() <= 1e-4 * 0.1 * above,
            "interface {k}: {sum}"
        );
    }
}

#[test]
fn the_path_tells_every_stage_and_counts_add_up() {
    let problem = Tower::heavy_top(10, 1e3).problem().unwrap();
    let (_, report) = solve_cold(&mut Auto::default(), &problem, &Goal::to(1e-8));
    assert!(report.reached());
    assert!(!report.path.is_empty());
    let sum: usize = report.path.iter().map(|s| s.iterations).sum();
    assert_eq!(sum, report.iterations);
    assert_eq!(report.path.last().unwrap().residual, report.residual);
}

#[test]
fn empty_problem_is_solved_at_once() {
    let problem = Kinetic::builder().build().unwrap();
    for name in solve::NAMES {
        let mut solver = solve::by_name(name).unwrap();
        let report = solver.solve(&problem, &mut [], &Goal::to(1e-12));
        assert_eq!(report.outcome, Outcome::Reached, "{name}");
        assert_eq!(report.residual, 0.0, "{name}");
    }
}

#[test]
fn a_tolerance_out_of_reach_is_reported_and_never_claimed() {
    let problem = settled().at_rest(0.0).unwrap();
    let goal = Goal::to(1e-300).at_most(50);
    for name in solve::NAMES {
        let mut solver = solve::by_name(name).unwrap();
        let (impulse, report) = solve_cold(solver.as_mut(), &problem, &goal);
        assert!(!report.reached(), "{name}");
        let judged = r2(&problem, &impulse);
        assert!((judged - report.residual).abs() <= 1e-12 * judged, "{name}");
        // Zero impulses are the start; the best iterate is never worse.
        assert!(judged <= r2(&problem, &vec![0.0; impulse.len()]), "{name}");
    }
}

#[test]
fn the_file_measure_decides_when_asked() {
    let problem = Tower::of(4).problem().unwrap();
    let goal = Goal {
        measure: Measure::File,
        ..Goal::to(1e-7)
    };
    let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &goal);
    let judgement = contact::Judge::new(&problem).judge(&problem, &impulse);
    assert!(judgement.r1 <= 1e-7, "{judgement:?}");
    assert!((judgement.r1 - report.residual).abs() <= 1e-12 * judgement.r1);
}
