//! A palette of 255 colours for all frames of a film, by median cut (colour quantisation).
//!
//! Colours are counted in a histogram of 32³ cells. The box of cells with the largest sum of squared distances
//! along its longest side is split where that side has half of its pixels, until there are as many boxes as
//! colours; each colour is the mean of its box. A pixel gets the nearest colour of the palette, looked up in a
//! table of 64³ cells. Index 255 means transparent: unchanged since the previous frame.

use crate::picture::Image;

/// Number of colours of a palette.
const COLOURS: usize = 255;

/// Bits per channel of the histogram.
const COUNTED: u32 = 5;
const LOOKED: u32 = 6;

/// A palette with a lookup table of nearest colours.
#[derive(Debug)]
pub struct Palette {
    /// Red, green, blue.
    pub colours: Vec<[u8; 3]>,
    /// Nearest colour by cell; beyond the number of colours where it has not been computed yet.
    nearest: Vec<u16>,
}

/// Colour histogram of pictures.
#[derive(Debug)]
pub(super) struct Census {
    /// Number and sums of red, green, blue, by cell.
    cells: Vec<[u64; 4]>,
}

fn cell(rgb: [u8; 3], bits: u32) -> usize {
    let part = |c: u8| usize::from(c >> (8 - bits));
    part(rgb[0]) << (2 * bits) | part(rgb[1]) << bits | part(rgb[2])
}

impl Census {
    pub(super) fn new() -> Self {
        Self {
            cells: vec![[0; 4]; 1 << (3 * COUNTED)],
        }
    }

    pub(super) fn add(&mut self, image: &Image) {
        for p in image.rgb.chunks_exact(3) {
            let rgb = [p[0], p[1], p[2]];
            let sums = &mut self.cells[cell(rgb, COUNTED)];
            sums[0] += 1;
            (0..3).for_each(|k| sums[k + 1] += u64::from(rgb[k]));
        }
    }

    pub(super) fn palette(&self) -> Palette {
        let used = (0..self.cells.len()).filter(|k| self.cells[*k][0] > 0);
        let mut boxes = vec![Block::of(self, used.collect())];
        // Split the box of largest spread until there are enough.
        while boxes.len() < COLOURS {
            let spread = |k: &usize| boxes[*k].spread;
            let widest = (0..boxes.len()).max_by(|a, b| spread(a).total_cmp(&spread(b)));
            let Some(widest) = widest.filter(|k| spread(k) > 0.0) else {
                break;
            };
            let (low, high) = boxes.swap_remove(widest).halves(self);
            boxes.push(low);
            boxes.push(high);
        }
        let mut colours: Vec<[u8; 3]> = boxes.iter().map(|block| block.mean(self)).collect();
        colours.sort_unstable();
        Palette {
            colours,
            nearest: vec![u16::MAX; 1 << (3 * LOOKED)],
        }
    }

    /// Mean colour of a cell.
    fn mean(&self, cell: usize, k: usize) -> f64 {
        self.cells[cell][k + 1] as f64 / self.cells[cell][0] as f64
    }
}

/// A box of cells that gets one colour.
struct Block {
    cells: Vec<usize>,
    axis: usize,
    /// Sum of squared distances from the mean along its longest side.
    spread: f64,
}

impl Block {
    fn of(census: &Census, cells: Vec<usize>) -> Self {
        let mut best = (0, 0.0);
        for axis in 0..3 {
            let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for cell in &cells {
                let count = census.cells[*cell][0] as f64;
                // Weight √count: a picture is mostly background, and small features must keep their colours.
                let (weight, x) = (count.sqrt(), census.mean(*cell, axis));
                n += weight;
                sum += weight * x;
                squares += weight * x * x;
            }
            let spread = squares - sum * sum / n;
            if spread > best.1 {
                best = (axis, spread);
            }
        }
        Self {
            spread: if cells.len() > 1 { best.1 } else { 0.0 },
            axis: best.0,
            cells,
        }
    }

    /// Splits the box where half of the weight is on either side.
    fn halves(mut self, census: &Census) -> (Self, Self) {
        let axis = self.axis;
        let key = |cell: &usize| (census.mean(*cell, axis), *cell);
        self.cells.sort_unstable_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        // Weighted median along the longest side.
        let weight = |cell: &usize| (census.cells[*cell][0] as f64).sqrt();
        let half = 0.5 * self.cells.iter().map(weight).sum::<f64>();
        let mut sum = 0.0;
        let cut = self.cells.iter().position(|cell| {
            sum += weight(cell);
            sum >= half
        });
        let cut = (cut.unwrap_or(0) + 1).min(self.cells.len() - 1);
        let high = self.cells.split_off(cut);
        (Self::of(census, self.cells), Self::of(census, high))
    }

    fn mean(&self, census: &Census) -> [u8; 3] {
        let mut sums = [0_u64; 4];
        for cell in &self.cells {
            (0..4).for_each(|k| sums[k] += census.cells[*cell][k]);
        }
        let count = sums[0].max(1);
        std::array::from_fn(|k| ((sums[k + 1] + count / 2) / count) as u8)
    }
}

impl Palette {
    /// The palette of several pictures together.
    pub fn of<'a>(images: impl IntoIterator<Item = &'a Image>) -> Self {
        let mut census = Census::new();
        images.into_iter().for_each(|image| census.add(image));
        census.palette()
    }

    /// Index of the nearest colour.
    pub fn nearest(&mut self, rgb: [u8; 3]) -> u8 {
        let cell = cell(rgb, LOOKED);
        if let Ok(known) = u8::try_from(self.nearest[cell]) {
            return known;
        }
        // The cell's centre is looked up: the result must not depend on the order of queries.
        let middle = rgb.map(|c| i32::from(c >> (8 - LOOKED) << (8 - LOOKED)) + 2);
        // The extreme values are kept: white stays white.
        let middle = [0, 1, 2].map(|k| match middle[k] {
            2 => 0,
            254 => 255,
            x => x,
        });
        let away = |colour: &[u8; 3]| -> i32 {
            // Channel weights: the eye is most sensitive to green, least to blue.
            let weights = [3, 4, 2];
            (0..3)
                .map(|k| weights[k] * (i32::from(colour[k]) - middle[k]).pow(2))
                .sum()
        };
        let best = self.colours.iter().enumerate().min_by_key(|(_, c)| away(c));
        let best = best.map_or(0, |(k, _)| k as u8);
        self.nearest[cell] = u16::from(best);
        best
    }
}
