//! Coarse correction for high piles: a two-level method whose coarse space scales the impulses by height.
//!
//! After a hundred sweeps over a high pile most of the velocity error is the mean motion of whole layers up or down: at
//! all contacts of a layer the impulses are too small, or too large, by nearly the same factor. Gauss–Seidel reduces
//! this smooth error slowly. The correction scales the impulses by a factor that is piecewise linear in the height,
//!
//! ```text
//! r_α ← (1 + ω Σ_k θ_k φ_k(z_α)) r_α,      Φᵀ Ŵ Φ θ = −Φᵀ (u + g(u) e_n),      Φ_αk = φ_k(z_α) r_α
//! ```
//!
//! with hat functions φ_k on a few nodes along the height: the Galerkin projection onto the columns of Φ, which
//! minimises the energy with De Saxcé's shift g held fixed; ω = 1.5. Scaled impulses stay inside their cones, and those
//! on the boundary stay there: only the magnitudes change. The coarse basis depends on the iterate.
//!
//! The height z of a body is its distance, in contacts, from the bodies that the given forces press against a boundary.
//! Neighbours differ by one at most, so that a body is coupled to three nodes and Φᵀ Ŵ Φ is pentadiagonal. All sums
//! are in the order of contacts and bodies: the result does not depend on the number of threads.

use percuss_contact::law::MAX_ROWS;
use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};
use percuss_linalg::banded::solve_pentadiagonal;

/// Contacts between two nodes. The error is smooth: 4 and 12 give the same.
const SPACING: f64 = 8.0;

/// Smallest number of levels: below two node distances sweeps are as fast without the correction.
const HIGH: u32 = 16;

/// ω. The scaled impulses vary from grain to grain, which makes Φᵀ Ŵ Φ too stiff: 1.5 takes 5 to 10 % fewer sweeps
/// than 1, 2 as few; at 3 the iteration diverges.
const OMEGA: f64 = 1.5;

/// Bounds of a scaling factor.
const LEAST: f64 = 0.2;
const MOST: f64 = 5.0;

/// Regularisation of the diagonal, relative to its mean: a node whose contacts are all open has a zero row.
const RIDGE: f64 = 1e-6;

/// Fraction of the largest normal velocity change by the given forces from which a boundary supports a body.
const CARRIES: f64 = 0.5;

/// Level of bodies that no path of contacts connects with a support.
const UNSUPPORTED: u32 = u32::MAX;

/// Levels and interpolation of the problem that was fitted last, and scratch.
#[derive(Debug, Default)]
pub(crate) struct CoarseCorrection {
    /// By group (body): its level, from 1.
    level: Vec<u32>,
    highest: u32,
    /// The contacts that are scaled, with their nodes.
    interpolation: Vec<CoarseInterpolation>,
    queue: Vec<u32>,
    /// Contact graph in compressed rows: neighbours of each group, and where those of a group begin.
    neighbours: Vec<u32>,
    begin: Vec<u32>,
    velocity: Vec<f64>,
    /// Ĝᵀ Φ_k in kinetic coordinates, one vector for the nodes k ≡ 0, 1, 2 (mod 3): a group has one node of each class.
    coarse_basis: [Vec<f64>; 3],
    /// Rows of Φᵀ Ŵ Φ from the diagonal on.
    matrix: Vec<[f64; 3]>,
    theta: Vec<f64>,
}

/// Interpolation at a contact: the node below it and the weight of the node above.
#[derive(Debug, Clone, Copy)]
struct CoarseInterpolation {
    contact: u32,
    node: u32,
    above: f64,
}

impl CoarseInterpolation {
    /// The two nodes with their weights.
    fn nodes(self) -> [(usize, f64); 2] {
        let below = self.node as usize;
        [(below, 1.0 - self.above), (below + 1, self.above)]
    }
}

