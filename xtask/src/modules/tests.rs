use super::*;
use crate::crates::kit;

const NO_ENTRY: &str = "";
const A_AND_B: &str =
    "[[circle]]\ncrate = \"p\"\nmodules = [\"a\", \"b\"]\nreason = \"shared type\"\n";

/// The findings for a crate `p` with the given files below `src`.
fn findings(list: &str, sources: &[(&str, &str)]) -> Findings {
    let folder = kit::repository(&[
        (LIST, list),
        ("crates/p/Cargo.toml", "[package]\nname = \"p\"\n"),
    ]);
    for (path, text) in sources {
        kit::write(folder.path(), &format!("crates/p/src/{path}"), text);
    }
    check(folder.path()).unwrap()
}

/// A crate of two modules that use each other, `a` with the given text.
fn pair(a: &str) -> Vec<(&'static str, String)> {
    let b = "pub struct B;\nfn f(_: crate::a::A) {}\n".to_string();
    vec![
        ("lib.rs", "pub mod a;\nmod b;\n".to_string()),
        ("a.rs", a.to_string()),
        ("b.rs", b),
    ]
}

fn findings_of_pair(list: &str, a: &str) -> Findings {
    let files = pair(a);
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    findings(list, &files)
}

#[test]
fn a_circle_is_found_with_the_place_of_each_use() {
    let found = findings_of_pair(NO_ENTRY, "\nuse crate::b::B;\npub struct A(B);\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("`a` uses `b` (crates/p/src/a.rs:2), `b` uses `a` (crates/p/src/b.rs:2)"),
        "{found:?}"
    );
}

#[test]
fn uses_in_one_direction_are_no_circle() {
    assert!(findings_of_pair(NO_ENTRY, "pub struct A;\n").is_empty());
}

#[test]
fn paths_are_found_in_expressions_types_patterns_macros_and_attributes() {
    for a in [
        "fn f() { let x = crate::b::B; }",
        "fn f() -> Vec<crate::b::B> { g() }",
        "fn f(x: X) { match x { crate::b::B => {} } }",
        "fn f() { println!(\"{:?}\", [1, crate::b::B]); }",
        "#[serde(with = \"crate::b\")]\nstruct A;",
        "fn f() { use crate::{c, b::B as C}; }",
    ] {
        assert_eq!(findings_of_pair(NO_ENTRY, a).len(), 1, "{a}");
    }
}

#[test]
fn text_comments_and_restricted_visibility_are_no_use() {
    for a in [
        "// crate::b::B\n",
        "/// crate::b::B\nfn f() { g(\"crate::b::B\") }",
        "pub(in crate::b) struct A;",
    ] {
        assert!(findings_of_pair(NO_ENTRY, a).is_empty(), "{a}");
    }
}

#[test]
fn a_listed_circle_passes() {
    assert!(findings_of_pair(A_AND_B, "use crate::b::B;\n").is_empty());
}

#[test]
fn a_listed_circle_that_is_gone_is_a_finding() {
    let found = findings_of_pair(A_AND_B, "pub struct A;\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("in no circle of p any more: `a`, `b`"),
        "{found:?}"
    );
}

