//! Items of a drawing, evaluated at all sampled states.

use percuss_scene::file::DrawingShapeSpec;

use super::compile::CompiledItem;
use super::drawing_data::{Item, Kind};
use super::states::SampledStates;

/// Number of points of a spring's zigzag.
pub(super) const SPRING: usize = 20;

/// Straight part at each end of a spring, as a fraction of its length.
const LEAD: f64 = 0.15;

/// Half the width of a spring's zigzag, as a fraction of its length at the first state.
const AMPLITUDE: f64 = 0.06;

/// An item with its points in all states, or in one state if it is fixed.
pub(super) struct EvaluatedItem {
    pub item: Item,
    pub counts: Vec<u32>,
    /// Coordinates: `dimension` numbers per point, state after state.
    pub points: Vec<f64>,
    /// Whether the points are still pairs of a point and a normal: the extent of the half-plane is computed
    /// later.
    pub half: bool,
}

/// Default colour of obstacles: index of grey in the palette.
const GREY: u8 = 7;

/// Evaluates an item at all states and appends it; a disc is followed by its spoke, which shows its rotation.
pub(super) fn add(
    pieces: &mut Vec<EvaluatedItem>,
    thing: &mut CompiledItem<'_>,
    states: &SampledStates,
) {
    // A constant item is evaluated once; traces and moving sets never are constant.
    let fixed = thing.sketch.is_constant()
        && !matches!(thing.kind, Kind::Trace | Kind::Set)
        && states.len() > 0;
    let frames = if fixed { 1 } else { states.len() };
    let mut piece = EvaluatedItem {
        item: item(thing, fixed),
        counts: Vec::with_capacity(frames),
        points: Vec::new(),
        half: matches!(thing.spec.shape, DrawingShapeSpec::Half { .. }),
    };
    // A disc with an angle gets a spoke, as an item of its own.
    let spoke = matches!(
        thing.spec.shape,
        DrawingShapeSpec::Tip { angle: Some(_), .. }
    );
    let mut spokes = spoke.then(|| EvaluatedItem {
        item: Item {
            name: format!("{}, spoke", thing.spec.name),
            kind: Kind::Link,
            closed: false,
            filled: false,
            radius: None,
            label: None,
            width: 1.5,
            contacts: Vec::new(),
            ..piece.item.clone()
        },
        counts: Vec::new(),
        points: Vec::new(),
        half: false,
    });
    let mut natural = None;
    // Points at each state.
    for k in 0..frames {
        let (q, v) = states.state(k);
        let t = states.t.get(k).copied().unwrap_or(f64::NAN);
        thing.sketch.place(t, q, v);
        let before = piece.points.len();
        at_state(thing, &mut piece.points, &mut natural, spokes.as_mut());
        let added = (piece.points.len() - before) / thing.dimension;
        piece.counts.push(u32::try_from(added).unwrap_or(u32::MAX));
    }
    pieces.push(piece);
    pieces.extend(spokes);
}

fn item(thing: &CompiledItem<'_>, fixed: bool) -> Item {
    let spec = thing.spec;
    let usual = match thing.kind {
        Kind::Obstacle | Kind::Surface | Kind::Set => GREY,
        _ => 0,
    };
    Item {
        name: spec.name.clone(),
        kind: thing.kind,
        closed: spec.closed
            || matches!(
                spec.shape,
                DrawingShapeSpec::Half { .. } | DrawingShapeSpec::Set
            ),
        filled: spec.filled,
        radius: thing.radius,
        colour: spec.colour.unwrap_or(usual),
        width: thing.width,
        label: spec.label.clone(),
        fixed,
        wall: matches!(spec.shape, DrawingShapeSpec::Half { .. }),
        grid: thing.grid,
        contacts: thing.contacts.clone(),
    }
}

/// The points of an item at the state at which its sample motion is placed.
fn at_state(
    thing: &mut CompiledItem<'_>,
    points: &mut Vec<f64>,
    natural: &mut Option<f64>,
    spokes: Option<&mut EvaluatedItem>,
) {
    let d = thing.dimension;
    match &thing.spec.shape {
        DrawingShapeSpec::Set => {}
        DrawingShapeSpec::Curve { .. } | DrawingShapeSpec::Surface { .. } => {
            for sample in &thing.samples {
                points.extend(whole(thing.sketch.values(sample), d));
            }
        }
        DrawingShapeSpec::Spring(_) => {
            let (a, b) = thing.sketch.values(&[]).split_at(d);
            spring(points, a, b, natural);
        }
        DrawingShapeSpec::Tip { at, .. } => {
            let values = thing.sketch.values(&[]);
            let (centres, angle) = values.split_at(at.len() * d);
            points.extend(whole(centres, d));
            // A spoke from the centre to the rim; NaN breaks the line.
            if let (Some(spokes), [angle]) = (spokes, angle) {
                let radius = thing.radius.unwrap_or(0.0);
                for centre in centres.chunks_exact(d) {
                    let rim = [
                        centre[0] + radius * angle.cos(),
                        centre[1] + radius * angle.sin(),
                    ];
                    spokes.points.extend_from_slice(centre);
                    spokes.points.extend_from_slice(&rim);
                    spokes.points.extend([f64::NAN; 2]);
                }
                let count = u32::try_from(3 * at.len()).unwrap_or(u32::MAX);
                spokes.counts.push(count);
            }
        }
        _ => points.extend(whole(thing.sketch.values(&[]), d)),
    }
}

/// The points with finite coordinates; a point that lacks one becomes NaN as a whole (the line is broken
/// there).
fn whole(values: &[f64], dimension: usize) -> impl Iterator<Item = f64> + '_ {
    values.chunks_exact(dimension).flat_map(move |point| {
        let there = point.iter().all(|x| x.is_finite());
        let each = move |x: &f64| if there { *x } else { f64::NAN };
        point.iter().map(each)
    })
}

/// Points of a spring from a to b, drawn as a zigzag.
fn spring(points: &mut Vec<f64>, a: &[f64], b: &[f64], natural: &mut Option<f64>) {
    let along: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
    let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    let side = match along.as_slice() {
        [x, y] => vec![-y, *x],
        // A direction normal to the spring: perpendicular to z unless the spring is nearly parallel to z.
        [x, y, z] if x.abs() + y.abs() > 1e-6 * z.abs() => vec![-y, *x, 0.0],
        [_, _, z] => vec![*z, 0.0, 0.0],
        _ => Vec::new(),
    };
    let across = side.iter().map(|x| x * x).sum::<f64>().sqrt();
    let natural = *natural.get_or_insert(length);
    let amplitude = if across > 0.0 {
        AMPLITUDE * natural / across
    } else {
        0.0
    };
    for k in 0..SPRING {
        let last = SPRING - 1;
        // A straight lead, the teeth of the zigzag, a straight lead.
        let (s, tooth) = match k {
            0 => (0.0, 0.0),
            1 => (LEAD, 0.0),
            k if k == last => (1.0, 0.0),
            k if k + 1 == last => (1.0 - LEAD, 0.0),
            k => {
                let teeth = (SPRING - 4) as f64;
                let s = LEAD + (1.0 - 2.0 * LEAD) * ((k - 2) as f64 + 0.5) / teeth;
                (s, if k % 2 == 0 { 1.0 } else { -1.0 })
            }
        };
        let point = a.iter().zip(&along).zip(&side);
        let point: Vec<f64> = point
            .map(|((a, along), side)| a + s * along + tooth * amplitude * side)
            .collect();
        points.extend(whole(&point, a.len().max(1)));
    }
}
