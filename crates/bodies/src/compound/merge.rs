//! Points of a union, each once.
//!
//! Parts that share a face find the points on their seam twice; and a seam inside a flat face has points
//! of contact that the face has not. The first are made one. The second lie on a segment between two
//! others with the same normal, and the gap along it is linear: with them or without them the same
//! forces and moments can act, so they are left out.

use super::surface::SAME;
use crate::dim::Dim;
use crate::pose::{Pose, Touch};
use crate::vector::Vector;

/// 1 − cosine up to which normals are the same one.
const PARALLEL: f64 = 1e-12;

/// With more points than this the cubic search for points between others would take longer than the
/// solver saves.
const MANY: usize = 64;

/// Merges the touches of two bodies appended since `from`.
pub(super) fn merge<D: Dim>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    out: &mut Vec<Touch<D>>,
    from: usize,
) {
    if out.len() < from + 2 {
        return;
    }
    let sizes = [a.0, b.0].map(|shape| D::compound(shape).map_or(0.0, |c| c.radius()));
    let near = SAME * sizes[0].max(sizes[1]);
    unite(out, from, near);
    if out.len() - from > 2 && (D::N == 2 || out.len() - from <= MANY) {
        thin(a, b, out, from, near);
    }
    set_apart(out, from);
}

/// Makes points in the same place with the same normal one: the deeper, with the smaller number.
fn unite<D: Dim>(out: &mut Vec<Touch<D>>, from: usize, near: f64) {
    let mut kept = from;
    for at in from..out.len() {
        let touch = out[at];
        let same = out[from..kept].iter_mut().find(|known| {
            let apart = (known.point_a - touch.point_a).norm();
            apart <= near && parallel::<D>(known.normal, touch.normal)
        });
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

/// Leaves out the points on seams that lie between two others. What is left has the same hull: no
/// extreme point lies between others, so all can be judged by the points as they were.
fn thin<D: Dim>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    out: &mut Vec<Touch<D>>,
    from: usize,
    near: f64,
) {
    let (mut start, end) = (from, out.len());
    // Points to leave out go to the front, one after the other, so that all stay there to be judged by.
    for at in from..end {
        let touch = out[at];
        let seam = on_seam::<D>(a, touch.point_a) || on_seam::<D>(b, touch.point_b);
        if seam && between(&out[from..end], at - from, near) {
            out.swap(start, at);
            start += 1;
        }
    }
    out.drain(from..start);
}

/// Whether a point is one of several parts of a compound.
fn on_seam<D: Dim>((shape, pose): (&D::Shape, &Pose<D>), point: D::Vector) -> bool {
    D::compound(shape).is_some_and(|compound| {
        let p = D::rotate_back(&pose.rotation, point - pose.position);
        compound.holding(p).nth(1).is_some()
    })
}

/// Whether point `at` lies between two others that have its normal, its gap being between theirs.
fn between<D: Dim>(all: &[Touch<D>], at: usize, near: f64) -> bool {
    let own = &all[at];
    let alike = |t: &&Touch<D>| {
        parallel::<D>(t.normal, own.normal) && (t.point_a - own.point_a).norm() > near
    };
    all.iter().filter(alike).any(|one| {
        let to = one.point_a - own.point_a;
        let length = to.norm();
        let along = to * (1.0 / length);
        all.iter().filter(alike).any(|two| {
            let back = two.point_a - own.point_a;
            let share = -back.dot(along);
            if !(share > near) {
                return false;
            }
            let aside = (back + along * share).norm();
            let gap = (one.gap * share + two.gap * length) / (share + length);
            aside <= near && (gap - own.gap).abs() <= near
        })
    })
}

/// Gives every touch a number of its own.
fn set_apart<D: Dim>(out: &mut [Touch<D>], from: usize) {
    for at in from + 1..out.len() {
        while out[from..at].iter().any(|t| t.feature == out[at].feature) {
            out[at].feature = out[at].feature.wrapping_add(1);
        }
    }
}
