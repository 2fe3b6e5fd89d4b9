//! `percuss verify` finds a single altered figure, whoever wrote the checksums, and passes what was not
//! altered.

use percuss_record::{ColumnValues, Manifest, RunStatus};

use crate::common::alter::{
    all_altered_are_found, altered_are_found, begin, chosen, entry, found_in, rewrite, verify,
};
use crate::common::{folder, percuss};

const PAIR: &[&str] = &["a", "b"];

#[test]
fn one_impulse_altered_by_a_millionth_is_found_in_the_plane() {
    let figures: [(&str, &str, &[&str]); 2] = [
        ("contacts", "impulse_n", PAIR),
        ("contacts", "impulse_t1", PAIR),
    ];
    altered_are_found("arch", &["until=0.05"], &figures);
    // Thinned: no state before a recorded step is there.
    altered_are_found("arch", &["until=0.2", "record_every=7"], &figures);
}

#[test]
fn one_impulse_altered_by_a_millionth_is_found_in_space() {
    let figures: [(&str, &str, &[&str]); 3] = [
        ("contacts", "impulse_n", PAIR),
        ("contacts", "impulse_t1", PAIR),
        ("contacts", "impulse_t2", PAIR),
    ];
    altered_are_found("dome", &["until=0.04"], &figures);
    altered_are_found("vault", &["until=0.03", "record_every=4"], &figures);
    let moments: [(&str, &str, &[&str]); 1] = [("contacts", "impulse_roll2", PAIR)];
    altered_are_found("rolling-resistance", &["until=0.1"], &moments);
}

#[test]
fn one_impulse_of_a_joint_altered_by_a_millionth_is_found() {
    let figures: [(&str, &str, &[&str]); 1] = [("joints", "impulse", &["name"])];
    altered_are_found("trapdoor", &["until=0.2"], &figures);
    altered_are_found(
        "four-bar-clearance",
        &["until=0.005", "record_every=50"],
        &figures,
    );
}

#[test]
fn one_impulse_of_a_mechanism_altered_by_a_millionth_is_found() {
    let normal: [(&str, &str, &[&str]); 1] = [("contacts", "impulse_n", &["constraint"])];
    altered_are_found("pendulum", &["until=0.5"], &normal);
    altered_are_found("ladder-detach", &["until=0.1"], &normal);
    let both: [(&str, &str, &[&str]); 2] = [
        ("contacts", "impulse_n", &["constraint"]),
        ("contacts", "impulse_t1", &["constraint"]),
    ];
    // Forces of velocity are iterated: momenta of mechanisms are compared to 1e-10.
    all_altered_are_found("wedge", &["until=0.5"], &both, 0.1);
}

#[test]
fn an_altered_velocity_position_normal_or_account_is_found() {
    let body: &[&str] = &["body"];
    let figures: [(&str, &str, &[&str]); 2] =
        [("bodies", "x", body), ("contacts", "normal_y", PAIR)];
    altered_are_found("quake-column", &["until=0.5"], &figures);
    // Velocities near rest are below the rounding of the impulses that hold the body; this wall slides.
    let velocities: [(&str, &str, &[&str]); 3] = [
        ("bodies", "vx", body),
        ("contacts", "begin_t1", PAIR),
        ("contacts", "end_t1", PAIR),
    ];
    all_altered_are_found("wall-perfect", &["until=0.05"], &velocities, 0.1);
    let account: [(&str, &str, &[&str]); 4] = [
        ("steps", "kinetic", &[]),
        ("steps", "sliding", &[]),
        ("steps", "boundary", &[]),
        ("steps", "penetration", &[]),
    ];
    // Works are compared relative to the energies of their step.
    all_altered_are_found("wall-perfect", &["until=0.05"], &account, 0.1);
    let state = ["y_dot", "y"].map(|column| ("coordinates", column, &[] as &[&str]));
    altered_are_found("ladder-detach", &["until=0.1"], &state);
}

#[test]
fn a_start_that_is_not_the_scenes_is_found() {
    // Thinned: no step begins where the run does, and only the scene says where that is.
    for (scene, until, table, column) in [
        ("three-discs", "until=0.05", "bodies", "x"),
        ("newtons-cradle", "until=0.1", "coordinates", "x1"),
    ] {
        let folder = folder();
        begin(folder.path(), scene, &[until, "record.every=7"]);
        assert_eq!(verify(folder.path(), &[]).status, 0, "{scene}");
        rewrite(folder.path(), table, |all| {
            for row in 0..all.rows {
                if all.values[0].number(row) == 0.0 {
                    *entry(all, column, row) += 1e-9;
                }
            }
        });
        let report = verify(folder.path(), &[]).json();
        assert_eq!(report["offenders"][0]["check"], "start", "{report}");
        assert_eq!(report["offenders"][0]["step"], 0, "{report}");
    }
    // A start that preparations made is said not to be compared.
    let folder = folder();
    std::fs::write(folder.path().join("shear.toml"), SHEAR).expect("written");
    begin(folder.path(), "shear.toml", &[]);
    let unchecked = verify(folder.path(), &[]).json()["unchecked"].to_string();
    assert!(unchecked.contains("preparations"), "{unchecked}");
}

