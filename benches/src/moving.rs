//! percuss beside Rapier (space) and Box2D (plane) where bodies move: each engine lets them fall from the same start.
//!
//! Motions of a heap differ after some collisions, so that engines are compared by the distribution of the times of
//! their steps and not step by step. Each step is measured once: a mean over repeated runs would hide the worst one.

use serde_json::{Value, json};

use crate::clock::{Progress, thread_seconds};
use crate::engine::Engine;
use crate::engine::box2d::Box2d;
use crate::engine::percuss::{Choice, Percuss};
use crate::engine::rapier::Tuning;
use crate::engine::rapier3;
use crate::heaps;
use crate::options::Options;
use crate::overlap::deepest_at;
use crate::ratio::{Bound, Ratio};
use crate::report::{Part, Table, aim, short};
use crate::scene::{self, STEP, Scene};

/// Steps between two evaluations of the overlap.
const LOOK: usize = 10;
/// The tolerances of percuss, and how many times as long as the peer it may take.
const TOLERANCES: [(f64, f64); 2] = [(1e-4, 3.0), (1e-6, 8.0)];
/// The same for the wall at the finer tolerance.
const WALL: f64 = 6.0;
/// How many times the median the worst step may take.
const WORST: f64 = 20.0;

/// Result of an engine on a scene.
#[derive(Debug, Clone)]
struct Outcome {
    engine: String,
    /// Of a step, s.
    median: f64,
    mean: f64,
    worst: f64,
    /// Fraction of steps above the tolerance; `None` for engines without one.
    missed: Option<f64>,
    /// Deepest overlap, m.
    penetration: f64,
    /// Kinetic energy at the end, J.
    kinetic: f64,
}

fn run(
    engine: &mut dyn Engine,
    name: String,
    scene: &Scene,
    steps: usize,
) -> Result<Outcome, String> {
    let label = format!("{} ({}), {name}", scene.name, scene.grains.len());
    let mut progress = Progress::new(label, steps);
    let (mut times, mut places) = (Vec::with_capacity(steps), Vec::new());
    let (mut missed, mut penetration) = (None, 0.0_f64);
    for step in 1..=steps {
        // Timed part: the step alone.
        let start = thread_seconds();
        engine.step()?;
        times.push(thread_seconds() - start);
        if let Some(reached) = engine.reached() {
            *missed.get_or_insert(0) += usize::from(!reached);
        }
        if step % LOOK == 0 || step == steps {
            engine.places(&mut places)?;
            let depth = deepest_at(scene, &places, step as f64 * STEP)?;
            penetration = penetration.max(depth);
        }
        progress.at(step);
    }
    let mean = times.iter().sum::<f64>() / steps as f64;
    times.sort_by(f64::total_cmp);
    Ok(Outcome {
        engine: name,
        median: times[steps / 2],
        mean,
        worst: times[steps - 1],
        missed: missed.map(|count| count as f64 / steps as f64),
        penetration,
        kinetic: scene.kinetic(&places),
    })
}

/// A scene, and how many steps are taken.
struct Task {
    title: String,
    scene: Scene,
    steps: usize,
    /// Times as long as the peer that percuss may take, by tolerance.
    aims: [f64; 2],
}

/// What the engines did on a scene: percuss to each tolerance, and the tuned peer.
struct Row {
    task: Task,
    own: Vec<Outcome>,
    peer: Outcome,
}

impl Row {
    fn new(task: Task) -> Result<Self, String> {
        let (scene, steps) = (&task.scene, task.steps);
        let mut own = Vec::new();
        for (tolerance, _) in TOLERANCES {
            let mut engine = Percuss::new(scene, &Choice::stock(tolerance))?;
            own.push(run(
                &mut engine,
                format!("percuss to {tolerance:e}"),
                scene,
                steps,
            )?);
        }
        let peer = if scene.spatial() {
            let mut engine = rapier3::Rapier::new(scene, Tuning::Tuned)?;
            run(&mut engine, "Rapier, tuned".into(), scene, steps)?
        } else {
            run(&mut Box2d::new(scene)?, "Box2D, tuned".into(), scene, steps)?
        };
        Ok(Self { task, own, peer })
    }

