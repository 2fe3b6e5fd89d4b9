//! Histograms: `histogram:TABLE:COLUMN`, and the distribution of contact forces.
//!
//! The bin width is that of Freedman and Diaconis (1981), 2 IQR n^(−1/3), rounded to 1, 2 or 5 times a power of
//! ten, so that edges are round numbers; it is at least 1 for integers. On a logarithmic axis bins have equal
//! ratios instead, and only positive values are counted.

use percuss_record::{ColumnType, PlotError, Record};

use super::figure::{Figure, Series, SeriesStyle};
use super::options::PlotOptions;
use super::row_selection::{drawable, select_rows};
use super::unit;
use crate::axis::{Scale, nice_ceil, nice_floor};

/// Options supported by a histogram.
pub(super) const HEEDED: [&str; 4] = ["--at", "--where", "--log-x", "--log-y"];

/// Name of the plot of the force distribution.
pub(super) const FORCES: &str = "force-distribution";

/// Minimal and maximal number of bins.
const BINS: (f64, f64) = (5.0, 100.0);

/// Adjacent bins with counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Bins {
    /// Edges in ascending order, one more than bins.
    pub edges: Vec<f64>,
    /// Number of values in [edge, next edge); the last bin includes its upper edge.
    pub counts: Vec<usize>,
}

impl Bins {
    /// Counts all finite values; with `log`, the positive ones.
    pub fn of(values: &[f64], log: bool, whole: bool) -> Self {
        let seen = values.iter().copied();
        let seen = seen.filter(|x| x.is_finite() && (!log || *x > 0.0));
        let mut seen: Vec<f64> = seen.map(|x| if log { x.log10() } else { x }).collect();
        seen.sort_by(f64::total_cmp);
        let (Some(low), Some(high)) = (seen.first().copied(), seen.last().copied()) else {
            return Self::default();
        };
        let step = step(&seen, low, high, whole && !log);
        // Integers lie at the centres of their bins.
        let shift = if whole && !log { 0.5 } else { 0.0 };
        let first = ((low + shift) / step).floor();
        let count = (((high + shift) / step).floor() - first) as usize + 1;
        let edge = |k: usize| (first + k as f64) * step - shift;
        let mut bins = Self {
            edges: (0..=count).map(edge).collect(),
            counts: vec![0; count],
        };
        for x in seen {
            // The quotient may be rounded across an edge: the edges decide.
            let place = bins.edges.partition_point(|e| *e <= x);
            bins.counts[place.saturating_sub(1).min(count - 1)] += 1;
        }
        if log {
            bins.edges.iter_mut().for_each(|e| *e = 10f64.powf(*e));
        }
        bins
    }

    /// These bins with the counts of other values, all of them within the bins.
    fn counted(&self, values: &[f64]) -> Self {
        let mut counts = vec![0; self.counts.len()];
        for x in values.iter().filter(|x| x.is_finite()) {
            let place = self.edges.partition_point(|e| e <= x);
            counts[place.saturating_sub(1).min(self.counts.len() - 1)] += 1;
        }
        Self {
            edges: self.edges.clone(),
            counts,
        }
    }

    /// Outline of the histogram with these heights.
    fn outline(&self, height: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let mut points = Vec::with_capacity(2 * self.counts.len() + 2);
        points.extend(self.edges.first().map(|e| (*e, 0.0)));
        for (k, edges) in self.edges.windows(2).enumerate() {
            points.extend([(edges[0], height(k)), (edges[1], height(k))]);
        }
        points.extend(self.edges.last().map(|e| (*e, 0.0)));
        points
    }
}

/// Bin width for sorted values (Freedman–Diaconis).
fn step(sorted: &[f64], low: f64, high: f64, whole: bool) -> f64 {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let span = high - low;
    let advised = 2.0 * (at(0.75) - at(0.25)) / (sorted.len() as f64).cbrt();
    let advised = advised.clamp(span / BINS.1, span / BINS.0);
    if !(span > 1e-12 * low.abs().max(high.abs())) || !advised.is_finite() {
        // All values are equal: one bin around them.
        let size = low.abs().max(high.abs());
        return if whole || size == 0.0 {
            1.0
        } else {
            nice_floor(size)
        };
    }
    match whole {
        true => nice_ceil(advised).max(1.0),
        false => nice_floor(advised),
    }
}

