//! Body attributes: names, materials, groups, shapes.

use std::collections::HashMap;
use std::sync::Arc;

use percuss_record::{
    BodyDescription, BodyMotion, ColumnValues, Faces, Record, RecordError, RecordedShape,
    ShapePart, read_body_descriptions,
};
use serde_json::{Value, json};

use crate::error::ViewError;
use crate::pack::{BinaryTable, BinaryValues};

/// Names are listed for at most this many bodies.
const NAMED: usize = 20_000;

/// Group number that means: no group.
const NONE: u32 = u32::MAX;

/// Attributes of all bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyAttributes {
    pub bodies: Vec<BodyDescription>,
    /// Groups of each body, separated by spaces.
    groups: Vec<Arc<str>>,
    /// Materials by number; those of the scene come first.
    pub materials: Vec<String>,
    /// Number of the material of each body.
    pub material: Vec<u32>,
    /// Groups by number.
    pub group_names: Vec<String>,
    /// Number of the first group of each body.
    group: Vec<u32>,
    flat: bool,
}

impl BodyAttributes {
    /// Reads the bodies of a run; `known` are the materials of its scene.
    pub fn read(record: &Record, known: &[String], flat: bool) -> Result<Self, RecordError> {
        let bodies = read_body_descriptions(record)?;
        let table = record.table("names", Some(&["group"]))?;
        let groups = match table.values.into_iter().next() {
            Some(ColumnValues::Text(all)) => all,
            _ => Vec::new(),
        };
        // Materials and groups as numbers; the first group of a body is used for its colour.
        let mut materials = Numbered::of(known);
        let material = bodies.iter().map(|b| materials.number(&b.material));
        let material = material.collect();
        let mut group_names = Numbered::default();
        let mut group = Vec::with_capacity(bodies.len());
        for all in &groups {
            let mut words = all.split_whitespace().map(|word| group_names.number(word));
            group.push(words.next().unwrap_or(NONE));
            words.for_each(drop);
        }
        Ok(Self {
            material,
            materials: materials.names,
            group_names: group_names.names,
            group,
            groups,
            bodies,
            flat,
        })
    }

