//! Intervals of random small problems against enumeration of vertices.

use crate::common::{Random, all, plane};
use percuss_contact::law::Law;
use percuss_statics::{ContactAssembly, ContactAssemblyBuilder, Face};

/// A body on random contacts of the plane, all normals with an upward part.
fn body(random: &mut Random, contacts: usize) -> (ContactAssembly, Vec<f64>, Vec<f64>) {
    let mut builder = ContactAssemblyBuilder::new();
    let group = builder.add_group(3);
    let (mut start, mut mus) = (Vec::new(), Vec::new());
    for _ in 0..contacts {
        let angle = random.between(0.6, 2.5);
        let point = [random.between(-1.0, 1.0), random.between(-1.0, 0.0)];
        let rows = plane(point, [angle.cos(), angle.sin()]);
        let mu = random.between(0.05, 0.5);
        builder
            .add_contact(Law::Coulomb { mu }, 2, &[(group, &rows)])
            .unwrap();
        let normal = random.between(0.0, 1.0);
        start.extend([normal, mu * normal * random.between(-1.0, 1.0)]);
        mus.push(mu);
    }
    (builder.build(), start, mus)
}

/// Least and greatest S_n over all vertices of { x ≥ 0 : A x = b } with two rays (1, ±μ) for each
/// contact; the set is bounded since all forces have an upward part.
fn enumerate(system: &ContactAssembly, start: &[f64], mus: &[f64]) -> Vec<(f64, f64)> {
    let n = mus.len();
    let columns: Vec<[f64; 3]> = (0..2 * n)
        .map(|k| {
            let mut s = vec![0.0; 2 * n];
            s[k / 2 * 2] = 1.0;
            s[k / 2 * 2 + 1] = if k % 2 == 0 { mus[k / 2] } else { -mus[k / 2] };
            let f = system.scatter(&s);
            [f[0], f[1], f[2]]
        })
        .collect();
    let b = system.scatter(start);
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); n];
    for i in 0..2 * n {
        for j in i + 1..2 * n {
            for k in j + 1..2 * n {
                let Some(x) = solve3([columns[i], columns[j], columns[k]], [b[0], b[1], b[2]])
                else {
                    continue;
                };
                if x.iter().any(|x| *x < -1e-10) {
                    continue;
                }
                let mut normal = vec![0.0; n];
                for (column, x) in [i, j, k].iter().zip(x) {
                    normal[column / 2] += x;
                }
                for (end, s) in ends.iter_mut().zip(normal) {
                    *end = (end.0.min(s), end.1.max(s));
                }
            }
        }
    }
    ends
}

/// Cramer's rule; columns given.
fn solve3(c: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let d = det(c[0], c[1], c[2]);
    if d.abs() < 1e-9 {
        return None;
    }
    Some([
        det(b, c[1], c[2]) / d,
        det(c[0], b, c[2]) / d,
        det(c[0], c[1], b) / d,
    ])
}

#[test]
fn intervals_are_those_of_the_vertices_and_contain_the_start() {
    let mut random = Random::new(11);
    for case in 0..60 {
        let contacts = 3 + case % 4;
        let (system, start, mus) = body(&mut random, contacts);
        let faces = vec![Face::Stick; contacts];
        let found = all(&system, &faces, &start);
        let expected = enumerate(&system, &start, &mus);
        assert_eq!(found.hyperstaticity.degree, 2 * contacts - 3);
        for (k, (interval, (low, high))) in found.intervals.iter().zip(expected).enumerate() {
            // Vertices come from 3 by 3 determinants down to 1e-9, cut at −1e-10.
            assert!(
                (interval.low - low).abs() < 1e-6,
                "case {case}: {interval:?} {low} {high}"
            );
            assert!(
                (interval.high - high).abs() < 1e-6,
                "case {case}: {interval:?} {low} {high}"
            );
            let s = start[2 * k];
            assert!(interval.low - 1e-9 <= s && s <= interval.high + 1e-9);
            // The proven bounds contain the true interval.
            assert!(interval.low_bound <= low + 1e-9 && high - 1e-9 <= interval.high_bound);
        }
        // Ends are attained by S in balance and in the cones, and the bounds are close.
        assert!(
            found.balance < 1e-8 && found.cone < 1e-8 && found.gap < 1e-6,
            "{found:?}"
        );
    }
}

#[test]
fn the_least_norm_is_below_that_of_the_start_and_does_the_same() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let (system, start, _) = body(&mut random, 5);
        let found = all(&system, &vec![Face::Stick; 5], &start);
        let norm = |s: &[f64]| s.iter().map(|s| s * s).sum::<f64>();
        assert!(norm(&found.least) <= norm(&start) + 1e-9);
        let (one, other) = (system.scatter(&found.least), system.scatter(&start));
        for (a, b) in one.iter().zip(other) {
            // The solver's tolerance is 1e-11 for numbers of order 1.
            assert!((a - b).abs() < 1e-8);
        }
    }
}
