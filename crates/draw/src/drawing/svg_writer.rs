//! SVG writer of drawings: appends one element at a time to a string.

use std::fmt::{Display, Write};

/// A length in pixels, written to a hundredth.
pub(super) struct Px(pub f64);

impl Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is far outside the picture need not be exact, but must be a number.
        let x = (self.0 * 100.0).round().clamp(-1e9, 1e9) / 100.0;
        match x == 0.0 || x.is_nan() {
            true => f.write_str("0"),
            false => write!(f, "{x}"),
        }
    }
}

/// Stroke and fill of an SVG element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke<'a> {
    pub colour: &'a str,
    /// Stroke width in pixels.
    pub width: f64,
    /// Stroke opacity, 0 to 1.
    pub opacity: f64,
    /// Fill opacity, 0 for no fill.
    pub fill: f64,
}

/// SVG document under construction.
pub(super) struct SvgWriter {
    text: String,
}

impl SvgWriter {
    pub fn new((width, height): (f64, f64), ground: &str) -> Self {
        let (w, h) = (Px(width), Px(height));
        let mut paper = Self {
            text: String::new(),
        };
        paper.raw(format_args!(
            "<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"{ground}\"/>"
        ));
        paper
    }

    /// Appends one line of SVG text.
    pub fn raw(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Text of a size in pixels; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, at: (f64, f64), size: f64, anchor: &str, colour: &str, words: &str) {
        let words = words
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let (x, y, size) = (Px(at.0), Px(at.1), Px(size));
        self.raw(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\">{words}</text>"
        ));
    }

    /// A polyline through points, or a closed polygon.
    pub fn line(&mut self, points: &[(f64, f64)], closed: bool, ink: Stroke<'_>) {
        let name = if closed { "polygon" } else { "polyline" };
        let _ = write!(self.text, "<{name} points=\"");
        for (k, (x, y)) in points.iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            let _ = write!(self.text, "{gap}{},{}", Px(*x), Px(*y));
        }
        let attributes = attributes(ink);
        self.raw(format_args!(
            "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{attributes}/>"
        ));
    }

    pub fn circle(&mut self, at: (f64, f64), radius: f64, ink: Stroke<'_>) {
        let (x, y, r) = (Px(at.0), Px(at.1), Px(radius));
        let attributes = attributes(ink);
        self.raw(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{attributes}/>"
        ));
    }

    pub fn finish(mut self) -> String {
        self.text += "</svg>\n";
        self.text
    }
}

fn attributes(ink: Stroke<'_>) -> String {
    let Stroke { colour, .. } = ink;
    let inside = match ink.fill > 0.0 {
        true => format!(" fill=\"{colour}\" fill-opacity=\"{}\"", Px(ink.fill)),
        false => " fill=\"none\"".to_string(),
    };
    let strength = match ink.opacity < 1.0 {
        true => format!(" stroke-opacity=\"{}\"", Px(ink.opacity)),
        false => String::new(),
    };
    let width = Px(ink.width);
    format!("{inside} stroke=\"{colour}\" stroke-width=\"{width}\"{strength}")
}
