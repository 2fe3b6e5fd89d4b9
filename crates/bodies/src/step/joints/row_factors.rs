//! Factorisations of the Gram matrix ĜĜᵀ of the held rows of one component: dense for few bodies, sparse for many.

use percuss_linalg::MinimumNorm;

use super::JointCache;
use super::drift::ProjectionRow;
use crate::joint::pivoted_cholesky::PivotedCholesky;

/// Largest number of coordinates of a component whose Gram matrix is factorised densely.
const DENSE: usize = 128;

/// The factorisation of the component that was factorised last; symbolic factorisations are kept for each.
#[derive(Debug, Default)]
pub(super) struct RowFactors {
    dense: PivotedCholesky,
    /// By component; empty systems where the dense one is used.
    sparse: Vec<MinimumNorm>,
    /// The component whose rows are in `sparse`, or none.
    present: Option<usize>,
    x: Vec<f64>,
    e: Vec<f64>,
}

impl RowFactors {
    /// Factorises the rows of a component whose bodies have `width` coordinates.
    pub fn factor(
        &mut self,
        component: usize,
        cache: &JointCache,
        width: usize,
        rows: &[ProjectionRow],
    ) {
        let bodies = cache.component_bodies[component].len();
        self.present = None;
        if bodies * width > DENSE {
            if self.sparse.len() <= component {
                self.sparse.resize_with(component + 1, MinimumNorm::default);
            }
            let system = &mut self.sparse[component];
            system.begin(std::iter::repeat_n(width, bodies));
            for block in rows.chunk_by(|a, b| a.joint == b.joint) {
                push(system, cache, width, block);
            }
            if system.factor() {
                self.present = Some(component);
                return;
            }
        }
        self.dense.factor(rows.len(), |i, j| rows[i].dot(&rows[j]));
    }

    /// Replaces b by a solution of ĜĜᵀ x = b, sparse ones to `enough` of the largest entry of b (by row of unit length), or
    /// to `least`.
    pub fn solve(&mut self, b: &mut [f64], enough: f64, least: f64) {
        let Some(component) = self.present else {
            self.dense.solve(b);
            return;
        };
        let system = &mut self.sparse[component];
        let scaled = b.iter().zip(system.scale()).map(|(b, s)| (b * s).abs());
        let largest = scaled.fold(0.0, f64::max);
        self.e.clear();
        self.e.extend_from_slice(b);
        self.x.resize(system.num_unknowns(), 0.0);
        system.solve(&self.e, (enough * largest).max(least), b, &mut self.x);
    }

    /// The dependent rows.
    pub fn dependent(&self) -> Vec<usize> {
        match self.present {
            Some(component) => self.sparse[component].dependent_rows(),
            None => self.dense.dependent().to_vec(),
        }
    }
}

/// Adds the rows of one joint.
fn push(system: &mut MinimumNorm, cache: &JointCache, width: usize, rows: &[ProjectionRow]) {
    let Some(first) = rows.first() else {
        return;
    };
    // Entries of both sides; a side that is not movable has none.
    let sides = [0, 1].map(|k| {
        let entries = rows.iter().flat_map(|row| &row.block[k][..width]);
        entries.copied().collect::<Vec<f64>>()
    });
    let movable = (0..2).filter(|&k| first.bodies[k] != usize::MAX);
    let touches = movable.map(|k| (cache.place[first.bodies[k]] as usize, &sides[k][..]));
    system.push(rows.len(), touches);
}
