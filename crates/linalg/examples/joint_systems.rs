//! Three systems from which the multipliers of joints can be had, factorised by the multifrontal LU: the Gram matrix of
//! rows, the whole of bodies and rows (quasidefinite), and the regularised normal equations of bodies.
//!
//! `cargo run --release -p percuss-linalg --example joint_systems`

use std::time::Instant;

use percuss_linalg::MultifrontalLu;

const DELTA: f64 = 1e-11;

/// A pin: two bodies (or one), with 2 × 3 entries each.
type Pin = Vec<(usize, [f64; 6])>;

fn side(body: usize, lever: [f64; 2], sign: f64) -> (usize, [f64; 6]) {
    let root = 0.1_f64.sqrt();
    let [x, y] = lever;
    (
        body,
        [sign, 0.0, -sign * y / root, 0.0, sign, sign * x / root],
    )
}

fn grid(n: usize) -> (usize, Vec<Pin>) {
    let mut pins = vec![vec![side(0, [0.0, 0.5], 1.0)]];
    for k in 0..n {
        for i in 0..n {
            let b = k * n + i;
            if i > 0 {
                pins.push(vec![
                    side(b - 1, [0.0, -0.5], -1.0),
                    side(b, [0.0, 0.5], 1.0),
                ]);
            }
            if k > 0 {
                pins.push(vec![
                    side(b - n, [0.5, 0.0], -1.0),
                    side(b, [-0.5, 0.0], 1.0),
                ]);
            }
        }
    }
    (n * n, pins)
}

fn chain(n: usize) -> (usize, Vec<Pin>) {
    let mut pins = vec![vec![side(0, [-0.5, 0.0], 1.0)]];
    pins.extend((1..n).map(|b| vec![side(b - 1, [0.5, 0.0], -1.0), side(b, [-0.5, 0.0], 1.0)]));
    (n, pins)
}

fn hub(n: usize) -> (usize, Vec<Pin>) {
    let pins = (1..n).map(|b| {
        let (s, c) = (b as f64).sin_cos();
        vec![side(0, [c, s], -1.0), side(b, [-0.5, 0.0], 1.0)]
    });
    (n, pins.collect())
}

/// J v by pin.
fn gather(pins: &[Pin], v: &[f64]) -> Vec<f64> {
    let row = |pin: &Pin, i: usize| -> f64 {
        let each = pin
            .iter()
            .map(|(b, g)| (0..3).map(|c| g[3 * i + c] * v[3 * b + c]).sum::<f64>());
        each.sum()
    };
    pins.iter()
        .flat_map(|pin| [row(pin, 0), row(pin, 1)])
        .collect()
}

/// Jᵀ r.
fn scatter(n: usize, pins: &[Pin], r: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; 3 * n];
    for (pin, r) in pins.iter().zip(r.chunks_exact(2)) {
        for (b, g) in pin {
            for c in 0..3 {
                v[3 * b + c] += g[c] * r[0] + g[3 + c] * r[1];
            }
        }
    }
    v
}

/// Blocks of a matrix by position, summed.
#[derive(Default)]
struct Blocks(std::collections::BTreeMap<(u32, u32), Vec<f64>>);

impl Blocks {
    fn add(&mut self, i: usize, j: usize, size: usize, at: usize, value: f64) {
        let block = self.0.entry((i as u32, j as u32));
        block.or_insert_with(|| vec![0.0; size])[at] += value;
    }

    /// The factorisation, the time of a numeric one and of a solve in µs, the fastest of five.
    fn factor(&self, sizes: &[usize]) -> Option<(MultifrontalLu, f64, f64)> {
        let pattern: Vec<(u32, u32)> = self.0.keys().copied().collect();
        let mut lu = MultifrontalLu::new(sizes, &pattern)?;
        let values: Vec<f64> = self.0.values().flatten().copied().collect();
        let (mut best, mut solve) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            lu.values().copy_from_slice(&values);
            let begin = Instant::now();
            if !lu.factor() {
                return None;
            }
            best = best.min(begin.elapsed().as_secs_f64());
            let mut x = vec![1.0; sizes.iter().sum()];
            let begin = Instant::now();
            lu.solve(&mut x);
            solve = solve.min(begin.elapsed().as_secs_f64());
        }
        Some((lu, 1e6 * best, 1e6 * solve))
    }
}

