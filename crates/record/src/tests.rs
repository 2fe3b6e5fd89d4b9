//! Records are read back as they were written, whole or not at all.

use super::*;
use std::fs;
use std::path::Path;

use percuss_contact::Law;
use percuss_contact::law::Status as Did;
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, ConstraintReport, Event, EventKind, State,
    StateRef, StepReport, System, SystemError,
};

use crate::observer::{MechanismRef, Observer, SimulationRef, Step};

/// Two coordinates, a contact in space with rolling, a planar contact with rolling, a joint.
struct Names {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
}

impl Names {
    fn new() -> Self {
        let constraint = |name: &str, kind, rows| Constraint::new(name, kind, rows);
        Self {
            chart: ConfigurationSpace::euclidean(2),
            constraints: vec![
                constraint("floor", ConstraintKind::Contact, 2),
                constraint("wheel", ConstraintKind::Contact, 3),
                constraint("hinge", ConstraintKind::Joint, 2),
            ],
        }
    }
}

impl System for Names {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["x", "step"][i].into()
    }
    fn velocity_name(&self, i: usize) -> String {
        ["x_dot", "step_dot"][i].into()
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _: f64,
        _: &[f64],
        _: &[f64],
        _: &mut [f64],
        _: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn gaps(&mut self, _: f64, _: &[f64], _: &mut [f64]) -> Result<(), SystemError> {
        Ok(())
    }
    fn rows(
        &mut self,
        _: usize,
        _: f64,
        _: &[f64],
        _: &mut [f64],
        _: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn bias(
        &mut self,
        _: usize,
        _: f64,
        _: &[f64],
        _: &[f64],
        _: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn law(&mut self, _: usize, _: StateRef<'_>, _: f64, _: Did) -> Result<Law, SystemError> {
        Ok(Law::Frictionless)
    }
}

fn recorder(place: OutputDirectory, every: usize) -> MechanismRecorder {
    let layout = MechanismLayout::of(&Names::new(), |name| usize::from(name == "wheel"));
    MechanismRecorder::new(place, Manifest::new("run", "sample"), layout, every)
        .expect("a free place")
}

/// Feeds steps 0 to `last`: x = k/8, t = k/4; the wheel touches in even steps, an impact in step 3.
fn feed(recorder: &mut MechanismRecorder, last: usize) {
    for k in 0..=last {
        let x = k as f64 / 8.0;
        let t = k as f64 / 4.0;
        let state = State {
            t,
            q: vec![x, -x],
            v: vec![0.5, f64::NAN],
            impulse: Vec::new(),
            status: Vec::new(),
        };
        let ledger = StepReport {
            t,
            h: 0.25,
            kinetic: x,
            iterations: k,
            reached: k != 2,
            ..StepReport::default()
        };
        let touch = ConstraintReport {
            constraint: 1,
            gap: -x,
            begin: &[1.0, 2.0, 3.0],
            end: &[4.0, 5.0, 6.0],
            impulse: &[7.0, 8.0, 9.0],
            projection_impulse: &[],
            status: Did::Slip,
        };
        let event = Event {
            t: t - 0.125,
            constraint: 0,
            kind: EventKind::Impact {
                before: -2.0,
                after: 1.0,
            },
        };
        let view = MechanismRef {
            state: &state,
            report: &ledger,
            constraint_reports: match k > 0 && k % 2 == 0 {
                true => vec![touch],
                false => Vec::new(),
            },
            events: if k == 3 { &[event][..] } else { &[] },
        };
        let step = Step {
            number: k,
            last: false,
            view: SimulationRef::Mechanism(view),
        };
        recorder.on_step(&step).expect("recorded");
    }
}

fn given(path: &Path) -> OutputDirectory {
    OutputDirectory::Given(path.into())
}

#[test]
fn what_is_written_is_read_back() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("a/b");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, 5);
    writer
        .close(&serde_json::json!({"steps": 5}), None)
        .expect("written");
    writer
        .add_findings(vec![serde_json::json!({"name": "f"})])
        .expect("written");

    let record = Record::open(&path).expect("a run");
    assert_eq!(record.manifest(), writer.manifest());
    assert_eq!(record.manifest().status, RunStatus::Finished);
    assert_eq!(record.manifest().reached, Some(1.25));
    let steps = record.table("steps", None).expect("there");
    assert_eq!(steps.rows, 5);
    assert_eq!(
        steps.column("step"),
        Some(&ColumnValues::Integer(vec![1, 2, 3, 4, 5]))
    );
    let reached = vec![true, false, true, true, true];
    assert_eq!(steps.column("reached"), Some(&ColumnValues::Truth(reached)));
    assert_eq!(steps.numbers("kinetic"), [0.125, 0.25, 0.375, 0.5, 0.625]);
    let states = record.table("coordinates", None).expect("there");
    assert_eq!(states.rows, 6, "the start is a row");
    // A coordinate named like the first column keeps a column of its own.
    assert_eq!(states.numbers("step_")[4], -0.5);
    assert!(states.numbers("step_dot").iter().all(|v| v.is_nan()));
    let events = record.table("events", None).expect("there");
    assert_eq!(events.numbers("before"), [-2.0]);
    assert_eq!(
        events.column("gamma"),
        Some(&ColumnValues::Optional(vec![None]))
    );
    let Some(ColumnValues::Text(names)) = events.column("constraint") else {
        panic!("text");
    };
    assert_eq!(&*names[0], "floor");
}

