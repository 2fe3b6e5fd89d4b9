//! The tests of the crate in one program: each program more is linked with everything once more.

mod campaign;
mod cell_images;
mod cell_motion;
mod compound_motion;
mod detect_shapes;
mod free_rotation;
mod granular_tensors;
mod joint_closed_forms;
mod joint_friction;
mod joint_kinds;
mod joint_loops;
mod joint_parts;
mod joint_systems;
mod support;
mod world_closed_forms;
mod world_correction;
mod world_lasting;
mod world_persistent;
mod world_profile;
mod world_rest;
mod world_structures;
mod world_symmetry;
mod world_threads;
