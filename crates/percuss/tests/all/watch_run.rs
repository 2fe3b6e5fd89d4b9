//! The run loop of bodies: closed forms of motions, ends, overlaps, preparations, failures.

use percuss_record::{NullObserver, Observer, Step, WorldRef};
use percuss_run::{BodiesOutcome, ObservableRequest, StopReason, Threads};
use percuss_scene::SceneError;

use crate::watch_common::{BALL, BLOCK, edited, last, observed, parsed, series};

#[test]
fn free_fall_is_the_parabola_at_every_step() {
    let text = edited(
        BALL,
        &[
            ("until = 1.0", "until = 0.4"),
            ("speed = 0.0", "speed = 3.0"),
        ],
    );
    let outcome = observed(&text, &["ball_x", "ball_y", "ball_vy", "t"]);
    assert_eq!(outcome.times.len(), 401);
    for (k, t) in outcome.times.iter().enumerate() {
        // The midpoint scheme is exact under a constant force: rounding of some hundred steps.
        let near = |of: &str, exact: f64| {
            let value = series(&outcome, of)[k];
            assert!((value - exact).abs() < 1e-12, "{of} at {t}: {value}");
        };
        near("ball_x", 3.0 * t);
        near("ball_y", 1.5 - 5.0 * t * t);
        near("ball_vy", -10.0 * t);
        near("t", k as f64 * 1e-3);
    }
}

#[test]
fn the_last_step_is_not_shortened_and_rounding_of_the_time_adds_none() {
    let steps = |until: &str, step: &str| {
        let text = edited(BALL, &[("until = 1.0", until), ("step = 1e-3", step)]);
        observed(&text, &[]).certificate.steps
    };
    assert_eq!(steps("until = 0.1", "step = 1e-3"), 100);
    assert_eq!(steps("until = 0.3", "step = 0.1"), 3);
    assert_eq!(steps("until = 0.25", "step = 0.1"), 3);
}

#[test]
fn the_condition_ends_the_run_and_that_is_no_failure() {
    let text = edited(
        BALL,
        &[("until = 1.0", "until = 1.0\nstop = \"ball_vy < -1\"")],
    );
    let outcome = observed(&text, &["ball_vy"]);
    assert!(outcome.halted && outcome.stopped.is_none());
    let speeds = series(&outcome, "ball_vy");
    let (end, before) = (speeds[speeds.len() - 1], speeds[speeds.len() - 2]);
    assert!(end < -1.0 && before >= -1.0, "{before} {end}");
}

/// Two discs that overlap by 0.2, three more that overlap by less, and one apart.
const CROWD: &str = r#"kind = "bodies"
[world]
dimension = 2
[[material]]
name = "m"
density = 1
[[law]]
between = ["any", "any"]
[[body]]
name = "a"
shape = { disc = 1 }
material = "m"
[[body]]
name = "b"
shape = { disc = 1 }
material = "m"
position = [1.8, 0]
[[body]]
name = "c"
shape = { disc = 1 }
material = "m"
position = [3.7, 0]
[[body]]
name = "d"
shape = { disc = 1 }
material = "m"
position = [9, 0]
[run]
until = 0.1
step = 0.01
"#;

fn reason(outcome: &BodiesOutcome) -> String {
    let stop = outcome.stopped.as_ref().expect("a stop");
    assert!(!stop.started && outcome.times.is_empty(), "{stop}");
    stop.to_string()
}

