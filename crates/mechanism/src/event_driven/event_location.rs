//! Event location: the first zero crossing of an event function within a step.
//!
//! Gaps of open contacts and margins of the modes are sampled along the continuous extension of the step; a sign
//! change, or a minimum between samples, brackets a root, which is found to rounding. Values below 0 by rounding only
//! are no events.

use super::EventDriven;
use super::dormand_prince::DormandPrince;
use super::projection::first_gaps;
use crate::error::MechanismError;
use crate::modes::contact_mode::ContactMode;
use crate::modes::evaluated_state::EvaluatedState;
use crate::modes::event_functions::{Margin, MarginKind, Phase, margins};
use crate::modes::mode_solution::{ModeSolution, solve_modes, solve_modes_any_reaction};
use crate::modes::sliding_onset::update_onset_directions;
use crate::system::{StateRef, System};

/// Numbers of samples of gaps and of margins in a step.
const GAPS: usize = 16;
const MARGINS: usize = 4;

/// Below this share of its terms a negative margin is rounding.
const NOISE: f64 = 1e-12;

/// Below this share of the length scale a negative gap is rounding.
pub(super) const GAP_ROUNDING: f64 = 1e-14;

/// An event function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EventFunction {
    /// The gap of a contact.
    Gap(usize),
    /// The range of the features of a closed contact.
    Range(usize),
    /// A margin, by its index in the list.
    Margin(usize, MarginKind),
}

/// The first event of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LocatedEvent {
    /// Position in the step, from 0 to 1.
    pub(super) share: f64,
    pub(super) function: EventFunction,
    /// Added to the value before its root is taken: 0, or the rounding level when the value began within it.
    pub(super) lift: f64,
}

/// A value of an event function along the step; positive while there is no event.
struct Sample {
    share: f64,
    value: f64,
}

/// The step being searched, with its fixed modes.
pub(super) struct Search<'a> {
    pub(super) runge: &'a DormandPrince,
    pub(super) active: &'a [usize],
    pub(super) modes: &'a [ContactMode],
}

impl<S: System> EventDriven<S> {
    /// The first event within the step, if there is one.
    pub(super) fn locate(
        &mut self,
        search: &Search<'_>,
    ) -> Result<Option<LocatedEvent>, MechanismError> {
        let gap = self.first_gap(search)?;
        let range = self.first_range(search)?;
        let margin = self.first_margin(search)?;
        Ok(earlier(earlier(gap, range), margin))
    }

    /// Time, positions and velocities at the share `share` of the step.
    fn state_at(&self, search: &Search<'_>, share: f64) -> (f64, Vec<f64>, Vec<f64>) {
        let (np, n) = (self.now.q.len(), self.now.v.len());
        let mut y = vec![0.0; search.runge.end.len()];
        search.runge.at(share, &mut y);
        let v = y[np..np + n].to_vec();
        y.truncate(np);
        (search.runge.t + share * search.runge.h, y, v)
    }

    fn gaps_at(&mut self, search: &Search<'_>, share: f64) -> Result<Vec<f64>, MechanismError> {
        let (t, q, _) = self.state_at(search, share);
        let first = first_gaps(&self.system);
        let mut gaps = vec![0.0; first[first.len() - 1]];
        self.system.gaps(t, &q, &mut gaps)?;
        Ok(gaps)
    }

    /// Margins of the active modes at a state, and the defect. For sampling their signs are enough: `solve` may then be
    /// [`solve_modes_any_reaction`].
    fn margins_at(
        &mut self,
        active: &[usize],
        modes: &[ContactMode],
        at: StateRef<'_>,
        solve: fn(&EvaluatedState, &[ContactMode]) -> Option<ModeSolution>,
    ) -> Result<Option<(Vec<Margin>, f64)>, MechanismError> {
        if active.is_empty() {
            return Ok(Some((Vec::new(), 0.0)));
        }
        // Accelerations and reactions in the fixed modes.
        let frame = EvaluatedState::new(&mut self.system, at, active)?;
        let speeds: Vec<f64> = active.iter().map(|&i| self.now.speed[i]).collect();
        let modes = update_onset_directions(&frame, modes);
        let found = solve(&frame, &modes);
        Ok(found.map(|a| (margins(&frame, &modes, &a, Phase::Run(&speeds)), a.defect)))
    }

