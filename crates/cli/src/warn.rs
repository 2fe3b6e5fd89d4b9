//! Warnings of a run: one line when something is first not as it should be, then at each tenfold count,
//! and the total at the end. A thousand steps that miss their tolerance are five lines.

use scene::Tick;

use crate::summary::short;

/// A penetration deeper than this share of the smallest body's radius is told.
const DEEP: f64 = 0.05;

/// Energy gained in a step, relative to its largest term, above which it is told: this, or so many
/// times the tolerance of the step, since the residual itself leaves works of that size.
const GAIN: (f64, f64) = (1e-3, 1e3);

/// What may be wrong with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missed,
    Deep,
    Gain,
    Nonunique,
}

const KINDS: [Kind; 4] = [Kind::Missed, Kind::Deep, Kind::Gain, Kind::Nonunique];

/// How often something was wrong.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    times: usize,
    worst: f64,
    /// Count at which it is told next.
    next: usize,
}

/// Counts what is wrong with the steps of a run and says when to tell it.
#[derive(Debug)]
pub struct Warnings {
    /// Radius of the smallest body, where there are bodies.
    smallest: Option<f64>,
    preparation: Option<String>,
    steps: usize,
    counts: [Count; KINDS.len()],
}

impl Warnings {
    /// Nothing yet. The radius of the smallest body is what penetrations are measured by.
    pub fn new(smallest: Option<f64>) -> Self {
        Self {
            smallest,
            preparation: None,
            steps: 0,
            counts: Default::default(),
        }
    }

    /// Takes a step; what is to be told now.
    pub fn step(&mut self, tick: &Tick<'_>) -> Vec<String> {
        let mut told = Vec::new();
        if self.preparation.as_deref() != tick.preparation {
            told = self.close();
            self.preparation = tick.preparation.map(Into::into);
        }
        self.steps += 1;
        for (k, kind) in KINDS.into_iter().enumerate() {
            let Some(figure) = self.figure(kind, tick) else {
                continue;
            };
            let count = &mut self.counts[k];
            count.times += 1;
            count.worst = worse(kind, count.times, count.worst, figure);
            if count.times == 1 {
                count.next = 10;
                told.push(self.first(kind, tick, figure));
            } else if count.times == count.next {
                count.next *= 10;
                let (times, worst) = (count.times, count.worst);
                let so_far = format!("{times} steps so far {}", kind.tale(worst));
                told.push(self.placed(&so_far));
            }
        }
        told
    }

    /// The totals of what was told, at the end of a run or of a preparation.
    pub fn close(&mut self) -> Vec<String> {
        let steps = std::mem::take(&mut self.steps);
        let counts = std::mem::take(&mut self.counts);
        let many = KINDS.into_iter().zip(counts).filter(|(_, c)| c.times > 0);
        let mut told = Vec::new();
        for (kind, count) in many {
            let consequence = match (kind, &self.preparation) {
                (Kind::Missed, None) => "; the certificate is not met",
                (Kind::Missed, Some(_)) => {
                    "; the certificate speaks of the run alone, which begins from what they left"
                }
                _ => "",
            };
            // One step of the run itself has been told and stands in the summary.
            if count.times > 1 || self.preparation.is_some() {
                let noun = if count.times == 1 { "step" } else { "steps" };
                let tale = kind.tale(count.worst);
                let total = format!("{} {noun} of {steps} {tale}{consequence}", count.times);
                told.push(self.placed(&total));
            }
        }
        self.preparation = None;
        told
    }

    /// The figure that is wrong, if it is.
    fn figure(&self, kind: Kind, tick: &Tick<'_>) -> Option<f64> {
        let (figure, wrong) = match kind {
            // What is not a number is never within a bound.
            Kind::Missed => (tick.residual, !tick.reached || tick.residual.is_nan()),
            Kind::Deep => {
                let deep = self
                    .smallest
                    .is_some_and(|r| !(tick.penetration <= DEEP * r));
                (tick.penetration, deep)
            }
            Kind::Gain => {
                let most = GAIN.0.max(GAIN.1 * tick.tolerance);
                (tick.gain, !(tick.gain <= most))
            }
            Kind::Nonunique => (tick.gamma, !(tick.gamma > 0.0)),
        };
        wrong.then_some(figure)
    }

    fn placed(&self, text: &str) -> String {
        match &self.preparation {
            Some(name) => format!("warning: preparation `{name}`: {text}"),
            None => format!("warning: {text}"),
        }
    }

