//! Random shapes and poses, and references computed in other ways than in the library.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use parry3d_f64::glamx;
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron as ParryPolyhedron, Cuboid, HalfSpace};
use percuss_geometry::space::{self, ConvexPolyhedron, Shape};
use percuss_geometry::{ContactPoint, Pose, Space};

pub type SpacePose = Pose<Space>;

/// A 64-bit generator (splitmix), so that every run sees the same pairs.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Uniform in the cube [−1, 1]³.
    pub fn cube(&mut self) -> DVec3 {
        DVec3::new(
            self.within(-1.0, 1.0),
            self.within(-1.0, 1.0),
            self.within(-1.0, 1.0),
        )
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let x = self.cube();
            if x.length() > 0.1 && x.length() < 1.0 {
                return x.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> DQuat {
        let angle = self.within(-3.2, 3.2);
        DQuat::from_axis_angle(self.direction(), angle).normalize()
    }

    pub fn pose(&mut self, spread: f64) -> SpacePose {
        Pose {
            position: spread * self.cube(),
            rotation: self.rotation(),
        }
    }

    /// A hull of 4 to 40 points of size about 1, in flattened or stretched cubes.
    pub fn hull(&mut self) -> ConvexPolyhedron {
        let count = 4 + self.below(37);
        let stretch = DVec3::new(
            self.within(0.3, 1.0),
            self.within(0.3, 1.0),
            self.within(0.3, 1.0),
        );
        loop {
            let points: Vec<DVec3> = (0..count).map(|_| stretch * self.cube()).collect();
            if let Ok((hull, _)) = ConvexPolyhedron::hull(&points) {
                return hull;
            }
        }
    }

    pub fn cuboid(&mut self) -> ConvexPolyhedron {
        let sides = DVec3::new(
            self.within(0.2, 2.0),
            self.within(0.2, 2.0),
            self.within(0.2, 2.0),
        );
        ConvexPolyhedron::cuboid(sides).unwrap()
    }
}

pub fn at(x: f64, y: f64, z: f64) -> SpacePose {
    Pose {
        position: DVec3::new(x, y, z),
        rotation: DQuat::IDENTITY,
    }
}

pub fn polyhedron(p: ConvexPolyhedron) -> Shape {
    Shape::Polyhedron(Arc::new(p))
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    polyhedron(ConvexPolyhedron::cuboid(DVec3::new(x, y, z)).unwrap())
}

pub fn touches(
    a: (&Shape, &SpacePose),
    b: (&Shape, &SpacePose),
    reach: f64,
) -> Vec<ContactPoint<Space>> {
    let mut out = Vec::new();
    space::contact_points(a, b, reach, &mut out);
    out
}

pub fn least(touches: &[ContactPoint<Space>]) -> f64 {
    touches
        .iter()
        .fold(f64::INFINITY, |least, t| least.min(t.gap))
}

/// Invariants of every contact point: unit normal, gap = (point_b − point_a)·normal, gap ≤ reach, distinct features,
/// points on the surfaces. Rounding: 1e-12 of positions below 10.
pub fn consistent(
    touches: &[ContactPoint<Space>],
    a: (&Shape, &SpacePose),
    b: (&Shape, &SpacePose),
    reach: f64,
) {
    for (k, t) in touches.iter().enumerate() {
        assert!(
            (t.normal.length() - 1.0).abs() < 1e-14,
            "normal {:?}",
            t.normal
        );
        let gap = (t.point_b - t.point_a).dot(t.normal);
        assert!((gap - t.gap).abs() < 1e-12, "gap {} {}", gap, t.gap);
        assert!(t.gap <= reach);
        assert!(
            touches[..k].iter().all(|s| s.feature != t.feature),
            "{touches:?}"
        );
        for (shape, pose, x) in [(a.0, a.1, t.point_a), (b.0, b.1, t.point_b)] {
            let d = surface(shape, pose.rotation.conjugate() * (x - pose.position));
            assert!(d.abs() < 1e-11, "{d:e} off the surface");
        }
    }
}

/// Signed distance of a point of body axes from a surface: exact inside and on it, a bound outside.
pub fn surface(shape: &Shape, x: DVec3) -> f64 {
    match shape {
        Shape::Sphere { radius } => x.length() - radius,
        Shape::Capsule {
            half_length,
            radius,
        } => (x - DVec3::Z * x.z.clamp(-half_length, *half_length)).length() - radius,
        Shape::Polyhedron(p) => planes(p)
            .iter()
            .fold(f64::NEG_INFINITY, |most, (n, o)| most.max(n.dot(x) - o)),
        Shape::HalfSpace => x.z,
        _ => unreachable!("not tested here"),
    }
}

/// Planes of the faces, from the loops alone.
pub fn planes(p: &ConvexPolyhedron) -> Vec<(DVec3, f64)> {
    let v = p.vertices();
    p.faces()
        .map(|f| {
            let at = |k: usize| v[f[k % f.len()] as usize];
            let sum = (0..f.len()).fold(DVec3::ZERO, |s, k| s + at(k).cross(at(k + 1)));
            let n = sum.normalize();
            (n, n.dot(at(0)))
        })
        .collect()
}

/// Edges as pairs of vertices, each once.
pub fn edges(p: &ConvexPolyhedron) -> Vec<(DVec3, DVec3)> {
    let v = p.vertices();
    let run = p
        .faces()
        .flat_map(|f| (0..f.len()).map(move |k| (f[k], f[(k + 1) % f.len()])));
    run.filter(|(i, j)| i < j)
        .map(|(i, j)| (v[i as usize], v[j as usize]))
        .collect()
}

pub fn place(pose: &SpacePose, x: DVec3) -> DVec3 {
    pose.position + pose.rotation * x
}

/// A body as its vertices, edges and face normals in space; a segment or a point is one, too.
pub struct Hull {
    pub vertices: Vec<DVec3>,
    pub edges: Vec<(DVec3, DVec3)>,
    pub faces: Vec<Vec<DVec3>>,
    pub normals: Vec<DVec3>,
    pub radius: f64,
}

impl Hull {
    pub fn of(shape: &Shape, pose: &SpacePose) -> Self {
        let points = |v: Vec<DVec3>| v.into_iter().map(|x| place(pose, x)).collect::<Vec<_>>();
        match shape {
            Shape::Sphere { radius } => Self {
                vertices: vec![pose.position],
                edges: vec![],
                faces: vec![],
                normals: vec![],
                radius: *radius,
            },
            Shape::Capsule {
                half_length,
                radius,
            } => {
                let v = points(vec![DVec3::Z * *half_length, -DVec3::Z * *half_length]);
                let edges = vec![(v[0], v[1])];
                Self {
                    vertices: v,
                    edges,
                    faces: vec![],
                    normals: vec![],
                    radius: *radius,
                }
            }
            Shape::Polyhedron(p) => Self {
                vertices: points(p.vertices().to_vec()),
                edges: edges(p)
                    .iter()
                    .map(|(x, y)| (place(pose, *x), place(pose, *y)))
                    .collect(),
                faces: p
                    .faces()
                    .map(|f| points(f.iter().map(|i| p.vertices()[*i as usize]).collect()))
                    .collect(),
                normals: planes(p).iter().map(|(n, _)| pose.rotation * *n).collect(),
                radius: 0.0,
            },
            _ => unreachable!("not tested here"),
        }
    }

    fn most(&self, n: DVec3) -> f64 {
        self.vertices
            .iter()
            .fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(n)))
    }
}

