//! Messages for expressions with errors.

use super::compile;
use crate::finding::measure;

/// The whole message, place and all.
fn message(text: &str) -> String {
    match compile(text) {
        Err(message) => message,
        Ok(_) => panic!("`{text}` was read"),
    }
}

#[test]
fn a_message_shows_the_place_and_what_would_be_right() {
    let measures: Vec<&str> = measure::names().collect();
    assert_eq!(
        message("2 + fianl(x)"),
        format!(
            "unknown measure or function `fianl`; did you mean `final`? (measures: {})\n  \
             | 2 + fianl(x)\n  \
             |     ^^^^^",
            measures.join(", ")
        )
    );
    assert_eq!(
        message("impact(flor, 1)"),
        "unknown contact `flor`; did you mean `floor`? (known here: floor, wall)\n  \
         | impact(flor, 1)\n  \
         |        ^^^^"
    );
    assert_eq!(
        message("at(y, 1) + x_dot"),
        "`x_dot` changes along the motion: say which of its values is meant, as in \
         `final(x_dot)` or `maximum(x_dot)`\n  \
         | at(y, 1) + x_dot\n  \
         |            ^^^^^"
    );
    assert_eq!(
        message("final(x) + tow"),
        "unknown name `tow`; did you mean `two`? (known here: g, two, h)\n  \
         | final(x) + tow\n  \
         |            ^^^"
    );
    assert_eq!(
        message("at(x)"),
        "`at` is written at(x, time)\n  | at(x)\n  | ^^^^^"
    );
}

/// Expressions with errors, and their messages.
const SLIPS: &[(&str, &str)] = &[
    ("", "the expression is empty"),
    ("final(x", "this bracket is never closed"),
    (
        "final(x) +",
        "found the end where a number, a name or `(` was expected",
    ),
    ("final(z)", "in an observable: unknown name `z`"),
    ("final(x +)", "in an observable: found"),
    ("final(x, 1)", "`final` is written final(x)"),
    ("at(x, )", "an argument is missing here"),
    (
        "maximum(x, 1)",
        "`maximum` is written maximum(x) or maximum(x, from, to)",
    ),
    ("crossing()", "`crossing` is written crossing(x, k)"),
    ("impact()", "`impact` is written impact(contact, k)"),
    (
        "impulse(floor, 0)",
        "a row from 1 to 2 was expected: 1 is the normal",
    ),
    ("impulse(wall, 2)", "a row from 1 to 1 was expected"),
    (
        "worst(gian)",
        "unknown certificate column `gian`; did you mean `gain`?",
    ),
    ("missed(1)", "`missed` is written missed()"),
    (
        "column(throw, height)",
        "unknown study `throw`; did you mean `throws`?",
    ),
    (
        "column(throws, hight)",
        "unknown column `hight`; did you mean `height`?",
    ),
    ("threshold(throws)", "the study `throws` has no `bisect`"),
    (
        "order(x; 1e-2; event)",
        "`order` is written order(x, ...; step, step, ...; reference)",
    ),
    (
        "error(x; 1e-2, 1e-3; event)",
        "`error` is written error(x, ...; step; reference)",
    ),
    ("error(x; 1e-2)", "`error` is written"),
    (
        "error(x; 1e-2; evnt)",
        "in the reference (`event`, `finest` or an expression in `t`)",
    ),
    (
        "error(x; 1e-2; y)",
        "an exact solution is an expression in `t` and parameters",
    ),
    (
        "error(x, y; 1e-2; t)",
        "or an exact expression in `t` for each observable",
    ),
    ("item(list(1))", "`item` is written item(list, k)"),
    ("list()", "`list` is written list(a, b, ...)"),
    ("fails()", "`fails` is written fails(\"word\")"),
    ("fails(\"word)", "this quote is never closed"),
    (
        "1 + \"word\"",
        "a text stands alone, or between the brackets of a measure",
    ),
    ("final", "unknown name `final`"),
    ("final(x) < 1 < 2", "comparisons cannot be chained"),
    ("2 x", "an operator is missing here"),
];

#[test]
fn every_slip_has_its_message() {
    for (text, expected) in SLIPS {
        let message = message(text);
        assert!(message.contains(expected), "`{text}`: {message}");
        assert!(
            message.contains("\n  | "),
            "`{text}` has no place: {message}"
        );
    }
}

#[test]
fn no_text_makes_it_panic() {
    let words = [
        "final", "(", ")", "x", ",", ";", "\"", "'", "1e", "1e-3", ".", "é", "θ₁", "list", "<",
        "and", "order", "event", " ", "\n", "column", "throws", "_1", "h", "%", "\u{0}",
    ];
    let mut seed = 1_u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..seed % 9 + 1 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(words[(seed >> 33) as usize % words.len()]);
        }
        // Any text is compiled or refused, without a panic.
        let _ = compile(&text);
    }
}
