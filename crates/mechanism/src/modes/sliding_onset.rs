//! Onset of sliding in a plane: the direction in which a part begins to slide.
//!
//! ```text
//! U = 0,   U̇ = λ e,   R = −s·(the point of D that e is normal to)          unknown e, |e| = 1
//! ```
//!
//! As long as U is small its direction follows that of U̇ at once (the friction that opposes any other direction is
//! finite, while the velocity is small), and a method that took it from U itself would need steps of the size of U: the
//! equation is stiff. So e is solved for: a few rounds of the fixed-point map e ← (U̇ + |Ĝ|²|R| e)/|…|, which is a
//! contraction, then Newton's method on the angle of e. It starts from the direction opposite to the sticking force,
//! which is the solution where sliding begins at the boundary of the set.

use std::borrow::Cow;
use std::ops::Range;

use percuss_convex::dense;

use super::contact_mode::{ContactMode, ForceSet, PartMode, norm, scaled};
use super::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use super::least_norm_combination;
use super::mode_solution::{ModeSolution, solve_modes, solve_modes_any_reaction};
use crate::least_norm;

/// Rounds of the fixed-point map before Newton's method, and without it.
const FIRST: usize = 10;
const ROUNDS: usize = 300;

/// Maximum number of Newton steps.
const STEPS: usize = 12;

/// A velocity is slow when friction could stop it within this share of an output interval.
const SLOW: f64 = 1e-6;

/// Onset speed: the speed below which a part with this reaction is still at its onset.
pub(crate) fn onset_speed(
    local: &EvaluatedConstraint,
    rows: Range<usize>,
    reaction: &[f64],
    step: f64,
) -> f64 {
    let weight = norm(&local.length[rows.clone()]).powi(2) / rows.len() as f64;
    SLOW * step * weight * norm(&reaction[rows])
}

/// Whether some part is at its onset.
pub(crate) fn has_onset(modes: &[ContactMode]) -> bool {
    !beginning(modes).is_empty()
}

/// Solves for the onset directions that are still unknown.
pub(crate) fn find_onset_directions(frame: &EvaluatedState, modes: &mut [ContactMode]) {
    // Start: the parts stick, and sliding begins against the sticking force.
    let mut held = modes.to_vec();
    let mut unknown = Vec::new();
    for (k, p) in beginning(modes) {
        if get_direction(modes, k, p).is_some_and(|e| e.is_empty())
            && let ContactMode::Closed { grips, .. } = &mut held[k]
        {
            grips[p] = PartMode::Stick;
            unknown.push((k, p));
        }
    }
    if unknown.is_empty() {
        return;
    }
    // Sticking forces.
    let Some(first) = solve_modes(frame, &held) else {
        return;
    };
    for &(k, p) in &unknown {
        let part = &frame.locals[k].structure.parts[p];
        let force = &first.reaction[k][part.rows.clone()];
        let e = reachable(frame, modes, k, p, against(&part.slide_set, force));
        set_direction(modes, k, p, e);
    }
    solve_directions(frame, modes, FIRST);
}

/// The modes with the directions of parts at their onset solved for at this state.
pub(crate) fn update_onset_directions<'a>(
    frame: &EvaluatedState,
    modes: &'a [ContactMode],
) -> Cow<'a, [ContactMode]> {
    if beginning(modes).is_empty() {
        return Cow::Borrowed(modes);
    }
    let mut modes = modes.to_vec();
    solve_directions(frame, &mut modes, 1);
    Cow::Owned(modes)
}

/// Parts at their onset: (constraint, part).
fn beginning(modes: &[ContactMode]) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    for (k, mode) in modes.iter().enumerate() {
        if let ContactMode::Closed { grips, .. } = mode {
            let begins = |(_, g): &(usize, &PartMode)| matches!(g, PartMode::SlideOnset(_));
            list.extend(grips.iter().enumerate().filter(begins).map(|(p, _)| (k, p)));
        }
    }
    list
}

