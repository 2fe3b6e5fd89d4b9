//! Rasterises bodies into a depth buffer from front to back: hidden surfaces are then rejected early.

use percuss_record::frame::BodyState;
use percuss_record::{Faces, RecordedShape};

use super::super::solid::newell;
use super::RenderScene;
use super::depth_buffer::{DepthBuffer, Vector};
use super::ray_casting::{Face, Rod, intersect_sphere};
use super::screen_projection::ScreenProjection;

/// Rasterises all bodies.
pub(super) fn rasterize_bodies(
    buffer: &mut DepthBuffer,
    view: &ScreenProjection,
    cast: &RenderScene<'_>,
) {
    // Front to back.
    let mut order: Vec<(f64, u32)> = cast
        .still
        .bodies
        .iter()
        .enumerate()
        .map(|(k, place)| (view.camera.depth(place.position), k as u32))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, k) in order {
        let known = (
            cast.bodies.get(k as usize),
            cast.still.bodies.get(k as usize),
        );
        if let (Some(name), Some(place)) = known {
            rasterize_body(buffer, view, &name.shape, place, k);
        }
    }
}

/// Rasterises one body.
fn rasterize_body(
    buffer: &mut DepthBuffer,
    view: &ScreenProjection,
    outline: &RecordedShape,
    place: &BodyState,
    owner: u32,
) {
    let at = view.to_screen(place.position);
    if !at.iter().all(|x| x.is_finite()) {
        return;
    }
    match outline {
        RecordedShape::Round { radius } => {
            let r = radius * view.scale;
            around(buffer, at, [r; 3], owner, |d| intersect_sphere(d, r));
        }
        RecordedShape::Capsule {
            half_length,
            radius,
            along,
        } => {
            let rod = rod(view, place.rotate(*along), *half_length, *radius);
            around(buffer, at, rod.half_extent(), owner, |d| {
                rod.intersect_capsule(d)
            });
        }
        RecordedShape::Cylinder {
            half_length,
            radius,
        } => {
            let axis = place.rotate([0.0, 0.0, 1.0]);
            let rod = rod(view, axis, *half_length, *radius);
            around(buffer, at, rod.half_extent(), owner, |d| {
                rod.intersect_cylinder(d)
            });
        }
        RecordedShape::Polyhedron(faces) | RecordedShape::Mesh(faces) => {
            put_faces(buffer, view, place, faces, owner);
        }
        RecordedShape::Compound(parts) => {
            for part in parts {
                rasterize_body(buffer, view, &part.shape, &place.of_part(part), owner);
            }
        }
        // Planar shapes and boundaries have no surface in space; half-spaces are drawn as patches.
        RecordedShape::Polygon(_)
        | RecordedShape::Chain { .. }
        | RecordedShape::HalfPlane
        | RecordedShape::HalfSpace => {}
    }
}

fn rod(view: &ScreenProjection, axis: [f64; 3], half: f64, radius: f64) -> Rod {
    Rod {
        axis: view.direction_to_screen(axis),
        half: half * view.scale,
        radius: radius * view.scale,
    }
}

/// Rasterises a round shape about a point, with half-extent `reach`.
fn around(
    buffer: &mut DepthBuffer,
    at: Vector,
    reach: Vector,
    owner: u32,
    meet: impl Fn([f64; 2]) -> Option<(f64, Vector)>,
) {
    let corner = |sign: f64| [at[0] + sign * reach[0], at[1] + sign * reach[1]];
    let bounds = (corner(-1.0), corner(1.0));
    buffer.rasterize(bounds, at[2] + reach[2], owner, |x, y| {
        let (t, normal) = meet([x - at[0], y - at[1]])?;
        Some((at[2] + t, normal))
    });
}

fn put_faces(
    buffer: &mut DepthBuffer,
    view: &ScreenProjection,
    place: &BodyState,
    faces: &Faces,
    owner: u32,
) {
    for face in &faces.faces {
        let corners = face.iter().filter_map(|k| {
            let known = faces.vertices.get(*k as usize)?;
            Some(place.to_space(*known))
        });
        let corners: Vec<[f64; 3]> = corners.collect();
        rasterize_face(buffer, view, &corners, owner);
    }
}

/// Rasterises a convex face if it is front-facing.
pub(super) fn rasterize_face(
    buffer: &mut DepthBuffer,
    view: &ScreenProjection,
    corners: &[[f64; 3]],
    owner: u32,
) {
    let normal = view.direction_to_screen(newell(corners));
    let seen = corners.iter().map(|c| view.to_screen(*c)).collect();
    if let Some(face) = Face::of(seen, normal) {
        let (bounds, most) = face.bounds();
        buffer.rasterize(bounds, most, owner, |x, y| face.intersect(x, y));
    }
}
