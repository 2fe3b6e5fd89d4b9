#![doc = include_str!("../README.md")]

mod error;
mod keyword;
mod parameters;
mod reader;
mod renamed;
pub mod report;
pub mod tables;
mod tree;

pub use error::{InputError, Origin};
pub use keyword::{keyword, unknown_keyword};
pub use parameters::{
    Parameters, expression_error, of_definitions, require_unreserved, value_error,
};
pub use reader::{Formula, Named, Reader, named, parts};
pub use renamed::replace_renamed;
pub use tree::{Entry, Item, Value, parse};
