//! Scenes of bodies in space become the collections they describe.

use percuss_bodies::space::Shape;
use percuss_scene::Scene;
use std::fs;

use percuss_scene::bodies_scene::BuiltBodies;

use crate::crowd::{BALL, edited, number, space};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{ForceContext, Freedom, Friction, Space};

/// Most of what a scene of space can say.
const SPACE: &str = r#"kind = "bodies"

[parameters]
mu = 0.5
span = 2

[world]
dimension = 3
gravity = [0, 0, -9.81]

[[material]]
name = "wood"
density = 600

[[law]]
between = ["wood", "wood"]
friction = { axes = [0.2, "mu"], along = [2, 0, 0] }
tangential_restitution = 0.25

[[body]]
name = "ground"
shape = { half_space = [1, 0, 1] }
material = "wood"
position = [0, 0, -9]
fixed = true

[[body]]
name = "ball"
shape = { sphere = 0.5 }
material = "wood"
position = [0, 0, 1]
velocity = [1, 2, 3]
spin = [0, 0, 4]
rotation = { axis = [2, 0, 0], angle = "pi/2" }

[[body]]
name = "crate"
shape = { box = [1, 2, 3] }
material = "wood"
position = [5, 0, 0]
orientation = [1, 0, 0, 1]
force = [0, 0, "spin_x + vz"]
torque = [1, 2, "x"]
at = [0.5, 0, 0]

[[body]]
name = "log"
shape = { cylinder = [2, 0.25] }
material = "wood"
mass = 12
inertia = [3, 3, 1]
position = [10, 0, 0]
free = ["x", "turn_z"]

[[body]]
name = "pill"
shape = { capsule = [2, 0.25] }
material = "wood"
position = [15, 0, 0]

[[body]]
name = "corner"
shape = { polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }
material = "wood"
position = [20, 0, 0]

[[body]]
name = "cube"
shape = { polyhedron = [[0,0,0],[2,0,0],[2,2,0],[0,2,0],[0,0,2],[2,0,2],[2,2,2],[0,2,2]], faces = [[0,3,2,1],[4,5,6,7],[0,1,5,4],[1,2,6,5],[2,3,7,6],[3,0,4,7]] }
material = "wood"
position = [30, 0, 0]

[[body]]
name = "drum"
shape = { sphere = 3 }
material = "wood"
position = [0, 50, 0]
rotation = { axis = [1, 0, 0], angle = "pi/2" }
motion = { z = "sin(t)", turn = { axis = [0, 0, 2], angle = "t^2" } }

[[field]]
force = ["z", 0, 0]
bodies = "pill"

[[picture]]
name = "view"
view = [1, 1, 1]
colour = "material"

[run]
until = "span/2"
step = 0.01
"#;

fn close(a: f64, b: f64) {
    // A handful of operations on numbers of this size: far above rounding, far below any slip.
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
}

fn all_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| close(*a, *b));
}

#[test]
fn bodies_are_placed_and_turned_as_written() {
    let assembly = space(SPACE);
    assert_eq!(assembly.until, 1.0);
    // 100 steps: all are kept.
    assert_eq!(assembly.record_every, 1);
    let at = |name: &str| number(&assembly.names.bodies, name);
    let root = 0.5_f64.sqrt();
    let ground = &assembly.state.poses[at("ground")];
    let normal = Space::rotate(&ground.rotation, [0.0, 0.0, 1.0].into());
    all_close(&normal.to_array(), &[root, 0.0, root]);
    // A quarter turn about x takes the spin about z of space to the y axis of the body.
    let ball = assembly.state.velocities[at("ball")];
    all_close(&ball, &[1.0, 2.0, 3.0, 0.0, 4.0, 0.0]);
    // [1, 0, 0, 1] is normalised: a quarter turn about z.
    let crate_ = &assembly.state.poses[at("crate")];
    let x = Space::rotate(&crate_.rotation, [1.0, 0.0, 0.0].into());
    all_close(&x.to_array(), &[0.0, 1.0, 0.0]);
    // Polyhedra stay where their vertices say: centroids at a quarter, at the middle.
    let corner = &assembly.state.poses[at("corner")];
    all_close(&corner.position.to_array(), &[20.25, 0.25, 0.25]);
    let Shape::Polyhedron(corner_shape) = &assembly.model.bodies[at("corner")].shape else {
        panic!("a polyhedron was expected");
    };
    let mut corners: Vec<[f64; 3]> = corner_shape
        .vertices()
        .iter()
        .map(|v| (corner.position + Space::rotate(&corner.rotation, *v)).to_array())
        .collect();
    corners.sort_by(|a, b| b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1])));
    all_close(&corners[0], &[21.0, 0.0, 0.0]);
    let cube = &assembly.state.poses[at("cube")];
    all_close(&cube.position.to_array(), &[31.0, 1.0, 1.0]);
    close(assembly.model.bodies[at("cube")].mass.mass, 4800.0);
}

#[test]
fn masses_and_freedoms_are_those_of_the_file() {
    let assembly = space(SPACE);
    let body = |name: &str| &assembly.model.bodies[number(&assembly.names.bodies, name)];
    let pi = std::f64::consts::PI;
    close(body("ball").mass.mass, 600.0 * pi / 6.0);
    let crate_ = body("crate").mass;
    close(crate_.mass, 3600.0);
    all_close(
        &crate_.inertia.to_array(),
        &[300.0 * 13.0, 300.0 * 10.0, 300.0 * 5.0],
    );
    let log = body("log");
    close(log.mass.mass, 12.0);
    all_close(&log.mass.inertia.to_array(), &[3.0, 3.0, 1.0]);
    assert_eq!(log.freedom, Freedom::Partial(0b100001));
    assert_eq!(body("drum").freedom, Freedom::Kinematic(0));
    let (law, first) = assembly.model.materials.law(0, 0);
    assert!(first);
    assert_eq!(law.restitution.tangential, 0.25);
    let expected = Friction::Elliptic {
        mu1: 0.2,
        mu2: 0.5,
        along: [1.0, 0.0, 0.0],
    };
    assert_eq!(law.friction, expected);
}

