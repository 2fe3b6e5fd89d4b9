//! Generators in a scene make groups of bodies.

use crate::crowd;

use crate::crowd::{BALL, BLOCK, edited, plane, space};
use percuss_bodies::plane::Shape;
use percuss_bodies::{Freedom, Geometry, Plane, Space};

/// Masonry: a wall on a column beside an arch.
const MASONRY: &str = r#"
[[wall]]
name = "wall"
block = [0.6, 0.4]
courses = 4
length = 3
origin = [10, 0]
material = "stone"
vary = 0.001
seed = 3

[[column]]
name = "tower"
block = [0.5, 1]
count = 3
origin = [20, 0]
material = "stone"
density = 1000
velocity = [0, -1]

[[arch]]
name = "bridge"
radius = 4
thickness = 1
voussoirs = 7
origin = [30, 0]
material = "stone"

[[group]]
name = "all"
bodies = ["bridge", "tower", "wall_1"]

[run]"#;

/// Grains in many ways.
const GRAINS: &str = r#"
[[grid]]
name = "base"
radius = 0.1
counts = [10, 1]
spacing = 0.2
origin = [50, 0.1]
material = "stone"
fixed = true

[[grid]]
name = "rows"
radius = { uniform = [0.05, 0.1] }
counts = [4, 3]
lattice = "triangular"
jitter = 0.001
seed = 2
origin = [60, 1]
material = "stone"

[[packing]]
name = "gas"
radius = { mix = [[0.05, 1], [0.1, 2]] }
low = [70, 0]
high = [75, 5]
count = 40
seed = 1
material = "stone"

[[packing]]
name = "shards"
radius = { normal = [0.1, 0.02], between = [0.05, 0.2] }
shape = "polygon"
corners = [5, 8]
low = [80, 0]
high = [85, 5]
fraction = 0.2
material = "stone"

[[deposit]]
name = "heap"
radius = { by_area = [0.05, 0.1] }
count = 60
low = [90, 0]
high = [92, 10]
material = "stone"

[run]"#;

#[test]
fn masonry_is_made_and_named() {
    let assembly = plane(&edited(BLOCK, &[("\n[run]", MASONRY)]));
    let cast = &assembly.names;
    let members = |name: &str| &cast.groups.iter().find(|(n, _)| n == name).unwrap().1;
    // Two courses of five blocks, two of four and two halves.
    assert_eq!(members("wall").len(), 22);
    assert_eq!(members("tower").len(), 3);
    assert_eq!(members("bridge").len(), 7);
    assert_eq!(members("all").len(), 11);
    assert_eq!(cast.bodies[2], "wall_1");
    assert_eq!(cast.bodies[members("tower")[2] as usize], "tower_3");
    for &i in members("tower") {
        let body = &assembly.model.bodies[i as usize];
        assert_eq!(body.freedom, Freedom::Free);
        // 0.5 × 1 at a density of its own.
        assert!((body.mass.mass - 500.0).abs() < 1e-9);
        assert_eq!(assembly.state.velocities[i as usize], [0.0, -1.0, 0.0]);
    }
    let low = |i: &u32| {
        let i = *i as usize;
        Plane::aabb(&assembly.model.bodies[i].shape, &assembly.state.poses[i]).low
    };
    let left = members("wall")
        .iter()
        .map(|i| low(i).x)
        .fold(f64::INFINITY, f64::min);
    let bottom = members("wall")
        .iter()
        .map(|i| low(i).y)
        .fold(f64::INFINITY, f64::min);
    // Sums of a few lengths of this size; a block of 0.6 is up to 0.001 of it shorter, half of that at each end.
    assert!(
        (-1e-9..3e-4).contains(&(left - 10.0)) && bottom.abs() < 1e-9,
        "{left}, {bottom}"
    );
}

#[test]
fn grains_are_made_and_named() {
    let assembly = plane(&edited(BLOCK, &[("\n[run]", GRAINS)]));
    let cast = &assembly.names;
    let members = |name: &str| &cast.groups.iter().find(|(n, _)| n == name).unwrap().1;
    let counts = ["base", "rows", "gas", "heap"].map(|name| members(name).len());
    assert_eq!(counts, [10, 12, 40, 60]);
    let body = |i: &u32| &assembly.model.bodies[*i as usize];
    assert!(
        members("base")
            .iter()
            .all(|i| body(i).freedom == Freedom::Fixed)
    );
    assert!(
        members("gas")
            .iter()
            .all(|i| body(i).freedom == Freedom::Free)
    );
    let round = |i: &u32| matches!(body(i).shape, Shape::Disc { .. });
    assert!(members("gas").iter().all(round));
    assert!(!members("shards").iter().any(round));
    let area: f64 = members("shards")
        .iter()
        .map(|i| body(i).mass.mass / 2400.0)
        .sum();
    // At least a fifth of the box is in the circles around the shards, less in the shards.
    assert!(area > 0.1 * 25.0 && area < 0.25 * 25.0, "{area}");
}

