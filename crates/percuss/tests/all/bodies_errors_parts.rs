//! What is wrong with names, groups, regions, preparations and settings is said exactly.

use crate::crowd::{refused, refused_in_space};

fn added(part: &str, message: &str) {
    refused(
        &[("[run]", &format!("{part}\n\n[run]"))],
        &format!("crowd.toml:{message}"),
    );
}

#[test]
fn names_are_words_and_used_once() {
    refused(
        &[("name = \"block\"", "name = \"a block\"")],
        "crowd.toml:26: body `a block`: `a block` cannot be a name. A name has letters, digits and `_` and does not begin with a digit, so that expressions can use it",
    );
    refused(
        &[("name = \"block\"", "name = \"ground\"")],
        "crowd.toml:26: body `ground`: the name is used twice, first on line 20. Give each its own name",
    );
    added(
        "[[group]]\nname = \"block\"\nbodies = [\"ground\"]",
        "32: group `block`: `block` is already the name of a body, given on line 26. Give each its own name",
    );
    added(
        "[[region]]\nname = \"block\"\nlow = [0, 0]",
        "32: region `block`: `block` is already the name of a body, given on line 26. Give each its own name",
    );
    refused(
        &[("mu = 0.5", "mu = 0.5\ncontacts = 2")],
        "crowd.toml:6: [parameters]: `contacts = 2`: this is also an observable, of the whole collection. Rename one of them",
    );
    refused(
        &[("mu = 0.5", "mu = 0.5\nkinetic = 2")],
        "crowd.toml:6: [parameters]: `kinetic = 2`: `kinetic` is the kinetic energy and cannot be used as a name",
    );
    refused(
        &[("mu = 0.5", "mu = 0.5\nblock_x = 2")],
        "crowd.toml:6: [parameters]: `block_x = 2`: this is also an observable, `x` of the body `block`. Rename one of them",
    );
    added(
        "[[body]]\nname = \"block_force\"\nshape = { disc = 1 }\nmaterial = \"stone\"",
        "32: body `block_force`: `block_force_x` would have two meanings: `x` of the body `block_force`, and `force_x` of the body `block`. Rename one of them",
    );
    added(
        "[[watch]]\nname = \"x\"\nbetween = [\"block\", \"ground\"]\n\n[[body]]\nname = \"gap\"\nshape = { disc = 1 }\nmaterial = \"stone\"",
        "32: watch `x`: `gap_x` would have two meanings: `x` of the body `gap`, and `gap` of the watch `x`. Rename one of them",
    );
}

