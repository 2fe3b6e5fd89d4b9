//! Shapes, motions and files that cannot be are refused with what is wrong with them.

use std::fs;

use crate::crowd::{BALL, BLOCK, edited, error_message, refused, refused_in_space};
use percuss_scene::Scene;

fn shape(shape: &str, message: &str) {
    let shape = format!("shape = {{ {shape} }}");
    refused(
        &[("shape = { box = [0.2, 0.1] }", &shape)],
        &format!("crowd.toml:28: body `block`{message}"),
    );
}

fn shape_of_space(shape: &str, message: &str) {
    let shape = format!("shape = {{ {shape} }}");
    refused_in_space(
        &[("shape = { sphere = \"r\" }", &shape)],
        &format!("crowd.toml:26: body `ball`{message}"),
    );
}

#[test]
fn a_body_has_one_shape_of_its_dimension() {
    shape(
        "disk = 1",
        ", shape: unknown key `disk`; did you mean `disc`? (known here: box, capsule, chain, compound, cylinder, disc, half_plane, half_space, heights, mesh, polygon, polyhedron, solid, sphere)",
    );
    shape(
        "disc = 1, box = [1, 1]",
        ", shape: `box = [1, 1]`: `disc` is given as well. A body has one shape",
    );
    shape(
        "sphere = 1",
        ", shape: `sphere = 1`: there is no `sphere` in the plane: { disc }, { box }, { polygon }, { capsule }, { half_plane }, { chain }, { heights }, { compound } was expected",
    );
    shape_of_space(
        "disc = 1",
        ", shape: `disc = 1`: there is no `disc` in space: { sphere }, { box }, { capsule }, { cylinder }, { polyhedron }, { half_space }, { mesh }, { solid }, { heights }, { compound } was expected",
    );
    refused(
        &[("shape = { box = [0.2, 0.1] }\n", "")],
        "crowd.toml:26: body `block`: the key `shape` is missing",
    );
    refused(
        &[("shape = { box = [0.2, 0.1] }", "shape = \"box\"")],
        "crowd.toml:28: body `block`: `shape = \"box\"`: a table was expected, not a text",
    );
    shape(
        "box = [1, 1], scale = 2",
        ", shape: unknown key `scale` (known here: box, capsule, chain, compound, cylinder, disc, half_plane, half_space, heights, mesh, polygon, polyhedron, solid, sphere)",
    );
}

#[test]
fn sizes_are_positive() {
    shape(
        "disc = 0",
        ": `disc = 0`: the value is 0; a positive number was expected",
    );
    shape(
        "capsule = [1, \"mu - 1\"]",
        ": `capsule = \"mu - 1\"`: the value is -0.5; a positive number was expected",
    );
    shape_of_space(
        "cylinder = [-1, 1]",
        ": `cylinder = -1`: the value is -1; a positive number was expected",
    );
    shape_of_space(
        "box = [1, 0, 1]",
        ": `box`: side of the box along y is 0: a positive, finite length was expected",
    );
    refused(
        &[("half_plane = [0, 1]", "half_plane = [0, \"0*mu\"]")],
        "crowd.toml:22: body `ground`: `half_plane = [0, \"0*mu\"]`: the normal has no direction: all entries are 0. Give at least one entry that is not 0",
    );
}

#[test]
fn polygons_and_polyhedra_that_are_none_are_refused_with_the_vertex() {
    let text = |shape: &str| {
        let shape = format!("shape = {{ {shape} }}");
        error_message(&edited(BLOCK, &[("shape = { box = [0.2, 0.1] }", &shape)]))
    };
    let begins = |message: &str, beginning: &str, word: &str| {
        assert!(
            message.starts_with(beginning) && message.contains(word),
            "{message}"
        );
    };
    let place = "crowd.toml:28: body `block`: `polygon`: ";
    begins(
        &text("polygon = [[0, 0], [4, 4], [4, 0], [0, 4]]"),
        place,
        "the edge from vertex 0 to vertex 1 and the edge from vertex 2 to vertex 3 meet",
    );
    begins(&text("polygon = [[0, 0], [1, 1], [2, 2]]"), place, "area");
    begins(&text("polygon = [[0, 0], [1, 1]]"), place, "at least 3");
    begins(
        &text("chain = [[0, 0], [0, 0]]"),
        "crowd.toml:28: body `block`: `chain`: ",
        "vertices 0 and 1",
    );
    let text = |shape: &str| {
        let shape = format!("shape = {{ {shape} }}");
        error_message(&edited(BALL, &[("shape = { sphere = \"r\" }", &shape)]))
    };
    let place = "crowd.toml:26: body `ball`: `polyhedron`: ";
    begins(
        &text("polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"),
        place,
        "lie in a plane",
    );
    let points = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    begins(
        &text(&format!(
            "polyhedron = {points}, faces = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 3, 2]]"
        )),
        place,
        "turned inwards",
    );
    let error = text(&format!("polyhedron = {points}, faces = [[0, 1, 4]]"));
    assert_eq!(
        error,
        "crowd.toml:26: body `ball`, shape: `faces = 4`: a vertex number from 0 to 3 was expected. Vertices are numbered from 0"
    );
}

