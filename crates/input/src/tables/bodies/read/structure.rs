//! Reads the masonry generators: `[[vault]]`, `[[dome]]`, `[[drums]]`, `[[drystone]]`, `[[row]]`,
//! `[[cards]]`, and `[[arch]]` in space.

use super::super::structure::{BlocksSpec, BondSpec, StructureSpec};
use super::{choice, pair, vector_if, vector_of};
use crate::tables::bodies::generators::ArrangementSpec;
use crate::{Formula, InputError, Item, Reader, Value};

type Read = Result<ArrangementSpec, Box<InputError>>;

const BONDS: [(&str, BondSpec); 2] = [("running", BondSpec::Running), ("stack", BondSpec::Stack)];

pub(super) fn vault(reader: &mut Reader<'_>, dimension: usize) -> Read {
    only_space(reader, dimension, "a vault", "Use an [[arch]] in the plane")?;
    Ok(ArrangementSpec::Structure(StructureSpec::Vault {
        radius: reader.formula("radius")?,
        thickness: reader.formula("thickness")?,
        voussoirs: reader.formula("voussoirs")?,
        span: reader.formula_if("span")?,
        depth: reader.formula("depth")?,
        rings: Some(reader.formula("rings")?),
        bond: choice(reader, "bond", &BONDS)?,
    }))
}

/// An arch in space is a vault of one ring.
pub(super) fn deep_arch(reader: &mut Reader<'_>) -> Read {
    Ok(ArrangementSpec::Structure(StructureSpec::Vault {
        radius: reader.formula("radius")?,
        thickness: reader.formula("thickness")?,
        voussoirs: reader.formula("voussoirs")?,
        span: reader.formula_if("span")?,
        depth: reader.formula("depth")?,
        rings: None,
        bond: BondSpec::Stack,
    }))
}

pub(super) fn dome(reader: &mut Reader<'_>, dimension: usize) -> Read {
    only_space(reader, dimension, "a dome", "Use an [[arch]] in the plane")?;
    // Number of blocks per course, or their length.
    let blocks = match (reader.formula_if("blocks")?, reader.formula_if("size")?) {
        (Some(number), None) => BlocksSpec::Number(number),
        (None, Some(size)) => BlocksSpec::Size(size),
        _ => {
            let problem = "`blocks` or `size`, one of them, was expected";
            let advice = "Say how many blocks a course has, or how long they should be";
            return Err(reader.error(problem, advice));
        }
    };
    Ok(ArrangementSpec::Structure(StructureSpec::Dome {
        radius: reader.formula("radius")?,
        thickness: reader.formula("thickness")?,
        courses: reader.formula("courses")?,
        blocks,
        span: reader.formula_if("span")?,
        oculus: reader.formula_if("oculus")?,
        bond: choice(reader, "bond", &BONDS)?,
    }))
}

pub(super) fn drums(reader: &mut Reader<'_>, dimension: usize) -> Read {
    only_space(
        reader,
        dimension,
        "a column of drums",
        "Use a [[column]] in the plane",
    )?;
    Ok(ArrangementSpec::Structure(StructureSpec::Drums {
        radius: reader.formula("radius")?,
        top: reader.formula_if("top")?,
        count: reader.formula("count")?,
        height: reader.formula("height")?,
        sides: reader.formula_if("sides")?,
        capital: vector_if(reader, "capital", dimension)?,
    }))
}

pub(super) fn drystone(reader: &mut Reader<'_>, dimension: usize) -> Read {
    let stone = bounds(reader, "stone")?;
    let course = bounds(reader, "course")?;
    // The depth exists only in space.
    let depth = match dimension {
        2 => None,
        _ => Some(reader.formula("depth")?),
    };
    Ok(ArrangementSpec::Structure(StructureSpec::Drystone {
        stone,
        course,
        length: reader.formula("length")?,
        height: reader.formula("height")?,
        depth,
        stagger: reader.formula_if("stagger")?,
        irregular: reader.formula_if("irregular")?,
        seed: reader.formula_if("seed")?,
    }))
}

pub(super) fn row(reader: &mut Reader<'_>, dimension: usize) -> Read {
    let mut of_space = |key| match dimension {
        2 => Ok(None),
        _ => reader.formula_if(key),
    };
    let (heading, turn) = (of_space("heading")?, of_space("turn")?);
    Ok(ArrangementSpec::Structure(StructureSpec::Row {
        block: vector_of(reader, "block", dimension)?,
        count: reader.formula("count")?,
        spacing: reader.formula("spacing")?,
        heading,
        turn,
    }))
}

pub(super) fn cards(reader: &mut Reader<'_>, dimension: usize) -> Read {
    Ok(ArrangementSpec::Structure(StructureSpec::Cards {
        card: vector_of(reader, "card", dimension)?,
        storeys: reader.formula("storeys")?,
        lean: reader.formula("lean")?,
    }))
}

/// `fixed = true`, or `fixed = "springers"` for arches, vaults and domes: whether all, whether springers are fixed.
pub(super) fn fixed(reader: &mut Reader<'_>, word: &str) -> Result<(bool, bool), Box<InputError>> {
    let springs = matches!(word, "vault" | "dome" | "arch");
    // A boolean, or the word for structures with springers.
    match reader.take("fixed") {
        None => Ok((false, false)),
        Some(Item {
            value: Value::Truth(truth),
            ..
        }) => Ok((truth, false)),
        Some(item) => match &item.value {
            Value::Text(text) if springs && text == "springers" => Ok((false, true)),
            _ if springs => {
                let expected = "true, false or \"springers\"";
                Err(reader.expected("fixed", &item, expected, ""))
            }
            _ => Err(reader.expected("fixed", &item, "true or false", "")),
        },
    }
}

fn only_space(
    reader: &Reader<'_>,
    dimension: usize,
    what: &str,
    advice: &str,
) -> Result<(), Box<InputError>> {
    match dimension {
        3 => Ok(()),
        _ => Err(reader.error(format!("{what} is a generator of space"), advice)),
    }
}

/// A pair of the smallest and the largest value.
fn bounds(reader: &mut Reader<'_>, key: &'static str) -> Result<[Formula; 2], Box<InputError>> {
    match reader.take(key) {
        Some(item) => pair(reader, key, item),
        None => Err(reader.missing(key)),
    }
}
