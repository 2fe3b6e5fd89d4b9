//! Orientations: Hamel's equations and constraints against formulas derived by hand and against finite differences
//! along the exponential of an angular velocity.

use percuss_expr::lagrange::{
    Constraints, CoordinateInputs, Coordinates, Equations, LagrangeError, VelocityRow,
};
use percuss_expr::{Graph, NodeId, Program, Scope, Scratch};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Inputs: t, x y z, quaternion w a b c, velocities x_dot y_dot z_dot, spin w1 w2 w3.
struct Body {
    graph: Graph,
    scope: Scope,
    coordinates: Coordinates,
}

/// Rotation matrix, space = R · body.
const MATRIX: [(&str, &str); 9] = [
    ("R11", "1 - 2*(b^2 + c^2)"),
    ("R12", "2*(a*b - w*c)"),
    ("R13", "2*(a*c + w*b)"),
    ("R21", "2*(a*b + w*c)"),
    ("R22", "1 - 2*(a^2 + c^2)"),
    ("R23", "2*(b*c - w*a)"),
    ("R31", "2*(a*c - w*b)"),
    ("R32", "2*(b*c + w*a)"),
    ("R33", "1 - 2*(a^2 + b^2)"),
];

fn body(parameters: &[(&str, f64)]) -> Body {
    let (mut graph, mut scope) = (Graph::new(), Scope::new());
    let names = [
        "t", "x", "y", "z", "w", "a", "b", "c", "x_dot", "y_dot", "z_dot", "w1", "w2", "w3",
    ];
    let n: Vec<NodeId> = names
        .iter()
        .map(|name| scope.input(&mut graph, name).unwrap())
        .collect();
    for (name, value) in parameters {
        scope.parameter(&mut graph, name, *value).unwrap();
    }
    scope.define(&mut graph, &MATRIX).unwrap();
    let line = |i: usize| CoordinateInputs::Scalar {
        position: n[1 + i],
        velocity: n[8 + i],
    };
    let turn = CoordinateInputs::Orientation {
        quaternion: [n[4], n[5], n[6], n[7]],
        spin: [n[11], n[12], n[13]],
    };
    let all = [line(0), line(1), line(2), turn];
    let coordinates = Coordinates::of(&mut graph, Some(n[0]), &all).unwrap();
    Body {
        graph,
        scope,
        coordinates,
    }
}

impl Body {
    fn parse(&mut self, text: &str) -> NodeId {
        self.graph.parse(&self.scope, text).unwrap()
    }

    fn values(&self, nodes: &[NodeId], inputs: &[f64]) -> Vec<f64> {
        let program = Program::compile(&self.graph, nodes);
        let mut out = vec![0.0; nodes.len()];
        let mut scratch = Scratch::new();
        program.run_checked(inputs, &mut scratch, &mut out).unwrap();
        out
    }
}

fn product(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// R of a unit quaternion from the rotation of the axes, p ⊗ e ⊗ p*; not from the formulas above.
fn rotation(p: &[f64]) -> [[f64; 3]; 3] {
    let conjugate = [p[0], -p[1], -p[2], -p[3]];
    let mut matrix = [[0.0; 3]; 3];
    for axis in 0..3 {
        let mut e = [0.0; 4];
        e[1 + axis] = 1.0;
        let turned = product(&product(p, &e), &conjugate);
        (0..3).for_each(|row| matrix[row][axis] = turned[1 + row]);
    }
    matrix
}

fn times(m: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| (0..3).map(|j| m[i][j] * x[j]).sum())
}

/// The state moved for a time s with constant velocities: scalars linearly, p ⊗ exp(½ s ω).
fn moved(state: &[f64], velocity: &[f64], s: f64) -> Vec<f64> {
    let mut next = state.to_vec();
    next[0] += s;
    (0..3).for_each(|i| next[1 + i] += s * velocity[i]);
    let speed = (velocity[3].powi(2) + velocity[4].powi(2) + velocity[5].powi(2)).sqrt();
    let half = 0.5 * s * speed;
    let scale = if speed > 0.0 { half.sin() / speed } else { 0.0 };
    let turn = [
        half.cos(),
        scale * velocity[3],
        scale * velocity[4],
        scale * velocity[5],
    ];
    next[4..8].copy_from_slice(&product(&state[4..8], &turn));
    next
}

fn state() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(-1.0..1.0_f64, 14).prop_filter_map("no direction", |mut s| {
        let length = s[4..8].iter().map(|x| x * x).sum::<f64>().sqrt();
        s[4..8].iter_mut().for_each(|x| *x /= length);
        (length > 0.1).then_some(s)
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(3),
        ..ProptestConfig::default()
    }
}

