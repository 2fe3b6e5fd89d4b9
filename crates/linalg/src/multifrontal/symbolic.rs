//! Symbolic multifrontal factorisation: ordering, supernodes, and the layout of fronts and factors.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// A dense front: pivots, then the rows of the update matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    /// First pivot in elimination order.
    pub first: usize,
    pub pivots: usize,
    /// Rows of the update matrix, as a range of `Symbolic::row`.
    pub rest: Range<usize>,
    /// Children as a range of `Symbolic::child`: their update matrices are on top of the stack.
    pub children: Range<usize>,
    /// Blocks of M that are assembled here, as a range of `Symbolic::entry`.
    pub entries: Range<usize>,
    /// First entry of the factors in the store.
    pub store: usize,
    /// Position of the update rows in the parent, as a range of `Symbolic::stretch`.
    pub place: Range<usize>,
}

/// Consecutive rows of an update matrix that are consecutive in the parent as well.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub from: u32,
    pub to: u32,
    pub count: u32,
}

impl Stretch {
    /// Their ranges in the update matrix and in the parent.
    pub fn ranges(&self) -> (Range<usize>, Range<usize>) {
        let [from, to, count] = [self.from, self.to, self.count].map(|x| x as usize);
        (from..from + count, to..to + count)
    }
}

impl Front {
    pub fn width(&self) -> usize {
        self.pivots + self.rest.len()
    }
}

/// A block of M in a front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// First value.
    pub value: usize,
    /// Position in the front.
    pub row: u32,
    pub column: u32,
    /// Size.
    pub high: u32,
    pub wide: u32,
}

/// The symbolic factorisation; see the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbolic {
    pub rows: usize,
    pub num_values: usize,
    pub num_stored: usize,
    pub widest: usize,
    pub deepest: usize,
    /// In postorder: children before parents.
    pub fronts: Vec<Front>,
    pub row: Vec<u32>,
    pub stretch: Vec<Stretch>,
    /// Children in the order in which their update matrices come off the stack.
    pub child: Vec<u32>,
    pub entry: Vec<Entry>,
    /// Original row of each row in elimination order.
    pub source: Vec<u32>,
}

/// Supernodes of fewer pivots than this may be amalgamated with twice the fraction of zeros.
const FEW: usize = 12;

/// Largest fraction of explicit zeros that amalgamation may bring into a supernode.
const ZEROS: f64 = 0.08;

/// A supernode: a run of blocks that is eliminated in one front.
#[derive(Debug, Clone)]
struct Supernode {
    blocks: Range<usize>,
    pivots: usize,
    /// Rows below the pivots.
    rest: usize,
    /// Explicit zeros that amalgamation has brought in.
    zeros: f64,
}

impl Symbolic {
    /// Multiplications of a numeric factorisation: Σ (w − k)² over the pivots k of each front of width w.
    pub fn multiplications(&self) -> f64 {
        let of = |front: &Front| {
            let (w, p) = (front.width() as f64, front.pivots as f64);
            let r = w - p;
            // Σ_{k=1}^{p} (w − k)² with an integral in place of the sum.
            (w.powi(3) - r.powi(3)) / 3.0
        };
        self.fronts.iter().map(of).sum()
    }

