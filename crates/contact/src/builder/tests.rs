use super::*;
use crate::problem::DelassusOperator;

#[test]
fn a_contact_between_two_points_of_one_group_has_one_block() {
    let mut builder = FactoredDelassus::builder();
    let group = builder.add_group(&[4.0, 0.0, 0.0, 9.0], &[1.0, 2.0], &[0.0; 2]);
    let group = group.unwrap();
    let (left, right) = ([1.0, 0.0], [-0.5, 3.0]);
    let none = Restitution::default();
    let touches: [(usize, &[f64]); 2] = [(group, &left), (group, &right)];
    builder
        .add_contact(Law::Frictionless, &touches, &[0.0], none)
        .unwrap();
    let problem = builder.build().unwrap();
    // G = (0.5, 3): H = 0.25/4 + 9/9, b = 0.5 + 6. Exact in binary but for two roundings.
    assert!((problem.diagonal_block(0)[0] - 1.0625).abs() <= 1e-15);
    assert!((problem.free_velocity()[0] - 6.5).abs() <= 1e-14);
    assert!((problem.matrix().diagonal(0)[0] - 1.0625).abs() <= 1e-15);
}

#[test]
fn a_contact_of_balls_is_the_one_with_its_blocks_written_out() {
    let frame = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]];
    let balls = [(0, -0.5, 0.3), (1, 2.0, 1.7)];
    let written = balls.map(|(_, s, c)| {
        let [n, t1, t2] = frame;
        let mut block = Vec::new();
        for (linear, spin) in [(n, [0.0; 3]), (t1, t2), (t2, t1.map(|x| -x))] {
            block.extend(linear.map(|x| s * x));
            block.extend(spin.map(|x| c * x));
        }
        block
    });
    let (boundary, rebound) = ([0.1, -0.2, 0.3], [0.0, 0.05, 0.0]);
    let law = Law::Coulomb { mu: 0.3 };
    let mut problems = Vec::new();
    for compact in [true, false] {
        let mut builder = FactoredDelassus::builder();
        let begin = [1.0, -2.0, 0.5, 0.25, -1.0, 3.0];
        builder.add_kinetic_group(&begin, &begin).unwrap();
        builder.add_kinetic_group(&[0.5; 6], &begin).unwrap();
        if compact {
            builder
                .add_sphere_contact(&law, &frame, &balls, &boundary, &rebound)
                .unwrap();
        } else {
            let touches = [(0, &written[0][..]), (1, &written[1][..])];
            builder
                .add_contact_with_rebound(law.clone(), &touches, &boundary, &rebound)
                .unwrap();
        }
        problems.push(builder.build().unwrap());
    }
    let [balls, dense] = &problems[..] else {
        unreachable!()
    };
    // A dozen products and sums of numbers of order 1.
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-14);
    assert!(near(balls.free_velocity(), dense.free_velocity()));
    assert!(near(balls.diagonal_block(0), dense.diagonal_block(0)));
    assert!(near(balls.matrix().diagonal(0), dense.matrix().diagonal(0)));
    let mut ends = [[0.0; 12]; 2];
    for (problem, end) in [balls, dense].into_iter().zip(&mut ends) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            unreachable!()
        };
        kinetic.velocity_into(&[1.0, -0.5, 0.25], end);
    }
    assert!(near(&ends[0], &ends[1]));
}

#[test]
fn a_group_without_coordinates_touches_nothing() {
    let mut builder = FactoredDelassus::builder();
    let empty = builder.add_kinetic_group(&[], &[]).unwrap();
    let other = builder.add_kinetic_group(&[0.0], &[-1.0]).unwrap();
    let touches: [(usize, &[f64]); 2] = [(empty, &[]), (other, &[2.0])];
    builder
        .add_contact_with_rebound(Law::Frictionless, &touches, &[0.0], &[0.25])
        .unwrap();
    let problem = builder.build().unwrap();
    // W = 2·2 and b = 2·(−1) + 0.25, exact in binary.
    assert_eq!(problem.matrix().diagonal(0), [4.0]);
    assert_eq!(problem.free_velocity(), [-1.75]);
}

/// Numbers in −1..1 (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn rows<const R: usize, const M: usize>(&mut self) -> [[f64; M]; R] {
        std::array::from_fn(|_| std::array::from_fn(|_| self.next()))
    }
}

/// A builder with three groups of `m` kinetic coordinates and one of two with a mass matrix.
fn groups(random: &mut Random, m: usize) -> ProblemBuilder {
    let mut builder = FactoredDelassus::builder();
    for _ in 0..3 {
        let values: Vec<f64> = (0..2 * m).map(|_| random.next()).collect();
        builder
            .add_kinetic_group(&values[..m], &values[m..])
            .unwrap();
    }
    let mass: Vec<f64> = (0..m * m)
        .map(|k| if k % (m + 1) == 0 { 4.0 } else { 0.0 })
        .collect();
    builder
        .add_group(&mass, &vec![1.0; m], &vec![0.5; m])
        .unwrap();
    builder
}

fn same_either_way<const R: usize, const M: usize>(seed: u64) {
    let mut random = Random(seed);
    let mut fixed = groups(&mut random, M);
    let mut general = fixed.clone();
    for k in 0..40 {
        // Two groups, one, the same twice, one with a mass matrix.
        let which = [[0, 1], [2, 2], [1, 1], [3, 0], [2, 1]][k % 5];
        let blocks: [[[f64; M]; R]; 2] = [random.rows(), random.rows()];
        let count = if k % 3 == 0 { 1 } else { 2 };
        let [boundary, rebound]: [[f64; R]; 2] = random.rows();
        let law = Law::Coulomb { mu: 0.3 };
        let touches = [0, 1].map(|side| (which[side], &blocks[side]));
        fixed
            .add_body_contact(&law, &touches[..count], &boundary, &rebound)
            .unwrap();
        let flat = [0, 1].map(|side| (which[side], blocks[side].as_flattened()));
        general
            .add_contact_with_rebound(law, &flat[..count], &boundary, &rebound)
            .unwrap();
    }
    // The same products in the same order: to the bit.
    assert_eq!(fixed.build().unwrap(), general.build().unwrap());
}

