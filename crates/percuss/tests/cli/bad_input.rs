//! Whatever is given, a sentence that helps and an agreed status; never a panic.

use std::process::Stdio;

use crate::common::{
    CommandOutput, apart, command, data, folder, local, percuss, write, write_patched,
};

/// Runs `percuss solve FILE` on a bad file beside a good one and gives the messages: the bad one
/// must be named and skipped, the good one solved.
fn message_for(bad: &std::path::Path) -> String {
    let here = folder();
    let good = data("Rover1040");
    let bad = bad.to_str().expect("text");
    let ran = percuss(here.path(), &["solve", &good, bad, &good, "--json"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains(bad), "{}", ran.err);
    let all = ran.json();
    assert_eq!(all["total"], 2);
    assert_eq!(all["solved"], 2);
    assert_eq!(all["skipped"][0]["file"], bad);
    let error = all["skipped"][0]["error"].as_str().expect("a sentence");
    assert!(ran.err.contains(error), "{}", ran.err);
    ran.err
}

#[test]
fn damaged_file_among_good_ones_is_named_and_skipped() {
    let here = folder();
    let bytes = std::fs::read(data("OneObject-i100000-316")).expect("readable");
    let path = here.path().join("cut.hdf5");
    std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("writable");
    message_for(&path);
}

#[test]
fn text_file_and_folder_and_missing_file_are_told_apart() {
    let here = folder();
    let text = here.path().join("notes.txt");
    std::fs::write(&text, "W = 1\n").expect("writable");
    assert!(message_for(&text).contains("not an HDF5 file"));
    assert!(message_for(here.path()).contains("this is a folder"));
    assert!(message_for(&here.path().join("none.hdf5")).contains("No such file"));
}

#[test]
fn negative_friction_is_told_with_its_contact() {
    let here = folder();
    let path = here.path().join("negative.hdf5");
    write_patched(&path, &apart(&[0.5, 0.625]), 0.625, -0.625, 1);
    let message = message_for(&path);
    assert!(message.contains("mu[1] = -0.625"), "{message}");
}

#[test]
fn numbers_that_are_none_are_told_with_their_place() {
    let here = folder();
    let path = here.path().join("nan.hdf5");
    write_patched(&path, &apart(&[0.5]), 0.5, f64::NAN, 1);
    assert!(message_for(&path).contains("mu[0] = NaN"));
    write_patched(&path, &apart(&[0.5]), 0.25, f64::NAN, 1);
    assert!(message_for(&path).contains("q[1] = NaN"));
}

#[test]
fn block_that_is_not_positive_definite_is_told_with_its_contact() {
    let here = folder();
    let mut file = apart(&[0.5, 0.5]);
    local(&mut file).w.val[3] = -1.0;
    let message = message_for(&write(here.path(), "indefinite.hdf5", &file));
    let start = "the diagonal block H of contact 1 is not positive semidefinite";
    assert!(message.contains(start), "{message}");
}

#[test]
fn sizes_that_contradict_each_other_are_told() {
    let here = folder();
    let path = here.path().join("sizes.hdf5");
    // The row count of W as a 32-bit integer: 6 becomes 7 wherever it stands.
    let mut bytes =
        percuss_fclib::write_bytes("sizes", &apart(&[0.5, 0.5])).expect("a sound problem");
    let six = 6_i32.to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 3)
        .filter(|&k| bytes[k..k + 4] == six)
        .collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|k| bytes[k] = 7);
    std::fs::write(&path, bytes).expect("writable");
    message_for(&path);
}

#[test]
fn problem_without_contacts_is_solved() {
    let here = folder();
    let path = write(here.path(), "empty.hdf5", &apart(&[]));
    for solver in percuss_solve::NAMES {
        let args = [
            "solve",
            path.to_str().expect("text"),
            "--json",
            "--solver",
            solver,
        ];
        let ran = percuss(here.path(), &args);
        assert_eq!(ran.status, 0, "{solver}: {}", ran.err);
        let all = ran.json();
        assert_eq!(all["solved"], 1, "{solver}");
        assert_eq!(all["problems"][0]["contacts"], 0, "{solver}");
    }
}

#[test]
fn unknown_method_is_refused_with_the_nearest_name() {
    let here = folder();
    let ran = percuss(here.path(), &["solve", "x.hdf5", "--solver", "nlsg"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("'nlgs'"), "{}", ran.err);
    assert!(ran.err.contains("similar"), "{}", ran.err);
}

#[test]
fn tolerance_must_be_a_positive_number() {
    let here = folder();
    for text in ["0", "-1", "-1e-6", "nan", "inf", "small", ""] {
        let ran = percuss(here.path(), &["solve", "x.hdf5", "--tol", text]);
        assert_eq!(ran.status, 2, "{text}");
        assert!(ran.err.contains("--tol"), "{text}: {}", ran.err);
        assert!(
            ran.err.contains("a number such as 1e-6"),
            "{text}: {}",
            ran.err
        );
    }
    for text in ["0", "-3", "1.5", "many"] {
        let ran = percuss(here.path(), &["solve", "x.hdf5", "--max-iterations", text]);
        assert_eq!(ran.status, 2, "{text}");
        assert!(ran.err.contains("a whole number, 1 or more"), "{}", ran.err);
    }
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let here = folder();
    for args in [
        &["solve", "x.hdf5", "-o", "p.svg"][..],
        &["solve", "x.hdf5", "--compare", "--solver", "nlgs"],
        &["solve"],
        &[],
    ] {
        assert_eq!(percuss(here.path(), args).status, 2, "{args:?}");
    }
}

#[test]
fn reader_that_goes_away_is_no_fault() {
    let here = folder();
    let file = data("Rover1040");
    let many = vec![file.as_str(); 200];
    for extra in [&[][..], &["--json"]] {
        let args = [&["solve"][..], &many, extra].concat();
        let mut child = command(here.path(), &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let ran = CommandOutput::of(child.wait_with_output().expect("the program ends"));
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(ran.err, "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_behind_standard_output_gives_status_3() {
    let here = folder();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("the device that is always full");
    let output = command(here.path(), &["solve", &data("Rover1040")])
        .stdout(full)
        .output()
        .expect("the program starts");
    let ran = CommandOutput::of(output);
    assert_eq!(ran.status, 3);
    assert!(
        ran.err.contains("cannot write to the standard output"),
        "{}",
        ran.err
    );
}

#[test]
fn help_and_version_are_given() {
    let here = folder();
    let ran = percuss(here.path(), &["solve", "--help"]);
    assert_eq!(ran.status, 0);
    for part in ["Examples:", "--tol", "Exit status", "nncg-projection"] {
        assert!(ran.out.contains(part), "{part}");
    }
    let ran = percuss(here.path(), &["--version"]);
    assert_eq!(
        ran.out.trim(),
        concat!("percuss ", env!("CARGO_PKG_VERSION"))
    );
}
