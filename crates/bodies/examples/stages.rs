//! Time by stage of a step: detection, assembly, update and balances in microseconds, the fastest of many steps for
//! each, so that other load on the machine does not count.
//!
//! `cargo run --release -p percuss-bodies --example stages -- [wall|spheres|discs] [bodies] [steps]
//! [threads] [compare]`
//!
//! With `compare` the integrators `midpoint` and `projected` take the steps in turn, and the ratio of their times is
//! printed.
//!
//! The wall of 176 blocks on quaking ground; spheres, or discs, that have settled in a box. They settle
//! under a solver that stops early, as its accuracy is not what is measured.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::{
    Activation, Body, Dynamics, Freedom, Friction, Integrator, MassProperties, Materials, Model,
    PairLaw, Plane, Pose, PrescribedMotion, Settings, Space, State, StepTimings, World, plane,
    space,
};

#[derive(Debug)]
struct Quake;

impl PrescribedMotion<Plane> for Quake {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let omega = 4.0 * std::f64::consts::PI;
        let mut pose = *anchor;
        pose.position.x += 0.125 * (omega * t).sin();
        (pose, [0.125 * omega * (omega * t).cos(), 0.0, 0.0])
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scene = arguments.next().unwrap_or_else(|| "wall".into());
    let mut number = |default: usize| {
        let given = arguments.next().and_then(|text| text.parse().ok());
        given.unwrap_or(default)
    };
    let count = number(if scene == "discs" { 5000 } else { 1000 });
    let (steps, threads) = (number(200), number(1));
    if arguments.next().as_deref() == Some("compare") {
        return match scene.as_str() {
            "wall" => compare(&wall, 100, steps, threads),
            "discs" => compare(&|| discs(count), 400, steps, threads),
            _ => compare(&|| spheres(count), 400, steps, threads),
        };
    }
    match scene.as_str() {
        "wall" => measure(wall(), 100, steps, threads),
        "discs" => measure(discs(count), 400, steps, threads),
        _ => measure(spheres(count), 400, steps, threads),
    }
}

/// Steps after a change of the solver that are not measured.
const WARM: usize = 20;

/// Lets a world settle, then continues it with each integrator, step by step in turn.
fn compare<D: Dynamics>(
    scene: &dyn Fn() -> (Model<D>, State<D>),
    settle: usize,
    steps: usize,
    threads: usize,
) {
    let stop = |error: percuss_bodies::WorldError| -> ! {
        eprintln!("{error}");
        std::process::exit(1);
    };
    let (model, state) = scene();
    let settling = Settings {
        tolerance: 1e-4,
        threads,
        ..Settings::default()
    };
    let mut settled = World::new(model, state, settling).unwrap_or_else(|error| stop(error));
    for _ in 0..settle {
        settled.step().unwrap_or_else(|error| stop(error));
    }
    let integrators = [Integrator::Midpoint, Integrator::Projected];
    let mut worlds = integrators.map(|integrator| {
        let settings = Settings {
            integrator,
            tolerance: 1e-4,
            threads,
            ..Settings::default()
        };
        let (state, report) = (settled.state().clone(), *settled.report());
        World::resume(scene().0, state, settings, report).unwrap_or_else(|error| stop(error))
    });
    let (mut time, mut iterations) = ([0.0; 2], [0; 2]);
    for step in 0..WARM + steps {
        for (k, world) in worlds.iter_mut().enumerate() {
            let begin = std::time::Instant::now();
            world.step().unwrap_or_else(|error| stop(error));
            if step >= WARM {
                time[k] += begin.elapsed().as_secs_f64();
                iterations[k] += world.report().iterations;
            }
        }
    }
    for (k, world) in worlds.iter().enumerate() {
        let report = world.report();
        println!(
            "{:<10} {:>10.1} µs per step, {} iterations, {} contacts, kinetic energy {:e}, resting {:e}",
            format!("{:?}", integrators[k]),
            1e6 * time[k] / steps as f64,
            iterations[k],
            world.num_contacts(),
            report.kinetic,
            report.resting
        );
    }
    println!("ratio {:.3}", time[1] / time[0]);
}

/// Lets it settle, then takes each stage's fastest time.
fn measure<D: Dynamics>(
    (model, state): (Model<D>, State<D>),
    settle: usize,
    steps: usize,
    threads: usize,
) {
    let settings = Settings {
        step: 1e-3,
        tolerance: 1e-4,
        max_iterations: Some(60),
        solver: "nncg".into(),
        activation: Activation::Predicted,
        threads,
        ..Settings::default()
    };
    let stop = |error: percuss_bodies::WorldError| -> ! {
        eprintln!("{error}");
        std::process::exit(1);
    };
    let bodies = model.bodies.len();
    let mut world = World::new(model, state, settings).unwrap_or_else(|error| stop(error));
    for _ in 0..settle {
        world.step().unwrap_or_else(|error| stop(error));
    }
    let mut best = [f64::INFINITY; 5];
    let mut sum = [0.0; 5];
    for _ in 0..steps {
        world.begin_profile();
        world.step().unwrap_or_else(|error| stop(error));
        let Some(profile) = world.profile() else {
            continue;
        };
        for (k, time) in times(profile).into_iter().enumerate() {
            best[k] = best[k].min(time);
            sum[k] += time / steps as f64;
        }
    }
    let contacts = world.num_contacts();
    println!(
        "bodies {bodies}, contacts {contacts}, pairs {}, touches {}",
        world.report().num_pairs,
        world.report().num_active
    );
    let names = ["detection", "assembly", "update", "account", "solve"];
    for ((name, best), mean) in names.iter().zip(best).zip(sum) {
        let each = 1e9 * best / contacts.max(1) as f64;
        println!(
            "{name:<10} {:>10.1} µs {each:>8.1} ns per contact  (mean {:.1} µs)",
            1e6 * best,
            1e6 * mean
        );
    }
    let rest: f64 = best[..4].iter().sum();
    println!("all but the solve {:.1} µs", 1e6 * rest);
    if let Some(bytes) = peak_memory() {
        println!("peak memory {:.0} bytes per body", bytes / bodies as f64);
    }
}

