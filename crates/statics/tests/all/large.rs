//! Walls with hundreds of contacts: what must hold whatever the intervals are.

use crate::common;

use std::collections::HashMap;

use crate::common::{all, negative};
use percuss_contact::law::Law;
use percuss_statics::{
    ContactAssembly, ContactAssemblyBuilder, Face, ImpulseBounds, check_equilibrium,
};

/// A wall in running bond, bricks of 2 × 1 (× 1 deep in space): its contacts with their places, and
/// the weight.
struct Wall {
    system: ContactAssembly,
    at: Vec<[f64; 3]>,
    weight: Vec<f64>,
}

/// Rows n (up), t1 (along), t2 (across) of a brick for a point relative to its centre.
fn rows(p: [f64; 3], flat: bool) -> Vec<f64> {
    if flat {
        return common::plane([p[0], p[2]], [0.0, 1.0]).to_vec();
    }
    common::upward(p).to_vec()
}

fn wall(courses: usize, bricks: usize, flat: bool) -> Wall {
    let mut builder = ContactAssemblyBuilder::new();
    let mut centre = Vec::new();
    for course in 0..courses {
        // Every other course is one brick shorter, so that the wall is symmetric.
        for k in 0..bricks - course % 2 {
            let x = 2.0 * k as f64 - (bricks - course % 2 - 1) as f64;
            centre.push(([x, 0.0, course as f64 + 0.5], course));
            builder.add_group(if flat { 3 } else { 6 });
        }
    }
    let depths: &[f64] = if flat { &[0.0] } else { &[-0.5, 0.5] };
    let (mut at, dim) = (Vec::new(), if flat { 2 } else { 3 });
    for (upper, (c, course)) in centre.iter().enumerate() {
        let below: Vec<Option<usize>> = match course {
            0 => vec![None],
            _ => (0..centre.len())
                .filter(|b| centre[*b].1 + 1 == *course && (centre[*b].0[0] - c[0]).abs() < 1.5)
                .map(Some)
                .collect(),
        };
        for lower in below {
            let (low, high) = match lower {
                None => (c[0] - 1.0, c[0] + 1.0),
                Some(b) => {
                    let x = centre[b].0[0];
                    ((c[0] - 1.0).max(x - 1.0), (c[0] + 1.0).min(x + 1.0))
                }
            };
            for x in [low, high] {
                for y in depths {
                    let point = [x, *y, *course as f64];
                    let lever =
                        |b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| point[k] - b[k]) };
                    let own = rows(lever(c), flat);
                    let mut touches = vec![(upper, own)];
                    if let Some(b) = lower {
                        touches.push((b, negative(&rows(lever(&centre[b].0), flat))));
                    }
                    let touches: Vec<(usize, &[f64])> =
                        touches.iter().map(|(g, b)| (*g, b.as_slice())).collect();
                    builder
                        .add_contact(Law::Coulomb { mu: 0.5 }, dim, &touches)
                        .unwrap();
                    at.push(point);
                }
            }
        }
    }
    let (dof, up) = if flat { (3, 1) } else { (6, 2) };
    let weight = (0..dof * centre.len()).map(|k| if k % dof == up { -1.0 } else { 0.0 });
    Wall {
        system: builder.build(),
        at,
        weight: weight.collect(),
    }
}

fn look(wall: &Wall) -> ImpulseBounds {
    let found = check_equilibrium(&wall.system, &wall.weight).unwrap();
    assert!(found.stands);
    let faces = vec![Face::Stick; wall.system.num_contacts()];
    let bounds = all(&wall.system, &faces, &found.impulse);
    // What an interior method leaves: below 1e-7 in the plane, 1e-6 in space, where sections are
    // round and hundreds of contacts have little room inside.
    assert!(
        bounds.balance < 1e-6 && bounds.cone < 1e-7,
        "{} {}",
        bounds.balance,
        bounds.cone
    );
    assert!(bounds.gap < 1e-5, "{}", bounds.gap);
    assert!(bounds.self_stress.is_none());
    for (contact, interval) in bounds.intervals.iter().enumerate() {
        let s = found.impulse[wall.system.rows(contact).start];
        let slack = 1e-7 * bounds.scale;
        assert!(
            interval.low - slack <= s && s <= interval.high + slack,
            "{interval:?} {s}"
        );
    }
    bounds
}

/// The intervals of a mirror-symmetric wall are mirror-symmetric; no program uses the symmetry.
fn symmetric(wall: &Wall, bounds: &ImpulseBounds) {
    let key = |p: &[f64; 3]| p.map(|x| (x * 4.0).round() as i64);
    // Two contacts may be at one place: a brick's ends on its two neighbours below.
    let mut ends: HashMap<[i64; 3], Vec<f64>> = HashMap::new();
    for (at, interval) in wall.at.iter().zip(&bounds.intervals) {
        let seen = ends.entry(key(at)).or_default();
        seen.push(interval.high);
        seen.sort_by(f64::total_cmp);
    }
    for (at, highs) in &ends {
        let mirrored = &ends[&[-at[0], at[1], at[2]]];
        for (a, b) in highs.iter().zip(mirrored) {
            // Both are within the gap of their true value.
            assert!(
                (a - b).abs() < 2e-5 * bounds.scale,
                "{at:?}: {highs:?} {mirrored:?}"
            );
        }
    }
}

#[test]
fn a_symmetric_wall_of_the_plane_has_symmetric_intervals() {
    let wall = wall(8, 6, true);
    let bounds = look(&wall);
    assert_eq!(
        bounds.hyperstaticity.degree + bounds.hyperstaticity.rank,
        wall.system.num_rows()
    );
    assert_eq!(bounds.hyperstaticity.rank, wall.weight.len());
    symmetric(&wall, &bounds);
}

#[test]
fn a_symmetric_wall_of_space_has_symmetric_intervals() {
    let wall = wall(4, 3, false);
    let bounds = look(&wall);
    assert_eq!(bounds.hyperstaticity.rank, wall.weight.len());
    symmetric(&wall, &bounds);
}

/// 500 contacts; run by name to be timed.
#[test]
fn five_hundred_contacts_have_proven_intervals() {
    for flat in [true, false] {
        let wall = if flat {
            wall(14, 10, true)
        } else {
            wall(10, 7, false)
        };
        let begin = std::time::Instant::now();
        let bounds = look(&wall);
        println!(
            "flat {flat}: {} contacts, degree {}, {} programs, {:.1} s, gap {:.1e}",
            wall.system.num_contacts(),
            bounds.hyperstaticity.degree,
            bounds.programs,
            begin.elapsed().as_secs_f64(),
            bounds.gap
        );
    }
}
