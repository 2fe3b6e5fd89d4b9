//! Names that expressions of a mechanism may use.
//!
//! Inputs are t, then all positions, then all velocities; programs read them from one vector in this
//! order. Then come the parameters and the definitions with their rates.

use percuss_expr::lagrange::{self, Coordinates};
use percuss_expr::{ErrorKind, ExprError, Graph, NodeId, Scope};
use percuss_mechanism::{ConfigurationSpace, Coordinate};

use percuss_input::tables::{CoordinateKind, CoordinateSpec, MechanismSpec};
use percuss_input::{InputError, Origin, Parameters, of_definitions, require_unreserved};

/// Expression graph, scope, and the independent variables.
pub(super) struct Names {
    pub graph: Graph,
    pub scope: Scope,
    pub coordinates: Coordinates,
    pub chart: ConfigurationSpace,
    /// t, positions, velocities.
    pub inputs: Vec<String>,
    /// Definitions without a rate, because they depend on velocities.
    pub rateless: Vec<String>,
}

impl Names {
    /// Advice for an unknown name that would be the rate of a definition.
    pub fn advice(&self, error: &ExprError) -> String {
        let ErrorKind::UnknownName { name, .. } = error.kind() else {
            return String::new();
        };
        // `x_dot` of a definition `x` that depends on velocities.
        let stem = name.strip_suffix("_dot");
        match self
            .rateless
            .iter()
            .find(|known| Some(known.as_str()) == stem)
        {
            Some(known) => format!("`{known}` depends on velocities and therefore has no rate"),
            None => String::new(),
        }
    }
}

const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];

/// What a coordinate is to the engine.
fn coordinate(spec: &CoordinateSpec) -> Coordinate {
    match spec.kind {
        CoordinateKind::Line => Coordinate::Length,
        CoordinateKind::Angle => Coordinate::Angle,
        CoordinateKind::Orientation => Coordinate::Orientation,
    }
}

/// Names of the positions of a coordinate.
fn position_names(spec: &CoordinateSpec) -> Vec<String> {
    match spec.kind {
        CoordinateKind::Line | CoordinateKind::Angle => vec![spec.name.clone()],
        CoordinateKind::Orientation => {
            let name = |part: &&str| format!("{}_{part}", spec.name);
            QUATERNION.iter().map(name).collect()
        }
    }
}

/// Names of the velocities of a coordinate.
fn velocity_names(spec: &CoordinateSpec) -> Vec<String> {
    match spec.kind {
        CoordinateKind::Line | CoordinateKind::Angle => vec![format!("{}_dot", spec.name)],
        CoordinateKind::Orientation => (1..=3).map(|i| format!("{}_spin_{i}", spec.name)).collect(),
    }
}

/// Definitions of an orientation: its rotation matrix (world = Q · body) and its spin in world axes.
fn orientation_definitions(name: &str) -> Vec<(String, String)> {
    let entry = |text: &str| text.replace('@', &format!("{name}_"));
    let mut all: Vec<(String, String)> = [
        ("@11", "1 - 2*(@y^2 + @z^2)"),
        ("@12", "2*(@x*@y - @w*@z)"),
        ("@13", "2*(@x*@z + @w*@y)"),
        ("@21", "2*(@x*@y + @w*@z)"),
        ("@22", "1 - 2*(@x^2 + @z^2)"),
        ("@23", "2*(@y*@z - @w*@x)"),
        ("@31", "2*(@x*@z - @w*@y)"),
        ("@32", "2*(@y*@z + @w*@x)"),
        ("@33", "1 - 2*(@x^2 + @y^2)"),
    ]
    .iter()
    .map(|(name, text)| (entry(name), entry(text)))
    .collect();
    // Spin in world axes: ω = Q Ω.
    for (row, axis) in ["x", "y", "z"].iter().enumerate() {
        let row = row + 1;
        let text = format!("@{row}1*@spin_1 + @{row}2*@spin_2 + @{row}3*@spin_3");
        all.push((entry(&format!("@spin_{axis}")), entry(&text)));
    }
    all
}

/// The nodes of one coordinate.
fn variable((q, v): (&Vec<NodeId>, &Vec<NodeId>)) -> lagrange::CoordinateInputs {
    match (&q[..], &v[..]) {
        (&[w, x, y, z], &[a, b, c]) => lagrange::CoordinateInputs::Orientation {
            quaternion: [w, x, y, z],
            spin: [a, b, c],
        },
        _ => lagrange::CoordinateInputs::Scalar {
            position: q[0],
            velocity: v[0],
        },
    }
}

