//! Referees of the laws: random blocks and a local natural residual written from the definitions,
//! sharing no code with the laws themselves.
#![allow(dead_code)] // each test file uses its own part

use contact::law::{Law, NonFirmSet, Section, StaticDynamic, Status};

/// splitmix64: the same blocks on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let r = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        r * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Random symmetric positive definite d x d block: random axes, eigenvalues spread log-uniformly
/// over at most `condition`.
pub fn spd(random: &mut Random, d: usize, condition: f64) -> Vec<f64> {
    let mut axes: Vec<Vec<f64>> = Vec::new();
    while axes.len() < d {
        let mut v: Vec<f64> = (0..d).map(|_| random.normal()).collect();
        for _ in 0..2 {
            for a in &axes {
                let c = dot(&v, a);
                v.iter_mut().zip(a).for_each(|(x, y)| *x -= c * y);
            }
        }
        let n = norm(&v);
        if n > 1e-3 {
            axes.push(v.iter().map(|x| x / n).collect());
        }
    }
    let spread = condition.ln() * random.unit();
    let mut h = vec![0.0; d * d];
    for a in &axes {
        let e = (-spread * random.unit()).exp();
        for i in 0..d {
            for j in 0..d {
                h[i * d + j] += e * a[i] * a[j];
            }
        }
    }
    h
}

/// A random block with its law: condition up to 1e8, coefficients 0..5, scales of H and q over 24
/// decades each, one in sixteen with a special q (a zero, an exact tie), one in eight slightly
/// unsymmetric.
pub fn block(random: &mut Random, family: &str) -> (Law, Vec<f64>, Vec<f64>) {
    let (law, d) = law(random, family);
    let mut h = spd(random, d, 1e8);
    let mut q: Vec<f64> = (0..d).map(|_| random.normal()).collect();
    if law.normal() && random.below(4) > 0 {
        q[0] = -q[0].abs();
    }
    match random.below(64) {
        0 => q.fill(0.0),
        1 => q[0] = 0.0,
        2 => q[1..].fill(0.0),
        3 => q[0] *= 1e-9,
        _ => {}
    }
    if random.below(8) == 0 {
        // Below the smallest eigenvalue, as in stored problems: H stays positive definite.
        for v in &mut h {
            *v *= 1.0 + 1e-12 * random.normal();
        }
    }
    let (sh, sq) = (
        10f64.powf(random.range(-12.0, 12.0)),
        10f64.powf(random.range(-12.0, 12.0)),
    );
    h.iter_mut().for_each(|v| *v *= sh);
    q.iter_mut().for_each(|v| *v *= sq);
    (law, h, q)
}

/// The families `law` knows.
pub const FAMILIES: [&str; 15] = [
    "frictionless",
    "coulomb 2D",
    "coulomb 3D",
    "asymmetric",
    "elliptic",
    "polygon",
    "static-dynamic",
    "rolling 5",
    "rolling 6",
    "rolling plane",
    "bilateral",
    "non-firm box",
    "non-firm ball",
    "non-firm sum",
    "bilateral friction",
];

fn mu(random: &mut Random) -> f64 {
    match random.below(16) {
        0 => 0.0,
        1 => 1e-6 * random.unit(),
        _ => random.range(0.0, 5.0),
    }
}

/// A random convex polygon around 0: points on an ellipse in increasing angle.
pub fn polygon(random: &mut Random) -> Section {
    loop {
        let n = 3 + random.below(10);
        let mut angles: Vec<f64> = (0..n)
            .map(|_| std::f64::consts::TAU * random.unit())
            .collect();
        angles.sort_by(f64::total_cmp);
        let (a, b) = (random.range(0.05, 5.0), random.range(0.05, 5.0));
        let points: Vec<[f64; 2]> = angles.iter().map(|t| [a * t.cos(), b * t.sin()]).collect();
        let gap = (0..n)
            .map(|k| (angles[(k + 1) % n] - angles[k]).rem_euclid(std::f64::consts::TAU))
            .fold(f64::INFINITY, f64::min);
        if gap > 1e-3
            && let Ok(section) = Section::new(&points)
        {
            return section;
        }
    }
}

