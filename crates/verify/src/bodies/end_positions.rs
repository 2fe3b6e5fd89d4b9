//! Final positions where a position correction follows the step, and displacement bounds between recorded states.
//!
//! ```text
//! x_F = x_M + ½h v_F, R_F = R_I cay(½h(Ω_I + Ω_F))    bodies that no correction moves: to rounding
//! |x_F − (x_M + ½h v_F)| ≤ 10 Σ (overlaps, joint errors)   of all that it touches or is joined to
//! G_F v_F + W_F = 0                                   bilateral joint rows, where velocities are projected
//! |x_F − x_0| ≤ Σ ½h (√(2T_I/m) + √(2T_F/m))          over all steps between: no body has more energy than all
//! ```

use percuss_record::RecordedShape;

use super::super::report::{Report, RowRange};
use super::super::vector::{V3, add, cross, dot, norm, rotate, sub};
use super::BodiesVerifier;
use super::compare::turn_between;
use super::joint_frames::{held, joint_frames, three};
use super::read::RecordedState;
use super::scene_data::{EmbedInSpace, SpatialPose, Twist};
use super::spin::{linear, spin};

/// Ratio of the displacement of one body to the sum of the corrected errors, at most: joints near a dead point,
/// wedges and light bodies between heavy ones move by more than the error.
const MOVED: f64 = 10.0;

/// Rounding of positions, relative to coordinates.
const ROUNDING: f64 = 1e-12;

pub(super) fn declare_checks(report: &mut Report, corrects: bool) {
    let reach =
        "the way between recorded states, over what the energies of all steps between allow";
    report.declare("reach", reach, 1.0);
    if corrects {
        let way =
            "x_F - x_M - h v_F/2 over what joints and overlaps explain; without any, over rounding";
        report.declare("correction", way, 1.0);
        let tangent = "velocities of joints at the end, where they are held; relative to the terms";
        // Steps are solved to 1e-6 of the velocity scale and better.
        report.declare("tangent", tangent, 1e-6);
    }
}

/// Connected groups of bodies by union–find, with the sum of the errors corrected in each.
struct CorrectionGroups {
    parent: Vec<usize>,
    wrong: Vec<f64>,
}

