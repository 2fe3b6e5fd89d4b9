//! Small collections, recorded.

use std::path::Path;

use percuss_record::{BodiesRecorder, Manifest, Observer, OutputDirectory, Record, Step, WorldRef};
use percuss_run::{BodiesOutcome, Threads, run_bodies_observing};
use percuss_scene::{Scene, SceneError};

/// Discs, a box and a capsule over a floor and a bent chain, two materials, rolling friction.
pub const PLANE: &str = r#"kind = "bodies"
title = "Plane <things>"
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
until = 0.1
step = 0.01
record_every = 4
"#;

/// A ball, a box, a cylinder, a capsule and a hull over a floor.
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
position = [0, 0, 0.25]
velocity = [0.4, 0.1, 0]
spin = [0.5, -1.6, 0.2]
[[body]]
name = "brick"
shape = { box = [0.5, 0.3, 0.2] }
material = "stone"
position = [1, 0, 1]
rotation = { axis = [1, 2, 3], angle = 0.7 }
spin = [0.3, 2, -1]
[[body]]
name = "can"
shape = { cylinder = [0.4, 0.1] }
material = "stone"
position = [-1, 0, 1]
[[body]]
name = "pill"
shape = { capsule = [0.3, 0.1] }
material = "stone"
position = [0, 1, 1]
[[body]]
name = "rock"
shape = { polyhedron = [[0.2, 0, 0], [-0.2, 0.1, 0], [0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.3]] }
material = "stone"
position = [0, -1, 1]
[run]
until = 0.1
step = 0.01
record_every = 4
"#;

/// The scene of a text.
pub fn parsed(text: &str) -> Scene {
    Scene::parse("sample", "sample.toml", text).unwrap_or_else(|e| panic!("{e}"))
}

/// The manifest of a scene.
pub fn manifest(scene: &Scene) -> Manifest {
    let mut manifest = Manifest::new("run", scene.name());
    manifest.title = scene.title().into();
    manifest.origin = scene.origin().into();
    manifest.text = scene.text().into();
    let collection = scene.build_bodies().unwrap_or_else(|e| panic!("{e}"));
    manifest.settings = collection.settings_json();
    manifest
}

/// A recorder of a scene.
pub fn recorder(scene: &Scene, path: &Path) -> BodiesRecorder {
    let collection = scene.build_bodies().unwrap_or_else(|e| panic!("{e}"));
    let place = OutputDirectory::Given(path.into());
    BodiesRecorder::new(place, manifest(scene), &collection).expect("a free place")
}

/// Hands steps on to a recorder and to whoever looks at them.
pub struct TeeObserver<'a> {
    pub recorder: &'a mut BodiesRecorder,
    pub look: &'a mut dyn FnMut(usize, WorldRef<'_>),
}

impl Observer for TeeObserver<'_> {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        if let Some(world) = step.world() {
            (self.look)(step.number, world);
        }
        self.recorder.on_step(step)
    }
}

/// Runs a scene into a recorder that stays open.
pub fn follow(
    scene: &Scene,
    recorder: &mut BodiesRecorder,
    observe: &[&str],
    look: &mut dyn FnMut(usize, WorldRef<'_>),
) -> BodiesOutcome {
    let collection = scene.build_bodies().unwrap_or_else(|e| panic!("{e}"));
    let observe: Vec<String> = observe.iter().map(|t| t.to_string()).collect();
    let mut sink = TeeObserver { recorder, look };
    let threads = Threads::new(1);
    let outcome =
        run_bodies_observing(scene, collection, &observe, threads, &mut sink, &mut |_| {
            true
        });
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    outcome
}

/// Runs a scene and records it in a directory.
pub fn record(text: &str, path: &Path, observe: &[&str]) -> Record {
    let scene = parsed(text);
    let mut recorder = recorder(&scene, path);
    let outcome = follow(&scene, &mut recorder, observe, &mut |_, _| {});
    recorder
        .add_series(&outcome.times, &outcome.series)
        .expect("written");
    recorder.close(&outcome.certificate, None).expect("written");
    recorder.finish().expect("finished");
    Record::open(path).expect("a run")
}
