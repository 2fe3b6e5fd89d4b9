//! Lagrange's equations from a kinetic energy.
//!
//! Coordinates q, velocities v, accelerations a, time t. The kinetic energy of a system with moving
//! constraints (rheonomic) is
//!
//! ```text
//! T = ½ vᵀ A(t,q) v + b(t,q)·v + c(t,q)
//! ```
//!
//! and with a potential V(t,q) and generalised forces Q(t,q,v) the equations
//! d/dt ∂T/∂vᵢ − ∂T/∂qᵢ = Qᵢ − ∂V/∂qᵢ become A a = K(t,q,v) (M88 7.4) with
//!
//! ```text
//! Kᵢ = Qᵢ − ∂V/∂qᵢ − Σ_{j,k} Γᵢⱼₖ vⱼ vₖ − Σⱼ (∂A_ij/∂t + ∂bᵢ/∂qⱼ − ∂bⱼ/∂qᵢ) vⱼ − ∂bᵢ/∂t + ∂c/∂qᵢ
//! Γᵢⱼₖ = ½ (∂A_ij/∂qₖ + ∂A_ik/∂qⱼ − ∂A_jk/∂qᵢ)
//! ```
//!
//! Everything is an expression again, differentiated exactly. The velocity terms are derived in two
//! ways, with Christoffel's symbols as above and as ∂T/∂qᵢ minus the derivative of ∂T/∂vᵢ along the
//! motion; the first cancels more in small systems, the second grows more slowly. The one that
//! compiles to fewer instructions is taken.
//!
//! Where q̇ is not v (orientations), ∂/∂qᵢ is read as the derivative Xᵢ along velocity i, and the
//! fields of one orientation do not commute: with Π = ∂T/∂ω the equations are Hamel's,
//!
//! ```text
//! Π̇ = Π × ω + X T + torque          (Euler's equations I ω̇ = I ω × ω + torque for T = ½ ω·I ω)
//! ```

mod constraints;
mod coordinates;
mod polynomial;
mod velocity;

pub use constraints::Constraints;
pub use coordinates::{CoordinateInputs, Coordinates};
pub use velocity::VelocityRow;

use thiserror::Error;

use crate::graph::Graph;
use crate::node::NodeId;
use crate::program::Program;

/// Why Lagrange's equations cannot be derived.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LagrangeError {
    /// Not ½ vᵀAv + b·v + c.
    #[error("the kinetic energy is not quadratic in the velocities: `{part}` {reason}")]
    NotQuadratic {
        /// The smallest subexpression at fault.
        part: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Not G v + W.
    #[error("{what} is not linear (affine) in the velocities: `{part}` {reason}")]
    NotAffine {
        /// What the expression is.
        what: String,
        /// The smallest subexpression at fault.
        part: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A potential or a constraint in which a velocity occurs.
    #[error("{what} must depend on positions and time only, but `{velocity}` occurs in it")]
    Velocity {
        /// What the expression is.
        what: String,
        /// The velocity.
        velocity: String,
    },
    /// Numbers that should be equal.
    #[error("there are {expected} coordinates but {found} {what}")]
    Count {
        /// What there is a wrong number of.
        what: &'static str,
        /// Number of coordinates.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// A coordinate, velocity or time that is no input, or is used twice.
    #[error(
        "`{0}` cannot be a coordinate, a velocity or the time: each must be an input of its own"
    )]
    NotAnInput(String),
}

/// Lagrange's equations A a = K as expressions.
#[derive(Clone, Debug)]
pub struct Equations {
    /// A, row by row; symmetric entries are the same node.
    pub mass: Vec<NodeId>,
    /// b, the part of the momentum ∂T/∂v that does not depend on v.
    pub linear_terms: Vec<NodeId>,
    /// c, the part of T that does not depend on v.
    pub velocity_free_term: NodeId,
    /// K.
    pub force: Vec<NodeId>,
    names: Vec<String>,
}

