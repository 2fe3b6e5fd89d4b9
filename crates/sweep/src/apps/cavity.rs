//! Water in a cavity (M99 §2.1): time is depth, C(z) the section of the cavity at depth z.
//!
//! A detached stream falls vertically (u at rest), one on the wall follows the line of steepest descent, and at the
//! edge of an overhang it detaches. The sections here are discs, |x − a(z)| ≤ r(z), whose centre and radius vary with
//! depth: a winding shaft.

use crate::inequalities::Inequalities;

/// A scalar function of depth and its derivative.
pub type Profile = Box<dyn Fn(f64) -> (f64, f64) + Send>;

/// A shaft with circular sections.
pub struct Shaft {
    /// Centre of the section, one profile per coordinate.
    pub centre: Vec<Profile>,
    /// Radius of the section.
    pub radius: Profile,
}

impl Shaft {
    /// x − a(z) and ȧ(z), by coordinate.
    fn offset(&self, z: f64, x: &[f64]) -> Vec<(f64, f64)> {
        let each = self.centre.iter().zip(x);
        each.map(|(c, x)| {
            let (a, v) = c(z);
            (x - a, v)
        })
        .collect()
    }
}

impl Inequalities for Shaft {
    fn dim(&self) -> usize {
        self.centre.len()
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, z: f64, x: &[f64], out: &mut [f64]) {
        let (r, _) = (self.radius)(z);
        let square: f64 = self.offset(z, x).iter().map(|d| d.0 * d.0).sum();
        // r ≤ 0 closes the shaft: square + r² ≤ 0 has at most one point.
        out[0] = 0.5 * (square - r * r.abs());
    }
    fn gradients(&self, z: f64, x: &[f64], out: &mut [f64]) {
        for (g, d) in out.iter_mut().zip(self.offset(z, x)) {
            *g = d.0;
        }
    }
    fn hessian(&self, _z: f64, _x: &[f64], weights: &[f64], out: &mut [f64]) {
        let n = self.centre.len();
        out.fill(0.0);
        for i in 0..n {
            out[i * n + i] = weights[0];
        }
    }
    fn rates(&self, z: f64, x: &[f64], out: &mut [f64]) {
        let (r, growth) = (self.radius)(z);
        // ∂c/∂z: motion of the centre, then growth of the radius.
        let drag: f64 = self.offset(z, x).iter().map(|d| d.0 * d.1).sum();
        out[0] = -drag - r.abs() * growth;
    }
}
