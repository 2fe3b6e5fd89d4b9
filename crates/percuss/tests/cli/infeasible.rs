//! Steps and problems that no velocity satisfies: once they counted as solved, because impulses without bound drowned
//! every error.

use crate::common::{apart, folder, local, percuss, write};
use percuss_fclib::SparseMatrix;

/// A point between a floor and a lid that comes down through it.
const SQUEEZE: &str = r#"
kind = "mechanism"
title = "A point between a floor and a lid"
[[coordinate]]
name = "z"
initial = 1
[dynamics]
kinetic = "0.5*z_dot^2"
[[contact]]
name = "floor"
gap = "z"
[[contact]]
name = "lid"
gap = "1.001 - t - z"
[run]
until = 1.1
step = 1e-3
"#;

/// It was "certificate ok, 0 missed", and the point ended below the floor.
#[test]
fn a_lid_that_comes_down_through_a_floor_ends_the_certificate_and_both_are_named() {
    let here = folder();
    std::fs::write(here.path().join("squeeze.toml"), SQUEEZE).expect("written");
    let ran = percuss(
        here.path(),
        &["run", "squeeze.toml", "-o", "r", "--json", "-q"],
    );
    assert_eq!(ran.status, 1, "{}", ran.err);
    let certificate = &ran.json()["certificate"];
    assert_eq!(certificate["ok"], false);
    // The lid is at the floor at t = 1.001; every later step is infeasible.
    let missed = certificate["missed"].as_u64().expect("a number");
    assert!((97..=100).contains(&missed), "{missed}");
    let words = certificate["not_met"][0]["words"].as_str().expect("words");
    for word in ["`floor` and `lid`", "infeasible"] {
        assert!(words.contains(word), "{words}");
    }
}

/// Two contacts of one mass with opposite normals that must both open at 1: W of rank one. It was "1 of 1 solved".
#[test]
fn a_problem_file_without_a_solution_is_named_and_not_solved() {
    let here = folder();
    let mut file = apart(&[0.5, 0.5]);
    let mut ones: Vec<_> = (0..6).map(|i| (i, i, 1.0)).collect();
    ones.extend([(0, 3, -1.0), (3, 0, -1.0)]);
    local(&mut file).w = SparseMatrix::from_triplets(6, 6, &ones).expect("indices in range");
    let path = write(here.path(), "squeezed.hdf5", &file);
    let ran = percuss(here.path(), &["solve", path.to_str().expect("text")]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    for words in [
        "infeasible, no velocity satisfies contacts 0, 1 together",
        "0 of 1 solved",
    ] {
        assert!(ran.out.contains(words), "{}", ran.out);
    }
}
