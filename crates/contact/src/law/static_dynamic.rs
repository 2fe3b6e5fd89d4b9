//! Static and dynamic friction (M88 §17): Coulomb's law with a memory of one step.
//!
//! Within a step the law is Coulomb's with one coefficient, chosen from what the contact did in the
//! step before: mu_static while it stuck, mu_dynamic while it slid. A contact that was open starts
//! with the static coefficient.

use super::Status;
use super::error::{LawError, coefficient};

/// The two coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticDynamic {
    /// Coefficient of a contact that stuck, or was open, in the step before.
    pub mu_static: f64,
    /// Coefficient of a contact that slid in the step before; at most `mu_static`.
    pub mu_dynamic: f64,
}

impl StaticDynamic {
    /// The coefficient of this step, from the status of the step before.
    #[inline]
    pub fn coefficient(&self, previous: Status) -> f64 {
        match previous {
            Status::Slip => self.mu_dynamic,
            Status::Stick | Status::Open => self.mu_static,
        }
    }

    /// Refuses negative or non-finite coefficients and mu_dynamic > mu_static.
    pub(super) fn validate(&self, law: &'static str) -> Result<(), LawError> {
        let Self {
            mu_static,
            mu_dynamic,
        } = *self;
        coefficient(law, "mu_static", mu_static)?;
        coefficient(law, "mu_dynamic", mu_dynamic)?;
        if mu_dynamic > mu_static {
            return Err(LawError::StaticBelowDynamic {
                mu_static,
                mu_dynamic,
            });
        }
        Ok(())
    }
}
