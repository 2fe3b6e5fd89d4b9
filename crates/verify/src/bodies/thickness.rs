//! Thickness of a shape: its smallest width across one of its faces or edges.

use percuss_record::RecordedShape;

use super::super::vector::{V3, cross, dot, norm, scale, sub};
use super::shape;

/// Width σ(n) + σ(−n) of a point set.
fn width(points: &[V3], n: V3) -> f64 {
    let along = points.iter().map(|p| dot(*p, n));
    let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
        (a.min(x), b.max(x))
    });
    most - least
}

/// The thickness; infinite for boundaries. Of a compound that of its thickest part. `None` for nonconvex bodies, of
/// which the records have the outline and not the convex parts.
pub(super) fn thickness(outline: &RecordedShape, divided: bool) -> Option<f64> {
    Some(match outline {
        RecordedShape::Round { radius } | RecordedShape::Capsule { radius, .. } => 2.0 * radius,
        RecordedShape::Cylinder {
            half_length,
            radius,
        } => 2.0 * radius.min(*half_length),
        RecordedShape::Compound(members) => {
            let mut most = 0.0_f64;
            for member in members {
                most = most.max(thickness(&member.shape, false)?);
            }
            most
        }
        RecordedShape::HalfPlane | RecordedShape::HalfSpace => f64::INFINITY,
        _ if divided => return None,
        RecordedShape::Chain { .. } | RecordedShape::Mesh(_) => f64::INFINITY,
        RecordedShape::Polygon(vertices) => {
            shape::convex(outline)?;
            let points: Vec<V3> = vertices.iter().map(|v| [v[0], v[1], 0.0]).collect();
            let next = points.iter().cycle().skip(1);
            let edges = points.iter().zip(next).map(|(a, b)| sub(*b, *a));
            let widths = edges.map(|e| width(&points, scale([e[1], -e[0], 0.0], 1.0 / norm(e))));
            widths.fold(f64::INFINITY, f64::min)
        }
        RecordedShape::Polyhedron(faces) => {
            let mut least = f64::INFINITY;
            for face in &faces.faces {
                let corners: Vec<V3> = face
                    .iter()
                    .filter_map(|k| faces.vertices.get(*k as usize).copied())
                    .collect();
                // Area vector of a polygon (twice the area times the normal), summed over triangles.
                let mut area = [0.0; 3];
                for pair in corners.windows(2).skip(1) {
                    let more = cross(sub(pair[0], corners[0]), sub(pair[1], corners[0]));
                    area = super::super::vector::add(area, more);
                }
                if norm(area) > 0.0 {
                    least = least.min(width(&faces.vertices, scale(area, 1.0 / norm(area))));
                }
            }
            least
        }
    })
}

#[cfg(test)]
mod tests {
    use super::thickness;
    use percuss_record::RecordedShape;

    #[test]
    fn thickness_of_plain_shapes_is_what_a_calliper_finds() {
        let known = |outline: RecordedShape| thickness(&outline, false);
        assert_eq!(known(RecordedShape::Round { radius: 0.5 }), Some(1.0));
        let cylinder = |half_length| RecordedShape::Cylinder {
            half_length,
            radius: 0.5,
        };
        assert_eq!(known(cylinder(0.1)), Some(0.2));
        assert_eq!(known(cylinder(3.0)), Some(1.0));
        // A triangle with sides 3, 4 and 5: its least height is 12/5.
        let triangle = RecordedShape::Polygon(vec![[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]);
        assert!(known(triangle).is_some_and(|t| (t - 2.4).abs() < 1e-12));
        assert_eq!(known(RecordedShape::HalfPlane), Some(f64::INFINITY));
        // One that is not convex is divided by the engine.
        let hook = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5]];
        assert_eq!(known(RecordedShape::Polygon(hook.to_vec())), None);
    }
}
