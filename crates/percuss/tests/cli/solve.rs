//! `percuss solve` as a user or a program runs it.

use crate::common::{apart, data, folder, local, percuss, write};
use percuss_fclib::{LocalBilateral, SparseMatrix};
use serde_json::{Value, json};

#[test]
fn json_has_the_agreed_fields_and_the_residuals_of_solved_problems() {
    let here = folder();
    let files = [data("Rover1040"), data("OneObject-i100000-316")];
    let ran = percuss(
        here.path(),
        &["solve", &files[0], &files[1], "--tol", "1e-5", "--json"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.err, "");
    let all = ran.json();
    assert_eq!(all["solved"], 2);
    assert_eq!(all["total"], 2);
    assert_eq!(all["tolerance"], 1e-5);
    assert_eq!(all["measure"], "rv");
    assert_eq!(all["skipped"], json!([]));
    let problems = all["problems"].as_array().expect("a list");
    for ((problem, file), contacts) in problems.iter().zip(&files).zip([5, 25]) {
        assert_eq!(problem["file"], *file);
        assert_eq!(problem["contacts"], contacts);
        assert_eq!(problem["dof"], Value::Null, "neither file tells");
        assert_eq!(problem["solved"], true);
        assert!(!problem["method"].as_str().expect("text").is_empty());
        assert!(problem["iterations"].as_u64().expect("a count") > 0);
        assert!(problem["rv"].as_f64().expect("a number") <= 1e-5);
        assert!(problem["r2"].as_f64().expect("a number").is_finite());
        assert!(problem["seconds"].as_f64().expect("a number") >= 0.0);
        assert!(problem["read_seconds"].as_f64().expect("a number") > 0.0);
        let stages = problem["path"].as_array().expect("a list");
        let sum: u64 = stages.iter().filter_map(|s| s["iterations"].as_u64()).sum();
        assert_eq!(problem["iterations"], sum);
    }
}

#[test]
fn global_form_tells_its_degrees_of_freedom() {
    let here = folder();
    let file = data("Box_Stacks-i0122-82-5");
    let ran = percuss(here.path(), &["solve", &file, "--json", "--solver", "nlgs"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let problem = &ran.json()["problems"][0];
    assert_eq!(problem["form"], "global");
    assert_eq!(problem["contacts"], 82);
    // 75 boxes of six coordinates each.
    assert_eq!(problem["dof"], 450);
    assert_eq!(problem["method"], "nlgs");
}

#[test]
fn answer_of_separate_contacts_is_the_closed_form() {
    // W = 1, q = (-1, 1/4, 0): with mu = 1 the contact sticks, r = -q and u = 0, exactly; all
    // residuals vanish to rounding.
    let here = folder();
    let file = write(here.path(), "apart.hdf5", &apart(&[1.0; 4]));
    let file = file.to_str().expect("text");
    let ran = percuss(here.path(), &["solve", file, "--tol", "1e-14", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.json()["problems"][0]["solved"], true);
}

#[test]
fn bilateral_equation_holds_in_the_answer() {
    // One contact and one equation, u_n = r_n + l/2 - 1 = 0 and r_n/2 + l = 0: r_n = 4/3, l = -2/3.
    // The tolerance is a few roundings.
    let here = folder();
    let mut file = apart(&[0.5]);
    let column = SparseMatrix::from_triplets(3, 1, &[(0, 0, 0.5)]).expect("in range");
    let one = SparseMatrix::from_triplets(1, 1, &[(0, 0, 1.0)]).expect("in range");
    local(&mut file).bilateral = Some(LocalBilateral {
        v: column,
        r: one,
        s: vec![0.0],
    });
    let file = write(here.path(), "joint.hdf5", &file);
    let file = file.to_str().expect("text");
    let ran = percuss(here.path(), &["solve", file, "--tol", "1e-13", "--json"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let problem = &ran.json()["problems"][0];
    assert_eq!(problem["contacts"], 1);
    assert_eq!(problem["equations"], 1);
    let miss = problem["gaps"]["bilateral_violation"].as_f64();
    assert!(miss.expect("a number") <= 1e-13);
}

#[test]
fn table_shows_every_file_the_classes_the_marks_and_the_closing_line() {
    let here = folder();
    let files = [data("Rover1040"), data("OneObject-i100000-316")];
    let ran = percuss(
        here.path(),
        &["solve", &files[0], &files[1], "--tol", "1e-4"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    for column in [
        "file",
        "contacts",
        "dof",
        "method",
        "iterations",
        "R1",
        "R2",
        "time",
    ] {
        assert!(lines[0].contains(column), "{}", lines[0]);
    }
    // Both files are known for their skew parts, 9e-6 and 5e-5.
    assert!(lines[1].starts_with("Rover1040.hdf5* "), "{}", lines[1]);
    assert!(
        lines[2].starts_with("OneObject-i100000-316.hdf5* "),
        "{}",
        lines[2]
    );
    let legend = "*  W is not symmetric (9e-6 to 5e-5 of its largest entry): solved as stored";
    assert!(lines.contains(&legend), "{}", ran.out);
    for class in ["Rover ", "OneObject "] {
        assert!(lines.iter().any(|l| l.starts_with(class)), "{class}");
    }
    assert!(
        ran.out.contains("\n2 of 2 solved to RV <= 1e-4 in "),
        "{}",
        ran.out
    );
}

#[test]
fn problem_that_misses_the_tolerance_is_marked_and_gives_status_1() {
    let here = folder();
    let file = data("OneObject-i100000-316");
    let args = [
        "solve",
        &file,
        "--tol",
        "1e-12",
        "--max-iterations",
        "1",
        "--solver",
        "nlgs",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 1);
    assert!(
        ran.out.contains("OneObject-i100000-316.hdf5*! "),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("!  did not reach RV <= 1e-12"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("0 of 1 solved"), "{}", ran.out);
    let ran = percuss(here.path(), &[&args[..], &["--json"]].concat());
    assert_eq!(ran.status, 1);
    let problem = &ran.json()["problems"][0];
    assert_eq!(problem["solved"], false);
    assert_eq!(problem["iterations"], 1);
    assert!(problem["r1"].as_f64().expect("a number") > 1e-12);
}

#[test]
fn chosen_measure_decides() {
    let here = folder();
    let file = data("Rover1040");
    for (measure, other) in [("r1", "r2"), ("r2", "r1")] {
        let args = [
            "solve",
            &file,
            "--measure",
            measure,
            "--tol",
            "1e-9",
            "--json",
        ];
        let all = percuss(here.path(), &args).json();
        assert_eq!(all["measure"], measure);
        let problem = &all["problems"][0];
        let value = problem[measure].as_f64().expect("a number");
        assert_eq!(problem["solved"], value <= 1e-9);
        assert!(problem[other].is_number());
        let last = problem["path"]
            .as_array()
            .and_then(|p| p.last())
            .expect("a stage");
        // The method's own account and the judge's verdict come from the same impulses.
        assert_eq!(last["residual"].as_f64(), Some(value));
    }
}

#[test]
fn quiet_leaves_the_closing_line_alone() {
    let here = folder();
    let ran = percuss(here.path(), &["solve", &data("Rover1040"), "--quiet"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 1);
    assert!(
        ran.out.starts_with("1 of 1 solved to RV <= 1e-6 in "),
        "{}",
        ran.out
    );
    assert_eq!(ran.err, "");
}

#[test]
fn history_is_a_table_of_falling_residuals() {
    let here = folder();
    let comma = here.path().join("a,b.hdf5");
    std::fs::copy(data("Rover1040"), &comma).expect("copied");
    let file = comma.to_str().expect("text");
    let args = [
        "solve",
        file,
        "--solver",
        "nlgs",
        "--history",
        "h.csv",
        "--json",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let text = std::fs::read_to_string(here.path().join("h.csv")).expect("written");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("file,method,iteration,residual"));
    let prefix = format!("\"{file}\",nlgs,");
    let rows: Vec<(usize, f64)> = lines
        .map(|line| {
            let rest = line.strip_prefix(&prefix).expect("quoted file and method");
            let (iteration, residual) = rest.split_once(',').expect("two fields");
            (
                iteration.parse().expect("a count"),
                residual.parse().expect("a number"),
            )
        })
        .collect();
    assert!(rows.windows(2).all(|w| w[0].0 <= w[1].0));
    let least = rows.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
    assert_eq!(ran.json()["problems"][0]["rv"].as_f64(), Some(least));
}

#[test]
fn output_that_cannot_be_written_is_told_before_the_work_with_status_3() {
    let here = folder();
    let args = [
        "solve",
        &data("Rover1040"),
        "--history",
        "no/such/folder/h.csv",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 3);
    assert!(
        ran.err.contains("no/such/folder/h.csv: cannot write"),
        "{}",
        ran.err
    );
    assert_eq!(ran.out, "");
    let ran = percuss(
        here.path(),
        &["solve", &data("Rover1040"), "--history", "."],
    );
    assert_eq!(ran.status, 3);
}

#[test]
fn written_file_replaces_the_old_one_and_leaves_nothing_else() {
    let here = folder();
    std::fs::write(here.path().join("h.csv"), "old").expect("writable");
    let args = ["solve", &data("Rover1040"), "--history", "h.csv", "--quiet"];
    assert_eq!(percuss(here.path(), &args).status, 0);
    let names: Vec<_> = std::fs::read_dir(here.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["h.csv"]);
    let text = std::fs::read_to_string(here.path().join("h.csv")).expect("readable");
    assert!(text.starts_with("file,method"));
}
