//! A contact that no SIMD pack treats (a law other than Coulomb's, or a singular block), visited by scalar code.

use percuss_contact::{FactoredDelassus, Problem};

use super::body_velocity::{BodyVelocity, VelocityStore};
use super::iterate::{ANDERSON_DEPTH, AndersonProducts, AndersonStep, CgStep};
use super::packer::PackEntry;

/// Largest number of rows of a contact.
pub(super) const MAX_CONTACT_ROWS: usize = 6;

/// One contact with its impulse y, direction p, step g and Anderson history.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScalarContact {
    pub contact: u32,
    pub y: [f64; MAX_CONTACT_ROWS],
    p: [f64; MAX_CONTACT_ROWS],
    g: [f64; MAX_CONTACT_ROWS],
    at: [u32; 2],
    flip: bool,
    df: [[f64; MAX_CONTACT_ROWS]; ANDERSON_DEPTH],
    dy: [[f64; MAX_CONTACT_ROWS]; ANDERSON_DEPTH],
}

impl ScalarContact {
    pub fn new(entry: &PackEntry) -> Self {
        Self {
            contact: entry.contact,
            y: [0.0; MAX_CONTACT_ROWS],
            p: [0.0; MAX_CONTACT_ROWS],
            g: [0.0; MAX_CONTACT_ROWS],
            at: entry.bodies,
            flip: entry.flip,
            df: [[0.0; MAX_CONTACT_ROWS]; ANDERSON_DEPTH],
            dy: [[0.0; MAX_CONTACT_ROWS]; ANDERSON_DEPTH],
        }
    }

    /// Resets the search direction and the history.
    pub fn forget(&mut self) {
        self.p = [0.0; MAX_CONTACT_ROWS];
        self.g = [0.0; MAX_CONTACT_ROWS];
        self.df = [[0.0; MAX_CONTACT_ROWS]; ANDERSON_DEPTH];
        self.dy = [[0.0; MAX_CONTACT_ROWS]; ANDERSON_DEPTH];
    }

    /// Side and index of body n of the contact.
    fn side_and_body(&self, n: usize) -> (usize, u32) {
        let side = if self.flip { 1 - n } else { n };
        (side, self.at[side])
    }

    /// Local solve from the extrapolated impulse; returns ‖g‖²/κ.
    pub fn sweep<R: BodyVelocity>(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl VelocityStore<R>,
        cg_step: CgStep,
    ) -> f64 {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        // Extrapolate.
        let mut r = self.y;
        for i in 0..d {
            let step = cg_step.beta * self.p[i];
            r[i] += step;
            self.p[i] = step - cg_step.gamma * self.g[i];
        }
        // Local solve, then g = r − y.
        let next = self.visit(problem, kinetic, v, &r);
        let mut square = 0.0;
        for i in 0..d {
            self.g[i] = r[i] - next[i];
            square += self.g[i] * self.g[i];
        }
        self.y = next;
        square / problem.kappa(contact)
    }

    /// Local solve from the Anderson-mixed impulse; adds to the inner products.
    pub fn anderson_sweep<R: BodyVelocity>(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl VelocityStore<R>,
        anderson_step: &AndersonStep,
        products: &mut AndersonProducts<f64>,
    ) {
        let contact = self.contact as usize;
        // Mix.
        let mut r = self.y;
        for (theta, dy) in anderson_step
            .theta
            .iter()
            .zip(&self.dy)
            .take(anderson_step.history_len)
        {
            r.iter_mut().zip(dy).for_each(|(r, dy)| *r -= theta * dy);
        }
        let next = self.visit(problem, kinetic, v, &r);
        let weight = 1.0 / problem.kappa(contact);
        // Inner products in the metric 1/κ, then the new differences.
        for i in 0..problem.dim(contact) {
            let (f, last) = (next[i] - r[i], -self.g[i]);
            for (product, df) in products
                .df
                .iter_mut()
                .zip(&self.df)
                .take(anderson_step.history_len)
            {
                *product += weight * f * df[i];
            }
            products.own += weight * f * f;
            products.last += weight * f * last;
            if anderson_step.fresh {
                self.df[anderson_step.slot][i] = f - last;
                self.dy[anderson_step.slot][i] = next[i] - self.y[i];
            }
            self.g[i] = -f;
        }
        self.y = next;
    }

