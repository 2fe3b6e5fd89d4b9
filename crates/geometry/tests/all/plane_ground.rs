//! Random ground: distances from a broken line, and bodies pressed into it.

use std::sync::Arc;

use crate::plane_common::{Make, Random, at, check, core, least, nearest_on_segment, touches};
use glam::DVec2;
use percuss_geometry::plane::{Chain, Shape};
use percuss_geometry::{Plane, Pose};

/// Lengths and positions are below 10; rounding of some tens of operations is below this.
const ROUNDING: f64 = 1e-12;

fn ground() -> Pose<Plane> {
    at(0.0, 0.0, 0.0)
}

fn terrain(random: &mut Random, roughness: f64) -> Vec<DVec2> {
    let mut x = -8.0;
    let mut vertices = Vec::new();
    while x < 8.0 {
        vertices.push(DVec2::new(x, random.between(-roughness, roughness)));
        x += random.between(0.2, 1.2);
    }
    vertices
}

/// Distance of a polygon from a broken line, the closest points; `None` if they intersect.
fn apart(core: &[DVec2], line: &[DVec2]) -> Option<(f64, DVec2)> {
    let mut best = (f64::INFINITY, DVec2::ZERO);
    let mut take = |on_line: DVec2, on_core: DVec2| {
        let d = (on_core - on_line).length();
        if d < best.0 {
            best = (d, (on_core - on_line) / d);
        }
    };
    let n = core.len();
    for s in line.windows(2) {
        for i in 0..n {
            let (p, q) = (core[i], core[(i + 1) % n]);
            take(nearest_on_segment(p, s[0], s[1]), p);
            for end in s {
                take(*end, nearest_on_segment(*end, p, q));
            }
            let side = |o: DVec2, d: DVec2, x: DVec2| (d - o).perp_dot(x - o);
            let cross = side(s[0], s[1], p) * side(s[0], s[1], q) <= 0.0
                && side(p, q, s[0]) * side(p, q, s[1]) <= 0.0;
            if cross && n > 1 {
                return None;
            }
        }
    }
    // Below the ground at its own place: wholly behind.
    let behind = line.windows(2).any(|s| {
        let p = core[0];
        (s[0].x..=s[1].x).contains(&p.x) && (s[1] - s[0]).perp_dot(p - s[0]) < 0.0
    });
    (!behind).then_some(best)
}

fn over_terrain(make: Make, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut compared = 0;
    for _ in 0..1_000 {
        let roughness = random.between(0.0, 1.0);
        let line = terrain(&mut random, roughness);
        let floor = Shape::Chain(Arc::new(Chain::new(&line, false).unwrap()));
        for _ in 0..40 {
            let body = make(&mut random);
            let place = at(
                random.between(-5.0, 5.0),
                random.between(-0.5, 3.0),
                random.between(-4.0, 4.0),
            );
            let (vertices, radius) = core(&body, &place);
            let Some((d, normal)) = apart(&vertices, &line) else {
                continue;
            };
            let reach = random.between(0.0, 0.6);
            let found = touches((&floor, &ground()), (&body, &place), reach);
            check(
                (&floor, &ground()),
                (&body, &place),
                reach,
                &found,
                ROUNDING,
            );
            let Some(t) = least(&found) else {
                assert!(
                    d - radius > reach - ROUNDING,
                    "missed {} {body:?} {place:?} {line:?}",
                    d - radius
                );
                continue;
            };
            compared += 1;
            assert!(
                (t.gap - d + radius).abs() < ROUNDING,
                "{} {} {found:?}",
                t.gap,
                d - radius
            );
            if d > 1e-3 {
                assert!((t.normal - normal).length() < 1e-9, "{normal} {t:?}");
            }
        }
    }
    compared
}

#[test]
fn the_least_gap_over_random_ground_is_the_distance_from_the_broken_line() {
    let kinds: [(&str, Make); 3] = [
        ("disc", Random::disc),
        ("capsule", Random::capsule),
        ("polygon", Random::polygon),
    ];
    for (name, make) in kinds {
        let compared = over_terrain(make, 11);
        println!("{name}: {compared} compared");
        assert!(compared > 3_000, "{name}: {compared}");
    }
}

#[test]
fn what_is_pressed_into_the_ground_by_a_little_is_held_and_no_deeper_than_that() {
    let mut random = Random(12);
    let kinds: [Make; 3] = [Random::disc, Random::capsule, Random::polygon];
    let mut held = 0;
    for round in 0..40_000 {
        let roughness = random.between(0.0, 1.0);
        let line = terrain(&mut random, roughness);
        let floor = Shape::Chain(Arc::new(Chain::new(&line, false).unwrap()));
        let body = kinds[round % 3](&mut random);
        let x = random.between(-4.0, 4.0);
        let mut place = at(x, random.between(0.5, 3.0), random.between(-4.0, 4.0));
        let (vertices, radius) = core(&body, &place);
        let Some((d, normal)) = apart(&vertices, &line) else {
            continue;
        };
        // Apart at first, so that nothing else comes nearer than the nearest on the way.
        if d < radius {
            continue;
        }
        let depth = 10f64.powf(random.between(-9.0, -2.0));
        place.position -= normal * (d - radius + depth);
        // Two sharp corners may pass each other instead.
        if radius == 0.0 && apart(&core(&body, &place).0, &line).is_some() {
            continue;
        }
        let found = touches((&floor, &ground()), (&body, &place), 0.0);
        check((&floor, &ground()), (&body, &place), 0.0, &found, ROUNDING);
        let t = least(&found).unwrap_or_else(|| panic!("missed {body:?} {place:?} {line:?}"));
        // Exactly so deep with one nearest feature, less deep over an edge of the ground.
        assert!(
            t.gap > -depth - ROUNDING,
            "{t:?} {body:?} {place:?} {line:?}"
        );
        held += 1;
    }
    assert!(held > 8_000, "{held}");
}
