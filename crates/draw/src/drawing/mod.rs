//! Drawings of mechanisms and sweeping processes.
//!
//! A scene describes its mechanism in `[[drawing]]` entries: points p(t, q, v) of the plane or of space as
//! expressions, joined to links, points, obstacles and paths. This module evaluates them at recorded states,
//!
//! ```text
//! p_k = p(t_k, q_k, v_k),    k over at most FRAMES recorded states, evenly chosen, both ends kept
//! ```
//!
//! from the records and the scene's text alone: nothing is simulated again. A sweeping process of one or two
//! coordinates without such entries gets a default drawing: the set C(t), the point, its path. A mechanism
//! without such entries has coordinates only: no geometry is invented.
//!
//! [`Drawing`] holds the arrays that the viewer animates; [`Drawing::svg`] draws one instant.

mod bounds;
mod columns;
mod compile;
mod contact_activity;
mod default_items;
mod drawing_data;
mod evaluated_items;
mod moving_set;
mod states;
mod svg_page;
mod svg_writer;

pub use compile::check_drawings;
pub use drawing_data::{
    Drawing, DrawingBounds, DrawingColumn, DrawingValues, Header, Item, Kind, PhasePortrait,
};
pub use svg_page::Theme;

use percuss_record::{PlotError, Record};
use percuss_scene::Scene;

/// Maximal number of states of a drawing.
pub const FRAMES: usize = 6000;

/// The drawing of a run; `None` for bodies and studies, which have none. It has no items where the scene
/// declares none and has no default drawing.
///
/// # Errors
/// The scene in the manifest is invalid, or its coordinates were not recorded or are damaged.
pub fn of(record: &Record) -> Result<Option<Drawing>, PlotError> {
    with_frames(record, FRAMES)
}

/// As [`of`], with at most this many states.
///
/// # Errors
/// As [`of`].
pub fn with_frames(record: &Record, frames: usize) -> Result<Option<Drawing>, PlotError> {
    let manifest = record.manifest();
    if manifest.kind == "study" {
        return Ok(None);
    }
    let set: Vec<_> = manifest
        .overrides
        .iter()
        .map(|change| (&*change.key, &*change.value))
        .collect();
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?;
    match scene.mechanism() {
        Some(_) => evaluate_drawing(record, &scene.with_overrides(&set)?, frames).map(Some),
        None => Ok(None),
    }
}

/// SVG picture of a run at the recorded state nearest to an instant; `None` where there is nothing to draw.
///
/// # Errors
/// As [`of`].
pub fn svg(
    record: &Record,
    at: f64,
    size: (u32, u32),
    theme: Theme,
) -> Result<Option<String>, PlotError> {
    let drawing = of(record)?.filter(|drawing| !drawing.is_empty());
    Ok(drawing.map(|drawing| drawing.svg(at, size, theme)))
}

/// Whether a scene has a drawing.
pub fn has_drawing(scene: &Scene) -> bool {
    scene
        .mechanism()
        .is_some_and(|mechanism| !default_items::specs(mechanism).is_empty())
}

fn evaluate_drawing(record: &Record, scene: &Scene, frames: usize) -> Result<Drawing, PlotError> {
    let Some(mechanism) = scene.mechanism() else {
        return Ok(Drawing::default());
    };
    // Compile the items and sample the states.
    let specs = default_items::specs(mechanism);
    let mut built = scene.build_mechanism()?;
    let mut things = compile::compile(scene, &specs, &mut built.system)?;
    let width: usize = things.iter().map(compile::CompiledItem::numbers).sum();
    let states = states::SampledStates::read(record, frames, width)?;
    // Evaluate all items; the moving set is computed separately.
    let mut pieces = Vec::new();
    for thing in &mut things {
        evaluated_items::add(&mut pieces, thing, &states);
    }
    let dimension = specs.first().map_or(2, |spec| spec.shape.dimension());
    let whole = match built.sweep.as_ref().map(|plan| plan.affine) {
        Some(affine) => moving_set::fill(&mut pieces, &mut built.system, &states, affine),
        None => true,
    };
    // Bounding box, and the extent of half-planes in it.
    let crowd = mechanism.drawings.is_empty()
        && mechanism.sweep.as_ref().is_some_and(|s| s.crowd.is_some());
    let corners = match crowd {
        true => bounds::of_room(&pieces),
        false => bounds::of(&pieces, dimension, whole),
    };
    bounds::extend(&mut pieces, &corners, dimension);
    let touches = contact_activity::read_contact_activity(record, &pieces, &states)?;
    Ok(columns::drawing(
        &record.manifest().title,
        (dimension, default_items::axes(mechanism, dimension)),
        (pieces, touches),
        corners,
        states,
    ))
}
