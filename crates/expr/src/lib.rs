#![doc = include_str!("../README.md")]

mod definitions;
mod derivative;
mod display;
mod error;
mod evaluate;
mod functions;
mod graph;
pub mod lagrange;
mod language;
mod lexer;
mod node;
mod parser;
mod program;
mod scope;
mod simplify;

pub use display::ExpressionText;
pub use error::{ErrorKind, ExprError, SourceLocation, similar_names};
pub use evaluate::{NotFinite, RunError};
pub use graph::Graph;
pub use node::NodeId;
pub use program::{Program, Scratch};
pub use scope::Scope;
