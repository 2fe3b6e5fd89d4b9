//! Errors of systems and of motions.

use thiserror::Error;

/// An evaluation that gave no finite number or no valid law.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what} {problem} at t = {t}")]
pub struct SystemError {
    /// What was evaluated: an entry of the mass matrix, a gap, a friction coefficient.
    pub what: String,
    /// What is wrong with it.
    pub problem: String,
    /// Time.
    pub t: f64,
}

/// Why a motion cannot start or cannot be continued.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MechanismError {
    /// An evaluation of the system failed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The mass matrix A is not positive definite.
    #[error(
        "the mass matrix is {what} at t = {t}: its pivot for `{coordinate}` is {pivot:e} at {state}. \
         Every velocity must carry kinetic energy; check the kinetic energy and the coordinates"
    )]
    Mass {
        /// Singular or indefinite.
        what: &'static str,
        /// The instant.
        t: f64,
        /// Velocity whose pivot failed.
        coordinate: String,
        /// The pivot.
        pivot: f64,
        /// The position, as text.
        state: String,
    },
    /// The initial position is outside the admissible set.
    #[error(
        "the initial position violates `{constraint}`: {what} = {value:e} at t = {t}, but {expected}"
    )]
    InitialPosition {
        /// The constraint.
        constraint: String,
        /// gap or f.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
        /// The instant.
        t: f64,
    },
    /// The initial velocity violates a bilateral constraint.
    #[error(
        "the initial velocity is incompatible with `{constraint}`: its relative velocity is {value:e} \
         at t = {t}, but {expected}"
    )]
    InitialVelocity {
        /// The constraint.
        constraint: String,
        /// Its velocity.
        value: f64,
        /// What was expected.
        expected: &'static str,
        /// The instant.
        t: f64,
    },
    /// A constraint associated with others in a way that cannot be used here.
    #[error("the constraint `{constraint}` cannot be used at t = {t}: {reason}")]
    Association {
        /// The constraint.
        constraint: String,
        /// Why not.
        reason: String,
        /// The instant.
        t: f64,
    },
    /// Bilateral constraints that contradict each other.
    #[error(
        "the constraints {names} are dependent at t = {t} and leave no solution: {detail} \
         (B02 counter-example 3)"
    )]
    Dependent {
        /// Their names, quoted.
        names: String,
        /// The instant.
        t: f64,
        /// What was found.
        detail: String,
    },
    /// A closed contact whose gap does not change with any coordinate.
    #[error(
        "the contact `{constraint}` is closed at t = {t} and its gap has no gradient there: it has \
         no direction in which to act (a dependent configuration, B02 §3); start elsewhere, or \
         write the gap so that it changes with the coordinates where it closes"
    )]
    NoDirection {
        /// The contact.
        constraint: String,
        /// The instant.
        t: f64,
    },
    /// A restitution coefficient that no admissible impact law has.
    #[error(
        "the restitution of `{constraint}` is {value} at t = {t}: an impact law is admissible only \
         for 0 <= e <= 1; with e > 1 an impact would create kinetic energy (B02 1.12)"
    )]
    Restitution {
        /// The contact, or the impact law itself.
        constraint: String,
        /// e.
        value: f64,
        /// The instant.
        t: f64,
    },
    /// An impact law that cannot be used here.
    #[error("the {law} impact law cannot be used at t = {t}: {reason}")]
    Impact {
        /// Its name.
        law: &'static str,
        /// The instant.
        t: f64,
        /// Why.
        reason: String,
    },
    /// The scheme of the event-driven integrator, given to a time stepper.
    #[error(
        "the scheme `event` takes no time steps: use the integrator EventDriven with it, or give the time stepper \
         another scheme, for example `midpoint`"
    )]
    NoTimeSteps,
    /// A setting out of range.
    #[error("{name} = {value}: {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// An impact law that the scheme does not go with.
    #[error(
        "the scheme `projected` does not go with the {law} impact law, which acts on the velocity before a step: take \
         the scheme `midpoint`, or Moreau's impact law"
    )]
    SchemeWithImpactLaw {
        /// The impact law.
        law: &'static str,
    },
    /// Implicit forces in a scheme that does not have them.
    #[error(
        "implicit forces go with the schemes `midpoint` and `projected`: the θ-method is implicit by itself, the other schemes \
         are explicit"
    )]
    ImplicitForces,
    /// A velocity or an energy is no longer finite.
    #[error("the motion blew up at t = {t}: {what} is no longer finite")]
    BlowUp {
        /// The instant.
        t: f64,
        /// The quantity that is not finite.
        what: String,
    },
    /// The checkpoint belongs to another motion.
    #[error(
        "what was saved of a motion is of another integrator or another system; restore it into a \
         motion of the same system, settings and initial state"
    )]
    CheckpointMismatch,
    /// The event-driven integrator cannot continue.
    #[error("the event-driven integrator stopped at t = {t}: {reason}")]
    EventDriven {
        /// The instant.
        t: f64,
        /// Why.
        reason: String,
    },
}
