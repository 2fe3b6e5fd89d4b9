//! Conversion of files to one-step problems, compared with an elimination of M that shares no code
//! with it: Gauss-Jordan on the whole matrix, or by hand.

use crate::common::{collection, full_global, full_local, matrix};
use percuss_contact::{DelassusOperator, Law, Problem, ProblemError};
use percuss_fclib::convert::{ConvertError, MAX_GROUP, from_problem, to_problem};
use percuss_fclib::{GlobalBilateral, GlobalProblem, Info, ProblemFile, ProblemForm, SparseMatrix};

/// Relative to the largest entry: a few dozen roundings in products of six terms.
const ROUNDING: f64 = 1e-12;

fn dense(m: &SparseMatrix) -> Vec<Vec<f64>> {
    let mut a = vec![vec![0.0; m.cols]; m.rows];
    for (i, row) in a.iter_mut().enumerate() {
        let (columns, values) = m.row(i);
        columns.iter().zip(values).for_each(|(&j, &v)| row[j] = v);
    }
    a
}

/// A⁻¹ B by Gauss-Jordan elimination of the whole matrix.
fn solve_all(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for k in 0..n {
        let top = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
        let top = top.expect("a row is left");
        a.swap(k, top);
        b.swap(k, top);
        let (pivot_a, pivot_b) = (a[k].clone(), b[k].clone());
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i][k] / pivot_a[k];
            if factor != 0.0 {
                a[i].iter_mut()
                    .zip(&pivot_a)
                    .for_each(|(x, p)| *x -= factor * p);
                b[i].iter_mut()
                    .zip(&pivot_b)
                    .for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    for (k, row) in b.iter_mut().enumerate() {
        row.iter_mut().for_each(|x| *x /= a[k][k]);
    }
    b
}

/// W = J M⁻¹ J' and b = J M⁻¹ f + (w, b), J = [H G]', from whole matrices.
fn explicit(p: &GlobalProblem) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut columns = dense(&p.h);
    let mut given = p.w.clone();
    if let Some(e) = &p.bilateral {
        let g = dense(&e.g);
        columns.iter_mut().zip(g).for_each(|(h, g)| h.extend(g));
        given.extend_from_slice(&e.b);
    }
    let rows = given.len();
    let mut right = columns.clone();
    right.iter_mut().zip(&p.f).for_each(|(row, f)| row.push(*f));
    let x = solve_all(dense(&p.m), right);
    let product = |i: usize, j: usize| (0..p.f.len()).map(|k| columns[k][i] * x[k][j]).sum();
    let w: Vec<Vec<f64>> = (0..rows)
        .map(|i| (0..rows).map(|j| product(i, j)).collect())
        .collect();
    let free = (0..rows).map(|i| given[i] + product(i, rows)).collect();
    (w, free)
}

/// Largest difference between the problem's W and b and the given ones, relative to the largest
/// entries.
fn difference(problem: &Problem, w: &[Vec<f64>], free: &[f64]) -> f64 {
    let n = problem.num_rows();
    assert_eq!(n, free.len());
    let mut found = vec![vec![0.0; n]; n];
    let stored = problem.matrix();
    for a in 0..problem.num_contacts() {
        for (b, block) in stored.row(a) {
            for (k, &value) in block.iter().enumerate() {
                let (i, j) = (k / problem.dim(b), k % problem.dim(b));
                found[problem.offset()[a] + i][problem.offset()[b] + j] = value;
            }
        }
    }
    let relative = |x: &mut dyn Iterator<Item = (f64, f64)>| {
        let (mut miss, mut scale) = (0.0_f64, 0.0_f64);
        for (x, y) in x {
            miss = miss.max((x - y).abs());
            scale = scale.max(y.abs());
        }
        if scale > 0.0 { miss / scale } else { miss }
    };
    let matrices = found.concat().into_iter().zip(w.concat());
    let vectors = problem
        .free_velocity()
        .iter()
        .copied()
        .zip(free.iter().copied());
    relative(&mut { matrices }).max(relative(&mut { vectors }))
}

fn global_of(file: &ProblemFile) -> &GlobalProblem {
    match &file.form {
        ProblemForm::Global(p) => p,
        ProblemForm::Local(_) => panic!("a file in the global form"),
    }
}

fn is_kinetic(problem: &Problem) -> bool {
    matches!(problem.operator(), DelassusOperator::Factored(_))
}

