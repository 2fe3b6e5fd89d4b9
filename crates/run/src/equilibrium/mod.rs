//! Limit analysis and force indeterminacy: from scenes and records to `statics`.
//!
//! - [`analyse_load`]: the largest load multiplier of a load case of a scene (`[[load]]`), with the collapse
//!   mechanism; [`critical_parameter`]: the value of a parameter beyond which a scene has no equilibrium.
//! - [`force_bounds`]: the interval of every normal impulse of a recorded step over all admissible impulses that give
//!   the same velocities.
//!
//! The coordinates of a body are its translation and its rotation times its radius of gyration, so that a balance
//! has one unit. The contacts of a scene are the points where bodies touch in the initial configuration, to
//! [`CLOSED`] times their bounding radii.

mod critical_parameter;
mod face;
mod forces;
mod loads;
mod record_dim;
mod rows;
mod static_model;
mod table;

pub use critical_parameter::{CriticalParameter, critical_parameter};
pub use forces::{Contact, ForceBounds, ForceBoundsOptions, force_bounds};
pub use loads::{CollapseContact, LimitAnalysis, Moved, Role, analyse_load};
pub use static_model::CLOSED;
pub use table::{FORCES, write_forces};
