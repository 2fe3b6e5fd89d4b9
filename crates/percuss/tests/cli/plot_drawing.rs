//! `percuss plot DIR drawing`: a mechanism at an instant.

use std::fs;

use crate::common::scenes::{BALL, put};
use crate::common::{folder, percuss};

/// The ball with a floor and a disc.
fn drawn_ball() -> String {
    format!(
        "{BALL}\n[[drawing]]\nname = \"floor\"\nobstacle = [0, 0]\nnormal = [0, 1]\ncontact = \
         \"floor\"\n[[drawing]]\nname = \"ball\"\ntip = [0, \"z + 0.1\"]\nradius = 0.1\nlabel = \
         \"a <ball>\"\n"
    )
}

/// The height of the only circle of a picture, in pixels.
fn circle(svg: &str) -> f64 {
    let (_, rest) = svg.split_once("<circle ").expect("a circle");
    assert!(!rest.contains("<circle "), "one circle");
    let (_, y) = rest.split_once("cy=\"").expect("a height");
    y.split('"')
        .next()
        .expect("a number")
        .parse()
        .expect("a number")
}

#[test]
fn a_mechanism_is_drawn_at_an_instant() {
    let here = folder();
    put(here.path(), "ball.toml", &drawn_ball());
    let ran = percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let list = percuss(here.path(), &["plot", "r"]);
    assert!(
        list.out.lines().any(|line| line.starts_with("drawing ")),
        "{}",
        list.out
    );
    let height = |arguments: &[&str]| {
        let mut all = vec!["plot", "r"];
        all.extend(arguments);
        all.extend(["-o", "d.svg", "-q"]);
        let ran = percuss(here.path(), &all);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let svg = fs::read_to_string(here.path().join("d.svg")).expect("drawn");
        assert!(svg.contains("a &lt;ball&gt;") && !svg.contains("NaN"));
        circle(&svg)
    };
    // Down the page it falls as t^2: 1 - g t^2/2 at 0.1, 0.2 and 0.4 s.
    let start = height(&["drawing", "--at", "0"]);
    let falls = ["drawing:0.1", "drawing:0.2", "drawing:0.4"].map(|name| height(&[name]) - start);
    assert!(falls[0] > 10.0);
    // Heights are written to a hundredth of a pixel; a step of the fall is 1e-3 of its end.
    assert!((falls[1] / falls[0] - 4.0).abs() < 0.05, "{falls:?}");
    assert!((falls[2] / falls[0] - 16.0).abs() < 0.2, "{falls:?}");
    let ran = percuss(here.path(), &["plot", "r", "drawing", "-o", "d.png", "-q"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let png = fs::read(here.path().join("d.png")).expect("drawn");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let ran = percuss(here.path(), &["verify", "r"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "drawn.toml", &drawn_ball());
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "plain"]);
    percuss(here.path(), &["run", "drawn.toml", "-q", "-o", "drawn"]);
    let none = percuss(here.path(), &["plot", "plain", "drawing"]);
    assert_eq!(none.status, 2);
    assert!(none.err.contains("declares no [[drawing]]"), "{}", none.err);
    for (arguments, words) in [
        (
            ["plot", "drawn", "drawing", "--log-x"],
            "--log-x does not apply",
        ),
        (
            ["plot", "drawn", "drawing:soon", "-q"],
            "a time was expected",
        ),
    ] {
        let refused = percuss(here.path(), &arguments);
        assert_eq!(refused.status, 2);
        assert!(refused.err.contains(words), "{}", refused.err);
    }
    let wrong = drawn_ball().replace("\"z + 0.1\"", "\"zz\"");
    put(here.path(), "wrong.toml", &wrong);
    for command in ["check", "run"] {
        let refused = percuss(here.path(), &[command, "wrong.toml"]);
        assert_eq!(refused.status, 2, "{command}");
        assert!(refused.err.contains("unknown name `zz`"), "{}", refused.err);
    }
}
