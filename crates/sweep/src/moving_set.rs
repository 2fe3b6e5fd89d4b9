//! The interface of a moving set: projection, normal-cone check, excess.
//!
//! ```text
//! p = argmin { |x − z|_A : x ∈ C(t) }          ⇔   A (z − p) ∈ N_C(t)(p)         (M99 3)
//! e(C(s), C(t)) = sup { dist(x, C(t)) : x ∈ C(s) }                                 (M99 20)
//! ```

use crate::error::Result;
use crate::inequalities::Inequalities;
use crate::metric::Metric;

/// Report of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProjectionReport {
    /// Iterations or changes of the active set.
    pub iterations: usize,
    /// Largest violation of a constraint of unit gradient at the point found.
    pub violation: f64,
}

/// A closed set C(t) of Rⁿ, convex unless [`MovingSet::prox_regularity_radius`] says otherwise.
///
/// Methods take `&mut self` because sets keep warm starts from projection to projection. These change results in the
/// last digits only, and [`MovingSet::reset_warm_start`] discards them.
pub trait MovingSet {
    /// Dimension n of the space.
    fn dim(&self) -> usize;

    /// Sets the metric of all later calls; called once before the first projection.
    fn set_metric(&mut self, metric: &Metric) -> Result<()>;

    /// Projection: the nearest point of C(t) to `z`, written to `out`.
    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport>;

    /// Distance of the covector `y` from the normal cone N_C(t)(p), as a length, checked independently of the
    /// projection where the set has a certificate of its own. p is a point of the set that [`Self::project_into`] gave
    /// at this t.
    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64>;

    /// The excess e(C(from), C(to)) in the metric, where it has a closed form or finitely many candidates.
    fn excess(&mut self, _from: f64, _to: f64) -> Result<Option<f64>> {
        Ok(None)
    }

    /// The excess e(C(from), C(to)), by search where [`Self::excess`] does not know it: a lower bound, since a local
    /// maximum may be missed; `None` where nothing is known, +∞ where C recedes.
    fn searched_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        self.excess(from, to)
    }

    /// The functions c_k of C(t) = { x : c_k(t, x) ≤ 0 }, where the set is given by them.
    fn inequalities(&self) -> Option<&dyn Inequalities> {
        None
    }

    /// Sets the point at which a set that is not convex is linearised. Convex sets ignore it.
    fn linearise_at(&mut self, _t: f64, _at: &[f64]) -> Result<()> {
        Ok(())
    }

    /// Prox-regularity radius at the linearisation point: distance from the set within which the nearest point is
    /// unique; `None` for convex sets, where it always is.
    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Multipliers λ_k of the last projection, A(z − p) = Σ λ_k ∇c_k(p), one for each function or row, where the set
    /// has them.
    fn projection_multipliers(&self) -> Option<Vec<f64>> {
        None
    }

    /// Discards warm starts, so that the next result depends on its arguments alone (used at checkpoints).
    fn reset_warm_start(&mut self) {}

    /// Distance from x to C(t) in the metric `metric`.
    fn distance(&mut self, metric: &Metric, t: f64, x: &[f64]) -> Result<f64> {
        let mut p = vec![0.0; x.len()];
        self.project_into(t, x, &mut p)?;
        Ok(metric.norm(&crate::lane_sums::sub(x, &p)))
    }
}

/// A set with a known upper bound of its excess.
pub struct WithExcessBound<S> {
    set: S,
    /// bound(s, t) ≥ e(C(s), C(t)).
    bound: Box<dyn Fn(f64, f64) -> f64 + Send>,
}

impl<S: MovingSet> WithExcessBound<S> {
    /// `bound(s, t)` must be at least e(C(s), C(t)) for s ≤ t.
    pub fn new(set: S, bound: impl Fn(f64, f64) -> f64 + Send + 'static) -> Self {
        Self {
            set,
            bound: Box::new(bound),
        }
    }
}

impl<S: MovingSet> MovingSet for WithExcessBound<S> {
    fn dim(&self) -> usize {
        self.set.dim()
    }
    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        self.set.set_metric(metric)
    }
    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        self.set.project_into(t, z, out)
    }
    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        self.set.normal_cone_distance(t, p, y)
    }
    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let value = (self.bound)(from, to);
        crate::error::check_finite("bound of the excess", &[value], to)?;
        Ok(Some(value))
    }
    fn inequalities(&self) -> Option<&dyn Inequalities> {
        self.set.inequalities()
    }
    fn linearise_at(&mut self, t: f64, at: &[f64]) -> Result<()> {
        self.set.linearise_at(t, at)
    }
    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        self.set.prox_regularity_radius()
    }
    fn projection_multipliers(&self) -> Option<Vec<f64>> {
        self.set.projection_multipliers()
    }
    fn reset_warm_start(&mut self) {
        self.set.reset_warm_start();
    }
}

impl<S: MovingSet + ?Sized> MovingSet for Box<S> {
    fn dim(&self) -> usize {
        (**self).dim()
    }
    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        (**self).set_metric(metric)
    }
    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        (**self).project_into(t, z, out)
    }
    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        (**self).normal_cone_distance(t, p, y)
    }
    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        (**self).excess(from, to)
    }
    fn searched_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        (**self).searched_excess(from, to)
    }
    fn inequalities(&self) -> Option<&dyn Inequalities> {
        (**self).inequalities()
    }
    fn linearise_at(&mut self, t: f64, at: &[f64]) -> Result<()> {
        (**self).linearise_at(t, at)
    }
    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        (**self).prox_regularity_radius()
    }
    fn projection_multipliers(&self) -> Option<Vec<f64>> {
        (**self).projection_multipliers()
    }
    fn reset_warm_start(&mut self) {
        (**self).reset_warm_start();
    }
    fn distance(&mut self, metric: &Metric, t: f64, x: &[f64]) -> Result<f64> {
        (**self).distance(metric, t, x)
    }
}
