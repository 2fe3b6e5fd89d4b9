//! Independent residual of another engine's step.
//!
//! From the states before the step percuss builds the contact problem (★) of that step, u = W r + b with one
//! law per contact, at the contacts that it detects at the midpoint. The velocities after the step give u at
//! every contact; impulses are not unique in a pile, and engines do not provide them for these contacts. A pair
//! (r, u) has the residual
//!
//! ```text
//! R² = ( Σ ‖F_α(r, u)‖²/κ_α + Σ κ_α ‖(W r + b − u)_α‖² ) / max( Σ ‖r‖²/κ , Σ κ‖u‖² , Σ κ‖b‖² )
//! ```
//!
//! which is the dimensionless residual R2 where u = W r + b (percuss's own steps are decided by RV). It is
//! evaluated at percuss's own solution r* of the same step and at r* + δ_k, where δ_k are iterates of the
//! conjugate gradient method on W δ = u − (W r* + b); the smallest value is reported: some impulses explain the
//! engine's velocities at least that well.

use percuss_contact::{DelassusOperator, Problem, ResidualEvaluator, ResidualMeasure};

use crate::engine::percuss::{Choice, Percuss};
use crate::engine::{Engine, words};
use crate::scene::{Place, Scene};

/// R of the step from `before` to `after` that began at time t; `None` without contacts.
pub fn judge(
    scene: &Scene,
    choice: &Choice,
    t: f64,
    before: &[Place],
    after: &[Place],
) -> Result<Option<f64>, String> {
    // percuss's own step from the same state.
    let mut there = scene.clone();
    for (grain, place) in there.grains.iter_mut().zip(before) {
        grain.start = *place;
    }
    let choice = Choice {
        start: t,
        ..choice.clone()
    };
    let mut engine = Percuss::new(&there, &choice)?;
    engine.step().map_err(words)?;
    let Some(problem) = engine.problem().filter(|p| p.num_contacts() > 0) else {
        return Ok(None);
    };
    // Contact velocities of the other engine's end state.
    let seen = velocity(scene, problem, after)?;
    Ok(Some(least(problem, engine.impulses(), &seen)))
}

/// u of every row for given velocities of the bodies, in kinetic coordinates √m v, √I ω: of plane bodies and balls.
fn velocity(scene: &Scene, problem: &Problem, places: &[Place]) -> Result<Vec<f64>, String> {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return Err("the problem of a step is one of bodies".into());
    };
    let mut hat = Vec::with_capacity(kinetic.num_coordinates());
    // Kinetic coordinates of the velocities.
    for (grain, place) in scene.grains.iter().zip(places) {
        let (v, w) = (
            place.velocity * grain.mass().sqrt(),
            place.spin * grain.inertia().z.sqrt(),
        );
        if scene.spatial() {
            hat.extend_from_slice(&[v.x, v.y, v.z, w.x, w.y, w.z]);
        } else {
            hat.extend_from_slice(&[v.x, v.y, w.z]);
        }
    }
    if hat.len() != kinetic.num_coordinates() {
        return Err("bodies and coordinates do not match".into());
    }
    // u = Ĝ v̂ + affine term.
    let mut u: Vec<f64> = (0..problem.num_rows())
        .map(|row| kinetic.affine_term(row))
        .collect();
    for a in 0..problem.num_contacts() {
        kinetic.add_gather(a, &hat, &mut u[problem.rows(a)]);
    }
    Ok(u)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// R of a pair; `miss` is u − (W r + b).
fn residual(problem: &Problem, kappa: &[f64], r: &[f64], u: &[f64], miss: &[f64]) -> f64 {
    let square = |x: &[f64]| x.iter().zip(kappa).map(|(x, k)| k * x * x).sum::<f64>();
    let impulse: f64 = r.iter().zip(kappa).map(|(r, k)| r * r / k).sum();
    let scale = impulse.max(square(u)).max(square(problem.free_velocity()));
    let mut judge = ResidualEvaluator::new(problem);
    let law = judge.residual_of(problem, r, u, ResidualMeasure::Dimensionless);
    (law * law + square(miss) / scale).sqrt()
}

