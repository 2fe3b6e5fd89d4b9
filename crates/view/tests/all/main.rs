//! The tests of the crate in one program: each program more is linked with everything once more.

mod choices;
mod common;
mod histories;
mod html;
mod packs;
mod requests;
mod server;
