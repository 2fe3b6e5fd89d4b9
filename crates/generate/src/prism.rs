//! Prisms: polygons in the plane, and the same section extruded along y in space.

use std::sync::Arc;

use percuss_bodies::plane::{self, Angle, ConvexPolygon};
use percuss_bodies::space::{self, ConvexPolyhedron};
use percuss_bodies::{Dim, Plane, Pose, ShapeError, Space};

use crate::generator_dim::{GeneratorDim, Quat, Vec2, Vec3};

/// A dimension in which a section makes a body.
pub trait Prism: GeneratorDim {
    /// The convex body with this section (x to the right, up upwards, anticlockwise), in space from
    /// y = −depth/2 to depth/2; with the pose of its body axes in the axes of the section.
    ///
    /// # Errors
    /// The vertices bound no convex section, or the depth is not a positive length.
    fn prism(section: &[Vec2], depth: f64) -> Result<(Self::Shape, Pose<Self>), ShapeError>;

    /// A point by its coordinates along x, across (y in space) and up.
    fn spot(x: f64, across: f64, up: f64) -> Self::Vector;

    /// The rotation about the vertical, anticlockwise from above; the identity in the plane.
    fn heading(angle: f64) -> Self::Rotation;
}

impl Prism for Plane {
    fn prism(section: &[Vec2], _depth: f64) -> Result<(plane::Shape, Pose<Plane>), ShapeError> {
        let (polygon, centroid) = ConvexPolygon::new(section)?;
        let pose = Pose {
            position: centroid,
            rotation: Angle::default(),
        };
        Ok((plane::Shape::Polygon(Arc::new(polygon)), pose))
    }

    fn spot(x: f64, _across: f64, up: f64) -> Vec2 {
        Vec2::new(x, up)
    }

    fn heading(_angle: f64) -> Angle {
        Angle::default()
    }
}

impl Prism for Space {
    fn prism(section: &[Vec2], depth: f64) -> Result<(space::Shape, Pose<Space>), ShapeError> {
        let n = section.len();
        let at = |y: f64| section.iter().map(move |p| Vec3::new(p.x, y, p.y));
        let vertices: Vec<Vec3> = at(-0.5 * depth).chain(at(0.5 * depth)).collect();
        // The section is seen along +y: the near end is anticlockwise as it stands.
        let mut faces: Vec<Vec<usize>> = (0..n)
            .map(|i| {
                let j = (i + 1) % n;
                vec![j, i, i + n, j + n]
            })
            .collect();
        faces.push((0..n).collect());
        faces.push((n..2 * n).rev().collect());
        let (polyhedron, pose) = ConvexPolyhedron::new(&vertices, &faces)?;
        Ok((space::Shape::Polyhedron(Arc::new(polyhedron)), pose))
    }

    fn spot(x: f64, across: f64, up: f64) -> Vec3 {
        Vec3::new(x, across, up)
    }

    fn heading(angle: f64) -> Quat {
        Quat::from_rotation_z(angle)
    }
}

/// A pose rotated about the origin and then translated.
pub fn moved(pose: &Pose<Space>, turn: Quat, by: Vec3) -> Pose<Space> {
    Pose {
        position: by + turn * pose.position,
        rotation: (turn * pose.rotation).normalize(),
    }
}

/// A pose translated, in either dimension.
pub fn shifted<D: Dim>(pose: &Pose<D>, by: D::Vector) -> Pose<D> {
    Pose {
        position: by + pose.position,
        rotation: pose.rotation,
    }
}
