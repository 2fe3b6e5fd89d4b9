//! The bodies of a state as VTK points with arrays, and as surfaces.

use std::collections::HashMap;
use std::sync::Arc;

use super::step_reader::StepRows;
use super::surface::{Surface, Tessellation};
use super::vtp::{DataArray, PolyData};
use crate::body_tables::{BodyDescription, RecordedShape, read_body_descriptions};
use crate::column::{CellValue, ColumnValues};
use crate::error::RecordError;
use crate::frame::BodyState;
use crate::reader::Record;

/// Descriptions and surfaces of the bodies, common to all states.
#[derive(Debug)]
pub struct BodySurfaces {
    /// Descriptions of the bodies.
    pub bodies: Vec<BodyDescription>,
    /// Their groups, as in the records.
    pub groups: Vec<Arc<str>>,
    /// Index of the group, by body.
    pub group: Vec<i64>,
    /// Index of the material, by body.
    pub material: Vec<i64>,
    surfaces: Vec<Arc<Surface>>,
    /// Initial positions, by body.
    first: HashMap<usize, [f64; 3]>,
    /// Centre and half diagonal of the bounding box of all bounded bodies.
    middle: [f64; 3],
    half_diagonal: f64,
    /// Whether the run is in the plane.
    pub flat: bool,
}

/// Columns of `bodies` that are read.
pub fn columns(flat: bool) -> &'static [&'static str] {
    match flat {
        true => &["step", "t", "body", "x", "y", "angle", "vx", "vy", "spin"],
        false => &[
            "step", "t", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x",
            "spin_y", "spin_z",
        ],
    }
}

/// The poses and velocities of the bodies of a state, with their indices.
pub fn body_states(slab: &StepRows, flat: bool) -> Vec<(usize, BodyState)> {
    let one = |row: usize| {
        let at = |k: usize| slab.number(row, 3 + k);
        let place = match flat {
            true => BodyState {
                velocity: [at(3), at(4), 0.0],
                spin: [0.0, 0.0, at(5)],
                ..BodyState::at([at(0), at(1), 0.0], at(2))
            },
            false => BodyState {
                position: std::array::from_fn(at),
                rotation: std::array::from_fn(|k| at(3 + k)),
                velocity: std::array::from_fn(|k| at(7 + k)),
                spin: std::array::from_fn(|k| at(10 + k)),
            },
        };
        (usize::try_from(slab.integer(row, 2)).unwrap_or(0), place)
    };
    (0..slab.table.rows).map(one).collect()
}

/// Numbers texts in the order of their first appearance.
fn numbered(texts: &[Arc<str>]) -> Vec<i64> {
    let mut known: HashMap<&str, i64> = HashMap::new();
    let mut all = Vec::with_capacity(texts.len());
    for text in texts {
        let next = known.len() as i64;
        all.push(*known.entry(text).or_insert(next));
    }
    all
}

fn texts(record: &Record, column: &str) -> Result<Vec<Arc<str>>, RecordError> {
    let table = record.table("names", Some(&[column]))?;
    match table.values.into_iter().next() {
        Some(ColumnValues::Text(all)) => Ok(all),
        _ => Ok(Vec::new()),
    }
}

impl BodySurfaces {
    /// Of a run; `first` is its first state.
    pub fn new(
        record: &Record,
        first: &[(usize, BodyState)],
        fineness: Tessellation,
    ) -> Result<Self, RecordError> {
        let (bodies, groups) = (read_body_descriptions(record)?, texts(record, "group")?);
        let materials: Vec<Arc<str>> = bodies.iter().map(|b| Arc::clone(&b.material)).collect();
        let mut company = Self {
            group: numbered(&groups),
            material: numbered(&materials),
            surfaces: surfaces(&bodies, fineness),
            first: first
                .iter()
                .map(|(k, place)| (*k, place.position))
                .collect(),
            groups,
            bodies,
            middle: [0.0; 3],
            half_diagonal: 1.0,
            flat: fineness.flat,
        };
        company.measure(record)?;
        Ok(company)
    }

