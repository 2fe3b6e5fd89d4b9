//! Rows of the closed contacts with all firm constraints eliminated: U = U⁻ + W S during an impact.
//!
//! ```text
//! W = Ĝ (1 − P) Ĝᵀ,    Ĝ = G L⁻ᵀ,    P: projection onto the rows of joints and nonholonomic constraints   (A = L Lᵀ)
//! ```
//!
//! For the laws that follow an impact along its impulses (energetic, LZB): contacts without friction or with one
//! tangential direction.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_convex::dense;

use super::ImpactSolver;
use crate::error::MechanismError;
use crate::settings::ImpactLaw;
use crate::step_problem::restitution;
use crate::system::{ConstraintKind, System};

/// A row is dependent on others when no more than this share of it is left (as for the initial state).
const DEPENDENT: f64 = 1e-9;

/// A closed contact in an impact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImpactContact {
    /// Index of the constraint.
    pub(super) constraint: usize,
    /// Its normal row; the tangential row, if there is one, is the next.
    pub(super) row: usize,
    /// −minus·S_n ≤ S_t ≤ plus·S_n of the tangential row; `None` without one.
    pub(super) friction: Option<[f64; 2]>,
    /// Energetic coefficient of restitution e, 0 to 1.
    pub(super) restitution: f64,
}

/// Reduced rows of all closed contacts.
#[derive(Debug, Clone, Default)]
pub(super) struct ImpactRows {
    pub(super) contacts: Vec<ImpactContact>,
    /// U⁻ by row.
    pub(super) begin: Vec<f64>,
    /// W, rows × rows.
    pub(super) delassus: Vec<f64>,
    /// G, rows × n.
    pub(super) jacobian: Vec<f64>,
}

impl ImpactRows {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.begin.len()
    }

    /// Collects the contacts among `members`, and eliminates the firm ones.
    pub(super) fn collect<S: System + ?Sized>(
        strike: &ImpactSolver<'_>,
        system: &mut S,
        law: ImpactLaw,
        members: &[usize],
    ) -> Result<Self, MechanismError> {
        let n = strike.inertia.n;
        let mut all = Self::default();
        let (mut firm, mut hats): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for &member in members {
            let (kind, rows) = {
                let known = &system.constraints()[member];
                (known.kind, known.rows)
            };
            let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
            system.rows(member, strike.at.t, strike.at.q, &mut g, &mut w)?;
            // Rows in kinetic coordinates.
            let hat = |row: usize| {
                let mut hat = g[row * n..(row + 1) * n].to_vec();
                dense::solve_lower(&strike.inertia.factor, n, &mut hat);
                hat
            };
            match kind {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => {
                    (0..rows).for_each(|row| add_to_basis(&mut firm, hat(row)));
                }
                ConstraintKind::Contact => {
                    let friction = friction_bounds(strike, system, law, member)?;
                    let e = restitution(system, member, strike.at)?;
                    if e.tangential != 0.0 {
                        let problem = "it has no tangential restitution; leave it out of";
                        return Err(refused(law, system, member, strike.at.t, problem));
                    }
                    all.contacts.push(ImpactContact {
                        constraint: member,
                        row: all.begin.len(),
                        friction,
                        restitution: e.normal,
                    });
                    let count = 1 + usize::from(friction.is_some());
                    for row in 0..count {
                        let g = &g[row * n..(row + 1) * n];
                        all.begin.push(w[row] + dense::dot(g, strike.at.v));
                        all.jacobian.extend_from_slice(g);
                        hats.push(hat(row));
                    }
                }
                // Bounded forces give no impulse; others are refused before the motion.
                ConstraintKind::NonFirm | ConstraintKind::FrictionJoint { .. } => {}
            }
        }
        // What the firm constraints leave of the rows, and W.
        for hat in &mut hats {
            remove(&firm, hat);
        }
        for a in &hats {
            all.delassus.extend(hats.iter().map(|b| dense::dot(a, b)));
        }
        Ok(all)
    }
}

/// Subtracts the parts along an orthonormal basis; twice, for orthogonality to rounding.
fn remove(basis: &[Vec<f64>], hat: &mut [f64]) {
    for _ in 0..2 {
        for vector in basis {
            dense::axpy(-dense::dot(vector, hat), vector, hat);
        }
    }
}

/// Extends an orthonormal basis by a row that is independent of it.
fn add_to_basis(basis: &mut Vec<Vec<f64>>, mut hat: Vec<f64>) {
    let size = dense::dot(&hat, &hat).sqrt();
    remove(basis, &mut hat);
    let left = dense::dot(&hat, &hat).sqrt();
    if left > DEPENDENT * size {
        hat.iter_mut().for_each(|x| *x /= left);
        basis.push(hat);
    }
}

/// Bounds of S_t over S_n; `None` of a contact without friction rows.
fn friction_bounds<S: System + ?Sized>(
    strike: &ImpactSolver<'_>,
    system: &mut S,
    law: ImpactLaw,
    contact: usize,
) -> Result<Option<[f64; 2]>, MechanismError> {
    let rows = system.constraints()[contact].rows;
    match (rows, system.law(contact, strike.at, 1.0, Status::Slip)?) {
        (1, _) => Ok(None),
        (2, Law::Coulomb { mu }) => Ok(Some([-mu, mu])),
        (2, Law::CoulombAsymmetric { plus, minus }) => Ok(Some([-minus, plus])),
        (2, Law::Frictionless) => Ok(Some([0.0, 0.0])),
        _ => Err(refused(law, system, contact, strike.at.t, ONE_TANGENT)),
    }
}

/// What the two laws are defined for.
pub(crate) const ONE_TANGENT: &str = "it follows friction in the plane alone, one tangential direction with \
     coefficients of sliding; use `moreau` with";

/// Error: a contact that the law is not defined for.
pub(super) fn refused<S: System + ?Sized>(
    law: ImpactLaw,
    system: &S,
    contact: usize,
    t: f64,
    problem: &str,
) -> MechanismError {
    MechanismError::Impact {
        law: law.name(),
        t,
        reason: format!("{problem} `{}`", system.constraints()[contact].name),
    }
}
