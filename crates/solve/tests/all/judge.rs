//! The residual evaluator on problems whose solution is known because they were built around it.
//!
//! Choose (u, r) that satisfy the law of each contact, take any W, and let b = u − W r: then r solves u = W r + b. The
//! residual must be zero up to rounding, and must show a small change.

use crate::common;

use crate::common::{r2, velocity};
use percuss_contact::law::{NonFirmSet, PolygonSection, StaticDynamic, Status};
use percuss_contact::{FactoredDelassus, Law, Problem, ResidualEvaluator, Restitution};
use percuss_solve::sample::Random;
use proptest::prelude::*;

/// A vector of `n` entries of random direction and length 1.
fn unit(random: &mut Random, n: usize) -> Vec<f64> {
    let x: Vec<f64> = (0..n).map(|_| random.within(-1.0, 1.0) + 1e-3).collect();
    let length = common::norm(&x);
    x.iter().map(|v| v / length).collect()
}

/// One block of friction: impulse and velocity of a disc of radius `bound`, sticking or sliding.
fn disc(random: &mut Random, n: usize, bound: f64) -> (Vec<f64>, Vec<f64>) {
    let e = unit(random, n);
    if random.below(2) == 0 {
        let share = random.within(0.1, 0.9);
        (e.iter().map(|x| share * bound * x).collect(), vec![0.0; n])
    } else {
        let speed = random.within(0.1, 2.0);
        let r = e.iter().map(|x| -bound * x).collect();
        (r, e.iter().map(|x| speed * x).collect())
    }
}

/// Tangential impulse and velocity on the boundary of the section of r_n = `n`, or inside it.
fn friction(law: &Law, random: &mut Random, n: f64, d: usize) -> (Vec<f64>, Vec<f64>) {
    let speed = random.within(0.1, 2.0);
    match law {
        Law::Coulomb { mu } => disc(random, d - 1, mu * n),
        Law::StaticDynamic { friction, previous } => {
            disc(random, d - 1, friction.coefficient(*previous) * n)
        }
        Law::CoulombAsymmetric { plus, minus } => match random.below(3) {
            0 => (vec![0.5 * plus * n], vec![0.0]),
            1 => (vec![plus * n], vec![-speed]),
            _ => (vec![-minus * n], vec![speed]),
        },
        Law::CoulombElliptic { mu1, mu2 } => {
            let e = unit(random, 2);
            let share = if random.below(2) == 0 { 0.7 } else { 1.0 };
            let slip = if share < 1.0 { 0.0 } else { speed };
            // −u_t is normal to the ellipse at r_t.
            let r = vec![share * n * mu1 * e[0], share * n * mu2 * e[1]];
            (r, vec![-slip * e[0] / mu1, -slip * e[1] / mu2])
        }
        Law::CoulombPolygon(section) => {
            // At vertex k, −u_t lies between the normals of the two edges that meet there.
            let v = section.vertices();
            let (k, m) = (random.below(v.len()), v.len());
            let edge = |i: usize| {
                let (p, q) = (v[i % m], v[(i + 1) % m]);
                [q[1] - p[1], p[0] - q[0]]
            };
            let (before, after) = (edge(k + m - 1), edge(k));
            let w = random.unit();
            let u = (0..2)
                .map(|i| -speed * (w * before[i] + (1.0 - w) * after[i]))
                .collect();
            (vec![n * v[k][0], n * v[k][1]], u)
        }
        Law::Rolling {
            mu,
            mu_roll,
            mu_spin,
        } => {
            let blocks = [(2, *mu), (2, *mu_roll), (d - 5, *mu_spin)];
            concatenated(random, n, &blocks)
        }
        Law::RollingPlane { mu, mu_roll } => concatenated(random, n, &[(1, *mu), (1, *mu_roll)]),
        _ => (Vec::new(), Vec::new()),
    }
}

