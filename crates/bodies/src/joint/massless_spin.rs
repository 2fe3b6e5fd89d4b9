//! Massless spins: which rotations of bodies without moment of inertia the joints leave unconstrained.
//!
//! A moment of inertia may be 0 if no motion has zero kinetic energy: with G_s the columns of the held rows
//! that belong to the spins without inertia, G_s s = 0 must imply s = 0. A spin is constrained if its unit
//! vector is a combination of the rows of G_s, which a rank test decides.

use super::Joint;
use super::pivoted_cholesky::PivotedCholesky;
use crate::dynamics::Dynamics;
use percuss_geometry::Pose;

/// Of the given spins, (body, spin component in body axes), those that the joints do not constrain
/// at the poses `poses` while all centres of mass are at rest.
pub fn unconstrained_spins<D: Dynamics>(
    joints: &[Joint<D>],
    poses: &[Pose<D>],
    spins: &[(u32, usize)],
) -> Vec<(u32, usize)> {
    // G_s: columns of the held rows for the given spins.
    let mut rows = Vec::new();
    let mut held = Vec::new();
    for joint in joints {
        let ends = joint.placed_frames(poses);
        held.clear();
        joint.bilateral_constraints(&ends, &mut held);
        for one in &held {
            let mut row = vec![0.0; spins.len()];
            for (side, sign) in joint.frames.iter().zip([-1.0, 1.0]) {
                let Some(pose) = side.body.and_then(|body| poses.get(body as usize)) else {
                    continue;
                };
                let mut entries = [0.0; 6];
                one.row.fill(&pose.rotation, pose.position, &mut entries);
                for (entry, (body, component)) in row.iter_mut().zip(spins) {
                    if Some(*body) == side.body {
                        *entry += sign * entries[D::N + component];
                    }
                }
            }
            if row.iter().any(|g| *g != 0.0) {
                rows.push(row);
            }
        }
    }
    // Rank by pivoted Cholesky factorisation of the Gram matrix.
    let rank = |rows: &[Vec<f64>]| {
        let dot = |i: usize, j: usize| rows[i].iter().zip(&rows[j]).map(|(x, y)| x * y).sum();
        let mut gram = PivotedCholesky::default();
        gram.factor(rows.len(), dot);
        rows.len() - gram.dependent().len()
    };
    let of_joints = rank(&rows);
    // A spin is unconstrained if its unit vector raises the rank.
    let unheld = |k: &usize| {
        let mut unit = vec![0.0; spins.len()];
        unit[*k] = 1.0;
        let mut all = rows.clone();
        all.push(unit);
        rank(&all) > of_joints
    };
    (0..spins.len()).filter(unheld).map(|k| spins[k]).collect()
}
