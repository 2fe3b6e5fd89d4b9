use super::MultifrontalLu;
use crate::noise::Noise;

/// Blocks on a grid with neighbours in all directions, sizes 1 to 6, diagonally dominant.
fn grid(wide: usize, high: usize, deep: usize, noise: &mut Noise) -> (Vec<usize>, Vec<(u32, u32)>) {
    let n = wide * high * deep;
    let size = (0..n)
        .map(|_| 1 + ((noise.next().abs() * 6.0) as usize).min(5))
        .collect();
    let mut blocks = Vec::new();
    let at = |i: usize| (i % wide, (i / wide) % high, i / (wide * high));
    for i in 0..n {
        for j in 0..n {
            let ((a, b, c), (d, e, f)) = (at(i), at(j));
            if a.abs_diff(d) + b.abs_diff(e) + c.abs_diff(f) <= 1 {
                blocks.push((i as u32, j as u32));
            }
        }
    }
    (size, blocks)
}

/// Fills with pseudo-random numbers and a dominant diagonal; returns the dense matrix.
fn fill(
    system: &mut MultifrontalLu,
    size: &[usize],
    blocks: &[(u32, u32)],
    noise: &mut Noise,
) -> Vec<f64> {
    let mut first = vec![0];
    for s in size {
        first.push(first.last().unwrap() + s);
    }
    let n = *first.last().unwrap();
    let mut dense = vec![0.0; n * n];
    let mut at = 0;
    for &(i, j) in blocks {
        let (i, j) = (i as usize, j as usize);
        for a in 0..size[i] {
            for b in 0..size[j] {
                let own = if i == j && a == b { 40.0 } else { 0.0 };
                let value = noise.next() + own;
                system.values()[at] = value;
                dense[(first[i] + a) * n + first[j] + b] = value;
                at += 1;
            }
        }
    }
    assert_eq!(at, system.values().len());
    dense
}

fn check(wide: usize, high: usize, deep: usize) {
    let mut noise = Noise(7);
    let (size, blocks) = grid(wide, high, deep, &mut noise);
    let mut system = MultifrontalLu::new(&size, &blocks).unwrap();
    // The symbolic factorisation is used twice.
    for _ in 0..2 {
        let dense = fill(&mut system, &size, &blocks, &mut noise);
        let n = size.iter().sum();
        let exact: Vec<f64> = (0..n).map(|_| noise.next()).collect();
        let mut x: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| dense[i * n + j] * exact[j]).sum())
            .collect();
        assert!(system.factor());
        system.solve(&mut x);
        // At most 7 blocks of 6 columns of entries below 1 beside 40: condition number below 40.
        let worst = x
            .iter()
            .zip(&exact)
            .fold(0.0_f64, |w, (a, b)| w.max((a - b).abs()));
        assert!(worst < 1e-13, "{worst}");
    }
}

#[test]
fn chains_are_solved() {
    check(1, 1, 1);
    check(40, 1, 1);
}

#[test]
fn grids_in_the_plane_and_in_space_are_solved() {
    check(9, 13, 1);
    // Fronts of some hundred rows: large enough for the general matrix product.
    check(6, 7, 6);
}

#[test]
fn parts_without_connection_are_solved() {
    let size = [2, 3, 1];
    let blocks = [(0, 0), (1, 1), (2, 2)];
    let mut system = MultifrontalLu::new(&size, &blocks).unwrap();
    let mut noise = Noise(3);
    let dense = fill(&mut system, &size, &blocks, &mut noise);
    let mut x: Vec<f64> = (0..6)
        .map(|i| dense[i * 6..(i + 1) * 6].iter().sum())
        .collect();
    assert!(system.factor());
    system.solve(&mut x);
    // Condition number near one.
    assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-14), "{x:?}");
}

#[test]
fn singular_matrices_and_numbers_that_are_none_are_refused() {
    let mut system = MultifrontalLu::new(&[2], &[(0, 0)]).unwrap();
    system.values().copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
    assert!(!system.factor());
    system.values().copy_from_slice(&[1.0, f64::NAN, 2.0, 4.0]);
    assert!(!system.factor());
}

#[test]
fn a_pattern_that_contradicts_itself_is_refused() {
    assert!(MultifrontalLu::new(&[1], &[(0, 0), (0, 1)]).is_none());
    assert!(MultifrontalLu::new(&[1], &[(1, 0)]).is_none());
}
