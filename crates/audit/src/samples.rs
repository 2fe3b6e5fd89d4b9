//! Configurations of a run at the common instants of an audit.

use percuss_bodies::{Dim, Vector, World};
use percuss_mechanism::System;
use percuss_record::{Observer, Step, WorldRef};
use percuss_run::Trajectory;
use percuss_scene::{SceneError, SymbolicSystem};

/// Largest number of instants.
const INSTANTS: usize = 400;

/// Smallest number of instants, however many bodies there are.
const FEWEST: usize = 20;

/// Largest number of poses kept of a run, so that a large scene fits into memory.
const PLACEMENTS: usize = 4_000_000;

/// Configurations of a run at the common instants, as far as it came.
#[derive(Debug, Clone, Default)]
pub(super) struct Samples {
    /// Length of a configuration.
    pub width: usize,
    /// Configurations one after the other.
    pub data: Vec<f64>,
    /// Kinetic and potential energy at each instant; the energy of joint springs is not included.
    pub energies: Vec<f64>,
}

impl Samples {
    /// Number of instants.
    pub fn len(&self) -> usize {
        self.energies.len()
    }

    /// The configuration at an instant.
    pub fn at(&self, k: usize) -> &[f64] {
        &self.data[k * self.width..(k + 1) * self.width]
    }
}

/// Numbers of the steps of the reference whose ends are the common instants, the start first and
/// the end last.
pub(super) fn instants(steps: usize, bodies: usize) -> Vec<usize> {
    // The number of instants is bounded by memory.
    let most = (PLACEMENTS / bodies.max(1)).clamp(FEWEST, INSTANTS);
    let stride = steps.div_ceil(most).max(1);
    let mut all: Vec<usize> = (0..=steps).step_by(stride).collect();
    if all.last() != Some(&steps) {
        all.push(steps);
    }
    all
}

/// Samples the configurations of bodies while they run.
pub(super) struct Sampler<'a> {
    /// Steps of the reference at whose ends samples are taken.
    pub instants: &'a [usize],
    /// Steps of this run per step of the reference.
    pub ratio: usize,
    /// The movable bodies.
    pub movable: &'a [u32],
    /// The samples so far.
    pub samples: Samples,
    /// Times of the samples.
    pub times: Vec<f64>,
}

impl Observer for Sampler<'_> {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        // Step k of the reference ends with step k·ratio of this run.
        let due = self.instants.get(self.samples.len());
        if due.is_some_and(|due| due * self.ratio == step.number) {
            match step.world() {
                Some(WorldRef::Plane(world)) => self.take(world),
                Some(WorldRef::Space(world)) => self.take(world),
                None => {}
            }
        }
        Ok(())
    }
}

impl Sampler<'_> {
    /// Takes centre and body axes of every movable body.
    fn take<D: Dim>(&mut self, world: &World<D>) {
        self.samples.width = self.movable.len() * (D::N + D::N * D::N);
        // Position, then the rotated axes: continuous in the orientation, unlike angles.
        let (state, ledger) = (world.state(), world.report());
        for &body in self.movable {
            let pose = &state.poses[body as usize];
            self.samples
                .data
                .extend_from_slice(pose.position.components());
            for axis in 0..D::N {
                let mut unit = [0.0; 3];
                unit[axis] = 1.0;
                let turned = D::rotate(&pose.rotation, D::Vector::from_components(&unit[..D::N]));
                self.samples.data.extend_from_slice(turned.components());
            }
        }
        self.samples
            .energies
            .push(ledger.kinetic + ledger.potential);
        self.times.push(state.t);
    }
}

/// The configurations of a mechanism at the instants that it reached.
pub(super) fn of_trajectory(
    trajectory: &Trajectory,
    system: &mut SymbolicSystem,
    times: &[f64],
) -> Samples {
    let chart = trajectory.chart().clone();
    let n = chart.num_velocities();
    let mut samples = Samples {
        width: chart.num_positions(),
        ..Samples::default()
    };
    // A run that could not start has no samples.
    let Some(end) = trajectory.end() else {
        return samples;
    };
    let (mut q, mut v) = (Vec::new(), Vec::new());
    let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
    for (k, t) in times.iter().enumerate() {
        // Sums of steps differ by rounding: a thousandth of an interval is tolerated.
        let interval = if k > 0 { t - times[k - 1] } else { 0.0 };
        if *t > end + 1e-3 * interval {
            break;
        }
        trajectory.sample(*t, &mut q, &mut v);
        // Energy ½ vᵀA v + V; NaN where an expression has no value.
        let evaluated = system.dynamics(*t, &q, &v, &mut mass, &mut force);
        let potential = system.potential(*t, &q).unwrap_or(f64::NAN);
        let energy = match evaluated {
            Ok(()) => 0.5 * form(&mass, &v) + potential,
            Err(_) => f64::NAN,
        };
        samples.data.extend_from_slice(&q);
        samples.energies.push(energy);
    }
    samples
}

/// The quadratic form vᵀ A v of a square matrix stored by rows.
pub(super) fn form(matrix: &[f64], v: &[f64]) -> f64 {
    let rows = matrix.chunks_exact(v.len().max(1)).zip(v);
    rows.map(|(row, x)| x * row.iter().zip(v).map(|(a, y)| a * y).sum::<f64>())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_few_and_hold_start_and_end() {
        for (steps, bodies) in [
            (1, 1),
            (399, 1),
            (5000, 176),
            (100_000, 3),
            (977, 1_000_000),
        ] {
            let all = instants(steps, bodies);
            assert_eq!((all.first(), all.last()), (Some(&0), Some(&steps)));
            assert!(all.len() <= INSTANTS + 2 && all.windows(2).all(|w| w[0] < w[1]));
            assert!(all.len() * bodies <= PLACEMENTS.max((FEWEST + 2) * bodies));
        }
    }

    #[test]
    fn a_quadratic_form_is_the_sum_of_products() {
        assert_eq!(form(&[2.0, 1.0, 1.0, 3.0], &[1.0, -2.0]), 2.0 - 4.0 + 12.0);
        assert_eq!(form(&[], &[]), 0.0);
    }
}