#[test]
fn a_listed_module_that_left_its_circle_is_a_finding() {
    let list = A_AND_B.replace("\"b\"]", "\"b\", \"c\"]");
    let found = findings_of_pair(&list, "use crate::b::B;\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("any more: `c`"), "{found:?}");
}

#[test]
fn a_circle_larger_than_its_entry_is_a_finding_about_the_new_part() {
    let found = findings(
        A_AND_B,
        &[
            ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n"),
            ("a.rs", "use crate::b::B;\n"),
            ("b.rs", "use crate::a::A;\nuse crate::c::C;\n"),
            ("c.rs", "use crate::d::D;\n"),
            ("d.rs", "use crate::a::A;\n"),
        ],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    for part in [
        "`a` uses `b` (",
        "`b` uses `c` (",
        "`c` uses `d` (",
        "`d` uses `a` (",
    ] {
        assert!(found[0].contains(part), "{found:?}");
    }
}

#[test]
fn an_entry_for_two_circles_is_a_finding() {
    let list = A_AND_B.replace("\"b\"]", "\"b\", \"c\", \"d\"]");
    let found = findings(
        &list,
        &[
            ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n"),
            ("a.rs", "use crate::b::B;\n"),
            ("b.rs", "use crate::a::A;\n"),
            ("c.rs", "use crate::d::D;\n"),
            ("d.rs", "use crate::c::C;\n"),
        ],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("is 2 circles now"), "{found:?}");
}

#[test]
fn an_entry_without_a_reason_or_a_crate_is_a_finding() {
    let found = findings_of_pair(&A_AND_B.replace("shared type", " "), "use crate::b::B;\n");
    assert!(found[0].contains("has no reason"), "{found:?}");
    let list = format!("{A_AND_B}{}", A_AND_B.replace("\"p\"", "\"q\""));
    let found = findings_of_pair(&list, "use crate::b::B;\n");
    assert!(found[0].contains("there is no crate `q`"), "{found:?}");
}

#[test]
fn chains_of_super_count_where_they_reach_the_root() {
    assert_eq!(findings_of_pair(NO_ENTRY, "use super::b::B;\n").len(), 1);
    assert_eq!(
        findings_of_pair(NO_ENTRY, "use self::super::b::B;\n").len(),
        1
    );
    assert_eq!(
        findings_of_pair(NO_ENTRY, "mod m { use super::super::b::B; }\n").len(),
        1
    );
    // `a::b`, not `b`.
    assert!(findings_of_pair(NO_ENTRY, "mod m { use super::b::B; }\nmod b {}\n").is_empty());
    assert!(findings_of_pair(NO_ENTRY, "use self::b::B;\nmod b {}\n").is_empty());
}

#[test]
fn a_name_re_exported_by_the_root_counts_as_its_module() {
    let roots = [
        "mod a;\nmod b;\npub use b::B;\n",
        "mod a;\nmod b;\npub use crate::b::{self as other, Of as B};\n",
        "mod a;\nmod b;\nuse b::deep;\npub use deep::B;\n",
    ];
    for root in roots {
        let sources = [
            ("lib.rs", root),
            ("a.rs", "use crate::B;\n"),
            ("b.rs", "use super::a::A;\n"),
        ];
        assert_eq!(findings(NO_ENTRY, &sources).len(), 1, "{root}");
    }
    // A name of the root itself, or of another crate, belongs to no module.
    let root = "mod a;\nmod b;\npub struct B;\nuse other::C;\n";
    let sources = [
        ("lib.rs", root),
        ("a.rs", "use crate::{B, C};\n"),
        ("b.rs", "use super::a::A;\n"),
    ];
    assert!(findings(NO_ENTRY, &sources).is_empty());
}

#[test]
fn everything_of_a_module_through_the_root_is_a_finding() {
    let sources = [
        ("lib.rs", "mod a;\npub use a::*;\nuse other::*;\n"),
        ("a.rs", "use crate::*;\n"),
    ];
    let found = findings(NO_ENTRY, &sources);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("crates/p/src/lib.rs:2: a `*`"),
        "{found:?}"
    );
}

#[test]
fn test_code_is_ignored() {
    for a in [
        "#[cfg(test)]\nmod tests { use crate::b::B; }\n",
        "#[cfg(test)]\nuse crate::b::B;\n",
        "impl A {\n#[cfg(test)]\nfn f() { crate::b::g() } }\n",
        "mod tests;\n",
        "#[cfg(test)]\nmod not_there;\n",
    ] {
        assert!(findings_of_pair(NO_ENTRY, a).is_empty(), "{a}");
    }
}
