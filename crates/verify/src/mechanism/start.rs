//! The first recorded state against the scene's initial values.

use percuss_scene::model::mechanism::{Scheme, State as Initial, System};

use super::super::report::{RowRange, beyond};
use super::dense::dot;
use super::step::size;
use super::{MechanismVerifier, RecordedState};

/// Joints of a scene may be off by this share of the coordinates, and are closed before the first step.
const JOINED: f64 = 1e-6;

/// Gaps up to this share of the coordinates may count as closed at the start.
const CLOSED: f64 = 1e-6;

/// A contact is at rest whose velocity is below this share of the terms of its velocity.
const STILL: f64 = 1e-12;

impl MechanismVerifier<'_> {
    pub(super) fn compare_start(&mut self, given: &Initial, first: &RecordedState) {
        if first.step != 0 {
            self.report
                .skip("the start: the first recorded state is a later one");
            return;
        }
        (self.step, self.t) = (first.step, first.t);
        let mut constraints = self.system.constraints().iter();
        let joined = constraints.any(|c| !c.is_contact() && c.num_gaps() > 0);
        // Positions, up to the closing of joints.
        let explained = if joined { JOINED } else { 0.0 };
        if joined {
            self.report.skip(
                "where joints start, within a millionth of the coordinates: they are put together there",
            );
        }
        let time = (first.t - given.t).abs() / (1.0 + given.t.abs());
        let place = self.place("the time");
        self.report.add_comparison("start", time, || place);
        let names = self.layout.positions.clone();
        self.compare_values(&names, &given.q, &first.q, explained);
        if self.settings.scheme == Scheme::Event && self.may_collide(given) {
            let why = "the event-driven start includes the impact of contacts that are closed and approach there";
            for name in self.layout.velocities.clone() {
                self.report
                    .mark_unchecked("coordinates", &name, RowRange::First, why);
            }
            // The first interval begins before that impact.
            self.opening = Some(RecordedState {
                v: given.v.clone(),
                ..first.clone()
            });
            return;
        }
        // Velocities.
        let names = self.layout.velocities.clone();
        self.compare_values(&names, &given.v, &first.v, 0.0);
    }

    fn compare_values(&mut self, names: &[String], given: &[f64], found: &[f64], explained: f64) {
        let whole = size(given).max(f64::MIN_POSITIVE);
        for (name, (given, found)) in names.iter().zip(given.iter().zip(found)) {
            let off = beyond((given - found).abs() / whole, explained);
            let place = self.place(format!("`{name}`"));
            self.report.add_comparison("start", off, || place);
        }
    }

    /// Whether a contact of the initial state is closed and approaching, or cannot be evaluated.
    fn may_collide(&mut self, given: &Initial) -> bool {
        let total = self.first_gap.last().copied().unwrap_or(0);
        let mut gaps = vec![0.0; total];
        if self.system.gaps(given.t, &given.q, &mut gaps).is_err() {
            return true;
        }
        // Closed contacts whose normal velocity is negative.
        let near = CLOSED * (1.0 + size(&given.q));
        for i in 0..self.system.constraints().len() {
            let contact = self.system.constraints()[i].is_contact();
            let far = gaps.get(self.first_gap[i]).is_some_and(|gap| *gap > near);
            if !contact || far {
                continue;
            }
            let Ok((g, w)) = self.rows_of(i, given.t, &given.q) else {
                return true;
            };
            let g = &g[..given.v.len()];
            let terms = g.iter().zip(&given.v).map(|(g, v)| (g * v).abs());
            let terms = w[0].abs() + terms.sum::<f64>();
            // A velocity below this share of its terms is rounding of a contact that neither opens nor closes.
            if !(w[0] + dot(g, &given.v) >= -STILL * terms) {
                return true;
            }
        }
        false
    }
}
