//! Limit loads known in closed form.

use crate::common::{negative, plane};
use percuss_contact::law::Law;
use percuss_statics::{
    ContactAssembly, ContactAssemblyBuilder, LimitStatus, Loads, Sense, check_equilibrium,
    limit_load, nonassociated_limit,
};

/// Programs of a few unknowns of order 1, solved to 1e-11.
const EXACT: f64 = 1e-7;

/// A block of width 2b and height 2h on the ground, with one friction coefficient.
fn block(b: f64, h: f64, mu: f64) -> ContactAssembly {
    let mut builder = ContactAssemblyBuilder::new();
    let body = builder.add_group(3);
    for x in [-b, b] {
        let rows = plane([x, -h], [0.0, 1.0]);
        builder
            .add_contact(Law::Coulomb { mu }, 2, &[(body, &rows)])
            .unwrap();
    }
    builder.build()
}

const WEIGHT: [f64; 3] = [0.0, -2.0, 0.0];
const PUSH: [f64; 3] = [2.0, 0.0, 0.0];

#[test]
fn a_block_slides_at_mu_or_topples_at_b_over_h() {
    for (b, h, mu) in [
        (0.25, 1.0, 0.6),
        (0.25, 0.25, 0.3),
        (0.1, 1.0, 1e3),
        (0.1, 1.0, 1e9),
    ] {
        let system = block(b, h, mu);
        let loads = Loads {
            dead: &WEIGHT,
            live: &PUSH,
        };
        let expected = f64::min(mu, b / h);
        for (sense, sign) in [(Sense::Greatest, 1.0), (Sense::Least, -1.0)] {
            let found = limit_load(&system, loads, sense).unwrap();
            assert_eq!(found.status, LimitStatus::Bounded);
            assert!(
                (found.multiplier - sign * expected).abs() < EXACT,
                "{found:?}"
            );
            assert!(found.gap() < EXACT, "{found:?}");
            assert!(found.balance < EXACT && found.cone < EXACT && found.kinematic < EXACT);
            let work: f64 = found.mechanism.iter().zip(PUSH).map(|(v, f)| v * f).sum();
            assert!((work - sign).abs() < EXACT);
            // Toppling opens a joint and does not slide.
            assert_eq!(found.sliding > 0.0, mu < b / h);
            let plain = nonassociated_limit(&system, loads, sense, &found).unwrap();
            let plain = plain.limit.expect("the sequence settles");
            assert!((plain.multiplier - found.multiplier).abs() < 1e-5);
        }
    }
}

#[test]
fn a_block_against_a_wall_cannot_be_pushed_into_it() {
    let mut builder = ContactAssemblyBuilder::new();
    let body = builder.add_group(3);
    for (p, n) in [
        ([-0.5, -0.5], [0.0, 1.0]),
        ([0.5, -0.5], [0.0, 1.0]),
        ([0.5, 0.0], [-1.0, 0.0]),
    ] {
        let rows = plane(p, n);
        builder
            .add_contact(Law::Coulomb { mu: 0.3 }, 2, &[(body, &rows)])
            .unwrap();
    }
    let system = builder.build();
    let loads = Loads {
        dead: &WEIGHT,
        live: &PUSH,
    };
    let found = limit_load(&system, loads, Sense::Greatest).unwrap();
    assert_eq!(found.status, LimitStatus::Unbounded);
    assert_eq!(found.multiplier, f64::INFINITY);
    // The returned S balances the live load alone.
    let left = system.scatter(&found.impulse);
    for (s, f) in left.iter().zip(PUSH) {
        assert!((s + f).abs() < EXACT, "{left:?}");
    }
}

#[test]
fn what_does_not_stand_comes_with_a_mechanism_that_gains_energy() {
    // The centre of mass beyond the foot.
    let mut builder = ContactAssemblyBuilder::new();
    let body = builder.add_group(3);
    for x in [0.1, 0.5] {
        let rows = plane([x, -0.5], [0.0, 1.0]);
        builder
            .add_contact(Law::Coulomb { mu: 0.5 }, 2, &[(body, &rows)])
            .unwrap();
    }
    let system = builder.build();
    let found = check_equilibrium(&system, &WEIGHT).unwrap();
    assert!(!found.stands && found.power > 0.0 && found.kinematic < EXACT);
    let u = system.gather(&found.mechanism);
    for contact in u.chunks(2) {
        assert!(contact[0] >= 0.5 * contact[1].abs() - EXACT, "{u:?}");
    }
    // A push to the right holds it in place: from moments about the near corner, 2 · 0.1 = λ 2 · 0.5,
    // to sliding at μ.
    let loads = Loads {
        dead: &WEIGHT,
        live: &PUSH,
    };
    let most = limit_load(&system, loads, Sense::Greatest).unwrap();
    let least = limit_load(&system, loads, Sense::Least).unwrap();
    assert!((most.multiplier - 0.5).abs() < EXACT, "{most:?}");
    assert!((least.multiplier - 0.2).abs() < EXACT, "{least:?}");
    // A body that is lifted has no multiplier of a push at all.
    let lifted = Loads {
        dead: &[0.0, 2.0, 0.0],
        live: &PUSH,
    };
    let nowhere = limit_load(&system, lifted, Sense::Greatest).unwrap();
    assert_eq!(nowhere.status, LimitStatus::Infeasible);
    let work =
        |load: &[f64]| -> f64 { nowhere.mechanism.iter().zip(load).map(|(v, f)| v * f).sum() };
    assert!(work(lifted.dead) > 0.1 && work(lifted.live).abs() < EXACT);
}

