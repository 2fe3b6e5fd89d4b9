//! Joints are put together again after each step (M88 Remark 11.1).
//!
//! ```text
//! min ½ ‖dq‖²_A   with   Φ(q) + G dq = 0,      min ½ ‖dv‖²_A   with   G (v + dv) + W = 0
//! ```
//!
//! component by component, G at the end of the step: chord steps for the places, with new factors
//! where they are slow and shorter where they fail, then one solve for the velocities. The step leaves Φ = O(h³), so that
//! the places need one or two chord steps; the velocities then are tangent where the bodies are, to the share that the
//! places were moved by or, where that is seen, with new factors. This keeps the rows of the next midpoint symmetric
//! about it. Projecting velocities never gives energy.

use super::super::{NO_GROUP, World};
use super::{JointScratch, WIDE};
use crate::dim::Dim;
use crate::joint::JacobianRow;

/// A row at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProjectionRow {
    pub joint: usize,
    /// Bodies that follow forces; `usize::MAX` for others.
    pub bodies: [usize; 2],
    /// Ĝ of the two sides.
    pub block: [[f64; WIDE]; 2],
    /// Φ, and the factor that makes it a length.
    pub value: f64,
    pub size: f64,
    /// W.
    pub given: f64,
}

impl ProjectionRow {
    /// Ĝ_i · Ĝ_j.
    pub fn dot(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (a, x) in self.bodies.iter().zip(&self.block) {
            for (b, y) in other.bodies.iter().zip(&other.block) {
                if a == b && *a != usize::MAX {
                    sum += x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                }
            }
        }
        sum
    }
}

/// Steps at most.
const STEPS: usize = 40;

/// A chord step that leaves more than this share is the last with its factors.
const SLOW: f64 = 0.1;

/// Steps are not cut below this share.
const LEAST: f64 = 1e-3;

/// Drift above which velocities are projected where the places have come to, relative to the size of the bodies: the rows
/// turn by about that much.
const TURNED: f64 = 1e-8;

/// Drift that is left alone, relative to the size of the bodies: a few roundings of a placement.
const ENOUGH: f64 = 1e-14;

impl<D: Dim> JointScratch<D> {
    /// Factors ĜĜᵀ of the struts.
    pub(super) fn factor(&mut self) {
        let struts = &self.projection_rows;
        self.gram
            .factor(struts.len(), |i, j| struts[i].dot(&struts[j]));
    }
}

impl<D: Dim> World<D> {
    /// Puts the joints together again at the end of a step.
    pub(in crate::world) fn project_joint_drift(&mut self) {
        if !self.model.joints.is_empty() {
            self.report.held += self.project_joints();
        }
    }

    /// Projects places and velocities; returns the change of kinetic energy.
    pub(super) fn project_joints(&mut self) -> f64 {
        let mut link = std::mem::replace(&mut self.joints, JointScratch::empty());
        let mut change = 0.0;
        for component in 0..link.components.len() {
            change += self.project_component(&mut link, component);
        }
        self.joints = link;
        change
    }

    fn project_component(&mut self, link: &mut JointScratch<D>, component: usize) -> f64 {
        self.struts(link, component);
        if link.projection_rows.is_empty() {
            return 0.0;
        }
        link.factor();
        link.displacement.resize(self.model.bodies.len(), D::ZERO_VELOCITY);
        let first = drift(&link.projection_rows);
        let (mut worst, mut share) = (first, 1.0);
        for _ in 0..STEPS {
            if !(worst > 0.0 && share > LEAST) {
                break;
            }
            let JointScratch { right, projection_rows: struts, .. } = link;
            right.clear();
            right.extend(struts.iter().map(|strut| -strut.value));
            self.spread(link, component);
            self.shift_members(link, component, share);
            self.revalue(link, component);
            let now = drift(&link.projection_rows);
            if now < worst {
                if now > SLOW * worst {
                    self.struts(link, component);
                    link.factor();
                }
                worst = now;
                share = f64::min(1.0, 2.0 * share);
            } else {
                for (&body, pose) in link.component_bodies[component].iter().zip(&link.kept) {
                    self.state.poses[body] = *pose;
                }
                self.revalue(link, component);
                share *= 0.5;
            }
        }
        if first > TURNED {
            self.struts(link, component);
            link.factor();
        }
        self.project_velocities(link, component)
    }

