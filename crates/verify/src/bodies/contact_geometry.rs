//! Contact geometry of a step: contact points on the surfaces of both bodies, normals, contact frames.
//!
//! ```text
//! point ∓ ½ gap n on the surfaces of a and b,    |n| = 1,
//! min gap of a pair along n = −σ_a(n) − σ_b(−n)   n supports both, at their deepest point, or
//! σ(±n) = ±n·x for all its points                 n is the normal of a face of one of them
//! ```

use percuss_record::RecordedShape;

use super::super::report::{Location, Report};
use super::super::vector::{V3, add, add_scaled, dot, norm, rotate_back, scale, sub};
use super::contacts::worse;
use super::face_normals::face_normal_defect;
use super::parallel_edges::parallel_edge_defect;
use super::read::RecordedContactRow;
use super::scene_data::{EmbedInSpace, SpatialPose, clearance_of};
use super::{BodiesVerifier, shape};

/// Distance of contact points from the surfaces, relative to the bodies: a corner no farther than 1e-7 of the smaller
/// body outside the face that it lies on counts as inside, so that flush faces keep their points; and the nearest
/// points of two parallel edges need not be opposite.
const SURFACE: f64 = 1e-6;

/// Normals, as lengths relative to the bodies: where the deepest corner of tilted faces reaches beyond the other
/// body, the gap of the shapes along the normal is not that of a point.
const NORMAL: f64 = 1e-5;

pub(super) fn declare_checks(report: &mut Report) {
    let gap = "points of contact on the surfaces of both bodies; relative to their sizes";
    report.declare("gap", gap, SURFACE);
    let frame = "normals and tangents of unit length, at right angles";
    report.declare("frame", frame, 1e-12);
    let normal =
        "smallest gap of a pair along a normal = that of the shapes; relative to the sizes";
    report.declare("normal", normal, NORMAL);
    let pairs = "pairs that overlap by a millionth of their size without a contact";
    report.declare("overlooked", pairs, 0.0);
}

/// Distance along the normal at which a point must have left one of two convex bodies, relative to them: ten times
/// the tolerance of surfaces.
const LEAVE: f64 = 10.0 * SURFACE;

/// Whether a shape is one convex part, so that a ray that leaves it along its normal does not meet it again.
fn single(outline: &RecordedShape) -> bool {
    match outline {
        RecordedShape::HalfPlane | RecordedShape::HalfSpace => true,
        RecordedShape::Compound(_) => false,
        _ => shape::convex(outline).is_some(),
    }
}

/// Body coordinates of a point in space.
pub(super) fn local(stand: &SpatialPose, p: V3) -> V3 {
    rotate_back(stand.q, sub(p, stand.x))
}

/// σ(n) − n·p: distance of the plane through p from supporting a shape; the smallest over its parts.
fn unsupported(outline: &RecordedShape, n: V3, p: V3) -> f64 {
    let parts = shape::convex(outline).unwrap_or_default();
    let off = parts.iter().map(|part| (part.support(n) - dot(n, p)).abs());
    off.fold(f64::INFINITY, f64::min)
}

