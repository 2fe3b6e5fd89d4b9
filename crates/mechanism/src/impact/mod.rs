//! Impact laws: v⁻ → v⁺ with impulses S of the closed contacts.
//!
//! ```text
//! A (v⁺ − v⁻) = Σ Gᵀ S,    v⁺ ∈ V(q): U_n⁺ ≥ 0,    ½‖v⁺‖² ≤ ½‖v⁻‖² (kinetic metric)   (B02 1.11, 1.12)
//! ```
//!
//! - Moreau: law(U⁺ + ρU⁻, S) contact by contact, friction included (JM92 6.1).
//! - Canonical: v⁺ = proj_V v⁻ − e proj_N v⁻ with one e(q, v⁻) for the whole impact (B02 1.13). Without friction it is
//!   Moreau's law with ρ = e everywhere: w = (v⁺ + e v⁻)/(1 + e) is then the nearest point of V to v⁻.
//! - Sequential: one contact after the other, the fastest approach first, until none approaches.
//! - Poisson: soft compression with impulses S_c, then the share e S_c again, then whatever impulse is still needed for
//!   admissibility.
//! - Energetic: one contact followed along its impulse until expansion has given back e² of the work (Stronge).
//! - LZB: several contacts followed along their impulses, whose ratios come from stiffness and potential energy.
//! - Map: v⁺ = F(q, v⁻) of the user, with the impulses that it needs.
//!
//! `rows` has the reduced rows of the laws that follow the impulses, `slip_modes` their friction.
//!
//! Joints, nonholonomic and non-firm constraints take part in every impact (a bounded reaction gives no impulse). An
//! impact that ends inadmissible or gains energy is refused, except under Moreau's law with mixed coefficients, where a
//! gain is possible in theory (Kane–Levinson); the step report shows it.

mod energetic;
mod map;
mod poisson;
mod ratios;
pub(crate) mod rows;
mod sequential;
mod slip_modes;

use percuss_contact::Restitution;
use percuss_contact::law::Status;
use percuss_convex::dense;

use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::ImpactLaw;
pub use crate::step_problem::ConstraintImpulse;
use crate::step_problem::{RestitutionWeights, SolveSummary, StepProblem, restitution};
use crate::system::{StateRef, System};

/// Approach speeds below this share of the velocities involved are rest.
pub(crate) const AT_REST: f64 = 1e-12;

/// Largest relative gain of energy that is rounding.
const GAIN: f64 = 1e-9;

/// Result of an impact.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactResult {
    /// v⁺.
    pub velocity: Vec<f64>,
    /// S of every constraint that took part.
    pub impulse: Vec<ConstraintImpulse>,
    /// Status of every constraint that took part.
    pub status: Vec<(usize, Status)>,
    /// Worst residual of the contact problems solved.
    pub residual: f64,
    /// Kinetic energy before.
    pub energy_before: f64,
    /// Kinetic energy after.
    pub energy_after: f64,
}

/// Resolves an impact of the closed `contacts` at the state `at` (v⁻); every joint and nonholonomic constraint takes
/// part.
///
/// # Errors
/// A restitution outside [0, 1], a law that cannot be used here, an inadmissible outcome.
pub fn resolve<S: System + ?Sized>(
    law: ImpactLaw,
    system: &mut S,
    at: StateRef<'_>,
    contacts: &[usize],
    tolerance: f64,
) -> Result<ImpactResult, MechanismError> {
    let n = at.v.len();
    let mut inertia = Inertia::new(n);
    inertia.evaluate(system, at)?;
    let mut strike = ImpactSolver::new(&inertia, at, tolerance);
    strike.total = vec![Vec::new(); system.constraints().len()];
    let members = participants(system, contacts);
    // Each law leaves v⁺ and the total impulses in `strike`.
    match law {
        ImpactLaw::Moreau => strike.solve_simultaneous(system, &members, None)?,
        ImpactLaw::Canonical => {
            let e = common_restitution(system, at, contacts)?;
            strike.solve_simultaneous(system, &members, Some(e))?;
        }
        ImpactLaw::Sequential => sequential::resolve(&mut strike, system, &members)?,
        ImpactLaw::Poisson => poisson::resolve(&mut strike, system, &members)?,
        ImpactLaw::Energetic => energetic::resolve(&mut strike, system, &members)?,
        ImpactLaw::Lzb => ratios::resolve(&mut strike, system, &members)?,
        ImpactLaw::Map => map::resolve(&mut strike, system, contacts, &members)?,
    }
    strike.check(law, system, contacts)?;
    Ok(strike.finish(system, &members))
}