    /// Value of an event function at a state.
    pub(super) fn value(
        &mut self,
        watch: EventFunction,
        active: &[usize],
        modes: &[ContactMode],
        at: StateRef<'_>,
    ) -> Result<f64, MechanismError> {
        match watch {
            EventFunction::Gap(i) => {
                let first = first_gaps(&self.system);
                let mut gaps = vec![0.0; first[first.len() - 1]];
                self.system.gaps(at.t, at.q, &mut gaps)?;
                Ok(gaps[first[i]])
            }
            EventFunction::Range(i) => {
                let range = self.system.range(i, at)?;
                Ok(range.map_or(f64::INFINITY, |range| range.inside))
            }
            EventFunction::Margin(k, _) => {
                let found = self.margins_at(active, modes, at, solve_modes)?;
                Ok(found.map_or(f64::NAN, |(list, _)| list[k].value))
            }
        }
    }

    /// Value of an event function on the continuous extension.
    fn value_on(
        &mut self,
        search: &Search<'_>,
        watch: EventFunction,
        share: f64,
    ) -> Result<f64, MechanismError> {
        let (t, q, v) = self.state_at(search, share);
        let at = StateRef { t, q: &q, v: &v };
        self.value(watch, search.active, search.modes, at)
    }

    /// First root of the gap of an open contact.
    fn first_gap(&mut self, search: &Search<'_>) -> Result<Option<LocatedEvent>, MechanismError> {
        let first = first_gaps(&self.system);
        // Gaps of open contacts only: closed ones are margins.
        let open =
            |i: &usize| self.system.constraints()[*i].is_contact() && self.now.modes[*i].is_open();
        let watched: Vec<usize> = (0..self.now.modes.len()).filter(open).collect();
        if watched.is_empty() {
            return Ok(None);
        }
        // Sample all gaps, then search each list.
        let mut lists: Vec<Vec<Sample>> = watched.iter().map(|_| Vec::new()).collect();
        for j in 0..=GAPS {
            let share = j as f64 / GAPS as f64;
            let gaps = self.gaps_at(search, share)?;
            for (list, &i) in lists.iter_mut().zip(&watched) {
                let value = gaps[first[i]];
                list.push(Sample { share, value });
            }
        }
        let mut found: Option<LocatedEvent> = None;
        for (list, &i) in lists.iter().zip(&watched) {
            // First root of each gap.
            let noise = GAP_ROUNDING * self.now.length_scale[i];
            let trigger = self.first_root(search, EventFunction::Gap(i), list, noise)?;
            found = earlier(found, trigger);
        }
        Ok(found)
    }

    /// First end of the range of the features of a closed contact.
    fn first_range(&mut self, search: &Search<'_>) -> Result<Option<LocatedEvent>, MechanismError> {
        let mut found: Option<LocatedEvent> = None;
        for &i in search.active {
            let limited = self.system.constraints()[i].is_contact()
                && self.system.range(i, self.now.instant())?.is_some();
            if !limited {
                continue;
            }
            let watch = EventFunction::Range(i);
            let mut list = Vec::with_capacity(GAPS + 1);
            for j in 0..=GAPS {
                let share = j as f64 / GAPS as f64;
                let value = self.value_on(search, watch, share)?;
                list.push(Sample { share, value });
            }
            let noise = GAP_ROUNDING * self.now.length_scale[i];
            found = earlier(found, self.first_root(search, watch, &list, noise)?);
        }
        Ok(found)
    }

    /// First root of a margin of the active modes.
    fn first_margin(
        &mut self,
        search: &Search<'_>,
    ) -> Result<Option<LocatedEvent>, MechanismError> {
        let mut lists: Vec<Vec<Sample>> = Vec::new();
        let mut scales: Vec<f64> = Vec::new();
        let mut kinds: Vec<MarginKind> = Vec::new();
        for j in 0..=MARGINS {
            let share = j as f64 / MARGINS as f64;
            let (t, q, v) = self.state_at(search, share);
            let at = StateRef { t, q: &q, v: &v };
            let found =
                self.margins_at(search.active, search.modes, at, solve_modes_any_reaction)?;
            let Some((list, defect)) = found else {
                break;
            };
            // Defect of the modes at the end of the step, for the report.
            if j == MARGINS {
                self.interval_sums.residual = self.interval_sums.residual.max(defect);
            }
            lists.resize_with(list.len(), Vec::new);
            scales.resize(list.len(), 0.0);
            kinds = list.iter().map(|m| m.kind).collect();
            for (k, margin) in list.iter().enumerate() {
                let value = margin.value;
                lists[k].push(Sample { share, value });
                scales[k] = scales[k].max(margin.scale);
            }
        }
        let mut found: Option<LocatedEvent> = None;
        for (k, list) in lists.iter().enumerate() {
            // First root of each margin.
            let watch = EventFunction::Margin(k, kinds[k]);
            let trigger = self.first_root(search, watch, list, NOISE * scales[k])?;
            found = earlier(found, trigger);
        }
        Ok(found)
    }

