//! Circular arch of equal voussoirs.
//!
//! ```text
//! joint k:  angle from the vertical  α_k = (2k − n)·span/(2n),   k = 0 … n
//! ```
//!
//! Joints are radial and go through the centre of the arch; the inner and outer sides of a voussoir are
//! chords of the circles r ∓ thickness/2: one each, which makes it a trapezium, or several, with which
//! it comes close to an annular sector. Neighbours share the two corners of their joint, to rounding.

use std::f64::consts::PI;

use percuss_bodies::geometry::Dim;
use percuss_bodies::plane::{Angle, Shape};
use percuss_bodies::{Plane, Pose};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use crate::generator_dim::Vec2;

/// Parameters of an arch.
#[derive(Debug, Clone, PartialEq)]
pub struct Arch {
    /// Radius of the middle line.
    pub radius: f64,
    /// Difference of the outer and the inner radius.
    pub thickness: f64,
    /// Number of voussoirs.
    pub voussoirs: usize,
    /// Angle of the arch, symmetric about the vertical: π is a half circle, 2π a ring.
    pub span: f64,
    /// Number of chords on each side of a voussoir, at most [`MOST_FACETS`].
    pub facets: usize,
    /// Centre of the circles.
    pub origin: Vec2,
}

/// With more chords the sides are round to about 1e-5 of their size.
pub const MOST_FACETS: usize = 64;

/// Makes an arch, voussoirs from the left springing to the right one. All share one shape; the angle of a
/// voussoir is that of its own axis against the vertical.
///
/// # Errors
/// A length, an angle or a number out of range.
pub fn arch(arch: &Arch) -> Result<Vec<GeneratedBody<Plane>>, GenerateError> {
    check(arch)?;
    let n = arch.voussoirs as f64;
    // One voussoir upright above the origin; its sides are exact mirror images.
    let inner = arch.radius - arch.thickness / 2.0;
    let outer = arch.radius + arch.thickness / 2.0;
    let m = arch.facets as f64;
    let point = |radius: f64, k: usize| {
        let (sin, cos) = ((2.0 * k as f64 - m) * arch.span / (2.0 * n * m)).sin_cos();
        Vec2::new(radius * sin, radius * cos)
    };
    let below = (0..=arch.facets).map(|k| point(inner, k));
    let above = (0..=arch.facets).rev().map(|k| point(outer, k));
    let vertices: Vec<Vec2> = below.chain(above).collect();
    let (shape, own) =
        Shape::polygon(&vertices).map_err(|e| GenerateError::shape("thickness", &e))?;
    Ok((0..arch.voussoirs)
        .map(|k| {
            // Angles are anticlockwise: positive at the left springing, negative at the right one.
            let turn = (n - 1.0 - 2.0 * k as f64) * arch.span / (2.0 * n);
            let place = Pose {
                position: arch.origin,
                rotation: Angle::new(turn),
            };
            GeneratedBody {
                shape: shape.clone(),
                pose: Plane::compose(&place, &own),
            }
        })
        .collect())
}

fn check(arch: &Arch) -> Result<(), GenerateError> {
    error::length("radius", arch.radius)?;
    error::length("thickness", arch.thickness)?;
    error::point("origin", arch.origin)?;
    error::count("voussoirs", arch.voussoirs)?;
    error::count("facets", arch.facets)?;
    if arch.facets > MOST_FACETS {
        return Err(GenerateError::new(
            "facets",
            format!("{} chords on a side are too many", arch.facets),
            format!("Use {MOST_FACETS} or fewer"),
        ));
    }
    if arch.thickness >= 2.0 * arch.radius {
        return Err(GenerateError::new(
            "thickness",
            format!(
                "{} is not less than twice the radius {}",
                arch.thickness, arch.radius
            ),
            "`radius` is that of the middle line",
        ));
    }
    if !(arch.span > 0.0 && arch.span <= 2.0 * PI * (1.0 + f64::EPSILON)) {
        return Err(GenerateError::new(
            "span",
            format!("{} is not an angle between 0 and 2 pi", arch.span),
            "It is in radians: pi makes a half circle",
        ));
    }
    // A voussoir over half a circle has no chord on the inner side; up to 0.9 of that it is a body.
    let fewest = (arch.span / (0.9 * PI)).ceil();
    if (arch.voussoirs as f64) < fewest {
        return Err(GenerateError::new(
            "voussoirs",
            format!("{} cannot span an angle of {}", arch.voussoirs, arch.span),
            format!("Use {fewest} or more"),
        ));
    }
    Ok(())
}
