//! Narrow phase of space: time to compute the contact points of two bodies, by kind of pair.
//!
//! `cargo run --release -p percuss-geometry --example space_touch`

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use glam::{DQuat, DVec3};
use percuss_geometry::space::{self, ConvexPolyhedron, Shape};
use percuss_geometry::{ContactPoint, Pose, Space};

type Body = (Shape, Pose<Space>);

/// A small generator of numbers in [−1, 1].
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn cube(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn pose(&mut self, spread: f64) -> Pose<Space> {
        let position = spread * self.cube();
        let rotation = DQuat::from_scaled_axis(3.0 * self.cube());
        Pose { position, rotation }
    }
}

fn polyhedron(p: ConvexPolyhedron) -> Shape {
    Shape::Polyhedron(Arc::new(p))
}

fn hull(random: &mut Random, count: usize) -> Result<Shape, percuss_geometry::ShapeError> {
    let points: Vec<DVec3> = (0..count)
        .map(|_| random.cube().normalize_or(DVec3::X))
        .collect();
    Ok(polyhedron(ConvexPolyhedron::hull(&points)?.0))
}

/// Best of five runs over all pairs: nanoseconds and points per pair.
fn time(pairs: &[[Body; 2]], reach: f64) -> (f64, f64) {
    let mut out: Vec<ContactPoint<Space>> = Vec::with_capacity(1024);
    let (mut best, mut points) = (f64::INFINITY, 0);
    for _ in 0..5 {
        points = 0;
        let start = Instant::now();
        for [a, b] in pairs {
            out.clear();
            space::contact_points((&a.0, &a.1), (&b.0, &b.1), reach, black_box(&mut out));
            points += out.len();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let count = pairs.len() as f64;
    (1e9 * best / count, points as f64 / count)
}

fn main() -> Result<(), percuss_geometry::ShapeError> {
    let mut random = Random(7);
    let ball = Shape::sphere(0.5)?;
    let rod = Shape::capsule(1.0, 0.3)?;
    let brick = polyhedron(ConvexPolyhedron::cuboid(DVec3::new(1.0, 0.8, 0.6))?);
    let (small, large) = (hull(&mut random, 40)?, hull(&mut random, 252)?);
    let shapes = [
        ("half-space", Shape::HalfSpace),
        ("sphere", ball),
        ("capsule", rod),
        ("box", brick.clone()),
        ("hull of 40", small),
        ("500 faces", large),
    ];
    println!("{:<26} {:>22} {:>22}", "pair", "reach 0", "reach 0.1");
    for (i, (first, a)) in shapes.iter().enumerate() {
        for (second, b) in shapes.iter().skip(i.max(1)) {
            let pairs: Vec<[Body; 2]> = (0..500)
                .map(|_| [(a.clone(), random.pose(0.6)), (b.clone(), random.pose(0.6))])
                .collect();
            row(&format!("{first}, {second}"), &pairs);
        }
    }
    // The usual case: bodies that only just touch.
    for (name, shape) in &shapes[4..] {
        let pairs: Vec<[Body; 2]> = (0..500)
            .map(|_| {
                let (a, mut b) = (random.pose(0.0), random.pose(0.0));
                b.position = 1.97 * random.cube().normalize_or(DVec3::X);
                [(shape.clone(), a), (shape.clone(), b)]
            })
            .collect();
        row(&format!("{name}, just touching"), &pairs);
    }
    let stack = |shift: f64, turn: f64| -> Vec<[Body; 2]> {
        let below = Pose {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
        };
        let above = Pose {
            position: DVec3::new(shift, 0.0, 0.6 - 1e-6),
            rotation: DQuat::from_rotation_z(turn),
        };
        vec![[(brick.clone(), below), (brick.clone(), above)]; 1000]
    };
    row("boxes, one on the other", &stack(0.5, 0.0));
    row("boxes, turned", &stack(0.0, 0.7));
    Ok(())
}

fn row(name: &str, pairs: &[[Body; 2]]) {
    let cells = [0.0, 0.1].map(|reach| {
        let (ns, points) = time(pairs, reach);
        format!("{ns:.0} ns, {points:.1} points")
    });
    println!("{name:<26} {:>22} {:>22}", cells[0], cells[1]);
}
