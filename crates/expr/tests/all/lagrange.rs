//! Lagrange's equations against formulas derived by hand.

use percuss_expr::lagrange::{Constraints, Coordinates, Equations, LagrangeError};
use percuss_expr::{Graph, NodeId, Scope, Scratch};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

struct System {
    graph: Graph,
    scope: Scope,
    coordinates: Coordinates,
}

/// Inputs t, positions, velocities with `_dot`, in this order.
fn system(names: &[&str], parameters: &[(&str, f64)]) -> System {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    let time = scope.input(&mut graph, "t").unwrap();
    let mut inputs = |suffix: &str| -> Vec<NodeId> {
        let input = |name: &&str| scope.input(&mut graph, &format!("{name}{suffix}")).unwrap();
        names.iter().map(input).collect()
    };
    let (positions, velocities) = (inputs(""), inputs("_dot"));
    for (name, value) in parameters {
        scope.parameter(&mut graph, name, *value).unwrap();
    }
    let coordinates = Coordinates::new(&graph, Some(time), positions, velocities).unwrap();
    System {
        graph,
        scope,
        coordinates,
    }
}

impl System {
    fn parse(&mut self, text: &str) -> NodeId {
        self.graph.parse(&self.scope, text).unwrap()
    }

    fn derive(&mut self, kinetic: &str, potential: &str) -> Result<Equations, LagrangeError> {
        let (kinetic, potential) = (self.parse(kinetic), self.parse(potential));
        Equations::derive(
            &mut self.graph,
            &self.coordinates,
            kinetic,
            Some(potential),
            &[],
        )
    }

    /// A and K of the equations at (t, q, v).
    fn at(&self, equations: &Equations, inputs: &[f64]) -> Vec<f64> {
        let program = equations.program(&self.graph);
        let mut out = vec![0.0; program.num_outputs()];
        program
            .run_checked(inputs, &mut Scratch::new(), &mut out)
            .unwrap();
        out
    }
}

/// Values of order 100 from a few dozen operations on numbers of order 1 to 10.
const ROUNDING: f64 = 1e-12;

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= ROUNDING * (1.0 + e.abs()),
            "{found:?} is not {expected:?}"
        );
    }
}

const BY_ANGLES: &str =
    "0.5*(m1 + m2)*l1^2*a_dot^2 + 0.5*m2*l2^2*b_dot^2 + m2*l1*l2*a_dot*b_dot*cos(a - b)";

/// The same energy as a person thinks of it: half the mass times the square of the speed.
const BY_POINTS: &str = "0.5*m1*hypot(l1*a_dot*cos(a), l1*a_dot*sin(a))^2 \
    + 0.5*m2*hypot(l1*a_dot*cos(a) + l2*b_dot*cos(b), l1*a_dot*sin(a) + l2*b_dot*sin(b))^2";

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 100,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1988),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn double_pendulum_has_the_textbook_equations(
        q in [-4.0..4.0_f64, -4.0..4.0], v in [-5.0..5.0_f64, -5.0..5.0], m2 in 0.1..3.0_f64,
    ) {
        let (m1, l1, l2, g) = (1.3, 0.9, 1.1, 9.81);
        let parameters = [("m1", m1), ("m2", m2), ("l1", l1), ("l2", l2), ("g", g)];
        let (s, c) = (q[0] - q[1]).sin_cos();
        let expected = [
            (m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l1 * l2 * c, m2 * l2 * l2,
            -m2 * l1 * l2 * s * v[1] * v[1] - (m1 + m2) * g * l1 * q[0].sin(),
            m2 * l1 * l2 * s * v[0] * v[0] - m2 * g * l2 * q[1].sin(),
        ];
        for kinetic in [BY_ANGLES, BY_POINTS] {
            let mut system = system(&["a", "b"], &parameters);
            let potential = "-(m1 + m2)*g*l1*cos(a) - m2*g*l2*cos(b)";
            let equations = system.derive(kinetic, potential).unwrap();
            let found = system.at(&equations, &[0.0, q[0], q[1], v[0], v[1]]);
            assert_close(&found, &expected);
        }
    }

    #[test]
    fn bead_on_a_rotating_hoop_feels_the_centrifugal_force(q in -4.0..4.0_f64, v in -5.0..5.0_f64) {
        // Hoop of radius r turning about its vertical diameter at a given rate w, angle q from
        // below: T = ½ m r² (v² + w² sin² q), so m r² a = m r² w² sin q cos q − m g r sin q.
        let (m, r, w, g) = (0.7, 0.4, 6.0, 9.81);
        let mut system = system(&["q"], &[("m", m), ("r", r), ("w", w), ("g", g)]);
        // Written with the position in space, which depends on time: x = r sin q cos wt and so on.
        let (x, y, z) = ("r*sin(q)*cos(w*t)", "r*sin(q)*sin(w*t)", "-r*cos(q)");
        let squares: Vec<NodeId> = [x, y, z].map(|text| {
            let position = system.parse(text);
            let motion = ["t", "q"].map(|name| system.scope.get(name).unwrap());
            let rate = system.scope.get("q_dot").unwrap();
            let velocity =
                system.graph.directional(position, &[(motion[0], Graph::ONE), (motion[1], rate)]);
            system.graph.mul(velocity, velocity)
        }).to_vec();
        let sum = squares.iter().fold(Graph::ZERO, |sum, &s| system.graph.add(sum, s));
        let half_mass = system.parse("m/2");
        let kinetic = system.graph.mul(half_mass, sum);
        let potential = system.parse("-m*g*r*cos(q)");
        let equations = Equations::derive(
            &mut system.graph, &system.coordinates, kinetic, Some(potential), &[],
        ).unwrap();
        let found = system.at(&equations, &[0.77, q, v]);
        let (s, c) = q.sin_cos();
        assert_close(&found, &[m * r * r, m * r * r * w * w * s * c - m * g * r * s]);
    }
}