impl Equations {
    /// Derives the equations. `forces` has one expression per coordinate, or is empty for none.
    ///
    /// # Errors
    /// The kinetic energy is not quadratic in the velocities, the potential depends on one, or the
    /// number of forces is not that of the coordinates.
    pub fn derive(
        graph: &mut Graph,
        coordinates: &Coordinates,
        kinetic: NodeId,
        potential: Option<NodeId>,
        forces: &[NodeId],
    ) -> Result<Self, LagrangeError> {
        let n = coordinates.dimension();
        if !forces.is_empty() && forces.len() != n {
            let (what, found) = ("generalised forces", forces.len());
            return Err(LagrangeError::Count {
                what,
                expected: n,
                found,
            });
        }
        if let Some(potential) = potential {
            let what = || "the potential".to_string();
            coordinates.require_free_of_velocities(graph, potential, what)?;
        }
        let (mass, momentum, rest) = split(graph, coordinates, kinetic)?;
        // Given forces Q − ∂V/∂q.
        let mut given = forces.to_vec();
        given.resize(n, Graph::ZERO);
        if let Some(potential) = potential {
            for (i, force) in given.iter_mut().enumerate() {
                let slope = coordinates.derivative_along(graph, potential, i);
                *force = graph.sub(*force, slope);
            }
        }
        add_hamel_torque(graph, coordinates, (&mass, &momentum), &mut given);
        // Velocity terms in both forms; the one with fewer instructions is taken.
        let symbols = christoffel(graph, coordinates, (&mass, &momentum, rest), &given);
        let motion = along_motion(graph, coordinates, kinetic, &given);
        // Cost: instructions of A and K together.
        let cost =
            |force: &[NodeId]| Program::compile(graph, &[&mass, force].concat()).num_instructions();
        let force = match cost(&motion) < cost(&symbols) {
            true => motion,
            false => symbols,
        };
        Ok(Equations {
            mass,
            linear_terms: momentum,
            velocity_free_term: rest,
            force,
            names: coordinates.names.clone(),
        })
    }

    /// A (row by row) and then K in one program.
    pub fn program(&self, graph: &Graph) -> Program {
        let pairs = self
            .names
            .iter()
            .flat_map(|a| self.names.iter().map(move |b| (a, b)));
        let mass = pairs.map(|(a, b)| format!("mass matrix ({a}, {b})"));
        let force = self.names.iter().map(|q| format!("force along {q}"));
        let nodes = self.mass.iter().chain(&self.force).copied();
        Program::compile_labelled(graph, mass.chain(force).zip(nodes))
    }

    /// Gradients of the mass matrix, ∂A/∂qₖ (XₖA) for each k, each row by row.
    pub fn mass_gradients(&self, graph: &mut Graph, coordinates: &Coordinates) -> Vec<NodeId> {
        let mut gradients = Vec::with_capacity(self.mass.len() * coordinates.dimension());
        for k in 0..coordinates.dimension() {
            let along = |&entry| coordinates.derivative_along(graph, entry, k);
            gradients.extend(self.mass.iter().map(along));
        }
        gradients
    }
}

/// A, b and c of the kinetic energy, by its coefficients as a polynomial in v.
fn split(
    graph: &mut Graph,
    coordinates: &Coordinates,
    kinetic: NodeId,
) -> Result<(Vec<NodeId>, Vec<NodeId>, NodeId), LagrangeError> {
    let n = coordinates.dimension();
    let coefficients = polynomial::coefficients(graph, kinetic, &coordinates.velocities, 2)
        .map_err(|refusal| LagrangeError::NotQuadratic {
            part: refusal.part,
            reason: refusal.reason,
        })?;
    let of = |monomial: &[usize]| coefficients.get(monomial).copied().unwrap_or(Graph::ZERO);
    let mut mass = vec![Graph::ZERO; n * n];
    for i in 0..n {
        // T has ½ A_ii vᵢ², and A_ij vᵢvⱼ once for both orders.
        let square = of(&[i, i]);
        mass[i * n + i] = graph.add(square, square);
        for j in i + 1..n {
            mass[i * n + j] = of(&[i, j]);
            mass[j * n + i] = of(&[i, j]);
        }
    }
    let momentum = (0..n).map(|i| of(&[i])).collect();
    Ok((mass, momentum, of(&[])))
}

