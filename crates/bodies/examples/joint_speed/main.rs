//! Time of a step in scenes with joints, its stages, and how well the joints hold.
//!
//! `cargo run --release -p percuss-bodies --example joint_speed -- [-v] STEPS TOLERANCE NAME:SIZE ...`
//!
//! Names: grid (hangs from seven fixed bodies), swing (the same, from a corner), chain, loaded (a chain with a load of 1e6
//! links), rope, net, figures, legs, fence, braced. With -v a line for every step. Times are those the thread has run where
//! Linux tells them, so that other work on the machine does not count.

mod scenes;

use std::time::Instant;

use percuss_bodies::{Dim, World};
use scenes::AnyWorld;

/// Milliseconds since `start`, of this thread where the system counts them.
fn milliseconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    counted.map_or_else(|| 1e3 * start.elapsed().as_secs_f64(), |ns| 1e-6 * ns)
}

/// Worst figures of all steps.
#[derive(Debug, Default)]
struct Worst {
    drift: f64,
    residual: f64,
    penetration: f64,
    missed: usize,
    contacts: usize,
}

fn measure<D: Dim>(
    world: &mut World<D>,
    steps: usize,
    verbose: bool,
    start: Instant,
) -> Result<(), String> {
    let energy = |world: &World<D>| world.report().kinetic + world.report().potential;
    let (before, mut worst, mut times) = (energy(world), Worst::default(), Vec::new());
    world.begin_profile();
    for step in 0..steps {
        let begin = milliseconds(start);
        world.step().map_err(|error| error.to_string())?;
        times.push(milliseconds(start) - begin);
        let report = world.report();
        worst.drift = worst.drift.max(report.drift);
        worst.residual = worst.residual.max(report.residual);
        worst.penetration = worst.penetration.max(report.penetration);
        worst.missed += usize::from(!report.reached);
        worst.contacts = worst.contacts.max(report.num_active);
        if verbose {
            println!(
                "{step:6} {:9.3} ms, {} contacts, {} iterations, residual {:.1e}, drift {:.1e}, energy {:+.3e}",
                times[step],
                report.num_active,
                report.iterations,
                report.residual,
                report.drift,
                energy(world) - before
            );
        }
    }
    let mean = times.iter().sum::<f64>() / steps.max(1) as f64;
    times.sort_by(f64::total_cmp);
    let (median, last) = (times.get(steps / 2), times.last());
    println!(
        "    mean {mean:.3} ms, median {:.3}, worst {:.3}; redundant rows {}; {worst:?}; energy {:+.2e}",
        median.unwrap_or(&0.0),
        last.unwrap_or(&0.0),
        world.redundant_rows().len(),
        energy(world) - before
    );
    if let Some(profile) = world.profile() {
        println!("    {profile:?}");
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.first().is_some_and(|a| a == "-v");
    if verbose {
        arguments.remove(0);
    }
    let [steps, tolerance, scenes @ ..] = arguments.as_slice() else {
        return Err("usage: joint_speed [-v] STEPS TOLERANCE NAME:SIZE ...".into());
    };
    let steps = steps
        .parse()
        .map_err(|_| format!("{steps} is no number of steps"))?;
    let tolerance = tolerance
        .parse()
        .map_err(|_| format!("{tolerance} is no tolerance"))?;
    for scene in scenes {
        let size = |text: &str| text.parse().ok();
        let (name, size) = scene
            .split_once(':')
            .and_then(|(name, text)| Some((name, size(text)?)))
            .ok_or_else(|| format!("{scene} is not NAME:SIZE"))?;
        let start = Instant::now();
        let begin = milliseconds(start);
        let world = scenes::scene(name, size, 1e-3, tolerance)?;
        println!("{scene}: built in {:.1} ms", milliseconds(start) - begin);
        match world {
            AnyWorld::Plane(mut world) => measure(&mut *world, steps, verbose, start)?,
            AnyWorld::Space(mut world) => measure(&mut *world, steps, verbose, start)?,
        }
    }
    Ok(())
}
