//! The velocity of a body as sweeps read it, and where four of them are found.

use super::lanes::{F64x4, SimdVector, LANES};

/// Velocity and spin of a body, in one line of the cache or half of one.
pub(super) trait BodyVelocity: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// At rest.
    const REST: Self;

    /// In fours; what is not used is zero.
    fn parts(&self) -> &[F64x4];

    /// The same, to write.
    fn parts_mut(&mut self) -> &mut [F64x4];

    /// From kinetic coordinates, three in each part.
    fn set(&mut self, hat: &[f64]) {
        for (part, hat) in self.parts_mut().iter_mut().zip(hat.chunks(3)) {
            part.0[..hat.len()].copy_from_slice(hat);
        }
    }

    /// Coordinate k.
    fn at(&self, k: usize) -> f64 {
        self.parts()[k / 3].0[k % 3]
    }

    /// The same, to write.
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

/// Velocities of the bodies on either side of contacts.
pub(super) trait VelocityStore<R: BodyVelocity> {
    /// Whether they were left alone for a while, and are no longer in the cache of the core.
    const PREFETCH: bool;

    /// A body of a side.
    fn body(&self, side: usize, at: u32) -> &R;

    /// The same, to write.
    fn body_mut(&mut self, side: usize, at: u32) -> &mut R;
}

/// Both sides in one list.
#[derive(Debug)]
pub(super) struct PartitionVelocities<'a, R>(pub &'a mut [R]);

/// A list for each side.
#[derive(Debug)]
pub(super) struct InterfaceVelocities<'a, R>(pub &'a mut [R], pub &'a mut [R]);

impl<R: BodyVelocity> VelocityStore<R> for PartitionVelocities<'_, R> {
    /// A sweep goes over all of them before its contacts.
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

/// Part `k` of four bodies, component by component.
#[inline(always)]
pub(super) fn gather_bodies<L: SimdVector, R: BodyVelocity>(
    v: &impl VelocityStore<R>,
    side: usize,
    at: &[u32; LANES],
    k: usize,
) -> [L; LANES] {
    L::transpose([
        L::load(v.body(side, at[0]).parts()[k]),
        L::load(v.body(side, at[1]).parts()[k]),
        L::load(v.body(side, at[2]).parts()[k]),
        L::load(v.body(side, at[3]).parts()[k]),
    ])
}

/// Adds to part `k` of four bodies.
#[inline(always)]
pub(super) fn scatter_add_bodies<L: SimdVector, R: BodyVelocity>(
    v: &mut impl VelocityStore<R>,
    side: usize,
    at: &[u32; LANES],
    k: usize,
    [x, y, z]: [L; 3],
) {
    let change = L::transpose([x, y, z, L::zero()]);
    for lane in 0..LANES {
        let part = &mut v.body_mut(side, at[lane]).parts_mut()[k];
        *part = (L::load(*part) + change[lane]).store();
    }
}
