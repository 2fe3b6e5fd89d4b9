//! Cost of a Gauss–Seidel sweep over 10^5 general contacts in space, in nanoseconds per contact.
//!
//! ```text
//! cargo run --release -p percuss-solve --example sweep_cost [contacts]
//! ```
//!
//! Boxes on a cubic lattice, four contact points at each face: full 3 × 6 blocks on two bodies and full 3 × 3 blocks H,
//! nothing that a special case for spheres could shorten. Friction and a tilted gravity give sticking, sliding and open
//! contacts together. Contacts are visited in the order in which a detection would list them (by body). The minimum
//! over repetitions is printed: the cost on an undisturbed machine. Where the system reports the processor time of a
//! thread (Linux), that is the clock, so that a busy machine gives the same figure.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemBuilder, ProblemError, Restitution};
use percuss_solve::Nlgs;
use percuss_solve::sample::Random;

/// One point of a face: rows (n, t1, t2) in skew axes, so that no entry of G vanishes.
fn point(
    builder: &mut ProblemBuilder,
    random: &mut Random,
    b: usize,
    a: Option<usize>,
    axis: usize,
) -> Result<(), ProblemError> {
    let skew = 0.2;
    let mut frame = [[0.0; 3]; 3];
    for (row, e) in frame.iter_mut().enumerate() {
        for (i, x) in e.iter_mut().enumerate() {
            *x = if (axis + row) % 3 == i {
                1.0
            } else {
                random.within(-skew, skew)
            };
        }
    }
    let mut lever = [0.0; 3].map(|_: f64| random.within(-0.5, 0.5));
    lever[axis] = -0.5;
    let block = |lever: [f64; 3], sign: f64| {
        let mut g = [0.0; 18];
        for (row, e) in frame.iter().enumerate() {
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                g[row * 6 + i] = sign * e[i];
                g[row * 6 + 3 + i] = sign * (lever[j] * e[k] - lever[k] * e[j]);
            }
        }
        g
    };
    let below = block(lever, 1.0);
    let mut other = lever;
    other[axis] = 0.5;
    let above = block(other, -1.0);
    let mut touches: Vec<(usize, &[f64])> = vec![(b, &below)];
    if let Some(a) = a {
        touches.push((a, &above));
    }
    let law = Law::Coulomb { mu: 0.4 };
    builder.add_contact(law, &touches, &[0.0; 3], Restitution::default())?;
    Ok(())
}

fn lattice(contacts: usize) -> Result<Problem, ProblemError> {
    // 12 contact points for each body: three faces of four.
    let edge = ((contacts as f64 / 12.0).cbrt().round() as usize).max(1);
    let mut random = Random::new(1);
    let mut builder = FactoredDelassus::builder();
    let mut mass = [0.0; 36];
    for i in 0..6 {
        mass[i * 7] = if i < 3 { 1.0 } else { 1.0 / 6.0 };
    }
    for _ in 0..edge.pow(3) {
        let velocity = [0.0; 6].map(|_: f64| random.within(-0.01, 0.01));
        builder.add_group(&mass, &velocity, &[-0.03, -0.02, -0.1, 0.0, 0.0, 0.0])?;
    }
    for b in 0..edge.pow(3) {
        for (axis, stride) in [(2, edge * edge), (1, edge), (0, 1)] {
            let first = (b / stride) % edge == 0;
            let a = if first { None } else { Some(b - stride) };
            for _ in 0..4 {
                point(&mut builder, &mut random, b, a, axis)?;
            }
        }
    }
    builder.build()
}

/// Processor seconds of this thread, or seconds of the wall clock since `start`.
fn clock(start: &std::time::Instant) -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contacts = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 100_000,
    };
    let problem = lattice(contacts)?;
    let mut impulse = vec![0.0; problem.num_rows()];
    let mut relaxation = Nlgs::default();
    relaxation.sweep(&problem, &mut impulse, 20);
    let (sweeps, start) = (10, std::time::Instant::now());
    let mut least = f64::INFINITY;
    for _ in 0..30 {
        let before = clock(&start);
        relaxation.sweep(&problem, &mut impulse, sweeps);
        least = least.min((clock(&start) - before) / sweeps as f64);
    }
    let n = problem.num_contacts();
    let loaded = (0..n)
        .filter(|&a| impulse[problem.rows(a).start] > 0.0)
        .count();
    println!("contacts          {n} ({loaded} carry an impulse)");
    println!("time of a sweep   {:.2} ms", 1e3 * least);
    println!("per contact       {:.0} ns", 1e9 * least / n as f64);
    Ok(())
}
