//! The integrator `projected` of bodies: verified from its records, refused where it is not known.

use crate::common::alter::altered_are_found;
use crate::common::{folder, percuss};

const PAIR: &[&str] = &["a", "b"];

#[test]
fn one_impulse_of_a_projected_contact_altered_by_a_millionth_is_found() {
    let figures: [(&str, &str, &[&str]); 3] = [
        ("contacts", "impulse_n", PAIR),
        ("end_contacts", "impulse_n", PAIR),
        ("end_contacts", "impulse_t1", PAIR),
    ];
    altered_are_found("arch", &["until=0.03", "integrator=projected"], &figures);
    let figures: [(&str, &str, &[&str]); 2] = [
        ("end_contacts", "impulse_n", PAIR),
        ("end_contacts", "impulse_t2", PAIR),
    ];
    let ball = ["until=0.02", "record_every=1", "integrator=projected"];
    altered_are_found("sphere-spin", &ball, &figures);
}

#[test]
fn other_integrators_and_periodic_cells_are_refused() {
    let folder = folder();
    let theta = percuss(
        folder.path(),
        &["run", "arch", "--set", "integrator=theta", "-o", "run"],
    );
    assert_eq!(theta.status, 2, "{}", theta.err);
    assert!(
        theta.err.contains("\"midpoint\", \"projected\""),
        "{}",
        theta.err
    );
    let cell = percuss(
        folder.path(),
        &["run", "chute", "--set", "integrator=projected", "-o", "run"],
    );
    assert_eq!(cell.status, 2, "{}", cell.err);
    assert!(cell.err.contains("`midpoint`"), "{}", cell.err);
    assert!(!folder.path().join("run").exists());
}