    fn first(&self, kind: Kind, tick: &Tick<'_>, figure: f64) -> String {
        let bodies = self.smallest.is_some();
        let what = match kind {
            Kind::Missed if figure <= tick.tolerance => {
                "the iteration of the forces did not settle; take smaller steps (`step`)".into()
            }
            Kind::Missed => {
                let more = match bodies {
                    true => ", allow more iterations (`max_iterations`)",
                    false => "",
                };
                format!(
                    "the residual {figure:.1e} misses its tolerance {:.1e}; take smaller steps \
                     (`step`){more} or ask for less (`tolerance`); docs/solvers.md says which solver \
                     suits",
                    tick.tolerance
                )
            }
            Kind::Deep => format!(
                "a contact penetrates by {figure:.1e}, more than {} % of the smallest body's radius; take \
                 smaller steps (`step`) or have it corrected (`correction`)",
                100.0 * DEEP
            ),
            Kind::Gain => format!(
                "contacts add energy, {figure:.1e} of what the step turns over; restitution \
                 coefficients that differ between contacts or along the tangent can do that: make them \
                 equal, or take smaller steps (`step`)"
            ),
            Kind::Nonunique => format!(
                "a contact slides with gamma = {}; the motion need not go on as it does (gamma <= 0): \
                 the summary lists such instants",
                short(figure)
            ),
        };
        self.placed(&format!(
            "step {}, t = {}: {what}",
            tick.step,
            short(tick.t)
        ))
    }
}

impl Kind {
    /// What steps did, with the worst of it.
    fn tale(self, worst: f64) -> String {
        match self {
            Self::Missed => format!("missed their tolerance, worst residual {worst:.1e}"),
            Self::Deep => format!("had deep penetrations, up to {worst:.1e}"),
            Self::Gain => format!("gained energy through contacts, up to {worst:.1e} of a step's"),
            Self::Nonunique => format!(
                "had gamma <= 0 at a sliding contact, down to {}",
                short(worst)
            ),
        }
    }
}

/// The worse of two figures; one that is not a number is the worst.
fn worse(kind: Kind, times: usize, worst: f64, figure: f64) -> f64 {
    match kind {
        _ if times == 1 || figure.is_nan() => figure,
        _ if worst.is_nan() => worst,
        Kind::Nonunique => worst.min(figure),
        _ => worst.max(figure),
    }
}

#[cfg(test)]
mod tests {
    use super::Warnings;
    use scene::Tick;

    fn tick(step: usize, residual: f64, preparation: Option<&str>) -> Tick<'_> {
        Tick {
            preparation,
            step,
            t: 0.01 * step as f64,
            until: 100.0,
            share: 0.0,
            contacts: 1,
            iterations: 1,
            residual,
            tolerance: 1e-8,
            reached: residual <= 1e-8,
            penetration: 0.0,
            gain: 0.0,
            gamma: f64::INFINITY,
        }
    }

    #[test]
    fn a_thousand_missed_steps_are_four_lines_and_a_total() {
        let mut warnings = Warnings::new(Some(1.0));
        let mut told = Vec::new();
        for step in 1..=1500 {
            told.extend(warnings.step(&tick(step, 1e-6 * step as f64, None)));
        }
        assert_eq!(told.len(), 4, "{told:#?}");
        assert!(told[0].contains("step 1, t = 0.01") && told[0].contains("max_iterations"));
        assert!(told[3].contains("1000 steps so far"), "{}", told[3]);
        let total = warnings.close();
        assert_eq!(total.len(), 1);
        assert!(total[0].contains("1500 steps of 1500") && total[0].contains("1.5e-3"));
    }

    #[test]
    fn a_preparation_is_counted_apart_and_says_that_the_certificate_leaves_it_out() {
        let mut warnings = Warnings::new(Some(1.0));
        assert_eq!(warnings.step(&tick(1, 1.0, Some("settle"))).len(), 1);
        let told = warnings.step(&tick(1, 0.0, None));
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("preparation `settle`: 1 step of 1"),
            "{told:?}"
        );
        assert!(told[0].contains("speaks of the run alone"));
        assert!(warnings.close().is_empty());
    }

    #[test]
    fn what_is_not_a_number_is_told() {
        let mut warnings = Warnings::new(Some(1.0));
        let bad = Tick {
            reached: true,
            penetration: f64::NAN,
            gain: f64::NAN,
            gamma: f64::NAN,
            ..tick(1, f64::NAN, None)
        };
        assert_eq!(warnings.step(&bad).len(), 4);
    }

    #[test]
    fn good_steps_are_silent() {
        let mut warnings = Warnings::new(Some(1.0));
        for step in 1..100 {
            assert!(warnings.step(&tick(step, 1e-9, None)).is_empty());
        }
        assert!(warnings.close().is_empty());
    }
}
