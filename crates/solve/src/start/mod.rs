//! Starting points: impulses for a step without warm start, and restarts where every method has failed.

mod restart;
mod shock_propagation;

pub(crate) use restart::restart;
pub(crate) use shock_propagation::ShockPropagation;

/// Starting point of a method of the cascade.
pub(crate) enum StartPoint {
    /// At the best iterate so far.
    Best,
    /// Where the first sweeps ended.
    AfterFirstSweeps,
    /// Zero impulses.
    Zero,
}
