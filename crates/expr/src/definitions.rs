//! Definitions of a scope: parsed in topological order, so that they may use each other in any order.

use std::collections::HashMap;

use crate::error::{ErrorKind, ExprError};
use crate::graph::Graph;
use crate::lexer::{self, TokenKind};
use crate::node::NodeId;
use crate::scope::Scope;

impl Scope {
    /// Adds definitions `(name, text)`, which may use each other in any order.
    ///
    /// # Errors
    /// A text that cannot be parsed (the error carries the definition's name), names that are in
    /// use, definitions that need each other in a circle. The scope is then unchanged.
    pub fn define<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        graph: &mut Graph,
        definitions: &[(N, T)],
    ) -> Result<(), ExprError> {
        self.define_with(graph, definitions, "", |_, _| None)
    }

    /// As [`Scope::define`], where a definition may bring a companion named by a suffix: with `_dot`, the definition
    /// `x` brings `x_dot`, the node that `companion` makes of it. Definitions may use companions, also those of later
    /// definitions.
    ///
    /// # Errors
    /// As [`Scope::define`]; the name of a companion is in use.
    pub fn define_with<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        graph: &mut Graph,
        definitions: &[(N, T)],
        suffix: &str,
        mut companion: impl FnMut(&mut Graph, NodeId) -> Option<NodeId>,
    ) -> Result<(), ExprError> {
        // Names must be free and distinct.
        let mut slots = HashMap::new();
        for (slot, (name, _)) in definitions.iter().enumerate() {
            let name = name.as_ref();
            self.require_free(name)?;
            if slots.insert(name, slot).is_some() {
                return Err(ErrorKind::NameTaken(name.to_string()).into());
            }
        }
        // Dependency graph of the definitions, companions included.
        let mut needs = Vec::with_capacity(definitions.len());
        for (name, text) in definitions {
            let used = names_used(text.as_ref()).map_err(|e| e.in_source(name.as_ref()))?;
            // A word refers to a definition or to its companion.
            let owner = |word: &str| {
                let whose = || slots.get(word.strip_suffix(suffix)?);
                slots.get(word).or_else(whose).copied()
            };
            needs.push(used.into_iter().filter_map(owner).collect::<Vec<usize>>());
        }
        let order = order(&needs).map_err(|cycle| {
            let name = |slot: &usize| definitions[*slot].0.as_ref().to_string();
            ExprError::from(ErrorKind::Cycle(cycle.iter().map(name).collect()))
        })?;
        // Parse in topological order into a copy, so that an error leaves the scope unchanged.
        let mut extended = self.clone();
        for slot in order {
            let (name, text) = (definitions[slot].0.as_ref(), definitions[slot].1.as_ref());
            let node = graph.parse_named(&extended, name, text).map_err(|error| {
                // For the message, names defined later are known, too.
                let mut all = extended.clone();
                for (other, _) in definitions
                    .iter()
                    .filter(|(other, _)| other.as_ref() != name)
                {
                    let known = all.names.entry(other.as_ref().to_string());
                    known.or_insert(Graph::ZERO);
                }
                graph.parse_named(&all, name, text).err().unwrap_or(error)
            })?;
            extended.names.insert(name.to_string(), node);
            // The companion takes the name with the suffix.
            if let Some(node) = companion(graph, node) {
                let name = format!("{name}{suffix}");
                if slots.contains_key(name.as_str()) {
                    return Err(ErrorKind::NameTaken(name).into());
                }
                extended.bind(&name, node)?;
            }
        }
        *self = extended;
        Ok(())
    }
}

/// The names that occur in a text, with repetitions.
fn names_used(text: &str) -> Result<Vec<&str>, ExprError> {
    let tokens = lexer::tokens(text)?;
    let names = tokens.iter().filter(|token| token.kind == TokenKind::Name);
    Ok(names.map(|token| &text[token.start..token.end]).collect())
}

/// Topological order: each definition after all it needs; else a cycle, its first member repeated.
fn order(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    // Kahn's algorithm: count open needs, and release users as definitions are ordered.
    let mut users = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    for (slot, needed) in needs.iter().enumerate() {
        for &other in needed {
            users[other].push(slot);
        }
    }
    let mut ready: Vec<usize> = (0..needs.len()).filter(|&s| open[s] == 0).collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(slot) = ready.pop() {
        order.push(slot);
        for &user in &users[slot] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.push(user);
            }
        }
    }
    let Some(mut at) = open.iter().position(|&count| count > 0) else {
        return Ok(order);
    };
    // Every remaining definition needs a remaining one: following them closes a cycle.
    let mut path = Vec::new();
    let mut seen = vec![None; needs.len()];
    while seen[at].is_none() {
        seen[at] = Some(path.len());
        path.push(at);
        at = needs[at]
            .iter()
            .copied()
            .find(|&n| open[n] > 0)
            .unwrap_or(at);
    }
    let mut cycle = path.split_off(seen[at].unwrap_or(0));
    cycle.push(at);
    Err(cycle)
}
