//! The planar system and steps against the general ones, which share only the multifrontal factorisation with them.

use percuss_contact::Problem;

use super::{PlanarNewton, PlanarVelocitySystem, TangentBlock, is_planar_coulomb};
use crate::methods::newton_system::NewtonSystem;
use crate::methods::newton_system::alart_curnier::AlartCurnierJacobian;
use crate::sample::{Packing, Tower, Wall};

fn walls() -> Vec<Problem> {
    let leaning = Wall {
        lateral: 0.3,
        friction: 0.2,
        ..Wall::default()
    };
    let slippery = Wall {
        friction: 0.0,
        ..Wall::default()
    };
    [Wall::default(), leaning, slippery]
        .iter()
        .map(|wall| wall.problem().expect("a sound wall"))
        .collect()
}

/// Pseudo-random impulses: contacts that are open, stick, and slide in both directions.
fn impulses(problem: &Problem) -> Vec<f64> {
    (0..problem.num_rows())
        .map(|row| (1.3 * row as f64).sin() * 0.1)
        .collect()
}

#[test]
fn a_step_is_that_of_the_general_method() {
    for problem in walls() {
        let mut r = impulses(&problem);
        let (mut plane, mut newton) = (PlanarVelocitySystem::default(), PlanarNewton::default());
        assert!(plane.fit(&problem));
        newton.begin(&plane, &r);
        let mut system = NewtonSystem::new(&problem);
        let mut tangent = AlartCurnierJacobian::default();
        tangent.fit(&problem);
        for alpha in [1e-1, 1e-2, 1e-3] {
            let looked = newton.residual_norm(&plane);
            assert!(newton.advance(&mut plane, alpha));
            tangent.set(&problem, &r);
            let size = tangent.size(&r);
            // The general norm leaves ‖q̂‖ out of its scale, which is no larger than the rest here.
            assert!((looked / size - 1.0).abs() < 1e-9, "{looked:e} {size:e}");
            assert!(system.solve(&tangent.df_dx, &tangent.df_du, alpha, &mut tangent.step));
            for (row, r) in r.iter_mut().enumerate() {
                *r += tangent.step[row] * tangent.root[row];
            }
            let mut expected = r.clone();
            for a in 0..problem.num_contacts() {
                problem.law(a).project(&mut expected[problem.rows(a)]);
            }
            let mut inside = vec![0.0; r.len()];
            newton.inside(&plane, &mut inside);
            let scale = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Two factorisations of systems of condition 1/α, over successive steps.
            for (a, b) in expected.iter().zip(&inside) {
                assert!((a - b).abs() <= 1e-9 * scale, "{a:e} {b:e} of {scale:e}");
            }
        }
    }
}

#[test]
fn a_refined_solution_solves_the_system() {
    for problem in walls() {
        let mut plane = PlanarVelocitySystem::default();
        assert!(plane.fit(&problem));
        // Blocks K that differ by eight orders of magnitude, as near the end of an interior point method.
        let gain: Vec<TangentBlock> = (0..problem.num_contacts())
            .map(|a| {
                let n = 10.0_f64.powf(4.0 * (0.7 * a as f64).sin());
                TangentBlock {
                    n,
                    c: 0.3 * n * (1.9 * a as f64).sin(),
                    t: 10.0_f64.powf(4.0 * (1.1 * a as f64).cos()),
                }
            })
            .collect();
        assert!(plane.factor(&gain));
        let mut right: Vec<f64> = (0..plane.len()).map(|i| (0.9 * i as f64).cos()).collect();
        let bodies = plane.len() - 3;
        right[bodies..].fill(0.0);
        let mut w = right.clone();
        assert!(plane.solve_refined(&mut w));
        let mut product = w.clone();
        for (contact, gain) in plane.contacts.iter().zip(&gain) {
            contact.scatter(gain.of(contact.gather(&w)), &mut product);
        }
        // The limit at which solutions are rejected; the spare coordinates stay zero.
        for (a, b) in product.iter().zip(&right) {
            assert!((a - b).abs() <= 1e-6, "{a:e} {b:e}");
        }
        assert!(w[bodies..].iter().all(|w| *w == 0.0));
    }
}

#[test]
fn numbers_are_taken_anew_where_the_same_bodies_touch() {
    let (one, other) = (&walls()[0], &walls()[1]);
    let mut again = PlanarVelocitySystem::default();
    assert!(again.fit(one) && again.fit(other));
    let mut fresh = PlanarVelocitySystem::default();
    assert!(fresh.fit(other));
    let mut newtons = [PlanarNewton::default(), PlanarNewton::default()];
    let r = impulses(other);
    let mut steps = Vec::new();
    for (newton, plane) in newtons.iter_mut().zip([&mut again, &mut fresh]) {
        newton.begin(plane, &r);
        newton.residual_norm(plane);
        assert!(newton.advance(plane, 1e-2));
        let mut inside = vec![0.0; r.len()];
        newton.inside(plane, &mut inside);
        steps.push(inside);
    }
    assert_eq!(steps[0], steps[1]);
}

#[test]
fn other_problems_do_not_suit() {
    let packing = Packing::default().settle().and_then(|s| s.colliding());
    let problems = [Tower::of(4).problem(), packing];
    for problem in problems.map(|p| p.expect("a sound sample")) {
        assert!(!is_planar_coulomb(&problem));
        assert!(!PlanarVelocitySystem::default().fit(&problem));
    }
}
