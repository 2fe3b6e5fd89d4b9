//! The figure of an audit: distance to the reference over time.

use std::fs;
use std::path::{Path, PathBuf};

use percuss_audit::{AUDIT, Audit};
use percuss_record::{OutputDirectory, PlotError, RecordError};

use crate::axis::Scale;
use crate::plot::{Figure, Series, SeriesStyle, svg};
use crate::rasterise::png;

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
    percuss_record::number::format_short(format!("{x:.2e}").parse().unwrap_or(x))
}

/// The figure of an audit as SVG.
///
/// # Errors
/// The plotting library reports an error.
pub fn audit_svg(audit: &Audit) -> Result<String, PlotError> {
    svg(&figure(audit)).map_err(PlotError::Drawing)
}

/// Writes `audit.json` and the figure into a new directory; returns the directory.
///
/// # Errors
/// The directory exists, or a file cannot be written.
pub fn write_audit(audit: &Audit, place: &OutputDirectory) -> Result<PathBuf, PlotError> {
    // Everything is computed before the directory is made.
    let text = serde_json::to_string_pretty(audit)
        .map_err(|e| PlotError::Drawing(format!("cannot write the audit as JSON: {e}")))?;
    let picture = audit_svg(audit)?;
    let raster = png(&picture).map_err(PlotError::Drawing)?;
    let directory = place.make()?;
    write(&directory.join(AUDIT), (text + "\n").as_bytes())?;
    write(
        &directory.join(PICTURE).with_extension("svg"),
        picture.as_bytes(),
    )?;
    write(&directory.join(PICTURE).with_extension("png"), &raster)?;
    Ok(directory)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    fs::write(path, bytes).map_err(|e| RecordError::fault(path, "write this file", &e))
}

/// The figure, without its extension.
const PICTURE: &str = "distance";
