//! Ambiguous names of observables.
//!
//! `B_x` of a body, `count_G` of a group or region, `gap_W` of a watch: with unlucky names two of them
//! are the same word. Names are checked only where that can happen, as there may be a million.

use super::super::SceneNames;
use super::context::{Context, at};
use crate::bodies_scene::{NameTable, words};
use percuss_input::InputError;
use percuss_input::tables::bodies::BodiesSpec;

/// Refuses names that make an observable ambiguous.
pub(super) fn require_distinct(
    context: &Context<'_>,
    spec: &BodiesSpec,
    cast: &SceneNames,
) -> Result<(), Box<InputError>> {
    let glossary = NameTable {
        names: cast,
        dimension: spec.dimension,
        parameters: &[],
        start: 0.0,
    };
    // Parameters may not have the name of an observable.
    for named in &spec.parameters {
        if let Some(meaning) = glossary.meanings(&named.name).first() {
            let problem = format!("this is also an observable, {meaning}");
            let place = at("[parameters]", &named.name);
            return Err(context.wrong(place, &named.formula, problem, "Rename one of them"));
        }
    }
    // Observables with two meanings.
    for (part, line, names) in suspects(spec) {
        let meanings = |name: &String| (name.clone(), glossary.meanings(name));
        let twice = names.iter().map(meanings).find(|(_, all)| all.len() > 1);
        if let Some((name, meanings)) = twice {
            let problem = format!(
                "`{name}` would have two meanings: {}, and {}",
                meanings[0], meanings[1]
            );
            return Err(context.part_error(&part, line, problem, "Rename one of them"));
        }
    }
    Ok(())
}

/// A part, its line, and the observables of it that another part may have as well.
type Suspect = (String, usize, Vec<String>);

fn suspects(spec: &BodiesSpec) -> Vec<Suspect> {
    let [of_body, of_set, of_watch] = words(spec.dimension);
    let mut all = Vec::new();
    // `a_force` and `x` against `a` and `force_x`: words of two parts.
    let heads: Vec<(String, &str)> = of_body
        .iter()
        .filter_map(|word| word.split_once('_'))
        .filter(|(_, tail)| of_body.iter().any(|word| word == tail))
        .map(|(head, tail)| (format!("_{head}"), tail))
        .collect();
    for body in &spec.bodies {
        let tails = heads.iter().filter(|(head, _)| body.name.ends_with(head));
        let names = tails.map(|(_, tail)| format!("{}_{tail}", body.name));
        all.push((body.part(), body.line, names.collect()));
    }
    // `gap_x` of the watch `x` against `x` of the body `gap`.
    let ends_as_body = |name: &str| {
        let mut words = of_body.iter();
        words.any(|word| name == word || name.ends_with(&format!("_{word}")))
    };
    let mut add = |part: String, line, name: &str, words: &[String]| {
        if ends_as_body(name) {
            let names = words.iter().map(|word| format!("{word}_{name}"));
            all.push((part, line, names.collect()));
        }
    };
    for watch in &spec.watches {
        add(
            format!("watch `{}`", watch.name),
            watch.line,
            &watch.name,
            &of_watch,
        );
    }
    for group in &spec.groups {
        add(
            format!("group `{}`", group.name),
            group.line,
            &group.name,
            &of_set,
        );
    }
    for many in &spec.generators {
        add(many.part(), many.line, &many.name, &of_set);
    }
    for region in &spec.regions {
        // Slices end with a number, as no word does.
        if region.slices.is_none() {
            let part = format!("region `{}`", region.name);
            add(part, region.line, &region.name, &of_set);
        }
    }
    all
}
