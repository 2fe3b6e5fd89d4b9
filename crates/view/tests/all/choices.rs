//! Records with less in them than usual, damaged ones, runs under way.

use std::fs;

use percuss_record::{CHUNK_ROWS, Record};
use percuss_scene::CheckpointPolicy;
use percuss_view::{BinaryTable, FollowedRun, Query};
use serde_json::Value;
use tempfile::tempdir;

use crate::common::{PLANE, bodies, crowd, follow, numbers, opened};

fn about(run: &FollowedRun) -> Value {
    let answer = run.answer(&Query::About).expect("an answer");
    serde_json::from_slice(&answer.bytes).expect("JSON")
}

fn pack(run: &FollowedRun, ask: &Query) -> BinaryTable {
    let answer = run.answer(ask).unwrap_or_else(|e| panic!("{ask:?}: {e}"));
    BinaryTable::decode(&answer.bytes).unwrap_or_else(|e| panic!("{ask:?}: {e}"))
}

fn with(keys: &str) -> String {
    format!("{PLANE}[record]\n{keys}\n")
}

#[test]
fn what_was_not_recorded_is_told_and_the_rest_is_shown() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(&with("tables = [\"bodies\"]"), &path);
    let run = opened(&path);
    let told = about(&run);
    assert_eq!(told["contact_frames"], 0);
    let notes = told["notes"].to_string();
    assert!(notes.contains("was not recorded"), "{notes}");
    assert_eq!(
        run.answer(&Query::Contacts(0)).expect_err("none").status(),
        404
    );
    assert!(pack(&run, &Query::Bodies(1)).column("contacts").is_none());

    let path = folder.path().join("contacts");
    bodies(&with("tables = [\"contacts\"]"), &path);
    let run = opened(&path);
    let told = about(&run);
    assert_eq!((&told["frames"], &told["bodies"]), (&0.into(), &5.into()));
    assert!(told["contact_frames"].as_u64() > Some(0));
    assert_eq!(pack(&run, &Query::Shapes).columns().len(), 8);
    assert_eq!(
        run.answer(&Query::Bodies(0)).expect_err("none").status(),
        404
    );
    assert!(pack(&run, &Query::Contacts(0)).column("sn").is_some());
}

#[test]
fn bodies_that_were_not_chosen_have_no_numbers() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(&with("bodies = [\"coin\", \"box\"]"), &path);
    let run = opened(&path);
    let state = pack(&run, &Query::Bodies(2));
    let x = numbers(&state, "x");
    let there: Vec<bool> = x.iter().map(|x| x.is_finite()).collect();
    assert_eq!(there, [false, false, true, false, true]);
    let history = pack(&run, &Query::BodyHistory(4));
    let table = record.table("bodies", None).expect("states");
    let body = table.numbers("body");
    let known = table
        .numbers("x")
        .into_iter()
        .zip(body)
        .filter(|(_, b)| *b == 4.0);
    let known: Vec<f64> = known.map(|(x, _)| x).collect();
    assert_eq!(numbers(&history, "x"), known);
    assert_eq!(
        run.answer(&Query::BodyHistory(3))
            .expect_err("none")
            .status(),
        404
    );
}

#[test]
fn steps_without_contacts_are_known_as_such_where_cadences_agree() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(&crowd(3, 6), &path);
    let frames = pack(&opened(&path), &Query::Frames);
    // Nothing ever touches: all steps but the start are known to have no contacts.
    assert_eq!(
        numbers(&frames, "contact_step"),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    let path = folder.path().join("thinned");
    bodies(
        &format!("{}[record]\ncontacts_every = 2\n", crowd(3, 6)),
        &path,
    );
    let frames = pack(&opened(&path), &Query::Frames);
    assert!(numbers(&frames, "contact_step").is_empty());
}

