//! Pictures and films of runs, rendered without a browser.
//!
//! ```text
//! records → FrameSequence (recorded states) ─ FilmSchedule ─→ frames ─ ImageWriter ─→ Image → PNG, GIF, raw pixels
//! ```
//!
//! A frame at film time τ shows the recorded state nearest to t = from + speed τ: nothing is interpolated. All
//! frames of a film share window, colour scale and widths of force lines, found in a pass over the states
//! before the first frame is drawn. Memory is that of one state, one picture and, for a GIF, the previous
//! frame.

mod frame_sequence;
mod gif;
mod palette;
mod schedule;

pub use frame_sequence::{FrameRenderer, FrameSequence, RenderOptions};
pub use gif::GifWriter;
pub use palette::Palette;
pub use schedule::{FilmFrame, FilmSchedule, FilmSpeed};
