//! One recorded state of all bodies.

use percuss_record::{CellValue, RecordError, Table};
use serde_json::Value;

use crate::error::ViewError;
use crate::index::StepSpan;
use crate::moment::RunSnapshot;
use crate::pack::{BinaryTable, BinaryValues};

/// Columns of `bodies` with position and velocity, after step, time and body index.
pub(crate) fn usual(flat: bool) -> &'static [&'static str] {
    match flat {
        true => &["x", "y", "angle", "vx", "vy", "spin"],
        false => &[
            "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z",
        ],
    }
}

fn frame_of<'a>(
    spans: &'a [StepSpan],
    frame: usize,
    what: &str,
) -> Result<&'a StepSpan, ViewError> {
    spans.get(frame).ok_or_else(|| {
        ViewError::Absent(match spans.len() {
            0 => format!("no {what} are recorded yet"),
            count => format!(
                "there is no frame {frame} of {what}; they are numbered 0 to {}",
                count - 1
            ),
        })
    })
}

/// Body index in a row.
pub(crate) fn number(table: &Table, column: usize, row: usize) -> Option<usize> {
    match table.values.get(column).map(|v| v.cell(row)) {
        Some(CellValue::Integer(k)) => usize::try_from(k).ok(),
        _ => None,
    }
}

/// Times and steps of states, and of steps whose contacts are known.
pub(crate) fn times(states: &[StepSpan], contacts: &[StepSpan]) -> BinaryTable {
    let step =
        |spans: &[StepSpan]| BinaryValues::F64(spans.iter().map(|s| s.step as f64).collect());
    let t = |spans: &[StepSpan]| BinaryValues::F64(spans.iter().map(|s| s.t).collect());
    let mut pack = BinaryTable::new();
    pack.add("step", "", step(states));
    pack.add("t", "time", t(states));
    pack.add("contact_step", "", step(contacts));
    pack.add("contact_t", "time", t(contacts));
    pack
}

impl RunSnapshot {
    /// Times and steps of all recorded states, and of those whose contacts are known.
    pub fn times(&self) -> BinaryTable {
        times(self.frames(), &self.contact_steps)
    }

    /// Additional recorded columns of bodies.
    pub(crate) fn further(&self) -> Vec<&percuss_record::Column> {
        let known = ["step", "t", "body"];
        let usual = usual(self.flat);
        let columns = match (&self.states, self.has_bodies()) {
            (Ok(states), true) => states.shelf.columns(),
            _ => &[],
        };
        let other = columns.iter().filter(|c| {
            let name = c.name.as_str();
            !known.contains(&name) && !usual.contains(&name)
        });
        other
            .filter(|c| c.kind != percuss_record::ColumnType::Text)
            .collect()
    }

    /// Positions and velocities of all bodies in a recorded state, by body; NaN for bodies that are not
    /// recorded. Positions are relative to the origin.
    ///
    /// # Errors
    /// There is no such state, or the records are damaged.
    pub fn bodies(&self, frame: usize) -> Result<BinaryTable, ViewError> {
        let states = self.bodies_table()?;
        let span = frame_of(states.index.spans(), frame, "bodies")?;
        // Rows of the state, with all columns to be shown.
        let mut names = vec!["step", "body"];
        names.extend(usual(self.flat));
        names.extend(self.further().iter().map(|c| c.name.as_str()));
        let rows = span.first..span.first + span.rows;
        let (record, checked) = (&self.record, &self.checked);
        let table = states.shelf.read(record, checked, &names, rows)?;
        let count = self.body_attributes.as_ref().map_or(0, |c| c.bodies.len());
        let mut columns = vec![vec![f32::NAN; count]; names.len() - 2];
        // By body, positions relative to the origin in single precision.
        for row in 0..table.rows {
            if table.values.first().map(|v| v.number(row)) != Some(span.step as f64) {
                return Err(self.out_of_order_error("bodies").into());
            }
            let Some(body) = number(&table, 1, row) else {
                continue;
            };
            for (k, column) in columns.iter_mut().enumerate() {
                let value = table.values.get(k + 2).map_or(f64::NAN, |v| v.number(row));
                let origin = match names.get(k + 2) {
                    Some(&"x") => self.origin[0],
                    Some(&"y") => self.origin[1],
                    Some(&"z") => self.origin[2],
                    _ => 0.0,
                };
                if let Some(place) = column.get_mut(body) {
                    *place = (value - origin) as f32;
                }
            }
        }
        let mut pack = BinaryTable::new();
        for ((name, column), values) in names.iter().zip(&table.columns).skip(2).zip(columns) {
            pack.add(*name, &column.unit, BinaryValues::F32(values));
        }
        // Coordination number, where contacts are known.
        if let Some(counts) = self.coordination(span.step, count)? {
            pack.add("contacts", "", BinaryValues::U32(counts));
        }
        pack.insert_header("frame", frame);
        pack.insert_header("step", span.step);
        pack.insert_header("t", span.t);
        pack.insert_header("cell", self.cell_of(span.step)?);
        Ok(pack)
    }

    pub(crate) fn bodies_table(&self) -> Result<&crate::moment::IndexedTable, ViewError> {
        if !self.has_bodies() {
            let text = "this is no run of bodies: its motion is in api/drawing";
            return Err(ViewError::Absent(text.into()));
        }
        Ok(self.states.as_ref().map_err(Clone::clone)?)
    }

