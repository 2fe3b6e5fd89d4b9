//! Space as a [`SceneDim`]: shapes, rotations and velocities from specifications.

use std::sync::Arc;

use percuss_bodies::space::{ConvexPolyhedron, Mesh, Shape};
use percuss_bodies::{Compound, Pose, PrescribedMotion, ShapeError, Space, Vector};
use percuss_generate::{Arch, GenerateError, GeneratedBody};

use super::context::{At, Context, at};
use super::form::{self, Form};
use super::prescribed_motion::ExpressionMotion;
use super::scene_dim::{Placed, Quat, SceneDim, Vec3, in_place};
use super::structure::SpatialStructure;
use crate::error::SceneError;
use percuss_input::tables::bodies::spec::{ShapeSpec, TurnSpec};
use percuss_input::{Formula, InputError};

impl SceneDim for Space {
    const VARIABLES: &'static [&'static str] = &[
        "t", "x", "y", "z", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z", "m",
    ];

    fn shape(context: &mut Context<'_>, form: &Form<'_>) -> Result<Placed<Self>, SceneError> {
        let place = at(&form.part, form.shape.key(3));
        // Primitive shapes; those from surfaces are made by `surface`.
        let made: Result<Placed<Self>, ShapeError> = match form.shape {
            ShapeSpec::Ball(radius) => {
                let radius = context.positive(place, radius)?;
                Shape::sphere(radius).map(centred)
            }
            ShapeSpec::Box(sides) => {
                let sides = Vec3::from_components(&context.numbers(place, sides)?);
                let cuboid = ConvexPolyhedron::cuboid(sides);
                cuboid.map(|cuboid| centred(Shape::Polyhedron(Arc::new(cuboid))))
            }
            ShapeSpec::Capsule([length, radius]) => {
                let length = context.positive(place, length)?;
                Shape::capsule(length, context.positive(place, radius)?).map(centred)
            }
            ShapeSpec::Cylinder([length, radius]) => {
                let length = context.positive(place, length)?;
                Shape::cylinder(length, context.positive(place, radius)?).map(centred)
            }
            ShapeSpec::Half(normal) => {
                let n = Vec3::from_components(&context.direction(place, normal, "the normal")?);
                let rotation = Quat::from_rotation_arc(Vec3::Z, n);
                let placement = Pose {
                    rotation,
                    ..in_place()
                };
                Ok((Shape::HalfSpace, placement))
            }
            ShapeSpec::Hull(vertices) => {
                ConvexPolyhedron::hull(&points(context, place, vertices)?).map(solid)
            }
            ShapeSpec::Polyhedron { vertices, faces } => {
                ConvexPolyhedron::new(&points(context, place, vertices)?, faces).map(solid)
            }
            ShapeSpec::Compound(pieces) => {
                let (compound, axes) = form::compound(context, form, pieces)?;
                Ok((Shape::Compound(Arc::new(compound)), axes))
            }
            _ => return surface(context, form, place),
        };
        made.map_err(|error| form.wrong(context, 3, &error))
    }

    fn rotation(
        context: &mut Context<'_>,
        part: &str,
        turn: &TurnSpec,
    ) -> Result<Quat, Box<InputError>> {
        match turn {
            TurnSpec::About { axis, angle } => {
                let axis = context.direction(at(part, "rotation.axis"), axis, "the axis")?;
                let angle = context.number(at(part, "rotation.angle"), angle)?;
                Ok(Quat::from_axis_angle(Vec3::from_components(&axis), angle))
            }
            TurnSpec::Quaternion(entries) => {
                let place = at(part, "orientation");
                let q = context.direction(place, entries, "the quaternion")?;
                Ok(Self::quaternion(&q))
            }
            _ => Ok(Quat::IDENTITY),
        }
    }

    fn joined(compound: Compound<Self>) -> Shape {
        Shape::Compound(Arc::new(compound))
    }

    fn quaternion(entries: &[f64]) -> Quat {
        match entries {
            [w, x, y, z] => Quat::from_xyzw(*x, *y, *z, *w),
            _ => Quat::IDENTITY,
        }
    }

    fn after(outer: &Quat, inner: &Quat) -> Quat {
        (*outer * *inner).normalize()
    }

    fn inertia(moments: &[f64]) -> Vec3 {
        Vec3::from_components(moments)
    }

    fn velocity(rotation: &Quat, velocity: &[f64], spin: &[f64]) -> [f64; 6] {
        // The spin is given in world axes and stored in body axes.
        let (v, w) = (
            Vec3::from_components(velocity),
            rotation.conjugate() * Vec3::from_components(spin),
        );
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    fn observe(t: f64, pose: &Pose<Self>, velocity: &[f64; 6], mass: f64, out: &mut [f64]) {
        let (p, [vx, vy, vz, a, b, c]) = (pose.position, *velocity);
        // Expressions of loads see the spin in world axes.
        let spin = pose.rotation * Vec3::new(a, b, c);
        out.copy_from_slice(&[t, p.x, p.y, p.z, vx, vy, vz, spin.x, spin.y, spin.z, mass]);
    }

    fn arch(_arch: &Arch) -> Result<Vec<GeneratedBody<Self>>, GenerateError> {
        let problem = "an arch is a generator of the plane";
        Err(GenerateError::new("arch", problem, ""))
    }

    fn solid(solid: &SpatialStructure) -> Result<Vec<GeneratedBody<Self>>, GenerateError> {
        solid.make()
    }

    fn prescribed_motion(given: ExpressionMotion) -> Box<dyn PrescribedMotion<Self>> {
        Box::new(given)
    }
}

