//! Newton and interior point systems of planar bodies with Coulomb contacts, in scaled variables and fixed sizes.
//!
//! With x = r/√κ, û = √κ u and Ĝ = √κ G A^{-1/2}, the linearised response of a contact to a change of its velocity is
//!
//! ```text
//! dx_α = c_α − K_α dû_α,        K = ( k_n  0 ; k_c  k_t ),        dû = Ĝ w,   w = Ĝᵀ dx
//! ```
//!
//! in Newton's method and in the interior point method alike, so that both solve
//!
//! ```text
//! ( I + Ĝᵀ K Ĝ ) w = Ĝᵀ c + rest
//! ```
//!
//! in the velocities of bodies, with one block for each body and each pair in contact. This is `VelocitySystem` for
//! contacts of two rows and bodies of three coordinates; with sizes known at compile time a loop over all
//! contacts takes a fifth of the time, and a factorisation of a wall as long as some sixteen sweeps.

use percuss_contact::law::Law;
use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};
use percuss_linalg::MultifrontalLu;
use percuss_linalg::dense::norm;

mod newton;
#[cfg(test)]
mod tests;

pub(crate) use newton::PlanarNewton;

/// Coordinates of a body.
const WIDTH: usize = 3;

/// Relative residual above which a solution is refined, largest number of refinements, and relative residual above
/// which it is rejected.
const REFINE: f64 = 1e-11;
const REFINEMENTS: usize = 4;
const REFUSE: f64 = 1e-6;

/// One contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanarContact {
    /// First coordinates of its bodies; a boundary refers to spare coordinates behind all bodies.
    first: [u32; 2],
    /// Indices of its blocks among the values of the matrix: (a, a), (a, b), (b, a), (b, b).
    place: [u32; 4],
    /// Whether it has two bodies, none of which is a boundary.
    both: bool,
    pub mu: f64,
    /// √κ.
    pub root: f64,
    /// √κ b.
    pub free: [f64; 2],
    /// Rows of Ĝ by body; zero for a boundary.
    map: [[[f64; WIDTH]; 2]; 2],
}

/// The block K of a contact: linearised response of its impulse to its velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TangentBlock {
    pub n: f64,
    pub c: f64,
    pub t: f64,
}

impl TangentBlock {
    /// K u.
    #[inline(always)]
    pub fn of(&self, u: [f64; 2]) -> [f64; 2] {
        [self.n * u[0], self.c * u[0] + self.t * u[1]]
    }
}

impl PlanarContact {
    /// Ĝ v.
    #[inline(always)]
    pub fn gather(&self, v: &[f64]) -> [f64; 2] {
        let mut u = [0.0; 2];
        for side in 0..2 {
            let first = self.first[side] as usize;
            let v = &v[first..first + WIDTH];
            // Both rows of one body.
            for (u, g) in u.iter_mut().zip(&self.map[side]) {
                *u += g[0] * v[0] + g[1] * v[1] + g[2] * v[2];
            }
        }
        u
    }

    /// û = Ĝ v + q̂.
    #[inline(always)]
    pub fn velocity(&self, v: &[f64]) -> [f64; 2] {
        let u = self.gather(v);
        [u[0] + self.free[0], u[1] + self.free[1]]
    }

    /// v += Ĝᵀ x.
    #[inline(always)]
    pub fn scatter(&self, x: [f64; 2], v: &mut [f64]) {
        for side in 0..2 {
            let first = self.first[side] as usize;
            let v = &mut v[first..first + WIDTH];
            let [n, t] = &self.map[side];
            for k in 0..WIDTH {
                v[k] += n[k] * x[0] + t[k] * x[1];
            }
        }
    }

    /// M += Ĝᵀ K Ĝ.
    #[inline(always)]
    fn add(&self, gain: &TangentBlock, value: &mut [f64]) {
        let sides = if self.both { 2 } else { 1 };
        for left in 0..sides {
            let [n, t] = &self.map[left];
            // Rows of Ĝᵀ K.
            let mut push = [0.0; WIDTH];
            let mut rub = [0.0; WIDTH];
            for k in 0..WIDTH {
                push[k] = gain.n * n[k] + gain.c * t[k];
                rub[k] = gain.t * t[k];
            }
            // Add (Ĝᵀ K) Ĝ to the block of the pair of bodies.
            for right in 0..sides {
                let [n, t] = &self.map[right];
                let at = self.place[2 * left + right] as usize;
                let into = &mut value[at..at + WIDTH * WIDTH];
                for i in 0..WIDTH {
                    for k in 0..WIDTH {
                        into[WIDTH * i + k] += push[i] * n[k] + rub[i] * t[k];
                    }
                }
            }
        }
    }
}

