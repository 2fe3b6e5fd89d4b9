//! Dependent rows, by orthogonal rotations of row after row into a sparse triangle (George and Heath 1980).
//!
//! ```text
//! J = Q R,    R upper triangular in the elimination order of M = JᵀJ
//! ```
//!
//! R has the pattern of the factor of M. A row is rotated into R from its first entry on; it ends on the first free
//! diagonal place, or it is used up: then it depends on the rows before. Rows whose first entry is eliminated late come first,
//! so that few rotations are needed where the graph is a tree.

use super::MinimumNorm;

/// Entries of rows of unit length that are taken as rounding, and the length of what is left of a dependent row: the sine
/// of its angle to the span of the others.
const ROUNDING: f64 = 1e-9;
const DEPENDENT: f64 = 1e-6;

/// A row of R: places in elimination order, ascending, and values.
type Row = Vec<(u32, f64)>;

impl MinimumNorm {
    /// The rows that depend on the others, ascending: a smallest set whose removal leaves the rest independent. Needs the
    /// factorisation of the structure.
    pub fn dependent_rows(&self) -> Vec<usize> {
        let n = self.num_unknowns();
        // Place of each unknown in the elimination order.
        let mut place = vec![0_u32; n];
        for (k, &i) in self.fronts.order().iter().enumerate() {
            place[i as usize] = k as u32;
        }
        let mut rows: Vec<(usize, Row)> = (0..self.num_rows())
            .map(|row| (row, self.row(row, &place)))
            .collect();
        let first = |row: &Row| row.first().map_or(u32::MAX, |(k, _)| *k);
        rows.sort_by_key(|(number, row)| (std::cmp::Reverse(first(row)), *number));
        let mut triangle: Vec<Row> = vec![Row::new(); n];
        let mut dependent: Vec<usize> = rows
            .into_iter()
            .filter_map(|(number, row)| (!insert(&mut triangle, row)).then_some(number))
            .collect();
        dependent.sort_unstable();
        dependent
    }

    /// A row of unit length in elimination order.
    fn row(&self, row: usize, place: &[u32]) -> Row {
        let s = &self.structure;
        let block = s.row.partition_point(|&first| first <= row) - 1;
        let mut entries = Row::new();
        for t in s.touch[block]..s.touch[block + 1] {
            let (width, first) = (s.width(t), s.unknown[s.body[t] as usize]);
            let at = self.start[t] + (row - s.row[block]) * width;
            let values = self.entries[at..at + width].iter().enumerate();
            let values = values.filter(|(_, g)| **g != 0.0);
            entries.extend(values.map(|(c, g)| (place[first + c], *g)));
        }
        entries.sort_unstable_by_key(|(k, _)| *k);
        entries
    }
}

/// Rotates a row into the triangle; false where nothing of it is left.
fn insert(triangle: &mut [Row], mut row: Row) -> bool {
    while let Some(&(k, value)) = row.first() {
        let own = &mut triangle[k as usize];
        if value.abs() <= ROUNDING {
            row.remove(0);
        } else if !own.is_empty() {
            (*own, row) = rotate(own, &row);
        } else if row.iter().map(|(_, v)| v * v).sum::<f64>() > DEPENDENT * DEPENDENT {
            *own = row;
            return true;
        } else {
            return false;
        }
    }
    false
}

/// Plane rotation of two rows with the same first place: the second loses it.
fn rotate(a: &Row, b: &Row) -> (Row, Row) {
    let (x, y) = (a[0].1, b[0].1);
    let length = x.hypot(y);
    let (c, s) = (x / length, y / length);
    let (mut kept, mut left) = (Row::with_capacity(a.len() + b.len()), Row::new());
    kept.push((a[0].0, length));
    let (mut i, mut j) = (1, 1);
    // Merge of the two patterns.
    loop {
        let (p, q) = (a.get(i), b.get(j));
        let k = match (p, q) {
            (None, None) => break,
            (Some(p), None) => p.0,
            (None, Some(q)) => q.0,
            (Some(p), Some(q)) => p.0.min(q.0),
        };
        let take = |entry: Option<&(u32, f64)>, at: &mut usize| match entry {
            Some(&(place, value)) if place == k => {
                *at += 1;
                value
            }
            _ => 0.0,
        };
        let (u, v) = (take(p, &mut i), take(q, &mut j));
        kept.push((k, c * u + s * v));
        left.push((k, c * v - s * u));
    }
    (kept, left)
}
