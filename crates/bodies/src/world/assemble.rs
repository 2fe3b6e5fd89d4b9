//! Assembly of the contact problem (★) of a step from candidates, contact laws and masses.
//!
//! ```text
//! U = G u + W,     row i of a contact:  f_i · (v_b − v_a) at the middle of its two points,   f: contact frame
//! Ĝ = G A^-½,      v̂ = A^½ v             kinetic (mass-normalised) coordinates
//! ```
//!
//! G comes from the bodies with unknown velocities, W from the others. Rows beyond the frame are relative angular
//! velocities (rolling, spinning). Three code paths: `flat` (plane, one Coulomb law), `plain` (N rows, sizes known
//! at compile time), and the general one here. `start` finds the impulses of the step before.

mod fixed_size;
mod planar_coulomb;
#[cfg(test)]
mod tests;
mod warm_start;

use contact::law::{Law, Status};
use contact::{DelassusOperator, FactoredDelassus, Problem, ProblemBuilder, ProblemError};

use super::cell_step::MAX_MODES as MODES;
use super::law::{law, pair_law};
use super::{CLOSED, CLOSED_IF_LOADED, NO_GROUP, Scratch, World};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;
use crate::settings::Activation;
use crate::state::PersistentContact;

pub(super) use fixed_size::BodyData;
pub(super) use warm_start::find_previous;
use warm_start::{push_warm_start, push_warm_start_rows};

/// Largest number of rows of a contact, and of velocity components of a body.
const WIDE: usize = 6;

/// Rows of one contact in the general path, before they are added to the problem.
struct GeneralRows {
    /// Ĝ: d × DOF blocks of the two bodies.
    block: [[f64; WIDE * WIDE]; 2],
    /// W at the end of the step: velocity from bodies that are not movable.
    given: [f64; WIDE],
    /// U_I and U_L, from both bodies.
    begin: [f64; WIDE],
    free: [f64; WIDE],
}

/// A candidate with its contact law, its entry of the step before and its frame.
struct PairedCandidate<'a, D: Dynamics> {
    found: &'a Candidate<D>,
    pair: &'a PairLaw,
    memory: Option<&'a PersistentContact<D>>,
    frame: D::Frame,
}

/// Output of the assembly beside the problem: active candidates, U_I and starting impulses by row.
struct AssembledRows {
    active: Vec<u32>,
    begin: Vec<f64>,
    impulse: Vec<f64>,
}

impl<D: Dynamics> World<D> {
    /// Contact frame of the candidate with this index.
    pub(super) fn frame(&self, touch: u32) -> D::Frame {
        frame(
            &self.model,
            &self.scratch,
            &self.scratch.detector.candidates()[touch as usize],
        )
    }

    /// Contact frame of a candidate.
    #[inline]
    pub(super) fn axes_of(&self, found: &Candidate<D>) -> D::Frame {
        frame(&self.model, &self.scratch, found)
    }

    /// Assembles (★) and its warm start.
    pub(super) fn assemble(&mut self, t_end: f64) -> Result<(), WorldError> {
        // The memory of the last problem is reused.
        let old = self.scratch.problem.take();
        let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
        self.scratch.active.clear();
        self.scratch.begin_velocity.clear();
        self.scratch.impulse.clear();
        // Nothing to solve: an empty problem.
        if self.scratch.detector.candidates().is_empty() && self.model.joints.is_empty() {
            self.scratch.problem = builder.build().ok();
            return Ok(());
        }
        // Bodies first: their kinetic groups are what contacts refer to.
        self.gather_body_data();
        self.push_bodies(&mut builder)
            .map_err(|error| contact_error(t_end, [0, 0], &error))?;
        // Contacts, then joints, whose rows follow.
        let mut filled = AssembledRows {
            active: std::mem::take(&mut self.scratch.active),
            begin: std::mem::take(&mut self.scratch.begin_velocity),
            impulse: std::mem::take(&mut self.scratch.impulse),
        };
        let pushed = self.push_contacts(&mut builder, &mut filled, t_end);
        self.scratch.active = filled.active;
        self.scratch.begin_velocity = filled.begin;
        self.scratch.impulse = filled.impulse;
        pushed?;
        self.set_motors(t_end)?;
        self.push_joints(&mut builder)?;
        // An error of the builder is reported with the bodies of its contact.
        let problem = builder.build().map_err(|error| {
            let bodies = error
                .contact()
                .and_then(|contact| self.scratch.active.get(contact))
                .map_or([0, 0], |&touch| {
                    self.scratch.detector.candidates()[touch as usize].bodies
                });
            contact_error(t_end, bodies, &error)
        })?;
        self.distribute_friction(&problem);
        self.scratch.problem = Some(problem);
        Ok(())
    }

