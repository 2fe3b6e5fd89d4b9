//! Every way a file can be wrong gives the right kind of error, and a sentence that names the
//! file, the dataset, what was found and what was expected.

use crate::common;

use crate::common::{Data, Tree, encode, local_tree, put};
use percuss_fclib::{FileError, ProblemFile};

fn read(tree: &Tree) -> Result<ProblemFile, FileError> {
    percuss_fclib::read_bytes("bad.hdf5", &encode(tree))
}

/// The error of a local problem with one dataset replaced, as text; checks its kind.
fn broken(name: &str, data: Data, kind: fn(&FileError) -> bool) -> String {
    let mut tree = local_tree();
    put(&mut tree, name, data);
    let error = read(&tree).expect_err(name);
    assert!(kind(&error), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("bad.hdf5: "), "{text}");
    text
}

fn is_value(e: &FileError) -> bool {
    matches!(e, FileError::Value { .. })
}

fn is_shape(e: &FileError) -> bool {
    matches!(e, FileError::Shape { .. })
}

fn is_type(e: &FileError) -> bool {
    matches!(e, FileError::WrongType { .. })
}

#[test]
fn the_untouched_problem_is_sound() {
    let problem = read(&local_tree()).expect("sound");
    assert_eq!(problem.contacts(), 2);
    assert_eq!(problem.degrees_of_freedom(), Some(12));
}

#[test]
fn friction_must_be_finite_and_not_negative() {
    for (mu, text) in [
        (-0.3, "mu[1] = -0.3"),
        (f64::NAN, "mu[1] = NaN"),
        (f64::INFINITY, "mu[1] = inf"),
    ] {
        let found = broken("fclib_local/vectors/mu", Data::F(vec![0.5, mu]), is_value);
        assert!(found.contains(text), "{found}");
        assert!(found.contains(">= 0"), "{found}");
    }
}

#[test]
fn numbers_must_be_finite() {
    let q = vec![0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0];
    let text = broken("fclib_local/vectors/q", Data::F(q), is_value);
    assert!(text.contains("/fclib_local/vectors/q[2] = NaN"), "{text}");
    let x = vec![1.0, f64::NEG_INFINITY, 1.0, 1.0, 1.0, 1.0];
    let text = broken("fclib_local/W/x", Data::F(x), is_value);
    assert!(text.contains("/fclib_local/W/x[1] = -inf"), "{text}");
}

#[test]
fn finite_duplicates_whose_sum_overflows_are_refused() {
    let mut tree = local_tree();
    put(
        &mut tree,
        "fclib_local/W/i",
        Data::I(vec![0, 0, 2, 3, 4, 5]),
    );
    put(
        &mut tree,
        "fclib_local/W/p",
        Data::I(vec![0, 2, 2, 3, 4, 5, 6]),
    );
    let x = vec![f64::MAX, f64::MAX, 1.0, 1.0, 1.0, 1.0];
    put(&mut tree, "fclib_local/W/x", Data::F(x));
    let error = read(&tree).expect_err("the sum is infinite");
    assert!(is_value(&error), "{error}");
}

#[test]
fn sizes_must_agree_with_each_other() {
    let text = broken("fclib_local/vectors/mu", Data::F(vec![0.5; 3]), is_shape);
    assert!(text.contains("vectors/q is 6 long, expected 9"), "{text}");
    let text = broken("fclib_local/W/m", Data::I(vec![5]), is_shape);
    assert!(text.contains("W/m is 5 rows, expected 6"), "{text}");
    let text = broken("fclib_local/W/n", Data::I(vec![7]), is_shape);
    assert!(text.contains("W/n is 7 columns"), "{text}");
    let text = broken("fclib_local/W/p", Data::I(vec![0, 6]), is_shape);
    assert!(text.contains("W/p is 2 long, expected 7"), "{text}");
    let text = broken("fclib_local/W/x", Data::F(vec![1.0; 5]), is_shape);
    assert!(text.contains("at least 6 entries"), "{text}");
    let text = broken("fclib_local/W/nz", Data::I(vec![9]), is_shape);
    assert!(text.contains("at least 9 entries"), "{text}");
    let text = broken("fclib_local/spacedim", Data::I(vec![3, 3]), is_shape);
    assert!(text.contains("2 integers, expected one"), "{text}");
}

#[test]
fn a_claimed_size_is_not_allocated() {
    // Each of these would ask for up to 16 GiB if it were believed.
    for name in ["W/m", "W/n", "W/nz"] {
        broken(
            &format!("fclib_local/{name}"),
            Data::I(vec![i32::MAX]),
            is_shape,
        );
    }
    let mut tree = local_tree();
    put(
        &mut tree,
        "guesses/number_of_guesses",
        Data::I(vec![i32::MAX]),
    );
    let error = read(&tree).expect_err("no guess is there");
    assert!(
        error.to_string().contains("/guesses/1/u is missing"),
        "{error}"
    );
}

/// Texts of variable length were decoded without a bound, all of them before there was found to be more than one. Every
/// reference can name the same text, so that a file of F bytes could ask for F²/16.
#[test]
fn many_texts_in_place_of_one_are_refused_before_they_are_read() {
    let title = "fclib_local/info/title";
    let text = broken(title, Data::Texts(vec!["stone".into(); 3]), is_shape);
    assert!(text.contains("3 texts, expected one text"), "{text}");
    let mut tree = local_tree();
    put(&mut tree, title, Data::Texts(vec!["stone".into()]));
    assert_eq!(read(&tree).unwrap().info.title, "stone");
}

