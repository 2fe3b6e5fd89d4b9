//! Settings of a motion: scheme, step, force evaluation, impact law, tolerance.

use crate::error::MechanismError;

/// Integration scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Moreau's midpoint scheme (M88 §11).
    Midpoint,
    /// The midpoint scheme with persistent contacts at position and velocity level: they obey U_F + U_I = 0 at the
    /// midpoint, as joints do, then g = 0 and the law of the end velocity at q_F.
    Projected,
    /// The θ-method of Moreau and Jean, K implicit: for stiff forces (JM92 §7).
    Theta(f64),
    /// Paoli's scheme: q is advanced first, the law holds at the new position (P15 §2).
    Paoli,
    /// Event-driven integration ([`crate::EventDriven`]). A [`crate::TimeStepper`] refuses it.
    Event,
}

/// Velocity, and with it the position, at which the midpoint scheme evaluates the forces K.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForceEvaluation {
    /// At ½(v_I + v_F), iterated: second order in smooth motion.
    #[default]
    Mean,
    /// At v_I, explicit, as in the papers: first order where K depends on v.
    Begin,
    /// At ½(v_I + v_F) and q_I + ½h·½(v_I + v_F), by Newton's method: the implicit midpoint rule, for springs and dampers too
    /// stiff for the step. The schemes `midpoint` and `projected` have it.
    Implicit,
}

/// Configuration at which the midpoint scheme evaluates the contacts: their gaps, directions and laws, hence the cone
/// V(q) of admissible velocities. A, K and joints are evaluated at q_M in either case. Other schemes have no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TangentCone {
    /// At t_M and q_M = q_I + ½h v_I (M88 §11).
    #[default]
    Midpoint,
    /// At t_F and q_I + h v_I, where the step would end without forces: a contact acts half a step earlier and less of
    /// it is violated (M88 Remark 11.1).
    End,
}

/// Impact law (B02 §3, JM92 §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactLaw {
    /// Moreau's law of the weighted velocity U⁺ + ρU⁻, contact by contact (JM92 6.1).
    #[default]
    Moreau,
    /// Canonical law v⁺ = proj_V v⁻ − e proj_N v⁻ in the kinetic metric, one e (B02 1.13).
    Canonical,
    /// Sequential law: one contact after the other, fastest approach first.
    Sequential,
    /// Poisson's law: compression, then the share e of its impulses again.
    Poisson,
    /// Energetic restitution of one contact (Stronge).
    Energetic,
    /// Impulse ratios of simultaneous contacts by stiffness and potential energy (Liu, Zhao and Brogliato).
    Lzb,
    /// A map v⁺ = F(q, v⁻) of the user ([`crate::System::impact_map`]), checked at every impact (B02 1.10–1.12).
    Map,
}

impl ImpactLaw {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moreau => "Moreau",
            Self::Canonical => "canonical",
            Self::Sequential => "sequential",
            Self::Poisson => "Poisson",
            Self::Energetic => "energetic",
            Self::Lzb => "LZB",
            Self::Map => "map",
        }
    }

    /// Whether an impact is resolved before the step, because the law is no condition on U_F + ρU_I.
    pub fn is_separate(self) -> bool {
        !matches!(self, Self::Moreau | Self::Canonical)
    }
}

/// Adaptive step length: the local error is estimated by step doubling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveStep {
    /// Largest error of positions in one step, relative to 1 + |q|.
    pub tolerance: f64,
    /// Smallest step: through impacts the error is of first order, so that no step would be short enough.
    pub smallest: f64,
    /// Largest step.
    pub largest: f64,
}

/// Settings of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Integration scheme.
    pub scheme: Scheme,
    /// Length of a step; of an output interval for the event-driven integrator.
    pub step: f64,
    /// Adaptive step length, where asked for.
    pub adaptive: Option<AdaptiveStep>,
    /// Velocity at which K is evaluated.
    pub force_evaluation: ForceEvaluation,
    /// Configuration at which the midpoint scheme evaluates contacts.
    pub tangent_cone: TangentCone,
    /// Impact law.
    pub impact: ImpactLaw,
    /// Whether positions are projected onto violated contacts after each step (M88 Remark 11.1). Joints always are.
    pub projection: bool,
    /// Tolerance of the residual of the contact problem of each step.
    pub tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scheme: Scheme::Midpoint,
            step: 1e-3,
            adaptive: None,
            force_evaluation: ForceEvaluation::Mean,
            tangent_cone: TangentCone::Midpoint,
            impact: ImpactLaw::Moreau,
            projection: false,
            tolerance: 1e-10,
        }
    }
}

impl Settings {
    /// Checks that all settings are in range.
    ///
    /// # Errors
    /// A setting out of range.
    pub fn validate(&self) -> Result<(), MechanismError> {
        let fail = |name, value, expected| {
            Err(MechanismError::Setting {
                name,
                value,
                expected,
            })
        };
        if !(self.step > 0.0 && self.step.is_finite()) {
            return fail("step", self.step, "a positive number was expected");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let expected = "a number between 0 and 1 was expected";
            return fail("tolerance", self.tolerance, expected);
        }
        // These laws act on the velocity before a step; a persistent contact on a curved surface approaches in every step.
        if self.scheme == Scheme::Projected && self.impact.is_separate() {
            return Err(MechanismError::SchemeWithImpactLaw {
                law: self.impact.name(),
            });
        }
        let implicit = self.force_evaluation == ForceEvaluation::Implicit;
        if implicit && !matches!(self.scheme, Scheme::Midpoint | Scheme::Projected) {
            return Err(MechanismError::ImplicitForces);
        }
        // Stability needs θ ≥ ½.
        if let Scheme::Theta(theta) = self.scheme
            && !(0.5..=1.0).contains(&theta)
        {
            return fail("theta", theta, "a number from 0.5 to 1 was expected");
        }
        // Impacts resolved before the step take A where the contacts are evaluated, the step takes it at q_M.
        let separate = matches!(self.impact, ImpactLaw::Sequential | ImpactLaw::Poisson);
        if self.tangent_cone == TangentCone::End && separate && self.scheme == Scheme::Midpoint {
            return Err(MechanismError::Impact {
                law: self.impact.name(),
                t: 0.0,
                reason: "it does not go with contacts that are evaluated at q_I + h v_I; use \
                         `TangentCone::Midpoint`, or Moreau's or the canonical law"
                    .to_string(),
            });
        }
        // Adaptive step lengths.
        if let Some(adaptive) = self.adaptive {
            if !(adaptive.tolerance > 0.0) {
                let expected = "a positive number was expected";
                return fail("step.tolerance", adaptive.tolerance, expected);
            }
            if !(adaptive.smallest > 0.0) {
                let expected = "a positive number was expected";
                return fail("step.smallest", adaptive.smallest, expected);
            }
            if !(adaptive.largest >= adaptive.smallest && adaptive.largest.is_finite()) {
                let expected = "a number not below step.smallest was expected";
                return fail("step.largest", adaptive.largest, expected);
            }
        }
        Ok(())
    }
}
