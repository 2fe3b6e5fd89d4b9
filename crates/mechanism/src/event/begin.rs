//! The direction in which a part begins to slide in a plane.
//!
//! ```text
//! U = 0,   U̇ = λ e,   R = −s·(the point of D that e is normal to)          unknown e, |e| = 1
//! ```
//!
//! The map e ← (U̇ + |Ĝ|²|R| e)/|…| settles at once for a part alone on an isotropic floor, and
//! linearly otherwise. It starts from the direction that the force of holding points against, which
//! is the answer where sliding begins at the boundary of the set.

use convex::dense;

use super::answer::answer;
use super::frame::Frame;
use super::linear;
use super::project::shortest;
use super::shape::{Grip, Mode, Set, norm, scaled};

/// Rounds of the map.
const ROUNDS: usize = 300;

/// Replaces the directions that are still unknown.
pub(super) fn begin(frame: &Frame, modes: &mut [Mode]) {
    let mut unknown = Vec::new();
    let mut held = modes.to_vec();
    for (k, mode) in held.iter_mut().enumerate() {
        if let Mode::Closed { grips, .. } = mode {
            for (p, grip) in grips.iter_mut().enumerate() {
                if *grip == Grip::Along(Vec::new()) {
                    unknown.push((k, p));
                    *grip = Grip::Hold;
                }
            }
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
    for _ in 0..ROUNDS {
        let Some(found) = answer(frame, modes) else {
            return;
        };
        let mut change = 0.0_f64;
        for &(k, p) in &unknown {
            let local = &frame.locals[k];
            let rows = local.shape.parts[p].rows.clone();
            let weight = norm(&local.length[rows.clone()]).powi(2) / rows.len() as f64;
            let friction = norm(&found.reaction[k][rows.clone()]);
            let Some(old) = get_direction(modes, k, p) else {
                return;
            };
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
        if change < 1e-15 {
            return;
        }
    }
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
        grips[p] = Grip::Along(e);
    }
}

fn get_direction(modes: &[Mode], k: usize, p: usize) -> Option<Vec<f64>> {
    match &modes[k] {
        Mode::Closed { grips, .. } => match &grips[p] {
            Grip::Along(e) => Some(e.clone()),
            _ => None,
        },
        Mode::Open => None,
    }
}