/// The closed contacts, conditional constraints of these, and every other constraint that is no contact.
fn participants<S: System + ?Sized>(system: &S, contacts: &[usize]) -> Vec<usize> {
    let all = system.constraints().iter().enumerate();
    let acts = all.filter(|(i, c)| match (c.is_contact(), c.while_closed) {
        (true, _) => contacts.contains(i),
        (false, Some(contact)) => contacts.contains(&contact),
        (false, None) => true,
    });
    acts.map(|(i, _)| i).collect()
}

/// The one e of a canonical impact: the declared e(q, v), or the restitution that all contacts have in common.
pub(crate) fn common_restitution<S: System + ?Sized>(
    system: &mut S,
    at: StateRef<'_>,
    contacts: &[usize],
) -> Result<f64, MechanismError> {
    let law = ImpactLaw::Canonical.name();
    // A declared e takes precedence.
    if let Some(e) = system.canonical_restitution(at)? {
        if !(0.0..=1.0).contains(&e) {
            let constraint = "the canonical impact law".to_string();
            return Err(MechanismError::Restitution {
                constraint,
                value: e,
                t: at.t,
            });
        }
        return Ok(e);
    }
    // No e is declared: all contacts must agree.
    let mut common: Option<(usize, f64)> = None;
    for &contact in contacts {
        let e = restitution(system, contact, at)?.normal;
        match common {
            Some((first, value)) if value != e => {
                let name = |i: usize| &system.constraints()[i].name;
                let (a, b) = (name(first), name(contact));
                return Err(MechanismError::Impact {
                    law,
                    t: at.t,
                    reason: format!(
                        "it takes one restitution for the whole impact, but `{a}` has {value} and \
                         `{b}` has {e}; give them the same, or set impact.restitution"
                    ),
                });
            }
            _ => common = Some((contact, e)),
        }
    }
    Ok(common.map_or(0.0, |(_, e)| e))
}

/// State of an impact computation: velocity and impulses so far.
pub(crate) struct ImpactSolver<'a> {
    pub(crate) inertia: &'a Inertia,
    /// Configuration, and v⁻ in `v`.
    pub(crate) at: StateRef<'a>,
    /// Contact problem of the last solve.
    pub(crate) problem: StepProblem,
    /// Velocity so far.
    pub(crate) v: Vec<f64>,
    /// Impulses so far, by constraint.
    total: Vec<Vec<f64>>,
    residual: f64,
    tolerance: f64,
}

impl<'a> ImpactSolver<'a> {
    fn new(inertia: &'a Inertia, at: StateRef<'a>, tolerance: f64) -> Self {
        Self {
            inertia,
            at,
            problem: StepProblem::new(inertia.n),
            v: at.v.to_vec(),
            total: Vec::new(),
            residual: 0.0,
            tolerance,
        }
    }

