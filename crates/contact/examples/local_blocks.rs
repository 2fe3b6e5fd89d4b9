//! Random blocks for every law, checked by the reference residual of the tests:
//! `cargo run --release --example local_blocks -- 1000000`. Exits 1 when a block fails.

#[allow(dead_code, unused_imports)] // The tests use all of it.
#[path = "../tests/all/law_support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use support::{FAMILIES, Random, block, residual};

/// A block fails above this local natural residual: some hundred roundings, independent of the
/// condition of H because the residual measures u, not r.
const TOLERANCE: f64 = 1e-13;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    let count: usize = match argument.as_deref().map(str::parse) {
        None => 100_000,
        Some(Ok(n)) => n,
        Some(Err(e)) => {
            eprintln!("number of blocks per law: {e}");
            return ExitCode::from(2);
        }
    };
    let only = std::env::args().nth(2);
    println!(
        "{:<20} {:>9} {:>8} {:>10} {:>9}",
        "law", "blocks", "failures", "worst", "ns/block"
    );
    let mut failures = 0;
    for family in FAMILIES {
        if only.as_deref().is_some_and(|o| o != family) {
            continue;
        }
        failures += run(family, count);
    }
    if failures > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Runs one family in batches, so that only the solves are timed; returns the failures.
fn run(family: &str, count: usize) -> usize {
    let mut random = Random(1);
    let (mut failures, mut worst, mut time) = (0, 0.0_f64, Duration::ZERO);
    let mut done = 0;
    while done < count {
        let batch = (count - done).min(1000);
        let blocks: Vec<_> = (0..batch).map(|_| block(&mut random, family)).collect();
        let mut answers: Vec<Vec<f64>> = blocks.iter().map(|b| vec![0.0; b.2.len()]).collect();
        let start = Instant::now();
        for ((law, h, q), r) in blocks.iter().zip(&mut answers) {
            law.solve_local(h, q, r);
        }
        time += start.elapsed();
        for ((law, h, q), r) in blocks.iter().zip(&answers) {
            let e = residual(law, h, q, r);
            if e.is_nan() || e > TOLERANCE {
                failures += 1;
                if failures <= 3 {
                    println!(
                        "  {family}: residual {e:e} for {law:?}, H = {h:?}, q = {q:?}, r = {r:?}"
                    );
                }
            }
            worst = if e.is_nan() { f64::NAN } else { worst.max(e) };
        }
        done += batch;
    }
    let ns = time.as_nanos() as f64 / count.max(1) as f64;
    println!("{family:<20} {count:>9} {failures:>8} {worst:>10.2e} {ns:>9.0}");
    failures
}
