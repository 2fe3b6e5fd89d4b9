use super::*;

/// A function of exactly `lines` lines, from `fn` to the closing brace.
fn function_of(lines: usize) -> String {
    let body = "    work();\n".repeat(lines - 2);
    format!("/// Documentation does not count.\n#[inline]\npub fn long() {{\n{body}}}\n")
}

fn measured(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    measure("a.rs", text, &mut items).unwrap();
    items
}

fn names_and_lines(text: &str) -> Vec<(String, usize)> {
    let functions = measured(text).into_iter().skip(1);
    functions.map(|item| (item.name, item.lines)).collect()
}

fn exception(item: &str, limit: usize) -> Exception {
    Exception {
        path: "a.rs".to_string(),
        item: item.to_string(),
        limit,
        reason: "one table".to_string(),
    }
}

#[test]
fn a_function_of_a_hundred_and_twenty_lines_passes_and_one_more_fails() {
    assert!(judge(&measured(&function_of(120)), &[]).is_empty());
    let findings = judge(&measured(&function_of(121)), &[]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("`long` has 121 lines"), "{findings:?}");
    assert!(findings[0].starts_with("a.rs:3:"), "{findings:?}");
}

#[test]
fn a_file_of_seven_hundred_lines_passes_and_one_more_fails() {
    assert!(judge(&measured(&"// text\n".repeat(700)), &[]).is_empty());
    let findings = judge(&measured(&"// text\n".repeat(701)), &[]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("`file` has 701 lines"));
}

#[test]
fn between_the_budgets_is_a_warning() {
    assert!(warnings(&measured(&function_of(60)), &[]).is_empty());
    let found = warnings(&measured(&function_of(61)), &[]);
    assert_eq!(found, ["a.rs:3: `long` has 61 lines, more than 60"]);
    assert!(warnings(&measured(&function_of(121)), &[]).is_empty());
    assert!(warnings(&measured(&"// text\n".repeat(400)), &[]).is_empty());
    let found = warnings(&measured(&"// text\n".repeat(401)), &[]);
    assert_eq!(found, ["a.rs:1: `file` has 401 lines, more than 400"]);
}

#[test]
fn the_largest_in_proportion_is_warned_of_first() {
    let text = format!("{}{}", function_of(100), "// text\n".repeat(350));
    let found = warnings(&measured(&text), &[]);
    assert_eq!(found.len(), 2);
    assert!(found[0].contains("`long`"), "{found:?}");
}

#[test]
fn a_test_module_counts_as_part_of_its_file() {
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// t\n".repeat(698));
    assert_eq!(judge(&measured(&tests), &[]).len(), 1);
}

#[test]
fn functions_are_named_by_module_type_and_outer_function() {
    let text = "mod m {\n impl<T> Trait for a::Ball<T> {\n fn project() {\n fn inner() {}\n }\n }\n}\n\
                trait Set {\n fn support() {\n }\n fn dim();\n}\n";
    let expected = [
        ("m::Ball::project", 3),
        ("m::Ball::project::inner", 1),
        ("Set::support", 2),
    ];
    let expected: Vec<_> = expected.map(|(name, n)| (name.to_string(), n)).into();
    assert_eq!(names_and_lines(text), expected);
}

#[test]
fn functions_inside_macro_calls_are_measured() {
    let text = "proptest! {\n #![cfg(a)]\n #[test]\n fn idempotent(x in 0..3, y in z()) {\n one();\n if a { b } \n }\n}\n";
    assert_eq!(names_and_lines(text), [("idempotent".to_string(), 4)]);
    let rules = "macro_rules! make {\n ($n:ident) => {\n fn $n() {\n one();\n }\n };\n}\n";
    assert_eq!(names_and_lines(rules), [("n".to_string(), 3)]);
}

#[test]
fn a_function_type_in_a_macro_is_not_a_function() {
    assert!(names_and_lines("call! { let f: fn(usize) -> f64 = g; { a } }\n").is_empty());
}

#[test]
fn an_exception_raises_the_limit_and_no_further() {
    let items = measured(&function_of(130));
    assert!(judge(&items, &[exception("long", 130)]).is_empty());
    assert_eq!(judge(&items, &[exception("long", 129)]).len(), 1);
}

#[test]
fn an_exception_no_longer_needed_is_a_finding() {
    let findings = judge(&measured(&function_of(120)), &[exception("long", 130)]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("needs no exception now"));
}

#[test]
fn an_exception_for_something_absent_is_a_finding() {
    let findings = judge(&measured(&function_of(10)), &[exception("gone", 70)]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("there is no `gone`"));
}

#[test]
fn an_exception_without_a_reason_is_a_finding() {
    let mut unexplained = exception("long", 130);
    unexplained.reason = " ".to_string();
    let findings = judge(&measured(&function_of(125)), &[unexplained]);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("has no reason"));
}

#[test]
fn a_file_that_does_not_parse_is_named_with_its_line() {
    let error = measure("a.rs", "fn a() {}\nfn fn b\n", &mut Vec::new()).unwrap_err();
    assert!(error.starts_with("a.rs:2"), "{error}");
}
