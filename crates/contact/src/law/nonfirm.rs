//! Non-firm (force-limited) bilateral rows: the impulse stays in a closed convex set C that contains 0 and
//! dissipates as much as possible (dry friction of given threshold, Bingham element, free-wheel),
//!
//! ```text
//! u = H r + q,   -u ∈ N_C(r)                                                             (B02 §5)
//! ```
//!
//! C is a box (bounds may be infinite) widened by a ball, {y + z : l <= y <= h, |z| <= ρ}. Whole
//! space, half-lines (free-wheels), intervals, boxes and balls are of this form, and so is every
//! sum C_0 + Σ μ_i C_i of them: bounds and radii add up. The nearest point of x is therefore
//! closed form: with p the nearest point of the box, p + min(1, ρ/|x - p|)(x - p).
//!
//! Polytopes and ellipsoids may be added to the sum; C then has no closed form, and [`parts`] projects onto it.
//!
//! Local solve. A box (ρ = 0) is a linear complementarity problem with bounds, solved by principal
//! pivoting: every row is at a bound or free, the free ones are solved for, rows that contradict
//! their state change it, all at once while that helps and otherwise the last one alone (Murty's rule, finite
//! for positive definite H). With ρ > 0 and |z| = ρ, u = -λ z for one λ > 0:
//! for given λ, H r + q + λ (r - p(r)) = 0 is piecewise linear and solved by the same pivoting,
//! |r - p(r)| decreases with λ, and the root of |r - p(r)| = ρ is bracketed.

use std::sync::Arc;

use super::Law;
use super::error::LawError;
use super::small::{MAX_ROWS, norm};

mod parts;
mod polytope;
mod residual;
mod solve;

/// A closed convex set of impulses that contains 0: Minkowski sum of a box, a ball, a polytope and ellipsoids.
#[derive(Debug, Clone, PartialEq)]
pub struct NonFirmSet {
    lower: Box<[f64]>,
    upper: Box<[f64]>,
    radius: f64,
    /// Vertices of the polytope, row by row; none where there is no polytope.
    vertices: Vec<f64>,
    /// Semi-axes of each ellipsoid.
    ellipsoids: Vec<Box<[f64]>>,
}

impl NonFirmSet {
    /// The box lower <= r <= upper; bounds may be infinite and must enclose 0.
    ///
    /// # Errors
    /// NaN, a bound on the wrong side of 0, no row or more than [`MAX_ROWS`], sizes that differ.
    pub fn axis_box(lower: &[f64], upper: &[f64]) -> Result<Self, LawError> {
        if lower.is_empty() || lower.len() > MAX_ROWS {
            return Err(LawError::Rows {
                law: "non-firm",
                found: lower.len(),
                expected: "1 to 32",
            });
        }
        if lower.len() != upper.len() {
            return Err(LawError::Sum {
                found: upper.len(),
                expected: lower.len(),
            });
        }
        let fail = |name, row, value, expected| {
            Err(LawError::Set {
                name,
                row,
                value,
                expected,
            })
        };
        // 0 must be inside every interval.
        for row in 0..lower.len() {
            if lower[row].is_nan() || lower[row] > 0.0 {
                return fail("lower bound", row, lower[row], "it must be <= 0");
            }
            if upper[row].is_nan() || upper[row] < 0.0 {
                return fail("upper bound", row, upper[row], "it must be >= 0");
            }
        }
        Ok(Self {
            lower: lower.into(),
            upper: upper.into(),
            radius: 0.0,
            vertices: Vec::new(),
            ellipsoids: Vec::new(),
        })
    }

    /// All of R^d: firm bilateral rows.
    ///
    /// # Errors
    /// No row or more than [`MAX_ROWS`].
    pub fn whole_space(rows: usize) -> Result<Self, LawError> {
        Self::axis_box(&vec![f64::NEG_INFINITY; rows], &vec![f64::INFINITY; rows])
    }

    /// r >= 0 in one row: a free-wheel that can only push.
    #[must_use]
    pub fn half_line_positive() -> Self {
        Self {
            lower: [0.0].into(),
            upper: [f64::INFINITY].into(),
            radius: 0.0,
            vertices: Vec::new(),
            ellipsoids: Vec::new(),
        }
    }

