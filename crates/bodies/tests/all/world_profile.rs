//! Profiling measures the time of each stage and changes nothing.

use crate::support::*;
use glam::DVec2;
use percuss_bodies::Plane;

fn stage() -> WorldBuilder<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.4), DVec2::Y * -9.81);
    stage.floor();
    for k in 0..12 {
        let at = at2(0.01 * f64::from(k), 0.1 + 0.2 * f64::from(k));
        stage.body(rectangle(0.3, 0.2), 1000.0, at, [0.0; 3]);
    }
    stage.settings.tolerance = 1e-6;
    stage
}

#[test]
fn a_profile_counts_steps_and_changes_no_bit() {
    let (mut plain, mut timed) = (stage().world(), stage().world());
    assert!(plain.profile().is_none());
    timed.begin_profile();
    for _ in 0..40 {
        plain.step().unwrap();
        timed.step().unwrap();
    }
    assert_eq!(plain.state(), timed.state());
    assert_eq!(plain.report(), timed.report());
    assert!(plain.profile().is_none());
    let profile = *timed.profile().unwrap();
    assert_eq!(profile.steps, 40);
    // Every stage does something; a clock that stands still would say 0.
    let stages = [
        profile.detection,
        profile.assembly,
        profile.solve,
        profile.update,
        profile.account,
    ];
    assert!(stages.iter().all(|time| *time > 0.0), "{profile:?}");
    assert_eq!(profile.total(), {
        let [detection, assembly, solve, update, account] = stages;
        detection + assembly + solve + update + account
    });
    timed.begin_profile();
    assert_eq!(timed.profile().unwrap().steps, 0);
    timed.end_profile();
    timed.step().unwrap();
    assert!(timed.profile().is_none());
}
