//! Options of a plot.

use percuss_record::PlotError;

/// Options of a plot, as of `percuss plot`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlotOptions {
    /// Only the recorded time nearest to this one (`--at`).
    pub at: Option<f64>,
    /// Only rows with these values, as (column, value) (`--where`).
    pub conditions: Vec<(String, String)>,
    /// Logarithmic x axis (`--log-x`).
    pub log_x: bool,
    /// Logarithmic y axis (`--log-y`).
    pub log_y: bool,
    /// Parameter on the x axis of a study (`--against`).
    pub against: Option<String>,
    /// Column that groups rows into series (`--by`).
    pub by: Option<String>,
    /// Plane of a rose diagram in space, by its axes (`--plane`).
    pub plane: Option<String>,
}

/// Options for logarithmic axes.
pub(super) const SCALES: [&str; 2] = ["--log-x", "--log-y"];

impl PlotOptions {
    /// Names of the options that are set.
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

    /// Rejects an option that a plot does not support.
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

    /// The same at another time, where the name contains one: `fabric:2.5`.
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

/// The error of an unknown name, with the nearest known names.
pub(super) fn unknown(sort: &str, name: &str, known: &[String]) -> PlotError {
    let guess = match percuss_expr::similar_names(name, known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    /// Maximal number of names listed.
    const LISTED: usize = 40;
    let mut listed = known[..known.len().min(LISTED)].join(", ");
    if known.len() > LISTED {
        listed += ", …";
    }
    PlotError::Unknown(format!(
        "there is no {sort} `{name}`{guess} (there is {listed})"
    ))
}