/// A global problem of `n` coordinates and two contacts with dense H.
fn two_contacts(m: SparseMatrix) -> ProblemFile {
    let n = m.rows;
    let wave = |k: usize| (k as f64 * 0.7 + 0.3).sin();
    let h: Vec<_> = (0..n * 6).map(|k| (k / 6, k % 6, wave(k))).collect();
    ProblemFile::new(ProblemForm::Global(GlobalProblem {
        spacedim: 3,
        h: matrix(n, 6, &h),
        f: (0..n).map(|k| wave(5 * k)).collect(),
        w: (0..6).map(|k| wave(3 * k + 1)).collect(),
        mu: vec![0.5, 0.25],
        bilateral: Some(GlobalBilateral {
            g: matrix(n, 1, &[(0, 0, 1.0), (n - 1, 0, -2.0)]),
            b: vec![0.125],
        }),
        m,
    }))
}

/// A chain: n on the diagonal, -1 beside it, `skew` added above and taken off below.
fn chain(n: usize, skew: f64) -> SparseMatrix {
    let mut entries = Vec::new();
    for i in 0..n {
        entries.push((i, i, 3.0 + i as f64 / n as f64));
        if i + 1 < n {
            entries.push((i, i + 1, -1.0 + skew));
            entries.push((i + 1, i, -1.0 - skew));
        }
    }
    matrix(n, n, &entries)
}

#[test]
fn global_files_of_the_collection_give_the_explicit_reduction_by_bodies() {
    let sizes = [
        ("Box_Stacks-i0122-82-5", 82),
        ("spheres-in-a-box-98-i10000-256-10", 256),
    ];
    for (name, contacts) in sizes {
        let file = percuss_fclib::read(&collection(name)).expect(name);
        let problem = to_problem(&file).expect(name);
        assert!(is_kinetic(&problem), "{name}");
        assert_eq!(problem.num_contacts(), contacts, "{name}");
        assert_eq!(problem.num_rows(), 3 * contacts, "{name}");
        let p = global_of(&file);
        assert_eq!(problem.scratch_len(), p.f.len(), "{name}");
        let (w, free) = explicit(p);
        let miss = difference(&problem, &w, &free);
        assert!(miss < ROUNDING, "{name}: {miss:e}");
    }
}

#[test]
fn local_files_keep_w_and_q_to_the_bit() {
    let file = percuss_fclib::read(&collection("OneObject-i100000-316")).expect("readable");
    let ProblemForm::Local(p) = &file.form else {
        panic!("a file in the local form")
    };
    let problem = to_problem(&file).expect("posable");
    assert_eq!(problem.num_contacts(), 25);
    // The skew part of the file, as its description states it: 5e-5 to one digit.
    assert!((4.5e-5..5.5e-5).contains(&problem.asymmetry()));
    assert_eq!(difference(&problem, &dense(&p.w), &p.q), 0.0);
}

#[test]
fn coupled_masses_become_one_group_and_agree_with_the_explicit_reduction() {
    let file = two_contacts(chain(8, 0.0));
    let problem = to_problem(&file).expect("posable");
    assert!(is_kinetic(&problem));
    assert_eq!(problem.num_contacts(), 3);
    assert_eq!(problem.laws()[2], Law::Bilateral);
    let (w, free) = explicit(global_of(&file));
    assert!(difference(&problem, &w, &free) < ROUNDING);
}

#[test]
fn unsymmetric_and_large_and_indefinite_m_are_reduced_as_they_are() {
    let mut indefinite = chain(8, 0.0);
    indefinite.val[0] = -40.0;
    for (m, asymmetric) in [
        (chain(8, 0.25), true),
        (chain(MAX_GROUP + 1, 0.0), false),
        (indefinite, false),
    ] {
        let file = two_contacts(m);
        let problem = to_problem(&file).expect("posable");
        assert!(!is_kinetic(&problem));
        let (w, free) = explicit(global_of(&file));
        assert!(difference(&problem, &w, &free) < ROUNDING);
        assert_eq!(problem.asymmetry() > 1e-3, asymmetric);
    }
}

#[test]
fn bilateral_rows_of_the_local_form_border_the_matrix() {
    let problem = to_problem(&full_local()).expect("posable");
    let w = vec![
        vec![2.0, 1.0, 0.0, 0.0, 0.5],
        vec![1.0, 3.0, 0.0, 0.0, 0.0],
        vec![0.0, 0.0, 4.0, 0.0, 0.0],
        vec![0.0, 0.0, 0.5, 5.0, -0.25],
        vec![0.5, 0.0, 0.0, -0.25, 8.0],
    ];
    let free = [-1.0, 0.5, -2.0, 0.25, 0.125];
    assert_eq!(difference(&problem, &w, &free), 0.0);
    let laws = [
        Law::Coulomb { mu: 0.5 },
        Law::Coulomb { mu: 0.0 },
        Law::Bilateral,
    ];
    assert_eq!(problem.laws(), laws);
}

