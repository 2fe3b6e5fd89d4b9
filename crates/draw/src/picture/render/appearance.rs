//! Appearance of surfaces before shading: albedo, markings of spheres, edge lines.

use percuss_record::RecordedShape;
use percuss_record::frame::BodyState;

use super::super::colour::{GROUND, PLAIN, Rgb};
use super::super::dot;
use super::super::request::Theme;
use super::depth_buffer::{DepthBuffer, NOTHING, Vector};
use super::screen_projection::ScreenProjection;
use super::{PATCHES, RenderScene, RenderView, lines};
use crate::picture::half_spaces::SurfaceGrid;

/// A sphere of a smaller radius has no markings, in pixels.
const MARKED: f64 = 9.0;

/// Darkening factor of the marked quarters of a sphere, and of edge and grid lines.
const MARK: f64 = 0.68;
const EDGE: f64 = 0.30;
const LINE: f64 = 0.80;

/// Cosine of the crease angle, 25 degrees: an edge is where normals differ by more.
const BEND: f64 = 0.906;

/// Colour of half-spaces in the dark theme.
const NIGHT: Rgb = Rgb(58, 61, 66);

/// Appearance of all bodies and patches.
pub(super) struct SurfaceAppearance<'a> {
    cast: &'a RenderScene<'a>,
    grids: Vec<Option<SurfaceGrid>>,
    ground: Vector,
    /// Opacity of the edge lines of each body, 0 to 1; empty where no body has edges.
    inks: Vec<f32>,
    /// Radius from which on spheres are marked.
    marked: f64,
    fine: usize,
    reach: f64,
}

/// A display colour in linear light (squared).
fn linear(colour: Rgb) -> Vector {
    colour.parts().map(|c| (f64::from(c) / 255.0).powi(2))
}

/// Whether a body has edges.
fn edged(outline: &RecordedShape) -> bool {
    match outline {
        RecordedShape::Round { .. } | RecordedShape::Capsule { .. } => false,
        RecordedShape::Compound(parts) => parts.iter().any(|part| edged(&part.shape)),
        _ => true,
    }
}

impl<'a> SurfaceAppearance<'a> {
    pub(super) fn new(
        cast: &'a RenderScene<'a>,
        shot: &RenderView<'_>,
        view: &ScreenProjection,
        fine: usize,
    ) -> Self {
        let pixels = view.scale / fine as f64;
        let ink = |outline: &RecordedShape| {
            let size = outline.radius().filter(|_| edged(outline));
            // Edge lines fade out for bodies of a few pixels.
            size.map_or(0.0, |r| ((r * pixels - 2.0) / 10.0).clamp(0.0, 1.0) as f32)
        };
        let any = cast.bodies.iter().any(|name| edged(&name.shape));
        let sizes = cast.bodies.iter().filter_map(|name| name.shape.radius());
        let mut sizes: Vec<f64> = sizes.filter(|r| r.is_finite()).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let middling = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0) * view.scale;
        Self {
            cast,
            grids: lines(shot.patches),
            ground: linear(match shot.theme {
                Theme::Light => GROUND,
                Theme::Dark => NIGHT,
            }),
            inks: match any {
                true => cast.bodies.iter().map(|name| ink(&name.shape)).collect(),
                false => Vec::new(),
            },
            marked: MARKED / pixels,
            fine,
            // The occlusion radius is about the size of a body.
            reach: middling.clamp(5.0 * fine as f64, 24.0 * fine as f64),
        }
    }

    /// Radius of ambient occlusion, in samples.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// The albedo of a sample.
    pub(super) fn albedo(
        &self,
        buffer: &DepthBuffer,
        view: &ScreenProjection,
        (x, y): (usize, usize),
    ) -> Vector {
        let at = y * buffer.wide + x;
        let owner = buffer.body_at(at);
        if owner >= PATCHES {
            let near = f64::from(buffer.depth[at]);
            let point = view.to_world([x as f64 + 0.5, y as f64 + 0.5, near]);
            let grid = self.grids.get((owner - PATCHES) as usize);
            // Half the width of a line: half a pixel.
            let half = 0.5 * self.fine as f64 / view.scale;
            let line = grid
                .and_then(Option::as_ref)
                .is_some_and(|g| g.near_line(point, half));
            return self.ground.map(|c| if line { LINE * c } else { c });
        }
        let k = owner as usize;
        let colour = linear(self.cast.fills.get(k).copied().unwrap_or(PLAIN));
        let known = (self.cast.bodies.get(k), self.cast.still.bodies.get(k));
        let (Some(name), Some(place)) = known else {
            return colour;
        };
        match *name.shape {
            RecordedShape::Round { radius } if radius >= self.marked => {
                let marked = quarter(place, view.direction_to_world(buffer.normal(at)));
                colour.map(|c| if marked { MARK * c } else { c })
            }
            _ => colour,
        }
    }

    /// Factor by which edge lines darken a sample.
    pub(super) fn edge_darkening(&self, buffer: &DepthBuffer, (x, y): (usize, usize)) -> f64 {
        let at = y * buffer.wide + x;
        let ink = self.ink(buffer.body_at(at));
        if ink == 0.0 {
            return 1.0;
        }
        // The four neighbouring samples.
        let beside = [
            (x > 0).then(|| at - 1),
            (x + 1 < buffer.wide).then(|| at + 1),
            (y > 0).then(|| at - buffer.wide),
            (y + 1 < buffer.high).then(|| at + buffer.wide),
        ];
        match beside
            .into_iter()
            .flatten()
            .any(|other| edge(buffer, at, other))
        {
            true => 1.0 - (1.0 - EDGE) * ink,
            false => 1.0,
        }
    }

    fn ink(&self, owner: u32) -> f64 {
        let ink = self.inks.get(owner as usize).copied().unwrap_or(0.0);
        f64::from(ink)
    }
}

/// Whether an edge of the body at a sample lies between it and another sample.
fn edge(buffer: &DepthBuffer, at: usize, other: usize) -> bool {
    let (mine, theirs) = (buffer.body_at(at), buffer.body_at(other));
    if mine == theirs {
        return dot(buffer.normal(at), buffer.normal(other)) < BEND;
    }
    // The line is drawn on the nearer surface, and on both at equal depth.
    theirs == NOTHING || buffer.depth[at] >= buffer.depth[other] - 1.5
}

/// Whether a direction points to one of the two marked quarters of a sphere (x y > 0 in body axes).
fn quarter(place: &BodyState, direction: [f64; 3]) -> bool {
    let [w, x, y, z] = place.rotation;
    let back = BodyState {
        rotation: [w, -x, -y, -z],
        ..*place
    };
    let inside = back.rotate(direction);
    inside[0] * inside[1] > 0.0
}