    /// Solves the simultaneous impact of all `members` from the current velocity; `common` replaces the normal
    /// restitution of the contacts.
    pub(crate) fn solve_simultaneous<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        members: &[usize],
        common: Option<f64>,
    ) -> Result<(), MechanismError> {
        let before = self.v.clone();
        self.problem.clear();
        // An impact takes no time: bilateral rows end with U⁺ = 0, and impulses of bounded forces are zero.
        let weights = RestitutionWeights {
            contacts_rebound: true,
            bilateral: 0.0,
        };
        let at = StateRef {
            v: &before,
            ..self.at
        };
        for &member in members {
            let stage = &mut self.problem;
            stage.push(system, member, at, 0.0, Status::Slip, weights)?;
            // Canonical and soft impacts: one restitution for all contacts.
            if let Some(e) = common
                && system.constraints()[member].is_contact()
            {
                let k = stage.active.len() - 1;
                let rows = stage.rows(k);
                stage.restitution[k] = Restitution {
                    normal: e,
                    tangential: stage.restitution[k].tangential,
                };
                stage.restitution_weight[rows.start] = e;
            }
        }
        // Solve, and add the impulses to the totals.
        let solved = self.solve(system, &before)?;
        self.residual = self.residual.max(solved.residual);
        for k in 0..self.problem.active.len() {
            let rows = self.problem.rows(k);
            let total = &mut self.total[self.problem.active[k]];
            accumulate(total, &self.problem.impulse[rows]);
        }
        Ok(())
    }

    /// Solves the contact problem; an impact that does not converge is an error.
    fn solve<S: System + ?Sized>(
        &mut self,
        system: &S,
        before: &[f64],
    ) -> Result<SolveSummary, MechanismError> {
        let (t, tolerance) = (self.at.t, self.tolerance);
        let solved = self
            .problem
            .solve(system, t, self.inertia, before, &mut self.v, tolerance)?;
        if !solved.converged {
            return Err(MechanismError::Impact {
                law: "chosen",
                t,
                reason: format!(
                    "the velocities after the impact could not be found to {tolerance:e}: the \
                     residual stays at {:e}",
                    solved.residual
                ),
            });
        }
        Ok(solved)
    }

    /// Adds to the impulses of a constraint.
    pub(crate) fn add(&mut self, constraint: usize, impulse: &[f64]) {
        accumulate(&mut self.total[constraint], impulse);
    }

    /// Applies impulses of the reduced rows of contacts, then lets the firm constraints among `members` follow.
    fn apply_contacts<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        rows: &rows::ImpactRows,
        impulse: &[f64],
        members: &[usize],
    ) -> Result<(), MechanismError> {
        let n = self.inertia.n;
        let mut change = vec![0.0; n];
        for contact in &rows.contacts {
            let count = 1 + usize::from(contact.friction.is_some());
            let own = contact.row..contact.row + count;
            for row in own.clone() {
                let g = &rows.jacobian[row * n..(row + 1) * n];
                dense::axpy(impulse[row], g, &mut change);
            }
            self.add(contact.constraint, &impulse[own]);
        }
        self.inertia.solve(&mut change);
        (0..n).for_each(|i| self.v[i] += change[i]);
        // The rows were reduced by these: what is left is their own impulses.
        let firm = |m: &&usize| !system.constraints()[**m].is_contact();
        let firm: Vec<usize> = members.iter().filter(firm).copied().collect();
        match firm.is_empty() {
            true => Ok(()),
            false => self.solve_simultaneous(system, &firm, None),
        }
    }

    /// Checks admissibility: v⁺ ∈ V(q), and no gain of energy.
    fn check<S: System + ?Sized>(
        &mut self,
        law: ImpactLaw,
        system: &mut S,
        contacts: &[usize],
    ) -> Result<(), MechanismError> {
        let (before, after) = (self.inertia.energy(self.at.v), self.inertia.energy(&self.v));
        let refuse = |reason: String| {
            Err(MechanismError::Impact {
                law: law.name(),
                t: self.at.t,
                reason,
            })
        };
        // Energy: Moreau's law with mixed coefficients may gain; the last three keep the work of their impulses in
        // bounds, relative to moving boundaries.
        let judged = matches!(
            law,
            ImpactLaw::Canonical | ImpactLaw::Sequential | ImpactLaw::Poisson
        );
        if judged && after > before * (1.0 + GAIN) {
            // What moving boundaries gave is no gain.
            let (given, size) = self.boundary_work(system)?;
            if after > before + given + GAIN * (before + size) {
                return refuse(format!(
                    "it would raise the kinetic energy from {before:e} to {after:e}, of which moving boundaries \
                     give {given:e}; no impact law may raise it further (B02 1.12); use `moreau`, or the same \
                     restitution everywhere"
                ));
            }
        }
        // Contact that still approaches fastest, relative to the velocities there.
        let mut worst = 0.0_f64;
        let mut who = 0;
        for (contact, speed, scale) in approach_velocities(system, self.at, &self.v, contacts)? {
            if -speed / scale > worst {
                (worst, who) = (-speed / scale, contact);
            }
        }
        // Bound on what the tolerance of the solve may leave.
        if worst > (10.0 * self.tolerance.sqrt()).max(1e-6) {
            let name = &system.constraints()[who].name;
            return refuse(format!(
                "`{name}` still approaches after the impact, with {worst:e} of the velocities there"
            ));
        }
        Ok(())
    }

    /// Work −Σ S·W of moving boundaries on the impulses so far, and the sum of the sizes of its terms.
    fn boundary_work<S: System + ?Sized>(
        &self,
        system: &mut S,
    ) -> Result<(f64, f64), MechanismError> {
        let n = self.inertia.n;
        let (mut work, mut size) = (0.0, 0.0);
        for (i, total) in self.total.iter().enumerate() {
            let rows = system.constraints()[i].rows;
            let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
            system.rows(i, self.at.t, self.at.q, &mut g, &mut w)?;
            for (s, w) in total.iter().zip(&w) {
                work -= s * w;
                size += (s * w).abs();
            }
        }
        Ok((work, size))
    }

    /// The result: v⁺, total impulses, status of the last solve.
    fn finish<S: System + ?Sized>(mut self, system: &S, members: &[usize]) -> ImpactResult {
        // Status from the last problem; a constraint that is not in it is open.
        let stick = |stage: &StepProblem, member: usize| {
            let k = stage.active.iter().position(|&c| c == member);
            k.map_or(Status::Open, |k| stage.status(k))
        };
        let status = members.iter().map(|&m| (m, stick(&self.problem, m)));
        let status = status.collect();
        let rows = |m: usize| system.constraints()[m].rows;
        let impulse = members
            .iter()
            .map(|&m| {
                self.total[m].resize(rows(m), 0.0);
                ConstraintImpulse {
                    constraint: m,
                    impulse: std::mem::take(&mut self.total[m]),
                }
            })
            .collect();
        let (energy_before, energy_after) =
            (self.inertia.energy(self.at.v), self.inertia.energy(&self.v));
        ImpactResult {
            velocity: self.v,
            impulse,
            status,
            residual: self.residual,
            energy_before,
            energy_after,
        }
    }
}

fn accumulate(total: &mut Vec<f64>, impulse: &[f64]) {
    total.resize(impulse.len(), 0.0);
    total.iter_mut().zip(impulse).for_each(|(t, s)| *t += s);
}

/// Normal velocity of each contact at velocity `v`, with the size of the terms it is made of.
pub(crate) fn approach_velocities<S: System + ?Sized>(
    system: &mut S,
    at: StateRef<'_>,
    v: &[f64],
    contacts: &[usize],
) -> Result<Vec<(usize, f64, f64)>, MechanismError> {
    let n = v.len();
    let mut found = Vec::with_capacity(contacts.len());
    for &contact in contacts {
        let rows = system.constraints()[contact].rows;
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        system.rows(contact, at.t, at.q, &mut g, &mut w)?;
        let speed = w[0] + (0..n).map(|i| g[i] * v[i]).sum::<f64>();
        // Norms of G and v separately: their products may vanish term by term.
        let size = |x: &[f64]| dense::dot(x, x).sqrt();
        let scale = w[0].abs() + size(&g[..n]) * (size(v) + size(at.v));
        found.push((contact, speed, scale.max(f64::MIN_POSITIVE)));
    }
    Ok(found)
}
