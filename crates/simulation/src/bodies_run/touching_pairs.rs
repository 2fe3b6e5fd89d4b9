//! Pairs of bodies that touch, by a geometric criterion.
//!
//! Blocks of a wall share faces without contact forces, and rounding gives their gap either sign
//! (about 1e-17). Two bodies therefore touch when they are closer than a millionth of their size.

use percuss_bodies::{Detector, Dim, World};

use super::sets::BodySet;

/// Share of the bounding radius of a body within which it touches; a pair has the sum of two.
const CLOSE: f64 = 5e-7;

/// Finds the pairs that touch in the present configuration.
#[derive(Debug)]
pub(super) struct TouchingPairs<D: Dim> {
    detector: Detector<D>,
    aabb_margin: Vec<f64>,
    /// All pairs that touch, sorted.
    now: Vec<[u32; 2]>,
    /// Scratch: members of the set in question.
    inside: Vec<bool>,
}

impl<D: Dim> TouchingPairs<D> {
    /// A detector whose margins are [`CLOSE`] times the bounding radii; unbounded bodies have none.
    pub fn new(world: &World<D>) -> Self {
        // Margins relative to the size of each body.
        let sizes = world.model().bodies.iter().map(|body| {
            let radius = D::bounding_radius(&body.shape);
            if radius.is_finite() {
                CLOSE * radius
            } else {
                0.0
            }
        });
        Self {
            detector: Detector::new(world.settings().threads),
            aabb_margin: sizes.collect(),
            now: Vec::new(),
            inside: vec![false; world.model().bodies.len()],
        }
    }

    /// Detects all touching pairs.
    pub fn update(&mut self, world: &World<D>) {
        let (state, model) = (world.state(), world.model());
        // Collision detection with margins finds the pairs; a pair may have several points.
        let place = (model, state.cell.as_ref());
        self.detector
            .detect_model(place, &state.poses, &self.aabb_margin);
        self.now.clear();
        self.now
            .extend(self.detector.candidates().iter().map(|f| f.bodies));
        self.now.dedup();
    }

    /// The touching pairs within a set.
    pub fn of(&mut self, set: &BodySet) -> Vec<[u32; 2]> {
        let mark = |inside: &mut Vec<bool>, value: bool| {
            for &body in &set.now {
                if let Some(entry) = inside.get_mut(body as usize) {
                    *entry = value;
                }
            }
        };
        // Membership is marked for the time of the search.
        mark(&mut self.inside, true);
        let both = |pair: &&[u32; 2]| pair.iter().all(|&body| self.inside[body as usize]);
        let pairs = self.now.iter().filter(both).copied().collect();
        mark(&mut self.inside, false);
        pairs
    }

    /// How many of these pairs do not touch any more.
    pub fn parted(&self, pairs: &[[u32; 2]]) -> usize {
        let apart = |pair: &&[u32; 2]| self.now.binary_search(pair).is_err();
        pairs.iter().filter(apart).count()
    }
}
