//! Boxes with possibly infinite bounds, and the standard simplex.

use super::{ConvexSet, Point, Polytope, RECESSION_TOLERANCE, Set, Support};
use crate::conic::{ConeKind, ConicForm};
use crate::dense::max_abs;
use crate::error::{ConvexError, Result, check_len};
use crate::metric::Metric;

/// { x : lower ≤ x ≤ upper }, bounds possibly infinite.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisBox {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl AxisBox {
    /// The box between the bounds; −∞ and +∞ are admitted, NaN and crossing bounds are not.
    pub fn new(lower: &[f64], upper: &[f64]) -> Result<Self> {
        check_len("upper bounds", upper.len(), lower.len())?;
        for (index, (&lo, &hi)) in lower.iter().zip(upper).enumerate() {
            for (what, value) in [("lower bounds", lo), ("upper bounds", hi)] {
                if value.is_nan() {
                    return Err(ConvexError::NotFinite { what, index, value });
                }
            }
            // Crossing bounds, or a bound at the wrong infinity.
            if lo > hi || lo == f64::INFINITY || hi == f64::NEG_INFINITY {
                return Err(ConvexError::EmptyBounds {
                    index,
                    lower: lo,
                    upper: hi,
                });
            }
        }
        Ok(Self {
            lower: lower.to_vec(),
            upper: upper.to_vec(),
        })
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.lower.iter().copied().zip(self.upper.iter().copied())
    }
}

impl ConvexSet for AxisBox {
    fn dim(&self) -> usize {
        self.lower.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(self.pairs().filter(|(lo, hi)| lo < hi).count()))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(z.iter()
            .zip(self.pairs())
            .map(|(v, (lo, hi))| v.clamp(lo, hi))
            .collect())
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim(), 0);
        for (i, (lo, hi)) in self.pairs().enumerate() {
            // Equation, or up to two inequalities.
            if lo == hi {
                form.push_axis(ConeKind::Zero, i, 1.0, -lo);
                continue;
            }
            if lo.is_finite() {
                form.push_axis(ConeKind::NonNegative, i, 1.0, -lo);
            }
            if hi.is_finite() {
                form.push_axis(ConeKind::NonNegative, i, -1.0, hi);
            }
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let mut point = Vec::with_capacity(y.len());
        let mut direction = vec![0.0; y.len()];
        let size = max_abs(y);
        // Per coordinate: the bound that y points to, or a recession direction.
        for (i, (lo, hi)) in self.pairs().enumerate() {
            let end = if y[i] >= 0.0 { hi } else { lo };
            if end.is_finite() {
                point.push(end);
            } else if y[i].abs() > RECESSION_TOLERANCE * size {
                direction[i] = y[i];
                point.push(0.0);
            } else {
                point.push(0.0_f64.clamp(lo, hi));
            }
        }
        if max_abs(&direction) > 0.0 {
            return Ok(Support::Unbounded { direction });
        }
        Ok(Support::attained(y, point))
    }
    fn recession_cone(&self) -> Set {
        // Finite bounds allow no direction, infinite ones stay.
        let to = |b: f64| if b.is_finite() { 0.0 } else { b };
        AxisBox {
            lower: self.lower.iter().map(|&b| to(b)).collect(),
            upper: self.upper.iter().map(|&b| to(b)).collect(),
        }
        .into()
    }
    fn is_cone(&self) -> bool {
        let edge = |b: f64| b == 0.0 || b.is_infinite();
        self.pairs().all(|(lo, hi)| edge(lo) && edge(hi))
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        // Smallest step to a bound.
        let mut s = f64::INFINITY;
        for (i, (lo, hi)) in self.pairs().enumerate() {
            if d[i] > 0.0 {
                s = s.min((hi - x[i]) / d[i]);
            } else if d[i] < 0.0 {
                s = s.min((lo - x[i]) / d[i]);
            }
        }
        Ok(s.max(0.0))
    }
    /// conv { 0, e_i/upper_i, e_i/lower_i } for a box with 0 in its interior; for a box that
    /// is a cone, the box of the polar directions.
    fn polar(&self) -> Option<Set> {
        let n = self.dim();
        if self.is_cone() {
            // Free axis ↔ fixed axis, half-axis ↔ the other half-axis.
            let flip = |b: f64, far: f64| if b == 0.0 { far } else { 0.0 };
            let lower = self.lower.iter().map(|&b| flip(b, f64::NEG_INFINITY));
            let upper = self.upper.iter().map(|&b| flip(b, f64::INFINITY));
            return Some(
                AxisBox {
                    lower: lower.collect(),
                    upper: upper.collect(),
                }
                .into(),
            );
        }
        if self.pairs().any(|(lo, hi)| lo >= 0.0 || hi <= 0.0) {
            return None;
        }
        let mut vertices = vec![0.0; n];
        for (i, (lo, hi)) in self.pairs().enumerate() {
            for b in [lo, hi].into_iter().filter(|b| b.is_finite()) {
                let mut v = vec![0.0; n];
                v[i] = 1.0 / b;
                vertices.extend(v);
            }
        }
        Polytope::new(n, &vertices).ok().map(Set::from)
    }
}

