//! Projections of this crate against other methods on the same problem.

use crate::common::Numbers;
use percuss_convex::qp::{LinearConstraints as QpRows, prox};
use percuss_convex::{Ball, ConvexSet, Ellipsoid, HalfSpace, Intersection};
use percuss_sweep::{
    ConstraintRows, Inequalities, InequalitySet, Metric, MovingPolyhedron, MovingSet, SweepingError,
};

/// A random symmetric positive definite matrix with condition number of about a hundred.
fn matrix(random: &mut Numbers, n: usize) -> Vec<f64> {
    let b: Vec<f64> = (0..n * n).map(|_| random.next()).collect();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
        }
        a[i * n + i] += 0.3;
    }
    a
}

#[test]
fn warm_polyhedral_projections_equal_cold_ones_of_the_quadratic_programme() {
    let mut random = Numbers(42);
    for round in 0..60 {
        let (n, m) = (3 + round % 6, 4 + round % 13);
        let equalities = round % 3;
        let g: Vec<f64> = (0..n * m).map(|_| random.next()).collect();
        let base: Vec<f64> = (0..m).map(|_| 0.5 + random.next().abs()).collect();
        let wave: Vec<f64> = (0..m).map(|_| random.next()).collect();
        // 0 stays inside all inequalities and on all equations.
        let bound = move |t: f64, a: usize| {
            if a < equalities {
                0.0
            } else {
                base[a] * (1.2 + (t + 5.0 * wave[a]).sin())
            }
        };
        let a = matrix(&mut random, n);
        let metrics = [
            Metric::Euclidean,
            Metric::diagonal(&(0..n).map(|i| a[i * n + i]).collect::<Vec<_>>()).expect("metric"),
            Metric::full(n, &a).expect("metric"),
        ];
        for metric in metrics {
            let own = bound.clone();
            let rows = ConstraintRows::dense(n, &g).expect("rows");
            let mut set = MovingPolyhedron::with_equalities(rows, equalities, move |t, b| {
                (0..m).for_each(|k| b[k] = own(t, k));
            })
            .expect("set");
            set.set_metric(&metric).expect("metric fits");
            let white = metric.to_convex(n).expect("metric");
            for k in 0..30 {
                let t = 0.3 * f64::from(k);
                let z: Vec<f64> = (0..n).map(|_| 4.0 * random.next()).collect();
                let mut p = vec![0.0; n];
                set.project_into(t, &z, &mut p).expect("projection");
                let bounds: Vec<f64> = (0..m).map(|k| bound(t, k)).collect();
                let rows = QpRows {
                    matrix: &g,
                    bounds: &bounds,
                    equalities,
                };
                let cold = prox(&white, rows, &z).expect("prox");
                for i in 0..n {
                    // Both are exact to rounding times the conditioning of corners (1e3).
                    assert!(
                        (p[i] - cold.point[i]).abs() < 1e-11,
                        "round {round}, t = {t}"
                    );
                }
                let mut y: Vec<f64> = z.iter().zip(&p).map(|(z, p)| z - p).collect();
                metric.lower(&mut y);
                assert!(set.normal_cone_distance(t, &p, &y).expect("check") < 1e-10);
            }
        }
    }
}

#[test]
fn sparse_rows_give_the_same_points_as_dense_ones() {
    let mut random = Numbers(5);
    let (n, m) = (12, 20);
    let mut list = Vec::new();
    let mut dense = vec![0.0; n * m];
    for a in 0..m {
        let mut row = Vec::new();
        for j in [a % n, (a * 5 + 3) % n, (a * 7 + 1) % n] {
            if row.iter().all(|e: &(usize, f64)| e.0 != j) {
                let v = random.next();
                row.push((j, v));
                dense[a * n + j] = v;
            }
        }
        list.push(row);
    }
    let bounds = |t: f64, b: &mut [f64]| {
        let each = b.iter_mut().enumerate();
        each.for_each(|(a, b)| *b = 0.4 + 0.3 * (t + a as f64).sin());
    };
    let mut one = MovingPolyhedron::new(ConstraintRows::dense(n, &dense).expect("rows"), bounds)
        .expect("set");
    let mut two = MovingPolyhedron::new(ConstraintRows::sparse(n, &list).expect("rows"), bounds)
        .expect("set");
    for k in 0..50 {
        let z: Vec<f64> = (0..n).map(|_| 3.0 * random.next()).collect();
        let (mut p, mut q) = (vec![0.0; n], vec![0.0; n]);
        let t = 0.1 * f64::from(k);
        one.project_into(t, &z, &mut p).expect("dense");
        two.project_into(t, &z, &mut q).expect("sparse");
        for i in 0..n {
            assert!((p[i] - q[i]).abs() < 1e-12);
        }
    }
}

