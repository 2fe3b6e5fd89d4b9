//! Bodies into a buffer, the nearest first: what lies behind is then refused early.

use super::super::solid::newell;
use super::super::still::Place;
use super::Cast;
use super::buffer::{Buffer, Vector};
use super::trace::{Face, Rod, ball};
use super::view::View;
use crate::record::{Faces, Outline};

/// Puts all bodies of a cast into a buffer.
pub(super) fn put_all(buffer: &mut Buffer, view: &View, cast: &Cast<'_>) {
    let mut order: Vec<(f64, u32)> = cast
        .still
        .places
        .iter()
        .enumerate()
        .map(|(k, place)| (view.camera.depth(place.position), k as u32))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, k) in order {
        let known = (
            cast.bodies.get(k as usize),
            cast.still.places.get(k as usize),
        );
        if let (Some(name), Some(place)) = known {
            put(buffer, view, &name.outline, place, k);
        }
    }
}

/// Puts a body into a buffer.
fn put(buffer: &mut Buffer, view: &View, outline: &Outline, place: &Place, owner: u32) {
    let at = view.point(place.position);
    if !at.iter().all(|x| x.is_finite()) {
        return;
    }
    match outline {
        Outline::Round { radius } => {
            let r = radius * view.scale;
            around(buffer, at, [r; 3], owner, |d| ball(d, r));
        }
        Outline::Capsule {
            half_length,
            radius,
            along,
        } => {
            let rod = rod(view, place.turn(*along), *half_length, *radius);
            around(buffer, at, rod.reach(), owner, |d| rod.capsule(d));
        }
        Outline::Cylinder {
            half_length,
            radius,
        } => {
            let axis = place.turn([0.0, 0.0, 1.0]);
            let rod = rod(view, axis, *half_length, *radius);
            around(buffer, at, rod.reach(), owner, |d| rod.cylinder(d));
        }
        Outline::Polyhedron(faces) | Outline::Mesh(faces) => {
            put_faces(buffer, view, place, faces, owner);
        }
        Outline::Compound(parts) => {
            for part in parts {
                put(buffer, view, &part.outline, &place.of(part), owner);
            }
        }
        Outline::Polygon(_) | Outline::Chain { .. } | Outline::HalfPlane | Outline::HalfSpace => {}
    }
}

fn rod(view: &View, axis: [f64; 3], half: f64, radius: f64) -> Rod {
    Rod {
        axis: view.direction(axis),
        half: half * view.scale,
        radius: radius * view.scale,
    }
}

/// Puts a round thing around a point that reaches as far as `reach`.
fn around(
    buffer: &mut Buffer,
    at: Vector,
    reach: Vector,
    owner: u32,
    meet: impl Fn([f64; 2]) -> Option<(f64, Vector)>,
) {
    let corner = |sign: f64| [at[0] + sign * reach[0], at[1] + sign * reach[1]];
    let bounds = (corner(-1.0), corner(1.0));
    buffer.cover(bounds, at[2] + reach[2], owner, |x, y| {
        let (t, normal) = meet([x - at[0], y - at[1]])?;
        Some((at[2] + t, normal))
    });
}

fn put_faces(buffer: &mut Buffer, view: &View, place: &Place, faces: &Faces, owner: u32) {
    for face in &faces.faces {
        let corners = face.iter().filter_map(|k| {
            let known = faces.vertices.get(*k as usize)?;
            Some(place.point(*known))
        });
        let corners: Vec<[f64; 3]> = corners.collect();
        put_face(buffer, view, &corners, owner);
    }
}

/// Puts a convex face into a buffer, if it is seen from outside.
pub(super) fn put_face(buffer: &mut Buffer, view: &View, corners: &[[f64; 3]], owner: u32) {
    let normal = view.direction(newell(corners));
    let seen = corners.iter().map(|c| view.point(*c)).collect();
    if let Some(face) = Face::of(seen, normal) {
        let (bounds, most) = face.bounds();
        buffer.cover(bounds, most, owner, |x, y| face.meet(x, y));
    }
}
