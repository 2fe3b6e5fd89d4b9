//! Points of a union, each once.
//!
//! Parts that share a face find the points on their seam twice: these are made one. And a seam inside a
//! flat face has points of contact that the face has not: corners of parts that are none of the whole, and
//! the places where edges of the other body cross the seam. Such a point lies inside a straight segment
//! of both surfaces,
//!
//! ```text
//! p ± τu ∈ A and p ± τu ∈ B for a direction u,
//! ```
//!
//! along which the gap is linear: the ends of the segment, which are found as well, can carry all forces
//! and moments that it could, and it is left out.

use super::spot::{PARALLEL, SurfacePoint};
use super::surface::SAME;
use super::touch::UnionPoints;
use crate::dim::Dim;
use crate::pose::{Pose, ContactPoint};
use crate::vector::Vector;

/// How far a segment must go on to both sides, relative to the size of the compound: corners of angles
/// above 10⁻⁶ are told from straight lines by it, and overlaps of bodies are far smaller.
const STRAIGHT: f64 = 1e-3;

/// Merges the touches of two bodies that were gathered; those that are none of the union go.
pub(super) fn merge<D: Dim>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    out: &mut Vec<ContactPoint<D>>,
    gather: &UnionPoints,
) {
    let (from, mid) = (gather.from, gather.mid);
    let sizes = [a.0, b.0].map(|shape| D::compound(shape).map_or(0.0, |c| c.bounding_radius()));
    let near = SAME * sizes[0].max(sizes[1]);
    let (union, rest) = out.split_at_mut(mid);
    for touch in &mut union[from..] {
        let same = rest.iter().filter(|other| alike(touch, other, near));
        touch.feature = same.map(|t| t.feature).fold(touch.feature, u32::min);
    }
    out.truncate(mid);
    for touch in &mut out[from..] {
        align_normal_to_face(a, b, touch);
    }
    merge_duplicates(out, from, near);
    remove_seam_points(a, b, out, from);
    make_features_unique(out, from);
}

/// Gives a corner or an edge of one body on a face of the other the normal of that face. Each pair of parts takes the
/// normal of one of the two for all its points, and neighbouring pairs may choose differently: a corner
/// would then be led along the face of its own body, and drift off the other one.
fn align_normal_to_face<D: Dim>(a: (&D::Shape, &Pose<D>), b: (&D::Shape, &Pose<D>), touch: &mut ContactPoint<D>) {
    // The normals of boundaries are those of their faces already.
    if D::boundary_only(a.0) || D::boundary_only(b.0) {
        return;
    }
    let spots = [
        SurfacePoint::<D>::new(a, touch.point_a),
        SurfacePoint::<D>::new(b, touch.point_b),
    ];
    let step = step(&spots);
    let faces = [
        spots[0].face(touch.normal, step),
        spots[1].face(-touch.normal, step),
    ];
    let across = touch.point_b - touch.point_a;
    match faces {
        [Some(m), None] => {
            touch.normal = m;
            touch.gap = across.dot(m);
            touch.point_a = touch.point_b - m * touch.gap;
        }
        [None, Some(m)] => {
            touch.normal = -m;
            touch.gap = -across.dot(m);
            touch.point_b = touch.point_a - m * touch.gap;
        }
        _ => {}
    }
}

/// How far surfaces are looked at.
fn step<D: Dim>([one, two]: &[SurfacePoint<'_, D>; 2]) -> f64 {
    let finite = [one.size, two.size].into_iter().filter(|s| s.is_finite());
    STRAIGHT * finite.fold(f64::INFINITY, f64::min)
}

/// Whether two touches are in the same place with the same normal.
fn alike<D: Dim>(one: &ContactPoint<D>, two: &ContactPoint<D>, near: f64) -> bool {
    (one.point_a - two.point_a).norm() <= near && parallel::<D>(one.normal, two.normal)
}

/// Makes points in the same place with the same normal one: the deeper, with the smaller number.
fn merge_duplicates<D: Dim>(out: &mut Vec<ContactPoint<D>>, from: usize, near: f64) {
    let mut kept = from;
    for at in from..out.len() {
        let touch = out[at];
        let same = out[from..kept]
            .iter_mut()
            .find(|known| alike(known, &touch, near));
        match same {
            None => {
                out[kept] = touch;
                kept += 1;
            }
            Some(known) => {
                let feature = known.feature.min(touch.feature);
                if touch.gap < known.gap {
                    *known = touch;
                }
                known.feature = feature;
            }
        }
    }
    out.truncate(kept);
}

fn parallel<D: Dim>(n: D::Vector, m: D::Vector) -> bool {
    n.dot(m) > 1.0 - PARALLEL
}

/// Leaves out the points on seams that lie inside a straight segment of both surfaces.
fn remove_seam_points<D: Dim>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    out: &mut Vec<ContactPoint<D>>,
    from: usize,
) {
    let mut kept = from;
    for at in from..out.len() {
        let touch = out[at];
        let spots = [
            SurfacePoint::<D>::new(a, touch.point_a),
            SurfacePoint::<D>::new(b, touch.point_b),
        ];
        let seam = spots.iter().any(SurfacePoint::on_seam);
        if !(seam && inside(&spots, touch.normal)) {
            out[kept] = touch;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Whether a point lies inside a straight segment of both surfaces.
fn inside<D: Dim>(spots: &[SurfacePoint<'_, D>; 2], normal: D::Vector) -> bool {
    let (step, [one, two]) = (step(spots), spots);
    let mut found = false;
    for (own, other) in [(one, two), (two, one)] {
        own.lines(&mut |u| {
            // Lines that lead away from the other body are no part of the contact.
            let level = u.dot(normal).abs() < 0.5;
            found = found || level && own.straight(u, step) && other.follows(u, normal, step);
        });
    }
    found
}

/// Gives every touch a number of its own.
fn make_features_unique<D: Dim>(out: &mut [ContactPoint<D>], from: usize) {
    for at in from + 1..out.len() {
        while out[from..at].iter().any(|t| t.feature == out[at].feature) {
            out[at].feature = out[at].feature.wrapping_add(1);
        }
    }
}
