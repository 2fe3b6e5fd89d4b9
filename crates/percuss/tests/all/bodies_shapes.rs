//! Compounds, polygons that are not convex, solids and heights from text.

use percuss_scene::Scene;
use std::fs;

use percuss_scene::bodies_scene::BuiltBodies;

use crate::crowd;
use crate::crowd::{BALL, BLOCK, edited, error_message};
use percuss_bodies::{Geometry, Plane, Space, plane, space};

fn block(shape: &str) -> String {
    edited(BLOCK, &[("{ box = [0.2, 0.1] }", shape)])
}

fn ball(shape: &str) -> String {
    edited(BALL, &[("{ sphere = \"r\" }", shape)])
}

/// The collection of a text with files beside it, or the complaint about it.
fn with_files(files: &[(&str, &[u8])], text: &str) -> Result<BuiltBodies, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().join("crowd.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap()).unwrap();
    scene.build_bodies().map_err(|error| {
        let message = error.to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    })
}

fn in_space(
    collection: Result<BuiltBodies, String>,
) -> percuss_scene::bodies_scene::BodiesSetup<Space> {
    match collection.unwrap_or_else(|error| panic!("{error}")) {
        BuiltBodies::Space(assembly) => assembly,
        BuiltBodies::Plane(_) => panic!("this is in the plane"),
    }
}

/// A T of two boxes, in numbers: 1 × 0.2 on top of 0.2 × 0.8; density 2400, the top 4800.
#[test]
fn a_compound_has_the_mass_of_its_parts_and_stands_where_they_say() {
    let text = block(
        "{ compound = [
    { shape = { box = [0.2, \"0.3 + mu\"] }, position = [0, 0.4] },
    { shape = { box = [0.2, 1] }, position = [0, 0.9], angle = \"pi/2\", density = 4800 },
] }",
    );
    let assembly = crowd::plane(&text);
    let body = &assembly.model.bodies[1];
    let (m, n) = (2400.0 * 0.16, 4800.0 * 0.2);
    let y = (0.4 * m + 0.9 * n) / (m + n);
    let about =
        |m: f64, w: f64, h: f64, at: f64| m * (w * w + h * h) / 12.0 + m * (at - y) * (at - y);
    let inertia = about(m, 0.2, 0.8, 0.4) + about(n, 1.0, 0.2, 0.9);
    // Rounding of a dozen operations.
    assert!((body.mass.mass - m - n).abs() < 1e-12 * (m + n));
    assert!((body.mass.inertia - inertia).abs() < 1e-12 * inertia);
    let at = assembly.state.poses[1].position;
    // `position` of the block, 0.05 up, moves the description.
    assert!(
        (at.y - y - 0.05).abs() < 1e-14 && at.x.abs() < 1e-14,
        "{at}"
    );
    let bounds = Plane::aabb(&body.shape, &assembly.state.poses[1]);
    assert!((bounds.low.y - 0.05).abs() < 1e-14 && (bounds.high.x - 0.5).abs() < 1e-14);
}

#[test]
fn densities_of_all_parts_stand_for_that_of_the_material() {
    let shape = "{ compound = [
    { shape = { sphere = 1 }, density = 3 },
    { shape = { sphere = 1 }, position = [2, 0, 0], density = 1 },
] }";
    let text = edited(&ball(shape), &[("density = 3\n\n[[law]]", "\n[[law]]")]);
    let assembly = crowd::space(&text);
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    let mass = assembly.model.bodies[1].mass;
    assert!((mass.mass - 4.0 * volume).abs() < 1e-12);
    assert!((assembly.state.poses[1].position.x - 1.5).abs() < 1e-14);
    // A given mass keeps the ratio of the densities.
    let given = edited(
        &text,
        &[(
            "material = \"steel\"\nposition",
            "material = \"steel\"\nmass = 8\nposition",
        )],
    );
    let assembly = crowd::space(&given);
    assert!((assembly.model.bodies[1].mass.mass - 8.0).abs() < 1e-14);
    assert!((assembly.state.poses[1].position.x - 1.5).abs() < 1e-14);
    let half = edited(&text, &[("[2, 0, 0], density = 1", "[2, 0, 0]")]);
    assert_eq!(
        error_message(&half),
        "crowd.toml:27: body `ball`, part 2: it has no `density`, and neither has its material. Give one of them"
    );
}

