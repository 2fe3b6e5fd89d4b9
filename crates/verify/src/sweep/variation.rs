//! The variation of u against the retraction (Hausdorff excess) of C.
//!
//! ```text
//! |u_F − u_I| ≤ e(C_I, C_F) + h|w|        e of a box: the norm of the displacements of its sides inwards
//! ```
//!
//! A theorem for every step of the catching-up method (M99 §5). The recorded `gain` is the relative excess of the sum
//! of the left sides over the sum of the right sides, where e is known: stated by the scene, of a box, or of a polyhedron in one
//! or two coordinates (module `polygon`); where it is recorded and not known here, the records are taken as they are, but must
//! be long enough for every step.

use percuss_scene::model::mechanism::{System, SystemError};
use percuss_scene::symbolic::{SweepingSettings, of_time};
use percuss_scene::{Observable, SymbolicSystem};

use super::SweepVerifier;
use super::metric::dot;

/// Number of sides up to which the retraction of a box is computed by the run.
const SIDES: usize = 512;

/// Sums since the start.
#[derive(Default)]
pub(super) struct VariationSums {
    variation: f64,
    /// Sum of the bounds; `None` once e is not known for a step.
    bound: Option<f64>,
    /// Sum of e computed here; `None` once it is not.
    own: Option<f64>,
    /// Recorded retraction at the step before.
    recorded: f64,
    /// Whether every step so far is recorded.
    pub whole: bool,
    retraction: Option<Observable>,
    /// Sides of a box, once they were determined.
    sides: Option<Option<Vec<(usize, f64)>>>,
}

impl VariationSums {
    pub fn of(system: &mut SymbolicSystem, plan: &SweepingSettings) -> Self {
        let text = plan.retraction.as_ref().filter(|_| plan.room.is_none());
        Self {
            variation: 0.0,
            bound: Some(0.0),
            own: Some(0.0),
            recorded: 0.0,
            whole: true,
            retraction: text.and_then(|text| system.observable(text).ok()),
            sides: None,
        }
    }
}

/// Contribution of a part of a step to the variation.
pub(super) struct VariationPart {
    pub from: f64,
    pub to: f64,
    pub moved: f64,
    /// h|w|.
    pub drift: f64,
    /// 1 + |u|.
    pub size: f64,
}

