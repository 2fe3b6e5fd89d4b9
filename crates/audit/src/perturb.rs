//! Perturbation of the initial positions at the level of rounding.

use percuss_bodies::{Dim, Vector};
use percuss_scene::BuiltMechanism;
use percuss_scene::bodies_scene::BodiesSetup;

use super::metric::Metric;
use super::samples;

/// Perturbation of the initial positions relative to the size of the system: far above the rounding
/// of positions, far below every discretisation error.
pub(super) const NUDGE: f64 = 1e-12;

/// Moves every movable body by a length, each in its own direction.
pub(super) fn perturb_bodies<D: Dim>(assembly: &mut BodiesSetup<D>, length: f64) {
    let bodies = assembly.model.bodies.iter().zip(&mut assembly.state.poses);
    for (k, (body, pose)) in bodies.enumerate() {
        let component = |axis: usize| match body.freedom.is_free(axis) {
            true => length * sway(D::N * k + axis),
            false => 0.0,
        };
        let moved: Vec<f64> = (0..D::N).map(component).collect();
        pose.position += D::Vector::from_components(&moved);
    }
}

/// Moves the initial position of a mechanism by a share of its size in the kinetic metric.
pub(super) fn perturb_mechanism(built: &mut BuiltMechanism, metric: &Metric, share: f64) {
    let Metric::Mechanism {
        chart,
        masses,
        size,
    } = metric
    else {
        return;
    };
    let n = chart.num_velocities();
    // A direction with components of equal kinetic length, normalised in the kinetic metric.
    let mass = masses.first().cloned().unwrap_or_else(|| identity(n));
    let along = |k: usize| sway(k) / mass[k * n + k].abs().sqrt().max(f64::MIN_POSITIVE);
    let direction: Vec<f64> = (0..n).map(along).collect();
    let norm = samples::form(&mass, &direction).sqrt();
    if norm > 0.0 && norm.is_finite() {
        chart.integrate(&mut built.initial.q, &direction, share * size / norm);
    }
}

/// A pseudorandom number in [−1, −½] or [½, 1], the same in every audit.
fn sway(k: usize) -> f64 {
    // Multiples of the golden ratio, modulo 1, are equidistributed.
    let fraction = ((k + 1) as f64 * 0.618_033_988_749_895).fract();
    let magnitude = 0.5 + 0.5 * (fraction * 7.0).fract();
    if fraction < 0.5 {
        -magnitude
    } else {
        magnitude
    }
}

/// The unit matrix.
pub(super) fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|k| f64::from(u8::from(k / n.max(1) == k % n.max(1))))
        .collect()
}
