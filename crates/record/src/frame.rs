//! Bodies at an instant, read from the records.

use crate::body_tables::{BodyDescription, ShapePart, read_body_descriptions};
use crate::column::ColumnValues;
use crate::contact_axes::{ContactAxes, contact_axes_columns};
use crate::error::RecordError;
use crate::format::CHUNK_ROWS;
use crate::reader::{Record, Table};

/// Position and velocity of a body. In the plane z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Centre of mass.
    pub position: [f64; 3],
    /// Unit quaternion w, x, y, z from body axes to space axes.
    pub rotation: [f64; 4],
    /// Velocity of the centre of mass.
    pub velocity: [f64; 3],
    /// Angular velocity about space axes.
    pub spin: [f64; 3],
}

impl BodyState {
    /// At rest at a position, rotated by an angle about z.
    pub fn at(position: [f64; 3], angle: f64) -> Self {
        let (sin, cos) = (0.5 * angle).sin_cos();
        Self {
            position,
            rotation: [cos, 0.0, 0.0, sin],
            velocity: [0.0; 3],
            spin: [0.0; 3],
        }
    }

    /// Rotates a vector from body axes to space axes.
    pub fn rotate(&self, v: [f64; 3]) -> [f64; 3] {
        let [w, x, y, z] = self.rotation;
        // v + 2w (q × v) + 2 q × (q × v).
        let c = [
            y * v[2] - z * v[1],
            z * v[0] - x * v[2],
            x * v[1] - y * v[0],
        ];
        let d = [
            y * c[2] - z * c[1],
            z * c[0] - x * c[2],
            x * c[1] - y * c[0],
        ];
        std::array::from_fn(|k| v[k] + 2.0 * (w * c[k] + d[k]))
    }

    /// The state of a part of the body.
    pub fn of_part(&self, part: &ShapePart) -> Self {
        let ([a, b, c, d], [w, x, y, z]) = (self.rotation, part.rotation);
        Self {
            position: self.to_space(part.position),
            rotation: [
                a * w - b * x - c * y - d * z,
                a * x + b * w + c * z - d * y,
                a * y - b * z + c * w + d * x,
                a * z + b * y - c * x + d * w,
            ],
            ..*self
        }
    }

    /// A point in body axes, in space coordinates.
    pub fn to_space(self, v: [f64; 3]) -> [f64; 3] {
        let turned = self.rotate(v);
        std::array::from_fn(|k| self.position[k] + turned[k])
    }
}

/// A contact force between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnForce {
    /// The bodies.
    pub bodies: [usize; 2],
    /// Contact point.
    pub at: [f64; 3],
    /// Force on the second body: impulse over step length, the mean over the step.
    pub force: [f64; 3],
    /// Its normal component.
    pub normal: f64,
}

/// All bodies at an instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// The step that ends at this instant.
    pub step: i64,
    /// Time.
    pub t: f64,
    /// Every body.
    pub bodies: Vec<BodyState>,
    /// Contact forces over the step; only where requested.
    pub forces: Vec<DrawnForce>,
    /// Vectors of the periodic cell, if there is one; the third is along z in the plane.
    pub cell: Option<[[f64; 3]; 3]>,
    /// Along which cell vectors the cell is periodic.
    pub periodic: [bool; 3],
    /// Whether it is planar; only where there is a cell.
    pub flat: bool,
}

/// The recorded states of a run of bodies.
#[derive(Debug)]
pub struct RecordedFrames<'a> {
    record: &'a Record,
    /// Descriptions of the bodies.
    pub bodies: Vec<BodyDescription>,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    count: usize,
    held: std::cell::RefCell<Option<(usize, Table)>>,
}

