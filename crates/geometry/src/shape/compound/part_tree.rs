//! Bounding volume hierarchy over the parts of a compound, in body axes.
//!
//! Stackless traversal, as for meshes: the nodes stand in one array in depth-first order, each with a skip (escape)
//! index to the node that follows when its box is missed, so that a query needs neither a stack nor memory.

use crate::dim::Aabb;
use crate::shape::Geometry;
use crate::vector::Vector;

#[derive(Debug, Clone, PartialEq)]
struct Node<D: Geometry> {
    bounds: Aabb<D>,
    /// Index of the node after this one and its whole subtree.
    skip: u32,
    /// Index of the part; leaves only.
    part: Option<u32>,
}

/// The hierarchy, nodes in depth-first order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartTree<D: Geometry> {
    nodes: Vec<Node<D>>,
}

impl<D: Geometry> PartTree<D> {
    /// From the boxes of all parts.
    pub fn new(boxes: &[Aabb<D>]) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        if !items.is_empty() {
            tree.build(boxes, &mut items);
        }
        tree
    }

    /// Builds a subtree: split at the median of the box centres along the longest side, at most 16 levels.
    fn build(&mut self, boxes: &[Aabb<D>], items: &mut [u32]) {
        let all = D::Vector::splat(f64::INFINITY);
        let join = |(low, high): (D::Vector, D::Vector), i: &u32| {
            let b = &boxes[*i as usize];
            (low.min(b.low), high.max(b.high))
        };
        let (low, high) = items.iter().fold((all, -all), join);
        let at = self.nodes.len();
        let part = match items {
            [one] => Some(*one),
            _ => None,
        };
        self.nodes.push(Node {
            bounds: Aabb { low, high },
            skip: 0,
            part,
        });
        // Median split; ties are broken by index, so that the tree does not depend on the sort.
        if part.is_none() {
            let sides = high - low;
            let longer = |best: usize, k: usize| if sides[k] > sides[best] { k } else { best };
            let axis = (0..D::N).fold(0, longer);
            let key = |i: u32| boxes[i as usize].low[axis] + boxes[i as usize].high[axis];
            items.sort_unstable_by(|i, j| key(*i).total_cmp(&key(*j)).then(i.cmp(j)));
            let (left, right) = items.split_at_mut(items.len() / 2);
            self.build(boxes, left);
            self.build(boxes, right);
        }
        self.nodes[at].skip = self.nodes.len() as u32;
    }

    /// The box around all parts.
    pub fn whole(&self) -> Option<&Aabb<D>> {
        self.nodes.first().map(|node| &node.bounds)
    }

    /// The parts whose boxes overlap a box, in depth-first order.
    pub fn near(&self, low: D::Vector, high: D::Vector) -> PartQuery<'_, D> {
        PartQuery {
            tree: self,
            low,
            high,
            node: 0,
        }
    }
}

/// Iterator over the leaves whose boxes overlap the query box.
pub(super) struct PartQuery<'a, D: Geometry> {
    tree: &'a PartTree<D>,
    low: D::Vector,
    high: D::Vector,
    node: u32,
}

impl<D: Geometry> Iterator for PartQuery<'_, D> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let node = self.tree.nodes.get(self.node as usize)?;
            // Missed: skip the subtree. Hit: descend to the next node in depth-first order.
            let meets = (0..D::N)
                .all(|k| node.bounds.low[k] <= self.high[k] && self.low[k] <= node.bounds.high[k]);
            if !meets {
                self.node = node.skip;
                continue;
            }
            self.node += 1;
            if let Some(part) = node.part {
                return Some(part as usize);
            }
        }
    }
}
