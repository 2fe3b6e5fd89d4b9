//! Size budgets, two for each kind: above the lower one is a warning, above the upper one a finding.
//!
//! A Rust file gives a warning above 400 lines and a finding above 700, a function above 60 and 120.
//! A file's lines are all its lines, `#[cfg(test)]` modules included. A function's lines run from
//! the line of its `fn` to that of its closing brace; attributes and documentation above it are
//! free. Functions written inside a macro call (`proptest! { fn .. }`) or a `macro_rules!` are
//! found by their tokens, `fn name .. { .. }`, because the parser does not look inside.
//!
//! What must be larger than the upper budget is listed with its reason in `xtask/size-exceptions.toml`. An exception that
//! is not needed any more is a finding too, so that the list only ever says what is true.

use std::cmp::Reverse;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde::Deserialize;
use syn::visit::{self, Visit};

use crate::{Findings, Report, files, syntax};

/// The two limits for one kind of item, in lines.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Budget {
    /// Above it: a warning.
    comfortable: usize,
    /// Above it: a finding, unless listed.
    most: usize,
}

/// Lines of one file: about what a reader keeps in view while scrolling through one subject.
const FILE: Budget = Budget {
    comfortable: 400,
    most: 700,
};
/// Lines of one function: what fits on one screen, and on two.
const FUNCTION: Budget = Budget {
    comfortable: 60,
    most: 120,
};
const EXCEPTIONS: &str = "xtask/size-exceptions.toml";

/// One entry of the list of exceptions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// File, relative to the repository's root.
    path: String,
    /// `file` for the file as a whole, else the function's name as a finding prints it.
    item: String,
    /// Lines allowed instead of the upper budget.
    limit: usize,
    /// Why the item is better as it is.
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// A file or a function with its number of lines.
#[derive(Debug, PartialEq)]
struct Item {
    path: String,
    name: String,
    /// Line where it starts, counted from 1.
    line: usize,
    lines: usize,
    budget: Budget,
}

/// Checks every Rust file of the repository.
pub fn check(root: &Path) -> Result<Report, String> {
    let exceptions: Exceptions = files::settings(root, EXCEPTIONS)?;
    let mut items = Vec::new();
    for path in files::list(root)? {
        if !path.ends_with(".rs") {
            continue;
        }
        let text = files::text(root, &path)?
            .ok_or_else(|| format!("{path} is not text: Rust sources are UTF-8"))?;
        measure(&path, &text, &mut items)?;
    }
    let exceptions = &exceptions.exception;
    Ok(Report {
        findings: judge(&items, exceptions),
        warnings: warnings(&items, exceptions),
    })
}

/// Appends the file and each function in it.
fn measure(path: &str, text: &str, items: &mut Vec<Item>) -> Result<(), String> {
    items.push(Item {
        path: path.to_string(),
        name: "file".to_string(),
        line: 1,
        lines: text.lines().count(),
        budget: FILE,
    });
    let file = syntax::parse(path, text)?;
    let mut functions = Functions {
        path,
        scope: Vec::new(),
        items,
    };
    functions.visit_file(&file);
    Ok(())
}

/// Compares items with their upper budgets, and exceptions with items.
fn judge(items: &[Item], exceptions: &[Exception]) -> Findings {
    let mut findings = Vec::new();
    for item in items {
        let exception = exceptions.iter().find(|exception| exception.covers(item));
        let limit = exception.map_or(item.budget.most, |exception| exception.limit);
        if item.lines > limit {
            findings.push(format!(
                "{}:{}: `{}` has {} lines, allowed are {limit}: split it, or give the reason in {EXCEPTIONS}",
                item.path, item.line, item.name, item.lines
            ));
        }
    }
    for exception in exceptions {
        let Exception { path, item, .. } = exception;
        if exception.reason.trim().is_empty() {
            findings.push(format!(
                "{EXCEPTIONS}: `{item}` in {path} has no reason: say why it is better in one piece"
            ));
        }
        let covered: Vec<&Item> = items.iter().filter(|item| exception.covers(item)).collect();
        if covered.is_empty() {
            findings.push(format!(
                "{EXCEPTIONS}: there is no `{item}` in {path}: remove or correct the entry"
            ));
        } else if covered.iter().all(|item| item.lines <= item.budget.most) {
            findings.push(format!(
                "{EXCEPTIONS}: `{item}` in {path} needs no exception now: remove the entry"
            ));
        }
    }
    findings
}

