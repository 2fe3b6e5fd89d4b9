use super::MinimumNorm;
use crate::PivotedQr;
use crate::noise::Noise;

/// Blocks of rows: (rows, touched blocks with entries).
type Rows = Vec<(usize, Vec<(usize, Vec<f64>)>)>;

fn build(sizes: &[usize], rows: &Rows) -> MinimumNorm {
    let mut system = MinimumNorm::default();
    refill(&mut system, sizes, rows);
    system
}

fn refill(system: &mut MinimumNorm, sizes: &[usize], rows: &Rows) {
    system.begin(sizes.iter().copied());
    for (d, touches) in rows {
        system.push(*d, touches.iter().map(|(b, block)| (*b, block.as_slice())));
    }
    assert!(system.factor());
}

/// J as a dense matrix by rows.
fn dense(sizes: &[usize], rows: &Rows) -> (usize, Vec<Vec<f64>>) {
    let first: Vec<usize> = (0..sizes.len()).map(|b| sizes[..b].iter().sum()).collect();
    let n = sizes.iter().sum();
    let mut all = Vec::new();
    for (d, touches) in rows {
        for i in 0..*d {
            let mut row = vec![0.0; n];
            for (b, block) in touches {
                for k in 0..sizes[*b] {
                    row[first[*b] + k] += block[i * sizes[*b] + k];
                }
            }
            all.push(row);
        }
    }
    (n, all)
}

/// λ and x of least norm by the dense QR with column pivoting.
fn reference(sizes: &[usize], rows: &Rows, e: &[f64]) -> (Vec<f64>, Vec<f64>, usize) {
    let (n, j) = dense(sizes, rows);
    let scale: Vec<f64> = j
        .iter()
        .map(|r| r.iter().map(|g| g * g).sum::<f64>().sqrt().recip())
        .collect();
    let qr = PivotedQr::new(n, j.len(), true, |i, k| j[k][i] * scale[k]);
    let given: Vec<f64> = e.iter().zip(&scale).map(|(e, s)| e * s).collect();
    let (c, _) = qr.solve_transposed(&given);
    let x = qr.range_combine(&c);
    let mut lambda = qr.solve(&c);
    lambda.iter_mut().zip(&scale).for_each(|(l, s)| *l *= s);
    (lambda, x, qr.rank())
}

fn compare(sizes: &[usize], rows: &Rows, noise: &mut Noise, tolerance: f64) -> usize {
    let mut system = build(sizes, rows);
    let (n, j) = dense(sizes, rows);
    // A right side that some x satisfies.
    let some: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let e: Vec<f64> = j
        .iter()
        .map(|row| row.iter().zip(&some).map(|(g, x)| g * x).sum())
        .collect();
    let (exact_lambda, exact, rank) = reference(sizes, rows, &e);
    let (mut lambda, mut x) = (vec![0.0; e.len()], vec![0.0; n]);
    let left = system.solve(&e, 1e-15, &mut lambda, &mut x).to_vec();
    let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let apart = |a: &[f64], b: &[f64]| {
        a.iter()
            .zip(b)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    };
    assert!(largest(&left) < 1e-13, "rest {:e}", largest(&left));
    let error = apart(&x, &exact) / largest(&exact);
    assert!(error < tolerance, "x {error:e}");
    let error = apart(&lambda, &exact_lambda) / largest(&exact_lambda);
    assert!(error < tolerance, "lambda {error:e}");
    rank
}

fn block(rows: usize, width: usize, scale: f64, noise: &mut Noise) -> Vec<f64> {
    (0..rows * width).map(|_| scale * noise.next()).collect()
}

/// A chain of planar bodies, each joined to the next by two rows.
fn chain(n: usize, noise: &mut Noise, mass: impl Fn(usize) -> f64) -> (Vec<usize>, Rows) {
    let mut rows: Rows = vec![(2, vec![(0, block(2, 3, mass(0), noise))])];
    for b in 1..n {
        let both = [b - 1, b].map(|k| (k, block(2, 3, mass(k), noise)));
        rows.push((2, both.to_vec()));
    }
    (vec![3; n], rows)
}