    /// Adds v̂_I and v̂_L of every movable body, then hints for the solver and the coordinates of the cell.
    fn push_bodies(&self, builder: &mut ProblemBuilder) -> Result<(), ProblemError> {
        for (i, group) in self.scratch.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = self.scratch.inverse_sqrt_mass[i].as_ref();
            let (mut begin, mut free) = ([0.0; WIDE], [0.0; WIDE]);
            // Velocities in the axes of the kinetic coordinates, then divided by A^-½.
            let u = self.scratch.in_spin_axes(i, &self.state.velocities[i]);
            let v = self.scratch.in_spin_axes(i, &self.scratch.end[i]);
            for k in 0..D::DOF {
                if root[k] > 0.0 {
                    begin[k] = u.as_ref()[k] / root[k];
                    free[k] = v.as_ref()[k] / root[k];
                }
            }
            builder.add_kinetic_group(&begin[..D::DOF], &free[..D::DOF])?;
        }
        self.push_morton_order(builder);
        self.push_cell(builder)
    }

    /// Adds all active contacts.
    fn push_contacts(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut AssembledRows,
        t_end: f64,
    ) -> Result<(), WorldError> {
        if let Some(law) = self.single_planar_law() {
            return self.push_planar_coulomb(builder, filled, (law, t_end));
        }
        let mut last = 0;
        for touch in 0..self.scratch.detector.candidates().len() {
            self.push_candidate(builder, filled, (touch, &mut last, t_end))?;
        }
        Ok(())
    }

    /// Adds one candidate if it is active; `last` is the position of the merge with the contacts of the step
    /// before.
    #[inline(always)]
    fn push_candidate(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut AssembledRows,
        (touch, last, t_end): (usize, &mut usize, f64),
    ) -> Result<(), WorldError> {
        // Entry of the step before, law and frame.
        let found = &self.scratch.detector.candidates()[touch];
        let memory = find_previous(&self.state.contacts, last, found);
        let (pair, first) = pair_law(&self.model, found);
        let (law, d) = law::<D>(pair, memory.map_or(Status::Open, |m| m.status));
        let frame = frame_of(&self.scratch, found, (pair, first));
        let touched = PairedCandidate {
            found,
            pair,
            memory,
            frame,
        };
        let refuse = |error| contact_error(t_end, found.bodies, &error);
        // Contacts of N rows without cell modes: sizes known at compile time.
        if d == D::N && self.scratch.cell.modes() == 0 {
            let pushed = self
                .push_fixed_size(builder, &law, &touched)
                .map_err(refuse)?;
            if let Some(begin) = pushed {
                filled.active.push(touch as u32);
                filled.begin.extend_from_slice(&begin[..D::N]);
                push_warm_start(&mut filled.impulse, memory, &touched.frame);
            }
            return Ok(());
        }
        let pushed = self
            .push_general(builder, (law, d), &touched)
            .map_err(refuse)?;
        if let Some(begin) = pushed {
            filled.active.push(touch as u32);
            filled.begin.extend_from_slice(&begin[..d]);
            push_warm_start_rows(&mut filled.impulse, memory, &touched.frame, d);
        }
        Ok(())
    }

    /// Adds a contact with any law if it is active; returns U_I by row.
    fn push_general(
        &self,
        builder: &mut ProblemBuilder,
        (law, d): (Law, usize),
        touched: &PairedCandidate<'_, D>,
    ) -> Result<Option<[f64; WIDE]>, ProblemError> {
        let PairedCandidate { found, frame, .. } = touched;
        let rows = self.rows(found, frame, d);
        let dof = D::DOF;
        // A contact whose normal row is zero constrains nothing.
        let normal = |side: usize| rows.block[side][..dof].iter().map(|g| g * g).sum::<f64>();
        if !(normal(0) + normal(1) > 0.0) || !self.is_active(touched, || rows.free[0]) {
            return Ok(None);
        }
        // Restitution and the groups of the two bodies.
        let rebound = self.restitution_term(touched.pair, rows.begin, found.point.gap);
        let blocks = [&rows.block[0][..d * dof], &rows.block[1][..d * dof]];
        let groups = found.bodies.map(|body| self.scratch.group[body as usize]);
        let (given, rebound) = (&rows.given[..d], &rebound[..d]);
        let modes = self.scratch.cell.modes();
        match groups {
            // A cell that follows a stress is a third group of coordinates of the contact.
            [g, f] if modes > 0 => {
                let touches = [(g as usize, blocks[0]), (f as usize, blocks[1])];
                let mut block = [0.0; WIDE * MODES];
                self.cell_block(found, frame, &mut block[..d * modes]);
                let cell = (self.scratch.cell.group, &block[..d * modes]);
                let touches = [touches[0], touches[1], cell];
                builder.add_contact_with_rebound(law, &touches, given, rebound)
            }
            _ => push_blocks(builder, law, (groups, blocks), [given, rebound]),
        }?;
        Ok(Some(rows.begin))
    }

    /// Restitution term ρ U_I by row; with prediction and without restitution plus g/h for an open gap.
    fn restitution_term<const R: usize>(
        &self,
        pair: &PairLaw,
        begin: [f64; R],
        gap: f64,
    ) -> [f64; R] {
        let e = pair.restitution;
        let mut rebound = begin;
        for (i, u) in rebound.iter_mut().enumerate() {
            // Row 0 is the normal.
            *u *= if i == 0 { e.normal } else { e.tangential };
        }
        if self.settings.activation == Activation::Predicted && e.normal == 0.0 {
            rebound[0] += gap.max(0.0) / self.settings.step;
        }
        rebound
    }

    /// Whether a candidate is an active contact of this step: its gap at the midpoint is closed, with the wider
    /// tolerance if the contact was loaded in the step before. With prediction every candidate within the
    /// margin is active with the law 0 ≤ U_F + g/h ⊥ S ≥ 0: it may close until the next detection, at the next
    /// midpoint, but not penetrate. With restitution this would split the impact into two: such a candidate is
    /// active only if it would close before the end of the step.
    fn is_active(&self, touched: &PairedCandidate<'_, D>, approach: impl FnOnce() -> f64) -> bool {
        let gap = touched.found.point.gap;
        if gap <= 0.0 {
            return true;
        }
        let [a, b] = touched
            .found
            .bodies
            .map(|i| self.scratch.gap_scale[i as usize]);
        // A contact that was loaded is closed up to a larger gap.
        let held = touched.memory.is_some_and(|m| m.status != Status::Open);
        let share = if held { CLOSED_IF_LOADED } else { CLOSED };
        if gap <= share * (a + b) {
            return true;
        }
        self.settings.activation == Activation::Predicted
            && (touched.pair.restitution.normal == 0.0
                || gap + 0.5 * self.settings.step * approach() <= 0.0)
    }

    /// Rows of Ĝ and velocities of one contact, general path.
    fn rows(&self, found: &Candidate<D>, frame: &D::Frame, d: usize) -> GeneralRows {
        let mut rows = GeneralRows {
            block: [[0.0; WIDE * WIDE]; 2],
            given: [0.0; WIDE],
            begin: [0.0; WIDE],
            free: [0.0; WIDE],
        };
        let touch = &found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let axes = frame.as_ref();
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            // Lever arm from the centre, at the image for the second body.
            let lever = at - self.scratch.centre(found, side);
            let root = self.scratch.inverse_sqrt_mass[body].as_ref();
            let axes_of_spin = self.scratch.spin_axes(body);
            let u = self
                .scratch
                .in_spin_axes(body, &self.state.velocities[body]);
            let v = self.scratch.in_spin_axes(body, &self.scratch.end[body]);
            for i in 0..d {
                let mut row = [0.0; WIDE];
                match i {
                    i if i < D::N => {
                        D::linear_jacobian_row(&axes_of_spin, lever, axes[i], &mut row)
                    }
                    // Rolling about the tangents, spinning about the normal.
                    i => D::angular_jacobian_row(
                        &axes_of_spin,
                        axes[(i - D::N + 1) % D::N],
                        &mut row,
                    ),
                }
                let dot = |w: &[f64]| sign * (0..D::DOF).map(|k| row[k] * w[k]).sum::<f64>();
                rows.begin[i] += dot(u.as_ref());
                rows.free[i] += dot(v.as_ref());
                // Velocities of bodies that are not movable go into W, the others into Ĝ.
                if self.scratch.group[body] == NO_GROUP {
                    rows.given[i] += dot(v.as_ref());
                } else {
                    let block = &mut rows.block[side][i * D::DOF..(i + 1) * D::DOF];
                    for (k, g) in block.iter_mut().enumerate() {
                        *g = sign * row[k] * root[k];
                    }
                }
            }
        }
        // Mean flow of the periodic cell.
        if self.model.cell.is_some() {
            for i in 0..d.min(D::N) {
                let [given, begin, free] = self.flow(found, axes[i]);
                rows.given[i] += given;
                rows.begin[i] += begin;
                rows.free[i] += free;
            }
        }
        rows
    }
}