/// Sentences about items between their budgets, the largest in proportion first.
fn warnings(items: &[Item], exceptions: &[Exception]) -> Vec<String> {
    let mut large: Vec<&Item> = items.iter().filter(|item| item.is_large()).collect();
    large.retain(|item| !exceptions.iter().any(|exception| exception.covers(item)));
    // Percent of the lower budget, so that files and functions can be compared.
    large.sort_by_key(|item| Reverse(item.lines * 100 / item.budget.comfortable));
    let say = |item: &&Item| {
        let Item {
            path,
            name,
            line,
            lines,
            budget,
        } = item;
        let wished = budget.comfortable;
        format!("{path}:{line}: `{name}` has {lines} lines, more than {wished}")
    };
    large.iter().map(say).collect()
}

impl Item {
    /// Whether it is between its two budgets.
    fn is_large(&self) -> bool {
        self.lines > self.budget.comfortable && self.lines <= self.budget.most
    }
}

impl Exception {
    fn covers(&self, item: &Item) -> bool {
        self.path == item.path && self.item == item.name
    }
}

/// Collects functions on a walk through a parsed file.
struct Functions<'a> {
    path: &'a str,
    /// Modules, types and functions around the present place.
    scope: Vec<String>,
    items: &'a mut Vec<Item>,
}

impl Functions<'_> {
    fn add(&mut self, name: &str, first_line: usize, last_line: usize) {
        let mut full = self.scope.clone();
        full.push(name.to_string());
        self.items.push(Item {
            path: self.path.to_string(),
            name: full.join("::"),
            line: first_line,
            lines: last_line + 1 - first_line,
            budget: FUNCTION,
        });
    }

    fn add_parsed(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let first = signature.fn_token.span.start().line;
        let last = body.brace_token.span.close().end().line;
        self.add(&signature.ident.to_string(), first, last);
    }

    fn within(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        walk(self);
        self.scope.pop();
    }

    /// Finds `fn name .. { .. }` in the tokens of a macro, to any depth of brackets.
    fn scan(&mut self, tokens: TokenStream) {
        // The function whose body has not come yet: its name and first line.
        let mut open: Option<(Option<String>, usize)> = None;
        for token in tokens {
            match token {
                TokenTree::Ident(word) if word == "fn" => {
                    open = Some((None, word.span().start().line));
                }
                TokenTree::Ident(word) => {
                    if let Some((name @ None, _)) = &mut open {
                        *name = Some(word.to_string());
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => open = None,
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Brace
                        && let Some((Some(name), first)) = open.take()
                    {
                        self.add(&name, first, group.span_close().end().line);
                    }
                    self.scan(group.stream());
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add_parsed(&function.sig, &function.block);
        self.within(function.sig.ident.to_string(), |this| {
            visit::visit_item_fn(this, function);
        });
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add_parsed(&function.sig, &function.block);
        self.within(function.sig.ident.to_string(), |this| {
            visit::visit_impl_item_fn(this, function);
        });
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add_parsed(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.within(module.ident.to_string(), |this| {
            visit::visit_item_mod(this, module);
        });
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.within(item.ident.to_string(), |this| {
            visit::visit_item_trait(this, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // The last word of the type's path names it well enough: `impl<T> Trait for a::Type<T>`.
        let name = match item.self_ty.as_ref() {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.within(name.unwrap_or_else(|| "impl".to_string()), |this| {
            visit::visit_item_impl(this, item);
        });
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.scan(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

#[cfg(test)]
#[path = "sizes_tests.rs"]
mod tests;
