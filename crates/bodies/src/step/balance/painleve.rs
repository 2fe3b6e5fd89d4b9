//! Painlevé's paradox: detection of sliding contacts that could jam dynamically or jump without a collision.
//!
//! ```text
//! γ = min over w ∈ D of ⟨n, Ŵ(n + w)⟩        (P15 §3, M88 §14)
//! ```
//!
//! Ŵ is the contact's block of the Delassus operator with joints and the other loaded contacts eliminated:
//! their normal rows, and all rows of those that stick. Contacts do not pull: if an impulse n + w that leaves
//! U_n unchanged, Ŵ_nn + Ŵ_nt·w = 0, needs a tensile impulse of another contact, the contact cannot jump that
//! way. A disc in the notch between two others that are closer than the angle of friction is such a case,
//! frequent in flows of grains.
//!
//! A jump must also be one of Coulomb's law: with two tangential directions u_t⁺ opposes the friction, which at γ < 0 need
//! not be possible (`percuss_contact::law::JumpImpulse`).
//!
//! Only contacts that begin the step sliding and do not collide are examined, and of these only those coupled,
//! through movable bodies, with at most [`MOST`] others: this bounds the cost of a contact, and in a pile the
//! neighbours share its load.

use percuss_contact::law::{Law, Status};
use percuss_contact::{FactoredDelassus, Problem};

use crate::dynamics::Dynamics;
use crate::step::SolvedStep;
use crate::step::assemble::{find_previous, kinetic};

/// Largest number of contacts and joints coupled with a sliding contact.
const MOST: usize = 24;

/// Largest number of rows of a contact.
const WIDE: usize = 6;

/// A velocity below this number of steps of the forces is not a motion of its own.
const STEPS: f64 = 4.0;

/// A velocity below this fraction of its terms is rounding error.
const RESTING: f64 = 1e-9;

/// A row depends on others if less than this fraction of its square remains after orthogonalisation.
const DEPENDENT: f64 = 1e-18;

/// The sliding contact with the smallest γ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PainleveContact {
    /// Its bodies.
    pub bodies: [u32; 2],
    /// γ: at 0 and below the contact may jump (Painlevé configuration).
    pub gamma: f64,
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// The contact with the smallest γ among those that slide without colliding; `None` where none does.
    pub(super) fn least_gamma(
        &self,
        status: &[Status],
        web: &mut PainleveScratch,
    ) -> Option<PainleveContact> {
        let problem = self.assembly.problem.as_ref()?;
        let kinetic = kinetic(problem)?;
        let (mut least, mut last): (Option<PainleveContact>, usize) = (None, 0);
        let mut filled = false;
        for (k, touch) in self.assembly.active.iter().enumerate() {
            if !self.slides(problem, kinetic, k) {
                continue;
            }
            let found = &self.inputs.candidates()[*touch as usize];
            let before = find_previous(&self.inputs.state.contacts, &mut last, found);
            if before.is_some_and(|memory| memory.status == Status::Stick) {
                continue;
            }
            // The lists of coupled contacts are made only if some contact slides.
            if !filled {
                web.fill::<D>(problem, kinetic, |a| self.held(a, status));
                filled = true;
            }
            let first = problem.rows(k).start;
            let u = &self.assembly.begin_velocity[first + 1..problem.rows(k).end];
            let gamma = web.gamma(problem, kinetic, k, u);
            if let Some(gamma) = gamma
                && least.is_none_or(|known| gamma < known.gamma)
            {
                let bodies = found.bodies;
                least = Some(PainleveContact { bodies, gamma });
            }
        }
        least
    }

    /// Whether a contact begins the step sliding, faster than a few steps of the forces produce, and approaches
    /// no faster than they produce.
    fn slides(&self, problem: &Problem, kinetic: &FactoredDelassus, k: usize) -> bool {
        let rows = problem.rows(k);
        if rows.len() < 2 || !problem.law(k).normal() {
            return false;
        }
        let begin = &self.assembly.begin_velocity;
        let forced = |row: usize| problem.free_velocity()[row] - kinetic.rebound(row) - begin[row];
        // Sliding speed, and the change of velocity by the forces in one step.
        let tangential = rows.start + 1..(rows.start + D::N).min(rows.end);
        let (mut sliding, mut pushed) = (0.0_f64, 0.0_f64);
        for row in tangential.clone() {
            sliding = sliding.max(begin[row].abs());
            pushed = pushed.max(forced(row).abs());
        }
        let (approach, normal) = (begin[rows.start].abs(), forced(rows.start).abs());
        if !(sliding > STEPS * (approach + pushed + normal))
            || !(approach <= STEPS * normal + RESTING * sliding)
        {
            return false;
        }
        // The sliding speed must exceed the rounding error of its terms.
        let mut terms: f64 = tangential
            .clone()
            .map(|row| kinetic.boundary(row).abs())
            .sum();
        for (first, block) in kinetic.dense_blocks(k) {
            let width = block.len() / rows.len();
            let v = &kinetic.begin()[first..first + width];
            for g in block.chunks(width).skip(1).take(tangential.len()) {
                terms += g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum::<f64>();
            }
        }
        sliding > RESTING * terms
    }

    /// Number of leading rows of a contact or joint that stay at rest under an impulse: eliminated from Ŵ.
    fn held(&self, a: usize, status: &[Status]) -> usize {
        let Some(problem) = &self.assembly.problem else {
            return 0;
        };
        let rows = problem.rows(a);
        match problem.law(a) {
            Law::Bilateral => rows.len(),
            Law::BilateralFriction { normal_rows, .. } => *normal_rows,
            law if law.normal() && self.solution.impulse[rows.start] > 0.0 => {
                match status.get(a) == Some(&Status::Stick) {
                    true => rows.len(),
                    false => 1,
                }
            }
            _ => 0,
        }
    }
}

