//! What sweeps carry slowly up a pile: how much of the weight each height bears.
//!
//! Sweeps of a high pile soon leave mainly one thing behind. Most of what is wrong with the velocities after a hundred
//! of them is the mean motion of whole layers up or down: at all contacts of a layer the impulses are too
//! small, or too large, by nearly the same factor. So the impulses are scaled by a factor that changes linearly
//! between a few nodes along the height,
//!
//! ```text
//! r_α ← (1 + ω Σ_k θ_k φ_k(z_α)) r_α,      Φᵀ Ŵ Φ θ = −Φᵀ (u + g(u) e_n),      Φ_αk = φ_k(z_α) r_α
//! ```
//!
//! with hat functions φ_k: θ is that of least energy, De Saxcé's shift g held fixed, ω = 1.5. Scaled impulses stay
//! inside their cones, at the limit or below it as they were: only how much is carried changes. (The coarse
//! space of a two-level method, made of the iterate itself.)
//!
//! The height z of a body is its distance in contacts from the bodies that the given forces press against a
//! boundary, so that neighbours differ by one at most, a body knows three nodes, and Φᵀ Ŵ Φ has two diagonals
//! on either side of its own. Everything is summed in the order of contacts and bodies: threads change no bit.

use contact::law::MAX_ROWS;
use contact::{FactoredDelassus, DelassusOperator, Problem};

/// Contacts from node to node. What is left behind is smooth: 4 and 12 do the same.
const SPACING: f64 = 8.0;

/// Levels from which it is worth its time: below two nodes' distance sweeps are as fast without it.
const HIGH: u32 = 16;

/// ω. Scaled impulses are rough from grain to grain, which makes Φᵀ Ŵ Φ too stiff: 1.5 takes 5 to 10 % fewer sweeps
/// than 1, 2 as few; at 3 it diverges.
const OMEGA: f64 = 1.5;

/// Bounds of a factor.
const LEAST: f64 = 0.2;
const MOST: f64 = 5.0;

/// Added to the diagonal, relative to its mean: a node whose contacts are all open has nothing on it.
const RIDGE: f64 = 1e-6;

/// Share of the strongest drive from which a boundary carries what touches it.
const CARRIES: f64 = 0.5;

/// Level of bodies that are not connected to what carries.
const UNSUPPORTED: u32 = u32::MAX;

/// Scratch of the correction; levels are those of the problem it was last fitted to.
#[derive(Debug, Default)]
pub(crate) struct CoarseCorrection {
    /// By group: its level, from 1.
    level: Vec<u32>,
    highest: u32,
    /// The contacts that are scaled.
    interpolation: Vec<CoarseInterpolation>,
    queue: Vec<u32>,
    /// Neighbours of each group, and where those of a group begin.
    neighbours: Vec<u32>,
    begin: Vec<u32>,
    velocity: Vec<f64>,
    /// Ĝᵀ Φ_k in kinetic coordinates, for the nodes k that leave the remainder 0, 1, 2: a group knows one of each.
    coarse_basis: [Vec<f64>; 3],
    /// Rows of Φᵀ Ŵ Φ from the diagonal on.
    matrix: Vec<[f64; 3]>,
    theta: Vec<f64>,
}

/// Where a contact is: its node below and the share of the node above; the contact itself.
#[derive(Debug, Clone, Copy)]
struct CoarseInterpolation {
    contact: u32,
    node: u32,
    above: f64,
}

impl CoarseInterpolation {
    /// The two nodes with their shares.
    fn nodes(self) -> [(usize, f64); 2] {
        let below = self.node as usize;
        [(below, 1.0 - self.above), (below + 1, self.above)]
    }
}

impl CoarseCorrection {
    /// Makes room, so that nothing is allocated later: most steps end before anything is corrected, and a step that
    /// does not should not be the first to ask for memory.
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

