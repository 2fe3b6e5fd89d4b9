//! The contact problem (★) of a step, out of touches, laws and masses.
//!
//! U = G u + W with G from the bodies that follow forces and W from the others, row by row
//! f_i · (v_b − v_a) at the middle of the two touching points, f the contact's frame; further rows
//! are relative spins. Kinetic coordinates are v̂ = √m v in body axes.

mod flat;
pub(super) mod plain;
mod start;
#[cfg(test)]
mod tests;

use contact::law::{Law, Status};
use contact::{FactoredDelassus, ProblemBuilder, DelassusOperator, Problem, ProblemError};

use super::cell::MOST as MODES;
use super::law::{law, pair_law};
use super::{CLOSED, HELD, NO_GROUP, Workspace, World};
use crate::detect::Found;
use crate::dim::Dim;
use crate::error::WorldError;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;
use crate::settings::Activation;
use crate::state::Memory;

pub(super) use start::recall;
use start::{push_start, push_wide_start};

/// Rows of a contact at most, and velocity components of a body at most.
const WIDE: usize = 6;

/// The rows of one contact before they go into the problem.
struct Rows {
    /// d × DOF blocks of Ĝ for the two bodies.
    block: [[f64; WIDE * WIDE]; 2],
    /// W at the end of the step: from bodies that do not follow forces.
    given: [f64; WIDE],
    /// U_I and U_L: from both bodies.
    begin: [f64; WIDE],
    free: [f64; WIDE],
}

/// A touch that may become a contact.
struct Touched<'a, D: Dim> {
    found: &'a Found<D>,
    pair: &'a PairLaw,
    memory: Option<&'a Memory<D>>,
    frame: D::Frame,
}

/// What assembly fills beside the problem.
struct Filled {
    active: Vec<u32>,
    begin: Vec<f64>,
    impulse: Vec<f64>,
}

impl<D: Dim> World<D> {
    /// Axes of a touch.
    pub(super) fn frame(&self, touch: u32) -> D::Frame {
        frame(
            &self.model,
            &self.work,
            &self.work.detector.found()[touch as usize],
        )
    }

    /// Axes of a touch that was found.
    #[inline]
    pub(super) fn axes_of(&self, found: &Found<D>) -> D::Frame {
        frame(&self.model, &self.work, found)
    }

    /// Makes (★) and the impulses to start from.
    pub(super) fn assemble(&mut self, t_end: f64) -> Result<(), WorldError> {
        let old = self.work.problem.take();
        let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
        self.work.active.clear();
        self.work.begin.clear();
        self.work.impulse.clear();
        if self.work.detector.found().is_empty() && self.model.joints.is_empty() {
            self.work.problem = builder.build().ok();
            return Ok(());
        }
        self.set_carriers();
        self.push_bodies(&mut builder)
            .map_err(|error| contact_error(t_end, [0, 0], &error))?;
        let mut filled = Filled {
            active: std::mem::take(&mut self.work.active),
            begin: std::mem::take(&mut self.work.begin),
            impulse: std::mem::take(&mut self.work.impulse),
        };
        let pushed = self.push_contacts(&mut builder, &mut filled, t_end);
        self.work.active = filled.active;
        self.work.begin = filled.begin;
        self.work.impulse = filled.impulse;
        pushed?;
        self.set_motors(t_end)?;
        self.push_joints(&mut builder)?;
        let problem = builder.build().map_err(|error| {
            let bodies = error
                .contact()
                .and_then(|contact| self.work.active.get(contact))
                .map_or([0, 0], |&touch| {
                    self.work.detector.found()[touch as usize].bodies
                });
            contact_error(t_end, bodies, &error)
        })?;
        self.share_friction(&problem);
        self.work.problem = Some(problem);
        Ok(())
    }

