//! Small runs, recorded.

use std::path::Path;

use percuss_record::{
    BodiesRecorder, Manifest, MechanismLayout, MechanismRecorder, Observer, OutputDirectory,
    Record, Restored, RunWriter, Snapshot, Step,
};
use percuss_run::{Threads, run_bodies_observing};
use percuss_scene::{CheckpointPolicy, Scene, SceneError};
use percuss_view::{BinaryTable, FollowedRun};

/// Discs, a box and a capsule over a floor and a bent chain: two materials, three laws.
pub const PLANE: &str = r#"kind = "bodies"
title = "Plane </script><b>things</b>"
about = "What <is> \"this\"?"
[world]
dimension = 2
gravity = [0.5, -10]
[[material]]
name = "stone"
density = 2000
[[material]]
name = "wood"
density = 700
[[law]]
between = ["any", "any"]
friction = 0.4
[[law]]
between = ["wood", "stone"]
friction = 0.3
rolling_friction = 0.01
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "ramp"
shape = { chain = [[3, 0], [2, 0.2], [1.5, 1]] }
material = "stone"
fixed = true
[[body]]
name = "box"
shape = { box = [0.4, 0.2] }
material = "stone"
position = [0, 0.1]
[[body]]
name = "pill"
shape = { capsule = [0.3, 0.1] }
material = "wood"
position = [0, 0.32]
angle = 0.1
spin = 0.5
[[body]]
name = "coin"
shape = { disc = 0.25 }
material = "wood"
position = [1, 0.25]
velocity = [0.4, 0]
spin = -1.6
[[group]]
name = "light"
bodies = ["pill", "coin"]
[[group]]
name = "all"
bodies = ["box", "light"]
[run]
until = 0.4
step = 0.01
record_every = 4
"#;

/// A ball that rolls and slides, bodies that fall, in space, far from the origin.
pub const SPACE: &str = r#"kind = "bodies"
title = "Things in space"
[world]
dimension = 3
gravity = [0, 0, -10]
[[material]]
name = "stone"
density = 2000
[[law]]
between = ["stone", "stone"]
friction = 0.4
[[body]]
name = "floor"
shape = { half_space = [0, 0, 1] }
material = "stone"
fixed = true
[[body]]
name = "ball"
shape = { sphere = 0.25 }
material = "stone"
position = [1000000, 0, 0.25]
velocity = [0.4, 0.1, 0]
spin = [0.5, -1.6, 0.2]
[[body]]
name = "brick"
shape = { box = [0.5, 0.3, 0.2] }
material = "stone"
position = [1000001, 0, 0.11]
velocity = [1, 0.5, 0]
[[body]]
name = "can"
shape = { cylinder = [0.4, 0.1] }
material = "stone"
position = [999999, 0, 1]
[[body]]
name = "dumbbell"
shape = { compound = [
  { shape = { sphere = 0.1 }, position = [-0.2, 0, 0] },
  { shape = { sphere = 0.1 }, position = [0.2, 0, 0] } ] }
material = "stone"
position = [1000000, 1, 0.5]
[run]
until = 0.2
step = 0.01
activation = "gap"
record_every = 2
"#;

/// A ball on a floor as a mechanism.
pub const BALL: &str = r#"kind = "mechanism"
title = "A ball"
[[coordinate]]
name = "z"
initial = 1.0
[dynamics]
kinetic = "0.5*z_dot^2"
potential = "10*z"
[[contact]]
name = "floor"
gap = "z"
restitution = "0.5"
[[drawing]]
name = "ball"
tip = [0, "z"]
radius = 0.1
[run]
until = 2
step = 1e-3
"#;

/// The scene of a text.
pub fn parsed(text: &str) -> Scene {
    Scene::parse("sample", "sample.toml", text).unwrap_or_else(|e| panic!("{e}"))
}