impl<D: Dynamics> Scratch<D> {
    /// Axes about which the kinetic coordinates of a body take its spin: body axes, or world axes (identity).
    pub(super) fn spin_axes(&self, body: usize) -> D::Rotation {
        if self.spin_in_world_axes[body] {
            D::Rotation::default()
        } else {
            self.mid[body].rotation
        }
    }

    /// Velocity of a body with its spin about these axes.
    pub(super) fn in_spin_axes(&self, body: usize, velocity: &D::Dofs) -> D::Dofs {
        if self.spin_in_world_axes[body] {
            D::spin_to_world(&self.mid[body].rotation, velocity)
        } else {
            *velocity
        }
    }
}

/// Adds a contact between two movable bodies, or between one and a boundary.
fn push_blocks(
    builder: &mut ProblemBuilder,
    law: Law,
    (groups, blocks): ([u32; 2], [&[f64]; 2]),
    [given, rebound]: [&[f64]; 2],
) -> Result<usize, ProblemError> {
    let both = [0, 1].map(|side| (groups[side] as usize, blocks[side]));
    let touches = match groups {
        [NO_GROUP, _] => &both[1..],
        [_, NO_GROUP] => &both[..1],
        _ => &both[..],
    };
    builder.add_contact_with_rebound(law, touches, given, rebound)
}

