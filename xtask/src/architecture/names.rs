//! What a crate names of another one: the paths in its sources, each cut after its first type.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path without the name of the crate, and the line it stands on.
pub type Named = (String, usize);

/// The paths that start with the library `library`, groups written out: `law::Status` for
/// `use library::law::{Status}` and for `library::law::Status::Open`. The crate named as a whole, as in
/// `use library as other`, is an empty path.
pub fn paths(tokens: TokenStream, library: &str) -> Vec<Named> {
    let mut found = Vec::new();
    collect(tokens, library, &mut found);
    found
}

fn collect(tokens: TokenStream, library: &str, found: &mut Vec<Named>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Ident(word) if word == library => {
                let line = word.span().start().line;
                at = follow(&tokens, at, String::new(), line, found);
            }
            TokenTree::Group(group) => collect(group.stream(), library, found),
            _ => {}
        }
    }
}

/// Follows a path from behind a name; returns the place behind the path.
fn follow(
    tokens: &[TokenTree],
    mut at: usize,
    mut path: String,
    line: usize,
    found: &mut Vec<Named>,
) -> usize {
    while is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1)) {
        match tokens.get(at + 2) {
            Some(TokenTree::Ident(word)) => {
                let word = word.to_string();
                let is_type = word.starts_with(char::is_uppercase);
                path = join(&path, &word);
                at += 3;
                if is_type {
                    break;
                }
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                members(group.stream(), &path, found);
                return at + 3;
            }
            Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => {
                path = join(&path, "*");
                at += 3;
            }
            _ => break,
        }
    }
    found.push((path, line));
    at
}

/// The members of a group of a `use`.
fn members(tokens: TokenStream, prefix: &str, found: &mut Vec<Named>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for member in tokens.split(is_comma) {
        let line = member.first().map_or(0, |token| token.span().start().line);
        match member.first() {
            Some(TokenTree::Ident(word)) if word == "self" => {
                found.push((prefix.to_string(), line));
            }
            Some(TokenTree::Ident(word)) => {
                let path = join(prefix, &word.to_string());
                follow(member, 1, path, line, found);
            }
            Some(TokenTree::Punct(_)) => found.push((join(prefix, "*"), line)),
            _ => {}
        }
    }
}

fn join(path: &str, word: &str) -> String {
    match path {
        "" => word.to_string(),
        _ => format!("{path}::{word}"),
    }
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':')
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',')
}