#[test]
fn bilateral_rows_of_the_global_form_agree_with_elimination_by_hand() {
    // M = diag(2, 4): W from H = (1 0 0; 0 2 3) and G = (0; 1).
    let problem = to_problem(&full_global()).expect("posable");
    let w = vec![
        vec![0.5, 0.0, 0.0, 0.0],
        vec![0.0, 1.0, 1.5, 0.5],
        vec![0.0, 1.5, 2.25, 0.75],
        vec![0.0, 0.5, 0.75, 0.25],
    ];
    // M⁻¹ f = (-0.5, 0.25).
    let free = [-0.25, 0.5, 0.75, 0.75];
    assert!(difference(&problem, &w, &free) < ROUNDING);
}

#[test]
fn written_problem_is_the_same_problem_when_read_again() {
    let file = percuss_fclib::read(&collection("Box_Stacks-i0122-82-5")).expect("readable");
    let problem = to_problem(&file).expect("posable");
    let info = Info {
        title: "boxes".into(),
        ..Info::default()
    };
    let local = from_problem(&problem, info).expect("Coulomb contacts");
    let bytes = percuss_fclib::write_bytes("boxes", &local).expect("writable");
    let again = percuss_fclib::read_bytes("boxes", &bytes).expect("readable");
    assert_eq!(again.info.title, "boxes");
    let again = to_problem(&again).expect("posable");
    assert_eq!(again.laws(), problem.laws());
    assert_eq!(again.free_velocity(), problem.free_velocity());
    assert_eq!(again.matrix(), problem.matrix());
}

#[test]
fn problem_without_contacts_goes_both_ways() {
    let none = SparseMatrix::zero;
    for form in [
        ProblemForm::Local(percuss_fclib::LocalProblem {
            spacedim: 3,
            w: none(0, 0),
            q: Vec::new(),
            mu: Vec::new(),
            bilateral: None,
        }),
        ProblemForm::Global(GlobalProblem {
            spacedim: 3,
            m: none(0, 0),
            h: none(0, 0),
            f: Vec::new(),
            w: Vec::new(),
            mu: Vec::new(),
            bilateral: None,
        }),
    ] {
        let problem = to_problem(&ProblemFile::new(form)).expect("posable");
        assert_eq!(problem.num_contacts(), 0);
        let file = from_problem(&problem, Info::default()).expect("storable");
        assert_eq!(file.contacts(), 0);
    }
}

#[test]
fn other_laws_than_coulomb_are_not_storable() {
    let problem = to_problem(&full_local()).expect("posable");
    let error = from_problem(&problem, Info::default()).expect_err("a bilateral row");
    assert!(
        error
            .to_string()
            .contains("contact 2 has the law \"bilateral\"")
    );
}

#[test]
fn faults_of_m_and_of_equations_are_told_by_coordinate_and_row() {
    let mut massless = two_contacts(chain(6, 0.0));
    let ProblemForm::Global(p) = &mut massless.form else {
        unreachable!("made so")
    };
    p.m = matrix(6, 6, &[(0, 0, 1.0), (1, 1, 1.0), (5, 5, 1.0)]);
    let error = to_problem(&massless).expect_err("no mass at coordinate 2");
    assert!(
        matches!(error, ConvertError::Singular { coordinate: 2, .. }),
        "{error}"
    );

    let mut idle = full_global();
    let ProblemForm::Global(p) = &mut idle.form else {
        unreachable!("made so")
    };
    p.bilateral.as_mut().expect("has one").g = SparseMatrix::zero(2, 1);
    let error = to_problem(&idle).expect_err("the equation moves nothing");
    assert!(
        matches!(error, ConvertError::Equation { row: 0, .. }),
        "{error}"
    );

    let mut contrary = full_local();
    let ProblemForm::Local(p) = &mut contrary.form else {
        unreachable!("made so")
    };
    p.w.val[0] = -2.0;
    let error = to_problem(&contrary).expect_err("H is not positive definite");
    let block = ConvertError::Problem(ProblemError::Block {
        contact: 0,
        detail: "its normal entry is -2e0".into(),
    });
    assert_eq!(error.to_string(), block.to_string());

    let ProblemForm::Local(p) = &mut contrary.form else {
        unreachable!("made so")
    };
    p.q.pop();
    let error = to_problem(&contrary).expect_err("sizes contradict");
    assert!(matches!(error, ConvertError::File(_)), "{error}");
}

#[test]
fn groups_too_large_to_eliminate_are_refused_before_memory_is_taken() {
    let n = percuss_fclib::convert::MAX_DENSE + 1;
    let error = to_problem(&two_contacts(chain(n, 0.0))).expect_err("too large");
    assert!(
        matches!(error, ConvertError::TooLarge { size, .. } if size == n),
        "{error}"
    );
}
