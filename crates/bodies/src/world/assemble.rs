//! The contact problem (★) of a step, out of touches, laws and masses.
//!
//! U = G u + W with G from the bodies that follow forces and W from the others, row by row
//! f_i · (v_b − v_a) at the middle of the two touching points, f the contact's frame; further rows
//! are relative spins. Kinetic coordinates are v̂ = √m v in body axes.

use contact::law::{Law, Status};
use contact::{Kinetic, KineticBuilder, Operator, Problem, ProblemError};

use super::cell::MOST as MODES;
use super::law::{law, pair_law};
use super::{CLOSED, HELD, NO_GROUP, Workspace, World, size};
use crate::detect::Found;
use crate::dim::Dim;
use crate::error::WorldError;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;
use crate::settings::Activation;
use crate::state::Memory;
use crate::vector::Vector;

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

impl<D: Dim> World<D> {
    /// Axes of a touch.
    pub(super) fn frame(&self, touch: u32) -> D::Frame {
        frame(
            &self.model,
            &self.work,
            &self.work.detector.found()[touch as usize],
        )
    }

    /// Makes (★) and the impulses to start from.
    pub(super) fn assemble(&mut self, t_end: f64) -> Result<(), WorldError> {
        let old = self.work.problem.take();
        let mut builder = old.map_or_else(Kinetic::builder, Problem::recycle);
        self.work.active.clear();
        self.work.begin.clear();
        self.work.impulse.clear();
        if self.work.detector.found().is_empty() && self.model.joints.is_empty() {
            self.work.problem = builder.build().ok();
            return Ok(());
        }
        self.push_bodies(&mut builder)
            .map_err(|error| contact_error(t_end, [0, 0], &error))?;
        let mut last = 0;
        for touch in 0..self.work.detector.found().len() {
            let found = self.work.detector.found()[touch];
            let memory = recall(&self.state.memory, &mut last, &found).copied();
            self.push_contact(&mut builder, touch as u32, &found, memory.as_ref())
                .map_err(|error| contact_error(t_end, found.bodies, &error))?;
        }
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
        self.work.problem = Some(problem);
        Ok(())
    }

