//! The public problems read with the sizes and scales their collectors state.
//!
//! The table was made from the files by another program, so it checks the reader from outside:
//! contacts, degrees of freedom of the bodies, non-zero 3x3 blocks of W, range of mu, and smallest
//! and largest diagonal entry of W to two digits. For the global files W = H' M^-1 H, and the
//! degrees of freedom count the bodies that have a contact.

use crate::common;

use std::collections::BTreeSet;

use percuss_fclib::{GlobalProblem, ProblemForm, SparseMatrix};

struct Row {
    name: &'static str,
    contacts: usize,
    dof: Option<usize>,
    blocks: usize,
    mu: (f64, f64),
    diagonal: (f64, f64),
}

const fn row(
    name: &'static str,
    contacts: usize,
    dof: Option<usize>,
    blocks: usize,
    mu: (f64, f64),
    diagonal: (f64, f64),
) -> Row {
    Row {
        name,
        contacts,
        dof,
        blocks,
        mu,
        diagonal,
    }
}

#[rustfmt::skip]
const TABLE: [Row; 16] = [
    row("Rover1040", 5, None, 25, (0.7, 0.7), (1.6e-3, 1.1e-1)),
    row("OneObject-i100000-316", 25, None, 207, (0.3, 0.3), (1.0, 1.1e2)),
    row("NESpheres_30_1", 44, None, 214, (0.8, 0.8), (2.0e-1, 1.4)),
    row("local_problem_test", 48, None, 544, (0.7, 0.7), (1.0e2, 7.0e2)),
    row("BoxesStack1-i100000-32", 52, None, 592, (0.7, 0.7), (1.0e2, 7.0e2)),
    row("LMGC_100_PR_PerioBox-i00361-60-03000", 60, Some(606), 1064, (0.3, 0.5), (5.9e-6, 2.2e-5)),
    row("Box_Stacks-i0122-82-5", 82, Some(186), 224, (0.3, 0.3), (1.0, 3.7)),
    row("Confeti-ex13-Fc3D-SBM", 107, None, 2019, (0.04, 0.04), (1.1e-6, 1.4e-4)),
    row("spheres-in-a-box-98-i10000-256-10", 256, Some(582), 1936, (0.1, 0.1), (7.2e3, 6.6e5)),
    row("Capsules-i125-1213", 286, Some(594), 1308, (0.7, 0.7), (1.0, 7.1)),
    row("Capsules-i122-1617", 296, None, 1380, (0.7, 0.7), (1.0, 7.3)),
    row("Spheres-i099-356-679", 356, Some(2358), 816, (0.7, 0.7), (1.0, 7.0)),
    row("own-capsC-nc397-s560", 397, Some(1800), 1801, (0.7, 0.7), (1.0, 6.9)),
    row("RockPile_tob1", 463, None, 3633, (1.0, 1.0), (2.8e-1, 2.9e1)),
    row("KaplasTower-i1061-4", 570, None, 12976, (0.3, 0.3), (7.5e1, 6.9e2)),
    row("own-rocksC-nc794-s600", 794, Some(1800), 7508, (0.8, 0.8), (3.6e-3, 6.1e-2)),
];

/// W = H' M^-1 H for a diagonal M, as triplets.
fn delassus(p: &GlobalProblem) -> SparseMatrix {
    let mut triplets = Vec::new();
    for i in 0..p.m.rows {
        let (columns, values) = p.m.row(i);
        assert_eq!(
            columns,
            [i],
            "the global files of the table have diagonal M"
        );
        let (contact, h) = p.h.row(i);
        for (&a, &x) in contact.iter().zip(h) {
            for (&b, &y) in contact.iter().zip(h) {
                triplets.push((a, b, x * y / values[0]));
            }
        }
    }
    common::matrix(p.h.cols, p.h.cols, &triplets)
}

/// 6 for each body that has a row in H.
fn touched_dof(p: &GlobalProblem) -> usize {
    let rows = (0..p.h.rows).filter(|&i| !p.h.row(i).0.is_empty());
    6 * rows.map(|i| i / 6).collect::<BTreeSet<_>>().len()
}

fn blocks(w: &SparseMatrix) -> usize {
    let mut set = BTreeSet::new();
    for i in 0..w.rows {
        set.extend(w.row(i).0.iter().map(|j| (i / 3, j / 3)));
    }
    set.len()
}

fn diagonal_range(w: &SparseMatrix) -> (f64, f64) {
    let mut range = (f64::INFINITY, 0.0f64);
    for i in 0..w.rows {
        let (columns, values) = w.row(i);
        let k = columns.binary_search(&i).expect("a diagonal entry");
        range = (range.0.min(values[k]), range.1.max(values[k]));
    }
    range
}

/// Equality to the two digits of the table: half a unit of the second digit is at most 5 %.
fn agrees(found: f64, stated: f64) -> bool {
    let unit = 10f64.powf(stated.log10().floor() - 1.0);
    (found - stated).abs() <= 0.5001 * unit
}

#[test]
fn every_file_of_the_collection_has_the_stated_sizes_and_scales() {
    for row in &TABLE {
        let problem = percuss_fclib::read(&common::collection(row.name)).expect(row.name);
        let (w, dof) = match &problem.form {
            ProblemForm::Local(p) => (p.w.clone(), problem.degrees_of_freedom()),
            ProblemForm::Global(p) => (delassus(p), Some(touched_dof(p))),
        };
        assert_eq!(problem.contacts(), row.contacts, "{}", row.name);
        assert_eq!(problem.form.spacedim(), 3, "{}", row.name);
        assert_eq!(w.rows, 3 * row.contacts, "{}", row.name);
        assert_eq!(dof, row.dof, "{}", row.name);
        assert_eq!(blocks(&w), row.blocks, "{}", row.name);
        let mu = problem.form.mu();
        let least = mu.iter().copied().fold(f64::INFINITY, f64::min);
        let most = mu.iter().copied().fold(0.0, f64::max);
        assert_eq!((least, most), row.mu, "{}", row.name);
        let (low, high) = diagonal_range(&w);
        let fits = agrees(low, row.diagonal.0) && agrees(high, row.diagonal.1);
        assert!(fits, "{}: diagonal from {low} to {high}", row.name);
    }
}

#[test]
fn a_dataset_that_was_never_written_reads_as_zeros() {
    // `/solution/r` of this file has a header and no storage; `/solution/u` was written.
    let problem = percuss_fclib::read(&common::collection("local_problem_test")).expect("readable");
    let solution = problem.solution.expect("a stored solution");
    assert!(solution.r.iter().all(|x| *x == 0.0));
    assert!(solution.u.iter().any(|x| *x != 0.0));
    assert_eq!(solution.v, None);
}

#[test]
fn every_file_of_the_collection_survives_writing_and_reading() {
    for row in &TABLE {
        let problem = percuss_fclib::read(&common::collection(row.name)).expect(row.name);
        let bytes = percuss_fclib::write_bytes(row.name, &problem).expect(row.name);
        let again = percuss_fclib::read_bytes(row.name, &bytes).expect(row.name);
        assert!(again == problem, "{}", row.name);
    }
}
