//! Non-firm sets that are sums with polytopes and ellipsoids, against their support functions.

use percuss_contact::Law;
use percuss_contact::law::NonFirmSet;

use crate::law_support::{Random, dot, norm, spd, velocity};

/// The parts of a sum in the order of the test: box, radius, vertices, ellipsoids.
struct Parts {
    lower: Vec<f64>,
    upper: Vec<f64>,
    radius: f64,
    vertices: Vec<Vec<f64>>,
    ellipsoids: Vec<Vec<f64>>,
}

impl Parts {
    fn random(random: &mut Random, d: usize) -> Self {
        let signed = |random: &mut Random, sign: f64| -> Vec<f64> {
            (0..d)
                .map(|_| sign * random.range(0.0, 1.0) * f64::from(u8::from(random.below(2) == 0)))
                .collect()
        };
        // Vertices on both sides of every axis enclose 0.
        let mut vertices = Vec::new();
        if random.below(3) > 0 {
            for i in 0..d {
                for sign in [-1.0, 1.0] {
                    let mut v: Vec<f64> = (0..d).map(|_| 0.2 * random.normal()).collect();
                    v[i] = sign * random.range(0.5, 2.0);
                    vertices.push(v.clone());
                    v.iter_mut().for_each(|x| *x = -*x);
                    vertices.push(v);
                }
            }
        }
        let count = random.below(3);
        let axes = |_| (0..d).map(|_| random.range(0.0, 2.0)).collect();
        let ellipsoids = (0..count).map(axes).collect();
        Self {
            lower: signed(random, -1.0),
            upper: signed(random, 1.0),
            radius: if random.below(2) == 0 {
                random.range(0.0, 1.0)
            } else {
                0.0
            },
            ellipsoids,
            vertices,
        }
    }

    fn set(&self, d: usize) -> NonFirmSet {
        let mut sum = NonFirmSet::axis_box(&self.lower, &self.upper).unwrap();
        sum = sum
            .plus(1.0, &NonFirmSet::ball(d, self.radius).unwrap())
            .unwrap();
        if !self.vertices.is_empty() {
            let flat: Vec<f64> = self.vertices.concat();
            sum = sum
                .plus(0.5, &NonFirmSet::polytope(d, &flat).unwrap())
                .unwrap();
        }
        for axes in &self.ellipsoids {
            sum = sum
                .plus(1.0, &NonFirmSet::ellipsoid(axes).unwrap())
                .unwrap();
        }
        sum
    }

    /// σ_C(n), written from the definitions.
    fn support(&self, n: &[f64]) -> f64 {
        let interval: f64 = (0..n.len())
            .map(|i| (self.lower[i] * n[i]).max(self.upper[i] * n[i]))
            .sum();
        let corner = self
            .vertices
            .iter()
            .map(|v| 0.5 * dot(v, n))
            .fold(f64::NEG_INFINITY, f64::max);
        let round: f64 = self
            .ellipsoids
            .iter()
            .map(|axes| {
                axes.iter()
                    .zip(n)
                    .map(|(a, n)| (a * n) * (a * n))
                    .sum::<f64>()
                    .sqrt()
            })
            .sum();
        interval
            + self.radius * norm(n)
            + round
            + if self.vertices.is_empty() {
                0.0
            } else {
                corner
            }
    }
}

/// −u ∈ N_C(r): r in C, and r·(−u) = σ_C(−u) (B02 propositions 44 and 48). Inclusion is tested against many
/// directions, the equality to rounding.
#[test]
fn local_solutions_dissipate_as_much_as_the_sum_of_the_sets_allows() {
    let mut random = Random(7);
    for round in 0..400 {
        let d = 2 + random.below(2);
        let parts = Parts::random(&mut random, d);
        let set = parts.set(d);
        let h = spd(&mut random, d, 100.0);
        let q: Vec<f64> = (0..d).map(|_| 3.0 * random.normal()).collect();
        let mut r = vec![0.0; d];
        set.into_law().solve_local(&h, &q, &mut r);
        let u = velocity(&h, &q, &r);
        let back: Vec<f64> = u.iter().map(|u| -u).collect();
        let gap = parts.support(&back) - dot(&r, &back);
        // F = r − proj(r − u) obeys |F|² ≤ gap; the gap itself is of the order of the error of r times |u|.
        assert!(
            gap.abs() <= 1e-10 * (1.0 + norm(&q)),
            "{round}: gap {gap:e}"
        );
        for _ in 0..300 {
            let mut n: Vec<f64> = (0..d).map(|_| random.normal()).collect();
            let length = norm(&n);
            n.iter_mut().for_each(|x| *x /= length);
            let out = dot(&r, &n) - parts.support(&n);
            assert!(
                out <= 1e-11 * (1.0 + norm(&r)),
                "{round}: outside by {out:e}"
            );
        }
    }
}

/// A square given by half-spaces is the one given by vertices, and a box.
#[test]
fn half_spaces_vertices_and_a_box_are_the_same_square() {
    let sides = [1.0, 0.0, 2.0, -1.0, 0.0, 0.5, 0.0, 3.0, 3.0, 0.0, -2.0, 2.0];
    let vertices = [2.0, 1.0, 2.0, -1.0, -0.5, 1.0, -0.5, -1.0];
    let laws = [
        NonFirmSet::half_spaces(2, &sides).unwrap(),
        NonFirmSet::polytope(2, &vertices).unwrap(),
        NonFirmSet::axis_box(&[-0.5, -1.0], &[2.0, 1.0]).unwrap(),
    ]
    .map(NonFirmSet::into_law);
    let mut random = Random(3);
    for _ in 0..200 {
        let h = spd(&mut random, 2, 50.0);
        let q: Vec<f64> = (0..2).map(|_| 4.0 * random.normal()).collect();
        let solved: Vec<Vec<f64>> = laws
            .iter()
            .map(|law: &Law| {
                let mut r = vec![0.0; 2];
                law.solve_local(&h, &q, &mut r);
                r
            })
            .collect();
        for other in &solved[1..] {
            let apart: Vec<f64> = other.iter().zip(&solved[0]).map(|(a, b)| a - b).collect();
            // Rounding of the quadratic programs, times the condition of h.
            assert!(norm(&apart) < 1e-11, "{solved:?}");
        }
    }
}

#[test]
fn sets_without_meaning_are_refused() {
    // 0 outside, unbounded, a negative bound, a normal of length 0, a negative axis, too many vertices.
    assert!(NonFirmSet::polytope(2, &[1.0, 0.0, 2.0, 0.0, 1.0, 1.0]).is_err());
    assert!(NonFirmSet::half_spaces(2, &[1.0, 0.0, 1.0, 0.0, 1.0, 1.0]).is_err());
    assert!(NonFirmSet::half_spaces(1, &[1.0, -1.0, -1.0, 2.0]).is_err());
    assert!(NonFirmSet::half_spaces(2, &[0.0, 0.0, 1.0]).is_err());
    assert!(NonFirmSet::ellipsoid(&[1.0, -1.0]).is_err());
    assert!(NonFirmSet::ellipsoid(&[1.0, f64::NAN]).is_err());
    assert!(NonFirmSet::polytope(1, &vec![0.0; 5000]).is_err());
    assert!(NonFirmSet::polytope(2, &[f64::INFINITY, 0.0]).is_err());
    // A segment through 0 is a polytope.
    assert!(NonFirmSet::polytope(2, &[1.0, 1.0, -1.0, -1.0]).is_ok());
}
