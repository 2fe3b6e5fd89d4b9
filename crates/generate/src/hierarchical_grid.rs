//! Hierarchical grid (multi-level linked cells): grains by position, one grid for each class of sizes.
//!
//! Class c holds the radii in (R/2^(c+1), R/2^c], R the largest, in cells of the diameter 2R/2^c. A
//! query for grains near a small grain then visits few cells in every class, whatever the spread of
//! sizes. Cells are stacked in layers along the last axis, added as grains come to lie in them.

use crate::generator_dim::Vec3;

/// Largest number of classes: the last one takes all smaller grains.
const CLASSES: usize = 12;
/// End of a linked list.
const NONE: u32 = u32::MAX;

/// The grids of all size classes. Coordinates start at 0 along the first two axes.
#[derive(Debug)]
pub(super) struct HierarchicalGrid {
    classes: Vec<Class>,
    largest: f64,
    grains: Vec<Grain>,
    top: f64,
}

/// A grain, with the next one in the list of its cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grain {
    pub centre: Vec3,
    pub radius: f64,
    next: u32,
}

#[derive(Debug)]
struct Class {
    /// Largest radius of the class.
    radius: f64,
    /// Side of a cell.
    side: f64,
    /// Number of cells along the first two axes.
    counts: [usize; 2],
    /// First grain of each cell, layer by layer.
    heads: Vec<u32>,
    /// Number of layers that hold grains, for each vertical column of cells.
    tops: Vec<u32>,
}

impl HierarchicalGrid {
    /// For about `count` grains of radii between `smallest` and `largest` in a box of this extent; an
    /// infinite height is filled from below.
    pub fn new(extent: Vec3, smallest: f64, largest: f64, count: usize) -> Self {
        // One class per factor of 2 in radius.
        let spread = (largest / smallest).log2().floor().max(0.0) as usize;
        let classes = (0..CLASSES.min(spread.saturating_add(1))).map(|class| {
            let radius = largest / 2.0_f64.powi(class as i32);
            Class::new(extent, radius, count)
        });
        Self {
            classes: classes.collect(),
            largest,
            grains: Vec::with_capacity(count),
            top: 0.0,
        }
    }

    /// The height above which there is no grain.
    pub fn top(&self) -> f64 {
        self.top
    }

    /// Adds a grain.
    pub fn add(&mut self, centre: Vec3, radius: f64) {
        // Class by radius; the last one takes all smaller grains.
        let class = (self.largest / radius).log2().floor().max(0.0) as usize;
        let last = self.classes.len() - 1;
        let class = &mut self.classes[class.min(last)];
        let index = self.grains.len() as u32;
        let next = class.push(centre, index);
        self.top = self.top.max(centre.z + radius);
        self.grains.push(Grain {
            centre,
            radius,
            next,
        });
    }

    /// Overlap test: whether a grain here would overlap none.
    pub fn free(&self, centre: Vec3, radius: f64) -> bool {
        let mut free = true;
        self.near([centre, centre], radius, |grain| {
            // Overlap of two spheres.
            let apart = radius + grain.radius;
            free &= (grain.centre - centre).length_squared() >= apart * apart;
            free
        });
        free
    }