#[test]
fn other_integrators_and_impact_laws_are_verified() {
    let runs: [(&str, &[&str]); 14] = [
        ("ladder-detach", &["integrator=paoli", "until=0.2"]),
        ("ladder-detach", &["integrator=event", "until=0.2"]),
        ("pendulum", &["integrator=theta", "theta=0.6", "until=1"]),
        ("pendulum", &["integrator=paoli", "until=1"]),
        ("double-pendulum", &["forces=begin", "until=1"]),
        (
            "unilateral-pendulum",
            &["tangent_cone=end", "step=1e-4", "until=1"],
        ),
        ("double-pendulum-wall", &["tangent_cone=end", "until=1"]),
        (
            "ladder-detach",
            &["tangent_cone=end", "until=0.2", "record.every=7"],
        ),
        ("painleve-rod", &["tangent_cone=end"]),
        ("newtons-cradle", &["law=sequential"]),
        ("newtons-cradle", &["law=poisson"]),
        ("newtons-cradle", &["law=lzb", "e=0.9"]),
        ("impact-map", &[]),
        ("ball-e05", &["law=energetic"]),
    ];
    for (scene, set) in runs {
        let folder = folder();
        begin(folder.path(), scene, set);
        let ran = verify(folder.path(), &[]);
        assert_eq!(ran.status, 0, "{scene} {set:?}: {}", ran.out);
        let steps = ran.json()["steps"].as_u64().unwrap_or(0);
        assert!(steps >= 100, "{scene} {set:?}: {steps} steps");
    }
    let impulse: [(&str, &str, &[&str]); 1] = [("contacts", "impulse_n", &["constraint"])];
    let theta = ["integrator=theta", "theta=0.6", "until=0.3"];
    altered_are_found("pendulum", &theta, &impulse);
    // Every state is recorded: else impulses cannot be told.
    let end = [
        "tangent_cone=end",
        "step=1e-4",
        "until=0.2",
        "record.every=1",
    ];
    altered_are_found("unilateral-pendulum", &end, &impulse);
}

/// Discs in a cell that is sheared at a given rate under a given stress.
pub const SHEAR: &str = r#"
kind = "bodies"
title = "Shear of a periodic cell (a test)"

[world]
dimension = 2

[cell]
size = [14, 14]
stress = { yy = 1 }
strain_rate = { xy = 0.05 }

[[material]]
name = "grain"
density = 1

[[law]]
between = ["grain", "grain"]
friction = 0.3

[[packing]]
name = "grains"
region = "cell"
radius = { mix = [[0.9, 1], [1.2, 1]] }
fraction = 0.4
seed = 3
material = "grain"

[[prepare]]
name = "compression"
until = 60
step = 0.1
stop = "cell_fraction > 0.7"
must = true

[run]
until = 20
step = 0.1
tolerance = 1e-5
activation = "predicted"
record_every = 3
"#;

/// Every kind of row that joints have, in space, on bodies with unequal moments.
pub const HINGES: &str = r#"
kind = "bodies"
title = "Hinges in space (a test)"

[world]
dimension = 3
gravity = [0, 0, -9.81]

[[material]]
name = "wood"
density = 600

[[law]]
between = ["wood", "wood"]
friction = 0.4

[[body]]
name = "door"
shape = { box = [0.8, 0.05, 1.2] }
material = "wood"
position = [0.4, 0, 0]
spin = [0, 0, 2]

[[body]]
name = "flap"
shape = { box = [0.3, 0.04, 0.2] }
material = "wood"
position = [0.95, 0, 0]

[[body]]
name = "slider"
shape = { box = [0.1, 0.1, 0.1] }
material = "wood"
position = [0, 2, 0]
velocity = [0, 0, 0.3]

[[body]]
name = "ball"
shape = { sphere = 0.1 }
material = "wood"
position = [2, 2, 0]
velocity = [0.1, 0, 0]

[[joint]]
name = "hinge"
kind = "revolute"
between = ["world", "door"]
at = [0, 0, 0]
axis = [0, 0, 1]
friction = 0.3
radius = 0.02
limits = { low = -1, high = 0.3, restitution = 0.3 }

[[joint]]
name = "knee"
kind = "revolute"
between = ["door", "flap"]
at = [0.8, 0, 0]
axis = [0, 1, 0]
spring = { stiffness = 5, damping = 0.1 }

[[joint]]
name = "rail"
kind = "prismatic"
between = ["world", "slider"]
at = [0, 2, 0]
axis = [0, 0, 1]
motor = { speed = "0.2*sin(3*t)", bound = 8 }

[[joint]]
name = "string"
kind = "spherical"
between = ["world", "ball"]
at = [2, 2, 0.5]
friction = 0.1
radius = 0.01

[run]
until = 0.4
step = 1e-3
record_every = 1
"#;