#[test]
fn unknown_bodies_are_refused_with_the_nearest() {
    added(
        "[[group]]\nname = \"g\"\nbodies = [\"blok\"]",
        "34: group `g`: `bodies`: there is no body or group `blok`; did you mean `block`? (known here: ground, block, g)",
    );
    added(
        "[[watch]]\nname = \"w\"\nbetween = [\"block\", \"grund\"]",
        "34: watch `w`: `between`: there is no body or group `grund`; did you mean `ground`? (known here: ground, block)",
    );
    added(
        "[[region]]\nname = \"r\"\nlow = [0, 0]\nof = \"bloc\"",
        "35: region `r`: `of`: there is no body or group `bloc`; did you mean `block`? (known here: ground, block)",
    );
    added(
        "[[field]]\nforce = [1, 0]\nbodies = \"sky\"",
        "34: field 1: `bodies`: there is no body or group `sky` (known here: ground, block)",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nfixed = [\"blok\"]",
        "35: prepare `p`: `fixed`: there is no body or group `blok`; did you mean `block`? (known here: ground, block)",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nfree = { grond = [\"y\"] }",
        "35: prepare `p`: `free`: there is no body `grond`; did you mean `ground`? (known here: ground, block)",
    );
}

#[test]
fn groups_are_no_rings() {
    added(
        "[[group]]\nname = \"a\"\nbodies = [\"block\", \"b\"]\n\n[[group]]\nname = \"b\"\nbodies = [\"a\"]",
        "38: group `b`: `bodies = \"a\"`: `a` has itself as a member. Groups cannot be rings",
    );
    added(
        "[[group]]\nname = \"a\"\nbodies = []",
        "34: group `a`: `bodies = []`: the array is empty. Name at least one",
    );
}

#[test]
fn regions_have_room() {
    added(
        "[[region]]\nname = \"r\"\nlow = [0, 1]\nhigh = [1, \"t\"]",
        "35: region `r`: `high = \"t\"`: from 1 to 0 along axis 2 there is nothing. `low` must be below `high`",
    );
    added(
        "[[region]]\nname = \"r\"\nlow = [0, 1]\nslices = { axis = \"y\", count = 2 }",
        "32: region `r`: `high = inf`: slices need finite bounds along their axis",
    );
    added(
        "[[region]]\nname = \"r\"\nlow = [0, 1]\nslices = { axis = \"z\", count = 2 }",
        "35: region `r`, slices: `axis = \"z\"`: one of \"x\", \"y\" was expected",
    );
    added(
        "[[region]]\nname = \"r\"",
        "32: region `r`: `low` or `high` was expected. A region has at least one bound; see [[group]]",
    );
    added(
        "[[region]]\nname = \"r\"\nlow = [0, 1, 2]",
        "34: region `r`: `low = [0, 1, 2]`: an array of 2 values was expected, this one has 3",
    );
}

#[test]
fn forces_that_reach_nothing_are_refused() {
    added(
        "[[field]]\nforce = [1, 0]\nbodies = \"ground\"",
        "32: field 1: it does nothing: none of its bodies can move",
    );
    added(
        "[[drag]]\ncoefficient = 1\nbodies = [\"ground\"]",
        "32: drag 1: it does nothing: none of its bodies can move",
    );
    added(
        "[[drag]]\ncoefficient = -1",
        "33: drag 1: `coefficient = -1`: the value is -1; a number >= 0 was expected",
    );
    added(
        "[[drag]]\nbodies = \"block\"",
        "32: drag 1: `coefficient` or `spin_coefficient` was expected",
    );
    added(
        "[[field]]\nper = \"mass\"",
        "32: field 1: `force` or `torque` was expected",
    );
    added(
        "[[field]]\nforce = [0, 0]\nper = \"weight\"",
        "34: field 1: `per = \"weight\"`: one of \"body\", \"mass\" was expected",
    );
}

#[test]
fn preparations_change_what_can_be_changed() {
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nset = { nu = 1 }",
        "35: prepare `p`, set: `nu`: there is no parameter `nu`; did you mean `mu`? (known here: mu, slope)",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nset = { mu = -1 }",
        "18: law between `stone` and `stone`: `friction = \"mu\"`: the value is -1; a number >= 0 was expected",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nfree = { block = [\"x\"] }",
        "35: prepare `p`: `free = \"block\"`: `block` follows forces already. `free` is for bodies that are fixed or whose motion is given",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nfixed = [\"ground\"]",
        "35: prepare `p`: `fixed = \"ground\"`: `ground` is fixed already. Drop it",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1e-4",
        "34: prepare `p`: `until = 0.0001`: it lasts 0.0001, less than the run's step of 0.001. Give it a `step` of its own",
    );
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 0",
        "34: prepare `p`: `until = 0`: the value is 0; a positive number was expected",
    );
    // Freed in a preparation, the boundary needs a mass.
    added(
        "[[prepare]]\nname = \"p\"\nuntil = 1\nfree = { ground = [\"y\"] }",
        "20: body `ground`: it may move but has no `mass`, and a boundary has none of its own. Add `mass`",
    );
}

#[test]
fn settings_out_of_range_are_refused() {
    let run = |old: &str, new: &str, message: &str| {
        refused(&[(old, new)], &format!("crowd.toml:{message}"));
    };
    run(
        "step = 1e-3",
        "step = 0",
        "34: [run]: `step = 0`: the value is 0; a positive number was expected",
    );
    run(
        "step = 1e-3",
        "step = 5",
        "34: [run]: `step = 5`: a step of 5 is longer than the run of 2. Shorten the step or lengthen the run",
    );
    run(
        "until = 2.0",
        "start = 3\nuntil = 2.0",
        "34: [run]: `until = 2`: the run from start = 3 to until = 2 is empty. `until` must be later than `start`",
    );
    run(
        "step = 1e-3",
        "step = 1e-3\nsolver = \"nlgz\"",
        &format!(
            "35: [run]: `solver = \"nlgz\"`: one of {} was expected; did you mean \"nlgs\"?",
            percuss_solve::NAMES
                .map(|name| format!("\"{name}\""))
                .join(", ")
        ),
    );
    run(
        "step = 1e-3",
        "step = 1e-3\nactivation = \"gaps\"",
        "35: [run]: `activation = \"gaps\"`: one of \"gap\", \"predicted\" was expected; did you mean \"gap\"?",
    );
    run(
        "step = 1e-3",
        "step = 1e-3\ntolerance = 2",
        "35: [run]: `tolerance = 2`: the value is 2; a number below 1 was expected",
    );
    run(
        "step = 1e-3",
        "step = 1e-3\nmax_iterations = 0",
        "35: [run]: `max_iterations = 0`: the value is 0; a whole number from 1 was expected",
    );
    run(
        "step = 1e-3",
        "step = 1e-3\noverlap = -1",
        "35: [run]: `overlap = -1`: the value is -1; a number >= 0 was expected",
    );
    run(
        "step = 1e-3",
        "step = 1e-3\ntheta = 0.5",
        "35: [run]: unknown key `theta` (known here: activation, correction, integrator, max_iterations, overlap, record_every, relax, solver, start, step, stop, tolerance, until)",
    );
}

#[test]
fn pictures_are_checked() {
    added(
        "[[picture]]\nname = \"forces\"",
        "32: picture `forces`: every run has a picture `forces`. Choose another name",
    );
    added(
        "[[picture]]\nname = \"p\"\ncolour = \"sped\"",
        "34: picture `p`: `colour = \"sped\"`: one of \"none\", \"speed\", \"displacement\", \"spin\", \"material\", \"mass\" was expected; did you mean `speed`?",
    );
    added(
        "[[picture]]\nname = \"p\"\nview = [0, 0, 1]",
        "34: picture `p`: unknown key `view` (known here: at, colour, forces, high, low, name, title)",
    );
    refused_in_space(
        &[(
            "[run]",
            "[[picture]]\nname = \"p\"\nview = [0, 0, 0]\n\n[run]",
        )],
        "crowd.toml:32: picture `p`: `view = [0, 0, 0]`: the view has no direction: all entries are 0. Give at least one entry that is not 0",
    );
}
