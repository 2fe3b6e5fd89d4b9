//! Words of earlier versions: old keys, measures and columns are accepted with a warning; records that have them are
//! read like those of today.

use percuss_record::{ColumnValues, Manifest, Table};

use crate::common::alter::rewrite;
use crate::common::scenes::put;
use crate::common::{folder, percuss};

/// A box on a floor, let down in a preparation during which it may be kept in its place.
const BOX: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["stone", "stone"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [0.4, 0.2] }
material = "stone"
position = [0, 0.15]
[[prepare]]
name = "wait"
until = 0.05
fixed = ["block"]
[run]
until = 0.05
step = 0.005
"#;

/// Two bars on a pin with friction, of which one falls.
const HINGED: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["stone", "stone"]
friction = 0.5
[[body]]
name = "wall"
shape = { half_plane = [0, 1] }
material = "stone"
position = [0, -5]
fixed = true
[[body]]
name = "bar"
shape = { box = [0.8, 0.1] }
material = "stone"
position = [0.4, 1]
[[joint]]
name = "pin"
kind = "revolute"
between = ["wall", "bar"]
at = [0, 1]
friction = 0.2
radius = 0.05
[run]
until = 0.2
step = 0.005
"#;

#[test]
fn the_old_key_of_a_preparation_gives_the_same_run_with_a_warning() {
    let here = folder();
    let old_text = BOX.replace("fixed = [\"block\"]", "hold = [\"block\"]");
    put(here.path(), "new.toml", BOX);
    put(here.path(), "old.toml", &old_text);
    let new = percuss(here.path(), &["run", "new.toml", "-o", "new", "--quiet"]);
    assert!(
        new.status == 0 && !new.err.contains("warning"),
        "{}",
        new.err
    );
    let old = percuss(here.path(), &["run", "old.toml", "-o", "old", "--quiet"]);
    assert_eq!(old.status, 0, "{}", old.err);
    let sentence = "prepare `wait`: the key `hold` is called `fixed` now";
    assert!(old.err.contains(sentence), "{}", old.err);
    let manifest = Manifest::read(&here.path().join("old")).expect("a manifest");
    assert_eq!(manifest.warnings.len(), 1, "{:?}", manifest.warnings);
    assert!(manifest.warnings[0].contains(sentence));
    // The same motion, in which the block has not moved in the preparation.
    let bodies = |run| percuss(here.path(), &["table", run, "bodies"]).out;
    assert_eq!(bodies("old"), bodies("new"));
    assert!(bodies("new").contains("0.15"), "{}", bodies("new"));
    // `check` warns, too.
    let checked = percuss(here.path(), &["check", "old.toml"]);
    assert!(
        checked.status == 0 && checked.err.contains(sentence),
        "{}",
        checked.err
    );
}

