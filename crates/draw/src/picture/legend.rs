//! Legend of a picture: axes, scale bar, axis triad, colour bar, widths of forces.

use percuss_record::number::format_short;

use super::body_colours::ColourLegend;
use super::camera::Camera;
use super::colour::FORCE;
use super::force_lines::ForceWidths;
use super::panel::Panel;
use super::svg_writer::{Anchor, Px, SvgWriter};
use crate::axis::{Ticks, nice_floor};

/// Width of the colour bar in pixels.
const BAR: f64 = 14.0;

/// Maximal number of material names listed.
const SWATCHES: usize = 12;

/// Width of the legend in pixels.
pub(super) fn width(key: &ColourLegend) -> f64 {
    match key {
        ColourLegend::None => 6.0,
        // Room for the tick labels, and for the heading above them.
        ColourLegend::Bar { label, .. } => (12.0 + 8.5 * label.chars().count() as f64).max(84.0),
        ColourLegend::Swatches(names) => {
            let longest = names.iter().map(|(n, _)| n.chars().count()).max();
            34.0 + 7.5 * longest.unwrap_or(0).min(24) as f64
        }
    }
}

/// Draws the legend beside the panels.
pub(super) fn draw(paper: &mut SvgWriter, panel: &Panel, x: f64, tall: f64, key: &ColourLegend) {
    match key {
        ColourLegend::None => {}
        ColourLegend::Bar { label, ramp, pale } => {
            let top = panel.at.1 + 20.0;
            let high = (tall - 26.0).clamp(60.0, 360.0);
            paper.text((x, top - 8.0), 13.0, Anchor::Left, label);
            // The colour bar as an SVG gradient of 17 stops.
            paper.raw(format_args!(
                "<linearGradient id=\"bar\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">"
            ));
            for k in 0..=16 {
                let place = f64::from(k) / 16.0;
                let colour = ramp.at(place).lighter(*pale);
                paper.raw(format_args!(
                    "<stop offset=\"{place}\" stop-color=\"{colour}\"/>"
                ));
            }
            paper.raw(format_args!("</linearGradient>"));
            let style = " fill=\"url(#bar)\" stroke=\"#888888\" stroke-width=\"0.6\"";
            paper.rect((x, top), (BAR, high), style);
            // Ticks with labels.
            let marks = Ticks::between(ramp.low, ramp.high, 5);
            for (mark, text) in marks.all() {
                let place = (mark - ramp.low) / (ramp.high - ramp.low);
                let y = top + (1.0 - place) * high;
                let tick = " stroke=\"#444444\" stroke-width=\"0.8\"";
                paper.line((x + BAR, y), (x + BAR + 4.0, y), tick);
                paper.text((x + BAR + 7.0, y + 4.0), 11.5, Anchor::Left, &text);
            }
        }
        // Named colours.
        ColourLegend::Swatches(names) => {
            for (k, (name, colour)) in names.iter().take(SWATCHES).enumerate() {
                let y = panel.at.1 + 6.0 + 20.0 * k as f64;
                let style = format!(" fill=\"{colour}\" stroke=\"#666666\" stroke-width=\"0.6\"");
                paper.rect((x, y), (14.0, 14.0), &style);
                let short: String = name.chars().take(24).collect();
                paper.text((x + 20.0, y + 11.5), 12.5, Anchor::Left, &short);
            }
        }
    }
}

/// Ticks on the left and below, in coordinates of the plane.
pub(super) fn axes(paper: &mut SvgWriter, panel: &Panel) {
    let (left, bottom) = (panel.at.0, panel.at.1 + panel.size.1);
    let (low, high) = (panel.window.low, panel.window.high);
    let tick = " stroke=\"#444444\" stroke-width=\"0.8\"";
    // Few enough ticks that labels do not overlap.
    let across = ((panel.size.0 / 80.0) as usize).clamp(2, 9);
    for (mark, text) in Ticks::between(low.0, high.0, across).all() {
        let (x, _) = panel.to_pixels((mark, low.1));
        paper.line((x, bottom), (x, bottom + 4.0), tick);
        paper.text((x, bottom + 17.0), 12.0, Anchor::Middle, &text);
    }
    let along = ((panel.size.1 / 50.0) as usize).clamp(2, 9);
    for (mark, text) in Ticks::between(low.1, high.1, along).all() {
        let (_, y) = panel.to_pixels((low.0, mark));
        paper.line((left - 4.0, y), (left, y), tick);
        paper.text((left - 7.0, y + 4.0), 12.0, Anchor::Right, &text);
    }
    let middle = panel.at.0 + 0.5 * panel.size.0;
    paper.text((middle, bottom + 36.0), 13.0, Anchor::Middle, "x (m)");
    let high = panel.at.1 + 0.5 * panel.size.1;
    // Rotated along the axis: beside it are the tick labels.
    paper.group(&format!("transform=\"rotate(-90 18 {})\"", Px(high)));
    paper.text((18.0, high), 13.0, Anchor::Middle, "y (m)");
    paper.end();
}

/// A scale bar of a round length; returns the x coordinate of its end.
pub(super) fn scale_bar(paper: &mut SvgWriter, panel: &Panel, at: (f64, f64)) -> f64 {
    let length = nice_floor(0.25 * panel.size.0.max(120.0) / panel.scale);
    let wide = length * panel.scale;
    let style = " stroke=\"#222222\" stroke-width=\"1.4\"";
    paper.line(at, (at.0 + wide, at.1), style);
    for x in [at.0, at.0 + wide] {
        paper.line((x, at.1 - 4.0), (x, at.1 + 4.0), style);
    }
    let text = format_short(length);
    paper.text((at.0 + wide + 8.0, at.1 + 4.5), 12.5, Anchor::Left, &text);
    at.0 + wide + 40.0 + 8.0 * text.chars().count() as f64
}

/// Triad of axis directions in the lower left corner.
pub(super) fn triad(paper: &mut SvgWriter, panel: &Panel, camera: &Camera) {
    let long = (0.06 * panel.size.0).clamp(14.0, 30.0);
    let at = (
        panel.at.0 + long + 14.0,
        panel.at.1 + panel.size.1 - long - 12.0,
    );
    let axes = [
        ("x", [1.0, 0.0, 0.0]),
        ("y", [0.0, 1.0, 0.0]),
        ("z", [0.0, 0.0, 1.0]),
    ];
    for (name, axis) in axes {
        let (u, v) = camera.project(axis);
        let end = (at.0 + long * u, at.1 - long * v);
        paper.line(at, end, " stroke=\"#333333\" stroke-width=\"1.1\"");
        // An axis towards the viewer has no length on screen: its label is kept away from the others.
        let away = 9.0 / u.hypot(v).max(0.3);
        let name_at = (end.0 + away * u, end.1 - away * v + 3.5);
        paper.text(name_at, 11.0, Anchor::Middle, name);
    }
}

/// Legend of the largest force and its line width.
pub(super) fn force(paper: &mut SvgWriter, at: (f64, f64), widths: &ForceWidths) {
    let width = Px(widths.widest);
    let y = at.1 - 4.5;
    let style = format!(" stroke=\"{FORCE}\" stroke-width=\"{width}\" stroke-linecap=\"round\"");
    paper.line((at.0, y), (at.0 + 26.0, y), &style);
    let text = match widths.largest > 0.0 {
        true => format!("largest force {} N", format_short(widths.largest)),
        false => "no forces".into(),
    };
    paper.text((at.0 + 38.0, at.1), 12.5, Anchor::Left, &text);
}
