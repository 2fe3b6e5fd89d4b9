//! Positions of persistent contacts at the end of a step.
//!
//! ```text
//! min ½ ‖dq‖²_A   with   g_α(q_F) + G_α,n dq = 0      Gauss–Seidel sweeps: dq ← dq − A⁻¹Gᵀ (g + G dq)/(G A⁻¹Gᵀ)
//! ```
//!
//! The step leaves g = O(h³), so that one linear problem is enough: what it leaves is of order h⁶. More contacts than
//! can be closed together (a table on uneven ground) are left with a compromise. Gaps below the tolerance of closed
//! contacts are left alone: bodies at rest stay where they are.

use super::{PersistentScratch, WIDE};
use crate::dynamics::Dynamics;
use crate::state::State;
use crate::step::scratch::{Midpoint, ModelCache};
use crate::step::{CLOSED, NO_GROUP};
use percuss_geometry::Pose;

/// Largest gap that a projection leaves, relative to the largest one.
const LEFT: f64 = 1e-3;

/// Sweeps: at least, and at most where there are few contacts. Many contacts have O(h³) gaps that the next step corrects
/// as well.
const SWEEPS: [usize; 2] = [12, 200];

/// Visits of contacts up to which more than the fewest sweeps are made.
const VISITS: usize = 20_000;

/// The normal row of a contact in kinetic coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct PositionRow {
    /// First coordinates of the movable bodies; `usize::MAX` for others.
    first: [usize; 2],
    block: [[f64; WIDE]; 2],
    /// G A⁻¹ Gᵀ.
    own: f64,
    gap: f64,
    /// Sum of the radii, the scale of the gap.
    size: f64,
}

impl<D: Dynamics> PersistentScratch<D> {
    /// Closes the gaps of the contacts at q_F: moves the poses of the state.
    pub fn project_positions(&mut self, cache: &ModelCache<D>, poses: &mut [Pose<D>]) {
        self.set_rows(cache, poses);
        let worst = |rows: &[PositionRow]| {
            let shares = rows.iter().map(|row| row.gap.abs() / row.size);
            shares.fold(0.0, f64::max)
        };
        let first = worst(&self.rows);
        if !(first > CLOSED) {
            return;
        }
        let groups = cache.group.iter().filter(|g| **g != NO_GROUP).count();
        self.displacement.clear();
        self.displacement.resize(groups * D::DOF, 0.0);
        let enough = (LEFT * first).max(LEFT * CLOSED);
        let sweeps = (VISITS / self.rows.len().max(1)).clamp(SWEEPS[0], SWEEPS[1]);
        for round in 0..sweeps {
            let (rows, dq) = (&self.rows, &mut self.displacement);
            // Sweeps alternate their direction.
            let left = match round % 2 {
                0 => rows.iter().fold(0.0, |m, row| visit::<D>(row, dq).max(m)),
                _ => rows
                    .iter()
                    .rev()
                    .fold(0.0, |m, row| visit::<D>(row, dq).max(m)),
            };
            if !(left > enough) {
                break;
            }
        }
        // dq = A^-½ dq̂ of each body.
        for (i, group) in cache.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let hat = &self.displacement[*group as usize * D::DOF..][..D::DOF];
            if hat.iter().all(|x| *x == 0.0) || !hat.iter().all(|x| x.is_finite()) {
                continue;
            }
            let mut step = D::ZERO_VELOCITY;
            let roots = cache.inverse_sqrt_mass[i].as_ref();
            for (s, (hat, root)) in step.as_mut().iter_mut().zip(hat.iter().zip(roots)) {
                *s = hat * root;
            }
            poses[i] = D::advance_pose(&poses[i], &step, 1.0);
        }
    }

    /// Normal rows of the contacts at these poses, spins about body axes.
    fn set_rows(&mut self, cache: &ModelCache<D>, poses: &[Pose<D>]) {
        self.rows.clear();
        for found in &self.contacts.candidates {
            let at = (found.point.point_a + found.point.point_b) * 0.5;
            let mut row = PositionRow {
                first: [usize::MAX; 2],
                block: [[0.0; WIDE]; 2],
                own: 0.0,
                gap: found.point.gap,
                size: found
                    .bodies
                    .iter()
                    .map(|b| cache.gap_scale[*b as usize])
                    .sum(),
            };
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = found.bodies[side] as usize;
                if cache.group[body] == NO_GROUP {
                    continue;
                }
                let (pose, block) = (&poses[body], &mut row.block[side]);
                let lever = at - pose.position;
                D::linear_jacobian_row(&pose.rotation, lever, found.point.normal, block);
                let roots = cache.inverse_sqrt_mass[body].as_ref();
                for (g, root) in block.iter_mut().zip(roots) {
                    *g *= sign * root;
                    row.own += *g * *g;
                }
                row.first[side] = cache.group[body] as usize * D::DOF;
            }
            if row.own > 0.0 && row.size > 0.0 {
                self.rows.push(row);
            }
        }
    }
}

/// The spins of bodies with equal moments of inertia, computed at q_M, are about world axes: the same there at q_F. With
/// their body axes they would turn with the body over half a step, by order h³ for a ball that rolls on a curved path.
pub(crate) fn keep_world_spin<D: Dynamics>(
    state: &mut State<D>,
    cache: &ModelCache<D>,
    midpoint: &Midpoint<D>,
) {
    for (i, world) in cache.spin_in_world_axes.iter().enumerate() {
        if *world {
            let spin = D::spin_to_world(&midpoint.poses[i].rotation, &state.velocities[i]);
            state.velocities[i] = D::spin_to_body(&state.poses[i].rotation, &spin);
        }
    }
}

/// Closes one gap; returns what it was, relative to the radii.
#[inline]
fn visit<D: Dynamics>(row: &PositionRow, dq: &mut [f64]) -> f64 {
    let mut gap = row.gap;
    for (&first, block) in row.first.iter().zip(&row.block) {
        if first != usize::MAX {
            let part = &dq[first..first + D::DOF];
            gap += block.iter().zip(part).map(|(g, x)| g * x).sum::<f64>();
        }
    }
    let factor = -gap / row.own;
    for (&first, block) in row.first.iter().zip(&row.block) {
        if first != usize::MAX {
            let part = &mut dq[first..first + D::DOF];
            part.iter_mut()
                .zip(block)
                .for_each(|(x, g)| *x += factor * g);
        }
    }
    gap.abs() / row.size
}
