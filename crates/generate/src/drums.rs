//! Column of drums, tapering from its base to its top.
//!
//! ```text
//! radius at height z:  r(z) = r_0 + (r_1 − r_0)·z/height
//! ```
//!
//! Flutes are left out. With `sides` a drum is the frustum of a pyramid over a regular polygon whose
//! vertices are on the circle r(z): faces of neighbours coincide and the taper is exact,
//! V = (N/6) sin(2π/N)·height·(r_0² + r_0 r_1 + r_1²). Without, drums are circular cylinders with the
//! radius at the middle of their height: the taper has steps of (r_0 − r_1)/count, beds are discs
//! of the smaller radius.

use std::f64::consts::PI;
use std::sync::Arc;

use percuss_bodies::space::{ConvexPolyhedron, Shape};
use percuss_bodies::{Pose, Space};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use crate::generator_dim::{GeneratorDim, Quat, Vec3};

/// Largest number of sides of a drum.
const SIDES: usize = 128;

/// Parameters of a column of drums.
#[derive(Debug, Clone, PartialEq)]
pub struct Drums {
    /// Radius at the base.
    pub radius: f64,
    /// Radius at the top.
    pub top: f64,
    /// Number of drums.
    pub count: usize,
    /// Height of all drums together.
    pub height: f64,
    /// Number of sides of the section; `None`: circular cylinders.
    pub sides: Option<usize>,
    /// A block on top: length, depth, height.
    pub capital: Option<Vec3>,
    /// Middle of the base.
    pub origin: Vec3,
}

/// Makes a column of drums from below, then its capital.
///
/// # Errors
/// A length or a number out of range.
pub fn drums(drums: &Drums) -> Result<Vec<GeneratedBody<Space>>, GenerateError> {
    check(drums)?;
    let n = drums.count as f64;
    let step = drums.height / n;
    // Radius at a height, counted in half drums.
    let radius = |halves: usize| {
        let share = 0.5 * halves as f64 / n;
        drums.radius * (1.0 - share) + drums.top * share
    };
    let mut pieces = Vec::with_capacity(drums.count + 1);
    // Drums from below: cylinders, or frusta of pyramids.
    for k in 0..drums.count {
        let middle = drums.origin + Vec3::new(0.0, 0.0, (k as f64 + 0.5) * step);
        let (shape, pose) = match drums.sides {
            None => {
                let shape = Shape::cylinder(step, radius(2 * k + 1));
                let shape = shape.map_err(|e| GenerateError::shape("height", &e))?;
                (shape, still(Vec3::ZERO))
            }
            Some(sides) => frustum(sides, radius(2 * k), radius(2 * k + 2), step)?,
        };
        let pose = Pose {
            position: middle + pose.position,
            rotation: pose.rotation,
        };
        pieces.push(GeneratedBody { shape, pose });
    }
    if let Some(capital) = drums.capital {
        let shape = Space::block(capital).map_err(|e| GenerateError::shape("capital", &e))?;
        let up = Vec3::new(0.0, 0.0, drums.height + 0.5 * capital.z);
        let pose = still(drums.origin + up);
        pieces.push(GeneratedBody { shape, pose });
    }
    Ok(pieces)
}

fn still(position: Vec3) -> Pose<Space> {
    Pose {
        position,
        rotation: Quat::IDENTITY,
    }
}

/// The drum between two regular polygons, about the middle of its height.
fn frustum(
    sides: usize,
    below: f64,
    above: f64,
    height: f64,
) -> Result<(Shape, Pose<Space>), GenerateError> {
    // Vertices on two circles, then side faces, bottom and top.
    let ring = |radius: f64, z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (2.0 * PI * i as f64 / sides as f64).sin_cos();
            Vec3::new(radius * cos, radius * sin, z)
        })
    };
    let vertices: Vec<Vec3> = ring(below, -0.5 * height)
        .chain(ring(above, 0.5 * height))
        .collect();
    let mut faces: Vec<Vec<usize>> = (0..sides)
        .map(|i| {
            let j = (i + 1) % sides;
            vec![i, j, j + sides, i + sides]
        })
        .collect();
    faces.push((0..sides).rev().collect());
    faces.push((sides..2 * sides).collect());
    let made = ConvexPolyhedron::new(&vertices, &faces);
    let (polyhedron, pose) = made.map_err(|e| GenerateError::shape("sides", &e))?;
    Ok((Shape::Polyhedron(Arc::new(polyhedron)), pose))
}

fn check(drums: &Drums) -> Result<(), GenerateError> {
    error::length("radius", drums.radius)?;
    error::length("top", drums.top)?;
    error::length("height", drums.height)?;
    error::count("count", drums.count)?;
    error::point("origin", drums.origin)?;
    for side in drums.capital.iter().flat_map(|sides| sides.to_array()) {
        error::length("capital", side)?;
    }
    match drums.sides {
        Some(sides) if !(3..=SIDES).contains(&sides) => Err(GenerateError::new(
            "sides",
            format!("{sides} is not a number of corners between 3 and {SIDES}"),
            "Leave it out for circular cylinders",
        )),
        _ => Ok(()),
    }
}
