//! Works over an interval of the event-driven integrator.
//!
//! ```text
//! work = ∫ (K·v + ½ vᵀȦv) dt,   sliding = ∫ R_t·U_t dt,   boundary = −∫ R·W dt
//! ```
//!
//! Each by the midpoint or the trapezoidal rule, with an error estimate; the balance of all is as accurate as the
//! motion.

use percuss_scene::model::mechanism::{System, SystemError};

use super::super::report::beyond;
use super::dense::{dot, energy, times};
use super::interval::{ACCURACY, ForcesAt, IntervalBegin};
use super::{MechanismVerifier, RecordedState, advance};

/// A work with its error estimate.
#[derive(Clone, Copy, Default)]
struct WorkEstimate {
    done: f64,
    doubt: f64,
}

impl MechanismVerifier<'_> {
    /// Compares the energies at the end, and the works.
    pub(super) fn compare_span_works(
        &mut self,
        first: &RecordedState,
        last: &RecordedState,
        span: &IntervalBegin,
        known: bool,
    ) -> Result<(), SystemError> {
        // Forces, mass matrices and rows at both ends.
        let ends = [
            self.forces_at(first.t, &first.q, &first.v)?,
            self.forces_at(last.t, &last.q, &last.v)?,
        ];
        let kinetic = [
            energy(&ends[0].mass, &first.v),
            energy(&ends[1].mass, &last.v),
        ];
        self.compare_energies(last, kinetic[1])?;
        let work = self.force_work(&ends, first, last, (span, known))?;
        let [sliding, boundary] = self.friction_and_boundary_work(&ends, first, last);
        let scale = [
            kinetic[0],
            kinetic[1],
            work.done.abs(),
            sliding.doubt,
            boundary.doubt,
        ];
        let scale = scale.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        let recorded = self.step_row.works;
        let mut found = vec![
            ("work", recorded[0], work),
            ("boundary", recorded[3], boundary),
        ];
        // Impact and sliding are separable only without events.
        match span.events {
            true => self.report.skip(
                "event-driven: impact and sliding one by one, in intervals with events: friction that changes its \
                 sense does more work than its sum tells; the balance of the interval has both",
            ),
            false => {
                found.push(("sliding", recorded[2], sliding));
                found.push(("impact", recorded[1], WorkEstimate::default()));
            }
        }
        for (what, recorded, own) in found {
            let off = (recorded - own.done).abs();
            let off = beyond(off, own.doubt + ACCURACY * scale) / scale;
            let place = self.place(what);
            self.report.add_comparison("energy", off, || place);
        }
        let momentum = times(&ends[0].mass, &first.v);
        let each = momentum.iter().zip(&span.doubt);
        // Error estimate of the energy at the beginning.
        let doubt = match known {
            true => 0.0,
            false => each.map(|(p, doubt)| (p * doubt).abs()).sum(),
        };
        self.compare_span_balance(kinetic[1] - kinetic[0], doubt, scale);
        Ok(())
    }

    /// The change of the kinetic energy against the recorded works.
    fn compare_span_balance(&mut self, change: f64, doubt: f64, scale: f64) {
        let works = self.step_row.works;
        let left = beyond((change - works.iter().sum::<f64>()).abs(), doubt);
        let scale = works.iter().fold(scale, |m, w| m.max(w.abs()));
        let place = self.place("the account of the interval");
        self.report
            .add_comparison("balance", left / scale, || place);
    }

    /// Work of the forces: K contains the quadratic velocity terms of Lagrange's equations, which ½ vᵀȦv compensates.
    fn force_work(
        &mut self,
        ends: &[ForcesAt; 2],
        first: &RecordedState,
        last: &RecordedState,
        (span, known): (&IntervalBegin, bool),
    ) -> Result<WorkEstimate, SystemError> {
        let (n, h) = (last.v.len(), self.step_row.h);
        let mean: Vec<f64> = (0..n).map(|i| 0.5 * (first.v[i] + last.v[i])).collect();
        let late: Vec<f64> = (0..n).map(|i| 0.5 * (mean[i] + last.v[i])).collect();
        let chart = self.system.configuration_space().clone();
        // Midpoint rule for the power.
        let mut middle = last.q.clone();
        advance(&chart, &mut middle, &late, -0.5 * h);
        let between = self.forces_at(last.t - 0.5 * h, &middle, &mean)?;
        let both = ends[1].mass.iter().zip(&ends[0].mass);
        let stretch: Vec<f64> = both.map(|(b, a)| b - a).collect();
        let power = |look: &ForcesAt, v: &[f64]| dot(&look.force, v) + energy(&stretch, v);
        // Trapezoidal rule: the difference estimates the error.
        let by_ends = 0.5 * (power(&ends[0], &first.v) + power(&ends[1], &last.v));
        let done = power(&between, &mean);
        let mut doubt = 2.0 * (done - by_ends).abs();
        for i in 0..n {
            let moved = (last.v[i] - first.v[i]).abs();
            let jump = if span.events { moved } else { 0.0 };
            let off = if known { 0.0 } else { span.doubt[i] };
            // Velocities are not linear in time between the ends, nor is their product with the forces.
            let bent = (ends[1].change[i] - ends[0].change[i]).abs();
            let (a, b) = (ends[0].force[i], ends[1].force[i]);
            doubt += (a.abs() + b.abs()) * (jump + off + bent) + (a - b).abs() * moved;
        }
        Ok(WorkEstimate { done, doubt })
    }

    /// Works of friction and of moving boundaries by the trapezoidal rule, each with its error estimate: impulses may
    /// act at any time in between.
    fn friction_and_boundary_work(
        &self,
        ends: &[ForcesAt; 2],
        first: &RecordedState,
        last: &RecordedState,
    ) -> [WorkEstimate; 2] {
        let n = last.v.len();
        let (mut sliding, mut boundary) = (WorkEstimate::default(), WorkEstimate::default());
        for (k, touch) in self.constraint_rows.iter().enumerate() {
            let first_tangent = self.first_tangent(touch.constraint);
            for (row, s) in touch.impulse.iter().enumerate() {
                let velocity = |look: &ForcesAt, v: &[f64]| {
                    let (g, w) = &look.rows[k];
                    (w[row] + dot(&g[row * n..(row + 1) * n], v), w[row])
                };
                let (a, b) = (velocity(&ends[0], &first.v), velocity(&ends[1], &last.v));
                // Tangential rows slide; W alone gives the boundary work.
                if row >= first_tangent {
                    sliding.done += 0.5 * s * (a.0 + b.0);
                    sliding.doubt += 0.5 * (s * (a.0 - b.0)).abs();
                }
                boundary.done -= 0.5 * s * (a.1 + b.1);
                boundary.doubt += 0.5 * (s * (a.1 - b.1)).abs();
            }
        }
        [sliding, boundary]
    }
}
