//! Steps per second of mechanisms written as text, beside the same mechanisms written in Rust.
//!
//! `cargo run --release -p percuss-scene --example scene_speed`
//!
//! Both forms run in turn in the same process; the best of seven rounds counts, because machines are
//! shared. The product's aim: 200,000 steps a second, and at most five times the cost of Rust.

#[path = "native/mod.rs"]
mod native;

use std::time::Instant;

use percuss_mechanism::{Integrator, System, TimeStepper};
use percuss_scene::Scene;

const ROUNDS: usize = 7;

fn main() {
    println!(
        "{:34} {:>12} {:>12} {:>8}",
        "mechanism", "text, 1/s", "Rust, 1/s", "cost"
    );
    let wall = native::PendulumWall::new();
    compare(
        "double pendulum before a wall",
        native::PENDULUM_WALL,
        wall,
        200_000,
    );
    let arm = native::Slider::new();
    compare(
        "slider with friction, in contact",
        native::SLIDER,
        arm,
        200_000,
    );
    alone("six coordinates, three contacts", native::CHAIN, 50_000);
}

fn build(text: &str) -> percuss_scene::BuiltMechanism {
    let scene = Scene::parse("speed", "speed.toml", text).expect("the scene is valid");
    scene.build_mechanism().expect("the scene can be built")
}

/// Time of `steps` steps, in seconds.
fn time<S: System>(system: S, built: &percuss_scene::BuiltMechanism, steps: usize) -> f64 {
    let mut motion =
        TimeStepper::new(system, built.settings.clone(), built.initial.clone()).expect("it starts");
    let clock = Instant::now();
    for _ in 0..steps {
        motion.advance().expect("it goes on");
    }
    clock.elapsed().as_secs_f64()
}

fn compare<S: System + Clone>(name: &str, text: &str, rust: S, steps: usize) {
    let built = build(text);
    let (mut best_text, mut best_rust) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        best_text = best_text.min(time(built.system.clone(), &built, steps));
        best_rust = best_rust.min(time(rust.clone(), &built, steps));
    }
    println!(
        "{name:34} {:12.0} {:12.0} {:8.2}",
        steps as f64 / best_text,
        steps as f64 / best_rust,
        best_text / best_rust
    );
}

fn alone(name: &str, text: &str, steps: usize) {
    let built = build(text);
    let best = (0..ROUNDS).fold(f64::INFINITY, |best, _| {
        best.min(time(built.system.clone(), &built, steps))
    });
    println!(
        "{name:34} {:12.0} {:>12} {:>8}",
        steps as f64 / best,
        "-",
        "-"
    );
}
