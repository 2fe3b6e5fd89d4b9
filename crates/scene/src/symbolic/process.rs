//! Settings of a sweeping process: method, metric, jumps and kinks, retraction, prox-regularity.

use percuss_expr::lagrange::Coordinates;
use percuss_expr::{Graph, NodeId};
use percuss_mechanism::State;
use percuss_sweep::apps::crowd::Room;
use percuss_sweep::{Method, RetractionPolicy, StartPolicy, SweepingError};

use super::SymbolicSystem;
use super::observable::of_time;
use percuss_input::tables::{CROWD_KEYS as KEYS, CrowdSpec, MechanismRunSpec, SweepSpec};
use percuss_input::{Formula, InputError, unknown_keyword, value_error};

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
    /// How the retraction is found where it does not.
    pub policy: RetractionPolicy,
    /// λ(t) of the regularised flow, where it depends on time.
    pub penalty: Option<String>,
    /// Declared radius of prox-regularity of a set that need not be convex.
    pub prox_regular: Option<f64>,
    /// Whether all functions are affine in the coordinates: the set is a polyhedron.
    pub affine: bool,
    /// Whether coefficients of affine functions depend on time: the sides of the polyhedron turn.
    pub turning: bool,
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
        ("tangent_cone", &run.tangent_cone),
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

/// How functions depend on the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// Affine with constant gradients.
    Constant,
    /// Affine with gradients that depend on time.
    Turning,
    /// Not affine.
    Curved,
}

/// How these functions depend on the coordinates.
pub fn dependence(
    graph: &mut Graph,
    coordinates: &Coordinates,
    functions: &[(String, NodeId)],
) -> Dependence {
    let n = coordinates.dimension();
    let mut found = Dependence::Constant;
    for (_, node) in functions {
        for j in 0..n {
            let slope = coordinates.derivative_along(graph, *node, j);
            // Time is the first input of every expression.
            match graph.inputs_of(slope).as_slice() {
                [] => {}
                [0] => found = Dependence::Turning,
                _ => return Dependence::Curved,
            }
        }
    }
    found
}

/// Evaluates an expression in the parameters: part, key, expression.
type Numbers<'a> = &'a mut dyn FnMut(&str, &str, &Formula) -> Result<f64, Box<InputError>>;

/// The room of these numbers, in the order of [`KEYS`], and the initial positions.
fn people(crowd: &CrowdSpec, numbers: &[f64]) -> Result<(Room, Vec<f64>), SweepingError> {
    let at = |i: usize| numbers.get(i).copied().unwrap_or(f64::NAN);
    // In the order of the keys.
    let room = Room {
        depth: at(0),
        width: at(1),
        door: at(2),
        radius: at(3),
        speed: at(4),
    };
    let q = room.fill(crowd.columns, crowd.rows, at(5), crowd.seed)?;
    Ok((room, q))
}

/// Evaluates all settings of the process.
pub fn sweeping_settings(
    file: &str,
    spec: &SweepSpec,
    run: &MechanismRunSpec,
    dependence: Dependence,
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
            let people = people(crowd, &numbers);
            // The decisive number may be the door or the room; the message names it.
            let first = &crowd.numbers[0];
            Some(people.map_err(|error| {
                value_error(file, "[crowd]", KEYS[0], first, error.to_string(), "")
            })?)
        }
    };
    let (method, penalty) = method(file, spec, run, number)?;
    // The word `searched`, or an expression.
    let searched = spec.retraction.as_ref().filter(|r| r.text == SEARCHED);
    let policy = match searched {
        Some(_) => RetractionPolicy::Searched,
        None => RetractionPolicy::Known,
    };
    let stated = spec.retraction.as_ref().filter(|_| searched.is_none());
    Ok(SweepingSettings {
        prox_regular: prox_regular(file, spec, method, dependence, number)?,
        method,
        penalty,
        policy,
        start,
        metric,
        jumps,
        kinks,
        retraction: stated.map(|r| r.text.clone()),
        affine: dependence != Dependence::Curved,
        turning: dependence == Dependence::Turning,
        room,
    })
}

/// The value of `retraction` that asks for a search.
const SEARCHED: &str = "searched";

