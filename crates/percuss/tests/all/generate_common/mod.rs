//! Geometry of generated bodies, written for the tests alone: corners, overlaps by separating axes.

pub mod rest;
pub mod touching;

use percuss_bodies::geometry::Dim;
use percuss_bodies::{Plane, Space, Vector, plane, space};
use percuss_generate::GeneratedBody;

pub type Vec2 = <Plane as percuss_bodies::geometry::Dim>::Vector;
pub type Vec3 = <Space as percuss_bodies::geometry::Dim>::Vector;

/// Radius of a disc.
pub fn disc(piece: &GeneratedBody<Plane>) -> f64 {
    match &piece.shape {
        plane::Shape::Disc { radius } => *radius,
        other => panic!("not a disc: {other:?}"),
    }
}

/// Radius of a sphere.
pub fn sphere(piece: &GeneratedBody<Space>) -> f64 {
    match &piece.shape {
        space::Shape::Sphere { radius } => *radius,
        other => panic!("not a sphere: {other:?}"),
    }
}

/// Corners of a polygon in space axes.
pub fn corners(piece: &GeneratedBody<Plane>) -> Vec<Vec2> {
    let plane::Shape::Polygon(polygon) = &piece.shape else {
        panic!("not a polygon: {:?}", piece.shape);
    };
    let place = |v: &Vec2| piece.pose.position + Plane::rotate(&piece.pose.rotation, *v);
    polygon.vertices().iter().map(place).collect()
}

/// Corners of a polyhedron in space axes.
pub fn corners3(piece: &GeneratedBody<Space>) -> Vec<Vec3> {
    let space::Shape::Polyhedron(polyhedron) = &piece.shape else {
        panic!("not a polyhedron: {:?}", piece.shape);
    };
    let place = |v: &Vec3| piece.pose.position + Space::rotate(&piece.pose.rotation, *v);
    polyhedron.vertices().iter().map(place).collect()
}

fn interval<V: Vector>(points: &[V], axis: V) -> [f64; 2] {
    let along = points.iter().map(|p| p.dot(axis));
    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| {
        [a.min(x), b.max(x)]
    })
}

fn apart<V: Vector>(a: &[V], b: &[V], axis: V) -> f64 {
    let ([a0, a1], [b0, b1]) = (interval(a, axis), interval(b, axis));
    (b0 - a1).max(a0 - b1)
}

/// How far two convex polygons are apart along the best of the normals of their sides: negative by the
/// depth of their overlap.
pub fn separation(a: &[Vec2], b: &[Vec2]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for polygon in [a, b] {
        for (i, p) in polygon.iter().enumerate() {
            let side = polygon[(i + 1) % polygon.len()] - *p;
            best = best.max(apart(a, b, side.perp() * (1.0 / side.norm())));
        }
    }
    best
}

/// The same in space: all triangles of corners give normals, all pairs of edges give crossings.
pub fn separation3(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut test = |axis: Vec3| {
        let length = axis.norm();
        if length > 1e-9 {
            best = best.max(apart(a, b, axis * (1.0 / length)));
        }
    };
    let edges = |body: &[Vec3]| -> Vec<Vec3> {
        let pairs = body.iter().enumerate();
        pairs
            .flat_map(|(i, p)| body[..i].iter().map(move |q| *p - *q))
            .collect()
    };
    let (ea, eb) = (edges(a), edges(b));
    for x in &ea {
        for y in ea.iter().chain(&eb) {
            test(x.cross(*y));
        }
    }
    for x in &eb {
        for y in &eb {
            test(x.cross(*y));
        }
    }
    best
}

/// The deepest overlap of balls relative to the smaller of the two, by brute force.
pub fn deepest<V: Vector>(balls: &[(V, f64)]) -> f64 {
    let mut deepest: f64 = 0.0;
    for (i, (p, r)) in balls.iter().enumerate() {
        for (q, s) in &balls[..i] {
            deepest = deepest.max((r + s - (*p - *q).norm()) / r.min(*s));
        }
    }
    deepest
}

pub fn discs(pieces: &[GeneratedBody<Plane>]) -> Vec<(Vec2, f64)> {
    pieces.iter().map(|p| (p.pose.position, disc(p))).collect()
}

pub fn spheres(pieces: &[GeneratedBody<Space>]) -> Vec<(Vec3, f64)> {
    pieces
        .iter()
        .map(|p| (p.pose.position, sphere(p)))
        .collect()
}

/// The deepest overlap of polygons, by brute force.
pub fn overlap(pieces: &[GeneratedBody<Plane>]) -> f64 {
    let all: Vec<_> = pieces.iter().map(corners).collect();
    let mut deepest: f64 = 0.0;
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            deepest = deepest.max(-separation(a, b));
        }
    }
    deepest
}
