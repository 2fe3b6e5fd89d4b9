//! What is wrong with the form of a scene file is said exactly.

use crate::common::refused;

#[test]
fn unknown_keys_are_refused_with_the_nearest_known_one() {
    refused(
        &[(r#"gap = "z""#, r#"gapp = "z""#)],
        "ball.toml:20: contact `ground`: unknown key `gapp`; did you mean `gap`?",
    );
    refused(
        &[("[dynamics]", "[dynamic]")],
        "ball.toml:14: unknown key `dynamic`; did you mean `dynamics`?",
    );
    refused(
        &[("step = 1e-3", "stepp = 1e-3")],
        "ball.toml:25: [run]: unknown key `stepp`; did you mean `step`?",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot"
friction = { statik = 0.3, dynamic = 0.4 }"#,
        )],
        "ball.toml:22: contact `ground`, friction: unknown key `statik`; did you mean `static`? (known here: axes, dynamic, minus, plus, polygon, static)",
    );
    refused(
        &[(
            "[run]",
            r#"[[nonfirm]]
name = "brake"
constraint = "z_dot"
force = { atleast = 0 }

[run]"#,
        )],
        "ball.toml:26: non-firm constraint `brake`, force: unknown key `atleast`; did you mean `at_least`? (known here: at_least, at_most, ball, between, box, ellipse, factor, half_spaces, polygon, sum, vertices)",
    );
}

