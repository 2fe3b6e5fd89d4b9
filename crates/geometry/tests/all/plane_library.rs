//! Contact points against a library of collision detection, parry, on random pairs of every kind: none missed, none
//! spurious, depth and normal equal.

use crate::plane_common;

use crate::plane_common::{Make, Random, least, touches};
use glam::DVec2;
use parry::math::{Pose as Place, Vector};
use parry::query::Contact;
use parry::shape::{Ball, ConvexPolygon, HalfSpace, Segment, SharedShape};
use parry2d_f64 as parry;
use percuss_geometry::plane::Shape;
use percuss_geometry::{Plane, Pose};

/// Tolerance. Parry itself stops within some 1e-13 of the sizes, which are of order 1.
const AGREE: f64 = 1e-9;

fn there(v: DVec2) -> Vector {
    Vector::from_array(v.to_array())
}

fn here(v: Vector) -> DVec2 {
    DVec2::from_array(v.to_array())
}

fn place(pose: &Pose<Plane>) -> Place {
    Place::new(there(pose.position), pose.rotation.angle())
}

/// Parry's shape, and a radius to add: its own penetration of round shapes ends by a tolerance, that
/// of polygons with the exact edge, so capsules are given as segments.
fn shape(shape: &Shape) -> (SharedShape, f64) {
    match shape {
        Shape::Disc { radius } => (SharedShape::new(Ball::new(*radius)), 0.0),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let end = DVec2::new(*half_length, 0.0);
            (
                SharedShape::new(Segment::new(there(-end), there(end))),
                *radius,
            )
        }
        Shape::Polygon(polygon) => {
            let vertices = polygon.vertices().iter().map(|v| there(*v)).collect();
            let polygon = ConvexPolygon::from_convex_polyline_unmodified(vertices);
            (SharedShape::new(polygon.unwrap()), 0.0)
        }
        Shape::HalfPlane => (SharedShape::new(HalfSpace::new(Vector::Y)), 0.0),
        Shape::Chain(_) => unreachable!("parry's polylines have two sides"),
        Shape::Compound(_) => unreachable!("tested part by part elsewhere"),
    }
}

fn contact(
    a: (&Shape, &Pose<Plane>),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
) -> Option<(f64, DVec2, DVec2)> {
    let ((s, r), (t, q)) = (shape(a.0), shape(b.0));
    let found = parry::query::contact(&place(a.1), &*s, &place(b.1), &*t, reach + r + q);
    let found: Contact = found.expect("parry knows all of these pairs")?;
    let normal = here(found.normal1);
    Some((found.dist - r - q, normal, here(found.point1) + normal * r))
}

/// How many of the pairs touched, and in how many the normals could be compared.
fn compare(a: Make, b: Make, seed: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut touching, mut normals) = (0, 0);
    for _ in 0..20_000 {
        let (a, b) = (a(&mut random), b(&mut random));
        let (p, q) = (random.pose(1.0), random.pose(1.6));
        let reach = if random.below(2) == 0 {
            0.0
        } else {
            random.between(0.0, 0.5)
        };
        let ours = least(&touches((&a, &p), (&b, &q), reach));
        let theirs = contact((&a, &p), (&b, &q), reach);
        match (ours, theirs) {
            (None, None) => {}
            // At the very limit of the contact margin only one of them may report a contact.
            (Some(t), None) => assert!(t.gap > reach - AGREE, "invented {t:?}"),
            (None, Some(c)) => assert!(c.0 > reach - AGREE, "missed {c:?}"),
            (Some(t), Some((gap, normal, _))) => {
                touching += 1;
                assert!(
                    (t.gap - gap).abs() < AGREE,
                    "{} {gap} {a:?} {p:?} {b:?} {q:?}",
                    t.gap
                );
                // Two faces equally deep, or cores that all but touch, have no one normal.
                let other = (t.normal - normal).length();
                if other < 1e-9 {
                    normals += 1;
                } else {
                    unique(&a, &p, &b, &q, gap);
                }
            }
        }
    }
    (touching, normals)
}

/// A normal that differs is correct only if the translations along both are equally long.
fn unique(a: &Shape, p: &Pose<Plane>, b: &Shape, q: &Pose<Plane>, gap: f64) {
    let (want, _, margin) = plane_common::distance((a, p), (b, q));
    let core = |shape: &Shape| match shape {
        Shape::Disc { radius } | Shape::Capsule { radius, .. } => *radius,
        _ => 0.0,
    };
    let cores = want + core(a) + core(b);
    assert!(
        margin < 1e-9 || cores.abs() < 1e-6,
        "normals differ: gap {gap}, margin {margin}, cores {cores}, {a:?} {p:?} {b:?} {q:?}"
    );
}

#[test]
fn twenty_thousand_pairs_of_every_kind_agree() {
    let kinds: [(&str, Make); 4] = [
        // First, since parry 0.31 places a half-plane that comes second wrongly.
        ("half-plane", |_| Shape::HalfPlane),
        ("disc", Random::disc),
        ("capsule", Random::capsule),
        ("polygon", Random::polygon),
    ];
    for (i, a) in kinds.iter().enumerate() {
        for b in &kinds[i..] {
            if (a.0, b.0) == ("half-plane", "half-plane") {
                continue;
            }
            let (touching, normals) = compare(a.1, b.1, i as u64);
            println!(
                "{} and {}: {touching} touch, {normals} normals alike",
                a.0, b.0
            );
            // Neither side of the comparison is empty.
            assert!(
                (2_000..19_900).contains(&touching),
                "{} {}: {touching}",
                a.0,
                b.0
            );
            assert!(
                normals > touching * 9 / 10,
                "{} {}: {normals} of {touching}",
                a.0,
                b.0
            );
        }
    }
}