fn law(random: &mut Random, family: &str) -> (Law, usize) {
    match family {
        "frictionless" => (Law::Frictionless, 1),
        "coulomb 2D" => (Law::Coulomb { mu: mu(random) }, 2),
        "coulomb 3D" => (Law::Coulomb { mu: mu(random) }, 3),
        "asymmetric" => (
            Law::CoulombAsymmetric {
                plus: mu(random),
                minus: mu(random),
            },
            2,
        ),
        "elliptic" => (
            Law::CoulombElliptic {
                mu1: mu(random),
                mu2: mu(random),
            },
            3,
        ),
        "polygon" => (polygon(random).into_law(), 3),
        "static-dynamic" => {
            let (a, b) = (mu(random), mu(random));
            let friction = StaticDynamic {
                mu_static: a.max(b),
                mu_dynamic: a.min(b),
            };
            let previous = [Status::Open, Status::Stick, Status::Slip][random.below(3)];
            (Law::StaticDynamic { friction, previous }, 2 + random.below(2))
        }
        "rolling 5" | "rolling 6" => (
            Law::Rolling {
                mu: mu(random),
                mu_roll: mu(random),
                mu_spin: mu(random),
            },
            if family == "rolling 5" { 5 } else { 6 },
        ),
        "rolling plane" => (
            Law::RollingPlane {
                mu: mu(random),
                mu_roll: mu(random),
            },
            3,
        ),
        "bilateral" => (Law::Bilateral, 1 + random.below(6)),
        "bilateral friction" => {
            let normal_rows = 1 + random.below(2);
            let law = Law::BilateralFriction {
                normal_rows,
                mu: mu(random),
            };
            (law, normal_rows + 1 + random.below(2))
        }
        _ => {
            let (set, d) = nonfirm(random, family);
            (set.into_law(), d)
        }
    }
}

fn nonfirm(random: &mut Random, family: &str) -> (NonFirmSet, usize) {
    let d = 1 + random.below(5);
    let bound = |random: &mut Random| match random.below(6) {
        0 => 0.0,
        1 => f64::INFINITY,
        _ => random.range(0.0, 5.0),
    };
    let lower: Vec<f64> = (0..d).map(|_| -bound(random)).collect();
    let upper: Vec<f64> = (0..d).map(|_| bound(random)).collect();
    let a_box = NonFirmSet::axis_box(&lower, &upper).expect("valid bounds");
    let ball = NonFirmSet::ball(d, random.range(0.0, 3.0)).expect("valid radius");
    let set = match family {
        "non-firm box" => a_box,
        "non-firm ball" => ball,
        _ => a_box.plus(random.unit(), &ball).expect("same rows"),
    };
    (set, d)
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    let m = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if m == 0.0 {
        return 0.0;
    }
    m * a.iter().map(|x| (x / m) * (x / m)).sum::<f64>().sqrt()
}

pub fn velocity(h: &[f64], q: &[f64], r: &[f64]) -> Vec<f64> {
    let d = q.len();
    (0..d)
        .map(|i| dot(&h[i * d..(i + 1) * d], r) + q[i])
        .collect()
}

/// |r - proj(r - κ(u + g(u) e_n))| / max(|r|, κ|u|, κ|q|), κ = d / tr H: dimensionless.
pub fn residual(law: &Law, h: &[f64], q: &[f64], r: &[f64]) -> f64 {
    let d = q.len();
    let kappa = d as f64 / (0..d).map(|i| h[i * d + i]).sum::<f64>();
    let u = velocity(h, q, r);
    let z: Vec<f64> = (0..d).map(|i| r[i] - kappa * u[i]).collect();
    let f = match law {
        Law::Bilateral => u.iter().map(|x| kappa * x).collect(),
        Law::BilateralFriction { normal_rows, mu } => {
            let k = *normal_rows;
            let t = norm(&z[k..]);
            let c = (mu * norm(&r[..k]) / t).min(1.0);
            (0..d)
                .map(|i| if i < k { kappa * u[i] } else { r[i] - if t > 0.0 { c * z[i] } else { 0.0 } })
                .collect()
        }
        Law::NonFirm(set) => {
            let p: Vec<f64> = (0..d)
                .map(|i| z[i].max(set.lower()[i]).min(set.upper()[i]))
                .collect();
            let away: Vec<f64> = (0..d).map(|i| z[i] - p[i]).collect();
            let n = norm(&away);
            let c = if n > set.radius() { set.radius() / n } else { 1.0 };
            (0..d).map(|i| r[i] - p[i] - c * away[i]).collect()
        }
        _ => {
            let (g, p) = cone(law, &u, z, kappa);
            let _ = g;
            (0..d).map(|i| r[i] - p[i]).collect::<Vec<f64>>()
        }
    };
    let size = norm(r).max(kappa * norm(&u)).max(kappa * norm(q));
    if size == 0.0 { 0.0 } else { norm(&f) / size }
}

