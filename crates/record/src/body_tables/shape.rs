//! Shapes as the records hold them: numbers for round ones, JSON for those with vertices.

use std::sync::Arc;

use percuss_bodies::{Compound, Dim, Part, Plane, Space, Vector, plane, space};
use serde::{Deserialize, Serialize};

/// The shape of a body in body axes, as the records hold it.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedShape {
    /// A disc or a sphere.
    Round {
        /// Its radius.
        radius: f64,
    },
    /// A capsule: all points within `radius` of a segment.
    Capsule {
        /// Half the length of the segment.
        half_length: f64,
        /// The radius.
        radius: f64,
        /// Its direction: x in the plane, z in space.
        along: [f64; 3],
    },
    /// A circular cylinder along z.
    Cylinder {
        /// Half its length.
        half_length: f64,
        /// Its radius.
        radius: f64,
    },
    /// A polygon, anticlockwise; it need not be convex.
    Polygon(Vec<[f64; 2]>),
    /// The half-plane y ≤ 0.
    HalfPlane,
    /// A chain of connected segments, solid on the right.
    Chain {
        /// Vertices of the chain.
        vertices: Vec<[f64; 2]>,
        /// Whether the last vertex is connected to the first.
        closed: bool,
    },
    /// A convex polyhedron: faces anticlockwise seen from outside.
    Polyhedron(Faces),
    /// The half-space z ≤ 0.
    HalfSpace,
    /// A triangle mesh, solid behind the triangles: a boundary, or the surface of a nonconvex body.
    Mesh(Faces),
    /// A rigid compound of parts.
    Compound(Vec<ShapePart>),
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapePart {
    /// Its shape.
    pub shape: RecordedShape,
    /// Its position in body axes.
    pub position: [f64; 3],
    /// Its rotation: unit quaternion w, x, y, z.
    pub rotation: [f64; 4],
}

impl RecordedShape {
    /// Largest distance of a point from the origin of body axes; `None` for boundaries.
    pub fn radius(&self) -> Option<f64> {
        let norm = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let farthest = |norms: &mut dyn Iterator<Item = f64>| Some(norms.fold(0.0, f64::max));
        // Circumradius; of a compound an upper bound.
        match self {
            Self::Round { radius } => Some(*radius),
            Self::Capsule {
                half_length,
                radius,
                ..
            } => Some(half_length + radius),
            Self::Cylinder {
                half_length,
                radius,
            } => Some(half_length.hypot(*radius)),
            Self::Polygon(vertices) => farthest(&mut vertices.iter().map(|v| v[0].hypot(v[1]))),
            Self::Compound(members) => members.iter().try_fold(0.0_f64, |most, member| {
                Some(most.max(norm(&member.position) + member.shape.radius()?))
            }),
            Self::Polyhedron(faces) => farthest(&mut faces.vertices.iter().map(norm)),
            Self::HalfPlane | Self::Chain { .. } | Self::HalfSpace | Self::Mesh(_) => None,
        }
    }
}

/// Vertices, and faces as loops of vertex indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Faces {
    /// The vertices.
    pub vertices: Vec<[f64; 3]>,
    /// Loops of vertex indices.
    pub faces: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
struct PlanarJson {
    vertices: Vec<[f64; 2]>,
    #[serde(default)]
    closed: bool,
}

/// A shape in the columns `shape`, `radius`, `half_length`, `outline`.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeColumns {
    pub shape: &'static str,
    pub radius: Option<f64>,
    pub half_length: Option<f64>,
    pub outline: Option<Arc<str>>,
}

fn cells(shape: &'static str, radius: Option<f64>, half_length: Option<f64>) -> ShapeColumns {
    ShapeColumns {
        shape,
        radius,
        half_length,
        outline: None,
    }
}

fn with_outline(shape: &'static str, outline: impl Serialize) -> ShapeColumns {
    // Finite numbers and integers: nothing that JSON cannot hold.
    let text = serde_json::to_string(&outline).unwrap_or_default();
    ShapeColumns {
        outline: Some(text.into()),
        ..cells(shape, None, None)
    }
}

/// The components of a vertex.
fn point<const N: usize>(v: &impl Vector) -> [f64; N] {
    std::array::from_fn(|k| v.components().get(k).copied().unwrap_or(0.0))
}

/// A part of a compound as JSON.
#[derive(Serialize, Deserialize)]
struct PartJson {
    shape: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    half_length: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outline: Option<serde_json::Value>,
    position: [f64; 3],
    rotation: [f64; 4],
}

#[derive(Serialize, Deserialize)]
struct CompoundJson {
    parts: Vec<PartJson>,
}

/// The parts of a compound as JSON.
fn members<D: Dim>(
    compound: &Compound<D>,
    cells: impl Fn(&D::Shape) -> ShapeColumns,
    turn: impl Fn(&D::Rotation) -> [f64; 4],
) -> ShapeColumns {
    // Columns of each part, its outline as a JSON value, and its pose.
    let joined = |part: &Part<D>| {
        let cells = cells(&part.shape);
        let outline = cells.outline.as_deref();
        PartJson {
            shape: cells.shape.into(),
            radius: cells.radius,
            half_length: cells.half_length,
            outline: outline.and_then(|text| serde_json::from_str(text).ok()),
            position: point(&part.pose.position),
            rotation: turn(&part.pose.rotation),
        }
    };
    let parts = compound.parts().iter().map(joined).collect();
    with_outline("compound", CompoundJson { parts })
}

