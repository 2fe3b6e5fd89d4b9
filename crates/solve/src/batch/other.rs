//! A contact with any other law, visited alone.

use contact::{FactoredDelassus, Problem};

use super::desk::Guest;
use super::iterate::{DEPTH, Lead, Mix, Products};
use super::row::{Row, Store};

/// Rows of a contact at most.
pub(super) const WIDE: usize = 6;

/// One contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    pub contact: u32,
    pub y: [f64; WIDE],
    p: [f64; WIDE],
    g: [f64; WIDE],
    at: [u32; 2],
    flip: bool,
    df: [[f64; WIDE]; DEPTH],
    dy: [[f64; WIDE]; DEPTH],
}

impl Other {
    pub fn new(guest: &Guest) -> Self {
        Self {
            contact: guest.contact,
            y: [0.0; WIDE],
            p: [0.0; WIDE],
            g: [0.0; WIDE],
            at: guest.at,
            flip: guest.flip,
            df: [[0.0; WIDE]; DEPTH],
            dy: [[0.0; WIDE]; DEPTH],
        }
    }

    /// No direction.
    pub fn forget(&mut self) {
        self.p = [0.0; WIDE];
        self.g = [0.0; WIDE];
        self.df = [[0.0; WIDE]; DEPTH];
        self.dy = [[0.0; WIDE]; DEPTH];
    }

    /// Side and row of body n of the contact.
    fn seat(&self, n: usize) -> (usize, u32) {
        let side = if self.flip { 1 - n } else { n };
        (side, self.at[side])
    }

    /// One visit; returns ‖g‖²/κ.
    pub fn sweep<R: Row>(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl Store<R>,
        lead: Lead,
    ) -> f64 {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        let mut r = self.y;
        for i in 0..d {
            let step = lead.beta * self.p[i];
            r[i] += step;
            self.p[i] = step - lead.gamma * self.g[i];
        }
        let next = self.visit(problem, kinetic, v, &r);
        let mut square = 0.0;
        for i in 0..d {
            self.g[i] = r[i] - next[i];
            square += self.g[i] * self.g[i];
        }
        self.y = next;
        square / problem.kappa(contact)
    }

    /// One visit that starts from a mixture of the last ones.
    pub fn mix<R: Row>(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl Store<R>,
        mix: &Mix,
        products: &mut Products<f64>,
    ) {
        let contact = self.contact as usize;
        let mut r = self.y;
        for (theta, dy) in mix.theta.iter().zip(&self.dy).take(mix.known) {
            r.iter_mut().zip(dy).for_each(|(r, dy)| *r -= theta * dy);
        }
        let next = self.visit(problem, kinetic, v, &r);
        let weight = 1.0 / problem.kappa(contact);
        for i in 0..problem.dim(contact) {
            let (f, last) = (next[i] - r[i], -self.g[i]);
            for (product, df) in products.df.iter_mut().zip(&self.df).take(mix.known) {
                *product += weight * f * df[i];
            }
            products.own += weight * f * f;
            products.last += weight * f * last;
            if mix.fresh {
                self.df[mix.slot][i] = f - last;
                self.dy[mix.slot][i] = next[i] - self.y[i];
            }
            self.g[i] = -f;
        }
        self.y = next;
    }

    /// The law solved from r with the rest frozen; the bodies take what changed.
    fn visit<R: Row>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl Store<R>,
        r: &[f64; WIDE],
    ) -> [f64; WIDE] {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        let mut q = self.velocity(problem, kinetic, v);
        let h = problem.diagonal_block(contact);
        for i in 0..d {
            for j in 0..d {
                q[i] -= h[i * d + j] * r[j];
            }
        }
        let mut next = *r;
        problem.law(contact).solve_local(h, &q[..d], &mut next[..d]);
        let mut change = next;
        change.iter_mut().zip(r).for_each(|(x, r)| *x -= r);
        self.scatter(kinetic, &change[..d], v);
        next
    }

    /// v += Ĝᵀ y.
    pub fn push<R: Row>(&self, problem: &Problem, kinetic: &FactoredDelassus, v: &mut impl Store<R>) {
        let d = problem.dim(self.contact as usize);
        self.scatter(kinetic, &self.y[..d], v);
    }

    /// Residual, impulse and velocity parts of the dimensionless residual.
    pub fn judge<R: Row>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &impl Store<R>,
    ) -> [f64; 3] {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        let u = self.velocity(problem, kinetic, v);
        let (kappa, mut f) = (problem.kappa(contact), [0.0; WIDE]);
        let law = problem.law(contact);
        law.natural_residual(kappa, &self.y[..d], &u[..d], &mut f[..d]);
        let square = |x: &[f64; WIDE]| x[..d].iter().map(|x| x * x).sum::<f64>();
        [
            square(&f) / kappa,
            square(&self.y) / kappa,
            kappa * square(&u),
        ]
    }

    fn velocity<R: Row>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &impl Store<R>,
    ) -> [f64; WIDE] {
        let contact = self.contact as usize;
        let rows = problem.rows(contact);
        let d = rows.len();
        let mut u = [0.0; WIDE];
        for (u, row) in u.iter_mut().zip(rows) {
            *u = kinetic.affine_term(row);
        }
        for (n, (_, block)) in kinetic.dense_blocks(contact).enumerate().take(2) {
            let width = block.len() / d.max(1);
            let (side, at) = self.seat(n);
            let v = v.row(side, at);
            for i in 0..d {
                let row = &block[i * width..(i + 1) * width];
                u[i] += (0..width).map(|k| row[k] * v.at(k)).sum::<f64>();
            }
        }
        u
    }

    fn scatter<R: Row>(&self, kinetic: &FactoredDelassus, change: &[f64], v: &mut impl Store<R>) {
        let d = change.len();
        let touches = kinetic.dense_blocks(self.contact as usize);
        for (n, (_, block)) in touches.enumerate().take(2) {
            let width = block.len() / d.max(1);
            let (side, at) = self.seat(n);
            let v = v.row_mut(side, at);
            for i in 0..d {
                for k in 0..width {
                    *v.at_mut(k) += block[i * width + k] * change[i];
                }
            }
        }
    }
}
