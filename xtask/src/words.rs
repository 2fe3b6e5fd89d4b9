//! Words that have no place in the repository: paths of one machine, marks of unfinished work,
//! registries that only some machines reach.
//!
//! Exceptions, each with its reason, are in `xtask/word-exceptions.toml`; one that is not needed any
//! more is a finding. Binary files are not read.

use std::path::Path;

use serde::Deserialize;

use crate::{Findings, Outcome, files};

const EXCEPTIONS: &str = "xtask/word-exceptions.toml";

/// Where a word is looked for, and what surrounds it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// In every text file, at the start of a path: `https://host/home/` is not one.
    Path,
    /// In every text file, as a word of its own.
    Word,
    /// In every text file, wherever it stands.
    Text,
    /// In Rust sources, wherever it stands.
    Rust,
}

struct Rule {
    word: &'static str,
    kind: Kind,
    remedy: &'static str,
}

const fn rule(word: &'static str, kind: Kind, remedy: &'static str) -> Rule {
    Rule { word, kind, remedy }
}

const MACHINE: &str = "a path of one machine: make it relative to the repository or a parameter";
const UNFINISHED: &str = "unfinished: do it, or state the limit in words";
const DEBUGGING: &str = "left over from debugging: remove it";
const REGISTRY: &str = "packages come from the public registry alone: remove the setting";

const RULES: [Rule; 14] = [
    rule("/work/", Kind::Path, MACHINE),
    rule("/root/", Kind::Path, MACHINE),
    rule("/home/", Kind::Path, MACHINE),
    rule("/tmp/", Kind::Path, MACHINE),
    rule("/Users/", Kind::Path, MACHINE),
    rule("TODO", Kind::Word, UNFINISHED),
    rule("FIXME", Kind::Word, UNFINISHED),
    rule("todo!(", Kind::Rust, UNFINISHED),
    rule("unimplemented!(", Kind::Rust, UNFINISHED),
    rule("dbg!(", Kind::Rust, DEBUGGING),
    rule("replace-with", Kind::Text, REGISTRY),
    rule("index-url", Kind::Text, REGISTRY),
    rule("[registries", Kind::Text, REGISTRY),
    rule("/artifactory/", Kind::Text, REGISTRY),
];

/// One entry of the list of exceptions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// File, relative to the repository's root.
    path: String,
    /// The word allowed in it; `*` for every word.
    word: String,
    /// Why it belongs there.
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// A banned word in its place.
struct Hit {
    path: String,
    /// Counted from 1.
    line: usize,
    rule: &'static Rule,
}

/// Checks every text file of the repository.
pub fn check(root: &Path) -> Outcome {
    let exceptions: Exceptions = files::settings(root, EXCEPTIONS)?;
    let mut hits = Vec::new();
    for path in files::list(root)? {
        if let Some(text) = files::text(root, &path)? {
            search(&path, &text, &mut hits);
        }
    }
    Ok(judge(&hits, &exceptions.exception))
}

/// Appends each line's banned words.
fn search(path: &str, text: &str, hits: &mut Vec<Hit>) {
    for (index, line) in text.lines().enumerate() {
        for rule in &RULES {
            if rule.applies(path) && rule.occurs(line) {
                hits.push(Hit {
                    path: path.to_string(),
                    line: index + 1,
                    rule,
                });
            }
        }
    }
}

fn judge(hits: &[Hit], exceptions: &[Exception]) -> Findings {
    let mut findings = Vec::new();
    for hit in hits {
        if !exceptions.iter().any(|exception| exception.covers(hit)) {
            let Rule { word, remedy, .. } = hit.rule;
            findings.push(format!("{}:{}: `{word}`: {remedy}", hit.path, hit.line));
        }
    }
    for exception in exceptions {
        let Exception { path, word, reason } = exception;
        if reason.trim().is_empty() {
            findings.push(format!(
                "{EXCEPTIONS}: `{word}` in {path} has no reason: say why it belongs there"
            ));
        }
        if !hits.iter().any(|hit| exception.covers(hit)) {
            findings.push(format!(
                "{EXCEPTIONS}: `{word}` does not occur in {path}: remove the entry"
            ));
        }
    }
    findings
}