/// A session of a scene in a directory.
fn session(scene: &Scene, path: &Path, cadence: CheckpointPolicy) -> RunWriter {
    let manifest = match scene.build_bodies() {
        Ok(collection) => Manifest::of_bodies(scene, &collection, 1),
        Err(_) => {
            let built = scene.build_mechanism().unwrap_or_else(|e| panic!("{e}"));
            Manifest::of_mechanism(scene, &built, 1)
        }
    };
    RunWriter::new(OutputDirectory::Given(path.into()), manifest, cadence).expect("a free place")
}

/// Hands steps on to a recorder and to whoever looks at the directory after each of them.
struct TeeObserver<'a> {
    recorder: &'a mut BodiesRecorder,
    look: &'a mut dyn FnMut(usize),
}

impl Observer for TeeObserver<'_> {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        self.recorder.on_step(step)?;
        (self.look)(step.number);
        Ok(())
    }

    fn checkpoint_due(&mut self) -> bool {
        self.recorder.checkpoint_due()
    }

    fn write_checkpoint(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        self.recorder.write_checkpoint(snapshot)
    }

    fn take_checkpoint(&mut self) -> Option<Restored> {
        self.recorder.take_checkpoint()
    }
}

/// Runs a scene of bodies into a directory; `look` is called after every step, before its checkpoint.
pub fn follow(
    text: &str,
    path: &Path,
    cadence: CheckpointPolicy,
    look: &mut dyn FnMut(usize),
) -> Record {
    let scene = parsed(text);
    let collection = scene.build_bodies().unwrap_or_else(|e| panic!("{e}"));
    let session = session(&scene, path, cadence);
    let mut recorder = BodiesRecorder::on(session, &collection).expect("a recorder");
    let mut both = TeeObserver {
        recorder: &mut recorder,
        look,
    };
    let threads = Threads::new(1);
    let outcome = run_bodies_observing(&scene, collection, &[], threads, &mut both, &mut |_| true);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    let series = recorder.add_series(&outcome.times, &outcome.series);
    series.expect("written");
    recorder.close(&outcome.certificate, None).expect("written");
    recorder.finish().expect("finished");
    Record::open(path).expect("a run")
}

/// Runs a scene of bodies into a directory.
pub fn bodies(text: &str, path: &Path) -> Record {
    follow(text, path, CheckpointPolicy::default(), &mut |_| {})
}

/// Runs a mechanism into a directory.
pub fn mechanism(text: &str, path: &Path) -> Record {
    let scene = parsed(text);
    let built = scene.build_mechanism().unwrap_or_else(|e| panic!("{e}"));
    let layout = MechanismLayout::of_scene(&scene, &built.system);
    let session = session(&scene, path, CheckpointPolicy::default());
    let mut recorder =
        MechanismRecorder::on(session, layout, built.record_every).expect("a recorder");
    let outcome = percuss_run::run_mechanism(built, &mut recorder, &mut |_| true);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    recorder.close(&outcome.certificate, None).expect("written");
    recorder.finish().expect("finished");
    Record::open(path).expect("a run")
}

/// The run in a directory.
pub fn opened(path: &Path) -> FollowedRun {
    FollowedRun::open(path).unwrap_or_else(|e| panic!("{e}"))
}

/// A column of a binary table as numbers.
pub fn numbers(pack: &BinaryTable, name: &str) -> Vec<f64> {
    let data = pack
        .column(name)
        .unwrap_or_else(|| panic!("no column {name}"));
    (0..data.len()).filter_map(|k| data.number(k)).collect()
}

/// One disc that runs past many others at rest: rows without contacts, cheap to make. It is body 0.
pub fn crowd(count: usize, steps: usize) -> String {
    format!(
        r#"kind = "bodies"
[world]
dimension = 2
[[material]]
name = "m"
density = 1
[[law]]
between = ["m", "m"]
[[grid]]
name = "discs"
radius = 0.1
counts = [{count}, 1]
spacing = 1
material = "m"
[[body]]
name = "runner"
shape = {{ disc = 0.1 }}
material = "m"
position = [0, 5]
velocity = [1, 0]
[run]
until = {steps}
step = 1
activation = "gap"
"#
    )
}
