//! New manifests: what a manifest says of a run before its first step.

use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{BuiltMechanism, Scene};
use serde_json::Value;

use super::machine::Machine;
use super::manifest::{Manifest, Override, settings_json};

impl Manifest {
    /// The manifest of a run of a mechanism or of a sweeping process.
    pub fn of_mechanism(scene: &Scene, built: &BuiltMechanism, threads: usize) -> Self {
        let mut manifest = of_scene(scene, threads);
        let (start, until) = (built.initial.t, built.until);
        manifest.settings = settings_json(&built.settings, start, until, built.record_every);
        if let Some(method) = built.sweep_method() {
            manifest.settings["integrator"] = method.into();
        }
        manifest
    }

    /// The manifest of a run of bodies.
    pub fn of_bodies(scene: &Scene, collection: &BuiltBodies, threads: usize) -> Self {
        let mut manifest = of_scene(scene, threads);
        manifest.settings = collection.settings_json();
        let (files, seed) = collection.sources();
        (manifest.files, manifest.seed) = (files.to_vec(), seed);
        manifest
    }
}

fn of_scene(scene: &Scene, threads: usize) -> Manifest {
    let mut manifest = Manifest::new("run", scene.name());
    let mut machine = Machine::here(threads);
    if !scene.folder().as_os_str().is_empty() {
        // Kept for a resumed run, which may be started in another folder.
        machine.folder = Some(scene.folder().display().to_string());
    }
    manifest.machine = Some(machine);
    manifest.title = scene.title().into();
    manifest.source = scene.source().into();
    manifest.origin = scene.origin().into();
    manifest.text = scene.text().into();
    manifest.warnings = scene.warnings().to_vec();
    let overrides = scene.overrides().iter().map(|(key, value)| Override {
        key: key.clone(),
        value: value.clone(),
    });
    manifest.overrides = overrides.collect();
    let parameters = scene.parameters().iter();
    manifest.parameters = parameters
        .map(|(k, v)| (k.clone(), Value::from(*v)))
        .collect();
    manifest
}
