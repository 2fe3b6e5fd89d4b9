//! Implicit stages: the trapezoidal method, the θ-method and the regularised flow.
//!
//! All need v = R(base − w f(t, v)), R the projection or the resolvent of the penalty. R is nonexpansive, so that the
//! fixed-point iteration v ← R(base − w f(t, v)) is a contraction when w times the Lipschitz constant of f is below 1;
//! it is repeated until v changes by rounding only.
//!
//! Resolvent: v + hλ (v − proj v) = z has the solution v = (z + hλ proj z)/(1 + hλ) in closed form, because every point
//! between z and proj z has the same projection.

use super::{Process, SweepingStep};
use crate::error::{Result, SweepingError};
use crate::lane_sums::{axpy, norm, sub};
use crate::moving_set::{MovingSet, ProjectionReport};

/// Maximum number of fixed-point iterations: a contraction by ½ needs fifty.
const REPETITIONS: usize = 200;

/// Result of a stage: the point z, its projection p, the report of the projection, and |f|.
struct ImplicitStage {
    z: Vec<f64>,
    p: Vec<f64>,
    landing: ProjectionReport,
    speed: f64,
}

impl<S: MovingSet> Process<S> {
    /// Solves v = z + share (proj z − z), z = base − weight f(t, v).
    fn solve_stage(
        &mut self,
        t: f64,
        base: &[f64],
        weight: f64,
        share: f64,
    ) -> Result<ImplicitStage> {
        let n = self.point.len();
        let mut p = vec![0.0; n];
        let mut v = self.point.clone();
        let mut change = f64::INFINITY;
        for _ in 0..REPETITIONS {
            // Fixed-point step: z from the last v, then projection or resolvent.
            let f = self.perturbation_at(t, &v)?;
            let mut z = base.to_vec();
            axpy(-weight, &f, &mut z);
            let landing = self.set.project_into(t, &z, &mut p)?;
            let next: Vec<f64> = (0..n).map(|i| z[i] + share * (p[i] - z[i])).collect();
            change = norm(&sub(&next, &v));
            // Converged to rounding, or no perturbation to iterate over.
            let done = self.perturbation.is_none() || change <= 1e-15 * (1.0 + norm(&next));
            v = next;
            if done {
                let speed = self.metric.norm(&f);
                return Ok(ImplicitStage {
                    z,
                    p,
                    landing,
                    speed,
                });
            }
        }
        Err(SweepingError::NotConverged {
            what: "the implicit perturbation (shorten the step)",
            time: t,
            iterations: REPETITIONS,
            residual: change,
        })
    }

    /// Report of an implicit step: normal cone at the projected point, at the time `at`; `share` is the part of the
    /// projection that is in the step.
    fn report_stage(
        &mut self,
        to: f64,
        (at, share): (f64, f64),
        stage: &ImplicitStage,
        end: Vec<f64>,
    ) -> Result<SweepingStep> {
        // Normal A(z − p) of the stage, and distance of the end point.
        self.store_multipliers(share);
        let mut y = sub(&stage.z, &stage.p);
        let before = self.metric.norm(&y);
        self.metric.lower(&mut y);
        let normality = self.set.normal_cone_distance(at, &stage.p, &y)?;
        let after = self.set.distance(&self.metric, to, &end)?;
        let h = to - self.time;
        let mut step = SweepingStep {
            time: to,
            length: h,
            moved: self.metric.norm(&sub(&end, &self.point)),
            distance_before: before,
            // Tested by the constraints at the stage; u_F itself may lie outside by construction.
            distance_after: stage.landing.violation,
            normal_cone_distance: normality,
            retraction: self.retraction(self.time, to)?,
            perturbation_length: h * stage.speed,
            prox_regularity_radius: self.set.prox_regularity_radius()?,
            iterations: stage.landing.iterations,
            events: 0,
            within_tolerance: false,
            jump: false,
        };
        self.point = end;
        step = self.with_verdict(step);
        step.distance_after = after;
        Ok(step)
    }

    /// Catching-up with the mean of f over the step: of second order in f. A point at rest on the boundary stays there,
    /// whereas the θ-method with ½ lets it oscillate about it.
    pub(super) fn trapezoidal(&mut self, to: f64) -> Result<SweepingStep> {
        let h = to - self.time;
        self.set.linearise_at(to, &self.point)?;
        let mut base = self.point.clone();
        let f = self.perturbation_at(self.time, &self.point)?;
        axpy(-0.5 * h, &f, &mut base);
        let mut stage = self.solve_stage(to, &base, 0.5 * h, 1.0)?;
        stage.speed = 0.5 * (stage.speed + self.metric.norm(&f));
        let end = stage.p.clone();
        self.report_stage(to, (to, 1.0), &stage, end)
    }

    /// θ-method: the inclusion at t_A = t_I + θh, then extrapolation to t_F.
    pub(super) fn theta(&mut self, to: f64, theta: f64) -> Result<SweepingStep> {
        let h = to - self.time;
        // For θ > 1 after the step, but not beyond a jump of C.
        let t_a = (self.time + theta * h).min(self.horizon.max(to));
        self.set.linearise_at(t_a, &self.point)?;
        let stage = self.solve_stage(t_a, &self.point.clone(), theta * h, 1.0)?;
        // Extrapolate from t_A to t_F.
        let end = (0..stage.p.len())
            .map(|i| self.point[i] + (stage.p[i] - self.point[i]) / theta)
            .collect();
        self.report_stage(to, (t_a, 1.0 / theta), &stage, end)
    }

    /// Moreau–Yosida regularisation by implicit Euler.
    pub(super) fn regularised(&mut self, to: f64, lambda: f64) -> Result<SweepingStep> {
        let h = to - self.time;
        self.set.linearise_at(to, &self.point)?;
        let stiff = h * lambda;
        // hλ/(1 + hλ), without overflow.
        let share = if stiff > 1.0 {
            1.0 / (1.0 + 1.0 / stiff)
        } else {
            stiff / (1.0 + stiff)
        };
        let stage = self.solve_stage(to, &self.point.clone(), h, share)?;
        let end = (0..stage.p.len())
            .map(|i| stage.z[i] + share * (stage.p[i] - stage.z[i]))
            .collect();
        self.report_stage(to, (to, share), &stage, end)
    }
}