fn in_folder(files: &[(&str, &str)], text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().join("crowd.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap()).unwrap();
    let message = scene.build_bodies().unwrap_err().to_string();
    message.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn files_of_triangles_that_are_no_bodies_are_refused() {
    let ball = |shape: &str| edited(BALL, &[("{ sphere = \"r\" }", shape)]);
    assert_eq!(
        in_folder(&[], &ball("{ polyhedron = \"cube.obj\" }")),
        "crowd.toml:26: body `ball`: `polyhedron = \"cube.obj\"`: there is no file cube.obj. Files are looked for beside the scene"
    );
    assert_eq!(
        in_folder(&[("cube.ply", "")], &ball("{ polyhedron = \"cube.ply\" }")),
        "crowd.toml:26: body `ball`: `polyhedron = \"cube.ply\"`: a file with the ending .obj or .stl was expected"
    );
    let bad = "v 0 0 0\nv 1 0 zero\n";
    assert_eq!(
        in_folder(&[("bad.obj", bad)], &ball("{ polyhedron = \"bad.obj\" }")),
        "crowd.toml:26: body `ball`: `polyhedron = \"bad.obj\"`: line 2: `zero` is no finite number"
    );
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let inside_out = format!("{vertices}f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
    let mesh = edited(
        BALL,
        &[("{ half_space = [0, 0, 1] }", "{ mesh = \"in.obj\" }")],
    );
    let message = in_folder(&[("in.obj", &inside_out)], &mesh);
    assert!(
        message.starts_with("crowd.toml:20: body `ground`: `mesh = \"in.obj\"`: ")
            && message.contains("inside out"),
        "{message}"
    );
    let free = edited(&mesh, &[("fixed = true\n", "")]);
    let good = format!("{vertices}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    assert_eq!(
        in_folder(&[("in.obj", &good)], &free),
        "crowd.toml:18: body `ground`: a `mesh` is a boundary and cannot move freely. Add `fixed = true`, a `motion`, or `free` with a `mass`"
    );
    let scaled = edited(&mesh, &[("in.obj\"", "in.obj\", scale = 0")]);
    assert_eq!(
        in_folder(&[("in.obj", &good)], &scaled),
        "crowd.toml:20: body `ground`: `scale = 0`: the value is 0; a positive number was expected"
    );
}

fn motion(motion: &str, message: &str) {
    refused(
        &[("fixed = true", &format!("motion = {motion}"))],
        &format!("crowd.toml:{message}"),
    );
}

#[test]
fn motions_that_cannot_be_are_refused() {
    motion(
        "{ x = \"speed*t\" }",
        "24: body `ground`, motion: `x`: unknown name `speed` (known here: mu, slope, t)\n  line 1, column 1\n  | speed*t\n  | ^^^^^",
    );
    motion(
        "{ x = \"sqrt(t)\" }",
        "24: body `ground`, motion: `x = \"sqrt(t)\"`: its rate at t = 0 is inf; a finite number was expected",
    );
    motion(
        "{ y = \"1/t\" }",
        "24: body `ground`, motion: `y = \"1/t\"`: its value at t = 0 is inf; a finite number was expected",
    );
    motion(
        "{ z = \"t\" }",
        "24: body `ground`, motion: one of `x`, `y`, `angle` or `accelerogram` was expected. A body that stands still is `fixed = true`",
    );
    motion(
        "[{ angle = \"t\" }, { angle = \"t\" }]",
        "20: body `ground`: two parts of `motion` turn the body. Add the angles in one of them",
    );
    motion(
        "{ x = \"t\" }\nfree = [\"x\"]",
        "20: body `ground`: `free` and `motion` are both given. Keep one of them: the directions that are not free are held",
    );
    refused_in_space(
        &[(
            "fixed = true",
            "motion = { turn = { axis = [0, 0, 0], angle = \"t\" } }",
        )],
        "crowd.toml:22: body `ground`, motion: `turn.axis = [0, 0, 0]`: the axis has no direction: all entries are 0. Give at least one entry that is not 0",
    );
}

#[test]
fn accelerograms_are_refused_with_file_and_line() {
    let text = |more: &str| {
        let motion = format!("motion = {{ accelerogram = \"q.csv\", direction = [1, 0]{more} }}");
        edited(BLOCK, &[("fixed = true", &motion)])
    };
    let says = |content: &str, line: &str| {
        let message = in_folder(&[("q.csv", content)], &text(""));
        let place = "crowd.toml:24: body `ground`, motion: `accelerogram = \"q.csv\"`: ";
        assert!(
            message.starts_with(place) && message.contains(line),
            "{message}"
        );
    };
    says("0,1\n0.1,2\n0.1,3\n0.2,4\n", "line 3");
    says("t,a\n0,1\n0.1,two\n0.2,4\n", "line 3");
    says("0,1\n0.1,2,3\n0.2,4\n", "line 2");
    says("0,1\n", "row");
    let good = "0,1\n0.1,2\n0.2,3\n";
    assert_eq!(
        in_folder(&[("q.csv", good)], &text(", drift = \"kep\"")),
        "crowd.toml:24: body `ground`, motion: `drift = \"kep\"`: one of \"remove\", \"keep\" was expected; did you mean \"keep\"?"
    );
    let still = edited(&text(""), &[("[1, 0]", "[0, 0]")]);
    assert_eq!(
        in_folder(&[("q.csv", good)], &still),
        "crowd.toml:24: body `ground`, motion: `direction = [0, 0]`: `direction` has no direction: all entries are 0. Give at least one entry that is not 0"
    );
}

#[test]
fn expressions_of_forces_know_their_names() {
    refused(
        &[("position = [0, 0.05]", "force = [\"vz\", 0]")],
        "crowd.toml:30: body `block`: `force`: unknown name `vz`; did you mean `vx` or `vy`? (known here: angle, m, mu, slope, spin, t, vx, vy, x, y)\n  line 1, column 1\n  | vz\n  | ^^",
    );
    refused(
        &[
            ("mu = 0.5", "mu = 0.5\nm = 2"),
            ("position = [0, 0.05]", "force = [\"m*x\", 0]"),
        ],
        "crowd.toml:31: body `block`: `force = \"m*x\"`: `m` is a parameter and also a variable of the body here. Rename the parameter",
    );
}
