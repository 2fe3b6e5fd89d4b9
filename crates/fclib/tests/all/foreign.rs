//! Files written by another HDF5 program (`tests/data/make.py`) give exactly the problem meant.

use crate::common;

#[test]
fn every_encoding_of_the_same_local_problem_reads_the_same() {
    // Old and newest container, big-endian 64-bit, 8-bit with single precision, chunked with
    // shuffle and gzip; W by unsorted columns, V by triplets, R by rows. All numbers of the
    // problem are exact in single precision, so equality is exact.
    for name in [
        "h5py_old",
        "h5py_big_endian",
        "h5py_small_types",
        "h5py_gzip",
        "h5py_latest",
    ] {
        let problem = percuss_fclib::read(&common::foreign(name)).expect(name);
        assert_eq!(problem, common::full_local(), "{name}");
    }
}

#[test]
fn global_triplets_take_i_as_row_and_sum_duplicates_and_keep_zeros() {
    let problem = percuss_fclib::read(&common::foreign("h5py_global")).expect("readable");
    assert_eq!(problem, common::full_global());
}
