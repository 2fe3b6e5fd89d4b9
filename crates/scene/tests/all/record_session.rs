//! Sessions: locks, checkpoints that are whole or passed over, rows that are not yet a chunk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scene::record::{
    CHUNK_ROWS, Cadence, Column, LOCK, Lock, Manifest, Packed, Place, RecordError, Session,
    Snapshot, Standing, TableWriter, Type, Values, pack, unpack,
};

fn manifest() -> Manifest {
    let mut manifest = Manifest::new("run", "sample");
    manifest.text = "a text".into();
    manifest
}

fn table() -> TableWriter {
    let column = |name: &str, kind| Column::new(name, kind, "1", "something");
    let columns = vec![
        column("count", Type::Integer),
        column("value", Type::Real),
        column("maybe", Type::Real).or_null(),
        column("word", Type::Text),
        column("truth", Type::Truth),
    ];
    TableWriter::new("things", columns)
}

/// A number that only its bits tell from others: a NaN with something in it, −0, the smallest.
fn odd(k: usize) -> f64 {
    match k % 4 {
        0 => f64::from_bits(0x7ff8_0000_dead_beef),
        1 => -0.0,
        2 => f64::from_bits(1),
        _ => 0.1 * k as f64,
    }
}

fn push(table: &mut TableWriter, k: usize) {
    for values in table.values() {
        match values {
            Values::Integer(v) => v.push(k as i64 - 2),
            Values::Real(v) => v.push(odd(k)),
            Values::Optional(v) => v.push((!k.is_multiple_of(3)).then(|| odd(k))),
            Values::Text(v) => v.push(Arc::from(["stick", "slip", "né"][k % 3])),
            Values::Truth(v) => v.push(k.is_multiple_of(2)),
        }
    }
}

