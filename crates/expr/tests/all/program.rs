//! Compiled programs: sharing, parameters, failures, misuse; derivatives against difference quotients.

use percuss_expr::{Graph, NodeId, Program, RunError, Scope, Scratch};

fn setting(inputs: &[&str], parameters: &[(&str, f64)]) -> (Graph, Scope) {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    for name in inputs {
        scope.input(&mut graph, name).unwrap();
    }
    for (name, value) in parameters {
        scope.parameter(&mut graph, name, *value).unwrap();
    }
    (graph, scope)
}

fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![0.0; program.num_outputs()];
    program
        .run(inputs, &mut Scratch::new(), &mut outputs)
        .unwrap();
    outputs
}

/// The derivative of a text by x at a point, and a difference quotient of the text's values.
fn slopes(text: &str, x: f64) -> (f64, f64) {
    let (mut graph, scope) = setting(&["x"], &[("p", 1.7)]);
    let input = scope.get("x").unwrap();
    let node = graph.parse(&scope, text).unwrap();
    let derivative = graph.derivative(node, input);
    let h = 1e-5;
    let at = |x: f64| graph.evaluate(node, &[x]).unwrap();
    let quotient = (at(x + h) - at(x - h)) / (2.0 * h);
    (graph.evaluate(derivative, &[x]).unwrap(), quotient)
}

/// Every function, and combinations whose rules meet.
const SMOOTH_AT_SAMPLES: [&str; 52] = [
    "sin(x)",
    "cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "atan(x)",
    "atan2(x, 2)",
    "atan2(2, x)",
    "atan2(sin(x), cos(x))",
    "sinh(x)",
    "cosh(x)",
    "tanh(x)",
    "exp(x)",
    "ln(x)",
    "log10(x)",
    "sqrt(x)",
    "abs(x)",
    "abs(x - 1)",
    "sign(x)",
    "min(x, 0.5)",
    "min(x, 2*x)",
    "max(x, 0.5)",
    "max(x, x^2)",
    "hypot(x, 2)",
    "hypot(2*x, x^2)",
    "floor(x)",
    "step(x)",
    "clamp(x^2, 0, 0.2)",
    "clamp(x^2, 0, 3)",
    "mod(x, 0.3)",
    "mod(3, x)",
    "mod(x, 0.1 + x/5)",
    "pow(x, p)",
    "p^x",
    "x^x",
    "x^7",
    "x^-3",
    "x^2.5",
    "x^2.7",
    "1/x",
    "x/(1 + x^2)",
    "if(x < 1, x^2, 7)",
    "if(x < 0.1, 7, x^3)",
    "(x < 0.1)*x",
    "x and 1",
    "x or 0",
    "not x",
    "exp(-x/2)*sin(3*x)",
    "ln(sin(x))",
    "x*sqrt(1 - x^2)",
    "sin(x)/x",
    "tan(x)^2",
];

#[test]
fn derivative_of_every_function_agrees_with_central_differences() {
    for text in SMOOTH_AT_SAMPLES {
        for x in [0.37, 0.71] {
            let (slope, quotient) = slopes(text, x);
            // h²f'''/6 ≤ 1e-10·50 for these, rounding 1e-16/1e-5: together below 1e-8.
            assert!(
                (slope - quotient).abs() < 1e-8 * (1.0 + slope.abs()),
                "{text} at {x}"
            );
        }
    }
}

#[test]
fn derivatives_at_kinks_are_the_documented_ones() {
    for (text, expected) in [
        ("abs(x)", 0.0),
        ("sign(x)", 0.0),
        ("step(x)", 0.0),
        ("floor(x)", 0.0),
        ("min(x, 3*x)", 1.0),
        ("max(x, 3*x)", 1.0),
        ("if(x > 0, sqrt(x), 0)", 0.0),
        ("if(x < 0, x, 2*x)", 2.0),
        ("mod(x, 2)", 1.0),
    ] {
        assert_eq!(slopes(text, 0.0).0, expected, "{text}");
    }
    assert_eq!(slopes("sqrt(x)", 0.0).0, f64::INFINITY);
    assert!(slopes("hypot(x, 0*x)", 0.0).0.is_nan());
}

