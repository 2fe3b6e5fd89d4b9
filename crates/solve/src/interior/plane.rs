//! Interior point for bodies in the plane, where Coulomb's cone has two edges and the problem is linear.
//!
//! With the tangential impulse split into p − m and a bound γ of the sliding speed, the law of a contact is
//! four linear complementarities (Stewart and Trinkle 1996), in scaled variables:
//!
//! ```text
//! 0 ≤ n ⊥ s_n = u_n            0 ≤ p ⊥ s_p = u_t + γ
//! 0 ≤ γ ⊥ s_γ = μ n − p − m    0 ≤ m ⊥ s_m = γ − u_t            u = Ŵ (n, p − m) + q̂
//! ```
//!
//! Mehrotra's predictor and corrector follow the path z s = τ. What a contact answers to a change of its
//! velocity, (dn, dp − dm) = c − K du, is eliminated contact by contact; what is left is one system in the
//! velocities of bodies (module `primal`), factored once and solved twice in an iteration. These velocities
//! are unknowns of their own: those of the impulses would carry the rounding of impulses that nearly cancel.
//!
//! There is no norm of a velocity to be smoothed and no root to be lost where r = u = 0, unlike in the
//! method for second-order cones beside this one: walls whose joints all slide, where sweeps and Newton's
//! method stall, take 20 to 60 iterations from any start. A small proximal term keeps dependent contacts
//! factorable. Limits: contacts of two rows with Coulomb's law and μ > 0 between bodies.

use contact::Problem;
use contact::law::Law;

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::primal::Primal;

mod node;

use node::Node;