/// Histogram of several sets of values, each with its label, in bins of one width: that of all values together.
pub(super) fn of_values(sets: &[(String, Vec<f64>)]) -> Figure {
    let all: Vec<f64> = sets
        .iter()
        .flat_map(|(_, values)| values)
        .copied()
        .collect();
    let whole = all.iter().all(|x| !x.is_finite() || x.fract() == 0.0);
    let common = Bins::of(&all, false, whole);
    let total: usize = common.counts.iter().sum();
    let one = |(k, (label, values)): (usize, &(String, Vec<f64>))| {
        let bins = common.counted(values);
        Series {
            label: if sets.len() > 1 {
                label.clone()
            } else {
                String::new()
            },
            points: bins.outline(|k| bins.counts[k] as f64),
            style: if sets.len() > 1 {
                SeriesStyle::Line
            } else {
                SeriesStyle::Area
            },
            colour: k,
        }
    };
    Figure {
        y_label: format!("values in each bin, of {total}"),
        series: match total {
            0 => Vec::new(),
            _ => sets.iter().enumerate().map(one).collect(),
        },
        from_zero: true,
        ..Figure::default()
    }
}

/// The histogram of a column.
pub(super) fn figure(
    record: &Record,
    table: &str,
    name: &str,
    wish: &PlotOptions,
) -> Result<Figure, PlotError> {
    let column = drawable(record, table, name)?;
    let picked = select_rows(record, table, &[name], None, wish)?;
    let values = picked.numbers.first().map_or(&[][..], Vec::as_slice);
    let bins = Bins::of(values, wish.log_x, column.kind == ColumnType::Integer);
    let total: usize = bins.counts.iter().sum();
    let at = wish.at.map_or(String::new(), |t| format!(", t = {t} s"));
    Ok(Figure {
        title: format!("{}: {name} of {table}{at}", record.manifest().title),
        x_label: unit::of_column(column),
        y_label: format!("rows in each bin, of {total}"),
        series: vec![Series {
            points: bins.outline(|k| bins.counts[k] as f64),
            style: SeriesStyle::Area,
            ..Series::default()
        }],
        from_zero: true,
        ..Figure::default()
    })
}

