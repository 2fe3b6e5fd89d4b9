//! The speed of the domino wave in the scene `dominoes`, from the theory it cites.
//!
//! Dominoes turn about their front edges, do not rebound and lean on each other without friction (van
//! Leeuwen 2010). With pitch p, thickness d, height h, the domino before a domino at angle a is at
//! b with h sin(b − a) = p cos a − d: one angle moves all. Between impacts ½I Σ(w_i)²·rate² + U is
//! kept; an impact projects the velocities, in the kinetic metric, on what the next domino allows.

use percuss_scene::builtin;

const PITCH: f64 = 0.024;
const THICK: f64 = 0.0075;
const HEIGHT: f64 = 0.048;

/// Angles and rates of the dominoes from the front backwards, the rate of the front being 1.
fn chain(front: f64, behind: usize) -> Vec<(f64, f64)> {
    let mut all = vec![(front, 1.0)];
    for i in 0..behind {
        let (a, rate) = all[i];
        let lean = ((PITCH * a.cos() - THICK) / HEIGHT).asin();
        let slower = 1.0 - PITCH * a.sin() / (HEIGHT * lean.cos());
        all.push((a + lean, rate * slower));
    }
    all
}

/// Potential energy over mass and gravity.
fn height(chain: &[(f64, f64)]) -> f64 {
    let of = |(a, _): &(f64, f64)| 0.5 * (HEIGHT * a.cos() + THICK * a.sin());
    chain.iter().map(of).sum()
}

fn squares(chain: &[(f64, f64)]) -> f64 {
    chain.iter().map(|(_, rate)| rate * rate).sum()
}

/// Speeds of the wave over the root of g times the height, domino by domino. Lengths are in metres and
/// g is 1, as it drops out.
fn speeds(count: usize) -> Vec<f64> {
    let inertia = (HEIGHT * HEIGHT + THICK * THICK) / 3.0;
    let hit = ((PITCH - THICK) / HEIGHT).asin();
    let mut rate: f64 = 1.0;
    let mut all = Vec::new();
    for behind in 0..count {
        let start = chain(0.0, behind);
        let energy = 0.5 * inertia * squares(&start) * rate * rate + height(&start);
        let rate_at = |angle: f64| {
            let now = chain(angle, behind);
            (2.0 * (energy - height(&now)) / (inertia * squares(&now))).sqrt()
        };
        // Simpson's rule for ∫ da/rate.
        let parts = 200;
        let step = hit / f64::from(parts);
        let sum: f64 = (0..=parts)
            .map(|k| {
                let weight = match k {
                    0 => 1.0,
                    _ if k == parts => 1.0,
                    _ if k % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight / rate_at(f64::from(k) * step)
            })
            .sum();
        all.push(PITCH / (sum * step / 3.0) / HEIGHT.sqrt());
        let (before, after) = (chain(hit, behind), chain(0.0, behind + 1));
        let shared: f64 = before.iter().zip(&after[1..]).map(|(b, a)| b.1 * a.1).sum();
        rate = rate_at(hit) * shared / squares(&after);
    }
    all
}

#[test]
fn the_scene_expects_the_speed_that_the_theory_gives_for_its_measures() {
    let speeds = speeds(60);
    // The last is the limit: the one before differs by less than what is asked of it.
    let limit = speeds[59];
    assert!((speeds[58] - limit).abs() < 1e-7, "{} {limit}", speeds[58]);
    let text = builtin::text("dominoes").expect("a scene");
    let expected = text.split("expected = ").nth(1).expect("a finding");
    let expected: f64 = expected
        .lines()
        .next()
        .expect("a line")
        .parse()
        .expect("a number");
    // Seven decimals are given.
    assert!((limit - expected).abs() < 1e-6, "{limit} {expected}");
    for (name, value) in [("height", HEIGHT), ("thick", THICK), ("pitch", PITCH)] {
        assert!(
            text.contains(&format!("{name} = \"{value}*size\"")),
            "{name}"
        );
    }
}
