//! Cost of a Gauss–Seidel sweep over contacts of spheres in space, in nanoseconds per contact.
//!
//! ```text
//! cargo run --release -p percuss-solve --example ball_cost [balls] [repetitions] [wall]
//! ```
//!
//! Spheres of different masses on a cubic lattice, each touching its three lower neighbours or the boundary; a tilted
//! gravity gives sticking, sliding and open contacts together. The minimum over repetitions is printed, in processor
//! time of the thread where the system reports it. With `wall` the contacts are those of blocks in the plane.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};
use percuss_solve::Nlgs;
use percuss_solve::sample::{Random, Wall};

fn lattice(balls: usize) -> Result<Problem, ProblemError> {
    let edge = ((balls as f64).cbrt().round() as usize).max(1);
    let mut random = Random::new(1);
    let mut builder = FactoredDelassus::builder();
    let mut root = Vec::new();
    for _ in 0..edge.pow(3) {
        let mass: f64 = random.within(0.5, 2.0);
        let velocity = [0.0; 6].map(|_: f64| random.within(-0.01, 0.01));
        let mut free = velocity;
        for (v, g) in free.iter_mut().zip([-0.03, -0.02, -0.1]) {
            *v += mass.sqrt() * g;
        }
        builder.add_kinetic_group(&velocity, &free)?;
        root.push(1.0 / mass.sqrt());
    }
    for b in 0..edge.pow(3) {
        for (axis, stride) in [(2, edge * edge), (1, edge), (0, 1)] {
            let frame = frame(&mut random, axis);
            let ball = |k: usize, sign: f64| {
                let c = -0.5 * root[k] * 10_f64.sqrt();
                (k, sign * root[k], c)
            };
            let mut touching = vec![ball(b, 1.0)];
            if !(b / stride).is_multiple_of(edge) {
                touching.push(ball(b - stride, -1.0));
            }
            let law = Law::Coulomb { mu: 0.4 };
            builder.add_sphere_contact(&law, &frame, &touching, &[0.0; 3], &[0.0; 3])?;
        }
    }
    builder.build()
}

/// An orthonormal frame with its normal near an axis.
fn frame(random: &mut Random, axis: usize) -> [[f64; 3]; 3] {
    let mut n = [0.0; 3].map(|_: f64| random.within(-0.2, 0.2));
    n[axis] = 1.0;
    let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    let n = n.map(|x| x / length);
    let mut t = [0.0; 3];
    t[(axis + 1) % 3] = 1.0;
    let along: f64 = n[(axis + 1) % 3];
    let t: [f64; 3] = std::array::from_fn(|k| t[k] - along * n[k]);
    let length = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t = t.map(|x| x / length);
    let third = std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        n[i] * t[j] - n[j] * t[i]
    });
    [n, t, third]
}

/// Processor seconds of this thread, or seconds of the wall clock since `start`.
fn clock(start: &std::time::Instant) -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |at: usize, default: usize| {
        let text = std::env::args().nth(at);
        text.map_or(Ok(default), |text| text.parse::<usize>())
    };
    let (balls, repetitions) = (number(1, 1000)?, number(2, 10)?);
    let problem = match std::env::args().nth(3).as_deref() {
        Some("wall") => Wall::default().problem()?,
        _ => lattice(balls)?,
    };
    let mut impulse = vec![0.0; problem.num_rows()];
    let mut relaxation = Nlgs::default();
    relaxation.sweep(&problem, &mut impulse, 20);
    // About a tenth of a second: the system reports processor time in steps of milliseconds.
    let sweeps = 1 + 3_000_000 / problem.num_contacts();
    let start = std::time::Instant::now();
    let mut least = f64::INFINITY;
    // The difference of long and short calls: packing the contacts is not part of a sweep.
    for _ in 0..repetitions {
        let before = clock(&start);
        relaxation.sweep(&problem, &mut impulse, 1);
        let between = clock(&start);
        relaxation.sweep(&problem, &mut impulse, 1 + sweeps);
        let spent = clock(&start) - between - (between - before);
        least = least.min(spent / sweeps as f64);
    }
    let n = problem.num_contacts();
    let loaded = (0..n)
        .filter(|&a| impulse[problem.rows(a).start] > 0.0)
        .count();
    println!("contacts          {n} ({loaded} carry an impulse)");
    println!("time of a sweep   {:.2} ms", 1e3 * least);
    println!("per contact       {:.1} ns", 1e9 * least / n as f64);
    Ok(())
}
