//! The independent groups of coordinates of a matrix M: the connected components of its graph.
//!
//! Where M couples only coordinates inside windows of 6 (3 in the plane), as for rigid
//! bodies, the windows are the groups: a diagonal M would otherwise split each body into single
//! coordinates, and products over whole bodies are faster.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::SparseMatrix;

/// A partition of the coordinates into groups.
pub(super) struct Groups {
    /// Coordinates of each group, ascending.
    members: Vec<Vec<usize>>,
    /// Group of each coordinate and its index in the group.
    group_and_index: Vec<(usize, usize)>,
}

impl Groups {
    /// The groups of a square matrix; explicit zeros couple nothing.
    pub(super) fn of(m: &SparseMatrix, spacedim: usize) -> Self {
        let body = if spacedim == 2 { 3 } else { 6 };
        let mut coupled = entries(m);
        // Rigid bodies: no coupling beyond windows of 6 (3) coordinates.
        let bodies = m.rows.is_multiple_of(body) && coupled.all(|(i, j)| i / body == j / body);
        let label = if bodies {
            (0..m.rows).map(|i| i / body).collect()
        } else {
            components(m)
        };
        // Collect the members of each group.
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut place = Vec::with_capacity(m.rows);
        for (i, &g) in label.iter().enumerate() {
            if g == members.len() {
                members.push(Vec::new());
            }
            place.push((g, members[g].len()));
            members[g].push(i);
        }
        Self {
            members,
            group_and_index: place,
        }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Size of the largest group.
    pub(super) fn widest(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Coordinates of group `g`.
    pub(super) fn members(&self, g: usize) -> &[usize] {
        &self.members[g]
    }

    /// The dense block of group `g`, row-major.
    pub(super) fn block(&self, m: &SparseMatrix, g: usize) -> Vec<f64> {
        let members = &self.members[g];
        let size = members.len();
        let mut block = vec![0.0; size * size];
        // Scatter the sparse rows of the group.
        for (row, &i) in members.iter().enumerate() {
            let (columns, values) = m.row(i);
            for (&j, &value) in columns.iter().zip(values) {
                let (group, at) = self.group_and_index[j];
                if group == g {
                    block[row * size + at] = value;
                }
            }
        }
        block
    }

    /// The entries of a vector in group `g`.
    pub(super) fn part(&self, x: &[f64], g: usize) -> Vec<f64> {
        self.members[g].iter().map(|&i| x[i]).collect()
    }

    /// The dense blocks of the given rows of J, by group.
    pub(super) fn blocks(&self, j: &SparseMatrix, rows: Range<usize>) -> BTreeMap<usize, Vec<f64>> {
        let mut blocks = BTreeMap::new();
        for (k, row) in rows.clone().enumerate() {
            let (columns, values) = j.row(row);
            for (&i, &value) in columns.iter().zip(values) {
                let (g, at) = self.group_and_index[i];
                let size = self.members[g].len();
                let block = blocks
                    .entry(g)
                    .or_insert_with(|| vec![0.0; rows.len() * size]);
                block[k * size + at] = value;
            }
        }
        blocks
    }

    /// The rows of J with entries in each group, ascending.
    pub(super) fn rows_by_group(&self, j: &SparseMatrix) -> Vec<Vec<usize>> {
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for row in 0..j.rows {
            for &i in j.row(row).0 {
                let list = &mut touching[self.group_and_index[i].0];
                // Rows come in ascending order: the last entry tells whether it is listed.
                if list.last() != Some(&row) {
                    list.push(row);
                }
            }
        }
        touching
    }

    /// The entries of a row of J in group `g`, with their indices in the group.
    pub(super) fn row_part(&self, j: &SparseMatrix, row: usize, g: usize) -> Vec<(usize, f64)> {
        let (columns, values) = j.row(row);
        let places = columns.iter().map(|&i| self.group_and_index[i]);
        let inside = places.zip(values).filter(|((group, _), _)| *group == g);
        inside.map(|((_, at), &value)| (at, value)).collect()
    }
}

/// Positions of the nonzero entries.
fn entries(m: &SparseMatrix) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..m.rows).flat_map(move |i| {
        let (columns, values) = m.row(i);
        let pairs = columns.iter().zip(values);
        pairs.filter(|(_, v)| **v != 0.0).map(move |(&j, _)| (i, j))
    })
}

/// The component of each coordinate, numbered by first appearance (union-find with path halving).
fn components(m: &SparseMatrix) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..m.rows).collect();
    for (i, j) in entries(m) {
        let (a, b) = (root(&mut parent, i), root(&mut parent, j));
        // The smaller index stays root, so that the numbering follows the file.
        parent[a.max(b)] = a.min(b);
    }
    // Number the roots in order of appearance.
    let mut label = vec![usize::MAX; m.rows];
    let mut count = 0;
    for i in 0..m.rows {
        let top = root(&mut parent, i);
        if label[top] == usize::MAX {
            label[top] = count;
            count += 1;
        }
        label[i] = label[top];
    }
    label
}

/// Root of a coordinate.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
