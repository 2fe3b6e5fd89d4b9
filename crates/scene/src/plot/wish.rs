//! What is asked of a plot beside its name.

use super::gallery::PlotError;

/// What is asked of a plot beside its name: options of `percuss plot`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotOptions {
    /// Only what is nearest to this time (`--at`).
    pub at: Option<f64>,
    /// Only rows whose column has this value (`--where`).
    pub conditions: Vec<(String, String)>,
    /// Decimal scale of x (`--log-x`).
    pub log_x: bool,
    /// Decimal scale of y (`--log-y`).
    pub log_y: bool,
    /// What a study is drawn over (`--against`).
    pub against: Option<String>,
    /// What tells series apart (`--by`).
    pub by: Option<String>,
    /// The plane of a rose in space, by its axes (`--plane`).
    pub plane: Option<String>,
}

/// Options of decimal scales.
pub(super) const SCALES: [&str; 2] = ["--log-x", "--log-y"];

impl PlotOptions {
    /// Options that are given.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--at", self.at.is_some()),
            ("--where", !self.conditions.is_empty()),
            ("--log-x", self.log_x),
            ("--log-y", self.log_y),
            ("--against", self.against.is_some()),
            ("--by", self.by.is_some()),
            ("--plane", self.plane.is_some()),
        ];
        let given = all.iter().filter(|(_, given)| *given);
        given.map(|(name, _)| *name).collect()
    }

    /// Refuses an option that a plot would not heed.
    pub(super) fn require(&self, plot: &str, heeded: &[&str]) -> Result<(), PlotError> {
        match self.given().into_iter().find(|name| !heeded.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let heeds = match heeded {
                    [] => "it takes no options".to_string(),
                    all => format!("it takes {}", all.join(", ")),
                };
                Err(PlotError::Unknown(format!(
                    "{name} does not apply to the plot `{plot}`; {heeds}"
                )))
            }
        }
    }

    /// The same at another time, where a name says so: `fabric:2.5`.
    pub(super) fn at_time(&self, name: &str, time: Option<&str>) -> Result<Self, PlotError> {
        let Some(text) = time else {
            return Ok(self.clone());
        };
        match text.trim().parse::<f64>() {
            Ok(t) if t.is_finite() && self.at.is_none_or(|at| at == t) => Ok(Self {
                at: Some(t),
                ..self.clone()
            }),
            Ok(t) if t.is_finite() => Err(PlotError::Unknown(format!(
                "`{name}` is at time {t}, --at says otherwise: keep one of them"
            ))),
            _ => Err(PlotError::Unknown(format!(
                "`{name}`: a time was expected after the colon, not `{text}`"
            ))),
        }
    }
}

/// A name that is none, with the nearest of those that there are.
pub(super) fn unknown(sort: &str, name: &str, known: &[String]) -> PlotError {
    let guess = match expr::similar_names(name, known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    /// Names listed at most.
    const LISTED: usize = 40;
    let mut listed = known[..known.len().min(LISTED)].join(", ");
    if known.len() > LISTED {
        listed += ", …";
    }
    PlotError::Unknown(format!(
        "there is no {sort} `{name}`{guess} (there is {listed})"
    ))
}
