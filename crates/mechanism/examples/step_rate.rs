//! Steps per second of the time stepper on systems written in Rust.
//!
//! `cargo run --release -p percuss-mechanism --example step_rate`

#[allow(dead_code)] // The tests use all of it.
#[path = "../tests/all/native/mod.rs"]
mod native;

use std::time::Instant;

use native::{DoublePendulum, Part, Point, RodPendulum, state};
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{ConstraintKind, Integrator, Settings, State, System, TimeStepper};

/// Best of five runs, in steps per second.
fn rate<S: System>(name: &str, make: impl Fn() -> S, start: &State, steps: usize) {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let settings = Settings {
            step: 1e-4,
            ..Settings::default()
        };
        let Ok(mut motion) = TimeStepper::new(make(), settings, start.clone()) else {
            println!("{name}: cannot start");
            return;
        };
        let clock = Instant::now();
        for _ in 0..steps {
            if motion.advance().is_err() {
                println!("{name}: stopped");
                return;
            }
        }
        best = best.min(clock.elapsed().as_secs_f64());
    }
    let ns = best / steps as f64 * 1e9;
    println!(
        "{name:40} {:10.0} steps/s  ({ns:.0} ns)",
        steps as f64 / best
    );
}

fn part(rows: &[&[f64]], law: Law) -> Part {
    Part {
        rows: rows.iter().map(|r| r.to_vec()).collect(),
        offset: 0.0,
        law,
        restitution: Restitution::default(),
    }
}

fn main() {
    let swing = state(&[1.0, 0.5], &[0.0, 0.0]);
    rate(
        "double pendulum",
        || DoublePendulum::new(0.1),
        &swing,
        200_000,
    );
    let rod = state(&[1.0, 0.0], &[0.0, 0.0]);
    rate("pendulum with a joint", RodPendulum::new, &rod, 200_000);
    let sliding = || {
        let floor = part(&[&[1.0, 0.0], &[0.0, 1.0]], Law::Coulomb { mu: 0.3 });
        Point::new(
            vec![-9.81, 4.0],
            vec![("floor", ConstraintKind::Contact, floor)],
        )
    };
    let rest = state(&[0.0, 0.0], &[0.0, 0.0]);
    rate("one sliding contact", sliding, &rest, 200_000);
    let corner = || {
        let floor = part(&[&[1.0, 0.0], &[0.0, 1.0]], Law::Coulomb { mu: 0.3 });
        let wall = part(&[&[0.0, 1.0], &[1.0, 0.0]], Law::Coulomb { mu: 0.3 });
        let parts = vec![
            ("floor", ConstraintKind::Contact, floor),
            ("wall", ConstraintKind::Contact, wall),
        ];
        Point::new(vec![-9.81, -4.0], parts)
    };
    rate("two contacts at rest", corner, &rest, 100_000);
    let held = || {
        let floor = part(
            &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]],
            Law::Coulomb { mu: 0.3 },
        );
        let rail = part(&[&[0.0, 0.6, 0.8]], Law::Bilateral);
        let parts = vec![
            ("floor", ConstraintKind::Contact, floor),
            ("rail", ConstraintKind::Joint, rail),
        ];
        Point::new(vec![-9.81, 4.0, 1.0], parts)
    };
    let rest = state(&[0.0; 3], &[0.0; 3]);
    rate("a contact and a joint", held, &rest, 100_000);
}
