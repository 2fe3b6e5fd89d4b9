//! Interpolation within one step.
//!
//! ```text
//! time stepping:  q(t_I + τ) = q_I moved along v_I for τ ≤ (1−θ)h, then along v_F     (M88 11.1)
//!                 v(t) = v_I for t < t_F
//! event-driven:   cubic Hermite in (q_I, q̇_I, q_F, q̇_F); around a jump of the velocity the motion
//!                 along v_I before it and back along v_F after it
//! ```
//!
//! The remainder at t_F (a position correction, a configuration space that is not flat) is
//! distributed over the step in proportion to time, so that both ends are met exactly.

use percuss_mechanism::{ConfigurationSpace, Coordinate, Event, EventKind, Scheme};
use percuss_scene::BuiltMechanism;

/// Interpolation of positions and velocities between the ends of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interpolation {
    /// Along v_I for this share of the step, then along v_F; velocities are piecewise constant.
    PiecewiseConstant(f64),
    /// Cubic Hermite, except for jumps at events.
    Smooth,
}

impl Interpolation {
    /// The interpolation that agrees with the integrator of a built scene: along the mean velocity of
    /// the step for a sweeping process.
    pub fn of_built(built: &BuiltMechanism) -> Self {
        match built.sweep {
            Some(_) => Self::PiecewiseConstant(0.0),
            None => Self::of(built.settings.scheme),
        }
    }

    /// The interpolation that agrees with the integrator of a scheme.
    pub fn of(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Midpoint | Scheme::Projected => Self::PiecewiseConstant(0.5),
            Scheme::Theta(theta) => Self::PiecewiseConstant(1.0 - theta),
            Scheme::Paoli => Self::PiecewiseConstant(1.0),
            Scheme::Event => Self::Smooth,
        }
    }
}

/// The two ends of a step, and its events.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// Time, positions and right-continuous velocities at the beginning.
    pub begin: (f64, &'a [f64], &'a [f64]),
    /// The same at the end.
    pub end: (f64, &'a [f64], &'a [f64]),
    /// The events of the step.
    pub events: &'a [Event],
}

/// Whether the velocity jumps at an event.
fn jumps(event: &Event) -> bool {
    match event.kind {
        EventKind::Impact { .. }
        | EventKind::Accumulation
        | EventKind::Painleve { .. }
        | EventKind::Locked => true,
        EventKind::Touch | EventKind::Detach | EventKind::Stick | EventKind::Slip => false,
    }
}

