//! Common interface of the engines: build a scene, step, read positions.

pub mod box2d;
pub mod percuss;
pub mod rapier;
pub mod rapier2;
pub mod rapier3;

use crate::scene::Place;

/// An engine with one scene.
pub trait Engine {
    /// Advances by one step of `percuss_scene::STEP`.
    fn step(&mut self) -> Result<(), String>;

    /// States of all bodies, in the order of the scene.
    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String>;

    /// Residual R2 of the last step, from the impulses of the engine; `None` where it does not provide them.
    fn residual(&self) -> Option<f64> {
        None
    }

    /// Whether the last step met its tolerance; `None` where an engine has none.
    fn reached(&self) -> Option<bool> {
        None
    }
}

/// An error as text.
pub fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
