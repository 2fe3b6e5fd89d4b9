//! SVG page: title, panels side by side, axes or a scale bar, the legend.

use percuss_record::BodyDescription;
use percuss_record::frame::Frame;
use percuss_record::number::format_short;

use super::body_colours::{BodyColours, ColourLegend};
use super::camera::Camera;
use super::common_scale::{CommonScale, camera};
use super::force_lines::ForceWidths;
use super::layout::Layout;
use super::panel::Panel;
use super::periodic_images::WrappedBodies;
use super::request::PictureRequest;
use super::svg_writer::{Anchor, SvgWriter};
use super::{
    annotations as mark, force_lines as force, joint_glyphs as joint, legend as key,
    periodic_images as images, plane, space,
};

/// Bodies of a run: shapes, dimension and initial state.
#[derive(Debug, Clone, Copy)]
pub struct BodyShapes<'a> {
    /// Descriptions of the bodies.
    pub bodies: &'a [BodyDescription],
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// The initial state, which displacements refer to.
    pub first: &'a Frame,
}

/// Draws bodies at one or several instants as SVG.
pub fn draw(company: &BodyShapes<'_>, stills: &[Frame], request: &PictureRequest) -> String {
    let look = CommonScale::of(company, stills, request);
    let page = SvgPage::new(*company, request, &look, stills.len(), None);
    page.svg(stills, Layer::All)
}

/// Layers of a page to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Everything.
    All,
    /// What lies over and beside the bodies, which are rendered to pixels separately.
    Overlay,
}

/// A page with its layout and scales.
pub(super) struct SvgPage<'a> {
    company: BodyShapes<'a>,
    request: &'a PictureRequest,
    look: &'a CommonScale,
    pub camera: Camera,
    pub layout: Layout,
    key: ColourLegend,
    widths: Option<ForceWidths>,
}

impl<'a> SvgPage<'a> {
    /// A page for this many frames, of a given size if there is one.
    pub(super) fn new(
        company: BodyShapes<'a>,
        request: &'a PictureRequest,
        look: &'a CommonScale,
        count: usize,
        size: Option<(f64, f64)>,
    ) -> Self {
        // The legend is needed for the layout: it takes room beside the panels.
        let flat = company.dimension == 2;
        let wish = (request, look.span);
        let key = BodyColours::of(company.bodies, &[], company.first, flat, wish).key;
        let layout = match size {
            None => Layout::of(&look.window, count, flat, &key),
            Some(size) => Layout::fitted(&look.window, flat, &key, size),
        };
        let scale = layout.scale;
        Self {
            company,
            request,
            look,
            camera: camera(&company, request),
            widths: request
                .forces
                .then(|| force::widths(company.bodies, look.largest, scale)),
            layout,
            key,
        }
    }

    /// Fill colours of the bodies of frames.
    pub(super) fn paint(&self, stills: &[Frame]) -> BodyColours {
        let flat = self.company.dimension == 2;
        let wish = (self.request, self.look.span);
        BodyColours::of(self.company.bodies, stills, self.company.first, flat, wish)
    }

    /// The page with frames, as SVG.
    pub(super) fn svg(&self, stills: &[Frame], layer: Layer) -> String {
        let alone = self.company.dimension == 2 && stills.len() == 1;
        let ((width, height), theme) = (self.layout.page, self.request.theme);
        let mut paper = match layer {
            Layer::All => SvgWriter::themed(width, height, theme),
            Layer::Overlay => SvgWriter::transparent(width, height, theme),
        };
        title(&mut paper, width, &heading(self.request, stills));
        // The overlay has no fills: bodies are rendered separately.
        let paint = match layer {
            Layer::All => self.paint(stills).fills,
            Layer::Overlay => vec![Vec::new(); stills.len()],
        };
        // Panels: bodies, overlay, border, time label.
        for (k, (still, fills)) in stills.iter().zip(&paint).enumerate() {
            let spread = images::wrap_bodies(self.company.bodies, still);
            let panel = self.layout.panel(k);
            if stills.len() > 1 {
                let at = (panel.at.0 + 0.5 * panel.size.0, panel.at.1 - 7.0);
                paper.text(
                    at,
                    13.0,
                    Anchor::Middle,
                    &format!("t = {}", format_short(still.t)),
                );
            }
            open(&mut paper, &panel);
            if layer == Layer::All {
                self.bodies(&mut paper, &panel, &spread, &spread.fills(fills));
            }
            self.draw_over(&mut paper, &panel, &spread.still);
            paper.end();
            draw_border(&mut paper, &panel, &self.camera, alone);
            if let Some(decimals) = self.request.time_decimals {
                let at = (panel.at.0 + panel.size.0 - 8.0, panel.at.1 + 20.0);
                let time = format!("t = {:.decimals$} s", still.t);
                paper.text(at, 14.0, Anchor::Right, &time);
            }
        }
        // Scale bar, force legend and colour legend.
        let widths = self.widths.as_ref();
        foot(&mut paper, &self.layout, alone, widths);
        let (first, x) = (self.layout.panel(0), self.layout.key_at);
        key::draw(&mut paper, &first, x, self.layout.tall, &self.key);
        paper.finish()
    }

