//! Contact laws: which impulses r and relative velocities u of one contact are compatible.
//!
//! ```text
//! law(u, r),   u = H r + q        H (d x d): diagonal block of the Delassus operator, q: free velocity
//! ```
//!
//! Rows are those of the contact frame, normal first: (n), (n, t), (n, t1, t2), (n, t1, t2, roll1,
//! roll2, spin). r is the impulse on body b, u the relative velocity of b with respect to a with
//! the restitution shift already in q. H is a row-major slice and need not be symmetric.
//!
//! [`Law`] is a closed enumeration; each family has a file with its equation and its exact local
//! solve. Solvers use the methods of [`Law`] — [`Law::solve_local`], [`Law::project`], [`Law::shift`],
//! [`Law::natural_residual`], [`Law::alart_curnier`] — and need not match on the variant. Code that needs the
//! geometry of the section (contact modes, limit analysis, problem files, fast paths for Coulomb's law) does match.
//! None of the methods allocates but those of jumps without collision (`painleve`) and of polygons in [`Law::least_energy`].

use std::sync::Arc;

mod bilateral;
mod bilateral_friction;
pub mod coulomb2;
pub mod coulomb3;
pub mod elliptic;
mod error;
mod least_energy;
mod least_energy_polygon;
mod nonfirm;
mod painleve;
pub mod polygon;
mod reduced;
mod residual;
mod rolling;
mod section_projection;
mod singular;
mod small;
mod smoothed;
mod static_dynamic;
mod violations;

pub use error::LawError;
pub use nonfirm::NonFirmSet;
pub use painleve::JumpImpulse;
pub use polygon::PolygonSection;
pub use small::MAX_ROWS;
pub use smoothed::Smoothed;
pub use static_dynamic::StaticDynamic;
pub use violations::Violations;

use error::coefficient;

/// Contact status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// No impulse: r = 0.
    Open,
    /// An impulse without relative velocity (bilateral rows always stick).
    Stick,
    /// An impulse with relative velocity.
    Slip,
}

/// The law of one contact; u and r in the contact frame, normal first.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Signorini's condition 0 <= u_n ⊥ r_n >= 0 without friction; one row (M88 §8).
    Frictionless,
    /// Coulomb's law with Signorini's condition, |r_t| <= mu r_n; two or three rows, or one row where friction has
    /// no direction to act in (M88 12.2).
    Coulomb {
        /// Friction coefficient.
        mu: f64,
    },
    /// Planar friction with a bound for each sense of the reaction: -minus r_n <= r_t <= plus r_n, so that
    /// `minus` acts while u_t > 0; two rows (M88 §13).
    CoulombAsymmetric {
        /// Bound of r_t in the sense of +t, met when sliding towards -t.
        plus: f64,
        /// Bound of r_t in the sense of -t, met when sliding towards +t.
        minus: f64,
    },
    /// Friction with an elliptic section, (r_1/mu1)² + (r_2/mu2)² <= r_n²; three rows (M88 §12).
    CoulombElliptic {
        /// Coefficient along t1.
        mu1: f64,
        /// Coefficient along t2.
        mu2: f64,
    },
    /// Friction with a polygonal section, r_t ∈ r_n D; three rows (M88 §12).
    CoulombPolygon(Arc<PolygonSection>),
    /// Coulomb's law with static and dynamic coefficients (M88 §17); rows as for `Coulomb`.
    StaticDynamic {
        /// The two coefficients.
        friction: StaticDynamic,
        /// Status of the contact in the step before.
        previous: Status,
    },
    /// Friction with rolling and spinning resistance in space (M99 §7.2): rows (n, t1, t2, roll1,
    /// roll2, spin), or the first five of them, where `mu_spin` has no row to act on.
    Rolling {
        /// Friction coefficient.
        mu: f64,
        /// Bound of the rolling moment over r_n, a length.
        mu_roll: f64,
        /// Bound of the spinning moment over r_n, a length.
        mu_spin: f64,
    },
    /// Friction with rolling resistance in the plane; rows (n, t, moment).
    RollingPlane {
        /// Friction coefficient.
        mu: f64,
        /// Bound of the moment over r_n, a length.
        mu_roll: f64,
    },
    /// Firm bilateral constraint u = 0; any number of rows up to [`MAX_ROWS`] (B02 §2, §4).
    Bilateral,
    /// Non-firm (force-limited) bilateral constraint -u ∈ N_C(r), C closed convex with 0 ∈ C (B02 §5).
    NonFirm(Arc<NonFirmSet>),
    /// Bilateral constraint with friction: the first `normal_rows` (1 or 2) rows are bilateral; the 1 or 2 others
    /// carry friction of threshold mu |r_n| (B02 §6).
    BilateralFriction {
        /// Number of bilateral rows.
        normal_rows: usize,
        /// Friction coefficient.
        mu: f64,
    },
}

