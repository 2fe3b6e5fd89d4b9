//! Recorded states, decimated evenly.

use percuss_record::{Column, Record, RecordError};

/// Maximal number of coordinates of all moving points of a drawing; with more, fewer states are kept.
const NUMBERS: usize = 4_000_000;

/// Maximal number of values of coordinates and velocities; with more, fewer states are kept.
const VALUES: usize = 2_000_000;

/// The sampled states of a motion.
pub(super) struct SampledStates {
    /// Columns of the positions and velocities.
    pub columns: Vec<Column>,
    /// Number of positions.
    pub positions: usize,
    pub step: Vec<f64>,
    pub t: Vec<f64>,
    /// Positions and velocities, state after state.
    pub values: Vec<f64>,
}

impl SampledStates {
    /// At most `most` states, evenly chosen among the recorded ones, including the first and the last; fewer
    /// where a state is large (`numbers` is the number of coordinates of its points).
    pub fn read(record: &Record, most: usize, numbers: usize) -> Result<Self, RecordError> {
        let columns = record.entry("coordinates")?.columns.clone();
        let places: Vec<usize> = (0..columns.len()).collect();
        let rows = record.num_rows("coordinates")?;
        // Number of states that keeps points and values within their limits.
        let fit = (NUMBERS / numbers.max(1)).min(VALUES / columns.len().max(1));
        let chosen = Chosen::of(rows, most.min(fit.max(2)));
        let mut states = Self {
            positions: columns
                .iter()
                .filter(|c| c.meaning.starts_with("position"))
                .count(),
            columns: columns.get(2..).unwrap_or(&[]).to_vec(),
            step: Vec::new(),
            t: Vec::new(),
            values: Vec::new(),
        };
        let mut first = 0;
        // Chosen rows, chunk by chunk.
        for chunk in record.chunks("coordinates")? {
            let table = record.read_chunk("coordinates", &chunk, &places)?;
            while let Some(row) = chosen.row(states.t.len()) {
                if row >= first + table.rows {
                    break;
                }
                let number = |c: usize| {
                    table
                        .values
                        .get(c)
                        .map_or(f64::NAN, |v| v.number(row - first))
                };
                states.step.push(number(0));
                states.t.push(number(1));
                states.values.extend((2..columns.len()).map(number));
            }
            first += table.rows;
        }
        Ok(states)
    }

    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Positions and velocities of a state.
    pub fn state(&self, k: usize) -> (&[f64], &[f64]) {
        let width = self.columns.len();
        let all = self.values.get(k * width..(k + 1) * width).unwrap_or(&[]);
        all.split_at(self.positions.min(all.len()))
    }

    /// One column at all states.
    pub fn series(&self, column: usize) -> Vec<f64> {
        let rows = self.values.chunks_exact(self.columns.len().max(1));
        rows.map(|row| row.get(column).copied().unwrap_or(f64::NAN))
            .collect()
    }
}

/// Evenly chosen rows of a table, including both ends.
struct Chosen {
    rows: usize,
    count: usize,
}

impl Chosen {
    fn of(rows: usize, most: usize) -> Self {
        Self {
            rows,
            count: rows.min(most.max(2)),
        }
    }

    /// Index of the k-th chosen row.
    fn row(&self, k: usize) -> Option<usize> {
        if k >= self.count {
            return None;
        }
        if self.count < 2 {
            return Some(k);
        }
        // Rounded k (rows − 1)/(count − 1), in integers wide enough for any number of rows.
        let (span, steps) = ((self.rows - 1) as u128, (self.count - 1) as u128);
        let row = (2 * k as u128 * span + steps) / (2 * steps);
        usize::try_from(row).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_evenly_and_both_ends_are_kept() {
        for (rows, most) in [
            (1, 6000),
            (2, 6000),
            (7, 3),
            (6000, 6000),
            (1_000_003, 6000),
        ] {
            let chosen = Chosen::of(rows, most);
            let all: Vec<usize> = (0..).map_while(|k| chosen.row(k)).collect();
            assert_eq!(all.len(), rows.min(most));
            assert_eq!((all[0], all[all.len() - 1]), (0, rows - 1));
            let steps: Vec<usize> = all.windows(2).map(|w| w[1] - w[0]).collect();
            let (least, most) = (steps.iter().min(), steps.iter().max());
            assert!(least.zip(most).is_none_or(|(a, b)| b - a <= 1 && *a > 0));
        }
        assert!(Chosen::of(0, 5).row(0).is_none());
    }
}
