//! Products with J and Jᵀ, and the assembly of M = JᵀJ + δ I.

use std::collections::BTreeMap;

use super::{MinimumNorm, Structure};
use crate::MultifrontalLu;

/// Largest absolute value.
pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}

impl MinimumNorm {
    /// Symbolic factorisation of the present structure; false where a block of unknowns does not exist.
    pub(super) fn plan(&mut self) -> bool {
        let s = &self.structure;
        let sizes: Vec<usize> = s.unknown.windows(2).map(|w| w[1] - w[0]).collect();
        // Blocks of M: the diagonal, then pairs of blocks that share rows.
        let mut blocks: Vec<(u32, u32)> = (0..sizes.len() as u32).map(|i| (i, i)).collect();
        let mut number: BTreeMap<(u32, u32), usize> =
            blocks.iter().enumerate().map(|(k, b)| (*b, k)).collect();
        let mut pairs = Vec::new();
        for touches in s.touch.windows(2) {
            let bodies = &s.body[touches[0]..touches[1]];
            for &i in bodies {
                for &j in bodies {
                    let k = *number.entry((i, j)).or_insert_with(|| {
                        blocks.push((i, j));
                        blocks.len() - 1
                    });
                    pairs.push(k);
                }
            }
        }
        let Some(fronts) = MultifrontalLu::new(&sizes, &blocks) else {
            self.planned = Structure::default();
            return false;
        };
        self.fronts = fronts;
        // First value of every block, and the values on the diagonal.
        let mut first = Vec::with_capacity(blocks.len());
        let mut at = 0;
        self.diagonal.clear();
        for &(i, j) in &blocks {
            let (high, wide) = (sizes[i as usize], sizes[j as usize]);
            if i == j {
                self.diagonal.extend((0..high).map(|c| at + c * (wide + 1)));
            }
            first.push(at);
            at += high * wide;
        }
        self.place.clear();
        self.place.extend(pairs.into_iter().map(|k| first[k]));
        self.planned.clone_from(&self.structure);
        true
    }

    /// M = JᵀJ + δ I.
    pub(super) fn assemble(&mut self) {
        let value = self.fronts.values();
        value.fill(0.0);
        for &k in &self.diagonal {
            value[k] = self.delta;
        }
        let s = &self.structure;
        let mut place = self.place.iter();
        for (touches, rows) in s.touch.windows(2).zip(s.row.windows(2)) {
            let d = rows[1] - rows[0];
            for t in touches[0]..touches[1] {
                let (high, left) = (s.width(t), &self.entries[self.start[t]..]);
                for (o, &at) in (touches[0]..touches[1]).zip(&mut place) {
                    let (wide, right) = (s.width(o), &self.entries[self.start[o]..]);
                    let block = &mut value[at..at + high * wide];
                    match (high, wide) {
                        (3, 3) => add_square::<3>(d, left, right, block),
                        (6, 6) => add_square::<6>(d, left, right, block),
                        _ => add_product(d, high, wide, left, right, block),
                    }
                }
            }
        }
    }

    /// y = Jᵀ r.
    pub(super) fn scatter(&self, r: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        let s = &self.structure;
        for (touches, rows) in s.touch.windows(2).zip(s.row.windows(2)) {
            let r = &r[rows[0]..rows[1]];
            for t in touches[0]..touches[1] {
                let first = s.unknown[s.body[t] as usize];
                let width = s.width(t);
                let (y, block) = (&mut y[first..first + width], &self.entries[self.start[t]..]);
                match width {
                    3 => add_rows::<3>(r, block, y),
                    6 => add_rows::<6>(r, block, y),
                    _ => {
                        for (r, row) in r.iter().zip(block.chunks_exact(width.max(1))) {
                            y.iter_mut().zip(row).for_each(|(y, g)| *y += g * r);
                        }
                    }
                }
            }
        }
    }

    /// u = J x.
    pub(super) fn gather(&self, x: &[f64], u: &mut [f64]) {
        u.fill(0.0);
        let s = &self.structure;
        for (touches, rows) in s.touch.windows(2).zip(s.row.windows(2)) {
            let u = &mut u[rows[0]..rows[1]];
            for t in touches[0]..touches[1] {
                let first = s.unknown[s.body[t] as usize];
                let width = s.width(t);
                let (x, block) = (&x[first..first + width], &self.entries[self.start[t]..]);
                match width {
                    3 => multiply_rows::<3>(x, block, u),
                    6 => multiply_rows::<6>(x, block, u),
                    _ => {
                        for (u, row) in u.iter_mut().zip(block.chunks_exact(width.max(1))) {
                            *u += row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
                        }
                    }
                }
            }
        }
    }
}

/// block += leftᵀ right for blocks of d rows and N columns.
fn add_square<const N: usize>(d: usize, left: &[f64], right: &[f64], block: &mut [f64]) {
    let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
    let (block, _) = block.as_chunks_mut::<N>();
    for (g, other) in left.iter().zip(right).take(d) {
        for (out, g) in block.iter_mut().zip(g) {
            for k in 0..N {
                out[k] += g * other[k];
            }
        }
    }
}

/// block += leftᵀ right for any size.
fn add_product(d: usize, high: usize, wide: usize, left: &[f64], right: &[f64], block: &mut [f64]) {
    for l in 0..d {
        let other = &right[l * wide..(l + 1) * wide];
        for i in 0..high {
            let g = left[l * high + i];
            let out = &mut block[i * wide..(i + 1) * wide];
            out.iter_mut().zip(other).for_each(|(o, x)| *o += g * x);
        }
    }
}

/// y += blockᵀ r.
fn add_rows<const N: usize>(r: &[f64], block: &[f64], y: &mut [f64]) {
    let Some(y) = y.first_chunk_mut::<N>() else {
        return;
    };
    for (r, row) in r.iter().zip(block.as_chunks::<N>().0) {
        for k in 0..N {
            y[k] += row[k] * r;
        }
    }
}

/// u += block x.
fn multiply_rows<const N: usize>(x: &[f64], block: &[f64], u: &mut [f64]) {
    let Some(x) = x.first_chunk::<N>() else {
        return;
    };
    for (u, row) in u.iter_mut().zip(block.as_chunks::<N>().0) {
        for k in 0..N {
            *u += row[k] * x[k];
        }
    }
}
