//! Steps without a solution are found, proven and named; steps with one never are.

use percuss_contact::{
    FactoredDelassus, Law, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
};
use percuss_solve::sample::{Packing, Random, Wall};
use percuss_solve::{Auto, Goal, Outcome, Solver, find_infeasibility};

/// A point of mass 1 between a floor at rest and a lid that comes down at `speed`.
fn squeezed(speed: f64, law: &Law) -> Problem {
    let mut builder = FactoredDelassus::builder();
    let point = builder
        .add_kinetic_group(&[0.0, 0.0], &[0.0, -0.01])
        .unwrap();
    let rows: [(&[f64], f64); 2] = [
        (&[0.0, 1.0, 1.0, 0.0], 0.0),
        (&[0.0, -1.0, 1.0, 0.0], -speed),
    ];
    for (rows, normal) in rows {
        let (rows, boundary) = match law {
            Law::Frictionless => (&rows[..2], vec![normal]),
            _ => (rows, vec![normal, 0.0]),
        };
        builder
            .add_contact(
                law.clone(),
                &[(point, rows)],
                &boundary,
                Restitution::default(),
            )
            .unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn a_lid_that_comes_down_through_a_floor_is_infeasible() {
    for law in [Law::Frictionless, Law::Coulomb { mu: 0.5 }] {
        let problem = squeezed(1.0, &law);
        let mut r = vec![0.0; problem.num_rows()];
        let report = Auto::default().solve(&problem, &mut r, &Goal::with_tolerance(1e-6));
        assert_eq!(report.outcome, Outcome::Infeasible, "{report:?}");
        let proof = report.infeasibility.as_ref().unwrap();
        let mut contacts = proof.contacts.clone();
        contacts.sort_unstable();
        assert_eq!(contacts, [0, 1]);
        // Equal multipliers, b·y = −1·y: they close in at half the lid's speed each.
        assert!((proof.speed - 0.5).abs() < 1e-6, "{}", proof.speed);
        assert!(!report.reached());
        // Impulses that grow do not make it solved: this is what R2 took for an answer.
        let huge = vec![1e9; problem.num_rows()];
        let mut judge = ResidualEvaluator::new(&problem);
        assert!(judge.residual(&problem, &huge, ResidualMeasure::Velocity) > 0.1);
    }
}

#[test]
fn a_lid_that_goes_up_or_rests_is_feasible() {
    for speed in [0.0, -1.0, -1e-9] {
        assert_eq!(
            find_infeasibility(&squeezed(speed, &Law::Frictionless)),
            None
        );
    }
}

/// Discs in a row in a die whose ends close in on each other: every contact has its part.
#[test]
fn discs_crushed_in_a_die_are_infeasible_and_all_contacts_named() {
    let mut builder = FactoredDelassus::builder();
    let discs: Vec<usize> = (0..8)
        .map(|_| builder.add_kinetic_group(&[0.0], &[0.0]).unwrap())
        .collect();
    let soft = Restitution::default();
    builder
        .add_contact(Law::Frictionless, &[(discs[0], &[1.0])], &[-0.5], soft)
        .unwrap();
    for pair in discs.windows(2) {
        let touches: [(usize, &[f64]); 2] = [(pair[0], &[-1.0]), (pair[1], &[1.0])];
        builder
            .add_contact(Law::Frictionless, &touches, &[0.0], soft)
            .unwrap();
    }
    builder
        .add_contact(Law::Frictionless, &[(discs[7], &[-1.0])], &[-0.5], soft)
        .unwrap();
    let problem = builder.build().unwrap();
    let proof = find_infeasibility(&problem).unwrap();
    assert_eq!(proof.contacts.len(), 9);
    assert!((proof.speed - 1.0 / 9.0).abs() < 1e-6, "{}", proof.speed);
}

/// Walls, packings and random collections have solutions: Farkas' multipliers must not exist.
#[test]
fn what_has_a_solution_is_never_called_infeasible() {
    let problems = [
        Wall::default().problem().unwrap(),
        Packing::default().settle().unwrap().colliding().unwrap(),
    ];
    for problem in &problems {
        assert_eq!(find_infeasibility(problem), None);
    }
    let mut random = Random::new(7);
    for _ in 0..100 {
        let mut builder = FactoredDelassus::builder();
        let groups: Vec<usize> = (0..6)
            .map(|_| {
                let v: Vec<f64> = (0..3).map(|_| random.within(-1.0, 1.0)).collect();
                builder.add_kinetic_group(&v, &v).unwrap()
            })
            .collect();
        // A velocity that opens every contact is chosen first, and rows are turned to agree with it.
        let open: Vec<Vec<f64>> = groups
            .iter()
            .map(|_| (0..3).map(|_| random.within(-1.0, 1.0)).collect())
            .collect();
        for _ in 0..14 {
            let (i, j) = (random.below(6), random.below(6));
            if i == j {
                continue;
            }
            let row: Vec<f64> = (0..3).map(|_| random.within(-1.0, 1.0)).collect();
            let other: Vec<f64> = row.iter().map(|x| -x).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let speed = dot(&row, &open[i]) + dot(&other, &open[j]);
            let (a, b) = if speed > 0.0 {
                (row, other)
            } else {
                (other, row)
            };
            let touches: [(usize, &[f64]); 2] = [(groups[i], &a), (groups[j], &b)];
            builder
                .add_contact(Law::Frictionless, &touches, &[0.0], Restitution::default())
                .unwrap();
        }
        assert_eq!(find_infeasibility(&builder.build().unwrap()), None);
    }
}
