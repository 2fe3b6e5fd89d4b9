//! SIMD packs against the residual evaluator and against each other.

use percuss_contact::{FactoredDelassus, Law, Problem, ResidualEvaluator, ResidualMeasure};

use super::instruction_set::InstructionSet;
use super::{CgStep, SimdSweeper};
use crate::goal::{Goal, Solver};
use crate::methods::nncg::Nncg;
use crate::sample::{Packing, Pyramid, Random, Tower, Wall};

/// Plane and space, full blocks, sticking and sliding.
fn problems() -> Vec<(&'static str, Problem)> {
    let made = [
        ("tower", Tower::default().problem()),
        ("wall", Wall::default().problem()),
        ("pyramid", Pyramid::default().problem()),
        (
            "packing",
            Packing::default()
                .settle()
                .and_then(|settled| settled.at_rest(0.0)),
        ),
    ];
    let sound = |(name, problem): (_, Result<Problem, _>)| (name, problem.expect("sound"));
    made.into_iter().map(sound).collect()
}

#[test]
fn residual_of_packs_is_that_of_the_judge() {
    for (name, problem) in problems() {
        let mut sweeper = SimdSweeper::default();
        assert!(sweeper.fit(&problem), "{name}");
        let mut impulse = vec![0.0; problem.num_rows()];
        sweeper.load(&problem, &impulse);
        for _ in 0..20 {
            sweeper.sweep(&problem, CgStep::PLAIN);
            let own = sweeper.residual(&problem);
            sweeper.store(&problem, &mut impulse);
            let judged = ResidualEvaluator::new(&problem).residual(
                &problem,
                &impulse,
                ResidualMeasure::Dimensionless,
            );
            // Sums in another order, of some thousand terms each.
            assert!(
                (own - judged).abs() <= 1e-10 * judged,
                "{name}: {own} {judged}"
            );
        }
    }
}

/// Spheres on a cubic lattice, each touching its lower neighbours; numbered at random, with curve keys given.
fn lattice(edge: usize) -> Problem {
    let mut random = Random::new(7);
    let n = edge.pow(3);
    let mut number: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        number.swap(
            k,
            (random.within(0.0, 1.0) * (k + 1) as f64) as usize % (k + 1),
        );
    }
    let mut cell = vec![0; n];
    number.iter().enumerate().for_each(|(at, &k)| cell[k] = at);
    let mut builder = FactoredDelassus::builder();
    for _ in 0..n {
        let free = [0.0; 6].map(|_: f64| random.within(-0.1, 0.05));
        builder.add_kinetic_group(&[0.0; 6], &free).expect("sound");
    }
    builder.set_curve_keys(cell.iter().map(|&at| at as u32));
    for at in 0..n {
        for (axis, stride) in [1, edge, edge * edge].into_iter().enumerate() {
            let mut frame = [[0.0; 3]; 3];
            (0..3).for_each(|k| frame[k][(axis + k) % 3] = 1.0);
            let mut touching = vec![(number[at], 1.0, -1.5)];
            if !(at / stride).is_multiple_of(edge) {
                touching.push((number[at - stride], -1.0, -1.5));
            }
            let law = Law::Coulomb { mu: 0.4 };
            let zero = [0.0; 3];
            let added = builder.add_sphere_contact(&law, &frame, &touching, &zero, &zero);
            added.expect("sound");
        }
    }
    builder.build().expect("sound")
}

/// Impulses and residual after some accelerated sweeps.
fn swept(sweeper: &mut SimdSweeper, problem: &Problem) -> (Vec<u64>, u64) {
    assert!(sweeper.fit(problem));
    let mut impulse = vec![0.0; problem.num_rows()];
    sweeper.load(problem, &impulse);
    let (mut cg_step, mut previous) = (CgStep::PLAIN, f64::INFINITY);
    for _ in 0..70 {
        let norm = sweeper.sweep(problem, cg_step);
        cg_step = CgStep::fletcher_reeves(norm, previous);
        previous = norm;
    }
    let residual = sweeper.residual(problem);
    sweeper.store(problem, &mut impulse);
    (
        impulse.iter().map(|r| r.to_bits()).collect(),
        residual.to_bits(),
    )
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    // 5832 spheres make three partitions.
    let problem = lattice(18);
    let alone = swept(&mut SimdSweeper::default(), &problem);
    for threads in [2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let shared = pool
            .expect("threads")
            .install(|| swept(&mut SimdSweeper::default(), &problem));
        assert!(shared == alone, "{threads} threads");
    }
}

#[test]
fn blocks_and_seams_solve_the_problem() {
    let problem = lattice(18);
    let mut impulse = vec![0.0; problem.num_rows()];
    let report = Nncg::default().solve(
        &problem,
        &mut impulse,
        &Goal::with_tolerance(1e-4).with_measure(ResidualMeasure::Dimensionless),
    );
    assert!(report.reached(), "{report:?}");
    let judged = ResidualEvaluator::new(&problem).residual(
        &problem,
        &impulse,
        ResidualMeasure::Dimensionless,
    );
    assert!(judged <= 1e-4);
}

#[test]
fn bits_do_not_depend_on_the_instructions() {
    for (name, problem) in problems() {
        let best = swept(&mut SimdSweeper::default(), &problem);
        let mut plain = SimdSweeper::default();
        plain.plane.instructions = InstructionSet::Plain;
        plain.space.instructions = InstructionSet::Plain;
        assert!(swept(&mut plain, &problem) == best, "{name}");
    }
}

#[test]
fn a_plan_that_is_kept_is_the_one_that_would_be_made() {
    // The same contacts with other data: the partitioning of the first problem is used for the second.
    let walls = [0.0, 0.3].map(|lateral| {
        let wall = Wall {
            lateral,
            ..Wall::default()
        };
        wall.problem().expect("sound")
    });
    let mut kept = SimdSweeper::default();
    swept(&mut kept, &walls[0]);
    let anew = swept(&mut SimdSweeper::default(), &walls[1]);
    assert!(swept(&mut kept, &walls[1]) == anew);
}