    /// Moves the bodies of a component by a share of `moved`; where they were is kept.
    fn shift_members(&mut self, link: &mut JointScratch<D>, component: usize, share: f64) {
        link.kept.clear();
        for &body in &link.component_bodies[component] {
            let (pose, step) = (self.state.poses[body], &link.displacement[body]);
            link.kept.push(pose);
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[body] = D::advance_pose(&pose, step, share);
            }
        }
    }

    /// dv = A⁻¹ Gᵀ λ with G(v + dv) + W = 0.
    fn project_velocities(&mut self, link: &mut JointScratch<D>, component: usize) -> f64 {
        let energy = |world: &Self| -> f64 {
            let bodies = link.component_bodies[component].iter();
            let each = bodies.map(|&b| world.kinetic_of(b, &world.state.velocities[b]));
            each.sum()
        };
        let before = energy(self);
        let JointScratch { right, projection_rows: struts, .. } = link;
        right.clear();
        right.extend(struts.iter().map(|strut| {
            let mut u = strut.given;
            for (&body, block) in strut.bodies.iter().zip(&strut.block) {
                if body == usize::MAX {
                    continue;
                }
                let root = self.scratch.inverse_sqrt_mass[body].as_ref();
                for (k, v) in self.state.velocities[body].as_ref().iter().enumerate() {
                    if root[k] > 0.0 {
                        u += block[k] * v / root[k];
                    }
                }
            }
            -u
        }));
        self.spread(link, component);
        for &body in &link.component_bodies[component] {
            let step = link.displacement[body];
            if step.as_ref().iter().all(|s| s.is_finite()) {
                let v = self.state.velocities[body].as_mut();
                for (v, s) in v.iter_mut().zip(step.as_ref()) {
                    *v += s;
                }
            }
        }
        let bodies = link.component_bodies[component].iter();
        let after: f64 = bodies
            .map(|&b| self.kinetic_of(b, &self.state.velocities[b]))
            .sum();
        after - before
    }

    /// `moved` = A⁻¹ Gᵀ (ĜĜᵀ)⁺ `right` for the bodies of a component.
    fn spread(&self, link: &mut JointScratch<D>, component: usize) {
        let JointScratch {
            gram,
            right,
            projection_rows: struts,
            displacement: moved,
            component_bodies: members,
            ..
        } = link;
        gram.solve(right);
        for &body in &members[component] {
            moved[body] = D::ZERO_VELOCITY;
        }
        for (strut, factor) in struts.iter().zip(right.iter()) {
            for (&body, block) in strut.bodies.iter().zip(&strut.block) {
                if body != usize::MAX {
                    let entries = moved[body].as_mut().iter_mut().zip(block);
                    entries.for_each(|(sum, g)| *sum += factor * g);
                }
            }
        }
        for &body in &members[component] {
            let root = self.scratch.inverse_sqrt_mass[body].as_ref();
            let entries = moved[body].as_mut().iter_mut().zip(root);
            entries.for_each(|(sum, root)| *sum *= root);
        }
    }

    /// The held rows of a component where the bodies are.
    pub(super) fn struts(&self, link: &mut JointScratch<D>, component: usize) {
        link.projection_rows.clear();
        for k in 0..link.components[component].len() {
            let number = link.components[component][k];
            let joint = &self.model.joints[number];
            let ends = joint.placed_frames(&self.state.poses);
            link.held.clear();
            joint.bilateral_constraints(&ends, &mut link.held);
            for held in &link.held {
                let mut strut = self.strut(number, &held.row);
                strut.value = held.value;
                strut.size = if held.row.angular {
                    1.0
                } else {
                    link.length_scale[number]
                };
                link.projection_rows.push(strut);
            }
        }
    }

    /// Φ of the struts, which keep their rows.
    fn revalue(&self, link: &mut JointScratch<D>, component: usize) {
        let mut at = 0;
        for k in 0..link.components[component].len() {
            let joint = &self.model.joints[link.components[component][k]];
            let ends = joint.placed_frames(&self.state.poses);
            link.held.clear();
            joint.bilateral_constraints(&ends, &mut link.held);
            for held in &link.held {
                if let Some(strut) = link.projection_rows.get_mut(at) {
                    strut.value = held.value;
                }
                at += 1;
            }
        }
    }

    /// A row of a joint where the bodies are, without its value.
    pub(super) fn strut(&self, number: usize, row: &JacobianRow<D>) -> ProjectionRow {
        let mut strut = ProjectionRow {
            joint: number,
            bodies: [usize::MAX; 2],
            block: [[0.0; WIDE]; 2],
            value: 0.0,
            size: 1.0,
            given: 0.0,
        };
        let sides = &self.model.joints[number].frames;
        for (k, (side, sign)) in sides.iter().zip([-1.0, 1.0]).enumerate() {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            let pose = &self.state.poses[body];
            let mut entries = [0.0; WIDE];
            row.fill(&pose.rotation, pose.position, &mut entries);
            if self.scratch.group[body] == NO_GROUP {
                let v = self.state.velocities[body].as_ref();
                strut.given += sign * entries.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
                continue;
            }
            strut.bodies[k] = body;
            let root = self.scratch.inverse_sqrt_mass[body].as_ref();
            for c in 0..D::DOF {
                strut.block[k][c] = sign * entries[c] * root[c];
            }
        }
        strut
    }
}

/// Largest |Φ| relative to the size of the bodies; 0 when it is rounding.
fn drift(struts: &[ProjectionRow]) -> f64 {
    let worst = struts
        .iter()
        .fold(0.0_f64, |most, s| most.max((s.value / s.size).abs()));
    if worst > ENOUGH { worst } else { 0.0 }
}
