//! What a scene is about: a mechanism or a collection of bodies.

use super::Scene;
use super::spec::{MechanismSpec, Named};
use crate::collection::{self, BodiesEnvironment, BodiesSpec};
use crate::error::SceneError;

/// What a scene is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneKind {
    /// Few coordinates, energies and contacts as expressions.
    Mechanism,
    /// Many bodies with shapes.
    Bodies,
}

/// What a scene says about what moves, as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Mechanism(Box<MechanismSpec>),
    Bodies(Box<BodiesSpec>),
}

impl Content {
    pub fn kind(&self) -> SceneKind {
        match self {
            Self::Mechanism(_) => SceneKind::Mechanism,
            Self::Bodies(_) => SceneKind::Bodies,
        }
    }

    pub fn parameters(&self) -> &[Named] {
        match self {
            Self::Mechanism(mechanism) => &mechanism.parameters,
            Self::Bodies(bodies) => &bodies.parameters,
        }
    }

    pub fn parameters_mut(&mut self) -> &mut [Named] {
        match self {
            Self::Mechanism(mechanism) => &mut mechanism.parameters,
            Self::Bodies(bodies) => &mut bodies.parameters,
        }
    }
}

impl Scene {
    /// Laws and gravity of a scene of bodies, without making the bodies; nothing for a mechanism.
    ///
    /// # Errors
    /// Whatever is wrong with a law.
    pub fn environment(&self) -> Result<Option<BodiesEnvironment>, SceneError> {
        let bodies = self.bodies();
        let made = bodies.map(|bodies| collection::environment(self, bodies));
        made.transpose()
    }

    /// Whether it is a sweeping process.
    pub fn is_sweeping_process(&self) -> bool {
        self.mechanism().is_some_and(|m| m.sweep.is_some())
    }
}
