//! Bounding volume hierarchy over the triangles of a mesh.
//!
//! Stackless traversal: the nodes stand in one array in depth-first order, each with a skip (escape) index to the node
//! that follows when its box is missed, so that a query needs neither a stack nor memory. Built by splits at the
//! median of the box centres along the longest side: the depth is ⌈log2(n/4)⌉ whatever the mesh, and the same mesh
//! gives the same tree.

use glam::DVec3;

/// Triangles per leaf.
const LEAF: usize = 4;

#[derive(Debug, Clone, PartialEq)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// Index of the node after this one and its whole subtree.
    skip: u32,
    /// Its triangles are `order[first..first + count]`; none in an inner node.
    first: u32,
    count: u32,
}

/// The hierarchy: nodes in depth-first order, triangles in the order of the leaves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TriangleTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

/// A triangle's index and box.
struct Item {
    low: DVec3,
    high: DVec3,
    triangle: u32,
}

impl TriangleTree {
    /// From all triangles.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut items: Vec<Item> = (0..)
            .zip(triangles)
            .map(|(triangle, corners)| {
                let [p, q, r] = corners.map(|v| vertices[v as usize]);
                Item {
                    low: p.min(q).min(r),
                    high: p.max(q).max(r),
                    triangle,
                }
            })
            .collect();
        let mut tree = Self {
            nodes: Vec::new(),
            order: Vec::with_capacity(items.len()),
        };
        tree.build(&mut items);
        tree
    }

    /// Builds a subtree; the recursion is as deep as the tree, at most 30.
    fn build(&mut self, items: &mut [Item]) {
        let low = items.iter().fold(DVec3::INFINITY, |m, i| m.min(i.low));
        let high = items.iter().fold(DVec3::NEG_INFINITY, |m, i| m.max(i.high));
        let at = self.nodes.len();
        self.nodes.push(Node {
            low,
            high,
            skip: 0,
            first: self.order.len() as u32,
            count: 0,
        });
        if items.len() <= LEAF {
            self.nodes[at].count = items.len() as u32;
            self.order.extend(items.iter().map(|i| i.triangle));
        } else {
            // Median split along the longest side.
            let axis = (high - low).max_position();
            let key = |i: &Item| i.low[axis] + i.high[axis];
            let half = items.len() / 2;
            items.select_nth_unstable_by(half, |i, j| {
                key(i).total_cmp(&key(j)).then(i.triangle.cmp(&j.triangle))
            });
            let (left, right) = items.split_at_mut(half);
            // The selection leaves the order inside a half open; the tree must not depend on it.
            left.sort_unstable_by_key(|i| i.triangle);
            right.sort_unstable_by_key(|i| i.triangle);
            self.build(left);
            self.build(right);
        }
        self.nodes[at].skip = self.nodes.len() as u32;
    }

    /// Triangles of the leaves whose boxes overlap a box.
    pub fn near(&self, low: DVec3, high: DVec3) -> TriangleQuery<'_> {
        TriangleQuery {
            tree: self,
            low,
            high,
            node: 0,
            waiting: &[],
        }
    }
}

/// Iterator over the triangles of the leaves whose boxes overlap the query box.
pub(super) struct TriangleQuery<'a> {
    tree: &'a TriangleTree,
    low: DVec3,
    high: DVec3,
    node: u32,
    waiting: &'a [u32],
}

impl Iterator for TriangleQuery<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some((first, rest)) = self.waiting.split_first() {
                self.waiting = rest;
                return Some(*first);
            }
            let node = self.tree.nodes.get(self.node as usize)?;
            // Missed: skip the subtree. Hit: descend to the next node in depth-first order.
            if !(node.low.cmple(self.high).all() && node.high.cmpge(self.low).all()) {
                self.node = node.skip;
                continue;
            }
            self.node += 1;
            let first = node.first as usize;
            self.waiting = &self.tree.order[first..first + node.count as usize];
        }
    }
}
