//! Ten thousand random blocks per law, checked by a residual written from the definitions.

use crate::law_support;

use crate::law_support::{FAMILIES, Random, block, residual};
use percuss_contact::law::Law;

/// Some hundred roundings. The residual measures u = H r + q against |H||r| and |q|, so a backward
/// stable solve reaches rounding whatever the condition of H; the polygon's linear systems and
/// the projections of the reference residual account for the rest.
const TOLERANCE: f64 = 1e-13;

#[test]
fn ten_thousand_random_blocks_of_every_law_are_solved_to_rounding() {
    for family in FAMILIES {
        let mut random = Random(7);
        let mut moved = 0;
        for k in 0..10_000 {
            let (law, h, q) = block(&mut random, family);
            assert_eq!(law.validate(q.len()), Ok(()), "{family} {k}");
            let mut r = vec![f64::NAN; q.len()];
            law.solve_local(&h, &q, &mut r);
            let e = residual(&law, &h, &q, &r);
            assert!(
                e <= TOLERANCE,
                "{family} {k}: residual {e:e}, {law:?}, H = {h:?}, q = {q:?}, r = {r:?}"
            );
            moved += usize::from(r.iter().any(|&x| x != 0.0));
        }
        // A solver that opened everything would not pass unnoticed.
        assert!(
            moved > 3_000,
            "{family}: only {moved} blocks had an impulse"
        );
    }
}

#[test]
fn the_referee_sees_a_wrong_answer() {
    let mut random = Random(11);
    for family in FAMILIES {
        let mut seen = 0;
        for _ in 0..200 {
            let (law, h, q) = block(&mut random, family);
            let mut r = vec![0.0; q.len()];
            law.solve_local(&h, &q, &mut r);
            let size = r.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if size == 0.0 {
                continue;
            }
            r[0] += 0.5 * size;
            seen += usize::from(residual(&law, &h, &q, &r) > 1e-9);
        }
        // Perturbations along a nearly singular direction of H change u by less.
        assert!(seen > 60, "{family}: {seen}");
    }
}

#[test]
fn the_library_residual_agrees_with_the_referee() {
    let mut random = Random(13);
    for family in FAMILIES {
        for k in 0..500 {
            let (law, h, q) = block(&mut random, family);
            let d = q.len();
            let kappa = d as f64 / (0..d).map(|i| h[i * d + i]).sum::<f64>();
            let size = kappa * law_support::norm(&q);
            // Any r, not only solutions.
            let r: Vec<f64> = (0..d).map(|_| size * random.normal()).collect();
            let u = law_support::velocity(&h, &q, &r);
            let mut f = vec![f64::NAN; d];
            law.natural_residual(kappa, &r, &u, &mut f);
            let scale = law_support::norm(&r)
                .max(kappa * law_support::norm(&u))
                .max(size);
            let expected = residual(&law, &h, &q, &r);
            if scale == 0.0 {
                continue;
            }
            let found = law_support::norm(&f) / scale;
            // Two ways of projecting, each with its own rounding; the coefficients up to 5 raise
            // the shifted argument to some thirty times `scale`.
            assert!(
                (found - expected).abs() <= 1e-13,
                "{family} {k}: {found:e} against {expected:e}, {law:?} r = {r:?} u = {u:?}"
            );
        }
    }
}

/// A block of rank below d whose normal entry is positive: a sum of fewer than d random squares.
fn singular(random: &mut Random, d: usize) -> Vec<f64> {
    let mut h = vec![0.0; d * d];
    let rank = 1 + random.below(d - 1);
    for _ in 0..rank {
        let mut a: Vec<f64> = (0..d).map(|_| random.normal()).collect();
        // Stiff tangential directions: jamming becomes rare.
        a[0] *= 8.0;
        for i in 0..d {
            for j in 0..d {
                h[i * d + j] += a[i] * a[j];
            }
        }
    }
    h
}

#[test]
fn singular_blocks_are_solved_to_rounding_too() {
    // Sliding exists for every q unless friction jams; bilateral and non-firm rows with an unbounded
    // direction need not have an answer and are left out.
    for family in [
        "coulomb 2D",
        "coulomb 3D",
        "asymmetric",
        "elliptic",
        "polygon",
        "rolling 5",
        "rolling 6",
        "rolling plane",
        "non-firm box",
        "non-firm ball",
        "non-firm sum",
    ] {
        let mut random = Random(17);
        let mut sure = 0;
        for k in 0..2_000 {
            let (law, _, q) = block(&mut random, family);
            if q.len() == 1 {
                continue;
            }
            let h = singular(&mut random, q.len());
            let mut q: Vec<f64> = q.iter().map(|_| random.normal()).collect();
            if random.below(2) == 0 {
                // In the range of H, where sticking is possible.
                let x: Vec<f64> = q.clone();
                q = law_support::velocity(&h, &vec![0.0; x.len()], &x);
            }
            let mut r = vec![f64::NAN; q.len()];
            law.solve_local(&h, &q, &mut r);
            let e = residual(&law, &h, &q, &r);
            // γ = min over the section of H_nn + H_nt·w > 0 excludes jamming (P15 §3, M88 §14) and
            // with it the blocks that have no bounded answer when H is singular.
            let safe = match &law {
                Law::NonFirm(set) => (set.lower().iter().chain(set.upper())).all(|b| b.is_finite()),
                _ => law.shift(&h[..q.len()]) < 0.9 * h[0],
            };
            sure += usize::from(safe);
            assert!(
                e <= if safe { TOLERANCE } else { f64::MAX },
                "{family} {k}: residual {e:e}, {law:?}, H = {h:?}, q = {q:?}, r = {r:?}"
            );
        }
        assert!(sure > 400, "{family}: only {sure} blocks tested anything");
    }
}
