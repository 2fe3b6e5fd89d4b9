//! Projection of joint drift after each step: positions, then velocities (post-stabilisation, M88 Remark 11.1).
//!
//! ```text
//! min ½ ‖dq‖²_A   with   Φ(q) + G dq = 0,      min ½ ‖dv‖²_A   with   G (v + dv) + W = 0
//! ```
//!
//! for each connected component, with G at the end of the step. Positions by Newton steps with kept factors
//! (chord method): factored again where convergence is slow, with step halving where it fails; then one solve
//! for the velocities. The step leaves Φ = O(h³), so that positions need one or two chord steps. The velocities
//! are tangent at the final positions to the extent that these were displaced or, where that is noticeable,
//! with new factors. This keeps the rows of the next midpoint symmetric about it. The projection of velocities
//! never increases energy.

use super::super::{NO_GROUP, World};
use super::{JointScratch, WIDE};
use crate::dynamics::Dynamics;
use crate::joint::JacobianRow;

/// A held row at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProjectionRow {
    pub joint: usize,
    /// Movable bodies of its two frames; `usize::MAX` for others.
    pub bodies: [usize; 2],
    /// Ĝ of the two bodies.
    pub block: [[f64; WIDE]; 2],
    /// Φ, and the scale by which it is divided.
    pub value: f64,
    pub size: f64,
    /// W, the velocity of bodies that are not movable.
    pub given: f64,
}

impl ProjectionRow {
    /// Ĝ_i · Ĝ_j, an entry of the Gram matrix.
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

/// Largest number of chord steps.
const STEPS: usize = 40;

/// A chord step that leaves more than this fraction of the drift is followed by a new factorisation.
const SLOW: f64 = 0.1;

/// Smallest fraction to which a step is cut.
const LEAST: f64 = 1e-3;

/// Drift, relative to the bodies, above which the velocities are projected with rows at the new positions: the
/// rows rotate by about that much.
const TURNED: f64 = 1e-8;

/// Drift that is not corrected, relative to the bodies: a few rounding errors of a pose.
const ENOUGH: f64 = 1e-14;

impl<D: Dynamics> JointScratch<D> {
    /// Factors ĜĜᵀ of the present rows.
    pub(super) fn factor(&mut self) {
        let struts = &self.projection_rows;
        self.gram
            .factor(struts.len(), |i, j| struts[i].dot(&struts[j]));
    }
}

impl<D: Dynamics> World<D> {
    /// Projects the joint drift at the end of a step; the energy change is added to the report.
    pub(in crate::world) fn project_joint_drift(&mut self) {
        if !self.model.joints.is_empty() {
            self.report.held += self.project_joints();
        }
    }

    /// Projects positions and velocities of all components; returns the change of kinetic energy.
    pub(super) fn project_joints(&mut self) -> f64 {
        // The scratch is taken out while the world is borrowed.
        let mut link = std::mem::replace(&mut self.joints, JointScratch::empty());
        let mut change = 0.0;
        for component in 0..link.components.len() {
            change += self.project_component(&mut link, component);
        }
        self.joints = link;
        change
    }

    /// Projects one component; returns the change of its kinetic energy.
    fn project_component(&mut self, link: &mut JointScratch<D>, component: usize) -> f64 {
        self.struts(link, component);
        if link.projection_rows.is_empty() {
            return 0.0;
        }
        link.factor();
        link.displacement
            .resize(self.model.bodies.len(), D::ZERO_VELOCITY);
        // Drift before the projection decides whether the rows are renewed for the velocities.
        let first = drift(&link.projection_rows);
        let (mut worst, mut share) = (first, 1.0);
        // Damped chord iteration on the positions.
        for _ in 0..STEPS {
            if !(worst > 0.0 && share > LEAST) {
                break;
            }
            let JointScratch {
                right,
                projection_rows: struts,
                ..
            } = link;
            right.clear();
            // Newton step: G dq = −Φ.
            right.extend(struts.iter().map(|strut| -strut.value));
            self.spread(link, component);
            self.shift_members(link, component, share);
            self.revalue(link, component);
            let now = drift(&link.projection_rows);
            // Accept the step, with new factors where it was slow, or undo it and halve the next one.
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
        // Rows have rotated noticeably: new factors for the velocities.
        if first > TURNED {
            self.struts(link, component);
            link.factor();
        }
        self.project_velocities(link, component)
    }

    /// Displaces the bodies of a component by a fraction of `displacement`; their poses before are kept.
    fn shift_members(&mut self, link: &mut JointScratch<D>, component: usize, share: f64) {
        link.kept.clear();
        for &body in &link.component_bodies[component] {
            // A singular solve leaves the pose as it is.
            let (pose, step) = (self.state.poses[body], &link.displacement[body]);
            link.kept.push(pose);
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[body] = D::advance_pose(&pose, step, share);
            }
        }
    }

    /// Velocity projection dv = A⁻¹ Gᵀ λ with G(v + dv) + W = 0; returns the change of kinetic energy.
    fn project_velocities(&mut self, link: &mut JointScratch<D>, component: usize) -> f64 {
        let energy = |world: &Self| -> f64 {
            let bodies = link.component_bodies[component].iter();
            let each = bodies.map(|&b| world.kinetic_of(b, &world.state.velocities[b]));
            each.sum()
        };
        // Kinetic energy of the component before the projection.
        let before = energy(self);
        let JointScratch {
            right,
            projection_rows: struts,
            ..
        } = link;
        right.clear();
        // Right side: −(G v + W), in kinetic coordinates.
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
            // v ← v + dv.
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

    /// `displacement` = A⁻¹ Gᵀ (ĜĜᵀ)⁺ `right` for the bodies of a component.
    fn spread(&self, link: &mut JointScratch<D>, component: usize) {
        let JointScratch {
            gram,
            right,
            projection_rows: struts,
            displacement: moved,
            component_bodies: members,
            ..
        } = link;
        // Multipliers λ = (ĜĜᵀ)⁺ b, then Ĝᵀλ by body, then A^-½.
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

    /// Held rows of a component at the present poses.
    pub(super) fn struts(&self, link: &mut JointScratch<D>, component: usize) {
        link.projection_rows.clear();
        for k in 0..link.components[component].len() {
            let number = link.components[component][k];
            let joint = &self.model.joints[number];
            let ends = joint.placed_frames(&self.state.poses);
            link.held.clear();
            joint.bilateral_constraints(&ends, &mut link.held);
            for held in &link.held {
                // Angles are compared as they are, lengths relative to the joint's length scale.
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

    /// Updates Φ of the rows at the present poses; the rows themselves stay.
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

    /// A row of a joint at the present poses, with value 0.
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
            // A body that is not movable contributes its velocity to W.
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

/// Largest |Φ| relative to the bodies; 0 if it is rounding error.
fn drift(struts: &[ProjectionRow]) -> f64 {
    let worst = struts
        .iter()
        .fold(0.0_f64, |most, s| most.max((s.value / s.size).abs()));
    if worst > ENOUGH { worst } else { 0.0 }
}