/// Registers all names of a scene.
pub(super) fn names(
    file: &str,
    mechanism: &MechanismSpec,
    parameters: &Parameters,
) -> Result<Names, Box<InputError>> {
    let specs = &mechanism.coordinates;
    let (mut graph, mut scope) = (Graph::new(), Scope::new());
    let time = scope.input(&mut graph, "t").ok();
    let mut inputs = vec!["t".to_string()];
    // Registers names as inputs, in the order of the coordinates.
    let mut register =
        |graph: &mut Graph, scope: &mut Scope, of: fn(&CoordinateSpec) -> Vec<String>| {
            let mut nodes: Vec<Vec<NodeId>> = Vec::new();
            for spec in specs {
                let names = of(spec);
                let input = |name: &String| scope.input(graph, name);
                let found: Result<Vec<NodeId>, ExprError> = names.iter().map(input).collect();
                nodes.push(found.map_err(|error| at_coordinate(file, spec, &error))?);
                inputs.extend(names);
            }
            Ok::<_, Box<InputError>>(nodes)
        };
    for spec in specs {
        require_unreserved(&spec.name).map_err(|why| at_line(file, spec, why))?;
    }
    let positions = register(&mut graph, &mut scope, position_names)?;
    let velocities = register(&mut graph, &mut scope, velocity_names)?;
    // Rotation matrices and spins of orientations are definitions.
    for spec in specs
        .iter()
        .filter(|s| s.kind == CoordinateKind::Orientation)
    {
        scope
            .define(&mut graph, &orientation_definitions(&spec.name))
            .map_err(|error| at_coordinate(file, spec, &error))?;
    }
    // Independent variables of Lagrange's (Hamel's) equations.
    let variables: Vec<lagrange::CoordinateInputs> =
        positions.iter().zip(&velocities).map(variable).collect();
    let coordinates = Coordinates::of(&mut graph, time, &variables)
        .map_err(|error| at_line(file, &specs[0], error.to_string()))?;
    define(
        file,
        mechanism,
        parameters,
        (&mut graph, &mut scope),
        &coordinates,
    )?;
    // Definitions without a rate, for messages.
    let mut rateless: Vec<String> = mechanism
        .definitions
        .iter()
        .map(|d| d.name.clone())
        .collect();
    rateless.retain(|name| scope.get(&format!("{name}_dot")).is_none());
    Ok(Names {
        graph,
        scope,
        coordinates,
        chart: ConfigurationSpace::new(specs.iter().map(coordinate).collect()),
        inputs,
        rateless,
    })
}

/// Defines parameters, then definitions with their rates.
fn define(
    file: &str,
    mechanism: &MechanismSpec,
    parameters: &Parameters,
    (graph, scope): (&mut Graph, &mut Scope),
    coordinates: &Coordinates,
) -> Result<(), Box<InputError>> {
    for (name, value) in &parameters.values {
        scope.parameter(graph, name, *value).map_err(|error| {
            of_definitions(
                file,
                "[parameters]",
                &mechanism.parameters,
                &error.in_source(name),
            )
        })?;
    }
    const PART: &str = "[definitions]";
    let definitions = &mechanism.definitions;
    for named in definitions {
        require_unreserved(&named.name).map_err(|why| {
            percuss_input::value_error(file, PART, &named.name, &named.formula, why, "")
        })?;
    }
    let texts: Vec<(&str, &str)> = definitions
        .iter()
        .map(|named| (named.name.as_str(), named.formula.text.as_str()))
        .collect();
    let rate = |graph: &mut Graph, node| match coordinates.depends_on_velocity(graph, node) {
        true => None,
        false => Some(coordinates.rate(graph, node)),
    };
    scope
        .define_with(graph, &texts, "_dot", rate)
        .map_err(|error| of_definitions(file, PART, definitions, &error))
}

fn at_coordinate(file: &str, spec: &CoordinateSpec, error: &ExprError) -> Box<InputError> {
    at_line(file, spec, error.kind().to_string())
}

fn at_line(file: &str, spec: &CoordinateSpec, problem: String) -> Box<InputError> {
    Box::new(InputError {
        file: file.to_string(),
        origin: Origin::Line(spec.line),
        part: format!("coordinate `{}`", spec.name),
        key: "name".to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}
