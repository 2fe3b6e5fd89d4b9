//! Intervals of the event-driven integrator: their ends, their momentum, their works.
//!
//! ```text
//! v_I = v_F − A⁻¹(hK + Σ Gᵀ S)        A, K, G at the middle of the interval, S the recorded impulses
//! ```
//!
//! Reactions between recorded times are integrals. The midpoint rule gives v_I to the third order of h; the
//! trapezoidal rule differs from it by three times its error, which gives an error estimate. Impulses may act at any
//! time of the interval: the change of G over it is added to the estimate and, where the records have events in it,
//! the change of the forces. Where the state before is recorded it is compared with v_I, otherwise v_I replaces it.

use percuss_scene::model::mechanism::{ConstraintKind, StateRef, System, SystemError};

use super::super::laws::Rule;
use super::super::report::{RowRange, beyond};
use super::dense::{dot, solve};
use super::rules::rules;
use super::step::size;
use super::{ConstraintRow, MechanismVerifier, RecordedState, advance};

/// Tolerance; the integrator keeps its errors below 1e-12 of positions and velocities.
pub(super) const ACCURACY: f64 = 1e-9;

/// Fixed-point iterations for the beginning of an interval.
const ROUNDS: usize = 30;

/// The beginning of an interval, reconstructed from its end.
pub(super) struct IntervalBegin {
    pub first: RecordedState,
    /// Error estimate of each velocity.
    pub doubt: Vec<f64>,
    /// Whether the records have events in the interval.
    pub events: bool,
}

/// Forces at one time: A⁻¹(hK + Σ GᵀS), hK, A, and G and W of the constraints.
pub(super) struct ForcesAt {
    pub change: Vec<f64>,
    pub force: Vec<f64>,
    pub mass: Vec<f64>,
    pub rows: Vec<(Vec<f64>, Vec<f64>)>,
}