#[test]
fn a_given_turn_is_about_its_axis_through_the_centre() {
    let mut assembly = space(SPACE);
    let anchor = assembly.state.kinematic_origins[0];
    let t = 0.7_f64;
    let (pose, velocity) = assembly.model.prescribed_motions[0].at(&anchor, t);
    all_close(&pose.position.to_array(), &[0.0, 50.0, t.sin()]);
    // First the quarter turn about x, which takes y to z; then t² about z.
    let x = Space::rotate(&pose.rotation, [1.0, 0.0, 0.0].into());
    all_close(&x.to_array(), &[(t * t).cos(), (t * t).sin(), 0.0]);
    let y = Space::rotate(&pose.rotation, [0.0, 1.0, 0.0].into());
    all_close(&y.to_array(), &[0.0, 0.0, 1.0]);
    // The spin 2t about z of space is about y of the body.
    all_close(&velocity, &[0.0, 0.0, t.cos(), 0.0, 2.0 * t, 0.0]);
}

#[test]
fn forces_act_at_their_points_and_moments_about_body_axes() {
    let mut assembly = space(SPACE);
    let names = assembly.names.bodies.clone();
    let (crate_, pill) = (number(&names, "crate"), number(&names, "pill"));
    let mut velocities = assembly.state.velocities.clone();
    // The body's y axis is -x of space: spin_x = -(body y).
    velocities[crate_] = [0.0, 0.0, 7.0, 0.0, -3.0, 0.0];
    let mut loads = vec![[0.0; 6]; names.len()];
    let scenery = ForceContext {
        t: 0.0,
        poses: &assembly.state.poses,
        velocities: &velocities,
        bodies: &assembly.model.bodies,
    };
    for field in &mut assembly.model.force_fields {
        field.add_loads(&scenery, &mut loads);
    }
    // Force (0, 0, 3 + 7) at (1/2, 0, 0) of the body: (1/2, 0, 0) × (0, 0, 10) = (0, -5, 0).
    all_close(&loads[crate_], &[0.0, 0.0, 10.0, 1.0, 2.0 - 5.0, 5.0]);
    assert_eq!(loads[pill], [0.0; 6]);
}

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn meshes_and_polyhedra_are_read_from_files_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tetra.obj"), TETRAHEDRON).unwrap();
    let text = edited(
        BALL,
        &[
            (
                "{ half_space = [0, 0, 1] }",
                r#"{ mesh = "tetra.obj", scale = 2 }"#,
            ),
            (
                "{ sphere = \"r\" }",
                r#"{ polyhedron = "tetra.obj", scale = "2*r" }"#,
            ),
        ],
    );
    let path = folder.path().join("files.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap()).unwrap();
    let BuiltBodies::Space(assembly) = scene.build_bodies().unwrap() else {
        panic!("this is in space");
    };
    let Shape::Mesh(mesh) = &assembly.model.bodies[0].shape else {
        panic!("a mesh was expected");
    };
    assert_eq!(mesh.triangles().len(), 4);
    assert_eq!(mesh.vertices()[1].to_array(), [2.0, 0.0, 0.0]);
    close(assembly.model.bodies[1].mass.mass, 0.5);
    all_close(
        &assembly.state.poses[1].position.to_array(),
        &[1.25, 2.25, 3.25],
    );
}

#[test]
fn a_shaken_table_moves_with_its_record() {
    let folder = tempfile::tempdir().unwrap();
    // A constant acceleration of 2 for 1 s, sampled every 0.1 s.
    let rows: Vec<String> = (0..=10)
        .map(|k| format!("{},2", f64::from(k) / 10.0))
        .collect();
    fs::write(
        folder.path().join("push.csv"),
        format!("t,a\n{}\n", rows.join("\n")),
    )
    .unwrap();
    let motion = r#"motion = [{ accelerogram = "push.csv", direction = [0, 3, 4], scale = 5, drift = "keep" }, { x = "t" }]"#;
    let text = edited(BALL, &[("fixed = true", motion)]);
    let path = folder.path().join("shake.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap()).unwrap();
    let BuiltBodies::Space(mut assembly) = scene.build_bodies().unwrap() else {
        panic!("this is in space");
    };
    let anchor = assembly.state.kinematic_origins[0];
    let (pose, velocity) = assembly.model.prescribed_motions[0].at(&anchor, 0.5);
    // a = 10 along (0, 0.6, 0.8): v = 5, x = 1.25.
    all_close(&pose.position.to_array(), &[0.5, 0.75, 1.0]);
    all_close(&velocity, &[1.0, 3.0, 4.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_record_that_comes_with_the_product_is_found_by_its_name() {
    assert!(percuss_scene::builtin::data("quake.csv").is_some());
    assert!(percuss_scene::builtin::data_names().any(|name| name == "quake.csv"));
    for name in ["quake.csv", "data/quake.csv"] {
        let motion = format!("motion = {{ accelerogram = \"{name}\", direction = [1, 0, 0] }}");
        let assembly = space(&edited(BALL, &[("fixed = true", &motion)]));
        assert_eq!(assembly.model.prescribed_motions.len(), 1);
    }
}
