//! Contact points of compounds against those of all pairs of parts, one by one.

use std::sync::Arc;

use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_geometry::{
    Compound, CompoundPiece, ContactPoint, Dim, Geometry, Plane, Pose, Space, Vector, plane, space,
};

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    fn pose2(&mut self, spread: f64) -> Pose<Plane> {
        Pose {
            position: DVec2::new(self.between(-spread, spread), self.between(-spread, spread)),
            rotation: plane::Angle::new(self.between(-3.0, 3.0)),
        }
    }

    fn pose3(&mut self, spread: f64) -> Pose<Space> {
        let mut x = || self.between(-1.0, 1.0);
        let (p, axis) = (DVec3::new(x(), x(), x()), DVec3::new(x(), x(), x()));
        Pose {
            position: p * spread,
            rotation: DQuat::from_axis_angle(axis.normalize(), 3.0 * x()),
        }
    }

    fn shape2(&mut self) -> plane::Shape {
        match (3.0 * self.unit()) as usize {
            0 => plane::Shape::disc(self.between(0.1, 0.4)).unwrap(),
            1 => plane::Shape::capsule(self.between(0.2, 0.8), 0.15).unwrap(),
            _ => rectangle(self.between(0.2, 1.0), self.between(0.2, 0.6)),
        }
    }

    fn shape3(&mut self) -> space::Shape {
        match (4.0 * self.unit()) as usize {
            0 => space::Shape::sphere(self.between(0.1, 0.4)).unwrap(),
            1 => space::Shape::capsule(self.between(0.2, 0.8), 0.15).unwrap(),
            2 => space::Shape::cylinder(self.between(0.2, 0.8), 0.2).unwrap(),
            _ => cuboid(self.between(0.2, 1.0), self.between(0.2, 0.6), 0.4),
        }
    }
}

type Parts<D> = Vec<(<D as Geometry>::Shape, Pose<D>)>;

/// The parts in world axes.
fn placed<D: Geometry>(shape: &D::Shape, pose: &Pose<D>) -> Parts<D> {
    match D::compound(shape) {
        None => vec![(shape.clone(), *pose)],
        Some(compound) => compound
            .parts()
            .iter()
            .map(|part| (part.shape.clone(), D::compose(pose, &part.pose)))
            .collect(),
    }
}

/// How deep x is inside a part; negative outside.
fn depth<D: Geometry>((shape, pose): &(D::Shape, Pose<D>), x: D::Vector) -> f64 {
    let inner = D::rotate_back(&pose.rotation, x - pose.position);
    let mut least = f64::INFINITY;
    D::visit_face_depths(shape, inner, &mut |_, depth| least = least.min(depth));
    least
}

/// Whether a point slightly beyond the surface along the normal is in no other part.
fn exposed<D: Geometry>(parts: &Parts<D>, own: usize, at: D::Vector, normal: D::Vector) -> bool {
    let out = at + normal * 1e-5;
    let others = parts.iter().enumerate().filter(|(k, _)| *k != own);
    others
        .into_iter()
        .all(|(_, part)| depth::<D>(part, out) < 0.0)
}

/// Compares with all pairs of parts; returns how many contact points were kept and how many were not.
fn check<D: Geometry>(
    a: (&D::Shape, &Pose<D>),
    b: (&D::Shape, &Pose<D>),
    reach: f64,
) -> (usize, usize) {
    let mut found: Vec<ContactPoint<D>> = Vec::new();
    D::contact_points(a, b, reach, &mut found);
    for (k, t) in found.iter().enumerate() {
        assert!(found[..k].iter().all(|s| s.feature != t.feature));
        assert!(t.gap <= reach);
    }
    let (ones, twos) = (placed::<D>(a.0, a.1), placed::<D>(b.0, b.1));
    let (mut all, mut hidden) = (Vec::new(), 0);
    for (i, one) in ones.iter().enumerate() {
        for (j, two) in twos.iter().enumerate() {
            let mut touches = Vec::new();
            D::contact_points((&one.0, &one.1), (&two.0, &two.1), reach, &mut touches);
            for t in touches {
                all.push(t);
                let open = exposed::<D>(&ones, i, t.point_a, t.normal)
                    && exposed::<D>(&twos, j, t.point_b, -t.normal);
                let kept = found.iter().any(|f| same(f, &t));
                // A contact point that is exposed on the union is one of the union.
                assert!(kept || !open, "lost: {t:?}");
                hidden += usize::from(!kept);
            }
        }
    }
    // Every contact point of the union is one of a pair of parts.
    for t in &found {
        assert!(all.iter().any(|f| same(f, t)), "invented: {t:?}");
    }
    (found.len(), hidden)
}

/// The same point of one of the bodies, to rounding, with the same normal up to 2.5°, by which the normal of a corner
/// on a face may be changed; then the other point moves with it.
fn same<D: Geometry>(one: &ContactPoint<D>, two: &ContactPoint<D>) -> bool {
    let near = |p: D::Vector, q: D::Vector| (p - q).norm() < 1e-9;
    (near(one.point_a, two.point_a) || near(one.point_b, two.point_b))
        && (one.normal - two.normal).norm() < 0.045
}

