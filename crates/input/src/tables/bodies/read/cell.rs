//! Reads `[cell]`, the periodic cell.

use super::super::spec::{CellSpec, Component};
use super::{points, vector_of};
use crate::{Formula, InputError, Reader, Value};

/// Components of a matrix by name, row, column.
pub const COMPONENTS: [(&str, usize, usize); 9] = [
    ("xx", 0, 0),
    ("yy", 1, 1),
    ("zz", 2, 2),
    ("xy", 0, 1),
    ("xz", 0, 2),
    ("yz", 1, 2),
    ("yx", 1, 0),
    ("zx", 2, 0),
    ("zy", 2, 1),
];

/// The periodic cell, if there is one.
pub(super) fn cell(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Option<CellSpec>, Box<InputError>> {
    let Some(item) = root.take("cell") else {
        return Ok(None);
    };
    let mut reader = root.of("[cell]", "cell", item)?;
    let (key, vectors) = vectors(&mut reader, dimension)?;
    let spec = CellSpec {
        line: reader.line,
        vectors,
        key,
        periodic: periodic(&mut reader, dimension)?,
        strain_rate: components(&mut reader, "strain_rate", dimension)?,
        stress: components(&mut reader, "stress", dimension)?,
        pressure: reader.formula_if("pressure")?,
        inertia: reader.formula_if("inertia")?,
        damping: reader.formula_if("damping")?,
    };
    check(&reader, &spec, dimension)?;
    reader.finish()?;
    Ok(Some(spec))
}

/// `size` or `vectors`.
fn vectors(
    reader: &mut Reader<'_>,
    dimension: usize,
) -> Result<(&'static str, Vec<Vec<Formula>>), Box<InputError>> {
    let Some(item) = reader.take("vectors") else {
        // `size`: a cell with orthogonal vectors along the axes.
        let sides = vector_of(reader, "size", dimension)?;
        let zero = Formula::at_line("0", reader.line);
        let all = sides.into_iter().enumerate().map(|(k, side)| {
            let mut vector = vec![zero.clone(); dimension];
            vector[k] = side;
            vector
        });
        return Ok(("size", all.collect()));
    };
    if reader.take("size").is_some() {
        let problem = "`size` and `vectors` say the same twice";
        return Err(reader.error(problem, "Keep one of them"));
    }
    let raw = item.clone();
    let all = points(reader, "vectors", item, dimension)?;
    match all.len() == dimension {
        true => Ok(("vectors", all)),
        false => {
            let what = format!("an array of {dimension} vectors");
            Err(reader.expected("vectors", &raw, &what, ""))
        }
    }
}

/// `periodic`: names of axes; all of them where it is not given.
fn periodic(reader: &mut Reader<'_>, dimension: usize) -> Result<[bool; 3], Box<InputError>> {
    let all = std::array::from_fn(|k| k < dimension);
    let Some(item) = reader.take("periodic") else {
        return Ok(all);
    };
    let names = &["x", "y", "z"][..dimension];
    let expected = format!("an array of some of {}", names.join(", "));
    let Value::List(items) = &item.value else {
        return Err(reader.expected("periodic", &item, &expected, ""));
    };
    let mut periodic = [false; 3];
    // Names of axes to flags.
    for entry in items {
        let axis = match &entry.value {
            Value::Text(text) => names.iter().position(|name| name == text),
            _ => None,
        };
        match axis {
            Some(axis) => periodic[axis] = true,
            None => return Err(reader.expected("periodic", &item, &expected, "")),
        }
    }
    match periodic.contains(&true) {
        true => Ok(periodic),
        false => Err(reader.expected("periodic", &item, &expected, "Drop [cell] otherwise")),
    }
}

/// A table of components.
fn components(
    reader: &mut Reader<'_>,
    key: &'static str,
    dimension: usize,
) -> Result<Vec<Component>, Box<InputError>> {
    let Some(item) = reader.take(key) else {
        return Ok(Vec::new());
    };
    let mut table = reader.of(format!("[cell], {key}"), key, item)?;
    let mut all = Vec::new();
    // Components that exist in this dimension; the stress is symmetric.
    for (name, row, column) in COMPONENTS {
        if row.max(column) >= dimension {
            continue;
        }
        let Some(formula) = table.formula_if(name)? else {
            continue;
        };
        if key == "stress" && row > column {
            let (a, b) = (&name[1..], &name[..1]);
            let problem = format!("the stress `{name}` is the same as `{a}{b}`");
            return Err(table.error(problem, format!("Write `{a}{b}`")));
        }
        all.push(Component {
            name,
            row,
            column,
            formula,
        });
    }
    table.finish()?;
    Ok(all)
}

/// Refuses keys that exclude each other.
fn check(reader: &Reader<'_>, spec: &CellSpec, dimension: usize) -> Result<(), Box<InputError>> {
    let wrong = |problem: String, advice: &str| Err(reader.error(problem, advice));
    // A component has an imposed strain rate or an imposed stress, not both.
    for stress in &spec.stress {
        if spec.strain_rate.iter().any(|rate| rate.name == stress.name) {
            let problem = format!("`{}` has a strain rate and a stress", stress.name);
            return wrong(problem, "One of them is given, the other one follows");
        }
    }
    // An isotropic pressure excludes components of the diagonal.
    let diagonal = spec.stress.iter().chain(&spec.strain_rate);
    let diagonal = diagonal.clone().find(|c| c.row == c.column);
    if let (Some(component), Some(_)) = (diagonal, &spec.pressure) {
        let problem = format!(
            "`pressure` and the component `{}` do not go together",
            component.name
        );
        return wrong(
            problem,
            "A pressure changes the size of the cell and keeps its proportions",
        );
    }
    // Inertia and damping act only on components driven by a stress.
    let follows = spec.pressure.is_some() || !spec.stress.is_empty();
    for (key, given) in [("inertia", &spec.inertia), ("damping", &spec.damping)] {
        if given.is_some() && !follows {
            let problem = format!("`{key}` does nothing: no stress is given");
            return wrong(problem, "Drop it, or give `stress` or `pressure`");
        }
    }
    let moves = follows || !spec.strain_rate.is_empty();
    if moves && !spec.periodic[..dimension].iter().all(|p| *p) {
        let problem = "a cell that deforms is periodic along all axes".to_string();
        return wrong(problem, "Drop `periodic`, or what deforms the cell");
    }
    Ok(())
}
