//! Bodies of space as pixels: the nearest surface at every sample, lit by a sun and a sky.
//!
//! Every line of sight meets balls, capsules and cylinders where their equations say, faces in their planes
//! (`trace`); a buffer keeps the nearest (`buffer`). Then every sample that is seen is lit once (`shade`), and
//! 2 × 2 or 3 × 3 of them make a pixel. The work grows with the number of bodies and of samples, memory with
//! 12 bytes a sample and a depth a texel of the sun's buffer: a million bodies are a matter of seconds.
//! Nothing is random and nothing depends on threads: the same bodies give the same bytes.
//!
//! Limits: no perspective, and surfaces are seen from outside only: the far sides of meshes and half-spaces are
//! left out.

mod buffer;
mod sculpt;
mod shade;
mod surface;
mod trace;
mod view;

use super::camera::Camera;
use super::colour::Rgb;
use super::ground::grid;
use super::request::{Request, Theme};
use super::still::Still;
use super::window::{Window, window};
use crate::record::Name;
use buffer::{Buffer, NOTHING};
use shade::{SUN, Shade};
use surface::Surfaces;
use view::View;

/// Numbers from here on are patches of half-spaces.
const PATCHES: u32 = 0xf000_0000;

/// Pixels up to which there are nine samples for each; four beyond.
const FINE: usize = 700_000;

/// Samples of the longer side of the sun's buffer, at most.
const SUNS: usize = 4096;

/// Bodies at an instant with their colours.
#[derive(Clone, Copy)]
pub(super) struct Cast<'a> {
    pub bodies: &'a [Name],
    pub still: &'a Still,
    pub fills: &'a [Rgb],
}

/// How they are looked at.
pub(super) struct Shot<'a> {
    pub camera: &'a Camera,
    pub window: Window,
    /// Pixels.
    pub size: (usize, usize),
    /// Surfaces of half-spaces.
    pub patches: &'a [Vec<[f64; 3]>],
    pub theme: Theme,
}

/// Pixels: red, green, blue times their opacity, and the opacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

/// Draws bodies as pixels.
pub(super) fn render(cast: &Cast<'_>, shot: &Shot<'_>) -> Raster {
    let (width, height) = shot.size;
    let fine = if width * height <= FINE { 3 } else { 2 };
    let (wide, high) = (width * fine, height * fine);
    let base = cast
        .still
        .places
        .iter()
        .map(|p| shot.camera.depth(p.position));
    let view = View {
        camera: *shot.camera,
        window: shot.window,
        scale: high as f64 / shot.window.size().1,
        base: base.filter(|d| d.is_finite()).fold(f64::NAN, f64::max),
    };
    // Where there is no body at all nothing is near or far.
    let view = View {
        base: if view.base.is_finite() {
            view.base
        } else {
            0.0
        },
        ..view
    };
    let mut buffer = Buffer::new(wide, high);
    for (k, patch) in shot.patches.iter().enumerate() {
        sculpt::put_face(&mut buffer, &view, patch, PATCHES + k as u32);
    }
    sculpt::put_all(&mut buffer, &view, cast);
    let sun = sun(cast, &view, wide.max(high).min(SUNS));
    let surfaces = Surfaces::new(cast, shot, &view, fine);
    let shade = Shade::new(&view, &buffer, Some(sun), surfaces.reach());
    let mut raster = Raster {
        width,
        height,
        pixels: Vec::with_capacity(width * height),
    };
    for y in 0..height {
        for x in 0..width {
            raster.pixels.push(pixel(&shade, &surfaces, (x, y), fine));
        }
    }
    raster
}

/// The mean of the samples of a pixel.
fn pixel(
    shade: &Shade<'_>,
    surfaces: &Surfaces<'_>,
    (x, y): (usize, usize),
    fine: usize,
) -> [u8; 4] {
    let mut sum = [0.0; 3];
    let mut seen = 0_usize;
    for row in y * fine..(y + 1) * fine {
        for column in x * fine..(x + 1) * fine {
            let at = row * shade.buffer.wide + column;
            if shade.buffer.owner(at) == NOTHING {
                continue;
            }
            let albedo = surfaces.albedo(shade.buffer, shade.view, (column, row));
            let colour = shade.colour(column, row, albedo);
            let dim = surfaces.dim(shade.buffer, (column, row));
            for k in 0..3 {
                sum[k] += (colour[k] * dim).min(1.0);
            }
            seen += 1;
        }
    }
    if seen == 0 {
        return [0; 4];
    }
    let opacity = seen as f64 / (fine * fine) as f64;
    let byte = |x: f64| (255.0 * x).round() as u8;
    let [r, g, b] = sum.map(|s| byte((s / seen as f64).sqrt() * opacity));
    [r, g, b, byte(opacity)]
}

/// The bodies as the sun sees them.
fn sun(cast: &Cast<'_>, view: &View, side: usize) -> (View, Buffer) {
    let toward = view.turned_back(SUN);
    let camera = Camera::from(Some(toward));
    let nothing = Request::default();
    let seen = window(cast.bodies, &[cast.still], &nothing, &camera, None);
    let (w, h) = seen.size();
    let scale = side as f64 / w.max(h);
    let size = |length: f64| ((length * scale).ceil().max(1.0) as usize).min(side);
    let mut depths = Buffer::of_depths(size(w), size(h));
    let view = View {
        camera,
        window: seen,
        scale,
        base: camera.depth(view.back([0.0; 3])),
    };
    sculpt::put_all(&mut depths, &view, cast);
    (view, depths)
}

/// What marks the squares of a patch.
pub(super) fn lines(patches: &[Vec<[f64; 3]>]) -> Vec<Option<super::ground::Grid>> {
    patches.iter().map(|patch| grid(patch)).collect()
}
