//! Every number of a binary table is that of the records, read here by whole tables.

use percuss_record::{CellValue, Record, Table};
use percuss_view::{BinaryTable, BinaryValues, FollowedRun, Query};
use serde_json::Value;
use tempfile::tempdir;

use crate::common::{PLANE, SPACE, bodies, numbers, opened};

fn pack(run: &FollowedRun, ask: &Query) -> BinaryTable {
    let answer = run.answer(ask).unwrap_or_else(|e| panic!("{ask:?}: {e}"));
    assert!(!answer.json);
    BinaryTable::decode(&answer.bytes).unwrap_or_else(|e| panic!("{ask:?}: {e}"))
}

fn about(run: &FollowedRun) -> Value {
    let answer = run.answer(&Query::About).expect("an answer");
    serde_json::from_slice(&answer.bytes).expect("JSON")
}

/// Rows of a table at a step, in order.
fn rows(table: &Table, step: f64) -> Vec<usize> {
    let steps = table.numbers("step");
    (0..table.rows).filter(|row| steps[*row] == step).collect()
}

/// A number rounded to 32 bits: what a binary table can hold of it.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

fn check_states(record: &Record, run: &FollowedRun, columns: &[&str]) {
    let table = record.table("bodies", None).expect("states");
    let frames = pack(run, &Query::Frames);
    let (steps, times) = (numbers(&frames, "step"), numbers(&frames, "t"));
    let mut all: Vec<f64> = table.numbers("step");
    all.dedup();
    assert_eq!(steps, all);
    let about = about(run);
    assert_eq!(about["frames"], steps.len());
    let origin: Vec<f64> = serde_json::from_value(about["origin"].clone()).expect("numbers");
    for (frame, step) in steps.iter().enumerate() {
        let state = pack(run, &Query::Bodies(frame));
        assert_eq!(state.extra()["step"].as_f64(), Some(*step));
        assert_eq!(state.extra()["t"].as_f64(), Some(times[frame]));
        for column in columns {
            let (seen, known) = (numbers(&state, column), table.numbers(column));
            let shift = match *column {
                "x" => origin[0],
                "y" => origin[1],
                "z" => origin[2],
                _ => 0.0,
            };
            let rows = rows(&table, *step);
            assert_eq!(seen.len(), rows.len());
            for (value, row) in seen.iter().zip(rows) {
                assert_eq!(
                    *value,
                    single(known[row] - shift),
                    "{column} of step {step}"
                );
                assert_eq!(table.numbers("t")[row], times[frame]);
            }
        }
    }
}

/// Size of the tangential part of a quantity of a contact.
fn tangent(get: &dyn Fn(&str) -> f64, dimension: usize, what: &str) -> f64 {
    let second = match dimension {
        2 => 0.0,
        _ => get(&format!("{what}_t2")),
    };
    get(&format!("{what}_t1")).hypot(second)
}

/// The impulse in space axes: its part along the normal, and its size; the point and the normal.
fn check_impulse(
    at: &dyn Fn(&str) -> f64,
    get: &dyn Fn(&str) -> f64,
    axes: &[&str],
    origin: &[f64],
) {
    let sn = get("impulse_n");
    let normal: Vec<f64> = axes.iter().map(|a| get(&format!("normal_{a}"))).collect();
    let impulse: Vec<f64> = axes.iter().map(|a| at(&format!("s{a}"))).collect();
    let along: f64 = normal.iter().zip(&impulse).map(|(n, s)| n * s).sum();
    let size: f64 = impulse.iter().map(|s| s * s).sum::<f64>().sqrt();
    // Three numbers of 32 bits: half a unit in the last place of each.
    let near = |a: f64, b: f64| (a - b).abs() <= 4e-7 * sn.abs().max(1e-30);
    assert!(near(along, sn), "{along} {sn}");
    assert!(near(size, sn.hypot(tangent(get, axes.len(), "impulse"))));
    for (k, axis) in axes.iter().enumerate() {
        assert_eq!(at(axis), single(get(axis) - origin[k]));
        assert_eq!(at(&format!("n{axis}")), single(normal[k]));
    }
}