/// Shift and projection of z - κ g e_n onto the cone of a unilateral law.
fn cone(law: &Law, u: &[f64], mut z: Vec<f64>, kappa: f64) -> (f64, Vec<f64>) {
    let d = z.len();
    let (radii, sizes): (Vec<f64>, Vec<usize>) = match law {
        Law::Coulomb { mu } => (vec![*mu], vec![d - 1]),
        Law::StaticDynamic { friction, previous } => {
            let slid = *previous == Status::Slip;
            let mu = if slid { friction.mu_dynamic } else { friction.mu_static };
            (vec![mu], vec![d - 1])
        }
        Law::Rolling { mu, mu_roll, mu_spin } if d == 6 => (vec![*mu, *mu_roll, *mu_spin], vec![2, 2, 1]),
        Law::Rolling { mu, mu_roll, .. } => (vec![*mu, *mu_roll], vec![2, 2]),
        Law::RollingPlane { mu, mu_roll } => (vec![*mu, *mu_roll], vec![1, 1]),
        Law::CoulombAsymmetric { plus, minus } => {
            // One side of the cone only ever acts: the one z leans to.
            let g = if u[1] > 0.0 { minus * u[1] } else { -plus * u[1] };
            z[0] -= kappa * g;
            let mu = if z[1] > 0.0 { *plus } else { *minus };
            return (g, discs(&z, &[mu], &[1]));
        }
        Law::CoulombElliptic { mu1, mu2 } => {
            let g = norm(&[mu1 * u[1], mu2 * u[2]]);
            z[0] -= kappa * g;
            return (g, ellipse(&z, [*mu1, *mu2]));
        }
        Law::CoulombPolygon(section) => {
            let v = section.vertices();
            let g = v
                .iter()
                .map(|v| -dot(v, &u[1..]))
                .fold(f64::NEG_INFINITY, f64::max);
            z[0] -= kappa * g;
            return (g, polyhedral(&z, v));
        }
        _ => (vec![], vec![]),
    };
    let mut g = 0.0;
    let mut at = 1;
    for (mu, size) in radii.iter().zip(&sizes) {
        g += mu * norm(&u[at..at + size]);
        at += size;
    }
    z[0] -= kappa * g;
    (g, discs(&z, &radii, &sizes))
}

/// Projection on {|x_i| <= mu_i n}: the height n minimises a convex function of one variable whose
/// derivative n - z_n - Σ mu_i (|z_i| - mu_i n)+ is piecewise linear; every set of active blocks is
/// tried and the one that agrees with itself best is kept.
fn discs(z: &[f64], radii: &[f64], sizes: &[usize]) -> Vec<f64> {
    let mut starts = vec![1];
    for s in sizes {
        starts.push(starts[starts.len() - 1] + s);
    }
    let lengths: Vec<f64> = (0..sizes.len())
        .map(|i| norm(&z[starts[i]..starts[i + 1]]))
        .collect();
    let mut best = (f64::INFINITY, 0.0);
    for active in 0..1 << sizes.len() {
        let (mut num, mut den) = (z[0], 1.0);
        for i in 0..sizes.len() {
            if active >> i & 1 == 1 {
                num += radii[i] * lengths[i];
                den += radii[i] * radii[i];
            }
        }
        let n = f64::max(num / den, 0.0);
        let slope = n - z[0]
            - (0..sizes.len())
                .map(|i| radii[i] * (lengths[i] - radii[i] * n).max(0.0))
                .sum::<f64>();
        let miss = if n == 0.0 { (-slope).max(0.0) } else { slope.abs() };
        if miss < best.0 {
            best = (miss, n);
        }
    }
    let n = best.1;
    let mut p = vec![0.0; z.len()];
    p[0] = n;
    for i in 0..sizes.len() {
        let bound = radii[i] * n;
        let c = if lengths[i] > bound { bound / lengths[i] } else { 1.0 };
        for k in starts[i]..starts[i + 1] {
            p[k] = c * z[k];
        }
    }
    p
}

