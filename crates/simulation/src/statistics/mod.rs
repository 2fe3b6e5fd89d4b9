//! Statistics of a run of bodies: profiles over slices, distributions (histograms), standard errors
//! of time averages.
//!
//! ```text
//! profile        mean over a span of time of an observable of every slice of a region, ± standard error
//! distribution   counts of a quantity of contacts, chains or bodies in bins, over the recorded steps
//! ```
//!
//! `block` computes the standard error of a mean of correlated values; `profile` makes profiles
//! from the series of a run when it has ended; distributions are counted during the run
//! (`bodies_run::distributions`).

pub mod block;
mod profile;

pub use profile::texts;
