//! Sweeping processes under way: −du ∈ N_C(t)(u) − w(t, u) dt as a motion.

mod begin;
mod error;
mod motion;
mod set;

pub(crate) use motion::SweepMotion;
