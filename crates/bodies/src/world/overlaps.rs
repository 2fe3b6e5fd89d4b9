//! Overlaps of the present state: found, and separated before a motion begins.

use super::World;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::step::detection::apply_joints;
use crate::step::projection::OverlapProjection;
use crate::step::{Detection, Overlap};

#[cfg(test)]
use crate::step::Midpoint;

impl<D: Dynamics> World<D> {
    /// The projection of the present state with the midpoint and the candidates of the last step.
    #[cfg(test)]
    pub(crate) fn overlap_projection(
        &mut self,
    ) -> (OverlapProjection<'_, D>, &Midpoint<D>, &Detection<D>) {
        let projection = OverlapProjection {
            model: &self.model,
            state: &mut self.state,
            settings: &self.settings,
            cache: &self.scratch.cache,
            scratch: &mut self.scratch.projection,
        };
        let work = (&self.scratch.midpoint, &self.scratch.detection);
        (projection, work.0, work.1)
    }

    /// All pairs of bodies that overlap by more than `tolerance`, deepest first.
    pub fn overlaps(&mut self, tolerance: f64) -> Vec<Overlap> {
        // Detection of the state without margin.
        let Detection {
            detector,
            clearance_candidates: pins,
            ..
        } = &mut self.scratch.detection;
        let place = (&self.model, self.state.cell.as_ref());
        detector.detect_model(place, &self.state.poses, &[]);
        apply_joints(
            &self.model,
            &self.scratch.cache,
            &self.state.poses,
            pins,
            detector,
        );
        let mut all: Vec<Overlap> = Vec::new();
        for found in detector.candidates() {
            let (bodies, depth) = (found.bodies, -found.point.gap);
            if depth <= tolerance {
                continue;
            }
            // Candidates are sorted by bodies: the deepest point of a pair counts.
            match all.last_mut().filter(|last| last.bodies == bodies) {
                Some(last) => last.depth = last.depth.max(depth),
                None => all.push(Overlap { bodies, depth }),
            }
        }
        self.scratch.invalidate_contacts();
        all.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.bodies.cmp(&b.bodies)));
        all
    }

    /// Separates overlapping bodies until no overlap is deeper than `tolerance`, by projections in the kinetic
    /// metric; returns the deepest overlap that is left after at most `rounds` of them.
    ///
    /// # Errors
    /// A projection problem that cannot be assembled.
    pub fn separate_overlaps(&mut self, tolerance: f64, rounds: usize) -> Result<f64, WorldError> {
        let deepest = |world: &mut Self| world.overlaps(0.0).first().map_or(0.0, |o| o.depth);
        let mut left = deepest(self);
        for _ in 0..rounds {
            if left <= tolerance {
                break;
            }
            let mut overlaps = OverlapProjection {
                model: &self.model,
                state: &mut self.state,
                settings: &self.settings,
                cache: &self.scratch.cache,
                scratch: &mut self.scratch.projection,
            };
            overlaps.project(0.0)?;
            left = deepest(self);
        }
        self.scratch.invalidate_contacts();
        self.initial_report();
        Ok(left)
    }
}
