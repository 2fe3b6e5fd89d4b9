//! Increment of a trajectory, as checkpoints store it: the states from one on, bit for bit.

use percuss_contact::law::Status;
use percuss_mechanism::{Event, StepReport};
use serde::{Deserialize, Serialize};

use super::{Stored, Trajectory};

/// The states of a trajectory from one on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryIncrement {
    t: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    ledgers: Vec<StepReport>,
    touches: Vec<Touched>,
    /// Number of constraint reports of each state.
    touch_counts: Vec<usize>,
    rows: Vec<f64>,
    events: Vec<Event>,
    event_counts: Vec<usize>,
}

/// The report of one constraint in one step; its rows follow those of the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Touched {
    constraint: usize,
    gap: f64,
    status: u8,
    rows: usize,
}

impl Trajectory {
    /// The states from number `first` on.
    pub fn since(&self, first: usize) -> TrajectoryIncrement {
        let first = first.min(self.len());
        let (n, m) = (self.chart.num_positions(), self.chart.num_velocities());
        // Offsets of the first state in the flat arrays.
        let before = |ends: &[usize]| first.checked_sub(1).map_or(0, |k| ends[k]);
        let (touch, event) = (before(&self.touch_ends), before(&self.event_ends));
        let touches = &self.touches[touch..];
        let row = touches.first().map_or(self.rows.len(), |t| t.first);
        // Flat arrays from the first state on.
        TrajectoryIncrement {
            t: self.t[first..].to_vec(),
            q: self.q[n * first..].to_vec(),
            v: self.v[m * first..].to_vec(),
            ledgers: self.ledgers[first..].to_vec(),
            touches: touches.iter().map(Touched::of).collect(),
            touch_counts: counts(touch, &self.touch_ends[first..]),
            rows: self.rows[row..].to_vec(),
            events: self.events[event..].to_vec(),
            event_counts: counts(event, &self.event_ends[first..]),
        }
    }

    /// Appends an increment; false, and nothing is appended, where it does not fit this trajectory.
    pub fn append(&mut self, piece: TrajectoryIncrement) -> bool {
        let (n, m) = (self.chart.num_positions(), self.chart.num_velocities());
        let states = piece.t.len();
        let statuses = piece.touches.iter().map(|t| status(t.status));
        let Some(statuses) = statuses.collect::<Option<Vec<_>>>() else {
            return false;
        };
        // Lengths must agree with the system and with each other; the bytes may be those of another
        // one.
        let lengths = piece.q.len() == n * states
            && piece.v.len() == m * states
            && piece.ledgers.len() == states
            && piece.touch_counts.len() == states
            && piece.event_counts.len() == states;
        let rows = piece.touches.iter().try_fold(0_usize, |sum, touch| {
            touch.rows.checked_mul(3).and_then(|d| d.checked_add(sum))
        });
        let total = |counts: &[usize]| counts.iter().try_fold(0_usize, |a, b| a.checked_add(*b));
        let fits = lengths
            && rows == Some(piece.rows.len())
            && total(&piece.touch_counts) == Some(piece.touches.len())
            && total(&piece.event_counts) == Some(piece.events.len());
        if !fits {
            return false;
        }
        // Reports get their offsets in the common array of rows.
        let mut first = self.rows.len();
        for (touch, status) in piece.touches.iter().zip(statuses) {
            self.touches.push(Stored {
                constraint: touch.constraint,
                gap: touch.gap,
                status,
                rows: touch.rows,
                first,
            });
            first += 3 * touch.rows;
        }
        // Ranges are stored as counts, so that increments can be joined.
        extend(&mut self.touch_ends, &piece.touch_counts);
        extend(&mut self.event_ends, &piece.event_counts);
        self.t.extend(piece.t);
        self.q.extend(piece.q);
        self.v.extend(piece.v);
        self.ledgers.extend(piece.ledgers);
        self.rows.extend(piece.rows);
        self.events.extend(piece.events);
        true
    }
}

impl Touched {
    fn of(stored: &Stored) -> Self {
        Self {
            constraint: stored.constraint,
            gap: stored.gap,
            status: match stored.status {
                Status::Open => 0,
                Status::Stick => 1,
                Status::Slip => 2,
            },
            rows: stored.rows,
        }
    }
}

/// The status of a code; none for an unknown code.
fn status(code: u8) -> Option<Status> {
    match code {
        0 => Some(Status::Open),
        1 => Some(Status::Stick),
        2 => Some(Status::Slip),
        _ => None,
    }
}

/// Counts from the ends of successive ranges.
fn counts(mut before: usize, ends: &[usize]) -> Vec<usize> {
    let count = |end: &usize| end - std::mem::replace(&mut before, *end);
    ends.iter().map(count).collect()
}

/// Appends the ends of successive ranges with these counts.
fn extend(ends: &mut Vec<usize>, counts: &[usize]) {
    let mut end = ends.last().copied().unwrap_or(0);
    for count in counts {
        end += count;
        ends.push(end);
    }
}