/// { x ≥ 0 : Σ x_i = total }.
#[derive(Debug, Clone, PartialEq)]
pub struct Simplex {
    dim: usize,
    total: f64,
}

impl Simplex {
    /// The standard simplex of Rⁿ with this sum of coordinates, positive.
    pub fn new(n: usize, total: f64) -> Result<Self> {
        if n == 0 {
            return Err(ConvexError::NoElement {
                what: "simplex coordinates",
            });
        }
        if !(total.is_finite() && total > 0.0) {
            return Err(ConvexError::Invalid {
                what: "simplex total",
                value: total,
                expected: "a finite number > 0",
            });
        }
        Ok(Self { dim: n, total })
    }
}

impl ConvexSet for Simplex {
    fn dim(&self) -> usize {
        self.dim
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(self.dim - 1))
    }
    /// x_i = max(0, z_i − θ), θ from the sorted entries (the longest prefix that stays positive).
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let mut sorted = z.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        // Sums relative to the largest entry, so that a common offset costs no digits.
        let top = sorted[0];
        let (mut sum, mut theta) = (0.0, 0.0);
        for (k, v) in sorted.iter().enumerate() {
            sum += v - top;
            let t = (sum - self.total) / (k + 1) as f64;
            if v - top > t {
                theta = t;
            }
        }
        Ok(z.iter().map(|v| (v - top - theta).max(0.0)).collect())
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim, 0);
        form.push(ConeKind::Zero, &vec![1.0; self.dim], &[-self.total]);
        for i in 0..self.dim {
            form.push_axis(ConeKind::NonNegative, i, 1.0, 0.0);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let mut point = vec![0.0; self.dim];
        // Vertex of the largest entry.
        let best = (0..self.dim).max_by(|&i, &j| y[i].total_cmp(&y[j]));
        point[best.unwrap_or(0)] = self.total;
        Ok(Support::attained(y, point))
    }
    fn recession_cone(&self) -> Set {
        Point::origin(self.dim).into()
    }
    /// { y : y_i ≤ 1/total }.
    fn polar(&self) -> Option<Set> {
        let upper = vec![1.0 / self.total; self.dim];
        AxisBox::new(&vec![f64::NEG_INFINITY; self.dim], &upper)
            .ok()
            .map(Set::from)
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        if metric.is_euclidean() {
            return self.project(z);
        }
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim)?;
        // Rounding of the quadratic programme may leave −1e-17 in place of 0.
        let p = self.conic_form().project(metric, z)?;
        Ok(p.into_iter().map(|v| v.max(0.0)).collect())
    }
}
