//! Patterns that name a variant of `Law`.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::visit::{self, Visit};

use crate::{crates, syntax};

/// Line of the first pattern `Law::X` in a file, test code left out.
///
/// The type is known by its name. A `use` of its variants, or one that renames it, counts as well:
/// patterns would not show it any more.
pub fn first_match(file: &syn::File) -> Option<usize> {
    let mut search = Search { lines: Vec::new() };
    search.visit_file(file);
    search.lines.into_iter().min()
}

struct Search {
    lines: Vec<usize>,
}

impl Search {
    /// Notes a path of a pattern if it ends in `Law::X`.
    fn note(&mut self, path: &syn::Path) {
        let before_last = path.segments.iter().rev().nth(1);
        if let Some(part) = before_last.filter(|part| part.ident == "Law") {
            self.lines.push(part.ident.span().start().line);
        }
    }

    /// Searches the tokens of a macro for calls of `matches!`, to any depth of brackets.
    fn scan(&mut self, tokens: TokenStream) {
        let mut before = [None, None];
        for token in tokens {
            if let TokenTree::Group(group) = &token {
                if let [Some(TokenTree::Ident(name)), Some(TokenTree::Punct(_))] = &before
                    && is_matching(name)
                {
                    self.scan_pattern(group.stream());
                }
                self.scan(group.stream());
            }
            let [_, last] = before;
            before = [last, Some(token)];
        }
    }

    /// Searches the pattern in the arguments of `matches!`.
    fn scan_pattern(&mut self, arguments: TokenStream) {
        let parser = |input: syn::parse::ParseStream| {
            input.parse::<syn::Expr>()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            // A guard, a message.
            input.parse::<TokenStream>()?;
            Ok(pattern)
        };
        // What does not parse is another macro of that name.
        if let Ok(pattern) = parser.parse2(arguments) {
            self.visit_pat(&pattern);
        }
    }
}

/// Macros whose second argument is a pattern.
fn is_matching(name: &syn::Ident) -> bool {
    name == "matches" || name == "assert_matches" || name == "debug_assert_matches"
}

impl<'ast> Visit<'ast> for Search {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !syntax::is_test(syntax::attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !crates::is_test_module(module) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in syntax::imports(item) {
            let at = import.path.iter().position(|part| part == "Law");
            let renamed = import.name != "Law" && import.name != "_";
            let variants = at.is_some_and(|at| at + 1 < import.path.len());
            if at.is_some() && (variants || renamed) {
                self.lines.push(import.line);
            }
        }
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        match pattern {
            syn::Pat::Path(part) => self.note(&part.path),
            syn::Pat::Struct(part) => self.note(&part.path),
            syn::Pat::TupleStruct(part) => self.note(&part.path),
            _ => {}
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        if item
            .path
            .segments
            .last()
            .is_some_and(|last| is_matching(&last.ident))
        {
            self.scan_pattern(item.tokens.clone());
        }
        self.scan(item.tokens.clone());
    }
}