impl Exception {
    fn covers(&self, hit: &Hit) -> bool {
        self.path == hit.path && (self.word == "*" || self.word == hit.rule.word)
    }
}

impl Rule {
    fn applies(&self, path: &str) -> bool {
        self.kind != Kind::Rust || path.ends_with(".rs")
    }

    fn occurs(&self, line: &str) -> bool {
        line.match_indices(self.word).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + self.word.len()..].chars().next();
            let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            match self.kind {
                // A letter, a dot or a star before it: the middle of a URL, a relative path, a glob.
                Kind::Path => !in_word(before) && !matches!(before, Some('.' | '-' | '*')),
                Kind::Word => !in_word(before) && !in_word(after),
                Kind::Text => true,
                Kind::Rust => !in_word(before),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_in(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let mut hits = Vec::new();
        search(path, text, &mut hits);
        hits.iter().map(|hit| (hit.rule.word, hit.line)).collect()
    }

    fn exception(word: &str, reason: &str) -> Exception {
        Exception {
            path: "a.md".to_string(),
            word: word.to_string(),
            reason: reason.to_string(),
        }
    }

    #[test]
    fn machine_paths_are_found_with_their_line() {
        let text = "first\nsee `/work/x`\nand \"/tmp/y\" file:///home/me\n";
        let expected = [("/work/", 2), ("/home/", 3), ("/tmp/", 3)];
        assert_eq!(words_in("a.md", text), expected);
    }

    #[test]
    fn urls_and_relative_paths_are_not_machine_paths() {
        let text = "https://example.org/home/page ../work/x src/tmp/y a-b/root/c";
        assert!(words_in("a.md", text).is_empty());
    }

    #[test]
    fn unfinished_macros_are_banned_in_rust_sources_only() {
        let text = "todo!(); unimplemented!(\"x\"); dbg!(y);";
        assert_eq!(words_in("a.rs", text).len(), 3);
        assert!(words_in("a.md", text).is_empty());
        assert!(words_in("a.rs", "my_dbg!(y); undo_todo!()").is_empty());
    }

    #[test]
    fn marks_of_unfinished_work_count_as_whole_words() {
        assert_eq!(words_in("a.md", "TODO: later").len(), 1);
        assert_eq!(words_in("a.md", "TODO-X, FIXME").len(), 2);
        assert!(words_in("a.md", "MASTODON TODOS FIXMES").is_empty());
    }

    #[test]
    fn settings_of_private_registries_are_found() {
        let text = "[registries.inner]\nreplace-with = \"inner\"\n";
        assert_eq!(words_in(".cargo/config.toml", text).len(), 2);
    }

    #[test]
    fn an_exception_covers_its_file_and_word_alone() {
        let mut hits = Vec::new();
        search("a.md", "/tmp/ and TODO", &mut hits);
        search("b.md", "/tmp/", &mut hits);
        let findings = judge(&hits, &[exception("/tmp/", "says where output goes")]);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings.iter().any(|finding| finding.starts_with("b.md:1")));
        let findings = judge(&hits, &[exception("*", "a list of words")]);
        assert_eq!(findings.len(), 1, "{findings:?}");
    }

    #[test]
    fn an_exception_without_use_or_reason_is_a_finding() {
        let findings = judge(&[], &[exception("/tmp/", "because")]);
        assert!(findings[0].contains("does not occur"), "{findings:?}");
        let mut hits = Vec::new();
        search("a.md", "/tmp/", &mut hits);
        let findings = judge(&hits, &[exception("/tmp/", "")]);
        assert!(findings[0].contains("has no reason"), "{findings:?}");
    }
}
