//! Comparison of percuss with Rapier and Box2D: same scenes, same step, same evaluation, one process.
//!
//! An engine runs a scene several times; the time of a step is the minimum over the runs, which are identical
//! to the bit, and the mean over the measured steps is reported. Penetrations, energies and residuals are
//! computed outside the timed part from the states alone.

use serde_json::{Value, json};

use crate::clock::{Progress, thread_seconds};
use crate::engine::Engine;
use crate::engine::box2d::Box2d;
use crate::engine::percuss::{Choice, Percuss, settled};
use crate::engine::rapier::Tuning;
use crate::engine::{rapier2, rapier3};
use crate::options::Options;
use crate::overlap::deepest;
use crate::ratio::{Bound, Ratio};
use crate::report::{Part, Table, aim, short};
use crate::scene::{self, STEP, Scene, Shape};
use crate::verdict;

/// Number of steps before the measured ones, of measured steps, and of repetitions.
#[derive(Debug, Clone, Copy)]
struct Length {
    before: usize,
    measured: usize,
    repeats: usize,
}

/// Result of an engine on a scene.
#[derive(Debug, Clone)]
struct Outcome {
    engine: &'static str,
    seconds: f64,
    penetration: f64,
    /// Largest residual R2 over the evaluated steps; `None` where it could not be computed.
    residual: Option<f64>,
    displacement: f64,
    kinetic: f64,
    /// Fraction of its height that the scene lost.
    lost: f64,
    note: String,
}

/// Steps between two evaluations of the states.
const LOOK: usize = 10;
/// Number of steps per run whose residual is evaluated.
const JUDGED: usize = 6;

type Maker<'a> = Box<dyn Fn() -> Result<Box<dyn Engine>, String> + 'a>;

/// Runs one engine on one scene.
fn run(
    engine: &'static str,
    make: &Maker<'_>,
    scene: &Scene,
    choice: &Choice,
    length: Length,
) -> Result<Outcome, String> {
    let steps = length.before + length.measured;
    let mut least = vec![f64::INFINITY; length.measured];
    let mut outcome = Outcome {
        engine,
        seconds: 0.0,
        penetration: 0.0,
        residual: None,
        displacement: 0.0,
        kinetic: 0.0,
        lost: 0.0,
        note: String::new(),
    };
    let label = format!("{} ({}), {engine}", scene.name, scene.grains.len());
    let mut progress = Progress::new(label, length.repeats * steps);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    // Repeated runs; residuals and penetrations are evaluated in the last one only.
    for repeat in 0..length.repeats {
        let mut engine = make()?;
        for step in 0..steps {
            let last = repeat + 1 == length.repeats;
            let measured = step.checked_sub(length.before);
            let every = (length.measured / JUDGED).max(1);
            let judged = last && measured.is_some_and(|k| k % every == every / 2);
            if judged {
                engine.places(&mut before)?;
            }
            // Timed part: the step alone.
            let start = thread_seconds();
            engine.step()?;
            let spent = thread_seconds() - start;
            if let Some(k) = measured {
                least[k] = least[k].min(spent);
            }
            if judged || last && measured.is_some_and(|k| k % LOOK == 0) || step + 1 == steps {
                engine.places(&mut after)?;
                outcome.penetration = outcome.penetration.max(deepest(scene, &after));
            }
            // Residual: percuss's own, or the independent one.
            if judged {
                let found = match engine.residual() {
                    Some(own) => Some(own),
                    None => verdict::judge(scene, choice, step as f64 * STEP, &before, &after)?,
                };
                let worst = outcome.residual.unwrap_or(0.0);
                outcome.residual = found.map(|r| worst.max(r)).or(outcome.residual);
            }
            progress.at(repeat * steps + step + 1);
        }
    }
    // Mean over the steps of the minimum over the runs.
    outcome.seconds = least.iter().sum::<f64>() / length.measured as f64;
    outcome.displacement = scene.displacement(&after);
    outcome.kinetic = scene.kinetic(&after);
    let (start, end) = (scene.height(&scene.starts()), scene.height(&after));
    outcome.lost = 1.0 - end / start;
    Ok(outcome)
}

