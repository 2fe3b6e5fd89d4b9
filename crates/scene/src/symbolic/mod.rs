//! Mechanisms from symbolic expressions: `percuss_mechanism::System` by symbolic differentiation and compiled programs.
//!
//! ```text
//! A(t,q) dv = K(t,q,v) dt + Σ Gᵀ dS        from T(t,q,v), V(t,q), forces            (M88 7.4)
//! U = G(t,q) v + W(t,q)                     from gaps, joints, velocity expressions   (JM92 5.3)
//! ```
//!
//! All derivatives are taken symbolically once and compiled; afterwards an evaluation is one run of a straight-line
//! program over one input vector (t, q, v) and allocates nothing, except for laws whose set follows the state. Values
//! that are not finite stop the motion with the expression that failed, the state and the instant.
//!
//! `names` registers coordinates, parameters and definitions; `constraints`, `contacts` and `scale` turn constraints
//! into rows, gaps and laws; `laws` makes the [`percuss_contact::Law`] of a state; `settings` evaluates `[run]`, `impact` `[impact]`,
//! `process` the settings of a sweeping process; `build` assembles the system; `unit` runs programs and explains
//! failures; `remarks` looks at regularity, growth and integrability; `observable` and `drawing_program` compile expressions for findings, plots and drawings.

mod build;
mod constraints;
mod contacts;
mod drawing_program;
mod impact;
mod laws;
mod names;
mod nonfirm;
mod observable;
mod process;
mod projection;
mod remarks;
mod scale;
mod settings;
mod unit;

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_expr::lagrange::{Coordinates, VelocityRow};
use percuss_expr::{Graph, NodeId, Scope};
use percuss_mechanism::scaling::NormalScaling;
use percuss_mechanism::{
    ConfigurationSpace, Constraint, Settings, State, StateRef, System, SystemError,
};

pub use drawing_program::{DrawingProgram, DrawingProgramError};
pub use laws::{LawForm, SetForm, assemble_law};
pub use observable::{Observable, Sample, of_time};
pub use process::SweepingSettings;
pub use remarks::{Remark, RemarkKind};

use laws::LawOf;
use projection::Projection;
use unit::{Inputs, Unit, Values};

/// A mechanism ready to run.
#[derive(Debug, Clone)]
pub struct BuiltMechanism {
    /// The system of equations.
    pub system: SymbolicSystem,
    /// Initial state; its time is the start of the run.
    pub initial: State,
    /// Integrator and its settings.
    pub settings: Settings,
    /// End of the run.
    pub until: f64,
    /// A row is recorded every so many steps.
    pub record_every: usize,
    /// Bounds of the certificate.
    pub bounds: percuss_input::tables::CertificateBounds,
    /// Settings of the catching-up scheme, if it is a sweeping process.
    pub sweep: Option<Box<process::SweepingSettings>>,
}

impl BuiltMechanism {
    /// The method of a sweeping process, by its value of `integrator`; `None` for a mechanism.
    pub fn sweep_method(&self) -> Option<&'static str> {
        self.sweep.as_ref().map(|plan| plan.integrator())
    }
}

/// A mechanism whose kinetic energy, potential, forces and constraints are expressions.
#[derive(Debug, Clone)]
pub struct SymbolicSystem {
    chart: ConfigurationSpace,
    inputs: Inputs,
    names: Vec<String>,
    constraints: Vec<Constraint>,
    dynamics: Unit,
    potential: Option<Unit>,
    gaps: Unit,
    touching: Vec<ConstraintPrograms>,
    impact: impact::ImpactPrograms,
    tangent: Option<Unit>,
    /// A(t, q), where frictional rows are projected.
    mass: Option<Unit>,
    /// Reactions that laws see: input slot, and row among the rows of all constraints.
    reactions: Vec<(usize, usize)>,
    /// The velocity given by the scene, before impacts at the first instant.
    first_velocity: Vec<f64>,
    model: Model,
}

