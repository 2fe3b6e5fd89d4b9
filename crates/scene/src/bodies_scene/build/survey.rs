//! Profiles and distributions with their numbers evaluated.

use std::f64::consts::{FRAC_PI_2, PI};

use super::super::SceneNames;
use super::context::{Context, at};
use crate::bodies_scene::{Distribution, NameTable, Profile};
use crate::file::Scene;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::Name;
use percuss_input::tables::{DistributionQuantity, DistributionSpec, ProfileSpec};
use percuss_input::{Formula, InputError};

/// Default number of bins.
const BINS: usize = 40;

/// Adds the profiles and distributions of a scene to its names.
pub(super) fn add(
    context: &mut Context<'_>,
    scene: &Scene,
    spec: &BodiesSpec,
    cast: &mut SceneNames,
    span: (f64, f64),
) -> Result<(), Box<InputError>> {
    // Names are shared with plots and pictures and must be unique.
    let surveys = spec.profiles.iter().map(|p| ("profile", &p.name, p.line));
    let counts = spec.distributions.iter();
    let counts = counts.map(|d| ("distribution", &d.name, d.line));
    let mut taken: Vec<&String> = scene.plots().iter().map(|p| &p.name).collect();
    taken.extend(spec.pictures.iter().map(|p| &p.name));
    for (word, name, line) in surveys.chain(counts) {
        if taken.contains(&name) {
            let problem = format!("there is another plot, picture or survey `{name}`");
            let part = format!("{word} `{name}`");
            return Err(context.part_error(&part, line, problem, "Rename one of them"));
        }
        taken.push(name);
    }
    for profile in &spec.profiles {
        let profile = self::profile(context, profile, cast, span, spec.dimension)?;
        cast.profiles.push(profile);
    }
    for distribution in &spec.distributions {
        let counted = self::distribution(context, distribution, cast, span, spec.dimension)?;
        cast.distributions.push(counted);
    }
    Ok(())
}

/// An interval of time within the run.
fn times(
    context: &mut Context<'_>,
    part: &str,
    given: [&Option<Formula>; 2],
    span: (f64, f64),
) -> Result<(f64, f64), Box<InputError>> {
    let [from, to] = given;
    // Defaults: start and end of the run.
    let begin = match from {
        Some(formula) => context.number(at(part, "from"), formula)?,
        None => span.0,
    };
    let end = match to {
        Some(formula) => context.number(at(part, "to"), formula)?,
        None => span.1,
    };
    if let Some(culprit) = from.as_ref().or(to.as_ref())
        && !(begin < end && begin < span.1)
    {
        let key = if from.is_some() { "from" } else { "to" };
        let problem = format!(
            "the span from {begin} to {end} holds nothing of the run, which goes from {} to {}",
            span.0, span.1
        );
        return Err(context.wrong(at(part, key), culprit, problem, ""));
    }
    Ok((begin, end))
}

fn profile(
    context: &mut Context<'_>,
    spec: &ProfileSpec,
    cast: &SceneNames,
    span: (f64, f64),
    dimension: usize,
) -> Result<Profile, Box<InputError>> {
    let part = format!("profile `{}`", spec.name);
    let (from, to) = times(context, &part, [&spec.from, &spec.to], span)?;
    // The region must have slices; its first one has the suffix `_1`.
    let first = format!("{}_1", spec.region.text);
    let region = cast.regions.iter().find(|region| region.name == first);
    let Some((region, (_, count, axis))) = region.and_then(|r| Some((r, r.slice?))) else {
        let sliced = cast.regions.iter().filter(|r| r.slice.is_some());
        let known = sliced.filter_map(|r| r.name.strip_suffix("_1"));
        let known: Vec<String> = known.map(String::from).collect();
        let mut known = known.into_iter();
        let place = at(&part, "region");
        return Err(context.unknown(place, &spec.region, "region with slices", &mut known));
    };
    // Edges of the slices at the start of the averaging.
    let (low, high) = (&region.low[axis], &region.high[axis]);
    let begin = context.at_time(at(&part, "region"), low, from)?;
    let end = context.at_time(at(&part, "region"), high, from)?;
    let edge = |k: usize| begin + (end - begin) * (k as f64 / count as f64);
    let profile = Profile {
        name: spec.name.clone(),
        region: spec.region.text.clone(),
        axis,
        edges: (0..=count).map(edge).collect(),
        quantity: spec.quantity.iter().map(|word| word.text.clone()).collect(),
        from,
        to,
    };
    for word in &spec.quantity {
        known_word(context, &part, word, &first, cast, dimension)?;
    }
    Ok(profile)
}

