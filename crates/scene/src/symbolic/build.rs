//! Building a mechanism: from a scene to a compiled system, an initial state and settings.

use percuss_contact::law::Status;
use percuss_expr::lagrange::{Equations, LagrangeError};
use percuss_expr::{Graph, NodeId, Scope};
use percuss_mechanism::{State, System};

use super::constraints::Collector;
use super::impact::ImpactPrograms;
use super::names::{self, Names};
use super::nonfirm::Reactions;
use super::observable::{Extra, Measured, PathSum, Quantity};
use super::settings::Evaluator;
use super::unit::{Inputs, Unit};
use super::{BuiltMechanism, Model, SymbolicSystem};
use crate::error::SceneError;
use crate::file::Scene;
use percuss_input::tables::{CertificateBounds, CoordinateKind, MechanismSpec};
use percuss_input::{Formula, InputError, Origin, value_error};

const DYNAMICS: &str = "[dynamics]";

/// Builds the mechanism of a scene: settings, names, energies, constraints, then compiled programs.
pub fn build(scene: &Scene, mechanism: &MechanismSpec) -> Result<BuiltMechanism, SceneError> {
    let file = scene.origin();
    let mut evaluator = Evaluator {
        file,
        parameters: scene.resolved(),
    };
    // Run settings: times, step, scheme, bounds of the certificate.
    let schedule = match &mechanism.sweep {
        None => evaluator.schedule(&mechanism.run)?,
        Some(_) => evaluator.schedule(&super::process::plain_run(file, &mechanism.run)?)?,
    };
    let every = mechanism
        .run
        .record
        .every(file, &mut evaluator.parameters)?;
    let bounds = &mechanism.run.certificate;
    let bounds = bounds.bounds(
        file,
        &mut evaluator.parameters,
        CertificateBounds::default(),
    )?;
    // Only to refuse an invalid `[record]` before the run.
    scene.choice((schedule.start, schedule.until))?;
    // Names, then energies and constraints as nodes of one expression graph.
    let names = names::names(file, mechanism, &evaluator.parameters)?;
    let mut collector = Collector {
        file,
        names,
        constraints: Vec::new(),
        touching: Vec::new(),
        gaps: Vec::new(),
        extras: Vec::new(),
        projections: Vec::new(),
        reactions: Reactions::default(),
        nonholonomic: Vec::new(),
    };
    let energies = energies(&mut collector, mechanism)?;
    // Constraints in this order: contacts, joints, nonholonomic, non-firm.
    for spec in &mechanism.contacts {
        collector.contact(spec)?;
    }
    for spec in &mechanism.joints {
        collector.joint(spec)?;
    }
    for spec in &mechanism.velocity_constraints {
        collector.velocity_constraint(spec)?;
    }
    for spec in &mechanism.nonfirm {
        collector.nonfirm(spec)?;
    }
    let projects = collector.resolve_projections()?;
    let mut sweep = swept(&mut evaluator, &mut collector, mechanism)?;
    // Compile, then evaluate the initial state.
    let law = schedule.settings.impact;
    let impact = super::impact::programs(&mut collector, scene, mechanism, law)?;
    let sums = sweep.as_ref().map_or(&[][..], |_| &PathSum::ALL);
    let mut system = assemble(collector, energies, impact, projects, sums)?;
    let mut initial = initial(&mut evaluator, mechanism, &system, schedule.start)?;
    system.settle_scaling(&initial);
    system.first_velocity.clone_from(&initial.v);
    if let (Some(plan), Some(spec)) = (&mut sweep, &mechanism.sweep) {
        super::process::complete_initial_state(file, spec, plan, &mut system, &mut initial)?;
    }
    Ok(BuiltMechanism {
        system,
        initial,
        settings: schedule.settings,
        until: schedule.until,
        record_every: every.unwrap_or(mechanism.run.record_every),
        bounds,
        sweep,
    })
}

/// Settings of the catching-up scheme of a sweeping process; `None` for a mechanism.
fn swept(
    evaluator: &mut Evaluator<'_>,
    collector: &mut Collector<'_>,
    mechanism: &MechanismSpec,
) -> Result<Option<Box<super::process::SweepingSettings>>, Box<InputError>> {
    let Some(spec) = &mechanism.sweep else {
        return Ok(None);
    };
    let Names {
        graph, coordinates, ..
    } = &mut collector.names;
    // Gaps that are affine in the coordinates bound a polyhedron.
    let dependence = super::process::dependence(graph, coordinates, &collector.gaps);
    let (file, run) = (collector.file, &mechanism.run);
    let mut number = |part: &str, key: &str, f: &Formula| evaluator.number(part, key, f);
    super::process::sweeping_settings(file, spec, run, dependence, &mut number)
        .map(|plan| Some(Box::new(plan)))
}

