//! Time of the stages of a step: detection, assembly, solve, update, account.
//!
//! The world's own stage timers, summed over a block of steps; of several blocks the one with the smallest
//! total is reported. Writing of records is not part of a step and is not included.

use percuss_bodies::{Dim, StepTimings, World};
use serde_json::json;

use crate::clock::Progress;
use crate::engine::percuss::{Choice, plane_world, settled, space_world};
use crate::engine::words;
use crate::options::Options;
use crate::report::{Part, Table, short};
use crate::scene::{self, Scene};

/// Names of the stages, in the order of [`stages`].
const NAMES: [&str; 5] = ["detection", "assembly", "solve", "update", "account"];

fn stages(profile: &StepTimings) -> [f64; 5] {
    let StepTimings {
        detection,
        assembly,
        solve,
        update,
        account,
        ..
    } = *profile;
    [detection, assembly, solve, update, account]
}

/// Seconds per step of each stage; contacts and iterations of the last step.
fn measure<D: Dim>(
    world: &mut World<D>,
    label: &str,
    steps: usize,
) -> Result<([f64; 5], usize, usize), String> {
    const BLOCKS: usize = 5;
    let mut progress = Progress::new(format!("profile, {label}"), BLOCKS * steps);
    let mut best = ([f64::INFINITY; 5], f64::INFINITY);
    // The best of several blocks.
    for block in 0..BLOCKS {
        world.begin_profile();
        for step in 0..steps {
            world.step().map_err(words)?;
            progress.at(block * steps + step + 1);
        }
        let profile = world
            .profile()
            .ok_or("a world that was told to keep a profile has none")?;
        if profile.total() < best.1 {
            best = (stages(profile), profile.total());
        }
    }
    let ledger = world.report();
    Ok((
        best.0.map(|s| s / steps as f64),
        ledger.num_active,
        ledger.iterations,
    ))
}

fn profile(
    scene: &Scene,
    tolerance: f64,
    label: &str,
    steps: usize,
) -> Result<([f64; 5], usize, usize), String> {
    let choice = Choice::to(tolerance);
    if scene.spatial() {
        measure(&mut space_world(scene, &choice)?, label, steps)
    } else {
        measure(&mut plane_world(scene, &choice)?, label, steps)
    }
}

/// The wall of equal blocks and boxes of spheres.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("profile");
    // Scenes at rest.
    let rest = |count, across| {
        let steps = if options.quick { 300 } else { 1200 };
        settled(&scene::spheres(count, across), &Choice::to(1e-4), steps)
    };
    let mut scenes = vec![
        ("wall of equal blocks", scene::wall(), 1e-6),
        ("1000 spheres", rest(1000, 9)?, 1e-4),
    ];
    if !options.quick {
        scenes.push(("8000 spheres", rest(8000, 18)?, 1e-4));
    }
    let mut head = vec!["scene", "contacts", "iterations", "ms per step"];
    let shares = NAMES.map(|name| format!("{name}, %"));
    head.extend(shares.iter().map(String::as_str));
    let mut table = Table::new(&head);
    let mut figures = Vec::new();
    // Time and shares of the stages.
    for (label, scene, tolerance) in &scenes {
        let steps = if scene.grains.len() > 1000 { 20 } else { 100 };
        let (seconds, contacts, iterations) = profile(scene, *tolerance, label, steps)?;
        let total: f64 = seconds.iter().sum();
        let mut row = vec![
            label.to_string(),
            contacts.to_string(),
            iterations.to_string(),
            short(1e3 * total),
        ];
        row.extend(seconds.map(|s| short(100.0 * s / total)));
        table.row(row);
        figures.push(json!({
            "scene": label,
            "contacts": contacts,
            "iterations": iterations,
            "stages": NAMES,
            "seconds": seconds,
        }));
    }
    part.table(&table);
    part.figures = figures.into();
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_of_a_step_takes_time() {
        let (seconds, contacts, _) = profile(&scene::tower(), 1e-6, "tower", 20).expect("sound");
        assert!(contacts > 0);
        assert!(
            seconds.iter().all(|s| *s > 0.0 && s.is_finite()),
            "{seconds:?}"
        );
    }
}
