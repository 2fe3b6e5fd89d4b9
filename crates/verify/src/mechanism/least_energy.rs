//! Contacts of Paoli's scheme: the velocity of least kinetic energy (P15 7).
//!
//! min ½‖v‖² over the impulses of the cone with u_n = 0 has the optimality condition that sliding is along the normal
//! of the section { r_t ∈ r_n D, r_n = ρ − w·r_t }, w = Ŵ_tn/Ŵ_nn, Ŵ the Delassus block with joints held. For a disc
//! that is
//!
//! ```text
//! u_t = −λ (r_t + μ‖r_t‖ w),   λ ≥ 0:        u_t + λμ‖r_t‖ w opposes r_t, as in Coulomb's law.
//! ```
//!
//! For a polygon with outward normals a and supports c of its edges, −u_t = Σ λ (a + c w) over the edges on which r_t
//! lies, λ ≥ 0, and u_t + Σ λ c w opposes r_t.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{ConstraintKind, System};

use super::MechanismVerifier;
use super::dense::{dot, solve};
use super::step::Step;

/// A row is linearly dependent on others when less than this share of its squared norm remains after
/// orthogonalisation.
const DEPENDENT: f64 = 1e-18;

impl MechanismVerifier<'_> {
    /// λμ‖r_t‖ w of a contact, to be added to its tangential velocity `u`; `None` for laws without it.
    pub(super) fn least_energy_shift(
        &self,
        step: &Step,
        k: usize,
        law: &Law,
        (s, u): (&[f64], &[f64]),
    ) -> Option<[f64; 2]> {
        let radii = match law {
            Law::CoulombPolygon(section) if s.len() == 3 => {
                let w = self.coupling(step, k)?;
                return Some(polygon_shift(section.vertices(), w, (s, u)));
            }
            Law::Coulomb { mu } => [*mu; 2],
            Law::CoulombElliptic { mu1, mu2 } => [*mu1, *mu2],
            Law::StaticDynamic { friction, previous } => match previous {
                Status::Slip => [friction.mu_dynamic; 2],
                _ => [friction.mu_static; 2],
            },
            _ => return None,
        };
        if s.len() != 3 || !(radii[0] > 0.0 && radii[1] > 0.0) {
            return None;
        }
        let w = self.coupling(step, k)?;
        // An ellipse is the unit disc in the scaled variables r_t/μ, u_t μ, w μ.
        let r = [s[1] / radii[0], s[2] / radii[1]];
        let (u, w) = (
            [1, 2].map(|i| u[i] * radii[i - 1]),
            [0, 1].map(|i| w[i] * radii[i]),
        );
        // λ ≥ 0 by least squares along r_t + ‖r_t‖ w.
        let size = r[0].hypot(r[1]);
        let along = [0, 1].map(|i| r[i] + size * w[i]);
        let square = dot(&along, &along);
        let rate = (-dot(&u, &along) / square).max(0.0);
        let lean = [0, 1].map(|i| rate * size * w[i] / radii[i]);
        (square > 0.0).then_some(lean)
    }

    /// Ŵ_tn/Ŵ_nn of a contact of three rows, with the bilateral rows of the step held.
    fn coupling(&self, step: &Step, k: usize) -> Option<[f64; 2]> {
        let n = step.begin.len();
        // Gram–Schmidt: pairs g and A⁻¹gᵀ, orthonormal in the metric A⁻¹.
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let rest = |g: &[f64], basis: &[(Vec<f64>, Vec<f64>)]| {
            let mut rest = g.to_vec();
            // Orthogonalised twice against rounding.
            for (held, back) in basis.iter().chain(basis) {
                let share = dot(back, &rest);
                let both = rest.iter_mut().zip(held);
                both.for_each(|(x, held)| *x -= share * held);
            }
            let back = solve(&step.mass, &rest)?;
            let square = dot(&rest, &back);
            Some((rest, back, square))
        };
        // Basis of the bilateral rows.
        for (touch, (rows, _)) in self.constraint_rows.iter().zip(&step.rows) {
            let held = match self.system.constraints()[touch.constraint].kind {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => touch.impulse.len(),
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                ConstraintKind::Contact | ConstraintKind::NonFirm => 0,
            };
            for g in rows.chunks(n).take(held) {
                let whole = dot(g, &solve(&step.mass, g)?);
                let (rest, back, square) = rest(g, &basis)?;
                if square > DEPENDENT * whole {
                    let scaled = |x: &f64| x / square.sqrt();
                    let pair = (rest.iter().map(scaled), back.iter().map(scaled));
                    basis.push((pair.0.collect(), pair.1.collect()));
                }
            }
        }
        // The normal row without its components along the basis.
        let g: Vec<&[f64]> = step.rows[k].0.chunks(n).collect();
        let (_, back, square) = rest(g[0], &basis)?;
        (square > 0.0).then(|| [1, 2].map(|i| dot(g[i], &back) / square))
    }
}

/// Σ λ c w over the edges of a polygon on which the impulse lies.
fn polygon_shift(vertices: &[[f64; 2]], w: [f64; 2], (s, u): (&[f64], &[f64])) -> [f64; 2] {
    let extent = vertices
        .iter()
        .map(|v| v[0].hypot(v[1]))
        .fold(0.0, f64::max);
    // (a + c w, c) of the edges that the impulse is on, to a millionth of the polygon.
    let edges = (0..vertices.len()).filter_map(|k| {
        let (from, to) = (vertices[k], vertices[(k + 1) % vertices.len()]);
        let (x, y) = (to[0] - from[0], to[1] - from[1]);
        let length = x.hypot(y);
        let a = [y / length, -x / length];
        let c = a[0] * from[0] + a[1] * from[1];
        let apart = (a[0] * s[1] + a[1] * s[2] - c * s[0]).abs();
        (apart <= 1e-6 * extent * s[0]).then(|| ([a[0] + c * w[0], a[1] + c * w[1]], c))
    });
    let edges: Vec<([f64; 2], f64)> = edges.collect();
    let mut g = 0.0;
    match edges[..] {
        // One edge: λ by least squares.
        [(n, c)] => {
            let lambda = -(n[0] * u[1] + n[1] * u[2]) / (n[0] * n[0] + n[1] * n[1]);
            g = lambda.max(0.0) * c;
        }
        // A corner: λ n + κ m = −u.
        [(n, c), (m, d), ..] => {
            let whole = n[0] * m[1] - n[1] * m[0];
            let lambda = -(u[1] * m[1] - u[2] * m[0]) / whole;
            let kappa = -(n[0] * u[2] - n[1] * u[1]) / whole;
            g = lambda.max(0.0) * c + kappa.max(0.0) * d;
        }
        [] => {}
    }
    w.map(|w| g * w)
}