/// Probability density of the normal impulses over their mean, for contacts with a normal impulse.
pub(super) fn forces(record: &Record, wish: &PlotOptions) -> Result<Figure, PlotError> {
    // By default at the last recorded time.
    let mut wish = wish.clone();
    if wish.at.is_none() {
        wish.at = record.manifest().reached.or(Some(f64::MAX));
    }
    let picked = select_rows(record, "contacts", &["impulse_n", "t"], None, &wish)?;
    let all = picked.numbers.first().map_or(&[][..], Vec::as_slice);
    // Normal impulses of closed contacts, relative to their mean.
    let pressing: Vec<f64> = all.iter().copied().filter(|s| *s > 0.0).collect();
    let count = pressing.len() as f64;
    let mean = pressing.iter().sum::<f64>() / count;
    let shares: Vec<f64> = pressing.iter().map(|s| s / mean).collect();
    let bins = Bins::of(&shares, wish.log_x, false);
    // Bin centres: geometric mean on a logarithmic axis.
    let middle = |k: usize| match wish.log_x {
        true => (bins.edges[k] * bins.edges[k + 1]).sqrt(),
        false => 0.5 * (bins.edges[k] + bins.edges[k + 1]),
    };
    let density = |k: usize| bins.counts[k] as f64 / count / (bins.edges[k + 1] - bins.edges[k]);
    let points: Vec<(f64, f64)> = (0..bins.counts.len())
        .filter(|k| bins.counts[*k] > 0)
        .map(|k| (middle(k), density(k)))
        .collect();
    let t = picked.numbers.get(1).and_then(|t| t.first()).copied();
    let at = t.map_or(String::new(), |t| {
        format!(", t = {} s", percuss_record::number::format_short(t))
    });
    let mut line = Series {
        points: points.clone(),
        ..Series::default()
    };
    line.label = String::new();
    let dots = line.clone().with_style(SeriesStyle::Points);
    Ok(Figure {
        title: format!(
            "{}: {} contacts that press{at}",
            record.manifest().title,
            pressing.len()
        ),
        x_label: "normal impulse over its mean".into(),
        y_label: "probability density".into(),
        series: vec![dots, line],
        y_scale: Scale::Log,
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simple deterministic sequence with a skewed distribution.
    fn values(n: usize) -> Vec<f64> {
        let share = |k: usize| (k as f64 * 0.618_033_988_75).fract();
        (0..n).map(|k| 3.0 * share(k).powi(3) - 0.5).collect()
    }

    #[test]
    fn counts_are_those_of_counting_one_by_one() {
        for (n, log) in [(1, false), (10, false), (5000, false), (5000, true)] {
            let all = values(n);
            let bins = Bins::of(&all, log, false);
            let last = bins.counts.len() - 1;
            for (k, edges) in bins.edges.windows(2).enumerate() {
                let inside = |x: &&f64| {
                    let below = **x < edges[1] || (k == last && **x <= edges[1]);
                    // An edge on a logarithmic axis is rounded twice: no test value lies on one.
                    **x >= edges[0] && below && (!log || **x > 0.0)
                };
                assert_eq!(all.iter().filter(inside).count(), bins.counts[k], "{k}");
            }
            let counted: usize = bins.counts.iter().sum();
            let expected = all.iter().filter(|x| !log || **x > 0.0).count();
            assert_eq!(counted, expected);
            assert!(bins.counts.len() <= 260, "{}", bins.counts.len());
        }
    }

    #[test]
    fn sets_share_their_bins_and_each_is_counted() {
        let sets = [
            ("a".to_string(), values(400)),
            ("b".to_string(), vec![f64::NAN, 0.1, 2.9]),
        ];
        let figure = of_values(&sets);
        assert!(figure.y_label.contains("of 402"), "{}", figure.y_label);
        // Every bin has two points of its height, after and before those at the ends.
        let total = |k: usize| {
            let points = &figure.series[k].points;
            let inner = &points[1..points.len() - 1];
            inner.iter().map(|p| p.1).sum::<f64>() / 2.0
        };
        assert_eq!((total(0), total(1)), (400.0, 2.0));
        let edges =
            |k: usize| -> Vec<f64> { figure.series[k].points.iter().map(|p| p.0).collect() };
        assert_eq!(edges(0), edges(1));
        // One set is an area without a label; nothing is nothing.
        let one = of_values(&sets[..1]);
        assert_eq!(
            (one.series[0].style, one.series[0].label.as_str()),
            (SeriesStyle::Area, "")
        );
        assert!(
            of_values(&[("c".to_string(), vec![f64::NAN])])
                .series
                .is_empty()
        );
    }

    #[test]
    fn whole_numbers_have_a_bin_each_and_what_is_alike_has_one() {
        let bins = Bins::of(&[1.0, 2.0, 2.0, 4.0], false, true);
        assert_eq!(bins.counts, [1, 2, 0, 1]);
        assert_eq!(bins.edges, [0.5, 1.5, 2.5, 3.5, 4.5]);
        for (x, whole) in [(0.0, false), (7.3, false), (-2.0, true), (1e300, false)] {
            let bins = Bins::of(&[x; 5], false, whole);
            assert_eq!(bins.counts, [5], "{x}");
            assert!(bins.edges[0] <= x && x <= bins.edges[1], "{x}");
        }
        assert_eq!(Bins::of(&[f64::NAN], false, false), Bins::default());
        assert_eq!(Bins::of(&[-1.0], true, false), Bins::default());
    }
}
