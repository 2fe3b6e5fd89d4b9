//! Compares the value of a finding with what is expected of it.

use percuss_scene::{Check, Datum};

use crate::finding::expression::{NoValue, plain};
use crate::finding::value::Value;

/// What is expected, with its expressions evaluated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expectation {
    pub expected: Option<Value>,
    /// The text as it was given, for values that are texts.
    text: Option<String>,
    pub tolerance: Option<f64>,
    pub at_most: Option<f64>,
    pub at_least: Option<f64>,
}

/// A tolerance as written.
enum Tolerance {
    Absolute(f64),
    /// A share of the expected value.
    Relative(f64),
}

impl Expectation {
    /// Evaluates the expectation of a finding; an error names the key.
    pub fn of(
        check: &Check,
        parameters: &[(String, f64)],
        h: f64,
    ) -> Result<Self, (&'static str, NoValue)> {
        // Expected values and bounds are expressions in the parameters and the step.
        let number = |key: &'static str, text: &str| {
            plain(text, parameters, h).map_err(|problem| (key, problem))
        };
        let mut expectation = Self::default();
        match check {
            Check::Report => {}
            Check::AtMost(most) => expectation.at_most = Some(number("at_most", &most.text)?),
            Check::AtLeast(least) => expectation.at_least = Some(number("at_least", &least.text)?),
            // An interval must not be empty.
            Check::Between(least, most) => {
                let (least, most) = (
                    number("between", &least.text)?,
                    number("between", &most.text)?,
                );
                if !(least <= most) {
                    let reason = format!("the interval from {least} to {most} is empty");
                    return Err(("between", NoValue::Here(reason)));
                }
                (expectation.at_least, expectation.at_most) = (Some(least), Some(most));
            }
            Check::Expected { value, tolerance } => {
                expectation
                    .set_expected(value, parameters, h)
                    .map_err(|e| ("expected", e))?;
                // A relative tolerance becomes an absolute one.
                if let Some(tolerance) = tolerance {
                    let tolerance = read_tolerance(tolerance, parameters, h);
                    let tolerance = tolerance.map_err(|e| ("tolerance", e))?;
                    let tolerance = expectation
                        .absolute(tolerance)
                        .map_err(|e| ("tolerance", e))?;
                    expectation.tolerance = Some(tolerance);
                }
            }
        }
        Ok(expectation)
    }

    /// The bounds as a text, for readers that only know an expected value.
    pub fn bounds(&self) -> Option<Value> {
        let text = match (self.at_least, self.at_most) {
            (None, None) => return None,
            (None, Some(most)) => format!("<= {most}"),
            (Some(least), None) => format!(">= {least}"),
            (Some(least), Some(most)) => format!("{least} to {most}"),
        };
        Some(Value::Text(text))
    }

    /// Evaluates the expected value.
    fn set_expected(
        &mut self,
        value: &Datum,
        parameters: &[(String, f64)],
        h: f64,
    ) -> Result<(), NoValue> {
        // Texts are evaluated; the text itself is kept for values that are texts.
        self.expected = Some(match value {
            Datum::Number(number) => Value::Number(*number),
            Datum::Truth(truth) => Value::Truth(*truth),
            Datum::Text(text) => {
                self.text = Some(text.clone());
                Value::Number(plain(text, parameters, h)?)
            }
            Datum::List(items) => {
                let items = items.iter().map(|item| match item {
                    Datum::Number(number) => Ok(*number),
                    Datum::Truth(truth) => Ok(f64::from(*truth)),
                    Datum::Text(text) => plain(text, parameters, h),
                    Datum::List(_) => {
                        let reason = "a list of numbers was expected, not of lists";
                        Err(NoValue::Text(reason.into()))
                    }
                });
                Value::List(items.collect::<Result<_, NoValue>>()?)
            }
        });
        Ok(())
    }

    /// Expects a text that is no expression: only texts can be compared with it.
    pub fn of_text(text: &str) -> Self {
        Self {
            expected: Some(Value::Text(text.to_string())),
            ..Self::default()
        }
    }

    /// The absolute tolerance; a relative one refers to the largest expected item.
    fn absolute(&self, tolerance: Tolerance) -> Result<f64, NoValue> {
        let value = match (tolerance, &self.expected) {
            (Tolerance::Absolute(value), _) => value,
            // A share of the expected value, or of the largest item of a list.
            (Tolerance::Relative(share), Some(Value::Number(number))) => share * number.abs(),
            (Tolerance::Relative(share), Some(Value::List(items))) => {
                share
                    * items
                        .iter()
                        .fold(0.0, |largest: f64, x| largest.max(x.abs()))
            }
            (Tolerance::Relative(_), _) => {
                let reason = "a share of something that is no number was given";
                return Err(NoValue::Text(reason.into()));
            }
        };
        match value >= 0.0 {
            true => Ok(value),
            false => {
                let reason = format!("a tolerance from 0 was expected, not {value}");
                Err(NoValue::Here(reason))
            }
        }
    }

    /// Whether the value is as expected, and a reason where it cannot be compared.
    pub fn compare(&self, value: &Value) -> (Option<bool>, Option<String>) {
        // Bounds take precedence: there is then no expected value.
        let bounded = self.at_most.is_some() || self.at_least.is_some();
        if bounded {
            return self.within_bounds(value);
        }
        let Some(expected) = &self.expected else {
            return (None, None);
        };
        let tolerance = self.tolerance.unwrap_or(0.0);
        let near = |a: f64, b: f64| (a - b).abs() <= tolerance;
        // Values of the same type; numbers within the tolerance.
        match (value, expected) {
            (Value::Text(text), _) if self.text.is_some() => {
                (Some(self.text.as_ref() == Some(text)), None)
            }
            (Value::Text(a), Value::Text(b)) => (Some(a == b), None),
            (Value::List(a), Value::List(b)) => {
                let reason = format!("{} items were found, {} expected", a.len(), b.len());
                match a.len() == b.len() {
                    true => (Some(a.iter().zip(b).all(|(a, b)| near(*a, *b))), None),
                    false => (Some(false), Some(reason)),
                }
            }
            (Value::Truth(a), Value::Truth(b)) => (Some(a == b), None),
            // Truth values count as 0 and 1 against numbers.
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => (Some(near(a, b)), None),
                _ => {
                    let reason = format!("the value is {}, not {}", a.sort(), b.sort());
                    (Some(false), Some(reason))
                }
            },
        }
    }

    /// Whether a number, or every item of a list, is within the bounds.
    fn within_bounds(&self, value: &Value) -> (Option<bool>, Option<String>) {
        let inside = |x: f64| {
            self.at_most.is_none_or(|most| x <= most)
                && self.at_least.is_none_or(|least| x >= least)
        };
        match value {
            Value::Number(number) => (Some(inside(*number)), None),
            Value::List(items) => (Some(items.iter().all(|x| inside(*x))), None),
            Value::Truth(_) | Value::Text(_) => {
                let reason = format!("the value is {}, but has bounds", value.sort());
                (Some(false), Some(reason))
            }
        }
    }
}

/// Reads a tolerance: a number, an expression, or a percentage.
fn read_tolerance(
    tolerance: &Datum,
    parameters: &[(String, f64)],
    h: f64,
) -> Result<Tolerance, NoValue> {
    match tolerance {
        Datum::Number(number) => Ok(Tolerance::Absolute(*number)),
        // A percentage, or an absolute tolerance.
        Datum::Text(text) => match text.trim().strip_suffix('%') {
            Some(share) => Ok(Tolerance::Relative(plain(share, parameters, h)? / 100.0)),
            None => Ok(Tolerance::Absolute(plain(text, parameters, h)?)),
        },
        Datum::Truth(_) | Datum::List(_) => {
            let reason = "a number, an expression or a share such as \"0.5 %\" was expected";
            Err(NoValue::Text(reason.into()))
        }
    }
}
