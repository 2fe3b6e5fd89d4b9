//! Spheres settling in a box: time per contact and sweep, memory per sphere, for growing numbers.
//!
//! `cargo run --release -p percuss-bodies --example settle -- 10000 [steps] [threads]`
//!
//! A cubic lattice of spheres of different sizes, each in a cell of its own, falls and compacts in a
//! box of five half-spaces. Prints one line for every ten steps, then the figures.

use std::time::{Duration, Instant};

use glam::{DQuat, DVec3};
use percuss_bodies::{
    Body, Freedom, Friction, MassProperties, Materials, Model, PairLaw, Pose, Settings, Space,
    State, World, space,
};
use percuss_solve::Nlgs;

/// Largest radius, m.
const RADIUS: f64 = 0.01;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| {
        let given = arguments.next().and_then(|text| text.parse().ok());
        given.unwrap_or(default)
    };
    let (count, steps, threads) = (number(10_000), number(100), number(1));
    let mut world = build(count, threads);
    println!("spheres {count}, steps {steps}, threads {threads}");
    println!(
        "{:>6} {:>9} {:>7} {:>10} {:>12} {:>9}",
        "step", "contacts", "sweeps", "residual", "penetration", "s/step"
    );
    let (mut total, mut solved, mut work) = (Duration::ZERO, 0, 0.0);
    for step in 1..=steps {
        let started = Instant::now();
        if let Err(error) = world.step() {
            eprintln!("step {step}: {error}");
            std::process::exit(1);
        }
        let took = started.elapsed();
        let ledger = world.report();
        total += took;
        solved += usize::from(ledger.reached);
        work += ledger.num_active as f64 * ledger.iterations as f64;
        if step % 10 == 0 || step == steps {
            println!(
                "{step:>6} {:>9} {:>7} {:>10.1e} {:>12.2e} {:>9.3}",
                ledger.num_active,
                ledger.iterations,
                ledger.residual,
                ledger.penetration,
                took.as_secs_f64()
            );
        }
    }
    println!("steps that reached 1e-4: {solved} of {steps}");
    if let Some(nanoseconds) = sweep_time(&world) {
        println!("time per contact and sweep: {nanoseconds:.1} ns");
    }
    println!(
        "time of a step per contact and sweep, all included: {:.1} ns",
        total.as_secs_f64() * 1e9 / work
    );
    if let Some(bytes) = peak_memory() {
        println!(
            "peak memory: {:.0} MB, {:.0} bytes per sphere",
            bytes / 1e6,
            bytes / count as f64
        );
    }
}

/// Nanoseconds of one contact in one sweep over the last problem, best of some.
fn sweep_time(world: &World<Space>) -> Option<f64> {
    let problem = world.problem().filter(|p| p.num_contacts() > 0)?;
    let mut impulse = vec![0.0; problem.num_rows()];
    let mut relaxation = Nlgs::default();
    // Each call recomputes the velocities from the impulses once, which is a part of a sweep's work.
    relaxation.sweep(problem, &mut impulse, 1);
    let sweeps = 20;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        relaxation.sweep(problem, &mut impulse, sweeps);
        best = best.min(started.elapsed());
    }
    let visits = (problem.num_contacts() * sweeps) as f64;
    Some(best.as_secs_f64() * 1e9 / visits)
}

/// Spheres in a box.
fn build(count: usize, threads: usize) -> World<Space> {
    let side = (count as f64).cbrt().ceil() as usize;
    let law = PairLaw {
        friction: Friction::Coulomb(0.5),
        ..PairLaw::default()
    };
    let model = Model {
        bodies: Vec::with_capacity(count + 5),
        materials: Materials::new(1, &law),
        prescribed_motions: Vec::new(),
        gravity: DVec3::Z * -9.81,
        force_fields: Vec::new(),
        drag: Vec::new(),
        joints: Vec::new(),
        cell: None,
    };
    let state = State {
        t: 0.0,
        poses: Vec::with_capacity(count + 5),
        velocities: Vec::with_capacity(count + 5),
        kinematic_origins: Vec::new(),
        contacts: Vec::new(),
        cell: None,
    };
    let mut heap = Heap { model, state };
    for k in 0..count {
        heap.sphere(k, side);
    }
    heap.walls(2.0 * RADIUS * side as f64);
    let settings = Settings {
        step: 1e-3,
        tolerance: 1e-4,
        threads,
        ..Settings::default()
    };
    match World::new(heap.model, heap.state, settings) {
        Ok(world) => world,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// A heap under construction.
struct Heap {
    model: Model<Space>,
    state: State<Space>,
}

impl Heap {
    /// Sphere number k of a cubic lattice, its size between 0.8 and 1 by a fixed scatter, somewhere in
    /// its cell.
    fn sphere(&mut self, k: usize, side: usize) {
        let place = [k % side, k / side % side, k / (side * side)];
        let radius = RADIUS * (0.8 + 0.2 * (k as f64 * 0.618_033_988_749_895).fract());
        let shift = [0.755, 0.570, 0.437].map(|c| (k as f64 * c).fract() - 0.5);
        let at = |axis: usize| {
            (place[axis] as f64 + 0.5) * 2.0 * RADIUS + (RADIUS - radius) * shift[axis]
        };
        let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let pose = Pose {
            position: DVec3::new(at(0), at(1), at(2)),
            rotation: DQuat::IDENTITY,
        };
        let inertia = DVec3::splat(0.4 * mass * radius * radius);
        let properties = MassProperties { mass, inertia };
        self.add(
            space::Shape::Sphere { radius },
            properties,
            Freedom::Free,
            pose,
        );
    }

    /// A floor and four walls.
    fn walls(&mut self, width: f64) {
        for (normal, at) in [
            (DVec3::Z, 0.0),
            (DVec3::X, 0.0),
            (DVec3::NEG_X, -width),
            (DVec3::Y, 0.0),
            (DVec3::NEG_Y, -width),
        ] {
            let pose = Pose {
                position: normal * at,
                rotation: DQuat::from_rotation_arc(DVec3::Z, normal),
            };
            let properties = MassProperties {
                mass: 0.0,
                inertia: DVec3::ZERO,
            };
            self.add(space::Shape::HalfSpace, properties, Freedom::Fixed, pose);
        }
    }

    fn add(
        &mut self,
        shape: space::Shape,
        mass: MassProperties<Space>,
        freedom: Freedom,
        pose: Pose<Space>,
    ) {
        self.model.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.state.poses.push(pose);
        self.state.velocities.push([0.0; 6]);
    }
}

/// Largest resident memory of this process, where the system tells (Linux).
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}
