//! Narrow phase of the plane: nanoseconds per pair of shapes, by kind of pair, for bodies in contact and for bodies
//! that are apart although their bounding boxes overlap.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec2;
use percuss_geometry::plane::{Angle, Chain, ConvexPolygon, Shape, contact_points};
use percuss_geometry::{Plane, Pose};

fn regular(n: usize) -> Shape {
    let turn = std::f64::consts::TAU / n as f64;
    let vertices: Vec<DVec2> = (0..n).map(|i| DVec2::from_angle(i as f64 * turn)).collect();
    let (polygon, _) = ConvexPolygon::new(&vertices).expect("a regular polygon is convex");
    Shape::Polygon(Arc::new(polygon))
}

fn wave(n: usize) -> Shape {
    let at = |i: usize| {
        let x = 0.1 * (i as f64 - n as f64 / 2.0);
        DVec2::new(x, 0.2 * x.sin())
    };
    let vertices: Vec<DVec2> = (0..n).map(at).collect();
    Shape::Chain(Arc::new(
        Chain::new(&vertices, false).expect("a wave is a chain"),
    ))
}

/// Time per pair for b at a distance from a in many directions, and how many points there are.
fn time(a: &Shape, b: &Shape, distance: f64) -> (f64, f64) {
    let here = Pose::<Plane> {
        position: DVec2::ZERO,
        rotation: Angle::new(0.0),
    };
    let boundary = a.boundary_only();
    let poses: Vec<Pose<Plane>> = (0..1000)
        .map(|i| {
            let turn = f64::from(i) * 0.017;
            let away = if boundary {
                DVec2::Y
            } else {
                DVec2::from_angle(turn)
            };
            Pose {
                position: away * distance,
                rotation: Angle::new(2.3 * turn),
            }
        })
        .collect();
    let mut out = Vec::new();
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        out.clear();
        let start = Instant::now();
        for pose in &poses {
            contact_points((a, &here), (b, pose), 0.0, &mut out);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let count = poses.len() as f64;
    (best / count * 1e9, out.len() as f64 / count)
}

fn main() {
    let rectangle = ConvexPolygon::rectangle(1.6, 1.2).expect("positive lengths");
    let shapes = [
        ("disc", Shape::disc(1.0).expect("a positive radius")),
        (
            "capsule",
            Shape::capsule(1.0, 0.5).expect("positive lengths"),
        ),
        ("box", Shape::Polygon(Arc::new(rectangle))),
        ("hexagon", regular(6)),
        ("polygon of 64", regular(64)),
    ];
    let boundaries = [
        ("half-plane", Shape::HalfPlane),
        ("chain of 100", wave(100)),
        ("chain of 100 000", wave(100_000)),
    ];
    println!(
        "{:32} {:>10} {:>8} {:>10}",
        "pair", "touch, ns", "points", "apart, ns"
    );
    for (i, (first, a)) in shapes.iter().enumerate() {
        for (second, b) in &shapes[i..] {
            let size = a.bounding_radius() + b.bounding_radius();
            report(
                first,
                second,
                time(a, b, 0.6 * size),
                time(a, b, 1.02 * size),
            );
        }
    }
    for (first, a) in &boundaries {
        for (second, b) in &shapes {
            report(
                first,
                second,
                time(a, b, 0.7 * b.bounding_radius()),
                time(a, b, 1.5 * b.bounding_radius()),
            );
        }
    }
}

fn report(first: &str, second: &str, (near, points): (f64, f64), (apart, none): (f64, f64)) {
    assert!(none < points, "what is farther has fewer points");
    let pair = format!("{first} – {second}");
    println!("{pair:32} {near:10.0} {points:8.2} {apart:10.0}");
}
