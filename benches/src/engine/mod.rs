//! The engines behind one interface: put a scene in, step, read places.

pub mod box2d;
pub mod percuss;
pub mod rapier;
pub mod rapier2;
pub mod rapier3;

use crate::scene::Place;

/// One engine with one scene.
pub trait Engine {
    /// Goes on by one step of `scene::STEP`.
    fn step(&mut self) -> Result<(), String>;

    /// Where all bodies are, in the order of the scene.
    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String>;

    /// R2 of the last step, judged on the impulses of the engine; None where it does not tell them.
    fn residual(&self) -> Option<f64> {
        None
    }
}

/// An error in words.
pub fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
