//! Settings of a sweeping process: method, metric, jumps and kinks, retraction.

use percuss_expr::lagrange::Coordinates;
use percuss_expr::{Graph, NodeId};
use percuss_mechanism::State;
use percuss_sweep::apps::crowd::Room;
use percuss_sweep::{Method, StartPolicy};

use super::SymbolicSystem;
use super::observable::of_time;
use crate::file::{CROWD_KEYS as KEYS, Formula, MechanismRunSpec, SweepSpec, value_error};
use percuss_input::InputError;

/// Settings of a sweeping process.
#[derive(Debug, Clone)]
pub struct SweepingSettings {
    /// The scheme.
    pub method: Method,
    /// Treatment of a start outside of the set.
    pub start: StartPolicy,
    /// Empty for the Euclidean metric, n or n² entries otherwise.
    pub metric: Vec<f64>,
    /// Instants at which the set jumps.
    pub jumps: Vec<f64>,
    /// Instants at which the motion of the set has a kink.
    pub kinks: Vec<f64>,
    /// The retraction function r(t), where the scene states one.
    pub retraction: Option<String>,
    /// Whether all functions are affine with constant gradients.
    pub affine: bool,
    /// Room and initial positions of a crowd.
    pub room: Option<(Room, Vec<f64>)>,
}

impl SweepingSettings {
    /// The name of the method in the manifest.
    pub fn integrator(&self) -> &'static str {
        match self.method {
            Method::CatchingUp => "catching-up",
            Method::Trapezoidal => "trapezoidal",
            Method::Theta(_) => "theta",
            Method::Regularised(_) => "regularised",
            Method::EventDriven => "event",
        }
    }
}

/// `[run]` without the keys that only sweeping processes or only mechanisms have.
pub fn plain_run(file: &str, run: &MechanismRunSpec) -> Result<MechanismRunSpec, Box<InputError>> {
    // Keys of impact laws and corrections.
    let map = run
        .velocity
        .first()
        .map(|(_, formulas)| formulas[0].clone());
    let useless = [
        ("forces", &run.forces),
        ("correction", &run.correction),
        ("law", &run.law),
        ("restitution", &run.restitution),
        ("exponent", &run.exponent),
        ("velocity", &map),
    ];
    for (key, given) in useless {
        if let Some(formula) = given {
            let problem = format!("`{key}` means nothing in a sweeping process");
            return Err(value_error(file, "[run]", key, formula, problem, "Drop it"));
        }
    }
    Ok(MechanismRunSpec {
        integrator: None,
        theta: None,
        ..run.clone()
    })
}

/// Whether the gradients of these functions are constant.
pub fn affine(
    graph: &mut Graph,
    coordinates: &Coordinates,
    functions: &[(String, NodeId)],
) -> bool {
    let n = coordinates.dimension();
    functions.iter().all(|(_, node)| {
        // Constant gradients along every coordinate.
        (0..n).all(|j| {
            let slope = coordinates.derivative_along(graph, *node, j);
            graph.inputs_of(slope).is_empty()
        })
    })
}

/// Evaluates an expression in the parameters: part, key, expression.
type Numbers<'a> = &'a mut dyn FnMut(&str, &str, &Formula) -> Result<f64, Box<InputError>>;

/// Evaluates all settings of the process.
pub fn sweeping_settings(
    file: &str,
    spec: &SweepSpec,
    run: &MechanismRunSpec,
    affine: bool,
    number: Numbers<'_>,
) -> Result<SweepingSettings, Box<InputError>> {
    const PART: &str = "[process]";
    // Lists of expressions in the parameters.
    let mut list = |key: &str, formulas: &[Formula]| {
        let each = formulas.iter().map(|f| number(PART, key, f));
        each.collect::<Result<Vec<f64>, Box<InputError>>>()
    };
    let (metric, jumps) = (list("metric", &spec.metric)?, list("jumps", &spec.jumps)?);
    let kinks = list("kinks", &spec.kinks)?;
    // Initial point: inside the set, or projected onto it.
    let start = match &spec.start {
        None => StartPolicy::Inside,
        Some(word) if word.text == "inside" => StartPolicy::Inside,
        Some(word) if word.text == "project" => StartPolicy::Project,
        Some(word) => {
            let problem = "\"inside\" or \"project\" was expected";
            return Err(value_error(file, PART, "start", word, problem, ""));
        }
    };
    // Room and positions of a crowd.
    let room = match &spec.crowd {
        None => None,
        Some(crowd) => {
            // Numbers of the room in the order of its keys.
            let mut numbers = Vec::new();
            for (key, formula) in KEYS.iter().zip(&crowd.numbers) {
                numbers.push(number("[crowd]", key, formula)?);
            }
            let people = crowd.people(&numbers);
            // The decisive number may be the door or the room; the message names it.
            let first = &crowd.numbers[0];
            Some(people.map_err(|error| {
                value_error(file, "[crowd]", KEYS[0], first, error.to_string(), "")
            })?)
        }
    };
    Ok(SweepingSettings {
        method: method(file, spec, run, number)?,
        start,
        metric,
        jumps,
        kinks,
        retraction: spec.retraction.as_ref().map(|r| r.text.clone()),
        affine,
        room,
    })
}

