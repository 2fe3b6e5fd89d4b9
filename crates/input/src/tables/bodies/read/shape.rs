//! Reads the shape of a body.

use super::super::spec::ShapeSpec;
use super::{form, name, pair, points, vector};
use crate::{InputError, Item, Reader, Value};

const PLANE: [&str; 8] = [
    "disc",
    "box",
    "polygon",
    "capsule",
    "half_plane",
    "chain",
    "heights",
    "compound",
];
const SPACE: [&str; 10] = [
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "polyhedron",
    "half_space",
    "mesh",
    "solid",
    "heights",
    "compound",
];

/// `shape`, with its line.
pub(super) fn shape(
    reader: &mut Reader<'_>,
    dimension: usize,
) -> Result<(ShapeSpec, usize), Box<InputError>> {
    let Some(item) = reader.take("shape") else {
        return Err(reader.missing("shape"));
    };
    let line = item.line;
    let keys: &[&str] = if dimension == 2 { &PLANE } else { &SPACE };
    let part = format!("{}, shape", reader.part);
    let mut table = reader.of(part, "shape", item.clone())?;
    // Collect the shape keys of both dimensions, so that one of the other dimension is recognised.
    let mut found = Vec::new();
    for key in PLANE.iter().chain(&SPACE) {
        // Some keys are in both lists; a key already taken is absent.
        if let Some(value) = table.take(key) {
            found.push((*key, value));
        }
    }
    let listed: Vec<String> = keys.iter().map(|key| format!("{{ {key} }}")).collect();
    let listed = listed.join(", ");
    let mut found = found.into_iter();
    // Exactly one shape of this dimension.
    match (found.next(), found.next()) {
        (Some((key, value)), None) => {
            if !keys.contains(&key) {
                let place = if dimension == 2 { "the plane" } else { "space" };
                let problem = format!("there is no `{key}` in {place}: {listed} was expected");
                return Err(table.wrong(key, &value, problem, ""));
            }
            let shape = of_key(&mut table, key, value, dimension)?;
            table.finish()?;
            Ok((shape, line))
        }
        (None, _) => {
            let nothing = reader.wrong("shape", &item, format!("{listed} was expected"), "");
            table.finish()?;
            Err(nothing)
        }
        (Some((first, _)), Some((second, value))) => {
            let problem = format!("`{first}` is given as well");
            Err(table.wrong(second, &value, problem, "A body has one shape"))
        }
    }
}

fn of_key(
    table: &mut Reader<'_>,
    key: &'static str,
    item: Item,
    dimension: usize,
) -> Result<ShapeSpec, Box<InputError>> {
    Ok(match key {
        "disc" | "sphere" => ShapeSpec::Ball(table.to_formula(key, item)?),
        "box" => ShapeSpec::Box(vector(table, key, item, dimension)?),
        "capsule" => ShapeSpec::Capsule(pair(table, key, item)?),
        "cylinder" => ShapeSpec::Cylinder(pair(table, key, item)?),
        "half_plane" | "half_space" => ShapeSpec::Half(vector(table, key, item, dimension)?),
        "polygon" => ShapeSpec::Polygon(points(table, key, item, 2)?),
        "chain" => ShapeSpec::Chain {
            vertices: points(table, key, item, 2)?,
            closed: table.truth_if("closed")?.is_some_and(|(truth, _)| truth),
        },
        "mesh" => form::mesh(table, key, item)?,
        "solid" => form::solid(table, key, item)?,
        "heights" => form::heights(table, key, item, dimension)?,
        "compound" => form::compound(table, key, item, dimension)?,
        _ => polyhedron(table, item)?,
    })
}

fn polyhedron(table: &mut Reader<'_>, item: Item) -> Result<ShapeSpec, Box<InputError>> {
    const KEY: &str = "polyhedron";
    // A file, a convex hull of vertices, or vertices with faces.
    if matches!(item.value, Value::Text(_)) {
        return Ok(ShapeSpec::PolyhedronFile {
            file: name(table, KEY, item)?,
            scale: table.formula_if("scale")?,
        });
    }
    let vertices = points(table, KEY, item, 3)?;
    match table.take("faces") {
        None => Ok(ShapeSpec::Hull(vertices)),
        Some(item) => {
            let faces = faces(table, item, vertices.len())?;
            Ok(ShapeSpec::Polyhedron { vertices, faces })
        }
    }
}

/// Faces of a polyhedron: loops of vertex indices from 0.
fn faces(table: &Reader<'_>, item: Item, count: usize) -> Result<Vec<Vec<usize>>, Box<InputError>> {
    const KEY: &str = "faces";
    let number = |item: &Item| match item.value {
        Value::Number(n) if n >= 0.0 && n < count as f64 && n.fract() == 0.0 => Ok(n as usize),
        _ => {
            let problem = format!(
                "a vertex number from 0 to {} was expected",
                count.max(1) - 1
            );
            Err(table.wrong(KEY, item, problem, "Vertices are numbered from 0"))
        }
    };
    let face = |item: &Item| match &item.value {
        Value::List(items) if items.len() >= 3 => items.iter().map(number).collect(),
        _ => {
            let problem = "an array of at least three vertex numbers was expected".to_string();
            Err(table.wrong(KEY, item, problem, ""))
        }
    };
    match &item.value {
        Value::List(items) => items.iter().map(face).collect(),
        _ => Err(table.expected(KEY, &item, "an array of faces [0, 1, 2, ...]", "")),
    }
}