#[test]
fn a_moment_in_the_plane_is_no_second_tangent() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, 2);
    writer.close(&(), None).expect("written");
    let contacts = Record::open(&path)
        .and_then(|r| r.table("contacts", None))
        .expect("there");
    assert_eq!(contacts.rows, 1);
    for (name, value) in [("begin_n", 1.0), ("end_t1", 5.0), ("impulse_moment1", 9.0)] {
        assert_eq!(contacts.numbers(name), [value], "{name}");
    }
    assert_eq!(
        contacts.column("impulse_t2"),
        Some(&ColumnValues::Optional(vec![None]))
    );
}

#[test]
fn every_nth_step_and_the_last_are_kept_and_every_event() {
    let here = tempfile::tempdir().expect("a folder");
    for (last, kept) in [(7, vec![0, 3, 6, 7]), (6, vec![0, 3, 6]), (2, vec![0, 2])] {
        let path = here.path().join(format!("run-{last}"));
        let mut writer = recorder(given(&path), 3);
        feed(&mut writer, last);
        writer.close(&(), None).expect("written");
        let record = Record::open(&path).expect("a run");
        let states = record.table("coordinates", Some(&["step"])).expect("there");
        assert_eq!(states.values, [ColumnValues::Integer(kept)]);
        let events = record.table("events", Some(&["step"])).expect("there");
        assert_eq!(events.rows, usize::from(last >= 3));
    }
}

#[test]
fn a_run_without_a_step_leaves_nothing() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, 0);
    writer
        .close(&(), Some("refused".into()))
        .expect("nothing to do");
    assert!(!path.exists() && writer.directory().is_none());
}

#[test]
fn full_chunks_can_be_read_while_the_run_goes_on() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, CHUNK_ROWS + 10);
    // Not closed: as a killed run leaves it, once the thread that writes has come so far.
    writer.flush().expect("written");
    let record = Record::open(&path).expect("a run");
    assert_eq!(record.manifest().status, RunStatus::Running);
    let states = record.table("coordinates", Some(&["x"])).expect("readable");
    assert_eq!(states.rows, CHUNK_ROWS);
    assert_eq!(record.table("contacts", None).expect("readable").rows, 0);
    drop(writer);
    assert_eq!(
        record.nearest_time("coordinates", 2.6).expect("there"),
        Some(2.5)
    );
}

#[test]
fn numbers_go_on_where_the_last_run_ended() {
    let here = tempfile::tempdir().expect("a folder");
    let next = OutputDirectory::NextFree {
        folder: here.path().join("runs"),
        name: "ball".into(),
    };
    for n in 1..=3 {
        let path = next.make().expect("made");
        assert_eq!(path, here.path().join(format!("runs/ball-{n}")));
    }
}

