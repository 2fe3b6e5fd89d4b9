//! Half-planes: every vertex within the contact margin, and nothing else.

use crate::plane_common;

use crate::plane_common::{Random, check, core, touches};
use percuss_geometry::plane::Shape;

#[test]
fn a_half_plane_touches_every_vertex_of_a_polygon_within_reach() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let (body, pose, plane) = (random.polygon(), random.pose(1.0), random.pose(1.0));
        let reach = random.between(0.0, 0.3);
        let found = touches((&body, &pose), (&Shape::HalfPlane, &plane), reach);
        check(
            (&body, &pose),
            (&Shape::HalfPlane, &plane),
            reach,
            &found,
            1e-13,
        );
        let (vertices, _) = core(&body, &pose);
        let mut at = 0;
        for (i, v) in vertices.iter().enumerate() {
            let gap = plane.rotation.rotate_back(*v - plane.position).y;
            if gap <= reach {
                let t = found[at];
                assert_eq!(t.feature, i as u32);
                assert!((t.gap - gap).abs() < 1e-14 && (t.point_a - *v).length() < 1e-14);
                at += 1;
            }
        }
        assert_eq!(at, found.len());
    }
}

#[test]
fn a_capsule_touches_with_its_lower_end_and_with_the_flat_side_below_the_other() {
    let mut random = Random(2);
    let mut twice = 0;
    for _ in 0..20_000 {
        let (body, mut pose, plane) = (random.capsule(), random.pose(1.0), random.pose(1.0));
        if random.below(2) == 0 {
            // Nearly flat.
            let angle = plane.rotation.angle() + random.between(-0.1, 0.1);
            pose = plane_common::pose(pose.position, angle);
        }
        let reach = random.between(0.0, 0.3);
        let found = touches((&Shape::HalfPlane, &plane), (&body, &pose), reach);
        check(
            (&Shape::HalfPlane, &plane),
            (&body, &pose),
            reach,
            &found,
            1e-13,
        );
        let (ends, radius) = core(&body, &pose);
        let height = |i: usize| plane.rotation.rotate_back(ends[i] - plane.position).y - radius;
        let low = height(0).min(height(1));
        let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        assert_eq!(low <= reach, !found.is_empty());
        if low <= reach {
            assert!((least - low).abs() < 1e-14);
        }
        twice += usize::from(found.len() == 2);
        for t in &found {
            // The end that the feature names lies over the point of the plane.
            let along = plane
                .rotation
                .rotate_back(ends[t.feature as usize] - t.point_a)
                .x;
            assert!(along.abs() < 1e-13, "{t:?}");
        }
    }
    assert!(twice > 2_000, "{twice}");
}
