//! Mass, centre and moments of inertia of compounds, of polygons that are not convex and of decomposed meshes.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::support::*;
use glam::{DMat3, DQuat, DVec2, DVec3};
use percuss_geometry::space::{DecomposedMesh, DecompositionParams};
use percuss_geometry::{Compound, Dim, Geometry, MassProperties, Plane, Pose, Space, plane, space};

/// Relative rounding of a few dozen operations.
const ROUNDING: f64 = 1e-13;

fn close(value: f64, want: f64, within: f64, what: &str) {
    assert!(
        (value - want).abs() <= within * want.abs().max(1e-300),
        "{what}: {value} for {want}"
    );
}

fn mass<D: Geometry>(compound: &Compound<D>) -> MassProperties<D> {
    compound.mass_properties(1.0)
}

/// An L of width 3, height 2, thickness 1: 3 × 1 below, 1 × 1 above its left end.
fn l_shape() -> (MassProperties<Plane>, DVec2) {
    let (a, b) = (3.0, 1.0);
    let centre = (DVec2::new(1.5, 0.5) * a + DVec2::new(0.5, 1.5) * b) / (a + b);
    let about = |area: f64, w: f64, h: f64, c: DVec2| {
        area * (w * w + h * h) / 12.0 + area * (c - centre).length_squared()
    };
    let inertia =
        about(a, 3.0, 1.0, DVec2::new(1.5, 0.5)) + about(b, 1.0, 1.0, DVec2::new(0.5, 1.5));
    let mass = a + b;
    (MassProperties { mass, inertia }, centre)
}

#[test]
fn an_l_has_the_closed_form_as_boxes_and_as_a_polygon() {
    let (want, centre) = l_shape();
    let boxes = [
        (rectangle(3.0, 1.0), at2(1.5, 0.5), 1.0),
        (rectangle(1.0, 1.0), at2(0.5, 1.5), 1.0),
    ];
    let (compound, axes) = Compound::<Plane>::new(&boxes).unwrap();
    let outline = [
        (0.0, 0.0),
        (3.0, 0.0),
        (3.0, 1.0),
        (1.0, 1.0),
        (1.0, 2.0),
        (0.0, 2.0),
    ];
    let outline = outline.map(DVec2::from);
    let (polygon, pose) = plane::Shape::polygon(&outline).unwrap();
    let of_polygon = polygon.mass_properties(1.0).unwrap();
    for (found, place) in [(mass(&compound), axes), (of_polygon, pose)] {
        close(found.mass, want.mass, ROUNDING, "mass");
        close(found.inertia, want.inertia, ROUNDING, "moment");
        assert!((place.position - centre).length() < ROUNDING);
    }
    close(
        compound.bounding_radius(),
        polygon.bounding_radius(),
        ROUNDING,
        "radius",
    );
}

/// A box 4 × 3 × 2 with a tunnel 2 × 1 along z, rotated and translated.
#[test]
fn a_box_minus_a_box_has_the_closed_form_wherever_it_is_described() {
    let boxes = [
        (DVec3::new(4.0, 1.0, 2.0), DVec3::new(0.0, -1.0, 0.0)),
        (DVec3::new(4.0, 1.0, 2.0), DVec3::new(0.0, 1.0, 0.0)),
        (DVec3::new(1.0, 1.0, 2.0), DVec3::new(-1.5, 0.0, 0.0)),
        (DVec3::new(1.0, 1.0, 2.0), DVec3::new(1.5, 0.0, 0.0)),
    ];
    let of_box = |s: DVec3| {
        let s2 = s * s;
        s.x * s.y * s.z / 12.0 * DVec3::new(s2.y + s2.z, s2.x + s2.z, s2.x + s2.y)
    };
    let want = of_box(DVec3::new(4.0, 3.0, 2.0)) - of_box(DVec3::new(2.0, 1.0, 2.0));
    let frame = Pose::<Space> {
        position: DVec3::new(5.0, -3.0, 7.0),
        rotation: DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7),
    };
    for frame in [at3(DVec3::ZERO), frame] {
        let parts = boxes.map(|(sides, at)| {
            let shape = cuboid(sides.x, sides.y, sides.z);
            (shape, Space::compose(&frame, &at3(at)), 2.5)
        });
        let (compound, axes) = Compound::<Space>::new(&parts).unwrap();
        let found = mass(&compound);
        close(found.mass, 2.5 * 20.0, ROUNDING, "mass");
        let mut moments = found.inertia.to_array();
        moments.sort_by(f64::total_cmp);
        let mut known = (2.5 * want).to_array();
        known.sort_by(f64::total_cmp);
        for (m, k) in moments.into_iter().zip(known) {
            close(m, k, 1e-12, "moment");
        }
        // 1e-15 of the distance from the origin and of the size.
        assert!((axes.position - frame.position).length() < 1e-13);
    }
}

