use percuss_contact::law::Law;
use percuss_contact::{
    DelassusOperator, FactoredDelassus, Problem, ProblemBuilder, ResidualEvaluator,
    ResidualMeasure, Restitution,
};

use super::{BilateralError, Memory, WithElimination, eliminate, solve_with_elimination};
use crate::goal::{Goal, Outcome, Solver};
use crate::methods::interior_point::InteriorPoint;
use crate::{Admm, Nlgs};

/// The step's gravity impulse per mass: 10 m/s² over 0.01 s.
pub(super) const FALL: f64 = 0.1;

/// Rows of G for the velocity of a point of a body along the given directions.
pub(super) fn point_rows(lever: [f64; 3], directions: &[[f64; 3]], sign: f64) -> Vec<f64> {
    let mut rows = Vec::new();
    for e in directions {
        let moment = [
            lever[1] * e[2] - lever[2] * e[1],
            lever[2] * e[0] - lever[0] * e[2],
            lever[0] * e[1] - lever[1] * e[0],
        ];
        rows.extend(e.iter().chain(&moment).map(|v| sign * v));
    }
    rows
}

pub(super) const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// A frame whose normal is up.
pub(super) const UP: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// A rod along x of unit length.
pub(super) fn rod(builder: &mut ProblemBuilder, mass: f64, velocity: [f64; 6]) -> usize {
    let diagonal = [mass, mass, mass, mass * 0.01, mass / 12.0, mass / 12.0];
    let mut matrix = [0.0; 36];
    for (i, m) in diagonal.iter().enumerate() {
        matrix[i * 7] = *m;
    }
    let impulse = [0.0, 0.0, -mass * FALL, 0.0, 0.0, 0.0];
    builder.add_group(&matrix, &velocity, &impulse).unwrap()
}

/// A horizontal chain of `links` rods hung at its left end, its last link `ratio` times heavier.
pub(super) fn chain(links: usize, ratio: f64) -> ProblemBuilder {
    let mut builder = FactoredDelassus::builder();
    for b in 0..links {
        let mass = if b + 1 == links { ratio } else { 1.0 };
        rod(&mut builder, mass, [0.0; 6]);
    }
    let left = point_rows([-0.5, 0.0, 0.0], &AXES, 1.0);
    let right = point_rows([0.5, 0.0, 0.0], &AXES, -1.0);
    for b in 0..links {
        let mut touches = vec![(b, left.as_slice())];
        if b > 0 {
            touches.push((b - 1, right.as_slice()));
        }
        joint(&mut builder, &touches, &[0.0; 3]);
    }
    builder
}

pub(super) fn joint(
    builder: &mut ProblemBuilder,
    touches: &[(usize, &[f64])],
    given: &[f64],
) -> usize {
    builder
        .add_contact(Law::Bilateral, touches, given, Restitution::default())
        .unwrap()
}

/// The same problem with W stored as a matrix.
pub(super) fn stored(problem: &Problem) -> Problem {
    let matrix = problem.matrix().into_owned();
    let free = problem.free_velocity().to_vec();
    Problem::new(
        problem.laws().to_vec(),
        DelassusOperator::Stored { matrix, free },
    )
    .unwrap()
}

/// u = W r + b.
pub(super) fn velocity(problem: &Problem, r: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; problem.num_rows()];
    problem.velocity_into(r, &mut vec![0.0; problem.scratch_len()], &mut u);
    u
}

pub(super) fn assert_close(x: &[f64], y: &[f64], tolerance: f64) {
    let scale = y.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (i, (a, b)) in x.iter().zip(y).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "entry {i}: {a} and {b}");
    }
}

pub(super) fn solved(problem: &Problem, tolerance: f64) -> Vec<f64> {
    let mut r = vec![0.0; problem.num_rows()];
    let report = solve_with_elimination(
        &mut Nlgs::default(),
        &mut Memory::default(),
        problem,
        &mut r,
        &Goal::with_tolerance(tolerance),
    );
    assert!(report.reached(), "{report:?}");
    r
}

