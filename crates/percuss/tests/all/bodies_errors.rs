//! What is wrong with a scene of bodies is said exactly: materials, laws, bodies.

use crate::crowd::{refused, refused_in_space};

#[test]
fn the_world_has_two_or_three_dimensions() {
    refused(
        &[("dimension = 2", "dimension = 4")],
        "crowd.toml:9: [world]: `dimension = 4`: 2 (the plane) or 3 (space) was expected",
    );
    refused(
        &[("[world]\ndimension = 2", "[wrld]\ndimension = 2")],
        "crowd.toml:8: unknown key `wrld`; did you mean `world`?",
    );
    refused(
        &[("\"9.81*sin(slope)\", ", "")],
        "crowd.toml:10: [world]: `gravity = [\"-9.81*cos(slope)\"]`: an array of 2 values was expected, this one has 1",
    );
    refused(
        &[("9.81*sin(slope)", "9.81*sin(slop)")],
        "crowd.toml:10: [world]: `gravity`: unknown name `slop`; did you mean `slope`? (known here: mu, slope)\n  line 1, column 10\n  | 9.81*sin(slop)\n  |          ^^^^",
    );
    refused(
        &[("gravity =", "gravty =")],
        "crowd.toml:10: [world]: unknown key `gravty`; did you mean `gravity`? (known here: dimension, gravity)",
    );
}

#[test]
fn masses_and_densities_are_positive() {
    for (density, value) in [("0", "0"), ("-2", "-2")] {
        refused(
            &[("density = 2400", &format!("density = {density}"))],
            &format!(
                "crowd.toml:14: material `stone`: `density = {density}`: the value is {value}; a positive number was expected"
            ),
        );
    }
    refused(
        &[("density = 2400", "density = nan")],
        "crowd.toml:14: material `stone`: `density = nan`: a finite number was expected",
    );
    refused(
        &[("density = 2400", "density = \"1/(mu - 0.5)\"")],
        "crowd.toml:14: material `stone`: `density = \"1/(mu - 0.5)\"`: the value is inf; a finite number was expected",
    );
    refused(
        &[("position = [0, 0.05]", "mass = -1")],
        "crowd.toml:30: body `block`: `mass = -1`: the value is -1; a positive number was expected",
    );
    refused(
        &[("position = [0, 0.05]", "mass = 1\ninertia = 0")],
        "crowd.toml:31: body `block`: `inertia = [0]`: a moment of inertia of 0, and nothing holds the rotation: a contact or a \
         torque would turn the body infinitely fast. Give a positive one, a joint that holds the rotation, or name the \
         directions that move in `free`",
    );
    refused(
        &[("density = 2400\n", "")],
        "crowd.toml:25: body `block`: it has no `mass`, and its material `stone` has no `density`. Give one of them",
    );
    refused(
        &[("box = [0.2, 0.1]", "box = [1e-170, 1e-170]")],
        "crowd.toml:26: body `block`: its mass or moment of inertia is 0; a positive, finite number was expected. Check the sizes and the density",
    );
    refused_in_space(
        &[("position = [1, 2, 3]", "inertia = [1, 2, 4]")],
        "crowd.toml:28: body `ball`: `inertia = [1, 2, 4]`: no body has these moments: the largest exceeds the sum of the others",
    );
}

#[test]
fn unknown_materials_are_refused_with_the_nearest() {
    refused(
        &[(
            "box = [0.2, 0.1] }\nmaterial = \"stone\"",
            "box = [0.2, 0.1] }\nmaterial = \"stne\"",
        )],
        "crowd.toml:29: body `block`: `material`: there is no material `stne`; did you mean `stone`? (known here: stone)",
    );
    refused(
        &[("[\"stone\", \"stone\"]", "[\"stone\", \"store\"]")],
        "crowd.toml:17: law between `stone` and `store`: `between`: there is no material `store`; did you mean `stone`? (known here: stone)",
    );
    refused(
        &[("name = \"stone\"", "name = \"any\"")],
        "crowd.toml:12: material `any`: `any` stands for all materials in [[law]]. Choose another name",
    );
}

