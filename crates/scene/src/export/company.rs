//! The bodies of a state: as points with arrays, and as surfaces.

use std::collections::HashMap;
use std::sync::Arc;

use super::surface::{Fineness, Surface};
use super::vtp::{Array, Poly};
use super::walk::Slab;
use crate::picture::Place;
use crate::record::{Cell, Name, Outline, Record, RecordError, Values, names};

/// What all states have in common.
#[derive(Debug)]
pub struct Company {
    /// What the bodies are.
    pub bodies: Vec<Name>,
    /// Their groups, as in the records.
    pub groups: Vec<Arc<str>>,
    /// Numbers of the groups and of the materials, by body.
    pub group: Vec<i64>,
    /// Numbers of the materials, by body.
    pub material: Vec<i64>,
    surfaces: Vec<Arc<Surface>>,
    /// Where they were first; by body.
    first: HashMap<usize, [f64; 3]>,
    /// Centre and half the diagonal of a box around all that has an end.
    middle: [f64; 3],
    reach: f64,
    /// Whether they are of the plane.
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

/// The bodies of a state with their numbers.
pub fn places(slab: &Slab, flat: bool) -> Vec<(usize, Place)> {
    let one = |row: usize| {
        let at = |k: usize| slab.number(row, 3 + k);
        let place = match flat {
            true => Place {
                velocity: [at(3), at(4), 0.0],
                spin: [0.0, 0.0, at(5)],
                ..Place::at([at(0), at(1), 0.0], at(2))
            },
            false => Place {
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

/// Numbers for texts, in the order of their first appearance.
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
        Some(Values::Text(all)) => Ok(all),
        _ => Ok(Vec::new()),
    }
}

impl Company {
    /// Of a run; `first` is its first state.
    pub fn new(
        record: &Record,
        first: &[(usize, Place)],
        fineness: Fineness,
    ) -> Result<Self, RecordError> {
        let (bodies, groups) = (names(record)?, texts(record, "group")?);
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
            reach: 1.0,
            flat: fineness.flat,
        };
        company.measure(record)?;
        Ok(company)
    }

    /// The box around all that has an end, in the first and in the last chunk of the states.
    fn measure(&mut self, record: &Record) -> Result<(), RecordError> {
        let axes: &[&str] = if self.flat {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        };
        let columns: Vec<String> = ["body"].iter().chain(axes).map(|c| (*c).into()).collect();
        let places = record.places("bodies", Some(&columns))?;
        let chunks = record.chunks("bodies")?;
        let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let last = chunks.len().saturating_sub(1);
        let both = chunks.iter().enumerate();
        for (_, chunk) in both.filter(|(k, _)| *k == 0 || *k == last) {
            let part = record.read_chunk("bodies", chunk, &places)?;
            for row in 0..part.rows {
                let body = match part.values.first().map(|v| v.cell(row)) {
                    Some(Cell::Integer(k)) => usize::try_from(k).unwrap_or(usize::MAX),
                    _ => continue,
                };
                let Some(size) = self.bodies.get(body).and_then(|b| b.outline.radius()) else {
                    continue;
                };
                for (k, values) in part.values.iter().skip(1).enumerate() {
                    let x = values.number(row);
                    ends[0][k] = ends[0][k].min(x - size);
                    ends[1][k] = ends[1][k].max(x + size);
                }
            }
        }
        let sides: [f64; 3] = std::array::from_fn(|k| ends[1][k] - ends[0][k]);
        let sides = sides.map(|s| if s.is_finite() { s.max(0.0) } else { 0.0 });
        for (k, side) in sides.iter().enumerate().filter(|(_, s)| **s > 0.0) {
            self.middle[k] = ends[0][k] + 0.5 * side;
        }
        let diagonal = sides.iter().map(|s| s * s).sum::<f64>().sqrt();
        if diagonal > 0.0 && diagonal.is_finite() {
            self.reach = 0.5 * diagonal;
        }
        Ok(())
    }

    /// A point for every body.
    pub fn points(&self, state: &[(usize, Place)]) -> Poly {
        let mut poly = Poly {
            points: state.iter().map(|(_, place)| place.position).collect(),
            ..Poly::default()
        };
        for k in 0..state.len() {
            poly.verts.push(k, [0]);
        }
        let of = |k: usize| self.bodies.get(k).map(|body| &*body.outline);
        let radius = |(k, _): &(usize, Place)| match of(*k) {
            Some(Outline::Round { radius }) => *radius,
            _ => 0.0,
        };
        let size = |(k, _): &(usize, Place)| of(*k).and_then(Outline::radius).unwrap_or(0.0);
        let turned: Vec<[f64; 4]> = state.iter().map(|(_, place)| place.rotation).collect();
        poly.point_data = self.arrays(state);
        poly.point_data.extend([
            Array::reals("radius", state.iter().map(radius).collect()),
            Array::reals("size", state.iter().map(size).collect()),
            Array::vectors("rotation", &turned),
        ]);
        poly
    }

    /// The surfaces of the bodies, in their places.
    pub fn shapes(&self, state: &[(usize, Place)]) -> Poly {
        let mut poly = Poly::default();
        let (mut of_lines, mut of_polys) = (Vec::new(), Vec::new());
        for (k, (body, place)) in state.iter().enumerate() {
            let Some(known) = self.surfaces.get(*body) else {
                continue;
            };
            let patch = self.patch(*body, place);
            let surface = patch.as_ref().unwrap_or(known);
            let first = poly.points.len();
            poly.points
                .extend(surface.points.iter().map(|p| place.point(*p)));
            for line in &surface.lines {
                poly.lines.push(first, line.iter().copied());
                of_lines.push((*body, state[k].1));
            }
            for face in &surface.polys {
                poly.polys.push(first, face.iter().copied());
                of_polys.push((*body, state[k].1));
            }
        }
        // Arrays follow the order of the cells: lines before polygons.
        of_lines.append(&mut of_polys);
        poly.cell_data = self.arrays(&of_lines);
        poly
    }

    /// A half-plane or a half-space as far as the bodies go.
    fn patch(&self, body: usize, place: &Place) -> Option<Surface> {
        let flat = match &*self.bodies.get(body)?.outline {
            Outline::HalfPlane => true,
            Outline::HalfSpace => false,
            _ => return None,
        };
        let [w, x, y, z] = place.rotation;
        let back = Place {
            rotation: [w, -x, -y, -z],
            ..*place
        };
        let away = std::array::from_fn(|k| self.middle[k] - place.position[k]);
        let [a, b, _] = back.turn(away);
        // A little more than the box around the bodies: its corners are seen on the patch.
        let s = 1.2 * self.reach;
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

    /// What is known of bodies, for points or cells that belong to them.
    fn arrays(&self, of: &[(usize, Place)]) -> Vec<Array> {
        let each = |value: &dyn Fn(&(usize, Place)) -> f64| of.iter().map(value).collect();
        let three = |value: &dyn Fn(&(usize, Place)) -> [f64; 3]| -> Vec<[f64; 3]> {
            of.iter().map(value).collect()
        };
        let number = |all: &[i64]| -> Vec<i64> {
            let one = |(k, _): &(usize, Place)| all.get(*k).copied().unwrap_or(-1);
            of.iter().map(one).collect()
        };
        let moved = |(k, place): &(usize, Place)| {
            let from = self.first.get(k).copied().unwrap_or(place.position);
            std::array::from_fn(|i| place.position[i] - from[i])
        };
        let speed =
            |(_, place): &(usize, Place)| place.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        // What forces do not move has no mass: not a number, as VTK has it.
        let mass = |(k, _): &(usize, Place)| {
            let body = self.bodies.get(*k);
            body.and_then(|b| b.mass).unwrap_or(f64::NAN)
        };
        vec![
            Array::integers("body", of.iter().map(|(k, _)| *k as i64).collect()),
            Array::integers("group", number(&self.group)),
            Array::integers("material", number(&self.material)),
            Array::reals("mass", each(&mass)),
            Array::reals("speed", each(&speed)),
            Array::vectors("velocity", &three(&|(_, place)| place.velocity)),
            Array::vectors("spin", &three(&|(_, place)| place.spin)),
            Array::vectors("displacement", &three(&moved)),
        ]
    }
}

/// The surface of every body; bodies of one shape share one.
fn surfaces(bodies: &[Name], fineness: Fineness) -> Vec<Arc<Surface>> {
    let mut shared: HashMap<*const Outline, Arc<Surface>> = HashMap::new();
    let one = |body: &Name| {
        let known = shared.entry(Arc::as_ptr(&body.outline));
        let make = || Arc::new(Surface::of(&body.outline, fineness));
        Arc::clone(known.or_insert_with(make))
    };
    bodies.iter().map(one).collect()
}