#[test]
fn a_chain_has_the_solution_of_the_dense_factorisation() {
    let mut noise = Noise(5);
    let (sizes, rows) = chain(60, &mut noise, |_| 1.0);
    // Condition number of the random rows some hundreds.
    assert_eq!(compare(&sizes, &rows, &mut noise, 1e-11), 120);
    assert!(build(&sizes, &rows).dependent_rows().is_empty());
}

#[test]
fn redundant_rows_share_the_multiplier_of_least_norm() {
    let mut noise = Noise(11);
    let (sizes, mut rows) = chain(20, &mut noise, |_| 1.0);
    // Copies of five joints in another scale, and a row that is a sum of two.
    for k in 3..8 {
        let mut copy = rows[k].clone();
        for (_, entries) in &mut copy.1 {
            entries.iter_mut().for_each(|g| *g *= 1e4);
        }
        rows.push(copy);
    }
    assert_eq!(compare(&sizes, &rows, &mut noise, 1e-10), 40);
    // Of each pair of equal rows one is dependent.
    let dependent = build(&sizes, &rows).dependent_rows();
    assert_eq!(dependent.len(), 10);
    let pair = |row: usize| if row < 40 { row } else { row - 40 + 6 };
    let mut pairs: Vec<usize> = dependent.iter().map(|&row| pair(row)).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, (6..16).collect::<Vec<_>>());
}

#[test]
fn more_rows_than_unknowns_are_solved() {
    // Every body is held by four rows of its own and joined to all others: rank 18 of 6·4 + 15·3 rows.
    let mut noise = Noise(17);
    let mut rows: Rows = (0..6)
        .map(|b| (4, vec![(b, block(4, 3, 1.0, &mut noise))]))
        .collect();
    for i in 0..6 {
        for j in 0..i {
            let both = [i, j].map(|k| (k, block(3, 3, 1.0, &mut noise)));
            rows.push((3, both.to_vec()));
        }
    }
    assert_eq!(compare(&[3; 6], &rows, &mut noise, 1e-11), 18);
    assert_eq!(build(&[3; 6], &rows).dependent_rows().len(), 24 + 45 - 18);
}

#[test]
fn mass_ratios_of_a_million_keep_the_digits_that_the_condition_leaves() {
    let mut noise = Noise(23);
    // In kinetic coordinates a mass of 1e6 has rows of 1e-3.
    let (sizes, rows) = chain(30, &mut noise, |b| if b % 2 == 0 { 1.0 } else { 1e-3 });
    // Singular values down to 1e-4: 1e-16/1e-8 at worst in λ.
    compare(&sizes, &rows, &mut noise, 1e-7);
}

#[test]
fn a_hub_with_many_spokes_keeps_its_factors_sparse() {
    let mut noise = Noise(29);
    let n = 400;
    let mut rows: Rows = Vec::new();
    for b in 1..n {
        let both = [0, b].map(|k| (k, block(2, 3, 1.0, &mut noise)));
        rows.push((2, both.to_vec()));
    }
    compare(&vec![3; n], &rows, &mut noise, 1e-9);
}

#[test]
fn what_no_unknowns_satisfy_is_left() {
    let mut noise = Noise(31);
    let (sizes, mut rows) = chain(10, &mut noise, |_| 1.0);
    rows.push(rows[4].clone());
    let mut system = build(&sizes, &rows);
    // The two copies of joint 4 ask for 1 and −1 in their first row.
    let mut e = vec![0.0; 22];
    (e[8], e[20]) = (1.0, -1.0);
    let (mut lambda, mut x) = (vec![0.0; 22], vec![0.0; 30]);
    let left = system.solve(&e, 1e-15, &mut lambda, &mut x).to_vec();
    let scale = system.scale()[8];
    assert!((left[8] - scale).abs() < 1e-12 && (left[20] + scale).abs() < 1e-12);
    assert!(x.iter().chain(&lambda).all(|v| v.abs() < 1e-12));
}

