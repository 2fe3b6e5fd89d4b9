//! Components that are too large for a dense factorisation, against the complement of a stored W, another implementation.

use percuss_contact::law::Law;
use percuss_contact::{
    FactoredDelassus, Problem, ProblemBuilder, ResidualEvaluator, ResidualMeasure, Restitution,
};
use proptest::prelude::*;

use super::tests::{
    AXES, FALL, UP, assert_close, chain, joint, point_rows, rod, solved, stored, struck_chain,
    velocity,
};
use super::{BilateralError, Recovery, ReducedProblem, eliminate};
use crate::Auto;
use crate::goal::{Goal, Solver};

/// Links whose chain has more coordinates than the dense factorisation takes.
const LINKS: usize = 40;

/// Whether the first component is factorised sparsely.
fn is_sparse(reduced: &ReducedProblem) -> bool {
    match &reduced.recovery {
        Recovery::Kinetic(components) => components[0].is_sparse(),
        Recovery::Stored(_) => false,
    }
}

#[test]
fn a_long_chain_that_strikes_a_floor_moves_as_the_stored_matrix_says() {
    // The mass ratio of 1e6 costs the complement of the stored W four digits more.
    for (ratio, tolerance) in [(1.0, 1e-9), (1e3, 1e-8), (1e6, 1e-5)] {
        let problem = struck_chain(LINKS, ratio, 0.3);
        let reduced = eliminate(&problem).unwrap().unwrap();
        assert!(is_sparse(&reduced));
        // The contact can cause velocities in three directions.
        assert_eq!(reduced.problem().num_rows(), 3);
        // Heavy loads leave rounding of the complement of a stored W in the residual.
        let (r, s) = (solved(&problem, 1e-11), solved(&stored(&problem), 1e-9));
        let (u, v) = (velocity(&problem, &r), velocity(&problem, &s));
        assert_close(&u, &v, tolerance);
        // Joints hold to the rounding of the heaviest velocities.
        let joints = &u[..3 * LINKS];
        assert!(joints.iter().all(|u| u.abs() < 1e-13 * ratio.sqrt()));
    }
}

#[test]
fn doubled_joints_of_a_long_chain_carry_half_each() {
    let once = chain(LINKS, 1.0).build().unwrap();
    let mut builder = chain(LINKS, 1.0);
    hang(&mut builder, LINKS);
    let twice = builder.build().unwrap();
    let (r, s) = (solved(&once, 1e-12), solved(&twice, 1e-12));
    let half: Vec<f64> = r.iter().chain(&r).map(|r| 0.5 * r).collect();
    // Impulses up to the weight of the chain; condition of its rows some thousand.
    assert_close(&s, &half, 1e-11);
}

/// The joints of [`chain`] once more.
fn hang(builder: &mut ProblemBuilder, links: usize) {
    let left = point_rows([-0.5, 0.0, 0.0], &AXES, 1.0);
    let right = point_rows([0.5, 0.0, 0.0], &AXES, -1.0);
    for b in 0..links {
        let mut touches = vec![(b, left.as_slice())];
        if b > 0 {
            touches.push((b - 1, right.as_slice()));
        }
        joint(builder, &touches, &[0.0; 3]);
    }
}

#[test]
fn joints_of_a_long_chain_that_exclude_each_other_are_named() {
    let mut builder = chain(LINKS, 1.0);
    let left = point_rows([-0.5, 0.0, 0.0], &AXES, 1.0);
    let right = point_rows([0.5, 0.0, 0.0], &AXES, -1.0);
    let touches = [(17, left.as_slice()), (16, right.as_slice())];
    joint(&mut builder, &touches, &[0.0, 0.0, 0.7]);
    let problem = builder.build().unwrap();
    let Err(BilateralError::Contradiction { mut contacts, .. }) = eliminate(&problem) else {
        panic!("joint 17 is there twice with different velocities");
    };
    contacts.sort_unstable();
    assert_eq!(contacts, [17, LINKS]);
}