#[test]
fn cart_with_pole_has_the_textbook_equations_with_its_forces() {
    let (mc, mp, l, g, d) = (2.0, 0.3, 0.8, 9.81, 0.25);
    let parameters = [("mc", mc), ("mp", mp), ("l", l), ("g", g), ("d", d)];
    let mut system = system(&["x", "a"], &parameters);
    let kinetic =
        system.parse("0.5*mc*x_dot^2 + 0.5*mp*((x_dot + l*a_dot*cos(a))^2 + (l*a_dot*sin(a))^2)");
    let potential = system.parse("mp*g*l*(1 - cos(a))");
    let forces = [
        system.parse("3*sin(2*t) - d*x_dot"),
        system.parse("-d*a_dot*abs(a_dot)"),
    ];
    let equations = Equations::derive(
        &mut system.graph,
        &system.coordinates,
        kinetic,
        Some(potential),
        &forces,
    )
    .unwrap();
    for (t, a, v, w) in [
        (0.3, 0.4, 1.2, -2.0),
        (1.0, -2.5, -0.7, 3.0),
        (2.2, 0.0, 0.0, 0.0),
    ] {
        let (s, c) = f64::sin_cos(a);
        let t: f64 = t;
        let w: f64 = w;
        let expected = [
            mc + mp,
            mp * l * c,
            mp * l * c,
            mp * l * l,
            mp * l * w * w * s + 3.0 * (2.0 * t).sin() - d * v,
            -mp * g * l * s - d * w * w.abs(),
        ];
        assert_close(&system.at(&equations, &[t, 9.9, a, v, w]), &expected);
    }
}

#[test]
fn charge_in_a_uniform_field_turns_without_change_of_energy() {
    // A term linear in the velocities (b of the rheonomic form) and a mass that grows with time:
    // T = ½ m(t)(ẋ² + ẏ²) + ½ B (x ẏ − y ẋ) gives m ẍ = B ẏ − ṁ ẋ, m ÿ = −B ẋ − ṁ ẏ.
    let mut system = system(&["x", "y"], &[("B", 1.7)]);
    let kinetic = "0.5*(1 + t^2)*(x_dot^2 + y_dot^2) + 0.5*B*(x*y_dot - y*x_dot) + t*x^3";
    let equations = system.derive(kinetic, "0").unwrap();
    let (t, x, v, w) = (0.6, 0.3, 1.1, -0.4);
    let found = system.at(&equations, &[t, x, -0.9, v, w]);
    let (m, dm) = (1.0 + t * t, 2.0 * t);
    let expected = [
        m,
        0.0,
        0.0,
        m,
        1.7 * w - dm * v + 3.0 * t * x * x,
        -1.7 * v - dm * w,
    ];
    assert_close(&found, &expected);
    assert_eq!(
        system
            .graph
            .display(equations.velocity_free_term)
            .to_string(),
        "t*x^3"
    );
    assert_eq!(equations.linear_terms.len(), 2);
}

