//! A swinging chain of ten links with a load of a thousand link masses at its end: how far its joints
//! drift, what becomes of its energy, and how long a step takes.
//!
//! `cargo run --release --example chain -- [STEPS] [STEP]` (default 1000000 steps of 1e-4 s).

use std::time::Instant;

use glam::DVec2;
use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::plane::{Angle, Shape};
use percuss_bodies::{
    Body, Freedom, MassProperties, Materials, Model, PairLaw, Plane, Pose, Settings, State, World,
};

const LINKS: usize = 10;
const LENGTH: f64 = 0.1;
const LOAD: f64 = 1000.0;

fn side(body: Option<u32>, point: DVec2) -> JointFrame<Plane> {
    let frame = [DVec2::X, DVec2::Y];
    JointFrame {
        body,
        point,
        axes: frame,
    }
}

fn world(step: f64) -> Result<World<Plane>, Box<dyn std::error::Error>> {
    let mut bodies = Vec::new();
    let (mut poses, mut joints) = (Vec::new(), Vec::new());
    for link in 0..LINKS {
        let mass = if link + 1 == LINKS { LOAD } else { 1.0 };
        bodies.push(Body {
            // Thin beads: it is the joints that are looked at, not contacts between links.
            shape: Shape::disc(1e-3)?,
            mass: MassProperties {
                mass,
                inertia: mass * LENGTH * LENGTH / 12.0,
            },
            material: 0,
            freedom: Freedom::Free,
        });
        // The chain is let go horizontally.
        poses.push(Pose {
            position: DVec2::new((link as f64 + 0.5) * LENGTH, 0.0),
            rotation: Angle::default(),
        });
        let before = match link {
            0 => side(None, DVec2::ZERO),
            _ => side(Some(link as u32 - 1), DVec2::X * (0.5 * LENGTH)),
        };
        let own = side(Some(link as u32), DVec2::X * (-0.5 * LENGTH));
        joints.push(Joint::new(
            &format!("pin_{link}"),
            JointKind::Revolute,
            [before, own],
        ));
    }
    let model = Model {
        bodies,
        materials: Materials::new(1, &PairLaw::default()),
        prescribed_motions: Vec::new(),
        gravity: DVec2::Y * -9.81,
        force_fields: Vec::new(),
        drag: Vec::new(),
        joints,
        cell: None,
    };
    let state = State {
        t: 0.0,
        velocities: vec![[0.0; 3]; LINKS],
        poses,
        kinematic_origins: Vec::new(),
        contacts: Vec::new(),
        cell: None,
    };
    let settings = Settings {
        step,
        ..Settings::default()
    };
    Ok(World::new(model, state, settings)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let steps: usize = arguments.next().map_or(Ok(1_000_000), |s| s.parse())?;
    let step: f64 = arguments.next().map_or(Ok(1e-4), |s| s.parse())?;
    let mut world = world(step)?;
    let energy = |world: &World<Plane>| world.report().kinetic + world.report().potential;
    let first = energy(&world);
    // What the load would gain by falling the length of the chain.
    let scale = LOAD * 9.81 * LENGTH * LINKS as f64;
    let (mut drift, mut off, mut held, mut missed, mut residual) =
        (0.0_f64, 0.0_f64, 0.0, 0, 0.0_f64);
    let begin = Instant::now();
    for k in 1..=steps {
        world.step()?;
        let ledger = world.report();
        drift = drift.max(ledger.drift);
        residual = residual.max(ledger.residual);
        held += ledger.bilateral;
        missed += usize::from(!ledger.reached);
        off = off.max(((energy(&world) - first) / scale).abs());
        if k % (steps / 10).max(1) == 0 {
            println!(
                "{k:>9} steps, t = {:8.3} s, {:6.1} s: drift {drift:.2e} m, energy off {off:.2e} \
                 (now {:+.2e}), held work {:+.2e}, residual {residual:.1e}, missed {missed}",
                world.state().t,
                begin.elapsed().as_secs_f64(),
                (energy(&world) - first) / scale,
                held / scale,
            );
        }
    }
    let each = begin.elapsed().as_secs_f64() / steps as f64;
    println!("{:.1} µs a step", each * 1e6);
    Ok(())
}
