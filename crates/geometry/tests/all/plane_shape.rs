//! Shapes of the plane: what is rejected and why, mass properties, bounding boxes.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::plane_common::{Make, Random, at, chain, core, hull, rectangle, signed};
use glam::DVec2;
use percuss_geometry::plane::{Chain, ConvexPolygon, Shape};
use percuss_geometry::{Aabb, Plane, ShapeError};

fn points(vertices: &[(f64, f64)]) -> Vec<DVec2> {
    vertices.iter().map(|&v| v.into()).collect()
}

fn refusal(vertices: &[(f64, f64)]) -> String {
    ConvexPolygon::new(&points(vertices))
        .unwrap_err()
        .to_string()
}

#[test]
fn polygons_that_are_none_are_refused_with_the_vertex_and_the_value() {
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, 0.0)]),
        "2 vertices were given: a polygon has at least 3"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, f64::NAN), (0.0, 1.0)]),
        "vertex 1 is not finite: NaN"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, 0.0), (1.0 + 1e-14, 1e-14), (0.0, 0.0)]),
        "only 2 of the 4 vertices are distinct: a polygon has at least 3"
    );
    assert_eq!(
        refusal(&[(2.0, 3.0); 5]),
        "all 5 vertices are the point (2, 3): 3 distinct ones are needed"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]),
        "the 4 vertices lie on a line: no area"
    );
    let dented = refusal(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)]);
    assert!(dented.starts_with("vertex 3 (2, 1) is "), "{dented}");
    let clockwise = refusal(&[(0.0, 4.0), (2.0, 1.0), (4.0, 4.0), (4.0, 0.0), (0.0, 0.0)]);
    assert!(clockwise.starts_with("vertex 1 (2, 1) is "), "{clockwise}");
    let bow = ConvexPolygon::new(&points(&[(0.0, 0.0), (2.0, 1.0), (2.0, 0.0), (0.0, 1.5)]));
    assert!(matches!(bow, Err(ShapeError::NotConvex(_))), "{bow:?}");
    let spike = refusal(&[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0), (0.0, 1.0)]);
    assert!(
        spike.contains("turns straight back") || spike.contains("inside"),
        "{spike}"
    );
    let star: Vec<(f64, f64)> = (0..5)
        .map(|i| (0.8 * PI * f64::from(i)).sin_cos())
        .collect();
    let star: Vec<(f64, f64)> = star.into_iter().map(|(s, c)| (c, s)).collect();
    assert_eq!(
        refusal(&star),
        "the edges cross each other: they go round 2 times"
    );
    let many: Vec<(f64, f64)> = (0..40_000)
        .map(|i| (f64::from(i) * 1e-4).sin_cos())
        .collect();
    assert!(refusal(&many).starts_with("40000 vertices were given: a polygon has at most"));
    let huge = refusal(&[(0.0, 0.0), (1e120, 0.0), (0.0, 1e120)]);
    assert!(huge.contains("beyond the range of numbers"), "{huge}");
    let huge = refusal(&[(0.0, 0.0), (1e300, 0.0), (0.0, 1e300)]);
    assert!(huge.contains("too large"), "{huge}");
}

#[test]
fn lengths_that_are_none_are_refused_by_name() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let what = |e: ShapeError| match e {
            ShapeError::Length { what, .. } => what,
            other => panic!("{other}"),
        };
        assert_eq!(what(Shape::disc(bad).unwrap_err()), "radius");
        assert_eq!(what(Shape::capsule(bad, 1.0).unwrap_err()), "length");
        assert_eq!(what(Shape::capsule(1.0, bad).unwrap_err()), "radius");
        assert_eq!(
            what(ConvexPolygon::rectangle(bad, 1.0).unwrap_err()),
            "width"
        );
        assert_eq!(
            what(ConvexPolygon::rectangle(1.0, bad).unwrap_err()),
            "height"
        );
    }
}

#[test]
fn chains_that_are_none_are_refused_with_the_vertices() {
    let refusal =
        |v: &[(f64, f64)], closed| Chain::new(&points(v), closed).unwrap_err().to_string();
    assert_eq!(
        refusal(&[(0.0, 0.0)], false),
        "a chain of 1 vertices: at least 2 are needed"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, 2.0), (1.0, 2.0)], false),
        "vertices 1 and 2 of the chain are the same point (1, 2)"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (1.0, 2.0), (0.0, 3.0), (0.0, 0.0)], true),
        "vertices 3 and 0 of the chain are the same point (0, 0)"
    );
    assert_eq!(
        refusal(&[(0.0, 0.0), (f64::INFINITY, 2.0)], false),
        "vertex 1 is not finite: inf"
    );
}

