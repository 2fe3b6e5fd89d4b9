//! Self-stress: admissible impulses with Gᵀ R = 0, which can be added without bound (recession directions).
//!
//! ```text
//! max Σ t_α     E R = 0,  F R ∈ C,   t_α ≤ R_n,α,  0 ≤ t_α ≤ 1
//! ```
//!
//! Multiples of R are admissible too, so that t_α = 1 wherever some R has R_n,α > 0: one program finds
//! all contacts that are unbounded.

use std::ops::Range;

use crate::assembly::ContactAssembly;
use crate::conic_program::{ConicProgram, SolveStatus};
use crate::error::StaticsError;

/// t is 0 or 1; this separates them far from rounding.
const MIDDLE: f64 = 0.5;

/// Which contacts a self-stress can load without bound, and the ray that does so.
pub(crate) fn unbounded_self_stress(
    program: &ConicProgram,
    columns: &[Range<usize>],
    normal: &[bool],
) -> Result<(Vec<bool>, Vec<f64>), StaticsError> {
    // Homogeneous constraints.
    let mut stressed = program.clone();
    stressed.b.iter_mut().for_each(|b| *b = 0.0);
    let lines = stressed.positive.iter_mut();
    for line in lines.chain(stressed.discs.iter_mut().flatten()) {
        line.1 = 0.0;
    }
    let mut q = vec![0.0; stressed.columns];
    let mut bound = vec![None; columns.len()];
    // One t for each unilateral contact: R_n − t ≥ 0, t ≥ 0, 1 − t ≥ 0.
    for (k, columns) in columns.iter().enumerate() {
        if !normal[k] || columns.is_empty() {
            continue;
        }
        let t = stressed.columns;
        stressed.columns += 1;
        q.push(-1.0);
        bound[k] = Some(t);
        stressed
            .positive
            .push((vec![(columns.start, 1.0), (t, -1.0)], 0.0));
        stressed.positive.push((vec![(t, 1.0)], 0.0));
        stressed.positive.push((vec![(t, -1.0)], 1.0));
    }
    let answer = stressed.solve(&q, "looking for self-stress")?;
    let mut x = answer.x;
    let loaded = |t: &Option<usize>| {
        answer.end == SolveStatus::Solved && t.and_then(|t| x.get(t)).is_some_and(|t| *t > MIDDLE)
    };
    let unbounded = bound.iter().map(loaded).collect();
    x.truncate(program.columns);
    Ok((unbounded, x))
}

/// Connected components of the contact graph over the wanted contacts: contacts with a common coordinate are
/// connected.
pub(crate) fn connected_components(system: &ContactAssembly, wanted: &[bool]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..system.num_coordinates()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    // Union–find over coordinates; the smaller index is the root.
    for contact in (0..wanted.len()).filter(|contact| wanted[*contact]) {
        let mut first_of_all = None;
        for (first, width, _) in system.blocks(contact) {
            for k in first..first + width {
                let other = root(&mut parent, k);
                let one = *first_of_all.get_or_insert(other);
                let one = root(&mut parent, one);
                parent[other.max(one)] = other.min(one);
            }
        }
    }
    // Contacts by root, in order of first appearance.
    let mut of_root = vec![usize::MAX; system.num_coordinates()];
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for contact in (0..wanted.len()).filter(|contact| wanted[*contact]) {
        let Some((first, _, _)) = system.blocks(contact).next() else {
            continue;
        };
        let root = root(&mut parent, first);
        if of_root[root] == usize::MAX {
            of_root[root] = parts.len();
            parts.push(Vec::new());
        }
        parts[of_root[root]].push(contact);
    }
    parts
}