#[test]
fn overlaps_are_refused_with_the_deepest_pairs_first_and_what_to_do() {
    let said = reason(&observed(CROWD, &[]));
    for part in [
        "the run cannot start: 2 pairs of bodies overlap",
        "`a` and `b` by 2.000e-1, `b` and `c` by 1.000e-1",
        "`relax = true`",
        "`overlap = 2.0e-1`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("`d`"), "{said}");
}

#[test]
fn of_many_overlaps_five_are_named_and_the_others_counted() {
    let discs: String = (0..9)
        .map(|k| {
            format!(
                "[[body]]\nname = \"e{k}\"\nshape = {{ disc = 1 }}\nmaterial = \"m\"\n\
                 position = [{}, 20]\n",
                1.5 * f64::from(k)
            )
        })
        .collect();
    let said = reason(&observed(
        &edited(CROWD, &[("[run]", &(discs + "[run]"))]),
        &[],
    ));
    // Eight pairs in the row, the two of before are less deep.
    assert!(
        said.contains("10 pairs") && said.contains(" and 5 more"),
        "{said}"
    );
    assert!(said.contains("`e0` and `e1` by 5.000e-1"), "{said}");
}

#[test]
fn overlaps_can_be_allowed_or_moved_apart() {
    let allowed = edited(CROWD, &[("until = 0.1", "until = 0.1\noverlap = 0.21")]);
    assert!(observed(&allowed, &[]).stopped.is_none());
    let less = edited(CROWD, &[("until = 0.1", "until = 0.1\noverlap = 0.15")]);
    assert!(reason(&observed(&less, &[])).contains("1 pair of bodies"));
    let relaxed = edited(CROWD, &[("until = 0.1", "until = 0.1\nrelax = true")]);
    let outcome = observed(&relaxed, &["a_x", "b_x", "c_x", "a_x + b_x + c_x", "d_x"]);
    let start = |of: &str| series(&outcome, of)[0];
    assert!((outcome.relaxed - 0.2).abs() < 1e-12, "{}", outcome.relaxed);
    // Left is what is allowed, a millionth of the radius.
    assert!(start("b_x") - start("a_x") > 2.0 - 1.001e-6);
    assert!(start("c_x") - start("b_x") > 2.0 - 1.001e-6);
    // Equal masses are moved without moving their common centre; the others stay.
    assert!((start("a_x + b_x + c_x") - 5.5).abs() < 1e-12);
    assert_eq!(start("d_x"), 9.0);
}

#[test]
fn touching_bodies_do_not_overlap() {
    let text = edited(CROWD, &[("[1.8, 0]", "[2, 0]"), ("[3.7, 0]", "[4, 0]")]);
    assert!(observed(&text, &[]).stopped.is_none());
}

/// A tray that moves by an expression, and a block on it.
const TRAY: &str = r#"kind = "bodies"
[parameters]
v = 0.5
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "m"
[[law]]
between = ["any", "any"]
friction = 0.9
[[body]]
name = "tray"
shape = { box = [10, 1] }
material = "m"
position = [2, -0.5]
motion = { x = "v*t" }
[[body]]
name = "block"
shape = { box = [1, 1] }
material = "m"
mass = 3
position = [2, 0.5]
velocity = [0.5, 0]
[[prepare]]
name = "ride"
until = 0.4
step = 0.01
set = { v = 0.5 }
[run]
start = 7
until = 7.2
step = 0.01
"#;

#[test]
fn a_preparation_hands_over_where_bodies_are_and_time_begins_anew() {
    // v t is 3.5 at t = 7: the motion of the run must begin at 0 there.
    let text = edited(
        TRAY,
        &[
            ("x = \"v*t\"", "x = \"v*(t - 7)\""),
            ("v = 0.5 }", "v = 0 }"),
        ],
    );
    let text = edited(&text, &[("velocity = [0.5, 0]\n", "")]);
    let outcome = observed(&text, &["tray_x", "block_x", "t"]);
    assert_eq!(outcome.times[0], 7.0);
    assert_eq!(series(&outcome, "tray_x")[0], 2.0);
    assert_eq!(outcome.prepared.len(), 1);
    assert_eq!(outcome.prepared[0].certificate.steps, 40);
    assert_eq!(outcome.certificate.steps, 20, "the run's own steps");
}

#[test]
fn guided_bodies_go_on_from_where_a_preparation_left_them() {
    let text = edited(
        TRAY,
        &[("start = 7", "start = 0"), ("until = 7.2", "until = 0.2")],
    );
    let outcome = observed(
        &text,
        &["tray_x", "block_x", "block_vx", "block_displacement"],
    );
    let (tray, block) = (series(&outcome, "tray_x"), series(&outcome, "block_x"));
    // 0.4 s at 0.5 m/s before, 0.2 s after: the offset v t is 0 again at the start. Rounding.
    assert!((tray[0] - 2.2).abs() < 1e-12, "{}", tray[0]);
    assert!((tray[20] - 2.3).abs() < 1e-12, "{}", tray[20]);
    // The block rides along: it sticks from the first step on, to the tolerance of the solver.
    assert!((block[0] - 2.2).abs() < 1e-6 && (block[20] - 2.3).abs() < 1e-6);
    // Displacements count from the start of the run.
    let moved = series(&outcome, "block_displacement");
    assert_eq!(moved[0], 0.0);
    assert!((moved[20] - 0.1).abs() < 1e-6);
}

#[test]
fn after_a_preparation_bodies_may_rest_be_held_or_let_free() {
    let rest = edited(
        TRAY,
        &[
            ("step = 0.01\nset = { v = 0.5 }", "step = 0.01\nrest = true"),
            ("motion = { x = \"v*t\" }", "fixed = true"),
            ("friction = 0.9\n", ""),
        ],
    );
    let outcome = observed(&rest, &["block_x", "block_vx"]);
    // Without friction it slides 0.2 m in the preparation and stands still in the run.
    let (x, v) = (series(&outcome, "block_x"), series(&outcome, "block_vx"));
    assert!(
        (x[0] - 2.2).abs() < 1e-9 && (x[20] - 2.2).abs() < 1e-9,
        "{x:?}"
    );
    assert_eq!(v[0], 0.0);
    let held = edited(&rest, &[("rest = true", "fixed = [\"block\"]")]);
    let outcome = observed(&held, &["block_x"]);
    assert_eq!(series(&outcome, "block_x")[0], 2.0);
}

#[test]
fn a_preparation_may_end_by_its_condition() {
    let text = edited(TRAY, &[("set = { v = 0.5 }", "stop = \"block_x > 2.1\"")]);
    let outcome = observed(&text, &["block_x"]);
    assert!(outcome.prepared[0].halted);
    assert!(
        outcome.prepared[0].duration < 0.25,
        "{:?}",
        outcome.prepared
    );
    assert!(!outcome.halted);
}

#[test]
fn a_force_without_a_value_stops_the_run_and_names_the_body() {
    let edits = [("mass = 2\n", "mass = 2\nforce = [\"sqrt(0.05 - t)\", 0]\n")];
    let outcome = observed(&edited(BLOCK, &edits), &["block_x"]);
    let stop = outcome.stopped.expect("a stop");
    assert!(stop.started && stop.t > 0.03 && stop.t < 0.06, "{stop}");
    let said = stop.to_string();
    assert!(
        said.contains("`block`") && said.contains("stopped at t ="),
        "{said}"
    );
    assert_eq!(outcome.times.len(), 1 + outcome.certificate.steps);
}

#[test]
fn a_motion_without_a_value_at_the_start_is_refused_with_the_name() {
    let edits = [("fixed = true", "motion = { y = \"ln(t)\" }")];
    let scene = parsed(&edited(BLOCK, &edits));
    let said = match scene.build_bodies() {
        Err(error) => error.to_string(),
        Ok(_) => reason(&observed(&edited(BLOCK, &edits), &[])),
    };
    assert!(said.contains("floor"), "{said}");
}

#[test]
fn progress_hears_time_and_contacts_and_can_stop_the_run() {
    let scene = parsed(BLOCK);
    let collection = scene.build_bodies().expect("bodies");
    let mut told = Vec::new();
    let outcome = percuss_run::run_bodies(
        &scene,
        collection,
        &ObservableRequest::default(),
        Threads::new(1),
        &mut NullObserver,
        &mut |tick| {
            told.push((tick.t, tick.contacts));
            told.len() < 3
        },
    );
    assert_eq!(
        outcome.stopped.expect("a stop").reason,
        StopReason::Requested
    );
    assert_eq!(told.len(), 3);
    // A box on a plane touches at its two corners.
    assert_eq!(told[2].1, 2);
    assert!((told[2].0 - 0.03).abs() < 1e-12);
}

/// Keeps the bits of all states and impulses.
#[derive(Default)]
struct Bits {
    all: Vec<u64>,
    last: Vec<bool>,
}

impl Observer for Bits {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let Some(WorldRef::Plane(world)) = step.world() else {
            panic!("a plane scene");
        };
        for velocity in &world.state().velocities {
            self.all.extend(velocity.iter().map(|x| x.to_bits()));
        }
        for k in 0..world.num_contacts() {
            let impulse = world.contact(k).impulse.iter();
            self.all.extend(impulse.map(|x| x.to_bits()));
        }
        self.last.push(step.last);
        Ok(())
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let text = r#"kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "m"
density = 1000
[[law]]
between = ["any", "any"]
friction = 0.4
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "m"
fixed = true
[[grid]]
name = "grains"
material = "m"
radius = { uniform = [0.04, 0.05] }
seed = 3
counts = [12, 12]
origin = [0, 0.06]
[run]
until = 0.2
step = 2e-3
"#;
    let scene = parsed(text);
    let run = |threads: usize| {
        let mut bits = Bits::default();
        let threads = Threads::new(threads);
        let collection = scene.build_bodies().expect("bodies");
        let wanted = ObservableRequest::default();
        percuss_run::run_bodies(&scene, collection, &wanted, threads, &mut bits, &mut |_| {
            true
        });
        bits
    };
    let (one, two) = (run(1), run(2));
    assert!(one.all.len() > 100 * 144 * 3, "contacts took part");
    assert_eq!(one.all, two.all);
    // The end is told once.
    assert_eq!(one.last.iter().filter(|last| **last).count(), 1);
    assert_eq!(one.last.last(), Some(&true));
}

#[test]
fn a_block_on_a_slope_does_not_creep_and_the_certificate_says_so() {
    let edits = [("[0, \"-g\"]", "[4, -9]"), ("until = 0.1", "until = 2")];
    let outcome = observed(&edited(BLOCK, &edits), &["block_x"]);
    assert!(outcome.certificate.ok, "{:?}", outcome.certificate);
    assert_eq!(outcome.certificate.steps, 200);
    assert_eq!(outcome.most_contacts, 2);
    let [x] = last(&edited(BLOCK, &edits), ["block_x"]);
    // 4/9 < 0.5: it stays, to the tolerance of the solver.
    assert!(x.abs() < 1e-9, "{x}");
}
