//! The sweeping process −du ∈ N_C(t)(u) + f(t, u) dt and its integration methods.
//!
//! ```text
//! catching-up   u_F = proj(C(t_F), u_I − h f(t_I, u_I))                                  (M99 19)
//! trapezoidal   u_F = proj(C(t_F), u_I − ½h f(t_I, u_I) − ½h f(t_F, u_F))
//! θ             u_A = proj(C(t_A), u_I − θh f(t_A, u_A)),   u_F = u_I + (u_A − u_I)/θ   (M99 §4.3)
//! regularised   u̇ = −λ(t) (u − proj(C(t), u)) − f,   implicit Euler                     (M99 17, 18)
//! event-driven  u̇ = argmin { |w + f|_A : ∂c_k/∂t + ∇c_k·w ≤ 0 where c_k = 0 }           (M99 13, 15)
//! ```
//!
//! Jumps of C at given instants: u⁺ = proj(C(t), u⁻). Every step has a report ([`SweepingStep`]); steps that miss the
//! tolerance are counted in the [`SweepingSummary`].

mod event_driven;
mod implicit_stage;
mod schedule;
mod smooth_flow;
mod step_report;

pub use schedule::{Schedule, StepSize};
pub use step_report::{SweepingStep, SweepingSummary};

use crate::error::{Result, SweepingError, check_finite, check_len};
use crate::lane_sums::{axpy, sub};
use crate::metric::Metric;
use crate::moving_set::MovingSet;
use crate::transformed_set::ScalarFunction;
pub use event_driven::ActiveSetChange;
use event_driven::EventMemory;

/// Integration method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Method {
    /// u_F = proj(C(t_F), u_I − h f): order 1, unconditionally stable, in C(t) at every instant.
    #[default]
    CatchingUp,
    /// Catching-up with the mean of f at both ends: order 2 in the perturbation; the same as catching-up where there is
    /// none.
    Trapezoidal,
    /// The inclusion at t_A = t_I + θh, θ ≥ ½: order 2 at ½ where the motion is smooth, 1 else; u is in C at t_A only, and
    /// at ½ oscillates undamped about a boundary it has met. Above 1 the step stops short of the projection, which is
    /// that of a set from after the step. Below ½ an error would grow by 1/θ − 1 > 1 in each step.
    Theta(f64),
    /// Moreau–Yosida regularisation: the penalty flow with this λ (1/time), by implicit Euler, stable for any λ. |u_λ −
    /// u| ≤ √(∫|u̇|²/2λ). [`Process::with_penalty`] makes λ a function of time.
    Regularised(f64),
    /// Smooth integration between changes of the active set, which are located: for few inequalities, and as reference
    /// for the other methods.
    EventDriven,
}

/// Treatment of a start outside C(t₀).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartPolicy {
    /// An error.
    #[default]
    Inside,
    /// The start is replaced by its projection.
    Project,
}

/// How the retraction of C over a step is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RetractionPolicy {
    /// Where it has a closed form or finitely many candidates: [`MovingSet::excess`].
    #[default]
    Known,
    /// Also by search: [`MovingSet::searched_excess`], which costs many projections a step.
    Searched,
}

/// Settings of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Integration method.
    pub method: Method,
    /// Treatment of a start outside C(t₀).
    pub start: StartPolicy,
    /// Bound, relative to 1 + |u|, on the violation and on the distance to the normal cone; a step above it counts as
    /// missed.
    pub tolerance: f64,
    /// How the retraction of C is found.
    pub retraction: RetractionPolicy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::CatchingUp,
            start: StartPolicy::Inside,
            // Projections reach 1e-12; ten thousand times that is a failure, not rounding.
            tolerance: 1e-8,
            retraction: RetractionPolicy::Known,
        }
    }
}

impl Settings {
    fn validate(&self) -> Result<()> {
        // Parameter of the method.
        let (what, value, expected, fine) = match self.method {
            Method::Theta(theta) => (
                "theta",
                theta,
                "a number from 1/2 on",
                theta.is_finite() && theta >= 0.5,
            ),
            Method::Regularised(lambda) => (
                "lambda",
                lambda,
                "a positive number",
                lambda.is_finite() && lambda > 0.0,
            ),
            _ => ("", 0.0, "", true),
        };
        if !fine {
            return Err(SweepingError::Invalid {
                what,
                value,
                expected,
            });
        }
        // Tolerance.
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(SweepingError::Invalid {
                what: "tolerance",
                value: self.tolerance,
                expected: "a positive number",
            });
        }
        Ok(())
    }
}

