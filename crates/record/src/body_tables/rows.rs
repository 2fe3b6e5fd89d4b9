//! Appends rows to the tables of a run of bodies, step by step.

use std::sync::Arc;

use percuss_bodies::{Contact, Dim, Lattice, Matrix, Plane, Pose, Space, StepReport, Vector};
use percuss_contact::law::Status;

use super::super::column::ColumnValues;
use super::tables::row_names;

/// Columns of a pose and a velocity in each dimension.
pub(super) trait PoseColumns: Dim {
    /// The angle, or the quaternion w, x, y, z.
    fn rotation(pose: &Pose<Self>, out: &mut impl FnMut(f64));
    /// The angular velocity about space axes.
    fn spin(pose: &Pose<Self>, velocity: &Self::Dofs, out: &mut impl FnMut(f64));
}

impl PoseColumns for Plane {
    fn rotation(pose: &Pose<Self>, out: &mut impl FnMut(f64)) {
        out(pose.rotation.angle());
    }

    fn spin(_pose: &Pose<Self>, velocity: &[f64; 3], out: &mut impl FnMut(f64)) {
        out(velocity[2]);
    }
}

impl PoseColumns for Space {
    fn rotation(pose: &Pose<Self>, out: &mut impl FnMut(f64)) {
        let q = pose.rotation;
        [q.w, q.x, q.y, q.z].into_iter().for_each(out);
    }

    fn spin(pose: &Pose<Self>, velocity: &[f64; 6], out: &mut impl FnMut(f64)) {
        let spin = <Self as percuss_bodies::geometry::Dim>::Vector::from_components(&velocity[3..]);
        <Self as percuss_bodies::geometry::Dim>::rotate(&pose.rotation, spin)
            .components()
            .iter()
            .copied()
            .for_each(out);
    }
}

/// Fills one row from left to right.
pub(super) struct RowWriter<'a> {
    columns: std::slice::IterMut<'a, ColumnValues>,
}

impl<'a> RowWriter<'a> {
    pub(super) fn of(columns: &'a mut [ColumnValues]) -> Self {
        Self {
            columns: columns.iter_mut(),
        }
    }

    pub(super) fn integer(&mut self, x: usize) {
        if let Some(column) = self.columns.next() {
            column.push_integer(x);
        }
    }

    pub(super) fn real(&mut self, x: f64) {
        if let Some(column) = self.columns.next() {
            column.push_real(x);
        }
    }

    pub(super) fn reals(&mut self, all: &[f64]) {
        all.iter().for_each(|x| self.real(*x));
    }

    fn optional(&mut self, x: Option<f64>) {
        if let Some(column) = self.columns.next() {
            column.push_optional(x);
        }
    }

    fn truth(&mut self, x: bool) {
        if let Some(column) = self.columns.next() {
            column.push_truth(x);
        }
    }

    pub(super) fn text(&mut self, x: &Arc<str>) {
        if let Some(column) = self.columns.next() {
            column.push_text(x);
        }
    }
}

/// Appends a row of `steps`.
pub(super) fn push_step(out: &mut [ColumnValues], step: usize, ledger: &StepReport) {
    let mut row = RowWriter::of(out);
    row.integer(step);
    row.reals(&[ledger.t, ledger.h]);
    row.integer(ledger.num_active);
    row.integer(ledger.num_pairs);
    row.real(ledger.residual);
    row.integer(ledger.iterations);
    row.truth(ledger.reached);
    row.reals(&[
        ledger.penetration,
        ledger.drift,
        ledger.momentum,
        ledger.kinetic,
        ledger.potential,
        ledger.work,
        ledger.impact,
        ledger.sliding,
        ledger.boundary,
        ledger.motor,
        ledger.spring,
        ledger.joint_friction,
        ledger.bilateral,
        ledger.elastic,
        ledger.energy,
        ledger.gain,
        ledger.excess,
        ledger.turnover,
        ledger.forced,
        ledger.lasting,
        ledger.penetration_share,
        ledger.drift_share,
        ledger.resting,
        ledger.resting_share,
    ]);
    // Gamma is infinite where no contact slides: null.
    row.truth(ledger.mixed);
    row.real(ledger.apart);
    row.optional(Some(ledger.gamma).filter(|gamma| gamma.is_finite()));
}

/// Appends a row of `bodies`.
pub(super) fn push_body<D: PoseColumns>(
    out: &mut [ColumnValues],
    (step, t): (usize, f64),
    body: usize,
    pose: &Pose<D>,
    velocity: &D::Dofs,
) {
    let mut row = RowWriter::of(out);
    row.integer(step);
    row.real(t);
    row.integer(body);
    row.reals(pose.position.components());
    D::rotation(pose, &mut |x| row.real(x));
    row.reals(&velocity.as_ref()[..D::N]);
    D::spin(pose, velocity, &mut |x| row.real(x));
}

/// Appends a row of `cell`.
pub(super) fn push_cell<D: PoseColumns>(
    out: &mut [ColumnValues],
    (step, t): (usize, f64),
    lattice: &Lattice<D>,
    begin: &Matrix,
) {
    let mut row = RowWriter::of(out);
    row.integer(step);
    row.real(t);
    for vector in lattice.vectors.iter().take(D::N) {
        row.reals(vector.components());
    }
    // Strain rates at the end and at the beginning of the step.
    for rate in [&lattice.rate, begin] {
        rate.iter().take(D::N).for_each(|r| row.reals(&r[..D::N]));
    }
}

/// Texts that repeat in the tables, each stored once.
#[derive(Debug)]
pub(super) struct RepeatedTexts {
    status: [Arc<str>; 3],
}

impl RepeatedTexts {
    pub(super) fn new() -> Self {
        Self {
            status: ["open", "stick", "slip"].map(Arc::from),
        }
    }

    fn status(&self, status: Status) -> &Arc<str> {
        &self.status[match status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        }]
    }
}

/// Appends a row of `contacts`.
pub(super) fn push_contact<D: PoseColumns>(
    out: &mut [ColumnValues],
    words: &RepeatedTexts,
    (step, t): (usize, f64),
    contact: &Contact<'_, D>,
    shift: Option<D::Vector>,
) {
    let mut row = RowWriter::of(out);
    row.integer(step);
    row.real(t);
    let [a, b] = contact.bodies;
    [a, b, contact.point.feature]
        .iter()
        .for_each(|k| row.integer(*k as usize));
    row.text(words.status(contact.status));
    row.real(contact.point.gap);
    let middle = (contact.point.point_a + contact.point.point_b) * 0.5;
    row.reals(middle.components());
    row.reals(contact.point.normal.components());
    if D::N == 3 {
        let tangent = contact.frame.as_ref().get(1).copied().unwrap_or_default();
        row.reals(tangent.components());
    }
    for rows in [contact.begin, contact.end, contact.impulse] {
        row.real(rows.first().copied().unwrap_or(0.0));
        for k in 1..row_names::<D>().len() {
            row.optional(rows.get(k).copied());
        }
    }
    if let Some(shift) = shift {
        row.reals(shift.components());
    }
}
