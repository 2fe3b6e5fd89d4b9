//! Renderer of bodies in space: depth buffer, directional light with a shadow map, ambient occlusion.
//!
//! Rays parallel to the viewing direction intersect spheres, capsules and cylinders analytically, and faces in
//! their planes (`ray_casting`); a depth buffer keeps the nearest surface (`depth_buffer`). Then every covered sample is
//! shaded once (`shade`), and 2 × 2 or 3 × 3 samples are averaged to a pixel (supersampling). The work grows
//! with the number of bodies and of samples; memory is 12 bytes per sample and one depth per texel of the
//! shadow map: a million bodies take seconds. The result is deterministic and does not depend on the number of
//! threads.
//!
//! Limits: no perspective, and surfaces are seen from outside only: back faces of meshes and half-spaces are
//! culled.

mod appearance;
mod depth_buffer;
mod rasterize;
mod ray_casting;
mod screen_projection;
mod shade;

use percuss_record::BodyDescription;
use percuss_record::frame::Frame;

use super::camera::Camera;
use super::colour::Rgb;
use super::half_spaces::grid;
use super::request::{PictureRequest, Theme};
use super::window::{Window, window};
use appearance::SurfaceAppearance;
use depth_buffer::{DepthBuffer, NOTHING};
use screen_projection::ScreenProjection;
use shade::{SUN, Shader};

/// Body indices from here on denote patches of half-spaces.
const PATCHES: u32 = 0xf000_0000;

/// Up to this many pixels, nine samples per pixel; four beyond.
const FINE: usize = 700_000;

/// Maximal number of texels along the longer side of the shadow map.
const SUNS: usize = 4096;

/// Bodies of a frame with their colours.
#[derive(Clone, Copy)]
pub(super) struct RenderScene<'a> {
    pub bodies: &'a [BodyDescription],
    pub still: &'a Frame,
    pub fills: &'a [Rgb],
}

/// Camera, window and image size.
pub(super) struct RenderView<'a> {
    pub camera: &'a Camera,
    pub window: Window,
    /// Image size in pixels.
    pub size: (usize, usize),
    /// Patches of half-spaces.
    pub patches: &'a [Vec<[f64; 3]>],
    pub theme: Theme,
}

/// Pixels with premultiplied alpha: red, green, blue times opacity, and opacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

/// Renders bodies to pixels.
pub(super) fn render(cast: &RenderScene<'_>, shot: &RenderView<'_>) -> Raster {
    let (width, height) = shot.size;
    let fine = if width * height <= FINE { 3 } else { 2 };
    let (wide, high) = (width * fine, height * fine);
    // Projection: depths relative to the nearest body centre.
    let base = cast
        .still
        .bodies
        .iter()
        .map(|p| shot.camera.depth(p.position));
    let view = ScreenProjection {
        camera: *shot.camera,
        window: shot.window,
        scale: high as f64 / shot.window.size().1,
        base: base.filter(|d| d.is_finite()).fold(f64::NAN, f64::max),
    };
    // Without any body, the depth origin is arbitrary.
    let view = ScreenProjection {
        base: if view.base.is_finite() {
            view.base
        } else {
            0.0
        },
        ..view
    };
    // Depth pass: half-spaces, then bodies.
    let mut buffer = DepthBuffer::new(wide, high);
    for (k, patch) in shot.patches.iter().enumerate() {
        rasterize::rasterize_face(&mut buffer, &view, patch, PATCHES + k as u32);
    }
    rasterize::rasterize_bodies(&mut buffer, &view, cast);
    // Shadow map, albedo and shading parameters.
    let sun = shadow_map(cast, &view, wide.max(high).min(SUNS));
    let surfaces = SurfaceAppearance::new(cast, shot, &view, fine);
    let shade = Shader::new(&view, &buffer, Some(sun), surfaces.reach());
    let mut raster = Raster {
        width,
        height,
        pixels: Vec::with_capacity(width * height),
    };
    // Shading pass: one pixel from fine × fine samples.
    for y in 0..height {
        for x in 0..width {
            raster.pixels.push(pixel(&shade, &surfaces, (x, y), fine));
        }
    }
    raster
}

/// The mean of the samples of a pixel.
fn pixel(
    shade: &Shader<'_>,
    surfaces: &SurfaceAppearance<'_>,
    (x, y): (usize, usize),
    fine: usize,
) -> [u8; 4] {
    let mut sum = [0.0; 3];
    let mut seen = 0_usize;
    // Sum of the shaded samples in linear light.
    for row in y * fine..(y + 1) * fine {
        for column in x * fine..(x + 1) * fine {
            let at = row * shade.buffer.wide + column;
            if shade.buffer.body_at(at) == NOTHING {
                continue;
            }
            let albedo = surfaces.albedo(shade.buffer, shade.view, (column, row));
            let colour = shade.colour(column, row, albedo);
            let dim = surfaces.edge_darkening(shade.buffer, (column, row));
            for k in 0..3 {
                sum[k] += (colour[k] * dim).min(1.0);
            }
            seen += 1;
        }
    }
    if seen == 0 {
        return [0; 4];
    }
    // Coverage is the opacity; gamma 2 on output, premultiplied alpha.
    let opacity = seen as f64 / (fine * fine) as f64;
    let byte = |x: f64| (255.0 * x).round() as u8;
    let [r, g, b] = sum.map(|s| byte((s / seen as f64).sqrt() * opacity));
    [r, g, b, byte(opacity)]
}

/// Shadow map: the depth of the bodies seen from the light.
fn shadow_map(
    cast: &RenderScene<'_>,
    view: &ScreenProjection,
    side: usize,
) -> (ScreenProjection, DepthBuffer) {
    // Camera at the light, with a window around all bodies.
    let toward = view.direction_to_world(SUN);
    let camera = Camera::from(Some(toward));
    let nothing = PictureRequest::default();
    let seen = window(cast.bodies, &[cast.still], &nothing, &camera, None);
    let (w, h) = seen.size();
    let scale = side as f64 / w.max(h);
    let size = |length: f64| ((length * scale).ceil().max(1.0) as usize).min(side);
    // Depth-only pass.
    let mut depths = DepthBuffer::depth_only(size(w), size(h));
    let view = ScreenProjection {
        camera,
        window: seen,
        scale,
        base: camera.depth(view.to_world([0.0; 3])),
    };
    rasterize::rasterize_bodies(&mut depths, &view, cast);
    (view, depths)
}

/// The grids of patches of half-spaces.
pub(super) fn lines(patches: &[Vec<[f64; 3]>]) -> Vec<Option<super::half_spaces::SurfaceGrid>> {
    patches.iter().map(|patch| grid(patch)).collect()
}