/// A few dozen operations on numbers of order 1 to 10.
const ROUNDING: f64 = 1e-13;

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        let near = (f - e).abs() <= tolerance * (1.0 + e.abs());
        assert!(near, "{found:?} is not {expected:?}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_free_body_has_eulers_equations(s in state()) {
        let inertia = [("I1", 1.5), ("I2", 2.5), ("I3", 3.2)];
        let mut system = body(&inertia);
        let kinetic = system.parse(
            "0.5*(x_dot^2 + y_dot^2 + z_dot^2) + 0.5*(I1*w1^2 + I2*w2^2 + I3*w3^2)",
        );
        let Body { graph, coordinates, .. } = &mut system;
        let equations = Equations::derive(graph, coordinates, kinetic, None, &[]).unwrap();
        let force = system.values(&equations.force, &s);
        let (w, i) = ([s[11], s[12], s[13]], inertia.map(|(_, value)| value));
        let torque = [
            (i[1] - i[2]) * w[1] * w[2],
            (i[2] - i[0]) * w[2] * w[0],
            (i[0] - i[1]) * w[0] * w[1],
        ];
        assert_close(&force, &[0.0, 0.0, 0.0, torque[0], torque[1], torque[2]], ROUNDING);
        let mass = system.values(&equations.mass, &s);
        for row in 0..6 {
            for column in 0..6 {
                let diagonal = if row < 3 { 1.0 } else { i[row - 3] };
                let expected = if row == column { diagonal } else { 0.0 };
                prop_assert_eq!(mass[row * 6 + column], expected);
            }
        }
    }

    #[test]
    fn a_heavy_top_feels_gravity_in_body_axes(s in state()) {
        let (i1, i3, weight, l) = (0.8, 0.3, 9.81, 0.4);
        let mut system = body(&[("I1", i1), ("I3", i3), ("P", weight), ("l", l)]);
        let kinetic = system.parse(
            "0.5*(x_dot^2 + y_dot^2 + z_dot^2) + 0.5*(I1*(w1^2 + w2^2) + I3*w3^2)",
        );
        let potential = system.parse("P*l*R33");
        let Body { graph, coordinates, .. } = &mut system;
        let found = Equations::derive(graph, coordinates, kinetic, Some(potential), &[]).unwrap();
        let force = system.values(&found.force, &s);
        // l e₃ × Rᵀ(−P e_z) = P l (γ₂, −γ₁, 0) with γ = Rᵀ e_z, the third row of R.
        let gamma = rotation(&s[4..8])[2];
        let w = [s[11], s[12], s[13]];
        let expected = [
            0.0,
            0.0,
            0.0,
            (i1 - i3) * w[1] * w[2] + weight * l * gamma[1],
            (i3 - i1) * w[2] * w[0] - weight * l * gamma[0],
            0.0,
        ];
        assert_close(&force, &expected, ROUNDING);
    }

    #[test]
    fn a_body_held_at_a_point_off_its_centre_has_the_equations_of_newton_and_euler(s in state()) {
        // T = ½M|ẋ|² + M ẋ·R(ω × c) + ½ ω·I ω about the point; body axes principal at the point.
        let (m, c, i) = (2.0, [0.3, -0.2, 0.5], [1.5, 2.5, 3.2]);
        let mut system = body(&[
            ("M", m), ("c1", c[0]), ("c2", c[1]), ("c3", c[2]),
            ("I1", i[0]), ("I2", i[1]), ("I3", i[2]),
        ]);
        let arms = [("u1", "w2*c3 - w3*c2"), ("u2", "w3*c1 - w1*c3"), ("u3", "w1*c2 - w2*c1")];
        let Body { graph, scope, .. } = &mut system;
        scope.define(graph, &arms).unwrap();
        let kinetic = system.parse(
            "0.5*M*(x_dot^2 + y_dot^2 + z_dot^2) + 0.5*(I1*w1^2 + I2*w2^2 + I3*w3^2) \
             + M*(x_dot*(R11*u1 + R12*u2 + R13*u3) + y_dot*(R21*u1 + R22*u2 + R23*u3) \
             + z_dot*(R31*u1 + R32*u2 + R33*u3))",
        );
        let Body { graph, coordinates, .. } = &mut system;
        let equations = Equations::derive(graph, coordinates, kinetic, None, &[]).unwrap();
        let (force, mass) = (
            system.values(&equations.force, &s),
            system.values(&equations.mass, &s),
        );
        // M(a + R(ω̇ × c + ω × (ω × c))) = 0,   I ω̇ + ω × I ω + M c × Rᵀa = 0.
        let (r, w) = (rotation(&s[4..8]), [s[11], s[12], s[13]]);
        let inward = times(&r, cross(w, cross(w, c)));
        let spin = cross(w, [i[0] * w[0], i[1] * w[1], i[2] * w[2]]);
        let expected: Vec<f64> = inward.iter().map(|x| -m * x).chain(spin.map(|x| -x)).collect();
        assert_close(&force, &expected, ROUNDING);
        for k in 0..3 {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            let column = times(&r, cross(axis, c));
            for row in 0..3 {
                let (above, left) = (mass[row * 6 + 3 + k], mass[(3 + k) * 6 + row]);
                prop_assert!((above - m * column[row]).abs() < ROUNDING && above == left);
            }
        }
    }

    #[test]
    fn gradients_and_accelerations_of_constraints_follow_the_exponential(s in state()) {
        let mut system = body(&[]);
        let f = system.parse("x*R12 + y*sin(z)*R33 + R21*R32 + 0.3*t*R13*x");
        let Body { graph, coordinates, .. } = &mut system;
        let all = Constraints::derive(graph, coordinates, &[("f", f)]).unwrap();
        let value = |at: &[f64]| system.values(&[f], at)[0];
        // Central differences with h = 1e-4: h²/6 of third derivatives below 10, and 1e-16/h.
        let h = 1e-4;
        let mut expected = Vec::new();
        for i in 0..6 {
            let mut velocity = [0.0; 6];
            velocity[i] = 1.0;
            let mut ahead = moved(&s, &velocity, h);
            let mut behind = moved(&s, &velocity, -h);
            (ahead[0], behind[0]) = (s[0], s[0]);
            expected.push((value(&ahead) - value(&behind)) / (2.0 * h));
        }
        assert_close(&system.values(&all.gradients, &s), &expected, 1e-7);
        // f̈ with all velocities held: errors h²/12 of fourth derivatives, and 4e-16/h² = 4e-8.
        let (ahead, behind) = (moved(&s, &s[8..14], h), moved(&s, &s[8..14], -h));
        let bend = (value(&ahead) - 2.0 * value(&s) + value(&behind)) / (h * h);
        assert_close(&system.values(&all.bias, &s), &[bend], 1e-6);
    }

    #[test]
    fn velocity_rows_are_the_velocity_and_its_rate(s in state()) {
        // The velocity of a point of the body relative to a belt, along x.
        let mut system = body(&[("r", 0.7)]);
        let psi = system.parse(
            "x_dot + r*(R12*w3 - R13*w2)*cos(y) - 0.2*sin(3*t) - 0.1*(y_dot - w1)/(2 + x^2)",
        );
        let Body { graph, coordinates, .. } = &mut system;
        let row = VelocityRow::derive(graph, coordinates, "psi", psi).unwrap();
        let value = system.values(&[psi], &s)[0];
        let gradient = system.values(&row.gradient, &s);
        let mut total = system.values(&[row.boundary], &s)[0];
        (0..6).for_each(|i| total += gradient[i] * s[8 + i]);
        prop_assert!((total - value).abs() < ROUNDING * 10.0);
        // h²/6 of third derivatives below 30, and 1e-16/h.
        let h = 1e-4;
        let of = |at: &[f64]| system.values(&[psi], at)[0];
        let (ahead, behind) = (moved(&s, &s[8..14], h), moved(&s, &s[8..14], -h));
        let rate = (of(&ahead) - of(&behind)) / (2.0 * h);
        assert_close(&system.values(&[row.bias], &s), &[rate], 1e-6);
    }
}

