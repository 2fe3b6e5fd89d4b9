#![doc = include_str!("../README.md")]

mod about;
mod account;
mod company;
mod drawing;
mod error;
mod friction;
mod history;
pub mod html;
mod index;
mod moment;
mod pack;
mod page;
mod request;
mod route;
mod run;
mod server;
mod shelf;
mod states;
mod touches;

pub use error::ViewError;
pub use index::StepSpan;
pub use moment::{RunSnapshot, RunState};
pub use pack::{BinaryColumn, BinaryTable, BinaryValues};
pub use page::{MARKER, PAGE};
pub use request::{AccessRule, RequestError, RequestTarget, parse};
pub use route::Query;
pub use run::{FollowedRun, Response};
pub use server::{Limits, Options, Server, Stopper};