/// Energies and the equations of motion derived from them (Lagrange, Hamel).
struct Energies {
    kinetic: NodeId,
    potential: Option<NodeId>,
    equations: Equations,
    /// Given forces, without those of the potential.
    forces: Vec<NodeId>,
}

fn energies(
    collector: &mut Collector<'_>,
    mechanism: &MechanismSpec,
) -> Result<Energies, Box<InputError>> {
    let spec = &mechanism.dynamics;
    let kinetic = collector.parse(DYNAMICS, "kinetic", &spec.kinetic)?;
    let potential = match &spec.potential {
        None => None,
        Some(formula) => Some(collector.parse(DYNAMICS, "potential", formula)?),
    };
    // Generalised forces by velocity; 0 where none is given.
    let mut forces: Vec<NodeId> = Vec::new();
    for coordinate in &mechanism.coordinates {
        // Forces given for this coordinate.
        let given = spec
            .forces
            .iter()
            .find(|(name, _)| *name == coordinate.name);
        match given {
            None => forces.extend(vec![Graph::ZERO; coordinate.kind.num_velocities()]),
            Some((name, formulas)) => {
                for formula in formulas {
                    forces.push(collector.parse("[dynamics.forces]", name, formula)?);
                }
            }
        }
    }
    // Symbolic derivation of A and K; an error is reported at the energy at fault.
    let file = collector.file;
    let Names {
        graph, coordinates, ..
    } = &mut collector.names;
    let equations = Equations::derive(graph, coordinates, kinetic, potential, &forces);
    let equations = equations.map_err(|error| match (&error, &spec.potential) {
        (LagrangeError::Velocity { .. }, Some(potential)) => value_error(
            file,
            DYNAMICS,
            "potential",
            potential,
            error.to_string(),
            "",
        ),
        _ => value_error(
            file,
            DYNAMICS,
            "kinetic",
            &spec.kinetic,
            error.to_string(),
            "",
        ),
    })?;
    Ok(Energies {
        kinetic,
        potential,
        equations,
        forces,
    })
}

fn assemble(
    collector: Collector<'_>,
    energies: Energies,
    impact: ImpactPrograms,
    projects: bool,
    sums: &[PathSum],
) -> Result<SymbolicSystem, Box<InputError>> {
    let Collector {
        file,
        names,
        constraints,
        touching,
        gaps,
        extras,
        projections: _,
        reactions,
        nonholonomic,
    } = collector;
    let Names {
        mut graph,
        scope,
        coordinates,
        chart,
        inputs,
        ..
    } = names;
    // One program each for A and K, the potential energy and all gaps.
    let dynamics = Unit::new(energies.equations.program(&graph));
    let label = |node| vec![("the potential energy".to_string(), node)];
    let potential = energies
        .potential
        .map(|node| Unit::compile(&graph, label(node)));
    let gaps = Unit::compile(&graph, gaps);
    let mass = projects.then(|| {
        let entries = energies.equations.mass.iter();
        let label = "an entry of the mass matrix".to_string();
        Unit::compile(&graph, entries.map(|node| (label.clone(), *node)).collect())
    });
    // Reactions by input slot and row.
    let mut first = vec![0];
    for constraint in &constraints {
        first.push(first[first.len() - 1] + constraint.rows);
    }
    let known = reactions.inputs.iter();
    let reactions: Vec<(usize, usize)> = known
        .map(|(slot, i, row)| (*slot, first[*i] + row))
        .collect();
    // Names for observables, with the inputs beyond the state.
    let (mut scope, mut measured) = observed(file, (&mut graph, scope), &energies, extras)?;
    // Sums along the path of a sweeping process; names of the scene go first.
    for sum in sums {
        if let Ok(node) = scope.input(&mut graph, sum.name()) {
            let slot = graph.input_slot(node).unwrap_or_default();
            let what = Quantity::Path(*sum);
            measured.push(Measured { slot, what });
        }
    }
    Ok(SymbolicSystem {
        inputs: Inputs::new(inputs.clone(), chart.num_positions(), reactions.len()),
        names: inputs[1..].to_vec(),
        chart,
        constraints,
        dynamics,
        potential,
        gaps,
        touching,
        impact,
        tangent: None,
        mass,
        reactions,
        first_velocity: Vec::new(),
        model: Model {
            graph,
            coordinates,
            force: energies.equations.force,
            given: energies.forces,
            potential: energies.potential,
            nonholonomic,
            scope,
            measured,
        },
    })
}

