//! Final positions of a step that a position correction follows, and consistency of the recorded figures.

use percuss_scene::model::mechanism::{ConstraintKind, Scheme, System, SystemError};

use super::super::report::RowRange;
use super::dense::{dot, solve};
use super::step::{Step, size};
use super::{MechanismVerifier, RecordedState};
use crate::recorded_figures as account;
use crate::recorded_figures::{BalanceTolerances, RecordedFigures};

/// Ratio of the joint correction of a coordinate to the sum of the row-by-row corrections, at most.
const MOVED: f64 = 10.0;

impl MechanismVerifier<'_> {
    /// Consistency of the recorded figures of a step with each other.
    pub(super) fn compare_figures(&mut self) {
        let account = self.step_row;
        let event = self.settings.scheme == Scheme::Event;
        let figures = RecordedFigures {
            step: self.step,
            t: self.t,
            residual: account.residual,
            reached: account.reached,
            penetration: account.penetration,
            drift: account.drift,
            momentum: account.momentum,
            energy: account.energy,
            gain: account.gain,
            excess: account.excess,
            turnover: account.turnover,
            given: [account.works[0], account.works[3], 0.0, 0.0],
        };
        let tolerance = self.settings.tolerance;
        // K is iterated until v changes by 50 times (1e-13 and ten times the residual).
        let iterated = 1e-9 + 1e3 * account.residual.min(tolerance);
        let left = BalanceTolerances {
            tolerance,
            momentum: if event { 1e-6 } else { iterated },
            // Works of the event-driven integrator are integrals.
            energy: if event { 1e-6 } else { 1e-10 },
        };
        account::compare(&figures, &left, self.report);
    }

    /// q_F against the uncorrected end of the step, within the correction of joints and, where the scene asks for it,
    /// of overlaps.
    pub(super) fn compare_correction(
        &mut self,
        step: &Step,
        before: &RecordedState,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        if !self.corrects_this() || self.struck() {
            return Ok(());
        }
        // Errors of joints and overlaps at the uncorrected end.
        let arrived = self.uncorrected_end(step, before);
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &arrived, &mut gaps)?;
        let n = last.v.len();
        let mut explained = 1e-11 * (1.0 + size(&arrived));
        for i in 0..self.first_gap.len() - 1 {
            let contact = matches!(self.system.constraints()[i].kind, ConstraintKind::Contact);
            let mut rows = self.constraint_rows.iter();
            let place = rows.position(|row| row.constraint == i);
            let persists = place.is_some_and(|k| self.persistent_at_end(k));
            let corrected = self.settings.projection || self.settings.scheme == Scheme::Projected;
            if contact && !persists && !corrected {
                continue;
            }
            let (g, _) = self.rows_of(i, last.t, &arrived)?;
            for (row, at) in (self.first_gap[i]..self.first_gap[i + 1]).enumerate() {
                let wrong = match contact {
                    true if !persists => (-gaps[at]).max(0.0),
                    _ => gaps[at].abs(),
                };
                let g = &g[row * n..(row + 1) * n];
                // The shortest displacement in the kinetic metric that corrects this row.
                if let (Some(way), true) = (solve(&step.mass, g), wrong > 0.0) {
                    explained += MOVED * wrong * size(&way) / dot(&way, g).max(f64::MIN_POSITIVE);
                }
            }
        }
        // Displacement against the explained correction.
        for (i, (a, b)) in arrived.iter().zip(&last.q).enumerate() {
            let place = self.place(format!("`{}`", self.layout.positions[i]));
            self.report
                .add_comparison("correction", (a - b).abs() / explained, || place);
        }
        self.compare_direction(step, last, &arrived)
    }

    /// Marks the columns that thinned records of systems with joints or corrections leave unverified.
    pub(super) fn thinned_unread(&mut self) {
        let why = "the state before the step is not recorded, and joints or corrections move the one after it";
        let works = ["work", "impact", "sliding", "boundary"];
        self.report
            .mark_all_unchecked("steps", &works, RowRange::All, why);
        self.books_unread(why);
        let groups = self.layout.groups();
        for prefix in ["begin", "end", "impulse", "projection"] {
            for group in &groups {
                let column = format!("{prefix}_{group}");
                self.report
                    .mark_unchecked("contacts", &column, RowRange::All, why);
            }
        }
        self.report
            .mark_unchecked("contacts", "status", RowRange::All, why);
    }
}
