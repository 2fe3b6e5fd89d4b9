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

/// The heights of all circles of a picture, in pixels.
fn circles(svg: &str) -> Vec<f64> {
    let height = |rest: &str| {
        let (_, y) = rest.split_once("cy=\"").expect("a height");
        let y = y.split('"').next().expect("a number");
        y.parse().expect("a number")
    };
    svg.split("<circle ").skip(1).map(height).collect()
}

#[test]
fn a_mechanism_is_drawn_at_several_instants_in_one_picture() {
    let here = folder();
    let plots = "\n[[plot]]\nname = \"listed\"\nkind = \"drawing\"\nat = [0, \"1/10\", 0.2, 0.4]\n\
                 [[plot]]\nname = \"stepped\"\nkind = \"drawing\"\nevery = 100\nto = 0.4005\n";
    put(here.path(), "ball.toml", &(drawn_ball() + plots));
    let ran = percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let of = |name: &str| {
        let ran = percuss(here.path(), &["plot", "r", name, "-o", "d.svg", "-q"]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let svg = fs::read_to_string(here.path().join("d.svg")).expect("drawn");
        // The label once, at the last instant.
        assert_eq!(svg.matches("a &lt;ball&gt;").count(), 1, "{name}");
        circles(&svg)
    };
    // The ball falls as t²: 1 - g t²/2 at 0, 0.1, 0.2 and 0.4 s, in one picture of one scale.
    for name in ["listed", "drawing:0,0.1,0.2,0.4"] {
        let heights = of(name);
        assert_eq!(heights.len(), 4, "{name}");
        let falls = [1, 2, 3].map(|k| heights[k] - heights[0]);
        assert!(falls[0] > 10.0);
        assert!((falls[1] / falls[0] - 4.0).abs() < 0.05, "{falls:?}");
        assert!((falls[2] / falls[0] - 16.0).abs() < 0.2, "{falls:?}");
    }
    // Every hundredth state of a millisecond up to 0.4 s, and as many instants of the interval.
    let (stepped, divided) = (of("stepped"), of("drawing:0..0.4/5"));
    assert_eq!(stepped.len(), 5);
    assert_eq!(stepped, divided);
    for (name, words) in [
        ("drawing:0,soon", "instants as in"),
        ("drawing:1..0/3", "not empty"),
        ("drawing:0..1", "instants as in"),
    ] {
        let refused = percuss(here.path(), &["plot", "r", name, "-q"]);
        assert_eq!(refused.status, 2, "{name}");
        assert!(refused.err.contains(words), "{}", refused.err);
    }
}

#[test]
fn plots_of_drawings_and_histograms_are_checked() {
    let here = folder();
    let refused = |scene: String, plot: &str, words: &str| {
        put(
            here.path(),
            "b.toml",
            &(scene + "\n[[plot]]\nname = \"p\"\n" + plot),
        );
        let ran = percuss(here.path(), &["check", "b.toml"]);
        assert_eq!(ran.status, 2, "{plot}");
        assert!(ran.err.contains(words), "{plot}: {}", ran.err);
    };
    for (plot, words) in [
        (
            "kind = \"drawing\"\n",
            "needs `at`, the instants, or `every`",
        ),
        (
            "kind = \"drawing\"\nat = 0\nevery = 2\n",
            "needs `at`, the instants, or `every`",
        ),
        (
            "kind = \"drawing\"\nevery = 2\ny = \"z\"\n",
            "`y` does nothing",
        ),
        (
            "kind = \"drawing\"\nevery = 2\nx = \"z\"\n",
            "`x` does nothing in a plot of `kind = \"drawing\"`",
        ),
        (
            "kind = \"drawing\"\nat = 0\nfrom = 0\n",
            "`from` and `to` go with `every`",
        ),
        ("kind = \"drawing\"\nevery = 1.5\n", "a whole number from 1"),
        ("y = \"z\"\nat = 0\n", "go with `kind = \"drawing\"`"),
        (
            "y = \"z\"\nfindings = \"f\"\n",
            "goes with `kind = \"histogram\"`",
        ),
        ("kind = \"histogram\"\n", "the key `y` is missing"),
        (
            "kind = \"histogram\"\nfindings = \"none\"\n",
            "no such finding",
        ),
        (
            "kind = \"histogram\"\ny = \"z\"\nx = \"t\"\n",
            "`x` does nothing",
        ),
        (
            "kind = \"bars\"\ny = \"z\"\n",
            "\"histogram\" or \"drawing\" was expected",
        ),
    ] {
        refused(drawn_ball(), plot, words);
    }
    refused(
        BALL.to_string(),
        "kind = \"drawing\"\nat = 0\n",
        "no [[drawing]]",
    );
}

#[test]
fn how_often_values_occur_is_counted_over_a_run_and_for_findings() {
    let here = folder();
    let more = "\n[[finding]]\nname = \"many\"\nvalue = \"list(1, 2, 2, 4)\"\n\
                [[plot]]\nname = \"spread\"\nkind = \"histogram\"\ny = \"z\"\n\
                [[plot]]\nname = \"found\"\nkind = \"histogram\"\nfindings = \"many\"\n";
    put(here.path(), "ball.toml", &(BALL.to_string() + more));
    let ran = percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for (name, words) in [
        ("spread", "values in each bin"),
        ("found", "values in each bin, of 4"),
    ] {
        let ran = percuss(here.path(), &["plot", "r", name, "-o", "h.svg", "-q"]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let svg = fs::read_to_string(here.path().join("h.svg")).expect("drawn");
        assert!(svg.contains(words), "{name}: {svg}");
    }
    percuss(
        here.path(),
        &["run", "ball.toml", "-q", "--no-findings", "-o", "s"],
    );
    let none = percuss(here.path(), &["plot", "s", "found", "-q"]);
    assert_ne!(none.status, 0);
    assert!(none.err.contains("was not measured"), "{}", none.err);
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