fn compound2(random: &mut Random, count: usize) -> plane::Shape {
    let pieces: Vec<CompoundPiece<Plane>> = (0..count)
        .map(|_| (random.shape2(), random.pose2(0.8), 1.0))
        .collect();
    plane::Shape::Compound(Arc::new(Compound::new(&pieces).unwrap().0))
}

fn compound3(random: &mut Random, count: usize) -> space::Shape {
    let pieces: Vec<CompoundPiece<Space>> = (0..count)
        .map(|_| (random.shape3(), random.pose3(0.8), 1.0))
        .collect();
    space::Shape::Compound(Arc::new(Compound::new(&pieces).unwrap().0))
}

#[test]
fn compounds_of_the_plane_touch_where_their_exposed_parts_do() {
    let mut random = Random(11);
    let (mut kept, mut hidden) = (0, 0);
    for round in 0..3_000 {
        let one = compound2(&mut random, 1 + round % 7);
        let two = match round % 3 {
            0 => random.shape2(),
            1 => plane::Shape::HalfPlane,
            _ => compound2(&mut random, 1 + round % 5),
        };
        let (p, q) = (random.pose2(1.0), random.pose2(1.0));
        for reach in [0.0, 0.05] {
            let (k, h) = check::<Plane>((&one, &p), (&two, &q), reach);
            kept += k;
            hidden += h;
            check::<Plane>((&two, &q), (&one, &p), reach);
        }
    }
    assert!(kept > 3_000 && hidden > 500, "{kept} {hidden}");
}

#[test]
fn compounds_of_space_touch_where_their_exposed_parts_do() {
    let mut random = Random(12);
    let (mut kept, mut hidden) = (0, 0);
    for round in 0..1_500 {
        let one = compound3(&mut random, 1 + round % 7);
        let two = match round % 3 {
            0 => random.shape3(),
            1 => space::Shape::HalfSpace,
            _ => compound3(&mut random, 1 + round % 5),
        };
        let (p, q) = (random.pose3(0.9), random.pose3(0.9));
        let (k, h) = check::<Space>((&one, &p), (&two, &q), 0.02);
        kept += k;
        hidden += h;
    }
    assert!(kept > 1_500 && hidden > 150, "{kept} {hidden}");
}

/// The features of the points of a compound at rest persist while it moves by a billionth.
#[test]
fn points_of_a_compound_keep_their_numbers() {
    let bar = |w: f64, h: f64, x: f64, y: f64| (rectangle(w, h), at2(x, y), 1.0);
    // A table: a top on two legs.
    let table = [
        bar(2.0, 0.2, 0.0, 1.0),
        bar(0.2, 0.9, -0.8, 0.45),
        bar(0.2, 0.9, 0.8, 0.45),
    ];
    let (compound, axes) = Compound::<Plane>::new(&table).unwrap();
    let shape = plane::Shape::Compound(Arc::new(compound));
    let (floor, place) = (rectangle(6.0, 1.0), at2(0.0, -0.5));
    let numbers = |dx: f64, dy: f64, angle: f64| {
        let outer = Pose::<Plane> {
            position: DVec2::new(dx, dy),
            rotation: plane::Angle::new(angle),
        };
        let pose = Plane::compose(&outer, &axes);
        let mut found = Vec::new();
        Plane::contact_points((&floor, &place), (&shape, &pose), 1e-5, &mut found);
        let mut numbers: Vec<u32> = found.iter().map(|t| t.feature).collect();
        numbers.sort_unstable();
        numbers
    };
    let want = numbers(0.0, -1e-7, 0.0);
    assert_eq!(want.len(), 4);
    let mut random = Random(2);
    for _ in 0..1_000 {
        let mut tiny = || random.between(-1e-9, 1e-9);
        assert_eq!(numbers(tiny(), tiny() - 1e-7, tiny()), want);
    }
}

/// A wall of a thousand parts: only those near the sphere are tested, and found.
#[test]
fn one_part_of_a_thousand_is_found() {
    let pieces: Vec<CompoundPiece<Space>> = (0..1_000)
        .map(|k| {
            let at = DVec3::new(
                2.0 * (k % 10) as f64,
                2.0 * (k / 10 % 10) as f64,
                2.0 * (k / 100) as f64,
            );
            (cuboid(1.0, 1.0, 1.0), at3(at), 1.0)
        })
        .collect();
    let (compound, axes) = Compound::<Space>::new(&pieces).unwrap();
    let shape = space::Shape::Compound(Arc::new(compound));
    let ball = space::Shape::sphere(0.3).unwrap();
    for k in 0..1_000 {
        let over = pieces[k].1.position + DVec3::new(0.0, 0.0, 0.79);
        let mut found = Vec::new();
        Space::contact_points((&shape, &axes), (&ball, &at3(over)), 0.0, &mut found);
        assert_eq!(found.len(), 1, "{k}");
        assert!((found[0].gap + 0.01).abs() < 1e-12 && found[0].normal.z > 1.0 - 1e-12);
    }
}