#[test]
fn old_and_new_key_together_and_unknown_keys_are_refused() {
    let here = folder();
    let both = BOX.replace(
        "fixed = [\"block\"]",
        "fixed = [\"block\"]\nhold = [\"block\"]",
    );
    put(here.path(), "both.toml", &both);
    let ran = percuss(here.path(), &["run", "both.toml", "-o", "run"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err
            .contains("prepare `wait`: `hold` and `fixed` are both given"),
        "{}",
        ran.err
    );
    let unknown = BOX.replace("fixed = [\"block\"]", "fixd = [\"block\"]");
    put(here.path(), "unknown.toml", &unknown);
    let ran = percuss(here.path(), &["run", "unknown.toml", "-o", "run"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err
            .contains("unknown key `fixd`; did you mean `fixed`?")
            && !ran.err.contains("hold"),
        "{}",
        ran.err
    );
}

#[test]
fn the_old_measure_is_accepted_with_a_warning_and_unknown_ones_are_not() {
    let here = folder();
    let finding = |value: &str| {
        let text = BOX.split_once("[[prepare]]").expect("a part").0;
        format!(
            "{text}[parameters]\nmu = 0.5\n[run]\nuntil = 0.01\nstep = 0.005\n[[finding]]\nname = \"f\"\n\
             value = \"{value}\"\n"
        )
    };
    for (file, measure, status) in [
        ("new.toml", "critical_parameter", 0),
        ("old.toml", "verge", 0),
        ("unknown.toml", "vergr", 2),
    ] {
        put(
            here.path(),
            file,
            &finding(&format!("{measure}(mu, 0.1, 0.9)")),
        );
        let ran = percuss(here.path(), &["check", file]);
        assert_eq!(ran.status, status, "{file}: {}", ran.err);
        let warned = ran
            .err
            .contains("the measure `verge` is called `critical_parameter` now");
        assert_eq!(warned, measure == "verge", "{file}: {}", ran.err);
        if status == 2 {
            assert!(ran.err.contains("vergr"), "{}", ran.err);
        }
    }
}

/// Gives columns and words of a table the names they had in earlier versions.
fn as_before(table: &mut Table) {
    for column in &mut table.columns {
        column.name = match column.name.as_str() {
            "joint_friction" => "rub".into(),
            "bilateral" => "held".into(),
            name => match name.strip_prefix("projection_") {
                Some(row) => format!("hold_{row}"),
                None => name.into(),
            },
        };
    }
    let part = table.columns.iter().position(|c| c.name == "part");
    if let Some(ColumnValues::Text(all)) = part.and_then(|k| table.values.get_mut(k)) {
        let bilateral = all.iter_mut().filter(|text| &***text == "bilateral");
        bilateral.for_each(|text| *text = "held".into());
    }
}

#[test]
fn records_of_bodies_written_before_are_read_with_the_names_of_today() {
    let here = folder();
    put(here.path(), "hinged.toml", HINGED);
    let ran = percuss(here.path(), &["run", "hinged.toml", "-o", "run", "--quiet"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let table = |more: &[&str]| percuss(here.path(), &[&["table", "run"][..], more].concat());
    let written = [table(&["steps"]).out, table(&["joints"]).out];
    assert!(written[0].contains("joint_friction") && written[1].contains("bilateral"));
    // The manifest is written anew with each table: the columns of `steps` come last.
    rewrite(here.path(), "joints", as_before);
    rewrite(here.path(), "steps", as_before);
    // The file and the manifest have the old names.
    let manifest = std::fs::read_to_string(here.path().join("run/run.json")).expect("a manifest");
    assert!(manifest.contains("\"rub\"") && !manifest.contains("\"joint_friction\""));
    assert_eq!([table(&["steps"]).out, table(&["joints"]).out], written);
    let verified = percuss(here.path(), &["verify", "run"]);
    assert_eq!(verified.status, 0, "{}{}", verified.out, verified.err);
    let exported = percuss(here.path(), &["plot", "run", "energy", "-o", "energy.svg"]);
    assert_eq!(exported.status, 0, "{}", exported.err);
    // A user may ask by the old name, for one version.
    let asked = table(&["steps", "--columns", "t,rub"]);
    assert_eq!(asked.status, 0, "{}", asked.err);
    assert!(asked.out.starts_with("t,joint_friction"), "{}", asked.out);
    assert!(
        asked
            .err
            .contains("the column `rub` of the table `steps` is called `joint_friction` now"),
        "{}",
        asked.err
    );
    let unknown = table(&["steps", "--columns", "t,rubb"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.err.contains("no column `rubb`"), "{}", unknown.err);
}

#[test]
fn records_of_mechanisms_written_before_are_verified() {
    let here = folder();
    let args = [
        "run",
        "pendulum",
        "-o",
        "run",
        "--quiet",
        "--no-findings",
        "--set",
        "until=0.2",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let contacts = || percuss(here.path(), &["table", "run", "contacts"]).out;
    let written = contacts();
    assert!(written.contains("projection_n"));
    rewrite(here.path(), "contacts", as_before);
    assert_eq!(contacts(), written);
    let verified = percuss(here.path(), &["verify", "run"]);
    assert_eq!(verified.status, 0, "{}{}", verified.out, verified.err);
}
