//! Reads `[[drawing]]`.

use crate::tables::drawing::{COLOURS, DrawingShapeSpec, DrawingSpec, OverSpec, PointSpec};
use crate::{Entry, Formula, InputError, Item, Origin, Reader, Value};

/// Keys that give the shape of an element.
const SHAPES: [&str; 7] = [
    "link", "tip", "obstacle", "curve", "surface", "trace", "spring",
];

type Read<T> = Result<T, Box<InputError>>;

/// `[[drawing]]`, one table for each element.
pub(super) fn drawings(root: &mut Reader<'_>) -> Read<Vec<DrawingSpec>> {
    let mut all: Vec<DrawingSpec> = Vec::new();
    for (index, item) in root.tables("drawing")?.into_iter().enumerate() {
        let mut reader = root.of(format!("drawing {}", index + 1), "drawing", item)?;
        let name = reader.text_if("name")?;
        if let Some(name) = &name {
            reader.part = format!("drawing `{name}`");
        }
        let one = thing(reader, name, index)?;
        if let Some(first) = all.iter().find(|known| known.name == one.name) {
            let problem = format!("the name is used twice, first on line {}", first.line);
            return Err(Box::new(InputError {
                part: one.part.clone(),
                origin: Origin::Line(one.line),
                ..*root.error(problem, "Give each its own name")
            }));
        }
        all.push(one);
    }
    same_dimension(root, &all)?;
    Ok(all)
}

