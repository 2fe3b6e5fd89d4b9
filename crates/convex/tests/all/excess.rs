//! Excess and Hausdorff distance: closed forms, fine samplings of both sets, the triangle inequality.

use percuss_convex::excess::{excess, hausdorff};
use percuss_convex::{
    AxisBox, Ball, ConvexSet, Ellipsoid, HalfSpace, Metric, Point, Polyhedron, Polytope, Segment,
    Set, Simplex, Translate,
};

/// A reproducible stream of numbers in [−1, 1].
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn many(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// A bounded set of the plane.
    fn set(&mut self, kind: usize) -> Set {
        let c = self.many(2);
        let radii = [0.3 + 0.5 * self.next().abs(), 0.3 + 0.5 * self.next().abs()];
        match kind % 6 {
            0 => Ball::new(&c, radii[0]).expect("a ball").into(),
            1 => Ellipsoid::from_semi_axes(&c, &radii)
                .expect("an ellipse")
                .into(),
            2 => Polytope::new(2, &self.many(10)).expect("a polygon").into(),
            3 => Segment::new(&c, &self.many(2)).expect("a segment").into(),
            4 => {
                let upper = [c[0] + radii[0], c[1] + radii[1]];
                AxisBox::new(&c, &upper).expect("a box").into()
            }
            _ => Point::new(&c).expect("a point").into(),
        }
    }
}

fn plane(diagonal: bool) -> Metric {
    match diagonal {
        true => Metric::diagonal(&[3.0, 0.4]).expect("a metric"),
        false => Metric::euclidean(2),
    }
}

/// e(A, B) from supporting points of A in many directions: from below, short by the turn between two of them.
fn sampled(metric: &Metric, a: &Set, b: &Set, count: usize) -> f64 {
    let mut most = 0.0_f64;
    for k in 0..count {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        let support = a.support(&[angle.cos(), angle.sin()]).expect("a support");
        let point = support.point().expect("bounded");
        let p = b.project_in(metric, point).expect("a nearest point");
        let off: Vec<f64> = point.iter().zip(&p).map(|(x, y)| x - y).collect();
        most = most.max(metric.norm(&off));
    }
    most
}

#[test]
fn excess_of_balls_boxes_and_half_spaces_is_that_of_the_closed_form() {
    let unit = Metric::euclidean(2);
    let ball = |x: f64, r: f64| -> Set { Ball::new(&[x, 0.0], r).expect("a ball").into() };
    let half = |x: f64| -> Set { HalfSpace::new(&[1.0, 0.0], x).expect("a half-space").into() };
    let square = |r: f64| -> Set { AxisBox::new(&[-r, -r], &[r, r]).expect("a box").into() };
    let cases = [
        // Of balls: max(0, |c − c'| + r − r').
        (ball(3.0, 1.0), ball(0.0, 0.5), 3.5),
        (ball(0.5, 1.0), ball(0.0, 2.0), 0.0),
        (ball(0.0, 2.0), ball(0.5, 1.0), 1.5),
        // The corner of the square over the disc, the disc over the side of the square.
        (square(1.0), ball(0.0, 1.0), 2.0_f64.sqrt() - 1.0),
        (ball(0.0, 1.5), square(1.0), 0.5),
        // Unbounded sets: finite where they recede alike, else infinite.
        (half(2.0), half(0.5), 1.5),
        (half(0.5), half(2.0), 0.0),
        (half(0.5), ball(0.0, 1.0), f64::INFINITY),
        (ball(0.0, 1.0), half(0.25), 0.75),
    ];
    for (a, b, expected) in cases {
        let found = excess(&unit, &a, &b).expect("an excess");
        // Rounding of supports and projections; the search stops at changes of 1e-14.
        let same = found.value == expected || (found.value - expected).abs() < 1e-12;
        assert!(same, "{a:?} over {b:?}: {} not {expected}", found.value);
    }
}

