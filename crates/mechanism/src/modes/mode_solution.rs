//! Accelerations and reactions for given contact modes.
//!
//! ```text
//! R = c + D y,     E (Ĝ(L⁻¹K + Ĝᵀ R) + bias) = 0     one equation for each unknown y
//! ```
//!
//! The columns of D are the directions in which the unknowns act (a normal reaction carries the friction of its sliding
//! parts with it, so the matrix E Ĝ Ĝᵀ D is not symmetric), E selects the combinations of rows that must not
//! accelerate, c are the forces that depend on no reaction. Dependent constraints leave y undetermined but not the
//! accelerations; contradictory ones leave a defect.

use percuss_convex::dense;

use super::RestingRow;
use super::contact_mode::{ContactMode, ForceSet, PartMode, SetScale, along, norm, scaled};
use super::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use super::event_functions::force_sizes;
use super::reaction_selection::ReactionFamily;
use crate::least_norm;

/// Below this share of the terms a velocity has no direction.
const NO_DIRECTION: f64 = 1e-11;

/// Accelerations and reactions of given modes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModeSolution {
    /// Acceleration in kinetic coordinates, â.
    pub(crate) hat: Vec<f64>,
    /// Reactions R, constraint by constraint in the order of the frame.
    pub(crate) reaction: Vec<Vec<f64>>,
    /// Rates U̇.
    pub(crate) rate: Vec<Vec<f64>>,
    /// Coefficient of the normal reaction of a sliding constraint in its own normal acceleration, as a share of what it
    /// would be without friction; 1 where nothing slides. Not positive: Painlevé's paradox.
    pub(crate) coefficient: Vec<f64>,
    /// Whether the equations determine the reactions.
    regular: bool,
    /// Largest residual of the equations, relative to their terms, and the constraint of it.
    pub(crate) defect: f64,
    pub(crate) worst: usize,
}

/// An unknown or an equation: a combination of the rows of one constraint.
struct RowCombination {
    /// Index in the frame.
    local: usize,
    /// Weights by row.
    weight: Vec<f64>,
    /// The combination of rows of Ĝ.
    hat: Vec<f64>,
    /// 1/length of `hat`, or 0.
    scale: f64,
}

impl RowCombination {
    fn new(frame: &EvaluatedState, local: usize, weight: Vec<f64>) -> Self {
        let mut hat = vec![0.0; frame.n()];
        for (i, w) in weight.iter().enumerate() {
            dense::axpy(*w, frame.locals[local].hat_row(i), &mut hat);
        }
        let length = norm(&hat);
        // A combination that vanishes to rounding has no part in the system.
        let whole = norm(&frame.locals[local].length) * norm(&weight);
        let scale = if length > 1e-14 * whole {
            1.0 / length
        } else {
            0.0
        };
        Self {
            local,
            weight,
            hat,
            scale,
        }
    }
}

/// Unit direction in which a sliding part moves: that of U, continued through 0 from `last`.
pub(crate) fn direction(
    local: &EvaluatedConstraint,
    rows: std::ops::Range<usize>,
    last: &[f64],
) -> Vec<f64> {
    let u = &local.u[rows.clone()];
    let speed = norm(u);
    if speed <= NO_DIRECTION * local.speed(rows) || speed == 0.0 {
        return last.to_vec();
    }
    let sense = dense::dot(u, last);
    scaled(u, if sense < 0.0 { -1.0 } else { 1.0 } / speed)
}

/// Friction force of part `p` for s = 1.
pub(crate) fn sliding_force(local: &EvaluatedConstraint, p: usize, grip: &PartMode) -> Vec<f64> {
    let part = &local.structure.parts[p];
    let u = match grip {
        PartMode::Slide(last) => direction(local, part.rows.clone(), last),
        PartMode::SlideOnset(e) => e.clone(),
        _ => local.u[part.rows.clone()].to_vec(),
    };
    part.slide_set.max_dissipation_force(&u, grip)
}

/// Friction of a joint whose friction follows the magnitude of two reactions: along a unit vector of the reaction, or of
/// a given magnitude.
#[derive(Debug, Clone, Default)]
struct PairFriction {
    unit: Vec<f64>,
    magnitude: f64,
}

/// Linear system of one combination of modes.
struct ModeSystem<'a> {
    frame: &'a EvaluatedState,
    modes: &'a [ContactMode],
    unknown: Vec<RowCombination>,
    equation: Vec<RowCombination>,
    /// Forces c that depend on no unknown, by constraint.
    constant: Vec<Vec<f64>>,
}