    /// The shapes of all bodies, as a binary table.
    pub fn shapes(&self) -> BinaryTable {
        let mut outlines = Outlines::default();
        let count = self.bodies.len();
        let (mut kind, mut outline) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut radius, mut half_length) = (Vec::new(), Vec::new());
        // One entry per body.
        for body in &self.bodies {
            let (code, [r, l]) = self.kind(&body.shape);
            kind.push(code);
            radius.push(r as f32);
            half_length.push(l as f32);
            outline.push(outlines.number(self, &body.shape));
        }
        let mass = |body: &BodyDescription| body.mass.unwrap_or(f64::NAN) as f32;
        let motion = |body: &BodyDescription| match body.motion {
            BodyMotion::Free => 0,
            BodyMotion::PartlyFixed => 1,
            BodyMotion::Kinematic => 2,
            BodyMotion::Fixed => 3,
        };
        let mut pack = BinaryTable::new();
        pack.add("kind", "", BinaryValues::U8(kind));
        pack.add("radius", "length", BinaryValues::F32(radius));
        pack.add("half_length", "length", BinaryValues::F32(half_length));
        pack.add("outline", "", BinaryValues::I32(outline));
        pack.add("material", "", BinaryValues::U32(self.material.clone()));
        pack.add("group", "", BinaryValues::U32(self.group.clone()));
        pack.add(
            "motion",
            "",
            BinaryValues::U8(self.bodies.iter().map(motion).collect()),
        );
        pack.add(
            "mass",
            "mass",
            BinaryValues::F32(self.bodies.iter().map(mass).collect()),
        );
        pack.insert_header("outlines", outlines.all);
        // Names only for a moderate number of bodies.
        if count <= NAMED {
            let names: Vec<&str> = self.bodies.iter().map(|b| &*b.name).collect();
            pack.insert_header("names", names);
        }
        pack
    }

    /// Shape number, radius and half length.
    fn kind(&self, outline: &RecordedShape) -> (u8, [f64; 2]) {
        match outline {
            RecordedShape::Round { radius } => (u8::from(!self.flat), [*radius, 0.0]),
            RecordedShape::Capsule {
                half_length,
                radius,
                ..
            } => (2, [*radius, *half_length]),
            RecordedShape::Cylinder {
                half_length,
                radius,
            } => (3, [*radius, *half_length]),
            RecordedShape::Polygon(_) => (4, [0.0; 2]),
            RecordedShape::Polyhedron(_) => (5, [0.0; 2]),
            RecordedShape::HalfPlane => (6, [0.0; 2]),
            RecordedShape::HalfSpace => (7, [0.0; 2]),
            RecordedShape::Chain { .. } => (8, [0.0; 2]),
            RecordedShape::Mesh(_) => (9, [0.0; 2]),
            RecordedShape::Compound(_) => (10, [0.0; 2]),
        }
    }

    /// A shape with vertices as JSON; `None` for a round one.
    fn outline(&self, outline: &RecordedShape) -> Option<Value> {
        let faces = |faces: &Faces| json!({ "vertices": faces.vertices, "faces": faces.faces });
        // Parts of a compound, recursively.
        let part = |member: &ShapePart| {
            let (kind, [radius, half_length]) = self.kind(&member.shape);
            json!({
                "kind": kind, "radius": radius, "half_length": half_length,
                "outline": self.outline(&member.shape),
                "position": member.position, "rotation": member.rotation,
            })
        };
        Some(match outline {
            RecordedShape::Polygon(vertices) => json!({ "vertices": vertices, "closed": true }),
            RecordedShape::Chain { vertices, closed } => {
                json!({ "vertices": vertices, "closed": closed })
            }
            RecordedShape::Polyhedron(solid) => faces(solid),
            RecordedShape::Mesh(mesh) => faces(mesh),
            RecordedShape::Compound(members) => {
                json!({ "parts": members.iter().map(part).collect::<Vec<_>>() })
            }
            _ => return None,
        })
    }

    /// The attributes of one body, as JSON.
    pub fn body(&self, id: usize) -> Result<Value, ViewError> {
        let Some(body) = self.bodies.get(id) else {
            return Err(ViewError::Absent(format!(
                "there is no body {id}; bodies are numbered 0 to {}",
                self.bodies.len().saturating_sub(1)
            )));
        };
        let (kind, [radius, half_length]) = self.kind(&body.shape);
        let groups = self.groups.get(id).map_or("", |g| g);
        let groups: Vec<&str> = groups.split_whitespace().collect();
        let positive = |x: f64| (x > 0.0).then_some(x);
        Ok(json!({
            "id": id, "name": &*body.name, "groups": groups, "material": &*body.material,
            "motion": match body.motion {
                BodyMotion::Free => "free",
                BodyMotion::PartlyFixed => "partly",
                BodyMotion::Kinematic => "guided",
                BodyMotion::Fixed => "fixed",
            },
            "mass": body.mass, "shape": SHAPES.get(usize::from(kind)),
            "radius": positive(radius), "half_length": positive(half_length),
        }))
    }
}

/// Shape names by number.
const SHAPES: [&str; 11] = [
    "disc",
    "sphere",
    "capsule",
    "cylinder",
    "polygon",
    "polyhedron",
    "half_plane",
    "half_space",
    "chain",
    "mesh",
    "compound",
];

/// Distinct names, numbered in order of first appearance.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    places: HashMap<String, u32>,
}

impl Numbered {
    fn of(known: &[String]) -> Self {
        let mut all = Self::default();
        known.iter().for_each(|name| {
            all.number(name);
        });
        all
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.into());
        self.places.insert(name.into(), place);
        place
    }
}

/// Distinct shapes with vertices.
#[derive(Default)]
struct Outlines {
    all: Vec<Value>,
    places: HashMap<*const RecordedShape, i32>,
}

impl Outlines {
    fn number(&mut self, company: &BodyAttributes, outline: &Arc<RecordedShape>) -> i32 {
        // Bodies of one shape share it (same `Arc`), as they were read.
        if let Some(place) = self.places.get(&Arc::as_ptr(outline)) {
            return *place;
        }
        let place = match company.outline(outline) {
            None => return -1,
            Some(value) => {
                self.all.push(value);
                self.all.len() as i32 - 1
            }
        };
        self.places.insert(Arc::as_ptr(outline), place);
        place
    }
}
