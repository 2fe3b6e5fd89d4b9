//! Axes: range, tick positions (nice numbers 1, 2, 5 times a power of ten) and tick labels.

use std::ops::Range;

use percuss_record::number::format_short;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Margin beyond the data, as a fraction of the range.
const AIR: f64 = 0.04;

/// Relative variation below which data count as constant.
const CONSTANT: f64 = 1e-9;

/// Maximal range of a logarithmic axis in decades: smaller values are rounding errors.
const DECADES: f64 = 30.0;

/// Range in decades below which a logarithmic axis also has ticks at 2 and 5.
const FEW: f64 = 2.5;

/// Linear or logarithmic scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// Equal ratios are equal lengths; only positive numbers are shown.
    Log,
}

/// A range of numbers with ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    /// Ends of the range; logarithms (base 10) on a logarithmic axis.
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    /// Decimals of the labels.
    digits: usize,
    /// Whether labels are written in scientific notation.
    powers: bool,
}

impl Axis {
    /// An axis that covers all finite `values`, with about `count` ticks.
    pub(super) fn over(values: impl Iterator<Item = f64>, scale: Scale, count: usize) -> Self {
        let seen = values.filter(|x| x.is_finite() && (scale == Scale::Linear || *x > 0.0));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in seen {
            low = low.min(x);
            high = high.max(x);
        }
        match scale {
            Scale::Linear => Self::linear(low, high, count),
            Scale::Log => Self::log(low, high, count),
        }
    }

    fn linear(low: f64, high: f64, count: usize) -> Self {
        let (low, high) = match (low.min(high), high - low) {
            // No finite value at all.
            (_, width) if width.is_nan() || width == f64::NEG_INFINITY => (0.0, 1.0),
            // A constant, up to rounding errors: a margin around it.
            (at, width) if width <= CONSTANT * at.abs().max(high.abs()) => {
                let room = if at == 0.0 { 1.0 } else { 0.1 * at.abs() };
                (at - room, high + room)
            }
            // The range overflows.
            (_, width) if width.is_infinite() => (f64::MIN / 4.0, f64::MAX / 4.0),
            (_, width) => (low - AIR * width, high + AIR * width),
        };
        Self::between(low, high, count)
    }

    /// An axis from 0 to slightly more than the largest of `values`.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>, count: usize) -> Self {
        let high = values.filter(|x| x.is_finite()).fold(0.0, f64::max);
        let high = if high > 0.0 { high } else { 1.0 };
        Self::between(0.0, (1.0 + AIR) * high, count)
    }

    /// An axis whose range is exactly that of `values`.
    pub(super) fn tight(values: impl Iterator<Item = f64>, scale: Scale, count: usize) -> Self {
        let seen = values.filter(|x| x.is_finite() && (scale == Scale::Linear || *x > 0.0));
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = seen.fold(ends, |(low, high), x| (low.min(x), high.max(x)));
        match scale {
            _ if !(low < high) => Self::over([low].into_iter(), scale, count),
            Scale::Linear => Self::between(low, high, count),
            Scale::Log => {
                let mut axis = Self::log(low, high, count);
                (axis.low, axis.high) = (low.log10(), high.log10());
                axis.ticks.retain(|m| (axis.low..=axis.high).contains(m));
                axis
            }
        }
    }

    /// A linear axis with these ends.
    fn between(low: f64, high: f64, count: usize) -> Self {
        let step = nice_ceil((high - low) / count.max(1) as f64);
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        // `k as f64 * step` keeps 0 exact; the loop is bounded whatever the rounding.
        let marks = (0..=4 * count).map(|k| first + k as f64);
        let marks: Vec<f64> = marks.take_while(|k| *k <= last).map(|k| k * step).collect();
        let largest = low.abs().max(high.abs());
        let after = |x: f64| x.max(0.0) as usize;
        let plain = after(-step.log10().floor());
        let powers = !(1e-4..1e6).contains(&largest) || plain > 9;
        Self {
            scale: Scale::Linear,
            low,
            high,
            ticks: marks,
            digits: match powers {
                false => plain,
                // As many decimals as distinguish two ticks.
                true => after(largest.log10().floor() - step.log10().floor()),
            },
            powers,
        }
    }

    fn log(low: f64, high: f64, count: usize) -> Self {
        // Range in decades, at least one and at most `DECADES`.
        let (low, high) = if low <= high {
            (low.log10(), high.log10())
        } else {
            (-1.0, 0.0)
        };
        let low = low.max(high - DECADES);
        let (low, high) = if high - low < 1.0 {
            (low - 0.5, high + 0.5)
        } else {
            (low - AIR * (high - low), high + AIR * (high - low))
        };
        if high - low < FEW {
            return Self::few_decades(low, high);
        }
        // One tick per `stride` decades.
        let stride = ((high - low) / count.max(1) as f64).ceil().max(1.0);
        let first = (low / stride).ceil() * stride;
        let marks = (0..=4 * count).map(|k| first + k as f64 * stride);
        Self {
            scale: Scale::Log,
            low,
            high,
            ticks: marks.take_while(|m| *m <= high).collect(),
            digits: 0,
            powers: true,
        }
    }

    /// A logarithmic axis of few decades, with ticks also at 2 and 5. Ends are logarithms.
    fn few_decades(low: f64, high: f64) -> Self {
        let decades = (0..8).map(|k| low.floor() + f64::from(k));
        let marks = decades.flat_map(|power| [1.0, 2.0, 5.0].map(|f: f64| power + f.log10()));
        Self {
            scale: Scale::Log,
            low,
            high,
            ticks: marks.filter(|m| (low..=high).contains(m)).collect(),
            digits: 0,
            powers: false,
        }
    }

    /// The same axis widened about its centre to the range `width`, with about `count` ticks.
    pub(super) fn widened(&self, width: f64, count: usize) -> Self {
        let middle = 0.5 * (self.low + self.high);
        Self::between(middle - 0.5 * width, middle + 0.5 * width, count)
    }

    /// Length of its range.
    pub(super) fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Position of a number, 0 at the low end and 1 at the high end; NaN where it is not shown.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let at = match self.scale {
            Scale::Linear => value,
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => f64::NAN,
        };
        (at - self.low) / (self.high - self.low)
    }

    /// Label of a tick.
    pub(super) fn label(&self, mark: f64) -> String {
        let digits = self.digits;
        match (self.scale, self.powers) {
            (Scale::Log, true) => format!("1e{mark}"),
            // 1, 2 or 5 times a power of ten: one digit.
            (Scale::Log, false) => {
                let value = 10f64.powf(mark);
                format_short(format!("{value:.0e}").parse().unwrap_or(value))
            }
            (Scale::Linear, false) => format!("{mark:.digits$}"),
            (Scale::Linear, true) if mark == 0.0 => "0".into(),
            (Scale::Linear, true) => {
                // Trailing zeros removed: 2.5e-7.
                let rounded: f64 = format!("{mark:.digits$e}").parse().unwrap_or(mark);
                format!("{rounded:e}")
            }
        }
    }

    /// Number of characters of the longest label.
    pub(super) fn longest_label(&self) -> usize {
        let lengths = self.ticks.iter().map(|m| self.label(*m).len());
        lengths.max().unwrap_or(1)
    }

    /// Whether 0 lies in the range.
    pub(super) fn shows_zero(&self) -> bool {
        self.scale == Scale::Linear && self.low < 0.0 && self.high > 0.0
    }

    /// The number at a position, the inverse of [`Axis::fraction`].
    pub(super) fn at(&self, place: f64) -> f64 {
        self.low + place * (self.high - self.low)
    }
}

