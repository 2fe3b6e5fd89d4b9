//! Products, translates and multiples of sets.

use super::{ConvexSet, Set, Support};
use crate::conic::ConicForm;
use crate::dense::{axpy, sub};
use crate::error::{ConvexError, Result, check_finite, check_vector};
use crate::metric::Metric;

/// C_1 × C_2 × …, coordinates one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    factors: Vec<Set>,
}

impl Product {
    /// The product of at least one set.
    pub fn new(factors: Vec<Set>) -> Result<Self> {
        if factors.is_empty() {
            return Err(ConvexError::NoElement {
                what: "factors of the product",
            });
        }
        Ok(Self { factors })
    }

    /// Applies `f` to each factor and its part of x, and concatenates the results.
    fn piecewise(
        &self,
        x: &[f64],
        mut f: impl FnMut(&Set, &[f64], usize) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        // Factors occupy consecutive coordinates.
        let (mut out, mut at) = (Vec::with_capacity(x.len()), 0);
        for set in &self.factors {
            let n = set.dim();
            out.extend(f(set, &x[at..at + n], at)?);
            at += n;
        }
        Ok(out)
    }

    /// Whether the metric is block-diagonal over the factors.
    fn separates(&self, metric: &Metric) -> bool {
        let (n, a) = (metric.dim(), metric.matrix());
        let mut at = 0;
        self.factors.iter().all(|set| {
            let end = at + set.dim();
            // The block to the right of the diagonal one must vanish.
            let free = (at..end).all(|i| (end..n).all(|j| a[i * n + j] == 0.0));
            at = end;
            free
        })
    }
}

impl ConvexSet for Product {
    fn dim(&self) -> usize {
        self.factors.iter().map(ConvexSet::dim).sum()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        let mut total = Some(0);
        for set in &self.factors {
            total = total.zip(set.affine_dim()?).map(|(a, b)| a + b);
        }
        Ok(total)
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        self.piecewise(z, |set, x, _| set.project(x))
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim())?;
        if metric.is_euclidean() {
            return self.project(z);
        }
        // A metric that couples the factors needs the conic solver.
        if !self.separates(metric) {
            return self.conic_form().project(metric, z);
        }
        // Block-diagonal metric: project factor by factor.
        let (n, a) = (metric.dim(), metric.matrix());
        self.piecewise(z, |set, x, at| {
            let k = set.dim();
            let rows = (at..at + k).flat_map(|i| &a[i * n + at..i * n + at + k]);
            let block: Vec<f64> = rows.copied().collect();
            set.project_in(&Metric::new(k, &block)?, x)
        })
    }
    fn conic_form(&self) -> ConicForm {
        let forms: Vec<_> = self.factors.iter().map(ConvexSet::conic_form).collect();
        ConicForm::product(&forms)
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        // One unbounded factor makes the product unbounded; directions of the others are 0.
        let mut rise = vec![0.0; y.len()];
        let mut unbounded = false;
        let point = self.piecewise(y, |set, piece, at| match set.support(piece)? {
            Support::Attained { point, .. } => Ok(point),
            Support::Unbounded { direction } => {
                rise[at..at + direction.len()].copy_from_slice(&direction);
                unbounded = true;
                Ok(direction)
            }
        })?;
        if unbounded {
            return Ok(Support::Unbounded { direction: rise });
        }
        Ok(Support::attained(y, point))
    }
    fn recession_cone(&self) -> Set {
        let factors = self.factors.iter().map(ConvexSet::recession_cone).collect();
        Product { factors }.into()
    }
    fn is_cone(&self) -> bool {
        self.factors.iter().all(ConvexSet::is_cone)
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        // The first factor to be left decides.
        let (mut s, mut at) = (f64::INFINITY, 0);
        for set in &self.factors {
            let end = at + set.dim();
            s = s.min(set.ray_exit(&x[at..end], &d[at..end])?);
            at = end;
        }
        Ok(s)
    }
    /// The product of the polars for cones; `None` for other products.
    fn polar(&self) -> Option<Set> {
        if !self.is_cone() {
            return None;
        }
        let factors: Option<Vec<Set>> = self.factors.iter().map(ConvexSet::polar).collect();
        Some(Product { factors: factors? }.into())
    }
}

