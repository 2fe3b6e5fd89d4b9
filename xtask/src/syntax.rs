//! Rust sources as syntax trees, and which of their items are test code.

use proc_macro2::{TokenStream, TokenTree};

/// Parses a file; an error names the place.
pub fn parse(path: &str, text: &str) -> Result<syn::File, String> {
    syn::parse_file(text).map_err(|error| {
        let at = error.span().start().line;
        format!("{path}:{at} does not parse as Rust: {error}")
    })
}

/// Whether `#[cfg(test)]` or `#[cfg(all(test, ..))]` is among the attributes.
pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && requires_test(list.tokens.clone()),
        _ => false,
    })
}

/// Whether a condition holds in tests only: `test` itself, or `all(..)` with it.
fn requires_test(tokens: TokenStream) -> bool {
    let mut after_all = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "test" => return true,
            TokenTree::Group(group) if after_all && requires_test(group.stream()) => return true,
            TokenTree::Ident(word) => after_all = word == "all",
            _ => after_all = false,
        }
    }
    false
}

/// The attributes of an item of a module.
pub fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// One name that a `use` brings in.
#[derive(Debug, PartialEq)]
pub struct Import {
    /// Parts of the path; the last one is `*` for everything of a module.
    pub path: Vec<String>,
    /// The name it has here.
    pub name: String,
    /// Counted from 1.
    pub line: usize,
}

/// The names of a `use`, its groups written out.
pub fn imports(item: &syn::ItemUse) -> Vec<Import> {
    let mut found = Vec::new();
    flatten(&item.tree, &mut Vec::new(), &mut found);
    found
}

fn flatten(tree: &syn::UseTree, prefix: &mut Vec<String>, found: &mut Vec<Import>) {
    match tree {
        syn::UseTree::Path(part) => {
            prefix.push(word(&part.ident));
            flatten(&part.tree, prefix, found);
            prefix.pop();
        }
        syn::UseTree::Name(leaf) => found.push(import(prefix, &leaf.ident, &leaf.ident)),
        syn::UseTree::Rename(leaf) => found.push(import(prefix, &leaf.ident, &leaf.rename)),
        syn::UseTree::Glob(leaf) => found.push(Import {
            path: prefix.iter().cloned().chain(["*".to_string()]).collect(),
            name: "*".to_string(),
            line: leaf.star_token.span.start().line,
        }),
        syn::UseTree::Group(group) => {
            for part in &group.items {
                flatten(part, prefix, found);
            }
        }
    }
}

/// The import of `prefix::target` as `name`; `prefix::{self}` is the prefix itself.
fn import(prefix: &[String], target: &syn::Ident, name: &syn::Ident) -> Import {
    let mut path = prefix.to_vec();
    if target != "self" || path.is_empty() {
        path.push(word(target));
    }
    let name = match path.last() {
        Some(last) if name == "self" => last.clone(),
        _ => word(name),
    };
    let line = target.span().start().line;
    Import { path, name, line }
}

/// An identifier without the mark of a raw one.
pub fn word(identifier: &syn::Ident) -> String {
    let text = identifier.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_test_item(text: &str) -> bool {
        is_test(attributes(&syn::parse_str(text).unwrap()))
    }

    #[test]
    fn only_what_requires_a_test_build_is_test_code() {
        assert!(is_test_item("#[cfg(test)] mod a;"));
        assert!(is_test_item("#[cfg(all(unix, test))] fn a() {}"));
        assert!(!is_test_item("#[cfg(not(test))] fn a() {}"));
        assert!(!is_test_item(
            "#[cfg(any(test, feature = \"x\"))] fn a() {}"
        ));
        assert!(!is_test_item("#[derive(Debug)] struct A;"));
    }

    #[test]
    fn groups_of_a_use_are_written_out() {
        let item = syn::parse_str("use crate::{a::{self, B as C}, d::*};").unwrap();
        let found = imports(&item).into_iter();
        let found: Vec<_> = found.map(|i| (i.path.join("::"), i.name)).collect();
        let expected = [
            ("crate::a", "a"),
            ("crate::a::B", "C"),
            ("crate::d::*", "*"),
        ];
        assert_eq!(found, expected.map(|(p, n)| (p.to_string(), n.to_string())));
    }
}