#[test]
fn the_same_text_makes_the_same_bodies() {
    let text = edited(BLOCK, &[("\n[run]", GRAINS)]);
    let (one, two) = (plane(&text), plane(&text));
    assert_eq!(one.state, two.state);
    assert_eq!(one.model.bodies, two.model.bodies);
    let other = edited(&text, &[("seed = 2", "seed = 4")]);
    assert_ne!(one.state, plane(&other).state);
}

#[test]
fn generators_of_space_make_bodies_of_space() {
    let many = r#"
[[wall]]
name = "wall"
block = [0.6, 0.3, 0.4]
courses = 3
length = 1.8
origin = [10, 0, 0]
material = "steel"

[[grid]]
name = "pile"
radius = 0.1
counts = [3, 3, 3]
lattice = "hexagonal"
origin = [20, 0, 1]
material = "steel"

[[packing]]
name = "gravel"
radius = { lognormal = [0.1, 0.2], between = [0.05, 0.2] }
shape = "polyhedron"
corners = [6, 12]
low = [30, 0, 0]
high = [32, 2, 2]
count = 20
material = "steel"

[[deposit]]
name = "heap"
radius = 0.1
count = 30
low = [40, 0, 0]
high = [41, 1, 5]
material = "steel"

[run]"#;
    let assembly = space(&edited(BALL, &[("\n[run]", many)]));
    let counts: Vec<usize> = assembly.names.groups.iter().map(|(_, m)| m.len()).collect();
    assert_eq!(counts, [10, 27, 20, 30]);
    let members = |k: usize| assembly.names.groups[k].1.iter().map(|i| *i as usize);
    for i in members(0) {
        let bounds = Space::aabb(&assembly.model.bodies[i].shape, &assembly.state.poses[i]);
        let high = (bounds.high - bounds.low).to_array();
        assert!((high[1] - 0.3).abs() < 1e-12 && (high[2] - 0.4).abs() < 1e-12);
    }
}

#[test]
fn what_a_generator_refuses_is_said_with_its_line() {
    let refused = |many: &str, message: &str| {
        assert_eq!(
            crowd::error_message(&edited(BLOCK, &[("\n[run]", many)])),
            message
        );
    };
    refused(
        "\n[[column]]\nname = \"tower\"\nblock = [0.5, -1]\ncount = 3\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:34: column `tower`: `block`: -1 is not a positive, finite length",
    );
    refused(
        "\n[[column]]\nname = \"tower\"\nblock = [0.5, 1]\ncount = 2.5\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:35: column `tower`: `count = 2.5`: the value is 2.5; a whole number from 1 was expected",
    );
    refused(
        "\n[[grid]]\nname = \"g\"\nradius = 1\ncounts = [2, 2]\nlattice = \"hexagonal\"\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:36: grid `g`: `lattice = \"hexagonal\"`: one of \"square\", \"triangular\" was expected",
    );
    refused(
        "\n[[packing]]\nname = \"g\"\nradius = 1\nlow = [0, 0]\nhigh = [9, 9]\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:32: packing `g`: `count` or `fraction`, one of them, was expected. Say how many grains, or which share of the box",
    );
    refused(
        "\n[[grid]]\nname = \"g\"\nradius = { unifrom = [1, 2] }\ncounts = [2, 2]\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:34: grid `g`, radius: unknown key `unifrom`; did you mean `uniform`? (known here: between, by_area, lognormal, mix, normal, sieve, uniform)",
    );
    refused(
        "\n[[grid]]\nname = \"g\"\nradius = 1\ncorners = [3, 4]\ncounts = [2, 2]\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:32: grid `g`: `corners` does nothing: the grains are round. Add `shape = \"polygon\"`, or drop it",
    );
    refused(
        "\n[[wall]]\nname = \"w\"\nblock = [1, 1]\ncourses = 2\nlength = 4\nseed = 2\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:32: wall `w`: `seed` does nothing without `vary`. Add `vary`, or drop `seed`",
    );
    refused(
        "\n[[grid]]\nname = \"block\"\nradius = 1\ncounts = [2, 2]\nmaterial = \"stone\"\n\n[run]",
        "crowd.toml:32: grid `block`: `block` is already the name of a body, given on line 26. Give each its own name",
    );
    refused(
        "\n[[grid]]\nname = \"g\"\nradius = 1\ncounts = [2, 2]\nmaterial = \"stone\"\nseed = 2\n\n[run]",
        "crowd.toml:32: grid `g`: `seed` does nothing: equal round grains without `jitter` leave nothing to chance. Add `jitter`, or drop `seed`",
    );
    refused(
        "\n[[grid]]\nname = \"g\"\nradius = 1\ncounts = [2, 2]\nmaterial = \"stone\"\nfixed = true\nvelocity = [0, 1]\n\n[run]",
        "crowd.toml:32: grid `g`: `velocity` does nothing: the bodies are fixed. Drop it, or `fixed = true`",
    );
}
