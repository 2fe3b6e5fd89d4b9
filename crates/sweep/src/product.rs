//! Product sets C₁(t) × C₂(t) × …, coordinates one after the other.
//!
//! The process splits into independent ones when the metric couples no two factors; a metric that does is refused.
//! e(∏A_i, ∏B_i)² = Σ e(A_i, B_i)².

use crate::error::{Result, SweepingError};
use crate::metric::Metric;
use crate::moving_set::{MovingSet, ProjectionReport};

/// A product of moving sets.
pub struct MovingProduct {
    factors: Vec<Box<dyn MovingSet + Send>>,
    dim: usize,
}

impl MovingProduct {
    /// The product of at least one set.
    pub fn new(factors: Vec<Box<dyn MovingSet + Send>>) -> Result<Self> {
        if factors.is_empty() {
            return Err(SweepingError::Invalid {
                what: "number of factors of a product",
                value: 0.0,
                expected: "at least 1",
            });
        }
        let dim = factors.iter().map(|f| f.dim()).sum();
        Ok(Self { factors, dim })
    }
}

impl MovingSet for MovingProduct {
    fn dim(&self) -> usize {
        self.dim
    }

    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        metric.check(self.dim)?;
        // Each factor gets its diagonal block of the metric.
        let mut from = 0;
        for factor in &mut self.factors {
            let to = from + factor.dim();
            let Some(block) = metric.block(from, to)? else {
                return Err(SweepingError::Unsupported {
                    method: "a product of sets",
                    need: "a metric that couples no two factors",
                });
            };
            factor.set_metric(&block)?;
            from = to;
        }
        Ok(())
    }

    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        crate::error::check_len("point to project", z.len(), self.dim)?;
        // Independent projections; iterations add up, the largest violation counts.
        let (mut from, mut all) = (0, ProjectionReport::default());
        for factor in &mut self.factors {
            let to = from + factor.dim();
            let one = factor.project_into(t, &z[from..to], &mut out[from..to])?;
            all.iterations += one.iterations;
            all.violation = all.violation.max(one.violation);
            from = to;
        }
        Ok(all)
    }

    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        // Distances of orthogonal factors add in squares.
        let (mut from, mut sum) = (0, 0.0);
        for factor in &mut self.factors {
            let to = from + factor.dim();
            sum += factor
                .normal_cone_distance(t, &p[from..to], &y[from..to])?
                .powi(2);
            from = to;
        }
        Ok(sum.sqrt())
    }

    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let mut sum = 0.0;
        for factor in &mut self.factors {
            match factor.excess(from, to)? {
                Some(e) => sum += e * e,
                None => return Ok(None),
            }
        }
        Ok(Some(sum.sqrt()))
    }

    fn searched_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let mut sum = 0.0;
        for factor in &mut self.factors {
            match factor.searched_excess(from, to)? {
                Some(e) => sum += e * e,
                None => return Ok(None),
            }
        }
        Ok(Some(sum.sqrt()))
    }

    fn linearise_at(&mut self, t: f64, at: &[f64]) -> Result<()> {
        let mut from = 0;
        for factor in &mut self.factors {
            let to = from + factor.dim();
            factor.linearise_at(t, &at[from..to])?;
            from = to;
        }
        Ok(())
    }

    /// The smallest radius of a factor.
    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        let mut least: Option<f64> = None;
        for factor in &mut self.factors {
            if let Some(r) = factor.prox_regularity_radius()? {
                least = Some(least.map_or(r, |l| l.min(r)));
            }
        }
        Ok(least)
    }

    fn reset_warm_start(&mut self) {
        self.factors.iter_mut().for_each(|f| f.reset_warm_start());
    }
}