#[test]
fn compounds_that_cannot_be_are_refused() {
    let refused = |shape: &str, message: &str| assert_eq!(error_message(&block(shape)), message);
    refused(
        "{ compound = [] }",
        "crowd.toml:28: body `block`, shape: `compound = []`: the array is empty. Give at least one part",
    );
    refused(
        "{ compound = 3 }",
        "crowd.toml:28: body `block`, shape: `compound = 3`: an array of parts [{ shape = ..., position = [...] }, ...] was expected, not a number",
    );
    refused(
        "{ compound = [{ shape = { disc = 1 }, mass = 1 }] }",
        "crowd.toml:28: body `block`, shape, part 1: unknown key `mass` (known here: angle, density, position, shape)",
    );
    refused(
        "{ compound = [{ shape = { disc = 1 } }, { shape = { disc = 0 } }] }",
        "crowd.toml:28: body `block`, part 2: `disc = 0`: the value is 0; a positive number was expected",
    );
    refused(
        "{ compound = [{ shape = { half_plane = [0, 1] } }] }",
        "crowd.toml:28: body `block`, part 1: `half_plane`: a `half_plane` is a boundary and cannot be a part of a body",
    );
    refused(
        "{ compound = [{ shape = { disc = 1 }, density = \"-mu\" }] }",
        "crowd.toml:28: body `block`, part 1: `density = \"-mu\"`: the value is -0.5; a positive number was expected",
    );
}

#[test]
fn polygons_need_not_be_convex_but_simple() {
    let l = "{ polygon = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]] }";
    let assembly = crowd::plane(&block(l));
    let body = &assembly.model.bodies[1];
    let plane::Shape::Compound(compound) = &body.shape else {
        panic!("{:?}", body.shape)
    };
    assert_eq!(compound.parts().len(), 2);
    assert!((body.mass.mass - 2400.0 * 4.0).abs() < 1e-9);
    assert_eq!(
        error_message(&block("{ polygon = [[0, 0], [2, 2], [2, 0], [0, 2]] }")),
        "crowd.toml:28: body `block`: `polygon`: the edge from vertex 0 to vertex 1 and the edge from vertex 2 to vertex 3 meet: the outline of a polygon must not cross or touch itself (vertices are counted from 0)"
    );
}

const BOX: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n";