/// Two ellipses and a half-plane as smooth inequalities, second derivatives by differences.
struct Lens;

impl Inequalities for Lens {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        3
    }
    fn values(&self, _t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = x[0] * x[0] + 4.0 * x[1] * x[1] - 4.0;
        out[1] = (x[0] - 1.0).powi(2) + (x[1] - 0.5).powi(2) - 2.25;
        out[2] = -x[0] + 2.0 * x[1] - 1.0;
    }
    fn gradients(&self, _t: f64, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[
            2.0 * x[0],
            8.0 * x[1],
            2.0 * (x[0] - 1.0),
            2.0 * (x[1] - 0.5),
            -1.0,
            2.0,
        ]);
    }
}

#[test]
fn smooth_inequalities_give_the_points_of_the_conic_solver() {
    let conic = Intersection::new(vec![
        Ellipsoid::new(&[0.0, 0.0], &[0.25, 0.0, 0.0, 1.0])
            .expect("ellipse")
            .into(),
        Ball::new(&[1.0, 0.5], 1.5).expect("disc").into(),
        HalfSpace::new(&[-1.0, 2.0], 1.0)
            .expect("half-plane")
            .into(),
    ])
    .expect("lens");
    let a = [2.0, 0.6, 0.6, 0.7];
    let white = percuss_convex::Metric::new(2, &a).expect("metric");
    let mut random = Numbers(99);
    for metric in [Metric::Euclidean, Metric::full(2, &a).expect("metric")] {
        let mut set = InequalitySet::new(Lens).expect("set");
        set.set_metric(&metric).expect("metric fits");
        for _ in 0..200 {
            let z = [5.0 * random.next(), 5.0 * random.next()];
            let mut p = [0.0; 2];
            set.project_into(0.0, &z, &mut p).expect("projection");
            let q = match metric {
                Metric::Euclidean => conic.project(&z),
                _ => conic.project_in(&white, &z),
            }
            .expect("conic projection");
            // Points where two curves meet at a small angle lose a few digits.
            assert!(
                (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-9,
                "{z:?}: {p:?} {q:?}"
            );
        }
    }
}

/// |x|⁴-like functions in many dimensions: flat at 0, steep outside.
struct Quartic(usize);

impl Inequalities for Quartic {
    fn dim(&self) -> usize {
        self.0
    }
    fn count(&self) -> usize {
        2
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = x.iter().map(|x| (x - t).powi(4)).sum::<f64>() - 1.0;
        out[1] = x.iter().sum::<f64>() - 0.5;
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for i in 0..self.0 {
            out[i] = 4.0 * (x[i] - t).powi(3);
            out[self.0 + i] = 1.0;
        }
    }
}

#[test]
fn quartic_ball_projection_satisfies_the_optimality_conditions_from_afar() {
    let n = 12;
    let mut set = InequalitySet::new(Quartic(n)).expect("set");
    let mut random = Numbers(3);
    for k in 0..40 {
        let far = 10.0_f64.powi(k % 5);
        let z: Vec<f64> = (0..n).map(|_| far * random.next()).collect();
        let mut p = vec![0.0; n];
        let landing = set.project_into(0.0, &z, &mut p).expect("projection");
        assert!(landing.violation < 1e-10 * far);
        let y: Vec<f64> = z.iter().zip(&p).map(|(z, p)| z - p).collect();
        let off = set.normal_cone_distance(0.0, &p, &y).expect("check");
        assert!(off < 1e-8 * far, "{off:e} at distance {far}");
    }
}

/// Not convex: the outside of a disc, and a disc to keep things bounded.
struct Annulus;

impl Inequalities for Annulus {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        2
    }
    fn values(&self, _t: f64, x: &[f64], out: &mut [f64]) {
        let square = x[0] * x[0] + x[1] * x[1];
        (out[0], out[1]) = (square - 4.0, 1.0 - square);
    }
    fn gradients(&self, _t: f64, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1], -2.0 * x[0], -2.0 * x[1]]);
    }
}

