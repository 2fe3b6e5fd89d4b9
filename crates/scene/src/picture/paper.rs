//! SVG text, element by element.

use std::fmt::{Display, Write};

/// SVG text that grows.
#[derive(Debug, Default)]
pub(super) struct Paper {
    text: String,
}

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

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// Letters that XML needs otherwise.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Paper {
    /// A page in white.
    pub(super) fn new(width: f64, height: f64) -> Self {
        let (w, h) = (Px(width), Px(height));
        let mut paper = Self::default();
        paper.raw(format_args!(
            "<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>"
        ));
        paper
    }

    /// A line of SVG.
    pub(super) fn raw(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Opens a group with attributes.
    pub(super) fn group(&mut self, attributes: &str) {
        self.raw(format_args!("<g {attributes}>"));
    }

    /// Closes a group.
    pub(super) fn end(&mut self) {
        self.raw(format_args!("</g>"));
    }

    /// Text of a size in pixels.
    pub(super) fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Left => "start",
            Anchor::Middle => "middle",
            Anchor::Right => "end",
        };
        self.raw(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\" \
             fill=\"#222222\">{}</text>",
            Px(at.0),
            Px(at.1),
            Px(size),
            escaped(text)
        ));
    }

    /// A straight line; colour and width come from its group or from `attributes`.
    pub(super) fn line(&mut self, a: (f64, f64), b: (f64, f64), attributes: &str) {
        self.raw(format_args!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{attributes}/>",
            Px(a.0),
            Px(a.1),
            Px(b.0),
            Px(b.1)
        ));
    }

    /// A circle.
    pub(super) fn circle(&mut self, at: (f64, f64), radius: f64, attributes: &str) {
        // A radius is written finer: it is small.
        let r = (radius * 1000.0).round() / 1000.0;
        let (x, y) = (Px(at.0), Px(at.1));
        self.raw(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{attributes}/>"
        ));
    }

    /// A closed polygon.
    pub(super) fn polygon(
        &mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        attributes: &str,
    ) {
        self.points("polygon", points, attributes);
    }

    /// A line through points.
    pub(super) fn polyline(
        &mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        attributes: &str,
    ) {
        self.points("polyline", points, attributes);
    }

    fn points(
        &mut self,
        name: &str,
        points: impl IntoIterator<Item = (f64, f64)>,
        attributes: &str,
    ) {
        let _ = write!(self.text, "<{name} points=\"");
        for (k, (x, y)) in points.into_iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            let _ = write!(self.text, "{gap}{},{}", Px(x), Px(y));
        }
        self.raw(format_args!("\"{attributes}/>"));
    }

    /// A rectangle.
    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), attributes: &str) {
        self.raw(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{attributes}/>",
            Px(at.0),
            Px(at.1),
            Px(size.0),
            Px(size.1)
        ));
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.text += "</svg>\n";
        self.text
    }
}