impl SweepVerifier<'_> {
    /// Retraction e(C(from), C(to)), where it is known.
    pub(super) fn retraction(&mut self, from: f64, to: f64) -> Result<Option<f64>, SystemError> {
        // Stated by the scene as a function of time.
        if let Some(retraction) = &mut self.sums.retraction {
            let end = of_time(retraction, &mut self.system, to)?;
            return Ok(Some(end - of_time(retraction, &mut self.system, from)?));
        }
        // The walls of a room do not move.
        if self.plan.room.is_some() {
            return Ok(Some(0.0));
        }
        if !self.plan.affine || self.equation.len() > SIDES {
            return Ok(None);
        }
        let sides = if self.plan.turning {
            None
        } else {
            self.sides()?
        };
        let Some(sides) = sides else {
            return self.excess_of_polygon(from, to);
        };
        let n = self.initial.q.len();
        // Box: displacement of each side, the largest of each class of parallel sides.
        let (mut first, mut last) = (vec![0.0; sides.len()], vec![0.0; sides.len()]);
        self.system.gaps(from, &vec![0.0; n], &mut first)?;
        self.system.gaps(to, &vec![0.0; n], &mut last)?;
        let mut worst = vec![0.0_f64; sides.len()];
        for (k, (class, length)) in sides.iter().enumerate() {
            let closes = (first[k] - last[k]) / length;
            let closes = if self.equation[k] {
                closes.abs()
            } else {
                closes
            };
            worst[*class] = worst[*class].max(closes);
        }
        Ok(Some(dot(&worst, &worst).sqrt()))
    }

    /// For every function its class of parallel sides and the norm of its gradient (infinite where that is 0); `None`
    /// where the set is not a box.
    fn sides(&mut self) -> Result<Option<Vec<(usize, f64)>>, SystemError> {
        if let Some(known) = &self.sums.sides {
            return Ok(known.clone());
        }
        let origin = vec![0.0; self.initial.q.len()];
        let local = self.local(self.initial.t, &origin)?;
        let (mut sides, mut leads): (Vec<_>, Vec<(usize, Vec<f64>)>) = (Vec::new(), Vec::new());
        let mut boxed = true;
        for (k, gradient) in local.gradients.iter().enumerate() {
            // Sides are parallel or orthogonal in the metric, otherwise the set is not a box.
            let raised = self.form.solve(gradient);
            let length = dot(&raised, gradient).max(0.0).sqrt();
            if length == 0.0 {
                sides.push((k, f64::INFINITY));
                continue;
            }
            let mut class = k;
            for (lead, other) in &leads {
                let cosine = dot(&raised, other).abs() / length;
                if cosine > 1.0 - 1e-12 {
                    class = *lead;
                } else {
                    boxed &= cosine <= 1e-12;
                }
            }
            if class == k {
                leads.push((k, gradient.iter().map(|g| g / length).collect()));
            }
            sides.push((class, length));
        }
        let known = boxed.then_some(sides);
        self.sums.sides = Some(known.clone());
        Ok(known)
    }

    /// Adds the parts of a step, and compares the recorded gain where all steps are known.
    pub(super) fn sum(&mut self, parts: &[VariationPart]) -> Result<(), SystemError> {
        for part in parts {
            let excess = self.retraction(part.from, part.to)?;
            self.sums.variation += part.moved;
            self.sums.own = self.sums.own.zip(excess).map(|(sum, e)| sum + e);
            // Not known here: what the records say, if every step is one part.
            let recorded = self.step_row.retraction - self.sums.recorded;
            let known = excess.or((parts.len() == 1 && recorded.is_finite()).then_some(recorded));
            self.sums.bound = match (self.sums.bound, known) {
                (Some(sum), Some(e)) => Some(sum + e + part.drift),
                _ => None,
            };
            let stepped = matches!(self.plan.integrator(), "catching-up" | "trapezoidal");
            if excess.is_none() && self.sums.whole && stepped && recorded.is_finite() {
                let over = (part.moved - recorded - part.drift).max(0.0).max(-recorded);
                self.note(
                    "retracted",
                    over / part.size,
                    "a step and the retraction over it",
                );
            }
            let own = self.plan.retraction.is_none() && self.plan.integrator() == "catching-up";
            // A retraction that the scene states is not a claim of the records.
            if own && let Some(e) = excess {
                let over = (part.moved - e - part.drift).max(0.0);
                self.note("retraction", over / part.size, "the path of the step");
            }
        }
        if !self.sums.whole {
            let what =
                "gain: the sum of the path, where a step before is not recorded or not followed";
            self.report.skip(what);
            return Ok(());
        }
        let over = self.sums.bound.map_or(0.0, |bound| {
            let over = self.sums.variation - bound * (1.0 + 1e-12) - 1e-12;
            over.max(0.0) / bound.max(f64::MIN_POSITIVE)
        });
        self.compare_sums();
        // Far beyond 1 the bound is 0 and the ratio has no other meaning.
        let off = (over - self.step_row.gain).abs() / over.max(1.0);
        self.note("gain", off, "the sum of all steps");
        Ok(())
    }

    /// The recorded sums along the path.
    fn compare_sums(&mut self) {
        let row = self.step_row;
        let off = (row.variation - self.sums.variation).abs();
        self.note(
            "variation",
            if off == 0.0 {
                0.0
            } else {
                off / self.sums.variation
            },
            "the path so far",
        );
        if let Some(own) = self.sums.own {
            // What is computed here was known to the run as well.
            let off = match row.retraction.is_finite() {
                true => (row.retraction - own).abs(),
                false => f64::INFINITY,
            };
            self.note(
                "retracted",
                off / (own + self.size(&[])),
                "the retraction so far",
            );
        }
        self.sums.recorded = row.retraction;
    }
}
