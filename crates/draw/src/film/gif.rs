//! GIF encoder: one palette for all frames; of each frame, only the rectangle that changed is stored.

use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::palette::Palette;
use crate::picture::Image;

/// Palette index that means transparent: unchanged since the previous frame.
const TRANSPARENT_INDEX: u8 = 255;

/// Writes a GIF frame by frame.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    size: (usize, usize),
    shown: Vec<u8>,
    /// The last frame, not yet written: identical frames are merged and their delays added.
    waiting: Option<(Frame<'static>, f64)>,
    /// Seconds of all frames so far, and hundredths of a second that were written.
    seconds: f64,
    written: f64,
}

impl<W: Write> std::fmt::Debug for GifWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GifWriter")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl<W: Write> GifWriter<W> {
    /// An endlessly repeating GIF of this size.
    ///
    /// # Errors
    /// It is too large for the format, or writing fails.
    pub fn new(out: W, size: (usize, usize), palette: Palette) -> Result<Self, String> {
        let side =
            |n: usize| u16::try_from(n).map_err(|_| format!("{n} pixels are too many for a GIF"));
        let (width, height) = (side(size.0)?, side(size.1)?);
        // Global palette, padded to 256 entries.
        let mut colours: Vec<u8> = palette.colours.iter().flatten().copied().collect();
        colours.resize(3 * 256, 0);
        let encoder = Encoder::new(out, width, height, &colours);
        let mut encoder = encoder.map_err(|e| e.to_string())?;
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(|e| e.to_string())?;
        Ok(Self {
            encoder,
            palette,
            size,
            shown: Vec::new(),
            waiting: None,
            seconds: 0.0,
            written: 0.0,
        })
    }

    /// Adds a frame that is shown for so many seconds.
    ///
    /// # Errors
    /// It has another size, or writing fails.
    pub fn add(&mut self, image: &Image, seconds: f64) -> Result<(), String> {
        if (image.width, image.height) != self.size {
            return Err("a frame has another size than the film".into());
        }
        let pixels = image.rgb.chunks_exact(3);
        // Quantise to the palette.
        let now: Vec<u8> = pixels
            .map(|p| self.palette.nearest([p[0], p[1], p[2]]))
            .collect();
        // An identical frame prolongs the pending one.
        match self.changed(&now) {
            None => {
                if let Some((_, lasts)) = &mut self.waiting {
                    *lasts += seconds;
                }
            }
            Some(frame) => {
                self.flush()?;
                self.waiting = Some((frame, seconds));
                self.shown = now;
            }
        }
        Ok(())
    }

    /// The part of a frame that changed since the previous one; `None` where nothing changed.
    fn changed(&self, now: &[u8]) -> Option<Frame<'static>> {
        let (wide, high) = self.size;
        let differs = |at: usize| self.shown.get(at) != now.get(at);
        let row = |y: usize| (y * wide..(y + 1) * wide).any(differs);
        let top = (0..high).find(|y| row(*y))?;
        let bottom = (top..high).rev().find(|y| row(*y))?;
        let column = |x: usize| (top..=bottom).any(|y| differs(y * wide + x));
        let left = (0..wide).find(|x| column(*x))?;
        let right = (left..wide).rev().find(|x| column(*x))?;
        let mut part = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
        for y in top..=bottom {
            for at in y * wide + left..=y * wide + right {
                part.push(if differs(at) {
                    now[at]
                } else {
                    TRANSPARENT_INDEX
                });
            }
        }
        // The conversions cannot fail: the film's size fits the format.
        Some(Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            buffer: part.into(),
            transparent: Some(TRANSPARENT_INDEX),
            dispose: DisposalMethod::Keep,
            ..Frame::default()
        })
    }

    /// Writes the pending frame. Delays are whole hundredths of a second; the rounding error is carried to the
    /// next frame.
    fn flush(&mut self) -> Result<(), String> {
        let Some((mut frame, seconds)) = self.waiting.take() else {
            return Ok(());
        };
        self.seconds += seconds;
        let delay = ((100.0 * self.seconds).round() - self.written).clamp(2.0, 65_535.0);
        self.written += delay;
        frame.delay = delay as u16;
        self.encoder.write_frame(&frame).map_err(|e| e.to_string())
    }

    /// Writes the pending frame, and returns the file.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(mut self) -> Result<W, String> {
        self.flush()?;
        self.encoder.into_inner().map_err(|e| e.to_string())
    }
}
