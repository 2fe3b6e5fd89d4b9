//! Window of a picture: the rectangle of the world that it shows.

use percuss_record::frame::Frame;
use percuss_record::{BodyDescription, BodyMotion, RecordedShape};

use super::camera::{Camera, extent};
use super::half_spaces::{BoundingBox, patches};
use super::request::PictureRequest;

/// Margin around the bodies, as a fraction of the larger side.
const AIR: f64 = 0.05;

/// A fixed body widens the window by at most this fraction on each side: a floor may be very long.
const FIXED: f64 = 0.2;

/// A half-plane or half-space further from the bodies than this many times their size is not shown.
const FAR: f64 = 3.0;

/// A rectangle in the picture plane, in world lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    pub low: (f64, f64),
    pub high: (f64, f64),
}

impl Window {
    /// The empty window.
    const NONE: Self = Self {
        low: (f64::INFINITY, f64::INFINITY),
        high: (f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    fn is_some(&self) -> bool {
        self.low.0 <= self.high.0 && self.low.1 <= self.high.1
    }

    fn add(&mut self, point: (f64, f64)) {
        if point.0.is_finite() && point.1.is_finite() {
            self.low = (self.low.0.min(point.0), self.low.1.min(point.1));
            self.high = (self.high.0.max(point.0), self.high.1.max(point.1));
        }
    }

    /// Width and height.
    pub(super) fn size(&self) -> (f64, f64) {
        (self.high.0 - self.low.0, self.high.1 - self.low.1)
    }

    fn middle(&self) -> (f64, f64) {
        (
            0.5 * (self.low.0 + self.high.0),
            0.5 * (self.low.1 + self.high.1),
        )
    }

    /// The same with a margin on all sides.
    pub(super) fn widened(&self, margin: f64) -> Self {
        Self {
            low: (self.low.0 - margin, self.low.1 - margin),
            high: (self.high.0 + margin, self.high.1 + margin),
        }
    }

    /// Widened about its centre to at least this size.
    pub(super) fn at_least(&self, size: (f64, f64)) -> Self {
        let (w, h) = self.size();
        let (x, y) = (0.5 * (size.0 - w).max(0.0), 0.5 * (size.1 - h).max(0.0));
        Self {
            low: (self.low.0 - x, self.low.1 - y),
            high: (self.high.0 + x, self.high.1 + y),
        }
    }

    /// Extends the window to include another.
    pub(super) fn join(&mut self, other: &Self) {
        self.add(other.low);
        self.add(other.high);
    }

    fn common(&self, other: &Self) -> Self {
        Self {
            low: (self.low.0.max(other.low.0), self.low.1.max(other.low.1)),
            high: (self.high.0.min(other.high.0), self.high.1.min(other.high.1)),
        }
    }
}

/// The window of a picture: the requested one, or all moving bodies with the fixed ones near them.
pub(super) fn window(
    bodies: &[BodyDescription],
    stills: &[&Frame],
    request: &PictureRequest,
    camera: &Camera,
    room: Option<&BoundingBox>,
) -> Window {
    // Bounding rectangles of moving and of fixed bodies.
    let mut moving = Window::NONE;
    let mut fixed = Window::NONE;
    for still in stills {
        for (name, place) in bodies.iter().zip(&still.bodies) {
            let across = extent(&name.shape, place, camera.right);
            let along = extent(&name.shape, place, camera.up);
            if let (Some(u), Some(v)) = (across, along) {
                let part = match name.motion {
                    BodyMotion::Fixed => &mut fixed,
                    _ => &mut moving,
                };
                part.add((u.0, v.0));
                part.add((u.1, v.1));
            }
        }
    }
    // Moving bodies determine the window; fixed ones only if nothing moves.
    let mut all = if moving.is_some() { moving } else { fixed };
    if !all.is_some() {
        all = Window {
            low: (-1.0, -1.0),
            high: (1.0, 1.0),
        };
    }
    let side = |w: &Window| w.size().0.max(w.size().1);
    // Fixed bodies near the moving ones are included.
    if fixed.is_some() {
        let near = fixed.common(&all.widened(FIXED * side(&all)));
        if near.is_some() {
            all.join(&near);
        }
    }
    // Half-planes and the patches of half-spaces.
    for still in stills {
        add_feet(&mut all, bodies, still, camera);
        for patch in room.iter().flat_map(|r| patches(bodies, still, r, camera)) {
            patch.iter().for_each(|p| all.add(camera.project(*p)));
        }
    }
    let all = all.widened(AIR * side(&all).max(f64::MIN_POSITIVE));
    asked(all, request, camera)
}

/// Extends the window to half-planes near the bodies.
fn add_feet(all: &mut Window, bodies: &[BodyDescription], still: &Frame, camera: &Camera) {
    for (name, place) in bodies.iter().zip(&still.bodies) {
        if *name.shape != RecordedShape::HalfPlane {
            continue;
        }
        // Foot point of the window's centre on the surface, if it is near.
        let normal = camera.project(place.rotate([0.0, 1.0, 0.0]));
        let at = camera.project(place.position);
        let middle = all.middle();
        let height = (middle.0 - at.0) * normal.0 + (middle.1 - at.1) * normal.1;
        let (w, h) = all.size();
        if height.abs() <= FAR * w.max(h) {
            all.add((middle.0 - height * normal.0, middle.1 - height * normal.1));
        }
    }
}

/// Replaces the corners that were requested; the others remain.
fn asked(mut all: Window, request: &PictureRequest, camera: &Camera) -> Window {
    // One corner alone is used in the plane only.
    let (Some(low), Some(high)) = (request.low, request.high) else {
        let flat = |point: [f64; 3]| (point[0], point[1]);
        if let Some(low) = request.low.map(flat).filter(|_| *camera == Camera::flat()) {
            all.low = low;
        }
        if let Some(high) = request.high.map(flat).filter(|_| *camera == Camera::flat()) {
            all.high = high;
        }
        return all;
    };
    // Bounding rectangle of the projected box.
    let mut window = Window::NONE;
    for corner in 0..8 {
        let point = std::array::from_fn(|k| {
            if corner >> k & 1 == 0 {
                low[k]
            } else {
                high[k]
            }
        });
        window.add(camera.project(point));
    }
    match window.is_some() && window.size().0 > 0.0 && window.size().1 > 0.0 {
        true => window,
        false => all,
    }
}
