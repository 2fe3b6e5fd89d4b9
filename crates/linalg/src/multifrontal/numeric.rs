//! Numeric multifrontal factorisation and solution.

use super::MultifrontalLu;
use super::front_lu::factor_front;

impl MultifrontalLu {
    /// Factorises the present values; false where a pivot vanishes or a value is not a number.
    pub fn factor(&mut self) -> bool {
        let mut top = 0;
        for k in 0..self.plan.fronts.len() {
            let node = &self.plan.fronts[k];
            let (m, p) = (node.width(), node.pivots);
            let front = &mut self.front[..m * m];
            // Assemble the blocks of M.
            front.fill(0.0);
            for e in &self.plan.entry[node.entries.clone()] {
                let (high, wide) = (e.high as usize, e.wide as usize);
                let value = &self.value[e.value..e.value + high * wide];
                for (i, row) in value.chunks_exact(wide).enumerate() {
                    let at = (e.row as usize + i) * m + e.column as usize;
                    let into = &mut front[at..at + wide];
                    match (into, row) {
                        // Planar bodies: blocks of three columns.
                        ([p, q, r], &[x, y, z]) => (*p, *q, *r) = (*p + x, *q + y, *r + z),
                        (into, row) => into.iter_mut().zip(row).for_each(|(f, v)| *f += v),
                    }
                }
            }
            // Extend-add: the updates of the children lie on the stack, the last one on top.
            for &child in &self.plan.child[node.children.clone()] {
                top = extend_add(&self.plan, child as usize, &self.stack, top, front, m);
            }
            // Eliminate the pivots; store L and U, and push the update matrix on the stack.
            if !factor_front(front, m, p) {
                return false;
            }
            let at = node.store;
            for i in 0..m {
                let row = &front[i * m..(i + 1) * m];
                if i < p {
                    // Whole rows of [L₁₁\U₁₁ U₁₂].
                    self.store[at + i * m..at + (i + 1) * m].copy_from_slice(row);
                } else {
                    let to = at + p * m + (i - p) * p;
                    self.store[to..to + p].copy_from_slice(&row[..p]);
                    let rest = m - p;
                    self.stack[top + (i - p) * rest..top + (i - p + 1) * rest]
                        .copy_from_slice(&row[p..]);
                }
            }
            top += (m - p) * (m - p);
        }
        true
    }

    /// Solves M x = b in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        let turned = &mut self.permuted;
        for (t, &i) in turned.iter_mut().zip(&self.plan.source) {
            *t = x[i as usize];
        }
        // Forward substitution, front by front.
        for node in &self.plan.fronts {
            let (m, p, rest) = (node.width(), node.pivots, node.rest.len());
            let upper = &self.store[node.store..node.store + p * m];
            for i in 1..p {
                let row = &upper[i * m..i * m + i];
                let dot = dot(row, &turned[node.first..node.first + i]);
                turned[node.first + i] -= dot;
            }
            let (head, tail) = turned.split_at_mut(node.first + p);
            let own = &head[node.first..];
            let lower = &self.store[node.store + p * m..node.store + p * m + rest * p];
            let rows = &self.plan.row[node.rest.clone()];
            for (row, &at) in lower.chunks_exact(p).zip(rows) {
                tail[at as usize - node.first - p] -= dot(row, own);
            }
        }
        // Backward substitution in reverse order.
        for node in self.plan.fronts.iter().rev() {
            let (m, p) = (node.width(), node.pivots);
            let upper = &self.store[node.store..node.store + p * m];
            let rows = &self.plan.row[node.rest.clone()];
            for i in (0..p).rev() {
                let row = &upper[i * m..(i + 1) * m];
                let far: f64 = row[p..]
                    .iter()
                    .zip(rows)
                    .map(|(u, &j)| u * turned[j as usize])
                    .sum();
                let near = dot(&row[i + 1..p], &turned[node.first + i + 1..node.first + p]);
                turned[node.first + i] = (turned[node.first + i] - far - near) / row[i];
            }
        }
        for (t, &i) in self.permuted.iter().zip(&self.plan.source) {
            x[i as usize] = *t;
        }
    }
}

/// Extend-add: adds the update matrix of a child, which ends at `top` of the stack; returns where it began.
fn extend_add(
    plan: &super::symbolic::Symbolic,
    child: usize,
    stack: &[f64],
    top: usize,
    front: &mut [f64],
    m: usize,
) -> usize {
    let node = &plan.fronts[child];
    let rest = node.rest.len();
    let start = top - rest * rest;
    let stretches = &plan.stretch[node.place.clone()];
    for rows in stretches {
        let (from, to) = rows.ranges();
        for (i, into) in from.zip(to) {
            let row = &stack[start + i * rest..start + (i + 1) * rest];
            let into = &mut front[into * m..(into + 1) * m];
            for columns in stretches {
                let (from, to) = columns.ranges();
                let many = into[to].iter_mut().zip(&row[from]);
                many.for_each(|(f, v)| *f += v);
            }
        }
    }
    start
}

/// Inner product in four partial sums, so that additions do not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (fours, rest) = a.as_chunks::<4>();
    let (others, left) = b[..a.len()].as_chunks::<4>();
    let mut sum = [0.0; 4];
    for (a, b) in fours.iter().zip(others) {
        for k in 0..4 {
            sum[k] += a[k] * b[k];
        }
    }
    let tail: f64 = rest.iter().zip(left).map(|(a, b)| a * b).sum();
    ((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail
}