    fn bodies(
        &self,
        paper: &mut SvgWriter,
        panel: &Panel,
        spread: &WrappedBodies<'_>,
        fills: &[super::colour::Rgb],
    ) {
        let (bodies, still) = (&*spread.bodies, &*spread.still);
        let pale = self.request.forces || self.request.fade_bodies;
        // Planar shapes, or the painter's algorithm in space.
        if self.company.dimension == 2 {
            plane::draw(paper, panel, bodies, still, fills, !pale);
        } else {
            let what = (bodies, still, fills);
            let room = self.look.room.as_ref();
            space::draw(paper, panel, &self.camera, what, room, pale);
        }
    }

    /// Draws what lies over the bodies of a panel: joints, forces, annotations, the outline of the cell.
    fn draw_over(&self, paper: &mut SvgWriter, panel: &Panel, still: &Frame) {
        let camera = &self.camera;
        joint::draw(paper, panel, camera, &self.request.joints, still);
        if let Some(widths) = &self.widths {
            let chains = self.request.chains;
            let what = (self.company.bodies, still);
            force::draw(paper, panel, camera, what, widths, chains);
        }
        mark::draw(paper, panel, camera, &self.request.annotations);
        images::outline(paper, panel, camera, still);
    }
}

fn heading(request: &PictureRequest, stills: &[Frame]) -> String {
    match stills {
        [one] if !request.hide_time => format!("{}, t = {}", request.title, format_short(one.t)),
        _ => request.title.clone(),
    }
}

fn title(paper: &mut SvgWriter, width: f64, text: &str) {
    // A long title must stay inside the picture: letters are about six tenths as wide as high.
    let letters = text.chars().count().max(1) as f64;
    let size = ((width - 30.0) / (0.6 * letters)).clamp(8.0, 18.0);
    paper.text((0.5 * width, 28.0), size, Anchor::Middle, text);
}

/// Opens a group whose content is clipped to the panel.
fn open(paper: &mut SvgWriter, panel: &Panel) {
    let id = panel.number;
    paper.raw(format_args!("<clipPath id=\"panel{id}\">"));
    paper.rect(panel.at, panel.size, "");
    paper.raw(format_args!("</clipPath>"));
    paper.group(&format!("clip-path=\"url(#panel{id})\""));
}

/// The border, with axes or with a triad of axis directions.
fn draw_border(paper: &mut SvgWriter, panel: &Panel, camera: &Camera, axes: bool) {
    let border = " fill=\"none\" stroke=\"#888888\" stroke-width=\"0.8\"";
    paper.rect(panel.at, panel.size, border);
    if axes {
        key::axes(paper, panel);
    } else if *camera != Camera::flat() {
        key::triad(paper, panel, camera);
    }
}

/// Below the panels: a scale bar where there are no axes, and the legend of forces.
fn foot(paper: &mut SvgWriter, layout: &Layout, axes: bool, widths: Option<&ForceWidths>) {
    let bottom = layout.at.1 + layout.tall;
    let mut x = layout.at.0;
    if !axes {
        x = key::scale_bar(paper, &layout.panel(0), (x, bottom + 18.0));
    } else {
        // Beside the axis label: to its left where there is no room to its right.
        x = match layout.size.0 < 480.0 {
            true => 8.0,
            false => x + layout.size.0 - 190.0,
        };
    }
    if let Some(widths) = widths {
        let y = if axes { bottom + 38.0 } else { bottom + 22.0 };
        key::force(paper, (x, y), widths);
    }
}
