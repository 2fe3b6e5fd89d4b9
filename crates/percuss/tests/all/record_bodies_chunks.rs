//! Records of bodies in chunks: bounds between them, runs that are killed, refused or stopped.

use std::fs;

use percuss_bodies::{Plane, Space, World};
use percuss_record::frame::RecordedFrames;
use percuss_record::{
    CHUNK_ROWS, CellValue, ColumnValues, Observer, Record, RunStatus, Step, WorldRef,
    read_body_descriptions,
};

use crate::record_common::{PLANE, SPACE, follow, parsed, record, recorder};

/// Discs in free fall, none touching another.
fn rain(columns: usize, rows: usize, steps: usize) -> String {
    let until = steps as f64 * 0.001;
    format!(
        "kind = \"bodies\"\n[world]\ndimension = 2\ngravity = [0, -10]\n\
         [[material]]\nname = \"m\"\ndensity = 1\n[[law]]\nbetween = [\"any\", \"any\"]\n\
         [[grid]]\nname = \"g\"\nmaterial = \"m\"\nradius = {{ uniform = [0.1, 0.2] }}\nseed = 1\n\
         counts = [{columns}, {rows}]\n[run]\nuntil = {until}\nstep = 1e-3\nrecord_every = 1\n"
    )
}

#[test]
fn states_that_lie_in_two_chunks_are_read_whole() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(&rain(30, 11, 200));
    let mut writer = recorder(&scene, &path);
    let mut heights: Vec<Vec<f64>> = Vec::new();
    let outcome = follow(&scene, &mut writer, &[], &mut |_, view| {
        if let WorldRef::Plane(world) = view {
            heights.push(world.state().poses.iter().map(|p| p.position.y).collect());
        }
    });
    // Not closed: as a killed run leaves it, one chunk is there and can be drawn from.
    writer.flush().expect("written");
    let record = Record::open(&path).expect("a run");
    assert_eq!(record.manifest().status, RunStatus::Running);
    assert_eq!(record.num_rows("bodies").expect("there"), CHUNK_ROWS);
    let states = RecordedFrames::of(&record).expect("readable");
    assert_eq!((states.bodies.len(), states.len()), (330, CHUNK_ROWS / 330));
    let still = states.read(states.len() - 1, true).expect("there");
    assert_eq!(still.bodies.len(), 330);

    writer.close(&outcome.certificate, None).expect("written");
    let record = Record::open(&path).expect("a run");
    // 201 states of 330 bodies are 66,330 rows: state 198 begins in the first chunk.
    assert_eq!(record.num_rows("bodies").expect("there"), 66_330);
    assert!(path.join("bodies-000001.parquet").exists());
    let states = RecordedFrames::of(&record).expect("readable");
    assert_eq!(states.len(), 201);
    for k in [0, 1, 197, 198, 199, 200] {
        let still = states.read(k, false).expect("there");
        assert_eq!(still.step, k as i64);
        let found: Vec<f64> = still.bodies.iter().map(|p| p.position[1]).collect();
        assert_eq!(found, heights[k], "state {k}");
        // The nearest state to a time a little off is this one.
        assert_eq!(states.nearest(still.t + 4e-4).expect("there"), k);
    }
    assert_eq!(states.nearest(-5.0).expect("there"), 0);
    assert_eq!(states.nearest(1e9).expect("there"), 200);
    // Rows by step agree with rows by place, and so do rows by time.
    let by_step = record.step_rows("bodies", &["y"], 198).expect("there");
    assert_eq!(by_step.numbers("y"), heights[198]);
    assert_eq!(
        record.rows_near("bodies", 0.1982).expect("there"),
        (198 * 330, 330)
    );
    assert_eq!(
        record.step_rows("bodies", &["y"], 999).expect("there").rows,
        0
    );
}

#[test]
fn the_same_run_writes_the_same_bytes() {
    let here = tempfile::tempdir().expect("a folder");
    let bytes = ["a", "b"].map(|name| {
        let path = here.path().join(name);
        record(SPACE, &path, &["ball_x", "kinetic"]);
        let entries = fs::read_dir(&path).expect("a folder");
        let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
        files.sort();
        // run.json and a file of each table, and nothing that is half written.
        assert_eq!(files.len(), 6, "{files:?}");
        let read = files.iter().map(|f| fs::read(f).expect("there"));
        read.collect::<Vec<_>>()
    });
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn a_run_without_a_step_leaves_nothing() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(PLANE);
    let mut writer = recorder(&scene, &path);
    let percuss_scene::bodies_scene::BuiltBodies::Plane(a) = scene.build_bodies().expect("right")
    else {
        panic!("not in the plane");
    };
    let world = World::<Plane>::new(a.model, a.state, a.settings).expect("right");
    writer
        .on_step(&Step::of_world(0, WorldRef::Plane(&world), false))
        .expect("taken");
    writer.add_series(&[0.0], &[]).expect("nothing to do");
    writer
        .close(&(), Some("refused".into()))
        .expect("nothing to do");
    assert!(!path.exists() && writer.directory().is_none());
}

