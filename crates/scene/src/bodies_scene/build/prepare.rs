//! Preparations: stages computed before the run, each with its own parameters and freedoms.

use percuss_bodies::{Freedom, Settings};

use super::super::Preparation;
use super::body_table::BodyTable;
use super::conditions::Conditions;
use super::context::{Context, at};
use super::scene_dim::SceneDim;
use super::settings;
use crate::error::SceneError;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::{FreedomSpec, Name, PrepareSpec};
use percuss_input::{InputError, Parameters};

fn part(prepare: &PrepareSpec) -> String {
    format!("prepare `{}`", prepare.name)
}

/// For each body of `[[body]]` the bit mask of velocity components that follow forces in the run or in some
/// preparation.
pub(super) fn masks(context: &Context<'_>, spec: &BodiesSpec) -> Result<Vec<u8>, Box<InputError>> {
    let of_run = spec.bodies.iter().map(|body| match &body.freedom {
        FreedomSpec::Free => u8::MAX,
        FreedomSpec::Only(mask) => *mask,
        FreedomSpec::Fixed | FreedomSpec::Motion(_) => 0,
    });
    // Components freed by preparations are added to those of the run.
    let mut masks: Vec<u8> = of_run.collect();
    for prepare in &spec.prepare {
        for (name, mask) in &prepare.free {
            let found = spec.bodies.iter().position(|body| body.name == name.text);
            let Some(found) = found else {
                let part = part(prepare);
                let mut known = spec.bodies.iter().map(|body| body.name.clone());
                return Err(context.unknown(at(&part, "free"), name, "body", &mut known));
            };
            masks[found] |= mask;
        }
    }
    Ok(masks)
}

/// Makes all preparations.
pub(super) fn preparations<D: SceneDim>(
    context: &Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
    conditions: &Conditions<'_>,
    run: &Settings,
) -> Result<Vec<Preparation<D>>, SceneError> {
    let mut all = Vec::new();
    for prepare in &spec.prepare {
        let part = part(prepare);
        // The context with the parameters of this stage.
        let mut own = Context {
            file: context.file,
            parameters: changed(context, &part, spec, prepare)?,
            sources: context.sources,
        };
        let (until, settings) = settings::of_preparation(&mut own, &part, prepare, run)?;
        let freedoms = freedoms(context, &part, prepare, roster)?;
        all.push(Preparation {
            name: prepare.name.clone(),
            // The time of a stage begins at 0.
            model: conditions.model(&mut own, roster, &freedoms, 0.0)?,
            settings,
            until,
            stop: prepare.stop.clone(),
            must: prepare.must,
            rest: prepare.rest,
            parameters: own.parameters.values,
        });
    }
    Ok(all)
}

/// The parameters with those that the preparation sets.
fn changed(
    context: &Context<'_>,
    part: &str,
    spec: &BodiesSpec,
    prepare: &PrepareSpec,
) -> Result<Parameters, Box<InputError>> {
    let mut named = spec.parameters.clone();
    let part = format!("{part}, set");
    for set in &prepare.set {
        let Some(known) = named.iter_mut().find(|known| known.name == set.name) else {
            let name = Name {
                text: set.name.clone(),
                origin: set.formula.origin.clone(),
            };
            let mut known = spec.parameters.iter().map(|known| known.name.clone());
            return Err(context.unknown(at(&part, &set.name), &name, "parameter", &mut known));
        };
        known.formula = set.formula.clone();
    }
    Parameters::resolve(context.file, &named)
}

/// The freedom of each body during a preparation: `free` and `fixed` applied.
fn freedoms<D: SceneDim>(
    context: &Context<'_>,
    part: &str,
    prepare: &PrepareSpec,
    roster: &BodyTable<D>,
) -> Result<Vec<Freedom>, Box<InputError>> {
    let mut freedoms: Vec<Freedom> = roster.bodies.iter().map(|body| body.freedom).collect();
    // Fixed and kinematic bodies that follow forces in this stage.
    for (name, mask) in &prepare.free {
        let body = roster.body(context, at(part, "free"), name)? as usize;
        if freedoms[body].movable() {
            let problem = format!("`{}` follows forces already", name.text);
            let advice = "`free` is for bodies that are fixed or whose motion is given";
            return Err(context.wrong(at(part, "free"), name, problem, advice));
        }
        freedoms[body] = Freedom::Partial(*mask);
    }
    // Bodies that are fixed in this stage.
    for name in &prepare.fixed {
        let place = at(part, "fixed");
        for body in roster.members(context, place, name)? {
            if prepare
                .free
                .iter()
                .any(|(free, _)| *free.text == roster.names[body as usize])
            {
                let problem = format!("`{}` is freed and fixed", roster.names[body as usize]);
                return Err(context.wrong(place, name, problem, "Keep one of them"));
            }
            if freedoms[body as usize] == Freedom::Fixed {
                let named = &roster.names[body as usize];
                let problem = format!("`{named}` is fixed already");
                return Err(context.wrong(place, name, problem, "Drop it"));
            }
            freedoms[body as usize] = Freedom::Fixed;
        }
    }
    Ok(freedoms)
}
