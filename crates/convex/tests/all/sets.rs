//! The properties that define the operations, on random sets of every kind.

use crate::common::*;
use percuss_convex::{ConvexSet, Metric, PolarCone, Set, Support};
use proptest::prelude::any;
use proptest::test_runner::{Config, TestRng, TestRunner};

const CASES: u32 = 80;

/// Sets, membership tests and points of unit scale: the conic solver guarantees 1e-12 and the
/// exact methods reach 1e-15; the factor covers metrics of condition 100.
const TOL: f64 = 1e-10;

/// Runs a claim on random sets of every kind; a failure shows the kind and the seed.
fn for_all(claim: impl FnMut(&str, &Set, &Excess, &mut Rng)) {
    let claim = std::cell::RefCell::new(claim);
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(CASES)
    };
    for kind in KINDS {
        let rng = TestRng::deterministic_rng(config.rng_algorithm);
        let mut runner = TestRunner::new_with_rng(config.clone(), rng);
        let outcome = runner.run(&any::<u64>(), |seed| {
            let mut rng = Rng(seed);
            let (set, excess) = sample(kind, &mut rng);
            (claim.borrow_mut())(kind, &set, &excess, &mut rng);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{kind}: {error}");
        }
    }
}

fn random_point(set: &Set, rng: &mut Rng) -> Vec<f64> {
    let size = [0.3, 2.0, 10.0][rng.below(3)];
    times(&rng.vec(set.dim()), size)
}

/// Points of the set found without the projection under test: supporting points, moved towards
/// each other, and recession rays added.
fn members(set: &Set, rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    for _ in 0..6 {
        let y = rng.vec(set.dim());
        match set.support(&y).unwrap() {
            Support::Attained { point, .. } => out.push(point),
            Support::Unbounded { direction } => {
                let base = set.project(&vec![0.0; set.dim()]).unwrap();
                out.push(add(&base, &direction));
            }
        }
    }
    for i in 1..out.len() {
        out.push(times(&add(&out[i], &out[i - 1]), 0.5));
    }
    out
}

#[test]
fn projection_is_the_nearest_point_in_both_metrics() {
    for_all(|kind, set, excess, rng| {
        for metric in [Metric::euclidean(set.dim()), random_metric(set.dim(), rng)] {
            let z = random_point(set, rng);
            let p = set
                .project_in(&metric, &z)
                .unwrap_or_else(|e| panic!("{kind}: {e}"));
            let scale = 1.0 + norm(&z);
            assert!(
                excess(&p) <= TOL * scale,
                "{kind}: p leaves the set by {:e}",
                excess(&p)
            );
            for y in members(set, rng) {
                let vi = metric.inner(&sub(&z, &p), &sub(&y, &p));
                let bound =
                    TOL * metric.norm(&sub(&z, &p)).max(1.0) * (scale + metric.norm(&sub(&y, &p)));
                assert!(
                    vi <= bound,
                    "{kind}: variational inequality off by {vi:e} at z {z:?} p {p:?} y {y:?}"
                );
            }
        }
    });
}

#[test]
fn members_used_by_these_tests_satisfy_the_definitions() {
    for_all(|kind, set, excess, rng| {
        for y in members(set, rng) {
            let e = excess(&y);
            assert!(
                e <= TOL * (1.0 + norm(&y)),
                "{kind}: member off by {e:e}: {y:?}"
            );
            assert!(set.contains(&y, TOL * (1.0 + norm(&y))).unwrap(), "{kind}");
        }
    });
}

#[test]
fn points_off_the_definition_are_not_contained() {
    for_all(|kind, set, excess, rng| {
        let z = random_point(set, rng);
        if excess(&z) > 0.01 {
            assert!(!set.contains(&z, 1e-9).unwrap(), "{kind}: {z:?}");
            assert!(set.distance(&z).unwrap() > 1e-9, "{kind}");
        }
    });
}

#[test]
fn projection_is_idempotent_and_non_expansive_in_both_metrics() {
    for_all(|kind, set, _, rng| {
        for metric in [Metric::euclidean(set.dim()), random_metric(set.dim(), rng)] {
            let (a, b) = (random_point(set, rng), random_point(set, rng));
            let pa = set.project_in(&metric, &a).unwrap();
            let pb = set.project_in(&metric, &b).unwrap();
            let again = set.project_in(&metric, &pa).unwrap();
            let scale = 1.0 + norm(&a) + norm(&b);
            assert!(
                norm(&sub(&again, &pa)) <= TOL * scale,
                "{kind}: not idempotent {pa:?} {again:?}"
            );
            let (before, after) = (metric.norm(&sub(&a, &b)), metric.norm(&sub(&pa, &pb)));
            assert!(
                after <= before + TOL * scale,
                "{kind}: expands {before} to {after}"
            );
        }
    });
}

#[test]
fn support_and_normal_cone_agree() {
    for_all(|kind, set, _, rng| {
        let y = rng.vec(set.dim());
        let Support::Attained { value, point } = set.support(&y).unwrap() else {
            return;
        };
        let scale = 1.0 + norm(&point);
        assert!((value - dot(&y, &point)).abs() <= TOL * scale, "{kind}");
        assert!(
            set.in_normal_cone(&point, &y, TOL * scale).unwrap(),
            "{kind}: y is no normal at {point:?}"
        );
        for x in members(set, rng) {
            assert!(
                dot(&y, &x) <= value + TOL * (scale + norm(&x)),
                "{kind}: support too small"
            );
        }
        // The residual of a projection is a normal at the projected point.
        let z = random_point(set, rng);
        let p = set.project(&z).unwrap();
        let tol = TOL * (1.0 + norm(&z));
        assert!(set.in_normal_cone(&p, &sub(&z, &p), tol).unwrap(), "{kind}");
        // The opposite of a true normal is none.
        if norm(&sub(&z, &p)) > 0.05 && set.affine_dim().unwrap() == Some(set.dim()) {
            assert!(
                !set.in_normal_cone(&p, &sub(&p, &z), 1e-12).unwrap(),
                "{kind}"
            );
        }
    });
}

