//! Contact points of a union from those of its parts: duplicates and redundant points on seams are removed.
//!
//! Parts that share a face find each contact point on their seam twice; the two are merged into one. A seam inside a
//! flat face also gives points that the face itself has not: vertices of parts that are no vertices of the union,
//! and the points where edges of the other body cross the seam. Such a point lies inside a straight segment of both
//! surfaces,
//!
//! ```text
//! p ± τu ∈ A and p ± τu ∈ B for a direction u,
//! ```
//!
//! along which the gap is linear: impulses at the ends of the segment, which are contact points as well, can
//! balance every force and moment that an impulse at p could, and p is removed.

use super::contact_points::UnionPoints;
use super::surface::SAME;
use super::surface_point::{PARALLEL, SurfacePoint};
use crate::dim::{ContactPoint, Pose};
use crate::shape::Geometry;
use crate::vector::Vector;

/// Half length of the segment that is tested for straightness, relative to the size of the compound: it
/// distinguishes corners of angles above 10⁻⁶ from straight lines, and overlaps of bodies are far smaller.
const STRAIGHT: f64 = 1e-3;

/// Reduces the gathered contact points of two bodies to those of the union, each once.
pub(super) fn merge<D: Geometry>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    out: &mut Vec<ContactPoint<D>>,
    gather: &UnionPoints,
) {
    let (from, mid) = (gather.from, gather.mid);
    let sizes = [a.0, b.0].map(|shape| D::compound(shape).map_or(0.0, |c| c.bounding_radius()));
    let near = SAME * sizes[0].max(sizes[1]);
    // A rejected duplicate still decides the feature: the smaller of the two, so that the number does not
    // change when one of the parts begins or ceases to be accepted.
    let (union, rest) = out.split_at_mut(mid);
    for touch in &mut union[from..] {
        let same = rest.iter().filter(|other| alike(touch, other, near));
        touch.feature = same.map(|t| t.feature).fold(touch.feature, u32::min);
    }
    out.truncate(mid);
    // One normal per face, then duplicates, then redundant points, then features without collisions.
    for touch in &mut out[from..] {
        align_normal_to_face(a, b, touch);
    }
    merge_duplicates(out, from, near);
    remove_seam_points(a, b, out, from);
    make_features_unique(out, from);
}

/// Gives a vertex or an edge of one body on a face of the other the normal of that face. The narrow phase of a pair
/// of parts takes its normal from one of the two for all its points, and neighbouring pairs may choose differently:
/// a vertex would then slide along the face of its own body and drift off the other one.
fn align_normal_to_face<D: Geometry>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    touch: &mut ContactPoint<D>,
) {
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
    // Exactly one of the points lies inside a face: its normal, and the other point's projection onto it.
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

/// Distance to which the two surfaces are examined: [`STRAIGHT`] times the smaller finite size.
fn step<D: Geometry>([one, two]: &[SurfacePoint<'_, D>; 2]) -> f64 {
    let finite = [one.size, two.size].into_iter().filter(|s| s.is_finite());
    STRAIGHT * finite.fold(f64::INFINITY, f64::min)
}

/// Whether two contact points coincide and have the same normal.
fn alike<D: Geometry>(one: &ContactPoint<D>, two: &ContactPoint<D>, near: f64) -> bool {
    (one.point_a - two.point_a).norm() <= near && parallel::<D>(one.normal, two.normal)
}

/// Merges points in the same place with the same normal into one: the deeper gap, the smaller feature.
fn merge_duplicates<D: Geometry>(out: &mut Vec<ContactPoint<D>>, from: usize, near: f64) {
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

fn parallel<D: Geometry>(n: D::Vector, m: D::Vector) -> bool {
    n.dot(m) > 1.0 - PARALLEL
}

/// Removes the points on seams that lie inside a straight segment of both surfaces.
fn remove_seam_points<D: Geometry>(
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

/// Whether a contact point lies inside a straight segment of both surfaces.
fn inside<D: Geometry>(spots: &[SurfacePoint<'_, D>; 2], normal: D::Vector) -> bool {
    let (step, [one, two]) = (step(spots), spots);
    let mut found = false;
    for (own, other) in [(one, two), (two, one)] {
        own.lines(&mut |u| {
            // Lines that lead away from the other body do not belong to the contact.
            let level = u.dot(normal).abs() < 0.5;
            found = found || level && own.straight(u, step) && other.follows(u, normal, step);
        });
    }
    found
}

/// Makes the features of a pair unique: on a collision of hashes the later point takes the next free number.
fn make_features_unique<D: Geometry>(out: &mut [ContactPoint<D>], from: usize) {
    for at in from + 1..out.len() {
        while out[from..at].iter().any(|t| t.feature == out[at].feature) {
            out[at].feature = out[at].feature.wrapping_add(1);
        }
    }
}
