//! Image writer: pictures of one run as pixels or SVG, all with the same window and scales.
//!
//! In the plane the SVG is rasterised. In space the bodies are rendered to pixels ([`super::render`]) and the
//! SVG overlay (forces, border, title, legend) is drawn over them.

use percuss_record::frame::Frame;

use super::body_colours::PALE;
use super::common_scale::{CommonScale, camera};
use super::half_spaces::patches;
use super::periodic_images::wrap_bodies;
use super::render::{Raster, RenderScene, RenderView, render};
use super::request::PictureRequest;
use super::svg_page::{BodyShapes, Layer, SvgPage};
use super::svg_writer::ground;
use crate::rasterise::draw_over;

/// A page of this many pixels has text at its nominal size; text scales with the page.
const PLAIN: f64 = 960.0 * 600.0;

/// Size of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// As large as its content needs, times this zoom.
    Natural(f64),
    /// Width and height in pixels.
    Pixels(usize, usize),
}

/// Pixels of a picture: red, green, blue, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

impl Image {
    /// As the bytes of a PNG file.
    ///
    /// # Errors
    /// It is too large for the format.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let side = |n: usize| u32::try_from(n).map_err(|e| e.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side(self.width)?, side(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::Adaptive);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rgb));
        written.map_err(|e| e.to_string())?;
        Ok(bytes)
    }

    /// Composites pixels with opacity over the rasterised SVG; the result is opaque.
    pub fn of_svg(
        svg: &str,
        zoom: f64,
        (width, height): (usize, usize),
        pixels: Vec<u8>,
    ) -> Result<Self, String> {
        let drawn = draw_over(svg, zoom, (width, height), pixels)?;
        let rgb = drawn.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]);
        Ok(Self {
            width,
            height,
            rgb: rgb.collect(),
        })
    }
}

/// Zoom from SVG pixels to image pixels, and the size of the page where it is given.
pub fn zoom(size: Size) -> (f64, Option<(f64, f64)>) {
    match size {
        Size::Natural(zoom) => (zoom, None),
        Size::Pixels(width, height) => {
            let (w, h) = (width as f64, height as f64);
            let zoom = (w * h / PLAIN).sqrt().clamp(0.6, 4.0);
            (zoom, Some((w / zoom, h / zoom)))
        }
    }
}

/// Writes pictures of the states of one run.
#[derive(Debug)]
pub struct ImageWriter<'a> {
    company: BodyShapes<'a>,
    request: PictureRequest,
    look: CommonScale,
    size: Size,
}

impl<'a> ImageWriter<'a> {
    /// For one frame; [`ImageWriter::include`] widens window and scales for others.
    pub fn new(
        company: BodyShapes<'a>,
        still: &Frame,
        request: PictureRequest,
        size: Size,
    ) -> Self {
        Self {
            look: CommonScale::of(&company, std::slice::from_ref(still), &request),
            company,
            request,
            size,
        }
    }

    /// Widens window, colour scale and force widths to include a frame.
    pub fn include(&mut self, still: &Frame) {
        let stills = std::slice::from_ref(still);
        self.look
            .join(&CommonScale::of(&self.company, stills, &self.request));
    }

    fn page(&self) -> (SvgPage<'_>, f64) {
        let (zoom, size) = zoom(self.size);
        let page = SvgPage::new(self.company, &self.request, &self.look, 1, size);
        (page, zoom)
    }

    /// A frame as SVG.
    pub fn svg(&self, still: &Frame) -> String {
        self.page().0.svg(std::slice::from_ref(still), Layer::All)
    }

    /// A frame as pixels.
    ///
    /// # Errors
    /// The picture is too large.
    pub fn image(&self, still: &Frame) -> Result<Image, String> {
        let (page, zoom) = self.page();
        let stills = std::slice::from_ref(still);
        let size = match self.size {
            Size::Pixels(width, height) => (width, height),
            Size::Natural(_) => {
                // Even width and height: video encoders need them.
                let even = |length: f64| 2 * (0.5 * length * zoom).ceil().max(1.0) as usize;
                (even(page.layout.page.0), even(page.layout.page.1))
            }
        };
        let [r, g, b] = ground(self.request.theme);
        let mut pixels: Vec<u8> = [r, g, b, 255].repeat(size.0 * size.1);
        if self.company.dimension == 2 {
            return Image::of_svg(&page.svg(stills, Layer::All), zoom, size, pixels);
        }
        let (at, raster) = self.solids(&page, zoom, still);
        let pale = self.request.forces || self.request.fade_bodies;
        lay(
            &mut pixels,
            size,
            &raster,
            at,
            if pale { 1.0 - PALE } else { 1.0 },
        );
        Image::of_svg(&page.svg(stills, Layer::Overlay), zoom, size, pixels)
    }