#[test]
fn a_frame_of_several_chunks_is_found_and_read_whole() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let count = CHUNK_ROWS + CHUNK_ROWS / 2;
    let record = bodies(&crowd(count, 4), &path);
    assert!(record.chunks("bodies").expect("chunks").len() > 4);
    let run = opened(&path);
    for frame in [0, 2, 4] {
        let state = pack(&run, &Query::Bodies(frame));
        let (x, y) = (numbers(&state, "x"), numbers(&state, "y"));
        assert_eq!(x.len(), count + 1);
        assert!(x.iter().all(|x| x.is_finite()));
        // The runner goes one metre a step, the others stay.
        let runner = x[0] - x[count];
        let began = numbers(&pack(&run, &Query::Bodies(0)), "x");
        assert!(
            (runner - (began[0] - began[count]) - frame as f64).abs() < 1e-2,
            "{runner}"
        );
        assert!(y[0] > y[count]);
    }
    let history = pack(&run, &Query::BodyHistory(0));
    assert_eq!(numbers(&history, "x"), [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(
        run.answer(&Query::Bodies(5)).expect_err("none").status(),
        404
    );
}

/// The newest state is there as a whole, and so is the history of the runner.
fn check_newest(run: &FollowedRun, frames: usize, count: usize) {
    let Some(last) = frames.checked_sub(1) else {
        return;
    };
    let state = pack(run, &Query::Bodies(last));
    let x = numbers(&state, "x");
    assert!(x.len() == count + 1 && x.iter().all(|x| x.is_finite()));
    assert_eq!(state.extra()["step"], last);
    let history = pack(run, &Query::BodyHistory(0));
    let known: Vec<f64> = (0..frames).map(|k| k as f64).collect();
    assert_eq!(numbers(&history, "x"), known);
}

#[test]
fn a_run_under_way_shows_whole_steps_and_grows() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    // A checkpoint every 7 steps, a chunk of `bodies` every 65 or so.
    let cadence = CheckpointPolicy {
        every: Some(7),
        seconds: 0.0,
        keep: 2,
    };
    let (count, steps) = (1000, 150);
    let mut seen: Vec<(usize, usize, u64)> = Vec::new();
    let mut run: Option<FollowedRun> = None;
    follow(&crowd(count, steps), &path, cadence, &mut |step| {
        if step % 10 != 5 {
            return;
        }
        // Longer than a look holds.
        std::thread::sleep(std::time::Duration::from_millis(220));
        let run = run.get_or_insert_with(|| opened(&path));
        let about = about(run);
        assert_eq!(about["state"], "running");
        let frames = about["frames"].as_u64().expect("a count") as usize;
        check_newest(run, frames, count);
        // What is in a checkpoint or a chunk is seen: all but the last steps.
        assert!(
            step < 8 || frames + 8 > step,
            "{frames} frames after step {step}"
        );
        assert!(frames <= step + 1);
        let account = pack(run, &Query::Steps(None));
        assert!(numbers(&account, "t").len() <= step);
        seen.push((step, frames, about["revision"].as_u64().expect("a number")));
    });
    assert!(
        seen.windows(2)
            .all(|w| w[0].1 <= w[1].1 && w[0].2 <= w[1].2),
        "{seen:?}"
    );
    assert!(seen.windows(2).any(|w| w[0].2 < w[1].2), "{seen:?}");
    std::thread::sleep(std::time::Duration::from_millis(220));
    let run = run.expect("a run");
    let about = about(&run);
    assert_eq!(
        (&about["state"], &about["frames"]),
        (&"ended".into(), &(steps + 1).into())
    );
    let account = pack(&run, &Query::Steps(None));
    let table = Record::open(&path)
        .expect("a run")
        .table("steps", None)
        .expect("steps");
    assert_eq!(numbers(&account, "kinetic"), table.numbers("kinetic"));
}

#[test]
fn a_damaged_chunk_is_named_and_the_rest_is_shown() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(PLANE, &path);
    let chunk = path.join("contacts-000000.parquet");
    let mut bytes = fs::read(&chunk).expect("a chunk");
    let middle = bytes.len() / 3;
    bytes[middle] ^= 0x55;
    fs::write(&chunk, &bytes).expect("written");
    let run = opened(&path);
    let error = run.answer(&Query::Contacts(1)).expect_err("damaged");
    assert!(
        error.to_string().contains("contacts-000000.parquet"),
        "{error}"
    );
    assert_eq!(error.status(), 500);
    assert!(numbers(&pack(&run, &Query::Steps(None)), "t").len() == 40);
    // Cut off: told among the notes, and states are shown all the same.
    fs::write(&chunk, &bytes[..100]).expect("written");
    let run = opened(&path);
    let notes = about(&run)["notes"].to_string();
    assert!(notes.contains("damaged"), "{notes}");
    assert!(numbers(&pack(&run, &Query::Bodies(1)), "x")[4].is_finite());
    fs::remove_file(path.join("run.json")).expect("removed");
    assert!(FollowedRun::open(&path).is_err());
}

#[test]
fn a_periodic_cell_comes_with_its_vectors_and_shifts() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let text = r#"kind = "bodies"
[world]
dimension = 2
[cell]
size = [1, 1]
strain_rate = { xy = 0.1 }
[[material]]
name = "m"
density = 1
[[law]]
between = ["m", "m"]
friction = 0.5
[[body]]
name = "left"
shape = { disc = 0.05 }
material = "m"
position = [0.1, 0.5]
velocity = [-1, 0]
[[body]]
name = "right"
shape = { disc = 0.05 }
material = "m"
position = [0.9, 0.5]
velocity = [1, 0]
[run]
until = 0.1
step = 0.01
"#;
    let record = bodies(text, &path);
    let run = opened(&path);
    assert_eq!(about(&run)["cell"], true);
    let cells = record.table("cell", None).expect("a cell");
    let frames = numbers(&pack(&run, &Query::Frames), "step");
    let last = frames.len() - 1;
    let state = pack(&run, &Query::Bodies(last));
    let cell = &state.extra()["cell"];
    for (j, vector) in ["a", "b"].iter().enumerate() {
        for (k, axis) in ["x", "y"].iter().enumerate() {
            let known = cells.numbers(&format!("{vector}_{axis}"));
            assert_eq!(
                cell[j][k].as_f64(),
                known.last().copied(),
                "{vector}_{axis}"
            );
        }
    }
    let contacts = record.table("contacts", None).expect("contacts");
    assert!(contacts.rows > 0, "they meet through the face of the cell");
    let steps = numbers(&pack(&run, &Query::Frames), "contact_step");
    let first = contacts.numbers("step")[0];
    let frame = steps.iter().position(|s| *s == first).expect("a frame");
    let touches = pack(&run, &Query::Contacts(frame));
    let shift = numbers(&touches, "shift_x")[0];
    assert_eq!(shift, f64::from(contacts.numbers("shift_x")[0] as f32));
    // The image that touches is one cell away.
    assert!((shift.abs() - 1.0).abs() < 0.1, "{shift}");
}
