//! Shapes and poses for tests.

use glam::{DQuat, DVec2, DVec3};
use percuss_geometry::{Plane, Pose, Space, plane, space};

pub fn at2(x: f64, y: f64) -> Pose<Plane> {
    Pose {
        position: DVec2::new(x, y),
        rotation: plane::Angle::new(0.0),
    }
}

pub fn at3(position: DVec3) -> Pose<Space> {
    Pose {
        position,
        rotation: DQuat::IDENTITY,
    }
}

pub fn rectangle(w: f64, h: f64) -> plane::Shape {
    plane::Shape::Polygon(plane::ConvexPolygon::rectangle(w, h).unwrap().into())
}

pub fn cuboid(x: f64, y: f64, z: f64) -> space::Shape {
    let sides = DVec3::new(x, y, z);
    space::Shape::Polyhedron(space::ConvexPolyhedron::cuboid(sides).unwrap().into())
}