/// Rest of J x = e, relative, after one solve and two refinements with what `step` makes of the rest.
fn rests(n: usize, pins: &[Pin], mut step: impl FnMut(&[f64]) -> Vec<f64>) -> [f64; 3] {
    let some: Vec<f64> = (0..3 * n).map(|k| (1.7 * k as f64).sin()).collect();
    let e = gather(pins, &some);
    let size = e.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let (mut rest, mut out) = (e, [0.0; 3]);
    for left in &mut out {
        let x = scatter(n, pins, &step(&rest));
        for (r, made) in rest.iter_mut().zip(gather(pins, &x)) {
            *r -= made;
        }
        *left = rest.iter().fold(0.0_f64, |m, v| m.max(v.abs())) / size;
    }
    out
}

fn line(name: &str, found: Option<(f64, f64, [f64; 3])>) {
    match found {
        None => println!("  {name:8} no factorisation"),
        Some((factor, solve, rests)) => {
            let [a, b, c] = rests;
            println!(
                "  {name:8} factor {factor:9.0} µs, solve {solve:7.0} µs, rest {a:.0e} {b:.0e} {c:.0e}"
            );
        }
    }
}

fn compare(name: &str, (n, pins): (usize, Vec<Pin>), gram: bool) {
    println!("{name}: {n} bodies, {} rows", 2 * pins.len());
    let m = pins.len();
    // Bodies: JᵀJ + δ.
    let mut blocks = Blocks::default();
    for b in 0..n {
        (0..3).for_each(|c| blocks.add(b, b, 9, 4 * c, DELTA));
    }
    for pin in &pins {
        for (b, g) in pin {
            for (o, h) in pin {
                for k in 0..18 {
                    let (row, i, j) = (k / 9, k / 3 % 3, k % 3);
                    blocks.add(*b, *o, 9, 3 * i + j, g[3 * row + i] * h[3 * row + j]);
                }
            }
        }
    }
    let found = blocks.factor(&vec![3; n]).map(|(mut lu, factor, solve)| {
        let rests = rests(n, &pins, |rest| {
            let mut x = scatter(n, &pins, rest);
            lu.solve(&mut x);
            lu.solve(&mut x);
            gather(&pins, &x)
        });
        (factor, 2.0 * solve, rests)
    });
    line("bodies", found);
    // Both: (1 Jᵀ; J −δ).
    let mut blocks = Blocks::default();
    for b in 0..n {
        (0..3).for_each(|c| blocks.add(b, b, 9, 4 * c, 1.0));
    }
    for (p, pin) in pins.iter().enumerate() {
        (0..2).for_each(|c| blocks.add(n + p, n + p, 4, 3 * c, -DELTA));
        for (b, g) in pin {
            for k in 0..6 {
                blocks.add(n + p, *b, 6, k, g[k]);
                blocks.add(*b, n + p, 6, 2 * (k % 3) + k / 3, g[k]);
            }
        }
    }
    let sizes: Vec<usize> = (0..n + m).map(|k| if k < n { 3 } else { 2 }).collect();
    let found = blocks.factor(&sizes).map(|(mut lu, factor, solve)| {
        let rests = rests(n, &pins, |rest| {
            let mut x = vec![0.0; 3 * n];
            x.extend_from_slice(rest);
            lu.solve(&mut x);
            x[3 * n..].iter().map(|l| -l).collect()
        });
        (factor, solve, rests)
    });
    line("both", found);
    if !gram {
        println!("  rows     dense: left out");
        return;
    }
    // Rows: J Jᵀ + δ.
    let mut blocks = Blocks::default();
    let mut at_body = vec![Vec::new(); n];
    for (p, pin) in pins.iter().enumerate() {
        (0..2).for_each(|c| blocks.add(p, p, 4, 3 * c, DELTA));
        pin.iter().for_each(|(b, g)| at_body[*b].push((p, g)));
    }
    for list in &at_body {
        for (p, g) in list {
            for (q, h) in list {
                for k in 0..4 {
                    let (i, j) = (k / 2, k % 2);
                    let value: f64 = (0..3).map(|c| g[3 * i + c] * h[3 * j + c]).sum();
                    blocks.add(*p, *q, 4, k, value);
                }
            }
        }
    }
    let found = blocks.factor(&vec![2; m]).map(|(mut lu, factor, solve)| {
        let rests = rests(n, &pins, |rest| {
            let mut x = rest.to_vec();
            lu.solve(&mut x);
            x
        });
        (factor, solve, rests)
    });
    line("rows", found);
}

fn main() {
    compare("grid 20", grid(20), true);
    compare("grid 60", grid(60), true);
    compare("chain 10000", chain(10_000), true);
    compare("hub 400", hub(400), true);
    compare("hub 2000", hub(2000), false);
}
