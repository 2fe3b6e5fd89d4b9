//! The table `names`: name, material, motion, mass and shape of every body.

use std::collections::HashMap;
use std::sync::Arc;

use percuss_bodies::{Body, Dim, Freedom, Plane, Space, plane, space};
use percuss_scene::bodies_scene::SceneNames;

use super::super::column::{CellValue, Column, ColumnValues};
use super::super::error::RecordError;
use super::super::reader::Record;
use super::shape as outline;
use super::shape::{RecordedShape, ShapeColumns};

/// Kind of motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyMotion {
    /// Follows forces.
    Free,
    /// Follows forces in some directions, fixed in the others.
    PartlyFixed,
    /// Kinematic: a prescribed motion.
    Kinematic,
    /// Fixed.
    Fixed,
}

impl BodyMotion {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Free, "free"),
        (Self::PartlyFixed, "partly"),
        (Self::Kinematic, "guided"),
        (Self::Fixed, "fixed"),
    ];

    fn of(freedom: Freedom) -> Self {
        match freedom {
            Freedom::Free => Self::Free,
            Freedom::Partial(_) => Self::PartlyFixed,
            Freedom::Kinematic(_) => Self::Kinematic,
            Freedom::Fixed => Self::Fixed,
        }
    }
}

/// A body as the records describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDescription {
    /// Its name.
    pub name: Arc<str>,
    /// Name of its material.
    pub material: Arc<str>,
    /// Kind of its motion.
    pub motion: BodyMotion,
    /// Its mass, where it follows forces.
    pub mass: Option<f64>,
    /// Its shape.
    pub shape: Arc<RecordedShape>,
}

/// A dimension whose shapes can be recorded.
pub trait RecordShape: Dim {
    /// The columns of `names` that describe a shape.
    fn shape_columns(shape: &Self::Shape) -> ShapeColumns;
    /// Address of a shared shape, to recognise it; `None` for shapes that are plain numbers.
    fn shared_address(shape: &Self::Shape) -> Option<usize>;
}

impl RecordShape for Plane {
    fn shape_columns(shape: &plane::Shape) -> ShapeColumns {
        outline::of_plane(shape)
    }

    fn shared_address(shape: &plane::Shape) -> Option<usize> {
        match shape {
            plane::Shape::Polygon(p) if Arc::strong_count(p) > 1 => Some(Arc::as_ptr(p).addr()),
            plane::Shape::Compound(c) if Arc::strong_count(c) > 1 => Some(Arc::as_ptr(c).addr()),
            _ => None,
        }
    }
}

impl RecordShape for Space {
    fn shape_columns(shape: &space::Shape) -> ShapeColumns {
        outline::of_space(shape)
    }

    fn shared_address(shape: &space::Shape) -> Option<usize> {
        match shape {
            space::Shape::Polyhedron(p) if Arc::strong_count(p) > 1 => Some(Arc::as_ptr(p).addr()),
            space::Shape::Compound(c) if Arc::strong_count(c) > 1 => Some(Arc::as_ptr(c).addr()),
            _ => None,
        }
    }
}

/// Builds the rows of `names`.
pub(super) struct NamesTableBuilder<'a> {
    cast: &'a SceneNames,
    /// Groups of every body, joined by spaces.
    groups: Vec<Arc<str>>,
    materials: Vec<Arc<str>>,
    motions: [Arc<str>; 4],
    shapes: HashMap<&'static str, Arc<str>>,
    /// Columns of shapes that several bodies share, by address.
    outlines: HashMap<usize, ShapeColumns>,
    none: Arc<str>,
}

impl<'a> NamesTableBuilder<'a> {
    pub(super) fn new(cast: &'a SceneNames) -> Self {
        let none: Arc<str> = "".into();
        Self {
            groups: groups(cast, &none),
            materials: cast.materials.iter().map(|m| m.as_str().into()).collect(),
            motions: BodyMotion::ALL.map(|(_, word)| word.into()),
            shapes: HashMap::new(),
            outlines: HashMap::new(),
            cast,
            none,
        }
    }

    /// Appends a row.
    pub(super) fn push<D: RecordShape>(
        &mut self,
        out: &mut [ColumnValues],
        number: usize,
        body: &Body<D>,
    ) {
        let [
            id,
            name,
            group,
            material,
            motion,
            mass,
            shape,
            radius,
            half_length,
            outline,
        ] = out
        else {
            return;
        };
        // A shared shape is converted to text once.
        let cells = match D::shared_address(&body.shape) {
            Some(place) => {
                let known = self.outlines.entry(place);
                known
                    .or_insert_with(|| D::shape_columns(&body.shape))
                    .clone()
            }
            None => D::shape_columns(&body.shape),
        };
        let none = &self.none;
        id.push_integer(number);
        match self.cast.bodies.get(number) {
            Some(known) => name.push_text(&known.as_str().into()),
            None => name.push_text(&format!("body_{}", number + 1).into()),
        }
        group.push_text(self.groups.get(number).unwrap_or(none));
        let made_of = self.materials.get(body.material as usize);
        material.push_text(made_of.unwrap_or(none));
        // Motion as text, mass only of bodies that follow forces.
        let obeys = BodyMotion::of(body.freedom);
        let place = BodyMotion::ALL.iter().position(|(m, _)| *m == obeys);
        motion.push_text(&self.motions[place.unwrap_or(0)]);
        mass.push_optional(body.freedom.movable().then_some(body.mass.mass));
        let kind = self.shapes.entry(cells.shape);
        shape.push_text(kind.or_insert_with(|| cells.shape.into()));
        radius.push_optional(cells.radius);
        half_length.push_optional(cells.half_length);
        outline.push_text(cells.outline.as_ref().unwrap_or(none));
    }
}