/// The smallest R over the iterates of conjugate gradients, preconditioned by κ, from the impulses r.
fn least(problem: &Problem, mut r: Vec<f64>, u: &[f64]) -> f64 {
    // More iterations fit the velocities ever more closely with ever larger impulses.
    const ITERATIONS: usize = 256;
    let mut kappa = vec![0.0; u.len()];
    for a in 0..problem.num_contacts() {
        kappa[problem.rows(a)].fill(problem.kappa(a));
    }
    let mut scratch = vec![0.0; problem.scratch_len()];
    let mut image = vec![0.0; u.len()];
    problem.velocity_into(&r, &mut scratch, &mut image);
    let mut miss: Vec<f64> = u.iter().zip(&image).map(|(u, w)| u - w).collect();
    let mut scaled: Vec<f64> = miss.iter().zip(&kappa).map(|(m, k)| m * k).collect();
    let mut direction = scaled.clone();
    let mut square = dot(&miss, &scaled);
    let mut best = residual(problem, &kappa, &r, u, &miss);
    for iteration in 1..=ITERATIONS {
        problem.velocity_into(&direction, &mut scratch, &mut image);
        // W p = (W p + b) − b.
        image
            .iter_mut()
            .zip(problem.free_velocity())
            .for_each(|(w, b)| *w -= b);
        let curvature = dot(&direction, &image);
        if !(curvature > 0.0) {
            break;
        }
        let step = square / curvature;
        for i in 0..u.len() {
            r[i] += step * direction[i];
            miss[i] -= step * image[i];
            scaled[i] = kappa[i] * miss[i];
        }
        let next = dot(&miss, &scaled);
        let beta = next / square;
        square = next;
        direction
            .iter_mut()
            .zip(&scaled)
            .for_each(|(p, s)| *p = s + beta * *p);
        if iteration.is_power_of_two() {
            best = best.min(residual(problem, &kappa, &r, u, &miss));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{STEP, spheres, tower, wall};

    fn stepped(scene: &Scene, choice: &Choice, steps: usize) -> [Vec<Place>; 2] {
        let mut engine = Percuss::new(scene, choice).expect("sound");
        let mut both = [Vec::new(), Vec::new()];
        for _ in 0..steps {
            engine.step().expect("sound");
        }
        engine.places(&mut both[0]).expect("sound");
        engine.step().expect("sound");
        engine.places(&mut both[1]).expect("sound");
        both
    }

    #[test]
    fn a_step_of_percuss_is_judged_as_it_judges_itself() {
        for (scene, tolerance) in [(wall(), 1e-6), (tower(), 1e-6), (spheres(200, 5), 1e-4)] {
            let choice = Choice::to(tolerance);
            let [before, after] = stepped(&scene, &choice, 300);
            let verdict = judge(&scene, &choice, 300.0 * STEP, &before, &after);
            let verdict = verdict.expect("sound").expect("contacts");
            // Solved twice, with and without warm start: two errors below the tolerance, whose velocities and
            // impulses both count, and contacts at a gap of 1e-6 of a radius that only the warm step has. A
            // game engine's step has 1e-2 and more.
            assert!(verdict < 30.0 * tolerance, "{}: {verdict:?}", scene.name);
        }
    }

    #[test]
    fn a_block_that_sinks_is_found_out() {
        let mut scene = tower();
        scene.grains.truncate(1);
        let choice = Choice::to(1e-8);
        let [before, mut after] = stepped(&scene, &choice, 10);
        // A hundredth of the velocity increment of gravity in a step, downwards.
        for place in &mut after {
            place.velocity.y -= 0.01 * 9.81 * STEP;
        }
        let verdict = judge(&scene, &choice, 10.0 * STEP, &before, &after);
        let verdict = verdict.expect("sound").expect("contacts");
        // The error is a hundredth of the free velocity, and R is relative to that.
        assert!((3e-3..3e-2).contains(&verdict), "{verdict:?}");
    }
}
