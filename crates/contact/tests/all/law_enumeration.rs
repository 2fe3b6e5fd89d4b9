//! Reference solutions by enumeration: every status is tried, and the solver must return one that holds.

use crate::law_support::{Random, dot, norm, polygon, spd, velocity};
use percuss_contact::law::{Law, PolygonSection, Status};

/// Gaussian elimination with row pivoting; None when singular.
fn linear(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, p);
        b.swap(k, p);
        if a[k][k] == 0.0 {
            return None;
        }
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    Some(b)
}

/// r from d linear conditions: row i of `c` says c_i·r + e_i·(H r + q) = 0.
fn conditions(h: &[f64], q: &[f64], c: &[Vec<f64>], e: &[Vec<f64>]) -> Option<Vec<f64>> {
    let d = q.len();
    let a = (0..d)
        .map(|i| {
            (0..d)
                .map(|j| c[i][j] + (0..d).map(|k| e[i][k] * h[k * d + j]).sum::<f64>())
                .collect()
        })
        .collect();
    linear(a, (0..d).map(|i| -dot(&e[i], q)).collect())
}

fn unit(d: usize, i: usize) -> Vec<f64> {
    (0..d).map(|j| f64::from(u8::from(i == j))).collect()
}

/// All answers of a law with -lo_i r_n <= r_i <= up_i r_n for every tangential row: each row sticks
/// or sits at one of its bounds with the velocity of the right sign.
fn enumerate_rows(h: &[f64], q: &[f64], bounds: &[(f64, f64)], tol: f64) -> Vec<Vec<f64>> {
    let d = q.len();
    let kappa = d as f64 / (0..d).map(|i| h[i * d + i]).sum::<f64>();
    let mut answers = Vec::new();
    if q[0] >= 0.0 {
        answers.push(vec![0.0; d]);
    }
    for code in 0..3_usize.pow(d as u32 - 1) {
        let state = |i: usize| code / 3_usize.pow(i as u32) % 3;
        let mut c = vec![vec![0.0; d]];
        let mut e = vec![unit(d, 0)];
        for (i, &(lo, up)) in bounds.iter().enumerate() {
            let (mut ci, mut ei) = (vec![0.0; d], vec![0.0; d]);
            match state(i) {
                0 => ei[i + 1] = 1.0,
                1 => (ci[0], ci[i + 1]) = (-up, 1.0),
                _ => (ci[0], ci[i + 1]) = (lo, 1.0),
            }
            c.push(ci);
            e.push(ei);
        }
        let Some(r) = conditions(h, q, &c, &e) else {
            continue;
        };
        let u = velocity(h, q, &r);
        let slack = tol * (norm(&r) + kappa * norm(q));
        let holds = r[0] >= 0.0
            && bounds
                .iter()
                .enumerate()
                .all(|(i, &(lo, up))| match state(i) {
                    0 => r[i + 1] <= up * r[0] + slack && r[i + 1] >= -lo * r[0] - slack,
                    1 => kappa * u[i + 1] <= slack,
                    _ => kappa * u[i + 1] >= -slack,
                });
        if holds {
            answers.push(r);
        }
    }
    answers
}

/// The answer must be one of the reference solutions, to the forward accuracy of a block of condition 1e3.
fn assert_among(r: &[f64], answers: &[Vec<f64>], what: &str) {
    assert!(!answers.is_empty(), "{what}: the referee found no answer");
    let best = answers
        .iter()
        .map(|a| {
            let miss: Vec<f64> = r.iter().zip(a).map(|(x, y)| x - y).collect();
            norm(&miss) / norm(a).max(f64::MIN_POSITIVE)
        })
        .fold(f64::INFINITY, f64::min);
    // Condition 1e3 (raised by coefficients up to 5 on both sides) times rounding.
    assert!(best <= 1e-10, "{what}: {r:?} is none of {answers:?}");
}

/// Slack of the reference inequalities: ties are decided either way within rounding x condition.
const SLACK: f64 = 1e-11;

fn block(random: &mut Random, d: usize) -> (Vec<f64>, Vec<f64>) {
    let h = spd(random, d, 1e3);
    let q = (0..d).map(|_| random.normal()).collect();
    (h, q)
}

