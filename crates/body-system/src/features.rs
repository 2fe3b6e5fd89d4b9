//! Smooth features of shapes: vertices, edges, faces and rims, each with the directions in which it is touched.
//!
//! A disc or a sphere is one vertex with a rounding radius, a capsule two vertices and what is between them, a half-plane
//! one face without sides. The gap of two features is a smooth function while the touching point stays inside both; where
//! it leaves one of them, another pair of features takes over.

use glam::DVec3;
use percuss_geometry::{Geometry, Plane, Space, plane, space};

/// A vertex: all directions that fall towards no neighbour touch it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vertex {
    pub at: DVec3,
    /// Unit directions to the neighbours.
    pub toward: Vec<DVec3>,
}

/// An edge of space.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    pub from: DVec3,
    /// Unit direction.
    pub along: DVec3,
    pub length: f64,
    /// Unit directions into its two faces, across the edge; none for a capsule.
    pub inward: Vec<DVec3>,
    /// Mean outward direction; 0 for a capsule.
    pub outward: DVec3,
}

/// A face, in the plane a side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Face {
    pub at: DVec3,
    pub normal: DVec3,
    /// Its sides: a point and the unit direction inwards; none where it has no end.
    pub sides: Vec<(DVec3, DVec3)>,
}

/// A circle about the z axis of the body: the rim of a cylinder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rim {
    pub height: f64,
    pub radius: f64,
}

/// The features of a shape, in body axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Features {
    /// Rounding radius about vertices and edges, thickness before faces.
    pub rounding: f64,
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Edge>,
    pub faces: Vec<Face>,
    pub rims: Vec<Rim>,
    /// Bounding radius; infinite for a boundary.
    pub size: f64,
    /// Smallest width; infinite for a boundary.
    pub width: f64,
}

/// Features of the shapes of a dimension.
pub(crate) trait Featured: Geometry {
    /// The features of a shape.
    ///
    /// # Errors
    /// What the shape is, where it has no smooth features.
    fn features(shape: &Self::Shape) -> Result<Features, &'static str>;
}

impl Featured for Plane {
    fn features(shape: &plane::Shape) -> Result<Features, &'static str> {
        let mut all = match shape {
            plane::Shape::Disc { radius } => round(*radius, &[DVec3::ZERO]),
            plane::Shape::Capsule {
                half_length,
                radius,
            } => plane_capsule(*half_length, *radius),
            plane::Shape::Polygon(polygon) => {
                let corners = polygon.vertices().iter();
                let corners: Vec<DVec3> = corners.map(|v| v.extend(0.0)).collect();
                polygon_features(&corners)
            }
            plane::Shape::HalfPlane => boundary(DVec3::Y),
            plane::Shape::Chain(_) => return Err("a chain"),
            plane::Shape::Compound(_) => return Err("a body of several parts"),
        };
        all.size = Self::bounding_radius(shape);
        all.width = percuss_geometry::min_width::<Self>(shape);
        Ok(all)
    }
}

impl Featured for Space {
    fn features(shape: &space::Shape) -> Result<Features, &'static str> {
        let mut all = match shape {
            space::Shape::Sphere { radius } => round(*radius, &[DVec3::ZERO]),
            space::Shape::Capsule {
                half_length,
                radius,
            } => {
                let end = DVec3::Z * *half_length;
                let mut all = round(*radius, &[-end, end]);
                all.edges.push(Edge {
                    from: -end,
                    along: DVec3::Z,
                    length: 2.0 * half_length,
                    inward: Vec::new(),
                    outward: DVec3::ZERO,
                });
                all
            }
            space::Shape::Cylinder {
                half_length,
                radius,
            } => Features {
                rims: [-1.0, 1.0]
                    .map(|side| Rim {
                        height: side * half_length,
                        radius: *radius,
                    })
                    .to_vec(),
                ..Features::default()
            },
            space::Shape::Polyhedron(polyhedron) => {
                let loops: Vec<&[u32]> = polyhedron.faces().collect();
                polyhedron_features(polyhedron.vertices(), &loops)
            }
            space::Shape::HalfSpace => boundary(DVec3::Z),
            space::Shape::Mesh(_) => return Err("a mesh"),
            space::Shape::Compound(_) => return Err("a body of several parts"),
        };
        all.size = Self::bounding_radius(shape);
        all.width = percuss_geometry::min_width::<Self>(shape);
        Ok(all)
    }
}

/// A half-plane or half-space.
fn boundary(normal: DVec3) -> Features {
    Features {
        faces: vec![Face {
            at: DVec3::ZERO,
            normal,
            sides: Vec::new(),
        }],
        ..Features::default()
    }
}

/// Round vertices, each with the others as its neighbours.
fn round(radius: f64, vertices: &[DVec3]) -> Features {
    let toward = |at: DVec3| {
        let others = vertices.iter().filter(|other| **other != at);
        others.map(|other| (*other - at).normalize()).collect()
    };
    let vertex = |at: &DVec3| Vertex {
        at: *at,
        toward: toward(*at),
    };
    Features {
        rounding: radius,
        vertices: vertices.iter().map(vertex).collect(),
        ..Features::default()
    }
}