/// A U, 3 × 2 × 1, with a notch 1 × 1 in its upper side: 12 corners extruded along y.
fn notched() -> String {
    let outline = [
        (0, 0),
        (3, 0),
        (3, 2),
        (2, 2),
        (2, 1),
        (1, 1),
        (1, 2),
        (0, 2),
    ];
    let mut text = String::new();
    for y in [0, 1] {
        for (x, z) in outline {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    for k in 0..8 {
        let (a, b) = (k + 1, (k + 1) % 8 + 1);
        text += &format!("f {a} {b} {}\nf {a} {} {}\n", b + 8, b + 8, a + 8);
    }
    // Ends in convex pieces: left, bottom, right.
    for [a, b, c, d] in [[1, 6, 7, 8], [1, 2, 5, 6], [2, 3, 4, 5]] {
        text += &format!("f {d} {c} {b} {a}\n");
        text += &format!("f {} {} {} {}\n", a + 8, b + 8, c + 8, d + 8);
    }
    // The surface as walked above points inwards at the sides: turned as a whole.
    let turned = text.lines().map(|line| match line.strip_prefix("f ") {
        None => line.to_string(),
        Some(corners) => {
            let all: Vec<&str> = corners.split(' ').rev().collect();
            format!("f {}", all.join(" "))
        }
    });
    turned.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_solid_has_the_mass_of_its_surface_and_says_how_well_it_fits() {
    let files: [(&str, &[u8]); 1] = [("u.obj", &notched().into_bytes()[..])];
    let text = ball("{ solid = \"u.obj\", parts = 8, scale = 0.5 }");
    let collection = with_files(&files, &text).unwrap();
    let fits = collection.decomposition_errors();
    let assembly = in_space(Ok(collection));
    let body = &assembly.model.bodies[1];
    // 5 of 6 unit cells, at half the size.
    assert!((body.mass.mass - 3.0 * 5.0 / 8.0).abs() < 1e-12, "{body:?}");
    let space::Shape::Compound(compound) = &body.shape else {
        panic!("{:?}", body.shape)
    };
    assert!((2..=8).contains(&compound.parts().len()));
    let [(name, fit)] = &fits[..] else {
        panic!("{fits:?}")
    };
    assert_eq!((name.as_str(), fit.parts), ("ball", compound.parts().len()));
    // Cuts lie on the grid of 64 cells over the longest side, 3: a layer of one cell, 1/21 of the
    // notch's side, on its three sides at most.
    assert!(fit.excess < 0.05 && fit.missing < 0.01, "{fit:?}");
}

#[test]
fn a_convex_solid_is_exact_and_files_are_checked() {
    let solid = ball("{ solid = \"box.obj\" }");
    let assembly = in_space(with_files(&[("box.obj", BOX.as_bytes())], &solid));
    assert!(matches!(
        assembly.model.bodies[1].shape,
        space::Shape::Polyhedron(_)
    ));
    assert!((assembly.model.bodies[1].mass.mass - 3.0).abs() < 1e-13);
    let refused = |file: &str, text: &str, message: &str| {
        let found = with_files(&[("box.obj", file.as_bytes())], text).unwrap_err();
        let begin = format!("crowd.toml:26: body `ball`: {message}");
        assert!(found.starts_with(&begin), "{found}\n{begin}");
    };
    let open = BOX.replace("f 5 6 8 7\n", "");
    refused(
        &open,
        &solid,
        "`solid = \"box.obj\"`: the surface is open: 4 of its 17 edges have one triangle only, the first from (",
    );
    let thick = format!("{BOX}f 1 2 8\n");
    let found = with_files(&[("box.obj", thick.as_bytes())], &solid).unwrap_err();
    assert!(found.contains("edge"), "{found}");
    let sliver = format!("{BOX}v 2 0 0\nf 1 2 9\n");
    refused(
        &sliver,
        &solid,
        "`solid = \"box.obj\"`: triangle 12 (vertices 0, 1, 8) has no area",
    );
    refused(
        BOX,
        &ball("{ solid = \"box.obj\", parts = 0 }"),
        "`parts = 0`: the value is 0; a whole number from 1 was expected",
    );
    refused(
        BOX,
        &ball("{ solid = \"box.obj\", resolution = 1000 }"),
        "`resolution = 1000`: the value is 1000; at most 256 was expected",
    );
}

/// Every corner given once per face, and a little off: welded, the box is closed.
#[test]
fn vertices_that_are_nearly_one_are_merged() {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for line in BOX.lines() {
        let words: Vec<f64> = line[2..].split(' ').map(|w| w.parse().unwrap()).collect();
        match line.starts_with('v') {
            true => vertices.push(words),
            false => faces.push(words),
        }
    }
    let mut text = String::new();
    for (k, face) in faces.iter().enumerate() {
        for corner in face {
            let v = &vertices[*corner as usize - 1];
            let off = 1e-6 * k as f64;
            text += &format!("v {} {} {}\n", v[0] + off, v[1] - off, v[2] + off);
        }
        let first = 4 * k + 1;
        text += &format!("f {} {} {} {}\n", first, first + 1, first + 2, first + 3);
    }
    let files: [(&str, &[u8]); 1] = [("box.obj", text.as_bytes())];
    let apart = with_files(&files, &ball("{ solid = \"box.obj\" }")).unwrap_err();
    assert!(apart.contains("the surface is open: 24 of its"), "{apart}");
    let merged = with_files(&files, &ball("{ solid = \"box.obj\", merge = 1e-4 }"));
    let mass = in_space(merged).model.bodies[1].mass.mass;
    // Corners moved by up to 5e-6.
    assert!((mass - 3.0).abs() < 1e-4, "{mass}");
}

#[test]
fn heights_are_chains_and_meshes() {
    let ground = |dimension: usize, shape: &str| match dimension {
        2 => edited(BLOCK, &[("{ half_plane = [0, 1] }", shape)]),
        _ => edited(BALL, &[("{ half_space = [0, 0, 1] }", shape)]),
    };
    let assembly = crowd::plane(&ground(
        2,
        "{ heights = [0, \"mu\", 0, -1], size = 6, scale = 2 }",
    ));
    let plane::Shape::Chain(chain) = &assembly.model.bodies[0].shape else {
        panic!("no chain")
    };
    let want = [(-3.0, 0.0), (-1.0, 1.0), (1.0, 0.0), (3.0, -2.0)];
    let found: Vec<(f64, f64)> = chain.vertices().iter().map(|v| (v.x, v.y)).collect();
    for (f, w) in found.iter().zip(want) {
        assert!(
            (f.0 - w.0).abs() < 1e-15 && (f.1 - w.1).abs() < 1e-15,
            "{found:?}"
        );
    }
    let text = ground(3, "{ heights = \"hill.csv\", size = [4, 2] }");
    let file = b"# z over x, rows along y\n0, 1; 0\n\n0 2 0 # the crest\n";
    let assembly = in_space(with_files(&[("hill.csv", file)], &text));
    let space::Shape::Mesh(mesh) = &assembly.model.bodies[0].shape else {
        panic!("no mesh")
    };
    let corners: Vec<[f64; 3]> = mesh.vertices().iter().map(|v| v.to_array()).collect();
    assert_eq!(corners[1], [0.0, -1.0, 1.0]);
    assert_eq!(corners[5], [2.0, 1.0, 0.0]);
    assert_eq!(
        (corners.len(), mesh.triangles().len(), mesh.closed()),
        (6, 4, false)
    );
    let bad = with_files(&[("hill.csv", b"0 1\n0 1 2\n")], &text).unwrap_err();
    assert_eq!(
        bad,
        "crowd.toml:20: body `ground`: `heights = \"hill.csv\"`: all rows must be equally long: the first has 2 heights, row 2 has 3"
    );
    let bad = with_files(&[("hill.csv", b"0 1\n0 one\n")], &text).unwrap_err();
    assert!(bad.ends_with("line 2: `one` is no finite number"), "{bad}");
    assert_eq!(
        error_message(&ground(3, "{ heights = [[0, 1]], size = [4, 2] }")),
        "crowd.toml:20: body `ground`: `heights`: at least two rows of heights were expected, 1 given"
    );
    assert_eq!(
        error_message(&ground(2, "{ heights = [0, 1] }")),
        "crowd.toml:22: body `ground`, shape: the key `size` is missing"
    );
}
