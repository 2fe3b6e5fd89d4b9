//! Impact laws of a scene: e(q, v) of the canonical law, the map F(q, v⁻), stiffness and exponent of the LZB law.

use percuss_expr::{Graph, NodeId};
use percuss_mechanism::{ImpactLaw, SystemError};

use super::constraints::Collector;
use super::unit::{Inputs, Unit, Values};
use crate::file::Scene;
use percuss_input::tables::MechanismSpec;
use percuss_input::{Formula, InputError, Origin, value_error};

const PART: &str = "[impact]";

/// Everything that `[impact]` says beyond the name of the law.
#[derive(Debug, Clone, Default)]
pub(super) struct ImpactPrograms {
    /// e(q, v) of the canonical law (B02 1.13).
    pub canonical: Option<Values>,
    /// F(q, v⁻) (B02 1.10).
    pub map: Option<ImpactMap>,
    /// K of each constraint; 1 where none is given.
    pub stiffness: Vec<Option<Values>>,
    /// η.
    pub exponent: Option<Values>,
}

/// v⁺ = F(q, v⁻) as a program with a further input for each contact, 1 where it is closed.
#[derive(Debug, Clone)]
pub(super) struct ImpactMap {
    unit: Unit,
    /// Slot of the input `closed_C` by constraint; `None` where it does not occur.
    closed: Vec<Option<usize>>,
    values: Vec<f64>,
}

impl ImpactMap {
    /// F at the state in `inputs`, where the contacts `closed` take part.
    pub fn at(&mut self, inputs: &Inputs, closed: &[usize]) -> Result<&[f64], SystemError> {
        self.values[..inputs.values.len()].copy_from_slice(&inputs.values);
        for (constraint, slot) in self.closed.iter().enumerate() {
            if let Some(slot) = slot {
                self.values[*slot] = f64::from(u8::from(closed.contains(&constraint)));
            }
        }
        self.unit.run_with(&self.values, inputs)
    }
}

/// Compiles all of `[impact]` and the stiffness of contacts, and refuses what no law of the scene uses.
pub(super) fn programs(
    collector: &mut Collector<'_>,
    scene: &Scene,
    mechanism: &MechanismSpec,
    law: ImpactLaw,
) -> Result<ImpactPrograms, Box<InputError>> {
    let mut programs = ImpactPrograms {
        canonical: canonical(collector, mechanism, law)?,
        ..ImpactPrograms::default()
    };
    let run = &mechanism.run;
    // A law that is chosen by `--set`, a case or a study leaves the keys of others unused without an error.
    let used = |word: &str| uses(scene, mechanism, word);
    let useless = |key: &str, part: &str, formula: &Formula, word: &str| {
        let problem = format!("`{key}` does nothing with the {} law", law.name());
        let advice = format!("Add [impact] law = \"{word}\", or drop it");
        value_error(collector.file, part, key, formula, problem, &advice)
    };
    if let Some((name, formulas)) = run.velocity.first()
        && !used("map")
    {
        return Err(useless(name, "[impact.velocity]", &formulas[0], "map"));
    }
    if let Some(formula) = &run.exponent
        && !used("lzb")
    {
        return Err(useless("exponent", PART, formula, "lzb"));
    }
    for spec in &mechanism.contacts {
        if let Some(formula) = &spec.stiffness
            && !used("lzb")
        {
            let part = format!("contact `{}`", spec.name);
            return Err(useless("stiffness", &part, formula, "lzb"));
        }
    }
    // The map is needed where it is the law.
    if let (ImpactLaw::Map, true, Some(word)) = (law, run.velocity.is_empty(), &run.law) {
        let problem = "the map F(q, v-) is missing: [impact.velocity] was expected, with the velocity after \
                       an impact for each coordinate that it changes";
        return Err(value_error(collector.file, PART, "law", word, problem, ""));
    }
    if !run.velocity.is_empty() {
        programs.map = Some(map(collector, mechanism)?);
    }
    for spec in &mechanism.contacts {
        let stiffness = match &spec.stiffness {
            None => None,
            Some(formula) => Some(stiffness(collector, &spec.name, formula)?),
        };
        programs.stiffness.push(stiffness);
    }
    if let Some(formula) = &run.exponent {
        programs.exponent = Some(exponent(collector, formula)?);
    }
    Ok(programs)
}

/// Whether the scene uses a law: by itself, by an override, or in a case or a study.
fn uses(scene: &Scene, mechanism: &MechanismSpec, word: &str) -> bool {
    let own = mechanism.run.law.as_ref();
    if own.is_some_and(|law| law.origin == Origin::Override || law.text == word) {
        return true;
    }
    let sets = |set: &[(String, String)]| {
        let law = |key: &str| key == "law" || key == "impact.law";
        set.iter().any(|(key, value)| law(key) && value == word)
    };
    scene.cases().iter().any(|case| sets(&case.set))
        || scene.studies().iter().any(|study| {
            sets(&study.set) || study.vary.iter().any(|axis| axis.key.ends_with("law"))
        })
}