    /// Finds the levels; false where there are too few of them to be worth it.
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
        self.connect(problem, kinetic, width);
        self.climb();
        if self.highest < HIGH {
            return false;
        }
        self.interpolation.clear();
        for a in 0..problem.num_contacts() {
            // Multiples of an impulse obey the law as well where it is one of a cone.
            if problem.law(a).normal() {
                self.interpolation.extend(self.height(kinetic, a, width));
            }
        }
        true
    }

    /// Puts the bodies that are pressed against a boundary at level 1.
    fn find_carried(&mut self, problem: &Problem, kinetic: &FactoredDelassus, width: usize) -> bool {
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
        for (group, drive) in at_boundaries() {
            if drive >= CARRIES * strongest && self.level[group] == UNSUPPORTED {
                self.level[group] = 1;
                self.queue.push(group as u32);
            }
        }
        true
    }

    /// The graph of contacts between two groups.
    fn connect(&mut self, problem: &Problem, kinetic: &FactoredDelassus, width: usize) {
        let pair = |a: usize| {
            let mut firsts = kinetic.first_coordinates(a);
            Some([firsts.next()? / width, firsts.next()? / width])
        };
        let pairs = || (0..problem.num_contacts()).filter_map(pair);
        self.begin.clear();
        self.begin.resize(kinetic.num_groups() + 1, 0);
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

    /// Levels by distance.
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

    /// Scales the impulses of a problem that it was fitted to. False if there is nothing to be gained: they are
    /// then as before.
    pub fn correct(&mut self, problem: &Problem, impulse: &mut [f64]) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        self.gather(problem, kinetic, impulse);
        self.multiply(kinetic);
        if !self.solve() {
            return false;
        }
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

    /// Where a contact is: between its two bodies, or half a contact below the one that touches a boundary.
    fn height(&self, kinetic: &FactoredDelassus, a: usize, width: usize) -> Option<CoarseInterpolation> {
        let mut firsts = kinetic.first_coordinates(a);
        let level = |first: usize| Some(self.level[first / width]).filter(|level| *level != UNSUPPORTED);
        let lower = level(firsts.next()?)?;
        let z = match firsts.next() {
            Some(other) => 0.5 * (f64::from(lower) + f64::from(level(other)?)),
            None => f64::from(lower) - 0.5,
        };
        let z = z / SPACING;
        Some(CoarseInterpolation {
            contact: a as u32,
            node: z as u32,
            above: z.fract(),
        })
    }

    /// Ĝᵀ Φ, and −Φᵀ (u + g e_n) in the place of θ.
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
        let (mut u, mut part) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        for at in &self.interpolation {
            let a = at.contact as usize;
            let rows = problem.rows(a);
            let (r, d) = (&impulse[rows.clone()], rows.len());
            if !(r[0] > 0.0) {
                continue;
            }
            let u = &mut u[..d];
            u.iter_mut()
                .zip(rows)
                .for_each(|(u, row)| *u = kinetic.affine_term(row));
            kinetic.add_gather(a, &self.velocity, u);
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

    /// Φᵀ Ŵ Φ, group by group.
    fn multiply(&mut self, kinetic: &FactoredDelassus) {
        self.matrix.clear();
        self.matrix.resize(self.num_nodes(), [0.0; 3]);
        for (group, ends) in kinetic.group_offset().windows(2).enumerate() {
            if self.level[group] == UNSUPPORTED {
                continue;
            }
            // Its lowest contact may be half a level below it.
            let base = ((f64::from(self.level[group]) - 0.5) / SPACING) as usize;
            for i in 0..3 {
                for j in i..3 {
                    let [a, b] = [i, j].map(|k| &self.coarse_basis[(base + k) % 3][ends[0]..ends[1]]);
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    self.matrix[base + i][j - i] += product;
                }
            }
        }
    }

    /// Solves for θ by LDLᵀ with two diagonals; false where that is not possible.
    fn solve(&mut self) -> bool {
        let (m, x) = (&mut self.matrix, &mut self.theta);
        let n = m.len();
        let mean = m.iter().map(|row| row[0]).sum::<f64>() / n.max(1) as f64;
        for k in 0..n {
            m[k][0] += RIDGE * mean;
            if !(m[k][0] > 0.0 && m[k][0].is_finite()) {
                return false;
            }
            let [d, one, two] = m[k];
            let [by_one, by_two] = [one / d, two / d];
            if k + 1 < n {
                m[k + 1][0] -= by_one * one;
                m[k + 1][1] -= by_one * two;
                x[k + 1] -= by_one * x[k];
            }
            if k + 2 < n {
                m[k + 2][0] -= by_two * two;
                x[k + 2] -= by_two * x[k];
            }
        }
        for k in (0..n).rev() {
            let [d, one, two] = m[k];
            let above = |j: usize| x.get(k + j).copied().unwrap_or(0.0);
            x[k] = (x[k] - one * above(1) - two * above(2)) / d;
        }
        x.iter().all(|x| x.is_finite())
    }

    /// One more below the lowest and two above the highest contact, for the three of every group.
    fn num_nodes(&self) -> usize {
        (f64::from(self.highest) / SPACING) as usize + 3
    }
}

fn room<T>(list: &mut Vec<T>, count: usize) {
    list.clear();
    list.reserve(count);
}

/// Whether all groups have as many coordinates.
fn uniform(kinetic: &FactoredDelassus, width: usize) -> bool {
    width > 0
        && kinetic
            .group_offset()
            .windows(2)
            .all(|ends| ends[1] - ends[0] == width)
}

#[cfg(test)]
mod tests;
