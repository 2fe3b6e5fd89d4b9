//! Gauss–Seidel sweeps to tolerance against the number of grains across the height of a pile.
//!
//! Columns of blocks, heaps of discs between walls and of balls in a box, each of growing height on the same
//! base. Grains fall and settle first. Cold: the first step from the settled state without a warm start. Warm:
//! the mean over later steps, each warm-started from the impulses of the previous one, when the pile has come
//! to rest. Sweeps are those of the nonlinear conjugate gradient method from zero, whose iteration is one
//! sweep, to 1e-4; the default method starts columns from an estimate and may switch to other methods, whose
//! iterations cost more. Piles of equal height differ by up to a factor of two, so that each height has
//! several.

use serde_json::json;

use crate::clock::Progress;
use crate::engine::Engine;
use crate::engine::percuss::{Choice, Percuss, settled};
use crate::figure::{Curve, draw};
use crate::fit::power;
use crate::options::Options;
use crate::report::{Part, Table, aim, short};
use crate::scene::{self, Grain, Place, Scene, Shape};

/// Residual that every step must reach.
const TOLERANCE: f64 = 1e-4;

/// Warm steps that are averaged, after as many that are not: the cold step causes a motion that takes a pile of
/// a hundred layers some 400 steps to dissipate.
const STEPS: usize = 500;

/// Piles of discs and of balls of each height.
const PILES: u64 = 3;

/// A column of equal blocks.
fn column(blocks: usize) -> Scene {
    let block = |k: usize| Grain {
        shape: Shape::Block([0.5, 0.5]),
        density: 1e3,
        start: Place::at(0.0, 0.5 + k as f64, 0.0),
    };
    Scene {
        name: "column",
        grains: (0..blocks).map(block).collect(),
        half: None,
        friction: 0.5,
        quake: false,
        frame: None,
    }
}

/// One pile.
#[derive(Debug, Clone, Copy)]
struct Pile {
    /// Grains across the height.
    across: f64,
    contacts: usize,
    /// Iterations of NNCG and of the default method: cold and warm.
    iterations: [[f64; 2]; 2],
}

/// The methods whose iterations are counted.
const METHODS: [&str; 2] = ["nncg", "auto"];

/// Iterations of a cold step, and the mean over the warm ones that follow; contacts.
fn iterations(scene: &Scene, solver: &'static str) -> Result<([f64; 2], usize), String> {
    let choice = Choice {
        solver,
        ..Choice::to(TOLERANCE)
    };
    let mut engine = Percuss::new(scene, &choice)?;
    // Cold step.
    engine.step()?;
    let (cold, contacts) = (engine.ledger().iterations, engine.ledger().num_active);
    let mut warm = 0;
    let label = format!("{} of {}, {solver}", scene.name, scene.grains.len());
    let mut progress = Progress::new(label, 2 * STEPS);
    // Warm steps; the first half is not counted.
    for step in 0..2 * STEPS {
        engine.step()?;
        if step >= STEPS {
            warm += engine.ledger().iterations;
        }
        progress.at(step + 1);
    }
    Ok(([cold as f64, warm as f64 / STEPS as f64], contacts))
}

/// Height in diameters, and the iterations of cold and warm steps.
fn measure(scene: &Scene) -> Result<Pile, String> {
    let (by_sweeps, contacts) = iterations(scene, METHODS[0])?;
    let (by_default, _) = iterations(scene, METHODS[1])?;
    let size = match scene.grains[0].shape {
        Shape::Block([_, b]) => 2.0 * b,
        // The mean diameter of grains between 8 and 12 mm of radius.
        _ => 0.02,
    };
    Ok(Pile {
        across: scene.height(&scene.starts()) / size + 0.5,
        contacts,
        iterations: [by_sweeps, by_default],
    })
}