#[test]
fn a_single_hung_rod_starts_to_swing_as_the_textbook_says() {
    let problem = chain(1, 1.0).build().unwrap();
    let r = solved(&problem, 1e-12);
    // ω' = 3g/2L, so the hinge carries a quarter of the weight. Exact but for rounding.
    assert_close(&r, &[0.0, 0.0, 0.25 * FALL], 1e-14);
}

#[test]
fn a_chain_of_thirty_links_with_a_load_of_a_thousand_takes_one_factorisation() {
    for problem in [
        chain(30, 1000.0).build().unwrap(),
        stored(&chain(30, 1000.0).build().unwrap()),
    ] {
        let mut r = vec![0.0; problem.num_rows()];
        let report = solve_with_elimination(
            &mut Nlgs::default(),
            &mut Memory::default(),
            &problem,
            &mut r,
            &Goal::with_tolerance(1e-10),
        );
        assert_eq!((report.outcome, report.iterations), (Outcome::Reached, 1));
        assert_eq!(report.method(), "direct");
        // The residual evaluated independently, from the impulses alone.
        assert!(
            ResidualEvaluator::new(&problem).residual(&problem, &r, ResidualMeasure::Dimensionless)
                <= 1e-10
        );
    }
}

/// A chain whose bob falls on a floor that moves sideways under it.
pub(super) fn struck_chain(links: usize, ratio: f64, mu: f64) -> Problem {
    let mut builder = chain(links, ratio);
    let end = point_rows([0.5, 0.0, -0.1], &UP, 1.0);
    let law = Law::Coulomb { mu };
    let floor = [-0.02, 0.05, 0.3];
    builder
        .add_contact(law, &[(links - 1, &end)], &floor, Restitution::default())
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn a_bob_that_strikes_a_moving_floor_slides_as_the_native_treatment_says() {
    // With a bob of 1000, ADMM stalls on the joints when it treats them as rows.
    let natives: [(f64, Box<dyn Solver>); 2] = [
        (10.0, Box::new(Admm::default())),
        (1000.0, Box::new(InteriorPoint::default())),
    ];
    for (ratio, mut solver) in natives {
        let problem = struck_chain(6, ratio, 0.3);
        let r = solved(&problem, 1e-12);
        let n = problem.num_rows() - 3;
        let slide = r[n + 1].hypot(r[n + 2]);
        // Sliding: on the edge of the cone, to the accuracy of the solve.
        assert!(r[n] > 0.0 && (slide - 0.3 * r[n]).abs() <= 1e-9 * r[n]);
        let mut native = vec![0.0; r.len()];
        let report = solver.solve(
            &problem,
            &mut native,
            &Goal::with_tolerance(1e-10).with_measure(ResidualMeasure::Dimensionless),
        );
        assert!(report.reached(), "{report:?}");
        // The solver without elimination reached R2 = 1e-10; one digit to spare.
        assert_close(&velocity(&problem, &r), &velocity(&problem, &native), 1e-9);
    }
}

#[test]
fn a_stored_matrix_and_its_factor_give_the_same_motion() {
    let problem = struck_chain(8, 1000.0, 0.4);
    let other = stored(&problem);
    let (r, s) = (solved(&problem, 1e-12), solved(&other, 1e-12));
    // W_bb is as ill-conditioned as the mass ratio: three digits off the tolerance of the solve.
    assert_close(&velocity(&problem, &r), &velocity(&problem, &s), 1e-9);
}

/// Planar four-bar: crank, coupler, rocker between ground pins (0, 0) and (2, 0); the crank is one
/// high, the rocker two. The pin between coupler and rocker is there `times` times.
fn four_bar(times: usize, given: &[[f64; 2]]) -> Problem {
    let ends = [
        [[0.0, 0.0], [0.0, 1.0]],
        [[0.0, 1.0], [2.0, 2.0]],
        [[2.0, 2.0], [2.0, 0.0]],
    ];
    let mut builder = FactoredDelassus::builder();
    for _ in ends {
        let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2];
        builder
            .add_group(&mass, &[0.0; 3], &[0.3, -FALL, 0.1])
            .unwrap();
    }
    let rows = |body: usize, pin: [f64; 2], sign: f64| {
        let [a, b] = ends[body];
        let (x, y) = (pin[0] - 0.5 * (a[0] + b[0]), pin[1] - 0.5 * (a[1] + b[1]));
        [sign, 0.0, -sign * y, 0.0, sign, sign * x]
    };
    joint(&mut builder, &[(0, &rows(0, [0.0, 0.0], 1.0))], &[0.0; 2]);
    let pin = [0.0, 1.0];
    joint(
        &mut builder,
        &[(0, &rows(0, pin, -1.0)), (1, &rows(1, pin, 1.0))],
        &[0.0; 2],
    );
    joint(&mut builder, &[(2, &rows(2, [2.0, 0.0], 1.0))], &[0.0; 2]);
    for k in 0..times {
        let pin = [2.0, 2.0];
        joint(
            &mut builder,
            &[(1, &rows(1, pin, -1.0)), (2, &rows(2, pin, 1.0))],
            &given[k],
        );
    }
    builder.build().unwrap()
}

