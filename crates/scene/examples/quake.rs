//! Makes `crates/scene/scenes/data/quake.csv`, a synthetic record of a strong earthquake, from a formula and a seed:
//!
//! ```text
//! a(t) = E(t) Σ_k √(S(ω_k) Δω) cos(ω_k t + φ_k),   scaled to a peak of 0.35 g
//!
//!         ω_g⁴ + 4 ζ_g² ω_g² ω²             ω⁴
//! S = ──────────────────────────── · ────────────────────────────
//!     (ω_g² − ω²)² + 4 ζ_g² ω_g² ω²  (ω_f² − ω²)² + 4 ζ_f² ω_f² ω²
//! ```
//!
//! White noise through a layer of firm ground (Kanai 1957, Tajimi 1960: ω_g = 5π rad/s, ζ_g = 0.6) and a
//! filter that takes out what is slower than a quarter of a cycle per second (Clough and Penzien 1975:
//! ω_f = 0.5π rad/s, ζ_f = 0.6), as a sum of 2000 cosines up to 25 cycles per second with random phases
//! (Shinozuka and Deodatis 1991). The envelope E grows with t² for 3 s, holds for 7 s and decays like
//! exp(−0.3 (t − 10)) (Jennings, Housner and Tsai 1968); over the last second it goes to 0. 20 s in steps of
//! 0.01 s, accelerations in multiples of g.
//!
//! `cargo run --release -p percuss --example quake > crates/scene/scenes/data/quake.csv`

use std::f64::consts::PI;
use std::fmt::Write as _;

/// Duration in s.
const DURATION: f64 = 20.0;
/// Steps per second.
const RATE: usize = 100;
/// Largest acceleration over g.
const PEAK: f64 = 0.35;
/// Number of cosines.
const WAVES: usize = 2000;
/// Fastest cosine, cycles per second.
const FASTEST: f64 = 25.0;
/// Start of the phases.
const SEED: u64 = 1968;

/// Power of the noise at a circular frequency.
fn spectrum(w: f64) -> f64 {
    let (ground, damping) = (5.0 * PI, 0.6);
    let (slow, slow_damping) = (0.5 * PI, 0.6);
    let square = |x: f64| x * x;
    let filter = |at: f64, zeta: f64| square(at * at - w * w) + square(2.0 * zeta * at * w);
    let layer = (ground.powi(4) + square(2.0 * damping * ground * w)) / filter(ground, damping);
    layer * w.powi(4) / filter(slow, slow_damping)
}

/// How strong the motion is at a time.
fn envelope(t: f64) -> f64 {
    let main = match t {
        t if t < 3.0 => (t / 3.0).powi(2),
        t if t < 10.0 => 1.0,
        t => (-0.3 * (t - 10.0)).exp(),
    };
    // 3x² − 2x³ falls smoothly from 1 to 0.
    let x = (DURATION - t).clamp(0.0, 1.0);
    main * x * x * (3.0 - 2.0 * x)
}

/// The phases: SplitMix64 (Steele, Lea, Flood 2014), uniform in [0, 2π).
fn phases() -> Vec<f64> {
    let mut state = SEED;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let draw = |_| 2.0 * PI * (next() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..WAVES).map(draw).collect()
}

/// Accelerations in multiples of g, one for each step.
pub fn accelerations() -> Vec<f64> {
    let phases = phases();
    let width = 2.0 * PI * FASTEST / WAVES as f64;
    let waves: Vec<[f64; 3]> = (0..WAVES)
        .map(|k| {
            let w = (k as f64 + 0.5) * width;
            [w, (spectrum(w) * width).sqrt(), phases[k]]
        })
        .collect();
    let steps = DURATION as usize * RATE;
    let noise: Vec<f64> = (0..=steps)
        .map(|i| {
            let t = i as f64 / RATE as f64;
            let sum: f64 = waves
                .iter()
                .map(|[w, size, phase]| size * (w * t + phase).cos())
                .sum();
            envelope(t) * sum
        })
        .collect();
    let peak = noise.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
    noise.iter().map(|a| a * PEAK / peak).collect()
}

/// The record as text.
pub fn record() -> String {
    let mut text = String::from(
        "# Synthetic earthquake: Kanai-Tajimi noise in an envelope, made by crates/scene/examples/quake.rs\n\
         # time in s, acceleration in multiples of g\n\
         time,acceleration\n",
    );
    for (i, a) in accelerations().iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:.2},{a:.6}", i as f64 / RATE as f64);
    }
    text
}

fn main() {
    print!("{}", record());
}
