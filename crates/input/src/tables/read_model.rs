//! Reads the model of a mechanism: parameters, coordinates, definitions, energies and forces.

use crate::tables::spec::{CoordinateKind, CoordinateSpec, DynamicsSpec};
use crate::{Formula, InputError, Item, Reader, Value, parts};

/// `[[coordinate]]`.
pub(super) fn coordinates(root: &mut Reader<'_>) -> Result<Vec<CoordinateSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "coordinate", "coordinate")? {
        // The kind gives the numbers of positions and velocities.
        let kind = match reader.take("kind") {
            None => CoordinateKind::Line,
            Some(item) => coordinate_kind(&reader, &item)?,
        };
        let initial = values(&mut reader, "initial", kind.num_positions())?;
        let velocity = values(&mut reader, "velocity", kind.num_velocities())?;
        let line = reader.line;
        reader.finish()?;
        all.push(CoordinateSpec {
            name,
            line,
            kind,
            initial,
            velocity,
        });
    }
    if all.is_empty() {
        let advice = "Add a [[coordinate]] with a name";
        let problem = "a mechanism needs at least one coordinate";
        let misspelt = root.misspelt("coordinate");
        return Err(misspelt.unwrap_or_else(|| root.error(problem, advice)));
    }
    Ok(all)
}

fn coordinate_kind(reader: &Reader<'_>, item: &Item) -> Result<CoordinateKind, Box<InputError>> {
    let expected = "\"line\", \"angle\" or \"orientation\" was expected";
    match &item.value {
        Value::Text(text) => match text.as_str() {
            "line" => Ok(CoordinateKind::Line),
            "angle" => Ok(CoordinateKind::Angle),
            "orientation" => Ok(CoordinateKind::Orientation),
            _ => Err(reader.wrong("kind", item, expected.to_string(), "")),
        },
        _ => Err(reader.wrong("kind", item, expected.to_string(), "")),
    }
}

/// One value, or an array of as many as the coordinate has components.
fn values(
    reader: &mut Reader<'_>,
    key: &'static str,
    count: usize,
) -> Result<Vec<Formula>, Box<InputError>> {
    let Some(item) = reader.take(key) else {
        return Ok(Vec::new());
    };
    vector(reader, key, item, count)
}

fn vector(
    reader: &Reader<'_>,
    key: &str,
    item: Item,
    count: usize,
) -> Result<Vec<Formula>, Box<InputError>> {
    // An orientation takes an array, other coordinates one value.
    match (&item.value, count) {
        (Value::List(items), count) if count > 1 && items.len() == count => {
            let all = items.iter().cloned();
            all.map(|item| reader.to_formula(key, item)).collect()
        }
        (Value::List(_), 1) => {
            Err(reader.expected(key, &item, "a number or an expression in a string", ""))
        }
        (_, 1) => Ok(vec![reader.to_formula(key, item)?]),
        _ => {
            let problem = format!("an orientation takes an array of {count} values here");
            Err(reader.wrong(key, &item, problem, ""))
        }
    }
}

/// `[dynamics]`.
pub(super) fn dynamics(
    root: &mut Reader<'_>,
    coordinates: &[CoordinateSpec],
) -> Result<DynamicsSpec, Box<InputError>> {
    let Some(item) = root.take("dynamics") else {
        let advice = "Add [dynamics] with `kinetic`, the kinetic energy";
        let misspelt = root.misspelt("dynamics");
        let problem = "the part [dynamics] is missing";
        return Err(misspelt.unwrap_or_else(|| root.error(problem, advice)));
    };
    let mut reader = root.of("[dynamics]", "dynamics", item)?;
    let kinetic = reader.formula("kinetic")?;
    let potential = reader.formula_if("potential")?;
    // Generalised forces by the name of their coordinate.
    let mut forces = Vec::new();
    if let Some(item) = reader.take("forces") {
        let table = reader.of("[dynamics.forces]", "forces", item)?;
        forces = by_coordinate(table, coordinates)?;
    }
    reader.finish()?;
    Ok(DynamicsSpec {
        kinetic,
        potential,
        forces,
    })
}

/// Values of a table whose keys are coordinates: one for each of their velocities.
pub(super) fn by_coordinate(
    mut table: Reader<'_>,
    coordinates: &[CoordinateSpec],
) -> Result<Vec<(String, Vec<Formula>)>, Box<InputError>> {
    let mut all = Vec::new();
    for entry in table.take_all() {
        let Some(of) = coordinates.iter().find(|c| c.name == entry.key) else {
            return Err(unknown_coordinate(
                &table,
                &entry.key,
                entry.line,
                coordinates,
            ));
        };
        let count = of.kind.num_velocities();
        let values = vector(&table, &entry.key, entry.item, count)?;
        all.push((entry.key, values));
    }
    Ok(all)
}

fn unknown_coordinate(
    table: &Reader<'_>,
    name: &str,
    line: usize,
    coordinates: &[CoordinateSpec],
) -> Box<InputError> {
    let known: Vec<String> = coordinates.iter().map(|c| c.name.clone()).collect();
    let guess = match percuss_expr::similar_names(name, &known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    let listed = known.join(", ");
    Box::new(InputError {
        origin: crate::Origin::Line(line),
        ..*table.error(
            format!("there is no coordinate `{name}`{guess} (the coordinates are: {listed})"),
            "",
        )
    })
}
