//! Sectors of a ring with many facets: their joints behave as those of trapezia.
//!
//! A voussoir with 24 facets a side was decomposed into parts along its continued inner facets: slivers of a tenth of a
//! millimetre at the joint. Joints that overlapped by more were separated across the sliver, at a right angle to the
//! joint, and an arch burst with 3.9 MJ in one step.

use crate::plane_common::Random;
use glam::DVec2;
use percuss_geometry::plane::{Angle, Shape};
use percuss_geometry::{ContactPoint, Dim, Geometry, Plane, Pose};
use std::f64::consts::PI;

const INNER: f64 = 0.9525;
const OUTER: f64 = 1.0475;
const HALF: f64 = PI / 26.0;

/// A sector about the vertical with chords on its inner and outer side, and the pose of its body axes.
fn sector(facets: usize) -> (Shape, Pose<Plane>) {
    let at = |radius: f64, k: usize| {
        let angle = HALF * (2.0 * k as f64 / facets as f64 - 1.0);
        DVec2::new(angle.sin(), angle.cos()) * radius
    };
    let below = (0..=facets).map(|k| at(INNER, k));
    let above = (0..=facets).rev().map(|k| at(OUTER, k));
    let vertices: Vec<DVec2> = below.chain(above).collect();
    Shape::polygon(&vertices).expect("a simple polygon")
}

fn placed(position: DVec2, turn: f64) -> Pose<Plane> {
    Pose {
        position,
        rotation: Angle::new(turn),
    }
}

/// The contact points of two sectors on both sides of the vertical, the second one displaced.
fn joint(
    (shape, own): &(Shape, Pose<Plane>),
    shift: DVec2,
    turn: f64,
    reach: f64,
) -> Vec<ContactPoint<Plane>> {
    let left = Plane::compose(&placed(DVec2::ZERO, HALF), own);
    // About the middle of the joint.
    let middle = DVec2::new(0.0, 1.0);
    let moved = placed(middle + shift - Angle::new(turn).rotate(middle), turn);
    let right = Plane::compose(&moved, &Plane::compose(&placed(DVec2::ZERO, -HALF), own));
    let mut out = Vec::new();
    Plane::contact_points((shape, &left), (shape, &right), reach, &mut out);
    out
}

#[test]
fn a_joint_does_not_know_how_many_facets_its_stones_have() {
    let mut random = Random(3);
    let stone = sector(1);
    let stones = [2, 3, 4, 8, 24, 48].map(|facets| (facets, sector(facets)));
    for case in 0..500 {
        let depth = 10.0_f64.powf(random.between(-9.0, -2.5));
        let shift = DVec2::new(
            random.between(-depth, 0.2 * depth),
            random.between(-3e-3, 3e-3),
        );
        let turn = random.between(-1e-3, 1e-3);
        let plain = joint(&stone, shift, turn, 1e-5);
        for (facets, many) in &stones {
            let found = joint(many, shift, turn, 1e-5);
            let told =
                || format!("case {case}, {facets} facets, {shift} {turn}: {found:#?} {plain:#?}");
            assert_eq!(found.len(), plain.len(), "{}", told());
            for touch in &found {
                let off = |other: &ContactPoint<Plane>| (other.point_a - touch.point_a).length();
                let near = plain.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
                let near = near.expect("as many");
                // Either of the two joint faces may be the one that points are projected onto: they differ by the
                // turn, 1e-3, times the overlap, 3e-3, and times the height that ends are clipped at, 3e-3.
                assert!(off(near) < 1e-5, "{}", told());
                assert!((touch.gap - near.gap).abs() < 1e-5, "{}", told());
                assert!((touch.normal - near.normal).length() < 2.1e-3, "{}", told());
            }
        }
    }
}

#[test]
fn parts_of_a_sector_are_as_thick_as_it_is() {
    for facets in [2, 4, 24, 48] {
        let (shape, _) = sector(facets);
        let Shape::Compound(compound) = shape else {
            panic!("{facets} facets: not convex");
        };
        assert_eq!(compound.parts().len(), facets, "one part a facet");
        for part in compound.parts() {
            let Shape::Polygon(polygon) = &part.shape else {
                panic!("a polygon");
            };
            let height = polygon
                .vertices()
                .iter()
                .map(|v| v.length())
                .fold(0.0, f64::max);
            // Half of the thickness of 0.095 at least: no sliver.
            assert!(height > 0.0475, "{facets} facets: {height}");
            let chord = 2.0 * HALF / facets as f64;
            assert!(
                polygon.area() > 0.9 * 0.095 * chord,
                "{facets}: {}",
                polygon.area()
            );
        }
    }
}
