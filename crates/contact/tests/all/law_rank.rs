//! Rank-deficient contacts: H = G Gᵀ of rank 1 and 2 (M88 §17). The decision
//! between rest and sliding and the impulse returned are compared with searches that use G.

use crate::law_support;

use crate::law_support::{Random, norm, polygon, residual, velocity};
use percuss_contact::law::{Law, Status};

const BLOCKS: usize = 10_000;
/// Some hundred roundings, as for blocks of full rank.
const TOLERANCE: f64 = 1e-13;

/// A section with its boundary as pairs (point, outward normal), closed and in order.
struct Section {
    law: Law,
    boundary: Vec<([f64; 2], [f64; 2])>,
    extent: [f64; 2],
}

fn section(random: &mut Random, family: &str) -> Section {
    let mut boundary = Vec::new();
    let law = match family {
        "polygon" => {
            let section = polygon(random);
            let v = section.vertices().to_vec();
            let m = v.len();
            let normal = |i: usize| {
                let (a, b) = (v[i % m], v[(i + 1) % m]);
                let e = [b[0] - a[0], b[1] - a[1]];
                [e[1] / norm(&e), -e[0] / norm(&e)]
            };
            for i in 0..m {
                let (a, b) = (v[i], v[(i + 1) % m]);
                for k in 0..=60 {
                    let s = f64::from(k) / 60.0;
                    let p = [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
                    boundary.push((p, normal(i)));
                }
                let (n1, n2) = (normal(i), normal(i + 1));
                for k in 1..60 {
                    let s = f64::from(k) / 60.0;
                    let n = [0, 1].map(|j| (1.0 - s) * n1[j] + s * n2[j]);
                    boundary.push((b, [n[0] / norm(&n), n[1] / norm(&n)]));
                }
            }
            section.into_law()
        }
        _ => {
            let mu1 = random.range(0.05, 5.0);
            let mu2 = if family == "disc" {
                mu1
            } else {
                random.range(0.05, 5.0)
            };
            for k in 0..720 {
                let a = std::f64::consts::TAU * f64::from(k) / 720.0;
                let n = [a.cos() * mu2, a.sin() * mu1];
                let p = [mu1 * a.cos(), mu2 * a.sin()];
                boundary.push((p, [n[0] / norm(&n), n[1] / norm(&n)]));
            }
            if family == "disc" {
                Law::Coulomb { mu: mu1 }
            } else {
                Law::CoulombElliptic { mu1, mu2 }
            }
        }
    };
    boundary.push(boundary[0]);
    let extent = [0, 1].map(|i| boundary.iter().fold(0.0_f64, |m, (p, _)| m.max(p[i].abs())));
    Section {
        law,
        boundary,
        extent,
    }
}

/// How far r is inside the cone: concave in r, of the size of r_n times the section.
fn slack(section: &Section, r: &[f64]) -> f64 {
    match &section.law {
        Law::CoulombPolygon(polygon) => {
            let v = polygon.vertices();
            (0..v.len())
                .map(|i| {
                    let (a, b) = (v[i], v[(i + 1) % v.len()]);
                    let e = [b[0] - a[0], b[1] - a[1]];
                    (e[0] * (r[2] - r[0] * a[1]) - e[1] * (r[1] - r[0] * a[0])) / norm(&e)
                })
                .fold(f64::INFINITY, f64::min)
        }
        _ => {
            let [a, b] = section.extent;
            a.min(b) * (r[0] - norm(&[r[1] / a, r[2] / b]))
        }
    }
}

/// A block of the given rank: H = G Gᵀ and, if `consistent`, q = G v.
struct Block {
    g: Vec<[f64; 3]>,
    v: Vec<f64>,
    h: Vec<f64>,
    q: Vec<f64>,
}

fn block(random: &mut Random, rank: usize, consistent: bool) -> Block {
    let scale = 10f64.powf(random.range(-6.0, 6.0));
    let mut g = Vec::new();
    for k in 0..rank {
        let size = scale * 10f64.powf(-2.0 * random.unit() * k as f64);
        g.push([0; 3].map(|_| size * random.normal()));
    }
    let speed = 10f64.powf(random.range(-6.0, 6.0));
    let mut v: Vec<f64> = (0..rank).map(|_| speed * random.normal()).collect();
    let along = |v: &[f64], i: usize| (0..rank).map(|k| g[k][i] * v[k]).sum::<f64>();
    if along(&v, 0) > 0.0 {
        v.iter_mut().for_each(|x| *x = -*x);
    }
    let mut q: Vec<f64> = (0..3).map(|i| along(&v, i)).collect();
    if !consistent {
        let size = norm(&q);
        q = (0..3).map(|_| size * random.normal()).collect();
        q[0] = -q[0].abs();
    }
    let mut h = vec![0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            h[3 * i + j] = g.iter().map(|c| c[i] * c[j]).sum();
        }
    }
    Block { g, v, h, q }
}