/// Contact frame of a candidate; its tangents follow a body direction where friction is anisotropic.
#[inline]
pub(super) fn frame<D: Dynamics>(
    model: &Model<D>,
    work: &Scratch<D>,
    found: &Candidate<D>,
) -> D::Frame {
    frame_of(work, found, pair_law(model, found))
}

/// The same with the contact law known, and whether its directions are fixed in the first body.
#[inline(always)]
fn frame_of<D: Dynamics>(
    work: &Scratch<D>,
    found: &Candidate<D>,
    (pair, first): (&PairLaw, bool),
) -> D::Frame {
    match &pair.friction {
        Friction::Elliptic { along, .. } | Friction::Polygon { along, .. } => {
            let owner = found.bodies[usize::from(!first)] as usize;
            D::contact_frame_along(found.point.normal, along, &work.mid[owner].rotation)
        }
        _ => D::contact_frame(found.point.normal),
    }
}

/// An error of the problem builder with the bodies and the time.
fn contact_error(t: f64, bodies: [u32; 2], error: &ProblemError) -> WorldError {
    WorldError::Contact {
        bodies,
        t,
        reason: error.to_string(),
    }
}

/// The factored Delassus operator of a problem; `None` without contacts.
pub(super) fn kinetic(problem: &Problem) -> Option<&FactoredDelassus> {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) if problem.num_contacts() > 0 => Some(kinetic),
        _ => None,
    }
}
