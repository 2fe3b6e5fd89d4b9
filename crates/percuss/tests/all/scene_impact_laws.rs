//! Impact laws of scenes: maps, energetic restitution, impulse ratios, and what is refused.

use percuss_mechanism::{EventDriven, Integrator, Scheme, TimeStepper};
use percuss_scene::Scene;

/// A rod that falls on its end and two balls in a row, as text.
const BALLS: &str = r#"
kind = "mechanism"
[parameters]
e = 0.8
[[coordinate]]
name = "a"
initial = -0.1
velocity = 1.0
[[coordinate]]
name = "b"
initial = 1.0
[dynamics]
kinetic = "0.5*a_dot^2 + 0.5*3*b_dot^2"
[[contact]]
name = "pair"
gap = "b - a - 1"
restitution = "e"
[run]
until = 0.5
step = 1e-3
"#;

fn end(text: &str, set: &[(&str, &str)]) -> Result<Vec<f64>, String> {
    let scene = Scene::parse("balls", "balls.toml", text).map_err(|e| e.to_string())?;
    let scene = scene.with_overrides(set).map_err(|e| e.to_string())?;
    let built = scene.build_mechanism().map_err(|e| e.to_string())?;
    let (until, event) = (built.until, built.settings.scheme == Scheme::Event);
    let mut motion: Box<dyn Integrator> = match event {
        true => Box::new(
            EventDriven::new(built.system, built.settings, built.initial)
                .map_err(|e| e.to_string())?,
        ),
        false => Box::new(
            TimeStepper::new(built.system, built.settings, built.initial)
                .map_err(|e| e.to_string())?,
        ),
    };
    while motion.state().t < until - 1e-9 {
        motion.advance().map_err(|e| e.to_string())?;
    }
    Ok(motion.state().v.clone())
}

/// Momentum and e of two balls of masses 1 and 3.
fn newton(e: f64) -> [f64; 2] {
    let centre = 0.25;
    [centre - 0.75 * e, centre + 0.25 * e]
}

#[test]
fn one_contact_has_one_outcome_by_every_law() {
    for law in ["moreau", "canonical", "energetic", "lzb"] {
        for integrator in ["midpoint", "theta", "event"] {
            let v = end(BALLS, &[("law", law), ("integrator", integrator)]).unwrap();
            let exact = newton(0.8);
            // The LZB law is integrated to 1e-13 or so.
            assert!(
                (v[0] - exact[0]).abs() < 1e-11 && (v[1] - exact[1]).abs() < 1e-11,
                "{law} {integrator} {v:?}"
            );
        }
    }
}

fn with_map(map: &str) -> String {
    BALLS.replace(
        "[run]",
        &format!("[impact]\nlaw = \"map\"\n[impact.velocity]\n{map}\n[run]"),
    )
}

#[test]
fn a_map_of_expressions_is_followed_and_checked() {
    let centre = "(a_dot + 3*b_dot)/4";
    let good = with_map(&format!(
        "a = \"{centre} - 0.75*e*(a_dot - b_dot)*closed_pair\"\nb = \"{centre} + 0.25*e*(a_dot - b_dot)\""
    ));
    for integrator in ["midpoint", "event"] {
        let v = end(&good, &[("integrator", integrator)]).unwrap();
        let exact = newton(0.8);
        assert!(
            (v[0] - exact[0]).abs() < 1e-14 && (v[1] - exact[1]).abs() < 1e-14,
            "{v:?}"
        );
    }
    let gains = end(&good, &[("e", "1.01")]);
    assert!(
        gains
            .unwrap_err()
            .contains("an impact law is admissible only")
    );
    let wrong = with_map("a = \"-1.2\"\nb = \"2.2/3\"");
    assert!(
        end(&wrong, &[])
            .unwrap_err()
            .contains("raise the kinetic energy")
    );
    let lost = with_map("a = 0.0");
    assert!(
        end(&lost, &[])
            .unwrap_err()
            .contains("no impulses S >= 0 of `pair`")
    );
    let nan = with_map("a = \"ln(a_dot - 1)\"");
    assert!(
        end(&nan, &[])
            .unwrap_err()
            .contains("the velocity after the impact of `a`")
    );
}

#[test]
fn wrong_keys_of_impacts_are_named() {
    let missing = BALLS.replace("[run]", "[impact]\nlaw = \"map\"\n[run]");
    assert!(
        end(&missing, &[])
            .unwrap_err()
            .contains("the map F(q, v-) is missing")
    );
    let unknown = with_map("c = 1.0");
    assert!(
        end(&unknown, &[])
            .unwrap_err()
            .contains("there is no coordinate `c`")
    );
    let name = with_map("a = \"closed_pear\"");
    assert!(end(&name, &[]).unwrap_err().contains("closed_pear"));
    let useless = with_map("a = \"b_dot\"").replace("law = \"map\"\n", "");
    assert!(
        end(&useless, &[])
            .unwrap_err()
            .contains("does nothing with the Moreau law")
    );
    let stiff = BALLS.replace(
        "restitution = \"e\"",
        "restitution = \"e\"\nstiffness = 2.0",
    );
    assert!(
        end(&stiff, &[])
            .unwrap_err()
            .contains("`stiffness` does nothing")
    );
    assert!(end(&stiff, &[("law", "lzb")]).is_ok());
    let negative = stiff.replace("stiffness = 2.0", "stiffness = -2.0");
    assert!(
        end(&negative, &[("law", "lzb")])
            .unwrap_err()
            .contains("a positive number was expected")
    );
    let exponent = BALLS.replace("[run]", "[impact]\nlaw = \"lzb\"\nexponent = 0.5\n[run]");
    assert!(
        end(&exponent, &[])
            .unwrap_err()
            .contains("a number from 1 to 10 was expected")
    );
    let rough = BALLS.replace("restitution = \"e\"", "tangent = \"a_dot\"\nfriction = 0.1");
    let rough = rough.replace(
        "[run]",
        "[impact]\nlaw = \"map\"\n[impact.velocity]\na = \"b_dot\"\n[run]",
    );
    assert!(
        end(&rough, &[])
            .unwrap_err()
            .contains("without friction (B02 1.10)")
    );
}

/// T = ½ e^{ct} v²: the momentum e^{ct} v is constant, x = (1 − e^{−ct})/c.
#[test]
fn a_kinetic_energy_may_depend_on_time() {
    let text = r#"
kind = "mechanism"
[parameters]
c = 0.7
[[coordinate]]
name = "x"
velocity = 1.0
[dynamics]
kinetic = "0.5*exp(c*t)*x_dot^2"
[run]
until = 2.0
step = 1e-3
"#;
    let exact = (-1.4_f64).exp();
    let error = |step: &str, integrator: &str| {
        (end(text, &[("step", step), ("integrator", integrator)]).unwrap()[0] - exact).abs()
    };
    assert!(error("1e-2", "event") < 1e-12);
    // Order two: half the step, a quarter of the error, to the next order.
    for integrator in ["midpoint", "theta"] {
        let ratio = error("2e-2", integrator) / error("1e-2", integrator);
        assert!((ratio - 4.0).abs() < 0.1, "{integrator} {ratio}");
    }
}
