//! Solutions of least norm of a sparse linear system of any rank, such as the rows of joints between bodies.
//!
//! ```text
//! J x = e,   ‖x‖ → min:        x = Jᵀ λ,   J Jᵀ λ = e,   ‖λ‖ → min
//! ```
//!
//! Unknowns x come in blocks (the coordinates of a body), rows in blocks (a joint) that touch few of them. Rows are scaled
//! to unit length first, so that nothing below depends on units. J Jᵀ is singular where rows are redundant, and
//! dense where many joints meet in one body. Factorised is instead, by [`MultifrontalLu`] on the graph of bodies,
//!
//! ```text
//! M = JᵀJ + δ I,      δ = 1e-11
//! ```
//!
//! which is regular whatever the rank, and sparse for trees of any degree. B = J M⁻² Jᵀ has the eigenvalue
//! σ²/(σ² + δ)² for each singular value σ of J: it is (J Jᵀ)⁺ but for a fraction 2δ/σ². Conjugate residuals on
//! J Jᵀ λ = e with the preconditioner B therefore end in two or three steps. B maps into the range of J, so that λ
//! has least norm. The rest of e falls in every step, to what no x satisfies (least squares): conjugate gradients, whose
//! steps are longest along combinations of rows that move nothing, do not do with right sides that contradict themselves
//! by rounding.
//!
//! Rank: singular values above about 1e-5 (10⁵ links in a row, mass ratios of 10⁹) are solved in a few steps; below, the
//! steps become more and their number is bounded. Values below 1e-7 are treated as zero.
//!
//! The symbolic factorisation is kept while the structure stays. Everything is sequential and in a fixed order.

mod products;
mod rank;
#[cfg(test)]
mod tests;

use crate::MultifrontalLu;
use crate::dense::{dot, norm};
use products::largest;

/// δ, relative to rows of unit length. Rounding of M is 1e-16: a smaller δ brings it into the directions without rows, a
/// larger one makes more singular values slow.
const DELTA: f64 = 1e-11;

/// Where M has a pivot that vanishes, δ is multiplied by this, up to the largest.
const RAISE: f64 = 100.0;
const LARGEST_DELTA: f64 = 1e-6;

/// Largest number of steps, and of directions that a new one is made orthogonal to.
const STEPS: usize = 60;
const KEPT: usize = 6;

/// Steps without halving the rest after which it is taken as what no x satisfies; one where it is below the fraction
/// `ROUNDING` of what it was.
const PATIENCE: usize = 3;
const ROUNDING: f64 = 1e-12;

/// What is left of e is no velocity of the rows when ‖Jᵀ rest‖ is below this fraction of the rest.
const CONTRADICTED: f64 = 1e-9;

/// Blocks of unknowns and of rows, and which touch each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Structure {
    /// First unknown of each block; one more entry than blocks.
    unknown: Vec<usize>,
    /// First row of each block of rows; one more entry than blocks.
    row: Vec<usize>,
    /// First touch of each block of rows; one more entry than blocks.
    touch: Vec<usize>,
    /// Block of unknowns of each touch.
    body: Vec<u32>,
}

/// The system with its factorisation; see the module.
#[derive(Debug, Clone, Default)]
pub struct MinimumNorm {
    structure: Structure,
    /// First entry of each touch in `entries`.
    start: Vec<usize>,
    /// Entries of J by touch, row-major, scaled by `scale`.
    entries: Vec<f64>,
    /// Factor that brings each row to unit length.
    scale: Vec<f64>,
    /// The structure that `fronts` was made for, and the entries it was last factorised with.
    planned: Structure,
    factorised: Vec<f64>,
    fronts: MultifrontalLu,
    /// First value of M of each pair of touches of each block of rows.
    place: Vec<usize>,
    /// Diagonal values of M.
    diagonal: Vec<usize>,
    delta: f64,
    work: Work,
}

/// Vectors of a solve.
#[derive(Debug, Clone, Default)]
struct Work {
    /// By row: λ and the rest of e.
    lambda: Vec<f64>,
    rest: Vec<f64>,
    /// The directions so far, the newest last.
    directions: Vec<Direction>,
}

/// A direction of λ.
#[derive(Debug, Clone, Default)]
struct Direction {
    /// By row.
    lambda: Vec<f64>,
    /// By unknown: Jᵀ of it.
    x: Vec<f64>,
    /// By row: J Jᵀ of it, of unit length.
    image: Vec<f64>,
}

impl MinimumNorm {
    /// Begins a system with blocks of these numbers of unknowns.
    pub fn begin(&mut self, sizes: impl IntoIterator<Item = usize>) {
        let s = &mut self.structure;
        for list in [&mut s.unknown, &mut s.row, &mut s.touch] {
            list.clear();
            list.push(0);
        }
        for size in sizes {
            s.unknown.push(s.unknown[s.unknown.len() - 1] + size);
        }
        s.body.clear();
        self.start.clear();
        self.entries.clear();
        self.scale.clear();
    }

