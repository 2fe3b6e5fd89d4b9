//! Energy of impacts: the identity of Jean and Moreau, and what the certificate says of it.

use crate::common::{dot, end, kinetic, solve_cold, velocity};
use percuss_contact::{Certificate, Problem, Restitution, StepVelocities};
use percuss_solve::sample::RandomContacts;
use percuss_solve::{Auto, Goal};
use proptest::prelude::*;

/// ρ = (1−δ)/(1+δ), the same in all directions (JM92 6.1).
fn common_index(delta: f64) -> Restitution {
    let rho = (1.0 - delta) / (1.0 + delta);
    Restitution {
        normal: rho,
        tangential: rho,
    }
}

/// E_F − E_I − Σ S·Uᵃ + ½δ |v_F − v_I|², relative to E_I, and the energy gained relative to E_I;
/// Uᵃ = ½(1−δ)U_I + ½(1+δ)U_F = ½(1+δ) Ū (JM92 6.2).
fn identity(problem: &Problem, impulse: &[f64], delta: f64) -> (f64, f64) {
    let begin = kinetic(problem).begin();
    let end = end(problem, impulse);
    let energy = 0.5 * dot(begin, begin);
    let gain = 0.5 * dot(&end, &end) - energy;
    let mean: Vec<f64> = velocity(problem, impulse)
        .iter()
        .map(|u| 0.5 * (1.0 + delta) * u)
        .collect();
    let jump: Vec<f64> = end.iter().zip(begin).map(|(f, i)| f - i).collect();
    let expected = dot(impulse, &mean) - 0.5 * delta * dot(&jump, &jump);
    ((gain - expected).abs() / energy, gain / energy)
}

fn certificate(problem: &Problem, impulse: &[f64]) -> Certificate {
    let end = end(problem, impulse);
    let motion = StepVelocities { end: &end, impulse };
    Certificate::of(problem, motion).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn one_common_index_satisfies_the_identity_and_never_gains_energy(
        bodies in 1_usize..6,
        contacts in 1_usize..9,
        friction in prop_oneof![Just(0.0), 0.05..0.8],
        delta in 0.0..=1.0,
        seed in any::<u64>(),
    ) {
        let linkage = RandomContacts { bodies, contacts, friction, restitution: common_index(delta), seed };
        let problem = linkage.problem().unwrap();
        let (impulse, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-10));
        prop_assert!(report.reached(), "{linkage:?} {report:?}");
        let (error, gain) = identity(&problem, &impulse, delta);
        // Algebra on a dozen numbers of order 1: rounding. Impulses may exceed momenta by wedging,
        // hence not 1e-15.
        prop_assert!(error <= 1e-10, "{error:e}");
        // Σ S·Ū ≤ 0 is exact for exact solutions; a residual of 1e-10 leaves as much of S·Ū, which
        // may be some hundred times E_I where bodies wedge.
        prop_assert!(gain <= 1e-8, "{gain:e}");
        let c = certificate(&problem, &impulse);
        prop_assert!(c.momentum_residual <= 1e-12 && c.energy_residual <= 1e-12, "{c:?}");
        prop_assert!(c.impact_work + c.friction_work <= 1e-8 * c.energy_begin, "{c:?}");
        prop_assert!(c.boundary_work == 0.0 && c.force_work == 0.0);
        prop_assert!((c.energy_end - c.energy_begin - gain * c.energy_begin).abs() <= 1e-12 * c.energy_begin);
    }
}

#[test]
fn mixed_coefficients_can_gain_energy_and_the_certificate_shows_it() {
    // Elastic in the normal, soft in the tangent, with friction: Kane and Levinson's paradox. The gain is real within
    // the law; the certificate must not hide it.
    let restitution = Restitution {
        normal: 1.0,
        tangential: 0.0,
    };
    let mut gains = 0;
    for seed in 0..200 {
        let linkage = RandomContacts {
            bodies: 1,
            contacts: 1,
            friction: 1.0,
            restitution,
            seed,
        };
        let problem = linkage.problem().unwrap();
        let (impulse, report) =
            solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-12));
        assert!(report.reached());
        let c = certificate(&problem, &impulse);
        // The balance closes whether energy is gained or lost.
        assert!(
            c.energy_residual <= 1e-12 && c.momentum_residual <= 1e-12,
            "seed {seed}: {c:?}"
        );
        let gain = c.energy_end - c.energy_begin;
        // All of the gain is work of the contact.
        assert!(
            (gain - c.impact_work - c.friction_work).abs()
                <= 1e-12 * c.energy_begin.max(c.energy_end)
        );
        if gain > 0.01 * c.energy_begin {
            gains += 1;
        }
    }
    assert!(
        gains > 0,
        "a case with a gain above one percent was expected among the seeds"
    );
}

#[test]
fn frictionless_impacts_with_one_coefficient_lose_what_the_oracle_says() {
    // T⁺ − T⁻ = −½ (1−e)/(1+e) ‖v⁺ − v⁻‖²_M, same e in every contact.
    let file = include_str!("../data/dissipation_identity.json");
    let oracle: serde_json::Value = serde_json::from_str(file).unwrap();
    let cases = oracle["checked_random_cases"].as_u64().unwrap();
    let tolerance = oracle["tol_rel"].as_f64().unwrap();
    for seed in 0..cases {
        let e = seed as f64 / cases as f64;
        let linkage = RandomContacts {
            bodies: 4,
            contacts: 5,
            friction: 0.0,
            restitution: Restitution {
                normal: e,
                tangential: 0.0,
            },
            seed,
        };
        let problem = linkage.problem().unwrap();
        let (impulse, report) =
            solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-14));
        let begin = kinetic(&problem).begin();
        let end = end(&problem, &impulse);
        let jump: Vec<f64> = end.iter().zip(begin).map(|(f, i)| f - i).collect();
        let energy = 0.5 * dot(begin, begin);
        let lost = 0.5 * dot(&end, &end) - energy;
        let expected = -0.5 * (1.0 - e) / (1.0 + e) * dot(&jump, &jump);
        let error = (lost - expected).abs() / energy;
        // The oracle's own tolerance; complementarity must hold to rounding for it.
        assert!(error <= tolerance, "seed {seed}: {error:e} at {report:?}");
    }
}
