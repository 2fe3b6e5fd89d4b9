//! Numbers, values and expectations of findings as short text.

use serde_json::Value;

/// An expectation in few characters.
pub fn expectation(finding: &Value) -> String {
    let bound = |key: &str| finding[key].as_f64().map(format_short);
    // An interval, a one-sided bound, or a value with its tolerance.
    match (bound("at_least"), bound("at_most"), &finding["expected"]) {
        (Some(low), Some(high), _) => format!("{low} to {high}"),
        (Some(low), None, _) => format!(">= {low}"),
        (None, Some(high), _) => format!("<= {high}"),
        (None, None, Value::Null) => String::new(),
        (None, None, expected) => match bound("tolerance") {
            Some(tolerance) => format!("{} ± {tolerance}", value_text(expected)),
            None => value_text(expected),
        },
    }
}

/// A value of a finding in few characters.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Number(number) => number.as_f64().map_or("?".into(), format_short),
        Value::String(text) => text.clone(),
        // Long lists are abbreviated.
        Value::Array(items) if items.len() > 3 => {
            let first: Vec<String> = items.iter().take(2).map(value_text).collect();
            format!("[{}, … {} in all]", first.join(", "), items.len())
        }
        Value::Array(items) => {
            let all: Vec<String> = items.iter().map(value_text).collect();
            format!("[{}]", all.join(", "))
        }
        other => other.to_string(),
    }
}

/// A number to at most seven digits, without trailing zeros.
pub fn format_short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    // Scientific notation for very large and small numbers.
    if !(1e-3..1e7).contains(&size) {
        let rounded: f64 = format!("{x:.6e}").parse().unwrap_or(x);
        return format!("{rounded:e}");
    }
    let digits = (6 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{expectation, format_short, value_text};

    #[test]
    fn numbers_keep_seven_digits_and_no_zeros() {
        assert_eq!(format_short(0.5), "0.5");
        assert_eq!(format_short(2.0_f64.sqrt()), "1.414214");
        assert_eq!(format_short(-1234.5678912), "-1234.568");
        assert_eq!(format_short(1.0 / 3.0 * 1e-9), "3.333333e-10");
        assert_eq!(format_short(100.0), "100");
        assert_eq!(format_short(f64::NAN), "NaN");
    }

    #[test]
    fn expectations_are_short() {
        assert_eq!(
            expectation(&json!({"expected": 2.0, "tolerance": 0.01})),
            "2 ± 0.01"
        );
        assert_eq!(expectation(&json!({"expected": true})), "true");
        assert_eq!(
            expectation(&json!({"expected": null, "at_most": 1e-9})),
            "<= 1e-9"
        );
        assert_eq!(
            expectation(&json!({"at_most": 3.0, "at_least": 1})),
            "1 to 3"
        );
        assert_eq!(expectation(&json!({"expected": null})), "");
        assert_eq!(value_text(&json!([1, 2, 3, 4, 5])), "[1, 2, … 5 in all]");
    }
}
