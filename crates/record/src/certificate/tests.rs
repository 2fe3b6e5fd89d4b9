use super::*;
use percuss_mechanism::StepReport;
use percuss_scene::CertificateBounds;

fn step(residual: f64, reached: bool) -> StepReport {
    StepReport {
        residual,
        reached,
        gamma: f64::INFINITY,
        ..StepReport::default()
    }
}

fn nowhere(_: Criterion) -> String {
    String::new()
}

#[test]
fn the_worst_is_kept_and_a_missed_step_counts() {
    let mut certificate = Certificate::new();
    assert!(certificate.ok);
    certificate.add(&step(1e-12, true), &nowhere);
    certificate.add(&step(1e-5, false), &nowhere);
    certificate.add(&step(1e-13, true), &nowhere);
    assert_eq!(
        (certificate.steps, certificate.missed, certificate.ok),
        (3, 1, false)
    );
    assert_eq!(certificate.worst_residual, 1e-5);
    let entry = &certificate.not_met()[0];
    assert_eq!((entry.what, entry.first_step), ("residual", 2));
}

#[test]
fn a_nan_is_never_lost() {
    let mut certificate = Certificate::new();
    certificate.add(&step(f64::NAN, true), &nowhere);
    certificate.add(&step(1e-12, true), &nowhere);
    assert!(certificate.worst_residual.is_nan() && !certificate.ok);
    for set in [
        |ledger: &mut StepReport| ledger.excess = f64::NAN,
        |ledger: &mut StepReport| ledger.penetration = f64::NAN,
        |ledger: &mut StepReport| ledger.lasting = f64::NAN,
    ] {
        let (mut certificate, mut odd) = (Certificate::new(), step(0.0, true));
        set(&mut odd);
        certificate.add(&odd, &nowhere);
        certificate.add(&step(0.0, true), &nowhere);
        assert!(!certificate.ok && certificate.reason().is_some());
    }
}

#[test]
fn each_bound_is_kept_just_below_it_and_broken_just_above() {
    type Put = fn(&mut StepReport, f64);
    let bounds = CertificateBounds::default();
    // Of an extent of 2 and an energy at stake of 3 (kinetic, at the start).
    let cases: [(Criterion, Put, f64); 4] = [
        (Criterion::Gain, |l, x| l.excess = x, 1.0),
        (Criterion::Penetration, |l, x| l.penetration = x, 2.0),
        (Criterion::Drift, |l, x| l.drift = x, 2.0),
        (Criterion::Dissipation, |l, x| l.lasting = -x, 3.0),
    ];
    for (what, put, size) in cases {
        for (share, ok) in [(0.999, true), (1.001, false)] {
            let mut certificate = Certificate::new();
            let start = StepReport {
                kinetic: 3.0,
                ..StepReport::default()
            };
            certificate.begin(&start);
            let mut ledger = StepReport {
                extent: 2.0,
                t: 0.5,
                ..step(0.0, true)
            };
            put(&mut ledger, share * what.bound(&bounds) * size);
            certificate.add(&ledger, &|_| "`rim`".into());
            assert_eq!(certificate.ok, ok, "{what:?} {share}");
            let told: Vec<&str> = certificate.not_met().iter().map(|n| n.what).collect();
            let expected: &[&str] = if ok { &[] } else { &[what.name()] };
            assert_eq!(told, expected);
        }
    }
}

#[test]
fn what_is_deep_for_a_small_beginning_is_judged_by_the_length_in_the_end() {
    let mut certificate = Certificate::new();
    let at = |penetration: f64, extent: f64| StepReport {
        penetration,
        extent,
        ..step(0.0, true)
    };
    certificate.add(&at(1e-3, 1e-3), &nowhere);
    assert!(!certificate.ok);
    certificate.add(&at(0.0, 1.0), &nowhere);
    assert!(certificate.ok && certificate.not_met().is_empty());
}

#[test]
fn energy_gained_with_coefficients_that_differ_is_a_warning_that_names_them() {
    let mut certificate = Certificate::new();
    let mut ledger = StepReport {
        gain: 0.3,
        mixed: true,
        ..step(0.0, true)
    };
    certificate.add(&ledger, &nowhere);
    assert!(certificate.ok);
    let warnings = certificate.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("restitution coefficients differ"));
    // The same without them is a miss that does not name them.
    let mut certificate = Certificate::new();
    (ledger.mixed, ledger.excess) = (false, 0.3);
    certificate.add(&ledger, &nowhere);
    assert!(!certificate.ok);
    assert!(
        certificate
            .warnings()
            .iter()
            .all(|w| !w.contains("restitution"))
    );
}
