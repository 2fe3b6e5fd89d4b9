//! The methods, each a [`Solver`](crate::Solver) of its own; none calls `start` or `auto`.
//!
//! Sweeps: [`nlgs`], [`nncg`] and [`anderson`], by the scalar sweep or by `simd`, with a coarse correction in high
//! piles. Factorisations: [`admm`], [`semismooth_newton`], [`proximal_newton`], [`smoothing_newton`] and
//! [`interior_point`], on the systems in `newton_system`.

pub mod admm;
pub mod anderson;
mod coarse_correction;
pub mod interior_point;
pub(crate) mod newton_system;
pub mod nlgs;
pub mod nncg;
pub mod proximal_newton;
mod residual_schedule;
mod scalar_sweep;
pub mod semismooth_newton;
pub mod smoothing_newton;
