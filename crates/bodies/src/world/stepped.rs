//! A world whose steps are made by a [`Stepper`].

use super::World;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::state::{Contact, StepReport};
use crate::step::balance;
use crate::stepper::{SteppedState, Stepper};

/// What makes the steps of a world, and the end of its last one.
#[derive(Debug)]
pub(super) struct Stepped<D: Dynamics> {
    stepper: Box<dyn Stepper<D>>,
    end: SteppedState<D>,
}

impl<D: Dynamics> World<D> {
    /// Leaves all following steps to `stepper`, whose motion begins in the present state.
    pub fn step_with(&mut self, stepper: Box<dyn Stepper<D>>) {
        self.stepped = Some(Stepped {
            stepper,
            end: SteppedState::default(),
        });
    }

    /// What makes the steps of this world, if it is not its time-stepping scheme.
    pub fn stepper(&self) -> Option<&dyn Stepper<D>> {
        self.stepped.as_ref().map(|stepped| &*stepped.stepper)
    }

    /// Number of contacts of the last step of a stepper.
    pub(super) fn stepped_contacts(&self) -> Option<usize> {
        self.stepped.as_ref().map(|known| known.end.contacts.len())
    }

    /// A contact of the last step of a stepper.
    pub(super) fn stepped_contact(&self, index: usize) -> Option<Contact<'_, D>> {
        let known = &self.stepped.as_ref()?.end.contacts[index];
        let centre = |body: u32| self.state.poses[body as usize].position;
        Some(Contact {
            bodies: known.bodies,
            image: [0; 3],
            centres: known.bodies.map(centre),
            point: &known.point,
            status: known.status,
            frame: known.frame,
            begin: &known.begin,
            end: &known.end,
            impulse: &known.impulse,
        })
    }

    /// Refuses changes from outside: the stepper would not know of them.
    pub(super) fn require_own_steps(&self) -> Result<(), WorldError> {
        match self.stepped {
            None => Ok(()),
            Some(_) => Err(WorldError::Reference(
                "the event-driven integrator makes the steps of this world, whose state cannot be changed from outside"
                    .to_string(),
            )),
        }
    }

    /// Makes a step by the stepper; `None` where there is none.
    pub(super) fn step_by_stepper(&mut self) -> Option<Result<(), WorldError>> {
        let Stepped { stepper, end } = self.stepped.as_mut()?;
        if let Err(reason) = stepper.step(end) {
            return Some(Err(WorldError::Reference(reason)));
        }
        self.state.t = end.t;
        self.state.poses.copy_from_slice(&end.poses);
        self.state.velocities.copy_from_slice(&end.velocities);
        self.state.contacts.clear();
        self.scratch.invalidate_contacts();
        // Energies of gravity and springs and the coordinates of the joints by the world itself.
        let own = balance::initial_report(
            &self.model,
            &self.state,
            &self.scratch.cache,
            &self.scratch.end.strain_rate,
            &mut self.scratch.balance,
        );
        let before = self.report.elastic;
        // The forces of the bodies contain those of springs, whose work is told apart.
        let spring = if end.report.h > 0.0 {
            before - own.elastic
        } else {
            0.0
        };
        self.report = StepReport {
            potential: own.potential,
            elastic: own.elastic,
            spring,
            work: end.report.work - spring,
            drift: own.drift,
            drift_share: own.drift_share,
            ..end.report
        };
        let reports = self.scratch.balance.joint_reports.iter_mut();
        for (report, (force, torque)) in reports.zip(&end.joints) {
            report.force = *force;
            report.torque = *torque;
        }
        Some(Ok(()))
    }
}
