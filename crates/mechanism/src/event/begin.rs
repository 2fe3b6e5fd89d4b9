//! The direction in which a part begins to slide in a plane.
//!
//! ```text
//! U = 0,   U̇ = λ e,   R = −s·(the point of D that e is normal to)          unknown e, |e| = 1
//! ```
//!
//! As long as U is small its direction follows that of U̇ at once (the friction that opposes any
//! other direction is finite, the velocity it acts on is not), and a method that took it from U
//! itself would have to follow with steps of the size of U. So e is solved for: a few rounds of the
//! map e ← (U̇ + |Ĝ|²|R| e)/|…|, which contracts, then Newton's method on the angle of e. It starts
//! from the direction that the force of holding points against, which is the answer where sliding
//! begins at the boundary of the set.

use std::borrow::Cow;
use std::ops::Range;

use convex::dense;

use super::answer::{Answer, answer, rough};
use super::frame::{Frame, Local};
use super::project::shortest;
use super::shape::{Grip, Mode, Set, norm, scaled};
use crate::linear;

/// Rounds of the map before Newton's method, and without it.
const FIRST: usize = 10;
const ROUNDS: usize = 300;

/// Steps of Newton's method.
const STEPS: usize = 12;

/// A velocity is slow when friction could stop it within this share of an output interval.
const SLOW: f64 = 1e-6;

/// The speed below which a part with this reaction is still beginning.
pub(super) fn slow(local: &Local, rows: Range<usize>, reaction: &[f64], step: f64) -> f64 {
    let weight = norm(&local.length[rows.clone()]).powi(2) / rows.len() as f64;
    SLOW * step * weight * norm(&reaction[rows])
}

/// Whether some part is beginning.
pub(super) fn begins(modes: &[Mode]) -> bool {
    !beginning(modes).is_empty()
}

/// Replaces the directions that are still unknown.
pub(super) fn begin(frame: &Frame, modes: &mut [Mode]) {
    let mut held = modes.to_vec();
    let mut unknown = Vec::new();
    for (k, p) in beginning(modes) {
        if get_direction(modes, k, p).is_some_and(|e| e.is_empty())
            && let Mode::Closed { grips, .. } = &mut held[k]
        {
            grips[p] = Grip::Hold;
            unknown.push((k, p));
        }
    }
    if unknown.is_empty() {
        return;
    }
    let Some(first) = answer(frame, &held) else {
        return;
    };
    for &(k, p) in &unknown {
        let part = &frame.locals[k].shape.parts[p];
        let force = &first.reaction[k][part.rows.clone()];
        let e = reachable(frame, modes, k, p, against(&part.set, force));
        set_direction(modes, k, p, e);
    }
    turn(frame, modes, FIRST);
}

/// The modes with the directions of slow parts as they are at this frame.
pub(super) fn adapt<'a>(frame: &Frame, modes: &'a [Mode]) -> Cow<'a, [Mode]> {
    if beginning(modes).is_empty() {
        return Cow::Borrowed(modes);
    }
    let mut modes = modes.to_vec();
    turn(frame, &mut modes, 1);
    Cow::Owned(modes)
}

/// Parts that are beginning to slide.
fn beginning(modes: &[Mode]) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    for (k, mode) in modes.iter().enumerate() {
        if let Mode::Closed { grips, .. } = mode {
            let begins = |(_, g): &(usize, &Grip)| matches!(g, Grip::Begin(_));
            list.extend(grips.iter().enumerate().filter(begins).map(|(p, _)| (k, p)));
        }
    }
    list
}

