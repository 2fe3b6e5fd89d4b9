//! Persistent contacts of [`crate::Integrator::Projected`]: contacts that stay closed are treated as joints are.
//!
//! The midpoint scheme makes the velocity at q_M tangent to the constraints there. On a curved path the velocity turns
//! within a step, so that every step loses the share (1 − cos φ) of its normal part, and the contact sinks by order h². A
//! contact that was closed at the end of the last step and did not separate is therefore *persistent* in this one:
//!
//! ```text
//! at q_M:   law(U_F + U_I, S)                 mean velocity ½(u_I + u_F) tangent: symmetric, of second order
//! at q_F:   g(q_F) + G dq = 0                 positions (`positions`), least ½‖dq‖² in the kinetic metric
//!           law(U_F + c, S + S′)              velocities (`velocities`)
//! ```
//!
//! The first line is the rule of held rows of joints; the two others are those of Gear, Gupta and Leimkuhler 1985 for
//! unilateral constraints (Brüls, Acary and Cardona 2014). The law with the impulse of the whole step decides whether the
//! contact separates. Contacts that close in this step obey Moreau's law (M88 §11); they are projected in it if they are
//! closed at its end and do not rebound.
//!
//! Where a contact slides, c = ½(U_F + U_I)_t − (G(q_F) u_F)_t: friction keeps the direction of the mean velocity of the
//! step. Its direction at q_F differs by order h, in the same sense in every step where the path turns, and would make the
//! scheme one of first order.
//!
//! `reevaluate` finds the contacts again at q_F.
//!
//! Limits: limits of joints keep Moreau's law. A point of contact that has another feature at q_F than at q_M is found
//! again only where it is the one point of its pair. In periodic cells the scheme is refused.

mod gain;
mod positions;
mod reevaluate;
mod velocities;

use percuss_contact::ResidualEvaluator;

pub(crate) use positions::keep_world_spin;

use super::assemble::WIDE;
use super::scratch::{Assembly, EndVelocity, FreeVelocity, Midpoint, Solution};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::state::PersistentContact;
use percuss_geometry::ContactPoint;

/// Memory of the projection at the end of a step.
pub(crate) struct PersistentScratch<D: Dynamics> {
    /// The contacts at q_F.
    contacts: EndContacts<D>,
    /// Poses q_F, free velocity and solution of the projection of velocities.
    end: Midpoint<D>,
    free: FreeVelocity<D>,
    assembly: Assembly<D>,
    solution: Solution,
    velocity: EndVelocity<D>,
    wrench: Vec<D::Dofs>,
    judge: Option<ResidualEvaluator>,
    /// U_F′ by row.
    ends: Vec<f64>,
    scratch: Vec<f64>,
    rows: Vec<positions::PositionRow>,
    displacement: Vec<f64>,
}

/// Contacts of a step at q_F, in the order of the active contacts.
struct EndContacts<D: Dynamics> {
    candidates: Vec<Candidate<D>>,
    /// Index of the active contact of each.
    source: Vec<u32>,
    /// Its impulse, turned with the normal from q_M to q_F.
    memory: Vec<PersistentContact<D>>,
    /// c by row.
    shift: Vec<[f64; WIDE]>,
    /// Contact points of a pair.
    touches: Vec<ContactPoint<D>>,
    /// Pins in their holes.
    pins: Vec<Candidate<D>>,
}

impl<D: Dynamics> Default for PersistentScratch<D> {
    fn default() -> Self {
        Self {
            contacts: EndContacts {
                candidates: Vec::new(),
                source: Vec::new(),
                memory: Vec::new(),
                shift: Vec::new(),
                touches: Vec::new(),
                pins: Vec::new(),
            },
            end: Midpoint::default(),
            free: FreeVelocity::default(),
            assembly: Assembly::default(),
            solution: Solution::default(),
            velocity: EndVelocity::default(),
            wrench: Vec::new(),
            judge: None,
            ends: Vec::new(),
            scratch: Vec::new(),
            rows: Vec::new(),
            displacement: Vec::new(),
        }
    }
}
