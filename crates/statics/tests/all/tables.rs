//! Tables, wedges and beams whose impulse intervals are known in closed form.

use crate::common::{Random, all, all_with, plane, table};
use percuss_contact::law::Law;
use percuss_statics::{ContactAssemblyBuilder, Face};

/// The solver's tolerance is 1e-11 and the programs have a few unknowns of order 1.
const EXACT: f64 = 1e-8;

fn sticking(count: usize) -> Vec<Face> {
    vec![Face::Stick; count]
}

#[test]
fn a_table_on_three_legs_has_determined_normal_impulses() {
    // Legs at 120 degrees, the load P in the middle, without friction: P/3 each.
    let legs: Vec<[f64; 2]> = (0..3)
        .map(|k| (k as f64 * std::f64::consts::TAU / 3.0).sin_cos())
        .map(|(s, c)| [c, s])
        .collect();
    let system = table(&legs, 0.0);
    let start = [3.0, 0.0, 0.0, 3.0, 0.0, 0.0, 3.0, 0.0, 0.0];
    let bounds = all(&system, &sticking(3), &start);
    assert_eq!(bounds.hyperstaticity.degree, 0);
    for interval in &bounds.intervals {
        assert!(interval.determined);
        assert!((interval.low - 3.0).abs() < EXACT && (interval.high - 3.0).abs() < EXACT);
    }
}

#[test]
fn friction_leaves_the_tangential_impulses_of_three_legs_open_and_not_the_normal_ones() {
    // Nine unknowns and six equations: horizontal self-stress of three legs. It has no vertical
    // part, since moments about the two horizontal axes fix the normal impulses for legs of one
    // length whose tangential impulses sum to zero.
    let legs = [[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]];
    let system = table(&legs, 0.5);
    let start = [3.0, 0.0, 0.0, 3.0, 0.0, 0.0, 3.0, 0.0, 0.0];
    let bounds = all(&system, &sticking(3), &start);
    assert_eq!(bounds.hyperstaticity.degree, 3);
    assert!(bounds.intervals.iter().all(|i| i.determined));
}

#[test]
fn a_square_table_carries_between_nothing_and_half_the_load_on_each_leg() {
    // S₁ = S₃, S₂ = S₄, S₁ + S₂ = P/2: one parameter, each leg in [0, P/2].
    let legs = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
    for mu in [0.0, 0.3, 1e9] {
        let system = table(&legs, mu);
        let mut start = [0.0; 12];
        for leg in 0..4 {
            start[3 * leg] = if leg % 2 == 0 { 3.5 } else { 1.5 };
        }
        let bounds = all(&system, &sticking(4), &start);
        assert_eq!(bounds.hyperstaticity.degree, if mu == 0.0 { 1 } else { 6 });
        for interval in &bounds.intervals {
            assert!(!interval.determined);
            assert!(interval.low.abs() < EXACT * 10.0, "{interval:?}");
            assert!((interval.high - 5.0).abs() < EXACT * 10.0, "{interval:?}");
            assert!(interval.low_bound <= interval.low && interval.high <= interval.high_bound);
        }
        assert!(bounds.gap < 1e-6 && bounds.balance < EXACT && bounds.cone < EXACT);
        // Least norm shares the load.
        for leg in 0..4 {
            assert!(
                (bounds.least[3 * leg] - 2.5).abs() < 1e-6,
                "{:?}",
                bounds.least
            );
        }
        assert!(bounds.self_stress.is_none());
    }
}

#[test]
fn a_beam_on_three_supports_shares_as_the_lever_says() {
    // Supports at −1, 0, 1, load P = 2 at the middle: S₋ = S₊ = (2 − S₀)/2.
    let mut builder = ContactAssemblyBuilder::new();
    let beam = builder.add_group(3);
    for x in [-1.0, 0.0, 1.0] {
        let block = plane([x, -0.1], [0.0, 1.0]);
        builder
            .add_contact(Law::Frictionless, 1, &[(beam, &block[..3])])
            .unwrap();
    }
    let system = builder.build();
    let bounds = all(&system, &sticking(3), &[0.0, 2.0, 0.0]);
    assert_eq!(bounds.hyperstaticity.degree, 1);
    let ends = [(0.0, 1.0), (0.0, 2.0), (0.0, 1.0)];
    for (interval, (low, high)) in bounds.intervals.iter().zip(ends) {
        assert!((interval.low - low).abs() < EXACT && (interval.high - high).abs() < EXACT);
    }
}

#[test]
fn an_open_or_sliding_contact_narrows_the_others() {
    // The same beam with its middle support open: the outer ones are determined.
    let mut builder = ContactAssemblyBuilder::new();
    let beam = builder.add_group(3);
    for x in [-1.0, 0.0, 1.0] {
        let block = plane([x, 0.0], [0.0, 1.0]);
        builder
            .add_contact(Law::Coulomb { mu: 0.5 }, 2, &[(beam, &block)])
            .unwrap();
    }
    let system = builder.build();
    let slide = Face::Slip(vec![None, Some(-0.5)]);
    let faces = [slide.clone(), Face::Open, slide];
    let bounds = all(&system, &faces, &[1.0, -0.5, 0.0, 0.0, 1.0, -0.5]);
    assert_eq!(bounds.hyperstaticity.degree, 0);
    assert!(bounds.intervals.iter().all(|i| i.determined));
    assert_eq!(bounds.intervals[1].high, 0.0);
}

#[test]
fn a_block_wedged_between_walls_has_no_upper_bound() {
    // Walls left and right with friction 0.5, weight 1: S_n ≥ 1 on both together, and self-stress
    // can be added without end. With points at one height moments vanish.
    let mut builder = ContactAssemblyBuilder::new();
    let block = builder.add_group(3);
    for (x, n) in [(-1.0, [1.0, 0.0]), (1.0, [-1.0, 0.0])] {
        let rows = plane([x, 0.0], n);
        builder
            .add_contact(Law::Coulomb { mu: 0.5 }, 2, &[(block, &rows)])
            .unwrap();
    }
    let system = builder.build();
    // Normals push against each other, friction ½ each carries the weight; on the right wall the
    // tangent points down.
    let bounds = all(&system, &sticking(2), &[2.0, 0.5, 2.0, -0.5]);
    assert_eq!(bounds.hyperstaticity.degree, 1);
    for interval in &bounds.intervals {
        assert!((interval.low - 1.0).abs() < 1e-6, "{interval:?}");
        assert_eq!(interval.high, f64::INFINITY);
    }
    let ray = bounds.self_stress.expect("a ray");
    let left = system.scatter(&ray);
    assert!(left.iter().all(|v| v.abs() < EXACT), "{left:?}");
    assert!(ray[0] > 0.5 && (ray[0] - ray[2]).abs() < EXACT);
    assert!(ray[1].abs() <= 0.5 * ray[0] + EXACT);
}

#[test]
fn threads_change_no_bit() {
    let mut random = Random::new(5);
    let legs: Vec<[f64; 2]> = (0..9)
        .map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)])
        .collect();
    let system = table(&legs, 0.4);
    let start: Vec<f64> = (0..27)
        .map(|row| if row % 3 == 0 { 1.0 } else { 0.1 })
        .collect();
    let one = all_with(&system, &sticking(9), &start, 1);
    let three = all_with(&system, &sticking(9), &start, 3);
    assert_eq!(one, three);
}