#[test]
fn every_pair_that_can_touch_has_one_law() {
    let law = "[[law]]\nbetween = [\"stone\", \"stone\"]\nfriction = \"mu\"\n";
    refused(
        &[(law, "")],
        "crowd.toml: no law says what happens where `stone` touches `stone`, and bodies of them can meet. Add a [[law]] with `between = [\"stone\", \"stone\"]`; \"any\" stands for all materials",
    );
    refused(
        &[
            ("[[law]]", "[[material]]\nname = \"ice\"\n\n[[law]]"),
            ("material = \"stone\"\nfixed", "material = \"ice\"\nfixed"),
        ],
        "crowd.toml: no law says what happens where `stone` touches `ice`, and bodies of them can meet. Add a [[law]] with `between = [\"stone\", \"ice\"]`; \"any\" stands for all materials",
    );
    refused(
        &[(
            "[[law]]",
            "[[law]]\nbetween = [\"stone\", \"stone\"]\n\n[[law]]",
        )],
        "crowd.toml:19: law between `stone` and `stone`: the pair is given twice, first on line 16. Keep one of them",
    );
    refused(
        &[
            ("[[law]]", "[[material]]\nname = \"ice\"\n\n[[law]]"),
            ("[\"stone\", \"stone\"]", "[\"stone\", \"any\"]"),
            (
                "[[body]]",
                "[[law]]\nbetween = [\"any\", \"ice\"]\n\n[[body]]",
            ),
            ("material = \"stone\"\nfixed", "material = \"ice\"\nfixed"),
        ],
        "crowd.toml:23: law between `any` and `ice`: for `stone` and `ice` this law and that on line 19 are equally good. Add a [[law]] with `between = [\"stone\", \"ice\"]`",
    );
}

#[test]
fn coefficients_of_laws_are_those_a_law_can_have() {
    let law = |line: &str, message: &str| {
        refused(
            &[("friction = \"mu\"", line)],
            &format!("crowd.toml:{message}"),
        );
    };
    law(
        "friction = -0.1",
        "18: law between `stone` and `stone`: `friction = -0.1`: the value is -0.1; a number >= 0 was expected",
    );
    law(
        "friction = { plus = -1, minus = 0 }",
        "18: law between `stone` and `stone`: `friction`: asymmetric Coulomb: plus is -1, but a coefficient must be a finite number >= 0",
    );
    law(
        "friction = { static = 0.1, dynamic = 0.2 }",
        "18: law between `stone` and `stone`: `friction`: static and dynamic friction: mu_dynamic = 0.2 exceeds mu_static = 0.1; a sliding contact cannot hold more than a resting one, the two may be exchanged",
    );
    law(
        "friction = { axes = [1, 2], along = [1, 0, 0] }",
        "16: law between `stone` and `stone`: friction { axes } is a law of space. In the plane use { plus, minus }",
    );
    law(
        "friction = { plus = 1, minus = 1, along = [1, 0, 0] }",
        "16: law between `stone` and `stone`: `along` does nothing with friction { plus, minus }. Drop it, or use { axes } or { polygon }",
    );
    law(
        "spinning_friction = 1",
        "16: law between `stone` and `stone`: there is no spin about the normal in the plane. Drop `spinning_friction`",
    );
    law(
        "friction = { static = 0.2, dynamic = 0.1 }\nrolling_friction = 1",
        "16: law between `stone` and `stone`: rolling and spinning friction go with one coefficient of sliding friction. Give `friction` as one value",
    );
    law(
        "rolling_friction = -1",
        "18: law between `stone` and `stone`: `rolling_friction = -1`: the value is -1; a number >= 0 was expected",
    );
    law(
        "restitution = 1.5",
        "18: law between `stone` and `stone`: `restitution = 1.5`: the value is 1.5, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)",
    );
    law(
        "restitution = 0.5\ndissipation = 0.2",
        "16: law between `stone` and `stone`: `restitution` and `dissipation` are both given, but each determines the other: e = (1 - delta)/(1 + delta). Keep one of them",
    );
    refused_in_space(
        &[("friction = 0.3", "friction = { axes = [1, 2] }")],
        "crowd.toml:14: law between `any` and `any`: friction { axes } needs `along`, the direction of its first axis in the axes of the body of `any`. Add `along = [x, y, z]`",
    );
    refused_in_space(
        &[(
            "friction = 0.3",
            "friction = { polygon = [[1, 0], [2, 0], [3, 0]], along = [0, 0, 0] }",
        )],
        "crowd.toml:16: law between `any` and `any`: `friction.along = [0, 0, 0]`: `along` has no direction: all entries are 0. Give at least one entry that is not 0",
    );
}

