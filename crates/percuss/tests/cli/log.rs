//! `--log`, the progress bar and warnings.

use crate::common;

use std::fs;
use std::process::Command;

use crate::common::scenes::{BALL, put, with};
use crate::common::{folder, percuss};

/// A ball whose run takes a second or more on any machine of today: over a million steps.
fn slow_ball() -> String {
    with(BALL, "step = 1e-3", "step = 4e-7")
}

#[test]
fn a_log_says_what_ran_and_how_it_ended_and_is_never_cut() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    fs::write(here.path().join("log"), "an older line\n").expect("writable");
    for n in 1..=2 {
        let ran = percuss(
            here.path(),
            &["run", "ball.toml", "--threads", "1", "--log", "log"],
        );
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        let text = fs::read_to_string(here.path().join("log")).expect("a log");
        assert!(text.starts_with("an older line\n"));
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let count = |part: &str| lines.iter().filter(|l| l.contains(part)).count();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            count(&format!("percuss {version}, run of ball, 1 thread")),
            n
        );
        assert_eq!(count("run ball.toml --threads 1 --log log"), n);
        assert_eq!(count("exit status 0"), n);
        // Seconds since the beginning stand before every line.
        for line in lines {
            let stamp = line.strip_prefix('[').and_then(|l| l.split_once(" s] "));
            let seconds: f64 = stamp.expect(line).0.trim().parse().expect("seconds");
            assert!(seconds >= 0.0);
        }
    }
}

#[test]
fn what_goes_wrong_is_in_the_log_too() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "restitution = \"e\"", "restitution = \"1 + t\""),
    );
    let ran = percuss(here.path(), &["run", "ball.toml", "--log", "log"]);
    assert_eq!(ran.status, 2);
    let text = fs::read_to_string(here.path().join("log")).expect("a log");
    let told = ran
        .err
        .trim_start_matches("percuss: ")
        .lines()
        .next()
        .expect("a message");
    assert!(
        text.contains(told) && text.contains("exit status 2"),
        "{text}"
    );
}

#[test]
fn a_log_that_cannot_be_written_is_told_before_the_run() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let mut paths = vec!["nowhere/log", "ball.toml/log", "."];
    if cfg!(target_os = "linux") {
        paths.push("/dev/full");
    }
    for path in paths {
        let ran = percuss(
            here.path(),
            &["run", "ball.toml", "-o", "out", "--log", path],
        );
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (3, ""),
            "{path}: {}",
            ran.err
        );
        assert!(ran.err.contains(path), "{}", ran.err);
        assert!(!here.path().join("out").exists());
    }
}

#[test]
fn without_a_terminal_progress_goes_to_the_log_alone() {
    let here = folder();
    put(here.path(), "ball.toml", &slow_ball());
    let ran = percuss(
        here.path(),
        &["run", "ball.toml", "--no-findings", "--log", "log"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let text = fs::read_to_string(here.path().join("log")).expect("a log");
    let told: Vec<&str> = text.lines().filter(|l| l.contains("steps/s")).collect();
    let seconds = |line: &str| -> f64 {
        let inside = line
            .trim_start_matches('[')
            .split(' ')
            .find(|w| !w.is_empty());
        inside.and_then(|w| w.parse().ok()).expect("seconds")
    };
    let end = text.lines().last().map(seconds).expect("an end");
    // One line for each second at most; and there is one if a second went by.
    assert!(told.len() as f64 <= end + 1.0, "{text}");
    assert!(end < 1.2 || !told.is_empty(), "{text}");
    for line in told {
        for part in ["t = ", " of 1", "step ", "contact", "iteration", "residual"] {
            assert!(line.contains(part), "{line}");
        }
    }
}

#[test]
fn on_a_terminal_a_bar_shows_itself_after_a_second_and_goes_away() {
    let there = Command::new("script").arg("--version").output();
    if !there.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("util-linux")) {
        println!("skipped: there is no `script` of util-linux, which makes a terminal");
        return;
    }
    let here = folder();
    put(here.path(), "ball.toml", &slow_ball());
    let program = env!("CARGO_BIN_EXE_percuss");
    let shown = |arguments: &str| {
        let line = format!("{program} run ball.toml --no-findings {arguments}");
        let mut script = Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .current_dir(here.path());
        let shown = script.env("TERM", "xterm").output().expect("script");
        assert!(shown.status.success());
        String::from_utf8_lossy(&shown.stdout).into_owned()
    };
    let text = shown("");
    for part in ["% t = ", "steps/s", "residual", "certificate ok"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nothing of the bar is left behind the summary.
    let summary = text.find("certificate ok").expect("a summary");
    assert!(!text[summary..].contains("steps/s"));
    assert!(!shown("--quiet").contains("steps/s"));
}

#[test]
fn steps_that_miss_their_tolerance_are_few_lines_that_say_what_to_do() {
    let here = folder();
    let pile = common::scenes::with(
        include_str!("../../../scene/scenes/wall-perfect.toml"),
        "[run]",
        "[run]\nmax_iterations = 1",
    );
    put(here.path(), "wall.toml", &pile);
    let args = [
        "run",
        "wall.toml",
        "--no-findings",
        "-o",
        "out",
        "--set",
        "until=0.05",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let warnings: Vec<&str> = ran.err.lines().collect();
    assert!(
        warnings.iter().all(|l| l.starts_with("percuss: warning: ")),
        "{}",
        ran.err
    );
    let first = warnings
        .iter()
        .find(|l| l.contains("misses its tolerance"))
        .expect("a warning");
    for part in [
        "t = ",
        "max_iterations",
        "`step`",
        "`tolerance`",
        "docs/solvers.md",
    ] {
        assert!(first.contains(part), "{first}");
    }
    let missed = warnings
        .iter()
        .filter(|l| l.contains("missed their tolerance"));
    let steps: usize =
        percuss(here.path(), &["show", "out", "--json"]).json()["certificate"]["missed"]
            .as_u64()
            .expect("a count") as usize;
    assert!(steps > 1);
    // Ten, hundred, …, and the total.
    assert_eq!(missed.count(), steps.ilog10() as usize + 1, "{}", ran.err);
    assert!(
        ran.err.contains(&format!("{steps} steps of ")),
        "{}",
        ran.err
    );
}