/// The number of a contact's status.
fn status(contacts: &Table, row: usize) -> f64 {
    match contacts.column("status").map(|s| s.cell(row)) {
        Some(CellValue::Text("stick")) => 1.0,
        Some(CellValue::Text("slip")) => 2.0,
        _ => 0.0,
    }
}

/// Contacts against the table; `mu` by the names of two materials.
fn check_contacts(
    record: &Record,
    run: &FollowedRun,
    mu: &dyn Fn(&str, &str) -> f64,
) -> [usize; 3] {
    let table = record.table("contacts", None).expect("contacts");
    let names = record.table("names", None).expect("names");
    let material = |body: f64| match names.column("material").map(|m| m.cell(body as usize)) {
        Some(CellValue::Text(name)) => name.to_string(),
        other => panic!("{other:?}"),
    };
    let flat = table.columns.iter().all(|c| c.name != "z");
    let axes = &["x", "y", "z"][..if flat { 2 } else { 3 }];
    let about = about(run);
    let origin: Vec<f64> = serde_json::from_value(about["origin"].clone()).expect("numbers");
    let frames = pack(run, &Query::Frames);
    let mut seen = [0; 3];
    for (frame, step) in numbers(&frames, "contact_step").iter().enumerate() {
        let touches = pack(run, &Query::Contacts(frame));
        let rows = rows(&table, *step);
        assert_eq!(
            touches.column("sn").map(BinaryValues::len),
            Some(rows.len())
        );
        let get = |name: &str, row: usize| table.numbers(name)[row];
        for (k, row) in rows.iter().enumerate() {
            let at = |name: &str| numbers(&touches, name)[k];
            for name in ["a", "b", "feature"] {
                assert_eq!(at(name), get(name, *row));
            }
            assert_eq!(at("gap"), single(get("gap", *row)));
            let sn = get("impulse_n", *row);
            assert_eq!(at("sn"), single(sn));
            check_impulse(&at, &|name| get(name, *row), axes, &origin);
            let tangential = tangent(&|name| get(name, *row), axes.len(), "impulse");
            let mu = mu(&material(get("a", *row)), &material(get("b", *row)));
            let usage = if sn > 0.0 {
                tangential / (mu * sn)
            } else {
                f64::NAN
            };
            let told = at("usage");
            // A quotient of a few roundings, then 32 bits.
            assert!(
                same(told, usage) || (told - usage).abs() <= 1e-6 * usage,
                "{told} {usage}"
            );
            let status = status(&table, *row);
            assert_eq!(at("status"), status);
            let sliding = tangent(&|name| get(name, *row), axes.len(), "end");
            assert_eq!(at("ut"), single(sliding));
            seen[status as usize] += 1;
            // What rolls may slip with less: its moment is at its bound.
            if status == 2.0 && mu == 0.4 {
                // What slides is on the edge of its cone, within the solver's tolerance.
                assert!((told - 1.0).abs() < 1e-4, "{told}");
            }
        }
    }
    seen
}

#[test]
fn states_and_contacts_of_the_plane_are_those_of_the_tables() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(PLANE, &path);
    let run = opened(&path);
    check_states(&record, &run, &["x", "y", "angle", "vx", "vy", "spin"]);
    let mu = |a: &str, b: &str| if a == b { 0.4 } else { 0.3 };
    let seen = check_contacts(&record, &run, &mu);
    assert!(seen[1] + seen[2] > 10, "{seen:?}");
}

#[test]
fn states_and_contacts_of_space_are_those_of_the_tables_far_from_the_origin() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(SPACE, &path);
    let run = opened(&path);
    let columns = [
        "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z",
    ];
    check_states(&record, &run, &columns);
    let seen = check_contacts(&record, &run, &|_, _| 0.4);
    assert!(seen[2] > 0, "something slides: {seen:?}");
    // A million metres away 32 bits alone would know the ball to 6 cm.
    let state = pack(&run, &Query::Bodies(0));
    let x = numbers(&state, "x");
    assert!((x[2] - x[1] - 1.0).abs() < 1e-6, "{x:?}");
}

