//! Sets whose nearest points, dimensions or difficulties are known beforehand.

use crate::common::*;
use percuss_convex::{
    AxisBox, Ball, ConvexSet, HalfSpace, Intersection, PolarCone, PolyhedralCone, Polyhedron,
    Polytope, Product, SecondOrderCone, Set, Subspace,
};

#[test]
fn intersections_do_not_depend_on_the_unit_of_length() {
    for case in 0..40u64 {
        let mut rng = Rng(case);
        let (c1, c2) = (rng.vec(3), rng.vec(3));
        let r = 0.5 * norm(&sub(&c1, &c2)) + 0.1;
        let (g, z) = (rng.vec(3), times(&rng.vec(3), 3.0));
        let bound = 0.5 * dot(&g, &add(&c1, &c2)) + 0.02;
        let make = |len: f64| {
            Intersection::new(vec![
                Ball::new(&times(&c1, len), r * len).unwrap().into(),
                Ball::new(&times(&c2, len), r * len).unwrap().into(),
                HalfSpace::new(&g, bound * len).unwrap().into(),
            ])
            .unwrap()
        };
        let base = make(1.0).project(&z).unwrap();
        for len in [1e-9, 1e9] {
            let p = make(len).project(&times(&z, len)).unwrap();
            assert!(
                norm(&sub(&times(&p, 1.0 / len), &base)) <= 1e-11,
                "case {case}"
            );
        }
    }
}

#[test]
fn lens_of_two_balls_and_capped_cone_have_their_known_nearest_points() {
    // Unit balls at ±(0.6, 0, 0): the rim is the circle |(y, z)| = 0.8 at x = 0.
    let lens = Intersection::new(vec![
        Ball::new(&[0.6, 0.0, 0.0], 1.0).unwrap().into(),
        Ball::new(&[-0.6, 0.0, 0.0], 1.0).unwrap().into(),
    ])
    .unwrap();
    let p = lens.project(&[0.0, 3.0, 4.0]).unwrap();
    for (a, b) in p.iter().zip([0.0, 0.48, 0.64]) {
        assert!((a - b).abs() <= 1e-14, "{p:?}");
    }
    // |t| ≤ n ≤ 1, from (2, 5, 0): the rim point (1, 1, 0).
    let cap = Intersection::new(vec![
        SecondOrderCone::circular(3, 1.0).unwrap().into(),
        HalfSpace::new(&[1.0, 0.0, 0.0], 1.0).unwrap().into(),
    ])
    .unwrap();
    let p = cap.project(&[2.0, 5.0, 0.0]).unwrap();
    for (a, b) in p.iter().zip([1.0, 1.0, 0.0]) {
        assert!((a - b).abs() <= 1e-14, "{p:?}");
    }
    assert_eq!(cap.support(&[1.0, 0.0, 0.0]).unwrap().value(), 1.0);
}

#[test]
fn sets_that_touch_in_one_point_are_refused_or_met_to_the_stated_accuracy() {
    // No interior point: multipliers are unbounded and the last digits cannot be certified. A
    // residual of 1e-12 leaves √2e-12 along the common tangent plane.
    let parts: Vec<Set> = vec![
        Ball::new(&[0.0, 0.0, 0.0], 1.0).unwrap().into(),
        HalfSpace::new(&[-1.0, 0.0, 0.0], -1.0).unwrap().into(),
    ];
    if let Ok(p) = Intersection::new(parts.clone()).and_then(|set| set.project(&[0.3, 2.0, 0.0])) {
        assert!(norm(&sub(&p, &[1.0, 0.0, 0.0])) <= 1e-5, "{p:?}");
        for part in parts {
            assert!(part.distance(&p).unwrap() <= 1e-11);
        }
    }
}

#[test]
fn dimensions_of_sets_are_those_of_their_affine_hulls() {
    let dim = |set: Set| set.affine_dim().unwrap();
    let slab = Polyhedron::new(2, &[1.0, 1.0, -1.0, -1.0, 1.0, 0.0], &[1.0, -1.0, 5.0]).unwrap();
    assert_eq!(dim(slab.into()), Some(1));
    let square = Polyhedron::new(2, &[1.0, 0.0, 0.0, 1.0], &[1.0, 1.0]).unwrap();
    assert_eq!(dim(square.into()), Some(2));
    assert_eq!(
        dim(
            Polytope::new(3, &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, 2.0, 0.0])
                .unwrap()
                .into()
        ),
        Some(1)
    );
    assert_eq!(
        dim(PolyhedralCone::from_inequalities(2, &[1.0, 0.0, -1.0, 0.0])
            .unwrap()
            .into()),
        Some(1)
    );
    assert_eq!(
        dim(
            PolyhedralCone::from_generators(3, &[1.0, 0.0, 0.0, -1.0, 0.0, 0.0])
                .unwrap()
                .into()
        ),
        Some(1)
    );
    assert_eq!(
        dim(SecondOrderCone::elliptic(0.0, 0.5).unwrap().into()),
        Some(2)
    );
    let free_axis = Product::new(vec![
        Subspace::whole(1).into(),
        SecondOrderCone::circular(3, 0.4).unwrap().into(),
    ])
    .unwrap();
    // The polar loses exactly the one line the cone contains.
    assert_eq!(
        dim(PolarCone::new(free_axis.clone().into()).unwrap().into()),
        Some(3)
    );
    assert_eq!(dim(free_axis.into()), Some(4));
    let plane = AxisBox::new(&[0.0, -1.0], &[0.0, 1.0]).unwrap();
    let all = Subspace::whole(2);
    assert_eq!(
        dim(Intersection::new(vec![plane.into(), all.into()])
            .unwrap()
            .into()),
        Some(1)
    );
}

#[test]
fn sets_without_coordinates_do_not_panic() {
    let ball: Set = Ball::new(&[], 1.0).unwrap().into();
    let both = Intersection::new(vec![ball.clone(), Subspace::whole(0).into()]).unwrap();
    assert!(both.project(&[]).unwrap().is_empty());
    assert_eq!(both.support(&[]).unwrap().value(), 0.0);
    assert!(ball.polar().is_some());
}