/// −σ_a(n) − σ_b(−n): the gap of two convex shapes along n. Of shapes with several parts, that of the parts for which
/// it is nearest to `known`; `None` for shapes without convex parts.
fn gap_along(
    (oa, a): (&RecordedShape, &SpatialPose),
    (ob, b): (&RecordedShape, &SpatialPose),
    n: V3,
    known: f64,
) -> Option<f64> {
    let reaches = |outline: &RecordedShape, stand: &SpatialPose, n: V3| -> Option<Vec<f64>> {
        let own = rotate_back(stand.q, n);
        let up = match outline {
            RecordedShape::HalfPlane => Some([0.0, 1.0, 0.0]),
            RecordedShape::HalfSpace => Some([0.0, 0.0, 1.0]),
            _ => None,
        };
        if let Some(up) = up {
            // The support function of a half-space is infinite along any other direction.
            let end = if norm(sub(own, up)) <= 1e-12 {
                0.0
            } else {
                f64::INFINITY
            };
            return Some(vec![dot(n, stand.x) + end]);
        }
        let parts = shape::convex(outline)?;
        let all = parts.iter().map(|part| dot(n, stand.x) + part.support(own));
        Some(all.collect())
    };
    let (first, second) = (reaches(oa, a, n)?, reaches(ob, b, scale(n, -1.0))?);
    let gaps = first
        .iter()
        .flat_map(|x| second.iter().map(move |y| -x - y));
    gaps.min_by(|x, y| (x - known).abs().total_cmp(&(y - known).abs()))
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Each contact point, the normals of each pair, then overlapping pairs without a contact.
    pub(super) fn compare_geometry(&mut self) {
        for k in 0..self.contacts.len() {
            let touch = self.contacts[k];
            self.compare_contact_point(&touch);
        }
        self.compare_normals();
        self.find_missing_contacts();
    }

    fn compare_contact_point(&mut self, touch: &RecordedContactRow) {
        let (step, t) = (self.steps.step, self.motion.t);
        let what = self.pair_name(touch);
        let place = || Location {
            step: Some(step),
            t: Some(t),
            what: what.clone(),
        };
        // Orthonormal contact frame.
        let [n, t1, t2] = touch.axes;
        let mut off = (norm(n) - 1.0).abs().max((norm(t1) - 1.0).abs());
        off = worse(off, dot(n, t1).abs()).max((norm(t2) - 1.0).abs());
        self.report.add_comparison("frame", off, place);
        if self.look_at_pin(touch) {
            return;
        }
        let (Some(a), Some(b)) = (self.motion.mid.get(touch.a), self.motion.mid.get(touch.b))
        else {
            self.report.add_comparison("gap", f64::INFINITY, place);
            return;
        };
        let image = SpatialPose {
            x: add(b.x, touch.shift),
            ..*b
        };
        // Both surface points, in body axes.
        let points = [-0.5, 0.5].map(|s| add_scaled(touch.at, n, s * touch.gap));
        let (pa, pb) = (local(a, points[0]), local(&image, points[1]));
        let (oa, ob) = (&self.shapes[touch.a], &self.shapes[touch.b]);
        let size = oa.radius().unwrap_or(0.0) + ob.radius().unwrap_or(0.0) + norm(pa) + norm(pb);
        let mut off = worse(shape::distance(oa, pa), shape::distance(ob, pb)) / size;
        if single(oa) && single(ob) {
            // Where faces are flush a point may slip along the sides of both bodies: then the gap is not that of the
            // faces.
            let away = LEAVE * size;
            let out = [
                local(a, add_scaled(points[0], n, away)),
                local(&image, add_scaled(points[1], n, -away)),
            ];
            let left = shape::distance(oa, out[0]).max(shape::distance(ob, out[1]));
            off = off.max(if left < 0.5 * away { 1.0 } else { 0.0 });
        }
        if off > SURFACE && touch.gap > 0.0 {
            let known = (touch.at, n, touch.gap);
            off = off.min(parallel_edge_defect((oa, a), (ob, &image), known) / size);
        }
        self.report.add_comparison("gap", off, place);
    }

    /// Contacts of one pair with one normal: their smallest gap is that of the shapes along the normal.
    fn compare_normals(&mut self) {
        let mut first = 0;
        while let Some(touch) = self.contacts.get(first).copied() {
            let same = |t: &&RecordedContactRow| {
                t.a == touch.a && t.b == touch.b && t.shift == touch.shift
            };
            let end = first + self.contacts[first..].iter().take_while(same).count();
            let group = self.contacts[first..end].to_vec();
            first = end;
            // Each distinct normal of the pair once.
            for (k, one) in group.iter().enumerate() {
                let n = one.axes[0];
                let seen = group[..k].iter().any(|t| t.axes[0] == n);
                if seen || clearance_of(one.feature, &self.scene.model.joints).is_some() {
                    continue;
                }
                let along: Vec<RecordedContactRow> =
                    group.iter().filter(|t| t.axes[0] == n).copied().collect();
                self.look_at_normal(one, &along);
            }
        }
    }

    fn look_at_normal(&mut self, touch: &RecordedContactRow, group: &[RecordedContactRow]) {
        let (Some(a), Some(b)) = (self.motion.mid.get(touch.a), self.motion.mid.get(touch.b))
        else {
            return;
        };
        let image = SpatialPose {
            x: add(b.x, touch.shift),
            ..*b
        };
        let (oa, ob) = (&self.shapes[touch.a], &self.shapes[touch.b]);
        let n = touch.axes[0];
        let known = group.iter().fold(f64::INFINITY, |m, t| m.min(t.gap));
        let Some(found) = gap_along((oa, a), (ob, &image), n, known) else {
            let a = *a;
            return self.look_at_facing(touch, group, (&a, &image));
        };
        // Otherwise it is the normal of a face of one of them that contains all points.
        let face = group.iter().fold(0.0_f64, |most, t| {
            let sides = [(oa, a, -0.5), (ob, &image, 0.5)].map(|(outline, stand, side)| {
                let point = local(stand, add_scaled(t.at, n, side * t.gap));
                let out = rotate_back(stand.q, scale(n, -2.0 * side));
                unsupported(outline, out, point)
            });
            most.max(sides[0].min(sides[1]))
        });
        // With predicted activation or restitution, the deepest corner over a plane may already separate and not be
        // active.
        let plane =
            |o: &RecordedShape| matches!(o, RecordedShape::HalfPlane | RecordedShape::HalfSpace);
        let rebounds = self.scene.pair(touch.a, touch.b, touch.feature);
        let rebounds = rebounds.is_some_and(|law| law.restitution.normal > 0.0);
        let free = (self.predicted || rebounds) && known >= found && (plane(oa) || plane(ob));
        let size = oa.radius().unwrap_or(0.0) + ob.radius().unwrap_or(0.0);
        let size = size + norm(sub(touch.at, a.x)) + norm(sub(touch.at, image.x));
        let place = self.place(self.pair_name(touch));
        let off = match free {
            true => 0.0,
            false => (found - known).abs().min(face) / size,
        };
        self.report.add_comparison("normal", off, || place);
    }

    /// On a nonconvex shape a normal is that of the segment or triangle under the point, or supports the other body
    /// there.
    fn look_at_facing(
        &mut self,
        touch: &RecordedContactRow,
        group: &[RecordedContactRow],
        (a, b): (&SpatialPose, &SpatialPose),
    ) {
        let (oa, ob) = (&self.shapes[touch.a], &self.shapes[touch.b]);
        // Parts of a nonconvex polygon also touch with the normals of their internal cuts, which are not recorded.
        let surface =
            |o: &RecordedShape| matches!(o, RecordedShape::Chain { .. } | RecordedShape::Mesh(_));
        if !(surface(oa) || surface(ob)) {
            self.report
                .skip("normals of polygons and polyhedra that are not convex");
            return;
        }
        let n = touch.axes[0];
        let long = |t: &RecordedContactRow| norm(sub(t.at, a.x)) + norm(sub(t.at, b.x));
        let radii = oa.radius().unwrap_or(0.0) + ob.radius().unwrap_or(0.0);
        let mut worst = 0.0_f64;
        for t in group {
            let size = radii + long(t);
            let sides = [(oa, a, -0.5), (ob, b, 0.5)].map(|(outline, stand, side)| {
                let point = local(stand, add_scaled(t.at, n, side * t.gap));
                let out = rotate_back(stand.q, scale(n, -2.0 * side));
                let supported = unsupported(outline, out, point) / size;
                supported.min(face_normal_defect(outline, point, out, SURFACE * size))
            });
            worst = worst.max(sides[0].min(sides[1]));
        }
        if !worst.is_finite() {
            self.report
                .skip("normals where two bodies that are not convex touch edge to edge");
            return;
        }
        let place = self.place(self.pair_name(touch));
        self.report.add_comparison("normal", worst, || place);
    }

    /// A pin joint with clearance: gap = play − |d|, the normal along d.
    fn look_at_pin(&mut self, touch: &RecordedContactRow) -> bool {
        let Some(joint) = clearance_of(touch.feature, &self.scene.model.joints) else {
            return false;
        };
        let Some(clearance) = &joint.clearance else {
            return false;
        };
        let [hole, pin] = [0, 1].map(|k: usize| {
            let side = &joint.frames[k];
            let stand = side
                .body
                .and_then(|body| self.motion.mid.get(body as usize));
            let mut point = [0.0; 3];
            for (p, x) in point
                .iter_mut()
                .zip(percuss_scene::model::bodies::Vector::components(
                    &side.point,
                ))
            {
                *p = *x;
            }
            stand.map_or(point, |stand| {
                add(stand.x, super::super::vector::rotate(stand.q, point))
            })
        });
        // Gap and contact point from the offset d of the pin in its hole.
        let d = sub(pin, hole);
        let first = joint.frames[0].body == Some(touch.a as u32);
        let toward = scale(d, if first { -1.0 } else { 1.0 } / norm(d));
        let size = clearance.pin + clearance.play + norm(touch.at);
        let off = (clearance.play - norm(d) - touch.gap).abs() / size;
        let out = add_scaled(
            hole,
            d,
            (clearance.pin + 0.5 * (clearance.play + norm(d))) / norm(d),
        );
        let point = norm(sub(out, touch.at)) / size;
        // The direction of a short d is known to its rounding.
        let turn = norm(sub(toward, touch.axes[0])) * norm(d) / size;
        let place = self.place(format!("joint `{}`", joint.name));
        let spot = place.clone();
        self.report.add_comparison("gap", off.max(point), || spot);
        self.report.add_comparison("normal", turn, || place);
        true
    }
}
