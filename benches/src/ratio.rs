//! Ratios: the output of `--json`, each with the values of both sides.

use serde_json::{Map, Value, json};

use crate::report::short;

/// Bound of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    fn met(self, ratio: f64) -> bool {
        match self {
            Self::AtMost(most) => ratio <= most,
            Self::AtLeast(least) => ratio >= least,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(most) => format!("at most {}", short(most)),
            Self::AtLeast(least) => format!("at least {}", short(least)),
        }
    }
}

/// A value of percuss over one of another program, measured in the same run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    name: String,
    unit: &'static str,
    percuss: f64,
    other: (String, f64),
    aim: Option<Bound>,
}

impl Ratio {
    /// Names consist of words, numbers, dots and underscores.
    pub fn new(
        name: &str,
        unit: &'static str,
        percuss: f64,
        other: (impl Into<String>, f64),
    ) -> Self {
        let plain = |c: char| {
            if c.is_alphanumeric() || c == '.' {
                c
            } else {
                '_'
            }
        };
        let name: String = name.to_lowercase().chars().map(plain).collect();
        Self {
            name: name.replace("__", "_"),
            unit,
            percuss,
            other: (other.0.into(), other.1),
            aim: None,
        }
    }

    pub fn aim(mut self, bound: Bound) -> Self {
        self.aim = Some(bound);
        self
    }

    fn value(&self) -> Value {
        let ratio = self.percuss / self.other.1;
        let mut value = json!({
            "ratio": ratio,
            "unit": self.unit,
            "percuss": self.percuss,
            "other": self.other.1,
            "other_is": self.other.0,
        });
        if let Some(aim) = self.aim {
            value["aim"] = aim.text().into();
            value["reached"] = aim.met(ratio).into();
        }
        value
    }
}

/// All ratios as one JSON object.
pub fn object<'a>(ratios: impl IntoIterator<Item = &'a Ratio>) -> Value {
    let pairs = ratios.into_iter().map(|r| (r.name.clone(), r.value()));
    Value::Object(pairs.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_both_sides() {
        let time = Ratio::new("Wall.time, Box2D", "s", 3.0, ("Box2D, tuned", 1.5));
        let aimed = time.clone().aim(Bound::AtMost(1.0));
        let value = object([&time]);
        assert_eq!(
            value,
            json!({ "wall.time_box2d": {
                "ratio": 2.0, "unit": "s", "percuss": 3.0, "other": 1.5, "other_is": "Box2D, tuned",
            } })
        );
        let value = object([&aimed]);
        assert_eq!(value["wall.time_box2d"]["aim"], "at most 1.00");
        assert_eq!(value["wall.time_box2d"]["reached"], false);
        assert!(Bound::AtLeast(2.0).met(2.0));
    }

    #[test]
    fn what_is_no_number_is_null() {
        let value = object([&Ratio::new("x", "s", 0.0, ("y", 0.0))]);
        assert_eq!(value["x"]["ratio"], Value::Null);
    }
}
