//! Findings, cases and studies of scenes of bodies, against closed forms.

use percuss_run::Value;

use crate::watch_common;
use crate::watch_common::{BALL, BLOCK, edited, findings, found, number};

#[track_caller]
fn close(value: f64, exact: f64, tolerance: f64) {
    assert!(
        (value - exact).abs() <= tolerance,
        "{value} instead of {exact}"
    );
}

#[test]
fn observables_are_measured_along_the_motion() {
    let text = edited(
        BALL,
        &[
            ("until = 1.0", "until = 0.4"),
            ("speed = 0.0", "speed = 3.0"),
        ],
    );
    // Free fall: y = 1.5 - 5 t². Ends of steps are exact, chords between them off by 5 h²/4.
    close(number(&text, "initial(ball_y)"), 1.5, 0.0);
    close(number(&text, "final(ball_y)"), 0.7, 1e-12);
    close(number(&text, "at(ball_y, 0.2)"), 1.3, 1e-12);
    close(
        number(&text, "at(ball_y, 0.2005)"),
        1.5 - 5.0 * 0.2005 * 0.2005,
        1.3e-6,
    );
    close(number(&text, "maximum(ball_speed)"), 5.0, 1e-12);
    close(number(&text, "minimum(ball_y, 0, 0.2)"), 1.3, 1e-12);
    close(number(&text, "integral(ball_vy)"), -0.8, 1e-12);
    close(number(&text, "mean(ball_x)"), 0.6, 1e-12);
    // y = 1 at t = sqrt(0.1).
    close(
        number(&text, "falling(ball_y - 1, 1)"),
        0.1_f64.sqrt(),
        1e-6,
    );
    close(number(&text, "2*final(ball_x) + h"), 2.401, 1e-12);
    assert_eq!(
        found(&text, "final(ball_x) > 1 and missed() < 1"),
        Ok(Value::Truth(true))
    );
    assert!(number(&text, "worst(momentum)") < 1e-9);
    let outside = found(&text, "at(ball_y, 0.7)").expect_err("after the end");
    assert!(outside.contains("t = 0.7 is outside the run"), "{outside}");
}

#[test]
fn the_impacts_of_a_bouncing_ball_are_those_of_the_books() {
    let text = edited(
        BALL,
        &[("e = 0.0", "e = 0.5"), ("until = 1.0", "until = 2.0")],
    );
    let fall = (2.0_f64 / 10.0).sqrt();
    let speed = 10.0 * fall;
    // Impacts at t = fall, then flights of 2 v/g with half the speed each. A time stepper knows each
    // to a step, and errors add up.
    for (k, exact) in [
        (1, fall),
        (2, 2.0 * fall),
        (3, 2.5 * fall),
        (4, 2.75 * fall),
    ] {
        close(
            number(&text, &format!("impact(ground, {k})")),
            exact,
            2e-3 * f64::from(k),
        );
    }
    close(number(&text, "speed_before(ground, 1)"), -speed, 0.02);
    close(number(&text, "speed_after(ground, 1)"), 0.5 * speed, 0.02);
    close(number(&text, "impacts(ground, 0.9)"), 3.0, 0.0);
    // They end at fall (1 + 2 (1/2 + 1/4 + ...)) = 3 fall.
    close(number(&text, "accumulation(ground)"), 3.0 * fall, 0.01);
    close(number(&text, "detach(ground, 1)"), fall, 2e-3);
    let none = found(&text, "stick(ground, 1)").expect_err("no friction");
    assert!(
        none.contains("`ground` has 0 beginnings of sticking, not 1"),
        "{none}"
    );
    // Everything that stops the ball comes from the ground: m g T over the run.
    close(number(&text, "impulse(ground)"), 2.0 * 10.0 * 2.0, 1e-3);
}

#[test]
fn what_rests_from_the_start_touches_and_does_not_collide() {
    assert_eq!(number(BLOCK, "impacts(foot)"), 0.0);
    assert!(number(BLOCK, "touch(foot, 1)") < 0.02);
    let gone = found(BLOCK, "detach(foot, 1)").expect_err("it stays");
    assert!(gone.contains("0 detachments"), "{gone}");
}

#[test]
fn sliding_ends_where_friction_says() {
    let edits = [
        (
            "position = [0, 0.25]",
            "position = [0, 0.25]\nvelocity = [1, 0]",
        ),
        ("until = 0.1", "until = 0.4"),
        ("step = 1e-2", "step = 1e-3"),
    ];
    let text = edited(BLOCK, &edits);
    // mu g = 5: from 1 m/s it stops after 0.2 s and 0.1 m.
    close(number(&text, "stick(foot, 1)"), 0.2, 2e-3);
    close(number(&text, "final(block_x)"), 0.1, 1e-3);
    // Pulled by a force that grows to 15 N in 0.3 s it begins to slide at 10 N.
    let pull = ("mass = 2\n", "mass = 2\nforce = [\"50*t\", 0]\n");
    let text = edited(
        BLOCK,
        &[
            pull,
            ("until = 0.1", "until = 0.3"),
            ("step = 1e-2", "step = 1e-3"),
        ],
    );
    close(number(&text, "slip(foot, 1)"), 0.2, 3e-3);
}

#[test]
fn a_rocking_block_strikes_with_its_other_foot() {
    // Let go from a tilt it falls on its other corner: a collision although one corner stays down.
    let edits = [
        (
            "position = [0, 0.25]",
            "position = [\"0.5*cos(a) - 0.25*sin(a)\", \"0.5*sin(a) + 0.25*cos(a)\"]\nangle = \"a\"",
        ),
        ("mu = 0.5", "mu = 5\na = 0.1"),
        ("until = 0.1", "until = 0.6"),
        ("step = 1e-2", "step = 1e-3"),
    ];
    let text = edited(BLOCK, &edits);
    close(number(&text, "impacts(foot, 0.3)"), 1.0, 0.0);
    assert!(number(&text, "impact(foot, 1)") > 0.05);
}