fn thing(mut reader: Reader<'_>, name: Option<String>, index: usize) -> Read<DrawingSpec> {
    // Exactly one key gives the shape.
    let found: Vec<(&'static str, Item)> = SHAPES
        .iter()
        .filter_map(|key| reader.take(key).map(|item| (*key, item)))
        .collect();
    let Ok([(key, item)]) = <[_; 1]>::try_from(found) else {
        let misspelt = SHAPES.iter().find_map(|key| reader.misspelt(key));
        let problem = format!("exactly one of {} was expected", SHAPES.join(", "));
        let advice = "Each [[drawing]] is one thing";
        return Err(misspelt.unwrap_or_else(|| reader.error(problem, advice)));
    };
    let shape = shape(&mut reader, key, item)?;
    let (closed, filled) = outline(&mut reader, &shape)?;
    let colour = colour(&mut reader)?;
    let one = DrawingSpec {
        name: name.unwrap_or_else(|| format!("{key} {}", index + 1)),
        part: reader.part.clone(),
        key,
        line: reader.line,
        closed,
        filled,
        label: reader.text_if("label")?,
        colour,
        width: reader.formula_if("width")?,
        contacts: reader.formulas_if("contact")?.unwrap_or_default(),
        shape,
    };
    reader.finish()?;
    Ok(one)
}

fn shape(reader: &mut Reader<'_>, key: &'static str, item: Item) -> Read<DrawingShapeSpec> {
    // The points of the shape, with the further keys it takes.
    Ok(match key {
        "link" => DrawingShapeSpec::Link(line(reader, key, item)?),
        "tip" => DrawingShapeSpec::Tip {
            at: points(reader, key, item)?.0,
            radius: reader.formula_if("radius")?,
            angle: angle(reader)?,
        },
        "obstacle" => obstacle(reader, item)?,
        "trace" => DrawingShapeSpec::Trace(point(reader, key, item)?),
        "spring" => {
            let ends = line(reader, key, item.clone())?;
            let ends = <[PointSpec; 2]>::try_from(ends);
            let wrong = |_| reader.wrong(key, &item, "two points were expected".into(), "");
            DrawingShapeSpec::Spring(ends.map_err(wrong)?)
        }
        "curve" => {
            let point = point(reader, key, item)?;
            let [over] = overs::<1>(reader)?;
            DrawingShapeSpec::Curve { point, over }
        }
        _ => {
            let at = point(reader, key, item.clone())?;
            if at.len() != 3 {
                let problem = "a surface is of space: three expressions were expected";
                return Err(reader.wrong(key, &item, problem.into(), ""));
            }
            let over = overs::<2>(reader)?;
            DrawingShapeSpec::Surface { point: at, over }
        }
    })
}

/// The angle of a spoke, for discs in the plane.
fn angle(reader: &mut Reader<'_>) -> Read<Option<Formula>> {
    reader.formula_if("angle")
}

fn obstacle(reader: &mut Reader<'_>, item: Item) -> Read<DrawingShapeSpec> {
    let (mut all, alone) = points(reader, "obstacle", item.clone())?;
    let radius = reader.formula_if("radius")?;
    let normal = reader.take("normal");
    let wrong = |problem: &str, advice: &str| {
        let problem = problem.to_string();
        Err(reader.wrong("obstacle", &item, problem, advice))
    };
    // Several points are a polyline; a single one needs a radius or a normal.
    if !alone {
        return match (radius, normal) {
            (None, None) if all.len() > 1 => Ok(DrawingShapeSpec::Obstacle(all)),
            (None, None) => wrong("at least two points were expected", ""),
            _ => wrong("`radius` and `normal` go with a single point", ""),
        };
    }
    let at = all.remove(0);
    match (radius, normal) {
        (Some(radius), None) => Ok(DrawingShapeSpec::Round { at, radius }),
        (None, Some(item)) => {
            let normal = point(reader, "normal", item.clone())?;
            if normal.len() != at.len() {
                let problem = format!("{} expressions were expected", at.len());
                return Err(reader.wrong("normal", &item, problem, ""));
            }
            Ok(DrawingShapeSpec::Half { at, normal })
        }
        _ => wrong(
            "a single point is no obstacle",
            "Add `radius` for a circle or `normal` for a straight wall, or give more points",
        ),
    }
}

/// Whether an outline is closed and filled.
fn outline(reader: &mut Reader<'_>, shape: &DrawingShapeSpec) -> Read<(bool, bool)> {
    let lines = matches!(
        shape,
        DrawingShapeSpec::Link(_) | DrawingShapeSpec::Obstacle(_) | DrawingShapeSpec::Curve { .. }
    );
    let round = matches!(
        shape,
        DrawingShapeSpec::Round { .. }
            | DrawingShapeSpec::Tip {
                radius: Some(_),
                ..
            }
    );
    let closed = if lines {
        reader.truth_if("closed")?
    } else {
        None
    };
    let filled = match lines || round {
        true => reader.truth_if("filled")?,
        false => None,
    };
    // Defaults: discs and half-spaces are filled; filled lines are closed.
    let filled = match (filled, shape) {
        (Some((filled, _)), _) => filled,
        (None, DrawingShapeSpec::Tip { radius, .. }) => radius.is_some(),
        (None, shape) => matches!(shape, DrawingShapeSpec::Half { .. } | DrawingShapeSpec::Set),
    };
    let closed = closed.is_some_and(|(closed, _)| closed) || (lines && filled);
    Ok((closed, filled))
}

fn colour(reader: &mut Reader<'_>) -> Read<Option<u8>> {
    let Some(item) = reader.take("colour") else {
        return Ok(None);
    };
    let known: Vec<String> = COLOURS.iter().map(|name| name.to_string()).collect();
    let Value::Text(name) = &item.value else {
        let what = format!("one of {}", known.join(", "));
        return Err(reader.expected("colour", &item, &what, ""));
    };
    match known.iter().position(|known| known == name) {
        Some(place) => Ok(u8::try_from(place).ok()),
        None => {
            let guess = match percuss_expr::similar_names(name, &known).first() {
                Some(nearest) => format!("; did you mean `{nearest}`?"),
                None => String::new(),
            };
            let listed = known.join(", ");
            let problem = format!("there is no such colour{guess} (there is {listed})");
            Err(reader.wrong("colour", &item, problem, ""))
        }
    }
}

/// `over = { u = [0, "2*pi"] }`.
fn overs<const N: usize>(reader: &mut Reader<'_>) -> Read<[OverSpec; N]> {
    let Some(item) = reader.take("over") else {
        return Err(reader.missing("over"));
    };
    let what = match N {
        1 => "one parameter with its interval was expected",
        _ => "two parameters with their intervals were expected",
    };
    let advice = "It is written over = { u = [0, 1] }, the names your own";
    // A table of parameter names with their intervals.
    let Value::Table(entries) = item.value.clone() else {
        return Err(reader.wrong("over", &item, what.into(), advice));
    };
    let mut all = Vec::new();
    for Entry {
        key,
        line,
        item: ends,
    } in entries
    {
        let wrong = || {
            reader.wrong(
                "over",
                &ends,
                format!("`{key}`: two ends were expected"),
                "",
            )
        };
        let Value::List(items) = &ends.value else {
            return Err(wrong());
        };
        let [from, to] = items.as_slice() else {
            return Err(wrong());
        };
        all.push(OverSpec {
            from: reader.to_formula("over", from.clone())?,
            to: reader.to_formula("over", to.clone())?,
            name: key,
            line,
        });
    }
    <[OverSpec; N]>::try_from(all).map_err(|_| reader.wrong("over", &item, what.into(), advice))
}

/// One point.
fn point(reader: &Reader<'_>, key: &str, item: Item) -> Read<PointSpec> {
    let (mut all, alone) = points(reader, key, item.clone())?;
    match alone {
        true => Ok(all.remove(0)),
        false => Err(reader.wrong(key, &item, "one point was expected".into(), "")),
    }
}

/// At least two points.
fn line(reader: &Reader<'_>, key: &str, item: Item) -> Read<Vec<PointSpec>> {
    let (all, alone) = points(reader, key, item.clone())?;
    if alone || all.len() < 2 {
        let problem = "at least two points were expected";
        let advice = format!("It is written {key} = [[x, y], [x, y]]");
        return Err(reader.wrong(key, &item, problem.into(), &advice));
    }
    Ok(all)
}

/// A point or an array of points, and whether it is a single one.
fn points(reader: &Reader<'_>, key: &str, item: Item) -> Read<(Vec<PointSpec>, bool)> {
    let what = "a point of two or three numbers or expressions, or an array of such points";
    let Value::List(items) = &item.value else {
        return Err(reader.expected(key, &item, what, ""));
    };
    let nested = |i: &Item| matches!(i.value, Value::List(_));
    let one = |item: &Item, parts: &[Item]| {
        if !(2..=3).contains(&parts.len()) {
            return Err(reader.wrong(key, item, format!("{what} was expected"), ""));
        }
        let all = parts.iter().map(|p| reader.to_formula(key, p.clone()));
        all.collect::<Read<PointSpec>>()
    };
    // A flat array is one point, a nested one several.
    if !items.iter().any(nested) {
        return Ok((vec![one(&item, items)?], true));
    }
    let mut all: Vec<PointSpec> = Vec::new();
    for inner in items {
        let Value::List(parts) = &inner.value else {
            return Err(reader.expected(key, inner, "a point", ""));
        };
        let point = one(inner, parts)?;
        if all.first().is_some_and(|first| first.len() != point.len()) {
            let problem = "points of the plane and of space cannot be mixed".to_string();
            return Err(reader.wrong(key, &item, problem, ""));
        }
        all.push(point);
    }
    Ok((all, false))
}

/// Requires that all elements have the same dimension.
fn same_dimension(root: &Reader<'_>, all: &[DrawingSpec]) -> Read<()> {
    let Some(first) = all.first() else {
        return Ok(());
    };
    // The first element gives the dimension.
    let dimension = first.shape.dimension();
    for one in all {
        let at_one = |problem: &str, advice: &str| {
            Err(Box::new(InputError {
                part: one.part.clone(),
                origin: Origin::Line(one.line),
                key: one.key.into(),
                ..*root.error(problem, advice)
            }))
        };
        if one.shape.dimension() != dimension {
            let advice = format!("The drawing on line {} begins it", first.line);
            return at_one("points of the plane and of space cannot be mixed", &advice);
        }
        if let DrawingShapeSpec::Tip { radius, angle, .. } = &one.shape
            && angle.is_some()
            && (radius.is_none() || dimension != 2)
        {
            let advice = "In space, draw a link to a point that turns with the body";
            return at_one(
                "`angle` goes with the `radius` of a disc in the plane",
                advice,
            );
        }
    }
    Ok(())
}
