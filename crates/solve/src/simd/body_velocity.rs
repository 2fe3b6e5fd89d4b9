//! Velocities of bodies in SIMD format, and gather and scatter for four bodies.

use super::lanes::{F64x4, LANES, SimdVector};

/// Linear and angular velocity of a body, in one cache line (space) or half of one (plane).
pub(super) trait BodyVelocity: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// Zero velocity.
    const REST: Self;

    /// The SIMD vectors of the velocity; unused entries are zero.
    fn parts(&self) -> &[F64x4];

    /// Mutable SIMD vectors of the velocity.
    fn parts_mut(&mut self) -> &mut [F64x4];

    /// Sets the kinetic coordinates, three per SIMD vector.
    fn set(&mut self, hat: &[f64]) {
        // Three coordinates per SIMD vector, the fourth entry unused.
        for (part, hat) in self.parts_mut().iter_mut().zip(hat.chunks(3)) {
            part.0[..hat.len()].copy_from_slice(hat);
        }
    }

    /// Coordinate k.
    fn at(&self, k: usize) -> f64 {
        self.parts()[k / 3].0[k % 3]
    }

    /// Mutable coordinate k.
    fn at_mut(&mut self, k: usize) -> &mut f64 {
        &mut self.parts_mut()[k / 3].0[k % 3]
    }
}

/// In the plane: (v_x, v_y, ω).
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct PlanarVelocity(pub [F64x4; 1]);

/// In space: v, then ω.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct SpatialVelocity(pub [F64x4; 2]);

impl BodyVelocity for PlanarVelocity {
    const REST: Self = Self([F64x4([0.0; LANES])]);

    #[inline(always)]
    fn parts(&self) -> &[F64x4] {
        &self.0
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> &mut [F64x4] {
        &mut self.0
    }
}

impl BodyVelocity for SpatialVelocity {
    const REST: Self = Self([F64x4([0.0; LANES]); 2]);

    #[inline(always)]
    fn parts(&self) -> &[F64x4] {
        &self.0
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> &mut [F64x4] {
        &mut self.0
    }
}

/// Where the velocities of the bodies of contacts are stored.
pub(super) trait VelocityStore<R: BodyVelocity> {
    /// Whether the velocities are prefetched: true where they have probably left the cache of the core.
    const PREFETCH: bool;

    /// Velocity of a body on a side.
    fn body(&self, side: usize, at: u32) -> &R;

    /// Mutable velocity of a body on a side.
    fn body_mut(&mut self, side: usize, at: u32) -> &mut R;
}

/// Velocities of one partition: both sides of a contact in one list.
#[derive(Debug)]
pub(super) struct PartitionVelocities<'a, R>(pub &'a mut [R]);

/// Velocities of the two partitions of an interface: one list per side.
#[derive(Debug)]
pub(super) struct InterfaceVelocities<'a, R>(pub &'a mut [R], pub &'a mut [R]);

impl<R: BodyVelocity> VelocityStore<R> for PartitionVelocities<'_, R> {
    /// Velocities were just read and written by the extrapolation of the sweep, and are in the cache.
    const PREFETCH: bool = false;

    #[inline(always)]
    fn body(&self, _: usize, at: u32) -> &R {
        &self.0[at as usize]
    }

    #[inline(always)]
    fn body_mut(&mut self, _: usize, at: u32) -> &mut R {
        &mut self.0[at as usize]
    }
}

impl<R: BodyVelocity> VelocityStore<R> for InterfaceVelocities<'_, R> {
    const PREFETCH: bool = true;

    #[inline(always)]
    fn body(&self, side: usize, at: u32) -> &R {
        let list = if side == 0 { &self.0 } else { &self.1 };
        &list[at as usize]
    }

    #[inline(always)]
    fn body_mut(&mut self, side: usize, at: u32) -> &mut R {
        let list = if side == 0 { &mut self.0 } else { &mut self.1 };
        &mut list[at as usize]
    }
}

/// Gathers part `k` of four bodies and transposes it: one SIMD vector per component.
#[inline(always)]
pub(super) fn gather_bodies<L: SimdVector, R: BodyVelocity>(
    v: &impl VelocityStore<R>,
    side: usize,
    at: &[u32; LANES],
    k: usize,
) -> [L; LANES] {
    // One load per body, then a 4 × 4 transpose: one vector per component.
    L::transpose([
        L::load(v.body(side, at[0]).parts()[k]),
        L::load(v.body(side, at[1]).parts()[k]),
        L::load(v.body(side, at[2]).parts()[k]),
        L::load(v.body(side, at[3]).parts()[k]),
    ])
}

/// Transposes and adds to part `k` of four bodies.
#[inline(always)]
pub(super) fn scatter_add_bodies<L: SimdVector, R: BodyVelocity>(
    v: &mut impl VelocityStore<R>,
    side: usize,
    at: &[u32; LANES],
    k: usize,
    [x, y, z]: [L; 3],
) {
    // Back to one vector per body.
    let change = L::transpose([x, y, z, L::zero()]);
    // The bodies of a pack differ, so that the updates do not interfere.
    for lane in 0..LANES {
        let part = &mut v.body_mut(side, at[lane]).parts_mut()[k];
        *part = (L::load(*part) + change[lane]).store();
    }
}
