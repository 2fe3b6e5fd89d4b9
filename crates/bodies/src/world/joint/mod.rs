//! The joints of a step, as further blocks of (★) behind its contacts.
//!
//! ```text
//! held      ½(U_I + U_F) = 0                            Law::Bilateral: does no work
//! spring    S = −h k (c̄ − rest) − h d ½(U_I + U_F),   c̄ = c(q_M) + ¼h (U_F − U_I)
//! motor     −(U_F − speed) ∈ N_C(S),  C = [−hM, hM]     (B02 §5)
//! friction  −U_F ∈ N_C(S),  C = μ R |S_held| B          (B02 §6), by a fixed point on |S_held|
//! limit     0 ≤ U_F + ρ U_I ⊥ S ≥ 0                     where c(q_M) has reached the bound
//! ```
//!
//! Held rows are about the mean of the velocities at both ends of the step: with G at the midpoint this
//! is q_F − q_I to third order, and joints at rest in space neither give nor take energy. U_F = 0
//! instead would brake a pendulum at the rate h ω². The spring is the implicit midpoint rule, of
//! second order, stable for any stiffness: S = −(α + β U_F) is a bilateral row with one more
//! kinetic coordinate of its own, 1/√β wide, and is eliminated with the held ones.

mod account;
mod project;
mod start;

pub(super) use account::JointWorks;

use contact::law::{Law, NonFirmSet};
use contact::{KineticBuilder, ProblemError};
use solve::{Outcome, bilateral};

use super::{CLOSED, NO_GROUP, World};
use crate::detect::{Detector, Found};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::joint::gram::Gram;
use crate::joint::{self, Coordinate, Held, Joint, Reading, Row, Side};
use crate::model::Model;
use crate::pose::Pose;
use crate::settings::Activation;

/// Rows of a block at most, and velocity components of a body at most.
const WIDE: usize = 6;

/// Rounds of the fixed point for friction at most.
const ROUNDS: usize = 60;

/// Rounds after which its steps are halved.
const EAGER: usize = 12;

/// What a block of the problem is to its joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Held,
    Spring,
    Motor,
    Rub,
    Limit,
}

/// A block of the problem.
#[derive(Debug, Clone, Copy)]
struct Block {
    joint: u32,
    role: Role,
    /// Its first row in `rows`, and how many it has.
    first: usize,
    count: usize,
    /// −1 for an upper limit, whose row is turned round.
    sign: f64,
    /// Largest impulse of friction.
    threshold: f64,
}

/// The blocks of Ĝ of some rows, and the velocities in them.
struct Levers {
    block: [[f64; WIDE * WIDE]; 2],
    /// From bodies that do not follow forces, at the end.
    given: [f64; WIDE],
    /// U_I and U_L.
    begin: [f64; WIDE],
    free: [f64; WIDE],
}

/// What a model with joints needs beyond its contacts. Nothing of it is continued from.
pub(super) struct Linkage<D: Dim> {
    /// Joints that share bodies, and the movable bodies of each such set.
    components: Vec<Vec<usize>>,
    members: Vec<Vec<usize>>,
    /// Pairs whose shapes do not touch.
    excluded: Vec<[u32; 2]>,
    /// Pins that touch their holes.
    touches: Vec<Found<D>>,
    /// By joint: what angles are multiplied by to be lengths; the speed of its motor.
    size: Vec<f64>,
    speed: Vec<f64>,
    held: Vec<Held<D>>,
    blocks: Vec<Block>,
    rows: Vec<Row<D>>,
    struts: Vec<project::Strut>,
    gram: Gram,
    right: Vec<f64>,
    moved: Vec<D::Dofs>,
    kept: Vec<Pose<D>>,
    readings: Vec<Reading<D>>,
    /// The joint of each held row that the others hold already.
    redundant: Vec<usize>,
}