/// The line of impulses Gᵀ r = -v of a block of rank 2, as a point and a direction, from G alone.
fn line(block: &Block) -> ([f64; 3], [f64; 3]) {
    let (a, b) = (block.g[0], block.g[1]);
    let dot = law_support::dot;
    let k = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
    // aa bb - ab² = |k|²: no cancellation.
    let det = dot(&k, &k);
    let x = (-block.v[0] * bb + block.v[1] * ab) / det;
    let y = (-block.v[1] * aa + block.v[0] * ab) / det;
    let n = norm(&k);
    ([0, 1, 2].map(|i| x * a[i] + y * b[i]), k.map(|c| c / n))
}

/// The largest slack on the line and the impulse where it is: golden section over z, λ = |r0| sinh z,
/// which keeps a concave function unimodal.
fn deepest(section: &Section, r0: [f64; 3], k: [f64; 3]) -> (f64, [f64; 3]) {
    let size = norm(&r0);
    let at = |z: f64| [0, 1, 2].map(|i| r0[i] + size * z.sinh() * k[i]);
    let (mut low, mut high) = (-20.0, 20.0);
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..100 {
        let (x, y) = (high - ratio * (high - low), low + ratio * (high - low));
        if slack(section, &at(x)) < slack(section, &at(y)) {
            low = x;
        } else {
            high = y;
        }
    }
    let r = at(0.5 * (low + high));
    (slack(section, &r) / norm(&r), r)
}

fn solve(law: &Law, block: &Block) -> (Vec<f64>, Status) {
    let mut r = vec![f64::NAN; 3];
    let status = law.solve_local(&block.h, &block.q, &mut r);
    (r, status)
}

#[test]
fn rank_two_sticks_exactly_when_some_impulse_of_the_line_is_in_the_cone() {
    for family in ["disc", "ellipse", "polygon"] {
        let mut random = Random(29);
        let (mut counts, mut worst) = ([0; 3], 0.0_f64);
        for n in 0..BLOCKS {
            let section = section(&mut random, family);
            let block = block(&mut random, 2, true);
            let (r, status) = solve(&section.law, &block);
            let e = residual(&section.law, &block.h, &block.q, &r);
            let told = || format!("{family} {n}: {:?} {block:?}", section.law);
            assert!(e <= TOLERANCE, "{}: residual {e:e}", told());
            worst = worst.max(e);
            let (r0, k) = line(&block);
            let (depth, _) = deepest(&section, r0, k);
            // Nearer to the border than this the search, or G's condition of 1e2 squared, decides.
            if depth.abs() < 1e-9 {
                counts[2] += 1;
                continue;
            }
            let expected = if depth > 0.0 {
                Status::Stick
            } else {
                Status::Slip
            };
            assert_eq!(status, expected, "{}: depth {depth:e}", told());
            counts[usize::from(depth > 0.0)] += 1;
            if status == Status::Stick {
                least_friction(&section, r0, k, &r, &told);
            }
        }
        println!("{family}: slip, stick, skipped {counts:?}; worst residual {worst:e}");
        assert!(
            counts[0] > 500 && counts[1] > 500 && counts[2] < 50,
            "{counts:?}"
        );
    }
}

