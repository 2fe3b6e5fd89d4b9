//! The plane as a [`SceneDim`]: shapes, rotations and velocities from specifications.

use std::sync::Arc;

use percuss_bodies::plane::{Angle, Chain, ConvexPolygon, Shape};
use percuss_bodies::{Compound, Plane, Pose, PrescribedMotion, ShapeError, Vector};
use percuss_generate as generate;
use percuss_generate::{Arch, GenerateError, GeneratedBody};

use super::context::{At, Context, at};
use super::form::{self, Form};
use super::prescribed_motion::ExpressionMotion;
use super::scene_dim::{Placed, SceneDim, Vec2, in_place};
use super::structure::SpatialStructure;
use crate::error::SceneError;
use percuss_input::tables::bodies::spec::{ShapeSpec, TurnSpec};
use percuss_input::{Formula, InputError};

impl SceneDim for Plane {
    const VARIABLES: &'static [&'static str] = &["t", "x", "y", "angle", "vx", "vy", "spin", "m"];

    fn shape(context: &mut Context<'_>, form: &Form<'_>) -> Result<Placed<Self>, SceneError> {
        let place = at(&form.part, form.shape.key(2));
        // Shapes of the plane; polygons bring the pose of their centroid.
        let made: Result<Placed<Self>, ShapeError> = match form.shape {
            ShapeSpec::Ball(radius) => {
                let radius = context.positive(place, radius)?;
                Shape::disc(radius).map(centred)
            }
            ShapeSpec::Box(sides) => {
                let sides = context.numbers(place, sides)?;
                let polygon = ConvexPolygon::rectangle(sides[0], sides[1]);
                polygon.map(|polygon| centred(Shape::Polygon(Arc::new(polygon))))
            }
            ShapeSpec::Capsule([length, radius]) => {
                let length = context.positive(place, length)?;
                Shape::capsule(length, context.positive(place, radius)?).map(centred)
            }
            ShapeSpec::Polygon(vertices) => Shape::polygon(&points(context, place, vertices)?),
            ShapeSpec::Half(normal) => {
                let n = context.direction(place, normal, "the normal")?;
                // Rotates the y axis, the half-plane's own normal, to n.
                let rotation = Angle::new((-n[0]).atan2(n[1]));
                let placement = Pose {
                    rotation,
                    ..in_place()
                };
                Ok((Shape::HalfPlane, placement))
            }
            ShapeSpec::Chain { vertices, closed } => {
                let vertices = points(context, place, vertices)?;
                let chain = Chain::new(&vertices, *closed);
                chain.map(|chain| centred(Shape::Chain(Arc::new(chain))))
            }
            ShapeSpec::Heights(spec) => {
                let (rows, size) = form::heights(context, place, spec, 2)?;
                Chain::new(&profile(&rows, &size), false)
                    .map(|chain| centred(Shape::Chain(Arc::new(chain))))
            }
            ShapeSpec::Compound(pieces) => {
                let (compound, axes) = form::compound(context, form, pieces)?;
                Ok((Shape::Compound(Arc::new(compound)), axes))
            }
            // The reader accepts only shapes of the plane.
            _ => Err(ShapeError::Degenerate("this is a shape of space".into())),
        };
        made.map_err(|error| form.wrong(context, 2, &error))
    }

    fn rotation(
        context: &mut Context<'_>,
        part: &str,
        turn: &TurnSpec,
    ) -> Result<Angle, Box<InputError>> {
        match turn {
            TurnSpec::Angle(angle) => Ok(Angle::new(context.number(at(part, "angle"), angle)?)),
            _ => Ok(Angle::default()),
        }
    }

    fn joined(compound: Compound<Self>) -> Shape {
        Shape::Compound(Arc::new(compound))
    }

    fn quaternion(_entries: &[f64]) -> Angle {
        Angle::default()
    }

    fn after(outer: &Angle, inner: &Angle) -> Angle {
        Angle::new(outer.angle() + inner.angle())
    }

    fn inertia(moments: &[f64]) -> f64 {
        moments.first().copied().unwrap_or(f64::NAN)
    }

    fn velocity(_rotation: &Angle, velocity: &[f64], spin: &[f64]) -> [f64; 3] {
        let v = Vec2::from_components(velocity);
        [v.x, v.y, spin.first().copied().unwrap_or(0.0)]
    }

    fn observe(t: f64, pose: &Pose<Self>, velocity: &[f64; 3], mass: f64, out: &mut [f64]) {
        let (p, [vx, vy, spin]) = (pose.position, *velocity);
        let angle = pose.rotation.angle();
        out.copy_from_slice(&[t, p.x, p.y, angle, vx, vy, spin, mass]);
    }

    fn arch(arch: &Arch) -> Result<Vec<GeneratedBody<Self>>, GenerateError> {
        generate::arch(arch)
    }

    fn solid(_solid: &SpatialStructure) -> Result<Vec<GeneratedBody<Self>>, GenerateError> {
        let problem = "this is a generator of space";
        Err(GenerateError::new("dimension", problem, ""))
    }

    fn prescribed_motion(given: ExpressionMotion) -> Box<dyn PrescribedMotion<Self>> {
        Box::new(given)
    }
}

fn centred(shape: Shape) -> Placed<Plane> {
    (shape, in_place())
}

fn points(
    context: &mut Context<'_>,
    place: At<'_>,
    vertices: &[Vec<Formula>],
) -> Result<Vec<Vec2>, Box<InputError>> {
    let vertices = context.points(place, vertices)?;
    Ok(vertices.iter().map(|v| Vec2::from_components(v)).collect())
}

/// The polyline of a heightfield over an interval around the origin, from left to right: solid below.
fn profile(rows: &[Vec<f64>], size: &[f64]) -> Vec<Vec2> {
    let heights = rows.iter().flatten();
    let (count, width) = (rows.iter().map(Vec::len).sum::<usize>(), size[0]);
    let x = |k: usize| width * (k as f64 / (count as f64 - 1.0) - 0.5);
    heights
        .enumerate()
        .map(|(k, y)| Vec2::new(x(k), *y))
        .collect()
}
