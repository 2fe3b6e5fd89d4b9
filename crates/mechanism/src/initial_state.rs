//! Checks of the initial state and of settings that depend on the system.

use percuss_contact::Law;
use percuss_contact::law::{NonFirmSet, Status};
use percuss_convex::dense;

use crate::error::MechanismError;
use crate::impact::approach_velocities;
use crate::impact::rows::ONE_TANGENT;
use crate::inertia::Inertia;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::state::State;
use crate::step_problem::{RestitutionWeights, StepProblem, restitution};
use crate::system::{Constraint, ConstraintKind, StateRef, System};

/// A closed contact may be computed open or closed by this share of the size of the coordinates.
pub(crate) const CLOSED_TOLERANCE: f64 = 1e-9;

/// Joint error allowed at the start, relative to the squared size of the coordinates; the integrator projects it away.
const JOINED: f64 = 1e-7;

/// Bilateral velocity allowed at the start, relative to the velocities it is made of.
pub(crate) const REST_TOLERANCE: f64 = 1e-7;

/// Rank tolerance: a row is dependent when no more than this share of it, in the kinetic metric, is left after
/// orthogonalisation against the others.
const DEPENDENT: f64 = 1e-9;

/// Dependent rows are redundant when their second derivatives cancel to this share.
const AGREE: f64 = 1e-6;

/// Refuses initial states from which there is no motion: a singular mass matrix, a violated constraint, a bilateral
/// velocity that is not zero, and restitutions or impact laws that are not admissible.
///
/// # Errors
/// What was found, with its size.
pub fn check_initial_state<S: System + ?Sized>(
    system: &mut S,
    settings: &Settings,
    initial: &State,
) -> Result<(), MechanismError> {
    let (n, t) = (system.configuration_space().num_velocities(), initial.t);
    let at = StateRef {
        t,
        q: &initial.q,
        v: &initial.v,
    };
    // A must be positive definite.
    let mut inertia = Inertia::new(n);
    inertia.evaluate(system, at)?;
    // Position functions, restitution and bilateral velocity of each constraint.
    let total: usize = system.constraints().iter().map(|c| c.num_gaps()).sum();
    let mut gaps = vec![0.0; total];
    system.gaps(t, &initial.q, &mut gaps)?;
    let size = 1.0 + initial.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut first = 0;
    let mut touching = Vec::new();
    for i in 0..system.constraints().len() {
        let constraint = system.constraints()[i].clone();
        for &value in &gaps[first..first + constraint.num_gaps()] {
            check_position(&constraint, value, size, t)?;
        }
        let closed = gaps
            .get(first)
            .is_some_and(|gap| *gap <= CLOSED_TOLERANCE * size);
        touching.push(closed);
        first += constraint.num_gaps();
        // Contacts: a normal row, an admissible restitution, no friction under the canonical law.
        if constraint.is_contact() {
            if closed {
                check_direction(system, &inertia, i, at)?;
            }
            restitution(system, i, at)?;
        }
        check_impact_law(system, settings.impact, i, at)?;
        let contact = constraint.while_closed;
        let held = contact.is_some_and(|contact| touching.get(contact) == Some(&true));
        check_velocity(system, i, at, held)?;
    }
    check_independence(system, &inertia, at)?;
    if settings.impact == ImpactLaw::Canonical {
        crate::impact::common_restitution(system, at, &[])?;
    }
    check_associations(system, settings, t)?;
    // The event-driven integrator has its own step control.
    if settings.scheme == Scheme::Event && settings.adaptive.is_some() {
        return Err(MechanismError::Setting {
            name: "step.tolerance",
            value: settings.adaptive.map_or(0.0, |a| a.tolerance),
            expected: "the event-driven integrator chooses its own steps: give one number, the \
                       output interval",
        });
    }
    Ok(())
}