/// The engines for a scene. Rapier with default settings is run only where it does not take minutes.
fn makers<'a>(scene: &'a Scene, choice: &'a Choice) -> Vec<(&'static str, Maker<'a>)> {
    let boxed = |engine: Percuss| -> Box<dyn Engine> { Box::new(engine) };
    let mut all: Vec<(&'static str, Maker<'a>)> = vec![(
        "percuss",
        Box::new(move || Percuss::new(scene, choice).map(boxed)),
    )];
    // Box2D is planar.
    if !scene.spatial() {
        all.push((
            "Box2D, tuned",
            Box::new(move || Ok(Box::new(Box2d::new(scene)?))),
        ));
    }
    let names = ["Rapier, tuned", "Rapier, stock"];
    for (name, tuning) in names.into_iter().zip([Tuning::Tuned, Tuning::Stock]) {
        if tuning == Tuning::Stock && scene.grains.len() > 1000 {
            continue;
        }
        all.push((
            name,
            if scene.spatial() {
                Box::new(move || Ok(Box::new(rapier3::Rapier::new(scene, tuning)?)))
            } else {
                Box::new(move || Ok(Box::new(rapier2::Rapier::new(scene, tuning)?)))
            },
        ));
    }
    all
}

/// Runs a scene with all its engines.
fn compare(scene: &Scene, choice: &Choice, length: Length) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for (name, make) in makers(scene, choice) {
        outcomes.push(run(name, &make, scene, choice, length)?);
    }
    // Step reports of percuss over the same steps: whether every step met its tolerance.
    let mut engine = Percuss::new(scene, choice)?;
    let (mut worst, mut missed, mut sweeps) = (0.0_f64, 0, 0);
    let steps = length.before + length.measured;
    let mut progress = Progress::new(format!("{}, percuss, account", scene.name), steps);
    for step in 0..steps {
        engine.step()?;
        let ledger = engine.ledger();
        worst = worst.max(ledger.residual);
        missed += usize::from(!ledger.reached);
        sweeps += ledger.iterations;
        progress.at(step + 1);
    }
    outcomes[0].note = format!(
        "own residual ≤ {} in {} of {steps} steps, {} iterations a step",
        short(worst),
        steps - missed,
        short(sweeps as f64 / steps as f64)
    );
    Ok(outcomes)
}

fn table(outcomes: &[Outcome], size: f64) -> Table {
    let mut table = Table::new(&[
        "engine",
        "percuss takes, times as long",
        "ms",
        "penetration, mm",
        "of the size, %",
        "residual R2",
        "largest way, mm",
        "kinetic energy, J",
    ]);
    let base = outcomes.first().map_or(f64::NAN, |o| o.seconds);
    // One row per engine.
    for o in outcomes {
        let fallen = if o.lost > 0.1 { " (fallen)" } else { "" };
        table.row([
            format!("{}{fallen}", o.engine),
            short(base / o.seconds),
            short(1e3 * o.seconds),
            short(1e3 * o.penetration),
            short(100.0 * o.penetration / size),
            o.residual.map_or("n/a: no contact".into(), short),
            short(1e3 * o.displacement),
            short(o.kinetic),
        ]);
    }
    table
}

/// Speed target relative to the first tuned engine: at most so many times its time, and a penetration of at
/// most so many metres or such a multiple of its own.
#[derive(Debug, Clone, Copy)]
struct Aim {
    time: f64,
    metres: f64,
    share: f64,
}

/// Relative to Box2D on the wall.
const WALL: Aim = Aim {
    time: 3.0,
    metres: 1e-5,
    share: 0.0,
};

/// Relative to Rapier in a box of spheres.
const GRAINS: Aim = Aim {
    time: 1.0,
    metres: 0.0,
    share: 0.01,
};

/// The ratios of percuss to that engine as text, and whether the target is reached.
fn told(outcomes: &[Outcome], goal: Option<Aim>) -> String {
    let [own, peer, ..] = outcomes else {
        return String::new();
    };
    let (time, share) = (
        own.seconds / peer.seconds,
        own.penetration / peer.penetration,
    );
    let mut text = format!(
        "percuss takes {} times as long as {} with {} of its penetration.",
        short(time),
        peer.engine,
        short(share)
    );
    // Targets of time and penetration.
    if let Some(goal) = goal {
        let deep = own.penetration <= goal.metres || share <= goal.share;
        let depth = if goal.metres > 0.0 {
            format!("{} mm", short(1e3 * goal.metres))
        } else {
            format!("{} of its penetration", short(goal.share))
        };
        let what = format!("at most {} times as long", short(goal.time));
        text += &format!(" {}", aim(&what, time <= goal.time));
        text += &format!(" {}", aim(&format!("at most {depth}"), deep));
    }
    text
}

