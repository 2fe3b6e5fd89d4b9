//! Assembly of the contact problem (★) of a step from candidates, contact laws and masses.
//!
//! ```text
//! U = G u + W,     row i of a contact:  f_i · (v_b − v_a) at the middle of its two points,   f: contact frame
//! Ĝ = G A^-½,      v̂ = A^½ v             kinetic (mass-normalised) coordinates
//! ```
//!
//! G comes from the bodies with unknown velocities, W from the others. Rows beyond the frame are relative angular
//! velocities (rolling, spinning). Three code paths: `planar_coulomb` (plane, one Coulomb law), `fixed_size` (N rows, sizes known
//! at compile time), and the general one here. `warm_start` finds the impulses of the step before.

mod fixed_size;
mod planar_coulomb;
#[cfg(test)]
mod tests;
mod warm_start;

use percuss_contact::law::{Law, Status};
use percuss_contact::{DelassusOperator, FactoredDelassus, Problem, ProblemBuilder, ProblemError};

use super::cell_step::MAX_MODES as MODES;
use super::law::{law, pair_law};
use super::scratch::{Assembly, Midpoint};
use super::{CLOSED, CLOSED_IF_LOADED, NO_GROUP, StepInputs, joints, solver_hints};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;
use crate::settings::{Activation, Integrator};
use crate::state::PersistentContact;
use percuss_geometry::Vector;

pub(crate) use fixed_size::BodyData;
pub(super) use planar_coulomb::single_planar_law;
pub(super) use warm_start::find_previous;
use warm_start::{push_warm_start, push_warm_start_rows};

/// Largest number of rows of a contact, and of velocity components of a body.
pub(crate) const WIDE: usize = 6;

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
    /// Index of the candidate.
    touch: usize,
    found: &'a Candidate<D>,
    pair: &'a PairLaw,
    memory: Option<&'a PersistentContact<D>>,
    frame: D::Frame,
}

/// Output of the assembly beside the problem: active candidates, U_I and starting impulses by row.
struct AssembledRows<'a> {
    active: &'a mut Vec<u32>,
    persistent: &'a mut Vec<bool>,
    begin: &'a mut Vec<f64>,
    impulse: &'a mut Vec<f64>,
}

/// Adds bodies and contacts to a problem builder.
struct Assembler<'a, D: Dynamics> {
    inputs: StepInputs<'a, D>,
    body_data: &'a [BodyData<D>],
    candidates: &'a [Candidate<D>],
    /// Contacts of the step before, in the order of candidates.
    memory: &'a [PersistentContact<D>],
    stage: Stage<'a>,
}

/// Which of the two contact problems of a step is assembled.
#[derive(Clone, Copy)]
enum Stage<'a> {
    /// (★) at the midpoint; persistent contacts of the step before may take the restitution of impacts.
    Midpoint { as_impacts: bool },
    /// The projection of velocities at the end of the step: every candidate is active. By candidate what is added to
    /// U_F in its law.
    End { shift: &'a [[f64; WIDE]] },
}

/// Contacts of the projection of velocities: at the end of the step, in the order of their memory.
pub(crate) struct EndContacts<'a, D: Dynamics> {
    pub candidates: &'a [Candidate<D>],
    pub memory: &'a [PersistentContact<D>],
    pub shift: &'a [[f64; WIDE]],
}

/// Assembles (★) and its warm start, the impulses of the step before. Joint friction starts with the bound 0. With
/// `end` it is the projection of velocities at the end of the step, whose poses are `inputs.midpoint`.
pub(crate) fn assemble<D: Dynamics>(
    inputs: StepInputs<'_, D>,
    end: Option<EndContacts<'_, D>>,
    t_end: f64,
    out: &mut Assembly<D>,
    impulse: &mut Vec<f64>,
) -> Result<(), WorldError> {
    // The memory of the last problem is reused.
    let old = out.problem.take();
    let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
    out.active.clear();
    out.persistent.clear();
    out.begin_velocity.clear();
    impulse.clear();
    // Nothing to solve: an empty problem.
    if inputs.candidates().is_empty() && inputs.model.joints.is_empty() {
        out.problem = builder.build().ok();
        return Ok(());
    }
    // Bodies first: their kinetic groups are what contacts refer to.
    fixed_size::gather_body_data(inputs, &mut out.body_data);
    let (candidates, memory, stage) = match end {
        Some(end) => (end.candidates, end.memory, Stage::End { shift: end.shift }),
        None => {
            let as_impacts = out.as_impacts;
            let stage = Stage::Midpoint { as_impacts };
            (inputs.candidates(), &inputs.state.contacts[..], stage)
        }
    };
    let assembler = Assembler {
        inputs,
        body_data: &out.body_data,
        candidates,
        memory,
        stage,
    };
    assembler
        .push_bodies(&mut builder)
        .map_err(|error| contact_error(t_end, [0, 0], &error))?;
    // Contacts, then joints, whose rows follow.
    let mut filled = AssembledRows {
        active: &mut out.active,
        persistent: &mut out.persistent,
        begin: &mut out.begin_velocity,
        impulse,
    };
    assembler.push_contacts(&mut builder, &mut filled, t_end)?;
    let part = match stage {
        Stage::Midpoint { .. } => joints::JointPart::All,
        Stage::End { .. } => joints::JointPart::HeldAtEnd,
    };
    joints::push_joints(
        inputs,
        part,
        &mut builder,
        &mut out.joints,
        filled.begin,
        filled.impulse,
    )?;
    // An error of the builder is reported with the bodies of its contact.
    let problem = builder.build().map_err(|error| {
        let bodies = error
            .contact()
            .and_then(|contact| out.active.get(contact))
            .map_or([0, 0], |&touch| candidates[touch as usize].bodies);
        contact_error(t_end, bodies, &error)
    })?;
    solver_hints::distribute_friction(candidates, &out.active, &problem, impulse);
    out.problem = Some(problem);
    Ok(())
}

