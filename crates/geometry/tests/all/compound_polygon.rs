//! Simple polygons that are not convex: the parts cover them exactly, invalid outlines are rejected.

use std::f64::consts::TAU;

use glam::DVec2;
use percuss_geometry::plane::Shape;
use percuss_geometry::{Compound, Plane};

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A star with random radii.
fn star(random: &mut Random, n: usize) -> Vec<DVec2> {
    (0..n)
        .map(|k| {
            let r = 0.2 + random.unit();
            DVec2::from_angle(TAU * k as f64 / n as f64) * r + DVec2::new(10.0, -5.0)
        })
        .collect()
}

/// A random simple polygon: random points, crossings removed by reversals until none is left.
fn untied(random: &mut Random, n: usize) -> Option<Vec<DVec2>> {
    let mut p: Vec<DVec2> = (0..n)
        .map(|_| DVec2::new(random.unit(), random.unit()))
        .collect();
    let turn = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    for _ in 0..10_000 {
        let crossing = (0..n)
            .flat_map(|i| (i + 2..n).map(move |j| (i, j)))
            .find(|&(i, j)| {
                let (a, b, c, d) = (p[i], p[i + 1], p[j], p[(j + 1) % n]);
                (j + 1) % n != i
                    && turn(a, b, c) * turn(a, b, d) < 0.0
                    && turn(c, d, a) * turn(c, d, b) < 0.0
            });
        match crossing {
            // Reversing the part between shortens the outline: this terminates.
            Some((i, j)) => p[i + 1..=j].reverse(),
            None => return Some(p),
        }
    }
    None
}

/// Whether x is inside, by the parity of crossings.
fn inside(outline: &[DVec2], x: DVec2) -> bool {
    let next = outline.iter().cycle().skip(1);
    let crossed = outline.iter().zip(next).filter(|(a, b)| {
        (a.y > x.y) != (b.y > x.y) && x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossed.count() % 2 == 1
}

fn area(outline: &[DVec2]) -> f64 {
    let next = outline.iter().cycle().skip(1);
    let sum: f64 = outline.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
    sum.abs() / 2.0
}

/// The corners of the parts in the axes of the outline.
fn parts(compound: &Compound<Plane>, centre: DVec2) -> Vec<Vec<DVec2>> {
    let corners = |part: &percuss_geometry::Part<Plane>| match &part.shape {
        Shape::Polygon(p) => p
            .vertices()
            .iter()
            .map(|v| *v + part.pose.position + centre)
            .collect(),
        other => panic!("{other:?}"),
    };
    compound.parts().iter().map(corners).collect()
}

fn check(outline: &[DVec2], random: &mut Random) -> bool {
    let (shape, pose) = Shape::polygon(outline).unwrap();
    let Shape::Compound(compound) = &shape else {
        return false;
    };
    let parts = parts(compound, pose.position);
    let sum: f64 = parts.iter().map(|p| area(p)).sum();
    let whole = area(outline);
    // Rounding of coordinates of size ten: 1e-15 of it, times the outline's length.
    assert!(
        (sum - whole).abs() < 1e-12 * whole.max(1.0),
        "{sum} {whole}"
    );
    // A convex part has no reflex corner: checked by its own constructor, and here by the areas of all
    // its triangles with neighbours.
    for part in &parts {
        let n = part.len();
        for i in 0..n {
            let (a, b, c) = (part[i], part[(i + 1) % n], part[(i + 2) % n]);
            assert!((b - a).perp_dot(c - b) > 0.0);
        }
    }
    let low = outline.iter().fold(DVec2::INFINITY, |m, v| m.min(*v));
    let high = outline.iter().fold(DVec2::NEG_INFINITY, |m, v| m.max(*v));
    for _ in 0..200 {
        let x = low + (high - low) * DVec2::new(random.unit(), random.unit());
        let held = parts.iter().filter(|p| inside(p, x)).count();
        // In one part if inside, in none if outside; a point of a seam is hardly ever met.
        assert_eq!(held, usize::from(inside(outline, x)), "{x}");
    }
    true
}

#[test]
fn convex_parts_cover_random_polygons_exactly_and_once() {
    let mut random = Random(5);
    let mut concave = 0;
    for round in 0..150 {
        let n = 4 + round % 40;
        let star = star(&mut random, n);
        concave += usize::from(check(&star, &mut random));
        if let Some(mut tangle) = untied(&mut random, 4 + round % 24) {
            concave += usize::from(check(&tangle, &mut random));
            // The sense of rotation does not matter.
            tangle.reverse();
            check(&tangle, &mut random);
        }
    }
    assert!(concave > 200, "{concave}");
}

#[test]
fn collinear_corners_and_seams_do_no_harm() {
    // A comb with teeth of equal height and many corners on its straight back.
    let mut comb = Vec::new();
    for k in 0..10 {
        let x = k as f64;
        comb.extend([(x, 0.0), (x + 0.5, 0.0)].map(DVec2::from));
    }
    for k in (0..10).rev() {
        let x = k as f64;
        comb.extend([(x + 0.5, 1.0), (x + 0.4, 1.5), (x + 0.1, 1.5), (x, 1.0)].map(DVec2::from));
    }
    let mut random = Random(3);
    assert!(check(&comb, &mut random));
    let (shape, _) = Shape::polygon(&comb).unwrap();
    let Shape::Compound(compound) = shape else {
        panic!("not a compound")
    };
    // One part more than there are reflex vertices, two between each pair of teeth.
    assert!(compound.parts().len() <= 21, "{}", compound.parts().len());
}

#[test]
fn outlines_that_cross_or_touch_themselves_are_refused_with_their_edges() {
    let refused = |points: &[(f64, f64)]| {
        let points: Vec<DVec2> = points.iter().copied().map(DVec2::from).collect();
        Shape::polygon(&points).unwrap_err().to_string()
    };
    let bow = refused(&[(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 1.0)]);
    assert!(
        bow.contains("from vertex 0 to vertex 1 and the edge from vertex 2 to vertex 3 meet"),
        "{bow}"
    );
    // A corner on another edge.
    let touching = refused(&[(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 0.0), (0.0, 2.0)]);
    assert!(touching.contains("from vertex 0 to vertex 1"), "{touching}");
    // A pentagram.
    let star: Vec<(f64, f64)> = (0..5)
        .map(|k| DVec2::from_angle(TAU * 2.0 * f64::from(k) / 5.0).into())
        .collect();
    assert!(refused(&star).contains("meet"));
    // A spike: there and back.
    let spike = refused(&[
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 2.0),
        (1.0, 2.0),
        (1.0, 3.0),
        (1.0, 2.0),
        (0.0, 2.0),
    ]);
    assert!(spike.contains("meet"), "{spike}");
}