    /// Times as long as the peer: medians and means.
    fn times(&self, own: &Outcome) -> [f64; 2] {
        [own.median / self.peer.median, own.mean / self.peer.mean]
    }

    /// The larger of both at the worst tolerance.
    fn worst(&self) -> f64 {
        let all = self.own.iter().flat_map(|own| self.times(own));
        all.fold(0.0, f64::max)
    }

    /// Ratios of times and overlap of percuss to the peer, and of its worst step to its median.
    fn ratios(&self) -> Vec<Ratio> {
        let (mut all, peer) = (Vec::new(), &self.peer);
        for (at, own) in self.own.iter().enumerate() {
            let name = |what: &str| format!("moving {}.{}.{what}", self.task.title, own.engine);
            let against = |what: &str, unit, of: &dyn Fn(&Outcome) -> f64| {
                let other = (peer.engine.as_str(), of(peer));
                Ratio::new(
                    &format!("{}.{}", name(what), peer.engine),
                    unit,
                    of(own),
                    other,
                )
            };
            let most = Bound::AtMost(self.task.aims[at]);
            all.push(against("median", "s per step", &|o| o.median).aim(most));
            all.push(against("mean", "s per step", &|o| o.mean).aim(most));
            all.push(against("worst", "s per step", &|o| o.worst));
            all.push(against("penetration", "m", &|o| o.penetration));
            let spread = ("its median step", own.median);
            let spread = Ratio::new(&name("worst step"), "s per step", own.worst, spread);
            all.push(spread.aim(Bound::AtMost(WORST)));
        }
        all
    }

    fn figures(&self) -> Value {
        let one = |o: &Outcome| {
            json!({
                "engine": o.engine,
                "median_seconds_per_step": o.median,
                "mean_seconds_per_step": o.mean,
                "worst_seconds_per_step": o.worst,
                "steps": self.task.steps,
                "share_missed": o.missed,
                "penetration_m": o.penetration,
                "kinetic_J": o.kinetic,
            })
        };
        self.own.iter().chain([&self.peer]).map(one).collect()
    }
}

/// Ratios of percuss to the peers, the worst first.
fn ratios(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "scene",
        "percuss to",
        "times as long as",
        "medians",
        "means",
        "worst step over median",
        "steps missed, %",
        "overlap over theirs",
    ]);
    let mut lines = Vec::new();
    for row in rows {
        for (own, (tolerance, _)) in row.own.iter().zip(TOLERANCES) {
            let [median, mean] = row.times(own);
            let cells = [
                row.task.title.clone(),
                format!("{tolerance:e}"),
                row.peer.engine.clone(),
                short(median),
                short(mean),
                short(own.worst / own.median),
                own.missed.map_or("–".into(), |m| short(100.0 * m)),
                short(own.penetration / row.peer.penetration),
            ];
            lines.push((median.max(mean), cells));
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.into_iter().for_each(|(_, cells)| table.row(cells));
    table
}

/// Figures of each engine.
fn details(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "scene, steps",
        "engine",
        "median, ms",
        "mean, ms",
        "worst, ms",
        "deepest overlap, mm",
        "kinetic energy at the end, J",
    ]);
    for row in rows {
        for o in row.own.iter().chain([&row.peer]) {
            table.row([
                format!("{}, {}", row.task.title, row.task.steps),
                o.engine.clone(),
                short(1e3 * o.median),
                short(1e3 * o.mean),
                short(1e3 * o.worst),
                short(1e3 * o.penetration),
                short(o.kinetic),
            ]);
        }
    }
    table
}

