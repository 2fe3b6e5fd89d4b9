//! Elastic, perfectly plastic trusses under quasi-static loads and support motions.
//!
//! ```text
//! Bᵀ s = F(t)  (equilibrium at the free coordinates),   |s_b| ≤ N_b
//! B u = e = s/k + p,   ṗ ∈ N(s)        ⇔        −ds ∈ N_C(t)(s) in the metric diag(1/k)
//! ```
//!
//! The bar forces s are the point of the sweeping process and C(t) is the set of admissible forces in equilibrium
//! (Moreau's first use of the process). Elastic response and redistribution are one projection: the elastic increment
//! is orthogonal, in this metric, to all self-stresses. Support motions ū(t) shift the bar forces by k B̄ū. The
//! multipliers of the equations are minus the nodal displacements of a step; C(t) becomes empty beyond the limit load.

use super::positive;
use crate::error::{Result, SweepingError, check_finite, check_len};
use crate::metric::Metric;
use crate::moving_set::MovingSet;
use crate::polyhedron::{ConstraintRows, MovingPolyhedron};
use crate::process::Process;
use std::sync::Arc;

/// A bar between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrussBar {
    /// First node.
    pub from: usize,
    /// Second node.
    pub to: usize,
    /// Axial stiffness EA/L.
    pub stiffness: f64,
    /// Yield force in tension and compression.
    pub strength: f64,
}

/// Nodes, bars and supports; coordinates are numbered node by node.
#[derive(Debug, Clone, PartialEq)]
pub struct Truss {
    space: usize,
    bars: Vec<TrussBar>,
    /// Elongation of each bar per unit of each coordinate.
    compatibility: Vec<Vec<(usize, f64)>>,
    supported: Vec<bool>,
}

/// A vector function of time on the coordinates of a truss.
type History = Arc<dyn Fn(f64, &mut [f64]) + Send + Sync>;

impl Truss {
    /// A truss from nodes of the plane or of space, bars between them, and supported coordinates (node, axis).
    pub fn new(nodes: &[Vec<f64>], bars: &[TrussBar], supports: &[(usize, usize)]) -> Result<Self> {
        let space = nodes.first().map_or(0, Vec::len);
        let mut supported = vec![false; space * nodes.len()];
        for &(node, axis) in supports {
            check_index("node of a support", node, nodes.len())?;
            check_index("axis of a support", axis, space)?;
            supported[node * space + axis] = true;
        }
        let mut compatibility = Vec::new();
        for bar in bars {
            positive("stiffness of a bar", bar.stiffness)?;
            positive("strength of a bar", bar.strength)?;
            check_index("node of a bar", bar.from, nodes.len())?;
            check_index("node of a bar", bar.to, nodes.len())?;
            check_len("node", nodes[bar.to].len(), space)?;
            let d = crate::lane_sums::sub(&nodes[bar.to], &nodes[bar.from]);
            let length = crate::lane_sums::norm(&d);
            positive("length of a bar", length)?;
            // Elongation per unit displacement: direction cosines.
            let mut row = Vec::new();
            for (axis, v) in d.iter().enumerate() {
                row.push((bar.from * space + axis, -v / length));
                row.push((bar.to * space + axis, v / length));
            }
            compatibility.push(row);
        }
        Ok(Self {
            space,
            bars: bars.to_vec(),
            compatibility,
            supported,
        })
    }

    /// Number of coordinates, free and supported.
    pub fn coordinates(&self) -> usize {
        self.supported.len()
    }

    /// Dimension of the space of the truss.
    pub fn space(&self) -> usize {
        self.space
    }

    /// Indices of the free coordinates.
    fn free(&self) -> Vec<usize> {
        let all = 0..self.supported.len();
        all.filter(|&i| !self.supported[i]).collect()
    }

    /// Bar forces k B̄ū that the given support motions would cause with all free coordinates fixed.
    fn imposed(&self, u: &[f64]) -> Vec<f64> {
        let each = self.compatibility.iter().zip(&self.bars);
        each.map(|(row, bar)| {
            let held = row.iter().filter(|e| self.supported[e.0]);
            bar.stiffness * held.map(|&(j, c)| c * u[j]).sum::<f64>()
        })
        .collect()
    }

    /// The moving set of w = s − k B̄ū: equilibrium as equations, yield as inequalities.
    fn set(&self, load: History, settlement: Option<History>) -> Result<MovingPolyhedron> {
        let free = self.free();
        // Equilibrium rows Bᵀ at the free coordinates.
        let mut rows = vec![Vec::new(); free.len()];
        for (b, row) in self.compatibility.iter().enumerate() {
            for &(j, c) in row {
                if let Ok(k) = free.binary_search(&j) {
                    rows[k].push((b, c));
                }
            }
        }
        let equations = rows.len();
        // Yield rows ±s_b ≤ N_b.
        for b in 0..self.bars.len() {
            rows.push(vec![(b, 1.0)]);
            rows.push(vec![(b, -1.0)]);
        }
        let truss = self.clone();
        let balance: Vec<Vec<(usize, f64)>> = rows[..equations].to_vec();
        let rows = ConstraintRows::sparse(self.bars.len(), &rows)?;
        MovingPolyhedron::with_equalities(rows, equations, move |t, b| {
            // Loads at the free coordinates.
            let mut u = vec![0.0; truss.coordinates()];
            load(t, &mut u);
            for (k, &j) in free.iter().enumerate() {
                b[k] = u[j];
            }
            // Support motions shift equilibrium and yield bounds.
            let mut shift = vec![0.0; truss.bars.len()];
            if let Some(settlement) = &settlement {
                u.fill(0.0);
                settlement(t, &mut u);
                shift = truss.imposed(&u);
            }
            for (k, row) in balance.iter().enumerate() {
                b[k] -= row.iter().map(|&(i, c)| c * shift[i]).sum::<f64>();
            }
            for (i, bar) in truss.bars.iter().enumerate() {
                b[equations + 2 * i] = bar.strength - shift[i];
                b[equations + 2 * i + 1] = bar.strength + shift[i];
            }
        })
    }

