//! Time histories of one body, one contact or all coordinates.
//!
//! Rows are decimated to what a plot can show: of every bucket of rows the first, the last, and those where a
//! measure (speed, impulse) is smallest and largest. No extreme is lost.

use percuss_record::{CellValue, ColumnType, ColumnValues, Table};

use crate::account::LIMIT;
use crate::error::ViewError;
use crate::index::StepSpan;
use crate::moment::{IndexedTable, RunSnapshot};
use crate::pack::{BinaryTable, BinaryValues};
use crate::states::{number, usual};

/// Maximal number of contact rows that one history reads; beyond, steps are skipped evenly.
const READ: usize = 20_000_000;

/// Up to this many rows of a batch are read individually.
const FEW: usize = 8;

/// Columns of `contacts` that a history needs.
fn history_columns(flat: bool) -> &'static [&'static str] {
    match flat {
        true => &["status", "gap", "impulse_n", "impulse_t1", "end_t1"],
        false => &[
            "status",
            "gap",
            "impulse_n",
            "impulse_t1",
            "end_t1",
            "impulse_t2",
            "end_t2",
        ],
    }
}

/// Indices of the rows that are kept.
pub(crate) fn decimated_rows(measure: &[f64], limit: usize) -> Vec<usize> {
    let count = measure.len();
    if count <= limit {
        return (0..count).collect();
    }
    let buckets = (limit / 4).max(1);
    let mut kept = Vec::with_capacity(4 * buckets);
    for bucket in 0..buckets {
        let (begin, end) = (bucket * count / buckets, (bucket + 1) * count / buckets);
        let at = |k: usize| measure.get(k).copied().unwrap_or(f64::NAN);
        let (mut least, mut most) = (begin, begin);
        for k in begin..end {
            // NaN counts as an extreme of both kinds.
            if !(at(k) >= at(least)) && !at(least).is_nan() {
                least = k;
            }
            if !(at(k) <= at(most)) && !at(most).is_nan() {
                most = k;
            }
        }
        kept.extend([begin, least, most, end.saturating_sub(1)]);
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn picked(values: &[f64], rows: &[usize]) -> BinaryValues {
    let one = |k: &usize| values.get(*k).copied().unwrap_or(f64::NAN);
    BinaryValues::F64(rows.iter().map(one).collect())
}

impl RunSnapshot {
    /// The history of one body: time, step and all columns of `bodies`, in double precision.
    ///
    /// # Errors
    /// There is no such body, it is not recorded, or the records are damaged.
    pub fn history_of_body(&self, body: usize) -> Result<BinaryTable, ViewError> {
        let states = self.bodies_table()?;
        let company = self.body_attributes.as_ref().map_err(Clone::clone)?;
        company.body(body)?;
        let spans = states.index.spans();
        let mut names = vec!["t", "step", "body"];
        names.extend(usual(self.flat));
        names.extend(self.further().iter().map(|c| c.name.as_str()));
        // Row of the body within a state, the same in every state.
        let rank = match spans.first() {
            None => 0,
            Some(first) => self.rank(states, first, body)?,
        };
        let table = self.rows_of(states, &names, rank)?;
        // Check that the rows are those of the body.
        if (0..table.rows).any(|row| number(&table, 2, row) != Some(body)) {
            return Err(self.out_of_order_error("bodies").into());
        }
        // Decimation keeps the extremes of the speed.
        let speed: Vec<f64> = {
            let column = |name: &str| table.numbers(name);
            let (x, y, z) = (column("vx"), column("vy"), column("vz"));
            let at = |v: &[f64], k: usize| v.get(k).copied().unwrap_or(0.0);
            (0..table.rows)
                .map(|k| at(&x, k).hypot(at(&y, k)).hypot(at(&z, k)))
                .collect()
        };
        let mut pack = self.table_pack(&table, &speed, &["body"]);
        pack.insert_header("body", body);
        Ok(pack)
    }

    /// Index of a body among the rows of a state.
    fn rank(
        &self,
        states: &IndexedTable,
        first: &StepSpan,
        body: usize,
    ) -> Result<usize, ViewError> {
        let rows = first.first..first.first + first.rows;
        let (record, checked) = (&self.record, &self.checked);
        let table = states.shelf.read(record, checked, &["body"], rows)?;
        // Position of the body among the recorded ones.
        let mut all = (0..table.rows).map(|row| number(&table, 0, row));
        all.position(|b| b == Some(body)).ok_or_else(|| {
            ViewError::Absent(format!(
                "body {body} was not recorded: `[record]` of the scene chose other bodies"
            ))
        })
    }

    /// Reads one row of every state.
    fn rows_of(
        &self,
        states: &IndexedTable,
        names: &[&str],
        rank: usize,
    ) -> Result<Table, ViewError> {
        let (record, checked) = (&self.record, &self.checked);
        let read = |rows| states.shelf.read(record, checked, names, rows);
        let mut all = read(0..0)?;
        let spans = states.index.spans().iter().filter(|s| s.rows > rank);
        let rows: Vec<usize> = spans.map(|s| s.first + rank).collect();
        let mut next = 0;
        for piece in states.shelf.parts() {
            let end = piece.first + piece.rows;
            let within = rows.get(next..).unwrap_or(&[]);
            let within = &within[..within.partition_point(|row| *row < end)];
            next += within.len();
            match within {
                [] => {}
                // Few rows of a large part: the pages in between are skipped.
                [_] | [_, _] => {
                    for row in within {
                        let one = read(*row..*row + 1)?;
                        append(&mut all, one.values, one.rows);
                    }
                }
                [first, .., last] => {
                    let part = read(*first..*last + 1)?;
                    for row in within {
                        let k = row - first;
                        let one = part.values.iter().map(|v| v.slice(k, k + 1));
                        append(&mut all, one.collect(), 1);
                    }
                }
            }
        }
        Ok(all)
    }

    /// All positions and velocities of a mechanism or a sweeping process.
    ///
    /// # Errors
    /// It is a run of bodies, they were not recorded, or the records are damaged.
    pub fn history_of_coordinates(&self) -> Result<BinaryTable, ViewError> {
        if self.has_bodies() {
            let text = "say which: history?body=ID or history?a=A&b=B&feature=F";
            return Err(ViewError::Question(text.into()));
        }
        let states = self.states.as_ref().map_err(Clone::clone)?;
        let columns = states.shelf.columns().iter();
        let numbers = columns.filter(|c| c.kind != ColumnType::Text);
        let names: Vec<&str> = numbers.map(|c| c.name.as_str()).collect();
        let rows = 0..states.index.spans().len();
        let table = states
            .shelf
            .read(&self.record, &self.checked, &names, rows)?;
        // The extremes of the first velocity, where there is one, are kept.
        let mut velocity = states.shelf.columns().iter();
        let velocity = velocity.find(|c| c.meaning.starts_with("velocity"));
        let measure = table.numbers(velocity.map_or("t", |c| c.name.as_str()));
        Ok(self.table_pack(&table, &measure, &[]))
    }

    fn table_pack(&self, table: &Table, measure: &[f64], without: &[&str]) -> BinaryTable {
        let rows = decimated_rows(measure, LIMIT);
        let mut pack = BinaryTable::new();
        for column in &table.columns {
            if !without.contains(&column.name.as_str()) {
                let values = picked(&table.numbers(&column.name), &rows);
                pack.add(&*column.name, &column.unit, values);
            }
        }
        pack.insert_header("rows", table.rows);
        pack
    }

    /// The history of one contact: in steps in which it is absent, its gap is NaN and its impulse 0.
    ///
    /// # Errors
    /// Contacts were not recorded, or the records are damaged.
    pub fn history_of_contact(&self, pair: [usize; 3]) -> Result<BinaryTable, ViewError> {
        let contacts = self.contacts.as_ref().map_err(Clone::clone)?;
        let rows: usize = self.contact_steps.iter().map(|s| s.rows).sum();
        // Stride over the steps where the table is too large.
        let every = rows.div_ceil(READ).max(1);
        let chosen: Vec<StepSpan> = self.contact_steps.iter().step_by(every).copied().collect();
        let mut seen = ContactSeries::default();
        for group in batches(&chosen) {
            self.seek(contacts, group, pair, &mut seen)?;
        }
        // Decimation keeps the extremes of the normal impulse.
        let rows = decimated_rows(&seen.sn, LIMIT);
        let mut pack = BinaryTable::new();
        pack.add("t", "time", picked(&seen.t, &rows));
        pack.add("step", "", picked(&seen.step, &rows));
        pack.add("gap", "length", picked(&seen.gap, &rows));
        pack.add("sn", "force*time", picked(&seen.sn, &rows));
        pack.add("st", "force*time", picked(&seen.st, &rows));
        pack.add("status", "", picked(&seen.status, &rows));
        pack.add("ut", "length/time", picked(&seen.ut, &rows));
        pack.add("usage", "1", picked(&seen.usage, &rows));
        pack.insert_header("rows", self.contact_steps.len());
        pack.insert_header("every", every);
        let [a, b, feature] = pair;
        pack.insert_header("a", a);
        pack.insert_header("b", b);
        pack.insert_header("feature", feature);
        Ok(pack)
    }

    /// Searches for a contact in steps whose rows are contiguous.
    fn seek(
        &self,
        contacts: &IndexedTable,
        group: &[StepSpan],
        pair: [usize; 3],
        seen: &mut ContactSeries,
    ) -> Result<(), ViewError> {
        let (record, checked) = (&self.record, &self.checked);
        // Range of rows of the group.
        let full = group.iter().filter(|s| s.rows > 0);
        let begin = full.clone().map(|s| s.first).min().unwrap_or(0);
        let end = full.map(|s| s.first + s.rows).max().unwrap_or(0);
        let keys = ["a", "b", "feature"];
        let keys = contacts.shelf.read(record, checked, &keys, begin..end)?;
        let is_it = |row: &usize| {
            let same = pair.iter().enumerate();
            let mut same = same.map(|(k, n)| number(&keys, k, *row) == Some(*n));
            same.all(|same| same)
        };
        // Row of the contact in each step, if present.
        let rows: Vec<Option<usize>> = group
            .iter()
            .map(|span| {
                let first = span.first.saturating_sub(begin);
                (first..first + span.rows).find(is_it)
            })
            .collect();
        // Many rows: whole columns are read. Few rows: the pages in between are skipped.
        let names = history_columns(self.flat);
        let count = rows.iter().flatten().count();
        let all = match count > FEW {
            true => Some(contacts.shelf.read(record, checked, names, begin..end)?),
            false => None,
        };
        for (span, row) in group.iter().zip(rows) {
            let found = match (row, &all) {
                (None, _) => None,
                (Some(row), Some(all)) => Some(self.contact_values(all, row, pair)),
                (Some(row), None) => {
                    let place = begin + row;
                    let one = contacts
                        .shelf
                        .read(record, checked, names, place..place + 1)?;
                    Some(self.contact_values(&one, 0, pair))
                }
            };
            seen.push(span, found);
        }
        Ok(())
    }

    /// Gap, normal and tangential impulse, status, sliding speed and friction usage of a contact.
    fn contact_values(&self, table: &Table, row: usize, pair: [usize; 3]) -> [f64; 6] {
        let at = |k: usize| table.values.get(k).map_or(f64::NAN, |v| v.number(row));
        let status = match table.values.first().map(|v| v.cell(row)) {
            Some(CellValue::Text("stick")) => 1.0,
            Some(CellValue::Text("slip")) => 2.0,
            _ => 0.0,
        };
        // In the plane there is one tangential row.
        let second = |k: usize, first: f64| match self.flat {
            true if first.is_nan() => f64::NAN,
            true => 0.0,
            false => at(k),
        };
        let tangential = [at(3), second(5, at(3))];
        let sliding = at(4).hypot(second(6, at(4)));
        let usage = self.usage_of(pair, at(2), tangential);
        let st = tangential[0].hypot(tangential[1]);
        [at(1), at(2), st, status, sliding, usage]
    }

    fn usage_of(&self, [a, b, _]: [usize; 3], normal: f64, tangential: [f64; 2]) -> f64 {
        let (Some(grip), Ok(company)) = (&self.facts.grip, &self.body_attributes) else {
            return f64::NAN;
        };
        match company.material.get(a).zip(company.material.get(b)) {
            Some((a, b)) => grip.usage([*a, *b], normal, tangential),
            None => f64::NAN,
        }
    }
}

fn append(all: &mut Table, values: Vec<ColumnValues>, rows: usize) {
    for (whole, part) in all.values.iter_mut().zip(values) {
        whole.append(part);
    }
    all.rows += rows;
}

/// Groups of steps with contiguous rows, some hundred thousand rows each.
fn batches(spans: &[StepSpan]) -> Vec<&[StepSpan]> {
    const ROWS: usize = 262_144;
    let mut groups = Vec::new();
    let (mut begin, mut rows, mut end) = (0, 0, None);
    for (k, span) in spans.iter().enumerate() {
        // A gap between rows, or enough rows, ends a group.
        let apart = span.rows > 0 && end.is_some_and(|end| end != span.first);
        if apart || rows >= ROWS {
            groups.extend(spans.get(begin..k));
            (begin, rows, end) = (k, 0, None);
        }
        rows += span.rows;
        if span.rows > 0 {
            end = Some(span.first + span.rows);
        }
    }
    groups.extend(spans.get(begin..).filter(|rest| !rest.is_empty()));
    groups
}

#[derive(Debug, Default)]
struct ContactSeries {
    t: Vec<f64>,
    step: Vec<f64>,
    gap: Vec<f64>,
    sn: Vec<f64>,
    st: Vec<f64>,
    status: Vec<f64>,
    ut: Vec<f64>,
    usage: Vec<f64>,
}

impl ContactSeries {
    fn push(&mut self, span: &StepSpan, found: Option<[f64; 6]>) {
        let absent = [f64::NAN, 0.0, 0.0, 0.0, f64::NAN, f64::NAN];
        let [gap, sn, st, status, ut, usage] = found.unwrap_or(absent);
        self.t.push(span.t);
        self.step.push(span.step as f64);
        self.gap.push(gap);
        self.sn.push(sn);
        self.st.push(if st.is_nan() { 0.0 } else { st });
        self.status.push(status);
        self.ut.push(ut);
        self.usage.push(usage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_all_spans_in_order_and_hold_no_other_rows() {
        let span = |first: usize, rows: usize| StepSpan {
            step: 1,
            t: 0.0,
            first,
            rows,
        };
        let spans = [
            span(0, 200_000),
            span(0, 0),
            span(200_000, 100_000),
            span(300_000, 5),
            span(400_000, 5),
            span(0, 0),
        ];
        let batches = batches(&spans);
        assert_eq!(batches.concat(), spans);
        let sizes: Vec<usize> = batches.iter().map(|b| b.len()).collect();
        assert_eq!(sizes, [3, 1, 2]);
    }

    #[test]
    fn thinning_keeps_ends_and_extremes_within_the_limit() {
        let mut measure: Vec<f64> = (0..100_003).map(|k| f64::from(k % 7)).collect();
        measure[54_321] = 100.0;
        measure[12_345] = -100.0;
        measure[77_777] = f64::NAN;
        let kept = decimated_rows(&measure, 4000);
        assert!(kept.len() <= 4000 && kept.windows(2).all(|w| w[0] < w[1]));
        for row in [0, 12_345, 54_321, 77_777, 100_002] {
            assert!(kept.binary_search(&row).is_ok(), "row {row}");
        }
        assert_eq!(
            decimated_rows(&measure[..10], 4000),
            (0..10).collect::<Vec<_>>()
        );
    }
}