impl<D: Dim> Linkage<D> {
    pub fn new(model: &Model<D>) -> Self {
        let components = joint::components(model);
        let members = components.iter().map(|list| {
            let sides = list.iter().flat_map(|&j| &model.joints[j].sides);
            let bodies = sides.filter_map(|side| side.body.map(|body| body as usize));
            let movable = |&b: &usize| model.bodies.get(b).is_some_and(|b| b.freedom.movable());
            let mut bodies: Vec<usize> = bodies.filter(movable).collect();
            bodies.sort_unstable();
            bodies.dedup();
            bodies
        });
        Self {
            members: members.collect(),
            components,
            excluded: joint::excluded(model),
            touches: Vec::new(),
            size: model.joints.iter().map(|j| j.size(model)).collect(),
            speed: Vec::new(),
            held: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            struts: Vec::new(),
            gram: Gram::default(),
            right: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            readings: Vec::new(),
            redundant: Vec::new(),
        }
    }
}

impl<D: Dim> Linkage<D> {
    /// The same for a detector at other placements, without any reach.
    pub fn amend(&mut self, model: &Model<D>, poses: &[Pose<D>], detector: &mut Detector<D>) {
        if !model.joints.is_empty() {
            joint::clearances(model, poses, &[], &mut self.touches);
            detector.amend(&self.excluded, &self.touches);
        }
    }
}

impl<D: Dim> World<D> {
    /// Takes contacts of joined bodies from what the detector found and adds those of pins in holes.
    pub(super) fn amend_touches(&mut self) {
        if self.model.joints.is_empty() {
            return;
        }
        let (work, link) = (&mut self.work, &mut self.link);
        joint::clearances(&self.model, &work.mid, &work.growth, &mut link.touches);
        work.detector.amend(&link.excluded, &link.touches);
    }

    /// Speeds of the motors at the end of the step.
    pub(super) fn set_motors(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.link.speed.clear();
        for joint in &mut self.model.joints {
            let speed = joint.motor.as_mut().map_or(0.0, |m| m.speed.at(t_end));
            if !speed.is_finite() {
                let name = &joint.name;
                let text =
                    format!("joint `{name}`: the speed of its motor at t = {t_end} is {speed}");
                return Err(WorldError::Joint(text));
            }
            self.link.speed.push(speed);
        }
        Ok(())
    }

    /// The blocks of all joints, behind those of the contacts.
    pub(super) fn push_joints(&mut self, builder: &mut KineticBuilder) -> Result<(), WorldError> {
        let mut link = std::mem::replace(&mut self.link, Linkage::empty());
        link.blocks.clear();
        link.rows.clear();
        let mut pushed = Ok(());
        for number in 0..self.model.joints.len() {
            pushed = self
                .push_joint(builder, &mut link, number)
                .map_err(|error| {
                    let name = &self.model.joints[number].name;
                    WorldError::Joint(format!("joint `{name}`: {error}"))
                });
            if pushed.is_err() {
                break;
            }
        }
        self.link = link;
        pushed
    }

    fn push_joint(
        &mut self,
        builder: &mut KineticBuilder,
        link: &mut Linkage<D>,
        number: usize,
    ) -> Result<(), ProblemError> {
        let h = self.settings.step;
        let joint = &self.model.joints[number];
        let ends = joint.ends(&self.work.mid);
        let mut held = std::mem::take(&mut link.held);
        held.clear();
        joint.held(&ends, &mut held);
        let first = link.rows.len();
        link.rows.extend(held.iter().map(|held| held.row));
        link.held = held;
        let block = |role: Role, first: usize, count: usize| Block {
            joint: number as u32,
            role,
            first,
            count,
            sign: 1.0,
            threshold: 0.0,
        };
        let count = link.rows.len() - first;
        if count > 0 {
            let levers = self.levers(number, &link.rows[first..], 1.0);
            let rebound = levers.begin;
            let all = (levers, rebound, Law::Bilateral);
            self.push_block(builder, link, block(Role::Held, first, count), all)?;
        }
        let joint = &self.model.joints[number];
        let row = joint.coordinate_row(&ends);
        let value = joint.value(&ends, joint.coordinate);
        if joint.spring.is_some() {
            self.push_spring(builder, link, number, row, value)?;
        }
        let joint = &self.model.joints[number];
        if let Some(motor) = &joint.motor {
            let law = match motor.bound.is_finite() {
                true => interval(h * motor.bound),
                false => Law::Bilateral,
            };
            let first = link.rows.len();
            link.rows.push(row);
            let mut levers = self.levers(number, &[row], 1.0);
            levers.given[0] -= link.speed.get(number).copied().unwrap_or(0.0);
            let all = (levers, [0.0; WIDE], law);
            self.push_block(builder, link, block(Role::Motor, first, 1), all)?;
        }
        let joint = &self.model.joints[number];
        if joint.rub.is_some() {
            let (rows, count) = joint.rub_rows(&ends);
            let first = link.rows.len();
            link.rows.extend_from_slice(&rows[..count]);
            let levers = self.levers(number, &rows[..count], 1.0);
            let all = (levers, [0.0; WIDE], ball(count, 0.0));
            self.push_block(builder, link, block(Role::Rub, first, count), all)?;
        }
        self.push_limits(builder, link, number, row, value)
    }

