//! The joints of a step: recorded rows, works and drift.
//!
//! ```text
//! bilateral U_I + U_F = 0                            directions from the points and axes of the scene
//! spring    S = −h k (c_M + ¼h(U_F − U_I) − rest) − ½h d (U_I + U_F)
//! motor     −(U_F − speed) ∈ N_[−hM, hM](S)          friction   −U_F ∈ N_C(S), C = μ R |S_held| B
//! limit     0 ≤ U_F + ρ U_I ⊥ S ≥ 0
//! ```

use percuss_record::{Record, RecordError};
use percuss_scene::model::bodies::joint::JointKind;
use percuss_scene::model::bodies::{Dim, Joint};

use super::super::report::Report;
use super::super::vector::{V3, norm, scale, sub};
use super::BodiesVerifier;
use super::contacts::worse;
use super::joint_frames::{coordinate, held, joint_frames, three};
use super::read::RecordedState;
use super::scene_data::{EmbedInSpace, Twist};
use super::step_motion::RowImpulse;
use crate::step_stream::{StepRows, StepStream};

/// Directions and points of rows: rounding of rotations, relative to the coordinates.
const ROWS: f64 = 1e-12;

/// Laws of joints, relative to their terms: the solver eliminates bilateral rows to rounding, and friction is solved
/// to the tolerance of the run.
pub(super) const LAWS: f64 = 1e-9;

pub(super) fn declare_checks(report: &mut Report) {
    let rows = "directions and points of joints' rows against the scene's; relative";
    report.declare("joint rows", rows, ROWS);
    let velocity = "velocities of joints' rows = G v; relative to the bodies' terms";
    report.declare("joint velocity", velocity, 1e-12);
    let laws = "laws of joints: held rows, springs, motors, friction, limits; relative, friction over \
                the tolerance";
    report.declare("joint laws", laws, LAWS);
    let drift = "drift at the end against the account; relative to the coordinates";
    report.declare("drift", drift, 1e-12);
}

/// One row of the table `joints`.
#[derive(Debug, Clone)]
pub(super) struct RecordedJointRow {
    pub joint: usize,
    name: String,
    pub part: &'static str,
    pub row: usize,
    rotational: bool,
    /// Whether the column `turn` has an admissible value.
    told: bool,
    pub direction: V3,
    at: V3,
    pub begin: f64,
    pub end: f64,
    pub impulse: f64,
}

/// The joint rows of a step.
#[derive(Debug, Default)]
pub(super) struct RecordedJointRows {
    pub rows: Vec<RecordedJointRow>,
}

impl RecordedJointRows {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn read(
        &mut self,
        stream: &mut Option<StepStream<'_>>,
        step: i64,
        plane: bool,
    ) -> Result<(), RecordError> {
        self.rows.clear();
        let Some(stream) = stream else {
            return Ok(());
        };
        let group = stream.at(step)?;
        self.rows
            .extend((0..group.rows).map(|row| read(&group, row, plane)));
        Ok(())
    }
}

pub(super) fn open(record: &Record, plane: bool) -> Result<Option<StepStream<'_>>, RecordError> {
    let axes = if plane {
        &["x", "y"][..]
    } else {
        &["x", "y", "z"]
    };
    let mut names: Vec<String> = ["joint", "row", "turn", "begin", "end", "impulse"]
        .map(String::from)
        .into();
    names.extend(axes.iter().map(|axis| (*axis).to_string()));
    names.extend(axes.iter().map(|axis| format!("direction_{axis}")));
    StepStream::open(record, "joints", &names, &["part", "name"])
}

