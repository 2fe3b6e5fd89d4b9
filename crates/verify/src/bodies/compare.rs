//! Masses, prescribed motions, kinematics and momentum balance of the bodies of a step.

use super::super::report::Location;
use super::super::vector::{norm, sub};
use super::read::RecordedState;
use super::scene_data::{EmbedInSpace, SpatialPose};
use super::{BodiesVerifier, step_motion as motion};

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    pub(super) fn compare_masses(&mut self) {
        for (i, part) in self.scene.parts.iter().enumerate() {
            let Some(mass) = self.names[i].mass else {
                continue;
            };
            let off = (mass - part.mass).abs() / part.mass.abs();
            let name = &self.names[i].name;
            self.report.add_comparison("mass", off, || Location {
                step: None,
                t: None,
                what: format!("`{name}`"),
            });
        }
    }

    /// Fixed and kinematic bodies are where the scene puts them.
    pub(super) fn compare_prescribed_motions(&mut self, last: &RecordedState) {
        for i in 0..self.scene.parts.len() {
            let part = self.scene.parts[i];
            let there = match (part.guide, part.movable) {
                (Some(guide), _) => self.scene.prescribed_state(guide, last.t),
                // A fixed body keeps its pose.
                (None, false) => self.fixed_poses.get(i).map(|stand| (*stand, [0.0; 6])),
                (None, true) => None,
            };
            let Some((stand, speed)) = there else {
                continue;
            };
            // Pose and velocity against the prescribed ones.
            let size = 1.0 + norm(stand.x) + speed.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let mut off =
                norm(sub(stand.x, last.poses[i].x)).max(turn_between(&stand, &last.poses[i]));
            for k in 0..6 {
                off = off.max((speed[k] - last.twists[i][k]).abs());
            }
            let place = self.place(format!("`{}`", self.name(i)));
            self.report.add_comparison("given", off / size, || place);
        }
    }

    /// x_F and R_F from the state before, and the midpoint where it is recorded.
    pub(super) fn compare_kinematics(
        &mut self,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) {
        let (Some(before), h) = (before, self.motion.h) else {
            return;
        };
        for i in 0..self.scene.parts.len() {
            if !self.scene.parts[i].movable {
                continue;
            }
            let reached = match self.motion.midpoint_recorded {
                // Position corrections have moved the bodies since; the recorded midpoint is compared instead.
                true => self
                    .motion
                    .ahead_of::<D>(&before.poses[i], &before.twists[i]),
                false => self.motion.end_from_begin::<D>(&before.poses[i], i, h),
            };
            // Recorded midpoint, or recorded end.
            let there = match self.motion.midpoint_recorded {
                true => self.motion.mid[i],
                false => last.poses[i],
            };
            let size = norm(there.x) + h * norm(motion::linear(&self.motion.end[i]));
            let size = size.max(self.shapes[i].radius().unwrap_or(0.0));
            let off = norm(sub(reached.x, there.x)) / size.max(f64::MIN_POSITIVE);
            let turn = turn_between(&reached, &there) / (1.0 + there.angle.abs());
            if off.max(turn) > 0.0 || i == 0 {
                let place = self.place(format!("`{}`", self.name(i)));
                self.report
                    .add_comparison("kinematics", off.max(turn), || place);
            }
        }
    }

    pub(super) fn compare_momentum(&mut self, consecutive: bool) {
        if !consecutive {
            return;
        }
        for i in 0..self.scene.parts.len() {
            let part = &self.scene.parts[i];
            if !part.movable {
                continue;
            }
            let motion = &self.motion;
            // Residual velocities of rounding, from the largest energy so far.
            let rest = 1e-2 * (2.0 * self.steps.floor() / part.mass).sqrt() * f64::EPSILON;
            let mut off = 0.0_f64;
            // v_F − v_L − A⁻¹ Σ Gᵀ S, component by component.
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                let left = motion.end[i][k] - motion.free[i][k] - motion.pushed[i][k];
                if left != 0.0 {
                    off = off.max(left.abs() / motion.size[i][k / 3].max(rest));
                }
            }
            let (step, t, names) = (self.steps.step, self.motion.t, &self.names);
            self.report.add_comparison("momentum", off, || Location {
                step: Some(step),
                t: Some(t),
                what: format!("`{}`", names[i].name),
            });
        }
    }
}

/// The angle between two poses; not reduced modulo 2π in the plane.
pub(super) fn turn_between(a: &SpatialPose, b: &SpatialPose) -> f64 {
    let plane = (a.angle - b.angle).abs();
    // A quaternion and its negative are the same rotation.
    let far = |sign: f64| {
        let parts = a.q.iter().zip(&b.q);
        parts.map(|(x, y)| (x - sign * y).abs()).fold(0.0, f64::max)
    };
    plane.max(far(1.0).min(far(-1.0)))
}
