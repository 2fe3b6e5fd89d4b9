//! Grain shapes: discs or spheres, or irregular convex bodies.

use percuss_bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::GenerateError;
use super::random::SplitMix64;
use crate::generator_dim::GeneratorDim;

/// Most vertices of an irregular grain.
const CORNERS: usize = 100;

/// The shape of generated grains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrainShape {
    /// Discs or spheres.
    #[default]
    Round,
    /// Irregular convex polygons or polyhedra inscribed in the circle or sphere of the grain's radius.
    Angular {
        /// Fewest and most vertices; all numbers between them are equally likely.
        corners: [usize; 2],
    },
}

impl GrainShape {
    /// Checks the number of vertices.
    pub fn check<D: GeneratorDim>(self) -> Result<(), GenerateError> {
        let Self::Angular { corners: [a, b] } = self else {
            return Ok(());
        };
        let fewest = D::CORNERS;
        if fewest <= a && a <= b && b <= CORNERS {
            return Ok(());
        }
        Err(GenerateError::new(
            "corners",
            format!(
                "[{a}, {b}] are not two numbers between {fewest} and {CORNERS} in ascending order"
            ),
            "They are the fewest and the most corners of a grain",
        ))
    }

    /// Makes a grain about the origin; `place` moves it.
    pub fn make<D: GeneratorDim>(
        self,
        radius: f64,
        random: &mut SplitMix64,
    ) -> Result<GeneratedBody<D>, GenerateError> {
        let made = match self {
            Self::Round => D::round(radius).map(|shape| {
                let pose = Pose {
                    position: D::Vector::splat(0.0),
                    rotation: D::Rotation::default(),
                };
                (shape, pose)
            }),
            Self::Angular { corners: [a, b] } => {
                // A uniform integer from a to b.
                let choices = (b - a + 1) as f64;
                let corners = a + ((random.uniform() * choices) as usize).min(b - a);
                D::irregular(radius, corners, &mut || random.uniform())
            }
        };
        let (shape, pose) = made.map_err(|e| GenerateError::shape("radius", &e))?;
        Ok(GeneratedBody { shape, pose })
    }
}

/// Moves a grain made about the origin, so that its circle or sphere has this centre.
pub fn place<D: GeneratorDim>(mut piece: GeneratedBody<D>, centre: D::Vector) -> GeneratedBody<D> {
    piece.pose.position = centre + piece.pose.position;
    piece
}