/// Every admissible impulse sampled along the line has at least the friction of r.
fn least_friction(
    section: &Section,
    r0: [f64; 3],
    k: [f64; 3],
    r: &[f64],
    told: &dyn Fn() -> String,
) {
    let friction = |r: &[f64]| norm(&[r[1] / section.extent[0], r[2] / section.extent[1]]);
    let found = friction(r);
    for step in -100..=100 {
        let z = 0.1 * f64::from(step);
        // From the answer itself, both ways, over ten decades.
        let shift = norm(&r0) * 1e-4 * z.sinh();
        let other = [0, 1, 2].map(|i| r[i] + shift * k[i]);
        if slack(section, &other) >= 0.0 {
            let size = friction(&other) + norm(&other);
            assert!(
                found <= friction(&other) + 1e-10 * size,
                "{}: {r:?} but {other:?} needs less",
                told()
            );
        }
    }
}

#[test]
fn rank_one_stops_by_the_normal_impulse_alone() {
    // u = g s: stopping the approach stops everything.
    for family in ["disc", "ellipse", "polygon"] {
        let mut random = Random(31);
        for n in 0..BLOCKS {
            let section = section(&mut random, family);
            let block = block(&mut random, 1, true);
            let (r, status) = solve(&section.law, &block);
            let e = residual(&section.law, &block.h, &block.q, &r);
            let told = || format!("{family} {n}: {:?} {block:?}", section.law);
            assert!(e <= TOLERANCE, "{}: residual {e:e}", told());
            assert_eq!(status, Status::Stick, "{}", told());
            assert_eq!(&r[1..], &[0.0; 2], "{}", told());
            let opposite: Vec<f64> = block.q.iter().map(|x| -x).collect();
            let away = Block {
                q: opposite,
                ..block
            };
            assert_eq!(solve(&section.law, &away), (vec![0.0; 3], Status::Open));
        }
    }
}

/// Whether a search around the section finds a sliding impulse: -u_t passes the outward normal.
fn slides_somewhere(section: &Section, block: &Block) -> bool {
    let state = |&(p, n): &([f64; 2], [f64; 2])| {
        let den = block.h[0] + block.h[1] * p[0] + block.h[2] * p[1];
        let r_n = -block.q[0] / den;
        let u = velocity(&block.h, &block.q, &[r_n, r_n * p[0], r_n * p[1]]);
        let ok = den > 0.0 && u[1] * n[0] + u[2] * n[1] < 0.0;
        ok.then_some(u[1] * n[1] - u[2] * n[0])
    };
    let states: Vec<Option<f64>> = section.boundary.iter().map(state).collect();
    states
        .windows(2)
        .any(|pair| matches!(pair, [Some(a), Some(b)] if a * b <= 0.0))
}

#[test]
fn a_velocity_no_impulse_stops_slides_or_has_no_answer() {
    for family in ["disc", "ellipse", "polygon"] {
        for rank in [1, 2] {
            let mut random = Random(37);
            let (mut slid, mut none, mut worst) = (0, 0, 0.0_f64);
            for n in 0..BLOCKS {
                let section = section(&mut random, family);
                let block = block(&mut random, rank, false);
                let (r, status) = solve(&section.law, &block);
                let e = residual(&section.law, &block.h, &block.q, &r);
                let told = || format!("{family} {rank} {n}: {:?} {block:?}", section.law);
                assert_eq!(status, Status::Slip, "{}", told());
                if e <= TOLERANCE {
                    (slid, worst) = (slid + 1, worst.max(e));
                    continue;
                }
                // No solution: the frictionless impulse is returned, and the search finds none either.
                none += 1;
                let plain = -block.q[0] / block.h[0];
                assert!(
                    r[1] == 0.0 && r[2] == 0.0 && (r[0] - plain).abs() < 1e-15 * plain,
                    "{}: residual {e:e} of {r:?}",
                    told()
                );
                assert!(!slides_somewhere(&section, &block), "{}: missed", told());
            }
            println!("{family} {rank}: {slid} slide, {none} none; worst residual {worst:e}");
            assert!(slid > 3_000 && none > 100, "{family} {rank}: {slid} {none}");
        }
    }
}