#[test]
fn missing_and_misplaced_things_are_named() {
    refused(
        &[(
            r#"gap = "z"
"#,
            "",
        )],
        "ball.toml:18: contact `ground`: the key `gap` is missing",
    );
    refused(
        &[(
            r#"[[coordinate]]
name = "z"
initial = 1.0
velocity = 0.0
"#,
            "",
        )],
        "ball.toml:1: a mechanism needs at least one coordinate. Add a [[coordinate]] with a name",
    );
    refused(
        &[(
            r#"[run]
until = 2.0
step = 1e-3
"#,
            "",
        )],
        "ball.toml:1: the part [run] is missing. Add [run] with `until` and `step`",
    );
    refused(
        &[(
            r#"kind = "mechanism"
"#,
            "",
        )],
        r#"ball.toml:1: the key `kind` is missing. Add `kind = "mechanism"`, `kind = "bodies"` or `kind = "sweep"`"#,
    );
    refused(
        &[(r#"kind = "mechanism""#, r#"kind = "body""#)],
        r#"ball.toml:1: `kind = "body"`: "mechanism", "bodies" or "sweep" was expected. A file with `kind = "study"` is run by `percuss study`"#,
    );
    refused(
        &[(r#"gap = "z""#, "gap = true")],
        "ball.toml:20: contact `ground`: `gap = true`: a number or an expression in a string was expected, not true or false",
    );
    refused(
        &[("[run]", "[run")],
        "ball.toml:23: this is not valid TOML: unclosed table, expected `]`",
    );
    refused(
        &[(
            "until = 2.0",
            r#"until = 2.0
until = 3.0"#,
        )],
        "ball.toml:25: this is not valid TOML: duplicate key",
    );
}

#[test]
fn names_are_unique() {
    refused(
        &[(
            "m = 1.0",
            r#"m = 1.0
z = 1"#,
        )],
        "ball.toml:6: [parameters]: `z`: the name `z` is used twice",
    );
    refused(
        &[(
            "[dynamics]",
            r#"[[coordinate]]
name = "z"

[dynamics]"#,
        )],
        "ball.toml:14: coordinate `z`: the name is used twice, first on line 9. Give each its own name",
    );
    refused(
        &[(
            "[run]",
            r#"[[contact]]
name = "ground"
gap = "z"

[run]"#,
        )],
        "ball.toml:23: contact `ground`: the name is used twice, first on line 18. Give each its own name",
    );
    refused(
        &[(
            "[run]",
            r#"[[joint]]
name = "ground"
constraint = "z"

[run]"#,
        )],
        "ball.toml:23: joint `ground`: `name`: another constraint is called `ground`. Contacts, joints and other constraints need names of their own",
    );
}

#[test]
fn names_are_names_and_mean_nothing_else() {
    refused(
        &[(
            "m = 1.0",
            r#"m = 1.0
h = 1"#,
        )],
        "ball.toml:6: [parameters]: `h = 1`: `h` is the length of a step in findings and cannot be used as a name",
    );
    refused(
        &[(r#"name = "ground""#, r#"name = "the ground""#)],
        "ball.toml:18: contact `the ground`: `name`: `the ground` is not a name: names begin with a letter or `_` and go on with letters, digits and `_`",
    );
    refused(
        &[(
            "m = 1.0",
            r#"m = 1.0
gap_ground = 1"#,
        )],
        "ball.toml:19: the name `gap_ground` is used twice: `gap_ground` is an observable of this constraint. Rename the constraint or whatever else has this name",
    );
}

#[test]
fn empty_runs_and_steps_without_meaning_are_refused() {
    refused(
        &[("until = 2.0", "until = -1.0")],
        "ball.toml:24: [run]: `until = -1`: the run from start = 0 to until = -1 is empty. `until` must be later than `start`",
    );
    refused(
        &[("step = 1e-3", "step = 3")],
        "ball.toml:25: [run]: `step = 3`: a step of 3 is longer than the run of 2. Shorten the step or lengthen the run",
    );
    refused(
        &[("step = 1e-3", "step = 0")],
        "ball.toml:25: [run]: `step = 0`: the value is 0; a positive number was expected",
    );
    refused(
        &[(
            "step = 1e-3",
            "step = { tolerance = 1e-6, smallest = 1e-2, largest = 1e-3 }",
        )],
        "ball.toml:25: [run]: `step.largest = 0.001`: steps from 0.01 to 0.001 are an empty range. `largest` must not be below `smallest`",
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
tolerance = 2"#,
        )],
        "ball.toml:26: [run]: `tolerance = 2`: the value is 2; a number below 1 was expected",
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
record_every = 0.5"#,
        )],
        "ball.toml:26: [run]: `record_every = 0.5`: a whole number from 1 was expected",
    );
}

#[test]
fn words_of_settings_are_checked() {
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
integrator = "midpiont""#,
        )],
        r#"ball.toml:26: [run]: `integrator = "midpiont"`: one of "midpoint", "projected", "theta", "paoli", "event" was expected; did you mean "midpoint"?"#,
    );
    refused(
        &[(
            "[run]",
            r#"[impact]
law = "newton"

[run]"#,
        )],
        r#"ball.toml:24: [impact]: `law = "newton"`: one of "moreau", "canonical", "sequential", "poisson", "energetic", "lzb", "map" was expected"#,
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
integrator = "theta"
theta = 0.2"#,
        )],
        "ball.toml:27: [run]: `theta = 0.2`: the value is 0.2; 0.5 to 1 was expected",
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
theta = 0.7"#,
        )],
        r#"ball.toml:26: [run]: `theta = 0.7`: `theta` does nothing with the integrator "midpoint". Add `integrator = "theta"` or drop it"#,
    );
    refused(
        &[(
            "[run]",
            r#"[impact]
restitution = 0.5

[run]"#,
        )],
        r#"ball.toml:24: [impact]: `restitution = 0.5`: `restitution` does nothing with the Moreau law. Add `law = "canonical"`, or give the restitution to the contacts"#,
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
tangent_cone = "start""#,
        )],
        r#"ball.toml:26: [run]: `tangent_cone = "start"`: one of "midpoint", "end" was expected"#,
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
integrator = "theta"
tangent_cone = "end""#,
        )],
        r#"ball.toml:27: [run]: `tangent_cone = "end"`: the choice exists for the integrator "midpoint" only. Drop it"#,
    );
    refused(
        &[
            (
                "step = 1e-3",
                r#"step = 1e-3
tangent_cone = "end""#,
            ),
            (
                "[run]",
                r#"[impact]
law = "poisson"

[run]"#,
            ),
        ],
        r#"ball.toml:29: [run]: `tangent_cone = "end"`: it does not go with the impact law "poisson". Use "moreau" or "canonical", or drop it"#,
    );
    refused(
        &[("initial = 1.0", r#"kind = "lines""#)],
        r#"ball.toml:11: coordinate `z`: `kind = "lines"`: "line", "angle" or "orientation" was expected"#,
    );
}

/// Impact laws that act before a step, and keys that the integrator `projected` has no use for.
#[test]
fn settings_that_do_not_go_with_the_integrator_are_refused() {
    refused(
        &[
            (
                "step = 1e-3",
                r#"step = 1e-3
integrator = "projected""#,
            ),
            (
                "[run]",
                r#"[impact]
law = "poisson"

[run]"#,
            ),
        ],
        r#"ball.toml:29: [run]: `integrator = "projected"`: it does not go with the impact law "poisson", which acts on the velocity before a step. Use `integrator = "midpoint"`, or the impact law "moreau" or "canonical""#,
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
integrator = "projected"
correction = true"#,
        )],
        r#"ball.toml:27: [run]: `correction = true`: the integrator "projected" corrects every contact by itself. Drop it"#,
    );
    refused(
        &[(
            "step = 1e-3",
            r#"step = 1e-3
integrator = "paoli"
forces = "implicit""#,
        )],
        r#"ball.toml:27: [run]: `forces = "implicit"`: the integrators "midpoint" and "projected" have implicit forces only; "theta" is implicit by itself. Drop it"#,
    );
}