#[test]
fn boundaries_need_something_that_holds_them() {
    refused(
        &[("fixed = true\n", "")],
        "crowd.toml:20: body `ground`: a `half_plane` is a boundary and cannot move freely. Add `fixed = true`, a `motion`, or `free` with a `mass`",
    );
    refused(
        &[
            ("{ half_plane = [0, 1] }", "{ chain = [[0, 0], [1, 0]] }"),
            ("fixed = true\n", ""),
        ],
        "crowd.toml:20: body `ground`: a `chain` is a boundary and cannot move freely. Add `fixed = true`, a `motion`, or `free` with a `mass`",
    );
    refused(
        &[("fixed = true", "free = [\"y\"]")],
        "crowd.toml:20: body `ground`: it may move but has no `mass`, and a boundary has none of its own. Add `mass`",
    );
    refused(
        &[("fixed = true", "free = [\"turn\"]\nmass = 1")],
        "crowd.toml:20: body `ground`: it may turn but has no `inertia`, and a boundary has none of its own. Add `inertia`, or do not free its rotation",
    );
    refused(
        &[("fixed = true", "free = [\"z\"]\nmass = 1")],
        "crowd.toml:24: body `ground`: `free = \"z\"`: one of \"x\", \"y\", \"turn\" was expected",
    );
    refused(
        &[("fixed = true", "free = []")],
        "crowd.toml:24: body `ground`: `free = []`: nothing would be free. Write `fixed = true`, or name directions",
    );
    refused(
        &[("fixed = true", "fixed = true\nfree = [\"x\"]")],
        "crowd.toml:20: body `ground`: a body with `fixed = true` has neither `free` nor `motion`. Keep one of them",
    );
}

#[test]
fn keys_that_would_do_nothing_are_refused() {
    for (key, value) in [
        ("mass", "1"),
        ("inertia", "1"),
        ("velocity", "[1, 0]"),
        ("spin", "1"),
        ("force", "[1, 0]"),
        ("torque", "1"),
    ] {
        refused(
            &[("fixed = true", &format!("fixed = true\n{key} = {value}"))],
            &format!(
                "crowd.toml:25: body `ground`: `{key}`: this does nothing: the body is fixed. Drop it, or `fixed = true`"
            ),
        );
        refused(
            &[(
                "fixed = true",
                &format!("motion = {{ x = \"t\" }}\n{key} = {value}"),
            )],
            &format!(
                "crowd.toml:25: body `ground`: `{key}`: this does nothing: its motion is given. Drop it, or `motion`"
            ),
        );
    }
    refused(
        &[("position = [0, 0.05]", "at = [0, 1]")],
        "crowd.toml:26: body `block`: `at` is where a `force` acts, but none is given. Add `force`, or drop `at`",
    );
    refused(
        &[("position = [0, 0.05]", "free = [\"x\"]\nvelocity = [1, 1]")],
        "crowd.toml:31: body `block`: `velocity = [1, 1]`: it has a part in a direction that is held. Set that part to 0, or name the direction in `free`",
    );
}

#[test]
fn arrays_have_the_length_of_the_dimension() {
    refused(
        &[("position = [0, 0.05]", "position = [0, 0.05, 1]")],
        "crowd.toml:30: body `block`: `position = [0, 0.05, 1]`: an array of 2 values was expected, this one has 3",
    );
    refused(
        &[("position = [0, 0.05]", "spin = [0, 0, 1]")],
        "crowd.toml:30: body `block`: `spin = [0, 0, 1]`: a number or an expression in a string was expected, not an array",
    );
    refused_in_space(
        &[("position = [1, 2, 3]", "spin = 1")],
        "crowd.toml:28: body `ball`: `spin = 1`: an array of 3 values was expected, not a number",
    );
    refused_in_space(
        &[("position = [1, 2, 3]", "angle = 1")],
        "crowd.toml:28: body `ball`: unknown key `angle` (known here: at, axes, centre, fixed, force, free, inertia, mass, material, motion, name, orientation, position, rotation, shape, spin, torque, velocity)",
    );
    refused_in_space(
        &[("position = [1, 2, 3]", "orientation = [0, 0, 0, 0]")],
        "crowd.toml:28: body `ball`: `orientation = [0, 0, 0, 0]`: the quaternion has no direction: all entries are 0. Give at least one entry that is not 0",
    );
    refused_in_space(
        &[(
            "position = [1, 2, 3]",
            "orientation = [1, 0, 0, 0]\nrotation = { axis = [1, 0, 0], angle = 1 }",
        )],
        "crowd.toml:24: body `ball`: `rotation` and `orientation` are both given. Keep one of them",
    );
}
