//! Random small worlds: a step that is reported as met is correct, a step that is falsified is not met.
//!
//! `PERCUSS_CAMPAIGN=10000 cargo test --release -p percuss-bodies --tests campaign -- --nocapture` runs ten thousand
//! worlds in some ten seconds; without the variable two thousand. Seeds are 0, 1, 2, … so that a failure names its
//! world.

mod referee;
mod worlds;

use percuss_bodies::{Dynamics, Fault, Plane, Space, StepReport, World};
use percuss_contact::ResidualEvaluator;
use percuss_solve::sample::Random;

use referee::Referee;
use worlds::Recipe;

/// Worlds that gained energy under a met certificate, up to 17 times what they had, while the bilateral rows of joints
/// kept ρ = 1 beside contacts with e < 1.
const GAINED: [u64; 9] = [651, 1305, 2878, 5573, 6156, 6385, 7720, 8559, 8589];

/// Number of worlds of a campaign.
fn count(usual: u64) -> u64 {
    let asked = std::env::var("PERCUSS_CAMPAIGN").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// What a step certifies: its residual, and the balances of momentum and energy to rounding.
fn met(ledger: &StepReport) -> bool {
    // Sums of some hundred products; terms of impulses that are a million times the momenta.
    ledger.reached && ledger.momentum <= 1e-9 && ledger.energy <= 1e-9
}

/// Kinetic energy from masses and velocities alone.
fn kinetic<D: Dynamics>(world: &World<D>) -> f64 {
    let bodies = world.model().bodies.iter().zip(&world.state().velocities);
    let parts = bodies
        .filter(|(body, _)| body.freedom.movable())
        .map(|(body, v)| {
            let masses = D::mass_diagonal(&body.mass);
            let each = masses.as_ref().iter().zip(v.as_ref());
            0.5 * each.map(|(m, v)| m * v * v).sum::<f64>()
        });
    parts.sum()
}

/// What one common restitution allows contacts to add in a step with forces, ⅛‖v̂_L − v̂_I‖².
///
/// With p = v̂_F − v̂_L and Δ = v̂_L − v̂_I, S·(U_F + e U_I) ≤ 0 gives p·(v̂_F + e v̂_I) ≤ 0, and contacts add
/// ½ p·(v̂_F + v̂_I) ≤ −½ (1−e)/(1+e) (‖p‖² + p·Δ) ≤ ⅛ (1−e)/(1+e) ‖Δ‖². Here Δ is that of gravity alone.
fn allowed<D: Dynamics>(world: &World<D>) -> f64 {
    let fall = 9.81 * world.settings().step;
    let bodies = world.model().bodies.iter();
    let moving = bodies.filter(|body| body.freedom.movable());
    0.125 * fall * fall * moving.map(|body| body.mass.mass).sum::<f64>()
}

/// Statistics of a campaign.
#[derive(Debug, Default)]
struct Tally {
    worlds: u64,
    steps: usize,
    with_contacts: usize,
    missed: usize,
    refereed: usize,
    undecided: usize,
    /// Largest error over its bound, and largest gain over the energy at stake.
    error: f64,
    gain: f64,
    /// Failures, each with the recipe of its world.
    wrong: Vec<String>,
}

/// Runs one world and checks every step that is met.
fn check<D: Dynamics>(mut world: World<D>, recipe: &Recipe, tally: &mut Tally) {
    let mut referee = Referee::default();
    for step in 0..recipe.steps {
        let before = kinetic(&world);
        if world.step().is_err() {
            break;
        }
        tally.steps += 1;
        let ledger = *world.report();
        if !met(&ledger) {
            tally.missed += 1;
            continue;
        }
        tally.with_contacts += usize::from(ledger.num_active > 0);
        // Energy: what contacts and joints add. The projection of joints is a separate entry (`bilateral`).
        let after = kinetic(&world);
        let added = after - before - ledger.work - ledger.bilateral.max(0.0) - allowed(&world);
        let stake = before.max(after).max(ledger.work.abs());
        if stake > 0.0 {
            let gain = added / stake;
            tally.gain = tally.gain.max(gain);
            // RV = 1e-6 leaves velocities of 1e-6 V at contacts; under a load of N bodies they do the work
            // N · 1e-6 of the energy at stake. Ten bodies.
            if !(gain <= 1e-5) {
                tally.wrong.push(format!(
                    "{recipe:?}: step {step} is met and gains {gain:e} of {stake:e} J"
                ));
            }
        }
        if step % recipe.referee_every == 0 {
            compare(&world, recipe, step, &mut referee, tally);
        }
    }
    tally.worlds += 1;
}

/// The velocities of the step against those of an independent solution of the same problem.
fn compare<D: Dynamics>(
    world: &World<D>,
    recipe: &Recipe,
    step: usize,
    referee: &mut Referee,
    tally: &mut Tally,
) {
    let Some(problem) = world.problem().filter(|p| p.num_contacts() > 0) else {
        return;
    };
    let r = world.impulses();
    let bound = ResidualEvaluator::new(problem)
        .evaluate(problem, r)
        .velocity_error_bound;
    let Some(error) = referee.distance(problem, r).filter(|error| error.decides) else {
        tally.undecided += 1;
        return;
    };
    tally.refereed += 1;
    let allowed = bound + error.accuracy;
    tally.error = tally.error.max(error.distance / allowed);
    if !(error.distance <= allowed) {
        tally.wrong.push(format!(
            "{recipe:?}: step {step}: the velocities are {:e} from the referee's, the bound is {bound:e}, the referee's own \
             accuracy {:e}",
            error.distance, error.accuracy
        ));
    }
}

#[test]
fn no_met_step_of_a_random_world_gains_energy_or_has_a_wrong_velocity() {
    let mut tally = Tally::default();
    let worlds = count(2000);
    for seed in (0..worlds).chain(GAINED.into_iter().filter(|seed| *seed >= worlds)) {
        let recipe = Recipe::new(seed);
        match recipe.space {
            false => check::<Plane>(recipe.plane(), &recipe, &mut tally),
            true => check::<Space>(recipe.space(), &recipe, &mut tally),
        }
    }
    println!("{tally:#?}");
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.refereed > tally.undecided, "{tally:?}");
    assert!(tally.with_contacts > 0);
}