/// Two spheres of different density on a rod: the parallel-axis theorem by hand.
#[test]
fn parts_of_different_density_are_weighed_by_it() {
    let (r, s, d) = (0.5, 0.3, 2.0);
    let ball = |r: f64| space::Shape::sphere(r).unwrap();
    let parts = [
        (ball(r), at3(DVec3::ZERO), 1000.0),
        (ball(s), at3(DVec3::X * d), 7800.0),
    ];
    let (compound, axes) = Compound::<Space>::new(&parts).unwrap();
    let volume = |r: f64| 4.0 / 3.0 * PI * r * r * r;
    let (m, n) = (1000.0 * volume(r), 7800.0 * volume(s));
    let centre = n * d / (m + n);
    let along = 0.4 * (m * r * r + n * s * s);
    let across = along + m * centre * centre + n * (d - centre) * (d - centre);
    let found = mass(&compound);
    close(found.mass, m + n, ROUNDING, "mass");
    close(axes.position.x, centre, ROUNDING, "centre");
    close(found.inertia.x, along, 1e-12, "along");
    close(found.inertia.y, across, 1e-12, "across");
    close(found.inertia.z, across, 1e-12, "across");
    // A density of the whole scales all masses.
    close(
        compound.mass_properties(3.0).inertia.y,
        3.0 * across,
        1e-12,
        "scaled",
    );
}

/// A compound as a part of a compound is the same as its parts.
#[test]
fn a_compound_within_a_compound_is_taken_apart() {
    let turn = |angle: f64, x: f64, y: f64| Pose::<Plane> {
        position: DVec2::new(x, y),
        rotation: plane::Angle::new(angle),
    };
    let bar = || rectangle(1.0, 0.2);
    let cross = [
        (bar(), turn(0.0, 0.0, 0.0), 1.0),
        (bar(), turn(PI / 2.0, 0.0, 0.6), 2.0),
    ];
    let (inner, axes) = Compound::<Plane>::new(&cross).unwrap();
    let outer = turn(0.4, 3.0, -1.0);
    let inner = plane::Shape::Compound(Arc::new(inner));
    let nested = [
        (inner, Plane::compose(&outer, &axes), 1.5),
        (bar(), turn(0.1, -1.0, 0.0), 1.0),
    ];
    let flat = [
        (bar(), Plane::compose(&outer, &cross[0].1), 1.5),
        (bar(), Plane::compose(&outer, &cross[1].1), 3.0),
        (bar(), turn(0.1, -1.0, 0.0), 1.0),
    ];
    let (one, p) = Compound::<Plane>::new(&nested).unwrap();
    let (two, q) = Compound::<Plane>::new(&flat).unwrap();
    assert_eq!(one.parts().len(), 3);
    close(mass(&one).mass, mass(&two).mass, ROUNDING, "mass");
    close(mass(&one).inertia, mass(&two).inertia, ROUNDING, "moment");
    assert!((p.position - q.position).length() < 1e-14);
    for (a, b) in one.parts().iter().zip(two.parts()) {
        assert!((a.pose.position - b.pose.position).length() < 1e-14);
    }
}