#[test]
fn excess_agrees_with_a_fine_sampling_of_both_sets() {
    let mut numbers = Numbers(5);
    for trial in 0..120 {
        let (a, b) = (numbers.set(trial), numbers.set(trial / 6));
        let metric = plane(trial % 2 == 1);
        let found = excess(&metric, &a, &b).expect("an excess").value;
        let coarse = sampled(&metric, &a, &b, 4000);
        // Points of A between two directions are off by the square of their angle, 2e-6 of the size.
        assert!(
            found >= coarse - 1e-12,
            "{a:?} over {b:?}: {found} below {coarse}"
        );
        assert!(
            found <= coarse + 1e-5,
            "{a:?} over {b:?}: {found} above {coarse}"
        );
    }
}

#[test]
fn excess_and_hausdorff_distance_satisfy_the_triangle_inequality() {
    let mut numbers = Numbers(11);
    for trial in 0..80 {
        let sets = [trial, trial / 2, trial / 3].map(|kind| numbers.set(kind));
        let metric = plane(trial % 2 == 0);
        let e = |i: usize, j: usize| {
            excess(&metric, &sets[i], &sets[j])
                .expect("an excess")
                .value
        };
        // The search is exact to 1e-12; a maximum that it misses would show here as well.
        assert!(e(0, 2) <= e(0, 1) + e(1, 2) + 1e-10, "{sets:?}");
        assert!(e(2, 1) <= e(2, 0) + e(0, 1) + 1e-10, "{sets:?}");
        let h = |i: usize, j: usize| hausdorff(&metric, &sets[i], &sets[j]).expect("a distance");
        assert_eq!(h(0, 1), h(1, 0), "{sets:?}");
        assert!(h(0, 2) <= h(0, 1) + h(1, 2) + 1e-10, "{sets:?}");
        assert!(h(0, 0) < 1e-12);
    }
}

#[test]
fn excess_of_a_translated_set_is_the_length_of_the_translation_and_none_in_space_either() {
    let metric = Metric::new(3, &[2.0, 0.3, 0.0, 0.3, 1.0, 0.1, 0.0, 0.1, 0.5]).expect("a metric");
    let shift = [0.2, -0.7, 0.4];
    let sets: [Set; 3] = [
        Ball::new(&[1.0, 0.0, 0.5], 0.7).expect("a ball").into(),
        Simplex::new(3, 1.5).expect("a simplex").into(),
        Polytope::new(3, &[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.])
            .expect("a tetrahedron")
            .into(),
    ];
    for set in sets {
        let moved: Set = Translate::new(set.clone(), &shift).expect("moved").into();
        let found = excess(&metric, &set, &moved).expect("an excess");
        // Of a bounded set e(C, C + a) = |a|. The simplex is flat: its normals are not all directions, but |a| stays.
        let far = metric.norm(&shift);
        assert!(
            (found.value - far).abs() < 1e-9,
            "{set:?}: {} not {far}",
            found.value
        );
    }
}

#[test]
fn a_polyhedron_that_loses_a_corner_is_searched() {
    let metric = Metric::euclidean(2);
    // A unit square; B the same cut by x + y ≤ 1.5: the corner is off by 0.5/√2.
    let rows = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 1.0];
    let a: Set = Polyhedron::new(2, &rows, &[1.0, 0.0, 1.0, 0.0, 3.0])
        .expect("a")
        .into();
    let b: Set = Polyhedron::new(2, &rows, &[1.0, 0.0, 1.0, 0.0, 1.5])
        .expect("b")
        .into();
    let found = excess(&metric, &a, &b).expect("an excess");
    assert!(
        (found.value - 0.5 / 2.0_f64.sqrt()).abs() < 1e-9,
        "{}",
        found.value
    );
    assert!(!found.exact);
    let corner: f64 = found.from.iter().map(|x| (x - 1.0).abs()).sum();
    assert!(corner < 1e-9, "{:?}", found.from);
}