/// d/dt ∂T/∂v − ∂T/∂q at a state with given accelerations, by difference quotients of T alone.
fn inertia_by_differences(system: &System, kinetic: NodeId, state: &[f64], a: &[f64]) -> Vec<f64> {
    let n = a.len();
    let h = 1e-4;
    let energy = |x: &[f64]| system.graph.evaluate(kinetic, x).unwrap();
    let quotient = |x: &[f64], slot: usize| {
        let (mut ahead, mut back) = (x.to_vec(), x.to_vec());
        ahead[slot] += h;
        back[slot] -= h;
        (energy(&ahead) - energy(&back)) / (2.0 * h)
    };
    let moved = |dt: f64| {
        let mut x = state.to_vec();
        x[0] += dt;
        for i in 0..n {
            x[1 + i] += dt * state[1 + n + i] + 0.5 * dt * dt * a[i];
            x[1 + n + i] += dt * a[i];
        }
        x
    };
    let momentum_rate = |i: usize| {
        let slot = 1 + n + i;
        (quotient(&moved(h), slot) - quotient(&moved(-h), slot)) / (2.0 * h)
    };
    (0..n)
        .map(|i| momentum_rate(i) - quotient(state, 1 + i))
        .collect()
}

#[test]
fn any_energy_satisfies_lagrange_along_any_motion() {
    // Full A that depends on everything, b and c too; nothing cancels by luck.
    let mut system = system(&["x", "y", "z"], &[("p", 0.8)]);
    let kinetic = system.parse(
        "(2 + sin(x*y))*x_dot^2 + (3 + cos(z + t))*y_dot^2 + (2 + x^2)*z_dot^2 \
         + p*sin(x + z)*x_dot*y_dot + 0.3*x*y*y_dot*z_dot + 0.2*cos(y*t)*x_dot*z_dot \
         + sin(y)*t*x_dot + x*z*y_dot - exp(-x^2)*z_dot + x*y*cos(z)*t",
    );
    let none = Equations::derive(&mut system.graph, &system.coordinates, kinetic, None, &[]);
    let equations = none.unwrap();
    let state = [0.4, 0.3, -0.7, 1.1, 0.9, -1.2, 0.5];
    let a = [0.7, -0.3, 1.9];
    let found = system.at(&equations, &state);
    let expected = inertia_by_differences(&system, kinetic, &state, &a);
    for i in 0..3 {
        let inertia: f64 = (0..3).map(|j| found[3 * i + j] * a[j]).sum();
        // Two nested quotients of h = 1e-4: h² times higher derivatives and rounding 1e-16/h².
        assert!(
            (inertia - found[9 + i] - expected[i]).abs() < 3e-7,
            "equation {i}"
        );
    }
    let gradients = equations.mass_gradients(&mut system.graph, &system.coordinates);
    assert_eq!(gradients.len(), 27);
    let slope = system.graph.evaluate(gradients[0], &state).unwrap();
    let (x, y) = (state[1], state[2]);
    assert!((slope - 2.0 * y * (x * y).cos()).abs() < ROUNDING);
}

#[test]
fn energies_that_are_not_quadratic_are_refused_with_the_part_to_blame() {
    let mut system = system(&["x", "y"], &[("m", 1.0)]);
    let mut said =
        |kinetic: &str, potential: &str| system.derive(kinetic, potential).unwrap_err().to_string();
    let start = "the kinetic energy is not quadratic in the velocities: ";
    for (kinetic, rest) in [
        ("0.5*m*x_dot^3", "`x_dot^3` is of degree 3 or higher"),
        (
            "x_dot^2 + sin(y_dot)",
            "`sin(y_dot)` is not a polynomial of them",
        ),
        (
            "x_dot^2/(1 + y_dot)",
            "`x_dot^2/(y_dot + 1)` is not a polynomial of them",
        ),
        (
            "m*sqrt(x_dot^2 + y_dot^2)",
            "`sqrt(x_dot^2 + y_dot^2)` is not a polynomial of them",
        ),
        (
            "if(x_dot > 0, 1, 2)*x_dot^2",
            "`0 < x_dot` is not a polynomial of them",
        ),
    ] {
        assert_eq!(said(kinetic, "0"), format!("{start}{rest}"));
    }
    let error = said("x_dot^2 + y_dot^2", "x*y_dot");
    assert!(error.contains("the potential must depend on positions and time only, but `y_dot`"));
}

