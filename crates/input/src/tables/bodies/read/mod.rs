//! Reads the tables of a scene of bodies: TOML to [`BodiesSpec`].

mod body;
mod cell;
mod form;
mod generators;
mod joint;
mod load;
mod motion;
mod parts;
mod run;
mod shape;
mod structure;
mod survey;
mod world;

use super::spec::{BodiesSpec, Name};
use crate::{Formula, InputError, Item, Reader, Value};

/// Reads all tables of a scene of bodies except title and reports.
pub fn read(root: &mut Reader<'_>) -> Result<BodiesSpec, Box<InputError>> {
    // The world, materials, laws and bodies first: the rest refers to them.
    let parameters = crate::named(root, "parameters")?;
    let (dimension, gravity) = world::world(root)?;
    let cell = cell::cell(root, dimension)?;
    let materials = world::materials(root)?;
    let laws = world::laws(root, dimension)?;
    let bodies = body::bodies(root, dimension)?;
    let many = generators::many(root, dimension)?;
    if bodies.is_empty() && many.is_empty() {
        let advice = "Add a [[body]], or many with [[wall]], [[column]], [[arch]], [[vault]], \
                      [[dome]], [[drums]], [[drystone]], [[row]], [[cards]], [[grid]], [[packing]], \
                      [[deposit]] or [[grains]]";
        let misspelt = root.misspelt("body");
        return Err(misspelt.unwrap_or_else(|| root.error("there are no bodies", advice)));
    }
    Ok(BodiesSpec {
        parameters,
        dimension,
        gravity,
        cell,
        materials,
        laws,
        bodies,
        generators: many,
        groups: parts::groups(root)?,
        regions: parts::regions(root, dimension)?,
        watches: parts::watches(root)?,
        profiles: survey::profiles(root)?,
        distributions: survey::distributions(root)?,
        fields: parts::fields(root, dimension)?,
        drags: parts::drags(root)?,
        loads: load::loads(root, dimension)?,
        joints: joint::joints(root, dimension)?,
        pictures: run::pictures(root, dimension)?,
        prepare: run::prepare(root, dimension)?,
        run: run::run(root)?,
        callables: callables(root)?,
    })
}

/// `callables`: bodies whose motion or force is a function of a caller.
fn callables(root: &mut Reader<'_>) -> Result<Vec<String>, Box<InputError>> {
    const KEY: &str = "callables";
    let Some(item) = root.take(KEY) else {
        return Ok(Vec::new());
    };
    let Value::List(items) = item.value.clone() else {
        return Err(root.expected(KEY, &item, "an array of names", ""));
    };
    let names = items.into_iter().map(|item| name(root, KEY, item));
    names.map(|name| name.map(|name| name.text)).collect()
}

/// The tables `[[key]]`, each with a name that can be part of an observable.
fn named<'a>(
    root: &mut Reader<'a>,
    key: &'static str,
    word: &'static str,
) -> Result<Vec<(String, Reader<'a>)>, Box<InputError>> {
    let all = crate::parts(root, key, word)?;
    for (name, reader) in &all {
        require_identifier(reader, name)?;
    }
    Ok(all)
}

/// The tables `[[key]]` without a name, with their numbers from 1.
fn numbered<'a>(
    root: &mut Reader<'a>,
    key: &'static str,
) -> Result<Vec<(usize, Reader<'a>)>, Box<InputError>> {
    let items = root.tables(key)?.into_iter().enumerate();
    items
        .map(|(index, item)| {
            let number = index + 1;
            Ok((number, root.of(format!("{key} {number}"), key, item)?))
        })
        .collect()
}

/// Requires an identifier: letters, digits and `_`, no digit first.
fn require_identifier(reader: &Reader<'_>, name: &str) -> Result<(), Box<InputError>> {
    let mut letters = name.chars();
    let first = |c: char| c.is_alphabetic() || c == '_';
    let good =
        letters.next().is_some_and(first) && letters.all(|c| c.is_alphanumeric() || c == '_');
    match good {
        true => Ok(()),
        false => Err(reader.error(
            format!("`{name}` cannot be a name"),
            "A name has letters, digits and `_` and does not begin with a digit, so that \
             expressions can use it",
        )),
    }
}

/// An array of a given length.
fn vector(
    reader: &Reader<'_>,
    key: &str,
    item: Item,
    count: usize,
) -> Result<Vec<Formula>, Box<InputError>> {
    // The array must have exactly `count` values.
    match item.value {
        Value::List(items) if items.len() == count => {
            let all = items.into_iter();
            all.map(|item| reader.to_formula(key, item)).collect()
        }
        Value::List(items) => {
            let found = items.len();
            let problem = format!("an array of {count} values was expected, this one has {found}");
            let value = Value::List(items);
            Err(reader.wrong(key, &Item { value, ..item }, problem, ""))
        }
        _ => Err(reader.expected(key, &item, &format!("an array of {count} values"), "")),
    }
}

