//! Structures through the command line: they are made and stand; what cannot be is refused at its key.

use crate::common::{folder, percuss};

/// A scene of space (or of the plane) with one structure on the ground.
fn scene(dimension: usize, structure: &str) -> String {
    let (gravity, ground) = match dimension {
        2 => ("[0, -9.81]", "{ half_plane = [0, 1] }"),
        _ => ("[0, 0, -9.81]", "{ half_space = [0, 0, 1] }"),
    };
    format!(
        r#"kind = "bodies"
title = "A structure"
[world]
dimension = {dimension}
gravity = {gravity}
[[material]]
name = "stone"
density = 2400
[[law]]
between = ["any", "any"]
friction = 0.8
[[body]]
name = "ground"
shape = {ground}
material = "stone"
fixed = true
{structure}
material = "stone"
[run]
until = 0.02
step = 1e-3
[[finding]]
name = "moved"
value = "final(max_displacement_it)"
at_most = 1e-7
[[finding]]
name = "joints"
value = "initial(joints_it)"
"#
    )
}

const VAULT: &str =
    "[[vault]]\nname = \"it\"\nradius = 2\nthickness = 0.4\nvoussoirs = 7\ndepth = 1\nrings = 2\n";
const DOME: &str =
    "[[dome]]\nname = \"it\"\nradius = 2\nthickness = 0.4\ncourses = 3\nblocks = 8\n";
const DRUMS: &str =
    "[[drums]]\nname = \"it\"\nradius = 0.5\ntop = 0.4\ncount = 3\nheight = 2\nsides = 12\n";
const WALL: &str = "[[drystone]]\nname = \"it\"\nstone = [0.25, 0.6]\ncourse = [0.2, 0.3]\nlength = 2\nheight = 0.8\nseed = 2\n";
const ROW: &str = "[[row]]\nname = \"it\"\nblock = [0.1, 0.5]\ncount = 3\nspacing = 0.2\n";
const CARDS: &str = "[[cards]]\nname = \"it\"\ncard = [0.09, 0.002]\nstoreys = 2\nlean = 0.3\n";

#[test]
fn structures_stand_with_the_joints_they_were_made_with() {
    let cases = [
        // Four courses of two, three of three; each course over the next with four pairs.
        (3, VAULT.to_string(), Some(4.0 + 6.0 + 6.0 * 4.0)),
        // Two courses of eight, sixteen pairs between them, and the keystone.
        (3, DOME.to_string(), Some(16.0 + 16.0 + 8.0)),
        (3, format!("{DOME}fixed = \"springers\"\n"), None),
        (3, format!("{VAULT}span = 2\nfixed = \"springers\"\n"), None),
        (2, "[[arch]]\nname = \"it\"\nradius = 2\nthickness = 0.4\nvoussoirs = 7\nspan = 2\nfixed = \"springers\"\n".into(), None),
        (3, "[[arch]]\nname = \"it\"\nradius = 2\nthickness = 0.4\nvoussoirs = 7\ndepth = 0.5\n".into(), Some(6.0)),
        (3, DRUMS.to_string(), Some(2.0)),
        (3, DRUMS.replace("sides = 12\n", "capital = [1, 1, 0.2]\n"), Some(3.0)),
        (2, WALL.to_string(), None),
        (3, format!("{WALL}depth = 0.4\nirregular = 0.4\n"), None),
        (2, ROW.to_string(), Some(0.0)),
        (3, ROW.replace("[0.1, 0.5]", "[0.1, 0.2, 0.5]\nheading = 1\nturn = 0.5"), Some(0.0)),
        // Three ridges; one flat card on two, carrying two.
        (2, CARDS.to_string(), Some(3.0 + 4.0)),
        (3, CARDS.replace("[0.09, 0.002]", "[0.09, 0.06, 0.002]"), Some(3.0 + 4.0)),
    ];
    let here = folder();
    for (dimension, structure, joints) in cases {
        std::fs::write(here.path().join("it.toml"), scene(dimension, &structure)).expect("a scene");
        let args = ["run", "it.toml", "--json", "--quiet"];
        let ran = percuss(here.path(), &args);
        assert_eq!(ran.status, 0, "{structure}{}{}", ran.out, ran.err);
        let found = ran.json()["findings"][1]["value"].as_f64();
        assert!(joints.is_none() || found == joints, "{structure}{found:?}");
    }
}

