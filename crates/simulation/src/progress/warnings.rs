//! Warnings during a run: one line when a criterion is first violated, one at each tenfold count, and the total at
//! the end. A thousand steps that miss their tolerance give five lines.

use percuss_record::certificate::words::figure as short;
use percuss_record::{Certificate, Criterion, preparation_warnings};

use super::RunProgress;

/// Criteria reported during a run. Reference lengths and the energy at stake grow with a run: criteria that are
/// divided by them are reported at its end.
const REPORTED_DURING_RUN: [Criterion; 7] = [
    Criterion::Residual,
    Criterion::Gain,
    Criterion::Penetration,
    Criterion::Resting,
    Criterion::Mixed,
    Criterion::Nonunique,
    Criterion::OtherSolution,
];

/// Decides at which steps of a run a violation is reported.
#[derive(Debug)]
pub struct Warnings {
    /// Whether the scene is one of bodies, whose dimensions are known from the start.
    bodies: bool,
    preparation: Option<String>,
    /// By criterion: the count of violations at which the next line is due.
    next: [usize; REPORTED_DURING_RUN.len()],
    /// The certificate so far, of the run or of the current preparation.
    last: Option<Certificate>,
}

impl Warnings {
    /// The state before the first step; `bodies` tells a scene of bodies from a mechanism.
    pub fn new(bodies: bool) -> Self {
        Self {
            bodies,
            preparation: None,
            next: [1; REPORTED_DURING_RUN.len()],
            last: None,
        }
    }

    /// Takes the progress of one step and returns the warnings that are due.
    pub fn step(&mut self, tick: &RunProgress<'_>) -> Vec<String> {
        let mut told = Vec::new();
        // A new stage (preparation or run) closes the one before and counts from one.
        if self.preparation.as_deref() != tick.preparation {
            told = self.close();
            self.preparation = tick.preparation.map(Into::into);
            self.next = [1; REPORTED_DURING_RUN.len()];
        }
        let certificate = tick.certificate;
        // One line per criterion whose count reached the next power of ten.
        for (what, next) in REPORTED_DURING_RUN.into_iter().zip(&mut self.next) {
            let times = certificate.violation(what).times;
            if times < *next || (sized(what) && !self.bodies) {
                continue;
            }
            let line = match *next {
                1 => first(what, tick),
                _ => format!("{times} steps so far: {}", certificate.sentence(what)),
            };
            *next *= 10;
            told.push(placed(self.preparation.as_deref(), &line));
        }
        self.last = Some(certificate.clone());
        told
    }

    /// The warnings left at the end of a run or of a preparation: totals, and criteria judged by the whole of it.
    pub fn close(&mut self) -> Vec<String> {
        let Some(certificate) = self.last.take() else {
            return Vec::new();
        };
        // A preparation reports all its warnings, with its name.
        let words = match self.preparation.take() {
            Some(name) => preparation_warnings(&name, &certificate),
            // A single violation already reported is not repeated: it stands in the summary.
            None => certificate.warnings_of(|what| {
                let live = REPORTED_DURING_RUN.contains(&what) && (!sized(what) || self.bodies);
                !live || certificate.violation(what).times > 1
            }),
        };
        words.into_iter().map(|w| format!("warning: {w}")).collect()
    }
}

/// Whether a criterion is divided by dimensions of bodies; the length of a mechanism is known at its end only.
fn sized(what: Criterion) -> bool {
    matches!(what, Criterion::Penetration | Criterion::Resting)
}

fn placed(preparation: Option<&str>, text: &str) -> String {
    match preparation {
        Some(name) => format!("warning: preparation `{name}`: {text}"),
        None => format!("warning: {text}"),
    }
}

