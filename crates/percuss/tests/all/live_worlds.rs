//! Worlds that a caller keeps: the same motion as that of a run, turn by turn.

use percuss_record::{NullObserver, Observer, Step, WorldRef};
use percuss_run::{AnyWorld, ObservableRequest, RunProgress, Threads, WorldRun};
use percuss_scene::{Scene, SceneError};

const TEXT: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["any", "any"]
friction = 0.3
restitution = 0.4
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.3]
velocity = [1, 0]
spin = 2
[[grains]]
name = "grains"
material = "stone"
positions = [[0.5, 0.1], [0.9, 0.2]]
radii = [0.1, 0.05]
[run]
until = 0.3
step = 1e-3
"#;

fn scene(text: &str) -> Scene {
    Scene::parse("live", "live", text).unwrap()
}

/// Every state of the plane, bit by bit.
#[derive(Default)]
struct States(Vec<Vec<u64>>);

impl Observer for States {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let Some(WorldRef::Plane(world)) = step.world() else {
            panic!("the plane was expected");
        };
        let state = world.state();
        let poses = state.poses.iter();
        let poses = poses.flat_map(|p| [p.position.x, p.position.y, p.rotation.angle()]);
        let rates = state.velocities.iter().flatten().copied();
        let bits = poses.chain(rates).map(f64::to_bits).collect();
        // A run that is asked to end gives its last state twice.
        if !(step.last && self.0.last() == Some(&bits)) {
            self.0.push(bits);
        }
        Ok(())
    }
}

fn run(scene: &Scene) -> Vec<Vec<u64>> {
    let mut states = States::default();
    let collection = scene.build_bodies().unwrap();
    let wanted = ObservableRequest::default();
    let threads = Threads::new(1);
    percuss_run::run_bodies(
        scene,
        collection,
        &wanted,
        threads,
        &mut states,
        &mut |_| true,
    );
    states.0
}

fn begin(scene: &Scene) -> (AnyWorld, percuss_run::RunTemplate) {
    let collection = scene.build_bodies().unwrap();
    let hear = &mut |_: &RunProgress<'_>| true;
    AnyWorld::prepare(scene, collection, Threads::new(1), &mut NullObserver, hear).unwrap()
}

#[test]
fn a_course_has_the_bits_of_a_run() {
    let scene = scene(TEXT);
    let (mut live, score) = begin(&scene);
    let mut states = States::default();
    let mut course = WorldRun::start(
        &live,
        &score,
        ObservableRequest::default(),
        0.3,
        &mut states,
    );
    while course.step(&mut live, &mut states, &mut |_| true) {}
    let outcome = course.close();
    assert!(outcome.stopped.is_none());
    assert_eq!(outcome.certificate.steps, 300);
    assert_eq!(states.0, run(&scene));
}

#[test]
fn a_course_that_is_interrupted_goes_on_as_another() {
    let scene = scene(TEXT);
    let (mut live, score) = begin(&scene);
    let mut states = States::default();
    let mut first = WorldRun::start(
        &live,
        &score,
        ObservableRequest::default(),
        0.3,
        &mut states,
    );
    for _ in 0..100 {
        assert!(first.step(&mut live, &mut states, &mut |_| true));
    }
    first.interrupt(&mut live, &mut states);
    assert!(!first.step(&mut live, &mut states, &mut |_| true));
    assert!(first.close().stopped.is_some());
    states.0.pop();
    let mut second = WorldRun::start(
        &live,
        &score,
        ObservableRequest::default(),
        0.3,
        &mut states,
    );
    while second.step(&mut live, &mut states, &mut |_| true) {}
    assert_eq!(states.0, run(&scene));
}

#[test]
fn grains_by_numbers_are_those_of_the_text() {
    let empty = TEXT
        .replace("[[0.5, 0.1], [0.9, 0.2]]", "[]")
        .replace("radii = [0.1, 0.05]", "radius = 1");
    let rows = vec![[0.5, 0.1, 0.0, 0.1], [0.9, 0.2, 0.0, 0.05]];
    let by_numbers = scene(&empty).with_grains("grains", rows).unwrap();
    assert_eq!(run(&by_numbers), run(&scene(TEXT)));
    assert!(scene(TEXT).with_grains("sand", Vec::new()).is_err());
}

#[test]
fn grains_that_are_none_are_refused_with_their_number() {
    let wrong = TEXT.replace("radii = [0.1, 0.05]", "radii = [0.1, -0.05]");
    let error = scene(&wrong).build_bodies().unwrap_err().to_string();
    assert!(
        error.contains("grains `grains`") && error.contains("grain 2"),
        "{error}"
    );
    let missing = TEXT.replace("radii = [0.1, 0.05]", "");
    let error = Scene::parse("live", "live", &missing)
        .unwrap_err()
        .to_string();
    assert!(error.contains("radius"), "{error}");
}

#[test]
fn a_text_with_callables_is_read_but_not_computed() {
    let text = TEXT.replace(
        "kind = \"bodies\"",
        "kind = \"bodies\"\ncallables = [\"floor\"]",
    );
    let error = scene(&text).build_bodies().unwrap_err().to_string();
    assert!(
        error.contains("program") && error.contains("floor"),
        "{error}"
    );
}

#[test]
fn a_restored_state_goes_on_with_the_same_bits() {
    let scene = scene(TEXT);
    let (mut live, score) = begin(&scene);
    let cast = &score.before.names;
    let AnyWorld::Plane(_) = live else {
        panic!("the plane was expected");
    };
    for _ in 0..80 {
        live.advance(cast).unwrap();
    }
    let kept = match &live {
        AnyWorld::Plane(world) => (world.state().clone(), *world.report()),
        AnyWorld::Space(_) => panic!("the plane was expected"),
    };
    let finish = |live: &mut AnyWorld| {
        let mut states = States::default();
        for step in 0..60 {
            live.advance(cast).unwrap();
            let step = Step::of_world(step, live.view(), false);
            states.on_step(&step).unwrap();
        }
        states.0
    };
    let once = finish(&mut live);
    if let AnyWorld::Plane(world) = &mut live {
        world.restore(&kept.0, kept.1).unwrap();
    }
    assert_eq!(finish(&mut live), once);
}
