//! A picture as PNG: the SVG, rasterised with a typeface of its own.
//!
//! No font of the machine is used, so a picture is the same everywhere.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// DejaVu Sans, reduced to the letters of European languages, Greek and some mathematics (licence
/// beside it).
const FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");

/// Pixels of the picture for one of the SVG: sharp on screens of high resolution and in print.
const ZOOM: f32 = 2.0;

/// The picture as the bytes of a PNG file.
///
/// # Errors
/// The text is no SVG, or is too large to be drawn.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        font_family: "DejaVu Sans".into(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|e| e.to_string())?;
    let size = tree.size().to_int_size();
    let zoomed = size
        .scale_by(ZOOM)
        .ok_or("the picture is too large to be drawn")?;
    let mut picture = Pixmap::new(zoomed.width(), zoomed.height())
        .ok_or("the picture is too large to be drawn")?;
    let zoom = Transform::from_scale(ZOOM, ZOOM);
    resvg::render(&tree, zoom, &mut picture.as_mut());
    picture.encode_png().map_err(|e| e.to_string())
}
