//! SIMD vectors of four numbers.
//!
//! [`F64x4`] is the memory format, with plain arithmetic; [`SimdVector`] is the interface that kernels are written for,
//! so that the same source serves any processor and one with AVX2. No operation is fused (no FMA) and none is
//! reordered: every lane gives the bits that a scalar loop would give, on either instruction set.

use std::ops::{Add, Mul, Neg, Sub};

/// SIMD lanes: contacts of a pack.
pub(super) const LANES: usize = 4;

/// Four numbers in memory, aligned for AVX loads.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(32))]
pub(super) struct F64x4(pub [f64; LANES]);

impl F64x4 {
    /// The same number in every lane.
    pub const fn splat(x: f64) -> Self {
        Self([x; LANES])
    }

    /// The sum of the lanes, in a fixed order.
    pub fn sum(self) -> f64 {
        let a = self.0;
        // Pairwise, whatever the instruction set.
        (a[0] + a[1]) + (a[2] + a[3])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let a = self.0;
        Self([f(a[0]), f(a[1]), f(a[2]), f(a[3])])
    }

    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, o.0);
        Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
    }
}

/// Operations of a kernel on four lanes.
pub(super) trait SimdVector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Loads four numbers.
    fn load(x: F64x4) -> Self;

    /// Stores four numbers.
    fn store(self) -> F64x4;

    /// Quotient, lane by lane.
    fn div(self, o: Self) -> Self;

    /// Square root, lane by lane.
    fn sqrt(self) -> Self;

    /// |x|, lane by lane.
    fn abs(self) -> Self;

    /// max(x, 0); 0 where x is not a number.
    fn max_zero(self) -> Self;

    /// Lane by lane: x where a ≤ b, else y.
    fn select_le(a: Self, b: Self, x: Self, y: Self) -> Self;

    /// 4 × 4 transpose: entry j of row i becomes entry i of row j.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Prefetches the cache lines of an object that will be read soon; changes timing only.
    #[inline(always)]
    fn prefetch<T>(_: &T) {}

    /// The same number in every lane.
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self::load(F64x4::splat(x))
    }

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

impl SimdVector for F64x4 {
    #[inline(always)]
    fn load(x: F64x4) -> Self {
        x
    }

    #[inline(always)]
    fn store(self) -> F64x4 {
        self
    }

    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self.zip(o, |x, y| x / y)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn max_zero(self) -> Self {
        self.map(|x| if x > 0.0 { x } else { 0.0 })
    }

    #[inline(always)]
    fn select_le(a: Self, b: Self, x: Self, y: Self) -> Self {
        // False for NaN, as the AVX comparison is.
        let pick = |k: usize| if a.0[k] <= b.0[k] { x.0[k] } else { y.0[k] };
        Self([pick(0), pick(1), pick(2), pick(3)])
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        // Column k of the rows.
        [0, 1, 2, 3].map(|k| Self([rows[0].0[k], rows[1].0[k], rows[2].0[k], rows[3].0[k]]))
    }
}

impl Add for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, |x, y| x + y)
    }
}

impl Sub for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, |x, y| x - y)
    }
}

impl Mul for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        self.zip(o, |x, y| x * y)
    }
}

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

/// A vector of three components in each lane.
pub(super) type V3 = [F64x4; 3];

/// Loads an array of SIMD vectors.
#[inline(always)]
pub(super) fn load_array<L: SimdVector, const N: usize>(x: &[F64x4; N]) -> [L; N] {
    // A loop: the closure of `map` over arrays may not be inlined into the function compiled for AVX2.
    let mut out = [L::zero(); N];
    for i in 0..N {
        out[i] = L::load(x[i]);
    }
    out
}

#[inline(always)]
pub(super) fn dot<L: SimdVector>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<L: SimdVector>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
