//! Assembly of contacts with N rows (a normal and the tangents) where no cell follows a stress: nearly all
//! contacts. The same as `Assembler::rows`, with sizes known at compile time, velocities in kinetic coordinates,
//! and without bodies that are fixed:
//!
//! ```text
//! U_I = W_I + Σ Ĝ v̂_I      over the movable bodies, W_I from a kinematic body and from the mean flow
//! ```

use percuss_contact::law::Law;
use percuss_contact::{ProblemBuilder, ProblemError};

use super::{Assembler, NO_GROUP, PairedCandidate, StepInputs, WIDE};
use crate::body::Freedom;
use crate::dynamics::Dynamics;
use percuss_geometry::Vector;

/// Sign of the two bodies in the relative velocity.
const SIGN: [f64; 2] = [-1.0, 1.0];

/// Data of a movable body that its contacts read, gathered in one place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyData<D: Dynamics> {
    pub(super) centre: D::Vector,
    /// Axes of its spin; 1/√m by velocity component; u_I with the spin about these axes.
    pub(super) axes: D::Rotation,
    pub(super) root: D::Dofs,
    pub(super) begin: D::Dofs,
}

/// U_I and W of a contact by row, and the contribution of W and of the mean flow to U_L along the normal.
#[derive(Default)]
struct RowVelocities {
    begin: [f64; 3],
    given: [f64; 3],
    free: f64,
}

/// Gathers the body data of the step; not needed if all movable bodies are spheres of space.
pub(super) fn gather_body_data<D: Dynamics>(inputs: StepInputs<'_, D>, out: &mut Vec<BodyData<D>>) {
    let (cache, midpoint) = (inputs.cache, inputs.midpoint);
    out.clear();
    let ball = |i: usize| cache.group[i] == NO_GROUP || cache.is_sphere[i];
    let count = inputs.model.bodies.len();
    if !(0..count).all(ball) {
        out.extend((0..count).map(|i| BodyData {
            centre: midpoint.poses[i].position,
            axes: midpoint.spin_axes(cache, i),
            root: cache.inverse_sqrt_mass[i],
            begin: midpoint.in_spin_axes(cache, i, &inputs.state.velocities[i]),
        }));
    }
}