fn vector_if(
    reader: &mut Reader<'_>,
    key: &'static str,
    count: usize,
) -> Result<Option<Vec<Formula>>, Box<InputError>> {
    match reader.take(key) {
        None => Ok(None),
        Some(item) => vector(reader, key, item, count).map(Some),
    }
}

fn vector_of(
    reader: &mut Reader<'_>,
    key: &'static str,
    count: usize,
) -> Result<Vec<Formula>, Box<InputError>> {
    match vector_if(reader, key, count)? {
        Some(vector) => Ok(vector),
        None => Err(reader.missing(key)),
    }
}

fn pair(reader: &Reader<'_>, key: &str, item: Item) -> Result<[Formula; 2], Box<InputError>> {
    let raw = item.clone();
    let both: Result<[Formula; 2], _> = vector(reader, key, item, 2)?.try_into();
    both.map_err(|_| reader.expected(key, &raw, "an array of 2 values", ""))
}

/// One value in the plane, three in space: spin, torque.
fn turning(
    reader: &mut Reader<'_>,
    key: &'static str,
    dimension: usize,
) -> Result<Option<Vec<Formula>>, Box<InputError>> {
    match dimension {
        2 => Ok(reader.formula_if(key)?.map(|formula| vec![formula])),
        _ => vector_if(reader, key, 3),
    }
}

/// An array of points.
fn points(
    reader: &Reader<'_>,
    key: &str,
    item: Item,
    dimension: usize,
) -> Result<Vec<Vec<Formula>>, Box<InputError>> {
    match item.value {
        Value::List(items) => {
            let all = items.into_iter();
            all.map(|item| vector(reader, key, item, dimension))
                .collect()
        }
        _ => {
            let what = format!("an array of points of {dimension} coordinates");
            Err(reader.expected(key, &item, &what, ""))
        }
    }
}

/// A name with its line.
fn name(reader: &Reader<'_>, key: &str, item: Item) -> Result<Name, Box<InputError>> {
    match item.value {
        Value::Text(text) => Ok(Name::at_line(text, item.line)),
        _ => Err(reader.expected(key, &item, "a name", "")),
    }
}

fn name_if(reader: &mut Reader<'_>, key: &'static str) -> Result<Option<Name>, Box<InputError>> {
    match reader.take(key) {
        None => Ok(None),
        Some(item) => name(reader, key, item).map(Some),
    }
}

fn name_of(reader: &mut Reader<'_>, key: &'static str) -> Result<Name, Box<InputError>> {
    match name_if(reader, key)? {
        Some(name) => Ok(name),
        None => Err(reader.missing(key)),
    }
}

/// One name or an array of them.
fn names_if(
    reader: &mut Reader<'_>,
    key: &'static str,
) -> Result<Option<Vec<Name>>, Box<InputError>> {
    match reader.take(key) {
        None => Ok(None),
        Some(Item {
            value: Value::List(items),
            line,
            raw,
        }) => match items.is_empty() {
            // An array without names would select nothing.
            true => {
                let value = Value::List(items);
                let item = Item { line, raw, value };
                Err(reader.wrong(key, &item, "the array is empty".into(), "Name at least one"))
            }
            false => {
                let all = items.into_iter().map(|item| name(reader, key, item));
                all.collect::<Result<_, _>>().map(Some)
            }
        },
        Some(item) => Ok(Some(vec![name(reader, key, item)?])),
    }
}

/// Two names.
fn between(reader: &mut Reader<'_>) -> Result<[Name; 2], Box<InputError>> {
    const KEY: &str = "between";
    let Some(item) = reader.take(KEY) else {
        return Err(reader.missing(KEY));
    };
    match &item.value {
        Value::List(items) if items.len() == 2 => Ok([
            name(reader, KEY, items[0].clone())?,
            name(reader, KEY, items[1].clone())?,
        ]),
        _ => Err(reader.expected(KEY, &item, "an array of two names", "")),
    }
}

/// One of a few keywords; the first one where the key is missing.
fn choice<T: Copy>(
    reader: &mut Reader<'_>,
    key: &'static str,
    words: &[(&str, T)],
) -> Result<T, Box<InputError>> {
    let listed: Vec<String> = words
        .iter()
        .map(|(word, _)| format!("\"{word}\""))
        .collect();
    let listed = listed.join(", ");
    match reader.take(key) {
        None => Ok(words[0].1),
        Some(item) => match &item.value {
            // An unknown word is answered with the nearest known one.
            Value::Text(text) => match words.iter().find(|(word, _)| word == text) {
                Some((_, value)) => Ok(*value),
                None => {
                    let known: Vec<String> = words.iter().map(|(w, _)| w.to_string()).collect();
                    let guess = guess(text, &known);
                    let problem = format!("one of {listed} was expected{guess}");
                    Err(reader.wrong(key, &item, problem, ""))
                }
            },
            _ => Err(reader.expected(key, &item, &format!("one of {listed}"), "")),
        },
    }
}

/// The nearest known word, as the end of a message.
pub(super) fn guess(word: &str, known: &[String]) -> String {
    match percuss_expr::similar_names(word, known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    }
}
