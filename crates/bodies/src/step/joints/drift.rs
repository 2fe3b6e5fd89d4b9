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

use super::{JointProjection, WIDE};
use crate::dynamics::Dynamics;
use crate::joint::JacobianRow;
use crate::model::Model;
use crate::state::State;
use crate::step::NO_GROUP;
use crate::step::balance::kinetic_of;
use crate::step::scratch::ModelCache;

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

/// Accuracy of sparse solves: of a Newton step, whose rest the next one sees; of a projected velocity, relative to its
/// change, and to the velocity itself (two roundings).
const NEWTON: f64 = 1e-4;
const TANGENT: f64 = 1e-10;
const ROUNDING: f64 = 2e-16;

impl<D: Dynamics> JointProjection<D> {
    /// Factors ĜĜᵀ of the present rows, those of a component.
    pub(super) fn factor(&mut self, component: usize, cache: &ModelCache<D>) {
        self.factors
            .factor(component, &cache.joints, D::DOF, &self.projection_rows);
    }
}

/// The projection of joint drift: moves poses and velocities of the state.
pub(crate) struct JointDrift<'a, D: Dynamics> {
    pub model: &'a Model<D>,
    pub state: &'a mut State<D>,
    pub cache: &'a ModelCache<D>,
    pub scratch: &'a mut JointProjection<D>,
}