impl CoarseCorrection {
    /// Reserves memory before the first correction: most steps end before it, and a later step should not be the first
    /// to allocate.
    pub fn reserve(&mut self, problem: &Problem) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return;
        };
        let (groups, contacts) = (kinetic.num_groups(), problem.num_contacts());
        room(&mut self.level, groups);
        room(&mut self.interpolation, contacts);
        room(&mut self.queue, groups);
        room(&mut self.neighbours, 2 * contacts);
        room(&mut self.begin, groups + 1);
        room(&mut self.velocity, kinetic.num_coordinates());
        for push in &mut self.coarse_basis {
            room(push, kinetic.num_coordinates());
        }
        let nodes = (groups as f64 / SPACING) as usize + 3;
        room(&mut self.matrix, nodes);
        room(&mut self.theta, nodes);
    }

    /// Finds the levels; false where there are too few for a correction to pay.
    pub fn fit(&mut self, problem: &Problem) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        self.level.clear();
        self.level.resize(kinetic.num_groups(), UNSUPPORTED);
        self.highest = 0;
        self.queue.clear();
        let width = kinetic.num_coordinates() / kinetic.num_groups().max(1);
        if !uniform(kinetic, width) || !self.find_carried(problem, kinetic, width) {
            return false;
        }
        // Breadth-first levels from the supported bodies.
        self.connect(problem, kinetic, width);
        self.climb();
        if self.highest < HIGH {
            return false;
        }
        self.interpolation.clear();
        for a in 0..problem.num_contacts() {
            // Scaled impulses stay admissible where the law is a cone.
            if problem.law(a).normal() {
                self.interpolation.extend(self.height(kinetic, a, width));
            }
        }
        true
    }

    /// Puts the bodies that the given forces press against a boundary on level 1.
    fn find_carried(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        width: usize,
    ) -> bool {
        // Normal velocity change by the given forces at a contact with a boundary.
        let drive = |a: usize| {
            let mut touches = kinetic.dense_blocks(a);
            let (Some((first, block)), None) = (touches.next(), touches.next()) else {
                return None;
            };
            let change = |k: usize| kinetic.free()[first + k] - kinetic.begin()[first + k];
            let drive: f64 = (0..width).map(|k| -block[k] * change(k)).sum();
            Some((first / width, drive))
        };
        let at_boundaries = || (0..problem.num_contacts()).filter_map(drive);
        let strongest = at_boundaries().fold(0.0_f64, |most, (_, drive)| most.max(drive));
        if !(strongest > 0.0 && strongest.is_finite()) {
            return false;
        }
        // Bodies that press against a boundary nearly as hard as the hardest.
        for (group, drive) in at_boundaries() {
            if drive >= CARRIES * strongest && self.level[group] == UNSUPPORTED {
                self.level[group] = 1;
                self.queue.push(group as u32);
            }
        }
        true
    }

    /// Builds the contact graph between groups in compressed rows.
    fn connect(&mut self, problem: &Problem, kinetic: &FactoredDelassus, width: usize) {
        let pair = |a: usize| {
            let mut firsts = kinetic.first_coordinates(a);
            Some([firsts.next()? / width, firsts.next()? / width])
        };
        let pairs = || (0..problem.num_contacts()).filter_map(pair);
        // Offsets of the compressed rows.
        self.begin.clear();
        self.begin.resize(kinetic.num_groups() + 1, 0);
        // Count, prefix sum, fill.
        for group in pairs().flatten() {
            self.begin[group] += 1;
        }
        let mut sum = 0;
        for begin in &mut self.begin {
            sum += *begin;
            *begin = sum;
        }
        self.neighbours.clear();
        self.neighbours.resize(sum as usize, 0);
        for [i, j] in pairs() {
            for (group, other) in [(i, j), (j, i)] {
                self.begin[group] -= 1;
                self.neighbours[self.begin[group] as usize] = other as u32;
            }
        }
    }

    /// Breadth-first search: level of a group = its distance from the supports.
    fn climb(&mut self) {
        let mut next = 0;
        while let Some(&group) = self.queue.get(next) {
            next += 1;
            let group = group as usize;
            self.highest = self.level[group];
            for k in self.begin[group]..self.begin[group + 1] {
                let other = self.neighbours[k as usize];
                if self.level[other as usize] == UNSUPPORTED {
                    self.level[other as usize] = self.highest + 1;
                    self.queue.push(other);
                }
            }
        }
    }

    /// Scales the impulses of the problem that was fitted. False if the coarse system could not be solved: the
    /// impulses are then unchanged.
    pub fn correct(&mut self, problem: &Problem, impulse: &mut [f64]) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        // Assemble and solve the coarse system.
        self.gather(problem, kinetic, impulse);
        self.multiply(kinetic);
        if !solve_pentadiagonal(&mut self.matrix, RIDGE, &mut self.theta) {
            return false;
        }
        // Prolongate: scale the impulses.
        for at in &self.interpolation {
            let theta: f64 = at
                .nodes()
                .map(|(k, share)| share * self.theta[k])
                .iter()
                .sum();
            let factor = (1.0 + OMEGA * theta).clamp(LEAST, MOST);
            let rows = problem.rows(at.contact as usize);
            impulse[rows].iter_mut().for_each(|r| *r *= factor);
        }
        true
    }

    /// Height of a contact: between its two bodies, or half a contact below a body that touches a boundary.
    fn height(
        &self,
        kinetic: &FactoredDelassus,
        a: usize,
        width: usize,
    ) -> Option<CoarseInterpolation> {
        let mut firsts = kinetic.first_coordinates(a);
        let level =
            |first: usize| Some(self.level[first / width]).filter(|level| *level != UNSUPPORTED);
        let lower = level(firsts.next()?)?;
        let z = match firsts.next() {
            Some(other) => 0.5 * (f64::from(lower) + f64::from(level(other)?)),
            None => f64::from(lower) - 0.5,
        };
        // Node below it, and the distance to that node.
        let z = z / SPACING;
        Some(CoarseInterpolation {
            contact: a as u32,
            node: z as u32,
            above: z.fract(),
        })
    }

    /// Computes Ĝᵀ Φ, and −Φᵀ (u + g e_n) in the place of θ.
    fn gather(&mut self, problem: &Problem, kinetic: &FactoredDelassus, impulse: &[f64]) {
        let (coordinates, nodes) = (kinetic.num_coordinates(), self.num_nodes());
        self.velocity.resize(coordinates, 0.0);
        kinetic.velocity_into(impulse, &mut self.velocity);
        for push in &mut self.coarse_basis {
            push.clear();
            push.resize(coordinates, 0.0);
        }
        self.theta.clear();
        self.theta.resize(nodes, 0.0);
        // Scatter φ_k r of every closed contact, and add its power to its two nodes.
        let (mut u, mut part) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        for at in &self.interpolation {
            let a = at.contact as usize;
            let rows = problem.rows(a);
            let (r, d) = (&impulse[rows.clone()], rows.len());
            // An open contact has nothing to scale.
            if !(r[0] > 0.0) {
                continue;
            }
            let u = &mut u[..d];
            u.iter_mut()
                .zip(rows)
                .for_each(|(u, row)| *u = kinetic.affine_term(row));
            kinetic.add_gather(a, &self.velocity, u);
            // r·(u + g e_n): its contribution to the right-hand side of both nodes.
            let power =
                r[0] * problem.law(a).shift(u) + r.iter().zip(&*u).map(|(r, u)| r * u).sum::<f64>();
            for (node, share) in at.nodes() {
                self.theta[node] -= share * power;
                let part = &mut part[..d];
                part.iter_mut()
                    .zip(r)
                    .for_each(|(part, r)| *part = share * r);
                kinetic.scatter(a, part, &mut self.coarse_basis[node % 3]);
            }
        }
    }

    /// Assembles Φᵀ Ŵ Φ = (ĜᵀΦ)ᵀ(ĜᵀΦ), group by group.
    fn multiply(&mut self, kinetic: &FactoredDelassus) {
        self.matrix.clear();
        self.matrix.resize(self.num_nodes(), [0.0; 3]);
        for (group, ends) in kinetic.group_offset().windows(2).enumerate() {
            if self.level[group] == UNSUPPORTED {
                continue;
            }
            // The lowest contact of a group may be half a level below it.
            let base = ((f64::from(self.level[group]) - 0.5) / SPACING) as usize;
            for i in 0..3 {
                for j in i..3 {
                    let [a, b] =
                        [i, j].map(|k| &self.coarse_basis[(base + k) % 3][ends[0]..ends[1]]);
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    self.matrix[base + i][j - i] += product;
                }
            }
        }
    }

    /// One node below the lowest and two above the highest contact, so that every group has its three.
    fn num_nodes(&self) -> usize {
        (f64::from(self.highest) / SPACING) as usize + 3
    }
}

fn room<T>(list: &mut Vec<T>, count: usize) {
    list.clear();
    list.reserve(count);
}

/// Whether all groups have `width` coordinates.
fn uniform(kinetic: &FactoredDelassus, width: usize) -> bool {
    width > 0
        && kinetic
            .group_offset()
            .windows(2)
            .all(|ends| ends[1] - ends[0] == width)
}

#[cfg(test)]
mod tests;
