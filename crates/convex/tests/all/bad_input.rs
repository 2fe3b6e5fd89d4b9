//! Errors name the argument, its value and what was expected; empty sets are errors.

use percuss_convex::{
    AxisBox, Ball, ConvexError, ConvexSet, Ellipsoid, HalfSpace, Intersection, Point, PolarCone,
    PolyhedralCone, Polyhedron, Polytope, Product, RollingCone, Scale, SecondOrderCone, Segment,
    Simplex, Subspace, Translate,
};

fn says<T: std::fmt::Debug>(result: Result<T, ConvexError>, want: &str) {
    let text = result.unwrap_err().to_string();
    assert!(text.contains(want), "expected “{want}” in “{text}”");
}

#[test]
fn constructors_of_simple_sets_name_the_bad_argument() {
    let nan = f64::NAN;
    says(
        Point::new(&[0.0, nan]),
        "point[1] is NaN, expected a finite number",
    );
    says(
        HalfSpace::new(&[0.0, 0.0], 1.0),
        "length of the half-space normal is 0",
    );
    says(HalfSpace::new(&[1.0], nan), "half-space bound[0] is NaN");
    says(
        Ball::new(&[0.0], -1.0),
        "ball radius is -1, expected a finite number >= 0",
    );
    says(Ball::new(&[0.0], nan), "ball radius is NaN");
    says(
        AxisBox::new(&[0.0, 2.0], &[1.0, 1.0]),
        "bounds are empty at index 1: lower 2 exceeds upper 1",
    );
    says(
        AxisBox::new(&[0.0], &[1.0, 1.0]),
        "upper bounds has length 2, expected 1",
    );
    says(AxisBox::new(&[nan], &[1.0]), "lower bounds[0] is NaN");
    says(
        Ellipsoid::new(&[0.0, 0.0], &[1.0, 2.0, 2.0, 1.0]),
        "not positive definite: pivot 1 is -3",
    );
    says(
        Ellipsoid::from_semi_axes(&[0.0], &[0.0]),
        "semi-axis is 0, expected a finite number > 0",
    );
    says(
        Segment::new(&[0.0], &[0.0, 1.0]),
        "segment end b has length 2, expected 1",
    );
    says(
        Simplex::new(3, 0.0),
        "simplex total is 0, expected a finite number > 0",
    );
    says(Simplex::new(0, 1.0), "simplex coordinates has no element");
}

#[test]
fn constructors_of_polyhedra_cones_and_combinations_name_the_bad_argument() {
    let nan = f64::NAN;
    says(Polytope::new(2, &[]), "polytope vertices has no element");
    says(
        Polytope::new(2, &[1.0, 2.0, 3.0]),
        "polytope vertices has length 3, expected 4",
    );
    says(
        Polyhedron::new(2, &[1.0, 0.0], &[0.0, 0.0]),
        "row matrix has length 2, expected 4",
    );
    says(
        Subspace::from_basis(&[0.0, 0.0], &[1.0]),
        "subspace basis has length 1, expected 2",
    );
    says(
        SecondOrderCone::circular(3, -0.1),
        "cone coefficient mu is -0.1",
    );
    says(
        SecondOrderCone::elliptic(0.1, nan),
        "cone coefficient mu2 is NaN",
    );
    says(SecondOrderCone::circular(0, 0.1), "has no element");
    says(
        RollingCone::new(&[0.1], &[2, 1]),
        "block sizes has length 2, expected 1",
    );
    says(
        RollingCone::new(&[0.1], &[0]),
        "block size is 0, expected at least 1",
    );
    says(
        PolyhedralCone::from_generators(2, &[1.0]),
        "cone generators has length 1, expected 2",
    );
    says(
        Product::new(vec![]),
        "factors of the product has no element",
    );
    says(
        Intersection::new(vec![]),
        "parts of the intersection has no element",
    );
    let ball = Ball::new(&[0.0, 0.0], 1.0).unwrap();
    says(
        Translate::new(ball.clone().into(), &[1.0]),
        "translation has length 1, expected 2",
    );
    says(
        Scale::new(ball.clone().into(), 0.0),
        "scale factor is 0, expected a number other than 0",
    );
    says(PolarCone::new(ball.clone().into()), "must be a cone");
    let line = HalfSpace::new(&[1.0], 0.0).unwrap();
    says(
        Intersection::new(vec![ball.into(), line.into()]),
        "part of the intersection has length 1, expected 2",
    );
}

#[test]
fn operations_refuse_vectors_that_do_not_fit() {
    let ball = Ball::new(&[0.0, 0.0], 1.0).unwrap();
    says(ball.project(&[1.0]), "vector has length 1, expected 2");
    says(ball.support(&[1.0, f64::INFINITY]), "vector[1] is inf");
    let metric = percuss_convex::Metric::diagonal(&[1.0, 2.0, 3.0]).unwrap();
    says(
        ball.project_in(&metric, &[1.0, 1.0]),
        "metric has length 3, expected 2",
    );
}

#[test]
fn empty_polyhedra_name_their_rows() {
    // x ≤ 0, −x ≤ −1 and a row that takes no part.
    let error = Polyhedron::new(1, &[1.0, -1.0, 1.0], &[0.0, -1.0, 9.0]).unwrap_err();
    let ConvexError::Inconsistent { mut rows, .. } = error else {
        panic!("{error}")
    };
    rows.sort_unstable();
    assert_eq!(rows, vec![0, 1]);
    says(
        Subspace::from_equations(2, &[1.0, 1.0, 2.0, 2.0], &[1.0, 3.0]),
        "contradict",
    );
}

#[test]
fn empty_curved_intersections_are_errors_at_every_gap() {
    for gap in [3.0, 0.3, 1e-2, 1e-4, 1e-6] {
        // Unit balls with centres 2 + gap apart.
        let parts = vec![
            Ball::new(&[0.0, 0.0, 0.0], 1.0).unwrap().into(),
            Ball::new(&[2.0 + gap, 0.0, 0.0], 1.0).unwrap().into(),
        ];
        let error = Intersection::new(parts).unwrap_err();
        let named = matches!(error, ConvexError::Empty { .. });
        // Below about 1e-5 the certificate may be out of reach; a wrong point is never returned.
        assert!(
            named || (gap < 1e-3 && matches!(error, ConvexError::NotConverged { .. })),
            "gap {gap}: {error}"
        );
    }
    let cone = SecondOrderCone::circular(3, 0.5).unwrap();
    let below = HalfSpace::new(&[1.0, 0.0, 0.0], -0.2).unwrap();
    let error = Intersection::new(vec![cone.into(), below.into()]).unwrap_err();
    assert!(matches!(error, ConvexError::Empty { .. }), "{error}");
}