#[test]
fn a_step_that_turns_out_to_be_the_last_is_recorded_once() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(SPACE);
    let mut writer = recorder(&scene, &path);
    let percuss_scene::bodies_scene::BuiltBodies::Space(a) = scene.build_bodies().expect("right")
    else {
        panic!("not in space");
    };
    let mut world = World::<Space>::new(a.model, a.state, a.settings).expect("right");
    writer
        .on_step(&Step::of_world(0, WorldRef::Space(&world), false))
        .expect("taken");
    for step in 1..=5 {
        world.step().expect("a step");
        writer
            .on_step(&Step::of_world(step, WorldRef::Space(&world), false))
            .expect("taken");
    }
    for _ in 0..2 {
        writer
            .on_step(&Step::of_world(5, WorldRef::Space(&world), true))
            .expect("taken");
    }
    writer
        .close(&(), Some("cannot go on".into()))
        .expect("written");
    let record = Record::open(&path).expect("a run");
    let steps = record.table("steps", Some(&["step"])).expect("there");
    assert_eq!(steps.values, [ColumnValues::Integer(vec![1, 2, 3, 4, 5])]);
    let bodies = record
        .table("bodies", Some(&["step", "body"]))
        .expect("there");
    let starts = (0..bodies.rows).filter(|r| bodies.values[1].cell(*r) == CellValue::Integer(0));
    let recorded: Vec<CellValue<'_>> = starts.map(|r| bodies.values[0].cell(r)).collect();
    assert_eq!(recorded, [0, 4, 5].map(CellValue::Integer));
    assert_eq!(record.manifest().status, RunStatus::Stopped);
    assert_eq!(record.manifest().reached, Some(world.state().t));
}

#[test]
fn damaged_tables_are_errors_and_no_panic() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(PLANE);
    let mut writer = recorder(&scene, &path);
    follow(&scene, &mut writer, &[], &mut |_, _| {});
    // Without checksums, as in a run that was killed, only the files themselves can tell.
    let open = Record::open(&path).expect("a run");
    let file = path.join("names-000000.parquet");
    let bytes = fs::read(&file).expect("there");
    for place in (0..bytes.len()).step_by(5) {
        let mut altered = bytes.clone();
        altered[place] ^= 0x15;
        fs::write(&file, &altered).expect("writable");
        // Any answer but a panic: a flipped bit of a number is a number.
        let _ = RecordedFrames::of(&open).map(|s| s.read(0, true));
        fs::write(&file, &bytes[..place]).expect("writable");
        let error = read_body_descriptions(&open)
            .expect_err("cut off")
            .to_string();
        assert!(error.contains("names-000000.parquet"), "{error}");
    }
}

/// A block that friction holds on a floor under oblique gravity.
fn held(dimension: usize, gravity: &str, half: &str, sides: &str, position: &str) -> String {
    format!(
        "kind = \"bodies\"\n[world]\ndimension = {dimension}\ngravity = {gravity}\n\
         [[material]]\nname = \"m\"\n[[law]]\nbetween = [\"m\", \"m\"]\nfriction = 0.8\n\
         [[body]]\nname = \"floor\"\nshape = {half}\nmaterial = \"m\"\nfixed = true\n\
         [[body]]\nname = \"block\"\nshape = {{ box = {sides} }}\nmass = 2\nmaterial = \"m\"\n\
         position = {position}\n[run]\nuntil = 0.1\nstep = 1e-2\ntolerance = 1e-10\n"
    )
}

#[test]
fn recorded_forces_hold_a_block_against_oblique_gravity() {
    let here = tempfile::tempdir().expect("a folder");
    let plane = held(
        2,
        "[3, -10]",
        "{ half_plane = [0, 1] }",
        "[1, 0.5]",
        "[0, 0.25]",
    );
    let space = held(
        3,
        "[3, -2, -10]",
        "{ half_space = [0, 0, 1] }",
        "[1, 1, 0.5]",
        "[0, 0, 0.25]",
    );
    let cases = [
        ("plane", plane, [3.0, -10.0, 0.0]),
        ("space", space, [3.0, -2.0, -10.0]),
    ];
    for (name, text, gravity) in cases {
        let run = record(&text, &here.path().join(name), &[]);
        let states = RecordedFrames::of(&run).expect("readable");
        let still = states.read(states.len() - 1, true).expect("there");
        // The floor is body 0: forces act on the block, and friction is part of them.
        for (k, g) in gravity.iter().enumerate() {
            let sum: f64 = still.forces.iter().map(|f| f.force[k]).sum();
            // As exact as the residual of the step, of forces about 20.
            assert!((sum + 2.0 * g).abs() < 1e-6, "{name}, axis {k}: {sum}");
        }
    }
}
