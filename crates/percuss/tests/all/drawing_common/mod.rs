//! Runs with their records, and drawings of them.

use percuss_draw::drawing::{Drawing, DrawingValues, with_frames};
use percuss_record::{Manifest, MechanismLayout, MechanismRecorder, OutputDirectory, Record};
use percuss_run::run_mechanism;
use percuss_scene::Scene;
use tempfile::TempDir;

/// Runs a scene to its end and opens its records.
pub fn recorded(scene: &Scene) -> (TempDir, Record) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    let built = scene.build_mechanism().expect("a system");
    let manifest = Manifest::of_mechanism(scene, &built, 1);
    let layout = MechanismLayout::of_scene(scene, &built.system);
    let place = OutputDirectory::Given(path.clone());
    let every = built.record_every;
    let mut recorder =
        MechanismRecorder::new(place, manifest, layout, every).expect("a free place");
    let outcome = run_mechanism(built, &mut recorder, &mut |_| true);
    let stopped = outcome.stopped.as_ref().map(ToString::to_string);
    recorder.close(&outcome.certificate, stopped).expect("room");
    recorder.finish().expect("room");
    let record = Record::open(&path).expect("records");
    (folder, record)
}

/// The drawing of a run with at most this many states.
pub fn drawn(record: &Record, frames: usize) -> Drawing {
    let drawing = with_frames(record, frames).expect("a drawing");
    drawing.expect("mechanisms have one")
}

/// The number of an item by its name.
pub fn item(drawing: &Drawing, name: &str) -> usize {
    let found = drawing.header.items.iter().position(|i| i.name == name);
    found.unwrap_or_else(|| panic!("no item `{name}`"))
}

/// Recorded values of a coordinate or velocity.
pub fn series<'a>(drawing: &'a Drawing, name: &str) -> &'a [f64] {
    match drawing.column(&format!("q:{name}")) {
        Some(DrawingValues::F64(values)) => values,
        _ => panic!("no column of {name}"),
    }
}

/// The points of an item in a state.
pub fn points(drawing: &Drawing, item: usize, frame: usize) -> Vec<Vec<f64>> {
    let flat = drawing.points(item, frame);
    let points = flat.chunks_exact(drawing.header.dimension);
    points
        .map(|p| p.iter().map(|x| f64::from(*x)).collect())
        .collect()
}
