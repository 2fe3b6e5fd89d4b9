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
pub use index::Span;
pub use moment::{Moment, State};
pub use pack::{Column, Data, Pack};
pub use page::{MARKER, PAGE};
pub use request::{Asked, Guard, Refusal, parse};
pub use route::Ask;
pub use run::{Answer, Run};
pub use server::{Limits, Options, Server, Stopper};
