//! Which module uses which, and the circles in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

/// Where one module uses another.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

/// Modules that are used by a module, each with the first place found.
type Used = BTreeMap<String, Place>;

/// The uses between the top-level modules of one crate.
#[derive(Debug, Default)]
pub struct Graph {
    uses: BTreeMap<String, Used>,
}

impl Graph {
    /// Notes that `from` uses `to`; a module that uses itself says nothing.
    pub fn add(&mut self, from: &str, to: &str, place: Place) {
        if from != to {
            let used = self.uses.entry(from.to_string()).or_default();
            used.entry(to.to_string()).or_insert(place);
        }
    }

    /// The place where `from` uses `to`.
    pub fn place(&self, from: &str, to: &str) -> Option<&Place> {
        self.uses.get(from)?.get(to)
    }

    fn used(&self, from: &str) -> impl Iterator<Item = &str> {
        let used = self.uses.get(from).into_iter();
        used.flat_map(|used| used.keys().map(String::as_str))
    }

    /// All that a module uses, directly or through others.
    fn reachable(&self, from: &str) -> BTreeSet<&str> {
        let mut seen: BTreeSet<&str> = self.used(from).collect();
        let mut open: Vec<&str> = seen.iter().copied().collect();
        while let Some(module) = open.pop() {
            let new = self.used(module).filter(|next| seen.insert(*next));
            open.extend(new.collect::<Vec<_>>());
        }
        seen
    }

    /// Sets of modules of which each reaches every other, with more than one module, sorted.
    pub fn circles(&self) -> Vec<BTreeSet<String>> {
        let names = self.uses.keys().map(String::as_str);
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            names.map(|name| (name, self.reachable(name))).collect();
        let mut circles = BTreeSet::new();
        for (name, below) in &reach {
            let back = |other: &&&str| reach.get(**other).is_some_and(|all| all.contains(name));
            let circle: BTreeSet<String> =
                below.iter().filter(back).map(|m| m.to_string()).collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// The shortest circle inside `modules` through a use for which `wanted(from, to)` holds.
    ///
    /// The answer starts and ends with the same module.
    pub fn shortest(
        &self,
        modules: &BTreeSet<String>,
        wanted: impl Fn(&str, &str) -> bool,
    ) -> Option<Vec<String>> {
        let mut best: Option<Vec<String>> = None;
        for from in modules {
            for to in self.used(from).filter(|to| wanted(from, to)) {
                let Some(way) = self.way(to, from) else {
                    continue;
                };
                if best.as_ref().is_none_or(|best| way.len() + 1 < best.len()) {
                    best = Some([from.clone()].into_iter().chain(way).collect());
                }
            }
        }
        best
    }

    /// A shortest chain of uses, both ends included.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(module) = open.pop_front() {
            if module == to {
                return Some(chain(&before, from, module));
            }
            for next in self.used(module) {
                if next != from && !before.contains_key(next) {
                    before.insert(next, module);
                    open.push_back(next);
                }
            }
        }
        None
    }
}

/// The chain from `from` to `last`, by the predecessor of each module.
fn chain(before: &BTreeMap<&str, &str>, from: &str, last: &str) -> Vec<String> {
    let mut chain = vec![last.to_string()];
    let mut at = last;
    while at != from {
        let Some(previous) = before.get(at) else {
            break;
        };
        at = previous;
        chain.push(at.to_string());
    }
    chain.reverse();
    chain
}
