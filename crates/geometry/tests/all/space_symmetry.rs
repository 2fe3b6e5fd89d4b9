//! Contact points of a pair that is symmetric are symmetric.

use crate::space_kit::{self, Random};
use glam::{DQuat, DVec3};
use percuss_geometry::Pose;

#[test]
fn contact_points_of_mirrored_boxes_are_mirror_images() {
    // Boxes turned about y alone, at heights from which they overlap by 1e-3 to clear it by as much, and edges that
    // lie over each other but for rounding.
    let mut random = Random(7);
    let mut found = 0;
    for case in 0..20_000 {
        let wide = [0.1, 0.1, 0.07][random.below(3)];
        let (below, above) = (
            space_kit::cuboid(0.1, 0.1, 0.1),
            space_kit::cuboid(0.12, wide, 0.1),
        );
        let noise = |random: &mut Random| 1e-15 * random.within(-1.0, 1.0);
        let turned = |random: &mut Random, angle: f64, at: DVec3| Pose {
            position: at + DVec3::Y * noise(random),
            rotation: DQuat::from_rotation_y(angle) * DQuat::from_rotation_x(noise(random)),
        };
        let small = [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1][random.below(6)];
        let base = random.within(-0.3, 0.3);
        let height =
            0.1 + [0.0, 1e-14, 1e-10, 1e-7, 1e-3][random.below(5)] * random.within(-1.0, 1.0);
        let shift = [0.0, 0.01, 0.05][random.below(3)];
        let a = turned(&mut random, base, DVec3::ZERO);
        let way = DQuat::from_rotation_y(base) * DVec3::new(shift, 0.0, height);
        let angle = base + small * random.within(-1.0, 1.0);
        let b = turned(&mut random, angle, way);
        let touches = space_kit::touches((&below, &a), (&above, &b), 2e-3);
        found += touches.len();
        for t in &touches {
            let p = 0.5 * (t.point_a + t.point_b);
            let image = touches.iter().any(|s| {
                let q = 0.5 * (s.point_a + s.point_b);
                // Rounding of places, and the noise times the ratio of the sides.
                let near = (q - DVec3::new(p.x, -p.y, p.z)).length() <= 1e-12;
                near && (s.gap - t.gap).abs() <= 1e-13
            });
            assert!(
                image,
                "case {case}: {t:?} of {touches:?} has no mirror image"
            );
        }
    }
    assert!(found > 20_000, "{found}");
}