/// The perturbation f(t, u), a velocity.
pub type Perturbation = Box<dyn Fn(f64, &[f64], &mut [f64]) + Send>;

/// A sweeping process: moving set, metric, perturbation, and the current time and point.
pub struct Process<S> {
    set: S,
    metric: Metric,
    perturbation: Option<Perturbation>,
    settings: Settings,
    time: f64,
    point: Vec<f64>,
    summary: SweepingSummary,
    event_memory: EventMemory,
    /// λ(t) of the regularised flow, where it is not constant.
    penalty: Option<ScalarFunction>,
    /// Last instant at which C may be evaluated: the left limit of its next jump.
    horizon: f64,
    /// Multipliers of the last step or jump.
    multipliers: Vec<f64>,
}

impl<S: MovingSet> Process<S> {
    /// A process in the Euclidean metric, without perturbation; `u0` is checked by [`Self::begin`], which the first
    /// step calls.
    pub fn new(set: S, t0: f64, u0: &[f64]) -> Result<Self> {
        check_len("start", u0.len(), set.dim())?;
        check_finite("start", u0, t0)?;
        check_finite("initial instant", &[t0], t0)?;
        Ok(Self {
            set,
            metric: Metric::Euclidean,
            perturbation: None,
            settings: Settings::default(),
            time: t0,
            point: u0.to_vec(),
            summary: SweepingSummary::default(),
            event_memory: EventMemory::default(),
            penalty: None,
            horizon: f64::INFINITY,
            multipliers: Vec::new(),
        })
    }

    /// The same process with its set as a trait object.
    pub fn boxed(self) -> Process<Box<dyn MovingSet>>
    where
        S: 'static,
    {
        Process {
            set: Box::new(self.set),
            metric: self.metric,
            perturbation: self.perturbation,
            settings: self.settings,
            time: self.time,
            point: self.point,
            summary: self.summary,
            event_memory: self.event_memory,
            penalty: self.penalty,
            horizon: self.horizon,
            multipliers: self.multipliers,
        }
    }

    /// Replaces the metric A of normals and projections.
    pub fn with_metric(mut self, metric: Metric) -> Result<Self> {
        metric.check(self.set.dim())?;
        self.set.set_metric(&metric)?;
        self.metric = metric;
        Ok(self)
    }

    /// Adds the perturbation f(t, u).
    pub fn with_perturbation(
        mut self,
        flow: impl Fn(f64, &[f64], &mut [f64]) + Send + 'static,
    ) -> Self {
        self.perturbation = Some(Box::new(flow));
        self
    }

    /// Makes the penalty coefficient of the regularised flow a function of time, λ(t) > 0, taken at the end of a step
    /// (M99 §5 uses such a λ in the proof that catching-up converges).
    pub fn with_penalty(mut self, penalty: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        self.penalty = Some(Box::new(penalty));
        self
    }

    /// Sets the last instant at which C may be evaluated, the left limit of its next jump. The θ-method with θ > 1
    /// looks ahead no farther than that.
    pub fn set_horizon(&mut self, horizon: f64) {
        self.horizon = horizon;
    }

    /// Sets method, treatment of the start, and tolerance.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// Current time.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Current point u.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// The moving set.
    pub fn set(&self) -> &S {
        &self.set
    }

    /// The moving set, for calls that change its warm start only.
    pub fn set_mut(&mut self) -> &mut S {
        &mut self.set
    }

    /// The metric.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Changes of the active set in the last step of the event-driven method.
    pub fn changes(&self) -> &[ActiveSetChange] {
        &self.event_memory.changes
    }

    /// Multiplier rates of the active functions at the end of the last step of the event-driven method.
    pub fn multiplier_rates(&self) -> &[(usize, f64)] {
        &self.event_memory.multiplier_rates
    }

    /// The multipliers λ_k of the last step or jump, A(u_F − u_I + hf) = −Σ λ_k ∇c_k, one for each function or row;
    /// empty where the set has none. f and ∇c_k are where the method evaluates them: at the end for a projection, at
    /// t_A for the θ-method, ∇c_k at the projection of u_F for the regularised flow. The event-driven method has
    /// [`Self::multiplier_rates`] instead.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Stores the multipliers of the last projection times `share`, the part of the projection that is in the step.
    /// Later calls (a distance, a check) may project again.
    fn store_multipliers(&mut self, share: f64) {
        self.multipliers = self.set.projection_multipliers().unwrap_or_default();
        self.multipliers.iter_mut().for_each(|l| *l *= share);
    }

