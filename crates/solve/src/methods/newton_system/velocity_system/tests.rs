//! Both forms of a Newton system against the product with Ŵ, which neither of them uses.

use percuss_contact::law::Smoothed;
use percuss_contact::{FactoredDelassus, Law, Problem, Restitution};

use super::{MAX_DENSE_CONTACTS, VelocitySystem, factorable, has_dense_delassus};
use crate::methods::newton_system::ScaledDelassus;
use crate::sample::{Packing, Tower, Wall};

const ALPHA: f64 = 1e-3;

/// S, B and g of the smoothed law at pseudo-random impulses and velocities.
fn blocks(problem: &Problem) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let entries = (0..problem.num_contacts())
        .map(|a| problem.dim(a).pow(2))
        .sum();
    let (mut s, mut b) = (vec![0.0; entries], vec![0.0; entries]);
    let mut g = vec![0.0; problem.num_rows()];
    let mut at = 0;
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        let wave = |k: f64| move |row: usize| (k * row as f64).sin();
        let r: Vec<f64> = rows.clone().map(wave(1.3)).collect();
        let u: Vec<f64> = rows.clone().map(wave(2.1)).collect();
        let end = at + rows.len().pow(2);
        let out = Smoothed {
            symmetric: &mut s[at..end],
            shift_jacobian: &mut b[at..end],
            rhs: &mut g[rows],
        };
        problem.law(a).smoothed(0.1, &r, &u, out);
        at = end;
    }
    (s, b, g)
}

/// A ring of bodies, each in contact with the next, and a group of coordinates that is coupled to all contacts, like a
/// periodic cell.
fn ring(count: usize) -> Problem {
    let mut builder = FactoredDelassus::builder();
    let mut group = |width: usize, size: f64| {
        let free: Vec<f64> = (0..width).map(|i| (size * i as f64).sin()).collect();
        builder.add_kinetic_group(&vec![0.0; width], &free).unwrap()
    };
    let bodies: Vec<usize> = (0..count).map(|i| group(3, i as f64)).collect();
    let cell = group(3, 0.5);
    for k in 0..count {
        let row = |shift: f64| [0.7, shift, -0.2, shift - 0.4, 0.6, 0.3];
        let wave = (k as f64).cos();
        let (here, there, all) = (row(wave), row(-wave), row(0.1 * wave));
        let touches: [(usize, &[f64]); 3] = [
            (bodies[k], &here),
            (bodies[(k + 1) % count], &there),
            (cell, &all),
        ];
        let law = Law::Coulomb { mu: 0.3 };
        builder
            .add_contact(law, &touches, &[0.0; 2], Restitution::default())
            .unwrap();
    }
    builder.build().unwrap()
}

/// W is dense where a cell is coupled to all contacts; the system in velocities is used then, however few rows there
/// are.
#[test]
fn a_cell_is_one_dense_row_of_velocities() {
    let (small, large) = (ring(MAX_DENSE_CONTACTS), ring(MAX_DENSE_CONTACTS + 1));
    assert!(!has_dense_delassus(&small) && VelocitySystem::new(&small).is_none());
    assert!(has_dense_delassus(&large) && factorable(&large));
    let (s, b, g) = blocks(&large);
    let mut dx = g.clone();
    let mut primal = VelocitySystem::new(&large).unwrap();
    assert!(primal.solve(&s, &b, ALPHA, &mut dx));
    let mut left = vec![0.0; dx.len()];
    ScaledDelassus::new(&large).product_into(&s, &b, ALPHA, &dx, &mut left);
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|v| v * v).sum::<f64>().sqrt();
    let miss = norm(&mut left.iter().zip(&g).map(|(l, g)| l - g));
    let size = norm(&mut g.iter().copied());
    // As below.
    assert!(miss <= 1e-10 * size, "{:e}", miss / size);
}

#[test]
fn both_forms_solve_the_system_of_a_step() {
    let problems = [
        ("tower", Tower::of(6).problem()),
        ("wall", Wall::default().problem()),
        (
            "packing",
            Packing::default().settle().and_then(|p| p.at_rest(0.0)),
        ),
    ];
    for (name, problem) in problems {
        let problem = problem.unwrap();
        let (s, b, g) = blocks(&problem);
        let mut scaled = ScaledDelassus::new(&problem);
        let check = |form: &str, dx: &[f64], scaled: &mut ScaledDelassus| {
            let mut left = vec![0.0; dx.len()];
            scaled.product_into(&s, &b, ALPHA, dx, &mut left);
            let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|v| v * v).sum::<f64>().sqrt();
            let miss = norm(&mut left.iter().zip(&g).map(|(l, g)| l - g));
            // Entries of S reach 1/ε² = 100, T⁻¹ 1/α = 1000: five of sixteen digits, and one of room.
            let size = norm(&mut g.iter().copied());
            assert!(miss <= 1e-10 * size, "{name}, {form}: {:e}", miss / size);
        };
        // The packing has too few rows for its coordinates.
        let primal = VelocitySystem::new(&problem);
        assert!(primal.is_some() || name == "packing", "{name}");
        if let Some(mut primal) = primal {
            let mut dx = g.clone();
            assert!(primal.solve(&s, &b, ALPHA, &mut dx), "{name}");
            check("velocities", &dx, &mut scaled);
        }
        let mut dx = g.clone();
        assert!(scaled.solve_newton(&s, &b, ALPHA, &mut dx), "{name}");
        check("impulses", &dx, &mut scaled);
    }
}