    /// Bounding box of all bounded bodies, in the first and in the last chunk of the states.
    fn measure(&mut self, record: &Record) -> Result<(), RecordError> {
        let axes: &[&str] = if self.flat {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        };
        let columns: Vec<String> = ["body"].iter().chain(axes).map(|c| (*c).into()).collect();
        let places = record.column_indices("bodies", Some(&columns))?;
        let chunks = record.chunks("bodies")?;
        let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let last = chunks.len().saturating_sub(1);
        let both = chunks.iter().enumerate();
        // Only the first and the last chunk: the box is for the size of patches.
        for (_, chunk) in both.filter(|(k, _)| *k == 0 || *k == last) {
            let part = record.read_chunk("bodies", chunk, &places)?;
            for row in 0..part.rows {
                let body = match part.values.first().map(|v| v.cell(row)) {
                    Some(CellValue::Integer(k)) => usize::try_from(k).unwrap_or(usize::MAX),
                    _ => continue,
                };
                let Some(size) = self.bodies.get(body).and_then(|b| b.shape.radius()) else {
                    continue;
                };
                for (k, values) in part.values.iter().skip(1).enumerate() {
                    let x = values.number(row);
                    ends[0][k] = ends[0][k].min(x - size);
                    ends[1][k] = ends[1][k].max(x + size);
                }
            }
        }
        // Centre and diagonal; sides without extent count as zero.
        let sides: [f64; 3] = std::array::from_fn(|k| ends[1][k] - ends[0][k]);
        let sides = sides.map(|s| if s.is_finite() { s.max(0.0) } else { 0.0 });
        for (k, side) in sides.iter().enumerate().filter(|(_, s)| **s > 0.0) {
            self.middle[k] = ends[0][k] + 0.5 * side;
        }
        let diagonal = sides.iter().map(|s| s * s).sum::<f64>().sqrt();
        if diagonal > 0.0 && diagonal.is_finite() {
            self.half_diagonal = 0.5 * diagonal;
        }
        Ok(())
    }

    /// A vertex for every body.
    pub fn points(&self, state: &[(usize, BodyState)]) -> PolyData {
        let mut poly = PolyData {
            points: state.iter().map(|(_, place)| place.position).collect(),
            ..PolyData::default()
        };
        for k in 0..state.len() {
            poly.verts.push(k, [0]);
        }
        let of = |k: usize| self.bodies.get(k).map(|body| &*body.shape);
        let radius = |(k, _): &(usize, BodyState)| match of(*k) {
            Some(RecordedShape::Round { radius }) => *radius,
            _ => 0.0,
        };
        let size =
            |(k, _): &(usize, BodyState)| of(*k).and_then(RecordedShape::radius).unwrap_or(0.0);
        let turned: Vec<[f64; 4]> = state.iter().map(|(_, place)| place.rotation).collect();
        poly.point_data = self.arrays(state);
        poly.point_data.extend([
            DataArray::reals("radius", state.iter().map(radius).collect()),
            DataArray::reals("size", state.iter().map(size).collect()),
            DataArray::vectors("rotation", &turned),
        ]);
        poly
    }

    /// The surfaces of the bodies at their poses.
    pub fn shapes(&self, state: &[(usize, BodyState)]) -> PolyData {
        let mut poly = PolyData::default();
        let (mut of_lines, mut of_polys) = (Vec::new(), Vec::new());
        for (k, (body, place)) in state.iter().enumerate() {
            let Some(known) = self.surfaces.get(*body) else {
                continue;
            };
            // Vertices in space, cells with the index of their body.
            let patch = self.patch(*body, place);
            let surface = patch.as_ref().unwrap_or(known);
            let first = poly.points.len();
            poly.points
                .extend(surface.points.iter().map(|p| place.to_space(*p)));
            for line in &surface.lines {
                poly.lines.push(first, line.iter().copied());
                of_lines.push((*body, state[k].1));
            }
            for face in &surface.polys {
                poly.polys.push(first, face.iter().copied());
                of_polys.push((*body, state[k].1));
            }
        }
        // Cell arrays follow the order of VTK: lines before polygons.
        of_lines.append(&mut of_polys);
        poly.cell_data = self.arrays(&of_lines);
        poly
    }