/// The capsule of the plane: two round vertices, two flat sides.
fn plane_capsule(half_length: f64, radius: f64) -> Features {
    let end = DVec3::X * half_length;
    let mut all = round(radius, &[-end, end]);
    for normal in [DVec3::Y, -DVec3::Y] {
        all.faces.push(Face {
            at: DVec3::ZERO,
            normal,
            sides: vec![(-end, DVec3::X), (end, -DVec3::X)],
        });
    }
    all
}

/// A convex polygon of the plane, corners anticlockwise.
fn polygon_features(corners: &[DVec3]) -> Features {
    let count = corners.len();
    let mut all = Features::default();
    for (i, at) in corners.iter().enumerate() {
        let (next, before) = (corners[(i + 1) % count], corners[(i + count - 1) % count]);
        let along = (next - *at).normalize();
        all.vertices.push(Vertex {
            at: *at,
            toward: vec![(before - *at).normalize(), along],
        });
        all.faces.push(Face {
            at: *at,
            normal: DVec3::new(along.y, -along.x, 0.0),
            sides: vec![(*at, along), (next, -along)],
        });
    }
    all
}

/// A convex polyhedron from its vertices and faces, anticlockwise seen from outside.
fn polyhedron_features(vertices: &[DVec3], loops: &[&[u32]]) -> Features {
    let point = |i: u32| vertices[i as usize];
    let mut all = Features::default();
    let normals: Vec<DVec3> = loops.iter().map(|f| face_normal(f, &point)).collect();
    // Faces with their sides; every edge from the face whose loop has it upwards.
    let mut toward: Vec<Vec<DVec3>> = vec![Vec::new(); vertices.len()];
    for (corners, normal) in loops.iter().zip(&normals) {
        let pairs = (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
        let pairs: Vec<(u32, u32)> = pairs.collect();
        let inward = |(i, j): (u32, u32)| normal.cross((point(j) - point(i)).normalize());
        all.faces.push(Face {
            at: point(corners[0]),
            normal: *normal,
            sides: pairs.iter().map(|&p| (point(p.0), inward(p))).collect(),
        });
        for &(i, j) in &pairs {
            let along = (point(j) - point(i)).normalize();
            toward[i as usize].push(along);
            if i < j {
                let other = loops.iter().position(|f| has_side(f, (j, i)));
                let second = other.map_or(*normal, |f| normals[f]);
                all.edges.push(Edge {
                    from: point(i),
                    along,
                    length: (point(j) - point(i)).length(),
                    inward: vec![normal.cross(along), second.cross(-along)],
                    outward: *normal + second,
                });
            }
        }
    }
    all.vertices = (vertices.iter().zip(toward))
        .map(|(at, toward)| Vertex { at: *at, toward })
        .collect();
    all
}

/// Unit normal of a face by Newell's sum.
fn face_normal(corners: &[u32], point: &impl Fn(u32) -> DVec3) -> DVec3 {
    let centre = point(corners[0]);
    let sides = (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
    let sum: DVec3 = sides
        .map(|(i, j)| (point(i) - centre).cross(point(j) - centre))
        .sum();
    sum.normalize()
}

/// Whether a loop has this side in this sense.
fn has_side(corners: &[u32], side: (u32, u32)) -> bool {
    (0..corners.len()).any(|k| (corners[k], corners[(k + 1) % corners.len()]) == side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_box_has_the_features_of_a_box() {
        let cuboid = space::ConvexPolyhedron::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let all = Space::features(&space::Shape::Polyhedron(Arc::new(cuboid))).unwrap();
        assert_eq!(all.vertices.len(), 8);
        assert_eq!(all.edges.len(), 12);
        assert_eq!(all.faces.len(), 6);
        // Outward normals, inward sides, outward edges: all seen from the centre.
        for face in &all.faces {
            assert!(face.normal.dot(face.at) > 0.0);
            for (at, inward) in &face.sides {
                assert!((-*at).dot(*inward) > 0.0 && inward.dot(face.normal).abs() < 1e-15);
            }
        }
        for edge in &all.edges {
            assert!(edge.outward.dot(edge.from) > 0.0);
            assert!(edge.inward.iter().all(|d| d.dot(edge.from) < 0.0));
        }
        assert!(all.vertices.iter().all(|v| v.toward.len() == 3));
    }

    #[test]
    fn a_polygon_has_outward_sides() {
        let all = polygon_features(&[DVec3::ZERO, DVec3::X, DVec3::Y]);
        let centre = DVec3::new(1.0, 1.0, 0.0) / 3.0;
        for face in &all.faces {
            assert!(face.normal.dot(face.at - centre) > 0.0);
            assert!(
                face.sides
                    .iter()
                    .all(|(at, d)| (centre - *at).dot(*d) > 0.0)
            );
        }
    }
}