#[test]
fn redundant_joints_of_a_closed_loop_share_the_load_and_leave_the_motion_alone() {
    for convert in [|p: Problem| p, |p: Problem| stored(&p)] {
        let once = convert(four_bar(1, &[[0.0; 2]]));
        let twice = convert(four_bar(2, &[[0.0; 2]; 2]));
        let (r, s) = (solved(&once, 1e-12), solved(&twice, 1e-12));
        assert!(r[6].hypot(r[7]) > 1e-3, "the joint must carry something");
        // Least impulses: two equal joints carry half each. Exact but for rounding.
        assert_close(&s[..6], &r[..6], 1e-12);
        assert_close(
            &s[6..10],
            &[0.5 * r[6], 0.5 * r[7], 0.5 * r[6], 0.5 * r[7]],
            1e-12,
        );
    }
}

#[test]
fn joints_with_velocities_that_exclude_each_other_are_named() {
    for problem in [
        four_bar(2, &[[0.0; 2], [0.0, 0.7]]),
        stored(&four_bar(2, &[[0.0; 2], [0.0, 0.7]])),
    ] {
        let Err(BilateralError::Contradiction { mut contacts, .. }) = eliminate(&problem) else {
            panic!("the two pins demand different velocities");
        };
        contacts.sort_unstable();
        assert_eq!(contacts, [3, 4]);
        let mut r = vec![0.0; problem.num_rows()];
        let report = solve_with_elimination(
            &mut Nlgs::default(),
            &mut Memory::default(),
            &problem,
            &mut r,
            &Goal::default(),
        );
        assert_eq!(report.outcome, Outcome::Unsuitable);
    }
}

/// A rod welded to the ground with a contact that approaches at `speed`.
fn welded(speed: f64) -> Problem {
    let mut builder = FactoredDelassus::builder();
    let body = rod(&mut builder, 2.0, [0.0; 6]);
    let mut weld = [0.0; 36];
    (0..6).for_each(|i| weld[i * 7] = 1.0);
    joint(&mut builder, &[(body, &weld)], &[0.0; 6]);
    let end = point_rows([0.5, 0.0, -0.1], &UP, 1.0);
    let law = Law::Coulomb { mu: 0.5 };
    builder
        .add_contact(
            law,
            &[(body, &end)],
            &[-speed, 0.1, 0.0],
            Restitution::default(),
        )
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn a_contact_on_a_welded_body_carries_nothing_or_contradicts() {
    for convert in [|p: Problem| p, |p: Problem| stored(&p)] {
        let problem = convert(welded(-0.2));
        let r = solved(&problem, 1e-12);
        // The weld takes the weight of a mass of 2 and the contact nothing.
        assert_close(
            &r,
            &[0.0, 0.0, 2.0 * FALL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            1e-14,
        );
        let Err(BilateralError::Contradiction { contacts, velocity }) =
            eliminate(&convert(welded(0.2)))
        else {
            panic!("nothing can give way");
        };
        assert_eq!(contacts, [1, 0]);
        assert!((velocity + 0.2).abs() <= 1e-12, "{velocity}");
    }
}

/// A fixed sequence of numbers in [-1, 1] (the same on every machine).
fn noise(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) as f64 / f64::from(1_u32 << 31)) * 2.0 - 1.0
}