/// The declared radius of prox-regularity.
fn prox_regular(
    file: &str,
    spec: &SweepSpec,
    method: Method,
    dependence: Dependence,
    number: Numbers<'_>,
) -> Result<Option<f64>, Box<InputError>> {
    const PART: &str = "[process]";
    let Some(formula) = &spec.prox_regular else {
        return Ok(None);
    };
    let wrong = |problem: String, advice: &str| {
        Err(value_error(
            file,
            PART,
            "prox_regular",
            formula,
            problem,
            advice,
        ))
    };
    let radius = number(PART, "prox_regular", formula)?;
    if !(radius > 0.0 && radius.is_finite()) {
        return wrong(
            format!("the value is {radius}; a positive length was expected"),
            "It is the distance from the set within which nearest points are unique",
        );
    }
    if dependence != Dependence::Curved {
        let problem = "all gaps are linear in the coordinates: the set is convex as it is";
        return wrong(problem.to_string(), "Drop it");
    }
    // The others project points that are not near the set, or end outside of it.
    if matches!(method, Method::Theta(_) | Method::Regularised(_)) {
        let problem = "the integrators \"theta\" and \"regularised\" leave the set, which must be convex for them";
        return wrong(
            problem.to_string(),
            "Use \"catching-up\", \"trapezoidal\" or \"event\", or drop it",
        );
    }
    Ok(Some(radius))
}

/// Completes the initial state with the compiled system: positions of a crowd, test evaluations of
/// the retraction and of λ(t).
pub fn complete_initial_state(
    file: &str,
    spec: &SweepSpec,
    plan: &mut SweepingSettings,
    system: &mut SymbolicSystem,
    initial: &mut State,
) -> Result<(), Box<InputError>> {
    // A crowd has its positions from the room.
    if let Some((_, people)) = &plan.room {
        initial.q.clone_from(people);
    }
    if let (Some(text), Some(formula)) = (&plan.penalty, &spec.lambda) {
        let wrong = |problem: String| {
            let advice = "It is an expression in t and the parameters, and positive";
            value_error(file, "[process]", "lambda", formula, problem, advice)
        };
        let compiled = system.observable(text);
        let mut observable = compiled.map_err(|error| wrong(error.to_string()))?;
        let value = of_time(&mut observable, system, initial.t);
        let value = value.map_err(|error| wrong(error.to_string()))?;
        if !(value > 0.0) {
            return Err(wrong(format!("the value at the start is {value}")));
        }
        plan.method = Method::Regularised(value);
    }
    let Some(formula) = spec
        .retraction
        .as_ref()
        .filter(|_| plan.retraction.is_some())
    else {
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
) -> Result<(Method, Option<String>), Box<InputError>> {
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
        ("trapezoidal", _) => Ok((Method::Trapezoidal, None)),
        ("event", _) => Ok((Method::EventDriven, None)),
        // θ from ½ (midpoint) over 1 (implicit) to what lies after the step.
        ("theta", _) => match &run.theta {
            None => Ok((Method::Theta(0.5), None)),
            Some(formula) => {
                let theta = number("[run]", "theta", formula)?;
                if theta >= 0.5 && theta.is_finite() {
                    return Ok((Method::Theta(theta), None));
                }
                let problem = format!("the value is {theta}; 0.5 or more was expected");
                let advice = "Below 0.5 errors grow from step to step";
                Err(value_error(
                    file, "[run]", "theta", formula, problem, advice,
                ))
            }
        },
        ("regularised", Some(word)) => regularised(file, spec, word, number),
        ("catching-up", _) | (_, None) => Ok((Method::CatchingUp, None)),
        (_, Some(word)) => Err(unknown(file, word, &WORDS)),
    }
}

/// The regularised (Moreau–Yosida) flow, which needs its coefficient λ.
fn regularised(
    file: &str,
    spec: &SweepSpec,
    word: &Formula,
    number: Numbers<'_>,
) -> Result<(Method, Option<String>), Box<InputError>> {
    let Some(formula) = &spec.lambda else {
        let problem = "the regularised flow needs its penalty coefficient";
        let advice = "Add `lambda` to [process]";
        let error = value_error(file, "[run]", "integrator", word, problem, advice);
        return Err(error);
    };
    // A function of time is evaluated when the system is compiled; 1 stands for it until then.
    if mentions_time(&formula.text) {
        return Ok((Method::Regularised(1.0), Some(formula.text.clone())));
    }
    let lambda = number("[process]", "lambda", formula)?;
    if lambda > 0.0 {
        return Ok((Method::Regularised(lambda), None));
    }
    let problem = format!("the value is {lambda}; a positive number was expected");
    let error = value_error(file, "[process]", "lambda", formula, problem, "");
    Err(error)
}

/// Whether the name `t` occurs in an expression.
fn mentions_time(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.into_iter().any(|word| word == "t")
}

/// The error for an unknown method, with the known ones.
fn unknown(file: &str, word: &Formula, words: &[&str]) -> Box<InputError> {
    let problem = unknown_keyword(&word.text, words);
    value_error(file, "[run]", "integrator", word, problem, "")
}