/// Conditional constraints must follow their contact; thresholds that see reactions have no impulses of their own.
fn check_associations<S: System + ?Sized>(
    system: &S,
    settings: &Settings,
    t: f64,
) -> Result<(), MechanismError> {
    let constraints = system.constraints();
    for (i, constraint) in constraints.iter().enumerate() {
        let refuse = |reason: String| {
            Err(MechanismError::Association {
                constraint: constraint.name.clone(),
                reason,
                t,
            })
        };
        if let Some(contact) = constraint.while_closed
            && !(contact < i && constraints[contact].is_contact())
        {
            return refuse("it must come after a contact while which it acts".to_string());
        }
        if system.seen_reactions(i).is_empty() {
            continue;
        }
        // An impact outside of a step has impulses, for which a threshold of forces says nothing.
        let struck = constraints.iter().any(Constraint::is_contact);
        let apart = settings.impact.is_separate();
        if struck && settings.scheme == Scheme::Event {
            return refuse(
                "its threshold sees reactions, and the event-driven integrator has no impulses of such \
                 a constraint in the impacts of the contacts here; use a time-stepping integrator"
                    .to_string(),
            );
        }
        if struck && apart {
            return refuse(format!(
                "its threshold sees reactions, which the {} impact law does not know; use `moreau`",
                settings.impact.name()
            ));
        }
    }
    Ok(())
}

/// Refuses constraints that the impact law is not defined for.
fn check_impact_law<S: System + ?Sized>(
    system: &mut S,
    law: ImpactLaw,
    i: usize,
    at: StateRef<'_>,
) -> Result<(), MechanismError> {
    let Constraint {
        name, kind, rows, ..
    } = system.constraints()[i].clone();
    let follows = matches!(law, ImpactLaw::Energetic | ImpactLaw::Lzb);
    let reason = match kind {
        ConstraintKind::Contact
            if rows > 1 && matches!(law, ImpactLaw::Canonical | ImpactLaw::Map) =>
        {
            let source = if law == ImpactLaw::Map {
                "1.10"
            } else {
                "1.13"
            };
            format!(
                "it is defined for constraints without friction (B02 {source}), but `{name}` has \
                 friction; use `moreau`"
            )
        }
        ConstraintKind::Contact if rows > 2 && follows => format!("{ONE_TANGENT} `{name}`"),
        ConstraintKind::FrictionJoint { .. } if follows || law == ImpactLaw::Map => {
            format!("it is not defined beside friction of joints; use `moreau` with `{name}`")
        }
        ConstraintKind::NonFirm if follows || law == ImpactLaw::Map => {
            // A set without bounds gives impulses of its own.
            match system.law(i, at, 1.0, Status::Open)? {
                Law::NonFirm(set) if !is_bounded(&set) => format!(
                    "it is not defined beside forces without bound; use `moreau` with `{name}`"
                ),
                _ => return Ok(()),
            }
        }
        _ => return Ok(()),
    };
    Err(MechanismError::Impact {
        law: law.name(),
        t: at.t,
        reason,
    })
}

/// Whether a set of forces is bounded, so that it gives no impulse.
fn is_bounded(set: &NonFirmSet) -> bool {
    let mut bounds = set.lower().iter().chain(set.upper());
    bounds.all(|b| b.is_finite())
}

/// Gaps must not be negative, joint functions must vanish.
fn check_position(
    constraint: &Constraint,
    value: f64,
    size: f64,
    t: f64,
) -> Result<(), MechanismError> {
    let fail = |what, expected| {
        Err(MechanismError::InitialPosition {
            constraint: constraint.name.clone(),
            what,
            value,
            expected,
            t,
        })
    };
    match constraint.kind {
        ConstraintKind::Contact if !(value >= -CLOSED_TOLERANCE * size) => {
            fail("its gap", "a gap must not be negative")
        }
        ConstraintKind::Joint | ConstraintKind::FrictionJoint { .. }
            if !(value.abs() <= JOINED * size * size) =>
        {
            fail("its function", "it must be zero")
        }
        _ => Ok(()),
    }
}

/// Bilateral rows must start with U = 0, those of rolling where it is `held`: its contact is closed and does not
/// approach. Where the contact approaches, the first instant is an impact.
fn check_velocity<S: System + ?Sized>(
    system: &mut S,
    i: usize,
    at: StateRef<'_>,
    held: bool,
) -> Result<(), MechanismError> {
    let constraint = system.constraints()[i].clone();
    let rows = match constraint.kind {
        ConstraintKind::NonFirm if held && rolls(system, i, at)? => constraint.rows,
        ConstraintKind::Joint | ConstraintKind::Nonholonomic => constraint.rows,
        ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
        ConstraintKind::Contact | ConstraintKind::NonFirm => return Ok(()),
    };
    let n = at.v.len();
    let mut g = vec![0.0; constraint.rows * n];
    let mut w = vec![0.0; constraint.rows];
    system.rows(i, at.t, at.q, &mut g, &mut w)?;
    // Compare with the size of the terms, not with their sum.
    for row in 0..rows {
        let terms: Vec<f64> = (0..n).map(|j| g[row * n + j] * at.v[j]).collect();
        let value = w[row] + terms.iter().sum::<f64>();
        let scale = w[row].abs() + terms.iter().map(|x| x.abs()).sum::<f64>();
        if value.abs() > REST_TOLERANCE * scale.max(1.0) {
            return Err(MechanismError::InitialVelocity {
                constraint: constraint.name.clone(),
                value,
                expected: "a bilateral constraint must start with none",
                t: at.t,
            });
        }
    }
    Ok(())
}