/// A random fault: an impulse or a velocity changed by 10⁻³ to 10, or a contact left out.
fn fault(random: &mut Random) -> Fault {
    let size = 10_f64.powf(random.within(-3.0, 1.0));
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    match random.below(3) {
        0 => Fault::Impulse {
            row: random.below(1000),
            times: 1.0,
            plus: sign * size,
        },
        1 => Fault::Velocity {
            body: random.below(1000),
            component: random.below(6),
            plus: sign * size,
        },
        _ => Fault::Contact {
            contact: random.below(1000),
        },
    }
}

/// Runs a world until it has contacts, then falsifies one step; `None` where the fault changes nothing (a contact
/// without an impulse may be left out).
fn wronged<D: Dynamics>(
    mut world: World<D>,
    mut right: World<D>,
    fault: Fault,
    steps: usize,
) -> Option<bool> {
    for _ in 0..steps {
        world.step().ok()?;
        right.step().ok()?;
    }
    right.step().ok()?;
    world.set_fault(Some(fault));
    world.step().ok()?;
    let pairs = right
        .state()
        .velocities
        .iter()
        .zip(&world.state().velocities);
    let apart = pairs.fold(0.0_f64, |m, (a, b)| {
        let each = a.as_ref().iter().zip(b.as_ref());
        each.fold(m, |m, (a, b)| m.max((a - b).abs()))
    });
    let speeds = right
        .state()
        .velocities
        .iter()
        .flat_map(|v| v.as_ref().iter());
    let fastest = speeds.fold(0.0_f64, |m, v| m.max(v.abs()));
    // Without contacts nothing was solved. Below 1e-4 of the speed, or of what gravity adds in the step to bodies at
    // rest, the fault is within the tolerance of the step.
    let fastest = fastest.max(9.81 * right.settings().step);
    let solved = right.report().num_active > 0 && met(right.report());
    if !solved || apart <= 1e-4 * fastest {
        return None;
    }
    // With friction another motion may obey every law: the referee, which finds it too, then reports no error.
    let problem = world.problem()?;
    let distance = Referee::default().distance(problem, world.impulses());
    let scale = ResidualEvaluator::new(problem)
        .evaluate(problem, world.impulses())
        .velocity_error_bound;
    let another = distance.is_some_and(|d| d.distance <= d.accuracy + scale);
    let left_out = matches!(fault, Fault::Contact { .. });
    match met(world.report()) {
        true if left_out && another => None,
        met => Some(met),
    }
}

#[test]
fn a_step_made_wrong_on_purpose_is_never_met() {
    let wanted = count(200).min(1000);
    let (mut faults, mut seed) = (0, 0);
    let mut met = Vec::new();
    while faults < wanted {
        let recipe = Recipe::new(seed);
        let mut random = Random::new(seed ^ 0x5eed);
        let fault = fault(&mut random);
        let steps = 5 + random.below(recipe.steps);
        let passed = match recipe.space {
            false => wronged::<Plane>(recipe.plane(), recipe.plane(), fault, steps),
            true => wronged::<Space>(recipe.space(), recipe.space(), fault, steps),
        };
        if let Some(passed) = passed {
            if passed {
                met.push(format!(
                    "{recipe:?} with {fault:?} after {steps} steps counts as met"
                ));
            }
            faults += 1;
        }
        seed += 1;
        assert!(seed < 100 * wanted, "{faults} faults in {seed} worlds");
    }
    println!(
        "{} of {faults} faults found, {seed} worlds",
        faults - met.len() as u64
    );
    assert!(met.is_empty(), "{}", met.join("\n"));
}