impl<'a> RecordedFrames<'a> {
    /// The recorded states of a run of bodies.
    ///
    /// # Errors
    /// The records lack a table or are damaged.
    pub fn of(record: &'a Record) -> Result<Self, RecordError> {
        record.require_all_bodies("this")?;
        let bodies = read_body_descriptions(record)?;
        let flat = record
            .entry("bodies")?
            .columns
            .iter()
            .all(|c| c.name != "z");
        let rows = record.num_rows("bodies")?;
        Ok(Self {
            record,
            dimension: if flat { 2 } else { 3 },
            count: rows / bodies.len().max(1),
            bodies,
            held: None.into(),
        })
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Time of a state; NaN beyond the last.
    ///
    /// # Errors
    /// The records are damaged.
    pub fn time(&self, state: usize) -> Result<f64, RecordError> {
        let row = state * self.bodies.len();
        let chunk = row / CHUNK_ROWS;
        let mut held = self.held.borrow_mut();
        if held.as_ref().is_none_or(|(k, _)| *k != chunk) {
            let first = chunk * CHUNK_ROWS;
            let part = self.record.rows("bodies", &["t"], first, CHUNK_ROWS)?;
            *held = Some((chunk, part));
        }
        let table = held.as_ref().and_then(|(_, table)| table.values.first());
        Ok(table.map_or(f64::NAN, |t| t.number(row % CHUNK_ROWS)))
    }

    /// Index of the state nearest in time; the earlier of two.
    ///
    /// # Errors
    /// The records are damaged.
    pub fn nearest(&self, t: f64) -> Result<usize, RecordError> {
        // Bisection for the first state not before t.
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.time(middle)? < t {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        if low == 0 {
            return Ok(0);
        }
        // The nearer of the two neighbours.
        let late = (self.count > low).then(|| self.time(low)).transpose()?;
        let early = self.time(low - 1)?;
        Ok(match late {
            Some(late) if late - t < t - early => low,
            _ => low - 1,
        })
    }

    /// Reads a state, with contact forces if requested.
    ///
    /// # Errors
    /// The records are damaged.
    pub fn read(&self, state: usize, forces: bool) -> Result<Frame, RecordError> {
        let count = self.bodies.len();
        let columns: &[&str] = match self.dimension {
            2 => &["step", "t", "x", "y", "angle", "vx", "vy", "spin"],
            _ => &[
                "step", "t", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x",
                "spin_y", "spin_z",
            ],
        };
        // The rows of a state are consecutive: one row per body.
        let table = self.record.rows("bodies", columns, state * count, count)?;
        let mut still = Frame::default();
        let Some((ColumnValues::Integer(steps), values)) = table.values.split_first() else {
            return Ok(still);
        };
        still.step = steps.first().copied().unwrap_or(0);
        still.t = values.first().map_or(f64::NAN, |t| t.number(0));
        // Columns after `step`: t, position, orientation, velocity, angular velocity.
        let at = |row: usize, k: usize| values.get(k).map_or(f64::NAN, |v| v.number(row));
        let flat = self.dimension == 2;
        let place = |row: usize| match flat {
            true => BodyState {
                velocity: [at(row, 4), at(row, 5), 0.0],
                spin: [0.0, 0.0, at(row, 6)],
                ..BodyState::at([at(row, 1), at(row, 2), 0.0], at(row, 3))
            },
            false => BodyState {
                position: std::array::from_fn(|k| at(row, 1 + k)),
                rotation: std::array::from_fn(|k| at(row, 4 + k)),
                velocity: std::array::from_fn(|k| at(row, 8 + k)),
                spin: std::array::from_fn(|k| at(row, 11 + k)),
            },
        };
        still.bodies = (0..table.rows).map(place).collect();
        still.cell = self.cell(state)?;
        still.periodic = self.periodic();
        still.flat = flat;
        // The initial state has no forces.
        if forces && still.step > 0 {
            still.forces = self.forces(still.step)?;
        }
        Ok(still)
    }

    /// Along which cell vectors the cell is periodic: along all, where an older record does not say.
    fn periodic(&self) -> [bool; 3] {
        let said = &self.record.manifest().settings["periodic"];
        let axis = |k: usize| said.get(k).and_then(serde_json::Value::as_bool);
        std::array::from_fn(|k| k < self.dimension && axis(k).unwrap_or(true))
    }

    /// The periodic cell of a state; runs without one have no such table.
    fn cell(&self, state: usize) -> Result<Option<[[f64; 3]; 3]>, RecordError> {
        if self.record.entry("cell").is_err() {
            return Ok(None);
        }
        let names = ["a_x", "a_y", "b_x", "b_y"];
        let deep = [
            "a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "c_x", "c_y", "c_z",
        ];
        let columns: &[&str] = if self.dimension == 2 { &names } else { &deep };
        let table = self.record.rows("cell", columns, state, 1)?;
        if table.rows == 0 {
            return Ok(None);
        }
        let n = self.dimension;
        let at = |k: usize| table.values.get(k).map_or(f64::NAN, |v| v.number(0));
        // Row-major vectors; in the plane the third is along z.
        let mut vectors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        for (j, vector) in vectors.iter_mut().enumerate().take(n) {
            for (k, entry) in vector.iter_mut().enumerate().take(n) {
                *entry = at(j * n + k);
            }
        }
        Ok(Some(vectors))
    }

    /// Contact forces over a step: impulses over its length.
    fn forces(&self, step: i64) -> Result<Vec<DrawnForce>, RecordError> {
        let flat = self.dimension == 2;
        let columns = [&["a", "b"], contact_axes_columns(flat)].concat();
        // Length of the step, which turns impulses into mean forces.
        let row = usize::try_from(step - 1).unwrap_or(0);
        let length = self.record.rows("steps", &["h"], row, 1)?;
        let h = length.values.first().map_or(f64::NAN, |h| h.number(0));
        let table = self.record.contacts_of(&columns, step)?;
        let one = |row: usize| force(&table, row, flat, h);
        Ok((0..table.rows).map(one).collect())
    }
}

/// The force of a row: impulse over the length of the step.
fn force(table: &Table, row: usize, flat: bool, h: f64) -> DrawnForce {
    let body = |k: usize| table.values.get(k).map_or(f64::NAN, |v| v.number(row)) as usize;
    let contact = ContactAxes::read(table, row, 2, flat);
    DrawnForce {
        bodies: [body(0), body(1)],
        at: contact.point,
        force: contact.impulse().map(|s| s / h),
        normal: contact.impulse_n / h,
    }
}