/// Signed separation and normal, by trying everything: all pairs of features where apart, all face
/// normals and all products of edges where not. The third value is by how much the best is better
/// than the next one with another normal: where it is small, the normal is not unique.
pub fn referee(a: &Hull, b: &Hull) -> (f64, DVec3, f64) {
    let (d, n) = distance(a, b);
    if d > 0.0 {
        return (d - a.radius - b.radius, n, f64::INFINITY);
    }
    let mut candidates: Vec<DVec3> = a.normals.iter().chain(&b.normals).copied().collect();
    for (p, q) in &a.edges {
        for (x, y) in &b.edges {
            let c = (*q - *p).cross(*y - *x);
            if c.length() > 1e-9 {
                candidates.push(c.normalize());
            }
        }
    }
    let signed = candidates.iter().flat_map(|n| [*n, -*n]);
    let mut all: Vec<(f64, DVec3)> = signed.map(|n| (-b.most(-n) - a.most(n), n)).collect();
    all.sort_by(|x, y| y.0.total_cmp(&x.0));
    let (s, n) = all[0];
    let next = all
        .iter()
        .find(|(_, m)| m.dot(n) < 1.0 - 1e-12)
        .map_or(f64::INFINITY, |x| s - x.0);
    (s - a.radius - b.radius, n, next)
}

