//! Periodic images: bodies wrapped into the cell, and ghosts near its faces.
//!
//! ```text
//! wrapped   x' = x − H w,  w = ⌊H⁻¹x⌋         one entry for each body, by its number
//! ghosts    x' + H k,  k ∈ {−1, 0, 1}ᴺ, k > 0 lexicographically, where it can reach a wrapped body
//! ```
//!
//! Two bodies whose distance is below half of every distance between opposite faces touch with H⁻¹(x'_b + H k −
//! x'_a) within ½, so that k is one of the above or its negative: with half of the images each pair is found
//! once, from the side of the ghost. Pairs of ghosts are copies of others. Unbounded bodies have no images:
//! they are periodic themselves.

use super::Candidate;
use super::narrow_phase::by_feature;
use crate::body::Body;
use crate::dynamics::Dynamics;
use crate::periodic_cell::{Lattice, inverse};
use percuss_geometry::Pose;

/// Entries of the broad phase, wrapped bodies then ghosts, and the bodies they represent.
#[derive(Debug)]
pub(super) struct PeriodicImages<D: Dynamics> {
    /// Body, image relative to the wrapped one.
    ghosts: Vec<(u32, [i32; 3])>,
    /// Cell index w of each body.
    cell_index: Vec<[i32; 3]>,
    /// Poses of wrapped bodies and ghosts, by entry.
    pub(super) at: Vec<Pose<D>>,
    lattice: Option<Lattice<D>>,
}

impl<D: Dynamics> Default for PeriodicImages<D> {
    fn default() -> Self {
        Self {
            ghosts: Vec::new(),
            cell_index: Vec::new(),
            at: Vec::new(),
            lattice: None,
        }
    }
}

/// The images that are positive in lexicographic order.
fn positive() -> impl Iterator<Item = [i32; 3]> {
    // The number of an image in base 3 with the digits −1, 0, 1 has its sign.
    (14..27).map(|n: i32| [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1])
}

impl<D: Dynamics> PeriodicImages<D> {
    /// Wraps the bodies and creates the ghosts.
    pub(super) fn place(
        &mut self,
        bodies: &[Body<D>],
        poses: &[Pose<D>],
        growth: &[f64],
        (lattice, periodic): (&Lattice<D>, [bool; 3]),
    ) {
        // Fractional coordinates H⁻¹x, and the distances between faces.
        let (inverse, heights) = (inverse(&lattice.matrix()), lattice.heights());
        let periodic: [bool; 3] = std::array::from_fn(|k| k < D::N && periodic[k]);
        let reach = |i: usize| {
            let radius =
                D::bounding_radius(&bodies[i].shape) + growth.get(i).copied().unwrap_or(0.0);
            radius.is_finite().then_some(radius)
        };
        let n = bodies.len().min(poses.len());
        let most = (0..n).filter_map(reach).fold(0.0, f64::max);
        self.lattice = Some(*lattice);
        self.cell_index.clear();
        self.at.clear();
        self.ghosts.clear();
        let share = |x: D::Vector| -> [f64; 3] {
            std::array::from_fn(|k| (0..D::N).map(|j| inverse[k][j] * x[j]).sum())
        };
        // Wrap: subtract the cell index; unbounded bodies stay.
        for (i, pose) in poses[..n].iter().enumerate() {
            let mut wind = [0; 3];
            if reach(i).is_some() {
                let at = share(pose.position);
                for k in (0..D::N).filter(|&k| periodic[k]) {
                    wind[k] = at[k].floor() as i32;
                }
            }
            self.cell_index.push(wind);
            self.at.push(Pose {
                position: pose.position - lattice.offset(wind),
                ..*pose
            });
        }
        // Ghosts whose sphere of radius and margin can reach a body in the cell.
        for i in 0..n {
            let Some(radius) = reach(i) else {
                continue;
            };
            let at = share(self.at[i].position);
            for shift in positive() {
                let inside = |k: usize| {
                    let (x, room) = (at[k] + f64::from(shift[k]), (radius + most) / heights[k]);
                    shift[k] == 0 || periodic[k] && x <= 1.0 + room && x >= -room
                };
                if (0..3).all(inside) {
                    self.ghosts.push((i as u32, shift));
                    self.at.push(Pose {
                        position: self.at[i].position + lattice.offset(shift),
                        ..self.at[i]
                    });
                }
            }
        }
    }

    /// The body that an entry represents.
    pub(super) fn body(&self, entry: usize) -> usize {
        match entry.checked_sub(self.cell_index.len()) {
            None => entry,
            Some(ghost) => self.ghosts[ghost].0 as usize,
        }
    }

    /// The two bodies of a pair of entries a < b, the smaller index first, with the image of the second
    /// relative to the first; `None` for copies and for two images of one body.
    pub(super) fn pair(&self, a: usize, b: usize) -> Option<([usize; 2], [i32; 3])> {
        let n = self.cell_index.len();
        if a >= n {
            return None;
        }
        let (other, shift) = match b.checked_sub(n) {
            None => (b, [0; 3]),
            Some(ghost) => (self.ghosts[ghost].0 as usize, self.ghosts[ghost].1),
        };
        if a == other {
            return None;
        }
        // Image of the unwrapped bodies: undo the wrapping of both.
        let (one, two) = (self.cell_index[a], self.cell_index[other]);
        let of_other: [i32; 3] =
            std::array::from_fn(|k| shift[k].wrapping_sub(two[k]).wrapping_add(one[k]));
        match a < other {
            true => Some(([a, other], of_other)),
            false => Some(([other, a], of_other.map(i32::wrapping_neg))),
        }
    }

    /// Pose of an image of a body.
    pub(super) fn image(&self, pose: &Pose<D>, shift: [i32; 3]) -> Pose<D> {
        let offset = self.lattice.as_ref().map(|l| l.offset(shift));
        Pose {
            position: pose.position + offset.unwrap_or_default(),
            ..*pose
        }
    }

    /// Sorts candidates by bodies, image, feature.
    pub(super) fn sort(found: &mut [Candidate<D>]) {
        found.sort_unstable_by(|one, two| {
            (one.bodies, one.image)
                .cmp(&(two.bodies, two.image))
                .then_with(|| by_feature(&one.point, &two.point))
        });
    }
}
