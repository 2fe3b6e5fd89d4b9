//! `percuss solve --compare`.

use crate::common::{data, folder, percuss};

/// Whether every opened element is closed in order; enough for a picture without comments.
fn balanced(svg: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((inside, _)) = tag.split_once('>') else {
            return false;
        };
        let name = inside.split([' ', '\n', '/']).find(|s| !s.is_empty());
        if inside.starts_with('/') {
            if open.pop() != name {
                return false;
            }
        } else if !inside.ends_with(['/', '?']) {
            open.push(name.unwrap_or(""));
        }
    }
    open.is_empty()
}

#[test]
fn every_method_runs_on_every_file_and_is_drawn() {
    let here = folder();
    let files = [data("Rover1040"), data("NESpheres_30_1")];
    let args = ["solve", &files[0], &files[1], "--compare", "--tol", "1e-4"];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let svg = std::fs::read_to_string(here.path().join("profile.svg")).expect("the default name");
    assert!(svg.contains("<svg") && balanced(&svg));
    assert!(svg.contains("RV &lt;= 1e-4"), "the title tells the bound");
    for method in percuss_solve::NAMES {
        assert!(svg.contains(method), "{method} is in the legend");
        let in_heading = ran.out.lines().next().is_some_and(|l| l.contains(method));
        assert!(in_heading, "{method}: {}", ran.out);
        let in_summary = ran.out.lines().skip(1).any(|l| l.starts_with(method));
        assert!(in_summary, "{method}: {}", ran.out);
    }
    assert!(
        ran.out.contains("2 of 2 solved to RV <= 1e-4"),
        "{}",
        ran.out
    );
}

#[test]
fn json_keeps_the_shape_of_a_solve_and_adds_the_runs() {
    let here = folder();
    let file = data("Rover1040");
    let args = [
        "solve",
        &file,
        "--compare",
        "--json",
        "--tol",
        "1e-4",
        "-o",
        "p.svg",
    ];
    let ran = percuss(here.path(), &[&args[..], &["--history", "h.csv"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let all = ran.json();
    assert_eq!(all["profile"], "p.svg");
    assert_eq!(all["total"], 1);
    let problem = &all["problems"][0];
    assert_eq!(problem["contacts"], 5);
    let runs = problem["runs"].as_array().expect("a list");
    let solvers: Vec<_> = runs.iter().filter_map(|r| r["solver"].as_str()).collect();
    assert_eq!(solvers, percuss_solve::NAMES);
    // The answer at the top is the fastest of those within the tolerance.
    let times = runs.iter().filter(|r| r["solved"] == true);
    let least = times.filter_map(|r| r["seconds"].as_f64());
    let least = least.fold(f64::INFINITY, f64::min);
    assert_eq!(problem["seconds"].as_f64(), Some(least));
    let history = std::fs::read_to_string(here.path().join("h.csv")).expect("written");
    let marked = |m: &str| history.contains(&format!(",{m},"));
    assert!(percuss_solve::NAMES.iter().all(|m| marked(m)), "{history}");
}

#[test]
fn damaged_file_is_skipped_in_a_comparison_too() {
    let here = folder();
    std::fs::write(here.path().join("bad.hdf5"), "no").expect("writable");
    let args = [
        "solve",
        "bad.hdf5",
        &data("Rover1040"),
        "--compare",
        "--quiet",
    ];
    let ran = percuss(here.path(), &args);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("bad.hdf5: not an HDF5 file"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("1 of 1 solved"), "{}", ran.out);
    assert!(ran.out.contains("1 file skipped"), "{}", ran.out);
    assert!(here.path().join("profile.svg").exists());
}
