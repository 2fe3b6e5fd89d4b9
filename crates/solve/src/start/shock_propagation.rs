//! Shock propagation: starting impulses for a step without warm start, from the support graph of the bodies.
//!
//! Information travels one contact per sweep, so that Gauss–Seidel from zero needs the more sweeps the higher a pile
//! is. Which body supports which can be found without solving anything: the velocity change of the given forces,
//! v̂_free − v̂_begin, presses a body against some of its neighbours and away from the others. Bodies are treated
//! level by level from the top down. The bodies that support a level keep their initial velocities while the contacts
//! of the level are relaxed by Gauss–Seidel; then the impulses act on the supporting bodies:
//!
//! ```text
//! v̂_b += Ĝ_bᵀ r  for the bodies of this level,   then  v̂_c += Ĝ_cᵀ r  for the bodies that support them
//! ```
//!
//! (shock propagation as in GuendelmanBridsonFedkiw2003, but as a starting point only). Where every body rests on one
//! other, in columns, this is the solution. Where a body rests on two the weight may go either way; there it saves a
//! tenth of the sweeps and costs more than all of them, so nothing is computed. The result is only ever a
//! start: its residual is compared with that of zero impulses, and the method starts from the better of the two.

use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};

/// Largest number of sweeps over a level. They are repeated until nothing changes: a block on a slope then starts at
/// rest and not with a residual at the tolerance, from which it would creep in all later steps.
const VISITS: usize = 60;

/// Convergence of a level: largest change of an impulse relative to the largest impulse.
const SETTLED: f64 = 1e-14;

/// Fraction of the largest normal velocity change by the given forces below which a contact is not loaded.
const PRESSES: f64 = 1e-6;

/// Level of bodies that nothing supports.
const UNSUPPORTED: u32 = u32::MAX;

/// The support graph and its scratch.
#[derive(Debug, Default)]
pub(crate) struct ShockPropagation {
    /// Group (body) of each coordinate.
    owner: Vec<u32>,
    /// Level of each group: 1 + the highest level of the groups that support it.
    level: Vec<u32>,
    /// (supported group, supporting group or [`UNSUPPORTED`] for a boundary) by loaded contact.
    edges: Vec<(u32, u32)>,
    order: Vec<u32>,
    velocity: Vec<f64>,
    block: Vec<f64>,
}

