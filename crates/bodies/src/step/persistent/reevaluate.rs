//! The contacts of a step found again at its end: contact point, normal and gap of the same feature at q_F.

use percuss_contact::law::Status;

use super::EndContacts;
use crate::candidate::Candidate;
use crate::detect::sort_by_feature;
use crate::dynamics::Dynamics;
use crate::joint::{clearance_candidates, clearance_joint};
use crate::state::PersistentContact;
use crate::step::assemble::find_previous;
use crate::step::scratch::{Balance, Detection};
use crate::step::{CLOSED_IF_LOADED, SolvedStep};
use percuss_geometry::{ContactPoint, Pose, Vector};

/// A contact that closes in this step does not rebound if it separates with less than this share of the velocity that
/// its own impulse gives it: an inelastic impact, or the end of an accumulation of impacts.
const REBOUND: f64 = 1e-3;

impl<D: Dynamics> EndContacts<D> {
    /// Lists the contacts that carry an impulse and persist, or close in this step without rebound; before the state
    /// moves on.
    pub(super) fn select(&mut self, step: SolvedStep<'_, D>, balance: &Balance<D>) {
        self.candidates.clear();
        self.source.clear();
        self.memory.clear();
        self.shift.clear();
        let Some(problem) = &step.assembly.problem else {
            return;
        };
        let (found, mut last) = (step.inputs.candidates(), 0);
        for (k, &touch) in step.assembly.active.iter().enumerate() {
            let found = &found[touch as usize];
            let before = find_previous(&step.inputs.state.contacts, &mut last, found);
            let rows = problem.rows(k);
            let s = &step.solution.impulse[rows.clone()];
            if !(s[0] > 0.0) {
                continue;
            }
            let own_change = problem.diagonal_block(k)[0] * s[0];
            let rebounds = balance.end_velocity[rows.start] > REBOUND * own_change;
            if rebounds && !step.assembly.persistent[k] {
                continue;
            }
            let mut memory = PersistentContact::empty();
            memory.bodies = found.bodies;
            memory.feature = found.point.feature;
            // Decides the coefficient of static and dynamic friction, as at q_M.
            memory.status = before.map_or(Status::Open, |m| m.status);
            self.candidates.push(*found);
            self.source.push(k as u32);
            self.memory.push(memory);
        }
    }

    /// Evaluates the contact points of the listed contacts at the poses q_F. Those that are not found again, and new ones
    /// that are still open, are dropped.
    pub(super) fn reevaluate(
        &mut self,
        step: SolvedStep<'_, D>,
        poses: &[Pose<D>],
        detection: &Detection<D>,
    ) {
        if step
            .inputs
            .model
            .joints
            .iter()
            .any(|j| j.clearance.is_some())
        {
            let (joints, margins) = (&step.inputs.model.joints, &detection.aabb_margin);
            clearance_candidates(joints, poses, margins, &mut self.pins);
        }
        let (mut kept, mut from) = (0, 0);
        while from < self.candidates.len() {
            // All listed points of a pair.
            let bodies = self.candidates[from].bodies;
            let pair = self.candidates[from..].iter();
            let to = from + pair.take_while(|c| c.bodies == bodies).count();
            self.touch(step, poses, detection, bodies);
            for k in from..to {
                let found = self.candidates[k];
                let Some(point) = self.again(step, &found, to - from) else {
                    continue;
                };
                let source = self.source[k];
                // A body that lands closes its gap in the next step. On a path that curves away from the other body
                // a contact that is loaded stays open by order h².
                let loaded = self.memory[k].status != Status::Open;
                if !loaded && open(step, bodies, &point) {
                    continue;
                }
                // The feature stays that of q_M, by which the contact is known.
                let feature = found.point.feature;
                self.candidates[kept] = Candidate {
                    point: ContactPoint { feature, ..point },
                    ..found
                };
                self.source[kept] = source;
                self.memory[kept] = self.memory[k];
                kept += 1;
            }
            from = to;
        }
        self.candidates.truncate(kept);
        self.source.truncate(kept);
        self.memory.truncate(kept);
    }

