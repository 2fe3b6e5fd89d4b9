//! Grains given as numbers by a caller instead of text.

use super::{Content, Reader, Scene};
use crate::error::SceneError;

impl Scene {
    /// The same scene with other grains in one of its `[[grains]]`, by name. The numbers are not part of the text. Each
    /// grain is its coordinates (the last is 0 in the plane) and its radius.
    ///
    /// # Errors
    /// The scene has no `[[grains]]` of this name.
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