#[test]
fn conditions_on_positions_are_allowed_in_energies() {
    let mut system = system(&["x"], &[]);
    let equations = system
        .derive("if(x < 0, 1, 2)*x_dot^2", "if(x < 0, 0, 3*x^2)")
        .unwrap();
    assert_close(&system.at(&equations, &[0.0, -1.0, 5.0]), &[2.0, 0.0]);
    assert_close(&system.at(&equations, &[0.0, 1.0, 5.0]), &[4.0, -6.0]);
}

#[test]
fn constraints_come_with_gradients_rates_and_accelerations() {
    // Point (x, y) outside a disc of radius r whose centre moves: f = r² − (x − sin t)² − y².
    let mut system = system(&["x", "y"], &[("r", 0.5)]);
    let disc = system.parse("r^2 - (x - sin(t))^2 - y^2");
    let floor = system.parse("-y");
    let named = [("disc", disc), ("floor", floor)];
    let all = Constraints::derive(&mut system.graph, &system.coordinates, &named).unwrap();
    let (t, x, y, v, w) = (0.4_f64, 1.2, 0.3, 0.7, -0.9);
    let inputs = [t, x, y, v, w];
    let program = all.program(&system.graph);
    let mut out = [0.0; 8];
    program
        .run_checked(&inputs, &mut Scratch::new(), &mut out)
        .unwrap();
    let (d, c) = (x - t.sin(), t.cos());
    let disc = 0.25 - d * d - y * y;
    assert_close(
        &out,
        &[disc, -y, -2.0 * d, -2.0 * y, 0.0, -1.0, 2.0 * d * c, 0.0],
    );
    let mut bias = [0.0; 2];
    let program = all.bias_program(&system.graph);
    program
        .run_checked(&inputs, &mut Scratch::new(), &mut bias)
        .unwrap();
    // f̈ of the disc without accelerations: −2 (v − cos t)² − 2 d sin t − 2 w².
    let rate = v - c;
    assert_close(
        &bias,
        &[-2.0 * rate * rate - 2.0 * d * t.sin() - 2.0 * w * w, 0.0],
    );
    let wrong = system.parse("x + y_dot");
    let error = Constraints::derive(&mut system.graph, &system.coordinates, &[("c", wrong)]);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("the constraint `c`") && error.contains("`y_dot`"),
        "{error}"
    );
}

#[test]
fn failing_entries_are_named_with_their_coordinates() {
    let mut system = system(&["x"], &[]);
    let equations = system.derive("x_dot^2/x", "sqrt(x)").unwrap();
    let program = equations.program(&system.graph);
    let error = program
        .run_checked(&[0.0; 3], &mut Scratch::new(), &mut [0.0; 2])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "in `mass matrix (x, x)`: `2/x` is infinite at x = 0"
    );
}

#[test]
fn coordinates_must_be_distinct_inputs_with_velocities() {
    let mut system = system(&["x", "y"], &[("m", 1.0)]);
    let [t, x, y, v] = ["t", "x", "y", "x_dot"].map(|name| system.scope.get(name).unwrap());
    let graph = &system.graph;
    assert!(Coordinates::new(graph, Some(t), vec![x, y], vec![v]).is_err());
    assert!(Coordinates::new(graph, Some(t), vec![x], vec![x]).is_err());
    let m = system.scope.get("m").unwrap();
    let error = Coordinates::new(graph, None, vec![m], vec![v]).unwrap_err();
    assert!(
        error.to_string().contains("`m` cannot be a coordinate"),
        "{error}"
    );
    let kinetic = system.parse("x_dot^2");
    let forces = [Graph::ONE];
    let coordinates = system.coordinates.clone();
    let error = Equations::derive(&mut system.graph, &coordinates, kinetic, None, &forces);
    let text = error.unwrap_err().to_string();
    assert_eq!(text, "there are 2 coordinates but 1 generalised forces");
}