fn read(group: &StepRows, row: usize, plane: bool) -> RecordedJointRow {
    let n = if plane { 2 } else { 3 };
    let turn = group.at(2, row);
    // Parts of a joint, as the column `part` names them.
    let parts = ["bilateral", "spring", "motor", "friction", "limit"];
    let word = group.text(0, row);
    RecordedJointRow {
        joint: group.at(0, row) as usize,
        name: group.text(1, row).to_string(),
        part: parts.into_iter().find(|part| *part == word).unwrap_or("?"),
        row: group.at(1, row) as usize,
        rotational: turn != 0.0,
        told: turn == 0.0 || turn == 1.0 || (plane && turn == -1.0),
        direction: match plane && turn != 0.0 {
            true => [0.0, 0.0, turn],
            false => group.vector(Some(6 + n), n, row),
        },
        at: group.vector(Some(6), n, row),
        begin: group.at(3, row),
        end: group.at(4, row),
        impulse: group.at(5, row),
    }
}

/// Appends the impulses of the joint rows.
pub(super) fn joint_impulses<D: Dim>(
    rows: &RecordedJointRows,
    joints: &[Joint<D>],
    out: &mut Vec<RowImpulse>,
) {
    for row in &rows.rows {
        let Some(joint) = joints.get(row.joint) else {
            continue;
        };
        out.push(RowImpulse {
            bodies: [0, 1].map(|k: usize| joint.frames[k].body.map(|body| body as usize)),
            rotational: row.rotational,
            direction: row.direction,
            at: row.at,
            shift: [0.0; 3],
            size: row.impulse,
        });
    }
}

/// Works of the joints over a step, and the elastic energy of their springs.
#[derive(Debug, Default)]
pub(super) struct JointWorks {
    pub motor: f64,
    pub spring: f64,
    pub friction: f64,
    pub limit: f64,
    pub held: f64,
    pub boundary: f64,
    pub elastic: f64,
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    fn joint_pushes(&self) -> &[RowImpulse] {
        let first = self.impulses.len().saturating_sub(self.joints.rows.len());
        &self.impulses[first..]
    }

    pub(super) fn joint_works(&self, last: &RecordedState) -> JointWorks {
        let mut works = JointWorks::default();
        if self.scene.model.joints.is_empty() {
            return works;
        }
        let given = |v: &[Twist]| -> Vec<Twist> {
            let both = self.scene.parts.iter().zip(v);
            both.map(|(part, v)| if part.movable { [0.0; 6] } else { *v })
                .collect()
        };
        // Velocities of fixed and kinematic bodies alone, for the boundary work.
        let (first, end) = (given(&self.motion.begin), given(&self.motion.end));
        for (row, push) in self.joints.rows.iter().zip(self.joint_pushes()) {
            let u = self.motion.row_velocity(push, &self.motion.begin)
                + self.motion.row_velocity(push, &self.motion.end);
            let done = 0.5 * push.size * u;
            let carried =
                self.motion.row_velocity(push, &first) + self.motion.row_velocity(push, &end);
            works.boundary -= 0.5 * push.size * carried;
            match row.part {
                "bilateral" => works.held += done,
                "spring" => works.spring += done,
                "motor" => works.motor += done,
                "friction" => works.friction += done,
                _ => works.limit += done,
            }
        }
        // Kinetic energy removed by the projection of the velocities at the end of the step.
        works.held += self.kinetic(&last.twists) - self.kinetic(&self.motion.end);
        for joint in &self.scene.model.joints {
            if let Some(spring) = &joint.spring {
                let (value, _, _) = coordinate(joint, &joint_frames(joint, &last.poses));
                let stretch = value - spring.rest;
                works.elastic += 0.5 * spring.stiffness * stretch * stretch;
            }
        }
        works
    }

    /// Drops rows that refer to no joint.
    pub(super) fn sift_joints(&mut self) {
        let count = self.scene.model.joints.len();
        if self.joints.rows.iter().any(|row| row.joint >= count) {
            let place = self.place(format!(
                "a row of `joints` names none of the {count} joints"
            ));
            self.report.add_comparison("rows", f64::INFINITY, || place);
            self.joints.rows.retain(|row| row.joint < count);
        }
    }