/// How the method proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct InteriorPlaneParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Distance of the first iterate from the edges, in units of the root mean square impulse.
    pub start: f64,
    /// Fraction of the way to the nearest edge that a step may go.
    pub fraction: f64,
    /// α, relative to the diagonal of Ŵ.
    pub proximal: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for InteriorPlaneParams {
    fn default() -> Self {
        Self {
            max_iterations: 80,
            start: 0.1,
            fraction: 0.95,
            // None: one wall in six ends above 1e-6. 1e-6: a third more iterations.
            proximal: 1e-8,
            patience: 20,
        }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct InteriorPlane {
    /// How it proceeds.
    pub params: InteriorPlaneParams,
    primal: Option<Primal>,
    nodes: Vec<Node>,
    /// √κ of each contact.
    root: Vec<f64>,
    gain: Vec<f64>,
    /// Velocities of the bodies, what they miss of the impulses' sum, and their change.
    v: Vec<f64>,
    miss: Vec<f64>,
    dv: Vec<f64>,
    /// û and its change by row; c, or scaled impulses.
    u: Vec<f64>,
    du: Vec<f64>,
    c: Vec<f64>,
    /// The iterate in the cones.
    inside: Vec<f64>,
}

impl InteriorPlane {
    /// With the given parameters.
    pub fn new(params: InteriorPlaneParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Takes a problem in; false where it is not one of bodies in the plane with friction.
    fn fit(&mut self, problem: &Problem, impulse: &[f64]) -> bool {
        let plain = |a| matches!(problem.law(a), Law::Coulomb { mu } if *mu > 0.0);
        if !(0..problem.num_contacts()).all(|a| problem.dim(a) == 2 && plain(a)) {
            return false;
        }
        let refitted = self.primal.as_mut().is_some_and(|p| p.refit(problem));
        if !refitted {
            self.primal = Primal::new(problem);
        }
        if self.primal.is_none() {
            return false;
        }
        let (contacts, rows) = (problem.num_contacts(), problem.num_rows());
        self.root.clear();
        self.root
            .extend((0..contacts).map(|a| problem.kappa(a).sqrt()));
        self.gain.resize(4 * contacts, 0.0);
        for list in [&mut self.u, &mut self.du, &mut self.c] {
            list.resize(rows, 0.0);
        }
        self.begin(problem, impulse);
        true
    }

    /// The first iterate.
    fn begin(&mut self, problem: &Problem, impulse: &[f64]) {
        let Some(primal) = &self.primal else {
            return;
        };
        let (mut impulses, mut free) = (0.0, 0.0);
        for (row, r) in impulse.iter().enumerate() {
            let root = self.root[row / 2];
            self.c[row] = r / root;
            impulses += self.c[row].powi(2);
            free += (problem.free()[row] * root).powi(2);
        }
        // From a cold start the free velocity gives the unit.
        let scale = (impulses.max(1e-2 * free) / problem.num_rows().max(1) as f64).sqrt();
        let room = (self.params.start * scale).max(f64::MIN_POSITIVE);
        for list in [&mut self.v, &mut self.miss, &mut self.dv] {
            list.clear();
            list.resize(primal.num_coordinates(), 0.0);
        }
        self.nodes.clear();
        for (a, x) in self.c.chunks_exact_mut(2).enumerate() {
            if let Law::Coulomb { mu } = *problem.law(a) {
                let node = Node::at(mu, [x[0], x[1]], room);
                x.copy_from_slice(&node.impulse());
                self.nodes.push(node);
            }
        }
        primal.scatter(&self.c, &mut self.v);
        self.set_velocity(problem);
        for (node, u) in self.nodes.iter_mut().zip(self.u.chunks_exact(2)) {
            node.open([u[0], u[1]], room);
        }
    }

    /// û = Ĝ v + q̂.
    fn set_velocity(&mut self, problem: &Problem) {
        if let Some(primal) = &self.primal {
            primal.gather_into(&self.v, &mut self.u);
        }
        for (row, (u, b)) in self.u.iter_mut().zip(problem.free()).enumerate() {
            *u += self.root[row / 2] * b;
        }
    }

    /// One predictor and one corrector; false where the system could not be solved.
    fn advance(&mut self, problem: &Problem) -> bool {
        self.set_velocity(problem);
        for (a, node) in self.nodes.iter_mut().enumerate() {
            node.set_rest([self.u[2 * a], self.u[2 * a + 1]]);
            self.gain[4 * a..4 * a + 4].copy_from_slice(&node.eliminate(self.params.proximal));
            self.c[2 * a..2 * a + 2].copy_from_slice(&node.impulse());
        }
        let Some(primal) = &mut self.primal else {
            return false;
        };
        // What the bodies' velocities miss of Ĝᵀ x.
        self.miss.iter_mut().zip(&self.v).for_each(|(m, v)| *m = -v);
        primal.scatter(&self.c, &mut self.miss);
        if !primal.factor(&self.gain) {
            return false;
        }
        let mean = self.gap(0.0);
        if !self.change(|_| [0.0; 4]) {
            return false;
        }
        let reach = self.longest(1.0);
        let sigma = (self.gap(reach) / mean).powi(3).clamp(1e-4, 0.8);
        let target = sigma * mean;
        // Mehrotra's second order: what the predictor left of z s.
        if !self.change(|node| std::array::from_fn(|k| target - node.dz[k] * node.ds[k])) {
            return false;
        }
        let step = (self.params.fraction * self.longest(1.0 / self.params.fraction)).min(1.0);
        for node in &mut self.nodes {
            for k in 0..4 {
                node.z[k] += step * node.dz[k];
                node.s[k] += step * node.ds[k];
            }
        }
        self.v
            .iter_mut()
            .zip(&self.dv)
            .for_each(|(v, dv)| *v += step * dv);
        true
    }

    /// Solves for the change towards these targets of z s.
    fn change(&mut self, target: impl Fn(&Node) -> [f64; 4]) -> bool {
        for (node, c) in self.nodes.iter_mut().zip(self.c.chunks_exact_mut(2)) {
            let target = target(node);
            c.copy_from_slice(&node.aim(target));
        }
        let Some(primal) = &mut self.primal else {
            return false;
        };
        match primal.solve_factored(&self.c, &self.miss) {
            Some(w) => self.dv.copy_from_slice(w),
            None => return false,
        }
        primal.gather_into(&self.dv, &mut self.du);
        for (node, du) in self.nodes.iter_mut().zip(self.du.chunks_exact(2)) {
            node.change([du[0], du[1]], self.params.proximal);
        }
        true
    }

    /// The impulses of the iterate, projected into the cones.
    fn set_inside(&mut self, problem: &Problem) {
        self.inside.clear();
        for (a, (node, root)) in self.nodes.iter().zip(&self.root).enumerate() {
            let mut r = node.impulse().map(|x| x * root);
            problem.law(a).project(&mut r);
            self.inside.extend_from_slice(&r);
        }
    }

    fn longest(&self, most: f64) -> f64 {
        self.nodes.iter().fold(most, |step, node| node.room(step))
    }

    /// The mean of z s after a step.
    fn gap(&self, step: f64) -> f64 {
        let sum: f64 = self.nodes.iter().map(|node| node.gap(step)).sum();
        sum / (4 * self.nodes.len().max(1)) as f64
    }

    fn iterate(&mut self, problem: &Problem, goal: &Goal, best: &mut Best) -> (usize, Outcome) {
        let most = self.params.max_iterations;
        let limit = goal.max_iterations.map_or(most, |n| n.min(most));
        let mut mark = (f64::INFINITY, 0);
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            if !self.advance(problem) {
                return (iteration, Outcome::Stalled);
            }
            self.set_inside(problem);
            let residual = best.offer(problem, &self.inside, iteration);
            if residual <= 0.5 * mark.0 {
                mark = (residual, iteration);
            } else if iteration - mark.1 >= self.params.patience {
                return (iteration, Outcome::Stalled);
            }
        }
        (limit, Outcome::Exhausted)
    }
}

impl Solver for InteriorPlane {
    fn name(&self) -> &'static str {
        "interior-plane"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = Best::new(problem, impulse, goal);
        let (iterations, outcome) = if self.fit(problem, impulse) {
            self.iterate(problem, goal, &mut best)
        } else {
            (0, Outcome::Unsuitable)
        };
        best.finish(self.name(), iterations, outcome, impulse)
    }
}