/// Whether a conditional constraint is one of rolling, and its contact does not approach.
fn rolls<S: System + ?Sized>(
    system: &mut S,
    i: usize,
    at: StateRef<'_>,
) -> Result<bool, MechanismError> {
    let Some(contact) = system.constraints()[i].while_closed else {
        return Ok(false);
    };
    let rolling = system.law(i, at, 1.0, Status::Stick)?.is_firm();
    let speeds = approach_velocities(system, at, at.v, &[contact])?;
    let approaches = |&(_, speed, scale): &(usize, f64, f64)| speed < -REST_TOLERANCE * scale;
    Ok(rolling && !speeds.iter().any(approaches))
}

/// A closed contact must have a normal row that does not vanish.
fn check_direction<S: System + ?Sized>(
    system: &mut S,
    inertia: &Inertia,
    contact: usize,
    at: StateRef<'_>,
) -> Result<(), MechanismError> {
    let mut stage = StepProblem::new(inertia.n);
    stage.push(
        system,
        contact,
        at,
        1.0,
        Status::Open,
        RestitutionWeights::NONE,
    )?;
    stage.prepare(system, at.t, inertia, at.v)
}

/// Joints with dependent gradients, Σ y_k ∂f_k/∂q = 0, are harmless where they are redundant: then Σ y_k f_k vanishes
/// to second order along every direction that they leave free. Where it does not, they restrict the position by a
/// condition that no reaction can enforce, and there is no motion if the velocity or the forces lead along such a
/// direction (B02 counter-example 3); a system at rest that nothing pushes there stays at rest.
fn check_independence<S: System + ?Sized>(
    system: &mut S,
    inertia: &Inertia,
    at: StateRef<'_>,
) -> Result<(), MechanismError> {
    let n = inertia.n;
    let mut rows = JointRows::default();
    // Rows of all joints in kinetic coordinates, with the relations between them.
    for i in 0..system.constraints().len() {
        if matches!(system.constraints()[i].kind, ConstraintKind::Joint) {
            let d = system.constraints()[i].rows;
            let (mut g, mut w) = (vec![0.0; d * n], vec![0.0; d]);
            system.rows(i, at.t, at.q, &mut g, &mut w)?;
            for row in 0..d {
                let mut hat = g[row * n..(row + 1) * n].to_vec();
                dense::solve_lower(&inertia.factor, n, &mut hat);
                rows.add((i, row), hat);
            }
        }
    }
    if rows.relations.is_empty() {
        return Ok(());
    }
    // Each relation must be free of curvature along the directions in which the motion starts.
    let free = rows.free_directions(n);
    for relation in &rows.relations {
        for mut v in initial_directions(inertia, at, &free) {
            dense::solve_lower_transposed(&inertia.factor, n, &mut v);
            if let Some((left, size)) = rows.curvature_mismatch(system, relation, at, &v)?
                && left > AGREE * size
            {
                return Err(rows.error(system, relation, at.t, left));
            }
        }
    }
    Ok(())
}

/// Directions in which the motion starts, within the `free` subspace: along its velocity, along what the forces give,
/// and between the two. Kinetic coordinates, unit length.
fn initial_directions(inertia: &Inertia, at: StateRef<'_>, free: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = inertia.n;
    // Velocity and acceleration of the forces in kinetic coordinates.
    let (l, mut forced) = (&inertia.factor, inertia.force.clone());
    dense::solve_lower(l, n, &mut forced);
    let speed = |i: usize| (i..n).map(|j| l[j * n + i] * at.v[j]).sum();
    let moving: Vec<f64> = (0..n).map(speed).collect();
    let mut found: Vec<Vec<f64>> = Vec::new();
    // Project onto the free subspace and normalise.
    for whole in [moving, forced] {
        let mut part = vec![0.0; n];
        for w in free {
            dense::axpy(dense::dot(w, &whole), w, &mut part);
        }
        let (size, all) = (dense::dot(&part, &part), dense::dot(&whole, &whole));
        if size > f64::EPSILON * all {
            part.iter_mut().for_each(|x| *x /= size.sqrt());
            found.push(part);
        }
    }
    // Their sum, where both are present.
    if let [a, b] = &found[..] {
        let both = a.iter().zip(b).map(|(a, b)| a + b).collect();
        found.push(both);
    }
    found
}

