//! A warm detection allocates nothing, on one thread.

use crate::allocations;
use glam::{DQuat, DVec3};
use percuss_bodies::space::Shape;
use percuss_bodies::{Body, Detector, Freedom, MassProperties, Pose, Space};

#[test]
fn the_counter_counts() {
    assert_eq!(
        allocations(|| drop(std::hint::black_box(vec![1.0; 100]))),
        1
    );
}

/// Spheres of sizes over a ratio on a lattice of a pitch, and the ground.
fn scene(n: usize, pitch: f64, ratio: f64) -> (Vec<Body<Space>>, Vec<Pose<Space>>) {
    let (mut bodies, mut poses) = (Vec::new(), Vec::new());
    let mut add = |shape, position, freedom| {
        let mass = MassProperties {
            mass: 1.0,
            inertia: DVec3::ONE,
        };
        bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        poses.push(Pose {
            position,
            rotation: DQuat::IDENTITY,
        });
    };
    for k in 0..n * n * n {
        let at = [k % n, k / n % n, k / n / n].map(|i| pitch * i as f64);
        let radius = 0.5 * ratio.powf(-((k * 7919 % 101) as f64) / 100.0);
        add(
            Shape::sphere(radius).unwrap(),
            DVec3::from(at),
            Freedom::Free,
        );
    }
    add(Shape::HalfSpace, DVec3::splat(-0.45), Freedom::Fixed);
    (bodies, poses)
}

#[test]
fn warm_detection_allocates_nothing() {
    for (n, pitch, ratio) in [(3, 0.98, 1.0), (14, 0.98, 1.0), (14, 0.4, 100.0)] {
        let (bodies, mut poses) = scene(n, pitch, ratio);
        let mut detector = Detector::new(1);
        assert!(allocations(|| detector.detect(&bodies, &poses, &[])) > 0);
        let found = detector.candidates().len();
        assert!(found > 20);
        assert_eq!(allocations(|| detector.detect(&bodies, &poses, &[])), 0);
        // Elsewhere, and as many: with the pairs of the last time, and with new ones.
        for k in 0..40 {
            for pose in &mut poses {
                pose.position.x += [1e-6, 0.3, 1e-6, 1e-6][k % 4];
            }
            assert_eq!(allocations(|| detector.detect(&bodies, &poses, &[])), 0);
            assert_eq!(detector.candidates().len(), found);
        }
    }
}

/// 200 bytes for each sphere of a dense packing to find all pairs, pairs included.
#[test]
fn the_search_of_pairs_takes_little_memory() {
    let (bodies, poses) = scene(40, 0.98, 1.0);
    let mut detector = Detector::new(1);
    detector.detect(&bodies, &poses, &[]);
    let (broad, _) = detector.memory();
    let per_body = broad as f64 / bodies.len() as f64;
    // All 26 neighbours' boxes meet on this lattice: 13 pairs for each sphere, 8 bytes each.
    let pairs = detector.num_pairs() as f64 / bodies.len() as f64;
    assert!(pairs > 12.0);
    assert!(
        per_body < 140.0 + 8.0 * 1.13 * pairs,
        "{per_body} bytes per body"
    );
}
