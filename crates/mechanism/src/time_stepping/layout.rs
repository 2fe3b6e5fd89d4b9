//! Where the rows and position functions of each constraint stand in the vectors of a motion; the instants of a step.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::system::System;

/// First row and first position function of each constraint, with the totals at the end.
#[derive(Debug)]
pub(super) struct RowLayout {
    first_row: Vec<usize>,
    first_gap: Vec<usize>,
}

impl RowLayout {
    /// The layout of the constraints of a system.
    pub(super) fn of<S: System>(system: &S) -> Self {
        let (mut first_row, mut first_gap) = (vec![0], vec![0]);
        for constraint in system.constraints() {
            first_row.push(first_row[first_row.len() - 1] + constraint.rows);
            first_gap.push(first_gap[first_gap.len() - 1] + constraint.num_gaps());
        }
        Self {
            first_row,
            first_gap,
        }
    }

    /// Number of constraints.
    pub(super) fn num_constraints(&self) -> usize {
        self.first_row.len() - 1
    }

    /// Number of rows of all constraints.
    pub(super) fn num_rows(&self) -> usize {
        self.first_row[self.first_row.len() - 1]
    }

    /// Number of position functions of all constraints.
    pub(super) fn num_gaps(&self) -> usize {
        self.first_gap[self.first_gap.len() - 1]
    }

    /// Rows of a constraint in the impulses of a state.
    pub(super) fn rows(&self, constraint: usize) -> Range<usize> {
        self.first_row[constraint]..self.first_row[constraint + 1]
    }

    /// Position functions of a constraint: its gap, or its values f.
    pub(super) fn gaps(&self, constraint: usize) -> Range<usize> {
        self.first_gap[constraint]..self.first_gap[constraint + 1]
    }
}

/// Length and end of a step. Stored in checkpoints by position: the order of fields is the format.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct StepInterval {
    /// Length h.
    pub(super) h: f64,
    /// End time t_F, which t_I + h would miss by a rounding.
    pub(super) end: f64,
}

/// Steps taken and the instant they are counted from, so that t = start + k h without accumulated rounding. Stored in
/// checkpoints by position: the order of fields is the format.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct StepClock {
    /// Steps taken.
    pub(super) steps: usize,
    /// Instant of the first step.
    pub(super) start: f64,
}
