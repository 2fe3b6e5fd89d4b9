//! Interior point method for planar bodies: Coulomb's cone has two edges, and the problem is a linear complementarity
//! problem (LCP).
//!
//! With the tangential impulse split into p − m and a bound γ of the sliding speed, the law of a contact is four linear
//! complementarity pairs (Stewart and Trinkle 1996), in scaled variables:
//!
//! ```text
//! 0 ≤ n ⊥ s_n = u_n            0 ≤ p ⊥ s_p = u_t + γ
//! 0 ≤ γ ⊥ s_γ = μ n − p − m    0 ≤ m ⊥ s_m = γ − u_t            u = Ŵ (n, p − m) + q̂
//! ```
//!
//! Mehrotra's predictor-corrector method follows the central path z s = τ. The response of a contact to a change of its
//! velocity, (dn, dp − dm) = c − K du, is eliminated contact by contact; what remains is one system in the velocities
//! of bodies ([`PlanarVelocitySystem`]), factorised once and solved twice per iteration. These velocities are unknowns
//! of their own: computed from the impulses they would carry the rounding of impulses that nearly cancel.
//!
//! There is no norm of a velocity to be smoothed, and no loss of accuracy where r = u = 0, unlike in the method for
//! second-order cones: walls whose interfaces all slide, where sweeps and Newton's method stall, take 20 to 60
//! iterations from any start. A small proximal term keeps dependent contacts factorisable. Limits: contacts of two rows
//! with Coulomb's law and μ > 0 between bodies.

use percuss_contact::Problem;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::planar_system::{
    PlanarContact, PlanarVelocitySystem, TangentBlock,
};

mod complementarity;

use complementarity::ComplementarityPairs;

/// Parameters of [`PlanarInteriorPoint`].
#[derive(Debug, Clone, PartialEq)]
pub struct PlanarInteriorPointParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Distance of the first iterate from the boundary, in units of the root mean square impulse.
    pub start: f64,
    /// Fraction of the distance to the boundary that a step may take.
    pub fraction: f64,
    /// α, relative to the diagonal of Ŵ.
    pub proximal: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
    /// Fraction of the tolerance down to which it continues as long as it converges fast.
    pub target: f64,
}

impl Default for PlanarInteriorPointParams {
    fn default() -> Self {
        Self {
            max_iterations: 80,
            start: 0.1,
            fraction: 0.95,
            // Without it one wall in six ends above 1e-6; 1e-6 costs a third more iterations.
            proximal: 1e-8,
            patience: 20,
            target: 1.0,
        }
    }
}

/// Multiple of the R2 target: an iterate whose own estimate is above it is not evaluated. Estimates are usually twice
/// the residual.
const NEARLY: f64 = 4.0;

/// Patience, in iterations without halving the estimate, once the tolerance is reached.
const BEYOND: usize = 12;

/// Interior point method for planar bodies; see the module.
#[derive(Debug, Default)]
pub struct PlanarInteriorPoint {
    /// Start, step length, proximal term and limits.
    pub params: PlanarInteriorPointParams,
    plane: PlanarVelocitySystem,
    nodes: Vec<ComplementarityPairs>,
    gain: Vec<TangentBlock>,
    /// Velocities of the bodies, their residual Ĝᵀx − v, and their change.
    v: Vec<f64>,
    miss: Vec<f64>,
    dv: Vec<f64>,
    /// Estimate of R2: residual of the complementarity pairs relative to the impulses.
    estimate: f64,
    /// Impulses of the iterate, projected into the cones.
    inside: Vec<f64>,
}

