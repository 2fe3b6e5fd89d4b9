//! Iteration counts, so that a silent slowdown shows. Correctness is tested elsewhere.
//!
//! Bounds are 1.25 times the figure of the prototype on the very same problem (towers, walls,
//! chain, pyramid): a change of rounding moves these counts by a few percent, a fault of the method
//! by factors. Where a bound is not that, the reason stands beside it.

use crate::common::{settled, solve_cold};
use percuss_contact::{Problem, ResidualMeasure};
use percuss_solve::admm::AdmmParams;
use percuss_solve::nlgs::NlgsParams;
use percuss_solve::nncg::{NncgParams, Sweeps};
use percuss_solve::sample::{Chain, Pyramid, Tower, Wall};
use percuss_solve::{Admm, Goal, Nlgs, Nncg, Solver};

/// Iterations to reach 1e-4 and 1e-8; `None` where it was not asked for.
type Bounds = [Option<usize>; 2];

/// 1.25 times the prototype's counts.
fn margin(to_1e4: usize, to_1e8: Option<usize>) -> Bounds {
    [Some(to_1e4 * 5 / 4), to_1e8.map(|n| n * 5 / 4)]
}

/// Sweeps are counted to a value of R2, independent of the RV that decides by default.
fn in_r2(tolerance: f64) -> Goal {
    Goal::with_tolerance(tolerance).with_measure(ResidualMeasure::Dimensionless)
}

fn check(name: &str, problem: &Problem, solver: &mut dyn Solver, bounds: Bounds) {
    for (tolerance, bound) in [1e-4, 1e-8].into_iter().zip(bounds) {
        let Some(bound) = bound else { continue };
        // Running out of iterations at the bound is the failure.
        let goal = in_r2(tolerance).at_most(bound);
        let (_, report) = solve_cold(solver, problem, &goal);
        let method = solver.name();
        let (n, residual) = (report.iterations, report.residual);
        assert!(
            report.reached(),
            "{name}, {method}: {residual:.1e} after {n}, expected {tolerance:.0e} within {bound}"
        );
    }
}

/// The methods without their stagnation guards, the residual evaluated at every iteration: the counts proper.
fn nlgs() -> Nlgs {
    Nlgs::new(NlgsParams {
        residual_interval: 1,
        ..NlgsParams::default()
    })
}

fn nncg(sweeps: Sweeps) -> Nncg {
    Nncg::new(NncgParams {
        residual_interval: 1,
        patience: usize::MAX,
        sweeps,
        ..NncgParams::default()
    })
}

fn admm() -> Admm {
    Admm::new(AdmmParams {
        patience: usize::MAX,
        ..AdmmParams::default()
    })
}

/// Checks NLGS, NNCG over exact sweeps and ADMM.
fn check_all(name: &str, problem: &Problem, bounds: [Bounds; 3]) {
    check(name, problem, &mut nlgs(), bounds[0]);
    check(name, problem, &mut nncg(Sweeps::Exact), bounds[1]);
    check(name, problem, &mut admm(), bounds[2]);
}

#[test]
fn tower_counts() {
    let problem = Tower::of(10).problem().unwrap();
    let bounds = [
        margin(313, None),
        margin(61, Some(786)),
        margin(32, Some(64)),
    ];
    check_all("tower", &problem, bounds);
}

#[test]
fn heavy_top_counts() {
    let problem = Tower::heavy_top(10, 1e3).problem().unwrap();
    let bounds = [margin(3971, None), margin(262, None), margin(45, Some(98))];
    check_all("heavy top", &problem, bounds);
}

#[test]
fn alternating_tower_counts() {
    let problem = Tower::alternating(10, 1e3).problem().unwrap();
    let bounds = [margin(3768, None), margin(154, None), margin(36, Some(69))];
    check_all("alternating", &problem, bounds);
}