#[test]
fn velocities_that_are_not_affine_are_refused_with_the_part_to_blame() {
    let mut system = body(&[]);
    for (text, part) in [
        ("x_dot*y_dot + 1", "x_dot*y_dot"),
        ("2*x_dot + sin(w1)", "sin(w1)"),
        ("x + w3^2", "w3^2"),
    ] {
        let psi = system.parse(text);
        let Body {
            graph, coordinates, ..
        } = &mut system;
        let error = VelocityRow::derive(graph, coordinates, "psi", psi).unwrap_err();
        let LagrangeError::NotAffine {
            what, part: found, ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!((what.as_str(), found.as_str()), ("psi", part));
    }
}

#[test]
fn rates_of_definitions_are_names_like_others() {
    let mut system = body(&[("l", 2.0)]);
    let Body {
        graph,
        scope,
        coordinates,
    } = &mut system;
    // `fall` uses the rate of a definition that comes later.
    let texts = [("fall", "height_dot + 1"), ("height", "l*R33 + t*z")];
    let rate = |graph: &mut Graph, node| match coordinates.depends_on_velocity(graph, node) {
        true => None,
        false => Some(coordinates.rate(graph, node)),
    };
    scope.define_with(graph, &texts, "_dot", rate).unwrap();
    assert!(scope.get("height_dot").is_some() && scope.get("fall_dot").is_none());
    let taken = scope.define_with(graph, &[("u", "x"), ("u_dot", "1")], "_dot", rate);
    let message = taken.unwrap_err().to_string();
    assert_eq!(message, "the name `u_dot` is used twice");
    // At no rotation: ż of R₃₃ = 0, so that height_dot = z + t z_dot.
    let mut s = [0.0; 14];
    (s[0], s[3], s[4], s[10], s[11]) = (0.5, 3.0, 1.0, 4.0, 7.0);
    let node = system.scope.get("fall").unwrap();
    assert_eq!(system.values(&[node], &s), [1.0 + 3.0 + 0.5 * 4.0]);
}
