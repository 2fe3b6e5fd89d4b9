//! What is written is read back as it was, and a file is replaced as a whole or not at all.

use crate::common;

use percuss_fclib::{
    FileError, GlobalProblem, Info, LocalProblem, ProblemFile, ProblemForm, SolutionVectors,
    SparseMatrix,
};
use proptest::prelude::*;

fn survives(problem: &ProblemFile) {
    let bytes = percuss_fclib::write_bytes("memory", problem).expect("a legal problem");
    let again = percuss_fclib::read_bytes("memory", &bytes).expect("what was written is readable");
    assert_eq!(&again, problem);
}

#[test]
fn problems_with_every_part_of_the_layout_survive() {
    survives(&common::full_local());
    survives(&common::full_global());
}

#[test]
fn empty_problems_survive() {
    for spacedim in [2, 3] {
        let local = ProblemFile::new(ProblemForm::Local(LocalProblem {
            spacedim,
            w: SparseMatrix::zero(0, 0),
            q: Vec::new(),
            mu: Vec::new(),
            bilateral: None,
        }));
        survives(&local);
        let mut global = ProblemFile::new(ProblemForm::Global(GlobalProblem {
            spacedim,
            m: common::matrix(1, 1, &[(0, 0, 2.0)]),
            h: SparseMatrix::zero(1, 0),
            f: vec![1.0],
            w: Vec::new(),
            mu: Vec::new(),
            bilateral: None,
        }));
        global.guesses = vec![SolutionVectors::default(); 12];
        survives(&global);
    }
}

#[test]
fn text_survives_in_any_language_and_refuses_nul() {
    let mut problem = common::full_local();
    problem.info = Info {
        title: "\u{6469}\u{64e6} \u{3bc} = \u{bd}".into(),
        description: "two\nlines".into(),
        math_info: String::new(),
        degrees_of_freedom: None,
    };
    survives(&problem);
    problem.info.title = "a\0b".into();
    let error = percuss_fclib::write_bytes("memory", &problem).expect_err("NUL ends a text");
    assert!(matches!(error, FileError::Encode { .. }), "{error}");
    assert!(error.to_string().contains("info/title"), "{error}");
}

#[test]
fn a_problem_that_contradicts_itself_is_not_written() {
    let mut broken = common::full_local();
    if let ProblemForm::Local(p) = &mut broken.form {
        p.mu[1] = -0.5;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.hdf5");
    percuss_fclib::write(&path, &common::full_global()).expect("written");
    let error = percuss_fclib::write(&path, &broken).expect_err("mu < 0");
    assert!(error.to_string().contains("mu[1] = -0.5"), "{error}");
    assert_eq!(
        percuss_fclib::read(&path).expect("untouched"),
        common::full_global()
    );

    let mut broken = common::full_global();
    if let ProblemForm::Global(p) = &mut broken.form {
        p.h.col[0] = 7;
    }
    let error = percuss_fclib::write(&path, &broken).expect_err("column out of range");
    assert!(matches!(error, FileError::Encode { .. }), "{error}");
}

#[test]
fn writing_replaces_a_file_and_leaves_no_other_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.hdf5");
    for problem in [common::full_local(), common::full_global()] {
        percuss_fclib::write(&path, &problem).expect("written");
        assert_eq!(percuss_fclib::read(&path).expect("readable"), problem);
    }
    let target = folder.path().join("is_a_folder");
    std::fs::create_dir(&target).expect("a folder");
    std::fs::write(target.join("x"), "x").expect("a file");
    let error =
        percuss_fclib::write(&target, &common::full_local()).expect_err("a folder is in the way");
    assert!(matches!(error, FileError::Io { .. }), "{error}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["is_a_folder", "p.hdf5"]);
}

#[test]
fn writing_into_a_missing_folder_names_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("missing").join("p.hdf5");
    let error = percuss_fclib::write(&path, &common::full_local()).expect_err("no such folder");
    assert!(error.to_string().contains("p.hdf5"), "{error}");
}

/// Triplets of a small matrix, with duplicates and explicit zeros.
fn triplets(rows: usize, cols: usize) -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
    let value = prop_oneof![Just(0.0), -1e3..1e3f64];
    proptest::collection::vec((0..rows, 0..cols, value), 0..60)
}

proptest! {
    #[test]
    fn a_matrix_from_triplets_is_canonical_and_sums_duplicates_in_order(
        entries in triplets(7, 5)
    ) {
        let m = common::matrix(7, 5, &entries);
        // Summed in the same order, so equal to the last bit.
        let mut dense = [[None; 5]; 7];
        for &(i, j, x) in &entries {
            dense[i][j] = Some(dense[i][j].map_or(x, |sum: f64| sum + x));
        }
        for i in 0..7 {
            let (columns, values) = m.row(i);
            let stored: Vec<_> = columns.iter().copied().zip(values.iter().copied()).collect();
            let expected: Vec<_> = (0..5).filter_map(|j| dense[i][j].map(|x| (j, x))).collect();
            prop_assert_eq!(stored, expected);
        }
        prop_assert_eq!(m.entries(), m.val.len());
        prop_assert_eq!(m.transposed().transposed(), m.clone());
        for i in 0..7 {
            for (&j, &x) in m.row(i).0.iter().zip(m.row(i).1) {
                let t = m.transposed();
                let (columns, values) = t.row(j);
                let k = columns.binary_search(&i).expect("the transposed entry");
                prop_assert_eq!(values[k], x);
            }
        }
    }

    #[test]
    fn any_global_problem_survives(
        m in triplets(4, 4),
        h in triplets(4, 6),
        f in proptest::collection::vec(-1e9..1e9f64, 4),
        w in proptest::collection::vec(-1e-9..1e-9f64, 6),
        mu in proptest::collection::vec(0.0..5.0f64, 2),
        title in "[^\0]{0,20}",
    ) {
        let mut problem = ProblemFile::new(ProblemForm::Global(GlobalProblem {
            spacedim: 3,
            m: common::matrix(4, 4, &m),
            h: common::matrix(4, 6, &h),
            f,
            w,
            mu,
            bilateral: None,
        }));
        problem.info.title = title;
        survives(&problem);
    }
}

#[test]
fn triplets_out_of_range_are_refused() {
    assert_eq!(SparseMatrix::from_triplets(2, 2, &[(2, 0, 1.0)]), None);
    assert_eq!(SparseMatrix::from_triplets(2, 2, &[(0, 2, 1.0)]), None);
}