    /// Metric of complementary energy, diag(1/k).
    fn metric(&self) -> Result<Metric> {
        let inverse: Vec<f64> = self.bars.iter().map(|b| 1.0 / b.stiffness).collect();
        Metric::diagonal(&inverse)
    }

    /// The process under the loads F(t), started from the elastic forces of F(t₀), which must be admissible. The point
    /// of the process is s.
    pub fn process(
        &self,
        t0: f64,
        load: impl Fn(f64, &mut [f64]) + Send + Sync + 'static,
    ) -> Result<Process<MovingPolyhedron>> {
        self.begin(t0, Arc::new(load), None)
    }

    /// The same with motions ū(t) of the supports; the point of the process is s − k B̄ū(t), see [`Self::forces`].
    pub fn process_with_settlement(
        &self,
        t0: f64,
        load: impl Fn(f64, &mut [f64]) + Send + Sync + 'static,
        settlement: impl Fn(f64, &mut [f64]) + Send + Sync + 'static,
    ) -> Result<Process<MovingPolyhedron>> {
        self.begin(t0, Arc::new(load), Some(Arc::new(settlement)))
    }

    fn begin(
        &self,
        t0: f64,
        load: History,
        settlement: Option<History>,
    ) -> Result<Process<MovingPolyhedron>> {
        let mut set = self.set(load, settlement)?;
        set.set_metric(&self.metric()?)?;
        // Without plastic history the forces are those of least elastic energy; if a bar yields, the projection differs
        // from them and the process begins with plastic flow.
        let mut start = vec![0.0; self.bars.len()];
        set.project_into(t0, &vec![0.0; self.bars.len()], &mut start)?;
        Process::new(set, t0, &start)?.with_metric(self.metric()?)
    }

    /// Bar forces from the point of the process, given the support motions of that time.
    pub fn forces(&self, w: &[f64], settlement: &[f64]) -> Result<Vec<f64>> {
        check_len("support motions", settlement.len(), self.coordinates())?;
        let shift = self.imposed(settlement);
        Ok(w.iter().zip(&shift).map(|(w, s)| w + s).collect())
    }

    /// Displacements of the last step at the free coordinates (0 at the supported ones): with the multipliers λ of the
    /// equations, Δu = −λ.
    pub fn displacement(&self, set: &MovingPolyhedron) -> Vec<f64> {
        let mut u = vec![0.0; self.coordinates()];
        for (&j, &lambda) in self.free().iter().zip(&set.multipliers()) {
            u[j] = -lambda;
        }
        u
    }

    /// Limit load: the largest α for which α F can be carried, by bisection on whether C is empty; relative accuracy
    /// 1e-10. Infinite loads do not exist (every bar has a strength), F = 0 is refused.
    pub fn limit_load(&self, load: &[f64]) -> Result<f64> {
        check_len("load", load.len(), self.coordinates())?;
        check_finite("load", load, 0.0)?;
        let fixed = load.to_vec();
        let along = move |alpha: f64, f: &mut [f64]| {
            f.iter_mut().zip(&fixed).for_each(|(f, l)| *f = alpha * l);
        };
        // Bracket of α.
        let size = crate::lane_sums::norm(load);
        positive("size of the load", size)?;
        // No equilibrium carries more than the sum of all strengths per coordinate.
        let all: f64 = self.bars.iter().map(|b| b.strength).sum();
        let coordinates = self.coordinates() as f64;
        let (mut low, mut high) = (0.0, 2.0 * all * coordinates.sqrt() / size);
        let mut set = self.set(Arc::new(along), None)?;
        set.set_metric(&self.metric()?)?;
        let mut point = vec![0.0; self.bars.len()];
        while high - low > 1e-11 * high {
            let mid = 0.5 * (low + high);
            if mid <= low || mid >= high {
                break;
            }
            // Feasible loads move the lower bound up, infeasible ones the upper bound down.
            match set.project_into(mid, &vec![0.0; self.bars.len()], &mut point) {
                Ok(_) => low = mid,
                Err(SweepingError::Empty { .. }) => high = mid,
                Err(other) => return Err(other),
            }
        }
        Ok(low)
    }
}

fn check_index(what: &'static str, index: usize, count: usize) -> Result<()> {
    if index < count {
        Ok(())
    } else {
        Err(SweepingError::Invalid {
            what,
            value: index as f64,
            expected: "a number below their count",
        })
    }
}