/// Converts a shape of the plane to columns.
pub(super) fn of_plane(shape: &plane::Shape) -> ShapeColumns {
    use plane::Shape;
    match shape {
        Shape::Disc { radius } => cells("disc", Some(*radius), None),
        Shape::Capsule {
            half_length,
            radius,
        } => cells("capsule", Some(*radius), Some(*half_length)),
        Shape::HalfPlane => cells("half_plane", None, None),
        Shape::Polygon(polygon) => with_outline(
            "polygon",
            PlanarJson {
                vertices: polygon.vertices().iter().map(point).collect(),
                closed: true,
            },
        ),
        Shape::Compound(compound) => match compound.source_surface() {
            Some(skin) => with_outline(
                "polygon",
                PlanarJson {
                    vertices: skin.vertices.iter().map(point).collect(),
                    closed: true,
                },
            ),
            None => members::<Plane>(compound, of_plane, |turn| {
                let (sin, cos) = (0.5 * turn.angle()).sin_cos();
                [cos, 0.0, 0.0, sin]
            }),
        },
        Shape::Chain(chain) => with_outline(
            "chain",
            PlanarJson {
                vertices: chain.vertices().iter().map(point).collect(),
                closed: chain.closed(),
            },
        ),
    }
}

/// Converts a shape of space to columns.
pub(super) fn of_space(shape: &space::Shape) -> ShapeColumns {
    use space::Shape;
    match shape {
        Shape::Sphere { radius } => cells("sphere", Some(*radius), None),
        Shape::Capsule {
            half_length,
            radius,
        } => cells("capsule", Some(*radius), Some(*half_length)),
        Shape::Cylinder {
            half_length,
            radius,
        } => cells("cylinder", Some(*radius), Some(*half_length)),
        Shape::HalfSpace => cells("half_space", None, None),
        Shape::Polyhedron(solid) => with_outline(
            "polyhedron",
            Faces {
                vertices: solid.vertices().iter().map(point).collect(),
                faces: solid.faces().map(<[u32]>::to_vec).collect(),
            },
        ),
        Shape::Compound(compound) => match compound.source_surface() {
            Some(skin) => with_outline(
                "mesh",
                Faces {
                    vertices: skin.vertices.iter().map(point).collect(),
                    faces: skin.triangles.iter().map(|t| t.to_vec()).collect(),
                },
            ),
            None => members::<Space>(compound, of_space, |q| [q.w, q.x, q.y, q.z]),
        },
        Shape::Mesh(mesh) => with_outline(
            "mesh",
            Faces {
                vertices: mesh.vertices().iter().map(point).collect(),
                faces: mesh.triangles().iter().map(|t| t.to_vec()).collect(),
            },
        ),
    }
}

/// Reads the shape of a row, in the plane or in space.
pub(super) fn read(
    in_plane: bool,
    shape: &str,
    radius: Option<f64>,
    half_length: Option<f64>,
    outline: &str,
) -> Result<RecordedShape, String> {
    let given = |value: Option<f64>, name: &str| {
        value.ok_or_else(|| format!("a `{shape}` without `{name}`"))
    };
    Ok(match shape {
        "disc" | "sphere" => RecordedShape::Round {
            radius: given(radius, "radius")?,
        },
        "capsule" => RecordedShape::Capsule {
            half_length: given(half_length, "half_length")?,
            radius: given(radius, "radius")?,
            along: if in_plane {
                [1.0, 0.0, 0.0]
            } else {
                [0.0, 0.0, 1.0]
            },
        },
        "cylinder" => RecordedShape::Cylinder {
            half_length: given(half_length, "half_length")?,
            radius: given(radius, "radius")?,
        },
        "half_plane" => RecordedShape::HalfPlane,
        "half_space" => RecordedShape::HalfSpace,
        "polygon" => RecordedShape::Polygon(flat(outline)?.vertices),
        "chain" => {
            let PlanarJson { vertices, closed } = flat(outline)?;
            RecordedShape::Chain { vertices, closed }
        }
        "polyhedron" => RecordedShape::Polyhedron(faces(outline)?),
        "mesh" => RecordedShape::Mesh(faces(outline)?),
        "compound" => RecordedShape::Compound(joined(in_plane, outline)?),
        _ => return Err(format!("a shape `{shape}` that this program does not know")),
    })
}

fn joined(in_plane: bool, text: &str) -> Result<Vec<ShapePart>, String> {
    let read: CompoundJson = serde_json::from_str(text).map_err(|e| format!("an outline: {e}"))?;
    let member = |part: PartJson| {
        if part.shape == "compound" {
            return Err("a compound within a compound".into());
        }
        let outline = part.outline.map_or(String::new(), |o| o.to_string());
        Ok(ShapePart {
            shape: self::read(
                in_plane,
                &part.shape,
                part.radius,
                part.half_length,
                &outline,
            )?,
            position: part.position,
            rotation: part.rotation,
        })
    };
    read.parts.into_iter().map(member).collect()
}

fn flat(text: &str) -> Result<PlanarJson, String> {
    let flat: PlanarJson = serde_json::from_str(text).map_err(|e| format!("an outline: {e}"))?;
    match flat.vertices.len() {
        0 | 1 => Err("an outline without vertices".into()),
        _ => Ok(flat),
    }
}

fn faces(text: &str) -> Result<Faces, String> {
    let read: Faces = serde_json::from_str(text).map_err(|e| format!("an outline: {e}"))?;
    let known = |k: &u32| (*k as usize) < read.vertices.len();
    match read
        .faces
        .iter()
        .all(|f| f.len() >= 3 && f.iter().all(known))
    {
        true => Ok(read),
        false => Err("an outline with a face that names no vertices".into()),
    }
}
