//! The figure of an audit: distance to the reference over time.

use super::report::Audit;
use crate::axis::Scale;
use crate::plot::{Figure, Series, SeriesStyle};

/// Distance of every variant to the reference over time, on a logarithmic scale; the exponential
/// fit where the motion is chaotic.
pub fn figure(audit: &Audit) -> Figure {
    let variants = audit.runs.iter().skip(1).enumerate();
    let mut series: Vec<Series> = variants
        .map(|(colour, run)| Series::line(run.what.clone(), &audit.times, &run.distances, colour))
        .collect();
    let sensitivity = &audit.sensitivity;
    // The fitted exponential, dashed.
    if let (Some(rate), Some([from, to]), Some(level)) =
        (sensitivity.rate, sensitivity.fitted, sensitivity.level)
    {
        let end = (level + rate * (to - from)).exp();
        let label = format!("exp({rate:.3} t)");
        let line = Series::line(label, &[from, to], &[level.exp(), end], 6);
        series.push(line.with_style(SeriesStyle::Dashed));
    }
    Figure {
        title: format!("{}: distance to the run itself", audit.title),
        x_label: "time (s)".into(),
        y_label: format!("distance / {} {}", short(audit.size.value), audit.size.unit),
        series,
        y_scale: Scale::Log,
        ..Figure::default()
    }
}

fn short(x: f64) -> String {
    crate::number::format_short(format!("{x:.2e}").parse().unwrap_or(x))
}
