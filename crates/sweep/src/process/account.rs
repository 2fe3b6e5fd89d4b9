//! The account of a step and of a run.
//!
//! ```text
//! |u_F − u_I| ≤ |proj(C_F, u_I − hf) − proj(C_F, u_I)| + dist(u_I, C_F) ≤ h|f| + e(C_I, C_F)
//! ```
//!
//! so that for the catching-up method the variation of u never exceeds the retraction of C plus
//! ∫|f| (M99 §5, §6). The sum over the steps is compared with it at every step.

use super::Process;
use crate::error::Result;
use crate::set::MovingSet;
use crate::vector::sub;

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SweepingStep {
    /// End of the step.
    pub time: f64,
    /// Length of the step; 0 for a jump at an instant.
    pub length: f64,
    /// |u_F − u_I|.
    pub moved: f64,
    /// Distance of the point that was projected (u_I − hf) to the set, before.
    pub distance_before: f64,
    /// Distance of u_F to C(t_F), after (for a projected point the excess of its constraints).
    pub distance_after: f64,
    /// Distance of what should be a normal to the normal cone, judged by the set itself.
    pub normal_cone_distance: f64,
    /// Bound of the excess e(C_I, C_F), where known.
    pub retraction: Option<f64>,
    /// h|f|, what the perturbation may add to the variation.
    pub perturbation_length: f64,
    /// For sets that are not convex: distance within which nearest points are unique.
    pub prox_regularity_radius: Option<f64>,
    /// Iterations of the projections, or integration steps of the event-driven method.
    pub iterations: usize,
    /// Changes of the active set met (event-driven).
    pub events: usize,
    /// Whether violation and normality are within the tolerance.
    pub within_tolerance: bool,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepingSummary {
    pub(super) started: bool,
    /// Steps made, jumps included.
    pub steps: usize,
    /// Steps that missed the tolerance.
    pub missed: usize,
    /// The first such step's instant.
    pub first_missed: Option<f64>,
    /// Largest distance to C(t) after a step.
    pub worst_after: f64,
    /// Largest distance to the normal cone.
    pub worst_normal_cone_distance: f64,
    /// Σ|u_F − u_I|.
    pub variation: f64,
    /// Σ (bound of e(C_I, C_F) + h|f|), `None` once unknown for a step.
    pub bound: Option<f64>,
    /// Smallest admissible radius met, for sets that are not convex.
    pub least_radius: Option<f64>,
    /// Steps that projected from farther than the admissible radius: there the nearest point of
    /// the set itself need not be unique, that of its linearisation still is.
    pub beyond_radius: usize,
    /// Changes of the active set met (event-driven).
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
            bound: Some(0.0),
            least_radius: None,
            beyond_radius: 0,
            events: 0,
        }
    }
}

impl SweepingSummary {
    pub(super) fn add(&mut self, step: &SweepingStep) {
        self.steps += 1;
        if !step.within_tolerance {
            self.missed += 1;
            self.first_missed.get_or_insert(step.time);
        }
        self.worst_after = self.worst_after.max(step.distance_after);
        self.worst_normal_cone_distance = self.worst_normal_cone_distance.max(step.normal_cone_distance);
        self.variation += step.moved;
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

    /// Whether the variation of u stays within the retraction of C (plus the perturbation's
    /// share); `None` where no bound is known. A theorem for the catching-up method.
    pub fn within_bound(&self) -> Option<bool> {
        // Sums of a million roundings stay below a billionth.
        self.bound
            .map(|b| self.variation <= b * (1.0 + 1e-9) + 1e-12)
    }

    /// Whether every step met its tolerance.
    pub fn certified(&self) -> bool {
        self.missed == 0
    }
}

impl<S: MovingSet> Process<S> {
    /// Moves to the projection of `z` onto C(to) and accounts for it.
    pub(super) fn project_and_report(&mut self, to: f64, z: &[f64], from: f64, drift: f64) -> Result<SweepingStep> {
        let mut p = vec![0.0; z.len()];
        let landing = self.set.project_into(to, z, &mut p)?;
        self.store_multipliers(1.0);
        let mut y = sub(z, &p);
        let before = self.metric.norm(&y);
        self.metric.lower(&mut y);
        let normality = self.set.normal_cone_distance(to, &p, &y)?;
        let step = SweepingStep {
            time: to,
            length: to - from,
            moved: self.metric.norm(&sub(&p, &self.point)),
            distance_before: before,
            distance_after: landing.violation,
            normal_cone_distance: normality,
            retraction: self.set.excess(from, to)?,
            perturbation_length: drift,
            prox_regularity_radius: self.set.prox_regularity_radius()?,
            iterations: landing.iterations,
            events: 0,
            within_tolerance: false,
        };
        self.point = p;
        Ok(self.with_verdict(step))
    }

    /// Whether the step meets the tolerance of the settings.
    pub(super) fn with_verdict(&self, mut step: SweepingStep) -> SweepingStep {
        let allowed = self.settings.tolerance * (1.0 + self.metric.norm(&self.point));
        let within = |v: f64| v.is_finite() && v <= allowed;
        step.within_tolerance = within(step.distance_after) && within(step.normal_cone_distance);
        step
    }
}
