//! What a grain looks like: round, or irregular with corners.

use bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::GenerateError;
use super::mould::GeneratorDim;
use crate::study::random::SplitMix64;

/// Most corners of an irregular grain.
const CORNERS: usize = 100;

/// What the grains of a group look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrainShape {
    /// Discs or spheres.
    #[default]
    Round,
    /// Irregular convex polygons or polyhedra whose corners are on the circle or sphere of the
    /// grain's radius: the radius of a grain is that of the circle or sphere around it.
    Angular {
        /// Fewest and most corners; all numbers between them are equally likely.
        corners: [usize; 2],
    },
}

impl GrainShape {
    /// Checks the number of corners.
    pub(crate) fn check<D: GeneratorDim>(self) -> Result<(), GenerateError> {
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

    /// A grain about the origin; `place` moves it.
    pub(crate) fn make<D: GeneratorDim>(
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
                let choices = (b - a + 1) as f64;
                let corners = a + ((random.uniform() * choices) as usize).min(b - a);
                D::irregular(radius, corners, &mut || random.uniform())
            }
        };
        let (shape, pose) = made.map_err(|e| GenerateError::shape("radius", &e))?;
        Ok(GeneratedBody { shape, pose })
    }
}

/// Moves a grain that was made about the origin to where its circle or sphere has its centre.
pub(crate) fn place<D: GeneratorDim>(
    mut piece: GeneratedBody<D>,
    centre: D::Vector,
) -> GeneratedBody<D> {
    piece.pose.position = centre + piece.pose.position;
    piece
}
