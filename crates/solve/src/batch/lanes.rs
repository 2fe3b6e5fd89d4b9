//! Four numbers at a time.
//!
//! [`F4`] is how they are stored, and plain arithmetic on them; [`Four`] is what a kernel may do with four
//! numbers, so that the same source serves any processor and, in `wide`, one with AVX2. No operation is
//! fused and none is reordered: a lane holds the bits that a scalar loop would give, either way.

use std::ops::{Add, Mul, Neg, Sub};

/// Contacts that are treated together.
pub(super) const LANES: usize = 4;

/// Four numbers in memory.
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

/// What a kernel does with four numbers.
pub(super) trait SimdVector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// From memory.
    fn load(x: F64x4) -> Self;

    /// To memory.
    fn store(self) -> F64x4;

    /// Quotients.
    fn div(self, o: Self) -> Self;

    /// Square roots.
    fn sqrt(self) -> Self;

    /// |x|.
    fn abs(self) -> Self;

    /// max(x, 0); 0 where x is not a number.
    fn max_zero(self) -> Self;

    /// Lane by lane: x where a ≤ b, else y.
    fn select_le(a: Self, b: Self, x: Self, y: Self) -> Self;

    /// Rows to columns: entry j of row i becomes entry i of row j.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Asks for what will be read soon. It changes the time of what follows and nothing else.
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
        let pick = |k: usize| if a.0[k] <= b.0[k] { x.0[k] } else { y.0[k] };
        Self([pick(0), pick(1), pick(2), pick(3)])
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
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

/// Three times four numbers in memory: a vector in each lane.
pub(super) type V3 = [F64x4; 3];

/// Out of memory.
#[inline(always)]
pub(super) fn load_array<L: SimdVector, const N: usize>(x: &[F64x4; N]) -> [L; N] {
    // A loop: `map` of arrays is a function that the compiler may leave outside of the AVX2 one.
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
