//! What a collection says of itself: names, spans, sources, settings.

use percuss_bodies::{Activation, Dim, Integrator, Plane, Settings, Space};
use serde_json::{Value, json};

use super::names::NameTable;
use super::{BuiltBodies, SceneNames};
use crate::bodies_scene::BodiesEnvironment;
use crate::error::SceneError;
use crate::file::{DataFile, Scene};

impl BuiltBodies {
    /// Names of bodies, groups, regions, watches and joints.
    pub fn names(&self) -> &SceneNames {
        match self {
            Self::Plane(assembly) => &assembly.names,
            Self::Space(assembly) => &assembly.names,
        }
    }

    /// Dimension, 2 or 3.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Plane(_) => 2,
            Self::Space(_) => 3,
        }
    }

    /// Start and end of the run, and the length of a step.
    pub fn span(&self) -> (f64, f64, f64) {
        match self {
            Self::Plane(all) => (all.start, all.until, all.settings.step),
            Self::Space(all) => (all.start, all.until, all.settings.step),
        }
    }

    /// The files that were read for it, and the seed of the first generator that drew random numbers.
    pub fn sources(&self) -> (&[DataFile], Option<u64>) {
        match self {
            Self::Plane(assembly) => (&assembly.files, assembly.seed),
            Self::Space(assembly) => (&assembly.files, assembly.seed),
        }
    }

    /// The settings as they are written to a manifest.
    pub fn settings_json(&self) -> serde_json::Value {
        // The settings of the integrator, and the periodic axes of a cell.
        let (mut settings, cell) = match self {
            Self::Plane(a) => (
                bodies_settings_json::<Plane>(
                    &a.settings,
                    a.event_driven,
                    (a.start, a.until),
                    a.record_every,
                ),
                a.model.cell.as_ref().map(|cell| &cell.periodic[..2]),
            ),
            Self::Space(a) => (
                bodies_settings_json::<Space>(
                    &a.settings,
                    a.event_driven,
                    (a.start, a.until),
                    a.record_every,
                ),
                a.model.cell.as_ref().map(|cell| &cell.periodic[..]),
            ),
        };
        // Along which vectors of the table `cell` there are images.
        if let Some(periodic) = cell {
            settings["periodic"] = periodic.into();
        }
        settings
    }

    /// The names that observables may use.
    pub fn name_table<'a>(&'a self, parameters: &'a [(String, f64)]) -> NameTable<'a> {
        NameTable {
            names: self.names(),
            dimension: self.dimension(),
            parameters,
            start: self.span().0,
        }
    }
}

/// Settings of a run of bodies as the manifest holds them.
pub fn bodies_settings_json<D: Dim>(
    settings: &Settings,
    event_driven: bool,
    (start, until): (f64, f64),
    record_every: usize,
) -> Value {
    // Threads are left out: neither results nor records depend on them.
    json!({
        "dimension": D::N,
        "start": start,
        "until": until,
        "step": settings.step,
        "integrator": match settings.integrator {
            _ if event_driven => "event",
            Integrator::Midpoint => "midpoint",
            Integrator::Projected => "projected",
        },
        "activation": match settings.activation {
            Activation::Gap => "gap",
            Activation::Predicted => "predicted",
        },
        "correction": settings.projection,
        "solver": settings.solver,
        "max_iterations": settings.max_iterations,
        "tolerance": settings.tolerance,
        "record_every": record_every,
    })
}

impl Scene {
    /// Builds the bodies: model, initial state, settings and preparations.
    ///
    /// # Errors
    /// A shape, a mass, a name, a law, a motion, a file or a setting is invalid, or the scene is a mechanism.
    pub fn build_bodies(&self) -> Result<BuiltBodies, SceneError> {
        match self.bodies() {
            Some(bodies) => super::build::build(self, bodies),
            None => Err(self.other_kind("mechanism", "Scene::build_mechanism")),
        }
    }
}

impl Scene {
    /// Contact laws and gravity of a scene of bodies, without building the bodies; `None` for a mechanism.
    ///
    /// # Errors
    /// A law is invalid.
    pub fn environment(&self) -> Result<Option<BodiesEnvironment>, SceneError> {
        let bodies = self.bodies();
        let made = bodies.map(|bodies| crate::bodies_scene::environment(self, bodies));
        made.transpose()
    }
}