/// Rows of joints in kinetic coordinates, an orthonormal basis of them and their linear relations.
#[derive(Default)]
struct JointRows {
    /// (constraint, row) of each.
    owner: Vec<(usize, usize)>,
    /// Orthonormal vectors, each with the combination of rows that it equals.
    basis: Vec<(Vec<f64>, Vec<f64>)>,
    /// Combinations of rows that vanish.
    relations: Vec<Vec<f64>>,
}

impl JointRows {
    /// Gram–Schmidt: adds a row to the basis, or its relation to the others where it is dependent.
    fn add(&mut self, owner: (usize, usize), mut hat: Vec<f64>) {
        let size = dense::dot(&hat, &hat).sqrt();
        let mut combination = vec![0.0; self.owner.len() + 1];
        combination[self.owner.len()] = 1.0;
        self.owner.push(owner);
        // Two passes are enough for orthogonality to rounding.
        for _ in 0..2 {
            for (vector, made_of) in &self.basis {
                let along = dense::dot(vector, &hat);
                dense::axpy(-along, vector, &mut hat);
                dense::axpy(-along, made_of, &mut combination[..made_of.len()]);
            }
        }
        // Dependent: keep the relation. Independent: extend the basis.
        let left = dense::dot(&hat, &hat).sqrt();
        if left <= DEPENDENT * size {
            self.relations.push(combination);
        } else {
            hat.iter_mut().for_each(|x| *x /= left);
            combination.iter_mut().for_each(|x| *x /= left);
            self.basis.push((hat, combination));
        }
    }

    /// Orthonormal basis of the orthogonal complement of the rows, in kinetic coordinates.
    fn free_directions(&self, n: usize) -> Vec<Vec<f64>> {
        let mut free: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            let mut w = vec![0.0; n];
            w[i] = 1.0;
            for _ in 0..2 {
                let rows = self.basis.iter().map(|(vector, _)| vector);
                for vector in rows.chain(&free) {
                    let along = dense::dot(vector, &w);
                    dense::axpy(-along, vector, &mut w);
                }
            }
            let size = dense::dot(&w, &w).sqrt();
            if size > 1e-6 {
                w.iter_mut().for_each(|x| *x /= size);
                free.push(w);
            }
        }
        free
    }

    /// |Σ y f̈| along the velocity `v`, and the size of its terms.
    fn curvature_mismatch<S: System + ?Sized>(
        &self,
        system: &mut S,
        relation: &[f64],
        at: StateRef<'_>,
        v: &[f64],
    ) -> Result<Option<(f64, f64)>, MechanismError> {
        let still = vec![0.0; v.len()];
        let (mut left, mut size) = (0.0, 0.0);
        for (y, &(constraint, row)) in relation.iter().zip(&self.owner) {
            let d = system.constraints()[constraint].rows;
            let (mut moving, mut resting) = (vec![0.0; d], vec![0.0; d]);
            // Second derivative of f along v: the bias at v less that at rest.
            system.bias(constraint, at.t, at.q, v, &mut moving)?;
            system.bias(constraint, at.t, at.q, &still, &mut resting)?;
            let curvature = y * (moving[row] - resting[row]);
            left += curvature;
            size += curvature.abs();
        }
        Ok((size > 0.0).then_some((f64::abs(left), size)))
    }

    /// Error: names the joints of a relation.
    fn error<S: System + ?Sized>(
        &self,
        system: &S,
        relation: &[f64],
        t: f64,
        left: f64,
    ) -> MechanismError {
        // Names of the joints with a coefficient in the relation.
        let used = relation
            .iter()
            .zip(&self.owner)
            .filter(|(y, _)| y.abs() > 1e-9);
        let mut names: Vec<String> = used
            .map(|(_, (i, _))| format!("`{}`", system.constraints()[*i].name))
            .collect();
        names.dedup();
        MechanismError::Dependent {
            names: names.join(", "),
            t,
            detail: format!(
                "their gradients are, but they do not say the same: a combination of them without \
                 gradient has a curvature of {left:e}, so it holds the position and no reaction can"
            ),
        }
    }
}