impl CorrectionGroups {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
            wrong: vec![0.0; count],
        }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Merges the groups of some bodies and adds the error corrected between them.
    fn join(&mut self, bodies: &[usize], wrong: f64) {
        let Some(&first) = bodies.first() else { return };
        let root = self.root(first);
        for &body in &bodies[1..] {
            let other = self.root(body);
            if other != root {
                self.parent[other] = root;
                self.wrong[root] += self.wrong[other];
            }
        }
        self.wrong[root] += wrong;
    }
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Poses at the end of the step without a position correction.
    fn uncorrected_end(&self) -> Vec<SpatialPose> {
        let motion = &self.motion;
        let each = motion.mid.iter().enumerate();
        each.map(|(i, mid)| match self.scene.parts[i].movable {
            true => motion.end_from_midpoint::<D>(mid, i),
            false => *mid,
        })
        .collect()
    }

    /// Errors that are corrected, by connected group: overlaps and joint drift.
    fn corrections(&self, arrived: &[SpatialPose]) -> CorrectionGroups {
        let mut sets = CorrectionGroups::new(arrived.len());
        let movable = |i: usize| self.scene.parts.get(i).is_some_and(|part| part.movable);
        let h = self.motion.h;
        for touch in self.contacts.iter().filter(|_| self.overlaps_corrected) {
            let bodies: Vec<usize> = [touch.a, touch.b]
                .into_iter()
                .filter(|i| movable(*i))
                .collect();
            let size = self.smaller(&bodies);
            // The gap at the end, to first order; and the curvature of rotating surfaces.
            let turn: f64 = bodies
                .iter()
                .map(|i| norm(spin(&self.motion.end[*i])))
                .fold(0.0, f64::max);
            let deep = (-(touch.gap + 0.5 * h * touch.end[0])).max(0.0);
            let curved = (0.5 * h * turn).powi(2) * size;
            sets.join(&bodies, deep + curved);
        }
        // Gaps that persistent contacts had before they were closed.
        for touch in self.persistent.ends() {
            let bodies: Vec<usize> = [touch.a, touch.b]
                .into_iter()
                .filter(|i| movable(*i))
                .collect();
            sets.join(&bodies, touch.gap.abs());
        }
        // Joint drift at the uncorrected end; angles as lengths.
        for joint in &self.scene.model.joints {
            let sides = joint.frames.iter().filter_map(|side| side.body);
            let bodies: Vec<usize> = sides.map(|b| b as usize).filter(|b| movable(*b)).collect();
            let long = joint
                .frames
                .iter()
                .map(|side| norm(three(&side.point)))
                .fold(self.smaller(&bodies), f64::max);
            let all = held(joint, &joint_frames(joint, arrived));
            let wrong = all
                .iter()
                .map(|(turn, _, value)| value.abs() * if *turn { long } else { 1.0 });
            sets.join(&bodies, wrong.sum());
        }
        sets
    }

    fn smaller(&self, bodies: &[usize]) -> f64 {
        let radii = bodies.iter().filter_map(|i| self.shapes[*i].radius());
        let least = radii.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 1.0 }
    }

    /// Final positions and velocities, where the midpoint is recorded.
    pub(super) fn compare_end_positions(&mut self, last: &RecordedState) {
        if !self.motion.midpoint_recorded || self.scene.flows() {
            return;
        }
        let arrived = self.uncorrected_end();
        let mut sets = self.corrections(&arrived);
        let fastest = (0..arrived.len())
            .filter(|i| self.scene.parts[*i].movable)
            .map(|i| self.speed_bound(i))
            .fold(0.0, f64::max);
        for (i, arrived) in arrived.iter().enumerate() {
            if !self.scene.parts[i].movable {
                continue;
            }
            let root = sets.root(i);
            let mut explained = MOVED * sets.wrong[root];
            if self.overlaps_corrected {
                // Pairs that begin to touch only after the midpoint.
                explained += 0.5 * self.motion.h * (self.speed_bound(i) + fastest);
            }
            // Translation and rotation against the explained displacement.
            let radius = self.shapes[i].radius().unwrap_or(1.0);
            let there = &last.poses[i];
            let rounding = ROUNDING * (norm(there.x) + radius);
            let off = norm(sub(arrived.x, there.x)) / (explained + rounding);
            let turn = turn_between(arrived, there) * radius;
            let turn = turn / (MOVED * explained + ROUNDING * radius * (1.0 + there.angle.abs()));
            let place = self.place(format!("`{}`", self.name(i)));
            self.report
                .add_comparison("correction", off.max(turn), || place);
        }
        self.compare_kept_velocities(last);
        self.compare_held_velocities(last);
    }

    /// Largest velocity of a point of a body over the step.
    fn speed_bound(&self, i: usize) -> f64 {
        let radius = self.shapes[i].radius().unwrap_or(1.0);
        let one = |v: &Twist| norm(linear(v)) + radius * norm(spin(v));
        one(&self.motion.end[i]).max(one(&self.motion.begin[i]))
    }

    /// Bodies without joints keep their velocities when overlaps are corrected.
    fn compare_kept_velocities(&mut self, last: &RecordedState) {
        // Bodies with joints are compared by their bilateral rows.
        let mut joined = vec![false; last.twists.len()];
        for side in self.scene.model.joints.iter().flat_map(|j| &j.frames) {
            if let Some(entry) = side.body.and_then(|body| joined.get_mut(body as usize)) {
                *entry = true;
            }
        }
        // The projection of persistent contacts is compared by its momenta.
        for touch in self.persistent.ends() {
            (joined[touch.a], joined[touch.b]) = (true, true);
        }
        if self.persistent.projected
            && joined.contains(&true)
            && !self.scene.model.joints.is_empty()
        {
            return;
        }
        for (i, joined) in joined.into_iter().enumerate() {
            if joined
                || (self.persistent.projected && self.scene.parts[i].world_spin)
                || !self.scene.parts[i].movable
            {
                continue;
            }
            let (kept, own) = (&self.motion.end[i], &last.twists[i]);
            let off = kept
                .iter()
                .zip(own)
                .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            let [line, turn] = self.motion.size[i];
            let off = off / (ROUNDING * (line + turn)).max(f64::MIN_POSITIVE);
            let place = self.place(format!("velocity of `{}`", self.name(i)));
            self.report.add_comparison("correction", off, || place);
        }
    }

    /// Bilateral joint rows have no velocity at the end of the step.
    pub(super) fn compare_held_velocities(&mut self, last: &RecordedState) {
        for k in 0..self.scene.model.joints.len() {
            let joint = &self.scene.model.joints[k];
            let ends = joint_frames(joint, &last.poses);
            let (mut off, mut size) = (0.0_f64, 0.0_f64);
            // Each row at the final poses: b minus a.
            for (turn, direction, _) in held(joint, &ends) {
                let mut sum = 0.0;
                for (side, sign) in joint.frames.iter().zip([-1.0, 1.0]) {
                    let Some(i) = side.body.map(|body| body as usize) else {
                        continue;
                    };
                    let (stand, speed) = (&last.poses[i], &last.twists[i]);
                    let (part, whole) = row(stand, speed, (turn, direction), ends.points[1]);
                    sum += sign * part;
                    let [line, spin] = self.motion.size.get(i).copied().unwrap_or_default();
                    let lever = norm(sub(ends.points[1], stand.x));
                    size = size
                        .max(whole)
                        .max(if turn { spin } else { line + lever * spin });
                }
                off = off.max(sum.abs());
            }
            if size > 0.0 {
                let place = self.place(format!("joint `{}`", joint.name));
                self.report.add_comparison("tangent", off / size, || place);
            }
        }
    }

    /// Lists what remains unverified between states that are more than a step apart.
    fn list_thinned(&mut self, before: &RecordedState) {
        let why = "no state of the step is recorded";
        let columns = [
            "active",
            "residual",
            "penetration",
            "drift",
            "potential",
            "elastic",
            "gain",
            "excess",
            "turnover",
            "forced",
            "lasting",
            "mixed",
            "penetration_share",
            "drift_share",
            "resting",
            "resting_share",
        ];
        self.report
            .mark_all_unchecked("steps", &columns, RowRange::Unrecorded, why);
        self.report.skip(
            "places of bodies that touch nothing, in states that are more than a step apart: they are only known to \
             be within reach of each other",
        );
        // Rotations of discs and spheres leave no trace in contact points.
        let turns: &[&str] = if self.plane {
            &["angle"]
        } else {
            &["qw", "qx", "qy", "qz"]
        };
        let round = |i: &usize| matches!(*self.shapes[*i], RecordedShape::Round { .. });
        let movable = |i: &usize| self.scene.parts[*i].movable;
        let any = (0..self.shapes.len()).filter(movable).any(|i| round(&i));
        if any && !self.corrects {
            let why = "turns of round bodies, in states that are more than a step apart";
            self.report
                .mark_all_unchecked("bodies", turns, RowRange::All, why);
        }
        if self.start_unknown && before.poses == self.fixed_poses {
            let why = "the scene does not say where bodies are then, and there is no state of the step after it";
            let axes: &[&str] = if self.plane {
                &["x", "y"]
            } else {
                &["x", "y", "z"]
            };
            self.report
                .mark_all_unchecked("bodies", axes, RowRange::First, why);
            self.report
                .mark_all_unchecked("bodies", turns, RowRange::First, why);
        }
    }

    /// No body moves farther between two recorded states than the kinetic energy of all bodies would carry it.
    pub(super) fn compare_travel(&mut self, before: &RecordedState, last: &RecordedState) {
        let way = self.steps.take_travel_bound();
        if before.step + 1 >= last.step {
            return;
        }
        self.list_thinned(before);
        if self.scene.flows() {
            return;
        }
        // Displacement bound of each body by its mass.
        let masses = self.scene.parts.iter().filter(|part| part.movable);
        let lightest = masses.fold(f64::INFINITY, |m, part| m.min(part.mass));
        for i in 0..last.poses.len() {
            let part = &self.scene.parts[i];
            if !part.movable {
                continue;
            }
            let mut most = way.root / part.mass.sqrt();
            if self.corrects {
                // A correction is bounded by the displacement in a step and by the recorded overlaps.
                most += way.root / lightest.sqrt() + MOVED * way.overlaps;
            }
            let gone = norm(sub(last.poses[i].x, before.poses[i].x));
            let rounding = 1e-12 * (norm(last.poses[i].x) + norm(before.poses[i].x));
            let place = self.place(format!("`{}`", self.name(i)));
            let off = gone / (1.001 * most + rounding).max(f64::MIN_POSITIVE);
            self.report.add_comparison("reach", off, || place);
        }
    }
}

/// Velocity of a row of one body, and the absolute values of its terms.
fn row(stand: &SpatialPose, speed: &Twist, (turn, direction): (bool, V3), at: V3) -> (f64, f64) {
    let spin = rotate(stand.q, spin(speed));
    let velocity = match turn {
        true => spin,
        false => add(linear(speed), cross(spin, sub(at, stand.x))),
    };
    let size = match turn {
        true => norm(spin),
        false => norm(linear(speed)) + norm(spin) * norm(sub(at, stand.x)),
    };
    (dot(direction, velocity), size)
}