#[test]
fn the_structure_may_change_and_come_back() {
    let mut noise = Noise(37);
    let (sizes, rows) = chain(8, &mut noise, |_| 1.0);
    let (other_sizes, other) = chain(5, &mut noise, |_| 1.0);
    let e = vec![1.0; 16];
    let solve = |system: &mut MinimumNorm| {
        let (mut lambda, mut x) = (vec![0.0; 16], vec![0.0; 24]);
        system.solve(&e, 1e-15, &mut lambda, &mut x);
        (lambda, x)
    };
    let mut system = build(&sizes, &rows);
    let once = solve(&mut system);
    refill(&mut system, &other_sizes, &other);
    refill(&mut system, &sizes, &rows);
    assert_eq!(once, solve(&mut system));
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut system = MinimumNorm::default();
    system.begin([1]);
    system.push(1, [(0, &[f64::NAN][..])]);
    assert!(!system.factor());
    // A row without entries asks for nothing.
    system.begin([2]);
    system.push(1, [(0, &[0.0, 0.0][..])]);
    assert!(system.factor());
}

/// Pins of n × n squares, each to its neighbours at the middles of its sides, the squares turned by ± `angle` in turn; the
/// first one is pinned to the ground. Two motions are free, and (n − 2)² rows are redundant.
fn squares(n: usize, angle: f64) -> (Vec<usize>, Rows) {
    let turn = |b: usize, lever: [f64; 2]| {
        let sign = if (b / n + b % n).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let (s, c) = (sign * angle).sin_cos();
        [c * lever[0] - s * lever[1], s * lever[0] + c * lever[1]]
    };
    // Velocity of a point of a body with moment of inertia 0.1.
    let side = |b: usize, lever: [f64; 2], sign: f64| {
        let [x, y] = turn(b, lever);
        let root = 0.1_f64.sqrt();
        (
            b,
            vec![sign, 0.0, -sign * y / root, 0.0, sign, sign * x / root],
        )
    };
    let mut rows: Rows = vec![(2, vec![side(0, [0.0, 0.5], 1.0)])];
    for k in 0..n {
        for i in 0..n {
            let b = k * n + i;
            if i > 0 {
                rows.push((
                    2,
                    vec![side(b - 1, [0.0, -0.5], -1.0), side(b, [0.0, 0.5], 1.0)],
                ));
            }
            if k > 0 {
                rows.push((
                    2,
                    vec![side(b - n, [0.5, 0.0], -1.0), side(b, [-0.5, 0.0], 1.0)],
                ));
            }
        }
    }
    (vec![3; n * n], rows)
}

#[test]
fn a_mechanism_with_many_redundant_rows_is_solved() {
    let mut noise = Noise(41);
    for (n, angle) in [(8, 0.0), (8, 1e-4), (12, 0.3)] {
        let (sizes, rows) = squares(n, angle);
        let rank = compare(&sizes, &rows, &mut noise, 1e-9);
        assert_eq!(rank, 3 * n * n - 2);
        let mut system = build(&sizes, &rows);
        assert_eq!(system.dependent_rows().len(), (n - 2) * (n - 2));
        // A right side that no motion satisfies: x and what is left do not mix.
        let e: Vec<f64> = (0..system.num_rows()).map(|_| noise.next()).collect();
        let (mut lambda, mut x) = (vec![0.0; e.len()], vec![0.0; 3 * n * n]);
        let left = system.solve(&e, 0.0, &mut lambda, &mut x).to_vec();
        let scaled: Vec<f64> = left
            .iter()
            .zip(system.scale())
            .map(|(l, s)| l / s)
            .collect();
        let part: Vec<f64> = e.iter().zip(&scaled).map(|(e, l)| e - l).collect();
        let made = system.velocities(&x);
        let error = made
            .iter()
            .zip(&part)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-12, "{error:e}");
        // The left side is orthogonal to all rows: solved again, it moves nothing.
        system.solve(&scaled, 0.0, &mut lambda, &mut x);
        assert!(x.iter().all(|x| x.abs() < 1e-10), "{x:?}");
    }
}