/// The expression graph behind the programs: for observables and for the tangent.
#[derive(Debug, Clone)]
struct Model {
    graph: Graph,
    coordinates: Coordinates,
    force: Vec<NodeId>,
    /// Given forces, without those of the potential.
    given: Vec<NodeId>,
    potential: Option<NodeId>,
    /// Rows of the nonholonomic constraints, with their names.
    nonholonomic: Vec<(String, Vec<VelocityRow>)>,
    /// The names an observable may use.
    scope: Scope,
    /// Inputs of observables beyond the state: gaps, velocities, forces.
    measured: Vec<observable::Measured>,
}

/// Compiled programs of one constraint.
#[derive(Debug, Clone)]
struct ConstraintPrograms {
    /// G by rows, then W.
    rows: Unit,
    bias: Unit,
    law: LawOf,
    /// Normal and tangential restitution.
    rebound: Option<Values>,
    /// Scaling of its normal rows to the unit of length, where they need it.
    scaling: Option<NormalScaling>,
    /// Projection of its frictional rows.
    projection: Option<Projection>,
    /// Constraints whose reactions its law sees.
    seen: Vec<usize>,
}

impl SymbolicSystem {
    /// The index of the constraint of this name.
    pub fn constraint_index(&self, name: &str) -> Option<usize> {
        self.constraints.iter().position(|c| c.name == name)
    }

    /// The velocity given by the scene, before impacts at the first instant.
    pub fn first_velocity(&self) -> &[f64] {
        &self.first_velocity
    }

    fn compile_tangent(&mut self) -> Unit {
        let Model {
            graph,
            coordinates,
            force,
            ..
        } = &mut self.model;
        let n = coordinates.dimension();
        let mut outputs = Vec::with_capacity(2 * n * n);
        let name = |i: usize| &self.names[self.chart.num_positions() + i];
        // ∂K/∂q along each velocity direction of the configuration space.
        for (i, &k) in force.iter().enumerate() {
            for j in 0..n {
                let label = format!("derivative of the force along {} by position {j}", name(i));
                outputs.push((label, coordinates.derivative_along(graph, k, j)));
            }
        }
        // ∂K/∂v.
        let velocities = coordinates.velocities().to_vec();
        for (i, &k) in force.iter().enumerate() {
            for (j, &v) in velocities.iter().enumerate() {
                let label = format!("derivative of the force along {} by {}", name(i), name(j));
                outputs.push((label, graph.derivative(k, v)));
            }
        }
        Unit::compile(graph, outputs)
    }
}

