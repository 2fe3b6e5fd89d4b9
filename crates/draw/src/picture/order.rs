//! Painter's algorithm: a back-to-front order of convex pieces.
//!
//! Rays through a grid of points of the panel intersect the pieces. Along a ray the nearer of two pieces is
//! painted later; all rays that hit two disjoint convex bodies hit them in the same order, so one ray decides,
//! and a majority of rays where they overlap slightly. A piece that is nearest on no ray is hidden and left
//! out. The order of all pieces is a topological sort, by depth where rays do not determine it or contradict
//! each other in a cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::panel::Panel;
use super::solid::Item;

/// Rays per pixel in each direction.
const FINE: f64 = 1.0;

/// The visible pieces, the furthest first.
pub(super) fn order(items: &[Item], panel: &Panel) -> Vec<usize> {
    let grid = Grid::of(panel);
    let seen = grid.seen(items);
    let pairs = grid.pairs(items, &seen);
    sorted(items, &seen, &pairs)
}

struct Grid {
    at: (f64, f64),
    wide: usize,
    high: usize,
}

impl Grid {
    fn of(panel: &Panel) -> Self {
        Self {
            at: panel.at,
            wide: (panel.size.0 * FINE).ceil().max(1.0) as usize,
            high: (panel.size.1 * FINE).ceil().max(1.0) as usize,
        }
    }

    /// Visits all rays that hit a piece: index of the ray and depth.
    fn rays(&self, item: &Item, mut visit: impl FnMut(usize, f64)) {
        let range = |low: f64, high: f64, count: usize| {
            // Rays pass through the centres of cells.
            let first = ((low * FINE) - 0.5).ceil().max(0.0) as usize;
            let end = ((high * FINE) + 0.5).floor().max(0.0) as usize;
            first..end.min(count)
        };
        let (x0, y0) = self.at;
        let mut met = false;
        for row in range(item.low.1 - y0, item.high.1 - y0, self.high) {
            for column in range(item.low.0 - x0, item.high.0 - x0, self.wide) {
                let at = (
                    x0 + (column as f64 + 0.5) / FINE,
                    y0 + (row as f64 + 0.5) / FINE,
                );
                if let Some(near) = item.form.nearness(at) {
                    met = true;
                    visit(row * self.wide + column, near);
                }
            }
        }
        if !met {
            // Too small for the grid: it counts for the ray nearest to its centre.
            let x = (0.5 * (item.low.0 + item.high.0) - x0) * FINE;
            let y = (0.5 * (item.low.1 + item.high.1) - y0) * FINE;
            if x >= 0.0 && y >= 0.0 && (x as usize) < self.wide && (y as usize) < self.high {
                visit(y as usize * self.wide + x as usize, item.near);
            }
        }
    }

    /// Which pieces are nearest on some ray.
    fn seen(&self, items: &[Item]) -> Vec<bool> {
        // Nearest piece of each ray.
        let mut front: Vec<(f64, u32)> = vec![(f64::NEG_INFINITY, u32::MAX); self.wide * self.high];
        for (k, item) in items.iter().enumerate() {
            self.rays(item, |ray, near| {
                if near > front[ray].0 {
                    front[ray] = (near, k as u32);
                }
            });
        }
        let mut seen = vec![false; items.len()];
        for (_, k) in front {
            if let Some(seen) = seen.get_mut(k as usize) {
                *seen = true;
            }
        }
        seen
    }

    /// Pairs (behind, in front) of pieces that are consecutive on some ray; each pair once, in the direction of
    /// most rays.
    fn pairs(&self, items: &[Item], seen: &[bool]) -> Vec<(u32, u32)> {
        let mut hits: Vec<(u32, f64, u32)> = Vec::new();
        for (k, item) in items.iter().enumerate().filter(|(k, _)| seen[*k]) {
            self.rays(item, |ray, near| hits.push((ray as u32, near, k as u32)));
        }
        hits.sort_unstable_by(|a, b| {
            let key = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
            key.then(a.2.cmp(&b.2))
        });
        // Smaller index first; +1 where it is behind.
        let on_one_ray = hits.windows(2).filter(|w| w[0].0 == w[1].0);
        let mut votes: Vec<(u32, u32, i32)> = on_one_ray
            .map(|w| match w[0].2 < w[1].2 {
                true => (w[0].2, w[1].2, 1),
                false => (w[1].2, w[0].2, -1),
            })
            .collect();
        votes.sort_unstable();
        let same = |a: &(u32, u32, i32), b: &(u32, u32, i32)| (a.0, a.1) == (b.0, b.1);
        let groups = votes.chunk_by(same);
        groups
            .map(|group| {
                let (a, b, _) = group[0];
                let sum: i32 = group.iter().map(|v| v.2).sum();
                if sum >= 0 { (a, b) } else { (b, a) }
            })
            .collect()
    }
}

/// Depth with a total order; no piece has a NaN depth.
#[derive(PartialEq, Clone, Copy)]
struct Near(f64);

impl Eq for Near {}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn sorted(items: &[Item], seen: &[bool], pairs: &[(u32, u32)]) -> Vec<usize> {
    let mut before: Vec<u32> = vec![0; items.len()];
    let mut over: Vec<Vec<u32>> = vec![Vec::new(); items.len()];
    for (behind, nearer) in pairs {
        before[*nearer as usize] += 1;
        over[*behind as usize].push(*nearer);
    }
    let key = |k: usize| Reverse((Near(items[k].near), k));
    let all = (0..items.len()).filter(|k| seen[*k]);
    // Where rays contradict each other in a cycle, the furthest piece breaks it.
    let mut furthest: Vec<usize> = all.clone().collect();
    furthest.sort_by_key(|k| (Near(items[*k].near), *k));
    let mut waiting = furthest.into_iter();
    let mut ready: BinaryHeap<_> = all.filter(|k| before[*k] == 0).map(key).collect();
    let mut drawn = vec![false; items.len()];
    let mut order = Vec::new();
    loop {
        let next = match ready.pop() {
            Some(Reverse((_, k))) => Some(k),
            None => waiting.find(|k| !drawn[*k]),
        };
        let Some(k) = next else {
            return order;
        };
        if std::mem::replace(&mut drawn[k], true) {
            continue;
        }
        order.push(k);
        for nearer in &over[k] {
            let nearer = *nearer as usize;
            before[nearer] = before[nearer].saturating_sub(1);
            if before[nearer] == 0 && !drawn[nearer] {
                ready.push(key(nearer));
            }
        }
    }
}