#[test]
fn studies_and_cases_are_checked() {
    refused(
        &[(
            "[run]",
            r#"[[study]]
name = "s"
when = "final(z) > 0"
bisect = { key = "m", from = 2, to = 1, tolerance = 1e-3 }

[run]"#,
        )],
        "ball.toml:26: study `s`, bisect: `from = 2`: the interval from 2 to 1 is empty. `from` must be below `to`",
    );
    refused(
        &[(
            "[run]",
            r#"[[study]]
name = "s"
when = "final(z) > 0"
bisect = { key = "mm", from = 1, to = 2, tolerance = 1e-3 }

[run]"#,
        )],
        "ball.toml:26: study `s`: `mm`: there is no such parameter or setting (those that can be set: m, g, weight, start, until, step, integrator, theta, forces, tangent_cone, correction, tolerance, law, record.every, record.coordinates_every, record.contacts_every, record.tables, record.from, record.until, record.compression, certificate.gain, certificate.penetration, certificate.resting, certificate.drift, certificate.dissipation, certificate.length)",
    );
    refused(
        &[(
            "[run]",
            r#"[[study]]
name = "s"
observe = { a = "final(z)" }

[run]"#,
        )],
        "ball.toml:23: study `s`: a study needs `vary` or `bisect`. Say which key takes which values (`points` and `repeat` do so, too)",
    );
    refused(
        &[(
            "[run]",
            r#"[[case]]
name = "fine"
set = { stepp = 1e-4 }

[run]"#,
        )],
        "ball.toml:23: case `fine`: `stepp`: there is no such parameter or setting; did you mean `step`? (those that can be set: m, g, weight, start, until, step, integrator, theta, forces, tangent_cone, correction, tolerance, law, record.every, record.coordinates_every, record.contacts_every, record.tables, record.from, record.until, record.compression, certificate.gain, certificate.penetration, certificate.resting, certificate.drift, certificate.dissipation, certificate.length)",
    );
}

#[test]
fn findings_and_plots_are_checked() {
    refused(
        &[(
            "[run]",
            r#"[[finding]]
name = "x"
value = "final(z)"
case = "fine"

[run]"#,
        )],
        "ball.toml:23: finding `x`: there is no case `fine` (known here: main)",
    );
    refused(
        &[(
            "[run]",
            r#"[[finding]]
name = "x"
value = "final(z)"
expected = 1
at_most = 2

[run]"#,
        )],
        "ball.toml:23: finding `x`: at most one of `expected`, `at_most`, `at_least`, `between` may be given. Keep one",
    );
    refused(
        &[(
            "[run]",
            r#"[[finding]]
name = "x"
value = "final(z)"
between = [2, 1]

[run]"#,
        )],
        "ball.toml:26: finding `x`: `between = [2, 1]`: the interval from 2 to 1 is empty",
    );
    refused(
        &[(
            "[run]",
            r#"[[plot]]
name = "x"
y = "a"
study = "s"

[run]"#,
        )],
        "ball.toml:23: plot `x`: there is no study `s` (there are none)",
    );
}
