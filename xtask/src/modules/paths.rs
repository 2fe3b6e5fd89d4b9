//! The paths of a source that start at the crate's root.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::graph::Place;
use crate::crates::{self, Source};
use crate::syntax;

/// A path through the crate's root, in the code of one of its top-level modules.
pub struct RootPath {
    /// The top-level module that holds the code.
    pub from: String,
    /// The first name after the root; `*` for all of them.
    pub name: String,
    pub place: Place,
}

/// Collects the paths of a file, test code left out.
pub fn collect(source: &Source, found: &mut Vec<RootPath>) {
    let mut paths = Paths {
        path: &source.path,
        module: source.module.clone(),
        found,
    };
    paths.visit_file(&source.tree);
}

/// The first name after the crate's root of a path written in `module`, if it goes through the root.
fn name_in_root<'a>(module: &[String], parts: &'a [String]) -> Option<&'a str> {
    let (first, mut rest) = parts.split_first()?;
    let mut depth = match first.as_str() {
        "crate" => 0,
        "self" => module.len(),
        "super" => module.len().checked_sub(1)?,
        _ => return None,
    };
    while let Some((next, after)) = rest.split_first()
        && next == "super"
    {
        depth = depth.checked_sub(1)?;
        rest = after;
    }
    if depth > 0 {
        return None;
    }
    rest.first().map(String::as_str)
}

struct Paths<'a> {
    path: &'a str,
    /// The module around the present place.
    module: Vec<String>,
    found: &'a mut Vec<RootPath>,
}

impl Paths<'_> {
    fn add(&mut self, parts: &[String], line: usize) {
        // The root itself may use every module: it is above all of them.
        let Some(from) = self.module.first() else {
            return;
        };
        if let Some(name) = name_in_root(&self.module, parts) {
            self.found.push(RootPath {
                from: from.clone(),
                name: name.to_string(),
                place: Place {
                    path: self.path.to_string(),
                    line,
                },
            });
        }
    }

    fn add_path(&mut self, path: &syn::Path, line: usize) {
        let parts = path.segments.iter().map(|part| syntax::word(&part.ident));
        let parts: Vec<String> = parts.collect();
        self.add(&parts, line);
    }

    /// Finds `a::b::c` in the tokens of a macro or an attribute, to any depth of brackets.
    fn scan(&mut self, tokens: TokenStream) {
        let mut parts: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    // Without `::` before it, the word starts another path.
                    if colons != 2 {
                        self.add(&parts, line);
                        parts.clear();
                        line = word.span().start().line;
                    }
                    parts.push(syntax::word(&word));
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.scan(group.stream());
                    colons = 0;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => colons = 0,
            }
        }
        self.add(&parts, line);
    }

    /// Finds paths written as text in an attribute: `#[serde(with = "crate::a::b")]`.
    fn scan_texts(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if let Ok(path) = syn::parse_str(text.trim_matches('"')) {
                        self.add_path(&path, literal.span().start().line);
                    }
                }
                TokenTree::Group(group) => self.scan_texts(group.stream()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !syntax::is_test(syntax::attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !syntax::is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !crates::is_test_module(module) {
            self.module.push(syntax::word(&module.ident));
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in syntax::imports(item) {
            self.add(&import.path, import.line);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            self.add_path(path, first.ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.scan(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.scan(list.tokens.clone());
            self.scan_texts(list.tokens.clone());
        }
    }

    // `pub(in crate::a)` says who may use an item; it uses nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

/// The names that stand in the crate's root.
#[derive(Default)]
pub struct Root {
    /// Its modules.
    pub modules: BTreeSet<String>,
    /// Names brought in by `use`, each with the first part of its path.
    imported: BTreeMap<String, String>,
    /// Where a `use` brings in everything of one of the modules.
    pub globs: Vec<Place>,
}

impl Root {
    /// Reads the items of the root's files.
    pub fn new(sources: &[Source]) -> Self {
        let mut root = Self::default();
        let mut globs = Vec::new();
        for source in sources.iter().filter(|source| source.module.is_empty()) {
            for item in &source.tree.items {
                root.read(item, &source.path, &mut globs);
            }
        }
        // Which names are modules is known only now.
        for (first, place) in globs {
            if root.module_of(&first).is_some() {
                root.globs.push(place);
            }
        }
        root
    }

    fn read(&mut self, item: &syn::Item, path: &str, globs: &mut Vec<(String, Place)>) {
        match item {
            syn::Item::Mod(module) if !crates::is_test_module(module) => {
                self.modules.insert(syntax::word(&module.ident));
            }
            syn::Item::Use(item) if !syntax::is_test(&item.attrs) => {
                for import in syntax::imports(item) {
                    let keywords = ["crate", "self"];
                    let mut parts = import.path.into_iter();
                    let Some(first) = parts.find(|part| !keywords.contains(&part.as_str())) else {
                        continue;
                    };
                    if import.name == "*" {
                        let path = path.to_string();
                        let line = import.line;
                        globs.push((first, Place { path, line }));
                    } else {
                        self.imported.insert(import.name, first);
                    }
                }
            }
            _ => {}
        }
    }

    /// The top-level module that a name of the root is or comes from.
    pub fn module_of<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let mut name = name;
        // A name may come by way of another; no chain is longer than the list.
        for _ in 0..=self.imported.len() {
            if self.modules.contains(name) {
                return Some(name);
            }
            name = self.imported.get(name)?;
        }
        None
    }
}