/// Adjacency of groups of coordinates and the contacts and joints that hold them, and scratch memory of the
/// elimination; reused, so that a step allocates nothing after the first ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct PainleveScratch {
    held: Vec<u8>,
    /// Coordinates per group: the index of a group is its first coordinate over this.
    width: usize,
    /// First entry of each group in `list`, and one more (CSR); position of the next entry.
    start: Vec<u32>,
    next: Vec<u32>,
    list: Vec<u32>,
    /// Groups coupled with a contact, by their first coordinates, and the contacts and joints that hold them.
    groups: Vec<usize>,
    others: Vec<usize>,
    /// First column of each of these groups in the compressed rows.
    columns: Vec<usize>,
    /// Orthonormal basis of the rows of these contacts, one after the other, and the row from which each vector
    /// came; whether rows depend on others; a row; the normal row.
    basis: Vec<f64>,
    sources: Vec<(usize, usize)>,
    dependent: bool,
    row: Vec<f64>,
    normal: Vec<f64>,
    /// An impulse in kinetic coordinates of these groups.
    push: Vec<f64>,
}

impl PainleveScratch {
    /// Makes the adjacency lists of all contacts and joints with held rows.
    fn fill<D: Dynamics>(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        held: impl Fn(usize) -> usize,
    ) {
        let Self {
            held: rows,
            width,
            start,
            next,
            list,
            ..
        } = self;
        *width = D::DOF;
        let count = problem.num_contacts();
        rows.clear();
        rows.extend((0..count).map(|a| held(a).min(255) as u8));
        let rows = &*rows;
        let firm = || (0..count).filter(|a| rows[*a] > 0);
        // Counting sort by group: counts, prefix sums, entries.
        start.clear();
        start.resize(kinetic.num_groups() + 1, 0);
        for first in firm().flat_map(|a| kinetic.first_coordinates(a)) {
            start[first / *width + 1] += 1;
        }
        for group in 1..start.len() {
            start[group] += start[group - 1];
        }
        next.clear();
        next.extend_from_slice(start);
        list.clear();
        list.resize(start.last().map_or(0, |end| *end as usize), 0);
        for a in firm() {
            for first in kinetic.first_coordinates(a) {
                let at = &mut next[first / *width];
                list[*at as usize] = a as u32;
                *at += 1;
            }
        }
    }

    /// Breadth-first search: the groups coupled with a contact and what holds them; false if that is more than
    /// [`MOST`].
    fn around(&mut self, kinetic: &FactoredDelassus, k: usize) -> bool {
        let Self { groups, others, .. } = self;
        groups.clear();
        others.clear();
        groups.extend(kinetic.first_coordinates(k));
        let mut at = 0;
        while at < groups.len() {
            let group = groups[at] / self.width;
            at += 1;
            for &a in &self.list[self.start[group] as usize..self.start[group + 1] as usize] {
                let a = a as usize;
                if a == k || others.contains(&a) {
                    continue;
                }
                if others.len() == MOST {
                    return false;
                }
                others.push(a);
                for first in kinetic.first_coordinates(a) {
                    if !groups.contains(&first) {
                        groups.push(first);
                    }
                }
            }
        }
        others.sort_unstable();
        true
    }

