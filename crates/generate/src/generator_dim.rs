//! Shapes that generators need, by dimension: discs or spheres, boxes, irregular convex bodies.

use std::f64::consts::PI;
use std::sync::Arc;

use percuss_bodies::plane::{self, Angle, ConvexPolygon};
use percuss_bodies::space::{self, ConvexPolyhedron};
use percuss_bodies::{Dim, Plane, Pose, ShapeError, Space};

use super::random::SplitMix64;

/// Vectors of the plane.
pub type Vec2 = <Plane as percuss_bodies::geometry::Dim>::Vector;
/// Vectors of space.
pub type Vec3 = <Space as percuss_bodies::geometry::Dim>::Vector;
/// Rotations of space.
pub type Quat = <Space as percuss_bodies::geometry::Dim>::Rotation;

/// A dimension in which generators can make bodies.
pub trait GeneratorDim: Dim {
    /// Fewest vertices of a convex body.
    const CORNERS: usize;

    /// A disc or a sphere.
    ///
    /// # Errors
    /// A radius that is not a positive, finite length.
    fn round(radius: f64) -> Result<Self::Shape, ShapeError>;

    /// A box with these sides.
    ///
    /// # Errors
    /// A side that is not a positive, finite length.
    fn block(sides: Self::Vector) -> Result<Self::Shape, ShapeError>;

    /// The rotation of a leaning column: anticlockwise as seen with x to the right and up upwards.
    fn leaning(angle: f64) -> Self::Rotation;

    /// An irregular convex body with so many vertices, all on the circle or sphere of that radius
    /// about the origin, and the pose of its body axes. `uniform` gives numbers in [0, 1).
    ///
    /// # Errors
    /// The vertices span no area or volume.
    fn irregular(
        radius: f64,
        corners: usize,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Result<(Self::Shape, Pose<Self>), ShapeError>;
}

impl GeneratorDim for Plane {
    const CORNERS: usize = 3;

    fn round(radius: f64) -> Result<plane::Shape, ShapeError> {
        plane::Shape::disc(radius)
    }

    fn block(sides: Vec2) -> Result<plane::Shape, ShapeError> {
        let polygon = ConvexPolygon::rectangle(sides.x, sides.y)?;
        Ok(plane::Shape::Polygon(Arc::new(polygon)))
    }

    fn leaning(angle: f64) -> Angle {
        Angle::new(angle)
    }

    // Directions of a regular polygon, each moved by up to a quarter of the angle between them:
    // two neighbours stay between half and one and a half of that angle apart, so that no side is
    // short and the centre of the circle is inside (on the longest side of a triangle at worst).
    fn irregular(
        radius: f64,
        corners: usize,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Result<(plane::Shape, Pose<Plane>), ShapeError> {
        // Angle between the vertices of a regular polygon.
        let between = 2.0 * PI / corners as f64;
        let first = 2.0 * PI * uniform();
        let vertices: Vec<Vec2> = (0..corners)
            .map(|i| {
                let angle = first + between * (i as f64 + 0.5 * (uniform() - 0.5));
                Vec2::new(angle.cos(), angle.sin()) * radius
            })
            .collect();
        let (polygon, centroid) = ConvexPolygon::new(&vertices)?;
        let pose = Pose {
            position: centroid,
            rotation: Angle::default(),
        };
        Ok((plane::Shape::Polygon(Arc::new(polygon)), pose))
    }
}

impl GeneratorDim for Space {
    const CORNERS: usize = 4;

    fn round(radius: f64) -> Result<space::Shape, ShapeError> {
        space::Shape::sphere(radius)
    }

    fn block(sides: Vec3) -> Result<space::Shape, ShapeError> {
        let polyhedron = ConvexPolyhedron::cuboid(sides)?;
        Ok(space::Shape::Polyhedron(Arc::new(polyhedron)))
    }

    fn leaning(angle: f64) -> Quat {
        // With x to the right and z upwards, y points away from the observer.
        Quat::from_rotation_y(-angle)
    }

    // Points of the golden spiral (Fibonacci lattice), which cover the sphere evenly for any number of them, each moved
    // at random by up to a quarter of the side of the square of its share of the sphere, then the whole rotated at
    // random. All points of a sphere are vertices of their convex hull.
    fn irregular(
        radius: f64,
        corners: usize,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Result<(space::Shape, Pose<Space>), ShapeError> {
        // Golden angle, and the largest random shift.
        let golden = PI * (3.0 - 5.0_f64.sqrt());
        let n = corners as f64;
        let reach = 0.25 * (4.0 * PI / n).sqrt();
        let turn = random_rotation(uniform);
        let points: Vec<Vec3> = (0..corners)
            .map(|i| {
                let z: f64 = 1.0 - (2.0 * i as f64 + 1.0) / n;
                let angle = golden * i as f64;
                let flat = (1.0 - z * z).max(0.0).sqrt();
                let even = Vec3::new(flat * angle.cos(), flat * angle.sin(), z);
                let shift = Vec3::new(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5);
                let moved = even + shift * (2.0 * reach / 3.0_f64.sqrt());
                turn * (moved * (radius / moved.length()))
            })
            .collect();
        let (polyhedron, pose) = ConvexPolyhedron::hull(&points)?;
        Ok((space::Shape::Polyhedron(Arc::new(polyhedron)), pose))
    }
}

/// A rotation uniform on SO(3) (Shoemake 1992).
fn random_rotation(uniform: &mut dyn FnMut() -> f64) -> Quat {
    // Shoemake's construction from three uniform numbers.
    let u = uniform();
    let (a, b) = (2.0 * PI * uniform(), 2.0 * PI * uniform());
    let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
    Quat::from_xyzw(p * a.sin(), p * a.cos(), q * b.sin(), q * b.cos()).normalize()
}

/// A random vector no longer than `reach`, uniform in the disc or ball, by rejection.
pub fn within<D: Dim>(reach: f64, random: &mut SplitMix64) -> D::Vector {
    use percuss_bodies::Vector as _;
    loop {
        let mut entries = [0.0; 3];
        for entry in entries.iter_mut().take(D::N) {
            *entry = 2.0 * random.uniform() - 1.0;
        }
        // Rejection from the square or cube around it: more than half of it is inside.
        let vector = D::Vector::from_components(&entries[..D::N]);
        if vector.norm() <= 1.0 {
            return vector * reach;
        }
    }
}
