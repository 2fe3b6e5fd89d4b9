//! What an interrupted run is not resumed from: damaged files, another scene, a directory in use.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::scenes::{put, with};
use crate::common::{CommandOutput, folder, percuss};
use crate::resume_common::scenes::HEAP;
use crate::resume_common::{KilledRun, assert_same, files, start, wait};

/// A run that was killed between two checkpoints, and one that was not, in a folder.
struct Killed {
    here: tempfile::TempDir,
}

impl Killed {
    /// Killed once there are so many checkpoints.
    fn at(checkpoint: usize) -> Self {
        let here = folder();
        let scene = put(here.path(), "scene.toml", HEAP);
        let whole = percuss(here.path(), &["run", scene, "-o", "whole", "-q"]);
        assert_eq!(whole.status, 0, "{}", whole.err);
        let victim = KilledRun {
            folder: here.path(),
            scene,
            name: "run",
            every: "50",
        };
        victim.kill_at(&format!("checkpoint-{checkpoint:06}.bin"));
        Self { here }
    }

    fn directory(&self) -> PathBuf {
        self.here.path().join("run")
    }

    /// The newest file of a kind.
    fn newest(&self, prefix: &str) -> PathBuf {
        let names = files(&self.directory());
        let newest = names.iter().rfind(|name| name.starts_with(prefix));
        self.directory().join(newest.expect("such a file"))
    }

    fn resume(&self, more: &[&str]) -> CommandOutput {
        let args: Vec<&str> = ["resume", "run"].iter().chain(more).copied().collect();
        percuss(self.here.path(), &args)
    }

    /// Resumes it, which must end well; gives what was said.
    fn ends_the_same(&self) -> String {
        let ended = self.resume(&["--quiet"]);
        assert_eq!(ended.status, 0, "{}", ended.err);
        assert_same(&self.here.path().join("whole"), &self.directory());
        ended.err
    }
}

fn cut(path: &Path) {
    let bytes = fs::read(path).expect("there");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("writable");
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("writable");
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).expect("a name")
}

#[test]
fn a_checkpoint_that_is_cut_off_is_named_and_the_one_before_is_used() {
    let killed = Killed::at(5);
    let newest = killed.newest("checkpoint-");
    cut(&newest);
    let said = killed.ends_the_same();
    assert!(
        said.contains(name(&newest)) && said.contains("cut off"),
        "{said}"
    );
    assert!(!said.contains("from its start"), "{said}");
}

#[test]
fn a_flipped_bit_in_a_checkpoint_is_seen() {
    let killed = Killed::at(5);
    let newest = killed.newest("checkpoint-");
    flip(&newest);
    let said = killed.ends_the_same();
    assert!(
        said.contains(name(&newest)) && said.contains("checksum"),
        "{said}"
    );
}

#[test]
fn without_a_history_or_a_chunk_the_run_is_made_again() {
    let killed = Killed::at(5);
    fs::remove_file(killed.directory().join("history-000002.bin")).expect("there");
    let said = killed.ends_the_same();
    assert!(said.contains("history-000002.bin"), "{said}");
    assert!(said.contains("from its start"), "{said}");

    let killed = Killed::at(5);
    cut(&killed.directory().join("names-000000.parquet"));
    let said = killed.ends_the_same();
    assert!(said.contains("names-000000.parquet"), "{said}");
    assert!(said.contains("from its start"), "{said}");
}

#[test]
fn drafts_and_later_chunks_are_taken_away() {
    let killed = Killed::at(5);
    let names = files(&killed.directory());
    let checkpoints = names.iter().filter(|n| n.starts_with("checkpoint-"));
    // Two are kept, and a kill may come between a new one and the end of the oldest.
    assert!((1..=3).contains(&checkpoints.count()), "pruned: {names:?}");
    fs::write(killed.directory().join("steps-000000.part"), "half").expect("writable");
    fs::write(killed.directory().join("steps-000000.parquet"), "later").expect("writable");
    killed.ends_the_same();
    let said = killed.resume(&[]);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("finished"), "{}", said.err);
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let killed = Killed::at(3);
    let other = with(HEAP, "seed = 7", "seed = 8");
    let scene = put(killed.here.path(), "other.toml", &other);
    let victim = KilledRun {
        folder: killed.here.path(),
        scene,
        name: "other",
        every: "50",
    };
    victim.kill_at("checkpoint-000009.bin");
    let foreign = victim.directory().join("checkpoint-000009.bin");
    let target = killed.directory().join("checkpoint-000009.bin");
    fs::copy(foreign, &target).expect("copied");
    let said = killed.ends_the_same();
    assert!(said.contains("checkpoint-000009.bin"), "{said}");
    assert!(said.contains("another scene"), "{said}");
}