/// Solves for the directions of all parts that begin, from those they have.
fn turn(frame: &Frame, modes: &mut [Mode], first: usize) {
    let parts = beginning(modes);
    let plane = |&(k, p): &(usize, usize)| frame.locals[k].shape.parts[p].rows.len() == 2;
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

/// One round of the map; the largest change of a direction.
fn map(frame: &Frame, modes: &mut [Mode], parts: &[(usize, usize)]) -> Option<f64> {
    let found = rough(frame, modes)?;
    let mut change = 0.0_f64;
    for &(k, p) in parts {
        let local = &frame.locals[k];
        let rows = local.shape.parts[p].rows.clone();
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

/// e × U̇ of every part.
fn across(found: &Answer, frame: &Frame, modes: &[Mode], parts: &[(usize, usize)]) -> Vec<f64> {
    let cross = |&(k, p): &(usize, usize)| {
        let rows = frame.locals[k].shape.parts[p].rows.clone();
        let (e, rate) = (get_direction(modes, k, p), &found.rate[k][rows]);
        e.map_or(0.0, |e| e[0] * rate[1] - e[1] * rate[0])
    };
    parts.iter().map(cross).collect()
}

/// Turns every direction by an angle.
fn turned(modes: &[Mode], parts: &[(usize, usize)], angle: &[f64]) -> Vec<Mode> {
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

/// One step of Newton's method on the angles; false when it has settled or does not help.
fn newton(frame: &Frame, modes: &mut [Mode], parts: &[(usize, usize)]) -> bool {
    let m = parts.len();
    let value = |modes: &[Mode]| {
        let found = rough(frame, modes)?;
        Some(across(&found, frame, modes, parts))
    };
    let Some(now) = value(modes) else {
        return false;
    };
    // Central differences: the function is smooth in the angles and only a direction is sought.
    let d = 1e-5;
    let mut matrix = vec![0.0; m * m];
    for j in 0..m {
        let mut angle = vec![0.0; m];
        angle[j] = d;
        let ahead = value(&turned(modes, parts, &angle));
        angle[j] = -d;
        let behind = value(&turned(modes, parts, &angle));
        let (Some(ahead), Some(behind)) = (ahead, behind) else {
            return false;
        };
        (0..m).for_each(|i| matrix[i * m + j] = (ahead[i] - behind[i]) / (2.0 * d));
    }
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
    // A turn by more than half a radian is no correction any more.
    let damped = scaled(&step, (0.5 / largest).min(1.0));
    let next = turned(modes, parts, &damped);
    let before = norm(&now);
    match value(&next) {
        Some(after) if norm(&after) < before => modes.clone_from_slice(&next),
        _ => return false,
    }
    largest > 1e-14
}

/// The part of a direction in which the part can move at all while normal rows hold: a contact whose
/// map has reduced rank slides in fewer directions than its force has (M88 §17).
fn reachable(frame: &Frame, modes: &[Mode], k: usize, p: usize, e: Vec<f64>) -> Vec<f64> {
    let mut normals: Vec<Vec<f64>> = Vec::new();
    for (local, mode) in frame.locals.iter().zip(modes) {
        if !mode.is_open() {
            normals.extend((0..local.shape.normal).map(|i| local.hat_row(i).to_vec()));
        }
    }
    let local = &frame.locals[k];
    let rows = local.shape.parts[p].rows.clone();
    // Ĝ_t of what the normals leave, and the virtual motion along e: Ĝ_t Ĝ_tᵀ e.
    let mut hats: Vec<Vec<f64>> = rows.map(|i| local.hat_row(i).to_vec()).collect();
    let length = norm(&local.length);
    for hat in &mut hats {
        let against: Vec<f64> = normals.iter().map(|n| -dense::dot(n, hat)).collect();
        if !normals.is_empty() {
            let (change, _) = shortest(&normals, &against);
            dense::axpy(1.0, &change, hat);
        }
        if norm(hat) <= 1e-9 * length {
            hat.fill(0.0);
        }
    }
    let null = linear::null_space(hats);
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

/// Direction of sliding that a force on the boundary of its set opposes.
fn against(set: &Set, force: &[f64]) -> Vec<f64> {
    let mut e = match set {
        Set::Ellipse([a, b]) if *a > 0.0 && *b > 0.0 => {
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

fn set_direction(modes: &mut [Mode], k: usize, p: usize, e: Vec<f64>) {
    if let Mode::Closed { grips, .. } = &mut modes[k] {
        grips[p] = Grip::Begin(e);
    }
}

fn get_direction(modes: &[Mode], k: usize, p: usize) -> Option<Vec<f64>> {
    match &modes[k] {
        Mode::Closed { grips, .. } => match &grips[p] {
            Grip::Begin(e) => Some(e.clone()),
            _ => None,
        },
        Mode::Open => None,
    }
}
