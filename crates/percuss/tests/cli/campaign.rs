//! Studies that are killed, divided, gone on with: the table is always the same.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::scenes::{BALL, SLOPE, put, with};
use crate::common::{command, folder, percuss};

/// Every kind of sample at once: 2 rows × 2 values × 3 draws × 2 repetitions.
const MIXED: &str = r#"
kind = "study"
scene = "ball.toml"
[points]
keys = ["step", "tolerance"]
rows = [[1e-3, 1e-10], [2e-3, 1e-9]]
[vary]
e = { from = 0.25, to = 0.75, count = 2 }
g = { sample = "9.81 + 0.1*gauss", count = 3, seed = 2 }
until = { from = 0.6, to = 0.9, latin = 3, seed = 5 }
[repeat]
key = "mark"
count = 2
first = 7
[observe]
speed = "speed_after(floor, 1)"
"#;

/// A study long enough to be killed in the middle.
const LONG: &str = r#"
kind = "study"
scene = "ball.toml"
[vary]
e = { from = 0.1, to = 0.9, count = 40 }
step = [2e-5]
[observe]
speed = "speed_after(floor, 1)"
"#;

fn marked() -> String {
    with(BALL, "e = 0.5", "e = 0.5\nmark = 0")
}

/// The table and what is said of it; the directory's name is not in them.
fn table(folder: &Path, directory: &str) -> (Vec<u8>, Vec<u8>) {
    let read = |name: &str| fs::read(folder.join(directory).join(name)).expect("there");
    (read("runs-000000.parquet"), read("run.json"))
}

