//! Steps whose velocities the laws leave open.

use percuss_record::{Criterion, NullObserver};
use percuss_run::{BodiesOutcome, ObservableRequest, Threads};
use percuss_scene::Scene;

/// A box that exactly fits between two fixed walls.
const BOX: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "m"
density = 1000
[[law]]
between = ["m", "m"]
friction = 1.0
[[body]]
name = "left"
shape = { half_plane = [1, 0] }
material = "m"
fixed = true
[[body]]
name = "right"
shape = { half_plane = [-1, 0] }
material = "m"
position = [1, 0]
fixed = true
[[body]]
name = "box"
shape = { box = [1.0, 0.4] }
material = "m"
position = [0.5, 0]
[run]
until = 0.1
step = 1e-3
"#;

/// Wall and force of the preparation.
const WALL: &str = "position = [1, 0]\nfixed = true\nmass = 1000\nforce = [\"-F\", 0]";

/// The right wall presses before the run and leaves its impulses behind.
const PRESS: &str = r#"
[[prepare]]
name = "press"
until = 0.05
set = { F = 1e6 }
free = { right = ["x"] }
[run]"#;

fn run(edits: &[(&str, &str)]) -> BodiesOutcome {
    let mut text = BOX.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replace(old, new);
    }
    let scene = Scene::parse("scene", "scene.toml", &text).expect("a scene");
    let collection = scene.build_bodies().expect("bodies");
    let wanted = ObservableRequest {
        observables: vec!["box_vy".to_string()],
        ..ObservableRequest::default()
    };
    let one = Threads::new(1);
    percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |_| true,
    )
}

fn last(run: &BodiesOutcome) -> f64 {
    let (_, series) = &run.series[0];
    series.last().copied().expect("a state")
}

/// The same box between the same walls fell or hung by what the steps before had left of their impulses, both
/// certified and without a word. Both obey Coulomb's law (JM92 §1), and each run now says that there is the other.
#[test]
fn a_box_that_fits_between_walls_falls_or_hangs_and_says_that_it_need_not() {
    let falls = run(&[]);
    // g t.
    assert!((last(&falls) + 0.981).abs() < 1e-9, "{}", last(&falls));
    let hangs = run(&[
        ("\n[run]", PRESS),
        ("position = [1, 0]\nfixed = true", WALL),
        ("[world]", "[parameters]\nF = 0\n[world]"),
    ]);
    assert!(last(&hangs).abs() < 1e-9, "{}", last(&hangs));
    for (name, run) in [("falls", &falls), ("hangs", &hangs)] {
        assert!(run.certificate.ok, "{name}: {:?}", run.certificate);
        assert!(
            run.certificate.is_reported(Criterion::OtherSolution),
            "{name}"
        );
        // The other one differs by what gravity makes in a step, the only speed there is.
        let mark = run.certificate.violation(Criterion::OtherSolution);
        assert!((mark.worst - 1.0).abs() < 1e-3, "{name}: {}", mark.worst);
        assert_eq!(mark.first.0, 1, "{name}");
        let said = run.certificate.sentence(Criterion::OtherSolution);
        assert!(
            said.contains("box") && said.contains("not unique"),
            "{name}: {said}"
        );
    }
}

/// Nothing is said where there is one motion: with room between the walls, without friction, and on a floor, where
/// many impulses give one velocity.
#[test]
fn nothing_is_said_where_the_velocities_are_unique() {
    let room = [(
        "shape = { box = [1.0, 0.4] }",
        "shape = { box = [0.99, 0.4] }",
    )];
    let smooth = [("friction = 1.0", "friction = 0")];
    let floor = [
        ("half_plane = [-1, 0]", "half_plane = [0, 1]"),
        ("position = [1, 0]", "position = [0, -0.2]"),
        ("position = [0.5, 0]", "position = [0.6, 0]"),
    ];
    for edits in [&room[..], &smooth, &floor] {
        let run = run(edits);
        assert!(
            !run.certificate.is_reported(Criterion::OtherSolution),
            "{edits:?}"
        );
    }
}
