//! Run-time dispatch: kernels run with AVX2 where the processor has it, else with plain arithmetic.
//!
//! All unsafe code of the SIMD sweeps is here: the call of the function compiled for AVX2, and the intrinsics.

use super::lanes::{F64x4, SimdVector};

/// A computation that is compiled for each instruction set; `run` must be inlined.
pub(super) trait SimdKernel {
    /// Result of the computation.
    type Out;

    /// Runs with SIMD vectors of type `L`.
    fn run<L: SimdVector>(self) -> Self::Out;
}

/// Instruction set of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum InstructionSet {
    /// AVX2 where the processor has it.
    #[default]
    Best,
    /// Plain arithmetic, which every processor has.
    #[cfg(test)]
    Plain,
}

impl InstructionSet {
    /// Runs a kernel. Both instruction sets give the same bits: see [`SimdVector`].
    #[inline]
    pub fn run<J: SimdKernel>(self, job: J) -> J::Out {
        #[cfg(target_arch = "x86_64")]
        if self == Self::Best && std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            #[allow(unsafe_code)]
            return unsafe { with_avx2(job) };
        }
        job.run::<F64x4>()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<J: SimdKernel>(job: J) -> J::Out {
    job.run::<avx::Avx>()
}

#[cfg(target_arch = "x86_64")]
mod avx {
    //! Four numbers in an AVX register. Values of this type exist only within [`super::with_avx2`], which is entered
    //! where the processor has AVX2; this is what makes each call below sound.
    #![allow(unsafe_code)]

    use std::arch::x86_64::{
        __m256d, _CMP_LE_OQ, _MM_HINT_T0, _mm_prefetch, _mm256_add_pd, _mm256_andnot_pd,
        _mm256_blendv_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_load_pd, _mm256_max_pd,
        _mm256_mul_pd, _mm256_permute2f128_pd, _mm256_set1_pd, _mm256_setzero_pd, _mm256_sqrt_pd,
        _mm256_store_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_pd,
    };
    use std::ops::{Add, Mul, Neg, Sub};

    use crate::simd::lanes::{F64x4, LANES, SimdVector};

    /// Bytes of a cache line.
    const LINE: usize = 64;

    #[derive(Clone, Copy)]
    pub(super) struct Avx(__m256d);

    impl SimdVector for Avx {
        #[inline(always)]
        fn load(x: F64x4) -> Self {
            // SAFETY: see the module; F64x4 is aligned to 32 bytes.
            Self(unsafe { _mm256_load_pd(x.0.as_ptr()) })
        }

        #[inline(always)]
        fn store(self) -> F64x4 {
            let mut x = F64x4::splat(0.0);
            // SAFETY: see the module; F64x4 is aligned to 32 bytes.
            unsafe { _mm256_store_pd(x.0.as_mut_ptr(), self.0) };
            x
        }

        #[inline(always)]
        fn div(self, o: Self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_div_pd(self.0, o.0) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_sqrt_pd(self.0) })
        }

        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }

        #[inline(always)]
        fn max_zero(self) -> Self {
            // maxpd returns the second operand where the first is not a number, and where both are zero.
            // SAFETY: see the module.
            Self(unsafe { _mm256_max_pd(self.0, _mm256_setzero_pd()) })
        }

        #[inline(always)]
        fn select_le(a: Self, b: Self, x: Self, y: Self) -> Self {
            // SAFETY: see the module.
            Self(unsafe {
                let pick = _mm256_cmp_pd::<_CMP_LE_OQ>(a.0, b.0);
                _mm256_blendv_pd(y.0, x.0, pick)
            })
        }

        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; LANES]) -> [Self; LANES] {
            // SAFETY: see the module.
            unsafe {
                // Interleave pairs of rows, then exchange the 128-bit halves.
                let (p, q) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
                let (r, s) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
                [
                    Self(_mm256_permute2f128_pd::<0x20>(p, r)),
                    Self(_mm256_permute2f128_pd::<0x20>(q, s)),
                    Self(_mm256_permute2f128_pd::<0x31>(p, r)),
                    Self(_mm256_permute2f128_pd::<0x31>(q, s)),
                ]
            }
        }

        #[inline(always)]
        fn prefetch<T>(x: &T) {
            let start = std::ptr::from_ref(x).cast::<i8>();
            for at in (0..size_of::<T>()).step_by(LINE) {
                // SAFETY: the address lies within x, and a prefetch neither faults nor reads a value.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(at)) };
            }
        }

        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_set1_pd(x) })
        }
    }

    impl Add for Avx {
        type Output = Self;
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_add_pd(self.0, o.0) })
        }
    }

    impl Sub for Avx {
        type Output = Self;
        #[inline(always)]
        fn sub(self, o: Self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_sub_pd(self.0, o.0) })
        }
    }

    impl Mul for Avx {
        type Output = Self;
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_mul_pd(self.0, o.0) })
        }
    }

    impl Neg for Avx {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: see the module.
            Self(unsafe { _mm256_xor_pd(_mm256_set1_pd(-0.0), self.0) })
        }
    }
}
