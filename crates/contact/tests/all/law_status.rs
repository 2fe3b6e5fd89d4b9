//! The status computed without the impulse equals that of the local solve.

use percuss_contact::law::{Law, StaticDynamic, Status};

/// Numbers in −1..1 (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// H = G Gᵀ with `rank` columns: full, or singular for a contact that cannot move in every direction.
fn block(random: &mut Random, d: usize, rank: usize) -> Vec<f64> {
    let g: Vec<f64> = (0..d * rank).map(|_| random.next()).collect();
    let entry = |i: usize, j: usize| (0..rank).map(|k| g[i * rank + k] * g[j * rank + k]).sum();
    (0..d * d).map(|k| entry(k / d, k % d)).collect()
}

#[test]
fn the_status_alone_is_that_of_the_local_solve() {
    let mut random = Random(1);
    let mut seen = [0; 3];
    for case in 0..60_000 {
        let mu = random.next().abs() * 1.5;
        let (law, d) = match case % 6 {
            0 => (Law::Coulomb { mu }, 2),
            1 => (Law::Coulomb { mu }, 3),
            2 => (Law::Coulomb { mu }, 1),
            3 => {
                let friction = StaticDynamic {
                    mu_static: mu,
                    mu_dynamic: 0.5 * mu,
                };
                let previous = [Status::Open, Status::Stick, Status::Slip][case / 6 % 3];
                (Law::StaticDynamic { friction, previous }, 3)
            }
            4 => (Law::CoulombElliptic { mu1: mu, mu2: 0.3 }, 3),
            _ => {
                let mu_roll = 0.1;
                (Law::RollingPlane { mu, mu_roll }, 3)
            }
        };
        let rank = if case % 7 == 0 { d.max(2) - 1 } else { 6 };
        let mut h = block(&mut random, d, rank);
        if case % 4 == 1 {
            // Diagonal, as for spheres.
            for k in (0..d * d).filter(|k| k % (d + 1) != 0) {
                h[k] = 0.0;
            }
        }
        let mut q: Vec<f64> = (0..d).map(|_| random.next()).collect();
        if case % 5 == 0 {
            // Where q is the image of an impulse in the cone the contact sticks, at times just so.
            let r: Vec<f64> = (0..d)
                .map(|k| if k == 0 { 1.0 } else { mu * random.next() })
                .collect();
            q = (0..d)
                .map(|i| -(0..d).map(|j| h[i * d + j] * r[j]).sum::<f64>())
                .collect();
        }
        let mut r = vec![0.0; d];
        let status = law.solve_local(&h, &q, &mut r);
        assert_eq!(
            law.local_status(&h, &q, &vec![0.0; d]),
            status,
            "case {case}: {law:?} {h:?} {q:?}"
        );
        seen[status as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
}

#[test]
fn numbers_beyond_all_bounds_have_the_status_of_the_local_solve() {
    let law = Law::Coulomb { mu: 0.5 };
    let numbers = [
        0.0,
        1.0,
        -1.0,
        1e-300,
        -1e300,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
    ];
    for h in [1.0, 1e-300, 1e300, 0.0, f64::NAN] {
        for n in numbers {
            for t in numbers {
                let block = [h, 0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0, h];
                let mut r = [0.0; 3];
                let status = law.solve_local(&block, &[n, t, 0.5], &mut r);
                assert_eq!(law.local_status(&block, &[n, t, 0.5], &[0.0; 3]), status);
            }
        }
    }
}