#[test]
fn a_contact_of_known_sizes_is_the_same_problem_to_the_bit() {
    same_either_way::<2, 3>(1);
    same_either_way::<3, 6>(2);
}

#[test]
fn pairs_of_one_law_are_the_contacts_of_the_general_way() {
    let mut random = Random(3);
    let law = Law::Coulomb { mu: 0.3 };
    assert!(
        groups(&mut random, 3)
            .pair_contacts::<2, 3>(law.clone())
            .is_none()
    );
    let mut fixed = FactoredDelassus::builder();
    for _ in 0..3 {
        let [begin, free]: [[f64; 3]; 2] = random.rows();
        fixed.add_kinetic_group(&begin, &free).unwrap();
    }
    let mut general = fixed.clone();
    assert!(fixed.pair_contacts::<2, 6>(law.clone()).is_none());
    assert!(
        fixed
            .pair_contacts::<2, 3>(Law::Coulomb { mu: -1.0 })
            .is_none()
    );
    let mut pairs = fixed.pair_contacts::<2, 3>(law.clone()).unwrap();
    for k in 0..30 {
        // The same group twice takes the general path.
        let which = [[0, 1], [2, 2], [1, 0], [2, 1]][k % 4];
        let blocks: [[[f64; 3]; 2]; 2] = [random.rows(), random.rows()];
        let [rebound]: [[f64; 2]; 1] = random.rows();
        pairs.push(which, &blocks, &rebound).unwrap();
        let flat = [0, 1].map(|side| (which[side], blocks[side].as_flattened()));
        general
            .add_contact_with_rebound(law.clone(), &flat, &[0.0; 2], &rebound)
            .unwrap();
    }
    let good = [[[1.0; 3]; 2]; 2];
    let mut bad = good;
    bad[1][1][2] = f64::NAN;
    assert!(pairs.push([0, 1], &bad, &[0.0; 2]).is_err());
    assert!(pairs.push([0, 1], &good, &[f64::INFINITY, 0.0]).is_err());
    assert!(pairs.push([0, 7], &good, &[0.0; 2]).is_err());
    let (fixed, general) = (fixed.build().unwrap(), general.build().unwrap());
    assert_eq!(fixed.operator(), general.operator());
    assert_eq!(fixed.laws(), general.laws());
    // Another order of summation.
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-14);
    assert!(near(fixed.free_velocity(), general.free_velocity()));
    for contact in 0..30 {
        assert!(near(
            fixed.diagonal_block(contact),
            general.diagonal_block(contact)
        ));
    }
}

#[test]
fn contacts_of_known_sizes_are_refused_for_the_same_reasons() {
    let good = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]];
    let mut bad = good;
    bad[1][2] = f64::NAN;
    let zero = [0.0; 2];
    type Case<'a> = (Law, usize, &'a [[f64; 3]; 2], [f64; 2], &'a str);
    let cases: [Case<'_>; 5] = [
        (Law::Coulomb { mu: -1.0 }, 0, &good, zero, "mu"),
        (Law::Coulomb { mu: 0.3 }, 7, &good, zero, "group 7"),
        (Law::Coulomb { mu: 0.3 }, 0, &bad, zero, "G of contact 0"),
        (
            Law::Coulomb { mu: 0.3 },
            0,
            &good,
            [f64::INFINITY, 0.0],
            "boundary",
        ),
        (
            Law::Rolling {
                mu: 0.3,
                mu_roll: 0.1,
                mu_spin: 0.1,
            },
            0,
            &good,
            zero,
            "rolling",
        ),
    ];
    for (law, group, block, boundary, word) in cases {
        let mut builder = groups(&mut Random(3), 3);
        let touches = [(group, block)];
        let error = builder.add_body_contact(&law, &touches, &boundary, &zero);
        let text = error.unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
        // A rejected contact leaves nothing behind.
        builder
            .add_body_contact(&Law::Coulomb { mu: 0.3 }, &[(0, &good)], &zero, &zero)
            .unwrap();
        assert_eq!(builder.build().unwrap().num_contacts(), 1);
    }
}

#[test]
fn contacts_of_balls_are_refused_with_their_reason() {
    let frame = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let of_balls = |balls: &[(usize, f64, f64)], rebound: f64| {
        let mut builder = groups(&mut Random(4), 6);
        let law = Law::Coulomb { mu: 0.3 };
        let rebound = [rebound, 0.0, 0.0];
        let added = builder.add_sphere_contact(&law, &frame, balls, &[0.0; 3], &rebound);
        added.unwrap_err().to_string()
    };
    for (balls, rebound, word) in [
        (&[(0, f64::NAN, 1.0)][..], 0.0, "G of contact 0"),
        (&[(9, 1.0, 1.0)], 0.0, "group 9"),
        (&[], 0.0, "list of balls"),
        (&[(0, 1.0, 1.0); 3], 0.0, "list of balls"),
        // Accepted once, with a diagonal block H without the cross terms of the two.
        (&[(0, 1.0, 1.0), (0, -1.0, 1.0)], 0.0, "groups of two balls"),
        (&[(3, 1.0, 1.0)], 0.0, "mass matrix"),
        (&[(0, 1.0, 1.0)], f64::NAN, "rebound"),
    ] {
        let text = of_balls(balls, rebound);
        assert!(text.contains(word), "{text}");
    }
}