    /// r <= 0 in one row: a free-wheel of the opposite sense (B02 §5, C = R⁻).
    #[must_use]
    pub fn half_line_negative() -> Self {
        Self {
            lower: [f64::NEG_INFINITY].into(),
            upper: [0.0].into(),
            radius: 0.0,
            vertices: Vec::new(),
            ellipsoids: Vec::new(),
        }
    }

    /// lower <= r <= upper in one row.
    ///
    /// # Errors
    /// As [`NonFirmSet::axis_box`].
    pub fn interval(lower: f64, upper: f64) -> Result<Self, LawError> {
        Self::axis_box(&[lower], &[upper])
    }

    /// |r| <= radius in `rows` rows: dry friction of given threshold.
    ///
    /// # Errors
    /// A negative, infinite or NaN radius; no row or more than [`MAX_ROWS`].
    pub fn ball(rows: usize, radius: f64) -> Result<Self, LawError> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(LawError::Set {
                name: "radius",
                row: 0,
                value: radius,
                expected: "it must be a finite number >= 0",
            });
        }
        let mut set = Self::axis_box(&vec![0.0; rows], &vec![0.0; rows])?;
        set.radius = radius;
        Ok(set)
    }

    /// Minkowski sum of this set and `factor` times another (B02 §5: C_0 + Σ μ_i C_i).
    ///
    /// # Errors
    /// A negative or non-finite factor, or sets of different numbers of rows.
    pub fn plus(&self, factor: f64, other: &Self) -> Result<Self, LawError> {
        super::error::coefficient("non-firm", "factor", factor)?;
        if other.rows() != self.rows() {
            return Err(LawError::Sum {
                found: other.rows(),
                expected: self.rows(),
            });
        }
        // 0 C = {0}, also where C is unbounded.
        let scaled = |b: f64| if factor == 0.0 { 0.0 } else { factor * b };
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + scaled(*b)).collect();
        let sum = Self {
            lower: add(&self.lower, &other.lower),
            upper: add(&self.upper, &other.upper),
            radius: self.radius + scaled(other.radius),
            vertices: self.added_vertices(factor, other)?,
            ellipsoids: self.added_ellipsoids(factor, other),
        };
        sum.check_size()?;
        Ok(sum)
    }

    /// The law with this set.
    #[must_use]
    pub fn into_law(self) -> Law {
        Law::NonFirm(Arc::new(self))
    }

    /// Number of rows.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.lower.len()
    }

    /// Lower bounds of the box.
    #[must_use]
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds of the box.
    #[must_use]
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Radius of the ball added to the box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Distance of x from the box without the ball.
    fn distance_to_box(&self, x: &[f64]) -> f64 {
        let mut s = [0.0; MAX_ROWS];
        for i in 0..x.len() {
            s[i] = x[i] - x[i].clamp(self.lower[i], self.upper[i]);
        }
        norm(&s[..x.len()])
    }

    /// Whether the set is a box widened by a ball, which has closed forms.
    #[must_use]
    pub fn is_box_and_ball(&self) -> bool {
        self.vertices.is_empty() && self.ellipsoids.is_empty()
    }

    /// Vertices of the polytope in the sum, row by row; empty where there is none.
    #[must_use]
    pub fn vertices(&self) -> &[f64] {
        &self.vertices
    }

    /// Semi-axes of each ellipsoid in the sum.
    pub fn ellipsoids(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.ellipsoids.iter().map(|axes| &axes[..])
    }

    /// Projects x onto the set.
    pub(super) fn project(&self, x: &mut [f64]) {
        if !self.is_box_and_ball() {
            return self.project_sum(x);
        }
        let n = self.distance_to_box(x);
        if n <= self.radius {
            return;
        }
        // Box projection plus the radial projection of the remainder.
        for i in 0..x.len() {
            let p = x[i].clamp(self.lower[i], self.upper[i]);
            x[i] = p + (x[i] - p) * (self.radius / n);
        }
    }
}