impl<'a> ModeSystem<'a> {
    /// Assembles unknowns and equations. Friction that follows the magnitude of two reactions takes it from `pairs`.
    fn new(frame: &'a EvaluatedState, modes: &'a [ContactMode], pairs: &[PairFriction]) -> Self {
        let mut system = Self {
            frame,
            modes,
            unknown: Vec::new(),
            equation: Vec::new(),
            constant: Vec::with_capacity(modes.len()),
        };
        for (k, mode) in modes.iter().enumerate() {
            let constant = match mode {
                ContactMode::Open => vec![0.0; frame.locals[k].rows()],
                ContactMode::Closed { sign, grips } => system.push(k, *sign, grips, &pairs[k]),
            };
            system.constant.push(constant);
        }
        system
    }

    /// Adds the unknowns and equations of one closed constraint; returns its constant forces.
    fn push(&mut self, k: usize, sign: f64, grips: &[PartMode], pair: &PairFriction) -> Vec<f64> {
        let local = &self.frame.locals[k];
        let rows = local.rows();
        let axis = |i: usize| {
            let mut e = vec![0.0; rows];
            e[i] = 1.0;
            e
        };
        // Friction of the sliding parts; rows, or edges of polygons, that stick.
        let (mut sliding, mut held) = (vec![0.0; rows], Vec::new());
        for (p, grip) in grips.iter().enumerate() {
            let part = &local.structure.parts[p];
            match grip {
                PartMode::Stick => held.extend(part.rows.clone().map(axis)),
                _ => sliding[part.rows.clone()].copy_from_slice(&sliding_force(local, p, grip)),
            }
            if let (PartMode::Edge(e), ForceSet::Polygon(section)) = (grip, &part.slide_set) {
                let mut weight = vec![0.0; rows];
                weight[part.rows.clone()].copy_from_slice(&along(section.vertices(), *e));
                held.push(weight);
            }
        }
        // Normal reactions carry the friction of the sliding parts with them.
        for i in 0..local.structure.normal {
            let follow = match local.structure.scale {
                SetScale::Fixed => 0.0,
                SetScale::Normal => 1.0,
                SetScale::Magnitude if local.structure.normal == 1 => sign,
                SetScale::Magnitude => pair.unit.get(i).copied().unwrap_or(0.0),
            };
            let mut weight = axis(i);
            dense::axpy(follow, &sliding, &mut weight);
            self.unknown
                .push(RowCombination::new(self.frame, k, weight));
            self.equation
                .push(RowCombination::new(self.frame, k, axis(i)));
        }
        // Sticking rows: the reaction acts along the row that must not accelerate.
        for weight in held {
            self.unknown
                .push(RowCombination::new(self.frame, k, weight.clone()));
            self.equation
                .push(RowCombination::new(self.frame, k, weight));
        }
        match local.structure.scale {
            SetScale::Fixed => sliding,
            _ if pair.magnitude != 0.0 => scaled(&sliding, pair.magnitude),
            _ => vec![0.0; rows],
        }
    }

    /// Solves the system; `any` accepts any reactions that satisfy the laws where they are not determined.
    fn solve(&self, any: bool) -> ModeSolution {
        let frame = self.frame;
        let m = self.unknown.len();
        let mut given = frame.free.clone();
        for (k, local) in frame.locals.iter().enumerate() {
            for i in 0..local.rows() {
                dense::axpy(self.constant[k][i], local.hat_row(i), &mut given);
            }
        }
        // Matrix E Ĝ Ĝᵀ D and right-hand side, rows and columns scaled to unit length.
        let mut matrix = vec![0.0; m * m];
        let mut right = vec![0.0; m];
        for (i, row) in self.equation.iter().enumerate() {
            for (j, column) in self.unknown.iter().enumerate() {
                matrix[i * m + j] = row.scale * dense::dot(&row.hat, &column.hat) * column.scale;
            }
            let bias = dense::dot(&row.weight, &frame.locals[row.local].bias);
            right[i] = -row.scale * (dense::dot(&row.hat, &given) + bias);
        }
        let (y, regular) = least_norm::solve_least_norm(&matrix, &right);
        let mut answer = self.assemble(&y, given);
        // Dependent constraints: select among the possible reactions.
        if !regular {
            self.select_reactions(&y, any, &mut answer);
        }
        self.coefficients(&matrix, regular, &mut answer);
        answer.regular = regular;
        answer
    }

