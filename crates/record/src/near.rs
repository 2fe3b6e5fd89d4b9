//! Rows nearest to a time, found without reading all chunks.

use super::error::RecordError;
use super::reader::{Chunk, Record};

/// The recorded time nearest to a requested one.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The time; the earlier of two equally near ones.
    pub time: f64,
    /// The chunks that may have rows of it, in order.
    pub chunks: Vec<Chunk>,
}

impl Record {
    /// The time in the table's column `t` that is nearest to `t` and the chunks of its rows; `None` when the table is
    /// empty. Times need not be in order. Only chunks whose Parquet statistics (smallest and largest time) do not
    /// exclude them are read: one or two where times are in order.
    ///
    /// # Errors
    /// There is no such table, it has no column `t`, or a chunk is damaged.
    pub fn nearest(&self, table: &str, t: f64) -> Result<Option<Nearest>, RecordError> {
        let places = self.column_indices(table, Some(&["t".into()]))?;
        let mut spans = Vec::new();
        for chunk in self.chunks(table)? {
            if let Some((low, high)) = chunk.bounds("t")? {
                spans.push((chunk, low, high));
            }
        }
        let distance = |low: f64, high: f64| (low - t).max(t - high).max(0.0);
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by(|&i, &j| {
            let of = |k: usize| distance(spans[k].1, spans[k].2);
            of(i).total_cmp(&of(j)).then(i.cmp(&j))
        });
        let mut best: Option<f64> = None;
        for k in order {
            let (chunk, low, high) = &spans[k];
            if best.is_some_and(|b| distance(*low, *high) > (b - t).abs()) {
                break;
            }
            for time in self.read_chunk(table, chunk, &places)?.numbers("t") {
                let nearer = |b: f64| {
                    let (new, old) = ((time - t).abs(), (b - t).abs());
                    new < old || (new == old && time < b)
                };
                if time.is_finite() && best.is_none_or(nearer) {
                    best = Some(time);
                }
            }
        }
        let Some(time) = best else {
            return Ok(None);
        };
        let holds =
            |(chunk, low, high): (Chunk, f64, f64)| (low <= time && time <= high).then_some(chunk);
        let chunks = spans.into_iter().filter_map(holds).collect();
        Ok(Some(Nearest { time, chunks }))
    }
}
