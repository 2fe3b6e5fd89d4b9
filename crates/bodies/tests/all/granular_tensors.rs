//! Tensors against their invariants, force chains of small networks.

use percuss_bodies::granular::{ForceChainContact, Tensor, force_chains};

/// Numbers in [−1, 1) from a seed.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[test]
fn principal_values_and_axes_are_those_of_the_tensor() {
    let mut next = numbers(1);
    for round in 0..200 {
        let mut tensor = Tensor::default();
        for _ in 0..3 {
            let a = [next(), next(), next()];
            tensor.add(next(), &a, &a);
        }
        if round % 3 == 0 {
            // Two equal principal values.
            tensor = Tensor([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, next()]]);
        }
        let (values, axes) = tensor.principal(3);
        assert!(values[0] >= values[1] && values[1] >= values[2]);
        for (value, axis) in values.iter().zip(&axes) {
            for (row, x) in tensor.0.iter().zip(axis) {
                let product: f64 = row.iter().zip(axis).map(|(a, b)| a * b).sum();
                // Rounding of Jacobi's rotations.
                assert!((product - value * x).abs() < 1e-13, "{tensor:?}");
            }
            assert!((axis.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-13);
        }
        let mean = values.iter().sum::<f64>() / 3.0;
        assert!((tensor.mean(3) - mean).abs() < 1e-13);
    }
}

#[test]
fn ratios_are_those_of_plane_and_triaxial_states() {
    // σ₁ = 3, σ₂ = 1, turned by 30°: ½(3 − 1) over ½(3 + 1).
    let (sin, cos) = 30_f64.to_radians().sin_cos();
    let mut plane = Tensor::default();
    plane.add(3.0, &[cos, sin, 0.0], &[cos, sin, 0.0]);
    plane.add(1.0, &[-sin, cos, 0.0], &[-sin, cos, 0.0]);
    assert!((plane.deviator_ratio(2) - 0.5).abs() < 1e-14);
    assert!((plane.anisotropy(2) - 2.0).abs() < 1e-14);
    let axis = plane.principal(2).1[0];
    assert!((axis[1].atan2(axis[0]) - 30_f64.to_radians()).abs() < 1e-14);
    // Triaxial: q = σ₁ − σ₃, p = (σ₁ + 2σ₃)/3.
    let space = Tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 4.0]]);
    assert!((space.deviator_ratio(3) - 3.0 / 2.0).abs() < 1e-14);
    assert!(Tensor::default().deviator_ratio(2).is_nan());
    assert!(Tensor([[f64::NAN; 3]; 3]).deviator_ratio(3).is_nan());
}

/// A contact from body a to body b in a direction of the plane.
fn strut(a: u32, b: u32, angle: f64, force: f64) -> ForceChainContact {
    ForceChainContact {
        bodies: [a, b],
        along: [angle.cos(), angle.sin(), 0.0],
        force,
        passes: [true, true],
    }
}

#[test]
fn a_straight_row_is_one_chain_and_a_corner_parts_it() {
    let limit = std::f64::consts::FRAC_PI_4;
    let row: Vec<ForceChainContact> = (0..5).map(|k| strut(k, k + 1, 0.0, 2.0)).collect();
    assert_eq!(
        force_chains(&row, 1.0, limit).members,
        [vec![0, 1, 2, 3, 4]]
    );
    // Weak contacts do not belong to it.
    let mut weak = row.clone();
    weak[2].force = 0.5;
    assert_eq!(
        force_chains(&weak, 1.0, limit).members,
        [vec![0, 1], vec![3, 4]]
    );
    // A right angle divides it, one of 40° does not.
    for (turn, count) in [(90_f64, 2), (40.0, 1)] {
        let bent: Vec<ForceChainContact> = (0..4)
            .map(|k| strut(k, k + 1, if k < 2 { 0.0 } else { turn.to_radians() }, 2.0))
            .collect();
        assert_eq!(force_chains(&bent, 1.0, limit).members.len(), count);
    }
    // A boundary between two contacts ends both.
    let mut walled = row[..2].to_vec();
    walled[0].passes[1] = false;
    walled[1].passes[0] = false;
    assert!(force_chains(&walled, 1.0, limit).members.is_empty());
}

#[test]
fn where_chains_cross_each_goes_straight_on() {
    let limit = std::f64::consts::FRAC_PI_2;
    let up = std::f64::consts::FRAC_PI_2;
    // Body 0 in the middle, 1 and 2 to the left and right, 3 and 4 below and above.
    let cross = [
        strut(1, 0, 0.0, 2.0),
        strut(0, 2, 0.0, 2.0),
        strut(3, 0, up, 2.0),
        strut(0, 4, up, 2.0),
    ];
    let found = force_chains(&cross, 1.0, limit);
    assert_eq!(found.members, [vec![0, 1], vec![2, 3]]);
    assert_eq!(found.mean_length(), 2.0);
}