    /// A bounded patch of a half-plane or half-space below the bodies.
    fn patch(&self, body: usize, place: &BodyState) -> Option<Surface> {
        let flat = match &*self.bodies.get(body)?.shape {
            RecordedShape::HalfPlane => true,
            RecordedShape::HalfSpace => false,
            _ => return None,
        };
        // Centre of the bounding box in the axes of the boundary.
        let [w, x, y, z] = place.rotation;
        let back = BodyState {
            rotation: [w, -x, -y, -z],
            ..*place
        };
        let away = std::array::from_fn(|k| self.middle[k] - place.position[k]);
        let [a, b, _] = back.rotate(away);
        // A little larger than the bounding box of the bodies.
        let s = 1.2 * self.half_diagonal;
        Some(match flat {
            true => Surface {
                points: vec![[a - s, 0.0, 0.0], [a + s, 0.0, 0.0]],
                lines: vec![vec![0, 1]],
                polys: Vec::new(),
            },
            false => Surface {
                points: [[-s, -s], [s, -s], [s, s], [-s, s]]
                    .map(|[u, v]| [a + u, b + v, 0.0])
                    .to_vec(),
                lines: Vec::new(),
                polys: vec![vec![0, 1, 2, 3]],
            },
        })
    }

    /// Arrays of body data, for points or cells that belong to them.
    fn arrays(&self, of: &[(usize, BodyState)]) -> Vec<DataArray> {
        let each = |value: &dyn Fn(&(usize, BodyState)) -> f64| of.iter().map(value).collect();
        let three = |value: &dyn Fn(&(usize, BodyState)) -> [f64; 3]| -> Vec<[f64; 3]> {
            of.iter().map(value).collect()
        };
        let number = |all: &[i64]| -> Vec<i64> {
            let one = |(k, _): &(usize, BodyState)| all.get(*k).copied().unwrap_or(-1);
            of.iter().map(one).collect()
        };
        let moved = |(k, place): &(usize, BodyState)| {
            let from = self.first.get(k).copied().unwrap_or(place.position);
            std::array::from_fn(|i| place.position[i] - from[i])
        };
        let speed = |(_, place): &(usize, BodyState)| {
            place.velocity.iter().map(|v| v * v).sum::<f64>().sqrt()
        };
        // Bodies that do not follow forces have no mass: NaN, as VTK has no null.
        let mass = |(k, _): &(usize, BodyState)| {
            let body = self.bodies.get(*k);
            body.and_then(|b| b.mass).unwrap_or(f64::NAN)
        };
        vec![
            DataArray::integers("body", of.iter().map(|(k, _)| *k as i64).collect()),
            DataArray::integers("group", number(&self.group)),
            DataArray::integers("material", number(&self.material)),
            DataArray::reals("mass", each(&mass)),
            DataArray::reals("speed", each(&speed)),
            DataArray::vectors("velocity", &three(&|(_, place)| place.velocity)),
            DataArray::vectors("spin", &three(&|(_, place)| place.spin)),
            DataArray::vectors("displacement", &three(&moved)),
        ]
    }
}

/// The surface of every body; bodies with the same shape share one.
fn surfaces(bodies: &[BodyDescription], fineness: Tessellation) -> Vec<Arc<Surface>> {
    let mut shared: HashMap<*const RecordedShape, Arc<Surface>> = HashMap::new();
    let one = |body: &BodyDescription| {
        let known = shared.entry(Arc::as_ptr(&body.shape));
        let make = || Arc::new(Surface::of(&body.shape, fineness));
        Arc::clone(known.or_insert_with(make))
    };
    bodies.iter().map(one).collect()
}