#[test]
fn a_contact_on_a_locked_link_of_a_long_chain_carries_nothing_or_contradicts() {
    // The first link is welded to the ground; a contact on it, and one on the last link.
    let welded = |speed: f64| {
        let mut builder = chain(LINKS, 1.0);
        let mut weld = [0.0; 36];
        (0..6).for_each(|i| weld[i * 7] = 1.0);
        joint(&mut builder, &[(0, &weld)], &[0.0; 6]);
        let end = point_rows([0.5, 0.0, -0.1], &UP, 1.0);
        for (link, floor) in [(0, [-speed, 0.1, 0.0]), (LINKS - 1, [-0.02, 0.05, 0.3])] {
            let law = Law::Coulomb { mu: 0.5 };
            builder
                .add_contact(law, &[(link, &end)], &floor, Restitution::default())
                .unwrap();
        }
        builder.build().unwrap()
    };
    let problem = welded(-0.2);
    let reduced = eliminate(&problem).unwrap().unwrap();
    assert!(is_sparse(&reduced));
    assert_eq!(reduced.problem().num_contacts(), 1);
    let r = solved(&problem, 1e-11);
    let locked = problem.rows(problem.num_contacts() - 2);
    assert_eq!(r[locked], [0.0; 3]);
    let Err(BilateralError::Contradiction { contacts, velocity }) = eliminate(&welded(0.2)) else {
        panic!("nothing can give way");
    };
    assert_eq!(contacts[0], LINKS + 1);
    assert!((velocity + 0.2).abs() <= 1e-12, "{velocity}");
}

/// A chain of rods on a floor: a contact at each end of every rod.
fn lying(links: usize, mu: f64, pull: f64) -> Problem {
    let mut builder = FactoredDelassus::builder();
    for b in 0..links {
        let push = if b + 1 == links { pull } else { 0.0 };
        rod(&mut builder, 1.0, [push, 0.2 * push, 0.0, 0.0, 0.0, 0.0]);
    }
    let left = point_rows([-0.5, 0.0, 0.0], &AXES, 1.0);
    let right = point_rows([0.5, 0.0, 0.0], &AXES, -1.0);
    for b in 1..links {
        joint(&mut builder, &[(b, &left), (b - 1, &right)], &[0.0; 3]);
    }
    for b in 0..links {
        for x in [-0.4, 0.4] {
            let foot = point_rows([x, 0.0, -0.05], &UP, 1.0);
            let law = Law::Coulomb { mu };
            builder
                .add_contact(law, &[(b, &foot)], &[0.0; 3], Restitution::default())
                .unwrap();
        }
    }
    builder.build().unwrap()
}

#[test]
fn a_long_chain_on_a_floor_is_solved_with_its_joints_in_place() {
    for (mu, pull) in [(0.5, 0.0), (0.2, 1.0), (0.0, 1.0)] {
        let problem = lying(60, mu, pull);
        let goal = Goal::with_tolerance(1e-8);
        let solve = |problem: &Problem| {
            let mut r = vec![0.0; problem.num_rows()];
            let report = Auto::default().solve(problem, &mut r, &goal);
            assert!(report.reached(), "{report:?}");
            r
        };
        // 360 contact rows: joints stay in the problem that the methods see.
        let reduced = eliminate(&problem).unwrap().unwrap();
        assert!(is_sparse(&reduced) && reduced.problem().num_contacts() > 120);
        let r = solve(&problem);
        let judged =
            ResidualEvaluator::new(&problem).residual(&problem, &r, ResidualMeasure::Velocity);
        assert!(judged <= 1e-8, "{judged:e}");
        // Where the chain is pulled and rubs, links at the end of the sliding part may stick or slide: no comparison.
        if mu * pull == 0.0 {
            let other = solve(&stored(&problem));
            // Two solutions to 1e-8 of the speeds at stake.
            assert_close(&velocity(&problem, &r), &velocity(&problem, &other), 1e-6);
        }
    }
}