fn centred(shape: Shape) -> Placed<Space> {
    (shape, in_place())
}

fn solid((polyhedron, placement): (ConvexPolyhedron, Pose<Space>)) -> Placed<Space> {
    (Shape::Polyhedron(Arc::new(polyhedron)), placement)
}

/// Shapes given by triangle surfaces.
fn surface(
    context: &mut Context<'_>,
    form: &Form<'_>,
    place: At<'_>,
) -> Result<Placed<Space>, SceneError> {
    match form.shape {
        ShapeSpec::PolyhedronFile { file, scale } => {
            let surface = form::surface(context, place, file, scale.as_ref())?;
            convex(&surface)
                .map(solid)
                .map_err(|error| form::of_file(context, place, file, &error.into()))
        }
        ShapeSpec::Mesh(spec) => {
            let fine = (spec.scale.as_ref(), spec.merge.as_ref());
            let (vertices, triangles) = form::welded(context, place, &spec.file, fine)?;
            Mesh::new(&vertices, &triangles)
                .map(|mesh| centred(Shape::Mesh(Arc::new(mesh))))
                .map_err(|error| form::of_file(context, place, &spec.file, &error.into()))
        }
        ShapeSpec::Solid(spec) => {
            let solid = form::solid(context, place, spec)?;
            Ok((solid.shape, solid.axes))
        }
        ShapeSpec::Heights(spec) => {
            let (rows, size) = form::heights(context, place, spec, 3)?;
            form::ground(&rows, &size)
                .map(|mesh| centred(Shape::Mesh(Arc::new(mesh))))
                .map_err(|error| form.wrong(context, 3, &error))
        }
        // The reader accepts only shapes of space.
        _ => {
            let error = ShapeError::Degenerate("this is a shape of the plane".into());
            Err(form.wrong(context, 3, &error))
        }
    }
}

fn points(
    context: &mut Context<'_>,
    place: At<'_>,
    vertices: &[Vec<Formula>],
) -> Result<Vec<Vec3>, Box<InputError>> {
    let vertices = context.points(place, vertices)?;
    Ok(vertices.iter().map(|v| Vec3::from_components(v)).collect())
}

/// A closed convex surface as a polyhedron: its convexity is checked, then coplanar triangles are merged
/// into one face.
fn convex(
    (vertices, triangles): &form::Surface,
) -> Result<(ConvexPolyhedron, Pose<Space>), ShapeError> {
    // Checks closedness and convexity, then takes the hull for merged faces.
    let corners = |t: &[u32; 3]| t.iter().map(|i| *i as usize).collect();
    let faces: Vec<Vec<usize>> = triangles.iter().map(corners).collect();
    ConvexPolyhedron::new(vertices, &faces)?;
    let used: Vec<Vec3> = triangles
        .iter()
        .flatten()
        .filter_map(|i| vertices.get(*i as usize).copied())
        .collect();
    ConvexPolyhedron::hull(&used)
}
