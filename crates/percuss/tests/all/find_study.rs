//! Studies in scenes and in files of their own.

use std::path::PathBuf;

use percuss_run::{StudyFile, Threads, Value};

/// A ball thrown upwards: it rises to v²/2g.
const THROW: &str = r#"
kind = "mechanism"
[parameters]
g = 10.0
v = 3.0
x0 = 0.0
[[coordinate]]
name = "x"
initial = "x0"
velocity = "v"
[dynamics]
kinetic = "0.5*x_dot^2"
potential = "g*x"
[[contact]]
name = "floor"
gap = "x"
restitution = 0.5
[run]
until = 0.5
step = 1e-3
[[finding]]
name = "first_impact"
value = "impact(floor, 1)"
[[finding]]
name = "costly"
value = "error(x; 1e-2; event)"
"#;

/// A folder of its own for each test, with the scene in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("percuss-study-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("throw.toml"), THROW).expect("a scene");
        Self(path)
    }

    fn study(&self, text: &str) -> Result<StudyFile, String> {
        let path = self.0.join("study.toml");
        let whole = format!("kind = \"study\"\nscene = \"throw.toml\"\n{text}");
        std::fs::write(&path, whole).expect("a study");
        let path = path.to_string_lossy();
        // Messages begin with the folder, which differs from run to run.
        let folder = format!("{}/", self.0.to_string_lossy());
        StudyFile::load(&path).map_err(|error| error.to_string().replace(&folder, ""))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_grid_has_all_its_points_in_order() {
    let folder = Folder::new("grid");
    let study = folder.study(
        "[vary]\nv = [1, \"2\"]\ng = { from = 5, to = \"2*5\", count = 2 }\n\
         [observe]\nheight = \"maximum(x)\"",
    );
    let study = study.expect("a study");
    assert_eq!(study.runs().expect("a number"), 4);
    let result = study.run(Threads::new(2), &mut |_| true).expect("a result");
    let table = &result.table;
    assert_eq!(table.keys, ["v", "g"]);
    // Findings of the main run are columns too, but not those that need runs of their own.
    assert_eq!(table.columns, ["height", "first_impact"]);
    assert_eq!(table.numbers("v").expect("numbers"), [1.0, 1.0, 2.0, 2.0]);
    assert_eq!(table.numbers("g").expect("numbers"), [5.0, 10.0, 5.0, 10.0]);
    let heights = table.numbers("height").expect("numbers");
    for (found, expected) in heights.iter().zip([0.1, 0.05, 0.4, 0.2]) {
        // The top lies up to half a step from a state: g h²/8, and the scheme's own g h²/8.
        assert!((found - expected).abs() < 3e-6, "{heights:?}");
    }
    // 2v/g = 0.8 is after the end of the run: no value, and why.
    let cell = &table.rows[2].cells[1];
    assert_eq!(cell.reason.as_deref(), Some("`floor` has 0 impacts, not 1"));
    let error = table.numbers("first_impact").expect_err("no number");
    assert_eq!(
        error,
        "run 3 of 4 of the study `study` has no number `first_impact`: `floor` has 0 impacts, not 1"
    );
}

#[test]
fn samples_are_the_same_for_any_number_of_threads() {
    let folder = Folder::new("sample");
    let study = folder.study(
        "[vary]\n\"run.step\" = { sample = \"0.002 - 0.001*rnd\", count = 40, seed = 7 }\n\
         v = { sample = \"1 + rnd\", count = 40, seed = 7 }\n\
         [observe]\nend = \"final(x)\"\n[outcomes]\nof = [\"end\"]\ntolerance = 0.01",
    );
    let study = study.expect("a study");
    let one = study.run(Threads::new(1), &mut |_| true).expect("a result");
    for threads in [2, 3] {
        let other = study
            .run(Threads::new(threads), &mut |_| true)
            .expect("a result");
        assert_eq!(other, one);
    }
    let steps = one.table.numbers("run.step").expect("numbers");
    let speeds = one.table.numbers("v").expect("numbers");
    assert_eq!(steps.len(), 40);
    assert!(steps.iter().all(|h| *h > 0.001 && *h <= 0.002));
    // Drawn together, but each from its own sequence.
    let same = |(h, v): (&f64, &f64)| ((0.002 - h) * 1000.0 - (v - 1.0)).abs() < 1e-9;
    assert!(!steps.iter().zip(&speeds).any(same));
    let outcomes = one.outcomes.expect("outcomes");
    assert_eq!(
        outcomes.iter().map(|outcome| outcome.runs).sum::<usize>(),
        40
    );
    let shares: f64 = outcomes.iter().map(|outcome| outcome.share).sum();
    assert!((shares - 1.0).abs() < 1e-12 && outcomes.len() > 1);
    assert!(outcomes.windows(2).all(|pair| pair[0].runs >= pair[1].runs));
}

#[test]
fn outcomes_gather_runs_that_agree() {
    let folder = Folder::new("outcomes");
    let study = folder.study(
        "[vary]\nv = [1, 2, 1.0001, 2, 1]\n[observe]\nheight = \"maximum(x)\"\n\
         [outcomes]\nof = [\"height\", \"v\"]\ntolerance = 1e-3",
    );
    let study = study.expect("a study");
    assert_eq!(study.outcome_columns(), ["height", "v"]);
    let outcomes = study
        .run(Threads::new(1), &mut |_| true)
        .expect("a result")
        .outcomes;
    let outcomes = outcomes.expect("outcomes");
    let counts: Vec<(usize, usize)> = outcomes.iter().map(|o| (o.runs, o.first)).collect();
    assert_eq!(counts, [(3, 1), (2, 2)]);
    assert_eq!(outcomes[1].share, 0.4);
    // (1 + 1.0001 + 1)/3.
    assert!((outcomes[0].centre[1] - (1.0 + 1e-4 / 3.0)).abs() < 1e-15);
}

#[test]
fn a_bisection_finds_where_the_condition_changes() {
    let folder = Folder::new("bisect");
    let study = folder.study(
        "when = \"maximum(x) > 0.2\"\n[bisect]\nkey = \"v\"\nfrom = 0.5\nto = 4\ntolerance = 1e-4\n\
         [vary]\ng = [5, 10]\n[observe]\nheight = \"maximum(x)\"",
    );
    let table = study
        .expect("a study")
        .run(Threads::new(2), &mut |_| true)
        .expect("a result")
        .table;
    assert_eq!(table.columns[0], "threshold");
    let found = table.numbers("threshold").expect("numbers");
    for (found, g) in found.iter().zip([5.0_f64, 10.0]) {
        // Half the tolerance, and g h²/4 of height over the slope v/g.
        assert!((found - (2.0 * g * 0.2).sqrt()).abs() < 6e-5, "{found}");
    }
    // What is observed is observed there.
    for height in table.numbers("height").expect("numbers") {
        assert!((height - 0.2).abs() < 5e-5, "{height}");
    }
    let flat = folder.study(
        "when = \"maximum(x) > 90\"\n[bisect]\nkey = \"v\"\nfrom = 0.5\nto = 4\ntolerance = 1e-4",
    );
    let result = flat
        .expect("a study")
        .run(Threads::new(1), &mut |_| true)
        .expect("a result");
    let cell = &result.table.rows[0].cells[0];
    assert_eq!(
        (&cell.value, cell.reason.as_deref()),
        (
            &None,
            Some("`when` is false at both ends, 0.5 and 4: there is no change to find")
        )
    );
}

#[test]
fn runs_that_fail_are_rows_without_values() {
    let folder = Folder::new("fail");
    // Begins below the floor: refused.
    let study = folder
        .study("[vary]\nx0 = [0, -1]\n[observe]\nend = \"final(x)\"\nbad = \"fails('violates')\"");
    let study = study.expect("a study");
    let result = study.run(Threads::new(1), &mut |_| true);
    let rows = result.expect("a result").table.rows;
    assert!(rows[0].stopped.is_none() && rows[0].cells[0].value.is_some());
    assert_eq!(rows[0].cells[1].value, Some(Value::Truth(false)));
    let stopped = rows[1].stopped.clone().expect("a reason");
    assert!(
        stopped.starts_with("the run cannot start: the initial position"),
        "{stopped}"
    );
    assert_eq!(rows[1].cells[0].reason, Some(stopped));
    assert_eq!(rows[1].cells[1].value, Some(Value::Truth(true)));
    // Words are varied too; the table keeps them as they are.
    let study = folder
        .study("[vary]\nintegrator = [\"midpoint\", \"event\"]\n[observe]\nend = \"final(x)\"");
    let table = study
        .expect("a study")
        .run(Threads::new(1), &mut |_| true)
        .expect("a result")
        .table;
    assert_eq!(table.rows[1].settings, [Value::Text("event".to_string())]);
    let ends = table.numbers("end").expect("numbers");
    assert!((ends[0] - ends[1]).abs() < 0.05, "{ends:?}");
}

#[test]
fn a_study_can_be_stopped() {
    let folder = Folder::new("stop");
    let study = folder.study("[vary]\nv = [1, 2, 3, 4]\n[observe]\nend = \"final(x)\"");
    let table = study
        .expect("a study")
        .run(Threads::new(1), &mut |share| share < 0.5);
    let table = table.expect("a result").table;
    assert_eq!((table.rows.len(), table.asked), (2, 4));
    let error = table.numbers("end").expect_err("no column");
    assert_eq!(error, "the study `study` was stopped after 2 of 4 runs");
}

/// Studies and what is said of them.
const WRONG: &[(&str, &str)] = &[
    (
        "[vary]\nv = [1]\n[obserb]\nx = 1",
        "study.toml:5: unknown key `obserb`; did you mean `observe`?",
    ),
    ("[vary]\nw = [1]", "there is no such parameter or setting"),
    (
        "[vary]\nv = 1",
        "an array of values, { from, to, count } or { sample, count, seed }",
    ),
    (
        "[vary]\nv = { sample = \"rnd + a\", count = 3 }",
        "study.toml:4: study `study`: `v`: unknown name `a`",
    ),
    (
        "[vary]\nv = { sample = \"rnd\", count = 3 }\ng = { sample = \"rnd\", count = 4 }",
        "study.toml:5: study `study`: `g`: samples are drawn together: `count = 3` was expected",
    ),
    (
        "[vary]\nv = { sample = \"1/(rnd - rnd)\", count = 3 }",
        "study.toml:4: study `study`: `v`: `1/(rnd - rnd)` is",
    ),
    (
        "[vary]\nv = { from = 0, to = 1, latin = 3, scale = \"log\" }",
        "study.toml:4: study `study`: `v`: `scale = \"log\"`: ends above 0 were expected",
    ),
    (
        "[vary]\nv = { from = 0.2, to = 0.8, count = 3, whole = true }",
        "there is no whole number from 0.2 to 0.8",
    ),
    (
        "[vary]\nv = { from = 0, to = 1, latin = 3, scale = \"cubic\" }",
        "\"linear\" or \"log\" was expected",
    ),
    (
        "[vary]\nv = { sample = \"rnd\", count = 3, whole = true }",
        "`scale` and `whole` go with `from` and `to`",
    ),
    (
        "[vary]\nv = { from = 0, to = 1, latin = 3 }\ng = { sample = \"rnd\", count = 4 }",
        "samples are drawn together: `count = 3` was expected",
    ),
    (
        "[points]\nkeys = [\"v\", \"g\"]\nrows = [[1, 2], [3]]",
        "2 values were expected, one for each key, not 1",
    ),
    (
        "[points]\nkeys = [\"v\"]\nrows = []",
        "an array of points was expected",
    ),
    (
        "[points]\nkeys = [\"v\"]\nrows = [[1]]\n[vary]\nv = [2]",
        "study.toml:7: `v` is varied twice",
    ),
    (
        "[vary]\nv = [2]\n[repeat]\nkey = \"x0\"",
        "the key `count` is missing",
    ),
    (
        "[vary]\nv = [2]\n[repeat]\nkey = \"seeed\"\ncount = 2",
        "seeed",
    ),
    (
        "[vary]\nv = { from = 0, to = 1, count = 99999999 }",
        "at most 10000000 runs are possible",
    ),
    (
        "[vary]\nv = [1]\n[observe]\nend = \"fnal(x)\"",
        "study.toml:6: study `study`: `end`: unknown measure or function `fnal`; did you mean `final`?",
    ),
    (
        "[vary]\nv = [1]\n[observe]\nend = \"column(a, b)\"",
        "unknown study `a`: there is none here",
    ),
    (
        "[vary]\nv = [1]\n[observe]\nend = \"final(x)\"\n[outcomes]\nof = [\"ends\"]\ntolerance = 1",
        "study.toml:7: [outcomes]: `of`: unknown column `ends`; did you mean `end`?",
    ),
    (
        "[vary]\nv = [1]\n[observe]\nend = \"final(x)\"\n[outcomes]\nof = [\"end\"]\ntolerance = -1",
        "`tolerance`: a number from 0 was expected, not -1",
    ),
    (
        "[observe]\nend = \"final(x)\"\n",
        "a study needs `vary` or `bisect`",
    ),
];

#[test]
fn wrong_studies_say_what_is_wrong() {
    let folder = Folder::new("wrong");
    for (text, expected) in WRONG {
        let error = match folder.study(text) {
            Err(error) => error,
            Ok(_) => panic!("{text} was read"),
        };
        assert!(error.contains(expected), "{text}\n{error}");
    }
    let kind = StudyFile::parse("s", "s.toml", "kind = \"mechanism\"").expect_err("no study");
    assert!(
        kind.to_string().contains("\"study\" was expected"),
        "{kind}"
    );
    let none = StudyFile::parse("s", "s.toml", "scene = \"x\"").expect_err("no study");
    assert!(
        none.to_string().contains("the key `kind` is missing"),
        "{none}"
    );
    let text = "kind = \"study\"\nscene = \"no-such-scene\"\n[vary]\nv = [1]";
    let missing = StudyFile::parse("s", "s.toml", text).expect_err("no study");
    assert!(
        missing
            .to_string()
            .contains("neither a file nor a built-in scene"),
        "{missing}"
    );
}
