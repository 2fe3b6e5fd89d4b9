//! Shading of a sample: diffuse and specular (Blinn–Phong) light with shadow map and ambient occlusion.
//!
//! ```text
//! colour = albedo ((sky + lamp n_z) (1 − occlusion) + sun max(0, n·l) (1 − shadow)) + gloss (n·h)³²
//! ```
//!
//! in linear light (squares of display values). The shadow is looked up in a shadow map, with percentage-closer
//! filtering over several taps; the occlusion is screen-space ambient occlusion: the mean over taps v of max(0,
//! n·v/|v|), reduced with distance.

use super::super::dot;
use super::depth_buffer::{DepthBuffer, NOTHING, Vector};
use super::screen_projection::ScreenProjection;

/// Direction to the light: left, up, towards the viewer; down is positive on screen.
pub(super) const SUN: Vector = [-0.45, -0.65, 0.612_372_435_695_794_5];

/// Intensity of the directional light, of the sky from below and from above, and of a light at the viewer,
/// which keeps surfaces that face away from the light from being black.
const SUNNY: f64 = 0.66;
const SKY: (f64, f64) = (0.16, 0.34);
const LAMP: f64 = 0.20;

/// Intensity of the specular highlight.
const GLOSS: f64 = 0.05;

/// Taps of the shadow map and of the ambient occlusion for each sample.
const SHADOWS: usize = 6;
const TAPS: usize = 10;

/// Filter radius of the shadow map, in texels.
const SOFT: f64 = 2.4;

/// Depth buffers and parameters of the shading.
pub(super) struct Shader<'a> {
    pub view: &'a ScreenProjection,
    pub buffer: &'a DepthBuffer,
    /// The shadow map and its projection.
    pub sun: Option<(ScreenProjection, DepthBuffer)>,
    /// Radius of ambient occlusion, in samples.
    pub occlusion_radius: f64,
    /// The upward direction of space in screen axes.
    pub up: Vector,
    shadow_taps: Vec<[f64; 2]>,
    taps: Vec<[f64; 2]>,
}

/// Evenly distributed points of the unit disc (Vogel's spiral), one pattern for each of 2 × 2 samples.
fn spiral(count: usize) -> Vec<[f64; 2]> {
    const GOLDEN: f64 = 2.399_963_229_728_653;
    let all = (0..4 * count).map(|k| {
        let (pattern, tap) = (k / count, k % count);
        let r = ((tap as f64 + 0.25 * pattern as f64 + 0.2) / count as f64).sqrt();
        let (sin, cos) = (tap as f64 * GOLDEN + pattern as f64 * 1.1).sin_cos();
        [r * cos, r * sin]
    });
    all.collect()
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        view: &'a ScreenProjection,
        buffer: &'a DepthBuffer,
        sun: Option<(ScreenProjection, DepthBuffer)>,
        reach: f64,
    ) -> Self {
        Self {
            view,
            buffer,
            sun,
            occlusion_radius: reach,
            up: view.direction_to_screen([0.0, 0.0, 1.0]),
            shadow_taps: spiral(SHADOWS),
            taps: spiral(TAPS),
        }
    }

    /// The shaded colour of a sample with this albedo; both in linear light.
    pub(super) fn colour(&self, x: usize, y: usize, albedo: Vector) -> Vector {
        let at = y * self.buffer.wide + x;
        let n = self.buffer.normal(at);
        let here = [
            x as f64 + 0.5,
            y as f64 + 0.5,
            f64::from(self.buffer.depth[at]),
        ];
        let pattern = (x & 1) + 2 * (y & 1);
        let slope = dot(n, SUN).max(0.0);
        let lit = match slope > 0.0 {
            true => slope * self.sun_visibility(here, n, slope, pattern),
            false => 0.0,
        };
        let open = 1.0 - self.ambient_occlusion(here, n, pattern);
        let sky = SKY.0 + (SKY.1 - SKY.0) * (0.5 + 0.5 * dot(n, self.up));
        // Half vector between light and viewer.
        let half = super::super::camera::unit([SUN[0], SUN[1], SUN[2] + 1.0]);
        let gloss = GLOSS * dot(n, half).max(0.0).powi(32) * lit;
        let sky = sky + LAMP * n[2];
        albedo.map(|c| c * (sky * open + SUNNY * lit * (0.55 + 0.45 * open)) + gloss)
    }

    /// The fraction of filter taps at which the light reaches a point.
    fn sun_visibility(&self, here: Vector, n: Vector, slope: f64, pattern: usize) -> f64 {
        let Some((sun, depths)) = &self.sun else {
            return 1.0;
        };
        let texel = self.view.scale / sun.scale;
        // Normal offset against self-shadowing: a texel has one depth, the surface below it a range of depths.
        let off = [0, 1, 2].map(|k| here[k] + 1.2 * texel * n[k]);
        let at = sun.to_screen(self.view.to_world(off));
        let steep = ((1.0 - slope * slope).max(0.0).sqrt() / slope).min(5.0);
        let limit = at[2] + 0.8 + SOFT * 0.6 * steep;
        let taps = &self.shadow_taps[pattern * SHADOWS..(pattern + 1) * SHADOWS];
        let shaded = taps.iter().filter(|tap| {
            let (x, y) = (at[0] + SOFT * tap[0], at[1] + SOFT * tap[1]);
            let inside = x >= 0.0 && y >= 0.0;
            let (x, y) = (x as usize, y as usize);
            inside
                && x < depths.wide
                && y < depths.high
                && f64::from(depths.depth[y * depths.wide + x]) > limit
        });
        1.0 - shaded.count() as f64 / SHADOWS as f64
    }

    /// The fraction of the sky that nearby surfaces occlude.
    fn ambient_occlusion(&self, here: Vector, n: Vector, pattern: usize) -> f64 {
        let buffer = self.buffer;
        let taps = &self.taps[pattern * TAPS..(pattern + 1) * TAPS];
        let mut sum = 0.0;
        for tap in taps {
            let (x, y) = (
                here[0] + self.occlusion_radius * tap[0],
                here[1] + self.occlusion_radius * tap[1],
            );
            if !(x >= 0.0 && y >= 0.0) {
                continue;
            }
            let (x, y) = (x as usize, y as usize);
            if x >= buffer.wide || y >= buffer.high {
                continue;
            }
            let at = y * buffer.wide + x;
            if buffer.body_at(at) == NOTHING {
                continue;
            }
            let v = [
                x as f64 + 0.5 - here[0],
                y as f64 + 0.5 - here[1],
                f64::from(buffer.depth[at]) - here[2],
            ];
            let far = dot(v, v).sqrt();
            // Bends of less than six degrees are ignored: stored normals are rounded.
            let rise = dot(n, v) / far.max(1e-9) - 0.1;
            let fade = 1.0 - (far / (2.5 * self.occlusion_radius)).min(1.0);
            sum += rise.max(0.0) * fade;
        }
        (1.7 * sum / TAPS as f64).min(0.9)
    }
}