impl<D: Dynamics> JointDrift<'_, D> {
    /// Projects positions and velocities of all components; returns the change of kinetic energy.
    pub fn project(&mut self) -> f64 {
        let mut change = 0.0;
        for component in 0..self.cache.joints.components.len() {
            change += self.project_component(component);
        }
        change
    }

    /// Projects one component; returns the change of its kinetic energy.
    fn project_component(&mut self, component: usize) -> f64 {
        self.struts(component);
        if self.scratch.projection_rows.is_empty() {
            return 0.0;
        }
        self.scratch.factor(component, self.cache);
        self.scratch
            .displacement
            .resize(self.model.bodies.len(), D::ZERO_VELOCITY);
        // Drift before the projection decides whether the rows are renewed for the velocities.
        let first = drift(&self.scratch.projection_rows);
        let (mut worst, mut share) = (first, 1.0);
        // Damped chord iteration on the positions.
        for _ in 0..STEPS {
            if !(worst > 0.0 && share > LEAST) {
                break;
            }
            let JointProjection {
                right,
                projection_rows: struts,
                ..
            } = &mut *self.scratch;
            right.clear();
            // Newton step: G dq = −Φ.
            right.extend(struts.iter().map(|strut| -strut.value));
            self.spread(component, NEWTON, 0.0);
            self.shift_members(component, share);
            self.revalue(component);
            let now = drift(&self.scratch.projection_rows);
            // Accept the step, with new factors where it was slow, or undo it and halve the next one.
            if now < worst {
                if now > SLOW * worst {
                    self.struts(component);
                    self.scratch.factor(component, self.cache);
                }
                worst = now;
                share = f64::min(1.0, 2.0 * share);
            } else {
                for (&body, pose) in self.cache.joints.component_bodies[component]
                    .iter()
                    .zip(&self.scratch.kept)
                {
                    self.state.poses[body] = *pose;
                }
                self.revalue(component);
                share *= 0.5;
            }
        }
        // Rows have rotated noticeably: new factors for the velocities.
        if first > TURNED {
            self.struts(component);
            self.scratch.factor(component, self.cache);
        }
        self.project_velocities(component)
    }

    /// Displaces the bodies of a component by a fraction of `displacement`; their poses before are kept.
    fn shift_members(&mut self, component: usize, share: f64) {
        self.scratch.kept.clear();
        for &body in &self.cache.joints.component_bodies[component] {
            // A singular solve leaves the pose as it is.
            let (pose, step) = (self.state.poses[body], &self.scratch.displacement[body]);
            self.scratch.kept.push(pose);
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[body] = D::advance_pose(&pose, step, share);
            }
        }
    }

    /// Velocity projection dv = A⁻¹ Gᵀ λ with G(v + dv) + W = 0; returns the change of kinetic energy.
    fn project_velocities(&mut self, component: usize) -> f64 {
        let (cache, members) = (self.cache, &self.cache.joints.component_bodies[component]);
        let energy = |state: &State<D>| -> f64 {
            let each = members
                .iter()
                .map(|&b| kinetic_of(cache, b, &state.velocities[b]));
            each.sum()
        };
        // Kinetic energy of the component before the projection.
        let before = energy(self.state);
        let JointProjection {
            right,
            projection_rows: struts,
            ..
        } = &mut *self.scratch;
        right.clear();
        // Right side: −(G v + W), in kinetic coordinates.
        right.extend(struts.iter().map(|strut| {
            let mut u = strut.given;
            for (&body, block) in strut.bodies.iter().zip(&strut.block) {
                if body == usize::MAX {
                    continue;
                }
                let root = self.cache.inverse_sqrt_mass[body].as_ref();
                for (k, v) in self.state.velocities[body].as_ref().iter().enumerate() {
                    if root[k] > 0.0 {
                        u += block[k] * v / root[k];
                    }
                }
            }
            -u
        }));
        let fastest = self.fastest(component);
        self.spread(component, TANGENT, ROUNDING * fastest);
        for &body in &self.cache.joints.component_bodies[component] {
            // v ← v + dv.
            let step = self.scratch.displacement[body];
            if step.as_ref().iter().all(|s| s.is_finite()) {
                let v = self.state.velocities[body].as_mut();
                for (v, s) in v.iter_mut().zip(step.as_ref()) {
                    *v += s;
                }
            }
        }
        energy(self.state) - before
    }

    /// Largest velocity of a component in kinetic coordinates.
    fn fastest(&self, component: usize) -> f64 {
        let bodies = &self.cache.joints.component_bodies[component];
        let each = bodies.iter().flat_map(|&body| {
            let root = self.cache.inverse_sqrt_mass[body].as_ref();
            let v = self.state.velocities[body].as_ref();
            let moving = v.iter().zip(root).filter(|(_, root)| **root > 0.0);
            moving.map(|(v, root)| (v / root).abs())
        });
        each.fold(0.0, f64::max)
    }

    /// `displacement` = A⁻¹ Gᵀ (ĜĜᵀ)⁺ `right` for the bodies of a component; sparse solves to `enough` of the right side
    /// or to `least`.
    fn spread(&mut self, component: usize, enough: f64, least: f64) {
        let JointProjection {
            factors,
            right,
            projection_rows: struts,
            displacement: moved,
            ..
        } = &mut *self.scratch;
        let members = &self.cache.joints.component_bodies;
        // Multipliers λ = (ĜĜᵀ)⁺ b, then Ĝᵀλ by body, then A^-½.
        factors.solve(right, enough, least);
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
            let root = self.cache.inverse_sqrt_mass[body].as_ref();
            let entries = moved[body].as_mut().iter_mut().zip(root);
            entries.for_each(|(sum, root)| *sum *= root);
        }
    }

    /// Held rows of a component at the present poses.
    pub(super) fn struts(&mut self, component: usize) {
        self.scratch.projection_rows.clear();
        for k in 0..self.cache.joints.components[component].len() {
            let number = self.cache.joints.components[component][k];
            let joint = &self.model.joints[number];
            let ends = joint.placed_frames(&self.state.poses);
            self.scratch.held.clear();
            joint.bilateral_constraints(&ends, &mut self.scratch.held);
            for held in &self.scratch.held {
                // Angles are compared as they are, lengths relative to the joint's length scale.
                let mut strut = self.strut(number, &held.row);
                strut.value = held.value;
                strut.size = if held.row.angular {
                    1.0
                } else {
                    self.cache.joints.length_scale[number]
                };
                self.scratch.projection_rows.push(strut);
            }
        }
    }

    /// Updates Φ of the rows at the present poses; the rows themselves stay.
    fn revalue(&mut self, component: usize) {
        let mut at = 0;
        for k in 0..self.cache.joints.components[component].len() {
            let joint = &self.model.joints[self.cache.joints.components[component][k]];
            let ends = joint.placed_frames(&self.state.poses);
            self.scratch.held.clear();
            joint.bilateral_constraints(&ends, &mut self.scratch.held);
            for held in &self.scratch.held {
                if let Some(strut) = self.scratch.projection_rows.get_mut(at) {
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
            if self.cache.group[body] == NO_GROUP {
                let v = self.state.velocities[body].as_ref();
                strut.given += sign * entries.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
                continue;
            }
            strut.bodies[k] = body;
            let root = self.cache.inverse_sqrt_mass[body].as_ref();
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