    /// γ of a contact that slides with `u`; +∞ where the others leave its normal no freedom, `None` where there
    /// are too many of them.
    fn gamma(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        k: usize,
        u: &[f64],
    ) -> Option<f64> {
        let law = problem.law(k);
        let rows = problem.dim(k);
        if !self.around(kinetic, k) {
            return None;
        }
        // A contact of its own: the diagonal block is Ŵ.
        if self.others.is_empty() {
            return Some(gamma_if_it_jumps(law, problem.diagonal_block(k), u));
        }
        // Columns of the coupled groups.
        let offset = kinetic.group_offset();
        self.columns.clear();
        self.columns.push(0);
        for first in &self.groups {
            let group = first / self.width;
            let last = self.columns.last().copied().unwrap_or(0);
            self.columns.push(last + offset[group + 1] - offset[group]);
        }
        let n = self.columns.last().copied().unwrap_or(0);
        // Gram–Schmidt on the held rows of the others.
        self.basis.clear();
        self.sources.clear();
        self.dependent = false;
        for at in 0..self.others.len() {
            let a = self.others[at];
            for i in 0..usize::from(self.held[a]) {
                self.write_row(problem, kinetic, (a, i));
                let size = dot(&self.row, &self.row);
                without(&mut self.row, &self.basis, n);
                let left = dot(&self.row, &self.row);
                if left > DEPENDENT * size {
                    let root = left.sqrt();
                    self.basis.extend(self.row.iter().map(|x| x / root));
                    self.sources.push((a, i));
                } else {
                    self.dependent = true;
                }
            }
        }
        // Normal row of the contact, orthogonal to the others.
        self.write_row(problem, kinetic, (k, 0));
        let whole = dot(&self.row, &self.row);
        without(&mut self.row, &self.basis, n);
        self.normal.clone_from(&self.row);
        if !(dot(&self.normal, &self.normal) > DEPENDENT * whole) {
            return Some(f64::INFINITY);
        }
        // First row of Ŵ: products of the reduced normal row with all rows of the contact.
        let mut reduced = [0.0; WIDE];
        for (i, reduced) in reduced.iter_mut().enumerate().take(rows) {
            self.write_row(problem, kinetic, (k, i));
            *reduced = dot(&self.normal, &self.row);
        }
        let gamma = law.gamma_of_sliding(&reduced[..rows], u);
        if gamma > 0.0 {
            return Some(gamma);
        }
        if self.pulls(problem, kinetic, k, &reduced[..rows]) {
            return Some(reduced[0]);
        }
        let block = self.reduced_block(problem, kinetic, k);
        Some(gamma_if_it_jumps(law, &block, u))
    }

    /// Ŵ of a contact, row by row.
    fn reduced_block(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        k: usize,
    ) -> Vec<f64> {
        let n = self.columns.last().copied().unwrap_or(0);
        let mut rests: Vec<Vec<f64>> = Vec::new();
        for i in 0..problem.dim(k) {
            self.write_row(problem, kinetic, (k, i));
            without(&mut self.row, &self.basis, n);
            rests.push(self.row.clone());
        }
        let pairs = rests.iter().flat_map(|a| rests.iter().map(|b| dot(a, b)));
        pairs.collect()
    }

    /// Whether another contact would have to pull for an impulse n + w of this one to leave U_n unchanged;
    /// false where their impulses are not unique.
    fn pulls(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        k: usize,
        reduced: &[f64],
    ) -> bool {
        if self.dependent {
            return false;
        }
        let square: f64 = reduced[1..].iter().map(|x| x * x).sum();
        let mut push = std::mem::take(&mut self.push);
        push.clear();
        push.resize(self.normal.len(), 0.0);
        for i in 0..reduced.len() {
            // w along Ŵ_nt: the shortest one.
            let weight = if i == 0 {
                1.0
            } else {
                -reduced[0] * reduced[i] / square
            };
            self.write_row(problem, kinetic, (k, i));
            let both = push.iter_mut().zip(&self.row);
            both.for_each(|(p, g)| *p += weight * g);
        }
        // Reactions of the others by back substitution, from the last vector on.
        let n = push.len();
        let mut pulls = false;
        for at in (0..self.sources.len()).rev() {
            let (a, i) = self.sources[at];
            self.write_row(problem, kinetic, (a, i));
            let vector = &self.basis[at * n..(at + 1) * n];
            let s = -dot(vector, &push) / dot(vector, &self.row);
            let both = push.iter_mut().zip(&self.row);
            both.for_each(|(p, g)| *p += s * g);
            pulls |= i == 0 && problem.law(a).normal() && s < 0.0;
        }
        self.push = push;
        pulls
    }

    /// Writes row `i` of a contact or joint in the compressed coordinates.
    fn write_row(&mut self, problem: &Problem, kinetic: &FactoredDelassus, (a, i): (usize, usize)) {
        let Self {
            row,
            columns,
            groups,
            ..
        } = self;
        row.clear();
        row.resize(columns.last().copied().unwrap_or(0), 0.0);
        let count = problem.dim(a);
        for (first, block) in kinetic.dense_blocks(a) {
            let width = block.len() / count;
            if let Some(group) = groups.iter().position(|known| *known == first) {
                let part = &block[i * width..(i + 1) * width];
                row[columns[group]..columns[group] + width].copy_from_slice(part);
            }
        }
    }
}

/// γ of a contact that slides with `u`; Ŵ_nn where Coulomb's law lets it only slide on.
fn gamma_if_it_jumps(law: &Law, block: &[f64], u: &[f64]) -> f64 {
    let gamma = law.gamma_of_sliding(&block[..u.len() + 1], u);
    let jumps = || law.coulomb_jumps(block, u);
    match gamma <= 0.0 && jumps().is_some_and(|jumps| jumps.is_empty()) {
        true => block[0],
        false => gamma,
    }
}

/// Inner product.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Removes from a row its projection on an orthonormal basis of vectors with n entries.
fn without(x: &mut [f64], basis: &[f64], n: usize) {
    // Twice gives orthogonality to rounding error.
    let vectors = || basis.chunks_exact(n.max(1));
    for vector in vectors().chain(vectors()) {
        let share = dot(vector, x);
        let both = x.iter_mut().zip(vector);
        both.for_each(|(x, v)| *x -= share * v);
    }
}
