//! Proximal Newton steps for planar bodies: every contact is open, sticks or slides in one direction.
//!
//! Alart and Curnier's function in scaled variables, with n = x_n − û_n and t = x_t − û_t:
//!
//! ```text
//! open    n ≤ 0              F = x                                  K = 0
//! sticks  |t| ≤ μ n          F = û                                  K = 1/α
//! slides  s t > μ n, s = ±1  F = (û_n, x_t − s μ (x_n − û_n))       K = (1/α)(1 0; s μ 0)
//! ```
//!
//! and dx = c − K dû with c = −(A + α B)⁻¹ F, written out below.

use super::{PlanarVelocitySystem, TangentBlock};

/// The iterate and the data of a Newton step.
#[derive(Debug, Default)]
pub(crate) struct PlanarNewton {
    /// x = r/√κ, Ĝᵀ x and û.
    x: Vec<[f64; 2]>,
    v: Vec<f64>,
    u: Vec<[f64; 2]>,
    /// c and K of every contact.
    c: Vec<[f64; 2]>,
    gain: Vec<TangentBlock>,
    w: Vec<f64>,
}

impl PlanarNewton {
    /// Starts from these impulses.
    pub fn begin(&mut self, plane: &PlanarVelocitySystem, impulse: &[f64]) {
        self.x.clear();
        self.v.clear();
        self.v.resize(plane.len(), 0.0);
        // Scaled impulses x = r/√κ and their velocities Ĝᵀ x.
        for (contact, r) in plane.contacts.iter().zip(impulse.as_chunks::<2>().0) {
            let x = [r[0] / contact.root, r[1] / contact.root];
            contact.scatter(x, &mut self.v);
            self.x.push(x);
        }
    }

    /// ‖F‖ over the largest of ‖x‖, ‖û‖, ‖q̂‖: R2 with Alart and Curnier's function instead of the natural residual,
    /// before the iterate is projected.
    pub fn residual_norm(&mut self, plane: &PlanarVelocitySystem) -> f64 {
        let (mut left, mut impulse, mut velocity, mut free) = (0.0, 0.0, 0.0, 0.0);
        self.u.clear();
        // Squares of F, x, û and q̂.
        for (contact, x) in plane.contacts.iter().zip(&self.x) {
            let u = contact.velocity(&self.v);
            self.u.push(u);
            left += square(function(contact.mu, *x, u));
            impulse += square(*x);
            velocity += square(u);
            free += square(contact.free);
        }
        let scale = f64::max(impulse, velocity).max(free);
        (left / scale.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// Newton step with the proximal term α from the iterate of the last [`Self::residual_norm`]; false if the system
    /// could not be solved.
    pub fn advance(&mut self, plane: &mut PlanarVelocitySystem, alpha: f64) -> bool {
        self.w.clear();
        self.w.resize(plane.len(), 0.0);
        self.c.clear();
        self.gain.clear();
        // c and K of every contact, and the right-hand side Ĝᵀ c.
        for ((contact, x), u) in plane.contacts.iter().zip(&self.x).zip(&self.u) {
            let (c, gain) = tangent_block(contact.mu, *x, *u, alpha);
            contact.scatter(c, &mut self.w);
            self.c.push(c);
            self.gain.push(gain);
        }
        if !plane.factor(&self.gain) {
            return false;
        }
        // w, without refinement: the next step corrects it.
        plane.solve(&mut self.w);
        self.v.fill(0.0);
        // x += c − K Ĝ w; v = Ĝᵀ x is summed anew against rounding.
        let each = self.x.iter_mut().zip(&self.c).zip(&self.gain);
        for (contact, ((x, c), gain)) in plane.contacts.iter().zip(each) {
            let taken = gain.of(contact.gather(&self.w));
            x[0] += c[0] - taken[0];
            x[1] += c[1] - taken[1];
            contact.scatter(*x, &mut self.v);
        }
        self.v.iter().all(|v| v.is_finite())
    }

    /// The impulses, projected into the cones.
    pub fn inside(&self, plane: &PlanarVelocitySystem, impulse: &mut [f64]) {
        let (each, _) = impulse.as_chunks_mut::<2>();
        for ((contact, x), r) in plane.contacts.iter().zip(&self.x).zip(each) {
            // Back to impulses, inside the cone.
            *r = project(contact.mu, *x).map(|x| x * contact.root);
        }
    }
}

/// Status of a contact at an iterate.
enum Status {
    Open,
    Sticks,
    /// Sliding, with s μ.
    Slides(f64),
}

#[inline(always)]
fn status(mu: f64, x: [f64; 2], u: [f64; 2]) -> Status {
    // Argument of the projection with ρ = 1 in scaled variables.
    let (n, t) = (x[0] - u[0], x[1] - u[1]);
    if n <= 0.0 {
        Status::Open
    } else if t.abs() <= mu * n {
        Status::Sticks
    } else {
        Status::Slides(mu.copysign(t))
    }
}

/// Alart and Curnier's function F.
#[inline(always)]
fn function(mu: f64, x: [f64; 2], u: [f64; 2]) -> [f64; 2] {
    match status(mu, x, u) {
        Status::Open => x,
        Status::Sticks => u,
        Status::Slides(slope) => [u[0], x[1] - slope * (x[0] - u[0])],
    }
}

/// c and K of the Newton step.
#[inline(always)]
fn tangent_block(mu: f64, x: [f64; 2], u: [f64; 2], alpha: f64) -> ([f64; 2], TangentBlock) {
    let stiff = 1.0 / alpha;
    match status(mu, x, u) {
        Status::Open => ([-x[0], -x[1]], TangentBlock::default()),
        Status::Sticks => {
            let gain = TangentBlock {
                n: stiff,
                c: 0.0,
                t: stiff,
            };
            (gain.of([-u[0], -u[1]]), gain)
        }
        Status::Slides(slope) => {
            let gain = TangentBlock {
                n: stiff,
                c: slope * stiff,
                t: 0.0,
            };
            // Normal row as in sticking; the tangential impulse follows the cone.
            let c = -stiff * u[0];
            let rub = x[1] - slope * (x[0] - u[0]);
            ([c, slope * (1.0 - alpha) * c - rub], gain)
        }
    }
}

/// Projection onto Coulomb's cone.
fn project(mu: f64, x: [f64; 2]) -> [f64; 2] {
    let size = x[1].abs();
    // Inside the cone; else the nearest point of an edge, or the apex.
    if x[0] >= 0.0 && size <= mu * x[0] {
        return x;
    }
    let normal = ((x[0] + mu * size) / (1.0 + mu * mu)).max(0.0);
    [normal, (mu * normal).copysign(x[1])]
}

#[inline(always)]
fn square(x: [f64; 2]) -> f64 {
    x[0] * x[0] + x[1] * x[1]
}