    /// R, â and U̇ from the unknowns y.
    fn assemble(&self, y: &[f64], given: Vec<f64>) -> ModeSolution {
        let frame = self.frame;
        let mut reaction = self.constant.clone();
        let mut hat = given;
        for (line, y) in self.unknown.iter().zip(y) {
            let amount = y * line.scale;
            dense::axpy(amount, &line.weight, &mut reaction[line.local]);
            dense::axpy(amount, &line.hat, &mut hat);
        }
        let rate = frame.locals.iter().map(|local| {
            let row = |i: usize| local.bias[i] + dense::dot(local.hat_row(i), &hat);
            (0..local.rows()).map(row).collect()
        });
        let rate: Vec<Vec<f64>> = rate.collect();
        let mut answer = ModeSolution {
            coefficient: vec![1.0; reaction.len()],
            reaction,
            rate,
            hat,
            ..ModeSolution::default()
        };
        self.measure(&mut answer);
        answer
    }

    /// Selects among the reactions that give the same accelerations.
    fn select_reactions(&self, y: &[f64], any: bool, answer: &mut ModeSolution) {
        let hats = self.unknown.iter().map(|l| scaled(&l.hat, l.scale));
        let size = norm(y).max(f64::MIN_POSITIVE);
        let none: Vec<Vec<f64>> = (self.frame.locals.iter())
            .map(|local| vec![0.0; local.rows()])
            .collect();
        // Reactions without effect: the null space of Ĝᵀ, in units of the forces at hand.
        let mut columns = Vec::new();
        for combination in least_norm::null_space(hats.collect()) {
            let mut column = none.clone();
            for (line, c) in self.unknown.iter().zip(&combination) {
                dense::axpy(c * size * line.scale, &line.weight, &mut column[line.local]);
            }
            columns.push(column);
        }
        columns.push(answer.reaction.clone());
        let family = ReactionFamily {
            locals: &self.frame.locals,
            modes: self.modes,
            columns,
            force: force_sizes(self.frame, answer),
        };
        let z = family.best(any);
        for (column, z) in family.columns.iter().zip(z) {
            for (total, part) in answer.reaction.iter_mut().zip(column) {
                dense::axpy(z, part, total);
            }
        }
    }

    /// Residual of the equations.
    fn measure(&self, answer: &mut ModeSolution) {
        let whole = norm(&self.frame.free) + norm(&answer.hat);
        for row in &self.equation {
            let local = &self.frame.locals[row.local];
            let left = dense::dot(&row.weight, &answer.rate[row.local]);
            let terms = norm(&row.hat) * whole + norm(&row.weight) * norm(&local.bias);
            let share = left.abs() / terms.max(f64::MIN_POSITIVE);
            if share > answer.defect {
                (answer.defect, answer.worst) = (share, row.local);
            }
        }
    }

    /// Coefficient 1/(M⁻¹)_nn of every sliding constraint with one normal row.
    fn coefficients(&self, matrix: &[f64], regular: bool, answer: &mut ModeSolution) {
        let m = self.unknown.len();
        for (j, column) in self.unknown.iter().enumerate() {
            let local = &self.frame.locals[column.local];
            let slides = column.weight.iter().filter(|w| **w != 0.0).count() > 1;
            let alone = local.structure.normal == 1 && self.equation[j].weight[0] == 1.0;
            if !(slides && alone) {
                continue;
            }
            let row = &self.equation[j];
            // In units of the frictionless coefficient |ĝ_n|².
            let unit = row.scale / column.scale.max(f64::MIN_POSITIVE);
            answer.coefficient[column.local] = if regular {
                let mut axis = vec![0.0; m];
                axis[j] = 1.0;
                let inverse = least_norm::solve_least_norm(matrix, &axis).0[j];
                unit / inverse
            } else {
                matrix[j * m + j] * unit
            };
        }
    }
}

/// Accelerations of the constraints of `frame` in the given modes. Reactions of joints whose friction follows two
/// reactions are found by fixed-point iteration; `None` when it does not converge.
pub(crate) fn solve_modes(frame: &EvaluatedState, modes: &[ContactMode]) -> Option<ModeSolution> {
    solve(frame, modes, false)
}

/// As [`solve_modes`], but where reactions are not determined any that satisfy the laws are accepted.
pub(crate) fn solve_modes_any_reaction(
    frame: &EvaluatedState,
    modes: &[ContactMode],
) -> Option<ModeSolution> {
    solve(frame, modes, true)
}

/// The sliding joints whose friction follows the magnitude of two reactions; all others are linear.
pub(crate) fn sliding_pairs(frame: &EvaluatedState, modes: &[ContactMode]) -> Vec<usize> {
    let pair = |k: &usize| {
        let shape = &frame.locals[*k].structure;
        let slides = matches!(&modes[*k], ContactMode::Closed { grips, .. } if grips.iter().any(|g| *g != PartMode::Stick));
        shape.scale == SetScale::Magnitude && shape.normal > 1 && slides
    };
    (0..modes.len()).filter(pair).collect()
}

