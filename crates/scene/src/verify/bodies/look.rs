//! Where the contacts of a step are: points on the surfaces of both bodies, normals, frames.
//!
//! ```text
//! point ∓ ½ gap n on the surfaces of a and b,    |n| = 1,
//! σ_a(n) = n·x_a or σ_b(−n) = −n·x_b              n is a normal of one of them there
//! ```

use super::super::report::{Place, Report};
use super::super::vector::{V3, add, along, dot, norm, rotate_back, scale, sub};
use super::Walk;
use super::contacts::worse;
use super::given::{Flat, Stand, clearance_of};
use super::read::Touch;
use super::shape;
use crate::record::Outline;

/// Points on surfaces, relative to the bodies and their coordinates: touching points come out of
/// divisions by sines of angles between faces, so that rounding may grow by some thousands.
const SURFACE: f64 = 1e-9;

pub(super) fn announce(report: &mut Report) {
    let gap = "points of contact on the surfaces of both bodies; relative to their sizes";
    report.expect("gap", gap, SURFACE);
    let frame = "normals and tangents of unit length, at right angles";
    report.expect("frame", frame, 1e-12);
    let normal = "the normal is one of a surface there; relative to the sizes";
    report.expect("normal", normal, SURFACE);
    let pairs = "pairs that overlap by a millionth of their size without a contact";
    report.expect("overlooked", pairs, 0.0);
}

/// A point of space in body axes.
pub(super) fn local(stand: &Stand, p: V3) -> V3 {
    rotate_back(stand.q, sub(p, stand.x))
}

/// σ(n) − n·p over the convex parts of a shape: how far the plane through p is from supporting it. For
/// several parts the one that is nearest.
fn unsupported(outline: &Outline, n: V3, p: V3) -> Option<f64> {
    match outline {
        Outline::HalfPlane => Some(norm(sub(n, [0.0, 1.0, 0.0]))),
        Outline::HalfSpace => Some(norm(sub(n, [0.0, 0.0, 1.0]))),
        _ => {
            let parts = shape::convex(outline)?;
            let off = parts.iter().map(|part| (part.support(n) - dot(n, p)).abs());
            off.fold(None, |least, off| {
                Some(least.map_or(off, |l: f64| l.min(off)))
            })
        }
    }
}

impl<D: Flat> Walk<'_, D> {
    /// The contacts of the step one by one, then the pairs that have none.
    pub(super) fn look(&mut self) {
        for k in 0..self.touches.len() {
            let touch = self.touches[k];
            self.look_at(&touch);
        }
        self.look_for_pairs();
    }

    fn look_at(&mut self, touch: &Touch) {
        let (step, t) = (self.ledger.step, self.motion.t);
        let what = self.pair_name(touch);
        let place = || Place {
            step: Some(step),
            t: Some(t),
            what: what.clone(),
        };
        let [n, t1, t2] = touch.axes;
        let mut off = (norm(n) - 1.0).abs().max((norm(t1) - 1.0).abs());
        off = worse(off, dot(n, t1).abs()).max((norm(t2) - 1.0).abs());
        self.report.note("frame", off, place);
        if self.look_at_pin(touch) {
            return;
        }
        let (Some(a), Some(b)) = (self.motion.mid.get(touch.a), self.motion.mid.get(touch.b))
        else {
            self.report.note("gap", f64::INFINITY, place);
            return;
        };
        let image = Stand {
            x: add(b.x, touch.shift),
            ..*b
        };
        let points = [-0.5, 0.5].map(|s| along(touch.at, n, s * touch.gap));
        let (pa, pb) = (local(a, points[0]), local(&image, points[1]));
        let (oa, ob) = (&self.shapes[touch.a], &self.shapes[touch.b]);
        let size = oa.radius().unwrap_or(0.0) + ob.radius().unwrap_or(0.0) + norm(pa) + norm(pb);
        let off = worse(shape::distance(oa, pa), shape::distance(ob, pb)) / size;
        let normals = (
            unsupported(oa, rotate_back(a.q, n), pa),
            unsupported(ob, rotate_back(image.q, scale(n, -1.0)), pb),
        );
        self.report.note("gap", off, place);
        match normals {
            (Some(first), Some(second)) => {
                self.report.note("normal", first.min(second) / size, place);
            }
            _ => self.report.skip(
                "normals on chains, meshes and polygons that are not convex: only their points and \
                 lengths are looked at",
            ),
        }
    }

    /// A pin in its hole: gap = play − |d|, the normal along d.
    fn look_at_pin(&mut self, touch: &Touch) -> bool {
        let Some(joint) = clearance_of(touch.feature, &self.given.model.joints) else {
            return false;
        };
        let Some(clearance) = &joint.clearance else {
            return false;
        };
        let [hole, pin] = [0, 1].map(|k: usize| {
            let side = &joint.sides[k];
            let stand = side
                .body
                .and_then(|body| self.motion.mid.get(body as usize));
            let mut point = [0.0; 3];
            for (p, x) in point.iter_mut().zip(bodies::Vector::slice(&side.point)) {
                *p = *x;
            }
            stand.map_or(point, |stand| {
                add(stand.x, super::super::vector::rotate(stand.q, point))
            })
        });
        let d = sub(pin, hole);
        let first = joint.sides[0].body == Some(touch.a as u32);
        let toward = scale(d, if first { -1.0 } else { 1.0 } / norm(d));
        let size = clearance.pin + clearance.play + norm(touch.at);
        let off = (clearance.play - norm(d) - touch.gap).abs() / size;
        let out = along(
            hole,
            d,
            (clearance.pin + 0.5 * (clearance.play + norm(d))) / norm(d),
        );
        let point = norm(sub(out, touch.at)) / size;
        // The direction of a short d is known to its rounding.
        let turn = norm(sub(toward, touch.axes[0])) * norm(d) / size;
        let place = self.place(format!("joint `{}`", joint.name));
        let spot = place.clone();
        self.report.note("gap", off.max(point), || spot);
        self.report.note("normal", turn, || place);
        true
    }
}