#[test]
fn books_overhang_by_half_the_harmonic_sum() {
    // Four books of length 1 stacked with offsets 1/2, 1/4, 1/6, 1/8 from the top: just in balance.
    // A push is no part of it: offsets scaled by s stand for s < 1 and fall for s > 1.
    for (s, expected) in [(0.999, true), (1.001, false)] {
        let mut builder = ContactAssemblyBuilder::new();
        let groups: Vec<usize> = (0..4).map(|_| builder.add_group(3)).collect();
        // Book k (from the top) lies on book k+1, whose centre is offset[k] to the left.
        for k in 0..4 {
            let offset = s * [0.5, 0.25, 1.0 / 6.0, 0.125][k];
            // The overlap goes from the left end of book k to the right end of what is below.
            let right = 0.5 - offset;
            for x in [-0.5, right] {
                let rows = plane([x, -0.05], [0.0, 1.0]);
                let below = plane([x + offset, 0.05], [0.0, 1.0]);
                let below = negative(&below);
                let law = Law::Coulomb { mu: 0.5 };
                match groups.get(k + 1) {
                    Some(next) => builder
                        .add_contact(law, 2, &[(groups[k], &rows), (*next, &below)])
                        .unwrap(),
                    None => builder.add_contact(law, 2, &[(groups[k], &rows)]).unwrap(),
                };
            }
        }
        let system = builder.build();
        let weight: Vec<f64> = (0..12)
            .map(|k| if k % 3 == 1 { -1.0 } else { 0.0 })
            .collect();
        assert_eq!(
            check_equilibrium(&system, &weight).unwrap().stands,
            expected
        );
    }
}

#[test]
fn a_slab_pulled_out_below_a_beam_needs_less_without_dilation() {
    // A slab (weight 20) on x ∈ [0, 1] and a rough fixed pillar on [2, 3] carry a beam (weight 30)
    // over [0, 3]. The slab carries N between a quarter and three quarters of it, and leaves at
    // λ = μ (20 + 2 N): with normality the beam is lifted about the pillar's far edge, N = 22.5;
    // without, the least is N = 7.5.
    let mu = 0.4;
    let mut builder = ContactAssemblyBuilder::new();
    let (slab, beam) = (builder.add_group(3), builder.add_group(3));
    let smooth = Law::Coulomb { mu };
    for x in [-0.5, 0.5] {
        let below = plane([x, -0.25], [0.0, 1.0]);
        builder
            .add_contact(smooth.clone(), 2, &[(slab, &below)])
            .unwrap();
        let above = plane([x - 1.0, -0.5], [0.0, 1.0]);
        let under = negative(&plane([x, 0.25], [0.0, 1.0]));
        builder
            .add_contact(smooth.clone(), 2, &[(slab, &under), (beam, &above)])
            .unwrap();
        let pillar = plane([x + 1.0, -0.5], [0.0, 1.0]);
        builder
            .add_contact(Law::Coulomb { mu: 10.0 }, 2, &[(beam, &pillar)])
            .unwrap();
    }
    let system = builder.build();
    let loads = Loads {
        dead: &[0.0, -20.0, 0.0, 0.0, -30.0, 0.0],
        live: &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    };
    let found = limit_load(&system, loads, Sense::Greatest).unwrap();
    assert!(
        (found.multiplier - 26.0).abs() < 1e-5 && found.sliding > 0.0,
        "{found:?}"
    );
    let plain = nonassociated_limit(&system, loads, Sense::Greatest, &found).unwrap();
    assert!((plain.least - 14.0).abs() < 1e-5, "{plain:?}");
    let most = plain.limit.expect("a collapse");
    assert!((most.multiplier - 26.0).abs() < 1e-5, "{most:?}");
    // The remaining dilatancy is below 1e-4 of μ.
    let u = system.gather(&most.mechanism);
    assert!(u[0].abs() < 1e-3 * u[1].abs() && u[1].abs() > 0.0, "{u:?}");
}