    pub(crate) fn out_of_order_error(&self, table: &str) -> RecordError {
        RecordError::Unknown(format!(
            "{}: the table `{table}` is damaged: its steps are not in order",
            self.record.directory().display()
        ))
    }

    /// Coordination number: contacts with an impulse per body, where the contacts of the step are known.
    fn coordination(&self, step: i64, count: usize) -> Result<Option<Vec<u32>>, ViewError> {
        let known = self
            .contact_steps
            .binary_search_by(|span| span.step.cmp(&step));
        let (Ok(place), Ok(contacts)) = (known, &self.contacts) else {
            return Ok(None);
        };
        let Some(span) = self.contact_steps.get(place) else {
            return Ok(None);
        };
        // Count each contact with a normal impulse for both bodies.
        let mut counts = vec![0_u32; count];
        let rows = span.first..span.first + span.rows;
        let names = ["a", "b", "impulse_n"];
        let (record, checked) = (&self.record, &self.checked);
        let table = contacts.shelf.read(record, checked, &names, rows)?;
        for row in 0..table.rows {
            let impulse = table.values.get(2).map_or(0.0, |v| v.number(row));
            if impulse > 0.0 {
                for column in 0..2 {
                    let body = number(&table, column, row);
                    if let Some(count) = body.and_then(|b| counts.get_mut(b)) {
                        *count += 1;
                    }
                }
            }
        }
        Ok(Some(counts))
    }

    /// The cell vectors of a periodic cell.
    fn cell_of(&self, step: i64) -> Result<Value, ViewError> {
        let Ok(cell) = &self.cell else {
            return Ok(Value::Null);
        };
        let Some(span) = cell.index.of_step(step) else {
            return Ok(Value::Null);
        };
        // Columns a_x, a_y, … of the cell vectors.
        let n = if self.flat { 2 } else { 3 };
        let axes = &["x", "y", "z"][..n];
        let names: Vec<String> = ["a", "b", "c"][..n]
            .iter()
            .flat_map(|vector| axes.iter().map(move |axis| format!("{vector}_{axis}")))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = span.first..span.first + 1;
        let table = cell.shelf.read(&self.record, &self.checked, &names, rows)?;
        let at = |k: usize| table.values.get(k).map_or(f64::NAN, |v| v.number(0));
        let vectors = (0..n).map(|j| (0..n).map(|k| at(j * n + k)).collect::<Vec<f64>>());
        Ok(vectors.collect::<Vec<_>>().into())
    }

    /// Centre of the bounding box of the bodies in the first state: the origin of positions.
    pub(crate) fn middle(&self) -> [f64; 3] {
        let Some((low, high)) = self.box_of(&[0]) else {
            return [0.0; 3];
        };
        std::array::from_fn(|k| {
            let middle = low[k] + 0.5 * (high[k] - low[k]);
            if middle.is_finite() { middle } else { 0.0 }
        })
    }

    /// Bounding box of all bounded bodies in these states: lower and upper corner.
    pub(crate) fn box_of(&self, frames: &[usize]) -> Option<([f64; 3], [f64; 3])> {
        let (states, company) = (
            self.bodies_table().ok()?,
            self.body_attributes.as_ref().ok()?,
        );
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let axes: &[&str] = if self.flat {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        };
        let mut names = vec!["body"];
        names.extend(axes);
        // Boundaries with vertices count only where no other body is bounded.
        let bound = company.bodies.iter().all(|b| b.shape.radius().is_none());
        // Bounding box of the bounding spheres.
        for frame in frames {
            let span = states.index.spans().get(*frame)?;
            let rows = span.first..span.first + span.rows;
            let table = states
                .shelf
                .read(&self.record, &self.checked, &names, rows)
                .ok()?;
            for row in 0..table.rows {
                let body = number(&table, 0, row).and_then(|b| company.bodies.get(b));
                let Some(size) = body.and_then(|b| reach(&b.shape, bound)) else {
                    continue;
                };
                for k in 0..axes.len() {
                    let x = table.values.get(k + 1).map_or(f64::NAN, |v| v.number(row));
                    low[k] = low[k].min(x - size);
                    high[k] = high[k].max(x + size);
                }
            }
        }
        for k in axes.len()..3 {
            (low[k], high[k]) = (0.0, 0.0);
        }
        let sound = low.iter().chain(&high).all(|x| x.is_finite());
        sound.then_some((low, high))
    }
}

/// Largest distance of a point of a shape from its origin; of boundaries with vertices only with `bound`.
fn reach(outline: &percuss_record::RecordedShape, bound: bool) -> Option<f64> {
    use percuss_record::RecordedShape;
    let farthest = |norms: &mut dyn Iterator<Item = f64>| norms.fold(0.0, f64::max);
    match outline {
        RecordedShape::Chain { vertices, .. } if bound => {
            Some(farthest(&mut vertices.iter().map(|v| v[0].hypot(v[1]))))
        }
        RecordedShape::Mesh(faces) if bound => {
            let norm = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            Some(farthest(&mut faces.vertices.iter().map(norm)))
        }
        other => other.radius(),
    }
}

/// The contact step with this index.
pub(crate) fn contact_span(moment: &RunSnapshot, frame: usize) -> Result<&StepSpan, ViewError> {
    if let Err(why) = &moment.contacts {
        return Err(why.clone().into());
    }
    frame_of(&moment.contact_steps, frame, "contacts")
}
