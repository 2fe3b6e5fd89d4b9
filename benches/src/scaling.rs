//! Scaling from a thousand to a million grains, on one thread and on two.
//!
//! Balls on a dense cubic lattice, slightly perturbed so that neighbours touch or nearly touch, fall a few
//! steps in a box: contact detection, about three contacts per ball, a solve to 1e-4. Times are CPU times on
//! one thread and wall times on two, the minimum over the measured steps divided by contacts and iterations of
//! the same step; the number of iterations grows with the height, the time of each should not.

use glam::DVec3;
use percuss_bodies::Activation;
use percuss_solve::sample::Random;
use serde_json::json;

use crate::clock::{Progress, elapsed, spent};
use crate::engine::percuss::{Choice, Percuss};
use crate::engine::{Engine, words};
use crate::fit::power;
use crate::options::Options;
use crate::ratio::Ratio;
use crate::report::{Part, Table, short};
use crate::scene::{Grain, Place, Scene, Shape};

/// Balls whose neighbours along the axes touch or nearly touch, with small velocities.
pub fn dense(count: usize) -> Scene {
    let radius = 0.01;
    let edge = (count as f64).cbrt().round() as usize;
    let mut random = Random::new(5);
    let spacing = 1.99 * radius;
    let half = 0.5 * spacing * edge as f64;
    // Lattice sites with a small perturbation and velocity.
    let grain = |k: usize| {
        let place = [k % edge, k / edge % edge, k / (edge * edge)];
        let mut at = place.map(|i| (i as f64 + 0.5) * spacing + random.within(0.0, 0.02 * radius));
        at[0] -= half;
        at[1] -= half;
        let mut start = Place::at(at[0], at[1], at[2]);
        start.velocity = DVec3::from([0.0; 3].map(|_: f64| random.within(-0.02, 0.02)));
        Grain {
            shape: Shape::Ball(radius),
            density: 2500.0,
            start,
        }
    };
    Scene {
        name: "lattice",
        grains: (0..edge.pow(3)).map(grain).collect(),
        half: Some(half + radius),
        friction: 0.5,
        quake: false,
        frame: None,
    }
}

/// One size on one number of threads.
#[derive(Debug, Clone, Copy)]
struct Row {
    grains: usize,
    contacts: usize,
    iterations: usize,
    seconds: f64,
    /// Time of a step per contact and iteration.
    share: f64,
}

fn measure(scene: &Scene, threads: usize, steps: usize) -> Result<Row, String> {
    let choice = Choice {
        threads,
        activation: Activation::Gap,
        ..Choice::to(1e-4)
    };
    let mut engine = Percuss::new(scene, &choice)?;
    let mut row = Row {
        grains: scene.grains.len(),
        contacts: 0,
        iterations: 0,
        seconds: 0.0,
        share: f64::INFINITY,
    };
    let mut progress = Progress::new(
        format!("{} grains, {threads} threads", row.grains),
        steps + 1,
    );
    // A thread pool of the given size.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(words)?;
    if row.grains > 50_000 {
        progress.announce();
    }
    // The first step allocates memory; in a large problem its many iterations hide that, and a second step is
    // expensive.
    if row.grains < 500_000 {
        engine.step()?;
    }
    // The minimum per contact and iteration over the steps.
    for step in 0..steps {
        progress.at(step + 1);
        let (seconds, result) = if threads == 1 {
            spent(|| engine.step())
        } else {
            elapsed(|| pool.install(|| engine.step()))
        };
        result?;
        let ledger = engine.ledger();
        let work = (ledger.num_active * ledger.iterations).max(1) as f64;
        if seconds / work < row.share {
            row = Row {
                contacts: ledger.num_active,
                iterations: ledger.iterations,
                seconds,
                share: seconds / work,
                ..row
            };
        }
    }
    Ok(row)
}

/// All sizes.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("scaling");
    let sizes: &[usize] = if options.quick {
        &[1_000, 10_000]
    } else {
        &[1_000, 10_000, 100_000, 1_000_000]
    };
    let mut table = Table::new(&[
        "grains",
        "contacts",
        "iterations",
        "1 thread: s per step",
        "ns per contact and iteration",
        "2 threads: s per step",
        "ns per contact and iteration",
        "gain",
    ]);
    let (mut figures, mut points) = (Vec::new(), Vec::new());
    // Each size on one thread and on two.
    for &count in sizes {
        let scene = dense(count);
        let steps = (200_000 / count).clamp(1, 20);
        let one = measure(&scene, 1, steps)?;
        let two = measure(&scene, 2, steps)?;
        table.row([
            one.grains.to_string(),
            one.contacts.to_string(),
            one.iterations.to_string(),
            short(one.seconds),
            short(1e9 * one.share),
            short(two.seconds),
            short(1e9 * two.share),
            short(one.share / two.share),
        ]);
        points.push((one.grains as f64, one.share));
        let name = format!("scaling.{}.gain_of_two_threads", one.grains);
        let (unit, alone) = ("contact iterations/s", "percuss on one thread");
        part.ratios.push(Ratio::new(
            &name,
            unit,
            1.0 / two.share,
            (alone, 1.0 / one.share),
        ));
        figures.push(json!({
            "grains": one.grains,
            "contacts": one.contacts,
            "iterations": one.iterations,
            "seconds": [one.seconds, two.seconds],
            "seconds_per_contact_and_iteration": [one.share, two.share],
        }));
    }
    part.table(&table);
    // Exponent of the growth, ideally 0.
    let exponent = power(&points).map_or(f64::NAN, |(p, _)| p);
    part.say(format!(
        "Time per contact and iteration grows as the {} power of the number of grains (fit).",
        short(exponent)
    ));
    part.figures = json!({ "sizes": figures, "exponent": exponent });
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_lattice_has_about_three_contacts_for_each_ball() {
        let row = measure(&dense(1000), 1, 1).expect("sound");
        assert_eq!(row.grains, 1000);
        // 2700 pairs of neighbours along the axes, without the open ones of a step, and walls.
        assert!((1000..3400).contains(&row.contacts), "{row:?}");
    }
}
