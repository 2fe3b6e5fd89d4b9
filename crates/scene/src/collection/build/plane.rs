//! Bodies of the plane from text.

use std::sync::Arc;

use bodies::plane::{Angle, Chain, Polygon, Shape};
use bodies::{Guide, Plane, Pose, ShapeError, Vector};

use super::super::spec::{BodySpec, ShapeSpec, TurnSpec};
use super::axes::{Axes, Placed, Vec2, in_place};
use super::body::not_a_shape;
use super::context::{Context, at};
use super::guide::Given;
use super::structure::Solid;
use crate::error::{InputError, SceneError};
use crate::file::Formula;
use crate::generate::{self, Arch, GenerateError, Piece};

impl Axes for Plane {
    const VARIABLES: &'static [&'static str] = &["t", "x", "y", "angle", "vx", "vy", "spin", "m"];

    fn shape(context: &mut Context<'_>, body: &BodySpec) -> Result<Placed<Self>, SceneError> {
        let part = body.part();
        let place = at(&part, body.shape.key(2));
        let made: Result<Placed<Self>, ShapeError> = match &body.shape {
            ShapeSpec::Ball(radius) => {
                let radius = context.positive(place, radius)?;
                Shape::disc(radius).map(centred)
            }
            ShapeSpec::Box(sides) => {
                let sides = context.numbers(place, sides)?;
                let polygon = Polygon::rectangle(sides[0], sides[1]);
                polygon.map(|polygon| centred(Shape::Polygon(Arc::new(polygon))))
            }
            ShapeSpec::Capsule([length, radius]) => {
                let length = context.positive(place, length)?;
                Shape::capsule(length, context.positive(place, radius)?).map(centred)
            }
            ShapeSpec::Polygon(vertices) => {
                let vertices = points(context, &part, body, vertices)?;
                Polygon::new(&vertices).map(|(polygon, centroid)| {
                    let rotation = Angle::default();
                    let position = centroid;
                    (
                        Shape::Polygon(Arc::new(polygon)),
                        Pose { position, rotation },
                    )
                })
            }
            ShapeSpec::Half(normal) => {
                let n = context.direction(place, normal, "the normal")?;
                // Turns the y axis, the half-plane's own normal, to n.
                let rotation = Angle::new((-n[0]).atan2(n[1]));
                let placement = Pose {
                    rotation,
                    ..in_place()
                };
                Ok((Shape::HalfPlane, placement))
            }
            ShapeSpec::Chain { vertices, closed } => {
                let vertices = points(context, &part, body, vertices)?;
                let chain = Chain::new(&vertices, *closed);
                chain.map(|chain| centred(Shape::Chain(Arc::new(chain))))
            }
            // The reader lets only shapes of the plane pass.
            _ => Err(ShapeError::Degenerate("this is a shape of space".into())),
        };
        made.map_err(|error| not_a_shape(context, body, 2, &error).into())
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

    fn after(outer: &Angle, inner: &Angle) -> Angle {
        Angle::new(outer.angle() + inner.angle())
    }

    fn inertia(moments: &[f64]) -> f64 {
        moments.first().copied().unwrap_or(f64::NAN)
    }

    fn velocity(_rotation: &Angle, velocity: &[f64], spin: &[f64]) -> [f64; 3] {
        let v = Vec2::of(velocity);
        [v.x, v.y, spin.first().copied().unwrap_or(0.0)]
    }

    fn observe(t: f64, pose: &Pose<Self>, velocity: &[f64; 3], mass: f64, out: &mut [f64]) {
        let (p, [vx, vy, spin]) = (pose.position, *velocity);
        let angle = pose.rotation.angle();
        out.copy_from_slice(&[t, p.x, p.y, angle, vx, vy, spin, mass]);
    }

    fn arch(arch: &Arch) -> Result<Vec<Piece<Self>>, GenerateError> {
        generate::arch(arch)
    }

    fn solid(_solid: &Solid) -> Result<Vec<Piece<Self>>, GenerateError> {
        let problem = "this is a generator of space";
        Err(GenerateError::new("dimension", problem, ""))
    }

    fn guide(given: Given) -> Box<dyn Guide<Self>> {
        Box::new(given)
    }
}

fn centred(shape: Shape) -> Placed<Plane> {
    (shape, in_place())
}

fn points(
    context: &mut Context<'_>,
    part: &str,
    body: &BodySpec,
    vertices: &[Vec<Formula>],
) -> Result<Vec<Vec2>, Box<InputError>> {
    let vertices = context.points(at(part, body.shape.key(2)), vertices)?;
    Ok(vertices.iter().map(|v| Vec2::of(v)).collect())
}