#[test]
fn function_that_is_not_convex_is_named_with_the_instant() {
    let mut set = InequalitySet::new(Annulus).expect("set");
    let mut p = [0.0; 2];
    let error = set
        .project_into(2.5, &[0.3, 0.1], &mut p)
        .expect_err("not convex");
    match &error {
        SweepingError::NotConvex {
            time, constraint, ..
        } => assert_eq!((*time, *constraint), (2.5, 1)),
        other => panic!("{other}"),
    }
    let points = [vec![1.5, 0.0], vec![-1.5, 0.0]];
    assert!(set.check_convexity(0.0, &points).is_err());
    assert!(
        InequalitySet::new(Lens)
            .expect("set")
            .check_convexity(0.0, &points)
            .is_ok()
    );
}

/// The unit disc whose rim passes through the origin, or (`sign` −1) what is outside of it.
struct RimAtOrigin {
    sign: f64,
}

impl Inequalities for RimAtOrigin {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, _: f64, x: &[f64], out: &mut [f64]) {
        out[0] = -self.sign * 0.5 * (1.0 - (x[0] - 1.0).powi(2) - x[1] * x[1]);
    }
    fn gradients(&self, _: f64, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[self.sign * (x[0] - 1.0), self.sign * x[1]]);
    }
}

/// The size of a function's terms was taken from the distance of its points from the origin: near the origin rounding was
/// said to be a set that is not convex, by an excess of 4.5e-17.
#[test]
fn convexity_is_judged_alike_near_the_origin() {
    let near = [
        vec![-1.775599667297456e-10, -4.6495588664848315e-6],
        vec![1.0809197287242611e-11, -4.649558865608998e-6],
    ];
    let disc = InequalitySet::new(RimAtOrigin { sign: 1.0 }).expect("set");
    disc.check_convexity(0.0, &near).expect("a disc is convex");
    let outside = InequalitySet::new(RimAtOrigin { sign: -1.0 }).expect("set");
    // Over a distance s the excess is s²/2: found where it is above rounding of terms of size 1.
    for s in [1e-6, 1e-4, 1e-2] {
        let apart = [vec![0.0, 0.0], vec![0.0, s]];
        disc.check_convexity(0.0, &apart).expect("a disc is convex");
        assert!(outside.check_convexity(0.0, &apart).is_err(), "{s}");
    }
}

/// Two discs whose centres move apart: their intersection is empty from t = 2 on.
struct Parting;

impl Inequalities for Parting {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        2
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = (x[0] + 0.5 * t).powi(2) + x[1] * x[1] - 1.0;
        out[1] = (x[0] - 0.5 * t).powi(2) + x[1] * x[1] - 1.0;
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[
            2.0 * (x[0] + 0.5 * t),
            2.0 * x[1],
            2.0 * (x[0] - 0.5 * t),
            2.0 * x[1],
        ]);
    }
}

#[test]
fn empty_intersection_is_an_error_with_its_instant() {
    let mut process =
        percuss_sweep::Process::new(InequalitySet::new(Parting).expect("set"), 0.0, &[0.1, 0.5])
            .expect("process");
    let schedule = percuss_sweep::Schedule::fixed(3.0, 0.125);
    let error = process.run(&schedule, |_, _| {}).expect_err("empty");
    match error {
        // The lens closes at t = 2; the next step sees it.
        SweepingError::Empty { time, .. } => assert!((time - 2.125).abs() < 1e-12, "{time}"),
        other => panic!("{other}"),
    }
    // Up to the last lens the point is in it: on the axis, near 0.
    assert!(process.point()[0].abs() < 0.1 && process.point()[1].abs() < 1e-3);
}
