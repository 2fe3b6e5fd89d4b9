//! Random sets of every kind with hand-written tests of membership.

use super::{Rng, dot, norm, sub, times};
use percuss_convex::{
    AxisBox, Ball, ConvexSet, Ellipsoid, HalfSpace, Intersection, Point, PolarCone, PolyhedralCone,
    Polyhedron, Polytope, Product, RollingCone, Scale, SecondOrderCone, Segment, Set, Simplex,
    Subspace, Translate,
};

/// Violation of the definition of the set at x (lengths, up to the conditioning of its rows).
pub type Excess = Box<dyn Fn(&[f64]) -> f64>;

pub const KINDS: [&str; 22] = [
    "point",
    "half-space",
    "ball",
    "box",
    "ellipsoid",
    "segment",
    "simplex",
    "polyhedron",
    "polytope",
    "subspace",
    "circular",
    "elliptic",
    "interval",
    "rolling",
    "generators",
    "inequalities",
    "polar",
    "product",
    "translate",
    "scale",
    "flat intersection",
    "curved intersection",
];

fn rows_excess(rows: Vec<f64>, bounds: Vec<f64>, n: usize) -> Excess {
    Box::new(move |x| {
        rows.chunks_exact(n)
            .zip(&bounds)
            .map(|(a, b)| (dot(a, x) - b) / norm(a).max(1e-300))
            .fold(0.0, f64::max)
    })
}

/// A random set of the named kind in R³ (R² for the interval cone, R⁴ or R⁶ for a few).
pub fn sample(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "point" | "half-space" | "ball" | "box" => basic(kind, rng),
        "ellipsoid" | "segment" | "simplex" | "polytope" => bounded(kind, rng),
        "polyhedron" | "subspace" | "flat intersection" => flat(kind, rng),
        "product" | "translate" | "scale" => combined(kind, rng),
        "circular" | "elliptic" | "interval" | "rolling" => contact_cone(kind, rng),
        "generators" | "inequalities" | "polar" => other_cone(kind, rng),
        "curved intersection" => curved_intersection(rng),
        other => panic!("no set named {other}"),
    }
}

fn basic(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "point" => {
            let p = rng.vec(3);
            (
                Point::new(&p).unwrap().into(),
                Box::new(move |x| norm(&sub(x, &p))),
            )
        }
        "half-space" => {
            let (a, b) = (rng.vec(3), rng.range(-1.0, 1.0));
            (
                HalfSpace::new(&a, b).unwrap().into(),
                rows_excess(a, vec![b], 3),
            )
        }
        "ball" => {
            let (c, r) = (
                rng.vec(3),
                if rng.below(5) == 0 {
                    0.0
                } else {
                    rng.range(0.0, 2.0)
                },
            );
            (
                Ball::new(&c, r).unwrap().into(),
                Box::new(move |x| norm(&sub(x, &c)) - r),
            )
        }
        "box" => {
            let mut lo = rng.vec(3);
            let mut hi: Vec<f64> = lo.iter().map(|v| v + rng.unit()).collect();
            match rng.below(4) {
                0 => lo[0] = f64::NEG_INFINITY,
                1 => hi[1] = f64::INFINITY,
                2 => hi[2] = lo[2],
                _ => {}
            }
            let set = AxisBox::new(&lo, &hi).unwrap();
            (
                set.into(),
                Box::new(move |x| {
                    (0..3)
                        .map(|i| (lo[i] - x[i]).max(x[i] - hi[i]))
                        .fold(0.0, f64::max)
                }),
            )
        }
        other => panic!("no set named {other}"),
    }
}

