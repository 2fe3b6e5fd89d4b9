//! The language: the meaning of texts, and the messages for texts without meaning.

use percuss_expr::{ErrorKind, ExprError, Graph, NodeId, Scope};

/// Inputs x = 0.7, y = -1.3 and a parameter m = 2.
fn setting() -> (Graph, Scope) {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    scope.input(&mut graph, "x").unwrap();
    scope.input(&mut graph, "y").unwrap();
    scope.parameter(&mut graph, "m", 2.0).unwrap();
    (graph, scope)
}

const X: f64 = 0.7;
const Y: f64 = -1.3;

fn value(text: &str) -> f64 {
    let (mut graph, scope) = setting();
    let node = graph.parse(&scope, text).unwrap();
    graph.evaluate(node, &[X, Y]).unwrap()
}

fn error(text: &str) -> ExprError {
    let (mut graph, scope) = setting();
    graph.parse(&scope, text).unwrap_err()
}

#[test]
fn operators_bind_as_in_mathematics() {
    // Whole numbers and powers of two: exact, so compared exactly.
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("8 - 4 - 2", 2.0),
        ("16/4/2", 2.0),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^-1*4", 2.0),
        ("3 - -2", 5.0),
        ("+3 - +2", 1.0),
        ("2*-3", -6.0),
        ("1 < 2 and 2 < 1 or 1", 1.0),
        ("1 or 1 and 0", 1.0),
        ("not 1 < 0", 1.0),
        ("not 0 and 0", 0.0),
        ("not not 5", 1.0),
        ("1 + 1 == 2", 1.0),
        ("1 <= 1 and 2 >= 2 and 1 != 2", 1.0),
        ("(1 > 2) + (2 > 1)", 1.0),
        (" 1.5e-3*1000 ", 1.5),
        (".5 + 1. + 1E1", 11.5),
        ("1 +\n\t2", 3.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_compute_what_they_are_called() {
    // Against the standard library on the same arguments: the same calls, equal to the bit.
    for (text, expected) in [
        ("sin(x)", X.sin()),
        ("cos(x)", X.cos()),
        ("tan(x)", X.tan()),
        ("asin(x)", X.asin()),
        ("acos(x)", X.acos()),
        ("atan(x)", X.atan()),
        ("atan2(y, x)", Y.atan2(X)),
        ("sinh(x)", X.sinh()),
        ("cosh(x)", X.cosh()),
        ("tanh(x)", X.tanh()),
        ("exp(x)", X.exp()),
        ("ln(x)", X.ln()),
        ("log10(x)", X.log10()),
        ("sqrt(x)", X.sqrt()),
        ("abs(y)", 1.3),
        ("sign(y)", -1.0),
        ("sign(x*0)", 0.0),
        ("min(x, y)", Y),
        ("max(x, y, 3)", 3.0),
        ("hypot(x, y)", X.hypot(Y)),
        ("floor(y)", -2.0),
        ("step(x)", 1.0),
        ("step(y)", 0.0),
        ("step(0)", 1.0),
        ("clamp(y, -1, 1)", -1.0),
        ("clamp(x, -1, 1)", X),
        ("mod(7, 3)", 1.0),
        ("mod(-7, 3)", 2.0),
        ("mod(7, -3)", -2.0),
        ("pow(x, y)", X.powf(Y)),
        ("if(x > 0, m, 5)", 2.0),
        ("if(y > 0, m, 5)", 5.0),
        ("pi", std::f64::consts::PI),
        ("tau", std::f64::consts::TAU),
        ("π", std::f64::consts::PI),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn names_may_be_greek_and_may_contain_the_letter_e() {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    for name in ["θ₁", "ω_1", "e", "e1", "_a"] {
        scope.input(&mut graph, name).unwrap();
    }
    let node = graph
        .parse(&scope, "θ₁ + 2*ω_1 + 3*e + 4*e1 + 5*_a")
        .unwrap();
    let value = graph.evaluate(node, &[1.0, 10.0, 100.0, 1000.0, 1e4]);
    assert_eq!(value.unwrap(), 54321.0);
}

#[test]
fn nan_is_not_swallowed_by_comparisons_and_conditions() {
    for text in [
        "min(sqrt(y), 1)",
        "max(1, sqrt(y))",
        "sqrt(y) < 1",
        "sqrt(y) == 1",
        "if(sqrt(y) < 1, 2, 3)",
        "if(sqrt(y), 2, 3)",
        "not sqrt(y)",
        "0 and sqrt(y)",
        "1 or sqrt(y)",
        "sign(sqrt(y))",
        "0*sqrt(y)",
        "sqrt(y) - sqrt(y)",
        "clamp(sqrt(y), 0, 1)",
    ] {
        assert!(value(text).is_nan(), "{text} is {}", value(text));
    }
    // The branch that is not taken does not matter.
    assert_eq!(value("if(y > 0, sqrt(y), 4)"), 4.0);
}

#[test]
fn errors_show_the_place_and_what_is_expected() {
    let text = error("2*(x +* 3)").to_string();
    let expected = "found `*` where a number, a name or `(` was expected\n  \
        line 1, column 7\n  | 2*(x +* 3)\n  |       ^";
    assert_eq!(text, expected);
    let second = error("x +\n  y $ 2");
    let place = second.location().unwrap();
    assert_eq!((place.line, place.column, place.offset), (2, 5, 8));
    assert!(
        second.to_string().ends_with("|   y $ 2\n  |     ^"),
        "{second}"
    );
}

#[test]
fn mistakes_are_named_for_what_they_are() {
    for (text, said) in [
        ("", "is empty"),
        ("  ", "is empty"),
        ("2x", "operator is missing"),
        ("2 (x)", "operator is missing"),
        ("x y", "operator is missing"),
        ("(x)(y)", "operator is missing"),
        ("x(2)", "`x` is a value, not a function"),
        ("sin x", "needs its argument in brackets"),
        ("sin", "needs its argument in brackets"),
        ("sin()", "takes 1 argument, not 0"),
        ("atan2(x)", "takes 2 arguments, not 1"),
        ("min(x)", "takes 2 arguments or more, not 1"),
        ("if(x, y)", "takes 3 arguments, not 2"),
        ("x if y else 2", "if(condition, a, b)"),
        ("x ? 1 : 2", "if(condition, a, b)"),
        ("0 < x < 1", "cannot be chained"),
        ("x = 1", "equality is written `==`"),
        ("x && y", "write `and`"),
        ("x % 2", "mod(x, y)"),
        ("x²", "write `^2`"),
        ("2·x", "write `*`"),
        ("q.x", "names have no dots"),
        ("(x + 1", "never closed"),
        ("x + 1)", "found `)`"),
        ("x +", "found the end"),
        ("1.2.3", "`1.2.` is not a number"),
        ("1e999", "`1e999` is not a number"),
        ("3 + not x", "found `not`"),
        ("max(x,,y)", "found `,`"),
        ("log(x)", "did you mean `ln` or `log10`?"),
        ("sgn(x)", "did you mean `sign`?"),
        ("sine(x)", "did you mean `sin`"),
        ("x\u{0}", "not part of an expression"),
    ] {
        let message = error(text).to_string();
        assert!(message.contains(said), "{text:?} gives: {message}");
    }
}

#[test]
fn unknown_names_get_suggestions_and_the_list() {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    for name in ["theta", "theta_dot", "length", "t"] {
        scope.input(&mut graph, name).unwrap();
    }
    let error = graph.parse(&scope, "lenght*theta").unwrap_err();
    let ErrorKind::UnknownName {
        name,
        nearest,
        available,
    } = error.kind()
    else {
        panic!("{error}");
    };
    assert_eq!(name, "lenght");
    assert_eq!(nearest, &["length"]);
    assert_eq!(available, &["length", "t", "theta", "theta_dot"]);
    let message = graph.parse(&scope, "Theta").unwrap_err().to_string();
    assert!(message.contains("did you mean `theta`?"), "{message}");
    let message = graph.parse(&scope, "quaternion").unwrap_err().to_string();
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn definitions_may_come_in_any_order() {
    let (mut graph, mut scope) = setting();
    let list = [("c", "a + b"), ("a", "2*b"), ("b", "x + 1")];
    scope.define(&mut graph, &list).unwrap();
    let node = graph.parse(&scope, "c").unwrap();
    assert_eq!(graph.evaluate(node, &[1.0, 0.0]).unwrap(), 6.0);
}

#[test]
fn cyclic_definitions_are_named_in_order() {
    let (mut graph, mut scope) = setting();
    let list = [("d", "a"), ("a", "b + x"), ("b", "2*c"), ("c", "sin(a)")];
    let error = scope.define(&mut graph, &list).unwrap_err().to_string();
    assert_eq!(error, "cyclic definition: a -> b -> c -> a");
    let error = scope.define(&mut graph, &[("a", "a + 1")]).unwrap_err();
    assert_eq!(error.to_string(), "cyclic definition: a -> a");
    assert_eq!(scope.names().collect::<Vec<_>>(), ["m", "x", "y"]);
}

#[test]
fn errors_in_definitions_name_the_definition() {
    let (mut graph, mut scope) = setting();
    let error = scope.define(&mut graph, &[("a", "1 + z")]).unwrap_err();
    assert_eq!(error.source_name(), Some("a"));
    assert!(
        error.to_string().starts_with("in `a`: unknown name `z`"),
        "{error}"
    );
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let (mut graph, mut scope) = setting();
    let mut said = |name: &str| scope.input(&mut graph, name).unwrap_err().to_string();
    assert!(said("x").contains("used twice"));
    assert!(said("m").contains("used twice"));
    assert!(said("pi").contains("word of the expression language"));
    assert!(said("and").contains("word of the expression language"));
    assert!(said("sin").contains("word of the expression language"));
    for name in ["", "1a", "a b", "q.x", "x'"] {
        assert!(said(name).contains("is not a name"), "{name}");
    }
    let error = scope.parameter(&mut graph, "k", f64::NAN).unwrap_err();
    assert!(error.to_string().contains("`k` is NaN"), "{error}");
    let twice = [("a", "1"), ("a", "2")];
    let error = scope.define(&mut graph, &twice).unwrap_err();
    assert!(error.to_string().contains("used twice"), "{error}");
}

#[test]
fn equal_expressions_are_the_same_node() {
    let (mut graph, scope) = setting();
    let mut node = |text: &str| -> NodeId { graph.parse(&scope, text).unwrap() };
    for (a, b) in [
        ("x + y", "y + x"),
        ("x*y", "y*x"),
        ("x - y", "-(y - x)"),
        ("x + x", "2*x"),
        ("3*x - x", "x*2"),
        ("x^2", "x*x"),
        ("x^4", "(x^2)^2"),
        ("x^0.5", "sqrt(x)"),
        ("1*x + 0", "x"),
        ("0*x", "0"),
        ("x - x", "0"),
        ("2*(3*x)", "6*x"),
        ("(2*x)*(3*y)", "6*(y*x)"),
        ("x/4", "0.25*x"),
        ("-x*y", "-(x*y)"),
        ("-x*-y", "x*y"),
        ("cos(-x)", "cos(x)"),
        ("sin(-x)", "-sin(x)"),
        ("x > y", "y < x"),
        ("not (x < y)", "x >= y"),
        ("if(1 < 2, x, y)", "x"),
        ("sqrt(x^2 + y^2)^2", "x^2 + y^2"),
        ("hypot(x, y)^2", "x^2 + y^2"),
        ("sqrt(x^2)", "abs(x)"),
        ("step(x)", "x >= 0"),
        ("2*pi*1.5*x", "9.42477796076938*x"),
    ] {
        assert_eq!(node(a), node(b), "{a} and {b}");
    }
    // What may fail is not dropped.
    for (a, b) in [
        ("0*sqrt(x)", "0"),
        ("ln(x) - ln(x)", "0"),
        ("x/x", "1"),
        ("0/x", "0"),
    ] {
        assert_ne!(node(a), node(b), "{a} and {b}");
    }
}

#[test]
fn text_is_what_one_would_write() {
    let (mut graph, scope) = setting();
    for text in [
        "x + y",
        "x - y",
        "2*x*y",
        "x^2",
        "-(x*y)",
        "m*(x + y)",
        "x/(y*m)",
        "(x + y)^2",
        "x^y",
        "x^3",
        "2*x^4",
        "x - 2*y",
        "x - 3",
        "if(x < y, x, 2)",
        "not (x < y and y != 2)",
        "1e-9*x",
        "sin(x)*cos(y)",
    ] {
        let node = graph.parse(&scope, text).unwrap();
        assert_eq!(graph.display(node).to_string(), text);
    }
}