    pub fn new(size: &[usize], blocks: &[(u32, u32)]) -> Option<Self> {
        let n = size.len();
        // Adjacency lists of the block graph.
        let mut near = vec![Vec::new(); n];
        for &(i, j) in blocks {
            near.get_mut(i as usize)?.push(j);
            (j < n as u32).then_some(())?;
        }
        near.iter_mut().for_each(|list| list.sort_unstable());
        // Ordering, structure of L, supernodes, layout.
        let order = postorder(&near, &minimum_degree(&near)?);
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| position[i] = k);
        let below = column_structure(&near, &order, &position);
        let size: Vec<usize> = order.iter().map(|&i| size[i]).collect();
        let runs = amalgamate(&size, &below);
        let mut plan = Self::default();
        plan.lay_out(&size, &below, &runs);
        plan.place_entries(&size, &order, &position, blocks, &runs);
        Some(plan)
    }

    /// Row lists, positions of update rows in the parents, and memory sizes.
    fn lay_out(&mut self, size: &[usize], below: &[Vec<u32>], runs: &[Supernode]) {
        // First row of each block in elimination order.
        let mut first = vec![0; size.len() + 1];
        for (k, s) in size.iter().enumerate() {
            first[k + 1] = first[k] + s;
        }
        self.rows = first[size.len()];
        let mut run_of = vec![0; size.len()];
        for (r, run) in runs.iter().enumerate() {
            run_of[run.blocks.clone()].fill(r);
        }
        // One front per supernode.
        for run in runs {
            let last = &below[run.blocks.end - 1];
            let start = self.row.len();
            for &k in last {
                self.row
                    .extend((first[k as usize]..first[k as usize + 1]).map(|row| row as u32));
            }
            let front = Front {
                first: first[run.blocks.start],
                pivots: run.pivots,
                rest: start..self.row.len(),
                store: self.num_stored,
                ..Front::default()
            };
            let (p, m) = (front.pivots, front.width());
            self.num_stored += p * (2 * m - p);
            self.widest = self.widest.max(m);
            self.fronts.push(front);
        }
        // Assembly tree: the parent of a front, and the positions for extend-add.
        let mut children = vec![0; runs.len()];
        for (r, run) in runs.iter().enumerate() {
            let start = self.stretch.len();
            if let Some(&next) = below[run.blocks.end - 1].first() {
                let parent = run_of[next as usize];
                children[parent] += 1;
                let into = self.fronts[parent].clone();
                for (from, k) in self.fronts[r].rest.clone().enumerate() {
                    let to = self.local(&into, self.row[k]);
                    self.append(start, from as u32, to);
                }
            }
            self.fronts[r].place = start..self.stretch.len();
        }
        self.stack_up(&children);
    }

    /// Records that row `from` of an update matrix, whose stretches begin at `start`, is row `to` of the parent.
    fn append(&mut self, start: usize, from: u32, to: u32) {
        match self.stretch[start..].last_mut() {
            Some(last) if last.to + last.count == to => last.count += 1,
            _ => self.stretch.push(Stretch { from, to, count: 1 }),
        }
    }

    /// Position of a row in a front.
    fn local(&self, front: &Front, row: u32) -> u32 {
        if (row as usize) < front.first + front.pivots {
            return row - front.first as u32;
        }
        let rest = &self.row[front.rest.clone()];
        (front.pivots + rest.partition_point(|r| *r < row)) as u32
    }

    /// Simulates the stack: which update matrices each front consumes, and the largest height.
    fn stack_up(&mut self, children: &[usize]) {
        let (mut waiting, mut held) = (Vec::new(), 0);
        for k in 0..self.fronts.len() {
            let start = self.child.len();
            for _ in 0..children[k] {
                if let Some(child) = waiting.pop() {
                    held -= self.fronts[child as usize].rest.len().pow(2);
                    self.child.push(child);
                }
            }
            self.fronts[k].children = start..self.child.len();
            let rest = self.fronts[k].rest.len();
            if rest > 0 {
                waiting.push(k as u32);
            }
            held += rest * rest;
            self.deepest = self.deepest.max(held);
        }
    }

    /// Assigns every block to the front that eliminates the first of its two block rows.
    fn place_entries(
        &mut self,
        size: &[usize],
        order: &[usize],
        position: &[usize],
        blocks: &[(u32, u32)],
        runs: &[Supernode],
    ) {
        let mut first = vec![0; size.len() + 1];
        // Supernode of each block.
        let mut home = vec![0; size.len()];
        for (k, s) in size.iter().enumerate() {
            first[k + 1] = first[k] + s;
        }
        for (r, run) in runs.iter().enumerate() {
            home[run.blocks.clone()].fill(r);
        }
        let mut lists: Vec<Vec<Entry>> = vec![Vec::new(); runs.len()];
        for &(i, j) in blocks {
            let (i, j) = (position[i as usize], position[j as usize]);
            let r = home[i.min(j)];
            let front = &self.fronts[r];
            lists[r].push(Entry {
                value: self.num_values,
                row: self.local(front, first[i] as u32),
                column: self.local(front, first[j] as u32),
                high: size[i] as u32,
                wide: size[j] as u32,
            });
            self.num_values += size[i] * size[j];
        }
        for (front, list) in self.fronts.iter_mut().zip(lists) {
            let start = self.entry.len();
            self.entry.extend(list);
            front.entries = start..self.entry.len();
        }
        // Rows of M in its own numbering, by elimination order.
        let mut own = vec![0; size.len() + 1];
        for (k, s) in position.iter().map(|&k| size[k]).enumerate() {
            own[k + 1] = own[k] + s;
        }
        for (k, &i) in order.iter().enumerate() {
            self.source
                .extend((0..size[k]).map(|c| (own[i] + c) as u32));
        }
    }
}

