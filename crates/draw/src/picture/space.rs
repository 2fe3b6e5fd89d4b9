//! Bodies of space as SVG, by the painter's algorithm.

use std::collections::BTreeSet;

use percuss_record::BodyDescription;
use percuss_record::frame::Frame;

use super::body_colours::PALE;
use super::camera::Camera;
use super::colour::Rgb;
use super::half_spaces as ground;
use super::half_spaces::BoundingBox;
use super::order::order;
use super::panel::Panel;
use super::solid::{Facet, Form, Item, Sculptor};
use super::svg_writer::{Px, SvgWriter};

/// Maximal number of visible pieces that are shaded individually; with more, spheres and capsules have flat
/// colours.
const SHADED: usize = 20_000;

/// A sphere of a smaller radius has a flat colour, in pixels.
const SMALL: f64 = 1.5;

/// Number of nested strokes that shade a capsule.
const RINGS: usize = 16;

/// Draws the bodies of a frame; translucent with `pale`.
pub(super) fn draw(
    paper: &mut SvgWriter,
    panel: &Panel,
    camera: &Camera,
    (bodies, still, fills): (&[BodyDescription], &Frame, &[Rgb]),
    room: Option<&BoundingBox>,
    pale: bool,
) {
    paper.group("class=\"boundaries\"");
    if let Some(room) = room {
        for patch in ground::patches(bodies, still, room, camera) {
            ground::draw(paper, panel, camera, &patch);
        }
    }
    paper.end();
    let sculptor = Sculptor { panel, camera };
    let mut items = Vec::new();
    for (body, (name, place)) in bodies.iter().zip(&still.bodies).enumerate() {
        sculptor.add(body, &name.shape, place, &mut items);
    }
    let order = order(&items, panel);
    let fill = |item: &Item| {
        fills
            .get(item.body)
            .copied()
            .unwrap_or(super::colour::PLAIN)
    };
    let shaded = order.len() <= SHADED;
    if shaded {
        let balls = order
            .iter()
            .filter(|k| matches!(items[**k].form, Form::Ball(_, _, r) if r >= SMALL));
        let colours: BTreeSet<[u8; 3]> = balls.map(|k| fill(&items[*k]).parts()).collect();
        gradients(paper, panel, &colours);
    }
    let opacity = if pale { 1.0 - PALE } else { 1.0 };
    paper.group(&format!(
        "class=\"bodies\" stroke-linejoin=\"round\" opacity=\"{opacity}\""
    ));
    for k in order {
        let item = &items[k];
        let fill = fill(item);
        match &item.form {
            Form::Ball(at, _, r) => ball(paper, panel, *at, *r, fill, shaded),
            Form::Rod([(a, _), (b, _)], r) => rod(paper, *a, *b, *r, fill, shaded),
            Form::Facets(facets) => facets.iter().for_each(|f| facet(paper, f, fill)),
        }
    }
    paper.end();
}

/// A radial gradient of a sphere for every colour: light from the upper left.
fn gradients(paper: &mut SvgWriter, panel: &Panel, colours: &BTreeSet<[u8; 3]>) {
    paper.raw(format_args!("<defs>"));
    for [r, g, b] in colours {
        let fill = Rgb(*r, *g, *b);
        let id = gradient_id(panel, fill);
        let (bright, dark) = (fill.lighter(0.45), fill.darker(0.5));
        let middle = fill.darker(0.06);
        paper.raw(format_args!(
            "<radialGradient id=\"{id}\" cx=\"0.5\" cy=\"0.5\" r=\"0.5\" fx=\"0.32\" fy=\"0.27\">\
             <stop offset=\"0\" stop-color=\"{bright}\"/>\
             <stop offset=\"0.55\" stop-color=\"{middle}\"/>\
             <stop offset=\"1\" stop-color=\"{dark}\"/></radialGradient>"
        ));
    }
    paper.raw(format_args!("</defs>"));
}

fn gradient_id(panel: &Panel, fill: Rgb) -> String {
    let [r, g, b] = fill.parts();
    format!("b{}-{r:02x}{g:02x}{b:02x}", panel.number)
}

fn ball(paper: &mut SvgWriter, panel: &Panel, at: (f64, f64), r: f64, fill: Rgb, shaded: bool) {
    let line = fill.darker(0.6);
    let style = match (shaded, r >= SMALL) {
        (true, true) => format!(
            " fill=\"url(#{})\" stroke=\"{line}\" stroke-width=\"{}\"",
            gradient_id(panel, fill),
            Px((0.03 * r).clamp(0.2, 0.6))
        ),
        (false, true) => format!(" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"0.25\""),
        (_, false) => format!(" fill=\"{}\"", fill.darker(0.12)),
    };
    paper.circle(at, r, &style);
}

/// A capsule: nested strokes with round ends, each narrower, lighter and shifted towards the light.
fn rod(paper: &mut SvgWriter, a: (f64, f64), b: (f64, f64), r: f64, fill: Rgb, shaded: bool) {
    let mut stroke = |shift: f64, width: f64, colour: Rgb| {
        let by = (-0.36 * shift, -0.46 * shift);
        let style = format!(
            " stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\"",
            Px(width)
        );
        // Some renderers draw no caps on a line of zero length: it gets a hundredth of a pixel.
        let end = if a == b { (b.0 + 0.01, b.1) } else { b };
        paper.line(
            (a.0 + by.0, a.1 + by.1),
            (end.0 + by.0, end.1 + by.1),
            &style,
        );
    };
    stroke(0.0, 2.0 * r, fill.darker(0.6));
    let inner = r - (0.03 * r).clamp(0.2, 0.6);
    if !shaded || r < SMALL {
        stroke(0.0, 2.0 * inner, fill);
        return;
    }
    for k in 0..RINGS {
        let share = k as f64 / RINGS as f64;
        let colour = match share < 0.45 {
            true => fill.darker(0.5 - 0.44 * share / 0.45),
            false => fill.darker(0.06).lighter(0.45 * (share - 0.45) / 0.55),
        };
        stroke(share * inner, 2.0 * inner * (1.0 - share), colour);
    }
}

fn facet(paper: &mut SvgWriter, facet: &Facet, fill: Rgb) {
    let colour = fill
        .darker(0.55 * (1.0 - facet.light))
        .lighter(0.18 * facet.light);
    // Facets of a round surface get strokes of their own fill, so that no seam shows.
    let line = if facet.sharp {
        fill.darker(0.65)
    } else {
        colour
    };
    let style = format!(" fill=\"{colour}\" stroke=\"{line}\" stroke-width=\"0.5\"");
    paper.polygon(facet.corners.iter().copied(), &style);
}
