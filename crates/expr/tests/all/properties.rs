//! Random expressions: simplification, derivatives, compilation and text keep the meaning.

use crate::common::{Dual, Tree, points, trees};
use percuss_expr::{Graph, NodeId, Program, Scope, Scratch};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn parsed(tree: &Tree) -> (Graph, Scope, Vec<NodeId>, NodeId) {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    let inputs = ["x", "y", "z"].map(|name| scope.input(&mut graph, name).unwrap());
    let node = graph.parse(&scope, &tree.text()).unwrap();
    (graph, scope, inputs.to_vec(), node)
}

/// Comparable: nothing large, no jump nearby that rounding could cross.
fn tame(dual: &Dual) -> bool {
    dual.value.abs() < 1e6 && dual.slope.abs() < 1e8 && dual.margin > 1e-6
}

/// Both sides err by at most the bound; gathering constants and other orders of the same sums change
/// it by small factors. Errors of the second order are below the last term.
fn tolerance(bound: f64, value: f64) -> f64 {
    32.0 * bound + 1e-13 * (1.0 + value.abs())
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1988),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn simplified_expressions_have_the_value_of_the_text(tree in trees(true), at in points()) {
        let (graph, _, _, node) = parsed(&tree);
        let expected = tree.evaluate(&at, 0);
        prop_assume!(tame(&expected));
        let value = graph.evaluate(node, &at).unwrap();
        let allowed = tolerance(expected.value_error, expected.value);
        prop_assert!((value - expected.value).abs() <= allowed,
            "{} is {value}, should be {} to {allowed:e}", tree.text(), expected.value);
    }

    #[test]
    fn derivatives_agree_with_dual_numbers(tree in trees(true), at in points(), by in 0..3_usize) {
        let (mut graph, _, inputs, node) = parsed(&tree);
        let expected = tree.evaluate(&at, by);
        prop_assume!(tame(&expected));
        let derivative = graph.derivative(node, inputs[by]);
        let slope = graph.evaluate(derivative, &at).unwrap();
        let allowed = tolerance(expected.slope_error, expected.slope);
        prop_assert!((slope - expected.slope).abs() <= allowed,
            "derivative of {} is {slope}, should be {} to {allowed:e}: {}",
            tree.text(), expected.slope, graph.display(derivative));
    }

    #[test]
    fn second_derivatives_do_not_depend_on_the_order(tree in trees(true), at in points()) {
        let (mut graph, _, inputs, node) = parsed(&tree);
        let dual = tree.evaluate(&at, 0);
        prop_assume!(tame(&dual) && dual.value_error < 1e-12);
        let mut mixed = |first: usize, second: usize| {
            let inner = graph.derivative(node, inputs[first]);
            let outer = graph.derivative(inner, inputs[second]);
            graph.evaluate(outer, &at).unwrap()
        };
        let (a, b) = (mixed(0, 1), mixed(1, 0));
        // A second derivative loses about as many digits to cancellation as the first two together.
        prop_assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs() + dual.slope.abs().powi(2)),
            "{}: {a} and {b}", tree.text());
    }

    #[test]
    fn compiled_programs_give_the_bits_of_the_reference(
        some in prop::collection::vec(trees(false), 1..4), at in points(),
    ) {
        let mut graph = Graph::new();
        let mut scope = Scope::new();
        for name in ["x", "y", "z"] {
            scope.input(&mut graph, name).unwrap();
        }
        let parse = |tree: &Tree| graph.parse(&scope, &tree.text()).unwrap();
        let nodes: Vec<NodeId> = some.iter().map(parse).collect();
        let program = Program::compile(&graph, &nodes);
        let mut outputs = vec![0.0; nodes.len()];
        // Twice: the first run must leave the registers of constants as they were.
        let mut scratch = Scratch::new();
        for _ in 0..2 {
            program.run(&at, &mut scratch, &mut outputs).unwrap();
        }
        for (&node, output) in nodes.iter().zip(&outputs) {
            let reference = graph.evaluate(node, &at).unwrap();
            // No cosines here: with them a sine may come from another library call.
            prop_assert!(reference.to_bits() == output.to_bits() || (reference.is_nan() && output.is_nan()),
                "{}: {output} instead of {reference}", graph.display(node));
        }
    }

    #[test]
    fn compiled_values_and_gradients_agree_with_dual_numbers(tree in trees(true), at in points()) {
        let (mut graph, _, inputs, node) = parsed(&tree);
        let mut nodes = vec![node];
        nodes.extend(graph.gradient(node, &inputs));
        let program = Program::compile(&graph, &nodes);
        let mut outputs = [0.0; 4];
        program.run(&at, &mut Scratch::new(), &mut outputs).unwrap();
        for by in 0..3 {
            let expected = tree.evaluate(&at, by);
            prop_assume!(tame(&expected));
            let allowed = tolerance(expected.slope_error, expected.slope);
            prop_assert!((outputs[1 + by] - expected.slope).abs() <= allowed, "{}", tree.text());
        }
    }

    #[test]
    fn text_of_an_expression_parses_to_the_same_node(tree in trees(true)) {
        let (mut graph, scope, inputs, node) = parsed(&tree);
        let derivative = graph.derivative(node, inputs[0]);
        for node in [node, derivative] {
            let text = graph.display(node).to_string();
            if text.ends_with("...") {
                continue;
            }
            let again = graph.parse(&scope, &text);
            // Deep nesting is the one thing that may be refused.
            if let Ok(again) = again {
                prop_assert!(again == node, "{text} became {}", graph.display(again));
            } else {
                prop_assert!(text.len() > 1000, "{text}: {}", again.unwrap_err());
            }
        }
    }

    #[test]
    fn substitution_is_evaluation_at_another_point(
        tree in trees(true), inner in trees(true), at in points(),
    ) {
        let (mut graph, scope, inputs, node) = parsed(&tree);
        let replacement = graph.parse(&scope, &inner.text()).unwrap();
        let substituted = graph.substitute(node, &[(inputs[0], replacement)]);
        let x = inner.evaluate(&at, 0);
        prop_assume!(tame(&x));
        let expected = tree.evaluate(&[x.value, at[1], at[2]], 0);
        prop_assume!(tame(&expected));
        let value = graph.evaluate(substituted, &at).unwrap();
        let bound = expected.value_error + expected.slope.abs() * x.value_error;
        prop_assert!((value - expected.value).abs() <= tolerance(bound, expected.value),
            "{} with x = {}", tree.text(), inner.text());
    }
}
