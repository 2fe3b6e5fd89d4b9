//! Run settings of a mechanism: `[run]` and `[impact]` evaluated to `percuss_mechanism::Settings`.

use percuss_mechanism::{AdaptiveStep, ForceEvaluation, ImpactLaw, Scheme, Settings, TangentCone};

use percuss_input::tables::{MechanismRunSpec, StepSpec};
use percuss_input::{Formula, InputError, Origin, Parameters, unknown_keyword, value_error};

const PART: &str = "[run]";

/// Evaluates settings of one file.
pub(super) struct Evaluator<'a> {
    pub file: &'a str,
    pub parameters: Parameters,
}

/// Start and end time, and the settings of the integrator.
pub(super) struct Schedule {
    pub start: f64,
    pub until: f64,
    pub settings: Settings,
}

impl Evaluator<'_> {
    /// The value of an expression in the parameters.
    pub fn number(
        &mut self,
        part: &str,
        key: &str,
        formula: &Formula,
    ) -> Result<f64, Box<InputError>> {
        self.parameters.evaluate(self.file, part, key, formula)
    }

    fn wrong<T>(
        &self,
        key: &str,
        formula: &Formula,
        problem: impl Into<String>,
        advice: &str,
    ) -> Result<T, Box<InputError>> {
        Err(value_error(self.file, PART, key, formula, problem, advice))
    }

    fn positive(&mut self, key: &str, formula: &Formula) -> Result<f64, Box<InputError>> {
        let value = self.number(PART, key, formula)?;
        match value > 0.0 {
            true => Ok(value),
            false => {
                let problem = format!("the value is {value}; a positive number was expected");
                self.wrong(key, formula, problem, "")
            }
        }
    }

    /// Evaluates all of `[run]`.
    pub fn schedule(&mut self, run: &MechanismRunSpec) -> Result<Schedule, Box<InputError>> {
        // Interval of time.
        let start = match &run.start {
            None => 0.0,
            Some(formula) => self.number(PART, "start", formula)?,
        };
        let until = self.number(PART, "until", &run.until)?;
        if until <= start {
            let problem = format!("the run from start = {start} to until = {until} is empty");
            let advice = "`until` must be later than `start`";
            return self.wrong("until", &run.until, problem, advice);
        }
        // Step and scheme.
        let (step, adaptive) = self.step(&run.step, until - start)?;
        let scheme = self.scheme(run)?;
        // The event-driven integrator controls its own step.
        if adaptive.is_some() && scheme == Scheme::Event {
            let problem = "the event-driven integrator chooses its own steps; `step` is the interval \
                           between outputs";
            let place = match &run.step {
                StepSpec::Fixed(formula) => formula,
                StepSpec::Variable { tolerance, .. } => tolerance,
            };
            return self.wrong("step", place, problem, "Give one number");
        }
        let impact = self.impact(run)?;
        self.require_common_law(run, scheme, impact)?;
        let settings = Settings {
            scheme,
            step,
            adaptive,
            force_evaluation: self.forces(run, scheme)?,
            tangent_cone: self.tangent_cone(run, scheme)?,
            impact,
            projection: self.correction(run, scheme)?,
            tolerance: self.tolerance(run)?,
        };
        Ok(Schedule {
            start,
            until,
            settings,
        })
    }

    fn step(
        &mut self,
        spec: &StepSpec,
        span: f64,
    ) -> Result<(f64, Option<AdaptiveStep>), Box<InputError>> {
        // Fixed step, or adaptive between the smallest and the largest one.
        let (step, key, formula, adaptive) = match spec {
            StepSpec::Fixed(formula) => (self.positive("step", formula)?, "step", formula, None),
            StepSpec::Variable {
                tolerance,
                smallest,
                largest,
            } => {
                let adaptive = AdaptiveStep {
                    tolerance: self.positive("step.tolerance", tolerance)?,
                    smallest: self.positive("step.smallest", smallest)?,
                    largest: self.positive("step.largest", largest)?,
                };
                if adaptive.largest < adaptive.smallest {
                    let problem = format!(
                        "steps from {} to {} are an empty range",
                        adaptive.smallest, adaptive.largest
                    );
                    let advice = "`largest` must not be below `smallest`";
                    return self.wrong("step.largest", largest, problem, advice);
                }
                (adaptive.largest, "step.largest", largest, Some(adaptive))
            }
        };
        // A step longer than the run is refused.
        match step > span {
            true => {
                let problem = format!("a step of {step} is longer than the run of {span}");
                let advice = "Shorten the step or lengthen the run";
                self.wrong(key, formula, problem, advice)
            }
            false => Ok((step, adaptive)),
        }
    }

    fn scheme(&mut self, run: &MechanismRunSpec) -> Result<Scheme, Box<InputError>> {
        const WORDS: [&str; 5] = ["midpoint", "projected", "theta", "paoli", "event"];
        let word = run.integrator.as_ref();
        let chosen = match word {
            None => "midpoint",
            Some(word) => self.word(PART, "integrator", word, &WORDS)?,
        };
        // θ-method: θ from ½ (midpoint) to 1 (implicit Euler).
        if chosen == "theta" {
            let theta = match &run.theta {
                None => 0.5,
                Some(formula) => {
                    let theta = self.number(PART, "theta", formula)?;
                    if !(0.5..=1.0).contains(&theta) {
                        let problem = format!("the value is {theta}; 0.5 to 1 was expected");
                        return self.wrong("theta", formula, problem, "");
                    }
                    theta
                }
            };
            return Ok(Scheme::Theta(theta));
        }
        // `theta` without effect is refused, unless the integrator was overridden.
        if let Some(theta) = &run.theta
            && word.is_none_or(|word| word.origin != Origin::Override)
        {
            let problem = format!("`theta` does nothing with the integrator \"{chosen}\"");
            return self.wrong(
                "theta",
                theta,
                problem,
                "Add `integrator = \"theta\"` or drop it",
            );
        }
        Ok(match chosen {
            "projected" => Scheme::Projected,
            "paoli" => Scheme::Paoli,
            "event" => Scheme::Event,
            _ => Scheme::Midpoint,
        })
    }

    /// Refuses an impact law that acts before the step with the scheme `projected`, whose persistent contacts approach in
    /// every step on a curved surface.
    fn require_common_law(
        &self,
        run: &MechanismRunSpec,
        scheme: Scheme,
        law: ImpactLaw,
    ) -> Result<(), Box<InputError>> {
        let Some(word) = run.integrator.as_ref() else {
            return Ok(());
        };
        if scheme != Scheme::Projected || !law.is_separate() {
            return Ok(());
        }
        let name = law.name().to_lowercase();
        let problem = format!(
            "it does not go with the impact law \"{name}\", which acts on the velocity before a step"
        );
        let advice =
            "Use `integrator = \"midpoint\"`, or the impact law \"moreau\" or \"canonical\"";
        self.wrong("integrator", word, problem, advice)
    }

    /// Where K is evaluated. `"implicit"` is refused with schemes that do not have it, unless the integrator was overridden.
    fn forces(
        &self,
        run: &MechanismRunSpec,
        scheme: Scheme,
    ) -> Result<ForceEvaluation, Box<InputError>> {
        let Some(word) = &run.forces else {
            return Ok(ForceEvaluation::Mean);
        };
        match self.word(PART, "forces", word, &["mean", "begin", "implicit"])? {
            "begin" => Ok(ForceEvaluation::Begin),
            "implicit" if matches!(scheme, Scheme::Midpoint | Scheme::Projected) => {
                Ok(ForceEvaluation::Implicit)
            }
            "implicit" => {
                let mut chosen = run.integrator.iter();
                if chosen.all(|word| word.origin == Origin::Override) {
                    return Ok(ForceEvaluation::Mean);
                }
                let problem = "the integrators \"midpoint\" and \"projected\" have implicit forces only; \"theta\" is \
                               implicit by itself"
                    .to_string();
                self.wrong("forces", word, problem, "Drop it")
            }
            _ => Ok(ForceEvaluation::Mean),
        }
    }

    /// Where the midpoint scheme evaluates contacts. The key is refused where it does nothing, unless the integrator was
    /// overridden.
    fn tangent_cone(
        &self,
        run: &MechanismRunSpec,
        scheme: Scheme,
    ) -> Result<TangentCone, Box<InputError>> {
        let Some(word) = &run.tangent_cone else {
            return Ok(TangentCone::Midpoint);
        };
        if self.word(PART, "tangent_cone", word, &["midpoint", "end"])? == "midpoint" {
            return Ok(TangentCone::Midpoint);
        }
        let chosen = run.integrator.as_ref();
        if scheme != Scheme::Midpoint {
            let declared = chosen.is_none_or(|word| word.origin != Origin::Override);
            let problem = "the choice exists for the integrator \"midpoint\" only".to_string();
            return match declared {
                true => self.wrong("tangent_cone", word, problem, "Drop it"),
                false => Ok(TangentCone::Midpoint),
            };
        }
        // Their impact is resolved before the step, with A where contacts are evaluated.
        let law = self.impact(run)?;
        if matches!(law, ImpactLaw::Sequential | ImpactLaw::Poisson) {
            let name = law.name().to_lowercase();
            let problem = format!("it does not go with the impact law \"{name}\"");
            let advice = "Use \"moreau\" or \"canonical\", or drop it";
            return self.wrong("tangent_cone", word, problem, advice);
        }
        Ok(TangentCone::End)
    }

    fn impact(&self, run: &MechanismRunSpec) -> Result<ImpactLaw, Box<InputError>> {
        const WORDS: [&str; 7] = [
            "moreau",
            "canonical",
            "sequential",
            "poisson",
            "energetic",
            "lzb",
            "map",
        ];
        let Some(word) = &run.law else {
            return Ok(ImpactLaw::Moreau);
        };
        Ok(match self.word("[impact]", "law", word, &WORDS)? {
            "canonical" => ImpactLaw::Canonical,
            "sequential" => ImpactLaw::Sequential,
            "poisson" => ImpactLaw::Poisson,
            "energetic" => ImpactLaw::Energetic,
            "lzb" => ImpactLaw::Lzb,
            "map" => ImpactLaw::Map,
            _ => ImpactLaw::Moreau,
        })
    }

    /// Whether violated contacts are corrected. The key is refused where it does nothing, unless the integrator was
    /// overridden.
    fn correction(&self, run: &MechanismRunSpec, scheme: Scheme) -> Result<bool, Box<InputError>> {
        let Some(word) = &run.correction else {
            return Ok(false);
        };
        if self.word(PART, "correction", word, &["true", "false"])? == "false" {
            return Ok(false);
        }
        if scheme != Scheme::Projected {
            return Ok(true);
        }
        let declared = run.integrator.as_ref();
        match declared.is_some_and(|word| word.origin != Origin::Override) {
            true => {
                let problem = "the integrator \"projected\" corrects every contact by itself";
                self.wrong("correction", word, problem.to_string(), "Drop it")
            }
            false => Ok(false),
        }
    }

    fn tolerance(&mut self, run: &MechanismRunSpec) -> Result<f64, Box<InputError>> {
        let Some(formula) = &run.tolerance else {
            return Ok(Settings::default().tolerance);
        };
        let tolerance = self.positive("tolerance", formula)?;
        match tolerance < 1.0 {
            true => Ok(tolerance),
            false => {
                let problem = format!("the value is {tolerance}; a number below 1 was expected");
                self.wrong("tolerance", formula, problem, "")
            }
        }
    }

    /// One of a few keywords.
    fn word(
        &self,
        part: &str,
        key: &str,
        word: &Formula,
        known: &[&'static str],
    ) -> Result<&'static str, Box<InputError>> {
        if let Some(found) = known.iter().find(|w| **w == word.text) {
            return Ok(found);
        }
        let problem = unknown_keyword(&word.text, known);
        Err(value_error(self.file, part, key, word, problem, ""))
    }
}
