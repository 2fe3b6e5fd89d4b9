//! Violated criteria and warnings of a certificate as English sentences with advice.

use super::{Certificate, Criterion};

impl Certificate {
    /// One sentence with advice for each reported criterion: those that make the certificate fail first, then warnings.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_of(|_| true)
    }

    /// The same for chosen criteria.
    pub fn warnings_of(&self, chosen: impl Fn(Criterion) -> bool) -> Vec<String> {
        let told = Criterion::ALL.into_iter();
        let told = told.filter(|what| self.is_reported(*what) && chosen(*what));
        let each = told.map(|what| format!("{}; {}", self.sentence(what), self.advice(what)));
        each.collect()
    }

    /// The violated criteria in one line; `None` for a certificate that holds.
    pub fn reason(&self) -> Option<String> {
        // Sentences of all violated criteria, joined to one line.
        let words: Vec<String> = self
            .not_met()
            .into_iter()
            .map(|entry| entry.words)
            .collect();
        match (self.ok, words.is_empty()) {
            (true, _) => None,
            (false, false) => Some(words.join("; ")),
            // A certificate known by its figures alone, or with a figure that is not finite, has no violations to list.
            (false, true) if self.missed > 0 => Some(format!(
                "{} of {} steps missed their tolerance (worst residual {:.1e})",
                self.missed, self.steps, self.worst_residual
            )),
            (false, true) => Some(self.not_finite()),
        }
    }

    fn not_finite(&self) -> String {
        let odd = self.columns().into_iter().find(|(_, x)| !x.is_finite());
        match odd {
            Some((name, x)) => format!("the worst {name} is {x}"),
            None => "a figure of its certificate is beyond its bound".into(),
        }
    }

    /// A violation in words: worst figure, place and time, bound, first step.
    pub fn sentence(&self, what: Criterion) -> String {
        let mark = self.violation(what);
        let (worst, bound) = (self.worst_of(what), what.bound(self.bounds()));
        // Time, place and reference length of the worst figure.
        let at = figure(mark.worst_at.1);
        let place = match mark.worst_place.as_str() {
            "" => String::new(),
            place => format!(" of {place}"),
        };
        // The length that penetrations and drifts are divided by.
        let size = match self.sums.extent {
            Some(_) => "of the length of the system",
            None if what == Criterion::Drift => "of the smallest dimension of its bodies",
            None => "of its size",
        };
        let amount = figure(mark.amount);
        let said = match what {
            Criterion::Residual => format!(
                "residual: {} of {} steps missed their tolerance, worst {worst:.1e}{place} at t = {at}",
                self.missed, self.steps
            ),
            Criterion::Gain => format!(
                "energy: contacts and joints added {} of what the step turns over{place} at t = {at}, \
                 where no law allows any; bound {}",
                percent(worst),
                percent(bound)
            ),
            Criterion::Penetration | Criterion::Resting | Criterion::Drift => {
                let rests = match what {
                    Criterion::Resting => " in a contact at rest",
                    _ => "",
                };
                let (name, worst, bound) = (what.name(), percent(worst), percent(bound));
                format!("{name}: {amount}{place} at t = {at}{rests}, {worst} {size}; bound {bound}")
            }
            Criterion::Dissipation => format!(
                "dissipation: contacts that last lost {} without sliding, {} of the energy at stake; \
                 bound {}",
                figure(self.sums.dissipated),
                percent(worst),
                percent(bound)
            ),
            Criterion::Mixed => format!(
                "energy: contacts whose restitution coefficients differ added {} of what the step \
                 turns over at t = {at}",
                percent(mark.worst)
            ),
            Criterion::OtherSolution => format!(
                "not unique: the laws allow other velocities{place} in the step to t = {at}, {} of the speed at stake \
                 apart",
                percent(mark.worst)
            ),
            Criterion::Nonunique => format!(
                "not unique: a contact or joint{place} slides with gamma = {} at t = {at}, and the motion need \
                 not go on as it does (gamma <= 0)",
                figure(mark.worst)
            ),
        };
        format!("{said}; {}", self.first(what))
    }

    /// Step and time of the first violation, and the number of violating steps.
    fn first(&self, what: Criterion) -> String {
        let mark = self.violation(what);
        let (step, t) = (mark.first.0, figure(mark.first.1));
        // Number of violating steps in words.
        let steps = match mark.times {
            1 => "one step".to_string(),
            times => format!("{times} steps"),
        };
        // Criteria with a bound were exceeded, the others merely occurred.
        let beyond = match what {
            _ if Criterion::BOUNDED.contains(&what) => "first beyond the bound",
            _ => "first",
        };
        format!(
            "{beyond} at t = {t}, step {step}; {steps} of {}",
            self.steps
        )
    }

    /// Advice against a violation.
    pub fn advice(&self, what: Criterion) -> &'static str {
        match what {
            Criterion::Residual
                if self.worst_residual <= 0.0 || !self.worst_residual.is_finite() =>
            {
                "take smaller steps (`step`)"
            }
            Criterion::Residual => {
                "take smaller steps (`step`), allow more iterations (`max_iterations`, bodies) or ask \
                 for less (`tolerance`); docs/solvers.md says which solver suits"
            }
            Criterion::Gain => "take smaller steps (`step`) or a smaller `tolerance`",
            Criterion::Penetration => {
                "take smaller steps (`step`), have it corrected (`correction`), or allow more \
                 (`certificate.penetration`)"
            }
            Criterion::Resting => {
                "what rests there lies in the other body: take smaller steps (`step`), the rule `activation = \"predicted\"`, \
                 have it corrected (`correction`), or allow more (`certificate.resting`)"
            }
            Criterion::Drift => "take smaller steps (`step`) or allow more (`certificate.drift`)",
            Criterion::Dissipation => {
                "the scheme loses it where contacts turn: take `integrator = \"projected\"` or smaller steps (`step`), \
                 or allow more (`certificate.dissipation`)"
            }
            Criterion::Mixed => {
                "coefficients that differ between contacts or along the tangent can do that (Kane and \
                 Levinson): make them equal"
            }
            Criterion::OtherSolution => {
                "wedged bodies hang or fall by what the steps before left of their impulses (docs/bodies.md); give \
                 them room, or press them"
            }
            Criterion::Nonunique => {
                "it may slide on or jump (docs/integrators.md); the summary of a mechanism lists both \
                 velocities"
            }
        }
    }
}

/// A number to three significant digits.
pub fn figure(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    // Scientific notation outside of the readable range.
    if !(1e-3..1e5).contains(&size) {
        return format!("{x:.2e}");
    }
    // Three significant digits, without trailing zeros.
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// A ratio as a percentage.
fn percent(share: f64) -> String {
    format!("{} %", figure(100.0 * share))
}

/// Warnings about a preparation. Its penetration and the energy its scheme loses no longer matter
/// when the run begins; a step that missed its tolerance, or gained energy, affects the state it
/// leaves.
pub fn preparation_warnings(name: &str, certificate: &Certificate) -> Vec<String> {
    // Only what affects the state that the preparation leaves.
    let told = [Criterion::Residual, Criterion::Gain];
    let told = told
        .into_iter()
        .filter(|what| certificate.is_reported(*what));
    let each = told.map(|what| {
        let words = certificate.sentence(what);
        format!(
            "preparation `{name}`: {words}; the certificate speaks of the run alone, which begins \
                 from what it left"
        )
    });
    each.collect()
}
