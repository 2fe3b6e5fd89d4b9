//! Free rotation of a rigid body, exactly conservative: implicit midpoint rule and Cayley's map.
//!
//! Euler's equations in body axes at the mean spin, I(Ω_F − Ω_I) = h[(IΩ̄) × Ω̄ + M], Ω̄ = ½(Ω_I + Ω_F), and the
//! rotation R_F = R_I cay(hΩ̄). With M = 0 the first conserves ½Ω·IΩ and |IΩ|². Written as
//! (1 + ½h Ω̄×) IΩ_F = (1 − ½h Ω̄×) IΩ_I it gives IΩ_F = cay(−hΩ̄) IΩ_I, so that R_F IΩ_F = R_I IΩ_I: the angular
//! momentum in world axes is conserved as a vector.
//!
//! Newton's method solves the equation. Where a step rotates the body by radians it may fail; then the step is divided
//! into equal substeps, up to 1024, each of which conserves energy and |IΩ| exactly, though their mean spin is no
//! longer ½(Ω_I + Ω_F). Steps of more than [`MAX_STEP_ANGLE`] radians cannot resolve a rotation: they leave the spin
//! as it is, except for the change M h/I by the moment.

use glam::{DMat3, DQuat, DVec3};

/// Largest number of Newton iterations; three or four reach rounding unless a step rotates the body by radians.
const ITERATIONS: usize = 20;

/// Largest number of substeps.
const PARTS: u32 = 1024;

/// Largest rotation angle of a step, in radians, for which the spin is integrated.
pub const MAX_STEP_ANGLE: f64 = 1000.0;

/// The rotation R cay(a), a = hΩ̄ in body axes: the unit quaternion along (1, ½a).
#[inline]
pub fn cayley_update(rotation: DQuat, a: DVec3) -> DQuat {
    let step = rotation * DQuat::from_xyzw(0.5 * a.x, 0.5 * a.y, 0.5 * a.z, 1.0);
    let size = step.length();
    if size.is_finite() {
        step / size
    } else {
        // Overflow: the angle is undetermined, the orientation is kept.
        rotation
    }
}

/// The spin at the end of a free step of length h under a constant moment in body axes.
pub fn free_spin(inertia: DVec3, spin: DVec3, moment: DVec3, h: f64) -> DVec3 {
    let i = inertia;
    // Isotropic inertia: no gyroscopic term.
    if i.x == i.y && i.y == i.z {
        return spin + moment * (h / i.x);
    }
    if let Some(end) = implicit(i, spin, moment, h) {
        return end;
    }
    // Newton's method failed: twice as many substeps until it converges.
    if h.abs() * spin.length() <= MAX_STEP_ANGLE {
        let mut parts = 2;
        while parts <= PARTS {
            let part = h / f64::from(parts);
            let follow = |s: Option<DVec3>, _| implicit(i, s?, moment, part);
            if let Some(end) = (0..parts).fold(Some(spin), follow) {
                return end;
            }
            parts *= 2;
        }
    }
    let end = spin + moment * h / i;
    if end.is_finite() { end } else { spin }
}

/// Newton's method for F(Ω) = I(Ω − Ω_I) − h[(IΩ̄) × Ω̄ + M] = 0; `None` if it does not converge.
fn implicit(i: DVec3, spin: DVec3, moment: DVec3, h: f64) -> Option<DVec3> {
    // Predictor: explicit Euler step.
    let mut end = spin + h * (moment + (i * spin).cross(spin)) / i;
    let scale = (i * spin).length() + h.abs() * moment.length();
    let mut least = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let mean = 0.5 * (spin + end);
        let rest = i * (end - spin) - h * ((i * mean).cross(mean) + moment);
        let size = rest.length();
        // Converged: below rounding, or no longer decreasing.
        if size <= 1e-17 * scale || (size >= 0.5 * least && size <= 1e-14 * scale) {
            return Some(end);
        }
        least = least.min(size);
        // dF = I − ½h [ (I·)×Ω̄ + (IΩ̄)×· ].
        let column = |e: DVec3| i * e - 0.5 * h * ((i * e).cross(mean) + (i * mean).cross(e));
        let slope = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        end -= slope.inverse() * rest;
        if !end.is_finite() {
            return None;
        }
    }
    // The rounding of long steps may keep the residual above the stopping bound.
    (least <= 1e-13 * scale).then_some(end)
}
