//! Row of equal blocks that stand apart: dominoes.
//!
//! ```text
//! block k:  at arc length k·spacing along a line or circle,   across its direction
//! on a circle of radius ρ = (count − 1)·spacing/|turn|, β = spacing/ρ, neighbours are clear of each
//! other if  thickness/2·cos(β/2) < (ρ − width/2) sin(β/2)
//! ```
//!
//! which says that the inner corner of a block stays on its side of the plane of symmetry between it
//! and the next.

use std::f64::consts::PI;

use percuss_bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::prism::Prism;

/// Parameters of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct DominoRow<D: Prism> {
    /// Thickness (along the row) and height of a block; in space thickness, width and height.
    pub block: D::Vector,
    /// Number of blocks.
    pub count: usize,
    /// Distance between the middles of neighbours, along the line.
    pub spacing: f64,
    /// Direction of the row at its first block, from x towards y (space).
    pub heading: f64,
    /// Angle by which the direction changes from the first to the last, positive to the left (space).
    pub turn: f64,
    /// Middle of the base of the first block.
    pub origin: D::Vector,
}

/// Makes a row, blocks in the order of the line.
///
/// # Errors
/// A length, an angle or a number out of range; blocks that would overlap.
pub fn row<D: Prism>(row: &DominoRow<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    check(row)?;
    let up = D::N - 1;
    let shape = D::block(row.block).map_err(|e| GenerateError::shape("block", &e))?;
    let steps = row.count.saturating_sub(1).max(1) as f64;
    Ok((0..row.count)
        .map(|k| {
            let length = k as f64 * row.spacing;
            // The chord of an arc of length s that turns by a: s·sin(a/2)/(a/2) at the angle a/2.
            let turned = row.turn * k as f64 / steps;
            let half = 0.5 * turned;
            let chord = if half == 0.0 {
                length
            } else {
                length * half.sin() / half
            };
            // The chord has half the turn of the arc.
            let (sin, cos) = (row.heading + half).sin_cos();
            let lift = 0.5 * row.block[up];
            GeneratedBody {
                shape: shape.clone(),
                pose: Pose {
                    position: row.origin + D::spot(chord * cos, chord * sin, lift),
                    rotation: D::heading(row.heading + turned),
                },
            }
        })
        .collect())
}

fn check<D: Prism>(row: &DominoRow<D>) -> Result<(), GenerateError> {
    for side in row.block.components() {
        error::length("block", *side)?;
    }
    error::length("spacing", row.spacing)?;
    error::count("count", row.count)?;
    error::point("origin", row.origin)?;
    if !row.heading.is_finite() {
        let problem = format!("{} is not an angle", row.heading);
        return Err(GenerateError::new("heading", problem, ""));
    }
    if row.spacing <= row.block[0] {
        return Err(GenerateError::new(
            "spacing",
            format!(
                "{} is not more than the thickness {} of a block",
                row.spacing, row.block[0]
            ),
            "It is measured from middle to middle",
        ));
    }
    turn(row)
}

/// Requires that blocks on a circle do not meet on its inner side, and that the row does not run into its start.
fn turn<D: Prism>(row: &DominoRow<D>) -> Result<(), GenerateError> {
    if row.turn == 0.0 {
        return Ok(());
    }
    if D::N == 2 || row.count < 2 {
        return Err(GenerateError::new(
            "turn",
            format!("a row of {} has nothing to turn", row.count),
            "Leave it out, or use more blocks",
        ));
    }
    let steps = row.count as f64 - 1.0;
    let step = row.turn.abs() / steps;
    // In a closed row the last block is one step before the first.
    let whole = 2.0 * PI * steps / row.count as f64;
    if !(row.turn.abs() <= whole * (1.0 + 1e-12)) {
        return Err(GenerateError::new(
            "turn",
            format!("a row of {} cannot turn by {}", row.count, row.turn),
            format!("{whole} closes it to a ring; more would run into itself"),
        ));
    }
    // Clearance on the inner side of the circle.
    let radius = row.spacing / step;
    let inner = (radius - 0.5 * row.block[1]) * (0.5 * step).sin();
    if 0.5 * row.block[0] * (0.5 * step).cos() < inner {
        return Ok(());
    }
    Err(GenerateError::new(
        "turn",
        format!(
            "{} bends the row to the radius {radius}, where its blocks of width {} meet",
            row.turn, row.block[1]
        ),
        "Turn less, or use more blocks or a larger `spacing`",
    ))
}
