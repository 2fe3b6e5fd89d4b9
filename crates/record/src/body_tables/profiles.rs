//! The tables `profiles` and `distributions`, written at the end of a run.

use std::path::Path;
use std::sync::Arc;

use super::super::column::{Column, ColumnType};
use super::super::error::RecordError;
use crate::surveys::Surveys;
use crate::table_writer::TableWriter;

fn column(name: &str, kind: ColumnType, unit: &str, meaning: &str) -> Column {
    Column::new(name, kind, unit, meaning)
}

pub fn profile_columns() -> Vec<Column> {
    let error = "standard error of the mean; absent where the span is too short for one";
    vec![
        column("profile", ColumnType::Text, "1", "name of the profile"),
        column("quantity", ColumnType::Text, "1", "word of the observable"),
        column(
            "slice",
            ColumnType::Integer,
            "1",
            "number of the slice, from 1",
        ),
        column(
            "position",
            ColumnType::Real,
            "length",
            "middle of the slice",
        ),
        column(
            "mean",
            ColumnType::Real,
            "as the observable",
            "mean over the span of time",
        )
        .or_null(),
        column("error", ColumnType::Real, "as the observable", error).or_null(),
    ]
}

pub fn distribution_columns() -> Vec<Column> {
    let density = "share of all values over the width of the bin; absent without values";
    vec![
        column(
            "distribution",
            ColumnType::Text,
            "1",
            "name of the distribution",
        ),
        column(
            "low",
            ColumnType::Real,
            "as the quantity",
            "lower end of the bin",
        ),
        column(
            "high",
            ColumnType::Real,
            "as the quantity",
            "upper end of the bin",
        ),
        column("count", ColumnType::Integer, "1", "values in the bin"),
        column("density", ColumnType::Real, "1/quantity", density).or_null(),
    ]
}

/// Writes the tables that the scene asks for.
pub(super) fn write(directory: &Path, surveys: &Surveys) -> Result<Vec<TableWriter>, RecordError> {
    let mut written = Vec::new();
    // Spatial profiles: mean and standard error of each slice.
    if let Some(profiles) = &surveys.profiles {
        let mut table = TableWriter::new("profiles", profile_columns());
        for row in profiles {
            if let [profile, quantity, slice, position, mean, error] = table.values() {
                profile.push_text(&Arc::from(row.profile.as_str()));
                quantity.push_text(&Arc::from(row.quantity.as_str()));
                slice.push_integer(row.slice);
                position.push_real(row.position);
                mean.push_optional(row.mean);
                error.push_optional(row.error);
            }
            table.spill(directory)?;
        }
        table.close(directory)?;
        written.push(table);
    }
    // Histograms: count and density of each bin.
    if !surveys.distributions.is_empty() {
        let mut table = TableWriter::new("distributions", distribution_columns());
        for counted in &surveys.distributions {
            let label: Arc<str> = counted.of.name.as_str().into();
            for (k, n) in counted.counts.iter().enumerate() {
                let (from, to) = counted.bin(k);
                if let [name, low, high, count, density] = table.values() {
                    name.push_text(&label);
                    low.push_real(from);
                    high.push_real(to);
                    count.push_integer(*n);
                    density.push_optional(Some(counted.density(k)).filter(|d| d.is_finite()));
                }
                table.spill(directory)?;
            }
        }
        table.close(directory)?;
        written.push(table);
    }
    Ok(written)
}