/// Ratios of time and penetration of percuss to every engine; the target refers to the first.
fn ratios(title: &str, outcomes: &[Outcome], goal: Option<Aim>) -> Vec<Ratio> {
    let mut all = Vec::new();
    let Some((own, peers)) = outcomes.split_first() else {
        return all;
    };
    for (at, peer) in peers.iter().enumerate() {
        let name = |what: &str| format!("{title}.{what}.{}", peer.engine);
        let (seconds, metres) = ((peer.engine, peer.seconds), (peer.engine, peer.penetration));
        let mut time = Ratio::new(&name("time"), "s per step", own.seconds, seconds);
        let mut depth = Ratio::new(&name("penetration"), "m", own.penetration, metres);
        if let Some(goal) = goal.filter(|_| at == 0) {
            time = time.aim(Bound::AtMost(goal.time));
            // A bound in metres is expressed relative to the peer's penetration, so that one number covers
            // both.
            let share = goal.share.max(goal.metres / peer.penetration);
            depth = depth.aim(Bound::AtMost(share));
        }
        all.extend([time, depth]);
    }
    all
}

fn figures(outcomes: &[Outcome]) -> Value {
    let one = |o: &Outcome| {
        json!({
            "engine": o.engine,
            "seconds_per_step": o.seconds,
            "penetration_m": o.penetration,
            "residual": o.residual,
            "displacement_m": o.displacement,
            "kinetic_J": o.kinetic,
            "height_lost": o.lost,
            "note": o.note,
        })
    };
    outcomes.iter().map(one).collect()
}

/// Height of a block, or mean radius of grains: the length scale of penetrations.
fn size(scene: &Scene) -> f64 {
    match scene.grains[0].shape {
        Shape::Block([_, b]) => 2.0 * b,
        _ => 0.01,
    }
}

/// A settled scene: percuss lets it settle from a loose lattice, then every engine gets it.
fn rest(scene: &Scene, steps: usize) -> Result<Scene, String> {
    settled(scene, &Choice::to(1e-4), steps)
}

/// Options of percuss for a scene: spheres with position correction. Discs lie in a column of a hundred layers,
/// which penetrates no less with correction and moves more.
fn choice(scene: &Scene, tolerance: f64) -> Choice {
    Choice {
        correction: scene.spatial(),
        ..Choice::to(tolerance)
    }
}

/// Runs all scenes.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("engines");
    let quick = options.quick;
    let length = |before, measured, repeats| Length {
        before: if quick { before / 4 } else { before },
        measured: if quick { measured / 4 } else { measured },
        repeats: if quick { 1 } else { repeats },
    };
    let mut all = serde_json::Map::new();
    // One scene with all engines: text, table, ratios.
    let mut add = |title: &str,
                   scene: &Scene,
                   tolerance: f64,
                   length: Length,
                   goal: Option<Aim>| {
        let outcomes = compare(scene, &choice(scene, tolerance), length)?;
        part.say(format!(
            "**{title}**: {} bodies, friction {}, deepest overlap of the start {} mm; percuss to {tolerance:e}. {} steps measured after {}, least of {} runs. percuss: {}.",
            scene.grains.len(),
            scene.friction,
            short(1e3 * deepest(scene, &scene.starts())),
            length.measured,
            length.before,
            length.repeats,
            outcomes[0].note
        ));
        part.table(&table(&outcomes, size(scene)));
        part.say(told(&outcomes, goal));
        part.ratios.extend(ratios(title, &outcomes, goal));
        all.insert(title.to_lowercase().replace(' ', "_"), figures(&outcomes));
        Ok::<(), String>(())
    };
    add("Wall", &scene::wall(), 1e-6, length(0, 2000, 3), Some(WALL))?;
    add("Tower", &scene::tower(), 1e-6, length(0, 2000, 2), None)?;
    // Settled packings.
    let settle = if quick { 400 } else { 1200 };
    let few = rest(&scene::spheres(1000, 9), settle)?;
    add(
        "1000 spheres",
        &few,
        1e-4,
        length(200, 400, 3),
        Some(GRAINS),
    )?;
    if !quick {
        let many = rest(&scene::spheres(8000, 18), settle)?;
        add(
            "8000 spheres",
            &many,
            1e-4,
            length(200, 200, 2),
            Some(GRAINS),
        )?;
        let discs = rest(&scene::discs(5000, 38), 1500)?;
        add("5000 discs", &discs, 1e-4, length(200, 200, 2), None)?;
    }
    part.figures = Value::Object(all);
    Ok(part)
}
