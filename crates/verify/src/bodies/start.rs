//! The first recorded state against the initial poses and velocities of the scene.

use percuss_scene::model::bodies::{Dim, State};

use super::super::report::{Location, beyond};
use super::super::vector::{norm, sub};
use super::BodiesVerifier;
use super::compare::turn_between;
use super::read::RecordedState;
use super::scene_data::EmbedInSpace;

/// Joints of a scene may be off by a millionth of the lengths of their bodies, and are closed before the first step:
/// displacement of ten times that at most.
const JOINED: f64 = 1e-5;

/// Initial state of a scene.
pub(super) struct Start<D: Dim> {
    pub state: State<D>,
    pub t: f64,
    /// Whether preparations move the bodies before the run.
    pub prepared: bool,
    /// Whether initial overlaps are separated.
    pub relaxed: bool,
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    pub(super) fn compare_start(&mut self, start: &Start<D>, first: &RecordedState) {
        let why = if first.step != 0 {
            Some("the start: the first recorded state is a later one")
        } else if start.prepared {
            Some("the start: it is where the preparations ended, which are not recorded")
        } else {
            None
        };
        if let Some(why) = why {
            return self.report.skip(why);
        }
        // Relaxed overlaps move the bodies by an unknown amount.
        if start.relaxed {
            self.report
                .skip("positions at the start: overlaps are moved apart there (`relax`)");
        }
        let time = (first.t - start.t).abs() / (1.0 + start.t.abs());
        let place = |what: String| Location {
            step: Some(first.step),
            t: Some(first.t),
            what,
        };
        self.report
            .add_comparison("start", time, || place("the time".to_string()));
        // Bodies with joints are moved when these are closed.
        let mut joined = vec![false; self.scene.parts.len()];
        for side in self.scene.model.joints.iter().flat_map(|j| &j.frames) {
            if let Some(entry) = side.body.and_then(|body| joined.get_mut(body as usize)) {
                *entry = true;
            }
        }
        if joined.contains(&true) {
            self.report.skip(
                "where bodies with joints start, within a hundred-thousandth of their coordinates, and \
                 their velocities there: joints are put together before the first step",
            );
        }
        for (i, joined) in joined.into_iter().enumerate() {
            let Some((way, speed)) = self.start_of(i, start, first) else {
                continue;
            };
            let explained = if joined { JOINED } else { 0.0 };
            let way = if start.relaxed {
                0.0
            } else {
                beyond(way, explained)
            };
            // Velocities that violate the joints are projected before the first step.
            let speed = if joined { 0.0 } else { speed };
            let name = self.name(i);
            self.report
                .add_comparison("start", way.max(speed), || place(format!("`{name}`")));
        }
    }

    /// Distance of a body from its initial pose, relative to coordinates and its size, and the relative error of its
    /// velocity.
    fn start_of(
        &mut self,
        i: usize,
        start: &Start<D>,
        first: &RecordedState,
    ) -> Option<(f64, f64)> {
        let (pose, dofs) = (start.state.poses.get(i)?, start.state.velocities.get(i)?);
        let part = self.scene.parts[i];
        let (mut stand, mut speed) = (D::spatial_pose(pose), D::twist(dofs));
        // Kinematic bodies start with their prescribed motion, fixed components at rest.
        match part.guide {
            Some(guide) => {
                let anchor = start.state.kinematic_origins.get(guide).unwrap_or(pose);
                let (pose, dofs) = self
                    .scene
                    .model
                    .prescribed_motions
                    .get_mut(guide)?
                    .at(anchor, start.t);
                (stand, speed) = (D::spatial_pose(&pose), D::twist(&dofs));
            }
            None => {
                for (v, inverse) in speed.iter_mut().zip(part.inverse) {
                    if inverse == 0.0 {
                        *v = 0.0;
                    }
                }
            }
        }
        // Position, rotation and velocity, each relative.
        let there = &first.poses[i];
        let size = norm(stand.x).max(self.shapes[i].radius().unwrap_or(0.0));
        let way = norm(sub(stand.x, there.x)) / size.max(f64::MIN_POSITIVE);
        let turn = turn_between(&stand, there) / (1.0 + stand.angle.abs());
        let most = speed.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let off = speed.iter().zip(&first.twists[i]);
        let off = off.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        Some((way.max(turn), off / most.max(f64::MIN_POSITIVE)))
    }
}
