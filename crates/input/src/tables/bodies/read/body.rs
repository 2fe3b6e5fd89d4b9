//! Reads `[[body]]`.

use super::super::spec::{BodySpec, TurnSpec};
use super::{motion, name_of, named, shape, turning, vector_if, vector_of};
use crate::{InputError, Reader};

/// `[[body]]`.
pub(super) fn bodies(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<BodySpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "body", "body")? {
        let (shape, shape_line) = shape::shape(&mut reader, dimension)?;
        let body = BodySpec {
            name,
            line: reader.line,
            shape,
            shape_line,
            material: name_of(&mut reader, "material")?,
            mass: reader.formula_if("mass")?,
            inertia: turning(&mut reader, "inertia", dimension)?,
            centre: vector_if(&mut reader, "centre", dimension)?,
            axes: match dimension {
                2 => None,
                _ => vector_if(&mut reader, "axes", 4)?,
            },
            position: vector_if(&mut reader, "position", dimension)?,
            turn: turn(&mut reader, dimension)?,
            velocity: vector_if(&mut reader, "velocity", dimension)?,
            spin: turning(&mut reader, "spin", dimension)?,
            freedom: motion::freedom(&mut reader, dimension)?,
            load: motion::load(&mut reader, dimension)?,
        };
        reader.finish()?;
        all.push(body);
    }
    Ok(all)
}

/// The initial orientation of a body: `angle` in the plane; `rotation` or the quaternion `orientation` in space.
pub(super) fn turn(reader: &mut Reader<'_>, dimension: usize) -> Result<TurnSpec, Box<InputError>> {
    if dimension == 2 {
        let angle = reader.formula_if("angle")?;
        return Ok(angle.map_or(TurnSpec::None, TurnSpec::Angle));
    }
    let rotation = reader.take("rotation");
    let orientation = vector_if(reader, "orientation", 4)?;
    match (rotation, orientation) {
        (None, None) => Ok(TurnSpec::None),
        (None, Some(quaternion)) => Ok(TurnSpec::Quaternion(quaternion)),
        (Some(item), None) => {
            let part = format!("{}, rotation", reader.part);
            let mut table = reader.of(part, "rotation", item)?;
            let axis = vector_of(&mut table, "axis", 3)?;
            let angle = table.formula("angle")?;
            table.finish()?;
            Ok(TurnSpec::About { axis, angle })
        }
        (Some(_), Some(_)) => Err(reader.error(
            "`rotation` and `orientation` are both given",
            "Keep one of them",
        )),
    }
}
