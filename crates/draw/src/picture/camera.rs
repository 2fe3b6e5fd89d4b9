//! Camera: orthographic projection of bodies onto the picture plane.
//!
//! u = right·x, v = up·x, depth = toward·x; a larger depth is nearer to the viewer.

use percuss_record::RecordedShape;
use percuss_record::frame::BodyState;

use super::{cross, dot, norm};

/// Default viewing direction in space: obliquely from above.
const OBLIQUE: [f64; 3] = [0.55, -1.0, 0.55];

/// Orthonormal frame of the camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Camera {
    pub right: [f64; 3],
    pub up: [f64; 3],
    pub toward: [f64; 3],
}

impl Camera {
    /// View of the plane, along −z.
    pub(super) fn flat() -> Self {
        Self {
            right: [1.0, 0.0, 0.0],
            up: [0.0, 1.0, 0.0],
            toward: [0.0, 0.0, 1.0],
        }
    }

    /// View from a direction; z points up, or y where the view is along z.
    pub(super) fn from(view: Option<[f64; 3]>) -> Self {
        let length = |v: &[f64; 3]| norm(*v);
        // An invalid direction is replaced by the default.
        let given = view.filter(|v| length(v).is_finite() && length(v) > 0.0);
        let toward = unit(given.unwrap_or(OBLIQUE));
        // Right is horizontal; along z any horizontal direction will do.
        let side = cross([0.0, 0.0, 1.0], toward);
        let right = match norm(side) > 1e-9 {
            true => unit(side),
            false => [1.0, 0.0, 0.0],
        };
        Self {
            right,
            up: unit(cross(toward, right)),
            toward,
        }
    }

    /// Projection of a point onto the picture plane.
    pub(super) fn project(&self, point: [f64; 3]) -> (f64, f64) {
        (dot(self.right, point), dot(self.up, point))
    }

    /// Depth of a point: larger is nearer to the viewer.
    pub(super) fn depth(&self, point: [f64; 3]) -> f64 {
        dot(self.toward, point)
    }
}

/// Unit vector along a nonzero vector.
pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    // Scaled first: the square of a very large or small number overflows or underflows.
    let most = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let v = v.map(|x| x / most);
    let length = norm(v);
    v.map(|x| x / length)
}

/// Smallest and largest value of direction·x over a body; `None` for an unbounded one.
pub(super) fn extent(
    outline: &RecordedShape,
    place: &BodyState,
    direction: [f64; 3],
) -> Option<(f64, f64)> {
    let centre = dot(direction, place.position);
    let around = |r: f64| Some((centre - r, centre + r));
    let axis = |v: [f64; 3]| dot(direction, place.rotate(v));
    let over = |points: &mut dyn Iterator<Item = [f64; 3]>| {
        let along = points.map(|p| dot(direction, place.to_space(p)));
        let span = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        (span.0 <= span.1).then_some(span)
    };
    match outline {
        RecordedShape::Round { radius } => around(radius * norm(direction)),
        RecordedShape::Capsule {
            half_length,
            radius,
            along,
        } => {
            let along = axis(*along);
            around(half_length * along.abs() + radius * norm(direction))
        }
        RecordedShape::Cylinder {
            half_length,
            radius,
        } => {
            let along = axis([0.0, 0.0, 1.0]);
            let across = (dot(direction, direction) - along * along).max(0.0).sqrt();
            around(half_length * along.abs() + radius * across)
        }
        RecordedShape::Polygon(vertices) | RecordedShape::Chain { vertices, .. } => {
            over(&mut vertices.iter().map(|v| [v[0], v[1], 0.0]))
        }
        RecordedShape::Polyhedron(faces) | RecordedShape::Mesh(faces) => {
            over(&mut faces.vertices.iter().copied())
        }
        RecordedShape::Compound(parts) => {
            let spans = parts.iter().map(|part| {
                let span = extent(&part.shape, &place.of_part(part), direction);
                span.unwrap_or((f64::INFINITY, f64::NEG_INFINITY))
            });
            spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        }
        RecordedShape::HalfPlane | RecordedShape::HalfSpace => None,
    }
}
