//! The contacts of one recorded step.

use percuss_record::{ContactAxes, Table, contact_axes_columns};

use crate::error::ViewError;
use crate::moment::RunSnapshot;
use crate::pack::{BinaryTable, BinaryValues};
use crate::states::{contact_span, number};

/// A contact as read from a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactRow {
    pub point: [f64; 3],
    pub normal: [f64; 3],
    /// Impulse on body b in space axes.
    pub impulse: [f64; 3],
    pub sn: f64,
    /// Impulse along t1 and t2; NaN without friction.
    pub tangential: [f64; 2],
    pub gap: f64,
    pub status: u8,
    /// Sliding speed at the end of the step; NaN without friction.
    pub ut: f64,
}

/// Columns of `contacts` that are read.
pub(crate) fn columns(flat: bool) -> Vec<&'static str> {
    let before: &[&str] = &["step", "a", "b", "feature", "status", "gap"];
    let behind: &[&str] = match flat {
        true => &["end_t1"],
        false => &["end_t1", "end_t2"],
    };
    [before, contact_axes_columns(flat), behind].concat()
}

/// The contact in a row of these columns.
pub(crate) fn contact_row(table: &Table, row: usize, flat: bool) -> ContactRow {
    let at = |k: usize| table.values.get(k).map_or(f64::NAN, |v| v.number(row));
    let axes = ContactAxes::read(table, row, 6, flat);
    // Sliding velocity, behind the axes.
    let end = match flat {
        true => [at(12), 0.0],
        false => [at(18), at(19)],
    };
    let or_zero = |x: f64| if x.is_nan() { 0.0 } else { x };
    let status = match table.values.get(4).map(|v| v.cell(row)) {
        Some(percuss_record::CellValue::Text("stick")) => 1,
        Some(percuss_record::CellValue::Text("slip")) => 2,
        _ => 0,
    };
    ContactRow {
        point: axes.point,
        normal: axes.normal,
        impulse: axes.impulse(),
        sn: axes.impulse_n,
        tangential: axes.impulse_t,
        gap: at(5),
        status,
        ut: end[0].hypot(or_zero(end[1])),
    }
}

impl RunSnapshot {
    /// The contacts of a step, as a binary table. Points are relative to the origin.
    ///
    /// # Errors
    /// There is no such step, contacts were not recorded, or the records are damaged.
    pub fn contacts_table(&self, frame: usize) -> Result<BinaryTable, ViewError> {
        let span = *contact_span(self, frame)?;
        let contacts = self.contacts.as_ref().map_err(Clone::clone)?;
        let axes: &[&str] = if self.flat {
            &["x", "y"]
        } else {
            &["x", "y", "z"]
        };
        let names = columns(self.flat);
        // Periodic cells: the shift between the images in contact.
        let has_shift = contacts.shelf.columns().iter().any(|c| c.name == "shift_x");
        let shifts: Vec<String> = axes.iter().map(|axis| format!("shift_{axis}")).collect();
        let mut read = names.clone();
        if has_shift {
            read.extend(shifts.iter().map(String::as_str));
        }
        let rows = span.first..span.first + span.rows;
        let (record, checked) = (&self.record, &self.checked);
        let table = contacts.shelf.read(record, checked, &read, rows)?;
        // Check that the rows are those of the step.
        let steps = table.values.first();
        if (0..table.rows).any(|row| steps.map(|s| s.number(row)) != Some(span.step as f64)) {
            return Err(self.out_of_order_error("contacts").into());
        }
        let mut pack = self.described(&table, axes);
        for (k, name) in shifts.iter().enumerate().filter(|_| has_shift) {
            let numbers = table.values.get(names.len() + k);
            let one = |row| numbers.map_or(f32::NAN, |v| v.number(row) as f32);
            let values = (0..table.rows).map(one).collect();
            pack.add(&**name, "length", BinaryValues::F32(values));
        }
        pack.insert_header("frame", frame);
        pack.insert_header("step", span.step);
        pack.insert_header("t", span.t);
        Ok(pack)
    }

    /// The contacts in a table of these columns.
    fn described(&self, table: &Table, axes: &[&str]) -> BinaryTable {
        let one = |row| contact_row(table, row, self.flat);
        let all: Vec<ContactRow> = (0..table.rows).map(one).collect();
        let whole = |k: usize| -> Vec<u32> {
            let one = |row| number(table, k, row).and_then(|n| u32::try_from(n).ok());
            let each = (0..table.rows).map(|row| one(row).unwrap_or(u32::MAX));
            each.collect()
        };
        // Friction usage from the materials of both bodies.
        let (a, b) = (whole(1), whole(2));
        let usage = self.usages(&a, &b, &all);
        let mut pack = BinaryTable::new();
        pack.add("a", "", BinaryValues::U32(a));
        pack.add("b", "", BinaryValues::U32(b));
        pack.add("feature", "", BinaryValues::U32(whole(3)));
        let real = |of: &dyn Fn(&ContactRow) -> f64| {
            let each = all.iter().map(|c| of(c) as f32);
            BinaryValues::F32(each.collect())
        };
        // Geometry and impulses in space axes.
        for (k, axis) in axes.iter().enumerate() {
            let origin = self.origin[k];
            pack.add(*axis, "length", real(&|c| c.point[k] - origin));
        }
        for (k, axis) in axes.iter().enumerate() {
            pack.add(format!("n{axis}"), "1", real(&|c| c.normal[k]));
        }
        pack.add("gap", "length", real(&|c| c.gap));
        for (k, axis) in axes.iter().enumerate() {
            pack.add(format!("s{axis}"), "force*time", real(&|c| c.impulse[k]));
        }
        pack.add("sn", "force*time", real(&|c| c.sn));
        pack.add("usage", "1", BinaryValues::F32(usage));
        let status = all.iter().map(|c| c.status);
        pack.add("status", "", BinaryValues::U8(status.collect()));
        pack.add("ut", "length/time", real(&|c| c.ut));
        pack
    }

    fn usages(&self, a: &[u32], b: &[u32], all: &[ContactRow]) -> Vec<f32> {
        let (Some(grip), Ok(company)) = (&self.facts.grip, &self.body_attributes) else {
            return vec![f32::NAN; all.len()];
        };
        let material = |body: &u32| company.material.get(*body as usize).copied();
        let each = a.iter().zip(b).zip(all).map(|((a, b), touch)| {
            let Some((a, b)) = material(a).zip(material(b)) else {
                return f32::NAN;
            };
            grip.usage([a, b], touch.sn, touch.tangential) as f32
        });
        each.collect()
    }
}