/// C + t.
#[derive(Debug, Clone, PartialEq)]
pub struct Translate {
    set: Box<Set>,
    by: Vec<f64>,
}

impl Translate {
    /// The set translated by `by`.
    pub fn new(set: Set, by: &[f64]) -> Result<Self> {
        check_vector("translation", by, set.dim())?;
        Ok(Self {
            set: Box::new(set),
            by: by.to_vec(),
        })
    }

    /// p + t.
    fn shift(&self, mut p: Vec<f64>) -> Vec<f64> {
        axpy(1.0, &self.by, &mut p);
        p
    }
}

impl ConvexSet for Translate {
    fn dim(&self) -> usize {
        self.by.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        self.set.affine_dim()
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.shift(self.set.project(&sub(z, &self.by))?))
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.shift(self.set.project_in(metric, &sub(z, &self.by))?))
    }
    fn conic_form(&self) -> ConicForm {
        self.set.conic_form().translated(&self.by)
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        Ok(match self.set.support(y)? {
            Support::Attained { point, .. } => Support::attained(y, self.shift(point)),
            unbounded => unbounded,
        })
    }
    fn recession_cone(&self) -> Set {
        self.set.recession_cone()
    }
    fn contains(&self, x: &[f64], tol: f64) -> Result<bool> {
        self.check(x)?;
        self.set.contains(&sub(x, &self.by), tol)
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.set.ray_exit(&sub(x, &self.by), d)
    }
    /// Known for t = 0 only.
    fn polar(&self) -> Option<Set> {
        if self.by.iter().any(|v| *v != 0.0) {
            return None;
        }
        self.set.polar()
    }
}

/// s C, s ≠ 0; a negative factor also reflects.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    set: Box<Set>,
    factor: f64,
}

impl Scale {
    /// The set multiplied by a factor different from 0.
    pub fn new(set: Set, factor: f64) -> Result<Self> {
        check_finite("scale factor", &[factor])?;
        if factor == 0.0 {
            return Err(ConvexError::Invalid {
                what: "scale factor",
                value: factor,
                expected: "a number other than 0",
            });
        }
        Ok(Self {
            set: Box::new(set),
            factor,
        })
    }

    /// x/s.
    fn down(&self, x: &[f64]) -> Vec<f64> {
        x.iter().map(|v| v / self.factor).collect()
    }

    /// s x.
    fn up(&self, x: &[f64]) -> Vec<f64> {
        x.iter().map(|v| v * self.factor).collect()
    }
}

impl ConvexSet for Scale {
    fn dim(&self) -> usize {
        self.set.dim()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        self.set.affine_dim()
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.up(&self.set.project(&self.down(z))?))
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.up(&self.set.project_in(metric, &self.down(z))?))
    }
    fn conic_form(&self) -> ConicForm {
        self.set.conic_form().scaled(self.factor)
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        // σ_{sC}(y) = σ_C(s y).
        Ok(match self.set.support(&self.up(y))? {
            Support::Attained { value, point } => Support::Attained {
                value,
                point: self.up(&point),
            },
            Support::Unbounded { direction } => Support::Unbounded {
                direction: self.up(&direction),
            },
        })
    }
    fn recession_cone(&self) -> Set {
        Scale {
            set: Box::new(self.set.recession_cone()),
            factor: self.factor,
        }
        .into()
    }
    fn is_cone(&self) -> bool {
        self.set.is_cone()
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        self.set.ray_exit(&self.down(x), &self.down(d))
    }
    /// (s C)° = C°/s.
    fn polar(&self) -> Option<Set> {
        Scale::new(self.set.polar()?, 1.0 / self.factor)
            .ok()
            .map(Set::from)
    }
}