/// The line for the first violation of a criterion: figure, place, step, time and advice.
fn first(what: Criterion, tick: &RunProgress<'_>) -> String {
    let certificate = tick.certificate;
    let (mark, advice) = (certificate.violation(what), certificate.advice(what));
    let figure = mark.worst;
    // Name of the contact or joint, where the criterion has one.
    let place = match mark.first_place.as_str() {
        "" => String::new(),
        place => format!(" of {place}"),
    };
    // What happened, in the words of the criterion.
    let said = match what {
        Criterion::Residual if figure <= tick.tolerance => {
            "the iteration of the forces did not settle".into()
        }
        Criterion::Residual => format!(
            "the residual {figure:.1e}{place} misses its tolerance {:.1e}",
            tick.tolerance
        ),
        Criterion::Gain => format!(
            "contacts and joints add energy where no law allows any, {figure:.1e} of what the step \
             turns over"
        ),
        Criterion::Penetration => format!(
            "a contact{place} penetrates by {:.1e}, {} % of its size",
            mark.amount,
            short((1e4 * figure).round() / 100.0)
        ),
        Criterion::Resting => format!(
            "a contact at rest{place} is {:.1e} deep, {} % of its size",
            mark.amount,
            short((1e4 * figure).round() / 100.0)
        ),
        Criterion::Mixed => format!(
            "contacts whose restitution coefficients differ add energy, {figure:.1e} of what the step \
             turns over"
        ),
        Criterion::OtherSolution => format!(
            "the velocities of this step are not unique: the laws allow others{place}, {figure:.1e} of the \
             speed at stake apart"
        ),
        _ => format!(
            "a contact or joint slides with gamma = {}; the motion need not go on as it does \
             (gamma <= 0)",
            short(figure)
        ),
    };
    format!(
        "step {}, t = {}: {said}; {advice}",
        tick.step,
        short(tick.t)
    )
}

#[cfg(test)]
mod tests {
    use percuss_mechanism::StepReport;

    use super::*;

    /// Adds a step to a certificate and hands its progress to the warnings.
    fn take(
        warnings: &mut Warnings,
        certificate: &mut Certificate,
        preparation: Option<&str>,
        ledger: StepReport,
    ) -> Vec<String> {
        certificate.add(&ledger, &|_| String::new());
        let step = certificate.steps;
        warnings.step(&RunProgress {
            preparation,
            step,
            t: ledger.t,
            until: 100.0,
            share: 0.0,
            contacts: 1,
            iterations: 1,
            residual: ledger.residual,
            tolerance: 1e-8,
            reached: ledger.reached,
            penetration: 0.0,
            gain: 0.0,
            gamma: ledger.gamma,
            certificate,
        })
    }

    fn with_residual(t: f64, residual: f64) -> StepReport {
        StepReport {
            t,
            residual,
            reached: residual <= 1e-8,
            gamma: f64::INFINITY,
            ..StepReport::default()
        }
    }

    #[test]
    fn a_thousand_missed_steps_are_four_lines_and_a_sentence() {
        let (mut warnings, mut certificate) = (Warnings::new(true), Certificate::new());
        let mut told = Vec::new();
        for step in 1..=1500 {
            let ledger = with_residual(0.01 * step as f64, 1e-6 * step as f64);
            told.extend(take(&mut warnings, &mut certificate, None, ledger));
        }
        assert_eq!(told.len(), 4, "{told:#?}");
        assert!(told[0].contains("step 1, t = 0.01") && told[0].contains("max_iterations"));
        assert!(told[3].contains("1000 steps so far"), "{}", told[3]);
        let total = warnings.close();
        assert_eq!(total.len(), 1);
        assert_eq!(total, [format!("warning: {}", certificate.warnings()[0])]);
        assert!(total[0].contains("1500 of 1500 steps") && total[0].contains("1.5e-3"));
    }

    #[test]
    fn a_preparation_is_counted_apart_and_says_that_the_certificate_leaves_it_out() {
        let (mut warnings, mut prepared) = (Warnings::new(true), Certificate::new());
        let missed = with_residual(0.01, 1.0);
        let told = take(&mut warnings, &mut prepared, Some("settle"), missed);
        assert_eq!(told.len(), 1, "{told:?}");
        let mut certificate = Certificate::new();
        let told = take(
            &mut warnings,
            &mut certificate,
            None,
            with_residual(0.01, 0.0),
        );
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].contains("preparation `settle`: residual: 1 of 1"),
            "{told:?}"
        );
        assert!(told[0].contains("speaks of the run alone"));
        assert!(warnings.close().is_empty());
    }

    #[test]
    fn what_is_not_a_number_is_told() {
        let (mut warnings, mut certificate) = (Warnings::new(true), Certificate::new());
        let bad = StepReport {
            penetration: f64::NAN,
            excess: f64::NAN,
            gain: f64::NAN,
            mixed: true,
            extent: 1.0,
            gamma: f64::NAN,
            reached: true,
            residual: f64::NAN,
            ..StepReport::default()
        };
        assert_eq!(take(&mut warnings, &mut certificate, None, bad).len(), 5);
    }

    #[test]
    fn good_steps_are_silent() {
        let (mut warnings, mut certificate) = (Warnings::new(true), Certificate::new());
        for _ in 1..100 {
            let good = with_residual(0.01, 1e-9);
            assert!(take(&mut warnings, &mut certificate, None, good).is_empty());
        }
        assert!(warnings.close().is_empty() && certificate.warnings().is_empty());
    }
}