fn concatenated(random: &mut Random, n: f64, blocks: &[(usize, f64)]) -> (Vec<f64>, Vec<f64>) {
    let (mut r, mut u) = (Vec::new(), Vec::new());
    for &(size, mu) in blocks {
        if size > 0 {
            let (ri, ui) = disc(random, size, mu * n);
            r.extend(ri);
            u.extend(ui);
        }
    }
    (r, u)
}

/// A pair (r, u) that satisfies `law` on `d` rows.
fn pair(law: &Law, d: usize, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    match law {
        Law::Bilateral => (
            (0..d).map(|_| random.within(-2.0, 2.0)).collect(),
            vec![0.0; d],
        ),
        Law::NonFirm(set) => disc(random, d, set.radius()),
        Law::BilateralFriction { normal_rows, mu } => {
            let mut r: Vec<f64> = (0..*normal_rows)
                .map(|_| random.within(-2.0, 2.0))
                .collect();
            let mut u = vec![0.0; *normal_rows];
            let (rt, ut) = disc(random, d - normal_rows, mu * common::norm(&r));
            r.extend(rt);
            u.extend(ut);
            (r, u)
        }
        _ if random.below(3) == 0 => {
            // Open: any velocity that does not approach.
            let mut u: Vec<f64> = (0..d).map(|_| random.within(-1.0, 1.0)).collect();
            u[0] = random.within(0.1, 1.0);
            (vec![0.0; d], u)
        }
        _ => {
            let n = random.within(0.2, 3.0);
            let (rt, ut) = friction(law, random, n, d);
            let mut r = vec![n];
            r.extend(rt);
            let mut u = vec![0.0];
            u.extend(ut);
            (r, u)
        }
    }
}

/// Law number `k` with its number of rows.
fn law(k: usize, random: &mut Random) -> (Law, usize) {
    let mu = random.within(0.1, 1.5);
    let second = random.within(0.1, 1.5);
    let law = match k {
        0 => Law::Frictionless,
        1 | 2 => Law::Coulomb { mu },
        3 => Law::CoulombAsymmetric {
            plus: mu,
            minus: second,
        },
        4 => Law::CoulombElliptic {
            mu1: mu,
            mu2: second,
        },
        5 => {
            let corners = [[-mu, -second], [mu, -second], [mu, second], [-mu, second]];
            PolygonSection::new(&corners).unwrap().into_law()
        }
        6 => Law::StaticDynamic {
            friction: StaticDynamic {
                mu_static: mu + second,
                mu_dynamic: mu,
            },
            previous: Status::Slip,
        },
        7 | 8 => Law::Rolling {
            mu,
            mu_roll: second,
            mu_spin: 0.3,
        },
        9 => Law::RollingPlane {
            mu,
            mu_roll: second,
        },
        10 => Law::Bilateral,
        11 => NonFirmSet::ball(2, second).unwrap().into_law(),
        12 => Law::BilateralFriction { normal_rows: 2, mu },
        _ => Law::BilateralFriction { normal_rows: 1, mu },
    };
    let free = 1 + random.below(6);
    let rows = [1, 2, 3, 2, 3, 3, 3, 6, 5, 3, free, 2, 3, 3];
    (law, rows[k])
}

const LAWS: usize = 14;

/// Contacts with the given laws, each on a body of its own and on a common one: W = D + C Cᵀ with
/// D definite, so that the residual sees every change of r.
fn coupled(laws: &[(Law, usize)], given: &[f64], seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut builder = FactoredDelassus::builder();
    let common = builder
        .add_group(&[2.0, 0.3, 0.3, 1.0], &[0.0; 2], &[0.0; 2])
        .unwrap();
    let mut first = 0;
    for (law, d) in laws {
        let mut own = vec![0.0; d * d];
        let mut mass = vec![0.0; d * d];
        for i in 0..*d {
            mass[i * d + i] = random.within(0.5, 2.0);
            for j in 0..*d {
                own[i * d + j] = if i == j {
                    1.0
                } else {
                    random.within(-0.2, 0.2)
                };
            }
        }
        let shared: Vec<f64> = (0..2 * d).map(|_| random.within(-0.5, 0.5)).collect();
        let zero = vec![0.0; *d];
        let body = builder.add_group(&mass, &zero, &zero).unwrap();
        let touches: [(usize, &[f64]); 2] = [(body, &own), (common, &shared)];
        let boundary = &given[first..first + d];
        builder
            .add_contact(law.clone(), &touches, boundary, Restitution::default())
            .unwrap();
        first += d;
    }
    builder.build().unwrap()
}