    /// Adds a block of rows: for each block of unknowns that it touches the entries, row-major.
    pub fn push<'a>(&mut self, rows: usize, touches: impl IntoIterator<Item = (usize, &'a [f64])>) {
        let s = &mut self.structure;
        let first = s.body.len();
        for (body, block) in touches {
            s.body.push(body as u32);
            self.start.push(self.entries.len());
            self.entries.extend_from_slice(block);
        }
        s.row.push(s.row[s.row.len() - 1] + rows);
        s.touch.push(s.body.len());
        // Rows of unit length; a row without entries stays as it is.
        for i in 0..rows {
            let mut square = 0.0;
            for t in first..s.body.len() {
                let width = s.width(t);
                let at = self.start[t] + i * width;
                let row = &self.entries[at..at + width];
                square += dot(row, row);
            }
            let scale = if square > 0.0 {
                square.sqrt().recip()
            } else {
                1.0
            };
            for t in first..s.body.len() {
                let width = s.width(t);
                let at = self.start[t] + i * width;
                self.entries[at..at + width]
                    .iter_mut()
                    .for_each(|g| *g *= scale);
            }
            self.scale.push(scale);
        }
    }

    /// Factorises M, unless it is the last one again; false where a value is not finite.
    pub fn factor(&mut self) -> bool {
        if self.planned != self.structure {
            self.factorised.clear();
            if !self.plan() {
                return false;
            }
        } else if !self.entries.is_empty() && self.factorised == self.entries {
            return true;
        }
        self.delta = DELTA;
        while self.delta <= LARGEST_DELTA {
            self.assemble();
            if self.fronts.factor() {
                self.factorised.clone_from(&self.entries);
                return true;
            }
            self.delta *= RAISE;
        }
        // The next attempt begins anew.
        self.planned = Structure::default();
        false
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.scale.len()
    }

    /// Number of unknowns.
    pub fn num_unknowns(&self) -> usize {
        self.structure.unknown.last().copied().unwrap_or(0)
    }

    /// Factor that brings each row to unit length.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// J x.
    pub fn velocities(&self, x: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; self.num_rows()];
        self.gather(x, &mut u);
        u.iter_mut().zip(&self.scale).for_each(|(u, s)| *u /= s);
        u
    }

    /// Solves J x = e with least norm, until the rest of every row (of unit length) is at most `enough`: λ and x = Jᵀ λ.
    /// Returns the rest of e by row of unit length; it stays large where rows contradict each other.
    pub fn solve(&mut self, e: &[f64], enough: f64, lambda: &mut [f64], x: &mut [f64]) -> &[f64] {
        let mut work = std::mem::take(&mut self.work);
        work.begin(e, &self.scale);
        x.fill(0.0);
        let first = largest(&work.rest);
        let (mut best, mut idle) = (f64::INFINITY, 0);
        for step in 0..STEPS {
            // The rest is small enough, rounding, or a contradiction.
            let size = largest(&work.rest);
            idle = if size <= 0.5 * best { 0 } else { idle + 1 };
            best = best.min(size);
            let patience = if size <= ROUNDING * first {
                0
            } else {
                PATIENCE
            };
            if !(size > enough) || idle > patience {
                break;
            }
            let mut next = work.vacant(step, self.num_unknowns());
            // Direction J M⁻² Jᵀ rest.
            self.scatter(&work.rest, &mut next.x);
            let free = norm(&next.x) > CONTRADICTED * norm(&work.rest);
            if free {
                self.fronts.solve(&mut next.x);
                self.fronts.solve(&mut next.x);
                self.gather(&next.x, &mut next.lambda);
                self.scatter(&next.lambda, &mut next.x);
                self.gather(&next.x, &mut next.image);
            }
            if !free || !work.advance(next, x) {
                break;
            }
        }
        for ((out, value), scale) in lambda.iter_mut().zip(&work.lambda).zip(&self.scale) {
            *out = value * scale;
        }
        self.work = work;
        &self.work.rest
    }
}

impl Structure {
    /// Number of unknowns of the block of touch `t`.
    fn width(&self, t: usize) -> usize {
        let body = self.body[t] as usize;
        self.unknown[body + 1] - self.unknown[body]
    }
}

impl Work {
    /// λ = 0, rest = e with rows of unit length.
    fn begin(&mut self, e: &[f64], scale: &[f64]) {
        self.rest.clear();
        self.rest.extend(e.iter().zip(scale).map(|(e, s)| e * s));
        self.lambda.clear();
        self.lambda.resize(e.len(), 0.0);
    }

    /// Memory of the direction of step `step`: that of the oldest one, at its turn.
    fn vacant(&mut self, step: usize, unknowns: usize) -> Direction {
        if step == 0 {
            self.directions.iter_mut().for_each(|d| d.image.clear());
        }
        let mut oldest = match self.directions.len() < KEPT {
            true => Direction::default(),
            false => self.directions.remove(0),
        };
        oldest.x.resize(unknowns, 0.0);
        oldest.lambda.resize(self.rest.len(), 0.0);
        oldest.image.clear();
        oldest.image.resize(self.rest.len(), 0.0);
        oldest
    }

    /// Makes the image of the direction orthogonal to those before, and takes the step that leaves the smallest rest;
    /// false where the direction moves nothing.
    fn advance(&mut self, mut next: Direction, x: &mut [f64]) -> bool {
        for old in self.directions.iter().filter(|d| !d.image.is_empty()) {
            let share = dot(&next.image, &old.image);
            next.add(-share, old);
        }
        let length = norm(&next.image);
        if !(length > 0.0 && length.is_finite()) {
            return false;
        }
        next.scale(length.recip());
        let step = dot(&self.rest, &next.image);
        add(&mut self.lambda, step, &next.lambda);
        add(x, step, &next.x);
        add(&mut self.rest, -step, &next.image);
        self.directions.push(next);
        true
    }
}

impl Direction {
    /// Adds a multiple of another one.
    fn add(&mut self, factor: f64, other: &Self) {
        add(&mut self.lambda, factor, &other.lambda);
        add(&mut self.x, factor, &other.x);
        add(&mut self.image, factor, &other.image);
    }

    fn scale(&mut self, factor: f64) {
        for list in [&mut self.lambda, &mut self.x, &mut self.image] {
            list.iter_mut().for_each(|v| *v *= factor);
        }
    }
}

/// y += factor x.
fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}
