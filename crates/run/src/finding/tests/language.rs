//! Arithmetic, truth values and lists.

use super::{Hand, compile, number, reason, value};
use crate::finding::value::Value;

fn line() -> Hand {
    Hand::new(4.0, 0.01, |t| [t, 2.0 * t, 1.0, 2.0])
}

#[test]
fn measures_parameters_and_functions_mix() {
    let mut subject = line().subject();
    assert_eq!(number(&mut subject, "2*3 + 1"), 7.0);
    assert_eq!(number(&mut subject, "h"), 0.01);
    assert_eq!(number(&mut subject, "abs(final(x) - final(y))^two/g"), 1.6);
    assert_eq!(
        number(&mut subject, "max(final(x), 1e-3, at(y, 1 + two/2))"),
        4.0
    );
    // Arguments are value expressions themselves, observables may hold brackets and commas.
    assert_eq!(number(&mut subject, "at(y, at(x, 1))"), 2.0);
    assert_eq!(number(&mut subject, "final(max(x, min(y, 5)))"), 5.0);
    assert_eq!(number(&mut subject, "-final(x)"), -4.0);
    assert_eq!(number(&mut subject, " ( final(x) ) "), 4.0);
    assert_eq!(number(&mut subject, "final( gap_wall )"), -5.0);
    assert_eq!(
        number(
            &mut subject,
            "final(kinetic) + final(potential) - final(energy)"
        ),
        0.0
    );
}

#[test]
fn comparisons_are_true_or_false() {
    let mut subject = line().subject();
    for (text, expected) in [
        ("final(x) > 3", true),
        ("final(x) == 4 and final(y) != 8", false),
        ("not final(x) < 3", true),
        ("(final(x) < 3 or final(y) > 7)", true),
        ("((maximum(abs(y), 1, 2)) <= 4)", true),
    ] {
        assert_eq!(
            value(&mut subject, text),
            Ok(Value::Truth(expected)),
            "{text}"
        );
    }
    // Only the outermost operation decides.
    assert_eq!(number(&mut subject, "if(final(x) > 3, 1.5, 2.5)"), 1.5);
    assert_eq!(number(&mut subject, "(final(x) > 3) + 1"), 2.0);
}

#[test]
fn lists_are_combined_item_by_item() {
    let mut subject = line().subject();
    let list = value(&mut subject, "list(final(x), 1, -2)");
    assert_eq!(list, Ok(Value::List(vec![4.0, 1.0, -2.0])));
    let scaled = value(&mut subject, "2*list(1, 2)/g + list(1, 0)");
    assert_eq!(scaled, Ok(Value::List(vec![1.2, 0.4])));
    assert_eq!(number(&mut subject, "largest(abs(list(1, -7, 3)))"), 7.0);
    assert_eq!(number(&mut subject, "smallest(list(1, -7, 3))"), -7.0);
    assert_eq!(number(&mut subject, "spread(list(1, -7, 3))"), 10.0);
    assert_eq!(number(&mut subject, "count(list(1, -7, 3))"), 3.0);
    assert_eq!(number(&mut subject, "item(list(1, -7, 3), two)"), -7.0);
    assert_eq!(number(&mut subject, "share(list(1, 2, 3, 4), 2, 3)"), 0.5);
    assert_eq!(number(&mut subject, "distinct(list(1, 1.01, 2), 0.1)"), 2.0);
    let centres = value(&mut subject, "clusters(list(2, 1, 2, 1), 0.1)");
    assert_eq!(centres, Ok(Value::List(vec![1.0, 2.0])));
    let uneven = reason(&mut subject, "list(1, 2) + list(1, 2, 3)");
    assert_eq!(uneven, "lists of 2 and 3 items cannot be combined");
    let single = reason(&mut subject, "largest(final(x))");
    assert!(
        single.starts_with("a list was expected, not a number"),
        "{single}"
    );
}

#[test]
fn a_text_stands_for_itself() {
    let mut subject = line().subject();
    let text = value(&mut subject, " 'as it is' ");
    assert_eq!(text, Ok(Value::Text("as it is".to_string())));
}

#[test]
fn what_is_no_number_has_a_reason() {
    let mut subject = line().subject();
    let infinite = reason(&mut subject, "1/(final(x) - 4)");
    assert_eq!(infinite, "the value is inf, not a finite number");
    let nan = reason(&mut subject, "final(sqrt(1 - x))");
    assert!(
        nan.contains("sqrt(1 - x)") && nan.contains("at t = 4"),
        "{nan}"
    );
}

#[test]
fn only_other_runs_are_expensive() {
    let needs = |text: &str| compile(text).expect("an expression").needs_only_the_run();
    assert!(needs("final(x) + largest(list(at(y, 1), 2))"));
    assert!(!needs("1 + largest(list(error(x; 1e-2; event), 2))"));
    assert!(!needs("spread(column(throws, height))"));
}