    fn push_spring(
        &mut self,
        builder: &mut KineticBuilder,
        link: &mut Linkage<D>,
        number: usize,
        row: Row<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let h = self.settings.step;
        let Some(spring) = self.model.joints[number].spring else {
            return Ok(());
        };
        let beta = 0.25 * h * h * spring.stiffness + 0.5 * h * spring.damping;
        if !(beta > 0.0) {
            return Ok(());
        }
        let mut levers = self.levers(number, &[row], 1.0);
        let begin = levers.begin[0];
        let stretch = value - spring.rest - 0.25 * h * begin;
        let alpha = h * spring.stiffness * stretch + 0.5 * h * spring.damping * begin;
        levers.given[0] += alpha / beta;
        let own = builder.kinetic_group(&[0.0], &[0.0])?;
        let block = Block {
            joint: number as u32,
            role: Role::Spring,
            first: link.rows.len(),
            count: 1,
            sign: 1.0,
            threshold: 0.0,
        };
        link.rows.push(row);
        let wide = [1.0 / beta.sqrt()];
        let touches = self.touches(number, &levers, 1);
        let mut all = [(0, &[][..]); 3];
        let mut count = 0;
        for touch in touches.iter().flatten().chain([&(own, &wide[..])]) {
            all[count] = *touch;
            count += 1;
        }
        builder.contact_with_rebound(Law::Bilateral, &all[..count], &levers.given[..1], &[0.0])?;
        link.blocks.push(block);
        self.work.begin.push(begin);
        self.work.impulse.push(0.0);
        Ok(())
    }

    /// Rows of the bounds that the coordinate has reached.
    fn push_limits(
        &mut self,
        builder: &mut KineticBuilder,
        link: &mut Linkage<D>,
        number: usize,
        row: Row<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let joint = &self.model.joints[number];
        let Some(limits) = joint.limits else {
            return Ok(());
        };
        let size = match joint.coordinate {
            Coordinate::Turn => 1.0,
            _ => link.size[number],
        };
        let h = self.settings.step;
        for (gap, sign) in [(value - limits.low, 1.0), (limits.high - value, -1.0)] {
            let levers = self.levers(number, &[row], sign);
            let mut rebound = [0.0; WIDE];
            rebound[0] = limits.restitution * levers.begin[0];
            if gap > CLOSED * size {
                let approach = gap + h * levers.free[0].min(levers.begin[0]);
                let predicted = self.settings.activation == Activation::Predicted;
                if !predicted || limits.restitution > 0.0 || !(approach <= 0.0) {
                    continue;
                }
                rebound[0] = gap / h;
            }
            let block = Block {
                joint: number as u32,
                role: Role::Limit,
                first: link.rows.len(),
                count: 1,
                sign,
                threshold: 0.0,
            };
            link.rows.push(row);
            let all = (levers, rebound, Law::Frictionless);
            self.push_block(builder, link, block, all)?;
        }
        Ok(())
    }

