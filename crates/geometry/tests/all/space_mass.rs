//! Mass, centre and principal axes of shapes of space.

use crate::space_kit::{Random, cuboid, polyhedron};
use glam::{DMat3, DQuat, DVec3};
use percuss_geometry::space::{ConvexPolyhedron, Shape};

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

/// Volume, centre and inertia about the centre from a fan of tetrahedra round a vertex, each by the
/// formula for its own centre and Steiner's theorem.
fn by_tetrahedra(p: &ConvexPolyhedron) -> (f64, DVec3, DMat3) {
    let v = p.vertices();
    let top = v[0];
    let mut parts = Vec::new();
    for f in p.faces() {
        for k in 2..f.len() {
            let [a, b, c] = [f[0], f[k - 1], f[k]].map(|i| v[i as usize]);
            parts.push((
                [a, b, c, top],
                (a - top).dot((b - top).cross(c - top)) / 6.0,
            ));
        }
    }
    let volume: f64 = parts.iter().map(|p| p.1).sum();
    let middle = |c: &[DVec3; 4]| 0.25 * (c[0] + c[1] + c[2] + c[3]);
    let centre = parts
        .iter()
        .fold(DVec3::ZERO, |s, (c, w)| s + *w * middle(c))
        / volume;
    let mut inertia = DMat3::ZERO;
    let point = |x: DVec3, m: f64| {
        let square = DMat3::from_cols(x * x.x, x * x.y, x * x.z);
        m * (DMat3::from_diagonal(DVec3::splat(x.length_squared())) - square)
    };
    for (corners, w) in &parts {
        // A tetrahedron has the inertia, about its centre, of a twentieth of its mass at each corner.
        let own = middle(corners);
        for c in corners {
            inertia += point(*c - own, w / 20.0);
        }
        inertia += point(own - centre, *w);
    }
    (volume, centre, inertia)
}

#[test]
fn mass_properties_of_polyhedra_agree_with_a_sum_of_tetrahedra() {
    let mut random = Random(3);
    for _ in 0..2_000 {
        let hull = random.hull();
        let (volume, centre, inertia) = by_tetrahedra(&hull);
        let size = hull
            .vertices()
            .iter()
            .fold(0.0, |m: f64, v| m.max(v.length()));
        let mass = polyhedron(hull).mass_properties(2.5).unwrap();
        assert!(close(mass.mass, 2.5 * volume, 1e-12));
        // In body axes the centre is the origin and the inertia diagonal.
        assert!(centre.length() < 1e-12 * size);
        let d = mass.inertia / 2.5;
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { d[i] } else { 0.0 };
                let error = (inertia.col(j)[i] - expected).abs();
                assert!(
                    error < 1e-12 * d.max_element(),
                    "({i}, {j}) is off by {error:e}"
                );
            }
        }
    }
}

#[test]
fn mass_properties_of_round_shapes_follow_their_formulas() {
    let pi = std::f64::consts::PI;
    let ball = Shape::sphere(2.0).unwrap().mass_properties(3.0).unwrap();
    assert!(close(ball.mass, 3.0 * 32.0 * pi / 3.0, 1e-15));
    assert!((ball.inertia - DVec3::splat(0.4 * ball.mass * 4.0)).length() < 1e-12);
    let rod = Shape::cylinder(3.0, 0.5)
        .unwrap()
        .mass_properties(2.0)
        .unwrap();
    assert!(close(rod.mass, 2.0 * pi * 0.25 * 3.0, 1e-15));
    let across = rod.mass * (3.0 * 0.25 + 9.0) / 12.0;
    assert!(close(rod.inertia.x, across, 1e-15) && close(rod.inertia.y, across, 1e-15));
    assert!(close(rod.inertia.z, 0.5 * rod.mass * 0.25, 1e-15));
}

/// A capsule cut into thin discs: Simpson's rule is exact for the cylinder and, as r²(z) is quadratic
/// and r⁴(z) of degree four, exact up to h⁴ in the caps.
#[test]
fn mass_properties_of_a_capsule_agree_with_a_sum_of_discs() {
    let (h, r): (f64, f64) = (0.7, 0.4);
    let pi = std::f64::consts::PI;
    let (mut mass, mut spin, mut across) = (0.0, 0.0, 0.0);
    let square = |z: f64| (r * r - (z.abs() - h).max(0.0).powi(2)).max(0.0);
    for (low, high) in [(-h - r, -h), (-h, h), (h, h + r)] {
        let n = 2_000;
        let step = (high - low) / n as f64;
        for k in 0..=n {
            let weight = match k {
                0 => 1.0,
                _ if k == n => 1.0,
                _ => 2.0 + 2.0 * (k % 2) as f64,
            } * step
                / 3.0;
            let z = low + k as f64 * step;
            let s = square(z);
            mass += weight * pi * s;
            spin += weight * pi * s * s / 2.0;
            across += weight * pi * (s * s / 4.0 + s * z * z);
        }
    }
    let m = Shape::capsule(2.0 * h, r)
        .unwrap()
        .mass_properties(1.0)
        .unwrap();
    // Simpson's error here: (high − low)/180 · step⁴ · 24π < 1e-12.
    assert!(close(m.mass, mass, 1e-11), "{} {mass}", m.mass);
    assert!(close(m.inertia.z, spin, 1e-11) && close(m.inertia.x, across, 1e-11));
    assert_eq!(m.inertia.x, m.inertia.y);
}

#[test]
fn a_box_keeps_its_axes_and_a_turned_box_finds_them() {
    let sides = DVec3::new(1.0, 2.0, 3.0);
    let m = cuboid(1.0, 2.0, 3.0).mass_properties(2.0).unwrap();
    assert_eq!(m.mass, 12.0);
    assert_eq!(m.inertia, DVec3::new(13.0, 10.0, 5.0));
    let corners: Vec<DVec3> = ConvexPolyhedron::cuboid(sides).unwrap().vertices().to_vec();
    let (same, pose) = ConvexPolyhedron::hull(&corners).unwrap();
    assert_eq!(pose.rotation, DQuat::IDENTITY);
    assert!(pose.position.length() < 1e-15);
    assert!(close(same.volume(), 6.0, 1e-15));
    let mut random = Random(4);
    for _ in 0..1_000 {
        let (turn, shift) = (random.rotation(), random.cube());
        let turned: Vec<DVec3> = corners.iter().map(|x| shift + turn * *x).collect();
        let (hull, pose) = ConvexPolyhedron::hull(&turned).unwrap();
        assert!((pose.position - shift).length() < 1e-14);
        let mut found = polyhedron(hull)
            .mass_properties(2.0)
            .unwrap()
            .inertia
            .to_array();
        // Each principal axis is one of the box's, with its moment.
        let axes = DMat3::from_quat(turn.conjugate() * pose.rotation);
        for k in 0..3 {
            let axis = axes.col(k).abs();
            let which = (0..3)
                .find(|i| axis[*i] > 1.0 - 1e-12)
                .expect("an axis of the box");
            assert!(close(found[k], [13.0, 10.0, 5.0][which], 1e-13));
        }
        found.sort_by(f64::total_cmp);
        assert!(close(found[0], 5.0, 1e-13) && close(found[2], 13.0, 1e-13));
    }
}
