//! Bodies whose mass is not where their shape says: `centre` and `axes`.

use crate::crowd::{edited, error_message, plane, space};
use percuss_bodies::Geometry;

type Vec3 = <percuss_bodies::Space as percuss_bodies::geometry::Dim>::Vector;

/// A box on its own, its mass given.
const BOX: &str = r#"kind = "bodies"

[world]
dimension = 3

[[material]]
name = "steel"

[[law]]
between = ["any", "any"]

[[body]]
name = "link"
shape = { box = [1, 2, 3] }
material = "steel"
mass = 5
inertia = [2, 3, 4]
position = [10, 20, 30]
orientation = [0.5, 0.5, 0.5, 0.5]

[run]
until = 1
step = 0.1
"#;

#[test]
fn a_given_centre_is_where_the_body_is_and_the_shape_stays() {
    let plain = space(BOX);
    let given = edited(BOX, &[("mass = 5", "mass = 5\ncentre = [0.5, 0, 0]")]);
    let given = space(&given);
    let (body, pose) = (&given.model.bodies[0], &given.state.poses[0]);
    assert_eq!(body.mass.mass, 5.0);
    assert_eq!(
        [
            body.mass.inertia.x,
            body.mass.inertia.y,
            body.mass.inertia.z
        ],
        [2.0, 3.0, 4.0]
    );
    // This rotation takes x to y.
    let off = pose.position - plain.state.poses[0].position;
    assert!((off.x.abs() + (off.y - 0.5).abs() + off.z.abs()) < 1e-15);
    // The box around the shape is the same, whatever the axes of the body are.
    let (one, other) = (&plain.model.bodies[0], &plain.state.poses[0]);
    let before = percuss_bodies::Space::aabb(&one.shape, other);
    let after = percuss_bodies::Space::aabb(&body.shape, pose);
    assert!((before.low - after.low).length() < 1e-14);
    assert!((before.high - after.high).length() < 1e-14);
}

#[test]
fn given_axes_turn_the_body_and_not_the_shape() {
    let text = edited(BOX, &[("mass = 5", "mass = 5\naxes = [1, 0, 0, 1]")]);
    let (plain, given) = (space(BOX), space(&text));
    let (body, pose) = (&given.model.bodies[0], &given.state.poses[0]);
    let own = plain.state.poses[0].rotation;
    // Body x is the description's y.
    let x = pose.rotation * Vec3::new(1.0, 0.0, 0.0);
    let y = own * Vec3::new(0.0, 1.0, 0.0);
    assert!((x - y).length() < 1e-15);
    let before = percuss_bodies::Space::aabb(&plain.model.bodies[0].shape, &plain.state.poses[0]);
    let after = percuss_bodies::Space::aabb(&body.shape, pose);
    assert!((before.high - after.high).length() < 1e-14);
}

#[test]
fn in_the_plane_there_is_a_centre_too() {
    let text = edited(
        BOX,
        &[
            ("dimension = 3", "dimension = 2"),
            (
                "{ box = [1, 2, 3] }",
                "{ polygon = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]] }",
            ),
            ("inertia = [2, 3, 4]", "inertia = 2\ncentre = [0.25, 0.5]"),
            ("[10, 20, 30]", "[1, 1]"),
            ("orientation = [0.5, 0.5, 0.5, 0.5]", "angle = 0"),
        ],
    );
    let made = plane(&text);
    let pose = &made.state.poses[0];
    assert_eq!([pose.position.x, pose.position.y], [1.25, 1.5]);
    assert_eq!(made.model.bodies[0].mass.inertia, 2.0);
    let around = percuss_bodies::Plane::aabb(&made.model.bodies[0].shape, pose);
    assert!((around.low.x - 1.0).abs() < 1e-15 && (around.high.y - 3.0).abs() < 1e-15);
}

#[test]
fn what_is_missing_or_does_nothing_is_named() {
    for (edits, words) in [
        (
            vec![("mass = 5\n", "centre = [0, 0, 0]\n")],
            "`centre` needs `mass` and `inertia`",
        ),
        (
            vec![("inertia = [2, 3, 4]", "axes = [1, 0, 0, 0]")],
            "`axes` needs `mass` and `inertia`",
        ),
        (vec![("mass = 5", "mass = 5\naxes = [0, 0, 0, 0]")], "axes"),
        (vec![("mass = 5", "mass = 5\ncentre = [0, 0]")], "centre"),
        (
            vec![(
                "mass = 5\ninertia = [2, 3, 4]",
                "fixed = true\ncentre = [0, 0, 0]",
            )],
            "centre",
        ),
        (
            vec![(
                "inertia = [2, 3, 4]",
                "inertia = [2, 3, 9]\ncentre = [0, 0, 0]",
            )],
            "no body has",
        ),
        (
            vec![("dimension = 3", "dimension = 3\ncentre = 1")],
            "centre",
        ),
    ] {
        let said = error_message(&edited(BOX, &edits));
        assert!(said.contains(words), "{said}");
    }
}
