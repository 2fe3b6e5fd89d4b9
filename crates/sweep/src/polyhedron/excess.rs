//! Excess e(C(s), C(t)) of a polyhedron over a later one, in whitened coordinates (metric Euclidean, rows of unit length).
//!
//! ```text
//! boxes         rows parallel or orthogonal: the excess of intervals, √Σ (largest retraction of a class of rows)²
//! translations  C(t) = C(s) + a where G a = Δb, E a = Δd:   e = dist(−a, recession cone)
//! faces         the largest dist(x, C(t)) over the least-norm points x of the minimal faces of C(s)
//! ```
//!
//! With fixed rows C(s) and C(t) have the same recession cone and lineality space, so that the supremum over C(s) is
//! attained at a minimal face, and at any point of it. With moving rows this is so for bounded C(s); else unknown. The
//! minimal faces are found among the sets of r independent rows, r the rank of all; there must be few of them.

use super::solve::Projector;
use super::{MovingPolyhedron, projection_error};
use crate::error::{Result, SweepingError};
use crate::lane_sums::{axpy, dot, norm, sub};

/// Largest number of sets of rows that are tried for a minimal face.
const FACES: usize = 400;

/// Rows of unit length whose part outside the span of others is below this count as dependent on them.
const DEPENDENT: f64 = 1e-9;

/// Slack, relative to the data, within which a point satisfies a row.
const FEASIBLE: f64 = 1e-10;

/// Rows, bounds, and whether each is an equation, at one time.
struct Rows {
    n: usize,
    /// Unit rows, dense.
    rows: Vec<Vec<f64>>,
    bounds: Vec<f64>,
    equalities: usize,
}

/// A partial choice of rows: an orthonormal basis of their span, and the least-norm point on them.
#[derive(Clone)]
struct Choice {
    basis: Vec<Vec<f64>>,
    x: Vec<f64>,
}

impl Choice {
    /// With row a as an equation; `None` where it depends on the rows so far.
    fn with(&self, row: &[f64], bound: f64) -> Option<Self> {
        let mut free = row.to_vec();
        // Twice: once leaves the rounding of the first.
        for _ in 0..2 {
            for q in &self.basis {
                let along = dot(q, &free);
                axpy(-along, q, &mut free);
            }
        }
        let length = norm(&free);
        if length <= DEPENDENT {
            return None;
        }
        free.iter_mut().for_each(|v| *v /= length);
        let mut next = self.clone();
        let miss = (bound - dot(row, &self.x)) / length;
        axpy(miss, &free, &mut next.x);
        next.basis.push(free);
        Some(next)
    }
}

impl Rows {
    /// Rank of all rows.
    fn rank(&self) -> usize {
        let mut all = Choice {
            basis: Vec::new(),
            x: vec![0.0; self.n],
        };
        for row in &self.rows {
            all = all.with(row, 0.0).unwrap_or(all);
        }
        all.basis.len()
    }

    /// Least-norm points of the minimal faces; `None` where they are too many to be listed.
    fn minimal_faces(&self) -> Option<Vec<Vec<f64>>> {
        let rank = self.rank();
        // Equations belong to every face.
        let mut begun = Choice {
            basis: Vec::new(),
            x: vec![0.0; self.n],
        };
        for a in 0..self.equalities {
            begun = begun.with(&self.rows[a], self.bounds[a]).unwrap_or(begun);
        }
        let (free, wanted) = (self.rows.len() - self.equalities, rank - begun.basis.len());
        if choices(free, wanted) > FACES {
            return None;
        }
        let mut points = Vec::new();
        self.extend(&begun, self.equalities, rank, &mut points);
        Some(points)
    }

    /// Adds the points of all choices that extend `begun` by rows from `from` on.
    fn extend(&self, begun: &Choice, from: usize, rank: usize, points: &mut Vec<Vec<f64>>) {
        if begun.basis.len() == rank {
            if self.holds(&begun.x) {
                points.push(begun.x.clone());
            }
            return;
        }
        for a in from..self.rows.len() {
            if self.bounds[a].is_finite()
                && let Some(next) = begun.with(&self.rows[a], self.bounds[a])
            {
                self.extend(&next, a + 1, rank, points);
            }
        }
    }

    /// Whether a point satisfies all rows.
    fn holds(&self, x: &[f64]) -> bool {
        let size = 1.0 + norm(x);
        self.rows.iter().enumerate().all(|(a, row)| {
            let over = dot(row, x) - self.bounds[a];
            let over = if a < self.equalities {
                over.abs()
            } else {
                over
            };
            over <= FEASIBLE * size || self.bounds[a].is_infinite()
        })
    }
}