    /// Rows and velocities of the joints, and their drift.
    pub(super) fn compare_joints(&mut self, last: &RecordedState) {
        if self.scene.model.joints.is_empty() {
            let off = self.steps.drift().unwrap_or(0.0);
            let place = self.place("the drift of no joints");
            self.report.add_comparison(
                "account",
                if off == 0.0 { 0.0 } else { f64::INFINITY },
                || place,
            );
            return;
        }
        // Each row: name, direction and point, then U_I and U_F.
        let pushes = self.joint_pushes().to_vec();
        let rows = std::mem::take(&mut self.joints.rows);
        for (row, push) in rows.iter().zip(&pushes) {
            let Some(joint) = self.scene.model.joints.get(row.joint) else {
                continue;
            };
            let what = format!("joint `{}`, {} {}", joint.name, row.part, row.row);
            let named = *row.name == *joint.name;
            let off = if named {
                self.row_off(row)
            } else {
                f64::INFINITY
            };
            let size = self.row_size(push).max(f64::MIN_POSITIVE);
            let before = self.motion.row_velocity(push, &self.motion.begin) - row.begin;
            let after = self.motion.row_velocity(push, &self.motion.end) - row.end;
            let place = self.place(what);
            let spot = place.clone();
            self.report.add_comparison("joint rows", off, || spot);
            // U_I and U_F relative to the terms of both bodies.
            let off = worse(before.abs(), after.abs()) / size;
            self.report.add_comparison("joint velocity", off, || place);
        }
        self.joints.rows = rows;
        self.compare_drift(last);
    }

    /// Distance of a recorded row from the row that the joint of the scene gives.
    fn row_off(&self, row: &RecordedJointRow) -> f64 {
        let Some(joint) = self.scene.model.joints.get(row.joint) else {
            return f64::INFINITY;
        };
        let ends = joint_frames(joint, &self.motion.mid);
        // Direction that the scene gives for this row.
        let wanted = match row.part {
            "bilateral" => held(joint, &ends).get(row.row).map(|h| (h.0, h.1)),
            "friction" if joint.kind == JointKind::Spherical => {
                ends.axes[0].get(row.row).map(|axis| (true, *axis))
            }
            _ => {
                let (_, turn, direction) = coordinate(joint, &ends);
                Some((turn, direction))
            }
        };
        let Some((turn, direction)) = wanted else {
            return f64::INFINITY;
        };
        if turn != row.rotational || !row.told {
            return f64::INFINITY;
        }
        // A limit may act in either sense of the coordinate.
        let far = |sign: f64| norm(sub(scale(direction, sign), row.direction));
        let off = match row.part {
            "limit" => far(1.0).min(far(-1.0)),
            _ => far(1.0),
        };
        let point = norm(sub(ends.points[1], row.at));
        off.max(point / norm(row.at).max(1.0))
    }

    /// The drift of each joint at the end of the step, and the coordinate scale.
    pub(super) fn drifts(&self, last: &RecordedState) -> (Vec<f64>, f64) {
        let (mut all, mut size) = (Vec::new(), 1.0_f64);
        for joint in &self.scene.model.joints {
            let ends = joint_frames(joint, &last.poses);
            let mut long = 0.0_f64;
            for side in &joint.frames {
                if let Some(body) = side.body.map(|body| body as usize) {
                    let radius = self.shapes.get(body).and_then(|shape| shape.radius());
                    long = long
                        .max(radius.unwrap_or(0.0))
                        .max(norm(three(&side.point)));
                }
            }
            // Angular errors are converted to lengths by the largest lever arm.
            let long = if long > 0.0 { long } else { 1.0 };
            let each = held(joint, &ends).into_iter();
            let each = each.map(|(turn, _, value)| value.abs() * if turn { long } else { 1.0 });
            all.push(each.fold(0.0, f64::max));
            size = size.max(norm(ends.points[1])).max(long);
        }
        (all, size)
    }

    pub(super) fn compare_drift(&mut self, last: &RecordedState) {
        let (all, size) = self.drifts(last);
        let worst = all.into_iter().fold(0.0, f64::max);
        if let Some(recorded) = self.steps.drift() {
            let place = self.place("all joints");
            let off = (worst - recorded).abs() / size;
            self.report.add_comparison("drift", off, || place);
        }
    }
}
