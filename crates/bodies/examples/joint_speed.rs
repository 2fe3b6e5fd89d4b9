#[path = "../../../benches/src/joints/scenes.rs"]
mod scenes;
use percuss_bodies::{Dim, World};
use scenes::AnyWorld;
use std::time::Instant;

/// Milliseconds this thread has run.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-6
}

fn measure<D: Dim>(world: &mut World<D>, name: &str, steps: usize, first: f64) {
    let mut times = Vec::new();
    let (mut drift, mut residual, mut missed, mut deep, mut contacts) = (0.0_f64, 0.0_f64, 0, 0.0_f64, 0);
    world.begin_profile();
    let begin_energy = world.report().kinetic + world.report().potential;
    for k in 0..steps {
        let t = cpu();
        world.step().unwrap();
        times.push(cpu() - t);
        let r = world.report();
        drift = drift.max(r.drift);
        residual = residual.max(r.residual);
        missed += usize::from(!r.reached);
        deep = deep.max(r.penetration);
        contacts = r.num_active;
        if std::env::var("VERBOSE").is_ok() {
            println!("{k}: {:.2} ms, {} contacts, residual {:.1e}, {} its, drift {:.1e} kinetic {:.9e} mech {:.3e}", times[k], contacts, r.residual, r.iterations, r.drift, r.kinetic, r.kinetic + r.potential - begin_energy);
        }
    }
    let p = *world.profile().unwrap();
    let mut sorted = times.clone();
    sorted.sort_by(f64::total_cmp);
    let n = steps as f64;
    let end = world.report().kinetic + world.report().potential;
    println!(
        "{name:<14} init {first:9.1} ms; mean {:8.3} median {:8.3} worst {:8.3} ms | det {:.3} asm {:.3} solve {:.3} upd {:.3} acc {:.3} | redundant {} contacts {contacts} missed {missed} drift {drift:.1e} res {residual:.1e} deep {deep:.1e} dE {:.2e}",
        times.iter().sum::<f64>() / n, sorted[steps / 2], sorted[steps - 1],
        p.detection * 1e3 / n, p.assembly * 1e3 / n, p.solve * 1e3 / n, p.update * 1e3 / n, p.account * 1e3 / n,
        world.redundant_rows().len(), (end - begin_energy) / (1.0 + begin_energy.abs()),
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let steps: usize = args[0].parse().unwrap();
    let tolerance: f64 = args[1].parse().unwrap();
    for spec in &args[2..] {
        let (name, size) = spec.split_once(':').unwrap();
        let t = Instant::now();
        let world = scenes::scene(name, size.parse().unwrap(), 1e-3, tolerance);
        let first = t.elapsed().as_secs_f64() * 1e3;
        match world {
            Ok(AnyWorld::Plane(mut w)) => measure(&mut w, spec, steps, first),
            Ok(AnyWorld::Space(mut w)) => measure(&mut w, spec, steps, first),
            Err(e) => println!("{spec}: {e}"),
        }
    }
}
