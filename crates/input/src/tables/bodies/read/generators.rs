//! Reads the generators: `[[wall]]`, `[[column]]`, `[[arch]]`, `[[grid]]`, `[[packing]]`,
//! `[[deposit]]`, `[[grains]]`; those of other masonry are in `structure`.

use super::{choice, name_of, named, pair, points, structure, vector, vector_if, vector_of};
use crate::tables::bodies::generators::{
    ArrangementSpec, GeneratorSpec, GrainSpec, RegionOfPacking, SizesSpec,
};
use crate::tables::read_run;
use crate::{Formula, InputError, Item, Reader, Value};

/// All generators, in the order of the file.
pub(super) fn many(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<GeneratorSpec>, Box<InputError>> {
    type Read = fn(&mut Reader<'_>, usize) -> Result<ArrangementSpec, Box<InputError>>;
    // Table key and reader of each generator.
    let kinds: [(&'static str, Read); 13] = [
        ("wall", wall),
        ("column", column),
        ("arch", arch),
        ("grid", grid),
        ("packing", packing),
        ("deposit", deposit),
        ("grains", grains),
        ("vault", structure::vault),
        ("dome", structure::dome),
        ("drums", structure::drums),
        ("drystone", structure::drystone),
        ("row", structure::row),
        ("cards", structure::cards),
    ];
    let mut all = Vec::new();
    for (word, read) in kinds {
        for (name, mut reader) in named(root, word, word)? {
            // Lines of all keys, for errors that the generator reports by key.
            let lines = reader.lines();
            let arrangement = read(&mut reader, dimension)?;
            // Packings, deposits and given grains have absolute coordinates and no origin.
            let boxed = matches!(word, "packing" | "deposit" | "grains");
            let (fixed, springers) = structure::fixed(&mut reader, word)?;
            let many = GeneratorSpec {
                word,
                name,
                line: reader.line,
                lines,
                arrangement,
                origin: match boxed {
                    true => None,
                    false => vector_if(&mut reader, "origin", dimension)?,
                },
                material: name_of(&mut reader, "material")?,
                density: reader.formula_if("density")?,
                velocity: vector_if(&mut reader, "velocity", dimension)?,
                fixed,
                springers,
            };
            // Keys without effect on fixed bodies are refused.
            if many.fixed && many.velocity.is_some() {
                let problem = "`velocity` does nothing: the bodies are fixed";
                return Err(reader.error(problem, "Drop it, or `fixed = true`"));
            }
            if many.fixed && many.density.is_some() {
                let problem = "`density` does nothing: the bodies are fixed";
                return Err(reader.error(problem, "Drop it, or `fixed = true`"));
            }
            reader.finish()?;
            all.push(many);
        }
    }
    // Bodies are numbered in the order of the file.
    all.sort_by_key(|many| many.line);
    Ok(all)
}

fn wall(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    let spec = ArrangementSpec::Wall {
        block: vector_of(reader, "block", dimension)?,
        courses: reader.formula("courses")?,
        length: reader.formula("length")?,
        vary: reader.formula_if("vary")?,
        seed: reader.formula_if("seed")?,
    };
    // A seed without random numbers is refused.
    match &spec {
        ArrangementSpec::Wall {
            vary: None,
            seed: Some(_),
            ..
        } => Err(reader.error(
            "`seed` does nothing without `vary`",
            "Add `vary`, or drop `seed`",
        )),
        _ => Ok(spec),
    }
}

fn grains(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    let Some(item) = reader.take("positions") else {
        return Err(reader.missing("positions"));
    };
    let positions = points(reader, "positions", item, dimension)?;
    // One radius for all grains, or one for each.
    let radii = match (reader.take("radii"), reader.formula_if("radius")?) {
        (Some(item), None) => vector(reader, "radii", item, positions.len())?,
        (None, Some(radius)) => vec![radius],
        (None, None) => return Err(reader.missing("radius")),
        (Some(_), Some(_)) => {
            let problem = "`radius` and `radii` exclude each other";
            return Err(reader.error(problem, "Give one radius for all, or one for each"));
        }
    };
    Ok(ArrangementSpec::Grains { positions, radii })
}

fn column(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    Ok(ArrangementSpec::Column {
        block: vector_of(reader, "block", dimension)?,
        count: reader.formula("count")?,
        lean: reader.formula_if("lean")?,
    })
}

fn arch(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    if dimension != 2 {
        return structure::deep_arch(reader);
    }
    Ok(ArrangementSpec::Arch {
        radius: reader.formula("radius")?,
        thickness: reader.formula("thickness")?,
        voussoirs: reader.formula("voussoirs")?,
        span: reader.formula_if("span")?,
        facets: reader.formula_if("facets")?,
    })
}

fn grid(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    let grain = grain(reader, dimension)?;
    let counts = vector_of(reader, "counts", dimension)?;
    let spacing = reader.formula_if("spacing")?;
    let lattice = read_run::word(reader, "lattice")?;
    let jitter = reader.formula_if("jitter")?;
    let seed = reader.formula_if("seed")?;
    if seed.is_some() && grain.certain() && jitter.is_none() {
        let problem =
            "`seed` does nothing: equal round grains without `jitter` leave nothing to chance";
        return Err(reader.error(problem, "Add `jitter`, or drop `seed`"));
    }
    Ok(ArrangementSpec::Grid {
        grain,
        counts,
        spacing,
        lattice,
        jitter,
        seed,
    })
}

fn packing(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    let grain = grain(reader, dimension)?;
    // The region; a periodic cell needs no bounds.
    let regions = [("box", 0), ("cylinder", 1), ("cell", 2)];
    let region = match choice(reader, "region", &regions)? {
        0 => RegionOfPacking::Box,
        1 => RegionOfPacking::Cylinder,
        _ => RegionOfPacking::Cell,
    };
    let (low, high) = match region {
        RegionOfPacking::Cell => (Vec::new(), Vec::new()),
        _ => corners_of(reader, dimension)?,
    };
    let (count, fraction) = (reader.formula_if("count")?, reader.formula_if("fraction")?);
    if count.is_some() == fraction.is_some() {
        let problem = "`count` or `fraction`, one of them, was expected";
        return Err(reader.error(problem, "Say how many grains, or which share of the box"));
    }
    let seed = reader.formula_if("seed")?;
    Ok(ArrangementSpec::Packing {
        grain,
        region,
        low,
        high,
        count,
        fraction,
        seed,
    })
}

fn deposit(reader: &mut Reader<'_>, dimension: usize) -> Result<ArrangementSpec, Box<InputError>> {
    let grain = grain(reader, dimension)?;
    let (low, high) = corners_of(reader, dimension)?;
    Ok(ArrangementSpec::Deposit {
        grain,
        low,
        high,
        count: reader.formula("count")?,
        seed: reader.formula_if("seed")?,
    })
}

type Corners = (Vec<Formula>, Vec<Formula>);

fn corners_of(reader: &mut Reader<'_>, dimension: usize) -> Result<Corners, Box<InputError>> {
    let low = vector_of(reader, "low", dimension)?;
    Ok((low, vector_of(reader, "high", dimension)?))
}

/// `radius`, `shape`, `corners`: sizes and shape of grains.
fn grain(reader: &mut Reader<'_>, dimension: usize) -> Result<GrainSpec, Box<InputError>> {
    let Some(item) = reader.take("radius") else {
        return Err(reader.missing("radius"));
    };
    let sizes = sizes(reader, item)?;
    // Shape by dimension; irregular grains need their numbers of vertices.
    let angular = match dimension {
        2 => choice(reader, "shape", &[("disc", false), ("polygon", true)])?,
        _ => choice(reader, "shape", &[("sphere", false), ("polyhedron", true)])?,
    };
    let corners = match reader.take("corners") {
        None => None,
        Some(item) => Some(pair(reader, "corners", item)?),
    };
    match (angular, &corners) {
        (true, None) => Err(reader.error(
            "angular grains need `corners`, the fewest and the most of them",
            "Add for example `corners = [5, 8]`",
        )),
        (false, Some(_)) => {
            let shape = if dimension == 2 {
                "polygon"
            } else {
                "polyhedron"
            };
            let problem = "`corners` does nothing: the grains are round";
            let advice = format!("Add `shape = \"{shape}\"`, or drop it");
            Err(reader.error(problem, advice))
        }
        _ => Ok(GrainSpec { sizes, corners }),
    }
}

fn sizes(reader: &Reader<'_>, item: Item) -> Result<SizesSpec, Box<InputError>> {
    // One value is the radius of all grains; a table gives the distribution.
    let Value::Table(_) = item.value else {
        return Ok(SizesSpec::Equal(reader.to_formula("radius", item)?));
    };
    let part = format!("{}, radius", reader.part);
    let mut table = reader.of(part, "radius", item)?;
    let between = |table: &mut Reader<'_>| match table.take("between") {
        Some(item) => pair(table, "between", item),
        None => Err(table.missing("between")),
    };
    let sizes = if let Some(item) = table.take("uniform") {
        SizesSpec::Uniform(pair(&table, "uniform", item)?)
    } else if let Some(item) = table.take("normal") {
        SizesSpec::Normal(pair(&table, "normal", item)?, between(&mut table)?)
    } else if let Some(item) = table.take("lognormal") {
        SizesSpec::Lognormal(pair(&table, "lognormal", item)?, between(&mut table)?)
    } else if let Some(item) = table.take("by_area") {
        SizesSpec::ByArea(pair(&table, "by_area", item)?)
    } else if let Some(item) = table.take("mix") {
        SizesSpec::Mix(pairs(&table, "mix", item, "[radius, share]")?)
    } else if let Some(item) = table.take("sieve") {
        SizesSpec::Sieve(pairs(&table, "sieve", item, "[opening, passing]")?)
    } else {
        let problem = "a value, { uniform }, { normal, between }, { lognormal, between }, { by_area }, \
                       { mix } or { sieve } was expected";
        // `between` is registered, so that it is not reported as unknown.
        let nothing = table.error(problem, "");
        let _ = table.take("between");
        table.finish()?;
        return Err(nothing);
    };
    table.finish()?;
    Ok(sizes)
}

fn pairs(
    table: &Reader<'_>,
    key: &str,
    item: Item,
    what: &str,
) -> Result<Vec<[Formula; 2]>, Box<InputError>> {
    match item.value {
        Value::List(items) if !items.is_empty() => {
            let pairs = items.into_iter().map(|item| pair(table, key, item));
            pairs.collect()
        }
        _ => Err(table.expected(key, &item, &format!("an array of {what}"), "")),
    }
}