impl System for SymbolicSystem {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }

    fn position_name(&self, i: usize) -> String {
        self.names.get(i).cloned().unwrap_or_default()
    }

    fn velocity_name(&self, i: usize) -> String {
        let at = self.chart.num_positions() + i;
        self.names.get(at).cloned().unwrap_or_default()
    }

    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        self.inputs.set(t, q, v);
        let out = self.dynamics.run(&self.inputs)?;
        // Outputs: A by rows, then K.
        let (a, k) = out.split_at(mass.len());
        mass.copy_from_slice(a);
        force.copy_from_slice(k);
        Ok(())
    }

    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<bool, SystemError> {
        // Compiled when first asked for: only implicit schemes need it.
        if self.tangent.is_none() {
            self.tangent = Some(self.compile_tangent());
        }
        let Some(unit) = &mut self.tangent else {
            return Ok(false);
        };
        self.inputs.set(t, q, v);
        let out = unit.run(&self.inputs)?;
        // Outputs: ∂K/∂q, then ∂K/∂v.
        let (by_q, by_v) = out.split_at(by_position.len());
        by_position.copy_from_slice(by_q);
        by_velocity.copy_from_slice(by_v);
        Ok(true)
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Result<f64, SystemError> {
        match &mut self.potential {
            None => Ok(0.0),
            Some(unit) => {
                self.inputs.set_position(t, q);
                Ok(unit.run_at_position(&self.inputs)?[0])
            }
        }
    }

    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        self.inputs.set_position(t, q);
        gaps.copy_from_slice(self.gaps.run_at_position(&self.inputs)?);
        // Normal rows of constraints with friction are scaled to lengths, and their gaps with them.
        let mut first = 0;
        for i in 0..self.constraints.len() {
            let count = self.constraints[i].num_gaps();
            if self.touching[i].scaling.is_some()
                && let Some(factor) = self.factor_at(i)?
            {
                factor.apply(&mut gaps[first..first + count], 1);
            }
            first += count;
        }
        Ok(())
    }

    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        self.written_rows(constraint, t, q, jacobian, boundary)?;
        // N ← L⁻¹N, W ← L⁻¹W for normal rows scaled to lengths.
        if let Some(scaling) = &self.touching[constraint].scaling {
            let n = self.chart.num_velocities();
            if let Some(factor) = scaling.at(jacobian, n) {
                factor.apply(jacobian, n);
                factor.apply(boundary, 1);
            }
        }
        self.project_rows(constraint, jacobian, boundary)
    }

    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        self.inputs.set(t, q, v);
        bias.copy_from_slice(self.touching[constraint].bias.run(&self.inputs)?);
        // U = L⁻¹(N v + W): where U is kept at zero, the rate of L takes no part.
        if let Some(factor) = self.factor_at(constraint)? {
            factor.apply(bias, 1);
        }
        self.project_bias(constraint, bias)
    }

    fn law(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        self.inputs.set(at.t, at.q, at.v);
        let name = &self.constraints[constraint].name;
        let law = &mut self.touching[constraint].law;
        law.at(name, &self.inputs, h, previous)
    }

    fn seen_reactions(&self, constraint: usize) -> &[usize] {
        &self.touching[constraint].seen
    }

    fn law_under_reactions(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
        forces: &[f64],
    ) -> Result<Law, SystemError> {
        for (slot, row) in &self.reactions {
            self.inputs.values[*slot] = forces[*row];
        }
        let law = self.law(constraint, at, h, previous);
        // Everything else is evaluated without reactions.
        for (slot, _) in &self.reactions {
            self.inputs.values[*slot] = 0.0;
        }
        law
    }

    fn restitution(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        let Some(values) = &mut self.touching[constraint].rebound else {
            return Ok(Restitution::default());
        };
        self.inputs.set(at.t, at.q, at.v);
        let values = values.at(&self.inputs)?;
        Ok(Restitution {
            normal: values[0],
            tangential: values[1],
        })
    }

    fn canonical_restitution(&mut self, at: StateRef<'_>) -> Result<Option<f64>, SystemError> {
        let Some(values) = &mut self.impact.canonical else {
            return Ok(None);
        };
        self.inputs.set(at.t, at.q, at.v);
        Ok(Some(values.at(&self.inputs)?[0]))
    }

    fn impact_map(
        &mut self,
        at: StateRef<'_>,
        closed: &[usize],
        after: &mut [f64],
    ) -> Result<bool, SystemError> {
        let Some(map) = &mut self.impact.map else {
            return Ok(false);
        };
        self.inputs.set(at.t, at.q, at.v);
        after.copy_from_slice(map.at(&self.inputs, closed)?);
        Ok(true)
    }

    fn contact_stiffness(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<f64, SystemError> {
        let Some(Some(values)) = self.impact.stiffness.get_mut(constraint) else {
            return Ok(1.0);
        };
        self.inputs.set(at.t, at.q, at.v);
        Ok(values.at(&self.inputs)?[0])
    }

    fn stiffness_exponent(&self) -> f64 {
        let constant = self.impact.exponent.as_ref().and_then(Values::constant);
        constant.map_or(1.5, |values| values[0])
    }
}
