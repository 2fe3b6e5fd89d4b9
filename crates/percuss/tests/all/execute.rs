//! `run::execute`: in memory, in a directory, interrupted and resumed.

use std::collections::BTreeMap;
use std::path::Path;

use percuss_record::{OutputDirectory, RunStatus};
use percuss_run::{
    FindingsOf, InterruptedRun, Run, RunEnd, RunError, RunListener, RunOptions, RunProgress,
    RunTarget, Threads, execute,
};
use percuss_scene::Scene;

use crate::resume_common::HEAP;

fn heap() -> Scene {
    let scene = Scene::parse("heap", "heap.toml", HEAP);
    let scene = scene.and_then(|scene| scene.with_overrides(&[("until", "0.05")]));
    scene.unwrap_or_else(|e| panic!("{e}"))
}

fn pendulum() -> Scene {
    let scene = Scene::load("pendulum").and_then(|s| s.with_overrides(&[("until", "0.5")]));
    scene.unwrap_or_else(|e| panic!("{e}"))
}

fn run(scene: &Scene, target: RunTarget, listener: &mut dyn RunListener) -> Run {
    let options = RunOptions {
        target,
        threads: Threads::new(1),
        findings: FindingsOf::AllRuns,
        listener: Some(listener),
        ..RunOptions::default()
    };
    execute(scene, options).unwrap_or_else(|e| panic!("{e}"))
}

fn go_on(_: &RunProgress<'_>) -> bool {
    true
}

fn directory(path: &Path) -> RunTarget {
    RunTarget::Directory(OutputDirectory::Given(path.into()))
}

/// The files of a directory and their bytes.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(path).expect("a directory");
    let entries = entries.map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

#[test]
fn a_run_in_memory_says_what_one_in_a_directory_records() {
    let folder = tempfile::tempdir().expect("a folder");
    for scene in [heap(), pendulum()] {
        let memory = run(&scene, RunTarget::Memory, &mut go_on);
        let place = folder.path().join(scene.name());
        let recorded = run(&scene, directory(&place), &mut go_on);
        assert_eq!(memory.end, RunEnd::Finished);
        assert_eq!(recorded.end, RunEnd::Finished);
        assert_eq!(memory.directory, None);
        assert_eq!(recorded.directory, Some(place));
        // Certificate, warnings, findings and the time reached are the same.
        assert_eq!(memory.outcome.times(), recorded.outcome.times());
        assert_eq!(memory.certificate, recorded.certificate);
        assert_eq!(memory.findings, recorded.findings);
        assert_eq!(memory.manifest.warnings, recorded.manifest.warnings);
        assert_eq!(memory.manifest.reached, recorded.manifest.reached);
        assert_eq!(memory.manifest.status, RunStatus::Finished);
        assert!(memory.findings.is_some_and(|found| !found.is_empty()));
    }
}

#[test]
fn an_interrupted_run_is_resumed_to_the_same_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for scene in [heap(), pendulum()] {
        let whole = folder.path().join(format!("{}-whole", scene.name()));
        run(&scene, directory(&whole), &mut go_on);
        // Stopped on request at step 20.
        let cut = folder.path().join(format!("{}-cut", scene.name()));
        let stopped = run(&scene, directory(&cut), &mut |p: &RunProgress<'_>| {
            p.step < 20
        });
        assert!(matches!(stopped.end, RunEnd::Interrupted(_)));
        assert_eq!(stopped.manifest.status, RunStatus::Interrupted);
        assert_eq!(stopped.findings, None);
        // Resumed to the end: the same bytes.
        let interrupted = InterruptedRun::open(&cut, false).unwrap_or_else(|e| panic!("{e}"));
        let again = interrupted.scene.clone();
        let resumed = run(&again, RunTarget::Resume(Box::new(interrupted)), &mut go_on);
        assert_eq!(resumed.end, RunEnd::Finished);
        assert_eq!(files(&cut), files(&whole));
        // There is nothing left to resume.
        let done = InterruptedRun::open(&cut, false);
        assert!(matches!(done, Err(RunError::NothingToResume { .. })));
    }
}

#[test]
fn findings_that_are_stopped_leave_a_directory_to_be_resumed() {
    struct StopFindings;
    impl RunListener for StopFindings {
        fn on_finding(&mut self, _name: &str, _share: f64) -> bool {
            false
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let scene = pendulum();
    let whole = folder.path().join("whole");
    run(&scene, directory(&whole), &mut go_on);
    let cut = folder.path().join("cut");
    let stopped = run(&scene, directory(&cut), &mut StopFindings);
    assert_eq!(stopped.end, RunEnd::FindingsInterrupted);
    assert_eq!(stopped.findings, None);
    let interrupted = InterruptedRun::open(&cut, false).unwrap_or_else(|e| panic!("{e}"));
    let target = RunTarget::Resume(Box::new(interrupted));
    assert_eq!(run(&scene, target, &mut go_on).end, RunEnd::Finished);
    assert_eq!(files(&cut), files(&whole));
}

#[test]
fn bodies_that_cannot_start_leave_no_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = HEAP.replace("[[watch]]", OVERLAPPING);
    let scene = Scene::parse("heap", "heap.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let place = folder.path().join("refused");
    let refused = run(&scene, directory(&place), &mut go_on);
    assert!(matches!(refused.end, RunEnd::NotStarted(_)));
    assert_eq!(refused.manifest.status, RunStatus::Stopped);
    assert!(refused.directory.is_none() && !place.exists());
}

/// A disc in the floor, before the first watch.
const OVERLAPPING: &str = r#"[[body]]
name = "sunk"
shape = { disc = 0.05 }
position = [0.15, 0.01]
material = "grain"
[[watch]]"#;