    /// v̂_I and v̂_L of every movable body.
    fn push_bodies(&self, builder: &mut ProblemBuilder) -> Result<(), ProblemError> {
        for (i, group) in self.work.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = self.work.inverse_root[i].as_ref();
            let (mut begin, mut free) = ([0.0; WIDE], [0.0; WIDE]);
            let u = self.work.turned(i, &self.state.velocities[i]);
            let v = self.work.turned(i, &self.work.end[i]);
            for k in 0..D::DOF {
                if root[k] > 0.0 {
                    begin[k] = u.as_ref()[k] / root[k];
                    free[k] = v.as_ref()[k] / root[k];
                }
            }
            builder.add_kinetic_group(&begin[..D::DOF], &free[..D::DOF])?;
        }
        self.push_places(builder);
        self.push_cell(builder)
    }

    /// All touches that take part.
    fn push_contacts(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut Filled,
        t_end: f64,
    ) -> Result<(), WorldError> {
        if let Some(law) = self.flat_law() {
            return self.push_flat(builder, filled, (law, t_end));
        }
        let mut last = 0;
        for touch in 0..self.work.detector.found().len() {
            self.push_touch(builder, filled, (touch, &mut last, t_end))?;
        }
        Ok(())
    }

    /// A touch, if it takes part; `last` is where its memory is looked for.
    #[inline(always)]
    fn push_touch(
        &self,
        builder: &mut ProblemBuilder,
        filled: &mut Filled,
        (touch, last, t_end): (usize, &mut usize, f64),
    ) -> Result<(), WorldError> {
        let found = &self.work.detector.found()[touch];
        let memory = recall(&self.state.memory, last, found);
        let (pair, first) = pair_law(&self.model, found);
        let (law, d) = law::<D>(pair, memory.map_or(Status::Open, |m| m.status));
        let frame = frame_of(&self.work, found, (pair, first));
        let touched = Touched {
            found,
            pair,
            memory,
            frame,
        };
        let refuse = |error| contact_error(t_end, found.bodies, &error);
        if d == D::N && self.work.cell.modes() == 0 {
            let pushed = self.push_plain(builder, &law, &touched).map_err(refuse)?;
            if let Some(begin) = pushed {
                filled.active.push(touch as u32);
                filled.begin.extend_from_slice(&begin[..D::N]);
                push_start(&mut filled.impulse, memory, &touched.frame);
            }
            return Ok(());
        }
        let pushed = self.push_any(builder, (law, d), &touched).map_err(refuse)?;
        if let Some(begin) = pushed {
            filled.active.push(touch as u32);
            filled.begin.extend_from_slice(&begin[..d]);
            push_wide_start(&mut filled.impulse, memory, &touched.frame, d);
        }
        Ok(())
    }

    /// A contact of any kind, if it takes part; answers U_I by row.
    fn push_any(
        &self,
        builder: &mut ProblemBuilder,
        (law, d): (Law, usize),
        touched: &Touched<'_, D>,
    ) -> Result<Option<[f64; WIDE]>, ProblemError> {
        let Touched { found, frame, .. } = touched;
        let rows = self.rows(found, frame, d);
        let dof = D::DOF;
        // A contact that moves nothing along its normal constrains nothing.
        let normal = |side: usize| rows.block[side][..dof].iter().map(|g| g * g).sum::<f64>();
        if !(normal(0) + normal(1) > 0.0) || !self.takes_part(touched, || rows.free[0]) {
            return Ok(None);
        }
        let rebound = self.rebound(touched.pair, rows.begin, found.touch.gap);
        let blocks = [&rows.block[0][..d * dof], &rows.block[1][..d * dof]];
        let groups = found.bodies.map(|body| self.work.group[body as usize]);
        let (given, rebound) = (&rows.given[..d], &rebound[..d]);
        let modes = self.work.cell.modes();
        match groups {
            [g, f] if modes > 0 => {
                let touches = [(g as usize, blocks[0]), (f as usize, blocks[1])];
                let mut block = [0.0; WIDE * MODES];
                self.cell_block(found, frame, &mut block[..d * modes]);
                let cell = (self.work.cell.group, &block[..d * modes]);
                let touches = [touches[0], touches[1], cell];
                builder.add_contact_with_rebound(law, &touches, given, rebound)
            }
            _ => push_blocks(builder, law, (groups, blocks), [given, rebound]),
        }?;
        Ok(Some(rows.begin))
    }

    /// ρ U_I by row, and the room that an open gap leaves.
    fn rebound<const R: usize>(&self, pair: &PairLaw, begin: [f64; R], gap: f64) -> [f64; R] {
        let e = pair.restitution;
        let mut rebound = begin;
        for (i, u) in rebound.iter_mut().enumerate() {
            *u *= if i == 0 { e.normal } else { e.tangential };
        }
        if self.settings.activation == Activation::Predicted && e.normal == 0.0 {
            rebound[0] += gap.max(0.0) / self.settings.step;
        }
        rebound
    }

    /// Whether a touch is a contact of this step: its gap at the midpoint is closed, or it was held in
    /// the step before. With prediction every touch within reach is one, its law being
    /// 0 ≤ U_F + g/h ⊥ S ≥ 0: it may close until contacts are looked for again, at the next midpoint,
    /// and no more. Where bodies rebound this would be two half impacts: there a touch takes part
    /// if it would close before the end of the step.
    fn takes_part(&self, touched: &Touched<'_, D>, approach: impl FnOnce() -> f64) -> bool {
        let gap = touched.found.touch.gap;
        if gap <= 0.0 {
            return true;
        }
        let [a, b] = touched.found.bodies.map(|i| self.work.size[i as usize]);
        let held = touched.memory.is_some_and(|m| m.status != Status::Open);
        let share = if held { HELD } else { CLOSED };
        if gap <= share * (a + b) {
            return true;
        }
        self.settings.activation == Activation::Predicted
            && (touched.pair.restitution.normal == 0.0
                || gap + 0.5 * self.settings.step * approach() <= 0.0)
    }

    /// Blocks of Ĝ and given velocities of one contact.
    fn rows(&self, found: &Found<D>, frame: &D::Frame, d: usize) -> Rows {
        let mut rows = Rows {
            block: [[0.0; WIDE * WIDE]; 2],
            given: [0.0; WIDE],
            begin: [0.0; WIDE],
            free: [0.0; WIDE],
        };
        let touch = &found.touch;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let axes = frame.as_ref();
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            let lever = at - self.work.centre(found, side);
            let root = self.work.inverse_root[body].as_ref();
            let axes_of_spin = self.work.axes(body);
            let u = self.work.turned(body, &self.state.velocities[body]);
            let v = self.work.turned(body, &self.work.end[body]);
            for i in 0..d {
                let mut row = [0.0; WIDE];
                match i {
                    i if i < D::N => D::row(&axes_of_spin, lever, axes[i], &mut row),
                    // Rolling about the tangents, spinning about the normal.
                    i => D::spin_row(&axes_of_spin, axes[(i - D::N + 1) % D::N], &mut row),
                }
                let dot = |w: &[f64]| sign * (0..D::DOF).map(|k| row[k] * w[k]).sum::<f64>();
                rows.begin[i] += dot(u.as_ref());
                rows.free[i] += dot(v.as_ref());
                if self.work.group[body] == NO_GROUP {
                    rows.given[i] += dot(v.as_ref());
                } else {
                    let block = &mut rows.block[side][i * D::DOF..(i + 1) * D::DOF];
                    for (k, g) in block.iter_mut().enumerate() {
                        *g = sign * row[k] * root[k];
                    }
                }
            }
        }
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

