//! The two kinds of scenes: mechanisms and bodies.

use percuss_input::Named;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::{MechanismSpec, SceneKind};

use super::Scene;

/// The model of a scene by kind; expressions are still text.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
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
    /// Whether it is a sweeping process (`kind = "sweep"`).
    pub fn is_sweeping_process(&self) -> bool {
        self.mechanism().is_some_and(|m| m.sweep.is_some())
    }
}