/// Projection on the elliptic cone: for a height n the nearest point of the ellipse is found by
/// bisection of its multiplier, and the height by bisection of the derivative in n.
fn ellipse(z: &[f64], mu: [f64; 2]) -> Vec<f64> {
    let foot = |n: f64| -> [f64; 2] {
        let a = [mu[0] * n, mu[1] * n];
        let at = |t: f64| -> [f64; 2] {
            std::array::from_fn(|i| if a[i] > 0.0 { z[i + 1] / (1.0 + t / (a[i] * a[i])) } else { 0.0 })
        };
        let gauge = |p: [f64; 2]| {
            norm(&[0, 1].map(|i| if a[i] > 0.0 { p[i] / a[i] } else { 0.0 }))
        };
        if gauge(at(0.0)) <= 1.0 {
            return at(0.0);
        }
        let mut high = a[0].max(a[1]) * norm(&z[1..]);
        let mut low = 0.0;
        for _ in 0..200 {
            let t = if low > 0.0 && high > 2.0 * low { f64::sqrt(low * high) } else { 0.5 * (low + high) };
            if gauge(at(t)) > 1.0 {
                low = t;
            } else {
                high = t;
            }
        }
        at(high)
    };
    // Derivative of half the squared distance: n - z_n - Σ (z_i - p_i) dp_i/dn; the normal part of
    // the ellipse's growth is p/n, since p scales with n along its own ray.
    let slope = |n: f64| {
        let p = foot(n);
        n - z[0] - ((z[1] - p[0]) * p[0] + (z[2] - p[1]) * p[1]) / n
    };
    let top = norm(z).max(f64::MIN_POSITIVE) * (1.0 + mu[0].max(mu[1]));
    if slope(top * 1e-18) >= 0.0 {
        return vec![0.0; 3];
    }
    let (mut low, mut high) = (top * 1e-18, top);
    for _ in 0..120 {
        let n = if high > 2.0 * low { f64::sqrt(low * high) } else { 0.5 * (low + high) };
        if slope(n) < 0.0 {
            low = n;
        } else {
            high = n;
        }
    }
    let p = foot(high);
    vec![high, p[0], p[1]]
}

/// Projection on the cone over a polygon: z itself, the apex, a face or a ray; the candidate that
/// misses its optimality conditions (p in the cone, z - p in its polar) least.
fn polyhedral(z: &[f64], vertices: &[[f64; 2]]) -> Vec<f64> {
    let m = vertices.len();
    let ray = |k: usize| {
        let v = vertices[k % m];
        let n = norm(&[1.0, v[0], v[1]]);
        [1.0 / n, v[0] / n, v[1] / n]
    };
    let face = |k: usize| {
        let (a, b) = (ray(k), ray(k + 1));
        // Outward for counter-clockwise vertices.
        let c = [
            -(a[1] * b[2] - a[2] * b[1]),
            -(a[2] * b[0] - a[0] * b[2]),
            -(a[0] * b[1] - a[1] * b[0]),
        ];
        let n = norm(&c);
        c.map(|x| x / n)
    };
    let miss = |p: &[f64]| {
        let w: Vec<f64> = (0..3).map(|i| z[i] - p[i]).collect();
        (0..m)
            .flat_map(|k| [dot(&face(k), p), dot(&ray(k), &w)])
            .fold(0.0, f64::max)
    };
    let mut candidates = vec![z.to_vec(), vec![0.0; 3]];
    for k in 0..m {
        let (n, a) = (face(k), ray(k));
        let (c, e) = (dot(&n, z), dot(&a, z));
        candidates.push((0..3).map(|i| z[i] - c * n[i]).collect());
        candidates.push((0..3).map(|i| e * a[i]).collect());
    }
    candidates
        .into_iter()
        .min_by(|a, b| miss(a).total_cmp(&miss(b)))
        .expect("candidates")
}
