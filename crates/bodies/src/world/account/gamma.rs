//! Painlevé's configurations: may a contact that slides without colliding jump?
//!
//! ```text
//! γ = min over w ∈ D of ⟨n, Ŵ(n + w)⟩        (P15 §3, M88 §14)
//! ```
//!
//! Ŵ is the block of the contact with joints and the other contacts that carry an impulse eliminated: their normal
//! rows, and all rows of those that stick. Contacts do not pull: where an impulse n + w that leaves U_n as it is,
//! Ŵ_nn + Ŵ_nt·w = 0, needs another contact to do so, the contact does not jump that way. A disc in a notch of two that
//! are closer to each other than the angle of friction is such a case, and met in every flow of grains. Only contacts that begin the step sliding and do not collide are looked
//! at, and of these only such as hang together, through bodies that follow forces, with at most [`MOST`] others: the
//! work of a contact is bounded, and one among the many of a pile has others beside it that share what it does.

use contact::law::{Law, Status};
use contact::{FactoredDelassus, Problem};

use super::super::assemble::find_previous;
use super::super::{World, kinetic};
use crate::dim::Dim;

/// Contacts and joints beside a sliding contact, at most.
const MOST: usize = 24;

/// Rows of a contact at most.
const WIDE: usize = 6;

/// Steps of the forces that a velocity may be made by without being a motion of its own.
const STEPS: f64 = 4.0;

/// A velocity below this share of its terms is rest.
const RESTING: f64 = 1e-9;

/// A row is dependent on others when less than this share of its square is left beside them.
const DEPENDENT: f64 = 1e-18;

/// The contact that slides with the smallest γ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PainleveContact {
    /// Its bodies.
    pub bodies: [u32; 2],
    /// γ: at 0 and below the contact may jump.
    pub gamma: f64,
}

impl<D: Dim> World<D> {
    /// The contact of the last step that slid without colliding, of the smallest γ; nothing where none did.
    pub fn painleve_contact(&self) -> Option<PainleveContact> {
        self.scratch.sliding
    }

    /// The same of the step whose account is made.
    pub(super) fn least_gamma(&mut self) -> Option<PainleveContact> {
        let mut web = std::mem::take(&mut self.scratch.painleve);
        let least = self.least_gamma_by(&mut web);
        self.scratch.painleve = web;
        least
    }