#[test]
fn position_of_a_boundary_gives_its_velocity() {
    let (mut graph, scope) = setting(&["t"], &[("a", 0.01), ("f", 1.5)]);
    let t = scope.get("t").unwrap();
    let position = graph.parse(&scope, "a*sin(2*pi*f*t)").unwrap();
    let velocity = graph.derivative(position, t);
    let program = Program::compile(&graph, &[position, velocity]);
    let rate = 3.0 * std::f64::consts::PI;
    for t in [0.0, 0.3, 2.0] {
        let out = run(&program, &[t]);
        // The same products in another order: a few units in the last place.
        assert!((out[0] - 0.01 * (rate * t).sin()).abs() < 1e-16);
        assert!((out[1] - 0.01 * rate * (rate * t).cos()).abs() < 1e-15);
    }
    // The angle, sin and cos together, two factors: what depends on the parameters alone is done before.
    assert_eq!(program.num_instructions(), 4);
}

#[test]
fn shared_parts_are_computed_once_and_unused_ones_never() {
    let (mut graph, scope) = setting(&["x", "y"], &[]);
    let texts = ["exp(x*y) + 1", "exp(x*y)*2", "exp(y*x)"];
    let nodes = texts.map(|text| graph.parse(&scope, text).unwrap());
    graph.parse(&scope, "ln(x) + tan(y)").unwrap();
    let program = Program::compile(&graph, &nodes);
    assert_eq!(program.num_instructions(), 4); // x y, exp, + 1, * 2
    let e = 6.0_f64.exp();
    assert_eq!(run(&program, &[2.0, 3.0]), [e + 1.0, e * 2.0, e]);
}

#[test]
fn sine_and_cosine_of_one_angle_come_from_one_instruction() {
    let (mut graph, scope) = setting(&["x"], &[]);
    let nodes = ["cos(x)", "sin(x)", "x"].map(|text| graph.parse(&scope, text).unwrap());
    let program = Program::compile(&graph, &nodes);
    assert_eq!(program.num_instructions(), 1);
    for x in [0.3, -2.0, 40.0, 1e6] {
        let out = run(&program, &[x]);
        // Libraries promise less than one unit in the last place for each of the two calls.
        assert!((out[0] - x.cos()).abs() <= 2.0 * f64::EPSILON * x.cos().abs());
        assert!((out[1] - x.sin()).abs() <= 2.0 * f64::EPSILON * x.sin().abs());
        assert_eq!(out[2], x);
    }
}

#[test]
fn parameters_are_rebound_without_compiling_again() {
    let (mut graph, scope) = setting(&["x"], &[("m", 2.0), ("k", 3.0)]);
    let node = graph.parse(&scope, "sqrt(k/m)*x").unwrap();
    let mut program = Program::compile(&graph, &[node]);
    assert_eq!(program.num_instructions(), 1); // the root is computed when parameters are bound
    let mut scratch = Scratch::new();
    let mut out = [0.0];
    program.run(&[2.0], &mut scratch, &mut out).unwrap();
    assert_eq!(out[0], 1.5_f64.sqrt() * 2.0);
    let before = program.clone();
    program.set_parameter("k", 8.0).unwrap();
    program.run(&[2.0], &mut scratch, &mut out).unwrap();
    assert_eq!(out[0], 4.0);
    program.set_parameters(&[1.0, 9.0]).unwrap();
    program.run(&[2.0], &mut scratch, &mut out).unwrap();
    assert_eq!(out[0], 6.0);
    // A clone has parameters of its own, and the scratch follows whoever uses it.
    before.run(&[2.0], &mut scratch, &mut out).unwrap();
    assert_eq!(out[0], 1.5_f64.sqrt() * 2.0);
    let error = program.set_parameter("kk", 1.0).unwrap_err().to_string();
    assert_eq!(error, "there is no parameter `kk` (known here: m, k)");
    assert!(program.set_parameter("k", f64::INFINITY).is_err());
    assert!(program.set_parameters(&[1.0]).is_err());
    assert_eq!(
        program.parameters().collect::<Vec<_>>(),
        [("m", 1.0), ("k", 9.0)]
    );
}

#[test]
fn programs_with_more_than_256_registers_give_the_same_bits() {
    let (mut graph, scope) = setting(&["x"], &[]);
    // All sines are alive until the last product: no register can be used again.
    let sines: Vec<NodeId> = (1..=400)
        .map(|k| graph.parse(&scope, &format!("sin({k}.5*x)")).unwrap())
        .collect();
    let mut nodes = sines.clone();
    let sum = sines.iter().fold(Graph::ZERO, |sum, &s| graph.add(sum, s));
    nodes.push(sum);
    let program = Program::compile(&graph, &nodes);
    let out = run(&program, &[0.37]);
    for (&node, value) in nodes.iter().zip(&out) {
        assert_eq!(
            graph.evaluate(node, &[0.37]).unwrap().to_bits(),
            value.to_bits()
        );
    }
    let mut scratch = Scratch::new();
    let mut small = [0.0];
    let one = Program::compile(&graph, &[sum]);
    for program in [&program, &one, &program, &one] {
        let place = &mut vec![0.0; program.num_outputs()];
        program.run(&[0.37], &mut scratch, place).unwrap();
        small[0] = place[place.len() - 1];
        assert_eq!(small[0].to_bits(), out[400].to_bits());
    }
}