/// e(q, v) of the canonical impact law (B02).
fn canonical(
    collector: &mut Collector<'_>,
    mechanism: &MechanismSpec,
    law: ImpactLaw,
) -> Result<Option<Values>, Box<InputError>> {
    let run = &mechanism.run;
    let Some(formula) = &run.restitution else {
        return Ok(None);
    };
    // Whether the law was chosen by an override.
    let overridden = run
        .law
        .as_ref()
        .is_some_and(|law| law.origin == Origin::Override);
    // An overridden law leaves `restitution` unused without an error.
    if law != ImpactLaw::Canonical && !overridden {
        let problem = format!("`restitution` does nothing with the {} law", law.name());
        let advice = "Add `law = \"canonical\"`, or give the restitution to the contacts";
        let file = collector.file;
        return Err(value_error(
            file,
            PART,
            "restitution",
            formula,
            problem,
            advice,
        ));
    }
    // e may depend on the state; a constant one is checked here.
    let node = collector.parse(PART, "restitution", formula)?;
    collector.require_admissible(PART, "restitution", formula, node)?;
    let label = "the restitution of the canonical law".to_string();
    Ok(Some(Values::compile(
        &collector.names.graph,
        vec![(label, node)],
    )))
}

/// F(q, v⁻): a velocity that is not given stays as it is.
fn map(
    collector: &mut Collector<'_>,
    mechanism: &MechanismSpec,
) -> Result<ImpactMap, Box<InputError>> {
    const MAP: &str = "[impact.velocity]";
    // `closed_C` is an input of these expressions alone.
    let mut scope = collector.names.scope.clone();
    let mut slots = vec![None; collector.constraints.len()];
    for (slot, spec) in slots.iter_mut().zip(&mechanism.contacts) {
        let name = format!("closed_{}", spec.name);
        let graph = &mut collector.names.graph;
        let node = scope.input(graph, &name).map_err(|error| {
            Box::new(InputError {
                file: collector.file.to_string(),
                origin: Origin::Line(spec.line),
                part: MAP.to_string(),
                key: String::new(),
                value: String::new(),
                problem: format!(
                    "{}: `{name}` says here whether the contact is closed",
                    error.kind()
                ),
                advice: "Rename the contact or whatever else has this name".to_string(),
            })
        })?;
        *slot = graph.input_slot(node);
    }
    let own = std::mem::replace(&mut collector.names.scope, scope);
    let outputs = outcome(collector, mechanism, MAP);
    collector.names.scope = own;
    let outputs = outputs?;
    // Inputs that do not occur need no place.
    let graph = &collector.names.graph;
    let mut size = collector.names.inputs.len();
    let occurs = |slot: &usize| {
        let mut nodes = outputs.iter();
        nodes.any(|(_, node)| graph.inputs_of(*node).binary_search(slot).is_ok())
    };
    for slot in &mut slots {
        *slot = slot.filter(occurs);
        size = size.max(slot.map_or(0, |slot| slot + 1));
    }
    Ok(ImpactMap {
        unit: Unit::compile(graph, outputs),
        closed: slots,
        values: vec![0.0; size],
    })
}

/// v⁺ by velocity, in the order of the coordinates.
fn outcome(
    collector: &mut Collector<'_>,
    mechanism: &MechanismSpec,
    part: &str,
) -> Result<Vec<(String, NodeId)>, Box<InputError>> {
    let velocities = collector.names.coordinates.velocities().to_vec();
    let mut outputs = Vec::new();
    for coordinate in &mechanism.coordinates {
        let given = mechanism.run.velocity.iter();
        let given = given.clone().find(|(name, _)| *name == coordinate.name);
        for k in 0..coordinate.kind.num_velocities() {
            let label = format!("the velocity after the impact of `{}`", coordinate.name);
            let node = match given {
                None => velocities[outputs.len()],
                Some((name, formulas)) => collector.parse(part, name, &formulas[k])?,
            };
            outputs.push((label, node));
        }
    }
    Ok(outputs)
}

/// K of a contact, positive.
fn stiffness(
    collector: &mut Collector<'_>,
    name: &str,
    formula: &Formula,
) -> Result<Values, Box<InputError>> {
    let part = format!("contact `{name}`");
    let node = collector.parse(&part, "stiffness", formula)?;
    require(
        collector,
        (&part, "stiffness"),
        formula,
        node,
        |k| k > 0.0,
        "a positive number",
    )?;
    let label = format!("the stiffness of `{name}`");
    Ok(Values::compile(&collector.names.graph, vec![(label, node)]))
}

/// η, constant.
fn exponent(collector: &mut Collector<'_>, formula: &Formula) -> Result<Values, Box<InputError>> {
    let node = collector.parse(PART, "exponent", formula)?;
    if !collector.names.graph.inputs_of(node).is_empty() {
        let problem =
            "it depends on the state; a number or an expression in the parameters was expected";
        return Err(value_error(
            collector.file,
            PART,
            "exponent",
            formula,
            problem,
            "",
        ));
    }
    let range = |x: f64| (1.0..=10.0).contains(&x);
    require(
        collector,
        (PART, "exponent"),
        formula,
        node,
        range,
        "a number from 1 to 10",
    )?;
    let label = "the exponent of the contact forces".to_string();
    Ok(Values::compile(&collector.names.graph, vec![(label, node)]))
}

/// Requires a constant value to be in a range; one that depends on the state is checked where it is used.
fn require(
    collector: &Collector<'_>,
    (part, key): (&str, &str),
    formula: &Formula,
    node: NodeId,
    range: impl Fn(f64) -> bool,
    expected: &str,
) -> Result<(), Box<InputError>> {
    let graph: &Graph = &collector.names.graph;
    if !graph.inputs_of(node).is_empty() {
        return Ok(());
    }
    let value = graph.evaluate(node, &[]).unwrap_or(f64::NAN);
    match range(value) {
        true => Ok(()),
        false => {
            let problem = format!("the value is {value}; {expected} was expected");
            Err(value_error(collector.file, part, key, formula, problem, ""))
        }
    }
}
