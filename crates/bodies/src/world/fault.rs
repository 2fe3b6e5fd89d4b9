//! Faults on purpose: what a certificate must find. For tests alone; a world without one is not touched.

use contact::law::NonFirmSet;
use solve::{Goal, Report};

use super::World;
use crate::dim::Dim;

/// Something that is made wrong in every step from now on. Indices are taken modulo what there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// An impulse that the solver returned is changed: times a factor, plus a share of the largest impulse.
    Impulse {
        /// Which row.
        row: usize,
        /// Factor.
        times: f64,
        /// Share of the largest impulse.
        plus: f64,
    },
    /// The velocity of a body at the end of the step is changed by a share of the largest one.
    Velocity {
        /// Which body among those that move.
        body: usize,
        /// Which component.
        component: usize,
        /// Share.
        plus: f64,
    },
    /// The solver leaves a contact out.
    Contact {
        /// Which one.
        contact: usize,
    },
}

impl<D: Dim> World<D> {
    /// Makes every step from now on wrong, for tests of what finds it; none ends it.
    #[doc(hidden)]
    pub fn set_fault(&mut self, fault: Option<Fault>) {
        self.fault = fault;
    }

    /// Solves with a contact left out where the fault says so; none without that fault.
    pub(super) fn solve_without(&mut self, goal: &Goal) -> Option<Report> {
        let Some(Fault::Contact { contact }) = self.fault else {
            return None;
        };
        let work = &mut self.scratch;
        let mut problem = work.problem.clone().filter(|p| p.num_contacts() > 0)?;
        let contact = contact % problem.num_contacts();
        // A threshold of 0: the contact carries nothing and demands nothing.
        let zero = vec![0.0; problem.dim(contact)];
        let nothing = NonFirmSet::axis_box(&zero, &zero).ok()?;
        problem.replace_law(contact, nothing.into_law());
        work.impulse[problem.rows(contact)].fill(0.0);
        Some(work.solver.solve(&problem, &mut work.impulse, goal))
    }

    /// Changes an impulse after the solve.
    pub(super) fn disturb_impulse(&mut self) {
        if let Some(Fault::Impulse { row, times, plus }) = self.fault
            && !self.scratch.impulse.is_empty()
        {
            let impulse = &mut self.scratch.impulse;
            let largest = impulse.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            let row = row % impulse.len();
            impulse[row] = impulse[row] * times + plus * largest;
        }
    }

    /// Changes a velocity after the step.
    pub(super) fn disturb_velocity(&mut self) {
        let Some(Fault::Velocity {
            body,
            component,
            plus,
        }) = self.fault
        else {
            return;
        };
        let bodies = self.model.bodies.iter().enumerate();
        let moving: Vec<usize> = bodies
            .filter(|(_, b)| b.freedom.movable())
            .map(|(i, _)| i)
            .collect();
        if moving.is_empty() {
            return;
        }
        let velocities = self.scratch.end.iter().flat_map(|v| v.as_ref().iter());
        let largest = velocities.fold(0.0_f64, |m, v| m.max(v.abs()));
        let (body, component) = (moving[body % moving.len()], component % D::DOF);
        self.scratch.end[body].as_mut()[component] += plus * largest;
    }
}
