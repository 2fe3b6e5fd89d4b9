//! Given forces and torques: force fields from expressions, on one body or on many.

use percuss_bodies::{Dim, ForceContext, ForceField, Vector};
use percuss_expr::{Graph, NodeId, Program, Scope, Scratch};

use super::context::{Context, at};
use super::scene_dim::SceneDim;
use percuss_input::tables::bodies::spec::LoadSpec;
use percuss_input::{Formula, InputError};

/// A force and a torque on each of some bodies: one program, run for each of them.
#[derive(Debug)]
pub(super) struct Load<D: Dim> {
    members: Vec<u32>,
    per_mass: bool,
    /// Point of application, in body axes.
    at: Option<D::Vector>,
    /// Force and torque by velocity component.
    program: Program,
    scratch: Scratch,
    inputs: Vec<f64>,
    out: D::Dofs,
}

impl<D: SceneDim> ForceField<D> for Load<D> {
    fn add_loads(&mut self, scenery: &ForceContext<'_, D>, loads: &mut [D::Dofs]) {
        for &i in &self.members {
            let i = i as usize;
            let (pose, velocity) = (&scenery.poses[i], &scenery.velocities[i]);
            let mass = scenery.bodies[i].mass.mass;
            // Evaluate force and torque at the state of the body.
            D::observe(scenery.t, pose, velocity, mass, &mut self.inputs);
            let out = self.out.as_mut();
            if self
                .program
                .run(&self.inputs, &mut self.scratch, out)
                .is_err()
            {
                // Inputs and outputs always fit; if not, the step reports NaN.
                out.fill(f64::NAN);
            }
            if let Some(point) = self.at {
                let mut row = D::ZERO_VELOCITY;
                let lever = D::rotate(&pose.rotation, point);
                // A row of G is linear in the direction: with the force for it, it is the torque.
                let force = D::Vector::from_components(&out[..D::N]);
                D::linear_jacobian_row(&pose.rotation, lever, force, row.as_mut());
                for (moment, more) in out[D::N..].iter_mut().zip(&row.as_ref()[D::N..]) {
                    *moment += more;
                }
            }
            // Per body or per mass.
            let factor = if self.per_mass { mass } else { 1.0 };
            for (load, more) in loads[i].as_mut().iter_mut().zip(out.iter()) {
                *load += factor * more;
            }
        }
    }
}

/// The bodies a load acts on, and how.
pub(super) struct Target<D: Dim> {
    pub members: Vec<u32>,
    pub per_mass: bool,
    pub at: Option<D::Vector>,
}

/// Compiles a load.
pub(super) fn load<D: SceneDim>(
    context: &Context<'_>,
    part: &str,
    spec: &LoadSpec,
    target: Target<D>,
) -> Result<Load<D>, Box<InputError>> {
    let mut words = Words::new::<D>(context)?;
    // Force components, then torque components.
    let mut outputs = vec![Graph::ZERO; D::DOF];
    let parts = [("force", &spec.force, 0), ("torque", &spec.torque, D::N)];
    for (key, formulas, first) in parts {
        for (k, formula) in formulas.iter().flatten().enumerate() {
            outputs[first + k] = words.parse(context, part, key, formula)?;
        }
    }
    Ok(Load {
        members: target.members,
        per_mass: target.per_mass,
        at: target.at,
        program: Program::compile(&words.graph, &outputs),
        scratch: Scratch::new(),
        inputs: vec![0.0; D::VARIABLES.len()],
        out: D::ZERO_VELOCITY,
    })
}

/// Names that the expressions of loads may use.
struct Words {
    graph: Graph,
    scope: Scope,
    /// Variables that have the name of a parameter.
    twofold: Vec<(String, NodeId)>,
}

impl Words {
    fn new<D: SceneDim>(context: &Context<'_>) -> Result<Self, Box<InputError>> {
        let (mut graph, mut scope) = (Graph::new(), Scope::new());
        let mut twofold = Vec::new();
        let unreadable = |error: &percuss_expr::ExprError| {
            let nowhere = Formula::at_line("", 1);
            context.unreadable(at("[parameters]", ""), &nowhere, error)
        };
        let parameters = &context.parameters.values;
        // Variables of the body, then parameters as constants.
        for variable in D::VARIABLES {
            let node = scope.input(&mut graph, variable);
            let node = node.map_err(|error| unreadable(&error))?;
            if parameters.iter().any(|(name, _)| name == variable) {
                twofold.push((variable.to_string(), node));
            }
        }
        let others = parameters
            .iter()
            .filter(|(name, _)| !D::VARIABLES.contains(&name.as_str()));
        for (name, value) in others {
            let node = graph.constant(*value);
            scope.bind(name, node).map_err(|error| unreadable(&error))?;
        }
        Ok(Self {
            graph,
            scope,
            twofold,
        })
    }

    fn parse(
        &mut self,
        context: &Context<'_>,
        part: &str,
        key: &str,
        formula: &Formula,
    ) -> Result<NodeId, Box<InputError>> {
        let place = at(part, key);
        let node = self
            .graph
            .parse(&self.scope, &formula.text)
            .map_err(|error| context.unreadable(place, formula, &error))?;
        for (name, variable) in &self.twofold {
            if self.graph.depends_on(node, *variable) {
                let problem =
                    format!("`{name}` is a parameter and also a variable of the body here");
                return Err(context.wrong(place, formula, problem, "Rename the parameter"));
            }
        }
        Ok(node)
    }
}