impl<D: Dim> Workspace<D> {
    /// Axes that the kinetic coordinates of a body take its spin about.
    pub(super) fn axes(&self, body: usize) -> D::Rotation {
        if self.outward[body] {
            D::Rotation::default()
        } else {
            self.mid[body].rotation
        }
    }

    /// A velocity of a body about these axes.
    pub(super) fn turned(&self, body: usize, velocity: &D::Dofs) -> D::Dofs {
        if self.outward[body] {
            D::outward(&self.mid[body].rotation, velocity)
        } else {
            *velocity
        }
    }
}

/// A contact between movable bodies, or one of them and one that is not.
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

/// Axes of a touch: tangents along a direction of a body where the law has directions.
#[inline]
pub(super) fn frame<D: Dim>(model: &Model<D>, work: &Workspace<D>, found: &Found<D>) -> D::Frame {
    frame_of(work, found, pair_law(model, found))
}

/// The same where the law is known, and which body its directions belong to.
#[inline(always)]
fn frame_of<D: Dim>(
    work: &Workspace<D>,
    found: &Found<D>,
    (pair, first): (&PairLaw, bool),
) -> D::Frame {
    match &pair.friction {
        Friction::Elliptic { along, .. } | Friction::Polygon { along, .. } => {
            let owner = found.bodies[usize::from(!first)] as usize;
            D::frame_along(found.touch.normal, along, &work.mid[owner].rotation)
        }
        _ => D::frame(found.touch.normal),
    }
}

fn contact_error(t: f64, bodies: [u32; 2], error: &ProblemError) -> WorldError {
    WorldError::Contact {
        bodies,
        t,
        reason: error.to_string(),
    }
}

/// The operator of a problem that has contacts.
pub(super) fn kinetic(problem: &Problem) -> Option<&FactoredDelassus> {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) if problem.num_contacts() > 0 => Some(kinetic),
        _ => None,
    }
}