    /// First downward zero crossing in a list of samples.
    fn first_root(
        &mut self,
        search: &Search<'_>,
        watch: EventFunction,
        list: &[Sample],
        noise: f64,
    ) -> Result<Option<LocatedEvent>, MechanismError> {
        for j in 1..list.len() {
            let (a, b) = (&list[j - 1], &list[j]);
            if b.value < -noise {
                // Bracket from the last positive sample, or from the beginning.
                let fine = list[..j].iter().rev().find(|s| s.value > 0.0);
                let a = fine.unwrap_or(&list[0]);
                return self.between(search, watch, a, b, noise).map(Some);
            }
            // Minimum between samples: test the vertex of the parabola through three of them.
            if j + 1 < list.len() && b.value <= a.value && b.value <= list[j + 1].value {
                let low = lowest(a, b, &list[j + 1]);
                let value = self.value_on(search, watch, low)?;
                if value < -noise {
                    let low = Sample { share: low, value };
                    let from = if low.share > b.share { b } else { a };
                    return self.between(search, watch, from, &low, noise).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The crossing between a non-negative sample and a negative one.
    fn between(
        &mut self,
        search: &Search<'_>,
        watch: EventFunction,
        a: &Sample,
        b: &Sample,
        noise: f64,
    ) -> Result<LocatedEvent, MechanismError> {
        let (mut low, mut high, mut lift) = (a.share, b.share, 0.0);
        let mut value = (a.value, b.value);
        if a.value <= noise && a.share == 0.0 {
            // It began at 0: bisect towards the beginning for a positive value.
            let mut width = 0.5 * (high - low);
            let mut seen = false;
            for _ in 0..60 {
                let middle = self.value_on(search, watch, a.share + width)?;
                if middle > noise {
                    (low, value.0, seen) = (a.share + width, middle, true);
                    break;
                }
                if middle < -noise {
                    (high, value.1) = (a.share + width, middle);
                }
                width *= 0.5;
            }
            if !seen && self.interval_sums.repeated_instant.0 != self.now.t {
                // Never positive, and no event has happened here yet: it happens here.
                return Ok(LocatedEvent {
                    share: 0.0,
                    function: watch,
                    lift: 0.0,
                });
            }
            if !seen && value.0 <= 0.0 {
                // Never positive, and just dealt with: the event is where it leaves the rounding level.
                lift = noise - value.0.min(0.0);
                value = (value.0 + lift, value.1 + lift);
            }
        }
        // The shifted value is nowhere negative: the end of the bracket.
        if value.1 >= 0.0 {
            return Ok(LocatedEvent {
                share: high,
                function: watch,
                lift,
            });
        }
        let share = self.root(search, watch, lift, (low, value.0), (high, value.1))?;
        Ok(LocatedEvent {
            share,
            function: watch,
            lift,
        })
    }

    /// Root in a bracket: regula falsi with the Illinois modification, and bisection every third time.
    fn root(
        &mut self,
        search: &Search<'_>,
        watch: EventFunction,
        lift: f64,
        mut a: (f64, f64),
        mut b: (f64, f64),
    ) -> Result<f64, MechanismError> {
        // Illinois: the end that stays has its value halved each time it stays again.
        let mut stayed = 0;
        for round in 0..150 {
            let width = b.0 - a.0;
            if width <= 2.0 * f64::EPSILON * b.0 {
                break;
            }
            // Secant point inside the bracket, else the midpoint.
            let secant = a.0 + width * a.1 / (a.1 - b.1);
            let inside = secant > a.0 && secant < b.0;
            let x = if round % 3 == 2 || !inside {
                0.5 * (a.0 + b.0)
            } else {
                secant
            };
            let f = self.value_on(search, watch, x)? + lift;
            if f == 0.0 {
                return Ok(x);
            }
            // Replace the end of the same sign.
            if f > 0.0 {
                b.1 *= if stayed > 0 { 0.5 } else { 1.0 };
                (a, stayed) = ((x, f), 1);
            } else {
                a.1 *= if stayed < 0 { 0.5 } else { 1.0 };
                (b, stayed) = ((x, f), -1);
            }
        }
        Ok(b.0)
    }
}

fn earlier(a: Option<LocatedEvent>, b: Option<LocatedEvent>) -> Option<LocatedEvent> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.share < a.share { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Vertex of the parabola through three equidistant samples.
fn lowest(a: &Sample, b: &Sample, c: &Sample) -> f64 {
    let bend = a.value - 2.0 * b.value + c.value;
    if bend > 0.0 {
        b.share + 0.5 * (b.share - a.share) * (a.value - c.value) / bend
    } else {
        b.share
    }
}
