//! Poisson's impact law: compression, then the share e of its impulses again.
//!
//! ```text
//! compression:  law(U_c, S_c) soft          v_c = v⁻ + A⁻¹ Gᵀ S_c
//! expansion:    v' = v_c + A⁻¹ Gᵀ e S_c     then law(U⁺, S') soft for what is still inadmissible
//! ```
//!
//! The tangential part of S_c is multiplied by the tangential restitution.

use percuss_convex::dense;

use super::ImpactSolver;
use crate::error::MechanismError;
use crate::system::System;

pub(super) fn resolve<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
) -> Result<(), MechanismError> {
    // Compression.
    let soft = Some(0.0);
    strike.solve_simultaneous(system, members, soft)?;
    let n = strike.inertia.n;
    // Expansion: e S_c at the contacts.
    let mut change = vec![0.0; n];
    let mut returned = Vec::new();
    for (k, &member) in members.iter().enumerate() {
        if !system.constraints()[member].is_contact() {
            continue;
        }
        let e = crate::step_problem::restitution(system, member, strike.at)?;
        let stage = &strike.problem;
        let rows = stage.rows(k);
        let mut again = stage.impulse[rows.clone()].to_vec();
        for (i, s) in again.iter_mut().enumerate() {
            *s *= if i == 0 { e.normal } else { e.tangential };
            let row = rows.start + i;
            dense::axpy(*s, &stage.jacobian[row * n..(row + 1) * n], &mut change);
        }
        returned.push((member, again));
    }
    strike.inertia.solve(&mut change);
    (0..n).for_each(|i| strike.v[i] += change[i]);
    for (member, again) in &returned {
        strike.add(*member, again);
    }
    // Admissibility: a soft impact of what still approaches.
    strike.solve_simultaneous(system, members, soft)
}