/// Solves for the directions of all parts at their onset, from the present ones. Newton's method where all have two
/// rows.
fn solve_directions(frame: &EvaluatedState, modes: &mut [ContactMode], first: usize) {
    let parts = beginning(modes);
    let plane = |&(k, p): &(usize, usize)| frame.locals[k].structure.parts[p].rows.len() == 2;
    let all_plane = parts.iter().all(plane);
    let rounds = if all_plane { first } else { ROUNDS };
    for _ in 0..rounds {
        match map(frame, modes, &parts) {
            Some(change) if change > 1e-15 => {}
            _ => return,
        }
    }
    for _ in 0..STEPS {
        if !all_plane || !newton(frame, modes, &parts) {
            return;
        }
    }
}

/// One round of the fixed-point map; returns the largest change of a direction.
fn map(frame: &EvaluatedState, modes: &mut [ContactMode], parts: &[(usize, usize)]) -> Option<f64> {
    let found = solve_modes_any_reaction(frame, modes)?;
    let mut change = 0.0_f64;
    for &(k, p) in parts {
        let local = &frame.locals[k];
        let rows = local.structure.parts[p].rows.clone();
        // U̇ plus |Ĝ|²|R| times the old direction, normalised.
        let weight = norm(&local.length[rows.clone()]).powi(2) / rows.len() as f64;
        let friction = norm(&found.reaction[k][rows.clone()]);
        let old = get_direction(modes, k, p)?;
        let mut next = found.rate[k][rows].to_vec();
        dense::axpy(weight * friction, &old, &mut next);
        let size = norm(&next);
        if !(size > 0.0) {
            continue;
        }
        let next = scaled(&next, 1.0 / size);
        let moved = next.iter().zip(&old).map(|(a, b)| (a - b).abs());
        change = change.max(moved.fold(0.0, f64::max));
        set_direction(modes, k, p, next);
    }
    Some(change)
}

/// Residual e × U̇ of every part.
fn across(
    found: &ModeSolution,
    frame: &EvaluatedState,
    modes: &[ContactMode],
    parts: &[(usize, usize)],
) -> Vec<f64> {
    let cross = |&(k, p): &(usize, usize)| {
        let rows = frame.locals[k].structure.parts[p].rows.clone();
        let (e, rate) = (get_direction(modes, k, p), &found.rate[k][rows]);
        e.map_or(0.0, |e| e[0] * rate[1] - e[1] * rate[0])
    };
    parts.iter().map(cross).collect()
}

/// Rotates every direction by an angle.
fn rotate_directions(
    modes: &[ContactMode],
    parts: &[(usize, usize)],
    angle: &[f64],
) -> Vec<ContactMode> {
    let mut modes = modes.to_vec();
    for (&(k, p), angle) in parts.iter().zip(angle) {
        let (s, c) = angle.sin_cos();
        if let Some(e) = get_direction(&modes, k, p) {
            let e = vec![c * e[0] - s * e[1], s * e[0] + c * e[1]];
            set_direction(&mut modes, k, p, e);
        }
    }
    modes
}

