//! `[certificate]`: the bounds of the certificate of a run.

use super::bounds::CertificateBounds;
use crate::{Formula, InputError, Parameters, Reader, value_error};

/// Name of the table in messages.
const PART: &str = "[certificate]";

/// Keys that `--set` can override, in the order of [`CertificateBounds::KEYS`].
pub const KEYS: [&str; 6] = [
    "certificate.gain",
    "certificate.penetration",
    "certificate.resting",
    "certificate.drift",
    "certificate.dissipation",
    "certificate.length",
];

/// `[certificate]` of a scene, in the order of [`CertificateBounds::KEYS`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CertificateSpec([Option<Formula>; CertificateBounds::KEYS.len()]);

/// Reads `[certificate]`.
pub fn read(root: &mut Reader<'_>) -> Result<CertificateSpec, Box<InputError>> {
    let mut spec = CertificateSpec::default();
    let Some(item) = root.take("certificate") else {
        return Ok(spec);
    };
    let mut reader = root.of(PART, "certificate", item)?;
    for (key, place) in CertificateBounds::KEYS.into_iter().zip(&mut spec.0) {
        *place = reader.formula_if(key)?;
    }
    reader.finish()?;
    Ok(spec)
}

impl CertificateSpec {
    /// Overrides one bound, as `--set` does.
    pub fn set(&mut self, key: &str, formula: Formula) {
        let place = KEYS.iter().position(|known| *known == key);
        if let Some(place) = place.and_then(|k| self.0.get_mut(k)) {
            *place = Some(formula);
        }
    }

    /// The bounds given, and those of `usual` for the keys left out.
    pub fn bounds(
        &self,
        file: &str,
        parameters: &mut Parameters,
        usual: CertificateBounds,
    ) -> Result<CertificateBounds, Box<InputError>> {
        let mut bounds = usual;
        for (key, formula) in CertificateBounds::KEYS.into_iter().zip(&self.0) {
            let Some(formula) = formula else {
                continue;
            };
            let value = parameters.evaluate(file, PART, key, formula)?;
            let length = key == "length";
            // Bounds are at least 0, the length is positive.
            if !(value > 0.0 || (value == 0.0 && !length)) {
                let least = if length { "above" } else { "from" };
                let problem = format!("the value is {value}; a number {least} 0 was expected");
                let advice = match length {
                    true => "It is the length that penetrations of a mechanism are measured by",
                    false => "It is a share: 0.01 is one percent",
                };
                return Err(value_error(file, PART, key, formula, problem, advice));
            }
            // Enter the value under its key.
            match key {
                "gain" => bounds.gain = value,
                "penetration" => bounds.penetration = value,
                "resting" => bounds.resting = value,
                "drift" => bounds.drift = value,
                "dissipation" => bounds.dissipation = value,
                _ => bounds.length = Some(value),
            }
        }
        Ok(bounds)
    }
}
