//! Penetrations and joint drifts relative to the widths of the bodies.

use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::joint::{JointReport, clearance_joint};
use crate::model::Model;
use crate::step::SolvedStep;
use crate::step::scratch::ModelCache;

/// The contact with the largest penetration relative to its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeepestContact {
    /// Indices of its bodies.
    pub bodies: [u32; 2],
    /// The joint, if the contact is a pin in its hole.
    pub joint: Option<u32>,
    /// Penetration depth −g.
    pub depth: f64,
    /// The depth over the smallest width of the two bodies, or over the clearance.
    pub share: f64,
}

/// The joint with the largest constraint violation relative to its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LargestDrift {
    /// Index of the joint.
    pub joint: u32,
    /// Largest |Φ| of its constraints, a length.
    pub drift: f64,
    /// The drift over the smallest width of its bodies.
    pub share: f64,
}

/// The one with the larger share; NaN counts as the largest.
fn deeper(known: Option<DeepestContact>, other: DeepestContact) -> Option<DeepestContact> {
    match known {
        Some(known) if other.share <= known.share => Some(known),
        _ => Some(other),
    }
}

/// A contact is at rest if a step changes its depth by no more than this fraction.
const AT_REST: f64 = 0.1;

impl<D: Dynamics> SolvedStep<'_, D> {
    /// The contact of the last step with the largest relative penetration; `None` where none penetrates.
    pub fn deepest(&self) -> Option<DeepestContact> {
        let found = self.inputs.candidates().iter();
        let deep = found.filter_map(|found| self.depth(found));
        deep.fold(None, deeper)
    }

    /// The resting contact of the last step with the largest relative penetration: it carries an impulse and
    /// its depth hardly changes. A body that strikes and leaves is deep for one step; a sunken one stays deep.
    pub fn deepest_at_rest(&self, end_velocity: &[f64]) -> Option<DeepestContact> {
        let rows = self.assembly.problem.as_ref()?.offset();
        let mut deepest = None;
        for (&touch, &row) in self.assembly.active.iter().zip(rows) {
            let found = &self.inputs.candidates()[touch as usize];
            // Change of depth in the step, by the larger of both normal velocities.
            let speed = self.assembly.begin_velocity[row]
                .abs()
                .max(end_velocity[row].abs());
            let way = self.inputs.settings.step * speed;
            let moves = way > AT_REST * -found.point.gap;
            if self.solution.impulse[row] == 0.0 || moves {
                continue;
            }
            if let Some(depth) = self.depth(found) {
                deepest = deeper(deepest, depth);
            }
        }
        deepest
    }

    /// Depth and relative depth of that contact; 0 where there is none.
    pub(super) fn sunk(&self, end_velocity: &[f64]) -> [f64; 2] {
        let deepest = self.deepest_at_rest(end_velocity);
        deepest.map_or([0.0; 2], |deepest| [deepest.depth, deepest.share])
    }

    /// Penetration of a candidate; `None` where it does not penetrate.
    fn depth(&self, found: &Candidate<D>) -> Option<DeepestContact> {
        let depth = -found.point.gap;
        if depth <= 0.0 {
            return None;
        }
        let [a, b] = found
            .bodies
            .map(|body| self.inputs.cache.min_width[body as usize]);
        // Pins are measured by their clearance, other contacts by the thinner body.
        let joint = match self.inputs.model.joints.is_empty() {
            true => None,
            false => clearance_joint(&self.inputs.model.joints, found),
        };
        let play = joint.and_then(|joint| self.inputs.model.joints[joint].clearance.as_ref());
        let size = play.map_or(a.min(b), |clearance| clearance.play);
        Some(DeepestContact {
            bodies: found.bodies,
            joint: joint.map(|joint| joint as u32),
            depth,
            share: depth / size,
        })
    }
}

/// The joint with the largest relative constraint violation at the present poses.
pub(crate) fn largest_drift<D: Dynamics>(
    model: &Model<D>,
    cache: &ModelCache<D>,
    reports: &[JointReport<D>],
) -> Option<LargestDrift> {
    let mut loosest: Option<LargestDrift> = None;
    for (number, joint) in model.joints.iter().enumerate() {
        let Some(reading) = reports.get(number) else {
            continue;
        };
        // Scale: the thinnest of the joint's bodies.
        let bodies = joint.frames.iter().filter_map(|side| side.body);
        let sizes = bodies.map(|body| cache.min_width[body as usize]);
        let size = sizes.fold(f64::INFINITY, f64::min);
        let share = reading.drift / size;
        if loosest.is_none_or(|known: LargestDrift| !(share <= known.share)) {
            loosest = Some(LargestDrift {
                joint: number as u32,
                drift: reading.drift,
                share,
            });
        }
    }
    loosest
}
