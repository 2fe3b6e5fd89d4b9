//! SVG writer of pictures: appends one element at a time to a string.

use std::fmt::{Display, Write};

use super::request::Theme;

/// SVG document under construction.
#[derive(Debug, Default)]
pub(super) struct SvgWriter {
    text: String,
    theme: Theme,
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

/// Horizontal alignment of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// Text with the characters escaped that XML reserves.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl SvgWriter {
    /// A page with white background.
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self::themed(width, height, Theme::Light)
    }

    /// A page with the background of a theme.
    pub(super) fn themed(width: f64, height: f64, theme: Theme) -> Self {
        let mut paper = Self::transparent(width, height, theme);
        let (w, h) = (Px(width), Px(height));
        paper.raw(format_args!(
            "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>"
        ));
        paper
    }

    /// A page without background, to be composited over pixels.
    pub(super) fn transparent(width: f64, height: f64, theme: Theme) -> Self {
        let (w, h) = (Px(width), Px(height));
        let mut paper = Self {
            text: String::new(),
            theme,
        };
        paper.raw(format_args!(
            "<svg width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\">"
        ));
        paper
    }

    /// Appends one line of SVG text.
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
        // A radius is small and gets three decimals.
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

    /// Closes the document and returns its text.
    pub(super) fn finish(mut self) -> String {
        self.text += "</svg>\n";
        match self.theme {
            Theme::Light => self.text,
            Theme::Dark => darkened(&self.text),
        }
    }
}

/// Greys of the light theme and their counterparts in the dark one. No body has one of them: fills are not pure
/// greys, and neither are their mixtures with black or white.
const DARK: [(&str, &str); 13] = [
    ("ffffff", "14161a"),
    ("222222", "e6e6e6"),
    ("333333", "d8d8d8"),
    ("444444", "b8b8b8"),
    ("666666", "989898"),
    ("888888", "6a6e76"),
    // Half-planes: solid side, patch, border and grid of the patch.
    ("f0efec", "2a2d32"),
    ("e9e8e5", "2a2d32"),
    ("b4b2ac", "565a60"),
    ("d0cec8", "3c4046"),
    // Forces, forces outside chains, plain fixed bodies.
    ("b23038", "ff7a6b"),
    ("a8a49e", "7d7a76"),
    ("d0d0ce", "787c82"),
];

/// Background colour of a page.
pub(super) fn ground(theme: Theme) -> [u8; 3] {
    match theme {
        Theme::Light => [255; 3],
        Theme::Dark => [0x14, 0x16, 0x1a],
    }
}

fn darkened(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split("\"#");
    out += parts.next().unwrap_or("");
    // Replace each known grey after `"#`.
    for part in parts {
        out += "\"#";
        let known = DARK.iter().find(|(light, _)| part.starts_with(light));
        match known {
            Some((light, dark)) => {
                out += dark;
                out += part.get(light.len()..).unwrap_or("");
            }
            None => out += part,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dark_page_has_other_greys_and_the_same_bodies() {
        let mut paper = SvgWriter::themed(10.0, 10.0, Theme::Dark);
        paper.circle((1.0, 1.0), 1.0, " fill=\"#440154\" stroke=\"#222222\"");
        let text = paper.finish();
        assert!(text.contains("fill=\"#14161a\""), "{text}");
        assert!(
            text.contains("fill=\"#440154\" stroke=\"#e6e6e6\""),
            "{text}"
        );
        assert!(!text.contains("#ffffff") && !text.contains("#222222"));
    }
}