#[test]
fn planar_friction_is_one_of_the_enumerated_statuses_and_unique() {
    let mut random = Random(21);
    for k in 0..5_000 {
        let (h, q) = block(&mut random, 2);
        let (plus, minus) = (random.range(0.0, 5.0), random.range(0.0, 5.0));
        let mut r = [0.0; 2];
        Law::CoulombAsymmetric { plus, minus }.solve_local(&h, &q, &mut r);
        let answers = enumerate_rows(&h, &q, &[(minus, plus)], SLACK);
        assert_among(&r, &answers, &format!("block {k}"));
        if q[0] < 0.0 {
            // A line leaves a convex cone once: all answers found are the same one.
            for a in &answers {
                assert_among(a, &[r.to_vec()], &format!("block {k}, uniqueness"));
            }
        }
    }
}

#[test]
fn planar_rolling_is_one_of_the_enumerated_statuses() {
    let mut random = Random(22);
    for k in 0..5_000 {
        let (h, q) = block(&mut random, 3);
        let (mu, mu_roll) = (random.range(0.0, 5.0), random.range(0.0, 5.0));
        let mut r = [0.0; 3];
        Law::RollingPlane { mu, mu_roll }.solve_local(&h, &q, &mut r);
        let bounds = [(mu, mu), (mu_roll, mu_roll)];
        assert_among(
            &r,
            &enumerate_rows(&h, &q, &bounds, SLACK),
            &format!("block {k}"),
        );
    }
}

/// Inequalities a candidate (r, u) has to meet with the given slack.
type Holds<'a> = &'a dyn Fn(&[f64], &[f64], f64) -> bool;

/// Adds the solution of the conditions to the answers if it meets its inequalities.
fn consider(
    answers: &mut Vec<Vec<f64>>,
    (h, q): (&[f64], &[f64]),
    c: &[Vec<f64>],
    e: &[Vec<f64>],
    holds: Holds,
) {
    let kappa = 3.0 / (h[0] + h[4] + h[8]);
    if let Some(r) = conditions(h, q, c, e) {
        let u = velocity(h, q, &r);
        let slack = SLACK * (norm(&r) + kappa * norm(q));
        if r[0] >= 0.0 && holds(&r, &u.iter().map(|x| kappa * x).collect::<Vec<_>>(), slack) {
            answers.push(r);
        }
    }
}

/// All answers for a polygonal section: stick, vertices, edges.
fn enumerate_polygon(h: &[f64], q: &[f64], section: &PolygonSection) -> Vec<Vec<f64>> {
    let v = section.vertices();
    let m = v.len();
    let zero = || vec![0.0; 3];
    let mut answers = Vec::new();
    if q[0] >= 0.0 {
        answers.push(zero());
    }
    let edge = |k: usize| {
        let (a, b) = (v[k % m], v[(k + 1) % m]);
        [b[0] - a[0], b[1] - a[1]]
    };
    let all = [unit(3, 0), unit(3, 1), unit(3, 2)];
    let none = [zero(), zero(), zero()];
    consider(&mut answers, (h, q), &none, &all, &|r, _, slack| {
        (0..m).all(|k| {
            let (e, a) = (edge(k), v[k]);
            e[0] * (r[2] - r[0] * a[1]) - e[1] * (r[1] - r[0] * a[0]) >= -slack * norm(&e)
        })
    });
    for k in 0..m {
        let (a, e, before) = (v[k], edge(k), edge(k + m - 1));
        let at = [zero(), vec![-a[0], 1.0, 0.0], vec![-a[1], 0.0, 1.0]];
        let only_n = [unit(3, 0), zero(), zero()];
        consider(&mut answers, (h, q), &at, &only_n, &|_, u, slack| {
            dot(&u[1..], &e) >= -slack * norm(&e) && dot(&u[1..], &before) <= slack * norm(&before)
        });
        // On the edge: (r_t - r_n a) x e = 0 and u_t·e = 0.
        let line = vec![a[1] * e[0] - a[0] * e[1], e[1], -e[0]];
        let on = [zero(), line, zero()];
        let n_and_e = [unit(3, 0), zero(), vec![0.0, e[0], e[1]]];
        consider(&mut answers, (h, q), &on, &n_and_e, &|r, u, slack| {
            let along = (r[1] - r[0] * a[0]) * e[0] + (r[2] - r[0] * a[1]) * e[1];
            let len = norm(&e);
            along >= -slack * len
                && along <= r[0] * len * len + slack * len
                && u[1] * e[1] - u[2] * e[0] <= slack * len
        });
    }
    answers
}