#[test]
fn a_directory_with_something_in_it_is_refused() {
    let here = tempfile::tempdir().expect("a folder");
    assert!(given(here.path()).check().is_ok(), "empty");
    fs::write(here.path().join("notes"), "mine").expect("writable");
    let error = given(here.path()).check().expect_err("taken");
    assert!(
        !error.is_fault() && error.to_string().contains("is not empty"),
        "{error}"
    );
    let error = given(&here.path().join("notes"))
        .check()
        .expect_err("a file");
    assert!(
        !error.is_fault() && error.to_string().contains("is a file"),
        "{error}"
    );
}

#[test]
fn what_is_no_run_is_told_from_a_damaged_and_a_newer_one() {
    let here = tempfile::tempdir().expect("a folder");
    let open = |path: &Path| Record::open(path).expect_err("no run").to_string();
    assert!(open(&here.path().join("none")).contains("no such directory"));
    assert!(open(here.path()).contains("no run.json"));
    let manifest = here.path().join(MANIFEST);
    fs::write(&manifest, "{\"schema\": 1,").expect("writable");
    assert!(open(here.path()).contains("damaged"));
    fs::write(&manifest, "{}").expect("writable");
    assert!(open(here.path()).contains("schema"));
    fs::write(&manifest, "{\"schema\": 99, \"percuss\": \"7.0.0\"}").expect("writable");
    let newer = open(here.path());
    assert!(
        newer.contains("schema 99") && newer.contains("7.0.0"),
        "{newer}"
    );
}

#[test]
fn a_chunk_cut_or_altered_anywhere_is_an_error_and_no_panic() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, 40);
    writer.close(&(), None).expect("written");
    let record = Record::open(&path).expect("a run");
    let file = path.join("contacts-000000.parquet");
    let bytes = fs::read(&file).expect("there");
    for length in (0..bytes.len()).step_by(7) {
        fs::write(&file, &bytes[..length]).expect("writable");
        let error = record.table("contacts", None).expect_err("cut off");
        assert!(
            error.to_string().contains("contacts-000000.parquet"),
            "{error}"
        );
    }
    // A flipped bit anywhere is seen by the checksum.
    for place in (0..bytes.len()).step_by(11) {
        let mut altered = bytes.clone();
        altered[place] ^= 4;
        fs::write(&file, &altered).expect("writable");
        let error = record.table("contacts", None).expect_err("altered");
        assert!(error.to_string().contains("checksum"), "{error}");
    }
    fs::remove_file(&file).expect("there");
    let error = record
        .table("contacts", None)
        .expect_err("gone")
        .to_string();
    assert!(
        error.contains("missing") && error.contains("counts 1"),
        "{error}"
    );
    // The other tables are independent of it.
    assert!(record.table("steps", None).is_ok());
}

#[test]
fn unknown_tables_and_columns_are_told_with_those_there_are() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let mut writer = recorder(given(&path), 1);
    feed(&mut writer, 1);
    writer.close(&(), None).expect("written");
    let record = Record::open(&path).expect("a run");
    let error = record.table("bodies", None).expect_err("none").to_string();
    assert!(
        error.contains("steps, coordinates, contacts, events"),
        "{error}"
    );
    let error = record
        .table("coordinates", Some(&["y"]))
        .expect_err("none")
        .to_string();
    assert!(
        error.contains("step, t, x, step_, x_dot, step_dot"),
        "{error}"
    );
}

#[test]
fn the_same_run_writes_the_same_bytes() {
    let here = tempfile::tempdir().expect("a folder");
    let bytes = ["a", "b"].map(|name| {
        let path = here.path().join(name);
        let mut writer = recorder(given(&path), 2);
        feed(&mut writer, 100);
        writer.close(&(), Some("stopped".into())).expect("written");
        writer.finish().expect("finished");
        let mut names: Vec<_> = fs::read_dir(&path)
            .expect("a folder")
            .map(|e| e.expect("an entry").path())
            .collect();
        names.sort();
        assert_eq!(names.len(), 5, "{names:?}");
        names
            .iter()
            .map(|n| fs::read(n).expect("there"))
            .collect::<Vec<_>>()
    });
    assert_eq!(bytes[0], bytes[1]);
}