    /// v̂_I and v̂_L of every movable body.
    fn push_bodies(&self, builder: &mut KineticBuilder) -> Result<(), ProblemError> {
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
            builder.kinetic_group(&begin[..D::DOF], &free[..D::DOF])?;
        }
        self.push_cell(builder)
    }

    /// One touch, if it takes part.
    fn push_contact(
        &mut self,
        builder: &mut KineticBuilder,
        touch: u32,
        found: &Found<D>,
        memory: Option<&Memory<D>>,
    ) -> Result<(), ProblemError> {
        let [a, b] = found.bodies.map(|i| i as usize);
        let (pair, _) = pair_law(&self.model, found);
        let (law, d) = law::<D>(pair, memory.map_or(Status::Open, |m| m.status));
        let frame = frame(&self.model, &self.work, found);
        let rows = self.rows(found, &frame, d);
        let dof = D::DOF;
        // A contact that moves nothing along its normal constrains nothing.
        let normal = |side: usize| rows.block[side][..dof].iter().map(|g| g * g).sum::<f64>();
        if !(normal(0) + normal(1) > 0.0) {
            return Ok(());
        }
        if !self.takes_part(found, memory, rows.free[0]) {
            return Ok(());
        }
        let rebound = self.rebound(pair, &rows, found.touch.gap);
        let blocks = [&rows.block[0][..d * dof], &rows.block[1][..d * dof]];
        let groups = [a, b].map(|body| self.work.group[body]);
        let (given, rebound) = (&rows.given[..d], &rebound[..d]);
        let balls = self.balls(found, d);
        let modes = self.work.cell.modes();
        match groups {
            [g, f] if modes > 0 => {
                let touches = [(g as usize, blocks[0]), (f as usize, blocks[1])];
                let mut block = [0.0; WIDE * MODES];
                self.cell_block(found, &frame, &mut block[..d * modes]);
                let cell = (self.work.cell.group, &block[..d * modes]);
                let touches = [touches[0], touches[1], cell];
                builder.contact_with_rebound(law, &touches, given, rebound)
            }
            _ if balls.1 > 0 => {
                let balls = &balls.0[..balls.1];
                push_balls::<D>(builder, law, &frame, balls, [given, rebound])
            }
            [NO_GROUP, g] => {
                builder.contact_with_rebound(law, &[(g as usize, blocks[1])], given, rebound)
            }
            [g, NO_GROUP] => {
                builder.contact_with_rebound(law, &[(g as usize, blocks[0])], given, rebound)
            }
            [g, f] => {
                let touches = [(g as usize, blocks[0]), (f as usize, blocks[1])];
                builder.contact_with_rebound(law, &touches, given, rebound)
            }
        }?;
        self.work.active.push(touch);
        self.work.begin.extend_from_slice(&rows.begin[..d]);
        push_start(&mut self.work.impulse, memory, &frame, d);
        Ok(())
    }

    /// ρ U_I by row, and the room that an open gap leaves.
    fn rebound(&self, pair: &PairLaw, rows: &Rows, gap: f64) -> [f64; WIDE] {
        let e = pair.restitution;
        let mut rebound = rows.begin;
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
    fn takes_part(&self, found: &Found<D>, memory: Option<&Memory<D>>, approach: f64) -> bool {
        let [a, b] = found.bodies.map(|i| &self.model.bodies[i as usize]);
        let held = memory.is_some_and(|memory| memory.status != Status::Open);
        let share = if held { HELD } else { CLOSED };
        let gap = found.touch.gap;
        if gap <= share * (size::<D>(a) + size::<D>(b)) {
            return true;
        }
        let (law, _) = pair_law(&self.model, found);
        self.settings.activation == Activation::Predicted
            && (law.restitution.normal == 0.0 || gap + 0.5 * self.settings.step * approach <= 0.0)
    }

    /// The movable bodies of a contact of three rows if all are balls whose spin is about space
    /// axes: group, s and c of `KineticBuilder::contact_of_balls`; and how many.
    fn balls(&self, found: &Found<D>, d: usize) -> ([(usize, f64, f64); 2], usize) {
        let (mut balls, mut count) = ([(0, 0.0, 0.0); 2], 0);
        if D::DOF != WIDE || d != 3 {
            return (balls, 0);
        }
        let touch = &found.touch;
        let at = (touch.point_a + touch.point_b) * 0.5;
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            if self.work.group[body] == NO_GROUP {
                continue;
            }
            if !self.work.outward[body] || !D::ball(&self.model.bodies[body].shape) {
                return (balls, 0);
            }
            let root = self.work.inverse_root[body].as_ref();
            let lever = (at - self.work.centre(found, side)).dot(touch.normal);
            let group = self.work.group[body] as usize;
            balls[count] = (group, sign * root[0], sign * lever * root[3]);
            count += 1;
        }
        (balls, count)
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

/// A contact of balls; what is given and the rebound have three entries.
fn push_balls<D: Dim>(
    builder: &mut KineticBuilder,
    law: Law,
    frame: &D::Frame,
    balls: &[(usize, f64, f64)],
    [given, rebound]: [&[f64]; 2],
) -> Result<usize, ProblemError> {
    let mut axes = [[0.0; 3]; 3];
    for (to, from) in axes.iter_mut().zip(frame.as_ref()) {
        to.copy_from_slice(from.slice());
    }
    let three = |rows: &[f64]| [rows[0], rows[1], rows[2]];
    builder.contact_of_balls(law, &axes, balls, &three(given), &three(rebound))
}

/// Axes of a touch: tangents along a direction of a body where the law has directions.
fn frame<D: Dim>(model: &Model<D>, work: &Workspace<D>, found: &Found<D>) -> D::Frame {
    let [a, b] = found.bodies.map(|i| i as usize);
    let (pair, first) = pair_law(model, found);
    match &pair.friction {
        Friction::Elliptic { along, .. } | Friction::Polygon { along, .. } => {
            let owner = if first { a } else { b };
            D::frame_along(found.touch.normal, along, &work.mid[owner].rotation)
        }
        _ => D::frame(found.touch.normal),
    }
}

/// The memory of the same contact in the step before: both lists are sorted alike.
fn recall<'a, D: Dim>(
    memory: &'a [Memory<D>],
    last: &mut usize,
    found: &Found<D>,
) -> Option<&'a Memory<D>> {
    let key = (found.bodies, found.shift, found.touch.feature);
    while let Some(known) = memory.get(*last)
        && (known.bodies, known.shift, known.feature) < key
    {
        *last += 1;
    }
    memory
        .get(*last)
        .filter(|known| (known.bodies, known.shift, known.feature) == key)
}

/// The impulse of the step before in the present frame; nothing for a new contact.
fn push_start<D: Dim>(
    impulse: &mut Vec<f64>,
    memory: Option<&Memory<D>>,
    frame: &D::Frame,
    d: usize,
) {
    let Some(memory) = memory else {
        impulse.extend(std::iter::repeat_n(0.0, d));
        return;
    };
    let axes = frame.as_ref().iter().map(|axis| axis.dot(memory.impulse));
    impulse.extend(axes.chain(memory.moment).take(d));
}

fn contact_error(t: f64, bodies: [u32; 2], error: &ProblemError) -> WorldError {
    WorldError::Contact {
        bodies,
        t,
        reason: error.to_string(),
    }
}

/// The operator of a problem that has contacts.
pub(super) fn kinetic(problem: &Problem) -> Option<&Kinetic> {
    match problem.operator() {
        Operator::Kinetic(kinetic) if problem.num_contacts() > 0 => Some(kinetic),
        _ => None,
    }
}