#[test]
fn polygonal_friction_is_one_of_the_enumerated_statuses() {
    let mut random = Random(23);
    for k in 0..5_000 {
        let (h, q) = block(&mut random, 3);
        let section = polygon(&mut random);
        let answers = enumerate_polygon(&h, &q, &section);
        let mut r = [0.0; 3];
        section.into_law().solve_local(&h, &q, &mut r);
        assert_among(&r, &answers, &format!("block {k}"));
    }
}

/// Every sliding solution of Coulomb's law as (λ, r): sign changes of the cross product of r_t and
/// u_t over a fine grid of directions, refined by bisection.
fn sliding_solutions(h: &[f64], q: &[f64], mu: f64) -> Vec<(f64, Vec<f64>)> {
    let at = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let den = h[0] + mu * (h[1] * cos + h[2] * sin);
        let n = -q[0] / den;
        let r = vec![n, mu * n * cos, mu * n * sin];
        let u = velocity(h, q, &r);
        // Cleared of the denominator, so that its zeros are no sign changes.
        let cross = (cos * u[2] - sin * u[1]) * den;
        (cross, den, r, u)
    };
    let steps = 2_000;
    let width = std::f64::consts::TAU / f64::from(steps);
    let mut found = Vec::new();
    for k in 0..steps {
        let (mut a, mut b) = (f64::from(k) * width, f64::from(k + 1) * width);
        if at(a).0.signum() == at(b).0.signum() {
            continue;
        }
        for _ in 0..60 {
            let c = 0.5 * (a + b);
            if at(c).0.signum() == at(a).0.signum() {
                a = c;
            } else {
                b = c;
            }
        }
        let (_, den, r, u) = at(a);
        let lambda = -dot(&r[1..], &u[1..]) / dot(&r[1..], &r[1..]);
        if den > 0.0 && lambda > 0.0 {
            found.push((lambda, r));
        }
    }
    found
}

/// A block made for several sliding solutions. In the plane u_n = 0 the cone cuts an ellipse with a
/// focus at r_t = 0 and eccentricity mu |w| / H_nn, and r_t(λ) runs from the sticking point to the
/// focus; with the Schur complement diag(1, β), β small, it runs along one axis first and then along
/// the other, and can leave a long slanted ellipse on its way.
fn strongly_coupled(random: &mut Random, mu: f64) -> (Vec<f64>, Vec<f64>) {
    let beta = 10f64.powf(random.range(-5.0, -2.0));
    let eccentricity = random.range(0.8, 0.999);
    let (sin, cos) = random.range(0.1, 1.4).sin_cos();
    let w = [-eccentricity / mu * cos, -eccentricity / mu * sin];
    let length = mu / (1.0 - eccentricity);
    let stick = [length * cos * random.unit(), 3.0 * length * sin];
    let h = vec![
        1.0,
        w[0],
        w[1],
        w[0],
        1.0 + w[0] * w[0],
        w[0] * w[1],
        w[1],
        w[0] * w[1],
        beta + w[1] * w[1],
    ];
    (h, vec![-1.0, -stick[0] - w[0], -beta * stick[1] - w[1]])
}

#[test]
fn spatial_sliding_takes_the_smallest_multiplier_of_all_sliding_solutions() {
    let mut random = Random(24);
    let (mut slips, mut several) = (0, 0);
    for k in 0..1_500 {
        let mu = random.range(0.05, 5.0);
        let (h, q) = if k % 2 == 0 {
            strongly_coupled(&mut random, mu)
        } else {
            let (h, mut q) = block(&mut random, 3);
            q[0] = -q[0].abs();
            (h, q)
        };
        let mut r = [0.0; 3];
        let law = Law::Coulomb { mu };
        if law.solve_local(&h, &q, &mut r) != Status::Slip {
            continue;
        }
        slips += 1;
        let mut all = sliding_solutions(&h, &q, mu);
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(!all.is_empty(), "block {k}: the referee found no sliding");
        several += usize::from(all.len() > 1);
        let miss: Vec<f64> = r.iter().zip(&all[0].1).map(|(x, y)| x - y).collect();
        // Bisection in the angle to rounding, amplified by the denominator of r_n.
        let error = norm(&miss) / norm(&r);
        assert!(error <= 1e-8, "block {k}: {r:?} against {all:?}");
    }
    assert!(slips > 500, "{slips}");
    // Strong coupling does occur in the sample, or "smallest" would not have been tested.
    assert!(several > 100, "{several}");
}
