//! Sessions: locks, checkpoints that are whole or passed over, rows that are not yet a chunk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percuss_record::{
    CHUNK_ROWS, Column, ColumnType, ColumnValues, EncodedBytes, LOCK, Lock, LockState, Manifest,
    OutputDirectory, RecordError, RunWriter, Snapshot, TableWriter, decode, encode,
};
use percuss_scene::CheckpointPolicy;

fn manifest() -> Manifest {
    let mut manifest = Manifest::new("run", "sample");
    manifest.text = "a text".into();
    manifest
}

fn table() -> TableWriter {
    let column = |name: &str, kind| Column::new(name, kind, "1", "something");
    let columns = vec![
        column("count", ColumnType::Integer),
        column("value", ColumnType::Real),
        column("maybe", ColumnType::Real).or_null(),
        column("word", ColumnType::Text),
        column("truth", ColumnType::Truth),
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
            ColumnValues::Integer(v) => v.push(k as i64 - 2),
            ColumnValues::Real(v) => v.push(odd(k)),
            ColumnValues::Optional(v) => v.push((!k.is_multiple_of(3)).then(|| odd(k))),
            ColumnValues::Text(v) => v.push(Arc::from(["stick", "slip", "né"][k % 3])),
            ColumnValues::Truth(v) => v.push(k.is_multiple_of(2)),
        }
    }
}

fn bits(values: &[ColumnValues]) -> String {
    let all = values.iter().map(|column| match column {
        ColumnValues::Real(v) => format!("{:?}", v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
        ColumnValues::Optional(v) => {
            let each = v.iter().map(|x| x.map(f64::to_bits));
            format!("{:?}", each.collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    });
    all.collect()
}

fn snapshot(k: usize) -> Snapshot {
    Snapshot {
        motion: encode(&format!("motion {k}")).expect("packed"),
        history: encode(&vec![k; 3]).expect("packed"),
    }
}

/// A directory with `count` checkpoints, each with ten more rows; nothing was closed.
fn left(path: &Path, count: usize) -> TableWriter {
    let place = OutputDirectory::Given(path.into());
    let mut session = RunWriter::new(place, manifest(), CheckpointPolicy::default()).expect("free");
    session.open().expect("made");
    let mut table = table();
    for k in 1..=count {
        for row in 0..10 {
            push(&mut table, 10 * k + row);
            session.submit_full_chunk(&mut table).expect("given");
        }
        let tables = std::iter::once(&table);
        session
            .write_checkpoint(tables, &k, snapshot(k))
            .expect("kept");
    }
    table
}

fn resume(path: &Path, manifest: Manifest) -> (RunWriter, Vec<String>) {
    let lock = Lock::take_abandoned(path)
        .expect("nobody holds it")
        .expect("left");
    RunWriter::resume(path, lock, manifest, CheckpointPolicy::default()).expect("readable")
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
    assert_eq!((session.checkpoint_number(), notes.len()), (4, 0));
    let mut after = table();
    session.restore_table(&mut after).expect("the same columns");
    assert_eq!(bits(before.values()), bits(after.values()));
    assert_eq!(
        session.restored_recorder::<usize>().expect("a number"),
        Some(4)
    );
    let restored = session.take_restored().expect("kept");
    assert_eq!(decode::<String>(&restored.motion), Ok("motion 4".into()));
    let histories: Vec<Vec<usize>> = restored
        .histories
        .iter()
        .map(|h| decode(h).expect("a list"))
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
            assert_eq!(session.checkpoint_number(), 2);
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
    assert_eq!((session.checkpoint_number(), notes.len()), (0, 2));
    assert!(notes[0].contains("another scene"), "{notes:?}");
    assert!(!path.join("history-000001.bin").exists());
}

#[test]
fn a_chunk_that_is_not_the_one_counted_makes_later_checkpoints_useless() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let place = OutputDirectory::Given(path.clone());
    let mut session = RunWriter::new(place, manifest(), CheckpointPolicy::default()).expect("free");
    session.open().expect("made");
    let mut things = table();
    session
        .write_checkpoint(std::iter::once(&things), &(), snapshot(1))
        .expect("kept");
    for k in 0..CHUNK_ROWS {
        push(&mut things, k);
    }
    session.submit_full_chunk(&mut things).expect("given");
    session
        .write_checkpoint(std::iter::once(&things), &(), snapshot(2))
        .expect("kept");
    drop(session);
    let chunk = path.join("things-000000.parquet");
    let mut bytes = fs::read(&chunk).expect("there before its checkpoint is");
    bytes.truncate(bytes.len() - 1);
    fs::write(&chunk, bytes).expect("writable");
    let (session, notes) = resume(&path, manifest());
    assert_eq!(session.checkpoint_number(), 1);
    assert!(notes[0].contains("things-000000.parquet"), "{notes:?}");
    assert!(!chunk.exists(), "rows after the checkpoint are dropped");
}

#[test]
fn one_session_at_a_time_has_a_directory() {
    let here = tempfile::tempdir().expect("a folder");
    let path: PathBuf = here.path().join("run");
    let new = || {
        RunWriter::new(
            OutputDirectory::Given(path.clone()),
            manifest(),
            CheckpointPolicy::default(),
        )
    };
    assert_eq!(Lock::state(&path), LockState::Free);
    let (mut first, mut second) = (new().expect("free"), new().expect("free"));
    first.open().expect("made");
    let refused = second.open().expect_err("taken");
    assert!(!refused.is_fault(), "{refused}");
    assert_eq!(Lock::state(&path), LockState::Held);
    assert!(matches!(
        Lock::take_abandoned(&path),
        Err(RecordError::Busy { .. })
    ));
    drop(first);
    assert_eq!(Lock::state(&path), LockState::Abandoned);
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
    let place = OutputDirectory::Given(path.clone());
    let mut session = RunWriter::new(place, manifest(), CheckpointPolicy::default()).expect("free");
    session.open().expect("made");
    fs::remove_dir_all(&path).expect("removed");
    let mut things = table();
    for k in 0..CHUNK_ROWS {
        push(&mut things, k);
    }
    session.submit_full_chunk(&mut things).expect("given away");
    let fault = session.flush().expect_err("the directory is gone");
    assert!(fault.is_fault() && fault.to_string().contains("things-000000"));
    let again = session.write_checkpoint(std::iter::once(&things), &(), snapshot(1));
    assert!(again.is_err_and(|e| e.is_fault()), "told again");
}

#[test]
fn what_stands_for_no_such_value_is_an_error() {
    assert!(decode::<Vec<f64>>(&EncodedBytes(vec![9, 1])).is_err());
    assert!(decode::<String>(&EncodedBytes(Vec::new())).is_err());
}