    /// The bodies of the panel rendered to pixels, and the position of these pixels on the page.
    fn solids(&self, page: &SvgPage<'_>, zoom: f64, still: &Frame) -> ((usize, usize), Raster) {
        let panel = page.layout.panel(0);
        // Whole pixels inside the border, and the window that they show.
        let low = |x: f64| (x * zoom).ceil();
        let high = |x: f64| (x * zoom).floor();
        let (x0, y0) = (low(panel.at.0), low(panel.at.1));
        let (x1, y1) = (
            high(panel.at.0 + panel.size.0),
            high(panel.at.1 + panel.size.1),
        );
        let mut window = panel.window;
        let right = |x: f64| panel.window.low.0 + (x / zoom - panel.at.0) / panel.scale;
        let up = |y: f64| panel.window.high.1 - (y / zoom - panel.at.1) / panel.scale;
        window.low = (right(x0), up(y1));
        window.high = (right(x1), up(y0));
        let size = ((x1 - x0).max(1.0) as usize, (y1 - y0).max(1.0) as usize);
        let spread = wrap_bodies(self.company.bodies, still);
        let fills = page.paint(std::slice::from_ref(still)).fills;
        let fills = spread.fills(fills.first().map_or(&[], Vec::as_slice));
        let room = self.look.room.as_ref();
        let found = room.map(|room| patches(&spread.bodies, &spread.still, room, &page.camera));
        let cast = RenderScene {
            bodies: &spread.bodies,
            still: &spread.still,
            fills: &fills,
        };
        let shot = RenderView {
            camera: &page.camera,
            window,
            size,
            patches: found.as_deref().unwrap_or(&[]),
            theme: self.request.theme,
        };
        ((x0 as usize, y0 as usize), render(&cast, &shot))
    }
}

/// Composites pixels over others (source over).
fn lay(under: &mut [u8], size: (usize, usize), raster: &Raster, at: (usize, usize), share: f64) {
    for (y, row) in raster.pixels.chunks(raster.width.max(1)).enumerate() {
        let begin = 4 * ((y + at.1) * size.0 + at.0);
        let Some(line) = under.get_mut(begin..) else {
            return;
        };
        let wide = raster.width.min(size.0.saturating_sub(at.0));
        // Premultiplied source over the page, faded by `share`.
        for (old, new) in line.chunks_exact_mut(4).take(wide).zip(row) {
            let left = 1.0 - share * f64::from(new[3]) / 255.0;
            for k in 0..3 {
                let mixed = share * f64::from(new[k]) + left * f64::from(old[k]);
                old[k] = mixed.round().min(255.0) as u8;
            }
        }
    }
}

/// The bodies of space alone, without page and half-spaces, as pixels; the window is widened to fill the image.
pub fn render_bodies(
    company: &BodyShapes<'_>,
    still: &Frame,
    request: &PictureRequest,
    (width, height): (usize, usize),
) -> Raster {
    let look = CommonScale::of(company, std::slice::from_ref(still), request);
    let (width, height) = (width.max(1), height.max(1));
    // The window is widened to the aspect ratio of the image.
    let (w, h) = look.window.size();
    let scale = (width as f64 / w).min(height as f64 / h);
    let wish = (request, look.span);
    let flat = company.dimension == 2;
    let stills = std::slice::from_ref(still);
    let paint =
        super::body_colours::BodyColours::of(company.bodies, stills, company.first, flat, wish);
    // Periodic images, with the colours of their bodies.
    let spread = wrap_bodies(company.bodies, still);
    let fills = spread.fills(paint.fills.first().map_or(&[], Vec::as_slice));
    let cast = RenderScene {
        bodies: &spread.bodies,
        still: &spread.still,
        fills: &fills,
    };
    let shot = RenderView {
        camera: &camera(company, request),
        window: look
            .window
            .at_least((width as f64 / scale, height as f64 / scale)),
        size: (width, height),
        patches: &[],
        theme: request.theme,
    };
    render(&cast, &shot)
}
