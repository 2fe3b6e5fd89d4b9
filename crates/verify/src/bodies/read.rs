//! Conversion of table rows to states and contacts of one step.

use percuss_record::{Record, RecordError};

use super::super::vector::{V3, cross, rotate_back};
use super::scene_data::{SpatialPose, Twist};
use crate::step_stream::{StepRows, StepStream};

/// Poses and twists of all bodies at one time.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedState {
    pub step: i64,
    pub t: f64,
    pub poses: Vec<SpatialPose>,
    pub twists: Vec<Twist>,
}

/// One row of the table `contacts`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordedContactRow {
    pub a: usize,
    pub b: usize,
    pub feature: u32,
    /// 0 open, 1 stick, 2 slip, 3 another text.
    pub status: usize,
    pub gap: f64,
    pub at: V3,
    pub axes: [V3; 3],
    /// Lattice shift of the periodic image of b.
    pub shift: V3,
    /// Number of rows.
    pub rows: usize,
    pub begin: [f64; 6],
    pub end: [f64; 6],
    pub impulse: [f64; 6],
}

impl RecordedContactRow {
    /// Direction of a row, and whether it is rotational: rolling about the tangents, then spinning.
    pub fn row(&self, row: usize, plane: bool) -> (V3, bool) {
        match (plane, row) {
            (true, 0 | 1) => (self.axes[row], false),
            (true, _) => ([0.0, 0.0, 1.0], true),
            (false, 0..=2) => (self.axes[row], false),
            (false, 3 | 4) => (self.axes[row - 2], true),
            (false, _) => (self.axes[0], true),
        }
    }
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_string()).collect()
}

/// Opens the table `bodies` or `midpoints`.
pub(super) fn open_states<'a>(
    record: &'a Record,
    table: &'static str,
    plane: bool,
) -> Result<Option<StepStream<'a>>, RecordError> {
    let names: &[&str] = match plane {
        true => &["body", "x", "y", "angle", "vx", "vy", "spin"],
        false => &[
            "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x", "spin_y",
            "spin_z", "first_x", "first_y", "first_z",
        ],
    };
    StepStream::open(record, table, &columns(names), &[])
}

/// One row of a state: index of the body, pose, twist.
pub(super) fn state_row(group: &StepRows, row: usize, plane: bool) -> (usize, SpatialPose, Twist) {
    let at = |k: usize| group.at(k, row);
    let body = at(0) as usize;
    if plane {
        // Plane: rotation about z.
        let angle = at(3);
        let stand = SpatialPose {
            x: [at(1), at(2), 0.0],
            q: super::super::vector::about_z(angle),
            angle,
        };
        return (body, stand, [at(4), at(5), 0.0, 0.0, 0.0, at(6)]);
    }
    let q = [at(4), at(5), at(6), at(7)];
    let stand = SpatialPose {
        x: [at(1), at(2), at(3)],
        q,
        angle: 0.0,
    };
    // The record has angular velocities in space axes.
    let spin = rotate_back(q, [at(11), at(12), at(13)]);
    let speed = [at(8), at(9), at(10), spin[0], spin[1], spin[2]];
    (body, stand, speed)
}

/// The angular velocity in body axes at which the gyroscopic moment of a jointed body was evaluated.
pub(super) fn first_spin(group: &StepRows, row: usize, q: super::super::vector::Q4) -> Option<V3> {
    let spin = group.vector(Some(14), 3, row);
    let there = group.numbers.len() > 16 && spin.iter().all(|x| x.is_finite());
    there.then(|| rotate_back(q, spin))
}

/// A complete state; `None` where rows are missing or out of order.
pub(super) fn state(group: &StepRows, count: usize, plane: bool) -> Option<RecordedState> {
    let mut all = RecordedState {
        step: group.step,
        t: group.t,
        ..RecordedState::default()
    };
    for row in 0..group.rows {
        let (body, stand, speed) = state_row(group, row, plane);
        // Every body once, in order.
        if body != row {
            return None;
        }
        all.poses.push(stand);
        all.twists.push(speed);
    }
    (all.poses.len() == count).then_some(all)
}

/// Opens the table `contacts` or `end_contacts`.
pub(super) fn open_contacts<'a>(
    record: &'a Record,
    table: &'a str,
    plane: bool,
) -> Result<Option<StepStream<'a>>, RecordError> {
    let mut names = columns(&["a", "b", "feature", "gap"]);
    let axes = if plane {
        &["x", "y"][..]
    } else {
        &["x", "y", "z"]
    };
    // Contact point, normal, first tangent, shift of the periodic image.
    for prefix in ["", "normal_", "tangent_", "shift_"] {
        names.extend(axes.iter().map(|axis| format!("{prefix}{axis}")));
    }
    let rows: &[&str] = match plane {
        true => &["n", "t1", "roll1"],
        false => &["n", "t1", "t2", "roll1", "roll2", "spin"],
    };
    // Velocities and impulse of each row.
    for prefix in ["begin", "end", "impulse"] {
        names.extend(rows.iter().map(|row| format!("{prefix}_{row}")));
    }
    StepStream::open(record, table, &names, &["status"])
}

/// Reads the contacts of a step.
pub(super) fn read_contacts(group: &StepRows, plane: bool, out: &mut Vec<RecordedContactRow>) {
    let (n, width) = if plane { (2, 3) } else { (3, 6) };
    out.clear();
    for row in 0..group.rows {
        let vector = |first: usize| group.vector(Some(first), n, row);
        let rows_from = |first: usize| -> [f64; 6] {
            std::array::from_fn(|k| match k < width {
                true => group.at(first + k, row),
                false => f64::NAN,
            })
        };
        let normal = vector(4 + n);
        // Contact frame: in the plane the tangent follows from the normal.
        let tangent = match plane {
            true => [-normal[1], normal[0], 0.0],
            false => vector(4 + 2 * n),
        };
        let shift = vector(4 + 3 * n).map(|x| if x.is_nan() { 0.0 } else { x });
        // The number of rows is that of the recorded impulses.
        let first = 4 + 4 * n;
        let impulse = rows_from(first + 2 * width);
        out.push(RecordedContactRow {
            a: group.at(0, row) as usize,
            b: group.at(1, row) as usize,
            feature: group.at(2, row) as u32,
            status: match group.text(0, row) {
                "open" => 0,
                "stick" => 1,
                "slip" => 2,
                _ => 3,
            },
            gap: group.at(3, row),
            at: vector(4),
            axes: [normal, tangent, cross(normal, tangent)],
            shift,
            rows: impulse.iter().take_while(|s| !s.is_nan()).count(),
            begin: rows_from(first),
            end: rows_from(first + width),
            impulse,
        });
    }
}