#[test]
fn pushed_tower_counts() {
    let tower = Tower {
        push: 0.05,
        ..Tower::heavy_top(10, 1e3)
    };
    let bounds = [
        margin(3972, None),
        margin(206, None),
        margin(45, Some(2052)),
    ];
    check_all("pushed tower", &tower.problem().unwrap(), bounds);
}

#[test]
fn wall_counts() {
    let problem = Wall::default().problem().unwrap();
    assert_eq!(problem.num_contacts(), 548);
    let bounds = [
        margin(209, Some(1236)),
        margin(65, Some(284)),
        margin(26, Some(63)),
    ];
    check_all("wall", &problem, bounds);
}

#[test]
fn pushed_wall_counts() {
    let wall = Wall {
        lateral: 0.15,
        ..Wall::default()
    };
    let bounds = [
        margin(337, Some(1872)),
        margin(128, Some(374)),
        margin(57, Some(190)),
    ];
    check_all("pushed wall", &wall.problem().unwrap(), bounds);
}

#[test]
fn hanging_chain_counts() {
    let problem = Chain::default().problem().unwrap();
    let bounds = [
        margin(1604, None),
        margin(83, Some(807)),
        margin(42, Some(115)),
    ];
    check_all("chain", &problem, bounds);
}

#[test]
fn cycling_pyramid_counts() {
    let problem = Pyramid::default().problem().unwrap();
    check(
        "pyramid",
        &problem,
        &mut nncg(Sweeps::Projection),
        margin(47, Some(136)),
    );
    check("pyramid", &problem, &mut admm(), margin(23, Some(39)));
    // Exact sweeps cycle at 3e-4. If they ever converge, the guard's regression case is gone.
    let (_, report) = solve_cold(&mut nlgs(), &problem, &in_r2(1e-4).at_most(2000));
    assert!(!report.reached(), "{report:?}");
    assert!(report.residual <= 3e-3, "{report:?}");
}

#[test]
fn guarded_nncg_leaves_the_cycle() {
    let problem = Pyramid::default().problem().unwrap();
    let (_, report) = solve_cold(&mut Nncg::default(), &problem, &in_r2(1e-8));
    assert!(report.reached(), "{report:?}");
    // Two hundred sweeps of patience after the last halving (about a hundred), then the count of
    // projection sweeps with its margin.
    assert!(
        report.iterations <= 500 + 136 * 5 / 4,
        "{}",
        report.iterations
    );
}

#[test]
fn small_packing_counts() {
    // No prototype figures for this packing: about twice what is measured today, which leaves
    // room for another rounding of a jammed problem.
    let problem = settled().at_rest(0.0).unwrap();
    check("packing", &problem, &mut nlgs(), [Some(1500), None]);
    check(
        "packing",
        &problem,
        &mut nncg(Sweeps::Exact),
        [Some(500), None],
    );
    check("packing", &problem, &mut admm(), [Some(800), None]);
}

#[test]
fn layers_slow_the_growth_of_sweeps_with_the_height_of_a_tower() {
    let count = |boxes: usize, lift_every: usize| {
        let mut solver = Nncg::new(NncgParams {
            residual_interval: 1,
            patience: usize::MAX,
            correction_interval: lift_every,
            ..NncgParams::default()
        });
        let problem = Tower::of(boxes).problem().unwrap();
        let (_, report) = solve_cold(&mut solver, &problem, &in_r2(1e-4));
        assert!(report.reached(), "{boxes} boxes: {:e}", report.residual);
        report.iterations as f64
    };
    let usual = NncgParams::default().correction_interval;
    let [low, high] = [20, 160].map(|boxes| count(boxes, usual));
    // 63 and 200 sweeps, a power of 0.56 of the height, and 70 and 271 without the coarse correction: a quarter above
    // the root lies between the two.
    assert!(high <= low * 8.0_f64.sqrt() * 1.25, "{low} and {high}");
    let plain = count(160, usize::MAX);
    assert!(high <= 0.85 * plain, "{high} instead of {plain}");
}
