use percuss_contact::{BlockSparseMatrix, DelassusOperator, Problem};

use super::{CoarseCorrection, LEAST, MOST, OMEGA, SPACING};
use crate::methods::nlgs::Nlgs;
use crate::sample::Tower;

/// A tower of boxes that slide and stick, with the impulses of some sweeps.
fn swept(boxes: usize, sweeps: usize) -> (Problem, Vec<f64>) {
    let tower = Tower {
        push: 0.5,
        friction: 0.4,
        ..Tower::of(boxes)
    };
    let problem = tower.problem().expect("sound");
    let mut r = vec![0.0; problem.num_rows()];
    Nlgs::default().sweep(&problem, &mut r, sweeps);
    (problem, r)
}

/// u + g(u) e_n for the impulses r, with the shift of those of `shifted`.
fn velocity(problem: &Problem, r: &[f64], shifted: &[f64]) -> Vec<f64> {
    let of = |r: &[f64]| {
        let mut scratch = vec![0.0; problem.scratch_len()];
        let mut u = vec![0.0; r.len()];
        problem.velocity_into(r, &mut scratch, &mut u);
        u
    };
    let (mut u, before) = (of(r), of(shifted));
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        let shift = problem.law(a).shift(&before[rows.clone()]);
        u[rows.start] += shift;
    }
    u
}

/// φ_k at a contact of a tower: four at each interface, the lowest half a level up.
fn hat(node: usize, contact: usize) -> f64 {
    let z = ((contact / 4) as f64 + 0.5) / SPACING;
    (1.0 - (z - node as f64).abs()).max(0.0)
}

#[test]
fn factors_are_those_of_least_energy() {
    // So many sweeps that no factor reaches its bounds.
    let (problem, r) = swept(45, 2000);
    let mut correction = CoarseCorrection::default();
    assert!(correction.fit(&problem));
    let mut corrected = r.clone();
    assert!(correction.correct(&problem, &mut corrected));
    let least: Vec<f64> = (r.iter().zip(&corrected))
        .map(|(r, c)| r + (c - r) / OMEGA)
        .collect();
    let [before, after] = [&r, &least].map(|s| velocity(&problem, s, &r));
    let (mut at_first, mut left) = (0.0_f64, 0.0_f64);
    for node in 0..=45 / SPACING as usize {
        let power = |u: &[f64]| -> f64 {
            let rows =
                (0..problem.num_contacts()).flat_map(|a| problem.rows(a).map(move |i| (a, i)));
            rows.map(|(a, i)| hat(node, a) * r[i] * u[i]).sum()
        };
        at_first = at_first.max(power(&before).abs());
        left = left.max(power(&after).abs());
    }
    // Only the regularisation of 1e-6 of the mean diagonal keeps it from zero; θ is of order one.
    assert!(left <= 1e-4 * at_first, "{left:e} of {at_first:e}");
}

#[test]
fn a_correction_keeps_the_direction_of_every_impulse() {
    let (problem, r) = swept(45, 60);
    let mut correction = CoarseCorrection::default();
    assert!(correction.fit(&problem));
    let mut corrected = r.clone();
    assert!(correction.correct(&problem, &mut corrected));
    assert_ne!(r, corrected);
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        let factor = corrected[rows.start] / r[rows.start];
        // A quotient of two roundings.
        let bounds = LEAST * (1.0 - 1e-14)..=MOST * (1.0 + 1e-14);
        assert!(r[rows.start] == 0.0 || bounds.contains(&factor));
        for i in rows {
            // Two products with one factor, rounded.
            let apart = corrected[i] - factor * r[i];
            assert!(r[i] == 0.0 || apart.abs() <= 1e-14 * corrected[i].abs());
        }
    }
}

#[test]
fn what_is_low_or_has_no_ground_is_left_alone() {
    let mut correction = CoarseCorrection::default();
    let (low, _) = swept(10, 60);
    assert!(!correction.fit(&low), "ten levels");
    let (high, r) = swept(45, 60);
    assert!(correction.fit(&high));
    let matrix: BlockSparseMatrix = high.matrix().into_owned();
    let free = high.free_velocity().to_vec();
    let stored = Problem::new(
        high.laws().to_vec(),
        DelassusOperator::Stored { matrix, free },
    );
    assert!(
        !correction.fit(&stored.expect("sound")),
        "no bodies to be seen"
    );
    let tower = Tower {
        gravity: 0.0,
        ..Tower::of(45)
    };
    let weightless = tower.problem().expect("sound");
    assert!(!correction.fit(&weightless), "nothing presses on anything");
    // Fitted again, it depends on nothing from the problems in between.
    let (mut one, mut other) = (r.clone(), r);
    assert!(correction.fit(&high) && correction.correct(&high, &mut one));
    let mut fresh = CoarseCorrection::default();
    assert!(fresh.fit(&high) && fresh.correct(&high, &mut other));
    assert_eq!(one, other);
}
