//! The canonical impact law against its energy identity, momentum and admissibility.

use crate::common::*;
use percuss_convex::qp::{LinearConstraints, canonical_impact, prox};
use percuss_convex::{ConvexError, Metric};

#[test]
fn canonical_impact_keeps_its_energy_identity_and_bounces_one_row_exactly() {
    // One sphere on a wall: u+ = −e u−.
    let m = Metric::diagonal(&[2.0, 2.0]).unwrap();
    let hit = canonical_impact(&[3.0, -4.0], &[0.0, -1.0], 0, &m, 0.5).unwrap();
    assert_eq!(hit.velocity, vec![3.0, 2.0]);
    // Impulse m (1 + e) |u_n| = 2 · 1.5 · 4.
    assert!((hit.impulses[0] - 12.0).abs() <= 1e-14 * 12.0);
    let mut tested = 0;
    for case in 0..2000u64 {
        let mut rng = Rng(case + 3);
        let n = 2 + rng.below(6);
        let m = 1 + rng.below(2 * n);
        let rows = rng.vec(n * m);
        let metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
        // Every row approaching or at rest before the impact: u− ∈ −V.
        let zeros = vec![0.0; m];
        let u = times(
            &prox(
                &metric,
                LinearConstraints::inequalities(&rows, &zeros),
                &rng.vec(n),
            )
            .unwrap()
            .point,
            -1.0,
        );
        if norm(&u) < 1e-9 {
            continue; // V = {0}: u− is the rounding of 0 and belongs to nothing
        }
        tested += 1;
        let e = rng.unit();
        let hit = canonical_impact(&u, &rows, 0, &metric, e).unwrap();
        let energy = |v: &[f64]| 0.5 * metric.inner(v, v);
        let scale = energy(&u);
        assert!(
            (energy(&u) - energy(&hit.velocity) - hit.energy_loss).abs() <= 1e-11 * scale,
            "case {case}"
        );
        assert!(hit.energy_loss >= 0.0);
        let mut momentum = vec![0.0; n];
        metric.apply_into(&sub(&hit.velocity, &u), &mut momentum);
        for (a, g) in rows.chunks_exact(n).enumerate() {
            momentum = add(&momentum, &times(g, hit.impulses[a]));
            // u+ ∈ V (B02 1.11).
            assert!(dot(g, &hit.velocity) <= 1e-10 * norm(g), "case {case}");
        }
        let size: f64 = hit.impulses.iter().sum::<f64>() + 1.0;
        assert!(norm(&momentum) <= 1e-10 * size, "case {case}");
    }
    assert!(tested > 1000, "{tested}");
}

#[test]
fn canonical_impact_refuses_to_push_an_opening_contact_inwards() {
    // Two rows at 135°: the rebound from the first makes the second, which was barely opening, approach.
    let rows = [0.0, -1.0, 1.0, 1.0];
    let error = canonical_impact(&[0.5, -1.0], &rows, 0, &Metric::euclidean(2), 1.0).unwrap_err();
    assert!(
        matches!(error, ConvexError::InwardVelocity { row: 1, .. }),
        "{error}"
    );
    // Without restitution u+ = proj_V(u−) is always admissible.
    let soft = canonical_impact(&[0.5, -1.0], &rows, 0, &Metric::euclidean(2), 0.0).unwrap();
    assert!(dot(&rows[2..], &soft.velocity) <= 1e-15);
}

#[test]
fn canonical_impact_without_rows_or_dimension_is_harmless() {
    let free = canonical_impact(&[1.0, 2.0], &[], 0, &Metric::euclidean(2), 0.3).unwrap();
    assert_eq!(free.velocity, vec![1.0, 2.0]);
    let none = canonical_impact(&[], &[], 0, &Metric::euclidean(0), 0.3).unwrap();
    assert!(none.velocity.is_empty());
}
