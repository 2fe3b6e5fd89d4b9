//! Remarks about the equations of a mechanism: regularity, growth, integrability.

use percuss_scene::Scene;
use percuss_scene::symbolic::RemarkKind;

/// Kinds of the remarks of a scene with the coordinates x, y, z, unit masses, and further text.
fn kinds(forces: &str, further: &str) -> Vec<RemarkKind> {
    let mut text = String::from("kind = \"mechanism\"\n");
    for name in ["x", "y", "z"] {
        text += &format!("[[coordinate]]\nname = \"{name}\"\n");
    }
    text += "[dynamics]\nkinetic = \"0.5*(x_dot^2 + y_dot^2 + z_dot^2)\"\n";
    text += &format!("{forces}\n{further}\n[run]\nuntil = 1\nstep = 0.1\n");
    of(&text)
}

fn of(text: &str) -> Vec<RemarkKind> {
    let mut built = Scene::parse("s", "s.toml", text)
        .unwrap()
        .build_mechanism()
        .unwrap();
    let remarks = built.system.remarks(&built.initial);
    remarks.iter().map(|remark| remark.kind).collect()
}

fn force(text: &str) -> Vec<RemarkKind> {
    kinds(&format!("[dynamics.forces]\nx = \"{text}\""), "")
}

#[test]
fn forces_without_a_slope_at_the_start_are_noted() {
    use RemarkKind::Regularity;
    for text in [
        "6*abs(x)^(1/3)",
        "sqrt(abs(x))",
        "if(x > 0, sqrt(x), 0)",
        "sign(x_dot)",
        "5 + sqrt(abs(x_dot))",
    ] {
        assert_eq!(force(text), [Regularity], "{text}");
    }
    for text in [
        "0",
        "abs(x)",
        "1e9 - x",
        "sin(x) - 0.1*x_dot",
        "max(x, 0)",
        "6*abs(x + 1)^(1/3)",
        "sin(x)^2 + 1e-9*t",
    ] {
        assert_eq!(force(text), [], "{text}");
    }
}

#[test]
fn forces_that_grow_too_fast_are_noted_and_drag_is_not() {
    use RemarkKind::Growth;
    for text in [
        "x_dot^2",
        "abs(x_dot)*x_dot",
        "x^3",
        "x*abs(x)^0.5",
        "x_dot*y_dot",
    ] {
        assert_eq!(force(text), [Growth], "{text}");
    }
    for text in [
        "x_dot",
        "-x_dot*abs(x_dot)",
        "3*x + y_dot",
        "sin(x^3)",
        "-x_dot^3",
    ] {
        assert_eq!(force(text), [], "{text}");
    }
    // A potential by its fall.
    assert_eq!(kinds("potential = \"x^4\"", ""), []);
    assert_eq!(kinds("potential = \"x^2 - x\"", ""), []);
    assert_eq!(kinds("potential = \"-x^2\"", ""), []);
    assert_eq!(kinds("potential = \"-x^4\"", ""), [Growth]);
}

fn constrained(velocities: &[&str]) -> usize {
    let part = |(i, text): (usize, &&str)| {
        format!("[[velocity_constraint]]\nname = \"c{i}\"\nconstraint = \"{text}\"\n")
    };
    let all: String = velocities.iter().enumerate().map(part).collect();
    let found = kinds("", &all);
    assert!(found.iter().all(|kind| *kind == RemarkKind::Integrable));
    found.len()
}

#[test]
fn integrable_velocity_constraints_are_recognised_by_frobenius() {
    // Exact; with an integrating factor; with time, which makes y·t + const of the last but one.
    for text in [
        "x_dot - 2*y_dot",
        "exp(z)*(y_dot*x + x_dot*y + z_dot)",
        "x_dot - t*y_dot - y",
        "y*x_dot - x*y_dot",
    ] {
        assert_eq!(constrained(&[text]), 1, "{text}");
    }
    // Contact forms, and one that is exact at every instant but not in time.
    for text in [
        "x_dot - y*z_dot",
        "x_dot - t*y_dot",
        "cos(z)*y_dot - sin(z)*x_dot",
    ] {
        assert_eq!(constrained(&[text]), 0, "{text}");
    }
    // The second is integrable, and with it the first.
    assert_eq!(constrained(&["x_dot - y*z_dot", "y_dot"]), 2);
}

#[test]
fn the_brackets_of_spins_count() {
    let spin = |constraint: &str| {
        of(&format!(
            "kind = \"mechanism\"\n[[coordinate]]\nname = \"Q\"\nkind = \"orientation\"\ninitial = [0.8, 0.1, 0.5, 0.2]\n\
             [definitions]\nc = \"Q_11 + 0.3*Q_23\"\n[dynamics]\nkinetic = \"0.5*(Q_spin_1^2 + Q_spin_2^2 + Q_spin_3^2)\"\n\
             [[velocity_constraint]]\nname = \"hold\"\nconstraint = \"{constraint}\"\n[run]\nuntil = 1\nstep = 0.1\n"
        ))
    };
    // The rate of a function is exact; one spin of a body in space is not held by any function.
    assert_eq!(spin("c_dot"), [RemarkKind::Integrable]);
    assert_eq!(spin("Q_spin_1"), []);
}
