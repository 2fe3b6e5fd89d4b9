use super::*;

#[test]
fn a_contact_between_two_points_of_one_group_has_one_block() {
    let mut builder = Kinetic::builder();
    let group = builder.group(&[4.0, 0.0, 0.0, 9.0], &[1.0, 2.0], &[0.0; 2]);
    let group = group.unwrap();
    let (left, right) = ([1.0, 0.0], [-0.5, 3.0]);
    let none = Restitution::default();
    let touches: [(usize, &[f64]); 2] = [(group, &left), (group, &right)];
    builder
        .contact(Law::Frictionless, &touches, &[0.0], none)
        .unwrap();
    let problem = builder.build().unwrap();
    // G = (0.5, 3): H = 0.25/4 + 9/9, b = 0.5 + 6. Exact in binary but for two roundings.
    assert!((problem.block(0)[0] - 1.0625).abs() <= 1e-15);
    assert!((problem.free()[0] - 6.5).abs() <= 1e-14);
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
        let mut builder = Kinetic::builder();
        let begin = [1.0, -2.0, 0.5, 0.25, -1.0, 3.0];
        builder.kinetic_group(&begin, &begin).unwrap();
        builder.kinetic_group(&[0.5; 6], &begin).unwrap();
        if compact {
            builder
                .contact_of_balls(law.clone(), &frame, &balls, &boundary, &rebound)
                .unwrap();
        } else {
            let touches = [(0, &written[0][..]), (1, &written[1][..])];
            builder
                .contact_with_rebound(law.clone(), &touches, &boundary, &rebound)
                .unwrap();
        }
        problems.push(builder.build().unwrap());
    }
    let [balls, dense] = &problems[..] else {
        unreachable!()
    };
    // A dozen products and sums of numbers of order 1.
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-14);
    assert!(near(balls.free(), dense.free()));
    assert!(near(balls.block(0), dense.block(0)));
    assert!(near(balls.matrix().diagonal(0), dense.matrix().diagonal(0)));
    let mut ends = [[0.0; 12]; 2];
    for (problem, end) in [balls, dense].into_iter().zip(&mut ends) {
        let Operator::Kinetic(kinetic) = problem.operator() else {
            unreachable!()
        };
        kinetic.velocity_into(&[1.0, -0.5, 0.25], end);
    }
    assert!(near(&ends[0], &ends[1]));
}

#[test]
fn a_group_without_coordinates_touches_nothing() {
    let mut builder = Kinetic::builder();
    let empty = builder.kinetic_group(&[], &[]).unwrap();
    let other = builder.kinetic_group(&[0.0], &[-1.0]).unwrap();
    let touches: [(usize, &[f64]); 2] = [(empty, &[]), (other, &[2.0])];
    builder
        .contact_with_rebound(Law::Frictionless, &touches, &[0.0], &[0.25])
        .unwrap();
    let problem = builder.build().unwrap();
    // W = 2·2 and b = 2·(−1) + 0.25, exact in binary.
    assert_eq!(problem.matrix().diagonal(0), [4.0]);
    assert_eq!(problem.free(), [-1.75]);
}
