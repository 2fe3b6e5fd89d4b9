//! Reads composite shapes: `mesh`, `solid`, `heights`, `compound`.

use super::super::form::{Heights, HeightsSpec, MeshSpec, PieceSpec, SolidSpec};
use super::super::spec::ShapeSpec;
use super::{body, name, shape, vector, vector_if};
use crate::{Formula, InputError, Item, Reader, Value};

/// `mesh`.
pub(super) fn mesh(
    table: &mut Reader<'_>,
    key: &'static str,
    item: Item,
) -> Result<ShapeSpec, Box<InputError>> {
    Ok(ShapeSpec::Mesh(MeshSpec {
        file: name(table, key, item)?,
        scale: table.formula_if("scale")?,
        merge: table.formula_if("merge")?,
    }))
}

/// `solid`.
pub(super) fn solid(
    table: &mut Reader<'_>,
    key: &'static str,
    item: Item,
) -> Result<ShapeSpec, Box<InputError>> {
    Ok(ShapeSpec::Solid(SolidSpec {
        file: name(table, key, item)?,
        scale: table.formula_if("scale")?,
        merge: table.formula_if("merge")?,
        parts: table.formula_if("parts")?,
        resolution: table.formula_if("resolution")?,
    }))
}

/// `heights`.
pub(super) fn heights(
    table: &mut Reader<'_>,
    key: &'static str,
    item: Item,
    dimension: usize,
) -> Result<ShapeSpec, Box<InputError>> {
    // A file, one row in the plane, several rows in space.
    let heights = match (&item.value, dimension) {
        (Value::Text(_), _) => Heights::File(name(table, key, item)?),
        (_, 2) => Heights::Rows(vec![row(table, key, item)?]),
        (Value::List(_), _) => match item.value {
            Value::List(rows) => {
                let rows = rows.into_iter().map(|item| row(table, key, item));
                Heights::Rows(rows.collect::<Result<_, _>>()?)
            }
            _ => Heights::Rows(Vec::new()),
        },
        _ => {
            let what = "an array of rows [[z, z, ...], ...] or the name of a file";
            return Err(table.expected(key, &item, what, ""));
        }
    };
    // Width, in space width and depth.
    let size = match dimension {
        2 => vec![table.formula("size")?],
        _ => match vector_if(table, "size", 2)? {
            Some(size) => size,
            None => return Err(table.missing("size")),
        },
    };
    let scale = table.formula_if("scale")?;
    Ok(ShapeSpec::Heights(HeightsSpec {
        heights,
        size,
        scale,
    }))
}

/// A row of heights.
fn row(table: &Reader<'_>, key: &str, item: Item) -> Result<Vec<Formula>, Box<InputError>> {
    match &item.value {
        Value::List(items) => {
            let count = items.len();
            vector(table, key, item, count)
        }
        _ => Err(table.expected(key, &item, "an array of heights", "")),
    }
}

/// `compound`.
pub(super) fn compound(
    table: &mut Reader<'_>,
    key: &'static str,
    item: Item,
    dimension: usize,
) -> Result<ShapeSpec, Box<InputError>> {
    // A nonempty array of parts, which may themselves be compounds.
    let pieces = match item.value {
        Value::List(pieces) if !pieces.is_empty() => pieces,
        Value::List(_) => {
            let problem = "the array is empty".to_string();
            return Err(table.wrong(key, &item, problem, "Give at least one part"));
        }
        _ => {
            let what = "an array of parts [{ shape = ..., position = [...] }, ...]";
            return Err(table.expected(key, &item, what, ""));
        }
    };
    let mut all = Vec::with_capacity(pieces.len());
    for (number, item) in pieces.into_iter().enumerate() {
        let part = format!("{}, part {}", table.part, number + 1);
        let mut reader = table.of(part, key, item)?;
        let (shape, line) = shape::shape(&mut reader, dimension)?;
        let piece = PieceSpec {
            shape,
            line,
            position: vector_if(&mut reader, "position", dimension)?,
            turn: body::turn(&mut reader, dimension)?,
            density: reader.formula_if("density")?,
        };
        reader.finish()?;
        all.push(piece);
    }
    Ok(ShapeSpec::Compound(all))
}
