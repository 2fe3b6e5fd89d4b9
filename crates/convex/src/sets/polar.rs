//! The polar of any cone, by Moreau's decomposition.

use super::{ConvexSet, Intersection, Scale, Set, Support, cone_support, methods_of_cones};
use crate::conic::ConicForm;
use crate::dense::sub;
use crate::error::{ConvexError, Result};
use crate::metric::Metric;

/// K° = { y : ⟨y, x⟩ ≤ 0 for all x ∈ K } for a cone K of this crate.
#[derive(Debug, Clone, PartialEq)]
pub struct PolarCone {
    cone: Box<Set>,
}

impl PolarCone {
    /// The polar of `cone`, which must be a cone with apex 0.
    pub fn new(cone: Set) -> Result<Self> {
        if !cone.is_cone() {
            return Err(ConvexError::NotACone { what: "set" });
        }
        Ok(Self {
            cone: Box::new(cone),
        })
    }
}

impl ConvexSet for PolarCone {
    fn dim(&self) -> usize {
        self.cone.dim()
    }
    /// n minus the dimension of the lineality space L = K ∩ −K, which is the trace of the
    /// projector onto L.
    fn affine_dim(&self) -> Result<Option<usize>> {
        let n = self.dim();
        let mirrored = Scale::new((*self.cone).clone(), -1.0)?;
        let lines = Intersection::new(vec![(*self.cone).clone(), mirrored.into()])?;
        // Trace of the projector, one unit vector at a time.
        let mut trace = 0.0;
        for i in 0..n {
            let mut e = vec![0.0; n];
            e[i] = 1.0;
            trace += lines.project(&e)?[i];
        }
        Ok(Some(n - trace.round() as usize))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        Ok(sub(z, &self.cone.project(z)?))
    }
    /// z − A⁻¹ k with k the projection of A z onto K in the metric A⁻¹.
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim())?;
        // Moreau's decomposition in the pair of metrics A and A⁻¹.
        let mut az = vec![0.0; z.len()];
        metric.apply_into(z, &mut az);
        let mut k = self.cone.project_in(&metric.inverse()?, &az)?;
        metric.solve(&mut k);
        Ok(sub(z, &k))
    }
    fn conic_form(&self) -> ConicForm {
        self.cone.conic_form().polar()
    }
    methods_of_cones!();
    fn polar(&self) -> Option<Set> {
        Some((*self.cone).clone())
    }
}