/// Completes the initial state with the compiled system: positions of a crowd, a test evaluation of
/// the retraction.
pub fn complete_initial_state(
    file: &str,
    spec: &SweepSpec,
    plan: &SweepingSettings,
    system: &mut SymbolicSystem,
    initial: &mut State,
) -> Result<(), Box<InputError>> {
    // A crowd has its positions from the room.
    if let Some((_, people)) = &plan.room {
        initial.q.clone_from(people);
    }
    let Some(formula) = &spec.retraction else {
        return Ok(());
    };
    let wrong = |problem: String| {
        let advice = "It is an expression in t and the parameters, and never falls";
        value_error(file, "[process]", "retraction", formula, problem, advice)
    };
    // A test evaluation finds errors before the run.
    let compiled = system.observable(&formula.text);
    let mut observable = compiled.map_err(|error| wrong(error.to_string()))?;
    let value = of_time(&mut observable, system, initial.t);
    value.map(|_| ()).map_err(|error| wrong(error.to_string()))
}

/// The method named by `run.integrator`.
fn method(
    file: &str,
    spec: &SweepSpec,
    run: &MechanismRunSpec,
    number: Numbers<'_>,
) -> Result<Method, Box<InputError>> {
    const WORDS: [&str; 5] = [
        "catching-up",
        "trapezoidal",
        "theta",
        "regularised",
        "event",
    ];
    // Catching-up by default.
    let word = run.integrator.as_ref();
    let chosen = word.map_or("catching-up", |word| word.text.as_str());
    let overridden = word.is_some_and(|w| w.origin == percuss_input::Origin::Override);
    // Keys of another method are refused, unless `--set` chose the method.
    let idle = |key: &str, of: &str, given: &Option<Formula>, part: &str| match given {
        Some(formula) if chosen != of && !overridden => {
            let problem = format!("`{key}` does nothing with the integrator \"{chosen}\"");
            let advice = format!("Add `integrator = \"{of}\"` to [run] or drop it");
            Err(value_error(file, part, key, formula, problem, &advice))
        }
        _ => Ok(()),
    };
    idle("theta", "theta", &run.theta, "[run]")?;
    idle("lambda", "regularised", &spec.lambda, "[process]")?;
    match (chosen, word) {
        ("trapezoidal", _) => Ok(Method::Trapezoidal),
        ("event", _) => Ok(Method::EventDriven),
        // θ from ½ (midpoint) to 1 (implicit).
        ("theta", _) => match &run.theta {
            None => Ok(Method::Theta(0.5)),
            Some(formula) => {
                let theta = number("[run]", "theta", formula)?;
                if (0.5..=1.0).contains(&theta) {
                    return Ok(Method::Theta(theta));
                }
                let problem = format!("the value is {theta}; 0.5 to 1 was expected");
                Err(value_error(file, "[run]", "theta", formula, problem, ""))
            }
        },
        ("regularised", Some(word)) => regularised(file, spec, word, number),
        ("catching-up", _) | (_, None) => Ok(Method::CatchingUp),
        (_, Some(word)) => Err(unknown(file, word, &WORDS)),
    }
}

/// The regularised (Moreau–Yosida) flow, which needs its coefficient λ.
fn regularised(
    file: &str,
    spec: &SweepSpec,
    word: &Formula,
    number: Numbers<'_>,
) -> Result<Method, Box<InputError>> {
    let Some(formula) = &spec.lambda else {
        let problem = "the regularised flow needs its penalty coefficient";
        let advice = "Add `lambda` to [process]";
        let error = value_error(file, "[run]", "integrator", word, problem, advice);
        return Err(error);
    };
    let lambda = number("[process]", "lambda", formula)?;
    if lambda > 0.0 {
        return Ok(Method::Regularised(lambda));
    }
    let problem = format!("the value is {lambda}; a positive number was expected");
    let error = value_error(file, "[process]", "lambda", formula, problem, "");
    Err(error)
}

/// The error for an unknown method, with the known ones.
fn unknown(file: &str, word: &Formula, words: &[&str]) -> Box<InputError> {
    let names: Vec<String> = words.iter().map(|w| w.to_string()).collect();
    let guess = match percuss_expr::similar_names(&word.text, &names).first() {
        Some(nearest) => format!("; did you mean \"{nearest}\"?"),
        None => String::new(),
    };
    let listed: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
    let problem = format!("one of {} was expected{guess}", listed.join(", "));
    value_error(file, "[run]", "integrator", word, problem, "")
}