/// Least distance over all pairs of features, 0 if any vertex or edge of one is inside the other.
fn distance(a: &Hull, b: &Hull) -> (f64, DVec3) {
    if pierces(a, b) || pierces(b, a) {
        return (0.0, DVec3::ZERO);
    }
    let mut best = (f64::INFINITY, DVec3::ZERO);
    let mut take = |d: DVec3| {
        if d.length() < best.0 {
            best = (d.length(), d.normalize_or_zero());
        }
    };
    for x in &a.vertices {
        for y in &b.vertices {
            take(*y - *x);
        }
    }
    for (from, to, sign) in [(a, b, 1.0), (b, a, -1.0)] {
        for x in &from.vertices {
            for (p, q) in &to.edges {
                let u = *q - *p;
                let t = (*x - *p).dot(u) / u.length_squared();
                if t > 0.0 && t < 1.0 {
                    take(sign * (*p + t * u - *x));
                }
            }
            for (f, n) in to.faces.iter().zip(&to.normals) {
                let h = (*x - f[0]).dot(*n);
                if h > 0.0 && within(f, *n, *x - h * *n) {
                    take(sign * -h * *n);
                }
            }
        }
    }
    for (p, q) in &a.edges {
        for (x, y) in &b.edges {
            let (u, v) = (*q - *p, *y - *x);
            let n = u.cross(v).normalize_or_zero();
            // Coordinates along u, v and n; only crossings inside both edges.
            if n != DVec3::ZERO {
                let c = glam::DMat3::from_cols(u, -v, n).inverse() * (*x - *p);
                if (0.0..=1.0).contains(&c.x) && (0.0..=1.0).contains(&c.y) {
                    take(c.z * n);
                }
            }
        }
    }
    best
}

/// Whether an edge of the first runs through a face of the second, or a vertex of it is inside.
fn pierces(from: &Hull, to: &Hull) -> bool {
    let faces = || to.faces.iter().zip(&to.normals);
    let edge = from.edges.iter().any(|(p, q)| {
        faces().any(|(f, n)| {
            let (hp, hq) = ((*p - f[0]).dot(*n), (*q - f[0]).dot(*n));
            hp * hq < 0.0 && within(f, *n, *p + hp / (hp - hq) * (*q - *p))
        })
    });
    let inside = |x: &DVec3| faces().all(|(f, n)| (*x - f[0]).dot(*n) <= 0.0);
    edge || (!to.faces.is_empty() && from.vertices.iter().any(inside))
}

fn within(face: &[DVec3], n: DVec3, x: DVec3) -> bool {
    (0..face.len()).all(|k| {
        let (p, q) = (face[k], face[(k + 1) % face.len()]);
        n.cross(q - p).dot(x - p) >= 0.0
    })
}

pub fn to_parry(x: DVec3) -> glamx::DVec3 {
    glamx::DVec3::from_array(x.to_array())
}

pub fn parry_pose(pose: &SpacePose) -> glamx::DPose3 {
    let rotation = glamx::DQuat::from_array(pose.rotation.to_array());
    glamx::DPose3::from_parts(to_parry(pose.position), rotation)
}

pub fn parry_shape(shape: &Shape) -> Box<dyn parry3d_f64::shape::Shape> {
    match shape {
        Shape::Sphere { radius } => Box::new(Ball::new(*radius)),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let end = to_parry(DVec3::Z * *half_length);
            Box::new(Capsule::new(-end, end, *radius))
        }
        Shape::Polyhedron(p) => {
            let v: Vec<_> = p.vertices().iter().map(|x| to_parry(*x)).collect();
            let high = p
                .vertices()
                .iter()
                .fold(DVec3::NEG_INFINITY, |m, x| m.max(*x));
            if v.len() == 8 && p.vertices().iter().all(|x| x.abs() == high) {
                return Box::new(Cuboid::new(to_parry(high)));
            }
            Box::new(ParryPolyhedron::from_convex_hull(&v).expect("a hull has a hull"))
        }
        Shape::HalfSpace => Box::new(HalfSpace::new(glamx::DVec3::Z)),
        _ => unreachable!("not tested here"),
    }
}

/// The library's answer: signed separation and normal from a to b, if within `reach`.
pub fn parry(a: (&Shape, &SpacePose), b: (&Shape, &SpacePose), reach: f64) -> Option<(f64, DVec3)> {
    let (sa, sb) = (parry_shape(a.0), parry_shape(b.0));
    let found = query::contact(&parry_pose(a.1), &*sa, &parry_pose(b.1), &*sb, reach);
    found
        .unwrap()
        .map(|c| (c.dist, DVec3::from_array(c.normal1.to_array())))
}
