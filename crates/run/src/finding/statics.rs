//! Limit analysis of the scene of a run; the value does not depend on the motion.

use percuss_equilibrium as equilibrium;

use super::evaluated_run::EvaluatedRun;
use crate::finding::value::{Absent, Value, Valued};

/// A figure of a load case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfLimit {
    /// The load multiplier with associated friction.
    Associated,
    /// The least multiplier found for the collapse mechanism with Coulomb friction.
    Coulomb,
    /// Gap between the multiplier and its proven bound, relative to the multiplier.
    Gap,
}

impl OfLimit {
    /// The figure that a measure names.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "limit" => Some(Self::Associated),
            "coulomb_limit" => Some(Self::Coulomb),
            "limit_gap" => Some(Self::Gap),
            _ => None,
        }
    }
}

/// A figure of a load case.
pub fn limit(subject: &EvaluatedRun<'_>, what: OfLimit, load: &str) -> Valued<Value> {
    // Limit analysis of the initial configuration.
    let weighed = equilibrium::analyse_load(subject.scene(), load);
    let weighed = weighed.map_err(|error| Absent::because(error.to_string()))?;
    if !weighed.standing.stands {
        return Err(Absent::because("it does not stand without the load"));
    }
    let limit = &weighed.limit;
    // Multipliers of the load case.
    let value = match what {
        OfLimit::Associated => limit.multiplier,
        OfLimit::Coulomb => match &weighed.coulomb.limit {
            Some(_) => weighed.coulomb.least,
            None => {
                return Err(Absent::because(
                    "no multiplier for Coulomb's friction was found",
                ));
            }
        },
        OfLimit::Gap => limit.gap() / limit.multiplier.abs().max(f64::MIN_POSITIVE),
    };
    // A load that never causes collapse has no finite multiplier.
    match value.is_finite() {
        true => Ok(Value::Number(value)),
        false => Err(Absent::because("the multiplier has no bound")),
    }
}

/// The critical value of a parameter, at which equilibrium ends.
pub fn critical_parameter(
    subject: &EvaluatedRun<'_>,
    parameter: &str,
    ends: (f64, f64),
) -> Valued<Value> {
    let found = equilibrium::critical_parameter(subject.scene(), parameter, ends, &mut |_| {});
    let found = found.map_err(|error| Absent::because(error.to_string()))?;
    Ok(Value::Number(found.value()))
}