#[test]
fn cells_that_deform_and_joints_in_space_are_verified() {
    let figures: [(&str, &str, &[&str]); 3] = [
        ("contacts", "impulse_n", PAIR),
        ("contacts", "impulse_t1", PAIR),
        ("contacts", "shift_x", PAIR),
    ];
    let shear = folder();
    std::fs::write(shear.path().join("shear.toml"), SHEAR).expect("written");
    found_in(shear.path(), "shear.toml", &[], &figures, 1e-3);
    let hinges = folder();
    std::fs::write(hinges.path().join("hinges.toml"), HINGES).expect("written");
    let figures: [(&str, &str, &[&str]); 2] = [
        // Where the state before is recorded it is the momentum of a body that tells, by the body's name.
        ("joints", "impulse", &[]),
        ("midpoints", "vz", &["body"]),
    ];
    found_in(hinges.path(), "hinges.toml", &[], &figures, 1e-2);
}

#[test]
fn a_contact_that_is_left_out_is_found() {
    let folder = folder();
    begin(folder.path(), "three-discs", &["until=0.05"]);
    // The contact goes, and the count of the account with it: the overlap is still there.
    let mut step = 0;
    rewrite(folder.path(), "contacts", |all| {
        let row = chosen(all, "impulse_n", 0.5, 0.5);
        step = all.column("step").map_or(0, |s| s.number(row) as i64);
        for values in &mut all.values {
            remove(values, row);
        }
        all.rows -= 1;
    });
    rewrite(folder.path(), "steps", |all| {
        let place = all
            .columns
            .iter()
            .position(|c| c.name == "active")
            .expect("active");
        let row = (0..all.rows).find(|r| all.values[0].number(*r) as i64 == step);
        if let ColumnValues::Integer(active) = &mut all.values[place] {
            active[row.expect("the step")] -= 1;
        }
    });
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 1);
    let report = ran.json();
    let offenders = report["offenders"].as_array().expect("a list");
    assert!(offenders.iter().any(|o| o["step"] == step), "{offenders:?}");
}

fn remove(values: &mut ColumnValues, row: usize) {
    match values {
        ColumnValues::Integer(v) => drop(v.remove(row)),
        ColumnValues::Real(v) => drop(v.remove(row)),
        ColumnValues::Optional(v) => drop(v.remove(row)),
        ColumnValues::Truth(v) => drop(v.remove(row)),
        ColumnValues::Text(v) => drop(v.remove(row)),
    }
}

#[test]
fn a_changed_byte_is_told_by_its_checksum_and_file() {
    let folder = folder();
    begin(folder.path(), "three-discs", &["until=0.05"]);
    let path = folder.path().join("run/contacts-000000.parquet");
    let mut bytes = std::fs::read(&path).expect("the chunk");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let report = ran.json();
    assert_eq!(report["offenders"][0]["check"], "checksums");
    let what = report["offenders"][0]["what"].as_str().unwrap_or("");
    assert!(what.contains("contacts-000000.parquet"), "{what}");
}

#[test]
fn an_interrupted_run_is_verified_as_far_as_it_goes() {
    let folder = folder();
    begin(folder.path(), "three-discs", &["until=0.05"]);
    let whole = verify(folder.path(), &[]).json()["steps"]
        .as_u64()
        .expect("a number");
    // Contacts end within a step, as when the last chunk was not written.
    rewrite(folder.path(), "contacts", |all| {
        let keep = all.rows - 7;
        for values in &mut all.values {
            (0..7).for_each(|_| remove(values, keep));
        }
        all.rows = keep;
    });
    let directory = folder.path().join("run");
    let mut manifest = Manifest::read(&directory).expect("a manifest");
    manifest.status = RunStatus::Running;
    for table in &mut manifest.tables {
        (table.rows, table.checksums) = (None, None);
    }
    manifest.write(&directory).expect("written");
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    let report = ran.json();
    let steps = report["steps"].as_u64().expect("a number");
    assert!(steps + 2 <= whole && steps > 0, "{steps} of {whole}");
    assert!(
        report["ends"]
            .as_str()
            .is_some_and(|e| e.contains("interrupted"))
    );
}

#[test]
fn steps_are_chosen_and_what_is_no_run_is_refused() {
    let folder = folder();
    begin(folder.path(), "arch", &["until=0.05"]);
    let count = |more: &[&str]| verify(folder.path(), more).json()["steps"].as_u64();
    assert_eq!(count(&[]), Some(50));
    assert_eq!(count(&["--steps", "11..20"]), Some(10));
    assert_eq!(count(&["--every", "10"]), Some(5));
    let words = percuss(folder.path(), &["verify", "run", "--steps", "20..11"]);
    assert_eq!(words.status, 2, "{}", words.err);
    let nothing = percuss(folder.path(), &["verify", "elsewhere"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.err.contains("there is no such directory"),
        "{}",
        nothing.err
    );
    let people = percuss(folder.path(), &["verify", "run"]);
    assert!(people.out.contains("momentum") && people.out.contains("all figures agree"));
}
