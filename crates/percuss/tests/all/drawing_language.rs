//! What is wrong with a drawing is said with its place, its value and what was expected.

use percuss_draw::drawing::check_drawings;
use percuss_scene::Scene;

use crate::common::{BALL, edited};

/// The ball with these lines as drawings.
fn with(drawings: &str) -> String {
    edited(&[("[run]", &format!("{drawings}\n[run]"))])
}

/// What is said of the ball with these drawings.
fn complaint(drawings: &str) -> String {
    let scene = match Scene::parse("ball", "ball.toml", &with(drawings)) {
        Ok(scene) => scene,
        Err(error) => return error.to_string(),
    };
    let mut system = scene.build_mechanism().expect("a system").system;
    match check_drawings(&scene, &mut system) {
        Ok(()) => String::from("nothing"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_form_that_the_manual_shows_is_read() {
    for form in [
        "link = [[0, 0], [0, \"z\"]]",
        "link = [[0, 0], [1, \"z\"], [1, 0]]\nfilled = true\nname = \"body\"\nlabel = \"a body\"",
        "link = [[0, 0], [1, \"z\"], [1, 0]]\nclosed = true\ncolour = \"vermilion\"\nwidth = \"2*m\"",
        "tip = [0, \"z\"]",
        "tip = [[0, \"z\"], [1, \"z_dot\"]]\nradius = 0.1\nangle = \"z\"\nfilled = false",
        "obstacle = [0, 0]\nnormal = [0, 1]\ncontact = \"ground\"",
        "obstacle = [0, 0]\nradius = \"m\"\nfilled = true",
        "obstacle = [[0, 0], [1, \"sin(t)\"]]\nclosed = true",
        "curve = [\"cos(u)\", \"z + sin(u)\"]\nover = { u = [0, \"2*pi\"] }\nclosed = true",
        "surface = [\"u\", \"w\", \"u*w\"]\nover = { u = [0, 1], w = [0, \"m\"] }",
        "trace = [0, \"z\", \"energy\"]",
        "spring = [[0, 0], [0, \"z\"]]",
    ] {
        assert_eq!(
            complaint(&format!("[[drawing]]\n{form}")),
            "nothing",
            "{form}"
        );
    }
}

/// Drawings and what is said of them.
const WRONG: [(&str, &str); 11] = [
    (
        "[[drawing]]\nlinc = [[0, 0], [0, \"z\"]]",
        "ball.toml:24: drawing 1: unknown key `linc`; did you mean `link`?",
    ),
    (
        "[[drawing]]\ntip = [0, \"z\"]\nradus = 1",
        "ball.toml:25: drawing 1: unknown key `radus`; did you mean `radius`? (known here: angle, \
             colour, contact, curve, label, link, name, obstacle, radius, spring, surface, tip, \
             trace, width)",
    ),
    (
        "[[drawing]]\nname = \"a\"",
        "ball.toml:23: drawing `a`: exactly one of link, tip, obstacle, curve, surface, trace, \
             spring was expected. Each [[drawing]] is one thing",
    ),
    (
        "[[drawing]]\ntip = [0, 0]\ntrace = [0, 0]",
        "ball.toml:23: drawing 1: exactly one of link, tip, obstacle, curve, surface, trace, \
             spring was expected. Each [[drawing]] is one thing",
    ),
    (
        "[[drawing]]\nlink = [0, \"z\"]",
        "ball.toml:24: drawing 1: `link = [0, \"z\"]`: at least two points were expected. It is \
             written link = [[x, y], [x, y]]",
    ),
    (
        "[[drawing]]\ntip = [0, 0]\n[[drawing]]\ntip = [0, 0, 0]",
        "ball.toml:25: drawing 2: `tip`: points of the plane and of space cannot be mixed. The \
             drawing on line 23 begins it",
    ),
    (
        "[[drawing]]\nname = \"a\"\ntip = [0, 0]\n[[drawing]]\nname = \"a\"\ntip = [0, 0]",
        "ball.toml:26: drawing `a`: the name is used twice, first on line 23. Give each its own \
             name",
    ),
    (
        "[[drawing]]\nobstacle = [0, 0]",
        "ball.toml:24: drawing 1: `obstacle = [0, 0]`: a single point is no obstacle. Add \
             `radius` for a circle or `normal` for a straight wall, or give more points",
    ),
    (
        "[[drawing]]\ncurve = [\"u\", 0]\nover = [0, 1]",
        "ball.toml:25: drawing 1: `over = [0, 1]`: one parameter with its interval was \
             expected. It is written over = { u = [0, 1] }, the names your own",
    ),
    (
        "[[drawing]]\ntip = [0, 0]\ncolour = \"blu\"",
        "ball.toml:25: drawing 1: `colour = \"blu\"`: there is no such colour; did you mean \
             `blue`? (there is blue, vermilion, green, pink, amber, sky, black, grey)",
    ),
    (
        "[[drawing]]\ntip = [0, 0]\nangle = \"z\"",
        "ball.toml:23: drawing 1: `tip`: `angle` goes with the `radius` of a disc in the \
             plane. In space, draw a link to a point that turns with the body",
    ),
];

#[test]
fn wrong_drawings_are_refused_with_their_place() {
    for (drawing, message) in WRONG {
        assert_eq!(complaint(drawing), message, "{drawing}");
    }
}

#[test]
fn expressions_numbers_and_contacts_are_checked_before_a_run() {
    for (drawing, words) in [
        (
            "[[drawing]]\nname = \"b\"\ntip = [0, \"zz\"]",
            ["ball.toml:25: drawing `b`: `tip`", "unknown name `zz`"],
        ),
        (
            "[[drawing]]\ntip = [0, \"force_ground\"]",
            ["ball.toml:24: drawing 1: `tip", "forces are not known"],
        ),
        (
            "[[drawing]]\ntip = [0, 0]\nradius = \"-m\"",
            ["`radius", "a positive number was expected, not -1"],
        ),
        (
            "[[drawing]]\ntip = [0, 0]\nradius = \"z\"",
            ["`radius", "unknown name `z`"],
        ),
        (
            "[[drawing]]\ntip = [0, 0]\ncontact = \"grund\"",
            ["`contact = \"grund\"", "did you mean `ground`?"],
        ),
        (
            "[[drawing]]\ncurve = [\"u\", 0]\nover = { u = [1, 0] }",
            ["`over", "the interval from 1 to 0 is empty"],
        ),
        (
            "[[drawing]]\ncurve = [\"z\", 0]\nover = { z = [0, 1] }",
            ["`over", "Choose another name for the parameter"],
        ),
    ] {
        let said = complaint(drawing);
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    }
}

#[test]
fn a_scene_without_drawings_has_none() {
    let scene = Scene::parse("ball", "ball.toml", BALL).expect("a scene");
    assert!(!percuss_draw::drawing::has_drawing(&scene));
    let scene = Scene::parse("ball", "ball.toml", &with("[[drawing]]\ntip = [0, \"z\"]"));
    assert!(percuss_draw::drawing::has_drawing(&scene.expect("a scene")));
}