impl Law {
    /// Whether the first row obeys Signorini's condition, 0 <= u_n ⊥ r_n >= 0, so that a separating contact has r = 0.
    #[must_use]
    pub fn is_unilateral(&self) -> bool {
        !matches!(
            self,
            Self::Bilateral | Self::NonFirm(_) | Self::BilateralFriction { .. }
        )
    }

    /// Whether all rows are bilateral and any impulse may act in them.
    #[must_use]
    pub fn is_firm(&self) -> bool {
        *self == Self::Bilateral
    }

    /// Name of the law, for messages and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Coulomb { .. } => "Coulomb",
            Self::CoulombAsymmetric { .. } => "asymmetric Coulomb",
            Self::CoulombElliptic { .. } => "elliptic Coulomb",
            Self::CoulombPolygon(_) => "polygonal Coulomb",
            Self::StaticDynamic { .. } => "static-dynamic Coulomb",
            Self::Rolling { .. } => "rolling",
            Self::RollingPlane { .. } => "planar rolling",
            Self::Bilateral => "bilateral",
            Self::NonFirm(_) => "non-firm",
            Self::BilateralFriction { .. } => "bilateral with friction",
        }
    }

    /// Same as [`Law::is_unilateral`], inlined.
    #[inline]
    #[must_use]
    pub fn normal(&self) -> bool {
        !matches!(
            self,
            Self::Bilateral | Self::NonFirm(_) | Self::BilateralFriction { .. }
        )
    }

    /// Checks the coefficients and that the law fits a contact of `d` rows.
    ///
    /// # Errors
    /// A coefficient that is negative or not finite, or a number of rows the law cannot take.
    #[inline]
    pub fn validate(&self, d: usize) -> Result<(), LawError> {
        // Fast path: a valid Coulomb law.
        if let Self::Coulomb { mu } = self
            && *mu >= 0.0
            && mu.is_finite()
            && (1..=3).contains(&d)
        {
            return Ok(());
        }
        self.validate_general(d)
    }

    /// Checks of all laws.
    fn validate_general(&self, d: usize) -> Result<(), LawError> {
        let law = self.name();
        // Error for a wrong number of rows.
        let rows = |fits: bool, expected| {
            let error = LawError::Rows {
                law,
                found: d,
                expected,
            };
            if fits { Ok(()) } else { Err(error) }
        };
        let check = |pairs: &[(&'static str, f64)]| {
            pairs
                .iter()
                .try_for_each(|&(name, value)| coefficient(law, name, value))
        };
        // Coefficients, then rows, law by law.
        match self {
            Self::Frictionless => rows(d == 1, "1"),
            Self::Coulomb { mu } => {
                check(&[("mu", *mu)])?;
                rows((1..=3).contains(&d), "1, 2 or 3")
            }
            Self::CoulombAsymmetric { plus, minus } => {
                check(&[("plus", *plus), ("minus", *minus)])?;
                rows(d == 2, "2")
            }
            Self::CoulombElliptic { mu1, mu2 } => {
                check(&[("mu1", *mu1), ("mu2", *mu2)])?;
                rows(d == 3, "3")
            }
            Self::CoulombPolygon(_) => rows(d == 3, "3"),
            Self::StaticDynamic { friction, .. } => {
                friction.validate(law)?;
                rows((1..=3).contains(&d), "1, 2 or 3")
            }
            Self::Rolling {
                mu,
                mu_roll,
                mu_spin,
            } => {
                check(&[("mu", *mu), ("mu_roll", *mu_roll), ("mu_spin", *mu_spin)])?;
                rows(d == 5 || d == 6, "5 (without spin) or 6")
            }
            Self::RollingPlane { mu, mu_roll } => {
                check(&[("mu", *mu), ("mu_roll", *mu_roll)])?;
                rows(d == 3, "3: normal, tangential, moment")
            }
            Self::Bilateral => rows((1..=MAX_ROWS).contains(&d), "1 to 32"),
            Self::NonFirm(set) => rows(d == set.rows(), "as many as its set of impulses has"),
            Self::BilateralFriction { normal_rows, mu } => {
                check(&[("mu", *mu)])?;
                rows(
                    (1..=2).contains(normal_rows)
                        && (*normal_rows + 1..=*normal_rows + 2).contains(&d),
                    "1 or 2 normal rows and then 1 or 2 tangential ones",
                )
            }
        }
    }

    /// Friction coefficient of the laws whose section is a disc.
    #[inline]
    fn disc_radius(&self) -> Option<f64> {
        match self {
            Self::Coulomb { mu } => Some(*mu),
            Self::StaticDynamic { friction, previous } => Some(friction.coefficient(*previous)),
            _ => None,
        }
    }

    /// Solves law(H r + q, r) for r, exact to rounding; the previous content of r is ignored.
    ///
    /// q_n >= 0 gives r = 0 for the unilateral laws, even where other solutions exist (Painlevé).
    /// The result is finite for every finite input; for an H that no mechanical system has (H_nn <= 0)
    /// it has no meaning.
    #[inline]
    pub fn solve_local(&self, h: &[f64], q: &[f64], r: &mut [f64]) -> Status {
        match (self, q.len()) {
            (Self::Frictionless, _) => solve_normal(h, q, r),
            // One coefficient: by number of rows.
            (Self::Coulomb { .. } | Self::StaticDynamic { .. }, d) => {
                let mu = self.disc_radius().unwrap_or(0.0);
                match d {
                    3 => store(r, coulomb3::solve(&block3(h), &[q[0], q[1], q[2]], mu)),
                    2 => store(r, coulomb2::solve(&block2(h), &[q[0], q[1]], mu, mu)),
                    _ => solve_normal(h, q, r),
                }
            }
            (Self::CoulombAsymmetric { plus, minus }, _) => {
                store(r, coulomb2::solve(&block2(h), &[q[0], q[1]], *plus, *minus))
            }
            (Self::CoulombElliptic { mu1, mu2 }, _) => store(
                r,
                elliptic::solve(&block3(h), &[q[0], q[1], q[2]], *mu1, *mu2),
            ),
            (Self::CoulombPolygon(section), _) => store(
                r,
                polygon::solve(&block3(h), &[q[0], q[1], q[2]], section.vertices()),
            ),
            (Self::Rolling { .. }, d) => {
                let (radii, sizes) = self.discs(d);
                rolling::solve(h, q, &radii, sizes, r)
            }
            (Self::RollingPlane { mu, mu_roll }, _) => store(
                r,
                rolling::solve_plane(&block3(h), &[q[0], q[1], q[2]], *mu, *mu_roll),
            ),
            (Self::Bilateral, _) => {
                bilateral::solve(h, q, r);
                Status::Stick
            }
            (Self::NonFirm(set), _) => set.solve(h, q, r),
            (Self::BilateralFriction { normal_rows, mu }, _) => {
                bilateral_friction::solve(h, q, *normal_rows, *mu, r)
            }
        }
    }

    /// The status that [`Law::solve_local`] returns, without computing the impulse where that costs more;
    /// `start` is an impulse near the solution.
    #[inline]
    pub fn local_status(&self, h: &[f64], q: &[f64], start: &[f64]) -> Status {
        // Fast path: planar Coulomb contacts.
        if let (Self::Coulomb { mu }, &[a, b, c, d], &[n, t]) = (self, h, q) {
            return coulomb2::status(&[[a, b], [c, d]], &[n, t], *mu);
        }
        self.local_status_general(h, q, start)
    }

    /// Status of any law.
    fn local_status_general(&self, h: &[f64], q: &[f64], start: &[f64]) -> Status {
        let d = q.len();
        match (self.disc_radius(), d) {
            (Some(mu), 3) => coulomb3::status(&block3(h), &[q[0], q[1], q[2]], mu),
            (Some(mu), 2) => coulomb2::status(&block2(h), &[q[0], q[1]], mu),
            _ => {
                // No shortcut for this law: solve for the impulse.
                let mut r = [0.0; MAX_ROWS];
                r[..d].copy_from_slice(start);
                self.solve_local(h, q, &mut r[..d])
            }
        }
    }

    /// Radii and dimensions of the discs of the rolling laws, for a contact of `d` rows.
    #[inline]
    fn discs(&self, d: usize) -> ([f64; 3], &'static [usize]) {
        match self {
            Self::Rolling {
                mu,
                mu_roll,
                mu_spin,
            } => (
                [*mu, *mu_roll, *mu_spin],
                if d == 6 { &[2, 2, 1] } else { &[2, 2] },
            ),
            Self::RollingPlane { mu, mu_roll } => ([*mu, *mu_roll, 0.0], &[1, 1]),
            _ => ([0.0; 3], &[]),
        }
    }
}

/// Signorini's condition in one row: 0 <= h r + q ⊥ r >= 0.
#[inline]
fn solve_normal(h: &[f64], q: &[f64], r: &mut [f64]) -> Status {
    let x = -q[0] / h[0];
    if q[0] < 0.0 && h[0] > 0.0 && x.is_finite() {
        r[0] = x;
        Status::Stick
    } else {
        r[0] = 0.0;
        Status::Open
    }
}

/// Copies a fixed-size impulse into the caller's slice.
#[inline]
fn store<const D: usize>(r: &mut [f64], (x, status): ([f64; D], Status)) -> Status {
    r[..D].copy_from_slice(&x);
    status
}

/// A 2 x 2 block from a row-major slice.
#[inline]
fn block2(h: &[f64]) -> [[f64; 2]; 2] {
    let h = &h[..4];
    [[h[0], h[1]], [h[2], h[3]]]
}

/// A 3 x 3 block from a row-major slice.
#[inline]
fn block3(h: &[f64]) -> [[f64; 3]; 3] {
    let h = &h[..9];
    [[h[0], h[1], h[2]], [h[3], h[4], h[5]], [h[6], h[7], h[8]]]
}
