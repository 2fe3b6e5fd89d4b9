//! Vertex welding: vertices that coincide up to a tolerance become one.

use std::collections::HashMap;

use glam::DVec3;

use super::Triangles;

/// Default tolerance relative to the size: far above the rounding of a file of ten digits, far below any intended
/// detail.
const USUAL: f64 = 1e-9;

/// Merges vertices that are not farther apart than `within` into the first of them. Triangles that lose a corner have
/// no area and are dropped. The default distance is 1e-9 of the size.
pub fn weld(vertices: &[DVec3], triangles: &[[u32; 3]], within: Option<f64>) -> Triangles {
    let low = vertices.iter().fold(DVec3::INFINITY, |m, v| m.min(*v));
    let high = vertices.iter().fold(DVec3::NEG_INFINITY, |m, v| m.max(*v));
    let within = within.unwrap_or(USUAL * (high - low).max_element());
    if !(within > 0.0 && within.is_finite()) {
        return (vertices.to_vec(), triangles.to_vec());
    }
    // Spatial hash with cells of the welding distance: close vertices are in the same cell or an adjacent one.
    let cell = |v: DVec3| ((v - low) / within).floor().to_array();
    let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
    let mut kept: Vec<DVec3> = Vec::with_capacity(vertices.len());
    let mut number = Vec::with_capacity(vertices.len());
    for v in vertices {
        let own = cell(*v);
        let near = |k: usize| {
            let beside = |axis: usize| own[axis] + (k / 3_usize.pow(axis as u32) % 3) as f64 - 1.0;
            [0, 1, 2].map(|axis| (beside(axis) + 0.0).to_bits())
        };
        let around = (0..27).filter_map(|k| cells.get(&near(k))).flatten();
        let close = around.filter(|i| kept[**i as usize].distance(*v) <= within);
        match close.min() {
            Some(first) => number.push(*first),
            None => {
                let new = kept.len() as u32;
                kept.push(*v);
                number.push(new);
                let own = own.map(|x| (x + 0.0).to_bits());
                cells.entry(own).or_default().push(new);
            }
        }
    }
    // Renumber; triangles that were degenerate before are kept for the validation to report.
    let mut left = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        let renumbered = triangle.map(|v| number.get(v as usize).copied().unwrap_or(v));
        let distinct = |[a, b, c]: [u32; 3]| a != b && b != c && c != a;
        if distinct(renumbered) || !distinct(*triangle) {
            left.push(renumbered);
        }
    }
    (kept, left)
}
