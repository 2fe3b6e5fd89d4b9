//! Periodic images: bodies of a periodic cell are wrapped into it; those that cross a face also get their
//! images; and the outline of the cell is drawn.

use std::borrow::Cow;

use percuss_record::BodyDescription;
use percuss_record::frame::{BodyState, Frame};

use super::camera::{Camera, extent};
use super::colour::{PLAIN, Rgb};
use super::panel::Panel;
use super::svg_writer::SvgWriter;

/// The cell vectors; in the plane the third is along z.
pub(super) type Vectors = [[f64; 3]; 3];

/// Bodies to draw in a frame, with their periodic images.
pub(super) struct WrappedBodies<'a> {
    /// Descriptions of the bodies, then of the images.
    pub bodies: Cow<'a, [BodyDescription]>,
    /// Their states.
    pub still: Cow<'a, Frame>,
    /// Index of the body that each of them is an image of.
    pub source_body: Vec<usize>,
}

impl WrappedBodies<'_> {
    /// Fill colours of bodies and images from those of the bodies.
    pub fn fills(&self, of_bodies: &[Rgb]) -> Vec<Rgb> {
        let fill = |owner: &usize| of_bodies.get(*owner).copied().unwrap_or(PLAIN);
        self.source_body.iter().map(fill).collect()
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    super::cross(a, b)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Rows of H⁻¹, with the cell vectors as the columns of H.
fn inverse(vectors: &Vectors) -> Vectors {
    let [a, b, c] = *vectors;
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let volume = dot(a, rows[0]);
    rows.map(|row| row.map(|x| x / volume))
}

fn moved(place: &BodyState, vectors: &Vectors, shift: [f64; 3]) -> BodyState {
    let by = |k: usize| (0..3).map(|j| vectors[j][k] * shift[j]).sum::<f64>();
    BodyState {
        position: std::array::from_fn(|k| place.position[k] + by(k)),
        ..*place
    }
}

/// Minimum image: the periodic image of a point nearest to another point.
pub(super) fn nearest(
    vectors: &Vectors,
    periodic: [bool; 3],
    from: [f64; 3],
    to: [f64; 3],
) -> [f64; 3] {
    let apart: [f64; 3] = std::array::from_fn(|k| to[k] - from[k]);
    // Integer shifts that bring the point nearest, along periodic directions only.
    let mut shift = inverse(vectors).map(|row| -dot(row, apart).round());
    for (shift, periodic) in shift.iter_mut().zip(periodic) {
        if !periodic {
            *shift = 0.0;
        }
    }
    moved(&BodyState::at(to, 0.0), vectors, shift).position
}

/// Wraps the bodies of a frame into the cell and adds images; without a cell, the frame unchanged.
pub(super) fn wrap_bodies<'a>(
    bodies: &'a [BodyDescription],
    still: &'a Frame,
) -> WrappedBodies<'a> {
    let owner: Vec<usize> = (0..bodies.len()).collect();
    let Some(vectors) = still.cell else {
        return WrappedBodies {
            bodies: bodies.into(),
            still: Cow::Borrowed(still),
            source_body: owner,
        };
    };
    let (mut names, mut placed, mut owners) = (bodies.to_vec(), still.clone(), owner);
    let rows = inverse(&vectors);
    for (owner, name) in bodies.iter().enumerate() {
        let Some(place) = placed.bodies.get(owner).copied() else {
            break;
        };
        // Unbounded boundaries have no extent and are their own images.
        let span = |place: &BodyState, row: [f64; 3]| extent(&name.shape, place, row);
        if !(0..3).all(|k| span(&place, rows[k]).is_some_and(|(a, b)| (b - a).is_finite())) {
            continue;
        }
        // Wrap the centre into the cell along periodic directions.
        let periodic = |k: usize| still.periodic[k];
        let wrap = |k: usize| match periodic(k) {
            true => -dot(rows[k], place.position).floor(),
            false => 0.0,
        };
        let place = moved(&place, &vectors, std::array::from_fn(wrap));
        placed.bodies[owner] = place;
        // The 26 neighbouring images: those whose extent overlaps the cell are added.
        for n in 0..27 {
            let shift = [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1].map(f64::from);
            let seen = |k: usize| {
                let (low, high) = span(&place, rows[k]).unwrap_or((0.0, 0.0));
                let still = shift[k] == 0.0;
                still || periodic(k) && low + shift[k] < 1.0 && high + shift[k] > 0.0
            };
            if shift != [0.0; 3] && (0..3).all(seen) {
                names.push(name.clone());
                placed.bodies.push(moved(&place, &vectors, shift));
                owners.push(owner);
            }
        }
    }
    WrappedBodies {
        bodies: names.into(),
        still: Cow::Owned(placed),
        source_body: owners,
    }
}

/// Extent of the edges in fractions of the cell vectors; along a direction without images, the extent of the
/// bodies.
fn reach(still: &Frame, vectors: &Vectors) -> [(f64, f64); 3] {
    let rows = inverse(vectors);
    std::array::from_fn(|k| match still.periodic[k] {
        true => (0.0, 1.0),
        false => {
            let all = still
                .bodies
                .iter()
                .map(|place| dot(rows[k], place.position));
            let all = all.filter(|share| share.is_finite());
            all.fold((0.0, 1.0), |(low, high), x| {
                (f64::min(low, x), f64::max(high, x))
            })
        }
    })
}

/// Draws the edges of the cell.
pub(super) fn outline(paper: &mut SvgWriter, panel: &Panel, camera: &Camera, still: &Frame) {
    let Some(vectors) = &still.cell else {
        return;
    };
    let corner = |shift: [f64; 3]| {
        let at = moved(&BodyState::at([0.0; 3], 0.0), vectors, shift).position;
        panel.to_pixels(camera.project(at))
    };
    let axes = if still.flat { 2 } else { 3 };
    let reach = reach(still, vectors);
    paper.group("class=\"cell\" stroke=\"#222222\" stroke-dasharray=\"5 3\" stroke-width=\"1\"");
    for n in 0..1_usize << axes {
        let from: [f64; 3] = std::array::from_fn(|k| (n >> k & 1) as f64);
        // A direction without images has no face; an edge is drawn where a face beside it exists.
        let faced = |k: usize| (0..axes).any(|j| j != k && still.periodic[j]);
        for k in (0..axes).filter(|&k| from[k] == 0.0 && faced(k)) {
            let (mut from, mut to) = (from, from);
            (from[k], to[k]) = reach[k];
            let (a, b) = (corner(from), corner(to));
            if [a.0, a.1, b.0, b.1].iter().all(|x| x.is_finite()) {
                paper.line(a, b, "");
            }
        }
    }
    paper.end();
}
