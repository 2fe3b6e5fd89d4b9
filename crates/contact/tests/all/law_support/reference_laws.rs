//! A local natural residual written from the definitions.

use percuss_contact::law::{Law, Status};

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
                .map(|i| {
                    if i < k {
                        kappa * u[i]
                    } else {
                        r[i] - if t > 0.0 { c * z[i] } else { 0.0 }
                    }
                })
                .collect()
        }
        Law::NonFirm(set) => {
            let p: Vec<f64> = (0..d)
                .map(|i| z[i].max(set.lower()[i]).min(set.upper()[i]))
                .collect();
            let away: Vec<f64> = (0..d).map(|i| z[i] - p[i]).collect();
            let n = norm(&away);
            let c = if n > set.radius() {
                set.radius() / n
            } else {
                1.0
            };
            (0..d).map(|i| r[i] - p[i] - c * away[i]).collect()
        }
        _ => {
            let p = cone(law, &u, z, kappa);
            (0..d).map(|i| r[i] - p[i]).collect::<Vec<f64>>()
        }
    };
    let size = norm(r).max(kappa * norm(&u)).max(kappa * norm(q));
    if size == 0.0 { 0.0 } else { norm(&f) / size }
}

/// Projection of z - κ g(u) e_n onto the cone of a unilateral law.
fn cone(law: &Law, u: &[f64], mut z: Vec<f64>, kappa: f64) -> Vec<f64> {
    let d = z.len();
    let (radii, sizes): (Vec<f64>, Vec<usize>) = match law {
        Law::Coulomb { mu } => (vec![*mu], vec![d - 1]),
        Law::StaticDynamic { friction, previous } => {
            let slid = *previous == Status::Slip;
            let mu = if slid {
                friction.mu_dynamic
            } else {
                friction.mu_static
            };
            (vec![mu], vec![d - 1])
        }
        Law::Rolling {
            mu,
            mu_roll,
            mu_spin,
        } if d == 6 => (vec![*mu, *mu_roll, *mu_spin], vec![2, 2, 1]),
        Law::Rolling { mu, mu_roll, .. } => (vec![*mu, *mu_roll], vec![2, 2]),
        Law::RollingPlane { mu, mu_roll } => (vec![*mu, *mu_roll], vec![1, 1]),
        Law::CoulombAsymmetric { plus, minus } => {
            // Only one side of the cone can act: that of the sign of z.
            let g = if u[1] > 0.0 {
                minus * u[1]
            } else {
                -plus * u[1]
            };
            z[0] -= kappa * g;
            let mu = if z[1] > 0.0 { *plus } else { *minus };
            return discs(&z, &[mu], &[1]);
        }
        Law::CoulombElliptic { mu1, mu2 } => {
            let g = norm(&[mu1 * u[1], mu2 * u[2]]);
            z[0] -= kappa * g;
            return ellipse(&z, [*mu1, *mu2]);
        }
        Law::CoulombPolygon(section) => {
            let v = section.vertices();
            let g = v
                .iter()
                .map(|v| -dot(v, &u[1..]))
                .fold(f64::NEG_INFINITY, f64::max);
            z[0] -= kappa * g;
            return polyhedral(&z, v);
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
    discs(&z, &radii, &sizes)
}

/// Projection on {|x_i| <= mu_i n}: the height n minimises a convex function of one variable whose
/// derivative n - z_n - Σ mu_i (|z_i| - mu_i n)+ is piecewise linear; every set of active blocks is
/// tried and the one with the smallest inconsistency is kept.
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
        let slope = n
            - z[0]
            - (0..sizes.len())
                .map(|i| radii[i] * (lengths[i] - radii[i] * n).max(0.0))
                .sum::<f64>();
        let miss = if n == 0.0 {
            (-slope).max(0.0)
        } else {
            slope.abs()
        };
        if miss < best.0 {
            best = (miss, n);
        }
    }
    let n = best.1;
    let mut p = vec![0.0; z.len()];
    p[0] = n;
    for i in 0..sizes.len() {
        let bound = radii[i] * n;
        let c = if lengths[i] > bound {
            bound / lengths[i]
        } else {
            1.0
        };
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
            std::array::from_fn(|i| {
                if a[i] > 0.0 {
                    z[i + 1] / (1.0 + t / (a[i] * a[i]))
                } else {
                    0.0
                }
            })
        };
        let gauge = |p: [f64; 2]| norm(&[0, 1].map(|i| if a[i] > 0.0 { p[i] / a[i] } else { 0.0 }));
        if gauge(at(0.0)) <= 1.0 {
            return at(0.0);
        }
        let mut high = a[0].max(a[1]) * norm(&z[1..]);
        let mut low = 0.0;
        for _ in 0..200 {
            let t = if low > 0.0 && high > 2.0 * low {
                f64::sqrt(low * high)
            } else {
                0.5 * (low + high)
            };
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
        let n = if high > 2.0 * low {
            f64::sqrt(low * high)
        } else {
            0.5 * (low + high)
        };
        if slope(n) < 0.0 {
            low = n;
        } else {
            high = n;
        }
    }
    let p = foot(high);
    vec![high, p[0], p[1]]
}

/// Projection on the cone over a polygon: z itself, the apex, a face or a ray; the candidate with the smallest
/// violation of its optimality conditions (p in the cone, z - p in its polar).
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
