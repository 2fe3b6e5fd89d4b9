//! Common parts of the tests of the plane: random shapes, and distances computed in another way.

use std::sync::Arc;

use glam::DVec2;
use percuss_geometry::plane::{Angle, Chain, ConvexPolygon, Shape, contact_points};
use percuss_geometry::{ContactPoint, Plane, Pose};

/// How a random shape of a kind is made.
pub type Make = fn(&mut Random) -> Shape;

/// Pseudorandom numbers that are the same in every run (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn vector(&mut self, size: f64) -> DVec2 {
        DVec2::new(self.between(-size, size), self.between(-size, size))
    }

    pub fn pose(&mut self, size: f64) -> Pose<Plane> {
        pose(self.vector(size), self.between(-4.0, 4.0))
    }

    pub fn disc(&mut self) -> Shape {
        Shape::disc(self.between(0.2, 1.2)).unwrap()
    }

    pub fn capsule(&mut self) -> Shape {
        let (length, radius) = (self.between(0.2, 2.0), self.between(0.1, 0.8));
        Shape::capsule(length, radius).unwrap()
    }

    pub fn rectangle(&mut self) -> Shape {
        let (w, h) = (self.between(0.3, 2.0), self.between(0.3, 2.0));
        Shape::Polygon(Arc::new(ConvexPolygon::rectangle(w, h).unwrap()))
    }

    /// A box, or the hull of some random points.
    pub fn polygon(&mut self) -> Shape {
        if self.below(4) == 0 {
            return self.rectangle();
        }
        loop {
            let count = 3 + self.below(18);
            let points: Vec<DVec2> = (0..count).map(|_| self.vector(1.2)).collect();
            if let Ok((polygon, _)) = ConvexPolygon::new(&hull(points)) {
                return Shape::Polygon(Arc::new(polygon));
            }
        }
    }
}

pub fn pose(position: DVec2, angle: f64) -> Pose<Plane> {
    Pose {
        position,
        rotation: Angle::new(angle),
    }
}

pub fn at(x: f64, y: f64, angle: f64) -> Pose<Plane> {
    pose(DVec2::new(x, y), angle)
}

pub fn rectangle(width: f64, height: f64) -> Shape {
    Shape::Polygon(Arc::new(ConvexPolygon::rectangle(width, height).unwrap()))
}

pub fn polygon(vertices: &[(f64, f64)]) -> Shape {
    let vertices: Vec<DVec2> = vertices.iter().map(|&v| v.into()).collect();
    Shape::Polygon(Arc::new(ConvexPolygon::new(&vertices).unwrap().0))
}

pub fn chain(vertices: &[(f64, f64)], closed: bool) -> Shape {
    let vertices: Vec<DVec2> = vertices.iter().map(|&v| v.into()).collect();
    Shape::Chain(Arc::new(Chain::new(&vertices, closed).unwrap()))
}

pub fn touches(
    a: (&Shape, &Pose<Plane>),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
) -> Vec<ContactPoint<Plane>> {
    let mut out = Vec::new();
    contact_points(a, b, reach, &mut out);
    out
}

pub fn least(touches: &[ContactPoint<Plane>]) -> Option<ContactPoint<Plane>> {
    touches
        .iter()
        .copied()
        .min_by(|s, t| s.gap.total_cmp(&t.gap))
}

/// Convex hull, anticlockwise (Andrew's monotone chain).
pub fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let half = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut kept: Vec<DVec2> = Vec::new();
        for p in points {
            while kept.len() > 1 {
                let (o, q) = (kept[kept.len() - 2], kept[kept.len() - 1]);
                if (q - o).perp_dot(p - o) > 0.0 {
                    break;
                }
                kept.pop();
            }
            kept.push(p);
        }
        kept.pop();
        kept
    };
    let mut lower = half(&mut points.iter().copied());
    let upper = half(&mut points.iter().rev().copied());
    lower.extend(upper);
    lower
}

/// The polygon inside the rounding, in world axes, and the radius.
pub fn core(shape: &Shape, pose: &Pose<Plane>) -> (Vec<DVec2>, f64) {
    let place = |v: DVec2| pose.position + pose.rotation.rotate(v);
    match shape {
        Shape::Disc { radius } => (vec![pose.position], *radius),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let end = DVec2::new(*half_length, 0.0);
            (vec![place(-end), place(end)], *radius)
        }
        Shape::Polygon(polygon) => (polygon.vertices().iter().map(|v| place(*v)).collect(), 0.0),
        _ => unreachable!("a boundary has no core"),
    }
}