    /// Local solve from r with all other impulses fixed; updates the velocities of the bodies.
    fn visit<R: BodyVelocity>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl VelocityStore<R>,
        r: &[f64; MAX_CONTACT_ROWS],
    ) -> [f64; MAX_CONTACT_ROWS] {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        let mut q = self.velocity(problem, kinetic, v);
        let h = problem.diagonal_block(contact);
        // q = u − H r.
        for i in 0..d {
            for j in 0..d {
                q[i] -= h[i * d + j] * r[j];
            }
        }
        // Exact local solve; v̂ += Ĝᵀ (r⁺ − r).
        let mut next = *r;
        problem.law(contact).solve_local(h, &q[..d], &mut next[..d]);
        let mut change = next;
        change.iter_mut().zip(r).for_each(|(x, r)| *x -= r);
        self.scatter(kinetic, &change[..d], v);
        next
    }

    /// v += Ĝᵀ y.
    pub fn scatter_impulse<R: BodyVelocity>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &mut impl VelocityStore<R>,
    ) {
        let d = problem.dim(self.contact as usize);
        self.scatter(kinetic, &self.y[..d], v);
    }

    /// The three terms of R2: residual, impulse and velocity.
    pub fn residual_parts<R: BodyVelocity>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &impl VelocityStore<R>,
    ) -> [f64; 3] {
        let contact = self.contact as usize;
        let d = problem.dim(contact);
        let u = self.velocity(problem, kinetic, v);
        let (kappa, mut f) = (problem.kappa(contact), [0.0; MAX_CONTACT_ROWS]);
        let law = problem.law(contact);
        // F with κ of the contact.
        law.natural_residual(kappa, &self.y[..d], &u[..d], &mut f[..d]);
        let square = |x: &[f64; MAX_CONTACT_ROWS]| x[..d].iter().map(|x| x * x).sum::<f64>();
        [
            square(&f) / kappa,
            square(&self.y) / kappa,
            kappa * square(&u),
        ]
    }

    fn velocity<R: BodyVelocity>(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        v: &impl VelocityStore<R>,
    ) -> [f64; MAX_CONTACT_ROWS] {
        let contact = self.contact as usize;
        let rows = problem.rows(contact);
        let d = rows.len();
        let mut u = [0.0; MAX_CONTACT_ROWS];
        // Affine terms of the rows.
        for (u, row) in u.iter_mut().zip(rows) {
            *u = kinetic.affine_term(row);
        }
        // u += Ĝ v̂, body by body.
        for (n, (_, block)) in kinetic.dense_blocks(contact).enumerate().take(2) {
            let width = block.len() / d.max(1);
            let (side, at) = self.side_and_body(n);
            let v = v.body(side, at);
            for i in 0..d {
                let row = &block[i * width..(i + 1) * width];
                u[i] += (0..width).map(|k| row[k] * v.at(k)).sum::<f64>();
            }
        }
        u
    }

    fn scatter<R: BodyVelocity>(
        &self,
        kinetic: &FactoredDelassus,
        change: &[f64],
        v: &mut impl VelocityStore<R>,
    ) {
        let d = change.len();
        // v̂ += Ĝᵀ change, body by body.
        let touches = kinetic.dense_blocks(self.contact as usize);
        for (n, (_, block)) in touches.enumerate().take(2) {
            let width = block.len() / d.max(1);
            let (side, at) = self.side_and_body(n);
            let v = v.body_mut(side, at);
            for i in 0..d {
                for k in 0..width {
                    *v.at_mut(k) += block[i * width + k] * change[i];
                }
            }
        }
    }
}