fn bounded(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "ellipsoid" => {
            let (c, e) = (rng.vec(3), rng.spd(3, 1.0));
            let set = Ellipsoid::new(&c, &e).unwrap();
            (
                set.into(),
                Box::new(move |x| {
                    let d = sub(x, &c);
                    let q: f64 = (0..3).map(|i| d[i] * dot(&e[3 * i..3 * i + 3], &d)).sum();
                    // (√q − 1) is in units of the longest semi-axis at least.
                    q.sqrt() - 1.0
                }),
            )
        }
        "segment" => {
            let (a, b) = (rng.vec(3), rng.vec(3));
            let set = Segment::new(&a, &b).unwrap();
            (
                set.into(),
                Box::new(move |x| norm(&sub(x, &a)) + norm(&sub(x, &b)) - norm(&sub(&a, &b))),
            )
        }
        "simplex" => {
            let total = rng.range(0.1, 2.0);
            (
                Simplex::new(3, total).unwrap().into(),
                Box::new(move |x| {
                    (x.iter().sum::<f64>() - total)
                        .abs()
                        .max(x.iter().fold(0.0, |m: f64, v| m.max(-v)))
                }),
            )
        }
        "polytope" => {
            let m = 1 + rng.below(7);
            let v = rng.vec(3 * m);
            let set = Polytope::new(3, &v).unwrap();
            let mut directions = Rng(7);
            let dirs: Vec<Vec<f64>> = (0..60).map(|_| directions.vec(3)).collect();
            (
                set.into(),
                Box::new(move |x| {
                    dirs.iter()
                        .map(|d| {
                            let top = v
                                .chunks_exact(3)
                                .map(|p| dot(p, d))
                                .fold(f64::NEG_INFINITY, f64::max);
                            (dot(d, x) - top) / norm(d)
                        })
                        .fold(0.0, f64::max)
                }),
            )
        }
        other => panic!("no set named {other}"),
    }
}

fn flat(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "polyhedron" => {
            let m = 1 + rng.below(6);
            let (rows, inner) = (rng.vec(3 * m), rng.vec(3));
            let bounds: Vec<f64> = rows
                .chunks_exact(3)
                .map(|a| dot(a, &inner) + rng.unit() * 0.5)
                .collect();
            (
                Polyhedron::new(3, &rows, &bounds).unwrap().into(),
                rows_excess(rows, bounds, 3),
            )
        }
        "subspace" => {
            let (p, d) = (rng.vec(3), rng.vec(3));
            let set = Subspace::from_basis(&p, &d).unwrap();
            (
                set.into(),
                Box::new(move |x| {
                    let o = sub(x, &p);
                    let t = dot(&o, &d) / dot(&d, &d);
                    norm(&sub(&o, &times(&d, t)))
                }),
            )
        }
        "flat intersection" => {
            let (b, fb) = (AxisBox::new(&[-1.0; 3], &[1.0; 3]).unwrap(), rng.vec(3));
            let a = rng.vec(3);
            let bound = dot(&a, &fb);
            let set = Intersection::new(vec![b.into(), HalfSpace::new(&a, bound).unwrap().into()])
                .unwrap();
            (
                set.into(),
                Box::new(move |x| {
                    let inside = x.iter().fold(0.0f64, |m, v| m.max(v.abs() - 1.0));
                    inside.max((dot(&a, x) - bound) / norm(&a))
                }),
            )
        }
        other => panic!("no set named {other}"),
    }
}

fn combined(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "product" => {
            let (a, fa) = sample("ball", rng);
            let line = HalfSpace::new(&[rng.range(0.5, 1.0)], rng.range(-1.0, 1.0)).unwrap();
            let set = Product::new(vec![a, line.clone().into()]).unwrap();
            (
                set.into(),
                Box::new(move |x| fa(&x[..3]).max(line.distance(&x[3..]).unwrap())),
            )
        }
        "translate" => {
            let (a, f) = sample("elliptic", rng);
            let t = rng.vec(3);
            (
                Translate::new(a, &t).unwrap().into(),
                Box::new(move |x| f(&sub(x, &t))),
            )
        }
        "scale" => {
            let (a, f) = sample("ellipsoid", rng);
            let s = if rng.below(2) == 0 { -0.7 } else { 1.8 };
            (
                Scale::new(a, s).unwrap().into(),
                Box::new(move |x| f(&times(x, 1.0 / s))),
            )
        }
        other => panic!("no set named {other}"),
    }
}

