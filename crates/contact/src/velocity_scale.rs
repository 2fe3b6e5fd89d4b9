//! Velocity scales V_α: the reference velocities by which the residual RV is made relative.
//!
//! (★) is positively homogeneous in b: with b = 0 the solution is r = 0, and likewise where all contacts separate.
//! The natural unit of a velocity error is therefore the largest free velocity among the contacts that require an
//! impulse, taken over bodies that act on each other,
//!
//! ```text
//! V_α = max { s_β : β in the component of α },
//! s   = ‖b‖,                       bilateral rows, or b_n ≤ 0
//!     = max(0, ‖b_t‖ − b_n),       b_n > 0: continuous in b, 0 where a contact separates faster than it slides
//! ```
//!
//! A component is a connected component of the contact graph, whose nodes are the groups of [`FactoredDelassus`]; a
//! stored matrix is one component. Candidates that are still apart have b_n ≥ gap/h, which says nothing about the
//! motion, hence the second case. V depends on the problem alone: no impulse, however large, changes it. Relative
//! velocities are used, so that a scene on a moving platform has the same scales as the same scene at rest. What
//! remains of the platform's own speed is rounding error, and V_α is at least a share [`ROUNDING`] of it.

use crate::contact_graph::GroupForest;
use crate::delassus::FactoredDelassus;
use crate::law::Law;
use crate::problem::{DelassusOperator, Problem};

/// V_α is at least this share of the speed of the contact's own bodies: u is a difference of velocities of that
/// size, each rounded to 1e-16, and residuals of 1e-10 must be reachable where a joint of a fast body has b = 0.
const ROUNDING: f64 = 1e-3;

/// V_α of every contact, with the buffers for computing it without allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct VelocityScales {
    /// V_α by contact.
    speed: Vec<f64>,
    /// Connected components of the groups.
    forest: GroupForest,
    /// Largest s by root.
    largest: Vec<f64>,
    /// ‖v̂_free‖ by group.
    own: Vec<f64>,
}

impl VelocityScales {
    /// V_α by contact, of the problem computed last.
    pub(crate) fn get(&self) -> &[f64] {
        &self.speed
    }

    /// Computes V_α of every contact of `problem`.
    pub(crate) fn compute(&mut self, problem: &Problem) {
        self.speed.clear();
        let offset = problem.offset();
        let own = offset.windows(2).enumerate();
        let own = own.map(|(a, rows)| {
            free_velocity_scale(problem.law(a), &problem.free_velocity()[rows[0]..rows[1]])
        });
        match problem.operator() {
            // A stored matrix does not say which contacts are connected: one scale for all.
            DelassusOperator::Stored { .. } => {
                let largest = own.fold(0.0, f64::max);
                self.speed.resize(problem.num_contacts(), largest);
            }
            DelassusOperator::Factored(kinetic) => {
                self.unite_groups(kinetic, problem.num_contacts());
                self.speed.extend(own);
                self.scatter_component_maximum(problem, kinetic);
            }
        }
    }

    /// Components of the contact graph, and ‖v̂_free‖ of each group for the rounding floor.
    fn unite_groups(&mut self, kinetic: &FactoredDelassus, contacts: usize) {
        self.forest.unite(kinetic, contacts);
        self.own.clear();
        self.own.resize(kinetic.num_coordinates(), 0.0);
        for group in 0..kinetic.num_groups() {
            let range = kinetic.group_offset()[group]..kinetic.group_offset()[group + 1];
            if let Some(own) = self.own.get_mut(range.start) {
                *own = size(&kinetic.free()[range]);
            }
        }
    }

    /// Assigns the largest s of each component to all its contacts, not below the rounding floor.
    fn scatter_component_maximum(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        self.largest.clear();
        self.largest.resize(kinetic.num_coordinates(), 0.0);
        // Maximum by root.
        for a in 0..self.speed.len() {
            if let Some(first) = kinetic.first_coordinates(a).next() {
                let root = self.forest.root(first);
                self.largest[root] = self.largest[root].max(self.speed[a]);
            }
        }
        // Maximum to contacts, with the floor in units of relative velocity: ‖Ĝ‖_F = (tr H)^½ = (d/κ)^½.
        for a in 0..self.speed.len() {
            let Some(first) = kinetic.first_coordinates(a).next() else {
                continue;
            };
            let root = self.forest.root(first);
            let own = kinetic
                .first_coordinates(a)
                .fold(0.0_f64, |m, i| m.max(self.own[i]));
            let floor = ROUNDING * own * (problem.dim(a) as f64 / problem.kappa(a)).sqrt();
            self.speed[a] = self.largest[root].max(floor);
        }
    }
}

/// s of one contact, from its free velocity b.
fn free_velocity_scale(law: &Law, b: &[f64]) -> f64 {
    match b {
        [normal, others @ ..] if *normal > 0.0 && law.is_unilateral() => {
            (size(others) - normal).max(0.0)
        }
        _ => size(b),
    }
}

/// Euclidean norm.
fn size(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
