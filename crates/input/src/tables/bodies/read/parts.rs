//! Reads `[[group]]`, `[[region]]`, `[[watch]]`, `[[field]]` and `[[drag]]`.

use super::super::spec::{DragSpec, FieldSpec, GroupSpec, LoadSpec, RegionSpec, WatchSpec};
use super::{between, choice, name_if, named, names_if, numbered, turning, vector_if};
use crate::{Formula, InputError, Item, Reader, Value};

/// `[[group]]`.
pub(super) fn groups(root: &mut Reader<'_>) -> Result<Vec<GroupSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "group", "group")? {
        let Some(bodies) = names_if(&mut reader, "bodies")? else {
            return Err(reader.missing("bodies"));
        };
        let line = reader.line;
        reader.finish()?;
        all.push(GroupSpec { name, line, bodies });
    }
    Ok(all)
}

/// `[[region]]`.
pub(super) fn regions(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<RegionSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "region", "region")? {
        let low = bound(&mut reader, "low", dimension)?;
        let high = bound(&mut reader, "high", dimension)?;
        let of = name_if(&mut reader, "of")?;
        let slices = slices(&mut reader, dimension)?;
        // A region without bounds is a group.
        if low.is_none() && high.is_none() {
            let problem = "`low` or `high` was expected";
            return Err(reader.error(problem, "A region has at least one bound; see [[group]]"));
        }
        let line = reader.line;
        reader.finish()?;
        all.push(RegionSpec {
            name,
            line,
            low,
            high,
            of,
            slices,
        });
    }
    Ok(all)
}

/// A bound of a region: components may be infinite.
fn bound(
    reader: &mut Reader<'_>,
    key: &'static str,
    dimension: usize,
) -> Result<Option<Vec<Formula>>, Box<InputError>> {
    let Some(mut item) = reader.take(key) else {
        return Ok(None);
    };
    // TOML's `inf` is passed on as an expression, since formulas must be finite numbers.
    if let Value::List(items) = &mut item.value {
        for item in items {
            if let Value::Number(n) = item.value
                && n.is_infinite()
            {
                item.value = Value::Text(n.to_string());
            }
        }
    }
    super::vector(reader, key, item, dimension).map(Some)
}

fn slices(
    reader: &mut Reader<'_>,
    dimension: usize,
) -> Result<Option<(usize, usize)>, Box<InputError>> {
    /// Largest number of slices.
    const MOST: usize = 10_000;
    let Some(item) = reader.take("slices") else {
        return Ok(None);
    };
    let part = format!("{}, slices", reader.part);
    let whole: Item = item.clone();
    let mut table = reader.of(part, "slices", item)?;
    // The axis has no default.
    if !matches!(&whole.value, Value::Table(all) if all.iter().any(|entry| entry.key == "axis")) {
        return Err(table.missing("axis"));
    }
    let axis = match dimension {
        2 => choice(&mut table, "axis", &[("x", 0), ("y", 1)])?,
        _ => choice(&mut table, "axis", &[("x", 0), ("y", 1), ("z", 2)])?,
    };
    let Some(count) = table.count_if("count")? else {
        return Err(table.missing("count"));
    };
    if count > MOST {
        let problem = format!("`count` is {count}, at most {MOST} slices are allowed");
        return Err(table.error(problem, ""));
    }
    table.finish()?;
    Ok(Some((axis, count)))
}

/// `[[watch]]`.
pub(super) fn watches(root: &mut Reader<'_>) -> Result<Vec<WatchSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "watch", "watch")? {
        let between = between(&mut reader)?;
        let line = reader.line;
        reader.finish()?;
        all.push(WatchSpec {
            name,
            line,
            between,
        });
    }
    Ok(all)
}

/// `[[field]]`.
pub(super) fn fields(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<FieldSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (number, mut reader) in numbered(root, "field")? {
        let force = vector_if(&mut reader, "force", dimension)?;
        let torque = turning(&mut reader, "torque", dimension)?;
        // A field without force and torque is refused.
        if force.is_none() && torque.is_none() {
            let problem = "`force` or `torque` was expected";
            return Err(reader.error(problem, ""));
        }
        let per_mass = choice(&mut reader, "per", &[("body", false), ("mass", true)])?;
        let bodies = names_if(&mut reader, "bodies")?;
        let line = reader.line;
        reader.finish()?;
        let at = None;
        all.push(FieldSpec {
            number,
            line,
            load: LoadSpec { force, torque, at },
            bodies,
            per_mass,
        });
    }
    Ok(all)
}

/// `[[drag]]`.
pub(super) fn drags(root: &mut Reader<'_>) -> Result<Vec<DragSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (number, mut reader) in numbered(root, "drag")? {
        let coefficient = reader.formula_if("coefficient")?;
        let spin_coefficient = reader.formula_if("spin_coefficient")?;
        if coefficient.is_none() && spin_coefficient.is_none() {
            let problem = "`coefficient` or `spin_coefficient` was expected";
            return Err(reader.error(problem, ""));
        }
        let bodies = names_if(&mut reader, "bodies")?;
        let line = reader.line;
        reader.finish()?;
        all.push(DragSpec {
            number,
            line,
            coefficient,
            spin_coefficient,
            bodies,
        });
    }
    Ok(all)
}