/// A torus of triangles, radii 2 and 0.5.
fn torus(m: usize, n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let (u, v) = (
                2.0 * PI * i as f64 / m as f64,
                2.0 * PI * j as f64 / n as f64,
            );
            let r = 2.0 + 0.5 * v.cos();
            vertices.push(DVec3::new(r * u.cos(), r * u.sin(), 0.5 * v.sin()));
        }
    }
    let at = |i: usize, j: usize| ((i % m) * n + j % n) as u32;
    let mut triangles = Vec::new();
    for i in 0..m {
        for j in 0..n {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// The library integrates over tetrahedra with another formula; its decomposition is not used.
#[test]
fn a_torus_has_the_moments_of_its_surface_and_not_of_its_parts() {
    let (vertices, triangles) = torus(48, 24);
    let fineness = DecompositionParams {
        parts: 16,
        resolution: 48,
    };
    let solid = DecomposedMesh::new(&vertices, &triangles, fineness).unwrap();
    let points: Vec<_> = vertices
        .iter()
        .map(|v| parry3d_f64::math::Vector::from_array(v.to_array()))
        .collect();
    let other =
        parry3d_f64::mass_properties::MassProperties::from_trimesh(1.0, &points, &triangles);
    let found = solid.shape.mass_properties(1.0).unwrap();
    close(found.mass, other.mass(), 1e-11, "mass");
    let mut moments = found.inertia.to_array();
    moments.sort_by(f64::total_cmp);
    let mut known = other.principal_inertia().to_array();
    known.sort_by(f64::total_cmp);
    for (m, k) in moments.into_iter().zip(known) {
        // The library finds axes by iterations of its own, to some 1e-8.
        close(m, k, 1e-7, "moment");
    }
    // The closed form of the smooth torus: chords cost (2π/n)²/6 or so.
    let smooth = 2.0 * PI * PI * 2.0 * 0.25;
    close(found.mass, smooth, 0.02, "volume");
    let fit = solid.fit;
    assert!(fit.parts > 4 && fit.parts <= 16, "{fit:?}");
    close(fit.volume, found.mass, ROUNDING, "volume of the fit");
    // Chords of the hole: 16 sectors at most stick out by 1 − cos(π/16) of the inner radius and more.
    assert!(fit.excess > 0.0 && fit.excess < 0.2, "{fit:?}");
    assert!(fit.missing < 0.05, "{fit:?}");
}

/// The measured misfit agrees with exact volumes: excess − missing = (union − solid)/solid, and parts that do not
/// overlap have the volume of the union.
#[test]
fn the_fit_of_a_solid_agrees_with_exact_volumes() {
    let (vertices, triangles) = torus(48, 24);
    for parts in [8, 32] {
        let fineness = DecompositionParams {
            parts,
            resolution: 64,
        };
        let fit = DecomposedMesh::new(&vertices, &triangles, fineness)
            .unwrap()
            .fit;
        let sum = fit.sum / fit.volume - 1.0;
        // Overlaps of parts count in the sum and not in the union: it is never below it. 2·10⁴ points of
        // a box 3.6 times the body: 10⁻³ of the box, 4·10⁻³ of the body; twice that.
        assert!(fit.excess - fit.missing <= sum + 8e-3, "{fit:?} {sum}");
    }
}

#[test]
fn a_convex_solid_is_one_polyhedron() {
    let corners: Vec<DVec3> = (0..8)
        .map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64))
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .collect();
    let solid = DecomposedMesh::new(&corners, &triangles, DecompositionParams::default()).unwrap();
    assert!(matches!(solid.shape, space::Shape::Polyhedron(_)));
    assert_eq!((solid.fit.parts, solid.fit.excess), (1, 0.0));
    // With a triangle missing the surface is open.
    let error =
        DecomposedMesh::new(&corners, &triangles[1..], DecompositionParams::default()).unwrap_err();
    assert!(error.to_string().contains("open"), "{error}");
    assert!(error.to_string().contains("3 of its 18 edges"), "{error}");
}

/// Monte-Carlo integration of the tensor over the union, by points in the parts' own axes.
#[test]
fn a_random_compound_has_the_tensor_of_its_points() {
    let mut seed = 7_u64;
    let mut unit = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut parts = Vec::new();
    for k in 0..4 {
        let axis = DVec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5).normalize();
        let pose = Pose::<Space> {
            // Far enough apart for the parts not to overlap.
            position: DVec3::new(3.0 * k as f64, unit(), unit()),
            rotation: DQuat::from_axis_angle(axis, 3.0 * unit()),
        };
        let sides = DVec3::new(1.0 + unit(), 0.5 + unit(), 0.3 + unit());
        parts.push((sides, pose));
    }
    let pieces: Vec<_> = parts
        .iter()
        .map(|(s, pose)| (cuboid(s.x, s.y, s.z), *pose, 1.0))
        .collect();
    let (compound, axes) = Compound::<Space>::new(&pieces).unwrap();
    let found = mass(&compound);
    let count = 40_000;
    let mut tensor = DMat3::ZERO;
    for (sides, pose) in &parts {
        let weight = sides.x * sides.y * sides.z / f64::from(count);
        for _ in 0..count {
            let share = DVec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5);
            let x = pose.position + pose.rotation * (*sides * share);
            let d = axes.rotation.conjugate() * (x - axes.position);
            let square = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            tensor += (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - square) * weight;
        }
    }
    let largest = found.inertia.max_element();
    for i in 0..3 {
        for j in 0..3 {
            let want = if i == j { found.inertia[i] } else { 0.0 };
            // 160 000 points: 1/400 of the spread of x², which is about the tensor; three times that.
            let error = (tensor.col(j)[i] - want).abs() / largest;
            assert!(error < 0.01, "{i} {j}: {error}");
        }
    }
}