/// Piles of one kind, by height.
fn family(kind: &str, quick: bool) -> Result<Vec<Pile>, String> {
    let most = if quick { 3 } else { 5 };
    let layers = [8, 16, 32, 64, 128];
    let mut piles = Vec::new();
    for &count in &layers[..most] {
        // Free fall from the height of the loose lattice takes a third of this; the rest is for coming to rest.
        let fall = (2.0 * 0.028 * count as f64 / scene::GRAVITY).sqrt();
        let steps = 600 + (3.0 * fall / scene::STEP) as usize;
        let one = |scene: &Scene| measure(&settled(scene, &Choice::to(TOLERANCE), steps)?);
        let several = |scene: &dyn Fn(u64) -> Scene| -> Result<Pile, String> {
            let all: Result<Vec<Pile>, String> = (0..PILES).map(|seed| one(&scene(seed))).collect();
            Ok(mean(&all?))
        };
        let pile = match kind {
            "blocks" => measure(&column(count))?,
            "discs" => several(&|seed| scene::other_discs(12 * count, 12, seed))?,
            _ => several(&|seed| scene::other_spheres(25 * count, 5, seed))?,
        };
        piles.push(pile);
    }
    Ok(piles)
}

/// The mean of several piles.
fn mean(piles: &[Pile]) -> Pile {
    let share = 1.0 / piles.len() as f64;
    let of = |get: &dyn Fn(&Pile) -> f64| share * piles.iter().map(get).sum::<f64>();
    Pile {
        across: of(&|p| p.across),
        contacts: of(&|p| p.contacts as f64).round() as usize,
        iterations: [0, 1].map(|m| [0, 1].map(|start| of(&|p| p.iterations[m][start]))),
    }
}

/// Heads of the tables.
const COUNTS: [&str; 7] = [
    "pile",
    "grains across the height",
    "contacts",
    "sweeps, cold",
    "warm",
    "iterations of the default, cold",
    "warm",
];
const EXPONENTS: [&str; 5] = [
    "pile",
    "exponent of sweeps, cold",
    "warm",
    "of the default, cold",
    "warm",
];

/// All kinds, with the figure.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("height");
    let (mut table, mut fits) = (Table::new(&COUNTS), Table::new(&EXPONENTS));
    let (mut figures, mut curves) = (Vec::new(), Vec::new());
    let mut grows = [false; 2];
    // Piles of each kind: table rows, exponents, curves.
    for kind in ["blocks", "discs", "balls"] {
        let piles = family(kind, options.quick)?;
        for pile in &piles {
            let mut row = vec![kind.into(), short(pile.across), pile.contacts.to_string()];
            row.extend(pile.iterations.as_flattened().iter().map(|n| short(*n)));
            table.row(row);
        }
        let points = |method: usize, start: usize| -> Vec<(f64, f64)> {
            // A step solved before the first sweep counts as one in the logarithm.
            let count = |p: &Pile| p.iterations[method][start].max(1.0);
            piles.iter().map(|p| (p.across, count(p))).collect()
        };
        let all = [points(0, 0), points(0, 1), points(1, 0), points(1, 1)];
        let exponents = all
            .each_ref()
            .map(|p| power(p).map_or(f64::NAN, |(p, _)| p));
        // Target: exponents of the default method of at most one half.
        for (grows, exponent) in grows.iter_mut().zip(&exponents[2..]) {
            *grows |= !(*exponent <= 0.5);
        }
        fits.row(std::iter::once(kind.into()).chain(exponents.map(short)));
        figures.push(json!({
            "pile": kind,
            "across": piles.iter().map(|p| p.across).collect::<Vec<_>>(),
            "methods": METHODS,
            "iterations": piles.iter().map(|p| p.iterations).collect::<Vec<_>>(),
            "exponents": exponents,
        }));
        let [.., cold, warm] = all;
        curves.push(Curve::new(format!("{kind}, cold"), cold, false));
        curves.push(Curve::new(format!("{kind}, warm"), warm, true));
    }
    part.table(&fits);
    let [cold, warm] = grows;
    part.say(aim(
        "every exponent of the default, cold, at most one half",
        !cold,
    ));
    part.say(aim("the same, warm", !warm));
    part.table(&table);
    part.figures = figures.into();
    // The figure of the documentation.
    if !options.quick {
        let path = crate::root().join("docs/images/height.svg");
        draw(
            &path,
            "grains across the height",
            "iterations of the default to 1e-4",
            &curves,
        )?;
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_high_as_it_has_blocks() {
        let pile = measure(&column(6)).expect("sound");
        assert!((pile.across - 6.0).abs() < 1e-12, "{pile:?}");
        assert_eq!(pile.contacts, 12);
        // The default method may solve a column before its first iteration; sweeps do not.
        let [cold, warm] = pile.iterations[0];
        assert!(cold > 0.0 && warm <= cold, "{pile:?}");
        assert!(pile.iterations[1][0] <= cold, "{pile:?}");
    }
}