    /// Visits every grain whose surface may be within `reach` of a box, while `visit` returns true. The
    /// order is fixed.
    pub fn near(&self, [low, high]: [Vec3; 2], reach: f64, mut visit: impl FnMut(&Grain) -> bool) {
        for class in &self.classes {
            // Distance between centres at which surfaces may be within reach.
            let reach = reach + class.radius;
            let Some(([i0, i1], [j0, j1])) = class.pillars([low, high], reach) else {
                continue;
            };
            let bottom = class.layer(low.z - reach);
            let end = class.layer(high.z + reach).saturating_add(1);
            // Columns of cells below the box, then the layers within its height.
            for j in j0..=j1 {
                for i in i0..=i1 {
                    let pillar = j * class.counts[0] + i;
                    let top = class.tops[pillar] as usize;
                    for layer in bottom..top.min(end) {
                        if !self.walk(class, pillar, layer, &mut visit) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Visits the grains that a grain of this radius could touch when falling from `from`, cell by cell from above
    /// downwards, while a grain is left that could stop it higher than `visit` last returned.
    pub fn below(
        &self,
        from: Vec3,
        radius: f64,
        mut found: f64,
        mut visit: impl FnMut(&Grain) -> f64,
    ) {
        for class in &self.classes {
            let reach = radius + class.radius;
            let Some(([i0, i1], [j0, j1])) = class.pillars([from, from], reach) else {
                continue;
            };
            // From the highest occupied layer downwards.
            let highest = class.layer((from.z + reach).min(f64::MAX));
            for j in j0..=j1 {
                for i in i0..=i1 {
                    let pillar = j * class.counts[0] + i;
                    let mut layer = (class.tops[pillar] as usize).min(highest.saturating_add(1));
                    // The centre comes to rest at most `reach` above the top of a cell.
                    while layer > 0 && layer as f64 * class.side + reach >= found {
                        layer -= 1;
                        self.walk(class, pillar, layer, &mut |grain| {
                            found = found.max(visit(grain));
                            true
                        });
                    }
                }
            }
        }
    }

    /// Visits the grains of a cell; false if `visit` ended the search.
    fn walk(
        &self,
        class: &Class,
        pillar: usize,
        layer: usize,
        visit: &mut impl FnMut(&Grain) -> bool,
    ) -> bool {
        // Linked list of the cell.
        let mut index = class.heads[layer * class.tops.len() + pillar];
        while index != NONE {
            let grain = &self.grains[index as usize];
            if !visit(grain) {
                return false;
            }
            index = grain.next;
        }
        true
    }
}

impl Class {
    fn new(extent: Vec3, radius: f64, count: usize) -> Self {
        // About as many cells as grains, no more: in a wide, empty box cells are larger than grains.
        let wide = extent
            .to_array()
            .map(|x| if x.is_finite() { x } else { 0.0 });
        let cells = |side: f64| wide.iter().map(|x| (x / side).max(1.0)).product::<f64>();
        let mut side = (2.0 * radius).max(f64::MIN_POSITIVE);
        while cells(side) > 2.0 * count as f64 + 8.0 {
            side *= 1.25;
        }
        let number = |length: f64| ((length / side) as usize).max(1);
        let counts = [number(extent.x), number(extent.y)];
        Self {
            radius,
            side,
            counts,
            heads: Vec::new(),
            tops: vec![0; counts[0] * counts[1]],
        }
    }

    /// The cell number of a coordinate along one of the first two axes.
    fn cell(&self, axis: usize, x: f64) -> usize {
        ((x / self.side).max(0.0) as usize).min(self.counts[axis] - 1)
    }

    fn layer(&self, z: f64) -> usize {
        (z / self.side).max(0.0) as usize
    }

    /// The ranges of columns of cells within `reach` of a box; `None` if there are no grains.
    fn pillars(&self, [low, high]: [Vec3; 2], reach: f64) -> Option<([usize; 2], [usize; 2])> {
        if self.heads.is_empty() {
            return None;
        }
        let range = |axis: usize| {
            [
                self.cell(axis, low[axis] - reach),
                self.cell(axis, high[axis] + reach),
            ]
        };
        Some((range(0), range(1)))
    }

    /// Inserts a grain at the head of the list of its cell; returns the former head.
    fn push(&mut self, centre: Vec3, index: u32) -> u32 {
        let pillar = self.cell(1, centre.y) * self.counts[0] + self.cell(0, centre.x);
        let layer = self.layer(centre.z);
        let pillars = self.tops.len();
        if self.heads.len() < (layer + 1) * pillars {
            self.heads.resize((layer + 1) * pillars, NONE);
        }
        self.tops[pillar] = self.tops[pillar].max(layer as u32 + 1);
        std::mem::replace(&mut self.heads[layer * pillars + pillar], index)
    }
}