/// The columns of `names` and their values for these bodies.
pub fn names_table<D: RecordShape>(
    cast: &SceneNames,
    bodies: &[Body<D>],
) -> (Vec<Column>, Vec<ColumnValues>) {
    let columns = super::tables::columns::<D>("names");
    let mut values: Vec<ColumnValues> = columns.iter().map(ColumnValues::empty).collect();
    let mut namer = NamesTableBuilder::new(cast);
    for (number, body) in bodies.iter().enumerate() {
        namer.push(&mut values, number, body);
    }
    (columns, values)
}

/// The description of a body without records; `None` for a shape that cannot be drawn.
pub fn describe_body<D: RecordShape>(
    name: &str,
    material: &str,
    body: &Body<D>,
) -> Option<BodyDescription> {
    let cells = D::shape_columns(&body.shape);
    let outline = cells.outline.as_deref().unwrap_or("");
    let (radius, half_length) = (cells.radius, cells.half_length);
    let outline = outline::read(D::N == 2, cells.shape, radius, half_length, outline).ok()?;
    Some(BodyDescription {
        name: name.into(),
        material: material.into(),
        motion: BodyMotion::of(body.freedom),
        mass: body.freedom.movable().then_some(body.mass.mass),
        shape: Arc::new(outline),
    })
}

/// The groups of every body, joined by spaces; each distinct text is stored once.
fn groups(cast: &SceneNames, none: &Arc<str>) -> Vec<Arc<str>> {
    let mut of_body = vec![Arc::clone(none); cast.bodies.len()];
    for (name, members) in &cast.groups {
        let mut joined: HashMap<Arc<str>, Arc<str>> = HashMap::new();
        for member in members {
            let Some(known) = of_body.get_mut(*member as usize) else {
                continue;
            };
            // Bodies with the same groups share the extended text.
            let longer = joined.entry(Arc::clone(known)).or_insert_with(|| {
                let both = format!("{known} {name}");
                both.trim_start().into()
            });
            *known = Arc::clone(longer);
        }
    }
    of_body
}

/// Reads the table `names`.
///
/// # Errors
/// There is none, or it is damaged.
pub fn read_body_descriptions(record: &Record) -> Result<Vec<BodyDescription>, RecordError> {
    const COLUMNS: [&str; 8] = [
        "name",
        "material",
        "motion",
        "mass",
        "shape",
        "radius",
        "half_length",
        "outline",
    ];
    let wanted = COLUMNS.map(String::from);
    let places = record.column_indices("names", Some(&wanted))?;
    // Records without `dimension` in their settings: the plane has no column `z`.
    let in_plane = match record.manifest().settings.get("dimension") {
        Some(dimension) => dimension.as_u64() == Some(2),
        None => {
            let columns = &record.entry("bodies")?.columns;
            columns.iter().all(|c| c.name != "z")
        }
    };
    let mut all = Vec::new();
    let mut known: HashMap<Arc<str>, Arc<RecordedShape>> = HashMap::new();
    for chunk in record.chunks("names")? {
        let part = record.read_chunk("names", &chunk, &places)?;
        for row in 0..part.rows {
            let name = read_row(&part.values, row, in_plane, &mut known);
            let damaged = |why: String| RecordError::damaged(chunk.path(), why);
            all.push(name.map_err(damaged)?);
        }
    }
    Ok(all)
}

fn read_row(
    values: &[ColumnValues],
    row: usize,
    in_plane: bool,
    known: &mut HashMap<Arc<str>, Arc<RecordedShape>>,
) -> Result<BodyDescription, String> {
    // Missing values read as empty texts and `None`.
    let text = |column: usize| -> Arc<str> {
        match values.get(column) {
            Some(ColumnValues::Text(all)) => all.get(row).cloned().unwrap_or_else(|| "".into()),
            _ => "".into(),
        }
    };
    let number = |column: usize| match values.get(column).map(|v| v.cell(row)) {
        Some(CellValue::Real(x)) => Some(x),
        _ => None,
    };
    let (motion, shape, vertices) = (text(2), text(4), text(7));
    let motion = BodyMotion::ALL.iter().find(|(_, word)| **word == *motion);
    let (motion, _) = motion.ok_or("a `motion` that this program does not know")?;
    let read = || outline::read(in_plane, &shape, number(5), number(6), &vertices).map(Arc::new);
    let outline = if vertices.is_empty() {
        read()?
    } else {
        // Bodies with the same kind and vertices share one shape. Whether a chain is closed is part of the text of
        // its vertices.
        let key: Arc<str> = format!("{shape} {vertices}").into();
        match known.get(&key) {
            Some(outline) => Arc::clone(outline),
            None => {
                let outline = read()?;
                known.insert(key, Arc::clone(&outline));
                outline
            }
        }
    };
    Ok(BodyDescription {
        name: text(0),
        material: text(1),
        motion: *motion,
        mass: number(3),
        shape: outline,
    })
}