#[test]
fn a_study_killed_at_any_instant_goes_on_to_the_same_table() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "long.toml", LONG);
    let whole = percuss(here.path(), &["study", "long.toml", "-q", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.err);
    let (mut killed, begun) = (0, Instant::now());
    let args = ["study", "long.toml", "-q", "-o", "parts", "--threads", "2"];
    for attempt in 0_u64.. {
        let mut child = command(here.path(), &args).spawn().expect("starts");
        // Instants of a simple sequence, ever later: none of them is special, and it comes to an end.
        std::thread::sleep(Duration::from_millis(20 + attempt * 37 % 90 + 4 * attempt));
        let ended = child.try_wait().expect("known");
        if let Some(status) = ended {
            assert_eq!(status.code(), Some(0));
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        killed += 1;
        // A machine so slow that no run ends between two kills would never come to an end.
        if begun.elapsed() > Duration::from_secs(60) {
            let rest = percuss(here.path(), &args);
            assert_eq!(rest.status, 0, "{}", rest.err);
            break;
        }
    }
    assert!(killed > 0, "the study is too short to be killed");
    assert_eq!(table(here.path(), "whole"), table(here.path(), "parts"));
    // Nothing is left to do, and the same is said again.
    let again = percuss(here.path(), &["study", "long.toml", "-o", "parts"]);
    assert_eq!(again.status, 0, "{}", again.err);
    assert!(again.err.contains("0 runs made"), "{}", again.err);
    assert!(again.err.contains("40 were there already"), "{}", again.err);
}

#[test]
fn shares_make_the_table_of_the_whole() {
    let here = folder();
    put(here.path(), "ball.toml", &marked());
    put(here.path(), "mixed.toml", MIXED);
    let whole = percuss(here.path(), &["study", "mixed.toml", "-q", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.err);
    for shard in ["3/3", "1/3"] {
        let args = ["study", "mixed.toml", "-q", "-o", "parts", "--shard", shard];
        let ran = percuss(here.path(), &args);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(ran.out.contains("8 runs are there"), "{}", ran.out);
    }
    let gather = ["study", "mixed.toml", "-q", "-o", "parts", "--gather"];
    let ran = percuss(here.path(), &gather);
    assert_eq!(ran.status, 1);
    let told = "8 of 24 runs are missing: 2, 5, 8, 11, 14, 17, 20, 23; make the shares 2/3";
    assert!(ran.err.contains(told), "{}", ran.err);
    // What is there can be looked at meanwhile.
    let columns = ["table", "parts", "runs", "--columns", "run", "-q"];
    let runs = percuss(here.path(), &columns).out;
    assert_eq!(runs.lines().take(3).collect::<Vec<_>>(), ["1", "3", "4"]);
    let args = ["study", "mixed.toml", "-q", "-o", "parts", "--shard", "2/3"];
    assert_eq!(percuss(here.path(), &args).status, 0);
    let ran = percuss(here.path(), &gather);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert_eq!(table(here.path(), "whole"), table(here.path(), "parts"));
}

#[test]
fn the_plan_lists_every_run_and_makes_none() {
    let here = folder();
    put(here.path(), "ball.toml", &marked());
    put(here.path(), "mixed.toml", MIXED);
    let plan = percuss(here.path(), &["study", "mixed.toml", "--plan", "--json"]);
    assert_eq!((plan.status, plan.err.as_str()), (0, ""));
    let plan = plan.json();
    let rows = plan["runs"].as_array().expect("runs");
    assert_eq!(rows.len(), 24);
    let column = |key: &str| -> Vec<f64> {
        let numbers = rows.iter().map(|row| row[key].as_f64());
        numbers.map(|x| x.expect("a number")).collect()
    };
    // Rows of the list slowest, then the grid, then draws, then repetitions.
    assert_eq!(column("mark")[..4], [7.0, 8.0, 7.0, 8.0]);
    assert_eq!(column("step")[11..13], [1e-3, 2e-3]);
    assert_eq!(column("tolerance")[11..13], [1e-10, 1e-9]);
    assert_eq!(column("e")[5..7], [0.25, 0.75]);
    let (g, until) = (column("g"), column("until"));
    assert_eq!((g[0], until[0]), (g[6], until[6]));
    // Each third of the interval once.
    let mut thirds: Vec<usize> = [0, 2, 4]
        .iter()
        .map(|k| ((until[*k] - 0.6) / 0.1) as usize)
        .collect();
    thirds.sort_unstable();
    assert_eq!(thirds, [0, 1, 2]);
    let share = percuss(
        here.path(),
        &["study", "mixed.toml", "--dry-run", "--shard", "2/12"],
    );
    assert!(share.out.contains("2 runs of `ball`"), "{}", share.out);
    assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 2);
    // What was planned is what is run.
    let ran = percuss(here.path(), &["study", "mixed.toml", "-q", "-o", "s"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let table = percuss(here.path(), &["table", "s", "runs", "--format", "json"]).json();
    for (planned, made) in rows.iter().zip(table.as_array().expect("rows")) {
        for key in ["run", "step", "tolerance", "e", "g", "until", "mark"] {
            assert_eq!(planned[key].as_f64(), made[key].as_f64(), "{key}");
        }
        assert_eq!(made["end"], "finished");
        assert_eq!(made["missed"], 0.0);
        assert!(made["worst_residual"].as_f64().is_some_and(|r| r <= 1e-9));
        assert_eq!(made["first_impact_ok"], 1.0);
    }
}

#[test]
fn another_study_does_not_go_into_the_directory() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "long.toml", LONG);
    let short = with(LONG, "count = 40", "count = 2");
    put(here.path(), "short.toml", &short);
    let ran = percuss(here.path(), &["study", "short.toml", "-q", "-o", "s"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let cases: [(&[&str], &str); 3] = [
        (
            &["study", "long.toml", "-o", "s"],
            "study file is not the same",
        ),
        (
            &["study", "short.toml", "-o", "s", "--set", "g=3"],
            "other values of --set",
        ),
        (
            &["study", "long.toml", "-o", "s", "--gather"],
            "holds another study",
        ),
    ];
    for (args, part) in cases {
        let ran = percuss(here.path(), args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    put(here.path(), "ball.toml", &with(BALL, "9.81", "9.8"));
    let ran = percuss(here.path(), &["study", "short.toml", "-o", "s"]);
    assert!(
        ran.err.contains("text of its scene is not the same"),
        "{}",
        ran.err
    );
    // Nor into one that holds something else.
    fs::create_dir(here.path().join("other")).expect("made");
    put(&here.path().join("other"), "notes.txt", "mine");
    let ran = percuss(here.path(), &["study", "short.toml", "-o", "other"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("directory is not empty"), "{}", ran.err);
    let ran = percuss(here.path(), &["study", "short.toml", "-o", "x", "--gather"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("there is no study here"), "{}", ran.err);
    for wrong in ["0/3", "4/3", "x"] {
        let args = ["study", "short.toml", "-o", "x", "--shard", wrong];
        assert_eq!(percuss(here.path(), &args).status, 2, "{wrong}");
    }
}

#[test]
fn two_at_once_on_one_share_are_refused() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "long.toml", &with(LONG, "2e-5", "2e-6"));
    let args = ["study", "long.toml", "-q", "-o", "s", "--threads", "1"];
    let mut first = command(here.path(), &args).spawn().expect("starts");
    let lock = here.path().join("s/shard-00001-of-00001.journal");
    let begun = Instant::now();
    while !lock.exists() && begun.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = percuss(here.path(), &args);
    let going = first.try_wait().expect("known").is_none();
    first.kill().expect("killed");
    first.wait().expect("ended");
    assert!(going, "the first study is too short for this test");
    assert_eq!((second.status, second.out.as_str()), (2, ""));
    assert!(
        second
            .err
            .contains("another process is working on the whole"),
        "{}",
        second.err
    );
}

#[test]
fn failures_are_rows_with_a_reason_and_what_to_do() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let study = "kind = \"study\"\nscene = \"ball.toml\"\n[vary]\ne = [0.5, 1.5, 0.25, 2]\n";
    put(here.path(), "s.toml", study);
    let ran = percuss(here.path(), &["study", "s.toml", "-o", "s"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    for part in [
        "refused run 2: ",
        "0 <= e <= 1",
        "percuss run ball --set e=1.5",
        "4 runs, 2 stopped before their end",
        "first_impact  2     0.45",
        "2 of 2",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let ends = percuss(
        here.path(),
        &["table", "s", "runs", "--columns", "end,missed", "-q"],
    );
    assert_eq!(ends.out, "finished,0.0\nrefused,\nfinished,0.0\nrefused,\n");
    // One iteration cannot solve a block on a slope: its steps miss their tolerance.
    put(here.path(), "slope.toml", SLOPE);
    let study = "kind = \"study\"\nscene = \"slope.toml\"\n[vary]\nmax_iterations = [1, 10000]\n\
                 tolerance = [1e-14]\n";
    put(here.path(), "m.toml", study);
    let ran = percuss(here.path(), &["study", "m.toml", "--json"]);
    let all = ran.json();
    let ends: Vec<&str> = all["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["end"].as_str().expect("a word"))
        .collect();
    let missed = ends.iter().filter(|end| **end == "missed").count();
    assert_eq!(all["missed"], missed);
    assert_eq!(ran.status, i32::from(missed > 0), "{ends:?}");
}

#[test]
fn records_of_runs_are_kept_where_asked_for() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "slope.toml", SLOPE);
    for (scene, key, values) in [
        ("ball", "e", ["0.5", "0.25"]),
        ("slope", "mu", ["0", "0.4"]),
    ] {
        let study = format!(
            "kind = \"study\"\nscene = \"{scene}.toml\"\nkeep = true\n[vary]\n{key} = [{}]\n",
            values.join(", ")
        );
        put(here.path(), "k.toml", &study);
        let ran = percuss(here.path(), &["study", "k.toml", "-q", "-o", scene]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        for (k, value) in values.iter().enumerate() {
            let kept = format!("{scene}/runs/{:04}", k + 1);
            let alone = format!("{scene}-{k}");
            let set = format!("{key}={value}");
            let file = format!("{scene}.toml");
            let args = [
                "run",
                &file,
                "-q",
                "--no-findings",
                "-o",
                &alone,
                "--set",
                &set,
            ];
            percuss(here.path(), &args);
            let steps = |d: &str| percuss(here.path(), &["table", d, "steps"]);
            assert_eq!(steps(&kept).status, 0, "{}", steps(&kept).err);
            assert_eq!(steps(&kept).out, steps(&alone).out);
        }
    }
}
