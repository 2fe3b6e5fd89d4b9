//! Steps per second of a polyhedral sweeping process of 1000 coordinates with 2000 moving half-spaces.
//!
//! `cargo run --release -p percuss-sweep --example polyhedral [-- n m]`. The polytope { x : g_a·x ≤ r + g_a·a(t) +
//! w_a(t) } with random unit rows (dense, or with eight entries each) is translated along an ellipse while its faces
//! oscillate. The step reports are included in the time.

use percuss_sweep::{ConstraintRows, MovingPolyhedron, Process};

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn rows(n: usize, m: usize, entries: usize) -> Vec<Vec<(usize, f64)>> {
    let mut random = Numbers(7);
    (0..m)
        .map(|_| {
            let mut row: Vec<(usize, f64)> = Vec::new();
            while row.len() < entries.min(n) {
                let column = if entries >= n {
                    row.len()
                } else {
                    ((random.next() + 1.0) * 0.5 * n as f64) as usize % n
                };
                if row.iter().all(|e| entries >= n || e.0 != column) {
                    row.push((column, random.next()));
                }
            }
            let length = row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
            row.iter_mut().for_each(|e| e.1 /= length);
            row
        })
        .collect()
}

fn measure(n: usize, m: usize, entries: usize) -> Result<(), percuss_sweep::SweepingError> {
    let list = rows(n, m, entries);
    let matrix = if entries >= n {
        let dense: Vec<f64> = list.iter().flatten().map(|e| e.1).collect();
        ConstraintRows::dense(n, &dense)?
    } else {
        ConstraintRows::sparse(n, &list)?
    };
    // The centre goes round an ellipse: a(t) = p (cos t − 1) + q sin t.
    let (mut p, mut q) = (vec![0.0; n], vec![0.0; n]);
    let mut random = Numbers(11);
    for i in 0..n {
        p[i] = 2.0 * random.next() / (n as f64).sqrt();
        q[i] = 2.0 * random.next() / (n as f64).sqrt();
    }
    let along = |v: &[f64]| -> Vec<f64> {
        let each = list.iter();
        each.map(|row| row.iter().map(|&(j, g)| g * v[j]).sum())
            .collect()
    };
    let (along_p, along_q) = (along(&p), along(&q));
    let set = MovingPolyhedron::new(matrix, move |t: f64, b| {
        for a in 0..m {
            let moved = along_p[a] * (t.cos() - 1.0) + along_q[a] * t.sin();
            b[a] = 0.01 + moved + 0.002 * (3.0 * t + a as f64).sin();
        }
    })?;
    let mut process = Process::new(set, 0.0, &vec![0.0; n])?;
    // 200 steps fill the active set; then steps of half the width of the set, and of a tenth.
    advance(&mut process, 200, 5e-3)?;
    for h in [5e-3, 1e-3] {
        let clock = std::time::Instant::now();
        let (active, changes, worst) = advance(&mut process, TIMED, h)?;
        let seconds = clock.elapsed().as_secs_f64();
        println!(
            "n = {n}, {m} half-spaces, {entries} entries per row, h = {h}: {:.0} steps/s; mean active {}, changes per step {:.2}, worst residual {worst:.1e}, missed {}",
            f64::from(TIMED) / seconds,
            active / TIMED as usize,
            changes as f64 / f64::from(TIMED),
            process.summary().missed,
        );
    }
    Ok(())
}

/// Steps that are timed.
const TIMED: u32 = 300;

/// Advances, and sums up active rows, changes of the active set, the worst residual.
fn advance(
    process: &mut Process<MovingPolyhedron>,
    steps: u32,
    h: f64,
) -> Result<(usize, usize, f64), percuss_sweep::SweepingError> {
    let (mut active, mut changes, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..steps {
        let step = process.advance(process.time() + h)?;
        active += process.set().active().len();
        changes += step.iterations;
        worst = worst
            .max(step.distance_after)
            .max(step.normal_cone_distance);
    }
    Ok((active, changes, worst))
}

fn main() -> Result<(), percuss_sweep::SweepingError> {
    let sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let (n, m) = match sizes[..] {
        [n, m] => (n, m),
        _ => (1000, 2000),
    };
    measure(n, m, n)?;
    measure(n, m, 8)
}