/// The names of observables: those of the scene, the energies, and the quantities of constraints.
fn observed(
    file: &str,
    (graph, mut scope): (&mut Graph, Scope),
    energies: &Energies,
    extras: Vec<(usize, String, Extra)>,
) -> Result<(Scope, Vec<Measured>), Box<InputError>> {
    // Energies.
    let potential = energies.potential.unwrap_or(Graph::ZERO);
    let total = graph.add(energies.kinetic, potential);
    let whole = [
        ("kinetic", energies.kinetic),
        ("potential", potential),
        ("energy", total),
    ];
    for (name, node) in whole {
        let taken = |error| observable_taken(file, 0, name, &error);
        scope.bind(name, node).map_err(taken)?;
    }
    // Quantities of constraints: expressions of the state, or inputs evaluated along the motion.
    let mut measured = Vec::new();
    for (line, name, extra) in extras {
        let taken = |error| observable_taken(file, line, &name, &error);
        match extra {
            Extra::Node(node) => scope.bind(&name, node).map_err(taken)?,
            Extra::Measured(what) => {
                let node = scope.input(graph, &name).map_err(taken)?;
                let slot = graph.input_slot(node).unwrap_or_default();
                measured.push(Measured { slot, what });
            }
        }
    }
    Ok((scope, measured))
}

fn observable_taken(
    file: &str,
    line: usize,
    name: &str,
    error: &percuss_expr::ExprError,
) -> Box<InputError> {
    Box::new(InputError {
        file: file.to_string(),
        origin: match line {
            0 => Origin::Whole,
            line => Origin::Line(line),
        },
        part: String::new(),
        key: String::new(),
        value: String::new(),
        problem: format!(
            "{}: `{name}` is an observable of this constraint",
            error.kind()
        ),
        advice: "Rename the constraint or whatever else has this name".to_string(),
    })
}

/// The initial state, with quaternions normalised and all contacts open.
fn initial(
    evaluator: &mut Evaluator<'_>,
    mechanism: &MechanismSpec,
    system: &SymbolicSystem,
    start: f64,
) -> Result<State, Box<InputError>> {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for spec in &mechanism.coordinates {
        let part = format!("coordinate `{}`", spec.name);
        let mut values = |key: &str, formulas: &[Formula]| {
            let numbers = formulas.iter().map(|f| evaluator.number(&part, key, f));
            numbers.collect::<Result<Vec<f64>, Box<InputError>>>()
        };
        let mut position = values("initial", &spec.initial)?;
        let mut velocity = values("velocity", &spec.velocity)?;
        // Without `initial`: zero, or the identity rotation.
        if position.is_empty() {
            position = vec![0.0; spec.kind.num_positions()];
            if spec.kind == CoordinateKind::Orientation {
                position[0] = 1.0;
            }
        }
        velocity.resize(spec.kind.num_velocities(), 0.0);
        // A quaternion needs a length to be normalised by.
        let length = position.iter().map(|x| x * x).sum::<f64>();
        if spec.kind == CoordinateKind::Orientation
            && !(length > 0.0 && length.is_finite())
            && let Some(formula) = spec.initial.first()
        {
            let problem = "this quaternion cannot be given unit length";
            let advice = "[1, 0, 0, 0] is no rotation";
            let error = value_error(evaluator.file, &part, "initial", formula, problem, advice);
            return Err(Box::new(InputError {
                value: String::new(),
                ..*error
            }));
        }
        q.extend(position);
        v.extend(velocity);
    }
    system.configuration_space().normalise(&mut q);
    // No impulses yet.
    let rows = system.constraints().iter().map(|c| c.rows).sum();
    Ok(State {
        t: start,
        q,
        v,
        impulse: vec![0.0; rows],
        status: vec![Status::Open; system.constraints().len()],
    })
}

impl Scene {
    /// Builds the mechanism: compiled system, initial state and settings.
    ///
    /// # Errors
    /// An expression, a law or a setting is invalid, or the scene is one of bodies.
    pub fn build_mechanism(&self) -> Result<BuiltMechanism, SceneError> {
        match self.mechanism() {
            Some(mechanism) => build(self, mechanism),
            None => Err(self.other_kind("bodies", "Scene::build_bodies")),
        }
    }
}