impl Segment<'_> {
    /// Positions and right-continuous velocities at `t`, clamped to the step.
    pub fn sample(
        &self,
        chart: &ConfigurationSpace,
        between: Interpolation,
        t: f64,
        q: &mut Vec<f64>,
        v: &mut Vec<f64>,
    ) {
        let (t0, q0, v0) = self.begin;
        let (t1, q1, v1) = self.end;
        q.clear();
        v.clear();
        // At and beyond the ends the states themselves.
        if !(t < t1) {
            q.extend_from_slice(q1);
            v.extend_from_slice(v1);
            return;
        }
        q.extend_from_slice(q0);
        v.extend_from_slice(v0);
        if !(t > t0) {
            return;
        }
        match between {
            Interpolation::PiecewiseConstant(share) => self.held(chart, share, t, q),
            Interpolation::Smooth => match self.jump_span() {
                None => self.hermite(chart, t, q, v),
                Some((first, last)) => self.around(chart, first, last, t, q, v),
            },
        }
    }

    /// Whether the velocity jumps in the step.
    pub fn has_jump(&self) -> bool {
        self.events.iter().any(jumps)
    }

    /// Times of the first and last velocity jump in the step.
    fn jump_span(&self) -> Option<(f64, f64)> {
        // Only events with velocity jumps.
        let instants = self.events.iter().filter(|e| jumps(e)).map(|e| e.t);
        instants.fold(None, |span: Option<(f64, f64)>, t| match span {
            None => Some((t, t)),
            Some((first, last)) => Some((first.min(t), last.max(t))),
        })
    }

    /// Positions that go with velocities linear in time, q_I + v_I τ + (v_F − v_I) τ²/2h, with the remainder at t_F
    /// distributed over the step.
    pub fn quadratic(&self, chart: &ConfigurationSpace, t: f64, q: &mut Vec<f64>) {
        let (t0, q0, v0) = self.begin;
        let (t1, q1, v1) = self.end;
        let (h, time) = (t1 - t0, t - t0);
        // τ²/2h of the time along v_F, the rest along v_I.
        let moved = |q: &mut [f64], time: f64| {
            let after = 0.5 * time * time / h;
            chart.integrate(q, v0, time - after);
            chart.integrate(q, v1, after);
        };
        let mut whole = q0.to_vec();
        moved(&mut whole, h);
        q.clear();
        q.extend_from_slice(q0);
        moved(q, time);
        for i in 0..q.len() {
            q[i] += time / h * (q1[i] - whole[i]);
        }
        chart.normalise(q);
    }

    /// Piecewise constant velocities, with the remainder at t_F distributed over the step.
    fn held(&self, chart: &ConfigurationSpace, share: f64, t: f64, q: &mut [f64]) {
        let (t0, q0, v0) = self.begin;
        let (t1, q1, v1) = self.end;
        let h = t1 - t0;
        let first = share * h;
        // Motion along v_I, then along v_F.
        let moved = |q: &mut [f64], time: f64| {
            chart.integrate(q, v0, time.min(first));
            if time > first {
                chart.integrate(q, v1, time - first);
            }
        };
        let mut whole = q0.to_vec();
        moved(&mut whole, h);
        moved(q, t - t0);
        // Both ends are met exactly.
        let ahead = (t - t0) / h;
        for i in 0..q.len() {
            q[i] += ahead * (q1[i] - whole[i]);
        }
        chart.normalise(q);
    }

    /// Cubic Hermite interpolation in (q_I, q̇_I, q_F, q̇_F).
    fn hermite(&self, chart: &ConfigurationSpace, t: f64, q: &mut [f64], v: &mut [f64]) {
        let (t0, q0, v0) = self.begin;
        let (t1, q1, v1) = self.end;
        let h = t1 - t0;
        let s = (t - t0) / h;
        // Rates of the positions; those of a quaternion are not its angular velocity.
        let (mut rate0, mut rate1) = (vec![0.0; q0.len()], vec![0.0; q0.len()]);
        chart.position_rate_into(q0, v0, &mut rate0);
        chart.position_rate_into(q1, v1, &mut rate1);
        let (s2, s3) = (s * s, s * s * s);
        let (b1, m0, m1) = (3.0 * s2 - 2.0 * s3, s3 - 2.0 * s2 + s, s3 - s2);
        for i in 0..q.len() {
            q[i] = q0[i] + b1 * (q1[i] - q0[i]) + h * (m0 * rate0[i] + m1 * rate1[i]);
        }
        chart.normalise(q);
        // Velocities by coordinate.
        let (mut p, mut k) = (0, 0);
        for coordinate in chart.coordinates() {
            match coordinate {
                // The derivative of the cubic: one order better than linear interpolation of v_I
                // and v_F.
                Coordinate::Length | Coordinate::Angle => {
                    let slope = 6.0 * (s - s2) / h * (q1[p] - q0[p]);
                    let ends = (3.0 * s2 - 4.0 * s + 1.0) * v0[k] + (3.0 * s2 - 2.0 * s) * v1[k];
                    v[k] = slope + ends;
                }
                Coordinate::Orientation => {
                    (k..k + 3).for_each(|i| v[i] = v0[i] + s * (v1[i] - v0[i]))
                }
            }
            p += coordinate.num_positions();
            k += coordinate.num_velocities();
        }
    }

    /// Interpolation around velocity jumps between `first` and `last`: along v_I before, back along
    /// v_F after.
    fn around(
        &self,
        chart: &ConfigurationSpace,
        first: f64,
        last: f64,
        t: f64,
        q: &mut Vec<f64>,
        v: &mut [f64],
    ) {
        let (t0, q0, v0) = self.begin;
        let (t1, q1, v1) = self.end;
        // Extrapolation of the two ends.
        let before = |q: &mut Vec<f64>, t: f64| {
            q.clear();
            q.extend_from_slice(q0);
            chart.integrate(q, v0, t - t0);
        };
        let after = |q: &mut Vec<f64>, t: f64| {
            q.clear();
            q.extend_from_slice(q1);
            chart.integrate(q, v1, t - t1);
        };
        if t < first {
            before(q, t);
        } else if t >= last {
            after(q, t);
            v.copy_from_slice(v1);
        } else {
            // Between two jumps only the states before and after are known: linear interpolation.
            let mut ahead = Vec::new();
            before(q, first);
            after(&mut ahead, last);
            let s = (t - first) / (last - first);
            for i in 0..q.len() {
                q[i] += s * (ahead[i] - q[i]);
            }
            for i in 0..v.len() {
                v[i] = v0[i] + s * (v1[i] - v0[i]);
            }
            chart.normalise(q);
        }
    }
}