impl MechanismVerifier<'_> {
    /// Verifies one interval between recorded times.
    pub(super) fn interval(
        &mut self,
        before: Option<&RecordedState>,
        last: &RecordedState,
        events: bool,
    ) -> Result<(), SystemError> {
        self.report.skip(
            "event-driven: reactions between recorded instants are integrals that the records do not hold; \
             momentum and works are compared to within the error of a quadrature over the interval, laws by the \
             bounds of impulses",
        );
        self.compare_gaps(last)?;
        self.compare_extent(last)?;
        // A run that begins with an impact: the first interval starts from the velocities of the scene.
        let opening = self
            .opening
            .take()
            .filter(|_| before.is_some_and(|b| b.step == 0));
        let known = opening.as_ref().or(before);
        let events = events || opening.is_some() || self.reverses();
        let span = self.interval_begin(last, events)?;
        // Velocities at both ends and impulses of every active constraint.
        for k in 0..self.constraint_rows.len() {
            let touch = self.constraint_rows[k].clone();
            let what = self.name(touch.constraint);
            let (off, _) = self.row_off(touch.constraint, last.t, &last.q, &last.v, &touch.end)?;
            let place = self.place(what.clone());
            self.report.add_comparison("end", off, || place);
            self.compare_begin(&touch, known, &span)?;
            self.compare_bounds(&touch, last)?;
        }
        // Velocities and positions at the beginning against the recorded state.
        if let Some(known) = known {
            for i in 0..last.v.len() {
                let off = (span.first.v[i] - known.v[i]).abs() / span.doubt[i];
                let place = self.place(format!("`{}`", self.layout.velocities[i]));
                self.report.add_comparison("interval", off, || place);
            }
            self.compare_path(known, last)?;
        } else {
            self.list_unseen_positions(last)?;
        }
        self.compare_blank(&span);
        let first = known.cloned().unwrap_or_else(|| span.first.clone());
        self.compare_span_works(&first, last, &span, known.is_some())
    }

    /// Whether a constraint reverses its velocity: forces and friction then jump within the interval, with or without
    /// an event.
    fn reverses(&self) -> bool {
        let mut all = self.constraint_rows.iter();
        all.any(|touch| dot(&touch.begin, &touch.end) < 0.0)
    }

    /// A⁻¹(hK + Σ GᵀS) with everything evaluated at one time.
    pub(super) fn forces_at(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<ForcesAt, SystemError> {
        let n = v.len();
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        self.system.dynamics(t, q, v, &mut mass, &mut force)?;
        force.iter_mut().for_each(|k| *k *= self.step_row.h);
        let mut sum = force.clone();
        let mut rows = Vec::with_capacity(self.constraint_rows.len());
        for k in 0..self.constraint_rows.len() {
            let both = self.rows_of(self.constraint_rows[k].constraint, t, q)?;
            for (s, g) in self.constraint_rows[k]
                .impulse
                .iter()
                .zip(both.0.chunks(n.max(1)))
            {
                sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
            rows.push(both);
        }
        Ok(ForcesAt {
            change: solve(&mass, &sum).unwrap_or_else(|| vec![f64::NAN; n]),
            force,
            mass,
            rows,
        })
    }

    /// Reconstructs the beginning of the interval that ends at `last`.
    fn interval_begin(
        &mut self,
        last: &RecordedState,
        events: bool,
    ) -> Result<IntervalBegin, SystemError> {
        let (n, h) = (last.v.len(), self.step_row.h);
        let chart = self.system.configuration_space().clone();
        let end = self.forces_at(last.t, &last.q, &last.v)?;
        let mut first = RecordedState {
            step: last.step - 1,
            t: last.t - h,
            ..last.clone()
        };
        // Fixed-point iteration of the midpoint rule, backwards in time.
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let mean: Vec<f64> = (0..n).map(|i| 0.5 * (first.v[i] + last.v[i])).collect();
            let late: Vec<f64> = (0..n).map(|i| 0.5 * (mean[i] + last.v[i])).collect();
            let mut middle = last.q.clone();
            advance(&chart, &mut middle, &late, -0.5 * h);
            first.q.clone_from(&last.q);
            advance(&chart, &mut first.q, &mean, -h);
            let look = self.forces_at(last.t - 0.5 * h, &middle, &mean)?;
            let left = (0..n).fold(0.0_f64, |m, i| {
                m.max((last.v[i] - look.change[i] - first.v[i]).abs())
            });
            first.v = (0..n).map(|i| last.v[i] - look.change[i]).collect();
            let scale = size(&first.v).max(size(&last.v)).max(f64::MIN_POSITIVE);
            if left <= 1e-15 * scale || (left <= 1e-12 * scale && left >= 0.5 * least) {
                break;
            }
            least = least.min(left);
        }
        // Error estimate from the forces at both ends.
        let begin = self.forces_at(first.t, &first.q, &first.v)?;
        let doubt = self.doubt(last, &first, [&begin, &end], events);
        Ok(IntervalBegin {
            first,
            doubt,
            events,
        })
    }

    /// Error estimate of each velocity at the beginning.
    fn doubt(
        &self,
        last: &RecordedState,
        first: &RecordedState,
        ends: [&ForcesAt; 2],
        events: bool,
    ) -> Vec<f64> {
        let n = last.v.len();
        let [begin, end] = ends;
        // Change of G over the interval, weighted with the impulses.
        let mut loose = vec![0.0; n];
        for (k, touch) in self.constraint_rows.iter().enumerate() {
            for (row, s) in touch.impulse.iter().enumerate() {
                let of = |look: &ForcesAt, i: usize| look.rows[k].0[row * n + i];
                for (i, loose) in loose.iter_mut().enumerate() {
                    let (a, b) = (of(begin, i), of(end, i));
                    *loose += s.abs() * ((a - b).abs() + ACCURACY * (a.abs() + b.abs()));
                }
            }
        }
        // Change of forces and mass matrix, where events may separate them.
        let jump = if events { 4.0 } else { 0.0 };
        for (i, loose) in loose.iter_mut().enumerate() {
            let (a, b) = (begin.force[i], end.force[i]);
            *loose += jump * (a - b).abs() + ACCURACY * (a.abs() + b.abs());
            for j in 0..n {
                let (a, b) = (begin.mass[i * n + j], end.mass[i * n + j]);
                let moved = (last.v[j] - first.v[j]).abs();
                let speed = last.v[j].abs() + first.v[j].abs();
                *loose += jump * (a - b).abs() * moved + ACCURACY * (a.abs() + b.abs()) * speed;
            }
        }
        // |A⁻¹| applied to these, and the difference between midpoint and trapezoidal rule.
        let mut doubt: Vec<f64> = (0..n)
            .map(|i| {
                let ends = 0.5 * (begin.change[i] + end.change[i]);
                2.0 * (last.v[i] - ends - first.v[i]).abs() + f64::MIN_POSITIVE
            })
            .collect();
        for (j, loose) in loose.iter().enumerate() {
            let mut unit = vec![0.0; n];
            unit[j] = *loose;
            let column = solve(&end.mass, &unit).unwrap_or_else(|| vec![f64::INFINITY; n]);
            let both = doubt.iter_mut().zip(column);
            both.for_each(|(doubt, c)| *doubt += 2.0 * c.abs());
        }
        doubt
    }

    /// Velocities of a constraint before the interval.
    fn compare_begin(
        &mut self,
        touch: &ConstraintRow,
        known: Option<&RecordedState>,
        span: &IntervalBegin,
    ) -> Result<(), SystemError> {
        let constraint = touch.constraint;
        let mut off = 0.0;
        if let Some(known) = known {
            (off, _) = self.row_off(constraint, known.t, &known.q, &known.v, &touch.begin)?;
        } else {
            let (first, n) = (&span.first, span.first.v.len());
            let (g, w) = self.rows_of(constraint, first.t, &first.q)?;
            for (row, recorded) in touch.begin.iter().enumerate() {
                let g = &g[row * n..(row + 1) * n];
                let with = |v: &[f64]| g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum::<f64>();
                let left = beyond(
                    (w[row] + dot(g, &first.v) - recorded).abs(),
                    with(&span.doubt),
                );
                // Near rest the terms themselves are rounding.
                let terms = w[row].abs() + with(&first.v).max(recorded.abs());
                off = f64::max(off, left / terms.max(f64::MIN_POSITIVE));
            }
        }
        let place = self.place(self.name(constraint));
        self.report.add_comparison("begin", off, || place);
        Ok(())
    }

    /// Impulses of contacts are compressive and within the friction cone.
    fn compare_bounds(
        &mut self,
        touch: &ConstraintRow,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        if self.system.constraints()[touch.constraint].kind != ConstraintKind::Contact {
            return Ok(());
        }
        let at = StateRef {
            t: last.t,
            q: &last.q,
            v: &last.v,
        };
        let status = percuss_contact::law::Status::Open;
        let law = self
            .system
            .law(touch.constraint, at, self.step_row.h, status)?;
        let s = &touch.impulse;
        let whole = s
            .iter()
            .map(|s| s.abs())
            .sum::<f64>()
            .max(f64::MIN_POSITIVE);
        // Distance from the cone, for the most favourable rule.
        let mut least = f64::INFINITY;
        for rule in rules(&law, s.len(), false) {
            let mut off = (-s[0]).max(0.0);
            if let (Rule::Cone(section), true) = (&rule, s.len() > 1) {
                let mut nearest = s[1..].to_vec();
                section.nearest(s[0].max(0.0), &mut nearest);
                let out = nearest.iter().zip(&s[1..]).map(|(a, b)| (a - b).abs());
                off = out.fold(off, f64::max);
            }
            least = least.min(off / whole);
        }
        let place = self.place(self.name(touch.constraint));
        let share = least / self.settings.tolerance.max(ACCURACY);
        self.report.add_comparison("laws", share, || place);
        Ok(())
    }

    /// Figures that are 0 in an interval without events, and those that always are.
    fn compare_blank(&mut self, span: &IntervalBegin) {
        let account = self.step_row;
        let mut wrong = account.forced != 0.0 || account.lasting != 0.0;
        let allowed = if account.mixed { 0.0 } else { account.gain };
        wrong |= account.excess != allowed;
        if span.events {
            let why = "made of jumps within an interval, which are not recorded one by one";
            let columns = ["gain", "excess", "mixed"];
            self.report
                .mark_all_unchecked("steps", &columns, RowRange::All, why);
        } else {
            wrong |= account.gain != 0.0 || account.mixed;
        }
        let why = "the largest energy of the run so far is part of it, also between recorded instants: compared from \
                   below";
        self.report
            .mark_unchecked("steps", "turnover", RowRange::All, why);
        let least = account.works[0].abs().max(account.works[3].abs());
        wrong |= !(account.turnover >= least * (1.0 - 1e-12));
        let place = self.place("the account of the interval");
        let off = if wrong { f64::INFINITY } else { 0.0 };
        self.report.add_comparison("books", off, || place);
    }

    /// Positions against the mean of the velocities at both ends, within their difference and the contribution of
    /// accelerations; where contacts act, the velocity may have been that of either end throughout.
    fn compare_path(
        &mut self,
        before: &RecordedState,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        let (n, h) = (last.v.len(), last.t - before.t);
        // Accelerations by the forces at both ends.
        let mut speeds = Vec::new();
        for state in [before, last] {
            let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
            self.system
                .dynamics(state.t, &state.q, &state.v, &mut mass, &mut force)?;
            speeds.push(solve(&mass, &force).unwrap_or_else(|| vec![f64::INFINITY; n]));
        }
        let mean: Vec<f64> = (0..n).map(|i| 0.5 * (before.v[i] + last.v[i])).collect();
        let allowed = |i: usize| {
            let pushed: f64 = 2.0 * h * (speeds[0][i].abs() + speeds[1][i].abs());
            let jump = (last.v[i] - before.v[i]).abs();
            let acts = if self.constraint_rows.is_empty() {
                0.0
            } else {
                1.0
            };
            h * (jump + pushed + acts * (last.v[i].abs() + before.v[i].abs()))
        };
        let chart = self.system.configuration_space().clone();
        let mut q = before.q.clone();
        advance(&chart, &mut q, &mean, h);
        // Coordinate by coordinate; an orientation has four positions and three velocities.
        let (mut p, mut s) = (0, 0);
        let mut found = Vec::new();
        for coordinate in chart.coordinates() {
            let (places, rates) = (coordinate.num_positions(), coordinate.num_velocities());
            let most = (s..s + rates).map(allowed).fold(0.0, f64::max);
            for k in p..p + places {
                let rounding = 1e-9 * (1e-3 + last.q[k].abs());
                found.push((k, (q[k] - last.q[k]).abs() / (most + rounding)));
            }
            (p, s) = (p + places, s + rates);
        }
        for (k, off) in found {
            let place = self.place(format!("`{}`", self.layout.positions[k]));
            self.report.add_comparison("interval", off, || place);
        }
        Ok(())
    }
}
