//! Time of a step in scenes in which bodies move, its worst step, and which methods the solver needed.
//!
//! `cargo run --release -p percuss-bodies --example moving_speed -- [-v] STEPS TOLERANCE NAME:SIZE ...`
//!
//! Names: boxes, hulls, capsules (random bodies that fall into a heap), spheres (into a box), drum, discs, tumbler. With
//! -v a line for every step. Times are those the thread has run where Linux tells them, so that other work on the machine
//! does not count.

mod scenes;

use std::time::Instant;

use percuss_bodies::{Dynamics, Settings, World};
use scenes::AnyWorld;

/// Milliseconds since `start`, of this thread where the system counts them.
fn milliseconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    counted.map_or_else(|| 1e3 * start.elapsed().as_secs_f64(), |ns| 1e-6 * ns)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.first().is_some_and(|a| a == "-v");
    let rest = &arguments[usize::from(verbose)..];
    if let Err(error) = run(rest, verbose) {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn run(arguments: &[String], verbose: bool) -> Result<(), String> {
    let [steps, tolerance, scenes @ ..] = arguments else {
        return Err("usage: moving_speed [-v] STEPS TOLERANCE NAME:SIZE ...".into());
    };
    let steps = steps
        .parse()
        .map_err(|_| format!("{steps} is no number of steps"))?;
    let tolerance = tolerance
        .parse()
        .map_err(|_| format!("{tolerance} is no tolerance"))?;
    for scene in scenes {
        let (name, size) = scene
            .split_once(':')
            .ok_or_else(|| format!("{scene}: NAME:SIZE"))?;
        let size = size
            .parse()
            .map_err(|_| format!("{size} is no number of bodies"))?;
        let settings = Settings {
            tolerance,
            ..Settings::default()
        };
        print!("{scene:<16}");
        match scenes::scene(name, size, settings)? {
            AnyWorld::Plane(mut world) => measure(&mut world, steps, verbose)?,
            AnyWorld::Space(mut world) => measure(&mut world, steps, verbose)?,
        }
    }
    Ok(())
}

/// Takes the steps and prints mean, median and worst time, the share of the solver, and what was missed.
fn measure<D: Dynamics>(world: &mut World<D>, steps: usize, verbose: bool) -> Result<(), String> {
    let start = Instant::now();
    let (mut times, mut solve, mut missed, mut contacts) = (Vec::new(), 0.0, 0, 0);
    let (mut residual, mut overlap) = (0.0_f64, 0.0_f64);
    world.begin_profile();
    for step in 0..steps {
        let begin = milliseconds(start);
        world.step().map_err(|error| error.to_string())?;
        times.push(milliseconds(start) - begin);
        let report = world.report();
        solve = world.profile().map_or(0.0, |p| p.solve);
        missed += usize::from(!report.reached);
        contacts = contacts.max(report.num_active);
        residual = residual.max(report.residual);
        overlap = overlap.max(report.penetration);
        if verbose {
            println!(
                "{step:6} {:9.3} ms, {} contacts, {} iterations, residual {:.1e}, penetration {:.1e} m, kinetic {:.3e} J, {}",
                times[step],
                report.num_active,
                report.iterations,
                report.residual,
                report.penetration,
                report.kinetic,
                world.method(),
            );
        }
    }
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    times.sort_by(f64::total_cmp);
    println!(
        "mean {mean:.3} ms, median {:.3}, worst {:.3}; at most {contacts} contacts; last solve {:.3} ms; {missed} missed, \
         residual {residual:.1e}, penetration {:.3} mm",
        times.get(times.len() / 2).copied().unwrap_or(0.0),
        times.last().copied().unwrap_or(0.0),
        1e3 * solve,
        1e3 * overlap,
    );
    Ok(())
}
