//! Areas of shapes of the plane clipped by boxes.
//!
//! ```text
//! |P ∩ box|            P clipped by the four sides (Sutherland–Hodgman), ½ Σ xᵢ × xᵢ₊₁
//! |disc ∩ polygon|     Σ over edges of the signed area of disc ∩ triangle (centre, xᵢ, xᵢ₊₁)
//! ```
//!
//! A capsule is a rectangle and two half discs; each half disc is a disc clipped by the box and a line.

use glam::DVec2;

use super::{ClippedVolume, by_centre};
use crate::dim::{Plane, Pose};
use crate::plane::Shape;

impl ClippedVolume for Plane {
    fn clipped_volume(shape: &Shape, pose: &Pose<Self>, low: &[f64; 3], high: &[f64; 3]) -> f64 {
        let radius = shape.bounding_radius();
        let place = |v: DVec2| pose.position + pose.rotation.rotate(v);
        match shape {
            Shape::Disc { radius } => {
                let window = window(pose.position, *radius, low, high);
                disc_area(pose.position, *radius, &window)
            }
            Shape::Polygon(polygon) => {
                let mut all: Vec<DVec2> = polygon.vertices().iter().map(|v| place(*v)).collect();
                for (normal, bound) in sides(low, high) {
                    all = clip(&all, normal, bound);
                }
                area(&all)
            }
            Shape::Capsule {
                half_length: l,
                radius: r,
            } => {
                let window = window(pose.position, radius, low, high);
                let axis = pose.rotation.rotate(DVec2::X);
                let corner = |x: f64, y: f64| place(DVec2::new(x, y));
                // The rectangle between the two half discs.
                let mut all = vec![
                    corner(-l, -r),
                    corner(*l, -r),
                    corner(*l, *r),
                    corner(-l, *r),
                ];
                for (normal, bound) in sides(low, high) {
                    all = clip(&all, normal, bound);
                }
                let end = |outward: DVec2| {
                    let centre = pose.position + outward * *l;
                    // Box and half-plane beyond the end of the segment.
                    let beyond = clip(&window, -outward, -outward.dot(centre));
                    disc_area(centre, *r, &beyond)
                };
                area(&all) + end(axis) + end(-axis)
            }
            _ => by_centre::<Self>(shape, pose, low, high),
        }
    }
}

/// The box as a polygon, with infinite or distant sides moved to two radii from the centre of the disc.
fn window(centre: DVec2, radius: f64, low: &[f64; 3], high: &[f64; 3]) -> [DVec2; 4] {
    let reach = 2.0 * radius;
    let from = |k: usize| low[k].max(centre[k] - reach);
    let to = |k: usize| high[k].min(centre[k] + reach);
    [
        DVec2::new(from(0), from(1)),
        DVec2::new(to(0), from(1)),
        DVec2::new(to(0), to(1)),
        DVec2::new(from(0), to(1)),
    ]
}

/// The finite sides of a box as half-planes normal·x ≤ bound.
fn sides(low: &[f64; 3], high: &[f64; 3]) -> impl Iterator<Item = (DVec2, f64)> {
    let all = [
        (DVec2::X, high[0]),
        (-DVec2::X, -low[0]),
        (DVec2::Y, high[1]),
        (-DVec2::Y, -low[1]),
    ];
    all.into_iter().filter(|(_, bound)| bound.is_finite())
}

/// Sutherland–Hodgman: the part of a convex polygon with normal·x ≤ bound.
fn clip(polygon: &[DVec2], normal: DVec2, bound: f64) -> Vec<DVec2> {
    let mut out = Vec::with_capacity(polygon.len() + 1);
    let next = polygon.iter().cycle().skip(1);
    for (a, b) in polygon.iter().zip(next) {
        let (over_a, over_b) = (normal.dot(*a) - bound, normal.dot(*b) - bound);
        if over_a <= 0.0 {
            out.push(*a);
        }
        if (over_a < 0.0 && over_b > 0.0) || (over_a > 0.0 && over_b < 0.0) {
            out.push(*a + (*b - *a) * (over_a / (over_a - over_b)));
        }
    }
    out
}

fn area(polygon: &[DVec2]) -> f64 {
    let Some(first) = polygon.first() else {
        return 0.0;
    };
    // Relative to a vertex, so that there is no cancellation far from the origin.
    let pairs = polygon.windows(2);
    0.5 * pairs
        .map(|p| (p[0] - *first).perp_dot(p[1] - *first))
        .sum::<f64>()
}

/// Area of the intersection of a disc and an anticlockwise polygon.
pub(super) fn disc_area(centre: DVec2, radius: f64, polygon: &[DVec2]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    let edges = polygon.iter().zip(next);
    edges
        .map(|(a, b)| triangle(*a - centre, *b - centre, radius))
        .sum()
}

/// Signed area of the intersection of the triangle (0, a, b) and the disc about 0.
fn triangle(a: DVec2, b: DVec2, radius: f64) -> f64 {
    let along = b - a;
    let square = along.length_squared();
    if !(square > 0.0) {
        return 0.0;
    }
    let sector =
        |from: DVec2, to: DVec2| 0.5 * radius * radius * from.perp_dot(to).atan2(from.dot(to));
    // Parameters s at which the line a + s (b − a) meets the circle.
    let middle = -a.dot(along) / square;
    let distance = a.perp_dot(along) / square.sqrt();
    let half = radius * radius - distance * distance;
    if !(half > 0.0) {
        return sector(a, b);
    }
    let half = (half / square).sqrt();
    let (enter, leave) = (
        (middle - half).clamp(0.0, 1.0),
        (middle + half).clamp(0.0, 1.0),
    );
    let (p, q) = (a + along * enter, a + along * leave);
    // Sector, triangle, sector; without a chord inside the circle, one sector.
    if enter >= leave {
        return sector(a, b);
    }
    sector(a, p) + 0.5 * p.perp_dot(q) + sector(q, b)
}
