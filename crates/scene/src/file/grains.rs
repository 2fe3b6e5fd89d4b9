//! Grains that are in no text.

use super::{Content, Reader, Scene};
use crate::error::SceneError;

impl Scene {
    /// The same scene with other grains in one of its `[[grains]]`, by name: numbers that no text
    /// repeats. Each is its coordinates (the last is 0 in the plane) and its radius.
    ///
    /// # Errors
    /// There are no such grains.
    pub fn with_grains(mut self, name: &str, grains: Vec<[f64; 4]>) -> Result<Self, SceneError> {
        if let Content::Bodies(bodies) = &mut self.content
            && bodies.put_grains(name, grains)
        {
            return Ok(self);
        }
        let reader = Reader::new(&self.origin, "", 1, Vec::new());
        let problem = format!("there are no [[grains]] `{name}`");
        Err(reader.error(problem, "").into())
    }
}
