//! Reduces the number of convex parts by merging: the library bisects and may return twice as many as requested.
//!
//! ```text
//! until there are few enough:   merge the parts i, j with the least  |conv(P_i ∪ P_j)| − |P_i| − |P_j|
//! ```
//!
//! Parts whose boxes do not overlap are merged only when no others are left.

use glam::DVec3;

use super::super::polyhedron::ConvexPolyhedron;
use super::PlacedHull;

/// Boxes this close to each other, relative to their size, overlap: cuts are exact to rounding.
const NEAR: f64 = 1e-6;

/// A part that may be merged.
struct HullCluster {
    hull: PlacedHull,
    low: DVec3,
    high: DVec3,
    /// The later part with which merging adds the least volume, and this volume.
    best: Option<(f64, usize)>,
}

/// Merges hulls until there are at most `most`.
pub(super) fn merge_down_to(hulls: Vec<PlacedHull>, most: usize) -> Vec<PlacedHull> {
    if hulls.len() <= most {
        return hulls;
    }
    let mut lumps: Vec<HullCluster> = hulls.into_iter().map(HullCluster::new).collect();
    let mut apart = false;
    seek_all(&mut lumps, apart);
    while lumps.len() > most {
        let each = lumps.iter().enumerate();
        let cheapest = each
            .filter_map(|(i, lump)| lump.best.map(|(volume, j)| (volume, i, j)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        // Greedy: the cheapest pair; pairs with disjoint boxes once no other is left.
        match cheapest {
            Some((_, i, j)) => {
                let Some(joined) = union(&lumps[i].hull, &lumps[j].hull) else {
                    break;
                };
                lumps[i] = HullCluster::new(joined);
                lumps.remove(j);
                renew(&mut lumps, i, j, apart);
            }
            None if apart => break,
            None => {
                apart = true;
                seek_all(&mut lumps, apart);
            }
        }
    }
    lumps.into_iter().map(|lump| lump.hull).collect()
}

fn seek_all(lumps: &mut [HullCluster], apart: bool) {
    for i in 0..lumps.len() {
        lumps[i].best = seek(lumps, i, apart);
    }
}

/// Updates the best partners after part j was merged into part i and removed.
fn renew(lumps: &mut [HullCluster], i: usize, j: usize, apart: bool) {
    for k in 0..lumps.len() {
        // A best partner that was neither merged nor removed stays, unless the new part is cheaper.
        let known = lumps[k]
            .best
            .filter(|(_, other)| *other != i && *other != j);
        lumps[k].best = match known {
            None => seek(lumps, k, apart),
            // Indices after the removed part have moved down by one.
            Some((volume, other)) => {
                let kept = (volume, other - usize::from(other > j));
                let new = (k < i).then(|| cost(lumps, k, i, apart)).flatten();
                new.filter(|new| new.0 < kept.0).or(Some(kept))
            }
        };
    }
}

/// The cheapest later partner of part i.
fn seek(lumps: &[HullCluster], i: usize, apart: bool) -> Option<(f64, usize)> {
    let costs = (i + 1..lumps.len()).filter_map(|j| cost(lumps, i, j, apart));
    costs.min_by(|a, b| a.0.total_cmp(&b.0))
}

fn cost(lumps: &[HullCluster], i: usize, j: usize, apart: bool) -> Option<(f64, usize)> {
    let (one, two) = (&lumps[i], &lumps[j]);
    // Only parts whose boxes overlap, unless disjoint ones are admitted.
    let by = NEAR * (one.high - one.low).max(two.high - two.low);
    let meet = one.low.cmple(two.high + by).all() && two.low.cmple(one.high + by).all();
    if !(meet || apart) {
        return None;
    }
    let (joined, _) = union(&one.hull, &two.hull)?;
    let volume = |lump: &HullCluster| lump.hull.0.moments.volume;
    Some((joined.moments.volume - volume(one) - volume(two), j))
}

impl HullCluster {
    fn new(hull: PlacedHull) -> Self {
        let corners = corners(&hull);
        Self {
            low: corners.iter().fold(DVec3::INFINITY, |m, v| m.min(*v)),
            high: corners.iter().fold(DVec3::NEG_INFINITY, |m, v| m.max(*v)),
            hull,
            best: None,
        }
    }
}

fn corners((hull, pose): &PlacedHull) -> Vec<DVec3> {
    let place = |v: &DVec3| pose.position + pose.rotation * *v;
    hull.vertices.iter().map(place).collect()
}

/// The convex hull of two hulls.
fn union(one: &PlacedHull, two: &PlacedHull) -> Option<PlacedHull> {
    let mut all = corners(one);
    all.extend(corners(two));
    ConvexPolyhedron::hull(&all).ok()
}