impl<D: Dynamics> Assembler<'_, D> {
    /// Adds v̂_I and v̂_L of every movable body, then hints for the solver and the coordinates of the cell.
    fn push_bodies(&self, builder: &mut ProblemBuilder) -> Result<(), ProblemError> {
        for (i, group) in self.inputs.cache.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = self.inputs.cache.inverse_sqrt_mass[i].as_ref();
            let (mut begin, mut free) = ([0.0; WIDE], [0.0; WIDE]);
            // Velocities in the axes of the kinetic coordinates, then divided by A^-½.
            let u = self.inputs.midpoint.in_spin_axes(
                self.inputs.cache,
                i,
                &self.inputs.state.velocities[i],
            );
            let v = self.inputs.midpoint.in_spin_axes(
                self.inputs.cache,
                i,
                &self.inputs.free.velocity[i],
            );
            for k in 0..D::DOF {
                if root[k] > 0.0 {
                    begin[k] = u.as_ref()[k] / root[k];
                    free[k] = v.as_ref()[k] / root[k];
                }
            }
            builder.add_kinetic_group(&begin[..D::DOF], &free[..D::DOF])?;
        }
        self.inputs.push_morton_order(builder);
        self.inputs.push_cell(builder)
    }

    /// Adds all active contacts.
    fn push_contacts(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut AssembledRows<'_>,
        t_end: f64,
    ) -> Result<(), WorldError> {
        if let Some(law) = single_planar_law(self.inputs.model) {
            return self.push_planar_coulomb(builder, filled, (law, t_end));
        }
        let mut last = 0;
        for touch in 0..self.candidates.len() {
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
        filled: &mut AssembledRows<'_>,
        (touch, last, t_end): (usize, &mut usize, f64),
    ) -> Result<(), WorldError> {
        // Entry of the step before, law and frame.
        let found = &self.candidates[touch];
        let memory = find_previous(self.memory, last, found);
        let (pair, first) = pair_law(self.inputs.model, found);
        let (law, d) = law::<D>(pair, memory.map_or(Status::Open, |m| m.status));
        let frame = frame_of(self.inputs.midpoint, found, (pair, first));
        let touched = PairedCandidate {
            touch,
            found,
            pair,
            memory,
            frame,
        };
        let refuse = |error| contact_error(t_end, found.bodies, &error);
        // Contacts of N rows without cell modes: sizes known at compile time.
        if d == D::N && self.inputs.cache.cell.modes() == 0 {
            let pushed = self
                .push_fixed_size(builder, &law, &touched)
                .map_err(refuse)?;
            if let Some(begin) = pushed {
                filled.active.push(touch as u32);
                filled.persistent.push(self.persists(memory));
                filled.begin.extend_from_slice(&begin[..D::N]);
                push_warm_start(filled.impulse, memory, &touched.frame);
            }
            return Ok(());
        }
        let pushed = self
            .push_general(builder, (law, d), &touched)
            .map_err(refuse)?;
        if let Some(begin) = pushed {
            filled.active.push(touch as u32);
            filled.persistent.push(self.persists(memory));
            filled.begin.extend_from_slice(&begin[..d]);
            push_warm_start_rows(filled.impulse, memory, &touched.frame, d);
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
        let rebound = self.restitution_term(touched, rows.begin);
        let blocks = [&rows.block[0][..d * dof], &rows.block[1][..d * dof]];
        let groups = found
            .bodies
            .map(|body| self.inputs.cache.group[body as usize]);
        let (given, rebound) = (&rows.given[..d], &rebound[..d]);
        let modes = self.inputs.cache.cell.modes();
        match groups {
            // A cell that follows a stress is a third group of coordinates of the contact.
            [g, f] if modes > 0 => {
                let touches = [(g as usize, blocks[0]), (f as usize, blocks[1])];
                let mut block = [0.0; WIDE * MODES];
                self.inputs
                    .cell_block(found, frame, &mut block[..d * modes]);
                let cell = (self.inputs.cache.cell.group, &block[..d * modes]);
                let touches = [touches[0], touches[1], cell];
                builder.add_contact_with_rebound(law, &touches, given, rebound)
            }
            _ => push_blocks(builder, law, (groups, blocks), [given, rebound]),
        }?;
        Ok(Some(rows.begin))
    }

    /// Whether a contact that was found in the step before persists in this one.
    #[inline]
    fn persists(&self, memory: Option<&PersistentContact<D>>) -> bool {
        matches!(self.stage, Stage::Midpoint { as_impacts: false })
            && memory.is_some_and(|m| m.persistent)
            && self.inputs.settings.integrator == Integrator::Projected
    }

    /// What is added to U_F in the law of a persistent contact: U_I, without what the solver left of it in the rows that
    /// had no velocity at the end of the step before. It would stay from step to step.
    #[inline]
    fn turn<const R: usize>(
        &self,
        memory: Option<&PersistentContact<D>>,
        frame: &D::Frame,
        begin: [f64; R],
    ) -> [f64; R] {
        let Some(memory) = memory else {
            return begin;
        };
        let rows = if memory.status == Status::Stick {
            D::N
        } else {
            1
        };
        let mut turn = begin;
        for (u, axis) in turn.iter_mut().zip(frame.as_ref()).take(rows) {
            *u -= axis.dot(memory.velocity);
        }
        turn
    }

    /// Restitution term ρ U_I by row; with prediction and without restitution plus g/h for an open gap. U_I for
    /// persistent contacts.
    fn restitution_term<const R: usize>(
        &self,
        touched: &PairedCandidate<'_, D>,
        begin: [f64; R],
    ) -> [f64; R] {
        if let Stage::End { shift } = self.stage {
            return std::array::from_fn(|i| shift[touched.touch][i]);
        }
        if self.persists(touched.memory) {
            return self.turn(touched.memory, &touched.frame, begin);
        }
        let (e, gap) = (touched.pair.restitution, touched.found.point.gap);
        let mut rebound = begin;
        for (i, u) in rebound.iter_mut().enumerate() {
            // Row 0 is the normal.
            *u *= if i == 0 { e.normal } else { e.tangential };
        }
        if self.inputs.settings.activation == Activation::Predicted && e.normal == 0.0 {
            rebound[0] += gap.max(0.0) / self.inputs.settings.step;
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
        let chosen = matches!(self.stage, Stage::End { .. });
        // On a curved path the gap of a persistent contact opens by order h² at the midpoint.
        if gap <= 0.0 || chosen || self.persists(touched.memory) {
            return true;
        }
        let [a, b] = touched
            .found
            .bodies
            .map(|i| self.inputs.cache.gap_scale[i as usize]);
        // A contact that was loaded is closed up to a larger gap.
        let held = touched.memory.is_some_and(|m| m.status != Status::Open);
        let share = if held { CLOSED_IF_LOADED } else { CLOSED };
        if gap <= share * (a + b) {
            return true;
        }
        self.inputs.settings.activation == Activation::Predicted
            && (touched.pair.restitution.normal == 0.0
                || gap + 0.5 * self.inputs.settings.step * approach() <= 0.0)
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
            let lever = at - self.inputs.midpoint.centre(found, side);
            let root = self.inputs.cache.inverse_sqrt_mass[body].as_ref();
            let axes_of_spin = self.inputs.midpoint.spin_axes(self.inputs.cache, body);
            let u = self.inputs.midpoint.in_spin_axes(
                self.inputs.cache,
                body,
                &self.inputs.state.velocities[body],
            );
            let v = self.inputs.midpoint.in_spin_axes(
                self.inputs.cache,
                body,
                &self.inputs.free.velocity[body],
            );
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
                if self.inputs.cache.group[body] == NO_GROUP {
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
        if self.inputs.model.cell.is_some() {
            for i in 0..d.min(D::N) {
                let [given, begin, free] = self.inputs.flow(found, axes[i]);
                rows.given[i] += given;
                rows.begin[i] += begin;
                rows.free[i] += free;
            }
        }
        rows
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
pub(crate) fn frame<D: Dynamics>(
    model: &Model<D>,
    midpoint: &Midpoint<D>,
    found: &Candidate<D>,
) -> D::Frame {
    frame_of(midpoint, found, pair_law(model, found))
}

/// The same with the contact law known, and whether its directions are fixed in the first body.
#[inline(always)]
fn frame_of<D: Dynamics>(
    midpoint: &Midpoint<D>,
    found: &Candidate<D>,
    (pair, first): (&PairLaw, bool),
) -> D::Frame {
    match &pair.friction {
        Friction::Elliptic { along, .. } | Friction::Polygon { along, .. } => {
            let owner = found.bodies[usize::from(!first)] as usize;
            D::contact_frame_along(found.point.normal, along, &midpoint.poses[owner].rotation)
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