/// Approximate minimum degree ordering (small fill-in).
fn minimum_degree(near: &[Vec<u32>]) -> Option<Vec<usize>> {
    let n = near.len();
    let mut start = vec![0; n + 1];
    let mut row = Vec::new();
    for (i, list) in near.iter().enumerate() {
        row.extend(list.iter().map(|&j| j as usize));
        start[i + 1] = row.len();
    }
    // AMD of faer.
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &start, None, &row);
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<usize>(n, row.len())).ok()?;
    let stack = MemStack::new(&mut memory);
    amd::order(
        &mut order,
        &mut inverse,
        pattern,
        amd::Control::default(),
        stack,
    )
    .ok()?;
    Some(order)
}

/// Postorder of the elimination tree: every block right after its children, the child with the largest update matrix
/// last.
fn postorder(near: &[Vec<u32>], order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let mut position = vec![0; n];
    order.iter().enumerate().for_each(|(k, &i)| position[i] = k);
    let below = column_structure(near, order, &position);
    // Children in the elimination tree; node n is the root of the forest.
    let mut children = vec![Vec::new(); n + 1];
    for k in 0..n {
        let parent = below[k].first().map_or(n, |p| *p as usize);
        children[parent].push(k);
    }
    for list in &mut children {
        list.sort_by_key(|&k| (below[k].len(), k));
    }
    // Depth-first traversal with an explicit stack.
    let mut result = Vec::with_capacity(n);
    let mut visits: Vec<(usize, usize)> = vec![(n, 0)];
    while let Some((k, done)) = visits.pop() {
        if let Some(&child) = children[k].get(done) {
            visits.push((k, done + 1));
            visits.push((child, 0));
        } else if k < n {
            result.push(order[k]);
        }
    }
    result
}

/// Structure of L: block rows below the diagonal of every column, ascending.
fn column_structure(near: &[Vec<u32>], order: &[usize], position: &[usize]) -> Vec<Vec<u32>> {
    let n = order.len();
    let mut below: Vec<Vec<u32>> = Vec::with_capacity(n);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut mark = vec![usize::MAX; n];
    for k in 0..n {
        // Entries of M below the diagonal, then those of the children.
        let mut list = Vec::new();
        mark[k] = k;
        let own = near[order[k]].iter().map(|&j| position[j as usize]);
        for j in own.filter(|&j| j > k) {
            mark[j] = k;
            list.push(j as u32);
        }
        for &child in &children[k] {
            for &j in &below[child] {
                if mark[j as usize] != k {
                    mark[j as usize] = k;
                    list.push(j);
                }
            }
        }
        list.sort_unstable();
        if let Some(&parent) = list.first() {
            children[parent as usize].push(k);
        }
        below.push(list);
    }
    below
}

/// Supernode amalgamation: joins blocks with their last child where that brings in few zeros.
fn amalgamate(size: &[usize], below: &[Vec<u32>]) -> Vec<Supernode> {
    let mut runs: Vec<Supernode> = Vec::new();
    for (k, list) in below.iter().enumerate() {
        let mut run = Supernode {
            blocks: k..k + 1,
            pivots: size[k],
            rest: list.iter().map(|&j| size[j as usize]).sum(),
            zeros: 0.0,
        };
        while let Some(child) = runs.last() {
            // Only the last child is adjacent.
            let parent = below[child.blocks.end - 1].first().map(|&p| p as usize);
            if parent != Some(run.blocks.start) {
                break;
            }
            // Explicit zeros against the size of the joined factor.
            let (pivots, rest) = (child.pivots + run.pivots, run.rest);
            let new = child.pivots as f64 * (run.pivots + run.rest - child.rest) as f64;
            let zeros = child.zeros + run.zeros + new;
            let area = pivots as f64 * (0.5 * pivots as f64 + rest as f64);
            let few = child.pivots.max(run.pivots) < FEW && zeros <= 2.0 * ZEROS * area;
            if !few && zeros > ZEROS * area {
                break;
            }
            run = Supernode {
                blocks: child.blocks.start..run.blocks.end,
                pivots,
                rest,
                zeros,
            };
            runs.pop();
        }
        runs.push(run);
    }
    runs
}