#[test]
fn either_sense_and_collinear_vertices_give_the_same_polygon() {
    let plain = points(&[(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (0.0, 2.0)]);
    let (want, centre) = ConvexPolygon::new(&plain).unwrap();
    let with_more = points(&[
        (1.0, 0.0),
        (2.0, 0.0),
        (3.0, 0.0),
        (3.0, 0.3),
        (3.0, 1.0),
        (1.5, 1.5),
        (0.0, 2.0),
        (0.0, 2.0),
        (0.0, 1.0),
        (0.0, 0.0),
        (0.5, 0.0),
    ]);
    let mut backwards = with_more.clone();
    backwards.reverse();
    for vertices in [with_more, backwards] {
        let (polygon, at) = ConvexPolygon::new(&vertices).unwrap();
        assert!((at - centre).length() < 1e-15, "{at} {centre}");
        assert_eq!(polygon.vertices().len(), 4);
        let first = polygon
            .vertices()
            .iter()
            .position(|v| (*v - want.vertices()[0]).length() < 1e-14);
        for (i, v) in want.vertices().iter().enumerate() {
            let other = polygon.vertices()[(first.unwrap() + i) % 4];
            assert!((other - *v).length() < 1e-14);
        }
    }
}

#[test]
fn known_mass_properties() {
    let near = |x: f64, want: f64| assert!((x - want).abs() < 1e-14 * want, "{x} {want}");
    let disc = Shape::disc(2.0).unwrap().mass_properties(3.0).unwrap();
    near(disc.mass, 12.0 * PI);
    near(disc.inertia, 12.0 * PI * 2.0);
    let slab = rectangle(2.0, 3.0).mass_properties(5.0).unwrap();
    near(slab.mass, 30.0);
    near(slab.inertia, 30.0 * (4.0 + 9.0) / 12.0);
    // Regular hexagon of side a: A = 3√3/2 a², I = 5√3/16 a⁴ about the centre.
    let hexagon: Vec<DVec2> = (0..6)
        .map(|i| DVec2::from_angle(f64::from(i) * PI / 3.0))
        .collect();
    let (hexagon, centre) = ConvexPolygon::new(&hexagon).unwrap();
    assert!(centre.length() < 1e-15);
    let hexagon = Shape::Polygon(hexagon.into()).mass_properties(1.0).unwrap();
    near(hexagon.mass, 1.5 * 3f64.sqrt());
    near(hexagon.inertia, 5.0 * 3f64.sqrt() / 8.0);
    assert!(Shape::HalfPlane.mass_properties(1.0).is_none());
    assert!(
        chain(&[(0.0, 0.0), (1.0, 0.0)], false)
            .mass_properties(1.0)
            .is_none()
    );
}

/// Area, centroid and polar moment about it, by slicing: Simpson's rule over y of chords, exact for
/// polynomials up to degree 3 between the breaks.
fn sliced(
    breaks: &mut [f64],
    chord: impl Fn(f64) -> (f64, f64),
    pieces: usize,
) -> (f64, DVec2, f64) {
    breaks.sort_by(f64::total_cmp);
    let mut sums = [0.0; 4];
    for pair in breaks.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        for k in 0..pieces {
            let h = (high - low) / pieces as f64;
            let start = low + h * k as f64;
            for (y, weight) in [(start, 1.0), (start + h / 2.0, 4.0), (start + h, 1.0)] {
                let (l, r) = chord(y.clamp(low, high));
                let w = weight * h / 6.0;
                sums[0] += w * (r - l);
                sums[1] += w * (r * r - l * l) / 2.0;
                sums[2] += w * (r - l) * y;
                sums[3] += w * ((r.powi(3) - l.powi(3)) / 3.0 + (r - l) * y * y);
            }
        }
    }
    let [area, x, y, moment] = sums;
    let centre = DVec2::new(x, y) / area;
    (area, centre, moment - area * centre.length_squared())
}

