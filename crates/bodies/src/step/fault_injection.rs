//! Fault injection: deliberate errors that the certificate must detect. For tests only; without a fault a step is
//! unchanged.

use percuss_contact::Problem;
use percuss_contact::law::NonFirmSet;
use percuss_solve::{Goal, Report, Solver};

use super::scratch::Solution;
use crate::body::Body;
use crate::dynamics::Dynamics;

/// A fault made in every step from now on. Indices are taken modulo the number of rows, bodies or contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// An impulse of the solver is changed: times a factor, plus a fraction of the largest impulse.
    Impulse {
        /// Index of the row.
        row: usize,
        /// Factor.
        times: f64,
        /// Fraction of the largest impulse that is added.
        plus: f64,
    },
    /// The velocity of a body at the end of the step is changed by a fraction of the largest velocity component.
    Velocity {
        /// Index among the movable bodies.
        body: usize,
        /// Index of the velocity component.
        component: usize,
        /// Fraction of the largest component that is added.
        plus: f64,
    },
    /// The solver leaves out a contact.
    Contact {
        /// Index of the contact.
        contact: usize,
    },
}

/// Solves with a contact left out if that is the fault; `None` otherwise.
pub(super) fn solve_without(
    fault: Option<Fault>,
    solver: &mut dyn Solver,
    problem: Option<&Problem>,
    goal: &Goal,
    solution: &mut Solution,
) -> Option<Report> {
    let Some(Fault::Contact { contact }) = fault else {
        return None;
    };
    let mut problem = problem.cloned().filter(|p| p.num_contacts() > 0)?;
    let contact = contact % problem.num_contacts();
    // An admissible set {0}: the contact carries nothing and constrains nothing.
    let zero = vec![0.0; problem.dim(contact)];
    let nothing = NonFirmSet::axis_box(&zero, &zero).ok()?;
    problem.replace_law(contact, nothing.into_law());
    solution.impulse[problem.rows(contact)].fill(0.0);
    Some(solver.solve(&problem, &mut solution.impulse, goal))
}

/// Changes an impulse after the solve if that is the fault.
pub(super) fn disturb_impulse(fault: Option<Fault>, impulse: &mut [f64]) {
    if let Some(Fault::Impulse { row, times, plus }) = fault
        && !impulse.is_empty()
    {
        let largest = impulse.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let row = row % impulse.len();
        impulse[row] = impulse[row] * times + plus * largest;
    }
}

/// Changes an end velocity if that is the fault.
pub(crate) fn disturb_velocity<D: Dynamics>(
    fault: Option<Fault>,
    bodies: &[Body<D>],
    end: &mut [D::Dofs],
) {
    let Some(Fault::Velocity {
        body,
        component,
        plus,
    }) = fault
    else {
        return;
    };
    let bodies = bodies.iter().enumerate();
    let moving: Vec<usize> = bodies
        .filter(|(_, b)| b.freedom.movable())
        .map(|(i, _)| i)
        .collect();
    if moving.is_empty() {
        return;
    }
    let velocities = end.iter().flat_map(|v| v.as_ref().iter());
    let largest = velocities.fold(0.0_f64, |m, v| m.max(v.abs()));
    // Perturb one component by a fraction of the largest one.
    let (body, component) = (moving[body % moving.len()], component % D::DOF);
    end[body].as_mut()[component] += plus * largest;
}
