//! Any impact map v⁺ = F(q, v⁻) of the user, checked at every impact (B02 1.10–1.12).
//!
//! ```text
//! v⁺ ∈ V(q):              U_n⁺ ≥ 0 at every closed contact, U⁺ = 0 of joints                              (1.11)
//! v⁺ − v⁻ ∈ −N(q):        A (v⁺ − v⁻) = Σ Gᵀ S with S_n ≥ 0                                                (1.11)
//! ‖v⁺‖ ≤ ‖v⁻‖             of the velocities relative to moving boundaries: Σ S (U⁺ + U⁻)/2 ≤ 0             (1.12)
//! ```
//!
//! S is found from v⁺ − v⁻ by Signorini's problem: the projection of v⁺ − v⁻ onto −N(q) in the kinetic metric; what it
//! leaves is the violation of the second condition. With fixed boundaries the work of the impulses is the change of
//! the kinetic energy. A violation stops the motion. Limits: contacts without friction, because F is of perfect
//! constraints.

use percuss_contact::law::Status;
use percuss_convex::dense;

use super::{ImpactSolver, approach_velocities};
use crate::error::MechanismError;
use crate::inertia::named_velocities;
use crate::settings::ImpactLaw;
use crate::step_problem::RestitutionWeights;
use crate::system::{StateRef, System};

/// Largest violation, relative to the velocities of the impact: expressions are rounded, and a user may write 0.333333333.
const VIOLATION: f64 = 1e-8;

pub(super) fn resolve<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    contacts: &[usize],
    members: &[usize],
) -> Result<(), MechanismError> {
    let (n, t) = (strike.inertia.n, strike.at.t);
    let refuse = |reason: String| {
        Err(MechanismError::Impact {
            law: ImpactLaw::Map.name(),
            t,
            reason,
        })
    };
    // J(q) of the impact: a closed contact that already separates is no part of it (v⁻ ∈ −V(q)).
    let before = strike.at.v.to_vec();
    let speeds = approach_velocities(system, strike.at, &before, contacts)?;
    let closed: Vec<usize> = speeds
        .iter()
        .filter(|(_, speed, scale)| *speed <= super::AT_REST * scale)
        .map(|(contact, _, _)| *contact)
        .collect();
    let mut after = vec![0.0; n];
    if !system.impact_map(strike.at, &closed, &mut after)? {
        return refuse("it needs the map F(q, v-), and none is given".to_string());
    }
    let outcome = named_velocities(system, &after);
    if let Some(i) = after.iter().position(|v| !v.is_finite()) {
        return refuse(format!(
            "F gives {} for `{}`, a finite number was expected",
            after[i],
            system.velocity_name(i)
        ));
    }
    let scale = strike
        .inertia
        .norm(&before)
        .max(strike.inertia.norm(&after));
    // V(q): no closed contact approaches.
    for (contact, speed, terms) in approach_velocities(system, strike.at, &after, contacts)? {
        if speed < -VIOLATION * terms {
            return refuse(format!(
                "F(q, v-) = ({outcome}) is not admissible: `{}` still approaches with {:e} \
                 (B02 1.11: F(q, v-) must lie in V(q))",
                system.constraints()[contact].name,
                -speed
            ));
        }
    }
    // −N(q): the change is made by impulses S_n ≥ 0 of the closed contacts and by joints.
    let change: Vec<f64> = (0..n).map(|i| after[i] - before[i]).collect();
    let takes_part = |m: &&usize| closed.contains(m) || !contacts.contains(m);
    let members: Vec<usize> = members.iter().filter(takes_part).copied().collect();
    let left = decompose(strike, system, &members, &change)?;
    if left > VIOLATION * scale {
        let names = |m: &usize| format!("`{}`", system.constraints()[*m].name);
        let who: Vec<String> = members.iter().map(names).collect();
        return refuse(format!(
            "F(q, v-) = ({outcome}) is not admissible: no impulses S >= 0 of {} change the velocity so; \
             the part {:.3e} of the change, in the kinetic metric, is none of theirs (B02 1.11: \
             F(q, v-) - v- must lie in -N(q))",
            who.join(", "),
            left / strike.inertia.norm(&change)
        ));
    }
    // No energy is made: the work of the impulses on the mean velocities.
    let work = work(strike, system, &members, &after)?;
    if work > VIOLATION * scale * scale {
        return refuse(format!(
            "F(q, v-) = ({outcome}) would raise the kinetic energy by {work:e}, from {:e} \
             (B02 1.12: the norm of F(q, v-) must not be above that of v-)",
            strike.inertia.energy(&before)
        ));
    }
    strike.v.copy_from_slice(&after);
    Ok(())
}

/// Impulses of the `members` nearest to the change of velocity, added to the totals. Returns ‖what they leave‖.
fn decompose<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
    change: &[f64],
) -> Result<f64, MechanismError> {
    // Signorini's problem with the free velocity −Δv at rest boundaries: −Δv + A⁻¹ Σ Gᵀ S.
    let free: Vec<f64> = change.iter().map(|x| -x).collect();
    let at = StateRef {
        v: &free,
        ..strike.at
    };
    strike.problem.clear();
    for &member in members {
        let stage = &mut strike.problem;
        stage.push(
            system,
            member,
            at,
            0.0,
            Status::Slip,
            RestitutionWeights::NONE,
        )?;
    }
    strike.problem.boundary.fill(0.0);
    let mut rest = free.clone();
    let solved = strike.problem.solve(
        system,
        strike.at.t,
        strike.inertia,
        &free,
        &mut rest,
        strike.tolerance.min(VIOLATION * 1e-3),
    )?;
    // A residual above the tolerance leaves more of the change, and is refused for that.
    strike.residual = strike.residual.max(solved.residual);
    for k in 0..strike.problem.active.len() {
        let impulse = strike.problem.impulse[strike.problem.rows(k)].to_vec();
        strike.add(strike.problem.active[k], &impulse);
    }
    Ok(strike.inertia.norm(&rest))
}

/// Σ S (U⁻ + U⁺)/2 of the impulses found.
fn work<S: System + ?Sized>(
    strike: &ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
    after: &[f64],
) -> Result<f64, MechanismError> {
    let n = after.len();
    let mean: Vec<f64> = (0..n).map(|i| 0.5 * (strike.at.v[i] + after[i])).collect();
    let mut work = 0.0;
    for &member in members {
        let rows = system.constraints()[member].rows;
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        system.rows(member, strike.at.t, strike.at.q, &mut g, &mut w)?;
        for (row, s) in strike.total[member].iter().enumerate() {
            work += s * (w[row] + dense::dot(&g[row * n..(row + 1) * n], &mean));
        }
    }
    Ok(work)
}