#[test]
fn mass_properties_of_random_polygons_are_those_of_their_slices() {
    let mut random = Random(1);
    for _ in 0..500 {
        let size = 10f64.powf(random.between(-6.0, 6.0));
        let shift = random.vector(3.0 * size);
        let corners = hull(
            (0..3 + random.below(10))
                .map(|_| shift + random.vector(size))
                .collect(),
        );
        let Ok((polygon, centre)) = ConvexPolygon::new(&corners) else {
            continue;
        };
        let chord = |y: f64| {
            let n = corners.len();
            let mut xs = (f64::INFINITY, f64::NEG_INFINITY);
            for i in 0..n {
                let (p, q) = (corners[i], corners[(i + 1) % n]);
                if (p.y - y) * (q.y - y) <= 0.0 && p.y != q.y {
                    let x = p.x + (q.x - p.x) * (y - p.y) / (q.y - p.y);
                    xs = (xs.0.min(x), xs.1.max(x));
                }
            }
            xs
        };
        let mut breaks: Vec<f64> = corners.iter().map(|v| v.y).collect();
        let (area, middle, moment) = sliced(&mut breaks, chord, 1);
        // The slices are summed about an origin some sizes away: 10⁻¹⁶ times its square over the
        // thinness of the polygon.
        let slack = 1e-12 * size * size / area;
        let found = Shape::Polygon(polygon.into()).mass_properties(2.0).unwrap();
        assert!(
            (found.mass / 2.0 - area).abs() < slack * size * size,
            "{} {area}",
            found.mass
        );
        assert!(
            (middle - centre).length() < slack * size,
            "{middle} {centre}"
        );
        let want = 2.0 * moment;
        assert!(
            (found.inertia - want).abs() < 10.0 * slack * size.powi(4),
            "{} {want}",
            found.inertia
        );
    }
}

#[test]
fn mass_properties_of_a_capsule_are_those_of_its_slices() {
    for (length, radius) in [(2.0, 0.5), (0.1, 1.0), (7.0, 0.2)] {
        let chord = |y: f64| {
            let x = length / 2.0 + (radius * radius - y * y).max(0.0).sqrt();
            (-x, x)
        };
        let (area, _, moment) = sliced(&mut [-radius, radius], chord, 200_000);
        let found = Shape::capsule(length, radius)
            .unwrap()
            .mass_properties(1.0)
            .unwrap();
        // Simpson's rule at the root at the ends: (1/200000)^{3/2} ≈ 1e-8.
        assert!(
            (found.mass / area - 1.0).abs() < 1e-7,
            "{} {area}",
            found.mass
        );
        assert!(
            (found.inertia / moment - 1.0).abs() < 1e-7,
            "{} {moment}",
            found.inertia
        );
    }
}

#[test]
fn bounds_touch_the_shape_on_all_four_sides() {
    let mut random = Random(2);
    let kinds: [Make; 3] = [Random::disc, Random::capsule, Random::polygon];
    for round in 0..3_000 {
        let shape = kinds[round % 3](&mut random);
        let pose = random.pose(5.0);
        let Aabb { low, high }: Aabb<Plane> = shape.aabb(&pose);
        let (vertices, radius) = core(&shape, &pose);
        for axis in 0..2 {
            let of = |v: &DVec2| v[axis];
            let least = vertices.iter().map(of).fold(f64::INFINITY, f64::min) - radius;
            let most = vertices.iter().map(of).fold(f64::NEG_INFINITY, f64::max) + radius;
            assert!((low[axis] - least).abs() < 1e-14 && (high[axis] - most).abs() < 1e-14);
        }
        let far = vertices
            .iter()
            .map(|v| (*v - pose.position).length())
            .fold(0.0, f64::max);
        assert!((shape.bounding_radius() - far - radius).abs() < 1e-14);
        assert!(
            signed(pose.position, &vertices).0 <= 0.0 || vertices.len() < 3,
            "centroid inside"
        );
    }
}

#[test]
fn a_half_plane_along_an_axis_is_bounded_on_its_side() {
    let inf = f64::INFINITY;
    let of = |angle: f64| Shape::HalfPlane.aabb(&at(3.0, 4.0, angle));
    let bounds = |low: (f64, f64), high: (f64, f64)| Aabb {
        low: low.into(),
        high: high.into(),
    };
    assert_eq!(of(0.0), bounds((-inf, -inf), (inf, 4.0)));
    assert_eq!(of(PI), bounds((-inf, 4.0), (inf, inf)));
    assert_eq!(of(FRAC_PI_2), bounds((3.0, -inf), (inf, inf)));
    assert_eq!(of(-FRAC_PI_2), bounds((-inf, -inf), (3.0, inf)));
    assert_eq!(of(0.1), bounds((-inf, -inf), (inf, inf)));
}

#[test]
fn boundaries_know_that_they_are_ones() {
    let line = chain(&[(3.0, 4.0), (-1.0, 0.0)], false);
    assert!(line.boundary_only() && Shape::HalfPlane.boundary_only());
    assert!(!rectangle(1.0, 1.0).boundary_only());
    assert_eq!(
        (line.bounding_radius(), Shape::HalfPlane.bounding_radius()),
        (5.0, f64::INFINITY)
    );
    let bounds = line.aabb(&at(1.0, 0.0, FRAC_PI_2));
    assert!((bounds.low - DVec2::new(-3.0, -1.0)).length() < 1e-15);
    assert!((bounds.high - DVec2::new(1.0, 3.0)).length() < 1e-15);
}
