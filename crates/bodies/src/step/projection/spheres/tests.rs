//! Contacts of the projection from the midpoint's candidates against those of a new detection.

use super::*;
use crate::world::World;
use glam::DVec2;

use crate::materials::{Materials, PairLaw};
use crate::model::Body;
use crate::settings::Settings;
use crate::state::State;
use percuss_geometry::plane;
use percuss_geometry::{MassProperties, Plane, Pose};

/// Discs that fall into a corner with a box in it.
fn corner() -> World<Plane> {
    let mut model = Model {
        bodies: Vec::new(),
        materials: Materials::new(1, &PairLaw::default()),
        prescribed_motions: Vec::new(),
        gravity: DVec2::new(-3.0, -9.0),
        force_fields: Vec::new(),
        drag: Vec::new(),
        joints: Vec::new(),
        cell: None,
    };
    let mut poses = Vec::new();
    let mut add = |shape: plane::Shape, freedom: Freedom, at: DVec2, angle: f64| {
        let none = MassProperties {
            mass: 0.0,
            inertia: 0.0,
        };
        let mass = shape.mass_properties(1000.0).unwrap_or(none);
        model.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        poses.push(Pose {
            position: at,
            rotation: percuss_geometry::plane::Angle::new(angle),
        });
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    add(plane::Shape::HalfPlane, Freedom::Fixed, DVec2::ZERO, 0.0);
    let wall = DVec2::X * -0.15;
    add(plane::Shape::HalfPlane, Freedom::Fixed, wall, -quarter);
    let block = plane::ConvexPolygon::rectangle(0.5, 0.5).unwrap();
    let block = plane::Shape::Polygon(block.into());
    add(block, Freedom::Fixed, DVec2::new(0.6, 0.1), 0.4);
    for k in 0..100 {
        let radius = 0.05 + 0.001 * f64::from(k % 17);
        let at = DVec2::new(0.15 * f64::from(k % 10), 0.1 + 0.15 * f64::from(k / 10));
        let disc = plane::Shape::disc(radius).unwrap();
        add(disc, Freedom::Free, at, 0.0);
    }
    let velocities = vec![[0.0; 3]; poses.len()];
    let state = State {
        t: 0.0,
        poses,
        velocities,
        kinematic_origins: Vec::new(),
        contacts: Vec::new(),
        cell: None,
    };
    let settings = Settings {
        tolerance: 1e-3,
        activation: Activation::Predicted,
        ..Settings::default()
    };
    World::new(model, state, settings).unwrap()
}

#[test]
fn touches_that_are_looked_at_again_are_those_of_a_new_detection() {
    let mut world = corner();
    let listed = |projection: &OverlapProjection<'_, Plane>| -> Vec<([u32; 2], DVec2, f64)> {
        let pushes = projection.scratch.spheres.pushes.iter();
        pushes.map(|p| (p.bodies, p.normal, p.gap)).collect()
    };
    let (mut enough, mut most) = (0, 0);
    for step in 0..400 {
        world.step().unwrap();
        let (mut projection, midpoint, detection) = world.overlap_projection();
        if !projection.midpoint_candidates_suffice(midpoint, detection) {
            continue;
        }
        enough += 1;
        projection.scratch.spheres.pushes.clear();
        projection.push_again(detection);
        let again = listed(&projection);
        projection.scratch.spheres.pushes.clear();
        projection.push_near();
        assert_eq!(again, listed(&projection), "step {step}");
        most = most.max(again.len());
    }
    // A slow disc that is hit may move farther than its margin in detection: in few steps.
    assert!(enough > 300, "{enough} of 400");
    assert!(most > 100, "{most} touches");
}