/// The contacts of a problem, and the linear system in velocities.
#[derive(Debug, Default)]
pub(crate) struct PlanarVelocitySystem {
    pub contacts: Vec<PlanarContact>,
    /// First coordinates of each contact's bodies in the problem; [`NONE`] for a boundary.
    source: Vec<[u32; 2]>,
    /// Number of coordinates of the bodies that have contacts, without the spare ones.
    coordinates: usize,
    fronts: MultifrontalLu,
    /// Indices of the diagonal values of the matrix.
    diagonal: Vec<u32>,
    gain: Vec<TangentBlock>,
    right: Vec<f64>,
    left: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl PlanarVelocitySystem {
    /// Takes a problem; false where it is not one of planar bodies with Coulomb's law.
    pub fn fit(&mut self, problem: &Problem) -> bool {
        match problem.operator() {
            DelassusOperator::Factored(kinetic) if is_planar_coulomb(problem) => {
                self.refill(problem, kinetic) || self.rebuild(problem, kinetic)
            }
            _ => false,
        }
    }

    /// Copies the data of contacts that connect the same bodies in the same order; false where they do not.
    fn refill(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> bool {
        // Same contact graph?
        if self.contacts.len() != problem.num_contacts() {
            return false;
        }
        for (a, source) in self.source.iter().enumerate() {
            if sides(kinetic, a) != Some(*source) {
                return false;
            }
        }
        // Copy the values.
        for (a, contact) in self.contacts.iter_mut().enumerate() {
            contact.set(problem, kinetic, a);
        }
        true
    }

    /// Numbers the bodies that have contacts and counts them; `None` where a contact has no body or more than two.
    fn number(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> Option<(Vec<u32>, u32)> {
        let mut body = vec![NONE; kinetic.num_coordinates() / WIDTH];
        let mut count = 0;
        for a in 0..problem.num_contacts() {
            let source = sides(kinetic, a)?;
            // A body gets its number at its first contact.
            for first in source.into_iter().filter(|first| *first != NONE) {
                let body = &mut body[first as usize / WIDTH];
                if *body == NONE {
                    *body = count;
                    count += 1;
                }
            }
            self.source.push(source);
        }
        Some((body, count))
    }

    /// Builds pattern and symbolic factorisation anew.
    fn rebuild(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> bool {
        self.contacts.clear();
        self.source.clear();
        let Some((body, count)) = self.number(problem, kinetic) else {
            return false;
        };
        let number = |first: u32| match first {
            NONE => count,
            first => body[first as usize / WIDTH],
        };
        // Diagonal blocks and one block per ordered pair of bodies in contact.
        let mut blocks: Vec<(u32, u32)> = (0..count).map(|i| (i, i)).collect();
        for source in &self.source {
            let [a, b] = source.map(number);
            if b < count {
                blocks.extend([(a, b), (b, a)]);
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        let at = |pair: (u32, u32)| {
            let found = blocks.binary_search(&pair);
            found.map_or(0, |k| (WIDTH * WIDTH * k) as u32)
        };
        // Contacts with the indices of their blocks.
        for (a, source) in self.source.iter().enumerate() {
            let [i, j] = source.map(number);
            let mut contact = PlanarContact {
                first: [i, j].map(|body| body * WIDTH as u32),
                place: [at((i, i)), at((i, j)), at((j, i)), at((j, j))],
                both: j < count,
                mu: 0.0,
                root: 0.0,
                free: [0.0; 2],
                map: Default::default(),
            };
            contact.set(problem, kinetic, a);
            self.contacts.push(contact);
        }
        // Diagonal entries of the 3 × 3 blocks.
        self.diagonal.clear();
        for i in 0..count {
            let first = at((i, i));
            self.diagonal.extend([first, first + 4, first + 8]);
        }
        // Symbolic factorisation of the pattern.
        self.coordinates = WIDTH * count as usize;
        let Some(fronts) = MultifrontalLu::new(&vec![WIDTH; count as usize], &blocks) else {
            self.contacts.clear();
            return false;
        };
        self.fronts = fronts;
        true
    }

    /// Length of a vector of velocities, the spare ones included.
    pub fn len(&self) -> usize {
        self.coordinates + WIDTH
    }

    /// Assembles and factorises I + Ĝᵀ K Ĝ; false where a pivot vanishes.
    pub fn factor(&mut self, gain: &[TangentBlock]) -> bool {
        // Identity, then Ĝᵀ K Ĝ of every contact that is not open.
        let value = self.fronts.values();
        value.fill(0.0);
        for k in &self.diagonal {
            value[*k as usize] = 1.0;
        }
        for (contact, gain) in self.contacts.iter().zip(gain) {
            // An open contact contributes nothing.
            if gain.n != 0.0 || gain.t != 0.0 {
                contact.add(gain, value);
            }
        }
        self.gain.clear();
        self.gain.extend_from_slice(gain);
        self.fronts.factor()
    }

    /// Solves with the factorisation, in place.
    pub fn solve(&mut self, w: &mut [f64]) {
        self.fronts.solve(&mut w[..self.coordinates]);
    }

    /// The same with iterative refinement; false where the residual stays large.
    pub fn solve_refined(&mut self, w: &mut [f64]) -> bool {
        self.right.clear();
        self.right.extend_from_slice(w);
        let size = norm(&self.right);
        self.solve(w);
        let mut rest = self.rest(w);
        // Iterative refinement.
        for _ in 0..REFINEMENTS {
            if rest <= REFINE * size {
                break;
            }
            let mut left = std::mem::take(&mut self.left);
            self.solve(&mut left);
            w.iter_mut().zip(&left).for_each(|(w, d)| *w += d);
            self.left = left;
            rest = self.rest(w);
        }
        rest <= REFUSE * size && w.iter().all(|v| v.is_finite())
    }

    /// Computes the residual right − M w and returns its norm.
    fn rest(&mut self, w: &[f64]) -> f64 {
        self.left.clear();
        self.left
            .extend(self.right.iter().zip(w).map(|(r, w)| r - w));
        for (contact, gain) in self.contacts.iter().zip(&self.gain) {
            let push = gain.of(contact.gather(w));
            contact.scatter([-push[0], -push[1]], &mut self.left);
        }
        norm(&self.left)
    }
}

impl PlanarContact {
    /// Copies its data from the problem.
    fn set(&mut self, problem: &Problem, kinetic: &FactoredDelassus, a: usize) {
        let root = problem.kappa(a).sqrt();
        for (side, (_, block)) in kinetic.dense_blocks(a).enumerate().take(2) {
            for (to, row) in self.map[side].iter_mut().zip(block.chunks_exact(WIDTH)) {
                for k in 0..WIDTH {
                    to[k] = root * row[k];
                }
            }
        }
        let free = &problem.free_velocity()[problem.rows(a)];
        self.free = [root * free[0], root * free[1]];
        self.root = root;
        if let Law::Coulomb { mu } = *problem.law(a) {
            self.mu = mu;
        }
    }
}

/// Whether all groups are planar bodies and all contacts have Coulomb's law in two rows.
pub(crate) fn is_planar_coulomb(problem: &Problem) -> bool {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return false;
    };
    // Two rows, Coulomb's law, groups of three coordinates.
    let law = |a| problem.dim(a) == 2 && matches!(problem.law(a), Law::Coulomb { .. });
    let groups = kinetic.group_offset();
    let flat = groups.windows(2).all(|pair| pair[1] - pair[0] == WIDTH);
    flat && (0..problem.num_contacts()).all(law)
}

/// First coordinates of the bodies of a contact; `None` where there is no body, or more than two.
fn sides(kinetic: &FactoredDelassus, a: usize) -> Option<[u32; 2]> {
    let mut bodies = kinetic.first_coordinates(a).map(|first| first as u32);
    let source = [bodies.next()?, bodies.next().unwrap_or(NONE)];
    (bodies.next().is_none() && source[0] != source[1]).then_some(source)
}