fn bits(values: &[Values]) -> String {
    let all = values.iter().map(|column| match column {
        Values::Real(v) => format!("{:?}", v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
        Values::Optional(v) => {
            let each = v.iter().map(|x| x.map(f64::to_bits));
            format!("{:?}", each.collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    });
    all.collect()
}

fn snapshot(k: usize) -> Snapshot {
    Snapshot {
        motion: pack(&format!("motion {k}")).expect("packed"),
        history: pack(&vec![k; 3]).expect("packed"),
    }
}

/// A directory with `count` checkpoints, each with ten more rows; nothing was closed.
fn left(path: &Path, count: usize) -> TableWriter {
    let place = Place::Given(path.into());
    let mut session = Session::new(place, manifest(), Cadence::default()).expect("free");
    session.open().expect("made");
    let mut table = table();
    for k in 1..=count {
        for row in 0..10 {
            push(&mut table, 10 * k + row);
            session.spill(&mut table).expect("given");
        }
        let tables = std::iter::once(&table);
        session.keep(tables, &k, snapshot(k)).expect("kept");
    }
    table
}

fn resume(path: &Path, manifest: Manifest) -> (Session, Vec<String>) {
    let lock = Lock::take_left(path)
        .expect("nobody holds it")
        .expect("left");
    Session::resume(path, lock, manifest, Cadence::default()).expect("readable")
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

#[test]
fn rows_that_are_not_yet_a_chunk_come_back_bit_by_bit() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut before = left(&path, 4);
    let (mut session, notes) = resume(&path, manifest());
    assert_eq!((session.number(), notes.len()), (4, 0));
    let mut after = table();
    session.restore(&mut after).expect("the same columns");
    assert_eq!(bits(before.values()), bits(after.values()));
    assert_eq!(session.recorder::<usize>().expect("a number"), Some(4));
    let restored = session.take_motion().expect("kept");
    assert_eq!(unpack::<String>(&restored.motion), Ok("motion 4".into()));
    let histories: Vec<Vec<usize>> = restored
        .histories
        .iter()
        .map(|h| unpack(h).expect("a list"))
        .collect();
    assert_eq!(histories, [[1; 3], [2; 3], [3; 3], [4; 3]]);
    // Two are kept, and all histories.
    assert!(!path.join("checkpoint-000002.bin").exists());
    assert!(path.join("checkpoint-000003.bin").exists());
    session.finish().expect("finished");
    let names = fs::read_dir(&path).expect("a folder").count();
    assert_eq!(names, 1, "the manifest alone");
}

#[test]
fn a_checkpoint_cut_or_altered_anywhere_is_passed_over() {
    let here = tempfile::tempdir().expect("a folder");
    let (path, copied) = (here.path().join("run"), here.path().join("copy"));
    left(&path, 3);
    for name in ["checkpoint-000003.bin", "history-000003.bin"] {
        let bytes = fs::read(path.join(name)).expect("there");
        let cuts = (0..bytes.len()).step_by(13).map(|n| bytes[..n].to_vec());
        let flips = (0..bytes.len()).step_by(17).map(|n| {
            let mut altered = bytes.clone();
            altered[n] ^= 16;
            altered
        });
        for wrong in cuts.chain(flips) {
            copy(&path, &copied);
            fs::write(copied.join(name), wrong).expect("writable");
            let (session, notes) = resume(&copied, manifest());
            assert_eq!(session.number(), 2);
            assert!(notes.len() == 1 && notes[0].contains(name), "{notes:?}");
            assert!(!copied.join(name).exists(), "taken away");
        }
    }
}

#[test]
fn a_checkpoint_belongs_to_its_scene() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    left(&path, 2);
    let mut other = manifest();
    other.text = "another text".into();
    let (session, notes) = resume(&path, other);
    assert_eq!((session.number(), notes.len()), (0, 2));
    assert!(notes[0].contains("another scene"), "{notes:?}");
    assert!(!path.join("history-000001.bin").exists());
}

#[test]
fn a_chunk_that_is_not_the_one_counted_makes_later_checkpoints_useless() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let place = Place::Given(path.clone());
    let mut session = Session::new(place, manifest(), Cadence::default()).expect("free");
    session.open().expect("made");
    let mut things = table();
    session
        .keep(std::iter::once(&things), &(), snapshot(1))
        .expect("kept");
    for k in 0..CHUNK_ROWS {
        push(&mut things, k);
    }
    session.spill(&mut things).expect("given");
    session
        .keep(std::iter::once(&things), &(), snapshot(2))
        .expect("kept");
    drop(session);
    let chunk = path.join("things-000000.parquet");
    let mut bytes = fs::read(&chunk).expect("there before its checkpoint is");
    bytes.truncate(bytes.len() - 1);
    fs::write(&chunk, bytes).expect("writable");
    let (session, notes) = resume(&path, manifest());
    assert_eq!(session.number(), 1);
    assert!(notes[0].contains("things-000000.parquet"), "{notes:?}");
    assert!(!chunk.exists(), "rows after the checkpoint are dropped");
}

#[test]
fn one_session_at_a_time_has_a_directory() {
    let here = tempfile::tempdir().expect("a folder");
    let path: PathBuf = here.path().join("run");
    let new = || Session::new(Place::Given(path.clone()), manifest(), Cadence::default());
    assert_eq!(Lock::standing(&path), Standing::Free);
    let (mut first, mut second) = (new().expect("free"), new().expect("free"));
    first.open().expect("made");
    let refused = second.open().expect_err("taken");
    assert!(!refused.is_fault(), "{refused}");
    assert_eq!(Lock::standing(&path), Standing::Held);
    assert!(matches!(
        Lock::take_left(&path),
        Err(RecordError::Busy { .. })
    ));
    drop(first);
    assert_eq!(Lock::standing(&path), Standing::Left);
    assert!(new().is_err(), "there is a manifest");
    // Killed before there was a manifest: nothing is lost, nothing is in the way.
    fs::remove_file(path.join("run.json")).expect("there");
    fs::write(path.join("run.part"), "{").expect("writable");
    assert!(path.join(LOCK).exists());
    let mut third = new().expect("free");
    third.open().expect("made");
    third.abandon().expect("taken away");
    assert!(path.exists() && fs::read_dir(&path).expect("a folder").next().is_none());
}

#[test]
fn a_fault_of_the_disk_comes_back_with_a_later_chunk() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let place = Place::Given(path.clone());
    let mut session = Session::new(place, manifest(), Cadence::default()).expect("free");
    session.open().expect("made");
    fs::remove_dir_all(&path).expect("removed");
    let mut things = table();
    for k in 0..CHUNK_ROWS {
        push(&mut things, k);
    }
    session.spill(&mut things).expect("given away");
    let fault = session.settle().expect_err("the directory is gone");
    assert!(fault.is_fault() && fault.to_string().contains("things-000000"));
    let again = session.keep(std::iter::once(&things), &(), snapshot(1));
    assert!(again.is_err_and(|e| e.is_fault()), "told again");
}

#[test]
fn what_stands_for_no_such_value_is_an_error() {
    assert!(unpack::<Vec<f64>>(&Packed(vec![9, 1])).is_err());
    assert!(unpack::<String>(&Packed(Vec::new())).is_err());
}
