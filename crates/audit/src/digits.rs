//! Digits of the findings that agree in all runs of an audit.

use percuss_run::Value;
use serde::Serialize;

use super::runner::AuditRun;
use super::variant::Variant;

/// A finding in all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditedFinding {
    /// Its name.
    pub name: String,
    /// Its value in the reference.
    pub value: Option<Value>,
    /// Whether it is as expected in every run; none when nothing is expected.
    pub holds: Option<bool>,
    /// Whether all runs give exactly the same value.
    pub same: bool,
    /// Decimal digits in which all runs agree; none for values that are no numbers, and where all
    /// are equal.
    pub digits: Option<u32>,
    /// Largest difference from the reference, where values are numbers.
    pub spread: Option<f64>,
    /// Tolerance of the expectation.
    pub tolerance: Option<f64>,
    /// Its value in every run, the reference first.
    pub values: Vec<ValueIn>,
}

/// A finding in one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueIn {
    /// The run.
    pub run: &'static str,
    /// The measured value.
    pub value: Option<Value>,
    /// Whether it is as expected in this run.
    pub ok: Option<bool>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// All findings in all runs.
pub(super) fn findings(runs: &[(Variant, AuditRun)]) -> Vec<AuditedFinding> {
    let Some((_, reference)) = runs.first() else {
        return Vec::new();
    };
    // Each finding of the reference, by name in every run.
    let all = reference.findings.iter().map(|finding| {
        let values = runs.iter().map(|(variant, made)| {
            let own = made.findings.iter().find(|own| own.name == finding.name);
            ValueIn {
                run: variant.role.name(),
                value: own.and_then(|own| own.value.clone()),
                ok: own.map_or(Some(false), |own| own.ok),
                reason: match own {
                    Some(own) => own.reason.clone(),
                    None => Some("the run came to no end".into()),
                },
            }
        });
        let values: Vec<ValueIn> = values.collect();
        let judged = values.iter().any(|v| v.ok.is_some());
        let agreement = agreement(&values);
        AuditedFinding {
            name: finding.name.clone(),
            value: finding.value.clone(),
            holds: judged.then(|| values.iter().all(|v| v.ok != Some(false))),
            same: agreement.same,
            digits: agreement.digits,
            spread: agreement.spread,
            tolerance: finding.tolerance,
            values,
        }
    });
    all.collect()
}

/// Agreement of the values of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Agreement {
    same: bool,
    digits: Option<u32>,
    spread: Option<f64>,
}

/// Digits and spread of values relative to the largest one.
fn agreement(values: &[ValueIn]) -> Agreement {
    // Exact equality, also for texts and truth values.
    let same = values.windows(2).all(|w| w[0].value == w[1].value);
    let lists: Option<Vec<Vec<f64>>> = values.iter().map(|v| numbers(v.value.as_ref())).collect();
    let lists = lists.filter(|lists| lists.windows(2).all(|w| w[0].len() == w[1].len()));
    let Some([first, rest @ ..]) = lists.as_deref() else {
        return Agreement {
            same,
            ..Agreement::default()
        };
    };
    let mut spread = 0.0_f64;
    // Items of a list have one scale: that of the largest.
    let mut scale = first.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for list in rest {
        for (a, b) in first.iter().zip(list) {
            spread = spread.max((a - b).abs());
            scale = scale.max(b.abs());
        }
    }
    let relative = spread / scale;
    // Relative spread of 10⁻ᵏ: k digits agree.
    let digits = match spread > 0.0 {
        true => Some((-relative.log10()).floor().clamp(0.0, 16.0) as u32),
        false => None,
    };
    Agreement {
        same,
        digits,
        spread: Some(spread),
    }
}

/// A value as numbers.
fn numbers(value: Option<&Value>) -> Option<Vec<f64>> {
    match value? {
        Value::Number(x) => Some(vec![*x]),
        Value::List(items) => Some(items.clone()),
        Value::Truth(_) | Value::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(all: &[Value]) -> Vec<ValueIn> {
        let value = |value: &Value| ValueIn {
            run: "reference",
            value: Some(value.clone()),
            ok: None,
            reason: None,
        };
        all.iter().map(value).collect()
    }

    #[test]
    fn digits_are_those_in_which_all_agree() {
        let found = agreement(&values(&[1.2345, 1.2346, 1.2344].map(Value::Number)));
        assert_eq!((found.same, found.digits), (false, Some(4)));
        let found = agreement(&values(&[3.0, 3.0].map(Value::Number)));
        assert_eq!((found.same, found.digits), (true, None));
        let found = agreement(&values(&[1.0, -1.0].map(Value::Number)));
        assert_eq!(found.digits, Some(0));
        let lists = [vec![100.0, 1e-3], vec![100.0, 2e-3]].map(Value::List);
        assert_eq!(agreement(&values(&lists)).digits, Some(5));
        let found = agreement(&values(&[true, false].map(Value::Truth)));
        assert_eq!(
            (found.same, found.digits, found.spread),
            (false, None, None)
        );
    }
}
