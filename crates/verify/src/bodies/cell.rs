//! The periodic cell of a step: its lattice vectors, its strain rate and its balance of momentum.
//!
//! ```text
//! q̇_L = [ q̇_I (1 − ½hγ) + (h/M|B|²) (Σ m c ⊗ c − V σ) : B ] / (1 + ½hγ)
//! M|B|² (q̇_F − q̇_L) = Σ S·B ℓ            q̇ = L:B/|B|², L = imposed + Σ q̇ B
//! ```
//!
//! B are the modes of deformation that follow the stress, L the velocity gradient, ℓ the branch vector of a contact.

use percuss_record::{Record, RecordError};

use super::super::report::{Location, Report, RowRange};
use super::super::vector::{
    M3, V3, add_scaled, add_scaled_matrix, apply, contract, cross, dot, identity, norm, solve, sub,
};
use super::BodiesVerifier;
use super::contacts::worse;
use super::joint_frames::three;
use super::scene_data::EmbedInSpace;
use super::spin::linear;
use super::start::Start;
use super::step_motion::{CellFlow, RowImpulse};
use crate::step_stream::StepStream;

pub(super) fn declare_checks(report: &mut Report) {
    let cell = "M|B|^2 (q_F - q_L) = sum of S.B l of the cell's rates; relative to its terms";
    // Sums over all contacts: rounding grows with the square root of their number.
    report.declare("cell", cell, 1e-10);
    report.declare("rate", "given rates of deformation; relative", 1e-10);
    let images = "vectors of the cell from those before, and images of contacts, as whole numbers of its vectors";
    report.declare("images", images, 1e-9);
}

/// Opens the table `cell`; `None` where it does not record how the cell deforms.
pub(super) fn open<'a>(
    record: &'a Record,
    plane: bool,
) -> Result<Option<StepStream<'a>>, RecordError> {
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
    StepStream::open(record, "cell", &names, &[])
}

/// Velocity gradients and lattice vectors of the cell over a step.
pub(super) fn read_flow(
    stream: &mut Option<StepStream<'_>>,
    step: i64,
    plane: bool,
) -> Result<Option<CellFlow>, RecordError> {
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
    Ok(Some(CellFlow {
        end: matrix(n * n),
        begin: matrix(2 * n * n),
        vectors,
    }))
}

/// Distance of a vector from the nearest integer combination of the lattice vectors.
fn broken(vectors: &[V3; 3], v: V3) -> f64 {
    let columns: M3 = std::array::from_fn(|i| std::array::from_fn(|j| vectors[j][i]));
    let numbers = solve(&columns, v);
    numbers
        .iter()
        .fold(0.0, |m, x| worse(m, (x - x.round()).abs()))
}

/// The lattice vectors at the beginning of a step, from those at its end.
fn vectors_before(flow: &CellFlow, h: f64) -> [V3; 3] {
    let mean = add_scaled_matrix(&flow.begin, &flow.end, 1.0);
    flow.vectors.map(|v| {
        let right = add_scaled(v, apply(&mean, v), -0.25 * h);
        solve(&add_scaled_matrix(&identity(), &mean, 0.25 * h), right)
    })
}

