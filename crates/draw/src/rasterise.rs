//! Rasterises SVG to PNG with an embedded font.
//!
//! No system font is used, so a picture is the same on every machine.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// DejaVu Sans, a subset: European languages, Greek and some mathematics (licence beside the file).
const FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");

/// Image pixels per SVG pixel: sharp on screens of high resolution and in print.
const ZOOM: f32 = 2.0;

/// Error message of a picture that is too large.
const LARGE: &str = "the picture is too large to be drawn";

/// The font, parsed once.
fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let read = || {
        let mut fonts = Database::new();
        fonts.load_font_data(FONT.to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    };
    FONTS.get_or_init(read).clone()
}

fn tree(svg: &str) -> Result<Tree, String> {
    let options = Options {
        font_family: "DejaVu Sans".into(),
        fontdb: fonts(),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|e| e.to_string())
}

/// The picture as the bytes of a PNG file.
///
/// # Errors
/// The text is not valid SVG, or is too large to be drawn.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let tree = tree(svg)?;
    let size = tree.size().to_int_size().scale_by(ZOOM).ok_or(LARGE)?;
    let mut picture = Pixmap::new(size.width(), size.height()).ok_or(LARGE)?;
    let zoom = Transform::from_scale(ZOOM, ZOOM);
    resvg::render(&tree, zoom, &mut picture.as_mut());
    picture.encode_png().map_err(|e| e.to_string())
}

/// Draws SVG over pixels with this zoom; `pixels` are rows of red, green, blue with premultiplied alpha, and
/// alpha.
///
/// # Errors
/// The text is not valid SVG, or the number of pixels does not match the size.
pub fn draw_over(
    svg: &str,
    zoom: f64,
    (width, height): (usize, usize),
    pixels: Vec<u8>,
) -> Result<Vec<u8>, String> {
    let side = |n: usize| u32::try_from(n).map_err(|_| LARGE);
    let size = resvg::tiny_skia::IntSize::from_wh(side(width)?, side(height)?).ok_or(LARGE)?;
    let mut picture = Pixmap::from_vec(pixels, size).ok_or(LARGE)?;
    let zoom = Transform::from_scale(zoom as f32, zoom as f32);
    resvg::render(&tree(svg)?, zoom, &mut picture.as_mut());
    Ok(picture.take())
}