/// Rods in random motion joined into trees with one redundant joint, and contacts among all.
fn tangle(seed: u64) -> Problem {
    let mut state = seed;
    let mut builder = FactoredDelassus::builder();
    for _ in 0..8 {
        let mass = 10_f64.powf(noise(&mut state));
        let velocity = std::array::from_fn(|_| noise(&mut state));
        rod(&mut builder, mass, velocity);
    }
    let random_point = |state: &mut u64| [noise(state), noise(state), noise(state)];
    // Bodies 0-1-2 and 4-5 are chains; the joint 1-2 is doubled.
    for (a, b, copies) in [(0, 1, 1), (1, 2, 2), (4, 5, 1)] {
        let (p, q) = (random_point(&mut state), random_point(&mut state));
        for _ in 0..copies {
            let (left, right) = (point_rows(p, &AXES, 1.0), point_rows(q, &AXES, -1.0));
            joint(&mut builder, &[(a, &left), (b, &right)], &[0.0; 3]);
        }
    }
    for (a, b) in [(0, 3), (2, 4), (5, 6), (7, 1), (3, 7), (6, 2), (0, 2)] {
        let (p, q) = (random_point(&mut state), random_point(&mut state));
        let (left, right) = (point_rows(p, &UP, 1.0), point_rows(q, &UP, -1.0));
        let law = Law::Coulomb { mu: 0.2 };
        let restitution = Restitution {
            normal: 0.3,
            tangential: 0.0,
        };
        builder
            .add_contact(law, &[(a, &left), (b, &right)], &[0.0; 3], restitution)
            .unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn trees_of_bodies_with_contacts_move_as_the_native_treatment_says() {
    for seed in 1..=40 {
        let problem = tangle(seed);
        let mut native = vec![0.0; problem.num_rows()];
        let report = Admm::default().solve(&problem, &mut native, &Goal::with_tolerance(1e-11));
        assert!(report.residual <= 1e-11, "seed {seed}: {report:?}");
        let expected = velocity(&problem, &native);
        for form in [problem.clone(), stored(&problem)] {
            let r = solved(&form, 1e-11);
            // Both have a residual of 1e-11; the masses span a factor of a hundred.
            assert_close(&velocity(&problem, &r), &expected, 1e-9);
        }
    }
}

#[test]
fn a_problem_without_bilateral_rows_goes_straight_to_the_solver() {
    let mut builder = FactoredDelassus::builder();
    let body = rod(&mut builder, 1.0, [0.0; 6]);
    let rows = point_rows([0.0; 3], &UP, 1.0);
    let law = Law::Coulomb { mu: 0.5 };
    builder
        .add_contact(law, &[(body, &rows)], &[0.0; 3], Restitution::default())
        .unwrap();
    let problem = builder.build().unwrap();
    assert!(eliminate(&problem).unwrap().is_none());
    let mut direct = WithElimination::new(Box::new(Nlgs::default()));
    let mut r = vec![0.0; 3];
    let report = direct.solve(&problem, &mut r, &Goal::with_tolerance(1e-12));
    assert_eq!(report.method(), "nlgs");
    // The contact carries the weight.
    assert_close(&r, &[FALL, 0.0, 0.0], 1e-14);
}