    fn push_block(
        &mut self,
        builder: &mut KineticBuilder,
        link: &mut Linkage<D>,
        block: Block,
        (levers, rebound, law): (Levers, [f64; WIDE], Law),
    ) -> Result<(), ProblemError> {
        let count = block.count;
        let touches = self.touches(block.joint as usize, &levers, count);
        let (given, rebound) = (&levers.given[..count], &rebound[..count]);
        match touches {
            [Some(one), Some(other)] => {
                builder.contact_with_rebound(law, &[one, other], given, rebound)?;
            }
            [Some(one), None] | [None, Some(one)] => {
                builder.contact_with_rebound(law, &[one], given, rebound)?;
            }
            [None, None] => return Ok(()),
        }
        link.blocks.push(block);
        self.work.begin.extend_from_slice(&levers.begin[..count]);
        self.work.impulse.extend(std::iter::repeat_n(0.0, count));
        Ok(())
    }

    /// Groups of the movable bodies of a joint with their blocks.
    fn touches<'a>(
        &self,
        number: usize,
        levers: &'a Levers,
        count: usize,
    ) -> [Option<(usize, &'a [f64])>; 2] {
        let sides = &self.model.joints[number].sides;
        [0, 1].map(|k| {
            let group = self.work.group[sides[k].body? as usize];
            let block = &levers.block[k][..count * D::DOF];
            (group != NO_GROUP).then_some((group as usize, block))
        })
    }

    /// Blocks and velocities of some rows of a joint at the midpoint.
    fn levers(&self, number: usize, rows: &[Row<D>], sign: f64) -> Levers {
        let mut levers = Levers {
            block: [[0.0; WIDE * WIDE]; 2],
            given: [0.0; WIDE],
            begin: [0.0; WIDE],
            free: [0.0; WIDE],
        };
        let sides = &self.model.joints[number].sides;
        for (k, (side, sense)) in sides.iter().zip([-sign, sign]).enumerate() {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            let root = self.work.inverse_root[body].as_ref();
            let u = self.work.turned(body, &self.state.velocities[body]);
            let v = self.work.turned(body, &self.work.end[body]);
            for (i, row) in rows.iter().enumerate().take(WIDE) {
                let entries = self.entries(body, row);
                let dot = |w: &[f64]| sense * (0..D::DOF).map(|c| entries[c] * w[c]).sum::<f64>();
                levers.begin[i] += dot(u.as_ref());
                levers.free[i] += dot(v.as_ref());
                if self.work.group[body] == NO_GROUP {
                    levers.given[i] += dot(v.as_ref());
                    continue;
                }
                for c in 0..D::DOF {
                    levers.block[k][i * D::DOF + c] = sense * entries[c] * root[c];
                }
            }
        }
        levers
    }

    /// The row of G of one body, its spin about the axes of its kinetic coordinates.
    fn entries(&self, body: usize, row: &Row<D>) -> [f64; WIDE] {
        let mut entries = [0.0; WIDE];
        row.fill(
            &self.work.axes(body),
            self.work.mid[body].position,
            &mut entries,
        );
        entries
    }

    /// U of a row with these velocities; `held` takes only bodies that do not follow forces.
    fn relative(&self, sides: &[Side<D>; 2], row: &Row<D>, v: &[D::Dofs], held: bool) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            if held && self.work.group[body] != NO_GROUP {
                continue;
            }
            let entries = self.entries(body, row);
            let v = self.work.turned(body, &v[body]);
            let parts = entries.iter().zip(v.as_ref());
            sum += sign * parts.map(|(g, v)| g * v).sum::<f64>();
        }
        sum
    }

    /// Solves again until the thresholds of friction are those of the reactions (B02 §6).
    pub(super) fn rub(&mut self) {
        if !self.link.blocks.iter().any(|b| b.role == Role::Rub) {
            return;
        }
        let (mut left, mut iterations) = (f64::INFINITY, 0);
        for round in 0..ROUNDS {
            left = self.raise_thresholds(round);
            iterations += self.work.report.as_ref().map_or(0, |r| r.iterations);
            if left <= self.settings.tolerance {
                break;
            }
            self.solve();
        }
        if let Some(report) = &mut self.work.report {
            report.iterations = iterations;
            report.residual = report.residual.max(left);
            if left > self.settings.tolerance && report.reached() {
                report.outcome = Outcome::Stalled;
            }
        }
    }

    /// Sets all thresholds to those of the reactions; by how much they were wrong, relative to the
    /// largest one.
    fn raise_thresholds(&mut self, round: usize) -> f64 {
        let Some(problem) = &mut self.work.problem else {
            return 0.0;
        };
        let before = self.work.active.len();
        let link = &mut self.link;
        let (mut change, mut largest, mut pressed) = (0.0_f64, 0.0_f64, 0.0);
        for k in 0..link.blocks.len() {
            let block = &mut link.blocks[k];
            let joint: &Joint<D> = &self.model.joints[block.joint as usize];
            let rows = problem.rows(before + k);
            match block.role {
                // The held block of a joint stands before its friction.
                Role::Held => pressed = joint.pressed(&self.work.impulse[rows]),
                Role::Rub => {
                    let Some(rub) = joint.rub else { continue };
                    let lever = match joint.coordinate {
                        Coordinate::Turn => rub.radius,
                        _ => 1.0,
                    };
                    let wanted = rub.coefficient * lever * pressed;
                    change = change.max((wanted - block.threshold).abs());
                    largest = largest.max(wanted).max(block.threshold);
                    block.threshold = match round < EAGER {
                        true => wanted,
                        false => 0.5 * (wanted + block.threshold),
                    };
                    problem.replace_law(before + k, ball(block.count, block.threshold));
                }
                _ => {}
            }
        }
        if largest > 0.0 { change / largest } else { 0.0 }
    }

    /// Names the joints that exclude each other, where that is why the step has no solution.
    pub(super) fn refuse_contradiction(&self, t: f64) -> Result<(), WorldError> {
        let unsuitable = |r: &solve::Report| r.outcome == Outcome::Unsuitable;
        if self.link.blocks.is_empty() || !self.work.report.as_ref().is_some_and(unsuitable) {
            return Ok(());
        }
        let eliminated = self.work.problem.as_ref().map(bilateral::eliminate);
        let Some(Err(bilateral::BilateralError::Contradiction { contacts, velocity })) = eliminated
        else {
            return Ok(());
        };
        let before = self.work.active.len();
        let mut names: Vec<String> = Vec::new();
        for contact in contacts {
            let name = match contact
                .checked_sub(before)
                .and_then(|k| self.link.blocks.get(k))
            {
                Some(block) => {
                    let name = &self.model.joints[block.joint as usize].name;
                    let what = match block.role {
                        Role::Motor => "the motor of ",
                        Role::Limit => "a limit of ",
                        _ => "",
                    };
                    format!("{what}`{name}`")
                }
                None => "a contact".to_string(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Err(WorldError::Joint(format!(
            "joints that exclude each other at t = {t}: {} demand velocities that cannot all be; with \
             the others met {} is left with {velocity:e}. Release one of them, or give a motor a bound",
            names.join(", "),
            names.first().map_or("one", String::as_str)
        )))
    }
}

impl<D: Dim> Linkage<D> {
    /// Stands in while the other is borrowed.
    fn empty() -> Self {
        Self {
            components: Vec::new(),
            members: Vec::new(),
            excluded: Vec::new(),
            touches: Vec::new(),
            size: Vec::new(),
            speed: Vec::new(),
            held: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            struts: Vec::new(),
            gram: Gram::default(),
            right: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            readings: Vec::new(),
            redundant: Vec::new(),
        }
    }
}

/// |S| ≤ bound in one row.
fn interval(bound: f64) -> Law {
    NonFirmSet::interval(-bound, bound).map_or(Law::Bilateral, NonFirmSet::into_law)
}

/// |S| ≤ radius in some rows.
fn ball(rows: usize, radius: f64) -> Law {
    NonFirmSet::ball(rows, radius).map_or(Law::Bilateral, NonFirmSet::into_law)
}
