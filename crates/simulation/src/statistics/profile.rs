//! Profiles over the slices of a region, from the series of a run.

use percuss_record::ProfileRow;
use percuss_scene::bodies_scene::Profile;

use super::block::standard_error;
use crate::bodies_run::BodiesOutcome;

/// The inertial number γ̇ d √(ρ/p) is computed from means: γ̇ is the gradient of the mean velocity
/// from slice to slice. The time average of the instantaneous value would count fluctuations as
/// shear.
const INERTIAL: &str = "inertial_number";

/// Words whose observables a profile needs of every slice.
fn words(profile: &Profile) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for quantity in &profile.quantity {
        match quantity == INERTIAL {
            false => all.push(quantity.clone()),
            // The inertial number needs mean velocities, pressure, grain size and density.
            true => {
                let across = (0..3).filter(|k| *k != profile.axis);
                all.extend(across.map(velocity));
                all.extend(["pressure", "grain_size", "grain_density"].map(String::from));
            }
        }
    }
    all
}

/// The mean velocity along an axis.
fn velocity(axis: usize) -> String {
    format!("mean_v{}", ["x", "y", "z"][axis.min(2)])
}

/// Observables that a profile needs. In the plane there is no velocity along z.
pub fn texts(profile: &Profile, dimension: usize) -> Vec<String> {
    let flat = |word: &String| dimension == 2 && *word == velocity(2);
    let words: Vec<String> = words(profile).into_iter().filter(|w| !flat(w)).collect();
    // One observable per slice and word.
    let slices = 1..profile.edges.len();
    let each = slices.flat_map(|k| {
        let words = words.iter();
        words.map(move |word| format!("{word}_{}_{k}", profile.region))
    });
    each.collect()
}

impl BodiesOutcome {
    /// Its profiles and distributions.
    pub fn surveys(&self) -> percuss_record::Surveys {
        percuss_record::Surveys {
            profiles: (!self.names.profiles.is_empty()).then(|| profiles(self)),
            distributions: self.distributions.clone(),
        }
    }
}

/// All profiles of a run.
pub fn profiles(outcome: &BodiesOutcome) -> Vec<ProfileRow> {
    let mut rows = Vec::new();
    for profile in &outcome.names.profiles {
        for quantity in &profile.quantity {
            // Time averages of each slice.
            for slice in 1..profile.edges.len() {
                let (mean, error) = match quantity == INERTIAL {
                    true => (inertial(outcome, profile, slice), None),
                    false => over_time(outcome, profile, quantity, slice),
                };
                rows.push(ProfileRow {
                    profile: profile.name.clone(),
                    quantity: quantity.clone(),
                    slice,
                    position: middle(profile, slice),
                    mean,
                    error,
                });
            }
        }
    }
    rows
}

fn middle(profile: &Profile, slice: usize) -> f64 {
    0.5 * (profile.edges[slice - 1] + profile.edges[slice])
}

/// Time average over the steps of the span with a value, and its standard error.
fn over_time(
    outcome: &BodiesOutcome,
    profile: &Profile,
    word: &str,
    slice: usize,
) -> (Option<f64>, Option<f64>) {
    let text = format!("{word}_{}_{slice}", profile.region);
    let series = outcome.series_of(&text).unwrap_or(&[]);
    let seen = outcome.times.iter().zip(series);
    // The span includes its ends, to rounding.
    let slack = 1e-6 * outcome.step;
    let span = profile.from - slack..=profile.to + slack;
    let values: Vec<f64> = seen
        .filter(|(t, x)| span.contains(*t) && x.is_finite())
        .map(|(_, x)| *x)
        .collect();
    if values.is_empty() {
        return (None, None);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (Some(mean), standard_error(&values).ok())
}

/// Inertial number γ̇ d √(ρ/p) of a slice.
fn inertial(outcome: &BodiesOutcome, profile: &Profile, slice: usize) -> Option<f64> {
    let mean = |word: &str, slice: usize| over_time(outcome, profile, word, slice).0;
    let last = profile.edges.len() - 1;
    // Central difference of the mean velocity; one-sided at the first and last slice.
    let (below, above) = (slice.saturating_sub(1).max(1), (slice + 1).min(last));
    let way = middle(profile, above) - middle(profile, below);
    // Shear rate from the velocities across the axis.
    let mut square = 0.0;
    for axis in (0..outcome.dimension).filter(|k| *k != profile.axis) {
        let word = velocity(axis);
        square += ((mean(&word, above)? - mean(&word, below)?) / way).powi(2);
    }
    let pressure = mean("pressure", slice)?;
    let density = mean("grain_density", slice)?;
    let value = square.sqrt() * mean("grain_size", slice)? * (density / pressure).sqrt();
    value.is_finite().then_some(value)
}
