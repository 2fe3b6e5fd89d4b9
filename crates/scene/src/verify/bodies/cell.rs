//! The periodic cell of a step.
//!
//! ```text
//! q̇_L = [ q̇_I (1 − ½hγ) + (h/M|B|²) (Σ m c ⊗ c − V σ) : B ] / (1 + ½hγ)
//! M|B|² (q̇_F − q̇_L) = Σ S·B ℓ            q̇ = L:B/|B|², L = given + Σ q̇ B
//! ```

use super::super::report::{Place, Report};
use super::super::stream::Stream;
use super::super::vector::{M3, V3, apply, contract, cross, dot, identity, plus};
use super::Walk;
use super::given::Flat;
use super::motion::{Flow, Push, linear};
use crate::record::{Record, RecordError};

pub(super) fn announce(report: &mut Report) {
    let cell = "M|B|^2 (q_F - q_L) = sum of S.B l of the cell's rates; relative to its terms";
    // Sums over all contacts: rounding grows with the square root of their number.
    report.expect("cell", cell, 1e-10);
    report.expect("rate", "given rates of deformation; relative", 1e-10);
}

/// The table `cell`; none where it does not tell how the cell deforms.
pub(super) fn open<'a>(record: &'a Record, plane: bool) -> Result<Option<Stream<'a>>, RecordError> {
    let axes = if plane {
        &["x", "y"][..]
    } else {
        &["x", "y", "z"]
    };
    let mut names = Vec::new();
    for vector in &["a", "b", "c"][..axes.len()] {
        names.extend(axes.iter().map(|axis| format!("{vector}_{axis}")));
    }
    for prefix in ["rate", "begin"] {
        for i in axes {
            names.extend(axes.iter().map(|j| format!("{prefix}_{i}{j}")));
        }
    }
    Stream::open(record, "cell", &names, &[])
}

/// The cell over a step.
pub(super) fn flow(
    stream: &mut Option<Stream<'_>>,
    step: i64,
    plane: bool,
) -> Result<Option<Flow>, RecordError> {
    let Some(stream) = stream else {
        return Ok(None);
    };
    let group = stream.at(step)?;
    if group.rows == 0 {
        return Ok(None);
    }
    let n = if plane { 2 } else { 3 };
    let matrix = |first: usize| -> M3 {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| match i < n && j < n {
                true => group.at(first + i * n + j, 0),
                false => 0.0,
            })
        })
    };
    let mut vectors = matrix(0);
    if plane {
        vectors[2][2] = 1.0;
    }
    Ok(Some(Flow {
        end: matrix(n * n),
        begin: matrix(2 * n * n),
        vectors,
    }))
}

fn determinant(m: &M3) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}

impl<D: Flat> Walk<'_, D> {
    /// What the cell adds to the trace of H of a contact.
    pub(super) fn cell_trace(&self, pushes: &[Push], branch: V3) -> f64 {
        let Some(cell) = &self.given.model.cell else {
            return 0.0;
        };
        let mut trace = 0.0;
        for mode in &cell.modes {
            let heavy = cell.mass * contract(mode, mode);
            for push in pushes.iter().filter(|push| !push.turn) {
                let g = dot(push.direction, apply(mode, branch));
                trace += g * g / heavy;
            }
        }
        trace
    }

    /// L without the impulses of the step.
    pub(super) fn free_rate(&self, flow: &Flow) -> M3 {
        match &self.cell_free {
            Some(rate) => *rate,
            None => flow.end,
        }
    }

    /// Computes L_L for the step.
    pub(super) fn set_free_rate(&mut self) {
        self.cell_free = None;
        let Some(flow) = self.motion.flow else { return };
        let (h, t) = (self.motion.h, self.motion.t);
        let (rate, _) = self.given.control(t);
        let (_, stress) = self.given.control(t - 0.5 * h);
        let Some(cell) = &self.given.model.cell else {
            return;
        };
        let mut motion = [[0.0; 3]; 3];
        for (part, begin) in self.given.parts.iter().zip(&self.motion.begin) {
            let c = linear(begin);
            let lag = apply(&flow.begin, c);
            let middle: V3 = std::array::from_fn(|k| c[k] - 0.5 * h * lag[k]);
            for (row, a) in motion.iter_mut().zip(middle) {
                for (entry, b) in row.iter_mut().zip(middle) {
                    *entry += part.mass * a * b;
                }
            }
        }
        let mean = plus(&flow.begin, &flow.end, 1.0);
        let volume = determinant(&flow.vectors) * determinant(&plus(&identity(), &mean, -0.25 * h))
            / determinant(&plus(&identity(), &mean, 0.25 * h))
            * determinant(&plus(&identity(), &flow.begin, 0.5 * h));
        let pushed = plus(&motion, &stress, -volume);
        let mut free = rate;
        for mode in &cell.modes {
            let square = contract(mode, mode);
            let begin = contract(&flow.begin, mode) / square;
            let change = h * contract(&pushed, mode) / (cell.mass * square);
            let share = 0.5 * h * cell.damping;
            let after = (begin * (1.0 - share) + change) / (1.0 + share);
            free = plus(&free, mode, after);
        }
        self.cell_free = Some(free);
    }

    /// The momentum of the cell, and the rates that are given.
    pub(super) fn compare_cell(&mut self) {
        let (Some(flow), Some(free)) = (self.motion.flow, self.cell_free) else {
            return;
        };
        let (given, _) = self.given.control(self.motion.t);
        let modes = match &self.given.model.cell {
            Some(cell) => cell.modes.iter().map(|m| (*m, cell.mass)).collect(),
            None => Vec::new(),
        };
        let mut left = plus(&flow.end, &given, -1.0);
        let (step, t) = (self.ledger.step, self.motion.t);
        let place = |what: &str| Place {
            step: Some(step),
            t: Some(t),
            what: what.to_string(),
        };
        for (mode, mass) in &modes {
            let square = contract(mode, mode);
            let (mut sum, mut size) = (0.0, 0.0);
            let mut at = 0;
            for touch in &self.touches {
                let branch = self.motion.branch(touch);
                for push in &self.pushes[at..at + touch.rows] {
                    if !push.turn {
                        let g = push.size * dot(push.direction, apply(mode, branch));
                        sum += g;
                        size += g.abs();
                    }
                }
                at += touch.rows;
            }
            let change = contract(&plus(&flow.end, &free, -1.0), mode) / square;
            let heavy = mass * square;
            let own = contract(&flow.end, mode).abs() + contract(&free, mode).abs();
            let size = size / heavy + own / square;
            let off = (change - sum / heavy).abs() / size.max(f64::MIN_POSITIVE);
            self.report.note("cell", off, || place("the cell"));
            left = plus(&left, mode, -contract(&flow.end, mode) / square);
        }
        let scale = contract(&flow.end, &flow.end).sqrt();
        let off = contract(&left, &left).sqrt() / scale.max(f64::MIN_POSITIVE);
        self.report.note("rate", off, || place("the cell"));
    }
}