impl ShockPropagation {
    /// Writes starting impulses where all are zero; false, with zero impulses, where there are none to give.
    pub fn guess(&mut self, problem: &Problem, impulse: &mut [f64]) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        if impulse.iter().any(|r| *r != 0.0) || !self.rank(problem, kinetic) {
            return false;
        }
        // Start from the free velocity.
        self.velocity.clear();
        self.velocity.extend_from_slice(kinetic.free());
        // One level after the other, the highest first.
        let mut start = 0;
        while start < self.order.len() {
            let top = self.key(kinetic, self.order[start]);
            let same = |a: &u32| self.key(kinetic, *a) == top;
            let end = start + self.order[start..].iter().take_while(|a| same(a)).count();
            // Gauss–Seidel on this level, then load the levels below.
            self.relax_level(problem, kinetic, start..end, top, impulse);
            for k in start..end {
                self.propagate(problem, kinetic, self.order[k] as usize, top, impulse);
            }
            start = end;
        }
        // A failed local solve makes the estimate useless.
        let sound = impulse.iter().all(|r| r.is_finite());
        if !sound {
            impulse.fill(0.0);
        }
        sound
    }

    /// Gauss–Seidel sweeps over the contacts of a level until they converge.
    fn relax_level(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        level: std::ops::Range<usize>,
        top: u32,
        impulse: &mut [f64],
    ) {
        for _ in 0..VISITS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for k in level.clone() {
                let a = self.order[k] as usize;
                change = change.max(self.visit(problem, kinetic, a, top, impulse));
                let r = &impulse[problem.rows(a)];
                largest = r.iter().fold(largest, |most, r| most.max(r.abs()));
            }
            if change <= SETTLED * largest {
                break;
            }
        }
    }

    /// Finds the levels of bodies and sorts contacts from the top down; false where nothing rests on a fixed support.
    fn rank(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> bool {
        let groups = kinetic.num_groups();
        self.owner.resize(kinetic.num_coordinates(), 0);
        for (g, range) in kinetic.group_offset().windows(2).enumerate() {
            self.owner[range[0]..range[1]].fill(g as u32);
        }
        self.find_edges(problem, kinetic);
        if !self.one_carrier_each(groups) {
            return false;
        }
        // Topological order (Kahn): a body follows once all bodies that support it have a level.
        let mut waiting = vec![0_u32; groups];
        self.level.clear();
        self.level.resize(groups, UNSUPPORTED);
        let mut head = vec![u32::MAX; groups];
        let mut next = vec![u32::MAX; self.edges.len()];
        let mut ready = Vec::new();
        let mut held = vec![0_u32; groups];
        // Number of supports per body, and the linked list of bodies that each one supports.
        for (k, &(body, carrier)) in self.edges.iter().enumerate() {
            held[body as usize] = held[body as usize].max(1);
            if carrier != UNSUPPORTED {
                waiting[body as usize] += 1;
                next[k] = head[carrier as usize];
                head[carrier as usize] = k as u32;
            }
        }
        for g in 0..groups {
            if held[g] > 0 && waiting[g] == 0 {
                ready.push(g);
            }
        }
        // Level = 1 + highest level among the supports.
        while let Some(g) = ready.pop() {
            self.level[g] = held[g];
            let mut k = head[g];
            while k != u32::MAX {
                let body = self.edges[k as usize].0 as usize;
                held[body] = held[body].max(self.level[g] + 1);
                waiting[body] -= 1;
                if waiting[body] == 0 {
                    ready.push(body);
                }
                k = next[k as usize];
            }
        }
        // Contacts by decreasing level; a stable sort keeps contact order within a level.
        self.order.clear();
        self.order.extend(0..problem.num_contacts() as u32);
        let (owner, level) = (&self.owner, &self.level);
        let key = |a: &u32| {
            let levels = kinetic
                .first_coordinates(*a as usize)
                .map(|f| level[owner[f] as usize]);
            std::cmp::Reverse(levels.max().unwrap_or(0))
        };
        self.order.sort_by_key(key);
        self.level.iter().any(|l| *l != UNSUPPORTED)
    }

    /// Whether no body rests on two others.
    fn one_carrier_each(&mut self, groups: usize) -> bool {
        // The support of each group; UNSUPPORTED − 1, which no group has, where none is known yet.
        self.level.clear();
        self.level.resize(groups, UNSUPPORTED - 1);
        self.edges.iter().all(|&(body, carrier)| {
            let known = &mut self.level[body as usize];
            let same = *known == UNSUPPORTED - 1 || *known == carrier;
            *known = carrier;
            same
        })
    }

    /// Finds the loaded contacts: which body the given forces press against which.
    fn find_edges(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        // Normal velocity change of one side by the given forces; negative: pressed into the contact.
        let drive = |first: usize, row: &[f64]| -> f64 {
            let (free, begin) = (kinetic.free(), kinetic.begin());
            row.iter()
                .enumerate()
                .map(|(k, g)| g * (free[first + k] - begin[first + k]))
                .sum()
        };
        let mut strongest = 0.0_f64;
        for a in 0..problem.num_contacts() {
            for (first, block) in kinetic.dense_blocks(a) {
                let width = block.len() / problem.dim(a).max(1);
                strongest = strongest.max(drive(first, &block[..width]).abs());
            }
        }
        self.edges.clear();
        for a in 0..problem.num_contacts() {
            let mut sides = [UNSUPPORTED; 2];
            let mut presses = [0.0; 2];
            let mut count = 0;
            for (first, block) in kinetic.dense_blocks(a).take(2) {
                let width = block.len() / problem.dim(a).max(1);
                sides[count] = self.owner[first];
                presses[count] = drive(first, &block[..width]);
                count += 1;
            }
            // The side that is pressed harder rests on the other one.
            for side in 0..count {
                let harder = presses[side] < presses[1 - side];
                if presses[side] < -PRESSES * strongest && (count == 1 || harder) {
                    self.edges.push((sides[side], sides[1 - side]));
                }
            }
        }
    }

    /// Highest level among the bodies of a contact.
    fn key(&self, kinetic: &FactoredDelassus, a: u32) -> u32 {
        let levels = kinetic
            .first_coordinates(a as usize)
            .map(|f| self.level[self.owner[f] as usize]);
        levels.max().unwrap_or(0)
    }

    /// Local solve at a contact whose lower bodies keep their initial velocity; returns the change of the impulse.
    fn visit(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        a: usize,
        top: u32,
        impulse: &mut [f64],
    ) -> f64 {
        let rows = problem.rows(a);
        let d = rows.len();
        let r = &mut impulse[rows.clone()];
        let mut u = [0.0; percuss_contact::law::MAX_ROWS];
        let u = &mut u[..d];
        // Relative velocity u and local Delassus block H of the bodies of this level.
        for (i, row) in rows.enumerate() {
            u[i] = kinetic.affine_term(row);
        }
        self.block.clear();
        self.block.resize(d * d, 0.0);
        for (first, block) in kinetic.dense_blocks(a) {
            let width = block.len() / d;
            let moves = self.level[self.owner[first] as usize] == top;
            let v = if moves {
                &self.velocity
            } else {
                kinetic.begin()
            };
            for i in 0..d {
                let row = &block[i * width..(i + 1) * width];
                u[i] += row
                    .iter()
                    .zip(&v[first..first + width])
                    .map(|(g, v)| g * v)
                    .sum::<f64>();
                for j in (0..d).filter(|_| moves) {
                    let other = &block[j * width..(j + 1) * width];
                    self.block[i * d + j] += row.iter().zip(other).map(|(g, h)| g * h).sum::<f64>();
                }
            }
        }
        // q = u − H r, then the exact local solve.
        for i in 0..d {
            for j in 0..d {
                u[i] -= self.block[i * d + j] * r[j];
            }
        }
        let mut next = [0.0; percuss_contact::law::MAX_ROWS];
        next[..d].copy_from_slice(r);
        problem.law(a).solve_local(&self.block, u, &mut next[..d]);
        // v̂ += Ĝᵀ (r⁺ − r) for the bodies of this level.
        for i in 0..d {
            u[i] = next[i] - r[i];
            r[i] = next[i];
        }
        self.add(kinetic, a, u, |level| level == top);
        u.iter().fold(0.0, |most, change| change.abs().max(most))
    }

    /// Applies the impulse of a contact to the bodies that support it.
    fn propagate(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        a: usize,
        top: u32,
        impulse: &[f64],
    ) {
        self.add(kinetic, a, &impulse[problem.rows(a)], |level| level != top);
    }

    /// v̂ += Ĝᵀ r for the bodies whose level is `wanted`.
    fn add(
        &mut self,
        kinetic: &FactoredDelassus,
        a: usize,
        r: &[f64],
        wanted: impl Fn(u32) -> bool,
    ) {
        for (first, block) in kinetic.dense_blocks(a) {
            if !wanted(self.level[self.owner[first] as usize]) {
                continue;
            }
            let width = block.len() / r.len().max(1);
            for (row, r) in block.chunks_exact(width.max(1)).zip(r) {
                let v = &mut self.velocity[first..first + width];
                v.iter_mut().zip(row).for_each(|(v, g)| *v += g * r);
            }
        }
    }
}
