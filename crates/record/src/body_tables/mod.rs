//! Records of runs of bodies.
//!
//! | table | one row for |
//! |---|---|
//! | `names` | every body: its name, material, mass and shape; written once |
//! | `steps` | every step: its step report (residual, errors, energies) |
//! | `bodies` | every body in every recorded state: pose and velocity; step 0 is the start |
//! | `contacts` | every contact of every recorded step but the start |
//! | `cell` | every recorded state of a periodic cell: lattice vectors and strain rates |
//! | `midpoints` | every body that follows forces in every recorded step, with joints or position correction |
//! | `joints` | every row of every joint in every recorded step |
//! | `end_contacts` | every contact that the integrator `projected` projects at the end of a recorded step |
//! | `observables` | every step: the expressions of findings and plots; written at the end |
//! | `profiles`, `distributions` | every slice, every bin, where the scene asks for them; written at the end |
//!
//! Every `record_every`-th step and the last are recorded. Rows go to disk chunk by chunk, so that memory does not
//! grow with the run: one chunk of each table, and until the first step is computed a copy of the initial state (a
//! run that is refused leaves no directory).

mod finish;
mod joint_tables;
mod names;
mod profiles;
mod recorder;
mod rows;
pub(crate) mod shape;
mod tables;

pub use names::{
    BodyDescription, BodyMotion, RecordShape, describe_body, names_table, read_body_descriptions,
};
pub(super) use profiles::{distribution_columns, profile_columns};
pub use recorder::BodiesRecorder;
pub use shape::{RecordedShape, ShapePart};
pub use tables::BODY_TABLES;
pub(super) use tables::{columns as body_columns, shifts};