fn determinant(m: &M3) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    fn cell_place(&self, step: i64) -> Location {
        Location {
            step: Some(step),
            t: Some(self.motion.t),
            what: "the cell".into(),
        }
    }

    /// The cell at the start: its vectors are those of the scene where nothing is prepared, its rates the imposed
    /// ones.
    pub(super) fn compare_first_cell(&mut self, flow: Option<CellFlow>, start: &Start<D>) {
        let Some(flow) = flow else { return };
        self.lattice = Some((0, flow));
        let place = self.cell_place(0);
        // There is no step before: initial and final rates are equal.
        let off = if flow.begin == flow.end {
            0.0
        } else {
            f64::INFINITY
        };
        let spot = place.clone();
        self.report.add_comparison("rate", off, || spot);
        // Imposed components of the velocity gradient.
        let (given, _) = self.scene.control(self.motion.t);
        let left = self.without_modes(&add_scaled_matrix(&flow.end, &given, -1.0));
        let scale = contract(&flow.end, &flow.end).sqrt();
        let scale = scale.max(contract(&given, &given).sqrt());
        let off = match contract(&left, &left).sqrt() {
            0.0 => 0.0,
            off => off / scale,
        };
        let spot = place.clone();
        self.report.add_comparison("rate", off, || spot);
        if start.prepared {
            return;
        }
        // Lattice vectors of the scene.
        let Some(lattice) = &start.state.cell else {
            return;
        };
        for (own, found) in lattice.vectors.iter().take(D::N).zip(&flow.vectors) {
            let own = three(own);
            let off = norm(sub(own, *found)) / norm(own).max(f64::MIN_POSITIVE);
            let place = place.clone();
            self.report.add_comparison("start", off, || place);
        }
    }

    /// The lattice vectors against those of the step before, and the periodic images of the contacts.
    pub(super) fn compare_lattice(&mut self, flow: Option<CellFlow>, step: i64) {
        let Some(flow) = flow else { return };
        let h = self.motion.h;
        let first = vectors_before(&flow, h);
        let place = self.cell_place(step);
        let known = self.lattice.filter(|(before, _)| before + 1 == step);
        // Consecutive steps: the lattice may change by a unimodular reduction only.
        if let Some((_, before)) = known {
            let off = before
                .vectors
                .iter()
                .fold(0.0, |m, v| worse(m, broken(&first, *v)));
            let rates = add_scaled_matrix(&before.end, &flow.begin, -1.0);
            let off = off.max(contract(&rates, &rates).sqrt() * h);
            let place = place.clone();
            self.report.add_comparison("images", off, || place);
        } else if self.lattice.is_some_and(|(before, _)| before == 0) && self.start_unknown {
            let why = "the end of preparations, and no state of the step after it";
            for vector in &["a", "b", "c"][..D::N] {
                for axis in &["x", "y", "z"][..D::N] {
                    let column = format!("{vector}_{axis}");
                    self.report
                        .mark_unchecked("cell", &column, RowRange::First, why);
                }
            }
        }
        self.lattice = Some((step, flow));
        // Shifts of contacts across faces are integer combinations of the midpoint lattice.
        let middle = first.map(|v| add_scaled(v, apply(&flow.begin, v), 0.5 * h));
        let mut across = false;
        for k in 0..self.contacts.len() {
            let touch = self.contacts[k];
            if touch.shift != [0.0; 3] {
                across = true;
                let place = self.place(self.pair_name(&touch));
                self.report
                    .add_comparison("images", broken(&middle, touch.shift), || place);
            }
        }
        if !across && known.is_none() {
            self.report.skip(
                "vectors of the cell, but for its volume, in steps without contacts across its faces whose state \
                 before is not recorded",
            );
        }
    }

    /// Contribution of the cell to the trace of the Delassus block of a contact.
    pub(super) fn cell_trace(&self, pushes: &[RowImpulse], branch: V3) -> f64 {
        let Some(cell) = &self.scene.model.cell else {
            return 0.0;
        };
        let mut trace = 0.0;
        for mode in &cell.modes {
            let heavy = cell.mass * contract(mode, mode);
            for push in pushes.iter().filter(|push| !push.rotational) {
                let g = dot(push.direction, apply(mode, branch));
                trace += g * g / heavy;
            }
        }
        trace
    }

    /// The velocity gradient L without the impulses of the step.
    pub(super) fn free_rate(&self, flow: &CellFlow) -> M3 {
        match &self.cell_free {
            Some(rate) => *rate,
            None => flow.end,
        }
    }

    /// Computes L_L of the step.
    pub(super) fn set_free_rate(&mut self) {
        self.cell_free = None;
        let Some(flow) = self.motion.flow else { return };
        let (h, t) = (self.motion.h, self.motion.t);
        let (rate, _) = self.scene.control(t);
        let (_, stress) = self.scene.control(t - 0.5 * h);
        let Some(cell) = &self.scene.model.cell else {
            return;
        };
        // Kinetic stress Σ m c ⊗ c at the midpoint.
        let mut motion = [[0.0; 3]; 3];
        for (part, begin) in self.scene.parts.iter().zip(&self.motion.begin) {
            let c = linear(begin);
            let lag = apply(&flow.begin, c);
            let middle: V3 = std::array::from_fn(|k| c[k] - 0.5 * h * lag[k]);
            for (row, a) in motion.iter_mut().zip(middle) {
                for (entry, b) in row.iter_mut().zip(middle) {
                    *entry += part.mass * a * b;
                }
            }
        }
        let mean = add_scaled_matrix(&flow.begin, &flow.end, 1.0);
        // Volume at the midpoint, from the vectors at the end of the step.
        let volume = determinant(&flow.vectors)
            * determinant(&add_scaled_matrix(&identity(), &mean, -0.25 * h))
            / determinant(&add_scaled_matrix(&identity(), &mean, 0.25 * h))
            * determinant(&add_scaled_matrix(&identity(), &flow.begin, 0.5 * h));
        let pushed = add_scaled_matrix(&motion, &stress, -volume);
        // Free rate of each mode, with viscous damping.
        let mut free = rate;
        for mode in &cell.modes {
            let square = contract(mode, mode);
            let begin = contract(&flow.begin, mode) / square;
            let change = h * contract(&pushed, mode) / (cell.mass * square);
            let share = 0.5 * h * cell.damping;
            let after = (begin * (1.0 - share) + change) / (1.0 + share);
            free = add_scaled_matrix(&free, mode, after);
        }
        self.cell_free = Some(free);
    }

    /// The momentum balance of the cell, and its imposed rates.
    pub(super) fn compare_cell(&mut self) {
        let (Some(flow), Some(free)) = (self.motion.flow, self.cell_free) else {
            return;
        };
        let (given, _) = self.scene.control(self.motion.t);
        let modes = match &self.scene.model.cell {
            Some(cell) => cell.modes.iter().map(|m| (*m, cell.mass)).collect(),
            None => Vec::new(),
        };
        let mut left = add_scaled_matrix(&flow.end, &given, -1.0);
        let (step, t) = (self.steps.step, self.motion.t);
        let place = |what: &str| Location {
            step: Some(step),
            t: Some(t),
            what: what.to_string(),
        };
        // Balance of each mode: generalised impulse Σ S·B ℓ.
        for (mode, mass) in &modes {
            let square = contract(mode, mode);
            let (mut sum, mut size) = (0.0, 0.0);
            let mut at = 0;
            for touch in &self.contacts {
                let branch = self.motion.branch_vector(touch);
                for push in &self.impulses[at..at + touch.rows] {
                    if !push.rotational {
                        let g = push.size * dot(push.direction, apply(mode, branch));
                        sum += g;
                        size += g.abs();
                    }
                }
                at += touch.rows;
            }
            let change = contract(&add_scaled_matrix(&flow.end, &free, -1.0), mode) / square;
            let heavy = mass * square;
            let own = contract(&flow.end, mode).abs() + contract(&free, mode).abs();
            let size = size / heavy + own / square;
            let off = (change - sum / heavy).abs() / size.max(f64::MIN_POSITIVE);
            self.report
                .add_comparison("cell", off, || place("the cell"));
            left = add_scaled_matrix(&left, mode, -contract(&flow.end, mode) / square);
        }
        // What remains of L without the modes is imposed.
        let scale = contract(&flow.end, &flow.end).sqrt();
        let off = contract(&left, &left).sqrt() / scale.max(f64::MIN_POSITIVE);
        self.report
            .add_comparison("rate", off, || place("the cell"));
    }
}