    fn least_gamma_by(&self, web: &mut PainleveScratch) -> Option<PainleveContact> {
        let work = &self.scratch;
        let problem = work.problem.as_ref()?;
        let kinetic = kinetic(problem)?;
        let (mut least, mut last): (Option<PainleveContact>, usize) = (None, 0);
        let mut filled = false;
        for (k, touch) in work.active.iter().enumerate() {
            if !self.slides(problem, kinetic, k) {
                continue;
            }
            let found = &work.detector.candidates()[*touch as usize];
            let before = find_previous(&self.state.contacts, &mut last, found);
            if before.is_some_and(|memory| memory.status == Status::Stick) {
                continue;
            }
            if !filled {
                web.fill::<D>(problem, kinetic, |a| self.held(a));
                filled = true;
            }
            let first = problem.rows(k).start;
            let u = &work.begin_velocity[first + 1..problem.rows(k).end];
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

    /// Whether a contact begins the step sliding, faster than a few steps of the forces make, and with no more
    /// approach than they make.
    fn slides(&self, problem: &Problem, kinetic: &FactoredDelassus, k: usize) -> bool {
        let rows = problem.rows(k);
        if rows.len() < 2 || !problem.law(k).normal() {
            return false;
        }
        let begin = &self.scratch.begin_velocity;
        let forced = |row: usize| problem.free_velocity()[row] - kinetic.rebound(row) - begin[row];
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
        // More than rounding of the terms that it is made of.
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

    /// Rows of a contact or joint of the step that no impulse moves, counted from its first.
    fn held(&self, a: usize) -> usize {
        let (Some(problem), work) = (&self.scratch.problem, &self.scratch) else {
            return 0;
        };
        let rows = problem.rows(a);
        match problem.law(a) {
            Law::Bilateral => rows.len(),
            Law::BilateralFriction { normal_rows, .. } => *normal_rows,
            law if law.normal() && work.impulse[rows.start] > 0.0 => {
                match work.status.get(a) == Some(&Status::Stick) {
                    true => rows.len(),
                    false => 1,
                }
            }
            _ => 0,
        }
    }
}

/// Which contacts and joints hold each group of coordinates, and how many of their rows, with memory that is used
/// again: a warm step allocates nothing.
#[derive(Debug, Clone, Default)]
pub(in crate::world) struct PainleveScratch {
    held: Vec<u8>,
    /// Coordinates of a group: its number is its first one over this.
    width: usize,
    /// First entry of each group in `list`, and one more; and where the next entry goes.
    start: Vec<u32>,
    next: Vec<u32>,
    list: Vec<u32>,
    /// What hangs together with a contact: groups, by their first coordinates, and what holds them.
    groups: Vec<usize>,
    others: Vec<usize>,
    /// First column of each group in rows of their coordinates alone.
    columns: Vec<usize>,
    /// An orthonormal basis of the rows of the others, one after the other, and the row that each vector came with;
    /// whether others depend on them; a row; the normal row.
    basis: Vec<f64>,
    sources: Vec<(usize, usize)>,
    dependent: bool,
    row: Vec<f64>,
    normal: Vec<f64>,
    /// An impulse over the coordinates of the groups.
    push: Vec<f64>,
}

impl PainleveScratch {
    fn fill<D: Dim>(
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

    /// Finds the groups that hang together with a contact, and what holds them beside it; false where that is more
    /// than [`MOST`].
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

    /// γ of a contact that slides with `u`; +∞ where the others leave its normal no freedom, nothing where there are
    /// too many.
    fn gamma(&mut self, problem: &Problem, kinetic: &FactoredDelassus, k: usize, u: &[f64]) -> Option<f64> {
        let law = problem.law(k);
        let rows = problem.dim(k);
        if !self.around(kinetic, k) {
            return None;
        }
        if self.others.is_empty() {
            return Some(law.gamma_of_sliding(&problem.diagonal_block(k)[..rows], u));
        }
        let offset = kinetic.group_offset();
        self.columns.clear();
        self.columns.push(0);
        for first in &self.groups {
            let group = first / self.width;
            let last = self.columns.last().copied().unwrap_or(0);
            self.columns.push(last + offset[group + 1] - offset[group]);
        }
        let n = self.columns.last().copied().unwrap_or(0);
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
        self.write_row(problem, kinetic, (k, 0));
        let whole = dot(&self.row, &self.row);
        without(&mut self.row, &self.basis, n);
        self.normal.clone_from(&self.row);
        if !(dot(&self.normal, &self.normal) > DEPENDENT * whole) {
            return Some(f64::INFINITY);
        }
        let mut reduced = [0.0; WIDE];
        for (i, reduced) in reduced.iter_mut().enumerate().take(rows) {
            self.write_row(problem, kinetic, (k, i));
            *reduced = dot(&self.normal, &self.row);
        }
        let gamma = law.gamma_of_sliding(&reduced[..rows], u);
        if gamma <= 0.0 && self.pulls(problem, kinetic, k, &reduced[..rows]) {
            return Some(reduced[0]);
        }
        Some(gamma)
    }

    /// Whether another contact has to pull for an impulse n + w of this one to leave U_n as it is; no where their
    /// impulses are not unique.
    fn pulls(&mut self, problem: &Problem, kinetic: &FactoredDelassus, k: usize, reduced: &[f64]) -> bool {
        if self.dependent {
            return false;
        }
        let square: f64 = reduced[1..].iter().map(|x| x * x).sum();
        let mut push = std::mem::take(&mut self.push);
        push.clear();
        push.resize(self.normal.len(), 0.0);
        for i in 0..reduced.len() {
            // w along Ŵ_nt, the shortest.
            let weight = if i == 0 {
                1.0
            } else {
                -reduced[0] * reduced[i] / square
            };
            self.write_row(problem, kinetic, (k, i));
            let both = push.iter_mut().zip(&self.row);
            both.for_each(|(p, g)| *p += weight * g);
        }
        // What the others do against it, from the last row of the triangle up.
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

    /// Row `i` of a contact or joint over the coordinates of the groups.
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Takes the part along a basis of vectors of n entries out of a row.
fn without(x: &mut [f64], basis: &[f64], n: usize) {
    // Twice is enough for orthogonality to rounding.
    let vectors = || basis.chunks_exact(n.max(1));
    for vector in vectors().chain(vectors()) {
        let share = dot(vector, x);
        let both = x.iter_mut().zip(vector);
        both.for_each(|(x, v)| *x -= share * v);
    }
}