/// Checks that an observable of this name exists for a slice.
fn known_word(
    context: &Context<'_>,
    part: &str,
    word: &Name,
    slice: &str,
    cast: &SceneNames,
    dimension: usize,
) -> Result<(), Box<InputError>> {
    let glossary = NameTable {
        names: cast,
        dimension,
        parameters: &[],
        start: 0.0,
    };
    match glossary.meanings(&format!("{}_{slice}", word.text)).len() {
        1 => Ok(()),
        _ => {
            let [_, of_sets, _] = crate::bodies_scene::words(dimension);
            let place = at(part, "quantity");
            let word_of = "measure of regions";
            Err(context.unknown(place, word, word_of, &mut of_sets.into_iter()))
        }
    }
}

fn distribution(
    context: &mut Context<'_>,
    spec: &DistributionSpec,
    cast: &SceneNames,
    span: (f64, f64),
    dimension: usize,
) -> Result<Distribution, Box<InputError>> {
    let part = format!("distribution `{}`", spec.name);
    // The set must be a group or a region.
    let groups = cast.groups.iter().map(|(name, _)| name);
    let sets: Vec<&String> = groups.chain(cast.regions.iter().map(|r| &r.name)).collect();
    if !sets.contains(&&spec.of.text) {
        let mut known = sets.into_iter().cloned();
        return Err(context.unknown(at(&part, "of"), &spec.of, "group or region", &mut known));
    }
    let (from, to) = times(context, &part, [&spec.from, &spec.to], span)?;
    // Bounds and bins, given or default.
    let (default, bins) = usual(spec.quantity, dimension);
    let mut bound = |key, given: &Option<Formula>, usual: Option<f64>| match (given, usual) {
        (Some(formula), _) => context.number(at(&part, key), formula),
        (None, Some(usual)) => Ok(usual),
        (None, None) => {
            let problem = format!("the key `{key}` is missing: sizes have no usual bounds");
            Err(context.part_error(&part, spec.line, problem, ""))
        }
    };
    let low = bound("low", &spec.low, default.map(|d| d.0))?;
    let high = bound("high", &spec.high, default.map(|d| d.1))?;
    if !(low < high) {
        let problem = format!("from {low} to {high} there is nothing");
        let culprit = spec.high.as_ref().or(spec.low.as_ref());
        return Err(match culprit {
            Some(formula) => context.wrong(
                at(&part, "high"),
                formula,
                problem,
                "`low` must be below `high`",
            ),
            None => context.part_error(&part, spec.line, problem, ""),
        });
    }
    Ok(Distribution {
        name: spec.name.clone(),
        of: spec.of.text.clone(),
        quantity: spec.quantity,
        low,
        high,
        bins: spec.bins.unwrap_or(bins),
        from,
        to,
    })
}

/// Default bounds and number of bins.
fn usual(quantity: DistributionQuantity, dimension: usize) -> (Option<(f64, f64)>, usize) {
    match quantity {
        DistributionQuantity::NormalForce => (Some((0.0, 8.0)), BINS),
        DistributionQuantity::Mobilised => (Some((0.0, 1.0)), BINS),
        DistributionQuantity::ContactAngle if dimension == 2 => (Some((0.0, PI)), 36),
        DistributionQuantity::ContactAngle => (Some((0.0, FRAC_PI_2)), 18),
        DistributionQuantity::Size => (None, BINS),
        // One bin for each chain length from 2 to 20.
        DistributionQuantity::ChainLength => (Some((1.5, 20.5)), 19),
    }
}
