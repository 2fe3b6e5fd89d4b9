//! What all runs of an audit have in common: the scene, its settings, the movable bodies.

use percuss_bodies::Dim;
use percuss_mechanism::Scheme;
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{BuiltMechanism, Scene, SceneError, SceneKind};

/// What all runs have in common.
#[derive(Debug)]
pub(super) enum Common {
    Mechanism(Box<BuiltMechanism>),
    Bodies {
        step: f64,
        span: (f64, f64),
        tolerance: f64,
        dimension: usize,
        /// The movable bodies, with their bounding radii and names.
        movable: Vec<u32>,
        radii: Vec<f64>,
        names: Vec<String>,
        prepared: bool,
        event_driven: bool,
    },
}

impl Common {
    /// Builds the scene.
    ///
    /// # Errors
    /// The scene has an error.
    pub fn of(scene: &Scene) -> Result<Self, SceneError> {
        // A scene is built once; the runs repeat or change it.
        Ok(match scene.kind() {
            SceneKind::Mechanism => Self::Mechanism(Box::new(scene.build_mechanism()?)),
            SceneKind::Bodies => match scene.build_bodies()? {
                BuiltBodies::Plane(assembly) => common(&assembly),
                BuiltBodies::Space(assembly) => common(&assembly),
            },
        })
    }
}

impl Common {
    /// Start and end of the run.
    pub fn span(&self) -> (f64, f64) {
        match self {
            Common::Mechanism(built) => (built.initial.t, built.until),
            Common::Bodies { span, .. } => *span,
        }
    }

    /// The step of the reference.
    pub fn step(&self) -> f64 {
        match self {
            Common::Mechanism(built) => built.settings.step,
            Common::Bodies { step, .. } => *step,
        }
    }

    /// The tolerance of the reference.
    pub fn tolerance(&self) -> f64 {
        match self {
            Common::Mechanism(built) => built.settings.tolerance,
            Common::Bodies { tolerance, .. } => *tolerance,
        }
    }

    /// The scheme of a mechanism.
    pub fn scheme(&self) -> Option<Scheme> {
        match self {
            Common::Mechanism(built) => Some(built.settings.scheme),
            Common::Bodies { .. } => None,
        }
    }

    /// The method of a sweeping process.
    pub fn sweep_method(&self) -> Option<&'static str> {
        match self {
            Common::Mechanism(built) => built.sweep_method(),
            Common::Bodies { .. } => None,
        }
    }

    /// Whether steps are adaptive.
    pub fn varies_steps(&self) -> bool {
        match self {
            Common::Mechanism(built) => built.settings.adaptive.is_some(),
            Common::Bodies { .. } => false,
        }
    }

    /// Whether `step` is only the interval between outputs (event-driven methods).
    pub fn chooses_steps(&self) -> bool {
        // Event-driven methods, of a sweeping process or of a mechanism.
        match self.sweep_method() {
            Some(method) => method == "event",
            None => match self {
                Common::Mechanism(built) => built.settings.scheme == Scheme::Event,
                Common::Bodies { event_driven, .. } => *event_driven,
            },
        }
    }

    /// The name of a body by its place among the movable ones.
    pub fn body(&self, place: usize) -> Option<&str> {
        match self {
            Common::Mechanism(_) => None,
            Common::Bodies { names, .. } => names.get(place).map(String::as_str),
        }
    }
}

/// Settings and movable bodies of a scene of bodies.
fn common<D: Dim>(assembly: &BodiesSetup<D>) -> Common {
    let bodies = assembly.model.bodies.iter().zip(0u32..);
    // Fixed and kinematic bodies are the same in all runs.
    let movable = bodies.filter(|(body, _)| body.freedom.movable());
    let movable: Vec<(f64, u32)> = movable
        .map(|(b, k)| (D::bounding_radius(&b.shape), k))
        .collect();
    let name = |k: u32| assembly.names.bodies.get(k as usize).cloned();
    Common::Bodies {
        step: assembly.settings.step,
        span: (assembly.start, assembly.until),
        tolerance: assembly.settings.tolerance,
        dimension: D::N,
        radii: movable.iter().map(|(radius, _)| *radius).collect(),
        names: movable
            .iter()
            .map(|(_, k)| name(*k).unwrap_or_default())
            .collect(),
        movable: movable.into_iter().map(|(_, k)| k).collect(),
        prepared: !assembly.prepare.is_empty(),
        event_driven: assembly.event_driven,
    }
}
