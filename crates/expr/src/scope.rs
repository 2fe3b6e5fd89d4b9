//! Scope: names and the nodes they stand for.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, ExprError, similar_names};
use crate::graph::Graph;
use crate::language::{check_name, constant_names};
use crate::node::NodeId;

/// The names an expression may use: inputs, parameters, definitions.
///
/// One graph may serve several scopes, such as one with velocities for forces and one without them for constraints.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub(crate) names: BTreeMap<String, NodeId>,
}

impl Scope {
    /// A scope with no names but the constants `pi`, `π` and `tau`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers an input in the graph and adds its name.
    ///
    /// # Errors
    /// The text is not a name, or is in use.
    pub fn input(&mut self, graph: &mut Graph, name: &str) -> Result<NodeId, ExprError> {
        self.require_free(name)?;
        let node = graph.input(name)?;
        self.names.insert(name.to_string(), node);
        Ok(node)
    }

    /// Registers a parameter with its value in the graph and adds its name.
    ///
    /// # Errors
    /// The text is not a name, or is in use, or the value is not finite.
    pub fn parameter(
        &mut self,
        graph: &mut Graph,
        name: &str,
        value: f64,
    ) -> Result<NodeId, ExprError> {
        self.require_free(name)?;
        let node = graph.parameter(name, value)?;
        self.names.insert(name.to_string(), node);
        Ok(node)
    }

    /// Adds a name for a node of the graph.
    ///
    /// # Errors
    /// The text is not a name, or is in use.
    pub fn bind(&mut self, name: &str, node: NodeId) -> Result<(), ExprError> {
        self.require_free(name)?;
        self.names.insert(name.to_string(), node);
        Ok(())
    }

    /// Removes a name; returns whether it was known.
    pub fn remove(&mut self, name: &str) -> bool {
        self.names.remove(name).is_some()
    }

    /// The node of a name.
    pub fn get(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The known names that resemble an unknown one, and all known names.
    pub(crate) fn suggestions(&self, name: &str) -> (Vec<String>, Vec<String>) {
        let known: Vec<String> = self.names().map(str::to_string).collect();
        let mut all = known.clone();
        all.extend(constant_names().map(str::to_string));
        (similar_names(name, &all), known)
    }

    /// Refuses a name that is in use.
    pub(crate) fn require_free(&self, name: &str) -> Result<(), ExprError> {
        check_name(name)?;
        match self.names.contains_key(name) {
            true => Err(ErrorKind::NameTaken(name.to_string()).into()),
            false => Ok(()),
        }
    }
}
