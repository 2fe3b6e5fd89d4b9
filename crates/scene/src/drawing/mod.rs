//! Drawings of mechanisms and sweeping processes.
//!
//! A scene says what its mechanism looks like in `[[drawing]]` entries: points p(t, q, v) of the plane
//! or of space as expressions, joined to links, marks, obstacles and paths. Here they are evaluated at
//! recorded states,
//!
//! ```text
//! p_k = p(t_k, q_k, v_k),    k over at most FRAMES recorded states, evenly chosen, both ends kept
//! ```
//!
//! from the records and the scene's text alone: nothing is run again. A sweeping process of one or two
//! coordinates that declares nothing is drawn by itself: the set C(t), the point, its path. Of a
//! mechanism that declares nothing only coordinates are given: no geometry is invented.
//!
//! [`Drawing`] holds arrays for a page that animates them; [`Drawing::svg`] is one instant on paper.

mod bounds;
mod columns;
mod compile;
mod default;
mod form;
mod paper;
mod pieces;
mod set;
mod sheet;
mod states;
mod touch;

pub use compile::check_drawings;
pub use form::{
    Drawing, DrawingBounds, DrawingColumn, DrawingValues, Header, Item, Kind, PhasePortrait,
};
pub use sheet::Theme;

use crate::file::Scene;
use crate::plot::PlotError;
use crate::record::Record;

/// States that a drawing has at most.
pub const FRAMES: usize = 6000;

/// The drawing of a run; `None` for bodies and studies, which have none. It has no items where the
/// scene declares none and none comes by itself.
///
/// # Errors
/// The scene in the manifest is not right, or its coordinates were not recorded or are damaged.
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

/// A picture of a run at the recorded state nearest to an instant, as SVG; `None` where there is
/// nothing to draw.
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
        .is_some_and(|mechanism| !default::specs(mechanism).is_empty())
}

fn evaluate_drawing(record: &Record, scene: &Scene, frames: usize) -> Result<Drawing, PlotError> {
    let Some(mechanism) = scene.mechanism() else {
        return Ok(Drawing::default());
    };
    let specs = default::specs(mechanism);
    let mut built = scene.build_mechanism()?;
    let mut things = compile::compile(scene, &specs, &mut built.system)?;
    let width: usize = things.iter().map(compile::CompiledItem::numbers).sum();
    let states = states::SampledStates::read(record, frames, width)?;
    let mut pieces = Vec::new();
    for thing in &mut things {
        pieces::add(&mut pieces, thing, &states);
    }
    let dimension = specs.first().map_or(2, |spec| spec.shape.dimension());
    let whole = match built.sweep.as_ref().map(|plan| plan.affine) {
        Some(affine) => set::fill(&mut pieces, &mut built.system, &states, affine),
        None => true,
    };
    let crowd = mechanism.drawings.is_empty()
        && mechanism.sweep.as_ref().is_some_and(|s| s.crowd.is_some());
    let corners = match crowd {
        true => bounds::of_room(&pieces),
        false => bounds::of(&pieces, dimension, whole),
    };
    bounds::extend(&mut pieces, &corners, dimension);
    let touches = touch::read_contact_activity(record, &pieces, &states)?;
    Ok(columns::drawing(
        &record.manifest().title,
        (dimension, default::axes(mechanism, dimension)),
        (pieces, touches),
        corners,
        states,
    ))
}