/// Largest resident memory of this process, where the system tells (Linux).
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

fn times(profile: &StepTimings) -> [f64; 5] {
    [
        profile.detection,
        profile.assembly,
        profile.update,
        profile.account,
        profile.solve,
    ]
}

struct Stage<D: Dynamics>(Model<D>, State<D>);

impl<D: Dynamics> Stage<D> {
    fn new(mu: f64, gravity: D::Vector) -> Self {
        let law = PairLaw {
            friction: Friction::Coulomb(mu),
            ..PairLaw::default()
        };
        let model = Model {
            bodies: Vec::new(),
            materials: Materials::new(1, &law),
            prescribed_motions: Vec::new(),
            gravity,
            force_fields: Vec::new(),
            drag: Vec::new(),
            joints: Vec::new(),
            cell: None,
        };
        let state = State {
            t: 0.0,
            poses: Vec::new(),
            velocities: Vec::new(),
            kinematic_origins: Vec::new(),
            contacts: Vec::new(),
            cell: None,
        };
        Self(model, state)
    }

    fn add(&mut self, shape: D::Shape, freedom: Freedom, pose: Pose<D>) {
        let mut ones = D::ZERO_VELOCITY;
        ones.as_mut().fill(1.0);
        let mass: MassProperties<D> =
            D::mass_properties(&shape, 2400.0).unwrap_or(D::from_mass_diagonal(&ones));
        self.0.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.1.poses.push(pose);
        self.1.velocities.push(D::ZERO_VELOCITY);
    }
}

fn wall() -> (Model<Plane>, State<Plane>) {
    let mut stage = Stage::<Plane>::new(0.3, DVec2::Y * -9.81);
    let at = |x: f64, y: f64| Pose {
        position: DVec2::new(x, y),
        rotation: Default::default(),
    };
    stage.0.prescribed_motions.push(Box::new(Quake));
    stage.add(plane::Shape::HalfPlane, Freedom::Kinematic(0), at(0.0, 0.0));
    for course in 0..16 {
        let mut x = -3.15;
        while x < 3.15 - 1e-9 {
            let first = x < -3.15 + 1e-9 && course % 2 == 1;
            let w = if first || 3.15 - x < 0.6 - 1e-9 {
                0.3
            } else {
                0.6
            };
            if let Ok(block) = plane::ConvexPolygon::rectangle(w, 0.4) {
                let place = at(x + 0.5 * w, 0.4 * f64::from(course) + 0.2);
                stage.add(plane::Shape::Polygon(block.into()), Freedom::Free, place);
            }
            x += w;
        }
    }
    (stage.0, stage.1)
}

/// Radius of body k: between 0.8 and 1 of a centimetre by a fixed scatter.
fn radius(k: usize) -> f64 {
    0.01 * (0.8 + 0.2 * (k as f64 * 0.618_033_988_749_895).fract())
}

fn spheres(count: usize) -> (Model<Space>, State<Space>) {
    let mut stage = Stage::<Space>::new(0.5, DVec3::Z * -9.81);
    let side = (count as f64).cbrt().ceil() as usize;
    for k in 0..count {
        let place = [k % side, k / side % side, k / (side * side)];
        let shift = [0.755, 0.570, 0.437].map(|c| (k as f64 * c).fract() - 0.5);
        let at = |axis: usize| (place[axis] as f64 + 0.5) * 0.02 + (0.01 - radius(k)) * shift[axis];
        let pose = Pose {
            position: DVec3::new(at(0), at(1), at(2)),
            rotation: DQuat::IDENTITY,
        };
        stage.add(
            space::Shape::Sphere { radius: radius(k) },
            Freedom::Free,
            pose,
        );
    }
    let width = 0.02 * side as f64;
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
        stage.add(space::Shape::HalfSpace, Freedom::Fixed, pose);
    }
    (stage.0, stage.1)
}

fn discs(count: usize) -> (Model<Plane>, State<Plane>) {
    let mut stage = Stage::<Plane>::new(0.5, DVec2::Y * -9.81);
    let side = (count as f64).sqrt().ceil() as usize;
    for k in 0..count {
        let shift = [0.755, 0.570].map(|c| (k as f64 * c).fract() - 0.5);
        let place = [k % side, k / side];
        let at = |axis: usize| (place[axis] as f64 + 0.5) * 0.02 + (0.01 - radius(k)) * shift[axis];
        let pose = Pose {
            position: DVec2::new(at(0), at(1)),
            rotation: Default::default(),
        };
        stage.add(
            plane::Shape::Disc { radius: radius(k) },
            Freedom::Free,
            pose,
        );
    }
    let width = 0.02 * side as f64;
    let half = std::f64::consts::FRAC_PI_2;
    for (x, angle) in [(0.0, 0.0), (0.0, -half), (width, half)] {
        let pose = Pose {
            position: DVec2::new(x, 0.0),
            rotation: plane::Angle::new(angle),
        };
        stage.add(plane::Shape::HalfPlane, Freedom::Fixed, pose);
    }
    (stage.0, stage.1)
}
