//! Rotations and angular velocities of a step.

use super::super::vector::{
    M3, Q4, V3, about_z, add, add_scaled, cayley, cross, norm, scale, solve, sub,
};
use super::scene_data::{EmbedInSpace, SpatialPose, Twist};

/// Velocity of the centre.
pub(super) fn linear(speed: &Twist) -> V3 {
    [speed[0], speed[1], speed[2]]
}

/// Angular velocity in body axes.
pub(super) fn spin(speed: &Twist) -> V3 {
    [speed[3], speed[4], speed[5]]
}

pub(super) fn size(speed: &Twist, first: usize) -> f64 {
    norm([speed[first], speed[first + 1], speed[first + 2]])
}

/// The angle in the plane after a rotation, not reduced modulo 2π; 0 in space.
pub(super) fn unreduced_angle<D: EmbedInSpace>(angle: f64, turn: f64) -> f64 {
    match D::N {
        2 => angle + turn,
        _ => 0.0,
    }
}

/// The rotation after a constant angular velocity for a time.
pub(super) fn turned<D: EmbedInSpace>(stand: &SpatialPose, time: f64, spin: V3) -> Q4 {
    match D::N {
        2 => about_z(stand.angle + time * spin[2]),
        _ => cayley(stand.q, scale(spin, time)),
    }
}

/// Ω_L, by Newton's method on J(Ω_L − Ω_I) = h[(JΩ̄) × Ω̄ + M].
pub(super) fn free_spin<D: EmbedInSpace>(masses: &[f64; 6], begin: V3, moment: V3, h: f64) -> V3 {
    let j = [masses[3], masses[4], masses[5]];
    if D::N == 2 {
        return [0.0, 0.0, begin[2] + h * moment[2] / j[2]];
    }
    let times = |v: V3| [j[0] * v[0], j[1] * v[1], j[2] * v[2]];
    // Isotropic inertia has no gyroscopic moment.
    let mut end: V3 = std::array::from_fn(|k| begin[k] + h * moment[k] / j[k]);
    if j[0] == j[1] && j[1] == j[2] {
        return end;
    }
    for _ in 0..30 {
        let mean = scale(add(begin, end), 0.5);
        let turning = add(cross(times(mean), mean), moment);
        // Newton residual and Jacobian.
        let rest = add_scaled(times(sub(end, begin)), turning, -h);
        let column = |k: usize| {
            let mut e = [0.0; 3];
            e[k] = 1.0;
            let slope = add(cross(times(e), mean), cross(times(mean), e));
            add_scaled(times(e), slope, -0.5 * h)
        };
        let columns = [column(0), column(1), column(2)];
        let matrix: M3 = std::array::from_fn(|r| [columns[0][r], columns[1][r], columns[2][r]]);
        let change = solve(&matrix, rest);
        end = sub(end, change);
        if !(norm(change) > 1e-16 * norm(end)) {
            break;
        }
    }
    end
}

/// Gyroscopic moment (JΩ̄) × Ω̄, Ω̄ the mean of two angular velocities in body axes.
pub(super) fn gyroscopic(masses: &[f64; 6], begin: V3, end: V3) -> V3 {
    let mean = scale(add(begin, end), 0.5);
    let momentum = [
        masses[3] * mean[0],
        masses[4] * mean[1],
        masses[5] * mean[2],
    ];
    cross(momentum, mean)
}
