//! Composite shapes: compounds, triangle surfaces from files, convex decompositions, heightfields.

use percuss_bodies::space::{
    DecomposedMesh, DecompositionParams, Mesh, MeshError, read_obj, read_stl, weld,
};
use percuss_bodies::{Compound, CompoundPiece, Pose, ShapeError, Vector};

use super::context::{At, Context, at};
use super::data;
use super::scene_dim::{SceneDim, Vec3, compose};
use crate::error::SceneError;
use percuss_input::tables::bodies::form::{Heights, HeightsSpec, PieceSpec, SolidSpec};
use percuss_input::tables::bodies::spec::{Name, ShapeSpec};
use percuss_input::{Formula, InputError, Origin};

/// A shape to be made: of a body, or of a part of one.
pub(super) struct Form<'a> {
    /// Name of the body or part in messages.
    pub part: String,
    pub shape: &'a ShapeSpec,
    /// Its line.
    pub line: usize,
    /// Density of the material, where it has one.
    pub density: Option<f64>,
}

impl Form<'_> {
    /// The error for this shape.
    pub fn wrong(&self, context: &Context<'_>, dimension: usize, error: &ShapeError) -> SceneError {
        let key = self.shape.key(dimension);
        let line = Origin::Line(self.line);
        context
            .error(at(&self.part, key), line, error.to_string(), "")
            .into()
    }
}

/// Makes a compound of parts.
pub(super) fn compound<D: SceneDim>(
    context: &mut Context<'_>,
    form: &Form<'_>,
    pieces: &[PieceSpec],
) -> Result<(Compound<D>, Pose<D>), SceneError> {
    let mut all: Vec<CompoundPiece<D>> = Vec::with_capacity(pieces.len());
    for (number, piece) in pieces.iter().enumerate() {
        let part = format!("{}, part {}", form.part, number + 1);
        if piece.shape.boundary_only() {
            let kind = piece.shape.key(D::N);
            let problem = format!("a `{kind}` is a boundary and cannot be a part of a body");
            let line = Origin::Line(piece.line);
            return Err(context.error(at(&part, kind), line, problem, "").into());
        }
        // Shape and pose of the part, with its own density or that of the material.
        let own = match &piece.density {
            None => None,
            Some(density) => Some(context.positive(at(&part, "density"), density)?),
        };
        let inner = Form {
            part,
            shape: &piece.shape,
            line: piece.line,
            density: own.or(form.density),
        };
        let (shape, placement) = D::shape(context, &inner)?;
        let position = match &piece.position {
            None => Vec::new(),
            Some(position) => context.numbers(at(&inner.part, "position"), position)?,
        };
        let outer = Pose {
            position: D::Vector::from_components(&position),
            rotation: D::rotation(context, &inner.part, &piece.turn)?,
        };
        // Density relative to that of the material.
        let weight = match (own, form.density) {
            (Some(own), Some(density)) => own / density,
            (Some(own), None) => own,
            // A part that is a compound with its own densities has them relative to 1.
            (None, _) => 1.0,
        };
        all.push((shape, compose(&outer, &placement), weight));
    }
    even(context, form, pieces)?;
    Compound::new(&all).map_err(|error| form.wrong(context, D::N, &error))
}

/// Without a density of the material either all parts have their own or none has: otherwise the mass of the
/// rest is unknown.
fn even(
    context: &Context<'_>,
    form: &Form<'_>,
    pieces: &[PieceSpec],
) -> Result<(), Box<InputError>> {
    let own = |piece: &PieceSpec| piece.density.is_some() || piece.shape.dense();
    let without = pieces.iter().position(|piece| !own(piece));
    match (without, pieces.iter().any(own), form.density) {
        (Some(number), true, None) => {
            let part = format!("{}, part {}", form.part, number + 1);
            let problem = "it has no `density`, and neither has its material";
            Err(context.part_error(&part, pieces[number].line, problem, "Give one of them"))
        }
        _ => Ok(()),
    }
}

/// Vertices and triangles of a surface.
pub(super) type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

/// Reads vertices and triangles of a file (OBJ or STL).
pub(super) fn surface(
    context: &mut Context<'_>,
    place: At<'_>,
    file: &Name,
    scale: Option<&Formula>,
) -> Result<Surface, SceneError> {
    let scale = match scale {
        None => 1.0,
        Some(scale) => context.positive(at(place.part, "scale"), scale)?,
    };
    // Format by the ending of the file name.
    let name = file.text.to_lowercase();
    let read = if name.ends_with(".obj") {
        read_obj(&data::read_text(context, place, file)?)
    } else if name.ends_with(".stl") {
        read_stl(&data::read(context, place, file)?)
    } else {
        let problem = "a file with the ending .obj or .stl was expected";
        return Err(context.wrong(place, file, problem, "").into());
    };
    let (mut vertices, triangles) = read.map_err(|error| of_file(context, place, file, &error))?;
    vertices.iter_mut().for_each(|v| *v *= scale);
    Ok((vertices, triangles))
}

/// The same, with vertices welded that are closer than `merge`.
pub(super) fn welded(
    context: &mut Context<'_>,
    place: At<'_>,
    file: &Name,
    (scale, merge): (Option<&Formula>, Option<&Formula>),
) -> Result<Surface, SceneError> {
    let (vertices, triangles) = surface(context, place, file, scale)?;
    let within = match merge {
        None => None,
        Some(merge) => Some(context.not_negative(at(place.part, "merge"), merge)?),
    };
    Ok(weld(&vertices, &triangles, within))
}