/// Solves the linear system: at once, by the quadratic equation of one joint with two reactions, or by iteration over the
/// directions of the reactions of several.
fn solve(frame: &EvaluatedState, modes: &[ContactMode], any: bool) -> Option<ModeSolution> {
    let pairs = sliding_pairs(frame, modes);
    let mut friction: Vec<PairFriction> = vec![PairFriction::default(); modes.len()];
    let first = ModeSystem::new(frame, modes, &friction).solve(any);
    match pairs[..] {
        [] => return Some(first),
        [pair] if first.regular => return solve_pair(frame, modes, pair, &first, any),
        _ => {}
    }
    let mut answer = first;
    // Fixed point: friction follows the direction of the last reaction.
    for _ in 0..400 {
        let mut change = 0.0_f64;
        for &k in &pairs {
            let normal = &answer.reaction[k][..frame.locals[k].structure.normal];
            let size = norm(normal);
            let next = scaled(normal, if size > 0.0 { 1.0 / size } else { 0.0 });
            let moved = next.iter().enumerate().map(|(i, x)| {
                let old = friction[k].unit.get(i).copied().unwrap_or(0.0);
                (x - old).abs()
            });
            change = change.max(moved.fold(0.0, f64::max));
            friction[k].unit = next;
        }
        if change < 1e-13 {
            return Some(answer);
        }
        answer = ModeSystem::new(frame, modes, &friction).solve(any);
    }
    None
}

/// One joint with two reactions that slides: R = a + s c with friction of magnitude s μ, and s = |R|,
///
/// ```text
/// (1 − |c|²) s² − 2 a·c s − |a|² = 0
/// ```
///
/// One solution while |c| < 1. Beyond, none or two, where a·c < 0: the smaller has sign + and a positive coefficient
/// 1 − R·c/s, the larger sign − and a negative one. `without` is the answer without friction.
fn solve_pair(
    frame: &EvaluatedState,
    modes: &[ContactMode],
    pair: usize,
    without: &ModeSolution,
    any: bool,
) -> Option<ModeSolution> {
    let normal = frame.locals[pair].structure.normal;
    let mut friction = vec![PairFriction::default(); modes.len()];
    let mut at = |magnitude: f64| {
        friction[pair].magnitude = magnitude;
        ModeSystem::new(frame, modes, &friction).solve(any)
    };
    let a = &without.reaction[pair][..normal];
    // c at a magnitude of the size of a, so that rounding is in proportion.
    let unit = if norm(a) > 0.0 { norm(a) } else { 1.0 };
    let with = at(unit);
    let both = with.reaction[pair].iter().zip(a);
    let c: Vec<f64> = both.map(|(r, a)| (r - a) / unit).collect();
    let (square, along, load) = (
        1.0 - dense::dot(&c, &c),
        dense::dot(a, &c),
        dense::dot(a, a),
    );
    let root = (along * along + square * load).sqrt();
    let larger = matches!(&modes[pair], ContactMode::Closed { sign, .. } if *sign < 0.0);
    let s = match larger {
        true if square < 0.0 && along < 0.0 => (root - along) / -square,
        true => return None,
        false if load == 0.0 => 0.0,
        false if root > along => load / (root - along),
        false => return None,
    };
    if !s.is_finite() {
        return None;
    }
    let mut answer = at(s);
    let reaction = &answer.reaction[pair][..normal];
    answer.coefficient[pair] = if s > 0.0 {
        1.0 - dense::dot(reaction, &c) / s
    } else {
        1.0
    };
    Some(answer)
}

/// The combinations of rows that the modes keep at rest.
pub(crate) fn sticking_rows(frame: &EvaluatedState, modes: &[ContactMode]) -> Vec<RestingRow> {
    // The equations of the modes are the rows that stay at rest.
    let pairs = vec![PairFriction::default(); modes.len()];
    let system = ModeSystem::new(frame, modes, &pairs);
    let line = |line: RowCombination| {
        let local = &frame.locals[line.local];
        let sizes = line.weight.iter().zip(&local.size);
        let size = sizes.map(|(w, s)| w.abs() * s).sum();
        RestingRow {
            velocity: dense::dot(&line.weight, &local.u),
            hat: line.hat,
            size,
        }
    };
    system.equation.into_iter().map(line).collect()
}
