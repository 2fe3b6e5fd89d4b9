//! The scalar product ⟨x, y⟩ = xᵀ A y of normals and projections.
//!
//! Spaces of a few thousand coordinates are common here (discretised plasticity) and their metric is mostly the
//! identity or diagonal, for which a stored n×n matrix would be a waste; hence an enum of three, the full one stored by
//! `convex`.

use crate::error::{Result, SweepingError, at};
use crate::lane_sums::dot;

/// A scalar product on Rⁿ.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// The Euclidean metric.
    Euclidean,
    /// A = diag(d), every entry positive.
    Diagonal(Vec<f64>),
    /// Any symmetric positive definite A, with its Cholesky factor.
    Full(percuss_convex::Metric),
}

impl Metric {
    /// The metric with this positive diagonal.
    pub fn diagonal(d: &[f64]) -> Result<Self> {
        match d.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
            Some(&value) => Err(SweepingError::Invalid {
                what: "entry of a diagonal metric",
                value,
                expected: "a positive number",
            }),
            None => Ok(Self::Diagonal(d.to_vec())),
        }
    }

    /// The metric of the n×n matrix `a`, row-major, symmetric positive definite.
    pub fn full(n: usize, a: &[f64]) -> Result<Self> {
        percuss_convex::Metric::new(n, a)
            .map(Self::Full)
            .map_err(at(f64::NAN))
    }

    /// Checks the dimension.
    pub fn check(&self, n: usize) -> Result<()> {
        let got = match self {
            Self::Euclidean => n,
            Self::Diagonal(d) => d.len(),
            Self::Full(m) => m.dim(),
        };
        crate::error::check_len("metric", got, n)
    }

    /// xᵀ A y.
    pub fn inner(&self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Self::Euclidean => dot(x, y),
            Self::Diagonal(d) => d.iter().zip(x).zip(y).map(|((d, x), y)| d * x * y).sum(),
            Self::Full(m) => m.inner(x, y),
        }
    }

    /// √(xᵀ A x).
    pub fn norm(&self, x: &[f64]) -> f64 {
        self.inner(x, x).max(0.0).sqrt()
    }

    /// x ← A x: from a vector to its covector (normal).
    pub fn lower(&self, x: &mut [f64]) {
        match self {
            Self::Euclidean => {}
            Self::Diagonal(d) => x.iter_mut().zip(d).for_each(|(x, d)| *x *= d),
            Self::Full(m) => {
                let copy = x.to_vec();
                m.apply_into(&copy, x);
            }
        }
    }

    /// y ← A⁻¹ y: from a covector to a vector.
    pub fn raise(&self, y: &mut [f64]) {
        match self {
            Self::Euclidean => {}
            Self::Diagonal(d) => y.iter_mut().zip(d).for_each(|(y, d)| *y /= d),
            Self::Full(m) => m.solve(y),
        }
    }

    /// x ← Lᵀ x with A = L Lᵀ: coordinates in which the metric is Euclidean.
    pub fn whiten(&self, x: &mut [f64]) {
        match self {
            Self::Euclidean => {}
            Self::Diagonal(d) => x.iter_mut().zip(d).for_each(|(x, d)| *x *= d.sqrt()),
            Self::Full(m) => m.whiten(x),
        }
    }

    /// x ← L⁻ᵀ x: back from whitened coordinates.
    pub fn unwhiten(&self, x: &mut [f64]) {
        match self {
            Self::Euclidean => {}
            Self::Diagonal(d) => x.iter_mut().zip(d).for_each(|(x, d)| *x /= d.sqrt()),
            Self::Full(m) => m.unwhiten(x),
        }
    }

    /// The metric as a dense matrix of `convex`, for small dimensions.
    pub fn to_convex(&self, n: usize) -> Result<percuss_convex::Metric> {
        match self {
            Self::Euclidean => Ok(percuss_convex::Metric::euclidean(n)),
            Self::Diagonal(d) => percuss_convex::Metric::diagonal(d).map_err(at(f64::NAN)),
            Self::Full(m) => Ok(m.clone()),
        }
    }

    /// The diagonal block of coordinates `from..to`, `None` where it is coupled to others.
    pub(crate) fn block(&self, from: usize, to: usize) -> Result<Option<Self>> {
        Ok(match self {
            Self::Euclidean => Some(Self::Euclidean),
            Self::Diagonal(d) => Some(Self::Diagonal(d[from..to].to_vec())),
            Self::Full(m) => {
                let (n, a) = (m.dim(), m.matrix());
                // Any entry outside the diagonal block couples it.
                let coupled = (from..to)
                    .any(|i| (0..n).any(|j| !(from..to).contains(&j) && a[i * n + j] != 0.0));
                if coupled {
                    return Ok(None);
                }
                let rows = (from..to).flat_map(|i| &a[i * n + from..i * n + to]);
                let block: Vec<f64> = rows.copied().collect();
                Some(Self::full(to - from, &block)?)
            }
        })
    }
}