/// A problem around a known solution, and that solution.
fn constructed(kinds: &[usize], seed: u64) -> (Problem, Vec<f64>) {
    let mut random = Random::new(seed);
    let laws: Vec<(Law, usize)> = kinds.iter().map(|&k| law(k, &mut random)).collect();
    let (mut r, mut u) = (Vec::new(), Vec::new());
    for (law, d) in &laws {
        let (ri, ui) = pair(law, *d, &mut random);
        assert_eq!((ri.len(), ui.len()), (*d, *d), "{law:?}");
        r.extend(ri);
        u.extend(ui);
    }
    let without = coupled(&laws, &vec![0.0; r.len()], seed);
    let product = velocity(&without, &r);
    let given: Vec<f64> = u.iter().zip(&product).map(|(u, w)| u - w).collect();
    (coupled(&laws, &given, seed), r)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn constructed_solutions_are_solutions_and_perturbed_ones_are_not(
        kinds in prop::collection::vec(0..LAWS, 1..8),
        seed in any::<u64>(),
    ) {
        let (problem, r) = constructed(&kinds, seed);
        let judgement = ResidualEvaluator::new(&problem).evaluate(&problem, &r);
        // b = u − W r and u = W r + b each round once at the size of W r; F is non-expansive in
        // both arguments up to κ‖W‖ ≈ 2. Some 1e-15; 1e-14 with room for the sums.
        prop_assert!(judgement.r2 <= 1e-14, "{judgement:?}");
        prop_assert!(judgement.r1 <= 1e-13, "{judgement:?}");
        let gaps = &judgement.violations;
        let worst = gaps.normal_velocity_violation
            .max(gaps.cone_violation)
            .max(gaps.normal_complementarity)
            .max(gaps.tangential_dissipation_gap)
            .max(gaps.bilateral_violation);
        prop_assert!(worst <= 1e-13, "{gaps:?}");

        // A change of 1e-6 of the solution's own size in a random direction (W is of order 1, so
        // impulses and velocities compare). F is a piecewise smooth bijection near a solution when
        // W is definite: its slope lies within two decades of 1 here.
        let mut random = Random::new(seed ^ 1);
        let e = unit(&mut random, r.len());
        let u = velocity(&problem, &r);
        let size = 1e-6 * common::norm(&r).max(common::norm(&u));
        let perturbed: Vec<f64> = r.iter().zip(&e).map(|(r, e)| r + size * e).collect();
        let residual = r2(&problem, &perturbed);
        prop_assert!((1e-8..=1e-4).contains(&residual), "{residual:e}");
    }

    #[test]
    fn auto_finds_a_solution_where_one_was_constructed(
        kinds in prop::collection::vec(0..LAWS, 1..6),
        seed in any::<u64>(),
    ) {
        // Friction on bilateral rows has no existence theorem behind its iterations; the others
        // have moderate coefficients and weak coupling.
        let kinds: Vec<usize> = kinds.into_iter().filter(|&k| k < 12).collect();
        let (problem, _) = constructed(&kinds, seed);
        let goal = percuss_solve::Goal::with_tolerance(1e-8);
        let (r, report) = common::solve_cold(&mut percuss_solve::Auto::default(), &problem, &goal);
        prop_assert!(report.reached(), "{kinds:?} {report:?}");
        prop_assert!(common::rv(&problem, &r) <= 1e-8);
    }
}

#[test]
fn the_worst_contact_is_named() {
    let (problem, mut r) = constructed(&[2, 2, 2, 2, 2], 11);
    r[3 * 3] += 0.5;
    let judgement = ResidualEvaluator::new(&problem).evaluate(&problem, &r);
    assert_eq!(judgement.worst, Some(3));
}
