//! Where a motion need not have gone on as it did.
//!
//! A contact that slides without colliding may keep its velocity or jump where γ(q) ≤ 0 (P15 §3). The
//! ledger has γ in every step; here the set of possible velocities is computed, at the places where
//! γ ceased to be positive.

use mechanism::painleve::{Outcomes, tangential};
use mechanism::{EventKind, Instant, System};
use serde::{Deserialize, Serialize};

use crate::run::RunOutcome;
use crate::text::TextSystem;

/// A place where the continuation is not unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nonunique {
    /// The instant, to within a step.
    pub t: f64,
    /// The contact that slides.
    pub contact: String,
    /// γ(q).
    pub gamma: f64,
    /// `two`: u⁻ or ũ. `segment`: every velocity between them.
    pub outcomes: String,
    /// u⁻ by velocity name.
    pub before: Vec<(String, f64)>,
    /// ũ by velocity name.
    pub jump: Vec<(String, f64)>,
}

/// The places where γ of a sliding contact ceased to be positive, with the possible velocities there.
pub fn nonunique(system: &mut TextSystem, outcome: &RunOutcome) -> Vec<Nonunique> {
    let motion = &outcome.trajectory;
    let mut found = Vec::new();
    for state in 1..motion.len() {
        for event in motion.events_of(state) {
            let EventKind::Painleve { gamma } = event.kind else {
                continue;
            };
            // Where the step took its contacts: half-way along the velocity before.
            let (begin, end) = (motion.times()[state - 1], motion.times()[state]);
            let v = motion.velocity(state - 1);
            let mut q = motion.position(state - 1).to_vec();
            motion.chart().advance(&mut q, v, 0.5 * (end - begin));
            let t = 0.5 * (begin + end);
            let at = Instant { t, q: &q, v };
            let Ok(contact) = tangential(system, event.constraint, at) else {
                continue;
            };
            let (outcomes, jump) = match contact.outcomes {
                Outcomes::One => continue,
                Outcomes::Two { jump } => ("two", jump),
                Outcomes::Segment { jump } => ("segment", jump),
            };
            let named = |v: &[f64]| {
                let names = (0..v.len()).map(|i| system.velocity_name(i));
                names.zip(v.iter().copied()).collect()
            };
            found.push(Nonunique {
                t,
                contact: system.constraints()[event.constraint].name.clone(),
                gamma,
                outcomes: outcomes.to_string(),
                before: named(v),
                jump: named(&jump),
            });
        }
    }
    found
}
