//! Intervals of an event-driven run of bodies: what can be said of their ends alone.
//!
//! Between two recorded states the motion has events, and frames turn: impulses are sums of components, and momenta
//! cannot be added up from them. Checked are the velocities of contacts at the end of an interval against those of the
//! bodies, the laws that hold for sums as well as at each instant, closed contacts, joints and energies.

use percuss_scene::model::bodies::Friction;

use super::super::report::Report;
use super::super::vector::{cross, dot, norm, rotate, sub};
use super::contacts::worse;
use super::read::{RecordedContactRow, RecordedState};
use super::scene_data::EmbedInSpace;
use super::spin::{linear, spin};
use super::{BodiesVerifier, KINEMATICS};

/// Tolerance: the integrator keeps positions and velocities to 1e-12, over some thousand intervals.
const EVENT: f64 = 1e-9;

/// The checks of an event-driven run, in place of those of time steps.
pub(super) fn declare_checks(report: &mut Report) {
    let counted = "rows of a recorded interval against the numbers of bodies and contacts";
    report.declare("rows", counted, 0.0);
    report.declare("mass", "masses of `names` against the scene's", 1e-12);
    let start = "the first state against the scene's; relative to coordinates and velocities";
    report.declare("start", start, KINEMATICS);
    let given = "bodies that nothing moves, against where they were; relative to coordinates";
    report.declare("given", given, KINEMATICS);
    let drift = "joint errors recomputed against the account; relative to coordinates";
    report.declare("drift", drift, EVENT);
    let turn = "unit length of the quaternions at the ends of intervals";
    report.declare("rotation", turn, EVENT);
    let end =
        "velocities of contacts at the ends of intervals against those of the bodies; relative";
    report.declare("end velocity", end, EVENT);
    let laws =
        "impulses of intervals: normal ones not negative, friction within its bound; relative";
    report.declare("interval laws", laws, EVENT);
    let closed =
        "gaps and normal velocities of contacts that stick or slip at the ends of intervals";
    report.declare("closed", closed, EVENT);
    let flight = "positions and velocities of bodies that nothing but gravity acts on; relative";
    report.declare("flight", flight, EVENT);
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Compares the end of an interval of an event-driven run.
    pub(super) fn compare_interval(&mut self, before: &RecordedState, last: &RecordedState) {
        self.report.steps += 1;
        self.report.contacts += self.contacts.len();
        self.report.skip(
            "momenta over intervals of an event-driven run: frames turn between its events, so that impulses by \
             component do not add up to momenta",
        );
        self.compare_prescribed_motions(last);
        self.compare_end_energy(last);
        self.compare_drift(last);
        for pose in &last.poses {
            let off = (pose.q.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs();
            let place = self.place("rotations");
            self.report.add_comparison("rotation", off, || place);
        }
        if before.step + 1 == last.step {
            self.report.consecutive += 1;
            self.compare_flight(before, last);
        }
        for k in 0..self.contacts.len() {
            let touch = self.contacts[k];
            self.compare_contact_end(&touch, last);
            self.compare_interval_law(&touch);
        }
    }

    /// Bodies without contacts, joints and given forces over the interval: x_F = x_I + h v_I + ½ h² g, v_F = v_I + h g.
    fn compare_flight(&mut self, before: &RecordedState, last: &RecordedState) {
        let model = &self.scene.model;
        if !model.force_fields.is_empty() || !model.drag.is_empty() {
            return;
        }
        let jointed = model.joints.iter().flat_map(|joint| &joint.frames);
        let jointed: Vec<usize> = jointed
            .filter_map(|side| side.body.map(|b| b as usize))
            .collect();
        let touched = |i: usize| {
            self.contacts
                .iter()
                .any(|touch| touch.a == i || touch.b == i)
        };
        let (g, h) = (self.scene.gravity(), last.t - before.t);
        let mut found = Vec::new();
        for (i, part) in self.scene.parts.iter().enumerate() {
            if !part.movable || jointed.contains(&i) || touched(i) {
                continue;
            }
            let (from, to) = (&before.poses[i].x, &last.poses[i].x);
            let (v, w) = (before.twists[i], last.twists[i]);
            let mut off = 0.0_f64;
            for k in (0..3).filter(|&k| part.inverse[k] > 0.0) {
                let way = to[k] - from[k] - h * v[k] - 0.5 * h * h * g[k];
                let size = (from[k].abs() + to[k].abs() + h * v[k].abs()).max(1e-300);
                off = worse(off, way.abs() / size);
                let change = w[k] - v[k] - h * g[k];
                let size = (v[k].abs() + w[k].abs() + h * g[k].abs()).max(1e-300);
                off = worse(off, change.abs() / size);
            }
            found.push((i, off));
        }
        for (i, off) in found {
            let place = self.place(format!("`{}`", self.name(i)));
            self.report.add_comparison("flight", off, || place);
        }
    }

    /// End velocities of a contact, and a closed one's gap.
    fn compare_contact_end(&mut self, touch: &RecordedContactRow, last: &RecordedState) {
        let n = if self.plane { 2 } else { 3 };
        let closed = matches!(touch.status, 1 | 2);
        // Velocity of each body at the point; a gap changes only what friction sees of it.
        let velocity = |i: usize| {
            let lever = sub(touch.at, last.poses[i].x);
            let turning = cross(rotate(last.poses[i].q, spin(&last.twists[i])), lever);
            (linear(&last.twists[i]), turning)
        };
        let ((va, wa), (vb, wb)) = (velocity(touch.a), velocity(touch.b));
        let rows = if closed { touch.rows.min(n) } else { 1 };
        let scale = norm(va) + norm(wa) + norm(vb) + norm(wb);
        let largest = scale.max(self.largest_speed(last));
        let mut worst = 0.0_f64;
        for (axis, recorded) in touch.axes.iter().zip(touch.end).take(rows) {
            let relative = dot(*axis, vb) + dot(*axis, wb) - dot(*axis, va) - dot(*axis, wa);
            worst = worse(worst, (relative - recorded).abs());
        }
        let over = |x: f64| if x == 0.0 { 0.0 } else { x / largest };
        let place = self.place(self.pair_name(touch));
        self.report
            .add_comparison("end velocity", over(worst), || place);
        if closed {
            let arm = |i: usize| norm(sub(touch.at, last.poses[i].x));
            let size = arm(touch.a).max(arm(touch.b));
            let open = touch.gap.abs() / size.max(f64::MIN_POSITIVE);
            let off = worse(open, over(touch.end[0].abs()));
            let place = self.place(self.pair_name(touch));
            self.report.add_comparison("closed", off, || place);
        }
    }

    /// The largest speed of a centre.
    fn largest_speed(&self, last: &RecordedState) -> f64 {
        let speeds = last.twists.iter().map(|twist| norm(linear(twist)));
        let gravity = norm(self.scene.gravity()) * self.motion.h;
        speeds.fold(gravity, f64::max)
    }

    /// Laws of the impulses of an interval.
    fn compare_interval_law(&mut self, touch: &RecordedContactRow) {
        let normal = touch.impulse[0];
        let n = if self.plane { 2 } else { 3 };
        let tangential = touch.impulse[1..touch.rows.min(n).max(1)].iter();
        let tangential = tangential.map(|s| s * s).sum::<f64>().sqrt();
        let pair = self.scene.pair(touch.a, touch.b, touch.feature);
        let bound = match pair.map(|pair| &pair.friction) {
            Some(Friction::None) => 0.0,
            Some(Friction::Coulomb(mu)) => mu * normal,
            Some(Friction::Asymmetric { plus, minus }) => plus.max(*minus) * normal,
            Some(Friction::StaticDynamic(both)) => both.mu_static.max(both.mu_dynamic) * normal,
            _ => f64::INFINITY,
        };
        let size = normal.abs().max(tangential);
        let off = worse((-normal).max(0.0), tangential - bound);
        let off = if off == 0.0 { 0.0 } else { off / size };
        let place = self.place(self.pair_name(touch));
        self.report.add_comparison("interval laws", off, || place);
    }
}