#[test]
fn a_dataset_larger_than_its_file_is_refused() {
    // Eight tebibytes by the header; both kinds of storage may legally hold none of them.
    for name in ["h5py_huge_contiguous", "h5py_huge_chunked"] {
        let error = percuss_fclib::read(&common::foreign(name)).expect_err(name);
        assert!(matches!(error, FileError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("8796093022208 bytes"), "{error}");
    }
}

#[test]
fn the_space_has_two_or_three_dimensions() {
    for d in [-1, 0, 1, 4] {
        let text = broken("fclib_local/spacedim", Data::I(vec![d]), is_value);
        assert!(text.contains(&format!("spacedim[0] = {d}")), "{text}");
    }
    // Two dimensions are legal, but then six rows are three contacts.
    broken("fclib_local/spacedim", Data::I(vec![2]), is_shape);
}

#[test]
fn pointers_and_indices_must_be_in_range() {
    for (p, text) in [
        (vec![0, 1, 3, 2, 4, 5, 6], "W/p[3] = 2"),
        (vec![1, 1, 2, 3, 4, 5, 6], "W/p[0] = 1"),
        (vec![-1, 1, 2, 3, 4, 5, 6], "W/p[0] = -1"),
    ] {
        let found = broken("fclib_local/W/p", Data::I(p), is_value);
        assert!(found.contains(text), "{found}");
    }
    for bad in [-1, 6] {
        let i = vec![0, 1, 2, bad, 4, 5];
        let found = broken("fclib_local/W/i", Data::I(i), is_value);
        assert!(found.contains(&format!("W/i[3] = {bad}")), "{found}");
    }
    let text = broken("fclib_local/W/nz", Data::I(vec![-3]), is_value);
    assert!(text.contains("compressed rows"), "{text}");
}

#[test]
fn elements_must_be_of_the_right_type() {
    let text = broken("fclib_local/vectors/q", Data::I(vec![0; 6]), is_type);
    assert!(text.contains("holds 32-bit integers"), "{text}");
    let text = broken("fclib_local/W/i", Data::F(vec![0.0; 6]), is_type);
    assert!(text.contains("expected integers"), "{text}");
    let text = broken("fclib_local/info/title", Data::F(vec![1.0]), is_type);
    assert!(text.contains("expected text"), "{text}");
}

#[test]
fn a_negative_count_of_degrees_of_freedom_is_refused() {
    let name = "fclib_local/info/numberOfDegreeOfFreedom";
    let text = broken(name, Data::Attribute(-6), is_value);
    assert!(text.contains("= -6"), "{text}");
}

#[test]
fn missing_parts_are_named() {
    for name in [
        "spacedim",
        "W/m",
        "W/nz",
        "W/p",
        "W/x",
        "vectors/q",
        "vectors/mu",
    ] {
        let mut tree = local_tree();
        tree.remove(&format!("fclib_local/{name}"));
        let error = read(&tree).expect_err(name);
        assert!(matches!(error, FileError::Missing { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let mut tree = local_tree();
    put(&mut tree, "fclib_local/V/m", Data::I(vec![6]));
    let error = read(&tree).expect_err("V without s");
    assert!(error.to_string().contains("vectors/s"), "{error}");
}

#[test]
fn stored_vectors_must_fit_the_problem() {
    let mut tree = local_tree();
    put(&mut tree, "solution/u", Data::F(vec![0.0; 6]));
    put(&mut tree, "solution/r", Data::F(vec![0.0; 5]));
    let error = read(&tree).expect_err("r is short");
    assert!(is_shape(&error), "{error}");
    assert!(
        error.to_string().contains("/solution/r is 5 long"),
        "{error}"
    );
}

#[test]
fn files_of_another_kind_are_recognised() {
    let error = percuss_fclib::read_bytes("x", b"").expect_err("empty");
    assert!(error.to_string().contains("it is empty"), "{error}");
    let error = percuss_fclib::read_bytes("x", b"PK\x03\x04 a zip file").expect_err("zip");
    assert!(matches!(error, FileError::NotHdf5 { .. }), "{error}");
    assert!(error.to_string().contains("PK\\x03\\x04"), "{error}");
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    let error = percuss_fclib::read_bytes("x", pointer).expect_err("pointer");
    assert!(error.to_string().contains("git lfs pull"), "{error}");

    let mut tree = Tree::new();
    put(&mut tree, "VTKHDF/Points", Data::F(vec![0.0; 3]));
    let error = read(&tree).expect_err("another HDF5 file");
    assert!(matches!(error, FileError::NotFclib { .. }), "{error}");
    assert!(error.to_string().contains("it holds VTKHDF"), "{error}");
    let mut tree = Tree::new();
    put(&mut tree, "fclib_local_rolling/spacedim", Data::I(vec![5]));
    let error = read(&tree).expect_err("rolling friction");
    assert!(error.to_string().contains("rolling"), "{error}");
}

#[test]
fn a_truncated_file_is_called_cut_short() {
    let bytes = std::fs::read(common::collection("Rover1040")).expect("readable");
    let error = percuss_fclib::read_bytes("cut.hdf5", &bytes[..bytes.len() - 1]).expect_err("cut");
    assert!(matches!(error, FileError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("cut short"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = percuss_fclib::read("no/such/file.hdf5".as_ref()).expect_err("not there");
    assert!(matches!(error, FileError::Io { .. }), "{error}");
    assert!(
        error.to_string().starts_with("no/such/file.hdf5: "),
        "{error}"
    );
}