impl<D: Dynamics> Assembler<'_, D> {
    /// Adds the contact if it is active; returns U_I by row.
    #[inline]
    pub(super) fn push_fixed_size(
        &self,
        builder: &mut ProblemBuilder,
        law: &Law,
        touched: &PairedCandidate<'_, D>,
    ) -> Result<Option<[f64; 3]>, ProblemError> {
        let groups = touched
            .found
            .bodies
            .map(|i| self.inputs.cache.group[i as usize]);
        let ball = |side: usize| {
            groups[side] == NO_GROUP
                || self.inputs.cache.is_sphere[touched.found.bodies[side] as usize]
        };
        // Spheres have rows of a special form.
        if D::DOF == WIDE && ball(0) && ball(1) {
            return self.push_spheres(builder, law, (touched, groups));
        }
        let touch = &touched.found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let mut sum = RowVelocities::default();
        let (mut blocks, mut normal) = ([D::ZERO_BLOCK; 2], 0.0);
        // Rows of Ĝ and U_I, body by body.
        for side in 0..2 {
            let sign = SIGN[side];
            let body = touched.found.bodies[side] as usize;
            if groups[side] == NO_GROUP {
                self.add_boundary_velocity(touched, (side, sign), &mut sum);
                continue;
            }
            let carrier = &self.body_data[body];
            let lever = at - self.inputs.midpoint.centre(touched.found, side);
            let block = blocks[side].as_mut();
            for (i, (row, axis)) in block.iter_mut().zip(touched.frame.as_ref()).enumerate() {
                let row = row.as_mut();
                D::linear_jacobian_row(&carrier.axes, lever, *axis, row);
                sum.begin[i] += sign * dot(row, carrier.begin.as_ref());
                for (g, root) in row.iter_mut().zip(carrier.root.as_ref()) {
                    *g *= sign * root;
                }
            }
            normal += dot(block[0].as_ref(), block[0].as_ref());
        }
        self.add_mean_flow(touched, &mut sum);
        // Free relative velocity U_L along the normal, evaluated only where activation needs it.
        let approach = || {
            let mut free = sum.free;
            for side in (0..2).filter(|&side| groups[side] != NO_GROUP) {
                let hat = &builder.free()[groups[side] as usize * D::DOF..];
                free += dot(blocks[side].as_ref()[0].as_ref(), hat);
            }
            free
        };
        // A contact whose normal row is zero constrains nothing.
        if !(normal > 0.0) || !self.is_active(touched, approach) {
            return Ok(None);
        }
        let rebound = self.restitution_term(touched, sum.begin);
        // Only movable bodies have a block.
        let both = [0, 1].map(|side| (groups[side] as usize, &blocks[side]));
        let touches = match groups {
            [NO_GROUP, _] => &both[1..],
            [_, NO_GROUP] => &both[..1],
            _ => &both[..],
        };
        D::add_contact(builder, law, touches, &sum.given, &rebound)?;
        Ok(Some(sum.begin))
    }

    /// Contribution of a body that is not movable to U_I and W; none if it is fixed.
    #[inline]
    fn add_boundary_velocity(
        &self,
        touched: &PairedCandidate<'_, D>,
        (side, sign): (usize, f64),
        sum: &mut RowVelocities,
    ) {
        let body = touched.found.bodies[side] as usize;
        if self.inputs.model.bodies[body].freedom == Freedom::Fixed {
            return;
        }
        let touch = &touched.found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let (axes, lever) = (
            self.inputs.midpoint.spin_axes(self.inputs.cache, body),
            at - self.inputs.midpoint.centre(touched.found, side),
        );
        let (u, v) = (
            &self.inputs.state.velocities[body],
            &self.inputs.free.velocity[body],
        );
        for (i, axis) in touched.frame.as_ref().iter().enumerate() {
            let mut row = [0.0; WIDE];
            D::linear_jacobian_row(&axes, lever, *axis, &mut row);
            let dot = |w: &[f64]| sign * (0..D::DOF).map(|k| row[k] * w[k]).sum::<f64>();
            sum.begin[i] += dot(u.as_ref());
            sum.given[i] += dot(v.as_ref());
        }
        sum.free = sum.given[0];
    }

    /// Contribution of the mean flow of a periodic cell.
    #[inline]
    fn add_mean_flow(&self, touched: &PairedCandidate<'_, D>, sum: &mut RowVelocities) {
        if self.inputs.model.cell.is_none() {
            return;
        }
        for (i, axis) in touched.frame.as_ref().iter().enumerate() {
            let [given, begin, free] = self.inputs.flow(touched.found, *axis);
            sum.given[i] += given;
            sum.begin[i] += begin;
            sum.free += if i == 0 { free } else { 0.0 };
        }
    }

    /// Adds a contact of spheres of space whose spin is about world axes: the lever arm is along the normal,
    /// and the rows of each sphere are (s n, 0), (s t1, c t2), (s t2, −c t1).
    #[inline]
    fn push_spheres(
        &self,
        builder: &mut ProblemBuilder,
        law: &Law,
        (touched, groups): (&PairedCandidate<'_, D>, [u32; 2]),
    ) -> Result<Option<[f64; 3]>, ProblemError> {
        let touch = &touched.found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let axes = touched.frame.as_ref();
        let mut sum = RowVelocities::default();
        let (mut balls, mut count) = ([(0, 0.0, 0.0); 2], 0);
        for side in 0..2 {
            let sign = SIGN[side];
            let body = touched.found.bodies[side] as usize;
            if groups[side] == NO_GROUP {
                self.add_boundary_velocity(touched, (side, sign), &mut sum);
                continue;
            }
            let root = self.inputs.cache.inverse_sqrt_mass[body].as_ref();
            // Signed lever arm, and the coefficients of translation and spin.
            let lever = (at - self.inputs.midpoint.centre(touched.found, side)).dot(touch.normal);
            let group = groups[side] as usize;
            let (s, c) = (sign * root[0], sign * lever * root[3]);
            // U_I from the kinetic coordinates: Ĝ v̂_I.
            let hat = &builder.begin()[group * D::DOF..(group + 1) * D::DOF];
            let (v, w) = (
                D::Vector::from_components(&hat[..D::N]),
                D::Vector::from_components(&hat[D::N..]),
            );
            sum.begin[0] += s * axes[0].dot(v);
            sum.begin[1] += s * axes[1].dot(v) + c * axes[2].dot(w);
            sum.begin[2] += s * axes[2].dot(v) - c * axes[1].dot(w);
            balls[count] = (group, s, c);
            count += 1;
        }
        self.add_mean_flow(touched, &mut sum);
        // Free relative velocity U_L along the normal: the spins do not contribute.
        let approach = || {
            let along = |ball: &(usize, f64, f64)| {
                let hat = &builder.free()[ball.0 * D::DOF..];
                ball.1 * axes[0].dot(D::Vector::from_components(&hat[..D::N]))
            };
            sum.free + balls[..count].iter().map(along).sum::<f64>()
        };
        if count == 0 || !self.is_active(touched, approach) {
            return Ok(None);
        }
        let rebound = self.restitution_term(touched, sum.begin);
        let mut frame = [[0.0; 3]; 3];
        for (to, from) in frame.iter_mut().zip(axes) {
            to.copy_from_slice(from.components());
        }
        builder.add_sphere_contact(law, &frame, &balls[..count], &sum.given, &rebound)?;
        Ok(Some(sum.begin))
    }
}

/// Inner product, summed from the first entry on.
#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}
