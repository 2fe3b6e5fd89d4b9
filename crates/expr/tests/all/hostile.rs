//! Malformed and adversarial texts.

use percuss_expr::{Graph, NodeId, Program, Scope, Scratch};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn setting() -> (Graph, Scope, NodeId) {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    let x = scope.input(&mut graph, "x").unwrap();
    (graph, scope, x)
}

#[test]
fn deep_nesting_is_refused_and_moderate_nesting_is_not() {
    let (mut graph, scope, _) = setting();
    let brackets = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    assert!(graph.parse(&scope, &brackets(150)).is_ok());
    for text in [
        brackets(5000),
        "(".repeat(100_000),
        format!("{}x", "-".repeat(5000)),
        format!("{}x", "not ".repeat(5000)),
        vec!["x"; 5000].join("^"),
        "sin(".repeat(5000),
        "if(x < 1, ".repeat(5000),
    ] {
        let error = graph.parse(&scope, &text).unwrap_err().to_string();
        assert!(
            error.contains("nested more than 200 levels deep"),
            "{error}"
        );
        assert!(error.len() < 1000, "a message of {} bytes", error.len());
    }
}

#[test]
fn sums_of_fifty_thousand_terms_work_throughout() {
    let (mut graph, scope, x) = setting();
    let terms: Vec<String> = (1..=50_000).map(|k| format!("x^2/{k}")).collect();
    let node = graph.parse(&scope, &terms.join(" + ")).unwrap();
    let derivative = graph.derivative(node, x);
    let program = Program::compile(&graph, &[node, derivative]);
    let mut outputs = [0.0; 2];
    program
        .run(&[2.0], &mut Scratch::new(), &mut outputs)
        .unwrap();
    let harmonic: f64 = (1..=50_000).map(|k| 1.0 / f64::from(k)).sum();
    // A sum of n positive terms errs by at most n units in the last place.
    assert!((outputs[0] - 4.0 * harmonic).abs() < 5e4 * f64::EPSILON * 4.0 * harmonic);
    assert!((outputs[1] - 4.0 * harmonic).abs() < 5e4 * f64::EPSILON * 4.0 * harmonic);
    let same = graph.substitute(node, &[(x, x)]);
    assert_eq!(same, node);
    let text = graph.display(node).to_string();
    assert_eq!(graph.parse(&scope, &text).unwrap(), node);
    let negative = format!("-({})", terms.join(" - "));
    assert!(graph.parse(&scope, &negative).is_ok());
}

#[test]
fn long_products_of_tiny_numbers_neither_overflow_the_stack_nor_take_for_ever() {
    let (mut graph, scope, _) = setting();
    let text = vec!["1e-300*x"; 50_000].join("*");
    let node = graph.parse(&scope, &text).unwrap();
    assert_eq!(graph.evaluate(node, &[1.0]).unwrap(), 0.0);
}

#[test]
fn texts_longer_than_a_mebibyte_are_refused() {
    let (mut graph, scope, _) = setting();
    let error = graph.parse(&scope, &"x+".repeat(600_000)).unwrap_err();
    assert!(
        error.to_string().contains("more than the 1048576 allowed"),
        "{error}"
    );
}

#[test]
fn shared_definitions_stay_small_although_their_text_would_be_astronomic() {
    let (mut graph, mut scope, x) = setting();
    let mut definitions = vec![("a0".to_string(), "sin(x)".to_string())];
    for k in 1..=100 {
        let last = format!("a{}", k - 1);
        definitions.push((format!("a{k}"), format!("sin({last})*{last} + {last}")));
    }
    scope.define(&mut graph, &definitions).unwrap();
    let node = scope.get("a100").unwrap();
    let first = graph.derivative(node, x);
    let second = graph.derivative(first, x);
    let program = Program::compile(&graph, &[node, first, second]);
    // Three operations a level as written; differentiated twice, a small multiple of that.
    assert!(
        program.num_instructions() < 4000,
        "{}",
        program.num_instructions()
    );
    let text = graph.display(node).to_string();
    assert!(text.ends_with("...") && text.len() < (1 << 20) + 100);
}

#[test]
fn chains_of_a_hundred_thousand_definitions_work() {
    let (mut graph, mut scope, x) = setting();
    let mut definitions = vec![("a0".to_string(), "hypot(x, 1)".to_string())];
    for k in 1..=100_000 {
        definitions.push((format!("a{k}"), format!("hypot(a{}, 1)", k - 1)));
    }
    definitions.reverse();
    scope.define(&mut graph, &definitions).unwrap();
    let node = graph.parse(&scope, "a100000^2").unwrap();
    let derivative = graph.derivative(node, x);
    let value = graph.evaluate(derivative, &[3.0]).unwrap();
    // a² = x² + 100001, so the derivative is 2x; each of the 1e5 roots rounds.
    assert!((value - 6.0).abs() < 1e5 * f64::EPSILON * 6.0, "{value}");
}

/// Pieces that make a random text nearly an expression.
fn fragments() -> impl Strategy<Value = String> {
    let pieces = vec![
        "x", "1", "2.5", "1e3", "(", ")", ",", "+", "-", "*", "/", "^", "**", "<", "<=", "==",
        "!=", "and", "or", "not", " ", "sin(", "min(", "if(", "mod(", "atan2(", "clamp(", "sqrt(",
        "pi", "unknown", "e", ".", "\n", "é", "∑", "0", "ln(", "floor(", "hypot(", "1e-300",
    ];
    let piece = prop::sample::select(pieces).prop_map(str::to_string);
    prop::collection::vec(piece, 0..40).prop_map(|list| list.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5000, failure_persistence: None, rng_seed: RngSeed::Fixed(1999),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_string_is_parsed_or_refused(text in any::<String>()) {
        let (mut graph, scope, _) = setting();
        if let Err(error) = graph.parse(&scope, &text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_bytes_are_parsed_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut graph, scope, _) = setting();
        let text = String::from_utf8_lossy(&bytes);
        let refused = graph.parse(&scope, &text).is_err();
        prop_assert!(refused || !text.trim().is_empty());
    }

    #[test]
    fn whatever_parses_can_be_used_in_every_way(text in fragments(), at in -10.0..10.0_f64) {
        let (mut graph, scope, x) = setting();
        if let Ok(node) = graph.parse(&scope, &text) {
            let derivative = graph.derivative(node, x);
            let shown = graph.display(derivative).to_string();
            let again = graph.parse(&scope, &shown);
            prop_assert!(again.is_ok() || shown.len() > 400, "{shown}: {}", again.unwrap_err());
            let program = Program::compile(&graph, &[node, derivative]);
            let mut outputs = [0.0; 2];
            let checked = program.run_checked(&[at], &mut Scratch::new(), &mut outputs);
            let finite = outputs.iter().all(|value| value.is_finite());
            prop_assert!(checked.is_ok() == finite, "{text}");
        }
    }
}