#[test]
fn unbounded_directions_recede_and_raise_the_form() {
    let mut seen = 0;
    for_all(|kind, set, excess, rng| {
        let y = rng.vec(set.dim());
        if let Support::Unbounded { direction } = set.support(&y).unwrap() {
            seen += 1;
            assert!(dot(&y, &direction) > 0.0, "{kind}");
            let base = set.project(&vec![0.0; set.dim()]).unwrap();
            let far = add(&base, &times(&direction, 100.0));
            assert!(excess(&far) <= TOL * (1.0 + norm(&far)), "{kind}");
        }
    });
    assert!(
        seen > 100,
        "only {seen} unbounded cases: the test would show nothing"
    );
}

#[test]
fn every_cone_obeys_moreau_decomposition_with_its_polar() {
    let mut seen = 0;
    for_all(|kind, set, excess, rng| {
        if !set.is_cone() {
            return;
        }
        seen += 1;
        let polar = set
            .polar()
            .unwrap_or_else(|| panic!("{kind}: a cone has a polar"));
        let z = random_point(set, rng);
        let (p, q) = (set.project(&z).unwrap(), polar.project(&z).unwrap());
        let tol = TOL * (1.0 + norm(&z));
        assert!(
            norm(&sub(&z, &add(&p, &q))) <= tol,
            "{kind}: {z:?} is not {p:?} + {q:?}"
        );
        assert!(dot(&p, &q).abs() <= tol * norm(&z), "{kind}");
        assert!(excess(&p) <= tol, "{kind}");
        for x in members(set, rng) {
            assert!(dot(&x, &q) <= tol * norm(&x), "{kind}: q is not polar");
        }
        // The generic polar is the same set as the closed form.
        let generic = PolarCone::new(set.clone()).unwrap();
        assert!(
            norm(&sub(&generic.project(&z).unwrap(), &q)) <= tol,
            "{kind}"
        );
        let metric = random_metric(set.dim(), rng);
        let a = polar.project_in(&metric, &z).unwrap();
        let b = generic.project_in(&metric, &z).unwrap();
        assert!(norm(&sub(&a, &b)) <= 100.0 * tol, "{kind}: {a:?} {b:?}");
        let bipolar = polar.polar().unwrap_or_else(|| panic!("{kind}: bipolar"));
        assert!(
            norm(&sub(&bipolar.project(&z).unwrap(), &p)) <= tol,
            "{kind}"
        );
    });
    assert!(seen >= 7 * CASES as usize);
}

#[test]
fn polar_sets_satisfy_their_definition() {
    let mut seen = 0;
    for_all(|kind, set, _, rng| {
        let Some(polar) = set.polar() else { return };
        seen += 1;
        let level = if set.is_cone() { 0.0 } else { 1.0 };
        // y ∈ C° ⇔ σ_C(y) ≤ level: for members of the polar, and for points outside it.
        let y = polar.project(&random_point(set, rng)).unwrap();
        for x in members(set, rng) {
            let v = dot(&x, &y);
            assert!(
                v <= level + TOL * (1.0 + norm(&x)) * (1.0 + norm(&y)),
                "{kind}: {v}"
            );
        }
        let z = random_point(set, rng);
        if polar.distance(&z).unwrap() > 1e-6 {
            assert!(
                set.support(&z).unwrap().value() > level,
                "{kind}: {z:?} is polar but was moved"
            );
        }
    });
    assert!(seen > 600, "{seen}");
}

#[test]
fn gauge_marks_the_boundary_along_each_ray() {
    let mut seen = 0;
    for_all(|kind, set, excess, rng| {
        let x = rng.vec(set.dim());
        let Some(gauge) = set.gauge(&x).unwrap() else {
            let origin = vec![0.0; set.dim()];
            assert!(set.distance(&origin).unwrap() > 0.0, "{kind}");
            return;
        };
        seen += 1;
        if gauge == 0.0 {
            let far = times(&x, 1e3);
            assert!(
                excess(&far) <= TOL * norm(&far),
                "{kind}: should recede along {x:?}"
            );
        } else if gauge.is_finite() {
            let rim = times(&x, 1.0 / gauge);
            assert!(
                excess(&rim) <= 1e-9 * (1.0 + norm(&rim)),
                "{kind}: rim outside by {:e}",
                excess(&rim)
            );
            let beyond = times(&rim, 1.01);
            assert!(
                !set.contains(&beyond, 1e-7 * norm(&rim)).unwrap(),
                "{kind}: ray leaves later"
            );
        } else {
            assert!(
                !set.contains(&times(&x, 1e-3), 1e-9).unwrap(),
                "{kind}: {x:?}"
            );
        }
    });
    assert!(seen > 300, "{seen}");
}

#[test]
fn metric_projection_by_the_conic_solver_agrees_with_the_closed_forms() {
    // A diagonal metric written as a full one goes through the general solver; a matrix c·I
    // must reproduce the Euclidean projection of every set.
    for_all(|kind, set, _, rng| {
        let n = set.dim();
        let c = rng.range(0.2, 5.0);
        let metric = Metric::diagonal(&vec![c; n]).unwrap();
        let z = random_point(set, rng);
        let (a, b) = (
            set.project(&z).unwrap(),
            set.project_in(&metric, &z).unwrap(),
        );
        assert!(
            norm(&sub(&a, &b)) <= 1e-11 * (1.0 + norm(&z)),
            "{kind}: {a:?} {b:?}"
        );
    });
}
