//! Violations of the physical statements of a law (residual R4).

use super::Law;
use super::small::{dot, norm};

/// Violations of one contact, never negative; `residual` makes them relative to the scales of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Violations {
    /// Approach velocity, max(0, -u_n).
    pub normal_velocity_violation: f64,
    /// Impulse outside its admissible set: the larger of max(0, -r_n) and the distance of r_t to
    /// r_n D (of r to C for a non-firm block).
    pub cone_violation: f64,
    /// |r_n u_n|, an energy.
    pub normal_complementarity: f64,
    /// Error of the principle of maximal dissipation, an energy: | |u_t| r_t + mu r_n u_t | summed over discs (in
    /// the axes that make an ellipse a disc), |r_t·u_t + r_n g(u)| for other sections,
    /// |r·u + σ_C(-u)| for a non-firm block.
    pub tangential_dissipation_gap: f64,
    /// Largest velocity of a bilateral row.
    pub bilateral_violation: f64,
}

impl Law {
    /// The violations of (r, u).
    #[must_use]
    pub fn violations(&self, r: &[f64], u: &[f64]) -> Violations {
        let mut gaps = Violations::default();
        match self {
            Self::Bilateral => gaps.bilateral_violation = largest(u),
            Self::NonFirm(set) => set.violations(r, u, &mut gaps),
            Self::BilateralFriction { normal_rows, mu } => {
                // Bilateral rows, then the friction disc of radius mu |r_n|.
                let k = *normal_rows;
                let s = norm(&r[..k]);
                gaps.bilateral_violation = largest(&u[..k]);
                gaps.cone_violation = (norm(&r[k..]) - mu * s).max(0.0);
                gaps.tangential_dissipation_gap = disc_gap(*mu * s, &r[k..], &u[k..]);
            }
            _ => {
                gaps.normal_velocity_violation = (-u[0]).max(0.0);
                gaps.normal_complementarity = (r[0] * u[0]).abs();
                gaps.cone_violation = self.distance_to_section(r[0].max(0.0), &r[1..]).max(-r[0]);
                gaps.tangential_dissipation_gap = self.dissipation_gap(r, u);
            }
        }
        gaps
    }

    /// Error of maximal dissipation of a unilateral law.
    fn dissipation_gap(&self, r: &[f64], u: &[f64]) -> f64 {
        match self {
            Self::Frictionless => 0.0,
            Self::Coulomb { .. } | Self::StaticDynamic { .. } => {
                disc_gap(self.disc_radius().unwrap_or(0.0) * r[0], &r[1..], &u[1..])
            }
            Self::CoulombElliptic { mu1, mu2 } => {
                // u' = P u, r' = P⁻¹ r map the ellipse to a disc; an axis of length zero has r' = 0 and drops out.
                let scaled = |r: f64, mu: f64| if mu > 0.0 { r / mu } else { 0.0 };
                let r2 = [scaled(r[1], *mu1), scaled(r[2], *mu2)];
                disc_gap(r[0], &r2, &[mu1 * u[1], mu2 * u[2]])
            }
            Self::Rolling { .. } | Self::RollingPlane { .. } => {
                let (radii, sizes) = self.discs(r.len());
                // Sum over the discs.
                let mut at = 1;
                let mut sum = 0.0;
                for (&size, &mu) in sizes.iter().zip(&radii) {
                    sum += disc_gap(mu * r[0], &r[at..at + size], &u[at..at + size]);
                    at += size;
                }
                sum
            }
            _ => (dot(&r[1..], &u[1..]) + r[0] * self.shift(u)).abs(),
        }
    }
}

/// | |u| r + bound u |: zero if and only if u = 0 or r = -bound u/|u|.
fn disc_gap(bound: f64, r: &[f64], u: &[f64]) -> f64 {
    let nu = norm(u);
    let mut sum = 0.0;
    for (ri, ui) in r.iter().zip(u) {
        let e = nu * ri + bound * ui;
        sum += e * e;
    }
    sum.sqrt()
}

/// Largest absolute value.
fn largest(u: &[f64]) -> f64 {
    u.iter().fold(0.0, |m, v| m.max(v.abs()))
}