    /// Summary of all steps so far.
    pub fn summary(&self) -> &SweepingSummary {
        &self.summary
    }

    /// Checks that the start is in C(t₀), or projects it if asked.
    ///
    /// # Errors
    /// A start outside, or a projection that fails.
    pub fn begin(&mut self) -> Result<()> {
        // Distance of the start from C(t₀).
        self.set.linearise_at(self.time, &self.point)?;
        let mut p = vec![0.0; self.point.len()];
        self.set.project_into(self.time, &self.point, &mut p)?;
        // A set that is not convex must be prox-regular there.
        self.set.prox_regularity_radius()?;
        let distance = self.metric.norm(&sub(&self.point, &p));
        self.summary.started = true;
        if distance <= 1e-10 * (1.0 + self.metric.norm(&self.point)) {
            return Ok(());
        }
        match self.settings.start {
            StartPolicy::Inside => Err(SweepingError::StartOutside {
                time: self.time,
                distance,
            }),
            StartPolicy::Project => {
                self.point = p;
                Ok(())
            }
        }
    }

    /// Advances by one step to the time `to`.
    pub fn advance(&mut self, to: f64) -> Result<SweepingStep> {
        check_finite("end of a step", &[to], to)?;
        if !(to > self.time) {
            return Err(SweepingError::Invalid {
                what: "end of a step",
                value: to,
                expected: "an instant after the current one",
            });
        }
        if !self.summary.started {
            self.begin()?;
        }
        // One step of the method; each moves `point`.
        let step = match self.settings.method {
            Method::CatchingUp => self.catch_up(to)?,
            Method::Trapezoidal => self.trapezoidal(to)?,
            Method::Theta(theta) => self.theta(to, theta)?,
            Method::Regularised(lambda) => {
                let lambda = self.penalty.as_ref().map_or(lambda, |penalty| penalty(to));
                if !(lambda.is_finite() && lambda > 0.0) {
                    return Err(SweepingError::Penalty {
                        time: to,
                        value: lambda,
                    });
                }
                self.regularised(to, lambda)?
            }
            Method::EventDriven => self.event_driven(to)?,
        };
        self.time = to;
        self.summary.add(&step);
        Ok(step)
    }

    /// Jump of the set at `to` ≥ now: u⁺ = proj(C(to), u⁻), whatever the method.
    pub fn jump(&mut self, to: f64) -> Result<SweepingStep> {
        check_finite("instant of a jump", &[to], to)?;
        if to < self.time {
            return Err(SweepingError::Invalid {
                what: "instant of a jump",
                value: to,
                expected: "an instant not before the current one",
            });
        }
        if !self.summary.started {
            self.begin()?;
        }
        self.set.linearise_at(to, &self.point)?;
        // A projection of u⁻, without perturbation.
        let base = self.point.clone();
        let mut step = self.project_and_report(to, &base, self.time, 0.0)?;
        step.jump = true;
        self.time = to;
        self.summary.add(&step);
        Ok(step)
    }

    /// Discards the warm starts of the set: what follows depends on time and point alone.
    pub fn reset_warm_start(&mut self) {
        self.set.reset_warm_start();
        self.event_memory = EventMemory::default();
    }

    /// f(t, u), zero without a perturbation.
    fn perturbation_at(&self, t: f64, u: &[f64]) -> Result<Vec<f64>> {
        let mut f = vec![0.0; u.len()];
        if let Some(flow) = &self.perturbation {
            flow(t, u, &mut f);
            check_finite("perturbation", &f, t)?;
        }
        Ok(f)
    }

    /// Catching-up step: projection of u_I − hf onto C(t_F).
    fn catch_up(&mut self, to: f64) -> Result<SweepingStep> {
        self.set.linearise_at(to, &self.point)?;
        let h = to - self.time;
        let f = self.perturbation_at(self.time, &self.point)?;
        // z = u_I − h f(t_I, u_I).
        let mut z = self.point.clone();
        axpy(-h, &f, &mut z);
        self.project_and_report(to, &z, self.time, h * self.metric.norm(&f))
    }
}