/// Sentences on the aims, with the number of scenes that reach them.
fn aims(rows: &[Row]) -> String {
    let all = rows.len();
    let told = |what: String, reached: usize| {
        aim(
            &format!("{what} ({reached} of {all} scenes)"),
            reached == all,
        )
    };
    let mut text = Vec::new();
    for (at, (tolerance, most)) in TOLERANCES.into_iter().enumerate() {
        let within = |r: &&Row| r.times(&r.own[at]).iter().all(|t| *t <= r.task.aims[at]);
        let wall = if at == 1 {
            format!(", the wall {WALL}")
        } else {
            String::new()
        };
        let what =
            format!("to {tolerance:e} at most {most} times as long{wall}, by medians and by means");
        text.push(told(what, rows.iter().filter(within).count()));
        let steady = |r: &&Row| r.own[at].worst <= WORST * r.own[at].median;
        let what = format!("to {tolerance:e} no step above {WORST} times the median");
        text.push(told(what, rows.iter().filter(steady).count()));
        let none = |r: &&Row| r.own[at].missed == Some(0.0);
        let what = format!("to {tolerance:e} no step missed");
        text.push(told(what, rows.iter().filter(none).count()));
    }
    let shallow = |r: &&Row| r.own.iter().all(|o| o.penetration <= r.peer.penetration);
    let what = "no overlap deeper than theirs".to_string();
    text.push(told(what, rows.iter().filter(shallow).count()));
    text.join(" ")
}

/// The scenes.
fn tasks(quick: bool) -> Result<Vec<Task>, String> {
    let all = if quick {
        vec![
            (heaps::boxes(150)?, 400),
            (heaps::hulls(150)?, 400),
            (heaps::capsules(200)?, 400),
            (scene::spheres(1000, 9), 200),
            (scene::discs(1000, 32), 200),
            (heaps::tumbler(12), 500),
            (heaps::scattered_wall(), 200),
        ]
    } else {
        vec![
            (heaps::boxes(500)?, 1000),
            (heaps::hulls(500)?, 1000),
            (heaps::capsules(1000)?, 1200),
            // Some of the steps after that take ten seconds and more to 1e-6.
            (scene::spheres(8000, 18), 220),
            (scene::discs(5000, 71), 300),
            (heaps::tumbler(32), 1000),
            (heaps::scattered_wall(), 1000),
        ]
    };
    let task = |(scene, steps): (Scene, usize)| {
        let title = format!("{} {}", scene.grains.len(), scene.name);
        let mut aims = TOLERANCES.map(|(_, most)| most);
        if scene.quake {
            aims[1] = WALL;
        }
        Task {
            title,
            scene,
            steps,
            aims,
        }
    };
    Ok(all.into_iter().map(task).collect())
}

/// Runs all scenes.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("moving");
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    // A scene that an engine cannot go through does not stop the others.
    for task in tasks(options.quick)? {
        let title = task.title.clone();
        match Row::new(task) {
            Ok(row) => rows.push(row),
            Err(error) => failures.push(format!("{title}: {error}")),
        }
    }
    rows.sort_by(|a, b| b.worst().total_cmp(&a.worst()));
    part.table(&ratios(&rows));
    part.say(aims(&rows));
    part.table(&details(&rows));
    for failure in failures {
        part.say(format!("Not finished: {failure}"));
        part.failed = true;
    }
    part.ratios = rows.iter().flat_map(Row::ratios).collect();
    let figures = rows
        .iter()
        .map(|r| (r.task.title.replace(' ', "_"), r.figures()));
    part.figures = Value::Object(figures.collect());
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_agree_on_the_energy_of_a_free_fall() {
        for scene in [heaps::boxes(40), heaps::hulls(40), heaps::capsules(40)] {
            let mut scene = scene.expect("shapes");
            for grain in &mut scene.grains {
                // Further apart and higher, so that nothing touches within 50 ms.
                grain.start.position = 1.3 * grain.start.position + glam::DVec3::Z;
                grain.start.spin = glam::DVec3::new(1.0, 2.0, 3.0);
            }
            let mut percuss = Percuss::new(&scene, &Choice::stock(1e-6)).expect("sound");
            let mut rapier = rapier3::Rapier::new(&scene, Tuning::Tuned).expect("sound");
            let [own, other]: [&mut dyn Engine; 2] = [&mut percuss, &mut rapier];
            let [own, other] = [own, other].map(|e| run(e, "".into(), &scene, 50).expect("sound"));
            // Velocities of the fall agree to f32; Rapier keeps the spin where percuss keeps the angular momentum,
            // which is a few per cent of the energy of the spins, itself a fifth of the whole.
            assert!(
                (own.kinetic / other.kinetic - 1.0).abs() < 0.02,
                "{}",
                scene.name
            );
            assert_eq!((own.penetration, other.penetration), (0.0, 0.0));
        }
    }
}
