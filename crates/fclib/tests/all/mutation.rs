//! Damaged files never panic, hang or grow: they give an error or a valid problem.
//!
//! The seeds are small files of every container format. The random cases are few enough for every
//! test run; the fuzzing target in `fuzz/` runs the same claim for as long as one likes.

use crate::common;

use std::path::PathBuf;

use proptest::prelude::*;

fn seeds() -> Vec<Vec<u8>> {
    let foreign = ["h5py_old", "h5py_gzip", "h5py_latest", "h5py_global"];
    let paths = foreign.iter().map(|name| common::foreign(name));
    let paths = paths.chain([common::collection("Rover1040")]);
    let load = |path: PathBuf| std::fs::read(path).expect("a seed");
    let own = percuss_fclib::write_bytes("seed", &common::full_local()).expect("written");
    paths.map(load).chain([own]).collect()
}

/// A valid problem is one that can be written again and comes back the same.
fn error_or_valid(bytes: &[u8]) {
    let Ok(problem) = percuss_fclib::read_bytes("damaged", bytes) else {
        return;
    };
    // Only the 32-bit integers of the layout can make a problem that was read unwritable.
    if let Ok(again) = percuss_fclib::write_bytes("damaged", &problem) {
        let again =
            percuss_fclib::read_bytes("damaged", &again).expect("what was written is readable");
        assert_eq!(again, problem);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn flipped_bytes_give_an_error_or_a_valid_problem(
        seed in 0..6usize,
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = seeds().swap_remove(seed);
        for (at, value) in flips {
            let k = at.index(bytes.len());
            bytes[k] = value;
        }
        error_or_valid(&bytes);
    }

    #[test]
    fn extreme_words_give_an_error_or_a_valid_problem(
        seed in 0..6usize,
        words in proptest::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(vec![
                0u64, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1 << 40, i64::MAX as u64,
                u64::MAX - 1, u64::MAX,
            ])),
            1..4,
        ),
    ) {
        let mut bytes = seeds().swap_remove(seed);
        for (at, word) in words {
            let k = at.index(bytes.len() / 8) * 8;
            bytes[k..k + 8].copy_from_slice(&word.to_le_bytes());
        }
        error_or_valid(&bytes);
    }

    #[test]
    fn truncated_and_spliced_files_give_an_error_or_a_valid_problem(
        seed in 0..6usize,
        other in 0..6usize,
        cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        keep_length in any::<bool>(),
    ) {
        let seeds = seeds();
        let (a, b) = (&seeds[seed], &seeds[other]);
        let mut bytes = a[..cut.index(a.len())].to_vec();
        bytes.extend_from_slice(&b[from.index(b.len())..]);
        if keep_length {
            // Keeps the length the header states, so that the parts behind it are reached.
            bytes.resize(a.len(), 0);
        }
        error_or_valid(&bytes);
        error_or_valid(&a[..cut.index(a.len())]);
    }
}