#[test]
fn shapes_say_what_the_bodies_are() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(PLANE, &path);
    let run = opened(&path);
    let shapes = pack(&run, &Query::Shapes);
    assert_eq!(numbers(&shapes, "kind"), [6.0, 8.0, 4.0, 2.0, 0.0]);
    assert_eq!(numbers(&shapes, "motion"), [3.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(numbers(&shapes, "outline"), [-1.0, 0.0, 1.0, -1.0, -1.0]);
    assert_eq!(numbers(&shapes, "radius")[4], 0.25);
    assert_eq!(numbers(&shapes, "half_length")[3], single(0.15));
    let about = about(&run);
    assert_eq!(about["materials"], serde_json::json!(["stone", "wood"]));
    assert_eq!(numbers(&shapes, "material"), [0.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!(about["groups"], serde_json::json!(["all", "light"]));
    let none = f64::from(u32::MAX);
    assert_eq!(numbers(&shapes, "group")[..3], [none, none, 0.0]);
    let outlines = &shapes.extra()["outlines"];
    assert_eq!(outlines[0]["closed"], false);
    assert_eq!(outlines[1]["vertices"].as_array().map(Vec::len), Some(4));
    assert_eq!(shapes.extra()["names"][4], "coin");
    let mass = numbers(&shapes, "mass");
    // π r² ρ of the coin, to 32 bits.
    assert!((mass[4] - std::f64::consts::PI * 0.0625 * 700.0).abs() < 1e-4);
    assert!(mass[0].is_nan());
    assert_eq!(about["gravity"], serde_json::json!([0.5, -10.0]));
    let one = run.answer(&Query::Body(3)).expect("a body");
    let one: Value = serde_json::from_slice(&one.bytes).expect("JSON");
    assert_eq!(
        (&one["name"], &one["shape"]),
        (&"pill".into(), &"capsule".into())
    );
    assert_eq!(
        run.answer(&Query::Body(5))
            .expect_err("there is none")
            .status(),
        404
    );
}

#[test]
fn parts_of_a_compound_come_with_their_places() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(SPACE, &path);
    let shapes = pack(&opened(&path), &Query::Shapes);
    let place = numbers(&shapes, "outline")[4] as usize;
    assert_eq!(numbers(&shapes, "kind")[4], 10.0);
    let parts = shapes.extra()["outlines"][place]["parts"].clone();
    assert_eq!(parts.as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&parts[0]["kind"], &parts[0]["radius"]),
        (&1.into(), &0.1.into())
    );
    let x = [&parts[0], &parts[1]].map(|p| p["position"][0].as_f64().expect("a number"));
    // The two balls are 0.4 apart about their middle.
    assert!(
        (x[0] + 0.2).abs() < 1e-12 && (x[1] - 0.2).abs() < 1e-12,
        "{x:?}"
    );
}

#[test]
fn coordination_counts_contacts_with_an_impulse() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(PLANE, &path);
    let run = opened(&path);
    let table = record.table("contacts", None).expect("contacts");
    let frames = pack(&run, &Query::Frames);
    for (frame, step) in numbers(&frames, "step").iter().enumerate() {
        let state = pack(&run, &Query::Bodies(frame));
        let Some(counts) = state.column("contacts") else {
            assert_eq!(*step, 0.0, "only the start has no contacts");
            continue;
        };
        let mut known = [0.0; 5];
        for row in rows(&table, *step) {
            if table.numbers("impulse_n")[row] > 0.0 {
                known[table.numbers("a")[row] as usize] += 1.0;
                known[table.numbers("b")[row] as usize] += 1.0;
            }
        }
        let counts: Vec<f64> = (0..5).filter_map(|k| counts.number(k)).collect();
        assert_eq!(counts, known);
    }
}