fn contact_cone(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    let mu = |rng: &mut Rng| {
        if rng.below(6) == 0 {
            0.0
        } else {
            rng.range(0.05, 2.0)
        }
    };
    match kind {
        "circular" => {
            let m = mu(rng);
            (
                SecondOrderCone::circular(3, m).unwrap().into(),
                Box::new(move |x| norm(&x[1..]) - m * x[0]),
            )
        }
        "elliptic" => {
            let (a, b) = (mu(rng), mu(rng));
            let part = |v: f64, m: f64, n: f64| {
                if m == 0.0 {
                    v.abs() * 1e3 / n.abs().max(1e-300)
                } else {
                    v / m / n.max(1e-300)
                }
            };
            (
                SecondOrderCone::elliptic(a, b).unwrap().into(),
                Box::new(move |x| {
                    if x[0] <= 0.0 {
                        return norm(x);
                    }
                    (part(x[1], a, x[0]).hypot(part(x[2], b, x[0])) - 1.0) * x[0] * 0.05
                }),
            )
        }
        "interval" => {
            let (p, m) = (mu(rng), mu(rng));
            (
                SecondOrderCone::interval(p, m).unwrap().into(),
                Box::new(move |x| (x[1] - p * x[0]).max(-x[1] - m * x[0]).max(-x[0])),
            )
        }
        "rolling" => {
            let r = [mu(rng), mu(rng), mu(rng)];
            (
                RollingCone::new(&r, &[2, 2, 1]).unwrap().into(),
                Box::new(move |x| {
                    (norm(&x[1..3]) - r[0] * x[0])
                        .max(norm(&x[3..5]) - r[1] * x[0])
                        .max(x[5].abs() - r[2] * x[0])
                        .max(-x[0])
                }),
            )
        }
        other => panic!("no set named {other}"),
    }
}

fn other_cone(kind: &str, rng: &mut Rng) -> (Set, Excess) {
    match kind {
        "generators" => {
            let m = 1 + rng.below(5);
            let g = rng.vec(3 * m);
            // In the cone iff no polar vector has a positive product with it: test against rays of the polar cone.
            let set = PolyhedralCone::from_generators(3, &g).unwrap();
            let mut dirs = Rng(11);
            let polar: Vec<Vec<f64>> = (0..400)
                .map(|_| dirs.vec(3))
                .filter(|d| g.chunks_exact(3).all(|r| dot(r, d) <= 0.0))
                .collect();
            (
                set.into(),
                Box::new(move |x| {
                    polar
                        .iter()
                        .map(|d| dot(d, x) / norm(d))
                        .fold(0.0, f64::max)
                }),
            )
        }
        "inequalities" => {
            let m = 1 + rng.below(5);
            let g = rng.vec(3 * m);
            (
                PolyhedralCone::from_inequalities(3, &g).unwrap().into(),
                rows_excess(g, vec![0.0; m], 3),
            )
        }
        "polar" => {
            let r = [rng.range(0.1, 1.0), rng.range(0.1, 1.0)];
            let cone = RollingCone::new(&r, &[2, 1]).unwrap();
            (
                PolarCone::new(cone.into()).unwrap().into(),
                Box::new(move |x| x[0] + r[0] * norm(&x[1..3]) + r[1] * x[3].abs()),
            )
        }
        other => panic!("no set named {other}"),
    }
}

/// Ball ∩ half-space ∩ cone with a common interior point.
fn curved_intersection(rng: &mut Rng) -> (Set, Excess) {
    let mu = rng.range(0.2, 1.5);
    let inner = [rng.range(0.2, 1.0), 0.0, 0.0];
    let mut center = rng.vec(3);
    center[0] += 0.5;
    let radius = norm(&sub(&center, &inner)) + rng.range(0.05, 0.6);
    let a = rng.vec(3);
    let bound = dot(&a, &inner) + rng.range(0.02, 0.3);
    let set = Intersection::new(vec![
        Ball::new(&center, radius).unwrap().into(),
        HalfSpace::new(&a, bound).unwrap().into(),
        SecondOrderCone::circular(3, mu).unwrap().into(),
    ])
    .unwrap();
    (
        set.into(),
        Box::new(move |x| {
            (norm(&sub(x, &center)) - radius)
                .max((dot(&a, x) - bound) / norm(&a))
                .max(norm(&x[1..]) - mu * x[0])
        }),
    )
}