/// Number of choices of k among m, at most a little above [`FACES`].
fn choices(m: usize, k: usize) -> usize {
    let mut count = 1_usize;
    for i in 0..k.min(m) {
        count = count * (m - i) / (i + 1);
        if count > FACES && 2 * (i + 1) <= m {
            return count;
        }
    }
    count
}

impl MovingPolyhedron {
    /// The excess e(C(from), C(to)); `None` where it is not known.
    pub(super) fn excess_of_faces(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        self.load(from)?;
        let before = self.present();
        let fixed = self.moving.is_none();
        // Few faces: the farthest of them. Rows that move need a bounded set, of full rank and without recession.
        let bounded = fixed || self.is_bounded()?;
        let faces = if bounded {
            before.minimal_faces()
        } else {
            None
        };
        self.load(to)?;
        if let Some(points) = faces {
            if points.is_empty() {
                return Ok(None);
            }
            let mut probe = self.probe();
            let mut most = 0.0_f64;
            for x in points {
                probe.solve(&x).map_err(|f| projection_error(to, f))?;
                most = most.max(norm(&sub(&x, &probe.x)));
            }
            return Ok(Some(most));
        }
        if !fixed {
            return Ok(None);
        }
        self.excess_of_translation(&before, to)
    }

    /// The excess where C(to) is C(from) moved by a vector.
    fn excess_of_translation(&mut self, before: &Rows, to: f64) -> Result<Option<f64>> {
        let now = self.present();
        let mut matrix = Vec::with_capacity(now.rows.len() * now.n);
        let mut change = Vec::with_capacity(now.rows.len());
        for (a, row) in now.rows.iter().enumerate() {
            if now.bounds[a].is_finite() {
                matrix.extend_from_slice(row);
                change.push(now.bounds[a] - before.bounds[a]);
            }
        }
        // The shortest vector a with G a = Δb, if there is one.
        let size = norm(&change);
        if size == 0.0 {
            return Ok(Some(0.0));
        }
        let equalities = change.len();
        let rows = percuss_convex::qp::LinearConstraints {
            matrix: &matrix,
            bounds: &change,
            equalities,
        };
        let unit = percuss_convex::Metric::euclidean(now.n);
        let Ok(found) = percuss_convex::qp::prox(&unit, rows, &vec![0.0; now.n]) else {
            return Ok(None);
        };
        let miss = matrix.chunks_exact(now.n.max(1)).zip(&change);
        let miss = miss.map(|(row, b)| (dot(row, &found.point) - b).abs());
        if miss.fold(0.0, f64::max) > FEASIBLE * size {
            return Ok(None);
        }
        // dist(−a, recession cone): the part of the shift that the set does not make good by receding.
        let back: Vec<f64> = found.point.iter().map(|v| -v).collect();
        let mut cone = self.probe();
        for bound in &mut cone.bounds {
            *bound = if bound.is_finite() { 0.0 } else { *bound };
        }
        cone.solve(&back).map_err(|f| projection_error(to, f))?;
        Ok(Some(norm(&sub(&back, &cone.x))))
    }

    /// Whether no direction but 0 satisfies all rows with bounds 0.
    fn is_bounded(&self) -> Result<bool> {
        let n = self.rows.dim();
        let mut cone = self.probe();
        cone.bounds.fill(0.0);
        for i in 0..n {
            for sign in [1.0, -1.0] {
                let mut direction = vec![0.0; n];
                direction[i] = sign;
                let solved = cone.solve(&direction);
                solved.map_err(|f| projection_error(f64::NAN, f))?;
                if norm(&cone.x) > 1e-9 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A solver for the present rows and bounds, without the warm start of the process.
    fn probe(&self) -> Projector {
        let mut probe = Projector::new(self.projector.rows.clone(), self.equalities);
        probe.bounds.copy_from_slice(&self.projector.bounds);
        probe
    }

    /// The rows and bounds loaded last.
    fn present(&self) -> Rows {
        let n = self.rows.dim();
        let rows = (0..self.rows.count()).map(|a| {
            let mut row = vec![0.0; n];
            self.projector.rows.add_to(a, 1.0, &mut row);
            row
        });
        Rows {
            n,
            rows: rows.collect(),
            bounds: self.projector.bounds.clone(),
            equalities: self.equalities,
        }
    }
}

/// The bound of a row in whitened coordinates, +∞ for a zero row that holds.
pub(super) fn unit_bound(
    (a, time): (usize, f64),
    bound: f64,
    length: f64,
    equation: bool,
) -> Result<f64> {
    if length > 0.0 {
        return Ok(bound / length);
    }
    // A zero row says 0 ≤ b, or 0 = b.
    let holds = bound == 0.0 || (!equation && bound > 0.0);
    match holds {
        true => Ok(f64::INFINITY),
        false => Err(SweepingError::Empty {
            time,
            rows: vec![a],
            reason: format!("row {a} is zero and its bound is {bound}"),
        }),
    }
}
