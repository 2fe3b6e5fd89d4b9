//! Axis-aligned bounding boxes (AABBs) of the bodies with their margins, and the size class of each.

use crate::body::Body;
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Vector;
use percuss_geometry::{Aabb, Pose};

/// Relative enlargement of a box: 16 units in the last place cover the rounding of bounds and gaps.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Cells are at least 2⁻⁴⁰ of the coordinates: the rounding error of a coordinate in cells is then below 2⁻¹¹,
/// well within the enlargement of cells (see `levels`).
pub(super) const FINEST: f64 = 1.0 / (1u64 << 40) as f64;

/// Size class of a box that overlaps nothing.
pub(super) const EMPTY: u16 = u16::MAX;
/// Size class of an unbounded box.
pub(super) const UNBOUNDED: u16 = u16::MAX - 1;
/// Size classes per octave.
pub(super) const OCTAVE: usize = 8;

/// The boxes of all bodies by index.
#[derive(Debug)]
pub(super) struct AabbList<D: Dynamics> {
    /// The boxes with margins, without Verlet skin.
    pub(super) all: Vec<Aabb<D>>,
    /// Size classes of the enlarged boxes: leading bits of the size, or `EMPTY` or `UNBOUNDED`.
    pub(super) class: Vec<u16>,
    /// Radii of discs and spheres; 0 for other shapes and for poses that are not finite.
    pub(super) sphere_radius: Vec<f64>,
    /// Verlet skin: enlargement of the boxes of the pair list on each side.
    pub(super) skin: f64,
}

impl<D: Dynamics> Default for AabbList<D> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            class: Vec::new(),
            sphere_radius: Vec::new(),
            skin: 0.0,
        }
    }
}

impl<D: Dynamics> AabbList<D> {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.all.capacity() * size_of::<Aabb<D>>()
            + self.class.capacity() * size_of::<u16>()
            + self.sphere_radius.capacity() * size_of::<f64>()
    }

    /// Computes the boxes of all bodies with the margins `growth`, and the radii of spheres.
    pub(super) fn measure(
        &mut self,
        team: &DetectionThreads,
        bodies: &[Body<D>],
        poses: &[Pose<D>],
        growth: &[f64],
    ) {
        let n = bodies.len().min(poses.len());
        // Boxes with their margins.
        self.set(team, n, |i| {
            let growth = growth.get(i).copied().unwrap_or(0.0);
            let bounds = D::aabb(&bodies[i].shape, &poses[i]);
            with_margin(bounds, poses[i].position, growth)
        });
        // Radii of spheres, for the fast path of the narrow phase.
        super::set_len(&mut self.sphere_radius, n, 0.0);
        team.for_chunks(&mut self.sphere_radius, |from, round| {
            for (k, round) in round.iter_mut().enumerate() {
                let pose = &poses[from + k];
                let radius =
                    D::sphere_radius(&bodies[from + k].shape).filter(|_| D::is_finite_pose(pose));
                *round = radius.unwrap_or(0.0);
            }
        });
    }

    /// Sets the boxes by index.
    pub(super) fn set(
        &mut self,
        team: &DetectionThreads,
        n: usize,
        given: impl Fn(usize) -> Aabb<D> + Sync,
    ) {
        let zero = Aabb {
            low: D::Vector::splat(0.0),
            high: D::Vector::splat(0.0),
        };
        super::set_len(&mut self.all, n, zero);
        team.for_chunks(&mut self.all, |from, all| {
            for (k, bounds) in all.iter_mut().enumerate() {
                *bounds = given(from + k);
            }
        });
    }

    /// Sets the skin and the size classes of the enlarged boxes.
    pub(super) fn widen(&mut self, team: &DetectionThreads, skin: f64) {
        self.skin = skin;
        super::set_len(&mut self.class, self.all.len(), EMPTY);
        let all = &self.all;
        team.for_chunks(&mut self.class, |from, class| {
            for (class, bounds) in class.iter_mut().zip(&all[from..]) {
                *class = if empty(bounds) {
                    EMPTY
                } else {
                    class_of(&wide(bounds, skin))
                };
            }
        });
    }

    /// Whether the boxes of two bodies overlap, without the skin.
    #[inline(always)]
    pub(super) fn overlap(&self, a: usize, b: usize) -> bool {
        overlap(&self.all[a], &self.all[b])
    }
}

/// A box enlarged by `skin` on each side.
#[inline(always)]
pub(super) fn wide<D: Dynamics>(bounds: &Aabb<D>, skin: f64) -> Aabb<D> {
    Aabb {
        low: bounds.low - D::Vector::splat(skin),
        high: bounds.high + D::Vector::splat(skin),
    }
}

/// A box with the margin `growth`, enlarged by the rounding errors of the numbers it was computed from.
pub(super) fn with_margin<D: Dynamics>(
    bounds: Aabb<D>,
    position: D::Vector,
    growth: f64,
) -> Aabb<D> {
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for k in 0..D::N {
        let (l, h) = (bounds.low[k] - growth, bounds.high[k] + growth);
        // Rounding scales with the largest finite number involved.
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let size = finite(l).max(finite(h)).max(finite(position[k]));
        low[k] = l - size * ROUNDING;
        high[k] = h + size * ROUNDING;
    }
    Aabb {
        low: D::Vector::from_components(&low[..D::N]),
        high: D::Vector::from_components(&high[..D::N]),
    }
}

/// Size of a box along an axis: its extent, or the smallest cell its coordinates allow.
#[inline]
pub(super) fn size_along<D: Dynamics>(bounds: &Aabb<D>, axis: usize) -> f64 {
    let (low, high) = (bounds.low[axis], bounds.high[axis]);
    (high - low).max(low.abs().max(high.abs()) * FINEST)
}

/// Whether a box overlaps nothing: inverted, at infinity or not a number; in particular all bodies of a run
/// that has diverged, which must not all overlap one another.
#[inline]
pub(super) fn empty<D: Dynamics>(bounds: &Aabb<D>) -> bool {
    let mut sound = true;
    for k in 0..D::N {
        let (low, high) = (bounds.low[k], bounds.high[k]);
        sound &= (low <= high) & (low < f64::INFINITY) & (high > f64::NEG_INFINITY);
    }
    !sound
}

/// Size class of a box.
#[inline]
fn class_of<D: Dynamics>(bounds: &Aabb<D>) -> u16 {
    let mut size = 0.0f64;
    for k in 0..D::N {
        // The largest extent of the box decides its level.
        size = size.max(size_along(bounds, k));
    }
    if !size.is_finite() {
        return UNBOUNDED;
    }
    // Exponent and three bits of the mantissa: monotone in the size, eight classes per octave. The sign is 0,
    // so that the class is below 2¹⁴.
    (size.to_bits() >> 49) as u16
}

/// Smallest size of a class.
pub(super) fn size_of_class(class: usize) -> f64 {
    f64::from_bits((class as u64) << 49)
}

/// Whether a box is contained in another one.
#[inline(always)]
pub(super) fn within<D: Dynamics>(inner: &Aabb<D>, outer: &Aabb<D>) -> bool {
    let mut within = true;
    for k in 0..D::N {
        within &= (outer.low[k] <= inner.low[k]) & (inner.high[k] <= outer.high[k]);
    }
    within
}

/// Whether two closed boxes have a point in common.
#[inline(always)]
pub(super) fn overlap<D: Dynamics>(a: &Aabb<D>, b: &Aabb<D>) -> bool {
    let mut meet = true;
    for k in 0..D::N {
        meet &= (a.low[k] <= b.high[k]) & (b.low[k] <= a.high[k]);
    }
    meet
}
