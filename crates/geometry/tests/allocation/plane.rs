//! A warm loop over contact points of the plane allocates nothing.

use crate::count;
use crate::plane_common::{Random, chain};
use percuss_geometry::plane::{Shape, contact_points};

#[test]
fn a_warm_loop_over_all_pairs_allocates_nothing() {
    let mut random = Random(1);
    let wave: Vec<(f64, f64)> = (-400..400)
        .map(|i| (0.05 * f64::from(i), (0.3 * f64::from(i)).sin() * 0.3))
        .collect();
    let mut shapes = vec![Shape::HalfPlane, chain(&wave, false)];
    for _ in 0..20 {
        shapes.extend([random.disc(), random.capsule(), random.polygon()]);
    }
    let poses: Vec<_> = shapes.iter().map(|_| random.pose(1.5)).collect();
    let mut out = Vec::new();
    let mut sweep = || {
        out.clear();
        for (a, p) in shapes.iter().zip(&poses) {
            for (b, q) in shapes.iter().zip(&poses) {
                contact_points((a, p), (b, q), 0.2, &mut out);
            }
        }
        out.len()
    };
    let cold = sweep();
    let before = count();
    let warm = sweep();
    assert_eq!(count() - before, 0);
    assert_eq!(cold, warm);
    assert!(warm > 1_000, "{warm}");
}
