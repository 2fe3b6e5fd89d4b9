//! Step report and summary: distances, normal-cone check, variation against retraction.
//!
//! ```text
//! |u_F − u_I| ≤ |proj(C_F, u_I − hf) − proj(C_F, u_I)| + dist(u_I, C_F) ≤ h|f| + e(C_I, C_F)
//! ```
//!
//! so that for the catching-up method the variation of u never exceeds the retraction of C plus ∫|f| (M99 §5, §6). The
//! sums over the steps are compared by [`SweepingSummary::within_bound`].

use super::{Process, RetractionPolicy};
use crate::error::Result;
use crate::lane_sums::sub;
use crate::moving_set::MovingSet;

/// Report of one step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SweepingStep {
    /// End of the step.
    pub time: f64,
    /// Length of the step; 0 for a jump at an instant.
    pub length: f64,
    /// Length of the step in space, |u_F − u_I|.
    pub moved: f64,
    /// Distance of the point that was projected (u_I − hf) to the set.
    pub distance_before: f64,
    /// Distance of u_F to C(t_F); after a projection the largest violation of its constraints.
    pub distance_after: f64,
    /// Distance of u_I − hf − u_F (as a covector) to the normal cone, evaluated by the set.
    pub normal_cone_distance: f64,
    /// The excess e(C_I, C_F), where known.
    pub retraction: Option<f64>,
    /// h|f|, which the perturbation may add to the variation.
    pub perturbation_length: f64,
    /// Prox-regularity radius of a set that is not convex: distance within which nearest points are unique.
    pub prox_regularity_radius: Option<f64>,
    /// Iterations of the projections, or integration steps of the event-driven method.
    pub iterations: usize,
    /// Changes of the active set (event-driven method).
    pub events: usize,
    /// Whether violation and distance to the normal cone are within the tolerance.
    pub within_tolerance: bool,
    /// Whether C jumps: u_I and u_F are the limits from the left and from the right.
    pub jump: bool,
}

/// Summary of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepingSummary {
    /// Whether the start has been checked.
    pub(super) started: bool,
    /// Number of steps, jumps included.
    pub steps: usize,
    /// Number of steps that missed the tolerance.
    pub missed: usize,
    /// End time of the first such step.
    pub first_missed: Option<f64>,
    /// Largest distance to C(t) after a step.
    pub worst_after: f64,
    /// Largest distance to the normal cone.
    pub worst_normal_cone_distance: f64,
    /// Variation of u, Σ|u_F − u_I|.
    pub variation: f64,
    /// Retraction of C, Σ e(C_I, C_F); `None` once unknown for a step.
    pub retraction: Option<f64>,
    /// Bound of the variation, Σ (e(C_I, C_F) + h|f|); `None` once unknown for a step.
    pub bound: Option<f64>,
    /// Smallest prox-regularity radius met, for sets that are not convex.
    pub least_radius: Option<f64>,
    /// Steps that projected from farther than the prox-regularity radius: there the nearest point of the set itself
    /// need not be unique, that of its linearisation still is.
    pub beyond_radius: usize,
    /// Changes of the active set (event-driven method).
    pub events: usize,
}

impl Default for SweepingSummary {
    fn default() -> Self {
        Self {
            started: false,
            steps: 0,
            missed: 0,
            first_missed: None,
            worst_after: 0.0,
            worst_normal_cone_distance: 0.0,
            variation: 0.0,
            retraction: Some(0.0),
            bound: Some(0.0),
            least_radius: None,
            beyond_radius: 0,
            events: 0,
        }
    }
}

impl SweepingSummary {
    /// Adds a step.
    pub(super) fn add(&mut self, step: &SweepingStep) {
        self.steps += 1;
        // Count what missed the tolerance.
        if !step.within_tolerance {
            self.missed += 1;
            self.first_missed.get_or_insert(step.time);
        }
        self.worst_after = self.worst_after.max(step.distance_after);
        self.worst_normal_cone_distance = self
            .worst_normal_cone_distance
            .max(step.normal_cone_distance);
        self.variation += step.moved;
        self.retraction = self.retraction.zip(step.retraction).map(|(r, e)| r + e);
        // Bound of the variation: retraction plus perturbation.
        self.bound = match (self.bound, step.retraction) {
            (Some(sum), Some(e)) => Some(sum + e + step.perturbation_length),
            _ => None,
        };
        if let Some(r) = step.prox_regularity_radius {
            self.least_radius = Some(self.least_radius.map_or(r, |l| l.min(r)));
            self.beyond_radius += usize::from(step.distance_before >= r);
        }
        self.events += step.events;
    }

    /// Whether the variation of u stays within the retraction of C plus ∫|f|; `None` where no bound is known. A theorem
    /// for the catching-up method.
    pub fn within_bound(&self) -> Option<bool> {
        // Rounding of a sum of a million terms stays below a billionth.
        self.bound
            .map(|b| self.variation <= b * (1.0 + 1e-9) + 1e-12)
    }

    /// Whether every step met its tolerance.
    pub fn certified(&self) -> bool {
        self.missed == 0
    }
}

impl<S: MovingSet> Process<S> {
    /// The excess e(C(from), C(to)) as the settings ask for it.
    pub(super) fn retraction(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        match self.settings.retraction {
            RetractionPolicy::Known => self.set.excess(from, to),
            RetractionPolicy::Searched => self.set.searched_excess(from, to),
        }
    }

    /// Moves to the projection of `z` onto C(to) and writes the step report.
    pub(super) fn project_and_report(
        &mut self,
        to: f64,
        z: &[f64],
        from: f64,
        drift: f64,
    ) -> Result<SweepingStep> {
        let mut p = vec![0.0; z.len()];
        let landing = self.set.project_into(to, z, &mut p)?;
        self.store_multipliers(1.0);
        // The normal A(z − p), checked by the set.
        let mut y = sub(z, &p);
        let before = self.metric.norm(&y);
        self.metric.lower(&mut y);
        let normality = self.set.normal_cone_distance(to, &p, &y)?;
        let retraction = self.retraction(from, to)?;
        let step = SweepingStep {
            time: to,
            length: to - from,
            moved: self.metric.norm(&sub(&p, &self.point)),
            distance_before: before,
            distance_after: landing.violation,
            normal_cone_distance: normality,
            retraction,
            perturbation_length: drift,
            prox_regularity_radius: self.set.prox_regularity_radius()?,
            iterations: landing.iterations,
            events: 0,
            within_tolerance: false,
            jump: false,
        };
        self.point = p;
        Ok(self.with_verdict(step))
    }

    /// Sets whether the step meets the tolerance of the settings.
    pub(super) fn with_verdict(&self, mut step: SweepingStep) -> SweepingStep {
        let allowed = self.settings.tolerance * (1.0 + self.metric.norm(&self.point));
        let within = |v: f64| v.is_finite() && v <= allowed;
        step.within_tolerance = within(step.distance_after) && within(step.normal_cone_distance);
        step
    }
}