#[test]
fn a_directory_in_use_is_refused_and_show_tells_a_run_under_way_from_a_killed_one() {
    let here = folder();
    let long = with(HEAP, "until = 1.0", "until = 100");
    let scene = put(here.path(), "scene.toml", &long);
    let mut child = start(
        here.path(),
        &["run", scene, "-o", "run", "--checkpoint-every", "100"],
    );
    let there = here.path().join("run/checkpoint-000001.bin");
    wait("a checkpoint", || there.exists());
    for args in [
        &["resume", "run"][..],
        &["run", scene, "-o", "run"],
        &["resume", "run", "--force"],
    ] {
        let refused = percuss(here.path(), args);
        assert_eq!(refused.status, 2, "{}", refused.err);
        let busy = "another run is writing to this directory";
        let taken = "this directory is not empty";
        assert!(
            refused.err.contains(busy) || refused.err.contains(taken),
            "{}",
            refused.err
        );
    }
    let shown = percuss(here.path(), &["show", "run"]);
    assert!(shown.out.contains("under way"), "{}", shown.out);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let shown = percuss(here.path(), &["show", "run"]);
    assert!(
        shown.out.contains("was killed") && shown.out.contains("percuss resume run"),
        "{}",
        shown.out
    );
}

#[test]
fn another_version_is_refused_unless_forced() {
    let killed = Killed::at(3);
    let path = killed.directory().join("run.json");
    let text = fs::read_to_string(&path).expect("there");
    let version = env!("CARGO_PKG_VERSION");
    let old = with(
        &text,
        &format!("\"percuss\": \"{version}\""),
        "\"percuss\": \"0.0.9\"",
    );
    fs::write(&path, old).expect("writable");
    let refused = killed.resume(&[]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.err.contains("percuss 0.0.9") && refused.err.contains("--force"),
        "{}",
        refused.err
    );
    let forced = killed.resume(&["--force", "--quiet"]);
    assert_eq!(forced.status, 0, "{}", forced.err);
    assert_same(&killed.here.path().join("whole"), &killed.directory());
}

#[test]
fn a_file_that_was_changed_since_is_refused() {
    let here = folder();
    let shaken = with(
        &with(
            &with(HEAP, "until = 1.0", "until = 3.0"),
            // Shaken, with rolling resistance, three of its steps stall above 1e-6: what is tested here is not that.
            "rolling_friction = 1e-3\n",
            "",
        ),
        "name = \"floor\"\nshape = { half_plane = [0, 1] }\nmaterial = \"grain\"\nfixed = true",
        "name = \"floor\"\nshape = { half_plane = [0, 1] }\nmaterial = \"grain\"\nmotion = { \
         accelerogram = \"ground.csv\", direction = [1, 0], scale = 1 }",
    );
    fs::create_dir(here.path().join("scenes")).expect("made");
    let scene = put(here.path(), "scenes/scene.toml", &shaken);
    let wave = |a: f64| -> String {
        (0..200)
            .map(|k| {
                format!(
                    "{},{}\n",
                    f64::from(k) * 0.02,
                    a * (f64::from(k) * 0.7).sin()
                )
            })
            .collect()
    };
    put(here.path(), "scenes/ground.csv", &wave(1.0));
    let whole = percuss(here.path(), &["run", scene, "-o", "whole", "-q"]);
    assert_eq!(whole.status, 0, "{}", whole.err);
    let victim = KilledRun {
        folder: here.path(),
        scene,
        name: "run",
        every: "50",
    };
    victim.kill_at("checkpoint-000003.bin");
    put(here.path(), "scenes/ground.csv", &wave(1.5));
    let refused = percuss(here.path(), &["resume", "run"]);
    assert_eq!(refused.status, 2, "{}", refused.err);
    assert!(refused.err.contains("ground.csv"), "{}", refused.err);
    // The old file again, and the command given in another folder.
    put(here.path(), "scenes/ground.csv", &wave(1.0));
    let ended = percuss(&here.path().join("run"), &["resume", ".", "--quiet"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert_same(&here.path().join("whole"), &victim.directory());
}

#[test]
fn bad_cadences_and_directories_are_refused_with_a_sentence() {
    let here = folder();
    let bad = [
        (
            "[checkpoint]\nevery = 0",
            "`every = 0`: a whole number from 1",
        ),
        (
            "[checkpoint]\nseconds = -1",
            "`seconds = -1`: a number of seconds >= 0",
        ),
        (
            "[checkpoint]\nkeep = 1.5",
            "`keep = 1.5`: a whole number from 1",
        ),
        ("[checkpoint]\noften = 3", "unknown key `often`"),
    ];
    for (table, expected) in bad {
        let scene = put(here.path(), "bad.toml", &format!("{HEAP}\n{table}\n"));
        let ran = percuss(here.path(), &["run", scene]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    for (args, expected) in [
        (&["resume", "none"][..], "there is no such directory"),
        (&["resume", "."], "no run.json"),
        (&["run", "bad.toml", "--checkpoint-every", "0"], "1 or more"),
        (
            &["run", "bad.toml", "--checkpoint-seconds", "-2"],
            "0 or more",
        ),
    ] {
        let ran = percuss(here.path(), args);
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    assert!(!here.path().join("run.lock").exists());
}