/// The error for a file of triangles.
pub(super) fn of_file(
    context: &Context<'_>,
    place: At<'_>,
    file: &Name,
    error: &MeshError,
) -> SceneError {
    context.wrong(place, file, error.to_string(), "").into()
}

/// A closed surface as a body: convex decomposition.
pub(super) fn solid(
    context: &mut Context<'_>,
    place: At<'_>,
    spec: &SolidSpec,
) -> Result<DecomposedMesh, SceneError> {
    // Numbers of parts and cells within their bounds.
    let mut count =
        |key: &str, given: &Option<Formula>, [least, most]: [usize; 2], usual: usize| {
            let Some(formula) = given else {
                return Ok(usual);
            };
            let value = context.whole(at(place.part, key), formula, least)?;
            match value <= most {
                true => Ok(value),
                false => {
                    let problem = format!("the value is {value}; at most {most} was expected");
                    Err(context.wrong(at(place.part, key), formula, problem, ""))
                }
            }
        };
    let usual = DecompositionParams::default();
    let parts = [1, DecompositionParams::MAX_PARTS];
    let cells = [
        DecompositionParams::MIN_RESOLUTION,
        DecompositionParams::MAX_RESOLUTION,
    ];
    // Parameters of the convex decomposition.
    let fineness = DecompositionParams {
        parts: count("parts", &spec.parts, parts, usual.parts)?,
        resolution: count("resolution", &spec.resolution, cells, usual.resolution)?,
    };
    let fine = (spec.scale.as_ref(), spec.merge.as_ref());
    let (vertices, triangles) = welded(context, place, &spec.file, fine)?;
    DecomposedMesh::new(&vertices, &triangles, fineness)
        .map_err(|error| of_file(context, place, &spec.file, &error.into()))
}

/// Heights of a heightfield, rows of equal length, and its size along and across them.
pub(super) fn heights(
    context: &mut Context<'_>,
    place: At<'_>,
    spec: &HeightsSpec,
    dimension: usize,
) -> Result<(Vec<Vec<f64>>, Vec<f64>), SceneError> {
    // From the scene or from a file.
    let mut rows = match &spec.heights {
        Heights::Rows(rows) => context.points(place, rows)?,
        Heights::File(file) => {
            let text = data::read_text(context, place, file)?;
            let read = numbers(&text);
            read.map_err(|problem| context.wrong(place, file, problem, ""))?
        }
    };
    if dimension == 2 {
        rows = vec![rows.concat()];
    }
    let problem = uneven(&rows, dimension);
    if let Some(problem) = problem {
        return Err(match &spec.heights {
            Heights::File(file) => context.wrong(place, file, problem, "").into(),
            Heights::Rows(rows) => {
                let first = rows.iter().flatten().next();
                let origin = first.map(|f| f.origin.clone()).unwrap_or_default();
                context.error(place, origin, problem, "").into()
            }
        });
    }
    // Vertical scale, then the size of the field.
    if let Some(scale) = &spec.scale {
        let scale = context.positive(at(place.part, "scale"), scale)?;
        rows.iter_mut().flatten().for_each(|z| *z *= scale);
    }
    let size = spec
        .size
        .iter()
        .map(|side| context.positive(at(place.part, "size"), side));
    let size = size.collect::<Result<Vec<f64>, _>>()?;
    Ok((rows, size))
}

/// Why rows are not a heightfield.
fn uneven(rows: &[Vec<f64>], dimension: usize) -> Option<String> {
    let wide = rows.first().map_or(0, Vec::len);
    if dimension == 3 && rows.len() < 2 {
        return Some(format!(
            "at least two rows of heights were expected, {} given",
            rows.len()
        ));
    }
    if wide < 2 {
        return Some(format!(
            "at least two heights were expected in a row, {wide} given"
        ));
    }
    let short = rows.iter().position(|row| row.len() != wide)?;
    Some(format!(
        "all rows must be equally long: the first has {wide} heights, row {} has {}",
        short + 1,
        rows[short].len()
    ))
}

/// Rows of numbers, separated by commas, semicolons or spaces; `#` begins a comment.
fn numbers(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        // Separators are commas, semicolons and white space.
        let words = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
        let mut row = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => row.push(value),
                _ => {
                    let word: String = word.chars().take(40).collect();
                    return Err(format!("line {}: `{word}` is no finite number", number + 1));
                }
            }
        }
        if !row.is_empty() {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The triangle mesh of a heightfield over a rectangle around the origin, two triangles per cell.
pub(super) fn ground(rows: &[Vec<f64>], size: &[f64]) -> Result<Mesh, ShapeError> {
    let (wide, deep) = (rows.first().map_or(0, Vec::len), rows.len());
    let share = |k: usize, count: usize| k as f64 / (count as f64 - 1.0) - 0.5;
    // Vertices on a regular grid, row by row.
    let mut vertices = Vec::with_capacity(wide * deep);
    for (j, row) in rows.iter().enumerate() {
        for (i, z) in row.iter().enumerate() {
            vertices.push(Vec3::new(
                size[0] * share(i, wide),
                size[1] * share(j, deep),
                *z,
            ));
        }
    }
    // Two triangles per cell, anticlockwise from above.
    let mut triangles = Vec::new();
    for j in 1..deep {
        for i in 1..wide {
            let at = |di: usize, dj: usize| ((j - dj) * wide + i - di) as u32;
            let (a, b, c, d) = (at(1, 1), at(0, 1), at(0, 0), at(1, 0));
            triangles.push([a, b, c]);
            triangles.push([a, c, d]);
        }
    }
    Mesh::new(&vertices, &triangles)
}
