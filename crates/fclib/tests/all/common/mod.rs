//! Problem files put together dataset by dataset, so that a test can break one of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use percuss_fclib::{
    GlobalBilateral, GlobalProblem, Info, LocalBilateral, LocalProblem, ProblemFile, ProblemForm,
    SolutionVectors, SparseMatrix,
};

/// A file of the collection in the repository.
pub fn collection(name: &str) -> PathBuf {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/fclib");
    PathBuf::from(data).join(format!("{name}.hdf5"))
}

/// A file that an independent program (`tests/data/make.py`) wrote.
pub fn foreign(name: &str) -> PathBuf {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    PathBuf::from(data).join(format!("{name}.hdf5"))
}

/// The contents of a dataset.
#[derive(Clone)]
pub enum Data {
    I(Vec<i32>),
    F(Vec<f64>),
    Attribute(i32),
    /// Texts of variable length.
    Texts(Vec<String>),
}

/// Datasets by full name without the leading slash; an attribute is named like a dataset.
pub type Tree = BTreeMap<String, Data>;

/// Adds one dataset.
pub fn put(tree: &mut Tree, name: &str, data: Data) {
    tree.insert(name.into(), data);
}

/// Two contacts in space: W = diag(1..6), q, mu = (0.5, 0.25).
pub fn local_tree() -> Tree {
    let mut tree = Tree::new();
    let at = |name: &str| format!("fclib_local/{name}");
    put(&mut tree, &at("spacedim"), Data::I(vec![3]));
    for (name, value) in [("m", 6), ("n", 6), ("nz", -2), ("nzmax", 6)] {
        put(&mut tree, &at(&format!("W/{name}")), Data::I(vec![value]));
    }
    put(&mut tree, &at("W/p"), Data::I((0..=6).collect()));
    put(&mut tree, &at("W/i"), Data::I((0..6).collect()));
    let x = (1..=6).map(f64::from).collect();
    put(&mut tree, &at("W/x"), Data::F(x));
    let q = vec![-1.0, 0.5, 0.0, -2.0, 0.0, 0.25];
    put(&mut tree, &at("vectors/q"), Data::F(q));
    put(&mut tree, &at("vectors/mu"), Data::F(vec![0.5, 0.25]));
    put(
        &mut tree,
        &at("info/numberOfDegreeOfFreedom"),
        Data::Attribute(12),
    );
    tree
}

/// The bytes of a file with these datasets.
pub fn encode(tree: &Tree) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let mut tops: Vec<&str> = tree.keys().filter_map(|k| k.split('/').next()).collect();
    tops.dedup();
    for top in tops {
        let mut group = file.create_group(top);
        fill(&mut group, tree, &format!("{top}/"));
        file.add_group(group.finish());
    }
    file.finish().expect("the tree is a legal HDF5 file")
}

fn fill(group: &mut GroupBuilder, tree: &Tree, prefix: &str) {
    let mut done = String::new();
    for (name, data) in tree {
        let Some(rest) = name.strip_prefix(prefix) else {
            continue;
        };
        match (rest.split_once('/'), data) {
            (Some((sub, _)), _) if sub == done => {}
            (Some((sub, _)), _) => {
                done = sub.into();
                let mut inner = group.create_group(sub);
                fill(&mut inner, tree, &format!("{prefix}{sub}/"));
                group.add_group(inner.finish());
            }
            (None, Data::I(values)) => {
                group.create_dataset(rest).with_i32_data(values);
            }
            (None, Data::F(values)) => {
                group.create_dataset(rest).with_f64_data(values);
            }
            (None, Data::Texts(values)) => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                group.create_dataset(rest).with_vlen_strings(&values);
            }
            (None, Data::Attribute(value)) => {
                group.set_attr(rest, AttrValue::I32Array(vec![*value]));
            }
        }
    }
}

/// A matrix from triplets that are known to be in range.
pub fn matrix(rows: usize, cols: usize, entries: &[(usize, usize, f64)]) -> SparseMatrix {
    SparseMatrix::from_triplets(rows, cols, entries).expect("indices in range")
}

/// A local problem that uses every part of the layout.
pub fn full_local() -> ProblemFile {
    let w = [
        (0, 0, 2.0),
        (0, 1, 1.0),
        (1, 0, 1.0),
        (1, 1, 3.0),
        (2, 2, 4.0),
        (3, 2, 0.5),
        (3, 3, 5.0),
    ];
    ProblemFile {
        form: ProblemForm::Local(LocalProblem {
            spacedim: 2,
            w: matrix(4, 4, &w),
            q: vec![-1.0, 0.5, -2.0, 0.25],
            mu: vec![0.5, 0.0],
            bilateral: Some(LocalBilateral {
                v: matrix(4, 1, &[(0, 0, 0.5), (3, 0, -0.25)]),
                r: matrix(1, 1, &[(0, 0, 8.0)]),
                s: vec![0.125],
            }),
        }),
        info: Info {
            title: "plane".into(),
            degrees_of_freedom: Some(6),
            ..Info::default()
        },
        guesses: Vec::new(),
        solution: Some(SolutionVectors {
            u: vec![0.0, 1.0, 2.0, 3.0],
            r: vec![0.0; 4],
            v: None,
            lambda: Some(vec![7.0]),
        }),
    }
}

/// A global problem that uses every part of the layout.
pub fn full_global() -> ProblemFile {
    let guess = |k: f64| SolutionVectors {
        u: vec![k, 0.0, 0.0],
        r: vec![0.0, k, 0.0],
        v: Some(vec![1.0, k]),
        lambda: Some(vec![-k]),
    };
    let h = [(0, 0, 1.0), (1, 0, 0.0), (1, 1, 2.0), (1, 2, 3.0)];
    ProblemFile {
        form: ProblemForm::Global(GlobalProblem {
            spacedim: 3,
            m: matrix(2, 2, &[(0, 0, 2.0), (1, 1, 4.0)]),
            h: matrix(2, 3, &h),
            f: vec![-1.0, 1.0],
            w: vec![0.25, 0.0, 0.0],
            mu: vec![0.75],
            bilateral: Some(GlobalBilateral {
                g: matrix(2, 1, &[(1, 0, 1.0)]),
                b: vec![0.5],
            }),
        }),
        info: Info::default(),
        guesses: vec![guess(1.0), guess(2.0)],
        solution: None,
    }
}
