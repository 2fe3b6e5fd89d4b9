//! Block pattern of the velocity system, and the contribution of one contact to it.

use super::{Side, WIDE};

/// The blocks of the system, the index of the block of each pair of sides, and the indices of the diagonal values.
pub(super) fn pattern(
    ptr: &[usize],
    side: &[Side],
    size: &[usize],
) -> (Vec<(u32, u32)>, Vec<usize>, Vec<usize>) {
    let mut blocks: Vec<(u32, u32)> = (0..size.len() as u32).map(|i| (i, i)).collect();
    let mut pairs = Vec::new();
    // Ordered pairs of the bodies of each contact.
    for range in ptr.windows(2) {
        let own = &side[range[0]..range[1]];
        for right in own {
            pairs.extend(own.iter().map(|left| (left.body, right.body)));
        }
    }
    // Diagonal blocks and one block per pair of bodies in contact, sorted and without duplicates.
    blocks.extend_from_slice(&pairs);
    blocks.sort_unstable();
    blocks.dedup();
    // Offsets of the blocks.
    let mut first = Vec::with_capacity(blocks.len());
    let (mut at, mut diagonal) = (0, Vec::new());
    for &(i, j) in &blocks {
        first.push(at);
        let (high, wide) = (size[i as usize], size[j as usize]);
        if i == j {
            diagonal.extend((0..high).map(|k| at + k * wide + k));
        }
        at += high * wide;
    }
    // Index of the block of each pair of sides.
    let place = pairs
        .iter()
        .map(|pair| blocks.binary_search(pair).map_or(0, |k| first[k]))
        .collect();
    (blocks, place, diagonal)
}

/// Adds Ĝ_aᵀ K Ĝ_a for one contact, K its d × d block of T⁻¹ B, all bodies having W coordinates.
pub(super) fn add_fixed<const D: usize, const W: usize>(
    gain: &[f64],
    own: &[Side],
    map: &[f64],
    place: &[usize],
    value: &mut [f64],
) {
    let block = |side: &Side| -> [[f64; W]; D] {
        let rows = &map[side.block..side.block + D * W];
        std::array::from_fn(|l| std::array::from_fn(|c| rows[l * W + c]))
    };
    let mut place = place.iter();
    for right in own {
        let g = block(right);
        // K Ĝ of one body, then Ĝᵀ (K Ĝ) with every body of the contact.
        let mut weighed = [[0.0; W]; D];
        for r in 0..D {
            for l in 0..D {
                for c in 0..W {
                    weighed[r][c] += gain[r * D + l] * g[l][c];
                }
            }
        }
        for (left, &at) in own.iter().zip(place.by_ref()) {
            let g = block(left);
            let into = &mut value[at..at + W * W];
            for i in 0..W {
                for c in 0..W {
                    let mut sum = 0.0;
                    for l in 0..D {
                        sum += g[l][i] * weighed[l][c];
                    }
                    into[i * W + c] += sum;
                }
            }
        }
    }
}

/// The same for any sizes.
pub(super) fn add_any(
    gain: &[f64],
    own: &[Side],
    map: &[f64],
    place: &[usize],
    value: &mut [f64],
    d: usize,
) {
    let mut place = place.iter();
    for right in own {
        let block = &map[right.block..right.block + d * right.width];
        // K Ĝ of one body, then Ĝᵀ (K Ĝ) with every body of the contact.
        let mut weighed = [0.0; WIDE * WIDE];
        for (r, k) in gain.chunks_exact(d).enumerate() {
            let out = &mut weighed[r * WIDE..r * WIDE + right.width];
            for (l, k) in k.iter().enumerate() {
                let row = &block[l * right.width..(l + 1) * right.width];
                out.iter_mut().zip(row).for_each(|(o, g)| *o += k * g);
            }
        }
        for (left, &at) in own.iter().zip(place.by_ref()) {
            let block = &map[left.block..left.block + d * left.width];
            let into = &mut value[at..at + left.width * right.width];
            for (i, into) in into.chunks_exact_mut(right.width).enumerate() {
                for l in 0..d {
                    let g = block[l * left.width + i];
                    let row = &weighed[l * WIDE..l * WIDE + right.width];
                    into.iter_mut().zip(row).for_each(|(v, k)| *v += g * k);
                }
            }
        }
    }
}
