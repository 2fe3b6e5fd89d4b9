//! Assembles the columns and the header of a drawing.

use super::drawing_data::{
    Drawing, DrawingBounds, DrawingColumn, DrawingValues, Header, PhasePortrait,
};
use super::evaluated_items::EvaluatedItem;
use super::states::SampledStates;

/// Assembles a drawing from its evaluated items and sampled states.
pub(super) fn drawing(
    title: &str,
    (dimension, axes): (usize, Vec<String>),
    (pieces, touches): (Vec<EvaluatedItem>, Vec<Option<Vec<u8>>>),
    corners: DrawingBounds,
    states: SampledStates,
) -> Drawing {
    let mut columns = vec![column("t", "s", DrawingValues::F64(states.t.clone()))];
    let mut items = Vec::with_capacity(pieces.len());
    // Points of each item in single precision, and its contact activity.
    for (k, (piece, touch)) in pieces.into_iter().zip(touches).enumerate() {
        let points = piece.points.iter().map(|x| *x as f32).collect();
        columns.push(column(
            &format!("count_{k}"),
            "",
            DrawingValues::U32(piece.counts),
        ));
        columns.push(column(
            &format!("points_{k}"),
            "",
            DrawingValues::F32(points),
        ));
        if let Some(touch) = touch {
            columns.push(column(&format!("touch_{k}"), "", DrawingValues::U8(touch)));
        }
        items.push(piece.item);
    }
    // Recorded coordinates and velocities.
    for (k, recorded) in states.columns.iter().enumerate() {
        let name = format!("q:{}", recorded.name);
        columns.push(column(&name, "", DrawingValues::F64(states.series(k))));
    }
    let header = Header {
        title: title.into(),
        dimension,
        units: vec![String::new(); axes.len()],
        axes,
        corners,
        items,
        frames: states.len(),
        portraits: portraits(&states),
    };
    Drawing { header, columns }
}

fn column(name: &str, unit: &str, values: DrawingValues) -> DrawingColumn {
    DrawingColumn {
        name: name.into(),
        unit: unit.into(),
        values,
    }
}

/// Coordinates that have a velocity.
fn portraits(states: &SampledStates) -> Vec<PhasePortrait> {
    let (positions, velocities) = states
        .columns
        .split_at(states.positions.min(states.columns.len()));
    let pair = |name: &String| {
        let rate = format!("{name}_dot");
        let known = velocities.iter().any(|column| column.name == rate);
        known.then(|| PhasePortrait {
            x: name.clone(),
            y: rate,
            x_unit: String::new(),
            y_unit: String::new(),
        })
    };
    positions.iter().filter_map(|c| pair(&c.name)).collect()
}
