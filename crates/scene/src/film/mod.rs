//! Stills and films of runs, without a browser.
//!
//! ```text
//! records → Reel (recorded states) ─ plan ─→ frames ─ Easel ─→ Image → PNG, GIF, raw pixels
//! ```
//!
//! A frame at film time τ shows the recorded state nearest to t = from + speed τ: nothing is interpolated. All
//! frames of a film share window, colours and widths of forces, found in a pass over the states before the
//! first one is drawn. Memory is that of one state, one picture and, for a GIF, the frame before.

mod gif;
mod palette;
mod plan;
mod reel;

pub use gif::GifWriter;
pub use palette::Palette;
pub use plan::{FilmFrame, FilmSchedule, FilmSpeed};
pub use reel::{FrameRenderer, FrameSequence, RenderOptions};
