//! Sample problems for tests, benchmarks and first experiments with a solver.
//!
//! Each kind of problem is a plain struct of parameters with defaults; `problem()` builds the one-step problem
//! u = W r + b from masses and contact maps ([`percuss_contact::FactoredDelassus`]). The same parameters give the same bits on
//! every machine: the only randomness is [`Random`], which is seeded.
//!
//! | struct | what is hard about it |
//! |---|---|
//! | [`Tower`] | height and mass ratios: information travels one interface per sweep |
//! | [`Wall`] | a running-bond wall in the plane, hyperstatic, many sticking contacts |
//! | [`Chain`] | bilateral pins under a heavy load: hopeless for sweeps, easy for a factorisation |
//! | [`Pyramid`] | regular piles of spheres: exact sweeps cycle at high friction |
//! | [`Packing`] | spheres settled in a box: jammed, hyperstatic, no strict complementarity |
//! | [`Table`] | the smallest hyperstatic problem: four legs, three equations |
//! | [`RandomContacts`] | few random planar contacts, small enough to enumerate every status |
//!
//! Units are arbitrary but coherent; by default lengths are of order 1, g = 10 and h = 0.01.
//! Invalid parameters (negative masses, not-a-number) give the [`percuss_contact::ProblemError`] of the builder behind them.

mod chain;
mod packing;
mod pyramid;
mod random;
mod random_contacts;
mod rigid;
mod table;
mod tower;
mod wall;

pub use chain::{Attitude, Chain};
pub use packing::{Packing, Settled};
pub use pyramid::Pyramid;
pub use random::Random;
pub use random_contacts::RandomContacts;
pub use table::Table;
pub use tower::Tower;
pub use wall::Wall;
