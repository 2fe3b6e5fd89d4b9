//! Runs that are killed at any instant and resumed end with the records of one that was not.

use std::time::{Duration, Instant};

use crate::common::scenes::put;
use crate::common::{folder, percuss};
use crate::resume_common::scenes::{CELL, HEAP, LINKAGE};
use crate::resume_common::{KilledRun, Xorshift, assert_same};

/// Kills a run `kills` times at random instants, resumes it each time with another number of threads
/// and compares with the run that was left alone; several runs, `each` kills in each.
fn killed(text: &str, kills: usize, each: usize, seed: u64) {
    let here = folder();
    let scene = put(here.path(), "scene.toml", text);
    let begin = Instant::now();
    let whole = percuss(
        here.path(),
        &["run", scene, "-o", "whole", "--threads", "1"],
    );
    assert_eq!(whole.status, 0, "{}", whole.err);
    let duration = begin.elapsed().as_secs_f64();
    let mut dice = Xorshift(seed);
    let (mut done, mut run) = (0, 0);
    while done < kills {
        run += 1;
        let name = format!("killed-{run}");
        let victim = KilledRun {
            folder: here.path(),
            scene,
            name: &name,
            every: "20",
        };
        for k in 0..each {
            // The later kills come sooner after the start: reading checkpoints is interrupted, too.
            let time = Duration::from_secs_f64(duration * dice.roll() / (k + 1) as f64);
            let threads = if dice.roll() < 0.5 { "1" } else { "2" };
            match victim.kill_after(time, threads) {
                true => done += 1,
                false => break,
            }
        }
        let ended = victim.finish("2");
        assert_eq!(ended.status, 0, "{}", ended.err);
        assert_same(&here.path().join("whole"), &victim.directory());
        std::fs::remove_dir_all(victim.directory()).expect("removed");
        // A run that is over before it is killed counts for nothing.
        assert!(run < 4 * kills, "runs are over before they are killed");
    }
}

#[test]
fn a_heap_killed_at_fifty_random_instants_ends_with_the_same_records() {
    killed(HEAP, 50, 5, 0x9e37_79b9);
}

#[test]
fn preparations_and_a_periodic_cell_are_resumed_where_they_were_killed() {
    killed(CELL, 8, 3, 0x7f4a_7c15);
}

#[test]
fn joints_given_motions_and_rebounds_are_resumed_where_they_were_killed() {
    killed(LINKAGE, 8, 3, 0x2545_f491);
}
