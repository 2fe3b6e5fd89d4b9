use super::*;
use crate::crates::kit;

const NOTHING: &str = "matches_law = []\nunsafe_files = []\n[uses]\np = []\nq = []\n";
const P: &str = "[package]\nname = \"p\"\n";
const Q: &str = "[package]\nname = \"q\"\n";

/// The findings for the crates `p` and `q`, `p` with the given manifest and root.
fn findings(list: &str, manifest: &str, source: &str) -> Findings {
    let folder = kit::repository(&[
        (LIST, list),
        ("crates/p/Cargo.toml", manifest),
        ("crates/p/src/lib.rs", source),
        ("crates/q/Cargo.toml", Q),
        ("crates/q/src/lib.rs", ""),
    ]);
    check(folder.path()).unwrap()
}

#[test]
fn patterns_of_a_law_are_found_wherever_they_stand() {
    for source in [
        "fn f(l: Law) { match l { Law::Coulomb { mu } => {} _ => {} } }",
        "fn f(l: Law) { if let Some((Law::NonFirm(set), 3)) = l {} }",
        "fn f(l: Law) { let contact::law::Law::Bilateral = l else { return }; }",
        "fn f(l: Law) -> bool { matches!(l, Law::A | Law::B { .. } if x) }",
        "fn f(l: Law) { assert!(g(1) && !matches!(l.law(), Law::A), \"text\"); }",
        "use contact::law::Law::*;",
        "use contact::law::Law as Contact;",
    ] {
        let found = findings(NOTHING, P, source);
        assert_eq!(found.len(), 1, "{source}");
        assert!(
            found[0].starts_with("crates/p/src/lib.rs:1: the file matches on"),
            "{found:?}"
        );
    }
}

#[test]
fn a_law_made_or_matched_in_tests_is_no_finding() {
    for source in [
        "use contact::Law;\nfn f() -> Law { Law::Coulomb { mu: 0.3 } }",
        "fn f(l: ImpactLaw) -> bool { matches!(l, ImpactLaw::Newton) }",
        "fn f() { assert_eq!(g(), Law::Bilateral); }",
        "#[cfg(test)]\nmod tests { fn f(l: Law) -> bool { matches!(l, Law::A) } }",
    ] {
        assert!(findings(NOTHING, P, source).is_empty(), "{source}");
    }
}

#[test]
fn the_laws_themselves_may_match() {
    let list = "matches_law = []\nunsafe_files = []\n[uses]\nc = []\n";
    let folder = kit::repository(&[
        (LIST, list),
        ("crates/contact/Cargo.toml", "[package]\nname = \"c\"\n"),
        ("crates/contact/src/lib.rs", "mod law;"),
        (
            "crates/contact/src/law/mod.rs",
            "fn f(l: Law) { let Law::A = l; }",
        ),
    ]);
    assert!(check(folder.path()).unwrap().is_empty());
}

#[test]
fn unsafe_code_is_found_and_words_are_not() {
    for source in [
        "fn f() { unsafe { g() } }",
        "unsafe impl Send for A {}",
        "unsafe fn f() {}",
        "make! { unsafe { g() } }",
    ] {
        let found = findings(NOTHING, P, source);
        assert_eq!(found.len(), 1, "{source}");
        assert!(found[0].contains("contains `unsafe`"), "{found:?}");
    }
    let words = "//! unsafe\n#![allow(unsafe_code)]\nconst A: &str = \"unsafe\"; // unsafe\n";
    assert!(findings(NOTHING, P, words).is_empty());
}

#[test]
fn listed_files_pass_and_listed_files_without_cause_do_not() {
    let list = NOTHING.replace("[]\nunsafe", "[\"crates/p/src/lib.rs\"]\nunsafe");
    assert!(findings(&list, P, "fn f(l: Law) { let Law::A = l; }").is_empty());
    let found = findings(&list, P, "");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("remove it from the list"), "{found:?}");
}

#[test]
fn dependencies_must_be_those_of_the_list() {
    let listed = NOTHING.replace("p = []", "p = [\"q\"]");
    for section in [
        "[dependencies]\nq.workspace = true\nserde = \"1\"\n",
        "[build-dependencies]\nq = { path = \"../q\" }\n",
        "[dependencies]\nother = { package = \"q\", path = \"../q\" }\n",
        "[target.'cfg(unix)'.dependencies]\nq = \"1\"\n",
    ] {
        let manifest = format!("{P}{section}");
        assert!(findings(&listed, &manifest, "").is_empty(), "{section}");
        let found = findings(NOTHING, &manifest, "");
        assert_eq!(found.len(), 1, "{section}");
        assert!(found[0].starts_with("p depends on q"), "{found:?}");
    }
}

#[test]
fn dependencies_of_tests_do_not_count() {
    let manifest = format!("{P}[dev-dependencies]\nq.workspace = true\n");
    assert!(findings(NOTHING, &manifest, "").is_empty());
}

#[test]
fn entries_of_the_table_that_do_not_hold_are_findings() {
    let found = findings(&NOTHING.replace("p = []", "p = [\"q\"]"), P, "");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("p depends on q, which it does not"),
        "{found:?}"
    );
    let found = findings(&NOTHING.replace("p = []\n", ""), P, "");
    assert!(found[0].contains("lacks the crate p"), "{found:?}");
    let found = findings(&format!("{NOTHING}r = []\n"), P, "");
    assert!(found[0].contains("names r, which is no crate"), "{found:?}");
}

#[test]
fn names_of_a_limited_crate_are_compared_with_the_list() {
    let manifest = "[package]\nname = \"p\"\n[dependencies]\nq = \"1\"\n";
    let list = |names: &str| {
        format!(
            "matches_law = []\nunsafe_files = []\n[uses]\np = [\"q\"]\nq = []\n[names.p]\nq = [{names}]\n"
        )
    };
    let source = "use q::{A, b::C};\nfn f() -> bool { matches!(g(), q::b::C::D) }";
    // The list that is true.
    let found = findings(&list("\"A\", \"b::C\""), manifest, source);
    assert!(found.is_empty(), "{found:?}");
    // A name that is missing in the list.
    let found = findings(&list("\"A\""), manifest, source);
    assert!(
        found.len() == 1 && found[0].starts_with("crates/p/src/lib.rs:1: p names `b::C` of q"),
        "{found:?}"
    );
    // A name that is not used any more.
    let found = findings(&list("\"A\", \"b::C\", \"E\""), manifest, source);
    assert!(
        found.len() == 1 && found[0].contains("p names `E` of q, which it does not"),
        "{found:?}"
    );
    // Everything at once, and the crate under another name.
    for source in ["use q::*;", "use q as other;", "use q::{self, A};"] {
        let found = findings(&list(""), manifest, source);
        assert!(!found.is_empty(), "{source}");
    }
}