/// One step of Newton's method on the angles; false when it has converged or does not reduce the residual.
fn newton(frame: &EvaluatedState, modes: &mut [ContactMode], parts: &[(usize, usize)]) -> bool {
    let m = parts.len();
    let value = |modes: &[ContactMode]| {
        let found = solve_modes_any_reaction(frame, modes)?;
        Some(across(&found, frame, modes, parts))
    };
    let Some(now) = value(modes) else {
        return false;
    };
    // Jacobian by central differences: the residual is smooth in the angles, and an approximate direction suffices.
    let d = 1e-5;
    let mut matrix = vec![0.0; m * m];
    for j in 0..m {
        let mut angle = vec![0.0; m];
        angle[j] = d;
        let ahead = value(&rotate_directions(modes, parts, &angle));
        angle[j] = -d;
        let behind = value(&rotate_directions(modes, parts, &angle));
        let (Some(ahead), Some(behind)) = (ahead, behind) else {
            return false;
        };
        (0..m).for_each(|i| matrix[i * m + j] = (ahead[i] - behind[i]) / (2.0 * d));
    }
    // Newton step on the angles.
    let mut pivots = vec![0; m];
    if dense::lu_in_place(&mut matrix, m, &mut pivots).is_err() {
        return false;
    }
    let mut step: Vec<f64> = now.iter().map(|x| -x).collect();
    dense::lu_solve(&matrix, m, &pivots, &mut step);
    let largest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    if !largest.is_finite() {
        return false;
    }
    // At most half a radian per step.
    let damped = scaled(&step, (0.5 / largest).min(1.0));
    let next = rotate_directions(modes, parts, &damped);
    let before = norm(&now);
    // Accept only a smaller residual.
    match value(&next) {
        Some(after) if norm(&after) < before => modes.clone_from_slice(&next),
        _ => return false,
    }
    largest > 1e-14
}

/// Projects a direction onto those in which the part can move while normal rows stay closed: a contact whose Jacobian
/// has reduced rank slides in fewer directions than its force has (M88 §17).
fn reachable(
    frame: &EvaluatedState,
    modes: &[ContactMode],
    k: usize,
    p: usize,
    e: Vec<f64>,
) -> Vec<f64> {
    // Normal rows of all closed constraints.
    let mut normals: Vec<Vec<f64>> = Vec::new();
    for (local, mode) in frame.locals.iter().zip(modes) {
        if !mode.is_open() {
            normals.extend((0..local.structure.normal).map(|i| local.hat_row(i).to_vec()));
        }
    }
    let local = &frame.locals[k];
    let rows = local.structure.parts[p].rows.clone();
    // Ĝ_t orthogonalised against the normal rows; the null space of it is removed from e.
    let mut hats: Vec<Vec<f64>> = rows.map(|i| local.hat_row(i).to_vec()).collect();
    let length = norm(&local.length);
    for hat in &mut hats {
        let against: Vec<f64> = normals.iter().map(|n| -dense::dot(n, hat)).collect();
        if !normals.is_empty() {
            let (change, _) = least_norm_combination(&normals, &against);
            dense::axpy(1.0, &change, hat);
        }
        if norm(hat) <= 1e-9 * length {
            hat.fill(0.0);
        }
    }
    let null = least_norm::null_space(hats);
    let mut e = e;
    for direction in null {
        let along = dense::dot(&direction, &e);
        dense::axpy(-along, &direction, &mut e);
    }
    let size = norm(&e);
    if size > 0.0 {
        scaled(&e, 1.0 / size)
    } else {
        e
    }
}

/// Direction of sliding opposite to a force on the boundary of its set: the outward normal, reversed.
fn against(set: &ForceSet, force: &[f64]) -> Vec<f64> {
    let mut e = match set {
        ForceSet::Ellipse([a, b]) if *a > 0.0 && *b > 0.0 => {
            vec![-force[0] / (a * a), -force[1] / (b * b)]
        }
        _ => scaled(force, -1.0),
    };
    let size = norm(&e);
    if size > 0.0 {
        e = scaled(&e, 1.0 / size);
    } else {
        e.fill(0.0);
        e[0] = 1.0;
    }
    e
}

fn set_direction(modes: &mut [ContactMode], k: usize, p: usize, e: Vec<f64>) {
    if let ContactMode::Closed { grips, .. } = &mut modes[k] {
        grips[p] = PartMode::SlideOnset(e);
    }
}

fn get_direction(modes: &[ContactMode], k: usize, p: usize) -> Option<Vec<f64>> {
    match &modes[k] {
        ContactMode::Closed { grips, .. } => match &grips[p] {
            PartMode::SlideOnset(e) => Some(e.clone()),
            _ => None,
        },
        ContactMode::Open => None,
    }
}
