//! Double-double arithmetic: sums x = h + l of two floating-point numbers, |l| ≤ ½ ulp(h) (Dekker).
//!
//! Sums and products carry their own rounding errors (TwoSum, fused TwoProduct), so that relative errors are about
//! 2⁻¹⁰⁴. This is needed for differences of positions whose result is 1e-16 of their size and must still have a
//! direction. Exact operations in a fixed order: the same bits on every machine.

use glam::DVec3;

/// The unevaluated sum high + low.
#[derive(Debug, Clone, Copy)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

/// TwoSum: s + e = x + y without error, s the rounded sum.
#[inline]
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let s = x + y;
    let z = s - x;
    (s, (x - (s - z)) + (y - z))
}

/// FastTwoSum: the same where |x| ≥ |y|.
#[inline]
fn quick_sum(x: f64, y: f64) -> DoubleDouble {
    let high = x + y;
    DoubleDouble {
        high,
        low: y - (high - x),
    }
}

impl DoubleDouble {
    pub(super) const ZERO: Self = Self {
        high: 0.0,
        low: 0.0,
    };
    pub(super) const ONE: Self = Self {
        high: 1.0,
        low: 0.0,
    };

    /// x − y without error.
    pub(super) fn difference(x: f64, y: f64) -> Self {
        let (high, low) = two_sum(x, -y);
        Self { high, low }
    }

    /// Rounded to double precision.
    pub(super) fn value(self) -> f64 {
        self.high
    }

    pub(super) fn positive(self) -> bool {
        self.high > 0.0
    }

    pub(super) fn less(self, other: Self) -> bool {
        self.high < other.high || (self.high == other.high && self.low < other.low)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let (s, e) = two_sum(self.high, other.high);
        let (t, f) = two_sum(self.low, other.low);
        let first = quick_sum(s, e + t);
        quick_sum(first.high, first.low + f)
    }

    pub(super) fn negated(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    pub(super) fn times(self, other: Self) -> Self {
        // TwoProduct of the high parts, cross terms rounded.
        let p = self.high * other.high;
        let e = self.high.mul_add(other.high, -p);
        quick_sum(p, e + (self.high * other.low + self.low * other.high))
    }

    /// The quotient by long division; not finite where `other` is zero.
    pub(super) fn over(self, other: Self) -> Self {
        let by = |q: f64| Self { high: q, low: 0.0 };
        let first = self.high / other.high;
        let rest = self.minus(other.times(by(first)));
        let second = rest.high / other.high;
        let rest = rest.minus(other.times(by(second)));
        let third = rest.high / other.high;
        quick_sum(first, second).plus(by(third))
    }
}

/// A vector of double-double numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct DoubleDouble3(pub [DoubleDouble; 3]);

impl DoubleDouble3 {
    /// x − y without error.
    pub(super) fn difference(x: DVec3, y: DVec3) -> Self {
        Self([0, 1, 2].map(|i| DoubleDouble::difference(x[i], y[i])))
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self([0, 1, 2].map(|i| self.0[i].minus(other.0[i])))
    }

    /// self + s · other.
    pub(super) fn moved(&self, s: DoubleDouble, other: &Self) -> Self {
        Self([0, 1, 2].map(|i| self.0[i].plus(s.times(other.0[i]))))
    }

    pub(super) fn scaled(&self, s: DoubleDouble) -> Self {
        Self(self.0.map(|x| x.times(s)))
    }

    pub(super) fn dot(&self, other: &Self) -> DoubleDouble {
        (0..3).fold(DoubleDouble::ZERO, |sum, i| {
            sum.plus(self.0[i].times(other.0[i]))
        })
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        let (a, b) = (&self.0, &other.0);
        let entry = |i: usize, j: usize| a[i].times(b[j]).minus(a[j].times(b[i]));
        Self([entry(1, 2), entry(2, 0), entry(0, 1)])
    }

    /// Rounded to double precision.
    pub(super) fn value(&self) -> DVec3 {
        DVec3::from_array(self.0.map(DoubleDouble::value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_to_the_last_bit_keeps_its_direction() {
        // (1 + 2⁻³⁰)² − 1 − 2⁻²⁹ = 2⁻⁶⁰, which double precision loses entirely.
        let x = DoubleDouble::difference(1.0, -(2.0_f64.powi(-30)));
        let rest = x
            .times(x)
            .minus(DoubleDouble::difference(1.0, -(2.0_f64.powi(-29))));
        assert_eq!(rest.value(), 2.0_f64.powi(-60));
        let third = DoubleDouble::ONE.over(DoubleDouble::difference(3.0, 0.0));
        let off = third
            .times(DoubleDouble::difference(3.0, 0.0))
            .minus(DoubleDouble::ONE);
        // Two roundings of 2⁻¹⁰⁴.
        assert!(off.value().abs() <= 2.0_f64.powi(-103));
        // Nearly parallel vectors: the product of (1, 2⁻⁵⁰, 0) and (1, 0, 0).
        let u = DoubleDouble3::difference(DVec3::new(1.0, 2.0_f64.powi(-50), 0.0), DVec3::ZERO);
        let v = DoubleDouble3::difference(DVec3::X, DVec3::ZERO);
        assert_eq!(u.cross(&v).value(), DVec3::Z * -(2.0_f64.powi(-50)));
    }
}