/// Adds Hamel's term Π × ω to the forces of every orientation.
fn add_hamel_torque(
    graph: &mut Graph,
    coordinates: &Coordinates,
    (mass, momentum): (&[NodeId], &[NodeId]),
    force: &mut [NodeId],
) {
    let n = coordinates.dimension();
    let v = &coordinates.velocities;
    for &first in &coordinates.spins {
        // Π = b + A v, three components.
        let mut total = [Graph::ZERO; 3];
        for (k, total) in total.iter_mut().enumerate() {
            *total = momentum[first + k];
            for j in 0..n {
                let part = graph.mul(mass[(first + k) * n + j], v[j]);
                *total = graph.add(*total, part);
            }
        }
        for k in 0..3 {
            // Component k of Π × ω.
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            let ahead = graph.mul(total[a], v[first + b]);
            let back = graph.mul(total[b], v[first + a]);
            let torque = graph.sub(ahead, back);
            force[first + k] = graph.add(force[first + k], torque);
        }
    }
}

/// K with Christoffel's symbols; terms that cancel identically are not formed.
fn christoffel(
    graph: &mut Graph,
    coordinates: &Coordinates,
    (mass, momentum, rest): (&[NodeId], &[NodeId], NodeId),
    given: &[NodeId],
) -> Vec<NodeId> {
    let n = coordinates.dimension();
    let v = &coordinates.velocities;
    let mut force = given.to_vec();
    for i in 0..n {
        let mut velocity_terms = Graph::ZERO;
        for j in 0..n {
            for k in j..n {
                // Γ_ijk + Γ_ikj, half of that for j = k; A_ik = A_jk for i = j, and so on.
                let coefficient = if i == j || i == k {
                    let (row, by) = if i == j { (j, k) } else { (k, j) };
                    let slope = coordinates.derivative_along(graph, mass[i * n + row], by);
                    if i == j && i == k {
                        half(graph, slope)
                    } else {
                        slope
                    }
                } else {
                    let first = coordinates.derivative_along(graph, mass[i * n + j], k);
                    let second = coordinates.derivative_along(graph, mass[i * n + k], j);
                    let third = coordinates.derivative_along(graph, mass[j * n + k], i);
                    let sum = graph.add(first, second);
                    let all = graph.sub(sum, third);
                    if j == k { half(graph, all) } else { all }
                };
                let speeds = graph.mul(v[j], v[k]);
                let term = graph.mul(coefficient, speeds);
                velocity_terms = graph.add(velocity_terms, term);
            }
            // Terms linear in v: ∂A/∂t and the curl of b.
            let drift = coordinates.time_derivative(graph, mass[i * n + j]);
            let ahead = coordinates.derivative_along(graph, momentum[i], j);
            let back = coordinates.derivative_along(graph, momentum[j], i);
            let turn = graph.sub(ahead, back);
            let coefficient = graph.add(drift, turn);
            let term = graph.mul(coefficient, v[j]);
            velocity_terms = graph.add(velocity_terms, term);
        }
        // Terms free of v: ∂b/∂t and ∂c/∂q.
        let change = coordinates.time_derivative(graph, momentum[i]);
        let push = coordinates.derivative_along(graph, rest, i);
        let terms = graph.add(velocity_terms, change);
        let terms = graph.sub(terms, push);
        force[i] = graph.sub(given[i], terms);
    }
    force
}

fn half(graph: &mut Graph, node: NodeId) -> NodeId {
    let half = graph.constant(0.5);
    graph.mul(half, node)
}

/// K as ∂T/∂qᵢ − (∂T/∂vᵢ)˙ along the motion, with the accelerations left out.
fn along_motion(
    graph: &mut Graph,
    coordinates: &Coordinates,
    kinetic: NodeId,
    given: &[NodeId],
) -> Vec<NodeId> {
    let motion = coordinates.motion();
    let mut force = given.to_vec();
    for (i, force) in force.iter_mut().enumerate() {
        let momentum = graph.derivative(kinetic, coordinates.velocities[i]);
        let change = graph.directional(momentum, &motion);
        let slope = coordinates.derivative_along(graph, kinetic, i);
        let terms = graph.sub(slope, change);
        *force = graph.add(*force, terms);
    }
    force
}