/// Ticks of an interval, with their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks(Axis);

impl Ticks {
    /// About `count` ticks.
    pub fn between(low: f64, high: f64, count: usize) -> Self {
        Self(Axis::between(low, high, count))
    }

    /// Values and labels.
    pub fn all(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        self.0.ticks.iter().map(|mark| (*mark, self.0.label(*mark)))
    }
}

/// The largest nice number (1, 2, 5 times a power of ten) not above `length`.
pub fn nice_floor(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    // A tolerance, since rounding must not turn 2 into 1.
    let factor = match length / power {
        f if f >= 5.0 - 1e-9 => 5.0,
        f if f >= 2.0 - 1e-9 => 2.0,
        _ => 1.0,
    };
    factor * power
}

/// The smallest nice number (1, 2, 5 times a power of ten) not below `step`.
pub(super) fn nice_ceil(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = step / power;
    // A tolerance, since rounding must not turn 1 into 2.
    let factor = match factor {
        f if f <= 1.0 + 1e-9 => 1.0,
        f if f <= 2.0 + 1e-9 => 2.0,
        f if f <= 5.0 + 1e-9 => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// The drawing library's view of an axis: coordinates and ticks as stored.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let place = (value - self.low) / (self.high - self.low);
        limit.0 + (place * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.clone()
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        let axis = Axis::over([low, high].into_iter(), Scale::Linear, 6);
        axis.ticks.iter().map(|m| axis.label(*m)).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(labels(0.0, 2.0), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(-30.0, 25.0), ["-30", "-20", "-10", "0", "10", "20"]);
        assert_eq!(labels(0.0, 4e-7)[1], "1e-7");
        // Ticks of a narrow range far from 0 are distinguishable.
        let narrow = labels(1e7, 1e7 + 5.0);
        assert!(narrow.windows(2).all(|w| w[0] != w[1]), "{narrow:?}");
        // Rounding errors of a constant are not magnified.
        assert_eq!(labels(0.5, 0.5 + 1e-14)[0], "0.46");
    }

    #[test]
    fn constants_and_nothing_have_an_axis() {
        for (low, high) in [(3.0, 3.0), (0.0, 0.0), (-1e300, -1e300)] {
            let axis = Axis::over([low, high].into_iter(), Scale::Linear, 6);
            assert!((0.0..=1.0).contains(&axis.fraction(low)), "{low}");
            assert!(!axis.ticks.is_empty());
        }
        let none = Axis::over([f64::NAN].into_iter(), Scale::Linear, 6);
        assert!((none.low, none.high) == (0.0, 1.0));
        let none = Axis::over([0.0, -1.0].into_iter(), Scale::Log, 6);
        assert!(none.width() > 0.0);
        let wide = Axis::over([f64::MIN, f64::MAX].into_iter(), Scale::Linear, 6);
        assert!(wide.width().is_finite());
    }

    #[test]
    fn powers_of_ten_mark_a_logarithmic_axis() {
        let axis = Axis::over([0.0, 1e-16, 1e-4].into_iter(), Scale::Log, 6);
        let labels: Vec<String> = axis.ticks.iter().map(|m| axis.label(*m)).collect();
        assert_eq!(labels, ["1e-15", "1e-12", "1e-9", "1e-6"]);
        let few = Axis::over([0.3, 12.0].into_iter(), Scale::Log, 6);
        let labels: Vec<String> = few.ticks.iter().map(|m| few.label(*m)).collect();
        assert_eq!(labels, ["0.5", "1", "2", "5", "10"]);
        assert!(axis.fraction(0.0).is_nan());
        let low = axis.fraction(1e-16);
        assert!(low > 0.0 && low < 0.1);
    }
}
