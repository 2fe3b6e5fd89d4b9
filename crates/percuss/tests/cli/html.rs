//! `percuss export --html` with the built program.

use std::fs;

use crate::common::scenes::{discs, recorded};
use crate::common::{folder, percuss};
use serde_json::Value;

#[test]
fn the_page_is_written_as_one_file_and_not_over_another() {
    let folder = folder();
    let path = folder.path();
    recorded(path, &discs(60), "run");
    let ran = percuss(path, &["export", "run", "--html", "run.html"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out
            .starts_with("all 61 states, contacts of 60 steps in run.html"),
        "{}",
        ran.out
    );
    let bytes = fs::metadata(path.join("run.html")).expect("a file").len();
    // The page below 3 MB, and of 61 states of 21 bodies less than one more.
    assert!(bytes < 4_000_000, "{bytes}");
    let text = fs::read_to_string(path.join("run.html")).expect("a page");
    let (_, index) = text.split_once("id=\"percuss-index\">").expect("an index");
    let (index, _) = index.split_once("</script>").expect("its end");
    let index: Value = serde_json::from_str(index).expect("JSON");
    assert_eq!(index["about"]["frames"], 61);
    assert!(index["packs"]["bodies/60"]["bytes"].as_u64() > Some(500));
    let again = percuss(path, &["export", "run", "--html", "run.html"]);
    assert_eq!(again.status, 2);
    assert!(again.err.contains("--force"), "{}", again.err);
    let args = [
        "export",
        "run",
        "--html",
        "run.html",
        "--force",
        "--every",
        "10",
        "--no-contacts",
    ];
    let forced = percuss(path, &args);
    assert!(
        forced.out.starts_with("7 of 61 states, no contacts"),
        "{}",
        forced.out
    );
    let small = percuss(
        path,
        &["export", "run", "--html", "s.html", "--max-size", "0.01"],
    );
    assert_eq!(small.status, 2);
    assert!(
        small.err.contains("--max-size") && !path.join("s.html").exists(),
        "{}",
        small.err
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = folder();
    let path = folder.path();
    recorded(path, &discs(3), "run");
    let bad: [&[&str]; 4] = [
        &["export", "run", "--html", "a.html", "--csv", "tables"],
        &["export", "run", "--html", "a.html", "--max-size", "-1"],
        &["export", "run", "--csv", "tables", "--no-contacts"],
        &["export", "nothing", "--html", "a.html"],
    ];
    for args in bad {
        assert_eq!(percuss(path, args).status, 2, "{args:?}");
    }
    let nowhere = percuss(path, &["export", "run", "--html", "no/such/a.html"]);
    assert_eq!(nowhere.status, 3, "{}", nowhere.err);
}