#[test]
fn errors_and_orders_of_the_scheme_are_measured() {
    let spring = r#"kind = "bodies"
[parameters]
k = 4.0
[world]
dimension = 2
[[material]]
name = "m"
[[body]]
name = "disc"
shape = { disc = 0.1 }
material = "m"
mass = 1
position = [1, 0]
force = ["-k*x", 0]
[run]
until = 1
step = 1e-2
"#;
    // The midpoint scheme is of second order for x = cos 2t.
    let order = number(spring, "order(disc_x; 4e-2, 2e-2, 1e-2; cos(sqrt(k)*t))");
    close(order, 2.0, 0.05);
    let order = number(spring, "order(disc_x, disc_vx; 4e-2, 2e-2; finest)");
    close(order, 2.0, 0.05);
    let error = number(spring, "error(disc_x; 1e-2; cos(sqrt(k)*t))");
    assert!(error > 1e-6 && error < 1e-3, "{error}");
}

/// A pulled block in several circumstances.
const CIRCUMSTANCES: &str = r#"
[[case]]
name = "ice"
set = { mu = 0.1 }
[[case]]
name = "buried"
set = { depth = 0.1 }
[[case]]
name = "weightless"
set = { m = -1 }
[[study]]
name = "grips"
vary = { mu = [0.1, 0.3, 0.5] }
observe = { way = "final(block_x)", grip = "mean(friction_foot)" }
[[study]]
name = "threshold"
set = { until = 0.2 }
bisect = { key = "mu", from = 0.1, to = 1, tolerance = 1e-3 }
when = "final(block_x) > 1e-4"
[[finding]]
name = "slides"
value = "final(block_x)"
case = "ice"
expected = "0.5*(pull/2 - mu*g)*0.04"
tolerance = 1e-3
[[finding]]
name = "holds"
value = "final(block_x)"
expected = 0
tolerance = 1e-9
[[finding]]
name = "ways"
value = "column(grips, way)"
[[finding]]
name = "grips"
value = "largest(column(grips, grip))"
expected = 6
tolerance = 0.7
[[finding]]
name = "threshold"
value = "threshold(threshold)"
expected = 0.3
tolerance = 0.01
[[finding]]
name = "refused"
value = "fails(\"overlap\")"
case = "buried"
expected = true
[[finding]]
name = "massless"
value = "fails(\"mass\")"
case = "weightless"
expected = true
[[finding]]
name = "alive"
value = "fails(\"overlap\")"
expected = false
"#;

#[test]
fn cases_studies_and_bisections_run_their_own_bodies() {
    let edits = [
        ("mass = 2\n", "mass = \"m\"\nforce = [\"pull\", 0]\n"),
        ("mu = 0.5", "mu = 0.5\npull = 6\ndepth = 0\nm = 2"),
        ("[0, 0.25]", "[0, \"0.25 - depth\"]"),
        ("until = 0.1", "until = 0.2"),
    ];
    let text = edited(BLOCK, &edits) + CIRCUMSTANCES;
    let one = findings(&text, 1);
    for finding in &one {
        assert_ne!(finding.ok, Some(false), "{finding:?}");
    }
    let ways = one
        .iter()
        .find(|finding| finding.name == "ways")
        .expect("a list");
    let Some(Value::List(ways)) = &ways.value else {
        panic!("{ways:?}");
    };
    // Above tan = 0.3 it holds.
    assert!(
        ways[0] > ways[1] && ways[1] > -1e-9 && ways[2].abs() < 1e-9,
        "{ways:?}"
    );
    assert_eq!(
        one,
        findings(&text, 2),
        "the number of threads changes nothing"
    );
}

#[test]
fn findings_of_a_case_may_name_bodies_that_only_it_has() {
    let text = r#"kind = "bodies"
[parameters]
n = 2
[world]
dimension = 2
[[material]]
name = "m"
density = 1
[[law]]
between = ["any", "any"]
[[grid]]
name = "g"
material = "m"
radius = 0.1
counts = ["n", 1]
spacing = 1
[[case]]
name = "more"
set = { n = 4 }
[[finding]]
name = "there"
value = "final(g_4_x) - final(g_1_x)"
case = "more"
expected = 3
tolerance = 1e-12
[run]
until = 0.1
step = 0.1
"#;
    let found = findings(text, 1);
    assert_eq!(found[0].ok, Some(true), "{:?}", found[0]);
    let wrong = edited(text, &[("g_4_x", "g_5_x")]);
    assert!(watch_common::refusal(&wrong).contains("g_5_x"));
}

#[test]
fn a_measure_of_nothing_has_a_reason() {
    let edits = [(
        "[run]",
        "[[region]]\nname = \"far\"\nlow = [50, 50]\nhigh = [60, 60]\n[run]",
    )];
    let text = edited(BALL, &edits);
    let none = found(&text, "maximum(mean_x_far)").expect_err("no bodies there");
    assert!(
        none.contains("`mean_x_far` has no value at t = 0"),
        "{none}"
    );
    assert_eq!(number(&text, "maximum(count_far)"), 0.0);
    let stopped = edited(
        BALL,
        &[("mass = 2\n", "mass = 2\nforce = [\"sqrt(0.05 - t)\", 0]\n")],
    );
    let none = found(&stopped, "final(ball_x)").expect_err("it did not get there");
    assert!(none.contains("stopped at t ="), "{none}");
    assert!(number(&stopped, "at(ball_x, 0.02)") > 0.0);
}