#[test]
fn a_rank_in_doubt_costs_no_more_than_the_threshold_of_rank() {
    for family in ["disc", "ellipse", "polygon"] {
        let mut random = Random(41);
        let mut worst = [0.0_f64; 2];
        for n in 0..BLOCKS {
            let section = section(&mut random, family);
            let consistent = n % 2 == 0;
            let mut block = block(&mut random, 2, consistent);
            let (_, k) = line(&block);
            // The lost direction is restored with a stiffness 8 to 17 decades higher.
            let trace = block.h[0] + block.h[4] + block.h[8];
            let back = trace * 10f64.powf(random.range(-17.0, -8.0));
            for i in 0..3 {
                for j in 0..3 {
                    block.h[3 * i + j] += back * k[i] * k[j];
                }
            }
            let (r, _) = solve(&section.law, &block);
            let e = residual(&section.law, &block.h, &block.q, &r);
            let jammed = !consistent && r[1] == 0.0 && r[2] == 0.0;
            if jammed {
                // Only where B is rounding, and then no sliding exists.
                assert!(
                    !slides_somewhere(&section, &block),
                    "{family} {n}: {block:?}"
                );
                continue;
            }
            worst[n % 2] = worst[n % 2].max(e);
            // u of up to 1e-12 (H r, q) counts as rest; anything else is solved to rounding.
            let tolerance = if consistent { 1e-11 } else { TOLERANCE };
            assert!(
                e <= tolerance,
                "{family} {n}: {e:e}, {:?} {block:?} {r:?}",
                section.law
            );
        }
        println!("{family}: worst residual with q in the range, outside {worst:?}");
    }
}

#[test]
fn in_the_plane_a_lost_rank_needs_no_friction_or_has_no_answer() {
    let law = Law::Coulomb { mu: 0.7 };
    let mut random = Random(43);
    for _ in 0..BLOCKS {
        let g = [0; 2].map(|_| random.normal());
        let v = -random.unit() * g[0].signum();
        let h = [g[0] * g[0], g[0] * g[1], g[1] * g[0], g[1] * g[1]];
        let mut r = [f64::NAN; 2];
        let q = [g[0] * v, g[1] * v];
        // q_n < 0: the normal impulse stops the only motion there is.
        assert_eq!(law.solve_local(&h, &q, &mut r), Status::Stick);
        assert_eq!(r[1], 0.0);
        assert!(residual(&law, &h, &q, &r) <= TOLERANCE);
        // A boundary that runs along t: friction opposes it, unless it presses harder than it bears.
        let slip = random.normal();
        let q = [g[0] * v, g[1] * v + slip];
        let side = -0.7 * slip.signum();
        let bears = g[0] * g[0] + side * g[0] * g[1];
        assert_eq!(law.solve_local(&h, &q, &mut r), Status::Slip);
        if bears > 1e-9 * h[0] {
            assert!(residual(&law, &h, &q, &r) <= TOLERANCE, "{h:?} {q:?} {r:?}");
        } else if bears < -1e-9 * h[0] {
            assert_eq!(r[1], 0.0, "{h:?} {q:?} {r:?}");
        }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "H = {:?}, q = {:?}", self.h, self.q)
    }
}