impl PlanarInteriorPoint {
    /// A solver with the given parameters.
    pub fn new(params: PlanarInteriorPointParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Takes a problem; false where it is not one of planar bodies with Coulomb friction.
    fn fit(&mut self, problem: &Problem, impulse: &[f64]) -> bool {
        if !self.plane.fit(problem)
            || self
                .plane
                .contacts
                .iter()
                .any(|contact| !(contact.mu > 0.0))
        {
            return false;
        }
        self.begin(impulse);
        true
    }

    /// The first iterate: the warm start, moved away from the boundary.
    fn begin(&mut self, impulse: &[f64]) {
        let contacts = &self.plane.contacts;
        let scaled = |(contact, r): (&PlanarContact, &[f64; 2])| r.map(|r| r / contact.root);
        let each = || contacts.iter().zip(impulse.as_chunks::<2>().0);
        let square = |x: [f64; 2]| x[0] * x[0] + x[1] * x[1];
        let impulses: f64 = each().map(scaled).map(square).sum();
        let free: f64 = contacts.iter().map(|contact| square(contact.free)).sum();
        // From zero impulses the free velocity gives the unit.
        let rows = 2 * contacts.len().max(1);
        let scale = (impulses.max(1e-2 * free) / rows as f64).sqrt();
        let room = (self.params.start * scale).max(f64::MIN_POSITIVE);
        for list in [&mut self.v, &mut self.miss, &mut self.dv] {
            list.clear();
            list.resize(self.plane.len(), 0.0);
        }
        self.nodes.clear();
        for (contact, r) in each() {
            let node = ComplementarityPairs::at(contact.mu, scaled((contact, r)), room);
            contact.scatter(node.impulse(), &mut self.v);
            self.nodes.push(node);
        }
        for (node, contact) in self.nodes.iter_mut().zip(contacts) {
            node.open(contact.velocity(&self.v), room);
        }
    }

    /// One predictor-corrector step; false where the system could not be solved.
    fn advance(&mut self) -> bool {
        // Residual Ĝᵀ x − v of the bodies' velocities.
        self.miss.iter_mut().zip(&self.v).for_each(|(m, v)| *m = -v);
        self.gain.clear();
        let mut sum = 0.0;
        for (contact, node) in self.plane.contacts.iter().zip(&mut self.nodes) {
            node.set_rest(contact.velocity(&self.v));
            self.gain.push(node.eliminate(self.params.proximal));
            contact.scatter(node.impulse(), &mut self.miss);
            sum += node.gap(0.0);
        }
        // Factorise I + Ĝᵀ K Ĝ.
        if !self.plane.factor(&self.gain) {
            return false;
        }
        // Predictor: target z s = 0, up to the boundary.
        let mean = self.mean(sum);
        let Some(reach) = self.change(1.0, |_| [0.0; 4]) else {
            return false;
        };
        // Centring parameter after Mehrotra.
        let sigma = (self.gap(reach) / mean).powi(3).clamp(1e-4, 0.8);
        let target = sigma * mean;
        // Corrector: second-order term dz ds of the predictor.
        let aims =
            |node: &ComplementarityPairs| std::array::from_fn(|k| target - node.dz[k] * node.ds[k]);
        let fraction = self.params.fraction;
        let Some(longest) = self.change(1.0 / fraction, aims) else {
            return false;
        };
        self.go((fraction * longest).min(1.0));
        true
    }

    /// Takes a step of this length and estimates R2 after it.
    fn go(&mut self, step: f64) {
        let (mut left, mut size) = (0.0, 0.0);
        for node in &mut self.nodes {
            for k in 0..4 {
                node.z[k] += step * node.dz[k];
                node.s[k] += step * node.ds[k];
            }
            left += node.left();
            size += node.impulse().iter().map(|x| x * x).sum::<f64>();
        }
        self.estimate = (left / f64::max(size, f64::MIN_POSITIVE)).sqrt();
        self.v
            .iter_mut()
            .zip(&self.dv)
            .for_each(|(v, dv)| *v += step * dv);
    }

    /// Solves for the change towards these targets of z s; returns the step length to the boundary, at most `longest`,
    /// or `None` where the system could not be solved.
    fn change(
        &mut self,
        longest: f64,
        target: impl Fn(&ComplementarityPairs) -> [f64; 4],
    ) -> Option<f64> {
        self.dv.copy_from_slice(&self.miss);
        for (contact, node) in self.plane.contacts.iter().zip(&mut self.nodes) {
            let target = target(node);
            contact.scatter(node.aim(target), &mut self.dv);
        }
        if !self.plane.solve_refined(&mut self.dv) {
            return None;
        }
        // Back-substitution into the complementarity pairs.
        let mut longest = longest;
        for (contact, node) in self.plane.contacts.iter().zip(&mut self.nodes) {
            node.change(contact.gather(&self.dv), self.params.proximal);
            longest = node.max_step(longest);
        }
        Some(longest)
    }

    /// The impulses of the iterate, projected into the cones.
    fn set_inside(&mut self, problem: &Problem) {
        self.inside.clear();
        for (a, (node, contact)) in self.nodes.iter().zip(&self.plane.contacts).enumerate() {
            let mut r = node.impulse().map(|x| x * contact.root);
            problem.law(a).project(&mut r);
            self.inside.extend_from_slice(&r);
        }
    }

    /// Mean of z s (duality measure) after a step.
    fn gap(&self, step: f64) -> f64 {
        self.mean(self.nodes.iter().map(|node| node.gap(step)).sum())
    }

    /// Mean over all complementarity pairs.
    fn mean(&self, sum: f64) -> f64 {
        sum / (4 * self.nodes.len().max(1)) as f64
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        best: &mut BestIterate,
    ) -> (usize, Outcome) {
        let most = self.params.max_iterations;
        let limit = goal.max_iterations.map_or(most, |n| n.min(most));
        let mut mark = (f64::INFINITY, 0);
        for iteration in 1..=limit {
            if best.within_fraction(self.params.target) {
                return (iteration - 1, Outcome::Reached);
            }
            if !self.advance() {
                return (iteration, Outcome::Stalled);
            }
            let estimate = self.estimate;
            // Evaluate where the estimate predicts convergence, and before stopping.
            let judged = estimate <= NEARLY * best.r2_target() || best.keeps_history();
            let slow = estimate > 0.5 * mark.0;
            let patience = if best.reached() {
                BEYOND
            } else {
                self.params.patience
            };
            let ends = iteration == limit || slow && iteration - mark.1 >= patience;
            if judged || ends {
                self.set_inside(problem);
                best.offer(problem, &self.inside, iteration);
            }
            if ends {
                return (iteration, Outcome::Stalled);
            }
            if !slow {
                mark = (estimate, iteration);
            }
        }
        (limit, Outcome::Exhausted)
    }
}

impl Solver for PlanarInteriorPoint {
    fn name(&self) -> &'static str {
        "interior-plane"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        let (iterations, outcome) = if self.fit(problem, impulse) {
            self.iterate(problem, goal, &mut best)
        } else {
            (0, Outcome::Unsuitable)
        };
        best.finish(self.name(), iterations, outcome, impulse)
    }
}
