//! The speeds at stake: what velocity defects of contacts are measured by.
//!
//! (★) is positively homogeneous in b: without relative velocities before impulses act, r = 0 solves it, and so it
//! does where all contacts separate. The natural unit of a velocity error is therefore the largest free velocity of
//! contacts that ask for an impulse, among bodies that act on each other,
//!
//! ```text
//! V_α = max { s_β : β in the component of α },
//! s   = ‖b‖,                       bilateral rows, or b_n ≤ 0
//!     = max(0, ‖b_t‖ − b_n),       b_n > 0: continuous in b, 0 where a contact separates faster than it slides
//! ```
//!
//! a component being the contacts that are joined by coordinates (groups of [`Kinetic`]); a stored matrix is one
//! component. Candidates that are still apart have b_n ≥ gap/h, which says nothing of the motion. V depends on the problem alone: no impulse, however large, changes it. Velocities relative to each
//! other are taken, so that a scene on a moving platform is measured as the same scene at rest. What is left
//! of the platform's own speed is rounding, and V_α is not smaller than a share [`ROUNDING`] of it.

use crate::kinetic::FactoredDelassus;
use crate::law::Law;
use crate::problem::{DelassusOperator, Problem};

/// Share of the speed of a contact's own bodies below which V is not taken: u is a difference of velocities of that
/// size, each rounded to 1e-16, and residuals of 1e-10 must be reachable where a joint of a fast body has b = 0.
const ROUNDING: f64 = 1e-3;

/// V_α of every contact, with the memory to compute it without allocating.
#[derive(Debug, Clone, Default)]
pub(crate) struct VelocityScales {
    /// V by contact.
    speed: Vec<f64>,
    /// Parent of each group in the forest of components.
    parent: Vec<u32>,
    /// Largest ‖b‖ by root, and ‖v̂_free‖ by group.
    largest: Vec<f64>,
    own: Vec<f64>,
}

impl VelocityScales {
    /// V by contact of the problem taken last.
    pub(crate) fn get(&self) -> &[f64] {
        &self.speed
    }

    /// Computes V of every contact of `problem`.
    pub(crate) fn compute(&mut self, problem: &Problem) {
        self.speed.clear();
        let offset = problem.offset();
        let own = offset.windows(2).enumerate();
        let own = own.map(|(a, rows)| free_velocity_scale(problem.law(a), &problem.free_velocity()[rows[0]..rows[1]]));
        match problem.operator() {
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

    /// Groups that share a contact get one root.
    fn unite_groups(&mut self, kinetic: &FactoredDelassus, contacts: usize) {
        let groups = kinetic.num_groups();
        // Coordinates stand for groups: contacts know the first coordinate of theirs.
        self.parent.clear();
        self.parent.extend(0..kinetic.num_coordinates() as u32);
        self.own.clear();
        self.own.resize(kinetic.num_coordinates(), 0.0);
        for group in 0..groups {
            let range = kinetic.group_offset()[group]..kinetic.group_offset()[group + 1];
            if let Some(own) = self.own.get_mut(range.start) {
                *own = size(&kinetic.free()[range]);
            }
        }
        for a in 0..contacts {
            let mut firsts = kinetic.first_coordinates(a);
            let Some(first) = firsts.next() else { continue };
            for other in firsts {
                let (i, j) = (self.root(first), self.root(other));
                // The smaller index is the root: the forest does not depend on the order of contacts.
                self.parent[i.max(j)] = i.min(j) as u32;
            }
        }
    }

    /// The largest ‖b‖ of each component, given to its contacts, with the floor of rounding.
    fn scatter_component_maximum(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        self.largest.clear();
        self.largest.resize(kinetic.num_coordinates(), 0.0);
        for a in 0..self.speed.len() {
            if let Some(first) = kinetic.first_coordinates(a).next() {
                let root = self.root(first);
                self.largest[root] = self.largest[root].max(self.speed[a]);
            }
        }
        for a in 0..self.speed.len() {
            let Some(first) = kinetic.first_coordinates(a).next() else {
                continue;
            };
            let root = self.root(first);
            let own = kinetic.first_coordinates(a).fold(0.0_f64, |m, i| m.max(self.own[i]));
            let floor = ROUNDING * own * (problem.dim(a) as f64 / problem.kappa(a)).sqrt();
            self.speed[a] = self.largest[root].max(floor);
        }
    }

    fn root(&mut self, from: usize) -> usize {
        let mut i = from;
        while self.parent[i] as usize != i {
            // Halving the path keeps the trees flat.
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }
}

/// s of one contact.
fn free_velocity_scale(law: &Law, b: &[f64]) -> f64 {
    match b {
        [normal, others @ ..] if *normal > 0.0 && law.is_unilateral() => {
            (size(others) - normal).max(0.0)
        }
        _ => size(b),
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