pub fn nearest_on_segment(x: DVec2, p: DVec2, q: DVec2) -> DVec2 {
    let d = q - p;
    let t = (x - p).dot(d) / d.length_squared().max(f64::MIN_POSITIVE);
    p + d * t.clamp(0.0, 1.0)
}

/// Signed distance of a point from a convex polygon (of one or two vertices, too), by projecting it
/// onto every edge; also the direction of the distance, outward, and the next best distance of
/// another edge (infinite when outside).
pub fn signed(x: DVec2, polygon: &[DVec2]) -> (f64, DVec2, f64) {
    let n = polygon.len();
    let inside = n > 2
        && (0..n).all(|i| (polygon[(i + 1) % n] - polygon[i]).perp_dot(x - polygon[i]) >= 0.0);
    let mut near: Vec<(f64, DVec2)> = (0..n)
        .map(|i| {
            let (p, q) = (polygon[i], polygon[(i + 1) % n]);
            let foot = nearest_on_segment(x, p, q);
            let away = (foot - x).length();
            let normal = if inside { -(q - p).perp() } else { x - foot };
            (away, normal.normalize_or_zero())
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    if inside {
        let second = near.get(1).map_or(f64::INFINITY, |s| s.0);
        (-near[0].0, near[0].1, second - near[0].0)
    } else {
        (near[0].0, near[0].1, f64::INFINITY)
    }
}

/// Signed distance of two shapes by the hull of all differences of vertices; the normal from a to b;
/// how far the runner-up is.
pub fn distance(a: (&Shape, &Pose<Plane>), b: (&Shape, &Pose<Plane>)) -> (f64, DVec2, f64) {
    let ((p, r), (q, s)) = (core(a.0, a.1), core(b.0, b.1));
    // 0 − (A − B): the origin's distance from A − B, outward from A.
    let differences = p.iter().flat_map(|x| q.iter().map(move |y| *x - *y));
    let mut minkowski = hull(differences.collect());
    if minkowski.is_empty() {
        minkowski = vec![p[0] - q[0]];
    }
    let (d, normal, margin) = signed(DVec2::ZERO, &minkowski);
    (d - r - s, normal, margin)
}

/// How far a point is from the surface of a shape.
pub fn off_surface(x: DVec2, shape: &Shape, pose: &Pose<Plane>) -> f64 {
    match shape {
        Shape::HalfPlane => pose.rotation.rotate_back(x - pose.position).y.abs(),
        Shape::Chain(chain) => {
            let place = |v: DVec2| pose.position + pose.rotation.rotate(v);
            let vertices = chain.vertices();
            let n = vertices.len();
            let count = if chain.closed() { n } else { n - 1 };
            (0..count)
                .map(|i| {
                    let (p, q) = (place(vertices[i]), place(vertices[(i + 1) % n]));
                    (nearest_on_segment(x, p, q) - x).length()
                })
                .fold(f64::INFINITY, f64::min)
        }
        _ => {
            let (polygon, radius) = core(shape, pose);
            (signed(x, &polygon).0 - radius).abs()
        }
    }
}

/// Invariants of every list of contact points: unit normals, gaps as defined, points on the surfaces, gaps within the
/// contact margin, distinct features.
pub fn check(
    a: (&Shape, &Pose<Plane>),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
    found: &[ContactPoint<Plane>],
    tolerance: f64,
) {
    for (i, t) in found.iter().enumerate() {
        let gap = (t.point_b - t.point_a).dot(t.normal);
        assert!((t.normal.length() - 1.0).abs() < 1e-14, "{t:?}");
        assert!((gap - t.gap).abs() <= tolerance, "{gap} {t:?}");
        assert!(t.gap <= reach, "{t:?}");
        let off = (
            off_surface(t.point_a, a.0, a.1),
            off_surface(t.point_b, b.0, b.1),
        );
        assert!(
            off.0 <= tolerance && off.1 <= tolerance,
            "{off:?} {t:?} {a:?} {b:?}"
        );
        for s in &found[..i] {
            assert_ne!(s.feature, t.feature, "{found:?}");
        }
    }
}
