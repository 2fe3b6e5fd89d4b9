//! Bodies at rest and forces that rigidity leaves open: from scenes and records to `statics`.
//!
//! - [`weigh`]: the largest multiplier of a load case of a scene (`[[load]]`), with the mechanism of
//!   collapse; [`verge`]: the value of a parameter beyond which a scene does not stand.
//! - [`forces`]: the interval of every normal impulse of a recorded step over all impulses that give
//!   the same velocities.
//!
//! Coordinates of a body are its translation and its rotation times its radius of gyration, so that a
//! balance has one unit. Contacts of a scene are the points where bodies touch at the start, to
//! [`CLOSED`] of their sizes.

mod axes;
mod face;
mod forces;
mod gather;
mod rows;
mod sketch;
mod table;
mod verge;
mod weigh;

pub use forces::{Contact, ForceBounds, ForceBoundsOptions, force_bounds};
pub use gather::CLOSED;
pub use sketch::{forces_svg, mechanism_svg};
pub use table::{FORCES, write_forces};
pub use verge::{CriticalParameter, critical_parameter};
pub use weigh::{CollapseContact, LimitAnalysis, Moved, Role, analyse_load};