/// Rods joined at random: a tree of `parents`, further joints that close loops, and masses 10^`decades`.
fn woven(parents: &[usize], loops: &[(usize, usize)], decades: &[f64], order: &[usize]) -> Problem {
    let mut builder = FactoredDelassus::builder();
    for (b, decade) in decades.iter().enumerate() {
        let turn = 0.3 * b as f64;
        let velocity = [turn.sin(), 0.1, turn.cos(), 0.2, -turn.sin(), 0.3];
        rod(&mut builder, 10_f64.powf(*decade), velocity);
    }
    // Where each joint is in its two rods is taken from their numbers.
    let place = |b: usize, other: usize| {
        let t = (7 * b + 13 * other) as f64;
        [0.5 * t.sin(), 0.3 * (2.0 * t).cos(), 0.2 * (3.0 * t).sin()]
    };
    let tree = parents
        .iter()
        .enumerate()
        .map(|(k, &p)| (p % (k + 1), k + 1));
    let pairs: Vec<_> = tree
        .chain(loops.iter().copied())
        .filter(|(a, b)| a != b)
        .collect();
    for k in 0..pairs.len() {
        let (a, b) = pairs[order[k] % pairs.len()];
        // An order is a list of numbers: joints that it leaves out follow below.
        if order[..k]
            .iter()
            .any(|o| o % pairs.len() == order[k] % pairs.len())
        {
            continue;
        }
        weave(&mut builder, a, b, place);
    }
    for (k, &(a, b)) in pairs.iter().enumerate() {
        if !order[..pairs.len()].iter().any(|o| o % pairs.len() == k) {
            weave(&mut builder, a, b, place);
        }
    }
    for b in (0..decades.len()).step_by(9) {
        let foot = point_rows(place(b, b), &UP, 1.0);
        let law = Law::Coulomb { mu: 0.4 };
        builder
            .add_contact(law, &[(b, &foot)], &[0.0; 3], Restitution::default())
            .unwrap();
    }
    builder.build().unwrap()
}

fn weave(
    builder: &mut ProblemBuilder,
    a: usize,
    b: usize,
    place: impl Fn(usize, usize) -> [f64; 3],
) {
    let (p, q) = (place(a, b), place(b, a));
    let (one, other) = (point_rows(p, &AXES, 1.0), point_rows(q, &AXES, -1.0));
    joint(builder, &[(a, &one), (b, &other)], &[0.0; 3]);
}

/// Velocities of all bodies in kinetic coordinates.
fn motion(problem: &Problem, r: &[f64]) -> Vec<f64> {
    let percuss_contact::DelassusOperator::Factored(kinetic) = problem.operator() else {
        panic!("a problem of bodies");
    };
    let mut v = vec![0.0; kinetic.num_coordinates()];
    kinetic.velocity_into(r, &mut v);
    v
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Trees with loops, masses over six decades, joints in two orders: the motion of the stored W.
    #[test]
    fn woven_rods_move_as_the_stored_matrix_says_in_any_order_of_joints(
        parents in proptest::collection::vec(0_usize..1000, 29),
        loops in proptest::collection::vec((0_usize..30, 0_usize..30), 0..6),
        decades in proptest::collection::vec(-3.0_f64..3.0, 30),
        order in proptest::collection::vec(0_usize..1000, 64),
    ) {
        let given: Vec<usize> = (0..64).collect();
        let problem = woven(&parents, &loops, &decades, &given);
        prop_assert!(is_sparse(&eliminate(&problem).unwrap().unwrap()));
        let r = solved(&problem, 1e-9);
        let v = motion(&problem, &r);
        let size = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // Joints hold to rounding of the largest velocities in kinetic coordinates over the lightest root of mass.
        let other = woven(&parents, &loops, &decades, &order);
        let w = motion(&other, &solved(&other, 1e-9));
        for (a, b) in v.iter().zip(&w) {
            // Two solutions of the contacts to 1e-9; light bodies at heavy ones multiply it.
            prop_assert!((a - b).abs() <= 1e-6 * size, "{a} {b} {size}");
        }
        let s = solved(&stored(&problem), 1e-9);
        let (u, t) = (velocity(&problem, &r), velocity(&problem, &s));
        let speed = t.iter().fold(FALL, |m, v| m.max(v.abs()));
        for (a, b) in u.iter().zip(&t) {
            prop_assert!((a - b).abs() <= 1e-5 * speed, "{a} {b}");
        }
    }
}
