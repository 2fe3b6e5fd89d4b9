//! Notes in the summary of a run: criteria that were not met, warnings, errors of convex decompositions,
//! instants at which the continuation is not unique.

use std::fmt::Write;

use percuss_record::{Manifest, NonuniqueInstant};
use serde_json::Value;

use crate::numbers::format_short;

/// The sentences about criteria that were not met.
fn sentences(certificate: &Value) -> impl Iterator<Item = &str> {
    let entries = certificate["not_met"].as_array();
    let entries = entries.into_iter().flatten();
    entries.filter_map(|entry| entry["words"].as_str())
}

/// The criteria that were not met, where and when first.
pub fn not_met_text(certificate: &Value) -> String {
    let lines = sentences(certificate).map(|words| format!("  NOT met: {words}\n"));
    lines.collect()
}

/// Warnings that are not in the certificate already.
pub fn warnings_text(manifest: &Manifest) -> String {
    let certificate = manifest.certificate.as_ref().unwrap_or(&Value::Null);
    let told = |warning: &str| sentences(certificate).any(|words| warning.starts_with(words));
    let rest = manifest.warnings.iter().filter(|warning| !told(warning));
    let lines: String = rest.map(|w| format!("warning: {w}\n")).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\n{lines}"),
    }
}

/// Approximation errors of convex decompositions.
pub fn fits_text(fits: &[Value]) -> String {
    let line = |fit: &Value| {
        let name = fit["body"].as_str().unwrap_or("");
        let share = |key: &str| 100.0 * fit[key].as_f64().unwrap_or(f64::NAN);
        format!(
            "  {name}: {} convex parts, {:.2} % of its volume too much, {:.2} % missing\n",
            fit["parts"],
            share("excess"),
            share("missing")
        )
    };
    fits.iter().map(line).collect()
}

/// Maximal number of instants in the summary; the manifest has all.
const PLACES: usize = 5;

/// Instants at which the continuation of the motion is not unique.
pub fn nonunique_text(places: &[NonuniqueInstant]) -> String {
    let count = places.len();
    let noun = if count == 1 { "instant" } else { "instants" };
    let mut text = format!("not unique at {count} {noun} (P15 section 3)\n");
    let list = |values: &[(String, f64)]| {
        let entries: Vec<String> = values
            .iter()
            .map(|(name, value)| format!("{name} = {}", format_short(*value)))
            .collect();
        entries.join(", ")
    };
    // The sets of outcomes: a segment of velocities, or two of them.
    for place in places.iter().take(PLACES) {
        let between = match place.outcomes.as_str() {
            "segment" => "any velocity between",
            _ => "either of",
        };
        let _ = writeln!(
            text,
            "  t = {}: `{}` slides with gamma = {}; {between}\n    {}\n    {}",
            format_short(place.t),
            place.contact,
            format_short(place.gamma),
            list(&place.before),
            list(&place.jump)
        );
        for other in &place.others {
            let _ = writeln!(text, "    {}", list(other));
        }
    }
    if places.len() > PLACES {
        let _ = writeln!(text, "  and {} more, in run.json", places.len() - PLACES);
    }
    text
}