    /// Contact points of a pair of shapes at the poses q_F.
    fn touch(
        &mut self,
        step: SolvedStep<'_, D>,
        poses: &[Pose<D>],
        detection: &Detection<D>,
        bodies: [u32; 2],
    ) {
        let [a, b] = bodies.map(|i| i as usize);
        let reach = detection.aabb_margin[a] + detection.aabb_margin[b];
        let shapes = [a, b].map(|i| &step.inputs.model.bodies[i].shape);
        self.touches.clear();
        // Two spheres: closed form.
        if let [Some(ra), Some(rb)] = shapes.map(D::sphere_radius) {
            let touch = D::sphere_contact_point((ra, &poses[a]), (rb, &poses[b]), reach);
            self.touches.extend(touch);
            return;
        }
        let [one, two] = [(shapes[0], &poses[a]), (shapes[1], &poses[b])];
        D::contact_points(one, two, reach, &mut self.touches);
        sort_by_feature(&mut self.touches);
    }

    /// The point of a contact at q_F: that of its feature, else the one point of the pair. `listed` is the number of
    /// listed points of the pair.
    fn again(
        &self,
        step: SolvedStep<'_, D>,
        found: &Candidate<D>,
        listed: usize,
    ) -> Option<ContactPoint<D>> {
        let same = |point: &ContactPoint<D>| point.feature == found.point.feature;
        if clearance_joint(&step.inputs.model.joints, found).is_some() {
            return self.pins.iter().map(|pin| pin.point).find(same);
        }
        let known = self.touches.iter().find(|touch| same(touch));
        match (&self.touches[..], listed) {
            ([one], 1) if known.is_none() => Some(*one),
            _ => known.copied(),
        }
    }

    /// The impulses of the step, turned with the normal from q_M to q_F.
    pub(super) fn remember(&mut self, step: SolvedStep<'_, D>, balance: &Balance<D>) {
        let Some(problem) = &step.assembly.problem else {
            return;
        };
        let found = step.inputs.candidates();
        let each = self.source.iter().zip(&self.candidates);
        for ((k, end), memory) in each.zip(&mut self.memory) {
            let k = *k as usize;
            let mid = found[step.assembly.active[k] as usize].point.normal;
            memory.impulse = turned(mid, end.point.normal, balance.contact_impulse[k]);
            let impulse = &step.solution.impulse[problem.rows(k)];
            for (m, s) in memory.moment.iter_mut().zip(impulse.iter().skip(D::N)) {
                *m = *s;
            }
        }
    }
}

/// Whether the gap of a contact is open beyond the tolerance of loaded contacts.
fn open<D: Dynamics>(step: SolvedStep<'_, D>, bodies: [u32; 2], point: &ContactPoint<D>) -> bool {
    let [a, b] = bodies.map(|i| step.inputs.cache.gap_scale[i as usize]);
    point.gap > CLOSED_IF_LOADED * (a + b)
}

/// A vector turned by the smallest rotation that takes the unit vector `from` to `to`.
pub(super) fn turned<V: Vector>(from: V, to: V, x: V) -> V {
    let cosine = from.dot(to);
    // Opposite normals: no smallest rotation; such a contact has no impulse in common.
    if !(cosine > -0.999) {
        return x;
    }
    let sum = from + to;
    x + to * (2.0 * from.dot(x)) - sum * (sum.dot(x) / (1.0 + cosine))
}

#[cfg(test)]
mod tests {
    use super::turned;
    use glam::DVec3;

    #[test]
    fn the_smallest_rotation_takes_one_normal_to_the_other_and_keeps_what_is_across() {
        let (a, b) = (DVec3::new(0.6, 0.0, 0.8), DVec3::new(0.0, 0.6, 0.8));
        // Rounding of a few products.
        assert!((turned(a, b, a) - b).length() < 1e-15);
        let across = a.cross(b);
        assert!((turned(a, b, across) - across).length() < 1e-15);
        let x = DVec3::new(1.0, -2.0, 0.5);
        assert!((turned(a, b, x).length() - x.length()).abs() < 1e-14);
    }
}