#[test]
fn failures_name_the_expression_the_part_and_the_values() {
    let (mut graph, scope) = setting(&["x", "y"], &[("m", -3.0)]);
    let said = |graph: &mut Graph, text: &str, at: [f64; 2]| {
        let node = graph.parse(&scope, text).unwrap();
        let program = Program::compile_labelled(graph, [("fine", Graph::ONE), ("force", node)]);
        let error = program.run_checked(&at, &mut Scratch::new(), &mut [0.0; 2]);
        error.unwrap_err().to_string()
    };
    for (text, expected) in [
        (
            "y + 2*sqrt(x - 1)",
            "in `force`: `sqrt(x - 1)` is not a number (NaN) at x = 0.5",
        ),
        (
            "exp(1/(y - 2))",
            "in `force`: `1/(y - 2)` is infinite at y = 2",
        ),
        (
            "ln(x - 0.5)*y",
            "in `force`: `ln(x - 0.5)` is minus infinite at x = 0.5",
        ),
        (
            "if(x < 1, sqrt(m*x), ln(0))",
            "in `force`: `sqrt(x*m)` is not a number (NaN) at x = 0.5, m = -3",
        ),
        (
            "x + sqrt(-1)",
            "in `force`: `sqrt(-1)` is not a number (NaN)",
        ),
        (
            "if(asin(y) < 0, 1, 2)",
            "in `force`: `asin(y)` is not a number (NaN) at y = 2",
        ),
    ] {
        assert_eq!(said(&mut graph, text, [0.5, 2.0]), expected);
    }
    let text = said(&mut graph, "2*x", [f64::NAN, 0.0]);
    assert_eq!(text, "in `force`: `x` is not a number (NaN)");
}

#[test]
fn branches_that_are_not_taken_may_fail() {
    let (mut graph, scope) = setting(&["x"], &[]);
    let x = scope.get("x").unwrap();
    let node = graph.parse(&scope, "if(x > 0, sqrt(x), 1/x^2)").unwrap();
    let derivative = graph.derivative(node, x);
    let program = Program::compile(&graph, &[node, derivative]);
    let mut out = [0.0; 2];
    program
        .run_checked(&[-2.0], &mut Scratch::new(), &mut out)
        .unwrap();
    assert_eq!(out, [0.25, 0.25]);
}

#[test]
fn wrong_lengths_are_errors_and_longer_inputs_are_not() {
    let (mut graph, scope) = setting(&["x", "y", "z"], &[]);
    let node = graph.parse(&scope, "x + y").unwrap();
    let program = Program::compile(&graph, &[node]);
    assert_eq!(program.num_inputs(), 2);
    let mut scratch = Scratch::new();
    let short = program.run(&[1.0], &mut scratch, &mut [0.0]);
    assert_eq!(
        short,
        Err(RunError::Inputs {
            expected: 2,
            found: 1
        })
    );
    let narrow = program.run(&[1.0, 2.0], &mut scratch, &mut []);
    assert_eq!(
        narrow,
        Err(RunError::Outputs {
            expected: 1,
            found: 0
        })
    );
    assert!(graph.evaluate(node, &[1.0]).is_err());
    assert_eq!(run(&program, &[1.0, 2.0, 3.0]), [3.0]);
    let nothing = Program::compile(&graph, &[]);
    assert_eq!(run(&nothing, &[]), [0.0; 0]);
}

#[test]
fn dependence_is_what_remains_after_simplification() {
    let (mut graph, scope) = setting(&["x", "y"], &[]);
    let (x, y) = (scope.get("x").unwrap(), scope.get("y").unwrap());
    let node = graph
        .parse(&scope, "x*sin(y) + 0*x - x*sin(y) + y")
        .unwrap();
    assert!(!graph.depends_on(node, x) && graph.depends_on(node, y));
    assert_eq!(graph.inputs_of(node), [1]);
}
