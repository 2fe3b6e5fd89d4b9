//! Reference solutions for the laws: random blocks and a local natural residual written from the definitions,
//! sharing no code with the laws themselves.

mod reference_laws;

use percuss_contact::law::{Law, NonFirmSet, PolygonSection, StaticDynamic, Status};
pub use reference_laws::{dot, norm, residual, velocity};

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
    let sh = 10f64.powf(random.range(-12.0, 12.0));
    let sq = if let Law::NonFirm(_) = law {
        // The set brings its own scale of impulses: q/H must be comparable to be of interest.
        sh * 10f64.powf(random.range(-6.0, 2.0))
    } else {
        10f64.powf(random.range(-12.0, 12.0))
    };
    h.iter_mut().for_each(|v| *v *= sh);
    q.iter_mut().for_each(|v| *v *= sq);
    (law, h, q)
}

/// The families of laws, by name.
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
pub fn polygon(random: &mut Random) -> PolygonSection {
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
            && let Ok(section) = PolygonSection::new(&points)
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
            (
                Law::StaticDynamic { friction, previous },
                2 + random.below(2),
            )
        }
        _ => other_law(random, family),
    }
}

fn other_law(random: &mut Random, family: &str) -> (Law, usize) {
    match family {
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