#[test]
fn springers_stay_and_the_others_do_not() {
    let here = folder();
    // Without friction all but what is fixed moves at once.
    let text = scene(
        3,
        &format!("{VAULT}span = 2\norigin = [0, 0, 5]\nfixed = \"springers\"\n"),
    );
    let text = text
        .replace("friction = 0.8", "friction = 0")
        .replace("max_dis", "min_dis");
    let text = text.replace("initial(joints_it)", "list(final(it_1_displacement), final(it_2_displacement), final(it_3_displacement), final(it_16_displacement), final(it_17_displacement))");
    std::fs::write(here.path().join("it.toml"), text).expect("a scene");
    let ran = percuss(here.path(), &["run", "it.toml", "--json", "--quiet"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let moved: Vec<bool> = ran.json()["findings"][1]["value"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|x| x.as_f64() != Some(0.0))
        .collect();
    // Seven courses of 2 and 3: the first and the last two are springers.
    assert_eq!(moved, [false, false, true, false, false]);
}

/// A structure of a dimension, and what the message about it must say.
type Refusal = (usize, String, &'static [&'static str]);

fn refused(refusals: &[Refusal]) {
    let here = folder();
    for (dimension, structure, words) in refusals {
        let text = scene(*dimension, structure);
        std::fs::write(here.path().join("it.toml"), text).expect("a scene");
        let ran = percuss(here.path(), &["check", "it.toml", "--quiet"]);
        assert_eq!(ran.status, 2, "{structure}{}", ran.out);
        for word in *words {
            assert!(ran.err.contains(word), "{word}: {}", ran.err);
        }
    }
}

#[test]
fn vaults_domes_and_drums_that_cannot_be_are_refused_with_key_line_and_advice() {
    refused(&[
        (
            3,
            VAULT.replace("0.4", "4"),
            &["it.toml:20: vault `it`: `thickness`", "twice the radius 2"],
        ),
        (
            3,
            VAULT.replace("voussoirs = 7", "voussoirs = 1"),
            &["`voussoirs`", "Use 2 or more"],
        ),
        (
            3,
            VAULT.replace("rings = 2", "rings = 0"),
            &["`rings", "whole number"],
        ),
        (
            3,
            format!("{VAULT}bond = \"runing\"\n"),
            &["`bond", "did you mean `running`"],
        ),
        (
            3,
            format!("{VAULT}fixed = \"springer\"\n"),
            &["`fixed", "\"springers\""],
        ),
        (
            3,
            format!("{DRUMS}fixed = \"springers\"\n"),
            &["`fixed", "true or false"],
        ),
        (
            2,
            VAULT.to_string(),
            &["vault `it`", "generator of space", "[[arch]]"],
        ),
        (
            3,
            DOME.replace("blocks = 8", ""),
            &["dome `it`", "`blocks` or `size`"],
        ),
        (3, format!("{DOME}span = 4\n"), &["`span`", "half sphere"]),
        (
            3,
            format!("{DOME}oculus = 3.5\n"),
            &["`oculus`", "less than the span"],
        ),
        (
            3,
            DRUMS.replace("sides = 12", "sides = 2"),
            &["`sides`", "between 3 and 128"],
        ),
    ]);
}

#[test]
fn walls_rows_and_cards_that_cannot_be_are_refused_with_key_and_advice() {
    refused(&[
        (
            2,
            WALL.replace("[0.25, 0.6]", "[0.5, 0.5]"),
            &["`stagger`", "no bond was found", "smaller `stagger`"],
        ),
        (
            2,
            WALL.replace("height = 0.8", "height = 0.19"),
            &["`height`", "not a sum of courses"],
        ),
        (
            2,
            ROW.replace("spacing = 0.2", "spacing = 0.1"),
            &["`spacing`", "middle to middle"],
        ),
        (2, format!("{ROW}turn = 1\n"), &["`turn`"]),
        (2, CARDS.replace("0.002", "0.02"), &["`card`", "too thick"]),
    ]);
}
